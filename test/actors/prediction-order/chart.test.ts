// Chart of the prediction order: each event in each state, taken or not, and the same after a restore.
import { expect, test } from 'vitest';
import { predictionOrderKind } from '../../../actors/prediction-order/effects.ts';
import type { PredictionOrderInput } from '../../../actors/prediction-order/machine.ts';
import { atRest, eventStep, restore, startStep } from '../../../actors/runtime/step.ts';
import type { ActorEvent, ActorState } from '../../../src/domain/agents/actor-step.ts';
import { SLOT } from '../agent/sample.ts';

const subject = { actorId: '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa', orgId: '00000000-0000-7000-8000-000000000001', now: SLOT };
const MARKET = 'pm-00000000000000000000000a';

function input(begins: PredictionOrderInput['begins'] = 'prepared', fills: PredictionOrderInput['fills'] = []): PredictionOrderInput {
  const mode = begins === 'prepared' ? 'live' : 'paper';
  return {
    order: {
      id: subject.actorId,
      origin: 'manual',
      mode,
      bookId: `manual:${subject.orgId}:live`,
      venue: 'prediction',
      instrument: `prediction:${MARKET}.yes`,
      side: 'buy',
      reduceOnly: false,
      quantity: '10',
      limitPrice: '0.5',
      notionalUsd: '5',
      maxSlippageBps: 200,
    },
    marketId: MARKET,
    outcome: 'yes',
    begins,
    onchain:
      mode === 'paper'
        ? null
        : {
            wallet: 'w',
            transactionId: '00000000-0000-7000-8000-00000000000c',
            venueMarketId: 'KX',
            orderAccount: 'o',
            positionAccount: 'p',
            escrowAccount: null,
            depositUsd: '5.2',
          },
    decisionPrice: '0.49',
    risk: { verdict: 'passed', rejections: [] },
    placedBy: 'ann',
    epoch: 0,
    reason: null,
    detail: null,
    fills,
    bookVersion: 0,
    createdAt: SLOT,
  };
}

const fill = (id: string, quantity: string, fillPrice = '0.5', feeUsd = '0.1') =>
  ({ id, orderId: subject.actorId, quantity, fillPrice, feeUsd, notionalUsd: String(Number(quantity) * Number(fillPrice)) }) as never;
const done = (answer: object): ActorEvent => ({ type: 'activity.done', key: 'k', kind: 'any', answer });
const EVENTS = {
  submitted: { type: 'transaction.submitted' },
  final: { type: 'transaction.finalized' },
  saysWaits: done({ outcome: 'transaction_waits' }),
  saysSent: done({ outcome: 'transaction_sent' }),
  saysFinal: done({ outcome: 'transaction_final' }),
  saysEnded: done({ outcome: 'transaction_ended', reason: 'transaction_expired', detail: 'never signed' }),
  nothing: done({ outcome: 'open', fills: [] }),
  part: done({ outcome: 'open', fills: [fill('f1', '4')] }),
  whole: done({ outcome: 'filled', fills: [fill('f1', '4'), fill('f2', '6')], refundUsd: '0', reason: null }),
  cancelled: done({ outcome: 'cancelled', fills: [fill('f1', '4')], refundUsd: '3.1', reason: 'closed_by_venue' }),
  failed: done({ outcome: 'failed', fills: [], refundUsd: '5.2', reason: 'failed_at_venue' }),
  silent: done({ outcome: 'unknown', detail: 'nobody answers' }),
  givenUp: { type: 'activity.given_up', key: 'k', kind: 'any', detail: 'ten attempts' },
} satisfies Record<string, ActorEvent>;
type EventName = keyof typeof EVENTS;

const AT_VENUE = { nothing: 0, part: 'partially_filled', whole: 'filled', cancelled: 'cancelled', failed: 'failed', silent: 0 } as const;
const BEFORE = {
  submitted: 'submitted',
  final: 'open',
  saysFinal: 'open',
  saysEnded: 'failed',
  saysSent: 'submitted',
  saysWaits: 0,
} as const;
/** Next state by event; 0 stays. Unlisted events change nothing, because a late answer may change nothing. */
const EDGES: Readonly<Record<string, Readonly<Partial<Record<EventName, string | 0>>>>> = {
  prepared: BEFORE,
  submitted: BEFORE,
  open: AT_VENUE,
  // A repeated fill changes nothing.
  partially_filled: { ...AT_VENUE, part: 0 },
  filled: {},
  cancelled: {},
  failed: {},
};
const WAYS: Readonly<Record<string, readonly EventName[]>> = {
  prepared: [],
  submitted: ['submitted'],
  open: ['submitted', 'final'],
  partially_filled: ['final', 'part'],
  filled: ['final', 'whole'],
  cancelled: ['final', 'cancelled'],
  failed: ['saysEnded'],
};

function stepTo(way: readonly EventName[]): ActorState {
  let { state } = startStep(predictionOrderKind, subject, input() as never);
  for (const name of way) state = eventStep(predictionOrderKind, subject, restore(predictionOrderKind.machine, state), EVENTS[name]).state;
  return state;
}

function taken(state: ActorState, event: ActorEvent) {
  if (state.status === 'done') return null;
  const snapshot = restore(predictionOrderKind.machine, state);
  return snapshot.can(event as never) ? eventStep(predictionOrderKind, subject, snapshot, event) : null;
}

for (const [state, edges] of Object.entries(EDGES)) {
  test(`in ${state} exactly the transitions of the chart are taken`, () => {
    const at = stepTo(WAYS[state] as readonly EventName[]);
    expect(at.value).toBe(state);
    for (const [name, event] of Object.entries(EVENTS)) {
      const leads = edges[name as EventName] ?? 0;
      const plan = taken(at, event);
      expect([name, plan?.state.value ?? state]).toEqual([name, leads === 0 ? state : leads]);
      // An event without a transition books nothing.
      if (leads === 0 || plan === null) expect([name, plan?.records ?? []]).toEqual([name, []]);
    }
  });

  test(`${state} restored from its JSON is the same state and goes the same way`, () => {
    const at = stepTo(WAYS[state] as readonly EventName[]);
    const again = JSON.parse(JSON.stringify(at)) as ActorState;
    expect(atRest(restore(predictionOrderKind.machine, again))).toEqual(at);
    for (const event of Object.values(EVENTS)) expect(taken(again, event)?.state).toEqual(taken(at, event)?.state);
  });
}

const types = (plan: ReturnType<typeof taken>) => plan?.records.map(({ type }) => type) ?? [];

test('executed is not filled: nothing is booked before the venue reports a fill, and each fill once', () => {
  for (const way of [[], ['submitted'], ['submitted', 'final']] as const) {
    let { state, records } = startStep(predictionOrderKind, subject, input() as never);
    for (const name of way)
      ({ state, records } = eventStep(predictionOrderKind, subject, restore(predictionOrderKind.machine, state), EVENTS[name]));
    expect(records.map(({ type }) => type)).not.toContain('fill');
  }
  const part = taken(stepTo(['final']), EVENTS.part);
  expect(types(part).filter((type) => type === 'fill')).toHaveLength(1);
  const whole = taken(stepTo(['final', 'part']), EVENTS.whole);
  expect(whole?.records.filter(({ type }) => type === 'fill').map(({ fill: booked }) => (booked as { id: string }).id)).toEqual(['f2']);
  expect(whole?.state.context).toMatchObject({ filledQuantity: '10', filledNotionalUsd: '5', feesUsd: '0.2', refundUsd: '0' });
});

test.each([
  ['more than was ordered', [fill('f1', '11')]],
  ['worse than the limit', [fill('f1', '1', '0.51')]],
  ['together more than was ordered', [fill('f1', '6'), fill('f2', '6')]],
])('a venue that reports %s books nothing and raises an alert', (_, fills) => {
  const plan = taken(stepTo(['final']), done({ outcome: 'filled', fills, refundUsd: null, reason: null }));
  expect(plan?.state.value).toBe('open');
  expect(types(plan)).toEqual([]);
  expect(plan?.announcements).toMatchObject([{ channel: 'alerts', body: { what: 'prediction_order_contradicts' } }]);
});

test('the venue may fill its own millionths, of which the order has the whole hundredths, and no more', () => {
  const begun = input();
  const exact = { ...begun, onchain: { ...(begun.onchain as NonNullable<typeof begun.onchain>), contracts: '10.007142' } };
  const news = (quantity: string) => done({ outcome: 'filled', fills: [fill('f1', quantity)], refundUsd: '0', reason: null });
  const told = (quantity: string) => {
    const { state } = startStep(predictionOrderKind, subject, exact as never);
    const open = eventStep(predictionOrderKind, subject, restore(predictionOrderKind.machine, state), EVENTS.final).state;
    return taken(open, news(quantity));
  };
  expect(told('10.007142')?.state).toMatchObject({ value: 'filled', context: { filledQuantity: '10.007142' } });
  expect(types(told('10.007142'))).toContain('fill');
  expect(told('10.007143')?.announcements).toMatchObject([{ body: { what: 'prediction_order_contradicts' } }]);
});

test.each([
  ['cancelled', '3.1', 0],
  ['cancelled', '3.09', 0],
  ['cancelled', '3', 1],
  ['cancelled', null, 1],
  ['failed', '3.1', 0],
  ['failed', '5.2', 1],
] as const)('%s with %s refunded raises %d alerts', (outcome, refundUsd, alarms) => {
  const plan = taken(stepTo(['final']), done({ outcome, fills: [fill('f1', '4')], refundUsd, reason: 'x' }));
  expect(plan?.state).toMatchObject({ value: outcome, status: 'done', context: { refundUsd, reason: 'x' } });
  expect(types(plan)).toContain('fill');
  expect(plan?.announcements.map(({ body }) => body['what'])).toEqual(Array.from({ length: alarms }, () => 'prediction_refund_off'));
});

test('a paper order is final at once, on the book that it was validated on', () => {
  const start = (begins: PredictionOrderInput['begins'], fills: PredictionOrderInput['fills'] = []) =>
    startStep(predictionOrderKind, subject, input(begins, fills) as never);
  const filled = start('filled', [fill('f', '10')]);
  expect(filled.state).toMatchObject({ value: 'filled', status: 'done' });
  expect(filled.records.map(({ type }) => type)).toEqual(['epoch_check', 'fill', 'prediction_order']);
  expect(filled.records[1]).toMatchObject({ expectedVersion: 0 });
  expect(start('partially_filled', [fill('f', '4')])).toMatchObject({ state: { value: 'lapsed', status: 'done' }, activities: [] });
  expect(start('partially_filled', [fill('f', '4')]).records.at(-1)).toMatchObject({ state: 'partially_filled' });
  expect(start('failed')).toMatchObject({ state: { value: 'failed', status: 'done' } });
});

test('the venue is polled soon at first, then ever more rarely, and soon again after a fill', () => {
  let state = stepTo(['final']);
  const waits: number[] = [];
  for (let look = 0; look < 7; look++) {
    const plan = taken(state, { type: 'xstate.after.lookAgain.prediction_order@1.open' });
    expect(plan?.activities).toMatchObject([{ kind: 'follow_prediction_order' }]);
    const timer = plan?.timers.find(({ op }) => op === 'set') as { dueAt: number } | undefined;
    waits.push((timer?.dueAt ?? 0) - SLOT);
    state = (plan as NonNullable<typeof plan>).state;
  }
  expect(waits).toEqual([4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  const filled = taken(state, EVENTS.part);
  expect(filled?.timers).toMatchObject([{ op: 'cancel' }, { op: 'set', dueAt: SLOT + 2_000 }]);
});

test('the transaction is looked up if its result does not come', () => {
  for (const state of ['prepared', 'submitted'] as const) {
    const plan = taken(stepTo(WAYS[state] as readonly EventName[]), { type: `xstate.after.followAfter.prediction_order@1.${state}` });
    expect(plan).toMatchObject({ state: { value: state }, activities: [{ kind: 'follow_order_transaction' }] });
  }
});
