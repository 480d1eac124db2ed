// Diagrams of the machines: the committed pages match the machines, and Mermaid accepts the diagrams.
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { agentKind } from '../../../actors/agent/effects.ts';
import { chartPage, describeMachine } from '../../../actors/runtime/chart.ts';
import { ACTOR_CAPABILITIES } from '../../../src/boot/capabilities/index.ts';

const SELF = 'test/actors/runtime/chart.test.ts';

test.each(ACTOR_CAPABILITIES.map(({ kind, machineFile }) => [kind, machineFile] as const))(
  'the page of the state chart matches the machine of $kind',
  async ({ machine }, file) => {
    await expect(chartPage(machine, file, SELF)).toMatchFileSnapshot(`../../../docs/state-charts/${file.split('/')[1]}.md`);
  },
);

test('the diagram follows the grammar: plain identifiers, quoted names, nothing else', () => {
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

const KINDS = ACTOR_CAPABILITIES.map(({ kind }) => kind);
test.each(KINDS)('every node of $kind is declared once, and every arrow leads from one to another', ({ machine }) => {
  const { mermaid } = describeMachine(machine);
  expect(mermaid).not.toMatch(/--> +:/);
  const declared = [...mermaid.matchAll(/state "[^"]+" as (\w+)/g)].map(([, node]) => node);
  expect(new Set(declared).size).toBe(declared.length);
  const ends = [...mermaid.matchAll(/(\S+) --> (\w+)/g)].flatMap(([, from, to]) => [from, to]);
  expect(ends.filter((end) => end !== '[*]' && !declared.includes(end))).toEqual([]);
});

test('a machine inside a machine, a guard and a delay are drawn', () => {
  const client = setup({ guards: { isLocked: () => true }, delays: { aWhile: 10 } }).createMachine({
    id: 'turnstile@2',
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
