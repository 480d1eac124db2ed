// Chart of the proposal: each event in each state, taken or not, and the same after a restore.
import { expect, test } from 'vitest';
import { proposalKind } from '../../../actors/proposal/effects.ts';
import type { ProposalInput } from '../../../actors/proposal/protocol.ts';
import { atRest, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, ActorState } from '../../../src/domain/agents/actor-step.ts';
import { PROPOSAL_STATES, type ProposalState } from '../../../src/domain/orders/execution.ts';
import { SLOT } from '../agent/sample.ts';
import { chartOf } from '../executed-order.ts';

const subject = { actorId: '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa', orgId: '00000000-0000-7000-8000-000000000001', now: SLOT };
const passed = { verdict: 'passed', rejections: [] } as const;
const blocked = { verdict: 'blocked', rejections: [{ code: 'halted', limit: null, before: null, after: null, suggestion: null }] } as const;

function input(mode: 'paper' | 'live', begins: ProposalInput['begins']): ProposalInput & { createdAt: number } {
  return {
    agentId: '019a5b1e-7c00-7000-8000-000000000001',
    decisionId: '1c2e4f60-7788-8abc-9def-001122334455',
    slot: SLOT,
    side: 'entry',
    manifestVersion: 1,
    manifestHash: 'a'.repeat(64),
    autonomy: 'confirm',
    epoch: 0,
    order: {
      id: subject.actorId,
      origin: 'proposal',
      mode,
      bookId: 'agent:019a5b1e-7c00-7000-8000-000000000001:paper:1',
      venue: 'spotexchange',
      instrument: 'spotexchange:BTCUSDT',
      side: 'buy',
      reduceOnly: false,
      quantity: '2',
      limitPrice: '101',
      notionalUsd: '202',
      maxSlippageBps: 50,
    },
    decisionPrice: '100',
    readsReference: false,
    risk: passed,
    begins,
    reason: begins === 'cancelled' ? 'halted' : null,
    approvalMs: 600_000,
    createdAt: SLOT,
  };
}

const fill = { id: 'f', quantity: '2', notionalUsd: '200', fillPrice: '100' };
const done = (answer: object): ActorEvent => ({ type: 'activity.done', key: 'k', kind: 'execute_order', answer });
const EVENTS: Readonly<Record<string, ActorEvent>> = {
  approve: { type: 'approve', subject: 'ann', risk: passed },
  decline: { type: 'decline', subject: 'ann', reason: 'no' },
  cancel: { type: 'cancel', reason: 'paused' },
  block: { type: 'block', risk: blocked },
  begun: { type: 'execution.begun', key: 'k', leaseUntil: SLOT + 2_000, leaseMs: 2_000 },
  filled: done({ outcome: 'filled', fills: [fill] }),
  partly: done({ outcome: 'partially_filled', fills: [{ ...fill, quantity: '1', notionalUsd: '100' }] }),
  rejected: done({ outcome: 'rejected', reason: 'no_quote', detail: '' }),
  blockedAnswer: done({ outcome: 'blocked', risk: blocked }),
  superseded: done({ outcome: 'superseded', reason: 'halted' }),
  notKnown: done({ outcome: 'unknown', detail: '' }),
  givenUp: { type: 'activity.given_up', key: 'k', kind: 'execute_order', detail: 'ten attempts' },
  window: { type: 'xstate.after.approvalWindow.proposal@1.pending_approval' },
  again: { type: 'xstate.after.reconcileAfter.proposal@1.unknown' },
};
type EventName = keyof typeof EVENTS;

/** Next state by event. Unlisted events are not taken. Paper and live proposals differ in one transition. */
const EDGES: Readonly<Partial<Record<ProposalState, Readonly<Record<EventName, ProposalState>>>>> = {
  pending_approval: { approve: 'approved', decline: 'declined', cancel: 'cancelled', block: 'blocked_by_risk', window: 'expired' },
  approved: {
    begun: 'executing',
    cancel: 'cancelled',
    blockedAnswer: 'blocked_by_risk',
    superseded: 'cancelled',
    rejected: 'failed',
    givenUp: 'failed',
  },
  executing: {
    begun: 'executing',
    filled: 'filled',
    partly: 'partially_filled',
    rejected: 'failed',
    blockedAnswer: 'failed',
    superseded: 'cancelled',
    notKnown: 'unknown',
    givenUp: 'unknown',
  },
  unknown: { filled: 'filled', partly: 'partially_filled', rejected: 'failed', again: 'unknown' },
};
/** Events that lead to each state from the initial one. */
const WAYS: Readonly<Record<ProposalState, readonly EventName[]>> = {
  pending_approval: [],
  approved: ['approve'],
  executing: ['approve', 'begun'],
  filled: ['approve', 'begun', 'filled'],
  partially_filled: ['approve', 'begun', 'partly'],
  failed: ['approve', 'begun', 'rejected'],
  unknown: ['approve', 'begun', 'notKnown'],
  expired: ['window'],
  cancelled: ['cancel'],
  declined: ['decline'],
  blocked_by_risk: ['block'],
};

const { step, after, taken } = chartOf(proposalKind, subject);
const stepTo = (way: readonly EventName[], mode: 'paper' | 'live' = 'live'): ActorState =>
  after(
    startStep(proposalKind, subject, input(mode, 'pending_approval') as never).state,
    way.map((name) => EVENTS[name] as ActorEvent),
  );

for (const state of PROPOSAL_STATES) {
  test(`in ${state} exactly the transitions of the chart are taken`, () => {
    const at = stepTo(WAYS[state]);
    expect(at.value).toBe(state);
    for (const [name, event] of Object.entries(EVENTS)) expect([name, taken(at, event)]).toEqual([name, EDGES[state]?.[name] ?? null]);
  });

  test(`${state} restored from its JSON is the same state and goes the same way`, () => {
    const at = stepTo(WAYS[state]);
    const again = JSON.parse(JSON.stringify(at)) as ActorState;
    expect(atRest(restore(proposalKind.machine, again))).toEqual(at);
    for (const event of Object.values(EVENTS)) expect(taken(again, event)).toBe(taken(at, event));
  });
}

test('an answer from before another worker took the lease is ignored, and its activity stays', () => {
  const late = { ...(EVENTS['blockedAnswer'] as ActorEvent), answer: { outcome: 'blocked', risk: blocked, lease: null } };
  expect(proposalKind.validate(stepTo(WAYS.executing), late)).toMatchObject({ code: 'unavailable' });
  expect(proposalKind.validate(stepTo(WAYS.approved), late)).toBeNull();
});

test('an abandoned paper execution did not happen: failed, not unknown', () => {
  expect(taken(stepTo(WAYS.executing, 'paper'), EVENTS['givenUp'] as ActorEvent)).toBe('failed');
});

test('a proposal starts as its decision says, and waits by a timer with an absolute time', () => {
  const start = (begins: ProposalInput['begins']) => startStep(proposalKind, subject, input('paper', begins) as never);
  const waiting = start('pending_approval');
  expect(waiting.state.value).toBe('pending_approval');
  expect(waiting.timers).toMatchObject([{ op: 'set', dueAt: SLOT + 600_000 }]);
  expect(waiting.activities).toEqual([]);
  const automatic = start('approved');
  expect(automatic.state.value).toBe('approved');
  expect(automatic.activities).toMatchObject([{ kind: 'execute_order' }]);
  expect(start('cancelled').state).toMatchObject({ value: 'cancelled', status: 'done', context: { reason: 'halted' } });
});

test('steps toward an order carry its permit, and the one that starts it a lease', () => {
  const types = (way: readonly EventName[], name: EventName) =>
    step(stepTo(way), EVENTS[name] as ActorEvent).records.map(({ type }) => type);
  expect(types([], 'approve')).toContain('execution_permit');
  expect(types(['approve'], 'begun')).toEqual(expect.arrayContaining(['execution_permit', 'execution_lease', 'proposal']));
  expect(types(['approve', 'begun'], 'begun')).toEqual(expect.arrayContaining(['execution_permit', 'execution_lease']));
  expect(types(['approve', 'begun'], 'filled')).toEqual(expect.arrayContaining(['fill', 'execution_lease_ended', 'proposal']));
});
