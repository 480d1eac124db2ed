/** Exports a part of the history as a vitest file that fails if the state chart takes these steps differently. */
import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { Refusal } from '../kit/refusal.tsx';
import { saveText, submits } from '../kit/browser.ts';

const EXPORTED = 10;
const MOST = 500;

export function ExportTest({ id, version }: { readonly id: string; readonly version: number }) {
  const [from, setFrom] = useState<number | null>(null);
  const [to, setTo] = useState<number | null>(null);
  const range = { from: from ?? Math.max(0, version - EXPORTED), to: to ?? version };
  const exporting = useMutation({
    mutationFn: async () => saveText(await api.exportActorTest({ id, ...range }), `${id.slice(-12)}-${range.from}-${range.to}.test.ts`),
  });
  const isWrong = range.to <= range.from || range.to - range.from > MOST;
  return (
    <form className="export-test" aria-label="Export as test" onSubmit={submits(() => exporting.mutate())}>
      <p className="faint">Downloads a vitest file for test/exported. It fails if the state chart ever takes these steps differently.</p>
      <div className="pair">
        <TextInput
          type="number"
          size="xs"
          label="After version"
          min={0}
          value={range.from}
          onChange={({ currentTarget }) => setFrom(currentTarget.value === '' ? null : Number(currentTarget.value))}
        />
        <TextInput
          type="number"
          size="xs"
          label="Up to version"
          min={1}
          value={range.to}
          error={isWrong ? `Choose 1 to ${MOST} steps.` : null}
          onChange={({ currentTarget }) => setTo(currentTarget.value === '' ? null : Number(currentTarget.value))}
        />
      </div>
      <Refusal error={exporting.error} />
      <div className="buttons">
        <Button type="submit" loading={exporting.isPending} disabled={isWrong}>
          Export as test
        </Button>
      </div>
    </form>
  );
}
