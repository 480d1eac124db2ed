// A step in the cached scope is the step that XState's own `transition` makes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AnyMachineSnapshot, initialTransition, transition } from 'xstate';
import { agentMachine } from '../../../actors/agent/machine.ts';
import { stepScope } from '../../../actors/runtime/scope.ts';
import { restore } from '../../../actors/runtime/step.ts';
import { lampMachine } from './lamp.ts';

const lampEvents = fc.constantFrom(
  { type: 'press', by: 'ann' },
  { type: 'count' },
  { type: 'sing' },
  { type: 'xstate.after.burnsFor.lamp@2.lit' },
);
const agentEvents = fc.constantFrom(
  { type: 'pause', cause: 'operator' },
  { type: 'resume', subject: 'a', createdBy: 'b' },
  { type: 'autonomy.set', autonomy: 'confirm' },
  { type: 'manifest.changed', manifestVersion: 2, manifestHash: 'f'.repeat(64) },
  { type: 'gate.passed', evidenceId: 'e' },
  { type: 'feed.degraded', venue: 'spotexchange' },
  { type: 'feed.degraded', venue: 'reference' },
  { type: 'feed.restored', venue: 'spotexchange' },
  { type: 'xstate.after.degradedFor.agent@1.feed.degraded' },
);

test.each([
  ['lamp', lampMachine, lampEvents, {}],
  ['agent', agentMachine, agentEvents, { autonomy: 'research', manifestVersion: 1, manifestHash: 'a'.repeat(64) }],
] as const)('%s: over random lives the snapshots and the actions are identical', (_, machine, events, input) => {
  const { scope, actions } = stepScope(machine as never);
  fc.assert(
    fc.property(fc.array(events as fc.Arbitrary<{ type: string }>, { maxLength: 30 }), (life) => {
      const [initial, initialActions] = initialTransition(machine as never, input as never) as [
        AnyMachineSnapshot,
        { type: string; params: unknown }[],
      ];
      actions.length = 0;
      let ours = (machine as never as { getInitialSnapshot(scope: unknown, input: unknown): AnyMachineSnapshot }).getInitialSnapshot(
        scope,
        input,
      );
      let theirs = initial;
      const seen = (list: readonly { type: string; params?: unknown }[]) => list.map(({ type, params }) => ({ type, params }));
      expect(seen(actions)).toEqual(seen(initialActions));
      for (const event of life) {
        const [next, nextActions] = transition(machine as never, theirs as never, event as never) as [
          AnyMachineSnapshot,
          { type: string; params: unknown }[],
        ];
        actions.length = 0;
        // Ours also rests between any two steps.
        const rested = restore(
          machine as never,
          JSON.parse(JSON.stringify({ value: ours.value, context: ours.context, status: ours.status })),
        );
        ours = (machine as never as { transition(s: unknown, e: unknown, c: unknown): AnyMachineSnapshot }).transition(
          rested,
          event,
          scope,
        );
        theirs = next;
        expect(ours.value).toEqual(theirs.value);
        expect(ours.context).toEqual(theirs.context);
        expect(seen(actions)).toEqual(seen(nextActions));
      }
    }),
    { numRuns: 300 },
  );
});
