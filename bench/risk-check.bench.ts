/**
 * Pre-trade risk check of twenty orders: integers in doubles compared with decimal.js, big integers and bare doubles
 * without checks. All contenders make the same comparisons, and are first proven to agree on every order.
 */
import assert from 'node:assert/strict';
import { Decimal } from '../src/domain/values/decimal.ts';
import type { Order } from '../src/domain/orders/order.ts';
import { RISK_BITS } from '../src/domain/risk/codes.ts';
import {
  assessOrder,
  findBreaches,
  readOrderFigures,
  type OrderFigures,
  prepareRisk,
  type RiskContext,
  type RiskFrame,
} from '../src/domain/risk/index.ts';
import { randomCases } from '../test/domain/risk/random-cases.ts';
import { bench, repeated, sink } from './harness.ts';

const ORDERS = 20;

interface Prepared {
  readonly order: Order;
  readonly context: RiskContext;
  readonly frame: RiskFrame;
  readonly figures: OrderFigures;
}

/** Returns purchases of ordinary size with a live quote, as a tick assesses them, each in its own world. */
function prepared(): Prepared[] {
  const next = randomCases(20);
  const found: Prepared[] = [];
  while (found.length < ORDERS) {
    const { order, context } = next();
    const frame = prepareRisk(order.instrument, order.venue, context, order.id);
    const figures = readOrderFigures(order);
    if (order.side === 'buy' && figures.limitPrice === null && frame.worstBuy !== null && frame.capacities.length >= 5)
      found.push({ order, context, frame, figures });
  }
  return found;
}

const cases = prepared();
const frames = cases.map(({ frame }) => frame);
const figures = cases.map((each) => each.figures);

interface DecimalFrame {
  readonly capacities: readonly { readonly free: Decimal; readonly bit: number }[];
  readonly buyMask: number;
  readonly worstBuy: Decimal;
}

const decimalFrames: DecimalFrame[] = frames.map((frame) => ({
  capacities: frame.capacities.map(({ free, code }) => ({ free: new Decimal(free.toString()).div(1_000_000), bit: RISK_BITS[code] })),
  buyMask: frame.buyMask,
  worstBuy: new Decimal(frame.worstBuy as string),
}));
const decimalOrders = cases.map(({ order }) => ({
  quantity: new Decimal(order.quantity),
  limitPrice: new Decimal(order.limitPrice),
  notional: new Decimal(order.quantity).times(order.limitPrice),
}));

/** Makes the same check with plain decimals: one comparison per limit. */
function decimalBreaches(frame: DecimalFrame, notional: Decimal, limitPrice: Decimal): number {
  let mask = frame.buyMask;
  for (const { free, bit } of frame.capacities) if (notional.gt(free)) mask |= bit;
  if (limitPrice.gt(frame.worstBuy)) mask |= RISK_BITS.slippage_budget_breach;
  return mask;
}

const bigFrames = frames.map((frame) => ({
  capacities: frame.capacities.map(({ free }) => free),
  bits: [...frame.bits],
  buyMask: frame.buyMask,
  worst: BigInt(frame.worstBuyTicks),
}));
const bigOrders = figures.map(({ notional, ticks }) => ({ notional: BigInt(notional), ticks: BigInt(ticks) }));

function bigBreaches(index: number): number {
  const frame = bigFrames[index] as (typeof bigFrames)[number];
  const { notional, ticks } = bigOrders[index] as (typeof bigOrders)[number];
  let mask = frame.buyMask;
  for (let i = 0; i < frame.capacities.length; i++) if (notional > (frame.capacities[i] as bigint)) mask |= frame.bits[i] as number;
  if (ticks > frame.worst) mask |= RISK_BITS.slippage_budget_breach;
  return mask;
}

const floatFrames = frames.map((frame) => ({
  capacities: Float64Array.from(frame.capacities, ({ free }) => Number(free) / 1e6),
  bits: frame.bits,
  buyMask: frame.buyMask,
  worst: Number(frame.worstBuy),
}));
const floatOrders = cases.map(({ order }) => ({ quantity: Number(order.quantity), limitPrice: Number(order.limitPrice) }));

/** Makes the check with bare doubles of dollars, without exactness. */
function floatBreaches(index: number): number {
  const frame = floatFrames[index] as (typeof floatFrames)[number];
  const { quantity, limitPrice } = floatOrders[index] as (typeof floatOrders)[number];
  const notional = quantity * limitPrice;
  let mask = frame.buyMask;
  for (let i = 0; i < frame.capacities.length; i++) if (notional > (frame.capacities[i] as number)) mask |= frame.bits[i] as number;
  if (limitPrice > frame.worst) mask |= RISK_BITS.slippage_budget_breach;
  return mask;
}

for (const [index, { order, context, frame, figures: own }] of cases.entries()) {
  const mask = findBreaches(frame, own);
  const rejections = assessOrder(order, context).attribution.rejections.map(({ code }) => RISK_BITS[code as keyof typeof RISK_BITS]);
  assert.equal(
    mask,
    rejections.reduce((all, bit) => all | bit, 0),
  );
  const { notional, limitPrice } = decimalOrders[index] as (typeof decimalOrders)[number];
  assert.equal(decimalBreaches(decimalFrames[index] as DecimalFrame, notional, limitPrice), mask);
  assert.equal(bigBreaches(index), mask);
}

/**
 * Creates a contender with its own loop over the orders. A shared loop that calls any check is never inlined, and would add the same
 * nanoseconds of calling to every contender, most of the cost of the fast ones.
 */
const contender = (name: string, pass: () => number) => repeated(name, 1, () => void (sink.value = pass()));

await bench({
  title: 'pre-trade risk check of 20 orders',
  contenders: [
    contender('exact doubles', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) all ^= findBreaches(frames[index] as RiskFrame, figures[index] as OrderFigures);
      return all;
    }),
    contender('decimal.js', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) {
        const { notional, limitPrice } = decimalOrders[index] as (typeof decimalOrders)[number];
        all ^= decimalBreaches(decimalFrames[index] as DecimalFrame, notional, limitPrice);
      }
      return all;
    }),
    contender('decimal.js, with its product', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) {
        const { quantity, limitPrice } = decimalOrders[index] as (typeof decimalOrders)[number];
        all ^= decimalBreaches(decimalFrames[index] as DecimalFrame, quantity.times(limitPrice), limitPrice);
      }
      return all;
    }),
    contender('big integers', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) all ^= bigBreaches(index);
      return all;
    }),
    contender('bare doubles', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) all ^= floatBreaches(index);
      return all;
    }),
    contender('exact doubles, from text', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) {
        all ^= findBreaches(frames[index] as RiskFrame, readOrderFigures((cases[index] as Prepared).order));
      }
      return all;
    }),
    contender('decimal.js, from text', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) {
        const { order } = cases[index] as Prepared;
        const notional = new Decimal(order.quantity).times(order.limitPrice);
        all ^= decimalBreaches(decimalFrames[index] as DecimalFrame, notional, new Decimal(order.limitPrice));
      }
      return all;
    }),
    contender('assessOrder', () => {
      let all = 0;
      for (let index = 0; index < ORDERS; index++) {
        const { order, context } = cases[index] as Prepared;
        all += assessOrder(order, context).attribution.rejections.length;
      }
      return all;
    }),
  ],
  comparisons: [
    { what: 'twenty orders, read', ours: 'exact doubles', reference: 'decimal.js', goal: 40 },
    { what: 'decimals multiply each time', ours: 'exact doubles', reference: 'decimal.js, with its product', goal: null },
    { what: 'the same', ours: 'exact doubles', reference: 'big integers', goal: null },
    { what: 'what exactness costs', ours: 'exact doubles', reference: 'bare doubles', goal: null },
    { what: 'twenty orders, from text', ours: 'exact doubles, from text', reference: 'decimal.js, from text', goal: null },
    { what: 'all of it: world, order, words', ours: 'assessOrder', reference: 'decimal.js', goal: null },
  ],
  notes: [
    `per s: checks of ${ORDERS} orders; each is ${frames.reduce((sum, { capacities }) => sum + capacities.length + 1, 0) / ORDERS} comparisons on average`,
  ],
});
