// Machines for the eye: the committed pages are what the machines say, and the diagrams are ones that Mermaid reads.
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { agentKind } from '../../../actors/agent/effects.ts';
import { evaluationKind } from '../../../actors/evaluation/effects.ts';
import { marketOrderKind } from '../../../actors/market-order/effects.ts';
import { predictionOrderKind } from '../../../actors/prediction-order/effects.ts';
import { preparedTransactionMachine } from '../../../actors/prepared-transaction/machine.ts';
import { proposalKind } from '../../../actors/proposal/effects.ts';
import { chartPage, describeMachine } from '../../../actors/runtime/chart.ts';

const SELF = 'test/actors/runtime/chart.test.ts';

test('docs/state-charts/agent.md is what the machine of the agent says', async () => {
  await expect(chartPage(agentKind.machine, 'actors/agent/machine.ts', SELF)).toMatchFileSnapshot('../../../docs/state-charts/agent.md');
});

test('docs/state-charts/proposal.md is what the machine of the proposal says', async () => {
  await expect(chartPage(proposalKind.machine, 'actors/proposal/machine.ts', SELF)).toMatchFileSnapshot(
    '../../../docs/state-charts/proposal.md',
  );
});

test('docs/state-charts/evaluation.md is what the machine of the evaluation run says', async () => {
  await expect(chartPage(evaluationKind.machine, 'actors/evaluation/machine.ts', SELF)).toMatchFileSnapshot(
    '../../../docs/state-charts/evaluation.md',
  );
});

test('docs/state-charts/market-order.md is what the machine of a person’s order says', async () => {
  await expect(chartPage(marketOrderKind.machine, 'actors/market-order/machine.ts', SELF)).toMatchFileSnapshot(
    '../../../docs/state-charts/market-order.md',
  );
});

test('docs/state-charts/prepared-transaction.md is what the machine of the prepared transaction says', async () => {
  await expect(chartPage(preparedTransactionMachine, 'actors/prepared-transaction/machine.ts', SELF)).toMatchFileSnapshot(
    '../../../docs/state-charts/prepared-transaction.md',
  );
});

test('docs/state-charts/prediction-order.md is what the machine of a prediction order says', async () => {
  await expect(chartPage(predictionOrderKind.machine, 'actors/prediction-order/machine.ts', SELF)).toMatchFileSnapshot(
    '../../../docs/state-charts/prediction-order.md',
  );
});

test('the diagram keeps to the grammar: plain identifiers, quoted names, nothing else', () => {
  const { mermaid } = describeMachine(agentKind.machine);
  const [first, ...lines] = mermaid.trimEnd().split('\n');
  expect(first).toBe('stateDiagram-v2');
  const line = /^ +(state "[^"]+" as \w+( \{)?|state \w+ \{|\}|--|(\[\*\]|\w+) --> \w+( : [\w. ]+( \[\w+\])?)?)$/;
  expect(lines.filter((one) => !line.test(one))).toEqual([]);
});

test('states of the same name in two regions are two nodes', () => {
  const { mermaid } = describeMachine(agentKind.machine);
  const named = [...mermaid.matchAll(/state "live" as (\w+)/g)].map(([, node]) => node);
  expect(named).toEqual(['stage__live', 'feed__live']);
});

test('every node is declared once, and every arrow leads from one to another', () => {
  const { mermaid } = describeMachine(agentKind.machine);
  const declared = [...mermaid.matchAll(/state "[^"]+" as (\w+)/g)].map(([, node]) => node);
  expect(new Set(declared).size).toBe(declared.length);
  const ends = [...mermaid.matchAll(/(\S+) --> (\w+)/g)].flatMap(([, from, to]) => [from, to]);
  expect(ends.filter((end) => end !== '[*]' && !declared.includes(end))).toEqual([]);
});

test('a machine inside a machine, a guard and a delay are drawn', () => {
  const client = setup({ guards: { isLocked: () => true }, delays: { aWhile: 10 } }).createMachine({
    id: 'door@2',
    initial: 'closed',
    states: {
      closed: {
        initial: 'locked',
        states: { locked: { on: { turn: 'unlocked' } }, unlocked: { on: { turn: { target: 'locked', guard: 'isLocked' } } } },
        on: { push: 'open' },
      },
      open: { after: { aWhile: 'closed' } },
    },
  });
  expect(describeMachine(client).mermaid).toBe(
    `stateDiagram-v2
  state "closed" as closed
  state closed {
    state "locked" as closed__locked
    state "unlocked" as closed__unlocked
    [*] --> closed__locked
    closed__locked --> closed__unlocked : turn
    closed__unlocked --> closed__locked : turn [isLocked]
  }
  state "open" as open
  [*] --> closed
  closed --> open : push
  open --> closed : after aWhile
`,
  );
});
