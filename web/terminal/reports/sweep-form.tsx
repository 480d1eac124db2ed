/** Form of a sweep: thresholds with their values, and the windows of its walk-forward. */
import { Button, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useChange } from '../agents/actions.tsx';
import { api } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';

export function SweepForm({ agentId: id }: { readonly agentId: string }) {
  const [lines, setLines] = useState('');
  const [train, setTrain] = useState('365');
  const [test, setTest] = useState('91');
  const sweep = useChange(
    () =>
      api.sweepAgent({
        id,
        body: { parameters: parametersOf(lines), walkForward: { trainDays: Number(train), testDays: Number(test) } },
      }),
    'The sweep has begun. You may leave this page.',
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    sweep.mutate();
  };
  return (
    <details className="sweep">
      <summary>Sweep parameters with a walk-forward</summary>
      <form className="ask" onSubmit={submit}>
        <Textarea
          size="xs"
          label="Parameters, one per line, each with its values"
          rows={3}
          spellCheck={false}
          placeholder={'stopLossPct = 2, 4, 6\nentryConditions[0].value = 25, 30, 35'}
          value={lines}
          onChange={({ currentTarget }) => setLines(currentTarget.value)}
        />
        <div className="field-pairs">
          <TextInput
            label="Training days"
            type="number"
            min={1}
            value={train}
            onChange={({ currentTarget }) => setTrain(currentTarget.value)}
          />
          <TextInput label="Test days" type="number" min={1} value={test} onChange={({ currentTarget }) => setTest(currentTarget.value)} />
        </div>
        <Refusal error={sweep.error} />
        <div className="buttons">
          <Button type="submit" loading={sweep.isPending} disabled={lines.trim() === ''}>
            Sweep
          </Button>
        </div>
      </form>
    </details>
  );
}

/**
 * Reads `stopLossPct = 2, 4` as a threshold with two values. A number whose text would change stays a text, so that no digit is lost; the
 * service says which of them fits.
 */
export function parametersOf(text: string) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [path = '', values = ''] = line.split('=');
      return { path: path.trim(), values: values.split(',').flatMap((value) => (value.trim() === '' ? [] : [numberOrText(value.trim())])) };
    });
}

const numberOrText = (value: string): number | string => (String(Number(value)) === value ? Number(value) : value);
