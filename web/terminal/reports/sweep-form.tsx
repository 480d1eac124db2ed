/** Form of a sweep: thresholds with their values, and the walk-forward windows. */
import { notifications } from '@mantine/notifications';
import { refreshAgent } from '../agents/data.ts';
import { api } from '../api.ts';
import { Form } from '../kit/form.tsx';

export const SweepForm = ({ agentId: id }: { readonly agentId: string }) => (
  <details className="sweep">
    <summary>Sweep parameters with a walk-forward</summary>
    <Form
      look="ask"
      fields={[
        {
          name: 'parameters',
          label: 'Parameters, one per line, each with its values',
          placeholder: 'stopLossPct = 2, 4, 6\nentryConditions[0].value = 25, 30, 35',
          kind: 'area',
        },
        { name: 'trainDays', label: 'Training days', kind: 'amount' },
        { name: 'testDays', label: 'Test days', kind: 'amount' },
      ]}
      first={{ parameters: '', trainDays: '365', testDays: '91' }}
      verb="Sweep"
      send={({ parameters, trainDays, testDays }) =>
        api.sweepAgent({
          id,
          body: { parameters: parseParameters(parameters), walkForward: { trainDays: Number(trainDays), testDays: Number(testDays) } },
        })
      }
      onDone={() => {
        refreshAgent();
        notifications.show({ color: 'teal', message: 'The sweep has begun. You may leave this page.' });
      }}
    />
  </details>
);

/**
 * Parses `stopLossPct = 2, 4` as a threshold with two values. A number that would lose digits stays a text, and the service validates
 * it.
 */
export const parseParameters = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [path = '', values = ''] = line.split('=');
      return { path: path.trim(), values: values.split(',').flatMap((value) => (value.trim() === '' ? [] : [numberOrText(value.trim())])) };
    });

const numberOrText = (value: string): number | string => (String(Number(value)) === value ? Number(value) : value);
