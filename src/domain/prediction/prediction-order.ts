/** Orders on prediction markets: which ones a market accepts, their grid prices, their fees, and outcomes that are one exposure. */

import type { BookLevel } from '../market/order-book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { floorToStep, findMarketStep } from '../market/market-step.ts';
import type { ExecutionMode, Order, OrderOrigin, OrderQuote, OrderSide } from '../orders/order.ts';
import { computeLimitPrice, completeOrder } from '../orders/order.ts';
import type { Depth } from '../orders/paper-fill.ts';
import type { Quality, QualityFlag } from '../market/quote.ts';
import { type Outcome, refuse } from '../values/refusal.ts';
import { liveTouch } from '../risk/blocked-by-risk.ts';
import { type EpochMs, MINUTE_MS, isoTime } from '../values/time.ts';
import { type InstrumentKey, instrumentKey } from '../market/venue.ts';
import {
  complement,
  isOnGrid,
  type OutcomeSide,
  outcomeInstrument,
  type PredictionBook,
  type PredictionFee,
  type PredictionMarket,
  type PriceRange,
  takerFeeUsd,
} from './market.ts';

/**
 * `prepared`: its transaction waits for a signature. `submitted`: it is on its way to the chain. `open`: it is final, and the venue has the
 * unfilled order. `cancelled`: the venue closed it and refunded the unfilled part.
 */
export const PREDICTION_ORDER_STATES = ['prepared', 'submitted', 'open', 'partially_filled', 'filled', 'cancelled', 'failed'] as const;
export type PredictionOrderState = (typeof PREDICTION_ORDER_STATES)[number];

/** Terms of a live order on the chain and at its venue. */
export interface OnchainTerms {
  /** Wallet that pays and owns the position. */
  readonly wallet: string;
  /** Prepared transaction that opens it. */
  readonly transactionId: string;
  /** The venue's own ids of market, order account and position. */
  readonly venueMarketId: string;
  readonly orderAccount: string;
  readonly positionAccount: string;
  /** Deposit into escrow, in US dollars of the stablecoin. Zero for a sell. */
  readonly depositUsd: DecimalString;
  /** Token account that holds the deposit, or null if the venue names none. */
  readonly escrowAccount: string | null;
  /** Contracts of the venue's order, in millionths, of which the order has the whole hundredths. Missing in older orders. */
  readonly contracts?: DecimalString;
}

/** Returns the contracts that the venue may fill: its own number, which is less than a hundredth above the order's. */
export function contractsAtVenue(quantity: DecimalString, onchain: Pick<OnchainTerms, 'contracts'> | null): DecimalString {
  return onchain?.contracts ?? quantity;
}

/** A person's order. Exactly one of the sizes is given. */
export interface PredictionWish {
  readonly marketId: string;
  readonly outcome: OutcomeSide;
  readonly side: OrderSide;
  /** Contracts, each of which pays one dollar if its outcome comes true. */
  readonly quantity: DecimalString | null;
  /** Maximum cost of a buy before fees, or proceeds of a sell at its worst price. */
  readonly notionalUsd: DecimalString | null;
  /** Worst acceptable price on the market's grid, or null to derive it from the slippage budget and the present price. */
  readonly limitPrice: DecimalString | null;
  /** Slippage budget in basis points, or null for 200 or the organization's own limit, whichever is lower. */
  readonly maxSlippageBps: number | null;
}

/** Maximum age of a listing in milliseconds. Listings are repeated twice in this time. */
export const LISTING_MAX_AGE_MS = MINUTE_MS;
/** Default slippage budget in basis points. Most grids have one-cent steps, so 50 as on the spot exchange would rarely be a step. */
const PREDICTION_SLIPPAGE_BPS = 200;

/** Returns the key of an outcome's instrument on the venue `prediction`. */
export function outcomeKey(marketId: string, outcome: OutcomeSide): InstrumentKey {
  return instrumentKey('prediction', outcomeInstrument(marketId, outcome));
}

const OUTCOME_KEY = /^prediction:(pm-[0-9a-f]{24})\.(yes|no)$/;

/** Returns the market and outcome of a key, or null if it is not the key of an outcome. */
export function readOutcomeKey(key: InstrumentKey): { readonly marketId: string; readonly outcome: OutcomeSide } | null {
  const [, marketId, outcome] = OUTCOME_KEY.exec(key) ?? [];
  return marketId === undefined ? null : { marketId, outcome: outcome as OutcomeSide };
}

/**
 * Returns the exposure of an outcome: its market, or the event if only one of its markets can come true. Markets count as exclusive if the
 * provider did not say.
 */
export function toExposureId({ id, event }: Pick<PredictionMarket, 'id' | 'event'>): string {
  return event === null || event.mutuallyExclusive === false ? id : event.id;
}

/**
 * Returns in one sentence why a market accepts no orders now, or null if it does. Status, times and result are the provider's. A market
 * whose listing is not live, or whose fees are unknown, accepts no orders either.
 */
export function closedBecause(market: PredictionMarket, now: EpochMs): string | null {
  const { status, closesAt, resolution, fee } = market;
  if (status !== 'open') return `the market is ${status} (${market.providerStatus}); orders need an open one`;
  if (resolution.result !== null) return `the market is resolved: ${resolution.result}`;
  if (closesAt !== null && closesAt <= now) return `the market closed at ${isoTime(closesAt)}`;
  const resolvesAt = market.expectedResolutionAt ?? market.latestResolutionAt;
  if (resolvesAt !== null && resolvesAt <= now)
    return `the market was due to resolve at ${isoTime(resolvesAt)}; orders need a market that resolves later`;
  if (fee.model === 'unknown')
    return 'the provider does not publish the taker fee of this market, and an unknown fee is never taken as zero';
  return null;
}

/** True if the listing itself is current. */
export function isListedNow({ quality, receivedAt }: Pick<PredictionMarket, 'quality' | 'receivedAt'>, now: EpochMs): boolean {
  return quality === 'live' && now - receivedAt <= LISTING_MAX_AGE_MS;
}

/** Returns the nearest grid price that is not above (`down`) or not below (`up`) a price, or null if the grid has none between 0 and 1. */
export function gridPrice(grid: readonly PriceRange[], price: DecimalString, towards: 'down' | 'up'): DecimalString | null {
  const wanted = new Decimal(price);
  let best: Decimal | null = null;
  for (const { start, end, step } of grid) {
    if (!new Decimal(step).gt(0)) continue;
    const within = towards === 'down' ? Decimal.min(wanted, end) : Decimal.max(wanted, start);
    const steps = within.minus(start).div(step);
    let found = (towards === 'down' ? steps.floor() : steps.ceil()).times(step).plus(start);
    // Zero and one are not valid prices. The next ones inside are.
    if (found.lte(0) && towards === 'up') found = new Decimal(start).plus(step);
    if (found.gte(1) && towards === 'down') found = found.minus(step);
    const fits = found.gte(start) && found.lte(end) && found.gt(0) && found.lt(1);
    if (!fits || (towards === 'down' ? found.gt(wanted) : found.lt(wanted))) continue;
    if (best === null || (towards === 'down' ? found.gt(best) : found.lt(best))) best = found;
  }
  return best === null ? null : plainDecimal(best);
}

/** Returns the book of one outcome. Orders on the affirmative one appear in the other's at one minus their price. */
export function depthOfOutcome(
  book: PredictionBook & { readonly quality: Quality; readonly flags: readonly QualityFlag[] },
  outcome: OutcomeSide,
): Depth {
  const { source, observedAt, quality, flags } = book;
  const mirrored = (levels: readonly BookLevel[]): BookLevel[] => levels.map(({ price, size }) => ({ price: complement(price), size }));
  const [bids, asks] = outcome === 'yes' ? [book.bids, book.asks] : [mirrored(book.asks), mirrored(book.bids)];
  return { venue: 'prediction', source, observedAt, quality, flags, bids, asks };
}

/** Returns the fee of taking these parts. Each is a separate trade, rounded up on its own. @throws Error for an unknown fee. */
export function takenFeeUsd(fee: PredictionFee, parts: readonly BookLevel[]): DecimalString {
  const total = parts.reduce((sum, { price, size }) => {
    const part = takerFeeUsd(fee, price, size);
    if (part === null) throw new Error('the taker fee is unknown');
    return sum.plus(part);
  }, new Decimal(0));
  // Fees are booked in millionths, rounded up.
  return plainDecimal(total.toDecimalPlaces(6, Decimal.ROUND_UP));
}

/** Maximum levels of a book at which an order may be filled. */
const MOST_PARTS = 100;

/**
 * Returns the maximum fees of an order in basis points of its notional: at the price within its limit with the highest fee, and with every
 * part rounded up. The balance must cover it.
 */
export function feeCeilingBps(fee: PredictionFee, order: Pick<Order, 'quantity' | 'limitPrice' | 'notionalUsd'>): number {
  if (fee.model === 'none' || fee.rate === null) return 0;
  // p x (1 - p) rises up to its maximum at one half.
  const price = new Decimal(order.limitPrice);
  const worst = price.lt('0.5') ? price : new Decimal('0.5');
  const exact = takerFeeUsd({ ...fee, roundingUsd: null }, plainDecimal(worst), order.quantity) as DecimalString;
  const rounding = new Decimal(fee.roundingUsd ?? 0).times(Math.min(MOST_PARTS, new Decimal(order.quantity).ceil().toNumber()));
  return new Decimal(exact).plus(rounding).times(10_000).div(order.notionalUsd).toDecimalPlaces(4, Decimal.ROUND_UP).toNumber();
}

/** Terms of an order besides the request. */
interface PredictionOrderTerms {
  readonly id: string;
  readonly origin: OrderOrigin;
  readonly mode: ExecutionMode;
  readonly bookId: string;
  /** The organization's own limit, in basis points. */
  readonly longestSlippageBps: number;
}

const onGridWords = (grid: readonly PriceRange[]): string =>
  grid.map(({ start, end, step }) => `from ${start} to ${end} in steps of ${step}`).join(', ');

/**
 * Compiles a request into an order at the present price: in whole lots, with its limit on the market's grid and within its slippage budget
 * from the touch. Refuses with `malformed` if it does not fit the market, and with `quote_not_live` if the side has no live price.
 */
export function compilePredictionOrder(
  market: PredictionMarket,
  wish: PredictionWish,
  quote: Omit<OrderQuote, 'observedAt'> | null,
  terms: PredictionOrderTerms,
): Outcome<Order> {
  const { side, outcome } = wish;
  const instrument = outcomeKey(market.id, outcome);
  const { lot } = findMarketStep(instrument);
  if (wish.quantity !== null && !new Decimal(wish.quantity).mod(lot).isZero())
    return refuse('malformed', `$.quantity: it should be a multiple of ${lot} contracts`);
  if (wish.limitPrice !== null && !isOnGrid(market.priceGrid, wish.limitPrice))
    return refuse('malformed', `$.limitPrice: the market takes prices between 0 and 1 ${onGridWords(market.priceGrid)}`);
  const touch = liveTouch(instrument, side, quote);
  if (!touch.ok) return touch;
  const maxSlippageBps = wish.maxSlippageBps ?? Math.min(PREDICTION_SLIPPAGE_BPS, terms.longestSlippageBps);
  const limitPrice = limitOnGrid(market.priceGrid, instrument, side, touch.value, wish.limitPrice, maxSlippageBps);
  const quantity = wish.quantity ?? floorToStep(new Decimal(wish.notionalUsd ?? '0').div(limitPrice), lot);
  if (!new Decimal(quantity).gt(0)) return refuse('malformed', `$.notionalUsd: at ${limitPrice} it is less than ${lot} of a contract`);
  // The rest of a position can always be sold.
  if (side === 'buy' && market.minimumSize !== null && new Decimal(quantity).lt(market.minimumSize))
    return refuse('malformed', `$.quantity: the smallest order of this market is ${market.minimumSize} contracts (got ${quantity})`);
  const { id, origin, mode, bookId } = terms;
  return { ok: true, value: completeOrder({ id, origin, mode, bookId, instrument, side, quantity, limitPrice, maxSlippageBps }) };
}

/**
 * Returns the worst acceptable grid price: never beyond the budget or the requested limit, and never better than the touch because of the
 * budget.
 */
function limitOnGrid(
  grid: readonly PriceRange[],
  instrument: InstrumentKey,
  side: OrderSide,
  touch: DecimalString,
  wished: DecimalString | null,
  maxSlippageBps: number,
): DecimalString {
  const buys = side === 'buy';
  const budgeted = gridPrice(grid, computeLimitPrice(instrument, side, touch, maxSlippageBps), buys ? 'down' : 'up');
  const beyond = budgeted === null || (buys ? new Decimal(budgeted).lt(touch) : new Decimal(budgeted).gt(touch));
  const farthest = beyond ? plainDecimal(touch) : budgeted;
  if (wished === null) return farthest;
  return plainDecimal(buys ? Decimal.min(wished, farthest) : Decimal.max(wished, farthest));
}

/** Returns the value of one contract of an unquoted outcome: its payout once decided, the listed bid while open, else zero. */
export function restingMark(market: PredictionMarket, outcome: OutcomeSide, now: EpochMs): DecimalString {
  const { payout, bid } = market.outcomes[outcome === 'yes' ? 0 : 1];
  if (payout !== null && market.status === 'resolved') return payout;
  return market.status === 'open' && isListedNow(market, now) ? (bid ?? '0') : '0';
}
