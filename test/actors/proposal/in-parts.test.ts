// Orders executed in parts, resting first or in slices: the record of each part, and never more than the order on a venue that loses
// answers.
import { expect, test } from 'vitest';
import type { ExecutionClient } from '../../../actors/proposal/execution-client.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { SeenTrades, VenueAnswer } from '../../../src/domain/orders/execution.ts';
import { REST_MS, SLICES } from '../../../src/domain/orders/execution-plan.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { seededRandom } from '../../../src/domain/values/seeded-random.ts';
import { type PartsOptions, type PartsFixture, partsFixture } from './parts-fixture.ts';
import { fillOf } from './trading-fixture.ts';

const MAKER = { algorithm: 'smart_order_routing_maker_first' } as const;
const TWAP = { algorithm: 'twap', quantity: '0.6', urgency: 'high' } as const;
const slice = SLICES.high.everyMs;

test('an order rests at the near side and is filled there as a maker if the market trades through its price', async () => {
  const fixture = await partsFixture(MAKER);
  await fixture.carry();
  expect([fixture.value(), fixture.state(), fixture.execution()]).toMatchObject([
    'resting',
    'executing',
    { phase: 'resting', restingAt: '60000', left: '0.01' },
  ]);
  await fixture.pass(1_000);
  fixture.trade('60000', '5');
  fixture.trade('59999.99', '0.02');
  await fixture.pass(REST_MS.medium);
  expect(fixture.state()).toBe('filled');
  expect(fixture.fills()).toMatchObject([
    { quantity: '0.01', fillPrice: '60000', feeUsd: '0.6', slippageBps: expect.closeTo(-1.6664, 3), quotes: [{ source: 'test:trades' }] },
  ]);
  expect(fixture.execution()).toMatchObject({ phase: 'ended', parts: [{ kind: 'rest', executedQuantity: '0.01', reason: null }] });
});

test.each([
  ['no trade', []],
  ['trades at its price only, where others may stand before it', [['60000', '9']]],
  ['trades above it', [['60005', '9']]],
] as const)('%s: the order is cancelled and taken', async (_, traded) => {
  const fixture = await partsFixture(MAKER);
  await fixture.carry();
  await fixture.pass(500);
  for (const [price, quantity] of traded) fixture.trade(price, quantity);
  await fixture.pass(REST_MS.medium);
  await fixture.carry();
  expect(fixture.state()).toBe('filled');
  expect(fixture.fills()).toMatchObject([{ quantity: '0.01', fillPrice: '60010' }]);
  expect(fixture.execution().parts).toMatchObject([
    { number: 0, kind: 'rest', executedQuantity: '0', reason: 'not_filled' },
    { number: 1, kind: 'take', executedQuantity: '0.01', reason: null },
  ]);
});

test('a resting order is filled by no more than what traded through; the remainder is taken', async () => {
  const fixture = await partsFixture(MAKER);
  await fixture.carry();
  await fixture.pass(500);
  fixture.trade('59990', '0.004');
  await fixture.pass(REST_MS.medium);
  expect(fixture.store.records.findLast(({ type }) => type === 'proposal')).toMatchObject({
    notionalUsd: '361.8',
    execution: { left: '0.006' },
  });
  await fixture.carry();
  expect(fixture.fills()).toMatchObject([
    { quantity: '0.004', fillPrice: '60000' },
    { quantity: '0.006', fillPrice: '60010' },
  ]);
  expect(fixture.state()).toBe('filled');
  expect(new Set(fixture.fills().map(({ id }) => id)).size).toBe(2);
});

test('a sale rests at the ask and fills if the market trades above it', async () => {
  const fixture = await partsFixture({ ...MAKER, side: 'sell' });
  await fixture.carry();
  expect(fixture.execution().restingAt).toBe('60010');
  await fixture.pass(500);
  fixture.trade('60010.01', '1');
  await fixture.pass(REST_MS.medium);
  expect(fixture.fills()).toMatchObject([{ side: 'sell', quantity: '0.01', fillPrice: '60010' }]);
});

test.each(['low', 'medium', 'high'] as const)('urgency %s decides how long an order rests', async (urgency) => {
  const fixture = await partsFixture({ ...MAKER, urgency });
  await fixture.carry();
  await fixture.pass(REST_MS[urgency] - 1);
  expect(fixture.value()).toBe('resting');
  await fixture.pass(1);
  expect(fixture.value()).not.toBe('resting');
});

test('a halt cancels a resting order at once: fills stay, and nothing more is sent', async () => {
  for (const traded of ['0', '0.004']) {
    const fixture = await partsFixture(MAKER);
    await fixture.carry();
    await fixture.pass(500);
    if (traded !== '0') fixture.trade('59990', traded);
    expect(await fixture.tell({ type: 'cancel', reason: 'halted' })).toMatchObject({ ok: true });
    await fixture.pass(0);
    expect([fixture.state(), fixture.context().reason, fixture.filled()]).toEqual(
      traded === '0' ? ['cancelled', 'halted', '0'] : ['partially_filled', 'halted', '0.004'],
    );
    expect(fixture.asked).toHaveLength(1);
  }
});

test('an order is split into equal slices sent by timers, each assessed by itself', async () => {
  const fixture = await partsFixture(TWAP);
  await fixture.carry();
  expect([fixture.value(), fixture.filled()]).toEqual(['waiting', '0.2']);
  await fixture.pass(slice - 1);
  expect(fixture.filled()).toBe('0.2');
  await fixture.pass(1);
  expect(fixture.filled()).toBe('0.4');
  await fixture.pass(slice);
  expect([fixture.state(), fixture.filled(), fixture.asked]).toEqual(['filled', '0.6', ['0.2', '0.2', '0.2']]);
  expect(fixture.fills().map(({ at }) => at - (fixture.fills()[0] as Fill).at)).toEqual([0, slice, 2 * slice]);
});

test('a slice that cannot be filled is recorded and not made up for', async () => {
  const fixture = await partsFixture(TWAP);
  await fixture.carry();
  await fixture.pass(slice, 'stale');
  await fixture.pass(slice, 'live');
  expect([fixture.state(), fixture.filled()]).toEqual(['partially_filled', '0.4']);
  expect(fixture.execution().parts).toMatchObject([
    { number: 0, reason: null },
    { number: 1, executedQuantity: '0', reason: 'quote_not_live' },
    { number: 2, reason: null },
  ]);
});

test('slices that were due during an outage are skipped, never sent in a bunch', async () => {
  const fixture = await partsFixture({ ...TWAP, urgency: 'low', quantity: '1' });
  await fixture.carry();
  const every = SLICES.low.everyMs;
  await fixture.pass(3 * every + 1);
  expect(fixture.filled()).toBe('0.1');
  expect(fixture.execution().parts.map(({ reason }) => reason)).toEqual([null, 'slice_missed', 'slice_missed']);
  await fixture.carry();
  expect(fixture.filled()).toBe('0.2');
  await fixture.pass(20 * every);
  await fixture.carry();
  expect([fixture.state(), fixture.filled()]).toEqual(['partially_filled', '0.2']);
  expect(fixture.execution().parts).toHaveLength(10);
});

test('an execution whose slices were all too late has expired', async () => {
  const fixture = await partsFixture(TWAP);
  fixture.market.quote = null;
  await fixture.carry();
  expect(fixture.state()).toBe('blocked_by_risk');
  const late = await partsFixture(TWAP);
  late.market.quote = { ...(late.market.quote as NonNullable<typeof late.market.quote>), ask: '61000', bid: '60990' };
  await late.carry();
  await late.pass(10 * slice);
  expect([late.state(), late.filled(), late.execution().parts.at(-1)?.reason]).toEqual(['expired', '0', 'slice_missed']);
});

test('a pause between two slices ends the rest', async () => {
  const fixture = await partsFixture(TWAP);
  await fixture.carry();
  await fixture.tell({ type: 'cancel', reason: 'paused' });
  expect([fixture.state(), fixture.context().reason, fixture.filled(), fixture.isDone()]).toEqual([
    'partially_filled',
    'paused',
    '0.2',
    true,
  ]);
  await fixture.pass(10 * slice);
  expect(fixture.filled()).toBe('0.2');
});

test('an answer about a finished part is ignored', async () => {
  const fixture = await partsFixture(TWAP);
  await fixture.carry();
  await fixture.pass(slice);
  const late = { outcome: 'filled', fills: [], lease: fixture.context().leaseUntil, part: 0 };
  expect(await fixture.tell({ type: 'activity.done', key: 'k', kind: 'execute_order', answer: late })).toMatchObject({ ok: false });
});

/** Creates an exchange with its own books by order name, whose answers may get lost before or after it acted. */
function exchange(random: () => number, faults: { rate: number }) {
  interface Kept {
    readonly order: Order;
    readonly price: string;
    executed: Decimal;
    status: 'open' | 'ended';
    fills: Fill[];
  }
  const orders = new Map<string, Kept>();

  function execute(name: string, kept: Kept, quantity: Decimal): void {
    if (!quantity.gt(0)) return;
    kept.executed = kept.executed.plus(quantity);
    const part = { ...kept.order, quantity: plainDecimal(quantity) };
    kept.fills.push({ ...fillOf(part, kept.price, 1), id: `${name} ${kept.fills.length}`, orderId: kept.order.id });
    if (kept.executed.eq(kept.order.quantity)) kept.status = 'ended';
  }

  function told(kept: Kept | undefined, seen: SeenTrades | null = null): VenueAnswer {
    if (kept === undefined) return { outcome: 'rejected', reason: 'not_found', detail: '' };
    const fills = kept.fills.slice(seen?.trade ?? 0);
    const executed = plainDecimal(kept.executed);
    if (kept.status === 'open' && fills.length === 0) return { outcome: 'resting', price: kept.price, seen };
    if (kept.status === 'open') return { outcome: 'resting', price: kept.price, fills, seen: { trade: kept.fills.length, executed } };
    if (fills.length === 0) return { outcome: 'rejected', reason: 'not_filled', detail: '' };
    return { outcome: kept.executed.eq(kept.order.quantity) ? 'filled' : 'partially_filled', fills, executedQuantity: executed };
  }

  /** Acts or not, and answers or not. */
  async function unreliable(act: () => VenueAnswer, unsentThrows: boolean): Promise<VenueAnswer> {
    const dice = random();
    if (dice < faults.rate / 3) {
      if (unsentThrows) throw new Error('the connection was refused');
      return { outcome: 'unknown', detail: 'no answer' };
    }
    const answer = act();
    if (dice < (2 * faults.rate) / 3) return { outcome: 'unknown', detail: 'the answer was lost' };
    if (dice < faults.rate) throw new Error('the process died');
    return answer;
  }

  const lot = (most: Decimal) => new Decimal(Math.floor(random() * 1.5 * most.times(1e5).toNumber())).div(1e5);
  function place(name: string, order: Order, price: string, rests: boolean): VenueAnswer {
    const known = orders.get(name);
    if (known !== undefined) return told(known);
    const kept: Kept = { order, price, executed: new Decimal(0), status: 'open', fills: [] };
    orders.set(name, kept);
    if (!rests) {
      execute(name, kept, Decimal.min(order.quantity, lot(new Decimal(order.quantity))));
      kept.status = 'ended';
    }
    return told(kept);
  }
  const client: ExecutionClient<'spotexchange'> = {
    submit: (order, { key }) => unreliable(() => place(key, order, '60010', false), true),
    lookUp: (_, key, { seen }) => unreliable(() => told(orders.get(key), seen), false),
    resting: {
      place: (order, { key, price }) => unreliable(() => place(key, order, price, true), true),
      withdraw: (_, key, { seen }) =>
        unreliable(() => {
          const kept = orders.get(key);
          if (kept !== undefined) kept.status = 'ended';
          return told(kept, seen);
        }, false),
    },
  };
  return {
    client,
    orders,
    /** Moves the market to the resting order: a fill may race with a cancel. */
    trade(): void {
      for (const [name, kept] of orders) {
        if (kept.status === 'open')
          execute(name, kept, Decimal.min(new Decimal(kept.order.quantity).minus(kept.executed), lot(new Decimal(kept.order.quantity))));
      }
    },
    executed: () => [...orders.values()].reduce((sum, kept) => sum.plus(kept.executed), new Decimal(0)),
  };
}

/** Runs a proposal on an unreliable exchange until it ends. */
async function lived(seed: number, options: PartsOptions): Promise<{ fixture: PartsFixture; world: ReturnType<typeof exchange> }> {
  const random = seededRandom(seed);
  const faults = { rate: 0.5 };
  const world = exchange(random, faults);
  const fixture = await partsFixture({ ...options, mode: 'live', clients: { spotexchange: world.client } });
  const observed: unknown[] = [];
  for (let round = 0; round < 400 && !fixture.isDone(); round++) {
    if (round === 60) faults.rate = 0;
    if (random() < 0.3) world.trade();
    // Two watchers may have found the same.
    if (fixture.value() === 'resting' && random() < 0.5) observed.push(await fixture.look());
    if (random() < 0.5) for (const answer of observed) await fixture.tell({ type: 'order.observed', answer });
    if (random() < 0.03) await fixture.tell({ type: 'cancel', reason: 'halted' });
    await fixture.pass(Math.floor(random() * 4_000));
  }
  return { fixture, world };
}

test('whatever gets lost, the venue never executes more than the order, and every execution is booked', async () => {
  const ends = new Set<string>();
  let filledAtRest = 0;
  for (let seed = 1; seed <= 150; seed++) {
    const options: PartsOptions = seed % 2 === 0 ? MAKER : { ...TWAP, quantity: '0.01' };
    const { fixture: stage, world } = await lived(seed, options);
    ends.add(stage.state());
    filledAtRest += stage.steps().filter((event) => event === 'order.observed').length;
    const executed = world.executed();
    expect([seed, stage.isDone(), executed.lte('0.01')]).toEqual([seed, true, true]);
    expect([seed, stage.filled()]).toEqual([seed, plainDecimal(executed)]);
    expect([seed, new Set(stage.fills().map(({ id }) => id)).size]).toEqual([seed, stage.fills().length]);
    for (const { status } of world.orders.values()) expect([seed, status]).toEqual([seed, 'ended']);
  }
  for (const state of ['filled', 'partially_filled', 'cancelled']) expect(ends).toContain(state);
  expect(filledAtRest).toBeGreaterThan(20);
});
