// A step is what XState's own pure functions come to, although they make an actor for each step and ours share one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialTransition, transition } from 'xstate';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, StepPlan } from '../../../src/domain/actor-step.ts';
import { lampKind, lampMachine } from './lamp.ts';

const subject = { actorId: 'a', orgId: 'o', now: 1_000 };
const event = fc.oneof(
  fc.record({ type: fc.constant('press'), by: fc.constantFrom('ann', 'bob') }),
  fc.constantFrom({ type: 'count' }, { type: 'no such event' }),
  fc.record({ type: fc.constant('activity.done'), answer: fc.string() }),
);

/** What a plan says of the machine: where it is, and how many actions of each sort it took. */
const shapeOf = ({ state, records, timers, activities, announcements }: StepPlan) => ({
  value: state.value,
  context: state.context,
  actions: records.length + timers.length + activities.length + announcements.length,
});
const expected = ([snapshot, actions]: ReturnType<typeof transition<typeof lampMachine>>) => ({
  value: snapshot.value,
  context: snapshot.context,
  actions: actions.length,
});

test('lives of several actors, step by step and in turns, are those of transition and initialTransition', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), event), { maxLength: 40 }), (events) => {
      const lives = [0, 5, 98].map((presses) => {
        const first = initialTransition(lampMachine, { presses });
        const start = startStep(lampKind, subject, { presses });
        expect(shapeOf(start)).toEqual(expected(first));
        return { snapshot: first[0], state: start.state };
      });
      for (const [whose, each] of events) {
        const life = lives[whose] as (typeof lives)[number];
        const next = transition(lampMachine, life.snapshot, each as never);
        const plan = eventStep(lampKind, subject, restore(lampMachine, life.state), each as ActorEvent);
        expect(shapeOf(plan)).toEqual(expected(next));
        life.snapshot = next[0];
        life.state = plan.state;
      }
    }),
    { numRuns: 150 },
  );
});

test('a step that throws leaves nothing behind for the next', () => {
  const dark = restore(lampMachine, startStep(lampKind, subject, {}).state);
  const before = eventStep(lampKind, subject, dark, { type: 'press', by: 'ann' });
  expect(() => eventStep(lampKind, subject, dark, { type: 'break' })).toThrow();
  expect(() => eventStep(lampKind, subject, dark, { type: 'poison' })).toThrow(/not plain JSON/);
  expect(eventStep(lampKind, subject, dark, { type: 'press', by: 'ann' })).toEqual(before);
});
