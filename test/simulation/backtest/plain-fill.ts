/** An order on a bar by its algorithm once more, slowly and in exact decimals: parts by the live plan, rests by the live resting fill. */
import type { Candle } from '../../../src/domain/candle.ts';
import { COST_MODELS } from '../../../src/domain/costs.ts';
import { Decimal, plainDecimal } from '../../../src/domain/decimal.ts';
import { planOf, REST_MS, SLICES } from '../../../src/domain/execution-plan.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { marketStepOf } from '../../../src/domain/market-step.ts';
import { orderOf } from '../../../src/domain/order.ts';
import { restingFill } from '../../../src/domain/resting-fill.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../../src/domain/venue.ts';

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
  /** Digits after the point that fills, quantities and money are kept with. */
  readonly priceDigits: number;
  readonly quantityDigits: number;
  readonly moneyDigits: number;
}

interface Part {
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly feeBps: number;
}

/** What an hourly bar makes of an order: the average price, the fees, and how much; null where nothing. */
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
  const order = orderOf({
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
  const plan = planOf({ algorithm: given.algorithm, urgency }, order, false);
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

/** Both steps are powers of ten: the coarser one holds. */
function lotOf({ key, quantityDigits }: PlainOrder): Decimal {
  return Decimal.max(marketStepOf(key).lot, new Decimal(10).pow(-quantityDigits));
}

/** One trade at the worst price of the window, of everything that the window shows beyond the price. */
function restedOf(given: PlainOrder, order: ReturnType<typeof orderOf>, windowMs: number): Part | null {
  const { key, side, bar, costMultiplier, priceDigits } = given;
  const venue = splitInstrumentKey(key).venue as ExecutableVenue;
  const { halfSpreadBps, makerFeeBps, name } = COST_MODELS[venue];
  const buys = side === 'buy';
  const open = new Decimal(bar.open);
  const round = buys ? Decimal.ROUND_CEIL : Decimal.ROUND_FLOOR;
  const near = open
    .times(10_000 + (buys ? -1 : 1) * halfSpreadBps * costMultiplier)
    .div(10_000)
    .toDecimalPlaces(priceDigits, round);
  const price = buys ? Decimal.min(near, given.limit) : near;
  // In prices times the milliseconds of the bar, so that nothing is divided before the end: a third of a price has no decimal.
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

/** At one price at once; nothing of a buy beyond its limit. */
function taken({ key, side, limit, costMultiplier, priceDigits }: PlainOrder, quantity: Decimal, middle: Decimal): Part[] {
  const { takerFeeBps, halfSpreadBps, depthUsd } = COST_MODELS[splitInstrumentKey(key).venue as ExecutableVenue];
  const sign = side === 'buy' ? 1 : -1;
  const best = middle.times(10_000 + sign * halfSpreadBps * costMultiplier).div(10_000);
  const average = best.times(new Decimal(1).plus(best.times(quantity).times(sign).times(costMultiplier).div(depthUsd).div(200)));
  const price = average.toDecimalPlaces(priceDigits, side === 'buy' ? Decimal.ROUND_CEIL : Decimal.ROUND_FLOOR);
  return side === 'buy' && price.gt(limit) ? [] : [{ quantity, price, feeBps: takerFeeBps * costMultiplier }];
}
