// Chart of a person's order: each event in each state, taken or not, and the same after a restore.
import { expect, test } from 'vitest';
import { marketOrderKind } from '../../../actors/market-order/effects.ts';
import type { MarketOrderInput } from '../../../actors/market-order/machine.ts';
import { atRest, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, ActorState } from '../../../src/domain/agents/actor-step.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import { MARKET_ORDER_STATES, type MarketOrderState } from '../../../src/domain/orders/execution.ts';
import { SLOT } from '../agent/sample.ts';
import { chartOf } from '../executed-order.ts';

const subject = { actorId: '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8ab', orgId: '00000000-0000-7000-8000-000000000001', now: SLOT };
const passed = { verdict: 'passed', rejections: [] } as const;
const blocked = { verdict: 'blocked', rejections: [{ code: 'halted', limit: null, before: null, after: null, suggestion: null }] } as const;
const fill = { id: 'f', quantity: '2', notionalUsd: '200', fillPrice: '100', feeUsd: '0.2' } as Fill;
const half = { ...fill, id: 'h', quantity: '1', notionalUsd: '100', feeUsd: '0.1' };

function input(begins: MarketOrderInput['begins'], fills: readonly Fill[] = [], rests = false): MarketOrderInput {
  return {
    order: {
      id: subject.actorId,
      origin: 'manual',
      mode: begins === 'approved' ? 'live' : 'paper',
      bookId: 'manual:00000000-0000-7000-8000-000000000001:live',
      venue: 'spotexchange',
      instrument: 'spotexchange:BTCUSDT',
      side: 'buy',
      reduceOnly: false,
      quantity: '2',
      limitPrice: '101',
      notionalUsd: '202',
      maxSlippageBps: 50,
    },
    begins,
    decisionPrice: '100',
    risk: passed,
    placedBy: 'ann',
    epoch: 3,
    reason: begins === 'failed' ? 'no_depth' : null,
    detail: null,
    fills,
    bookVersion: 7,
    createdAt: SLOT,
    ...(rests ? { resting: { postOnly: false } } : {}),
  };
}

const done = (answer: object): ActorEvent => ({ type: 'activity.done', key: 'k', kind: 'execute_market_order', answer });
const EVENTS = {
  begun: { type: 'execution.begun', key: 'k', leaseUntil: SLOT + 2_000, leaseMs: 2_000 },
  filled: done({ outcome: 'filled', fills: [fill] }),
  partly: done({ outcome: 'partially_filled', fills: [half] }),
  rejected: done({ outcome: 'rejected', reason: 'no_quote', detail: '' }),
  blocked: done({ outcome: 'blocked', risk: blocked }),
  superseded: done({ outcome: 'superseded', reason: 'halted' }),
  notKnown: done({ outcome: 'unknown', detail: '' }),
  givenUp: { type: 'activity.given_up', key: 'k', kind: 'execute_market_order', detail: 'ten attempts' },
  again: { type: 'xstate.after.reconcileAfter.market_order@1.unknown' },
  askAgain: { type: 'xstate.after.reconcileAfter.market_order@1.withdrawing' },
  resting: done({ outcome: 'resting', price: '101', after: '0' }),
  further: { type: 'order.observed', answer: { outcome: 'resting', price: '101', fills: [half], after: '0' } },
  nothingNew: { type: 'order.observed', answer: { outcome: 'resting', price: '101', after: '0' } },
  observed: { type: 'order.observed', answer: { outcome: 'filled', fills: [fill], after: '0' } },
  gone: { type: 'order.observed', answer: { outcome: 'rejected', reason: 'not_filled', detail: '', after: '0' } },
  cancel: { type: 'cancel', reason: 'cancel_requested' },
} as const satisfies Readonly<Record<string, ActorEvent>>;
type EventName = keyof typeof EVENTS;

/** Next state by event. Unlisted events are not taken. */
const EDGES: Readonly<Partial<Record<MarketOrderState, Readonly<Partial<Record<EventName, MarketOrderState>>>>>> = {
  approved: {
    begun: 'executing',
    cancel: 'cancelled',
    blocked: 'blocked_by_risk',
    superseded: 'cancelled',
    rejected: 'failed',
    givenUp: 'failed',
  },
  executing: {
    begun: 'executing',
    filled: 'filled',
    partly: 'partially_filled',
    rejected: 'failed',
    blocked: 'blocked_by_risk',
    superseded: 'cancelled',
    notKnown: 'unknown',
    givenUp: 'unknown',
    resting: 'resting',
    cancel: 'executing',
  },
  resting: { further: 'resting', observed: 'filled', gone: 'failed', cancel: 'withdrawing' },
  withdrawing: {
    filled: 'filled',
    partly: 'partially_filled',
    rejected: 'cancelled',
    further: 'withdrawing',
    observed: 'filled',
    gone: 'cancelled',
    cancel: 'withdrawing',
    askAgain: 'withdrawing',
  },
  unknown: { filled: 'filled', partly: 'partially_filled', rejected: 'failed', again: 'unknown', resting: 'resting', cancel: 'unknown' },
};
/** Events that lead a live order to each state. */
const WAYS: Readonly<Record<MarketOrderState, readonly EventName[]>> = {
  approved: [],
  executing: ['begun'],
  resting: ['begun', 'resting'],
  withdrawing: ['begun', 'resting', 'cancel'],
  filled: ['begun', 'filled'],
  partially_filled: ['begun', 'partly'],
  failed: ['begun', 'rejected'],
  unknown: ['begun', 'notKnown'],
  cancelled: ['superseded'],
  blocked_by_risk: ['blocked'],
};

const begun = (begins: MarketOrderInput['begins'], fills: readonly Fill[] = [], rests = false) =>
  startStep(marketOrderKind, subject, input(begins, fills, rests) as never);
const { step, after, taken } = chartOf(marketOrderKind, subject);
const stepTo = (way: readonly EventName[]): ActorState =>
  after(
    begun('approved', [], true).state,
    way.map((name) => EVENTS[name]),
  );

for (const state of MARKET_ORDER_STATES) {
  test(`in ${state} exactly the transitions of the chart are taken`, () => {
    const at = stepTo(WAYS[state]);
    expect(at.value).toBe(state);
    for (const name of Object.keys(EVENTS) as EventName[])
      expect([name, taken(at, EVENTS[name])]).toEqual([name, EDGES[state]?.[name] ?? null]);
  });

  test(`${state} restored from its JSON is the same state and goes the same way`, () => {
    const at = stepTo(WAYS[state]);
    const again = JSON.parse(JSON.stringify(at)) as ActorState;
    expect(atRest(restore(marketOrderKind.machine, again))).toEqual(at);
    for (const event of Object.values(EVENTS)) expect(taken(again, event)).toBe(taken(at, event));
  });
}

test('an answer from before another worker took the lease is ignored, and its activity stays', () => {
  const late = { ...EVENTS.filled, answer: { outcome: 'filled', fills: [fill], lease: SLOT + 1_000 } };
  expect(marketOrderKind.validate(stepTo(WAYS.executing), late)).toMatchObject({ code: 'unavailable' });
  // Reconciling an unknown outcome needs no lease.
  expect(marketOrderKind.validate(stepTo(WAYS.unknown), done({ outcome: 'filled', fills: [fill] }))).toBeNull();
});

test('a paper order is final at once, and is booked on its validated version or not at all', () => {
  const { state, records, activities } = begun('partially_filled', [half]);
  expect(state).toMatchObject({
    value: 'partially_filled',
    status: 'done',
    context: { filledQuantity: '1', filledNotionalUsd: '100', readsReference: false },
  });
  expect(records.map(({ type }) => type)).toEqual(['epoch_check', 'fill', 'market_order']);
  expect(records[1]).toMatchObject({ orgId: subject.orgId, fill: half, expectedVersion: 7 });
  expect(activities).toEqual([]);
  expect(begun('failed').state).toMatchObject({ value: 'failed', status: 'done', context: { reason: 'no_depth', filledQuantity: '0' } });
});

test('a live order runs under its own id and a lease, and its fills are booked on any version', () => {
  expect(begun('approved').activities).toEqual([{ kind: 'execute_market_order', payload: { proposalId: subject.actorId } }]);
  const types = (way: readonly EventName[], name: EventName) => step(stepTo(way), EVENTS[name]).records.map(({ type }) => type);
  expect(types([], 'begun')).toEqual(['epoch_check', 'execution_lease', 'market_order']);
  expect(types(['begun'], 'begun')).toEqual(['epoch_check', 'execution_lease']);
  const settled = step(stepTo(['begun']), EVENTS.filled);
  expect(settled.records.map(({ type }) => type)).toEqual(['execution_lease_ended', 'fill', 'market_order']);
  expect(settled.records[1]).not.toHaveProperty('expectedVersion');
  expect(settled.state.context).toMatchObject({ filledQuantity: '2', filledNotionalUsd: '200' });
});

test('the filled quantity is the executed one, before commission is deducted from the purchase', () => {
  const arrived = { ...fill, quantity: '1.998', executedQuantity: '2', notionalUsd: '199.8', feeUsd: '0.2' };
  const settled = step(stepTo(['begun']), done({ outcome: 'filled', fills: [arrived], executedQuantity: '2' }));
  expect(settled.state.context).toMatchObject({ filledQuantity: '2', filledNotionalUsd: '200' });
});

test('an immediate order cannot be cancelled once it may be at the exchange', () => {
  const leaving = after(begun('approved').state, [EVENTS.begun]);
  expect(taken(leaving, EVENTS.cancel)).toBeNull();
  expect(taken(after(leaving, [EVENTS.notKnown]), EVENTS.cancel)).toBeNull();
});

test('an order cancelled while it is being sent is cancelled as soon as it rests', () => {
  expect(taken(after(stepTo(['begun']), [EVENTS.cancel]), EVENTS.resting)).toBe('withdrawing');
  expect(taken(after(stepTo(['begun', 'notKnown']), [EVENTS.cancel]), EVENTS.resting)).toBe('withdrawing');
});

test('fills are booked as they come, each once, and the remainder stays reserved', () => {
  const further = step(stepTo(['begun', 'resting']), EVENTS.further);
  expect(further.records.map(({ type }) => type)).toEqual(['fill', 'market_order']);
  expect(further.records[1]).toMatchObject({ state: 'resting', filledQuantity: '1', restingAt: '101', boundUsd: '101' });
  // Found before that fill was booked: it may be the same one.
  expect(taken(further.state, EVENTS.further)).toBeNull();
  expect(taken(further.state, EVENTS.observed)).toBeNull();
  const rest = { type: 'order.observed', answer: { outcome: 'filled', fills: [{ ...half, id: 'r' }], after: '1' } } as const;
  expect(step(further.state, rest).state).toMatchObject({ value: 'filled', context: { filledQuantity: '2', filledNotionalUsd: '200' } });
  // Cancelled after a partial fill.
  const back = after(further.state, [EVENTS.cancel]);
  expect(step(back, done({ outcome: 'rejected', reason: 'not_filled', detail: '', after: '1' })).state).toMatchObject({
    value: 'partially_filled',
    context: { reason: 'cancel_requested' },
  });
});
