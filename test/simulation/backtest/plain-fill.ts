/** Fill of an order on a bar by its algorithm, slowly and in exact decimals: parts by the live plan, rests by the live resting fill. */
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { COST_MODELS } from '../../../src/domain/orders/costs.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { planExecution, REST_MS, SLICES } from '../../../src/domain/orders/execution-plan.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { findMarketStep } from '../../../src/domain/market/market-step.ts';
import { completeOrder } from '../../../src/domain/orders/order.ts';
import { restingFill } from '../../../src/domain/orders/resting-fill.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';

const HOUR = 3_600_000;

export interface PlainOrder {
  readonly key: InstrumentKey;
  readonly side: 'buy' | 'sell';
  readonly quantity: Decimal;
  readonly limit: Decimal;
  readonly bar: Candle;
  readonly algorithm: Manifest['algorithm'];
  readonly urgency: Manifest['urgency'];
  readonly costMultiplier: number;
  /** Half the spread in basis points and both sides of the pools, if they were recorded. */
  readonly halfSpreadBps?: number | null;
  readonly liquidityUsd?: string | null;
  /** Decimals of fills, quantities and money. */
  readonly priceDigits: number;
  readonly quantityDigits: number;
  readonly moneyDigits: number;
}

interface Part {
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly feeBps: number;
}

/** Fills an order on an hourly bar. Returns average price, fees and quantity, or null if nothing fills. */
export function fillPlainly(given: PlainOrder): { readonly quantity: Decimal; readonly price: Decimal; readonly fees: Decimal } | null {
  const { side, moneyDigits, priceDigits } = given;
  const parts = partsOf(given);
  const quantity = parts.reduce((sum, part) => sum.plus(part.quantity), new Decimal(0));
  if (quantity.isZero()) return null;
  const notional = parts.reduce((sum, part) => sum.plus(part.quantity.times(part.price)), new Decimal(0));
  const fees = parts.reduce((sum, part) => sum.plus(part.quantity.times(part.price).times(part.feeBps).div(10_000)), new Decimal(0));
  return {
    quantity,
    price: notional.div(quantity).toDecimalPlaces(priceDigits, side === 'buy' ? Decimal.ROUND_CEIL : Decimal.ROUND_FLOOR),
    fees: fees.toDecimalPlaces(moneyDigits, Decimal.ROUND_CEIL),
  };
}

function partsOf(given: PlainOrder): Part[] {
  const { key, side, quantity, limit, bar, urgency } = given;
  const order = completeOrder({
    id: 'o',
    origin: 'proposal',
    mode: 'paper',
    bookId: 'b',
    instrument: key,
    side,
    quantity: plainDecimal(quantity),
    limitPrice: plainDecimal(limit),
    maxSlippageBps: 0,
  });
  const plan = planExecution({ algorithm: given.algorithm, urgency }, order, false);
  const [open, close] = [new Decimal(bar.open), new Decimal(bar.close)];
  const middleAt = (ms: number): Decimal => open.plus(close.minus(open).times(ms).div(HOUR));
  if (plan.algorithm === 'taker_immediate') return taken(given, quantity, open);
  if (plan.algorithm === 'twap') {
    const lots = quantity.div(lotOf(given)).floor();
    const worth = quantity.times(limit).div(20).floor();
    const count = Decimal.max(1, Decimal.min(SLICES[urgency].count, lots, worth)).toNumber();
    const parts: Part[] = [];
    let left = quantity;
    for (let n = 0; n < count; n++) {
      const slice =
        n === count - 1
          ? left
          : left
              .div(count - n)
              .div(lotOf(given))
              .floor()
              .times(lotOf(given));
      left = left.minus(slice);
      parts.push(...taken(given, slice, middleAt(n * SLICES[urgency].everyMs)));
    }
    return parts;
  }
  const rested = restedOf(given, order, REST_MS[urgency]);
  const left = quantity.minus(rested?.quantity ?? 0);
  const rest = left.gt(0) ? taken(given, left, middleAt(REST_MS[urgency])) : [];
  return rested === null ? rest : [rested, ...rest];
}

/** Both steps are powers of ten: the coarser one applies. */
function lotOf({ key, quantityDigits }: PlainOrder): Decimal {
  return Decimal.max(findMarketStep(key).lot, new Decimal(10).pow(-quantityDigits));
}

/** Fills the resting part in one trade at the window's worst price, with everything the window shows beyond the limit. */
function restedOf(given: PlainOrder, order: ReturnType<typeof completeOrder>, windowMs: number): Part | null {
  const { key, side, bar, costMultiplier, priceDigits } = given;
  const venue = splitInstrumentKey(key).venue as ExecutableVenue;
  const { makerFeeBps, name } = COST_MODELS[venue];
  const buys = side === 'buy';
  const open = new Decimal(bar.open);
  const round = buys ? Decimal.ROUND_CEIL : Decimal.ROUND_FLOOR;
  const near = open
    .times(10_000 + (buys ? -1 : 1) * halfSpreadOf(given) * costMultiplier)
    .div(10_000)
    .toDecimalPlaces(priceDigits, round);
  const price = buys ? Decimal.min(near, given.limit) : near;
  // In prices times the bar's milliseconds, so that division comes last: a third of a price is not a finite decimal.
  const reached = (extreme: string): Decimal => open.times(HOUR).plus(new Decimal(extreme).minus(open).times(windowMs));
  const [lowest, highest] = [reached(bar.low), reached(bar.high)];
  const worst = (buys ? lowest : highest).div(HOUR).toDecimalPlaces(priceDigits, round);
  const range = highest.minus(lowest);
  const beyond = buys ? price.times(HOUR).minus(lowest) : highest.minus(price.times(HOUR));
  if (range.isZero() || !beyond.gt(0)) return null;
  const window = new Decimal(bar.volume).times(windowMs);
  const traded = beyond.gte(range) ? window.div(HOUR) : window.times(beyond).div(range.times(HOUR));
  const filled = restingFill(
    { ...order, limitPrice: plainDecimal(price) },
    { venue, source: 'bar', trades: [{ price: plainDecimal(worst), quantity: plainDecimal(traded), at: 1 }], tops: [] },
    { ...COST_MODELS[venue], name },
    { id: 'f', price: plainDecimal(price), decisionPrice: plainDecimal(price), until: 2 },
  );
  if (filled.outcome === 'no_fill') return null;
  const quantity = new Decimal(filled.fill.quantity).div(lotOf(given)).floor().times(lotOf(given));
  return quantity.gt(0) ? { quantity, price, feeBps: makerFeeBps * costMultiplier } : null;
}

/** Returns the recorded half spread, else the cost model's with the mint's transfer fee. */
export function halfSpreadOf({ key, halfSpreadBps }: Pick<PlainOrder, 'key' | 'halfSpreadBps'>): number {
  const assumed = COST_MODELS[splitInstrumentKey(key).venue as ExecutableVenue].halfSpreadBps;
  return halfSpreadBps ?? assumed + (CATALOG.byKey(key)?.token?.transferFeeBps ?? 0);
}

/**
 * Fills at one price from a pool: tokens T against U dollars, and taking q of them costs U / (T - q) each. Without a recorded
 * pool, one percent of price is the assumed depth, a two hundredth of U. A buy takes the most whole lots within its limit.
 */
function taken(given: PlainOrder, quantity: Decimal, middle: Decimal): Part[] {
  const { key, side, limit, costMultiplier, priceDigits, liquidityUsd } = given;
  const { takerFeeBps, depthUsd } = COST_MODELS[splitInstrumentKey(key).venue as ExecutableVenue];
  const buys = side === 'buy';
  const best = middle.times(10_000 + (buys ? 1 : -1) * halfSpreadOf(given) * costMultiplier).div(10_000);
  const dollars = (liquidityUsd == null ? new Decimal(depthUsd).times(200) : new Decimal(liquidityUsd).div(2)).div(costMultiplier);
  const tokens = dollars.div(best);
  const priceOf = (done: Decimal): Decimal => {
    const left = buys ? tokens.minus(done) : tokens.plus(done);
    if (!left.gt(0)) return new Decimal(Number.POSITIVE_INFINITY);
    return dollars.div(left).toDecimalPlaces(priceDigits, buys ? Decimal.ROUND_CEIL : Decimal.ROUND_FLOOR);
  };
  let done = quantity;
  if (buys && priceOf(done).gt(limit)) {
    const lot = lotOf(given);
    done = Decimal.min(tokens.minus(dollars.div(limit)), quantity)
      .div(lot)
      .floor()
      .times(lot);
    while (done.gt(0) && priceOf(done).gt(limit)) done = done.minus(lot);
    while (done.gte(0) && done.plus(lot).lt(quantity) && best.lt(limit) && !priceOf(done.plus(lot)).gt(limit)) done = done.plus(lot);
    if (!done.gt(0)) return [];
  }
  return [{ quantity: done, price: priceOf(done), feeBps: takerFeeBps * costMultiplier }];
}
