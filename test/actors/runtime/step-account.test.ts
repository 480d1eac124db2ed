// Account of a step: the guards that were evaluated with their inputs, and no effect beyond a plain step's.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentKind } from '../../../actors/agent/effects.ts';
import type { PastState } from '../../../actors/runtime/actor-history.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import { accountOfStep } from '../../../actors/runtime/actor-branches.ts';
import type { ActorEvent, ActorState } from '../../../src/domain/agents/actor-step.ts';

const HASH = 'a'.repeat(64);
const INPUT = { autonomy: 'research', manifestVersion: 1, manifestHash: HASH };
const SUBJECT = { id: '00000000-0000-7000-8000-00000000000a', orgId: '00000000-0000-7000-8000-000000000001', kind: 'agent' };
const directory = createDirectory([agentKind]);
const info = (now: number) => ({ actorId: SUBJECT.id, orgId: SUBJECT.orgId, now });
const start = (): ActorState => startStep(agentKind, info(1), INPUT).state;
const past = (state: ActorState, version = 1): PastState => ({ version, at: version, machine: 'agent@1', state });
const gate = (more: object): ActorEvent => ({
  type: 'gate.passed',
  gate: 'draft',
  manifestHash: HASH,
  evidenceId: 'e',
  askedBy: 'ann',
  ...more,
});
const account = (state: ActorState, event: ActorEvent, to: unknown) =>
  accountOfStep(directory, SUBJECT, past(state), { version: 2, at: 2, machine: 'agent@1', event: event as never, to: to as never });

test('a guard reports its parameters, the context and event fields it read, and its result', () => {
  const state = start();
  const passed = account(state, gate({}), null);
  expect(passed.guards).toEqual([
    {
      guard: 'opens',
      params: { gate: 'draft' },
      passed: true,
      inputs: [
        { path: 'event.type', value: 'gate.passed' },
        { path: 'event.gate', value: 'draft' },
        { path: 'event.manifestHash', value: HASH },
        { path: 'context.manifestHash', value: HASH },
      ],
    },
  ]);
  const other = account(state, gate({ manifestHash: 'b'.repeat(64) }), null);
  expect(other.guards[0]).toMatchObject({ guard: 'opens', passed: false });
  expect(other.guards[0]?.inputs).toContainEqual({ path: 'event.manifestHash', value: 'b'.repeat(64) });
  // The other fields and the hash are not read once the gate differs.
  const wrong = account(state, gate({ gate: 'paper' }), null);
  expect(wrong.guards[0]?.inputs.map(({ path }) => path)).toEqual(['event.type', 'event.gate']);
});

test('a compound guard reports the machine’s state, and each of its named parts', () => {
  const { guards } = account(start(), { type: 'feed.lost' }, null);
  expect(guards.map(({ guard, passed }) => [guard, passed])).toContainEqual(['hasLiveCapital', false]);
  expect(guards[0]?.inputs[0]).toEqual({ path: 'state', value: { duty: 'active', feed: 'live', stage: 'draft' } });
});

test('the start is a step without a previous state; its whole context is new', () => {
  const step = { version: 1, at: 1, machine: 'agent@1', event: { type: 'started', input: INPUT } as never, to: null };
  const told = accountOfStep(directory, SUBJECT, null, step);
  expect(told.changes).toContainEqual({ path: 'autonomy', before: null, after: 'research' });
  expect(told.context).toEqual(start().context);
  expect(told.takes).toContain('pause');
});

const EVENTS: readonly ActorEvent[] = [
  gate({}),
  gate({ gate: 'backtest' }),
  gate({ manifestHash: 'c'.repeat(64) }),
  { type: 'pause', cause: 'operator' },
  { type: 'resume', subject: 'ann', createdBy: 'bob', at: 0 },
  { type: 'autonomy.set', autonomy: 'confirm' },
  { type: 'feed.degraded', venue: 'spotchain' },
  { type: 'feed.restored', venue: 'spotchain' },
  { type: 'feed.lost' },
  { type: 'breaker.tripped', breaker: 'slippage', at: 5, observed: 1, limit: 1 },
  { type: 'breaker.tripped', breaker: 'daily_drawdown', at: 5, observed: 1, limit: 1 },
  { type: 'manifest.changed', manifestVersion: 2, manifestHash: HASH },
];

test('the account of a step equals the step: same records, timers, activities, announcements and context', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { minLength: 1, maxLength: 12 }), (events) => {
      let state = start();
      for (const [index, event] of events.entries()) {
        const plain = eventStep(agentKind, info(2), restore(agentKind.machine, state), event);
        const { guards, changes, context, status, takes, ...told } = account(state, event, plain.state.value);
        const { state: next, ...plan } = plain;
        expect({ ...told, context, status }, `event ${index}`).toEqual({ ...plan, context: next.context, status: next.status });
        expect(changes.length > 0).toBe(JSON.stringify(next.context) !== JSON.stringify(state.context));
        expect([guards, takes].every(Array.isArray)).toBe(true);
        state = next;
      }
    }),
    { numRuns: 25 },
  );
});
