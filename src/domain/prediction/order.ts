/**
 * Orders on prediction markets: which of them a market takes, at which prices of its grid, what they cost in fees, and
 * which outcomes are one exposure.
 */

import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { floorToStep, marketStepOf } from '../market/market-step.ts';
import type { ExecutionMode, Order, OrderOrigin, OrderQuote, OrderSide } from '../orders/order.ts';
import { limitPriceOf, orderOf } from '../orders/order.ts';
import type { Depth, DepthLevel } from '../orders/paper-fill.ts';
import type { Quality, QualityFlag } from '../market/quote.ts';
import { type Outcome, refuse } from '../values/refusal.ts';
import { liveTouch } from '../risk/refusal.ts';
import { type EpochMs, isoTime } from '../values/time.ts';
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
 * `prepared`: its transaction waits for a signature. `submitted`: it is on its way to the chain. `open`: it is final, and
 * the venue has the order; nothing of it is filled. `cancelled`: the venue closed it and gave back what was not filled.
 */
export const PREDICTION_ORDER_STATES = ['prepared', 'submitted', 'open', 'partially_filled', 'filled', 'cancelled', 'failed'] as const;
export type PredictionOrderState = (typeof PREDICTION_ORDER_STATES)[number];

/** Terms of a live order on the chain and at its venue. */
export interface OnchainTerms {
  /** Wallet that pays and owns the position. */
  readonly wallet: string;
  /** The prepared transaction that opens it. */
  readonly transactionId: string;
  /** The venue's own names of market, order account and position. */
  readonly venueMarketId: string;
  readonly orderAccount: string;
  readonly positionAccount: string;
  /** Deposit into escrow, in US dollars of the stablecoin; zero for a sell. */
  readonly depositUsd: DecimalString;
  /** The token account that the deposit waits in; null if the venue names none. */
  readonly escrowAccount: string | null;
}

/** Order request of a person. Exactly one of the sizes is given. */
export interface PredictionWish {
  readonly marketId: string;
  readonly outcome: OutcomeSide;
  readonly side: OrderSide;
  /** Contracts, each of which pays one dollar if its outcome comes true. */
  readonly quantity: DecimalString | null;
  /** The most that a buy may cost before fees, or what a sell may bring at its worst price. */
  readonly notionalUsd: DecimalString | null;
  /** The worst acceptable price, on the market's grid; null: the slippage budget on the present price decides. */
  readonly limitPrice: DecimalString | null;
  /** Slippage budget in basis points; null for two percent, or the organization's own limit if that is less. */
  readonly maxSlippageBps: number | null;
}

/** A listing is repeated twice in this time; an older one says nothing of the present. Milliseconds. */
export const LISTING_MAX_AGE_MS = 60_000;
/** Prices lie a cent apart on most grids: half a percent, as on the spot exchange, would seldom be a step. */
export const PREDICTION_SLIPPAGE_BPS = 200;

/** The key of an outcome's instrument on the venue `prediction`. */
export function outcomeKey(marketId: string, outcome: OutcomeSide): InstrumentKey {
  return instrumentKey('prediction', outcomeInstrument(marketId, outcome));
}

const OUTCOME_KEY = /^prediction:(pm-[0-9a-f]{24})\.(yes|no)$/;

/** The market and outcome that a key names; null if it is not the key of an outcome. */
export function readOutcomeKey(key: InstrumentKey): { readonly marketId: string; readonly outcome: OutcomeSide } | null {
  const [, marketId, outcome] = OUTCOME_KEY.exec(key) ?? [];
  return marketId === undefined ? null : { marketId, outcome: outcome as OutcomeSide };
}

/**
 * Returns the exposure of an outcome: its market, or the event if only one of its markets can come true. If the provider did not say
 * whether the markets exclude each other, they count as if they did.
 */
export function exposureOf({ id, event }: Pick<PredictionMarket, 'id' | 'event'>): string {
  return event === null || event.mutuallyExclusive === false ? id : event.id;
}

/**
 * Returns why no order of this market is taken at the moment, as a sentence; null if one is. Status, times and result are
 * the provider's: a market whose listing is not live, or whose fees nobody knows, takes no order either.
 */
export function closedBecause(market: PredictionMarket, now: EpochMs): string | null {
  const { status, closesAt, resolution, fee } = market;
  if (status !== 'open') return `the market is ${status} (${market.providerStatus}); orders need an open one`;
  if (resolution.result !== null) return `the market is decided: ${resolution.result}`;
  if (closesAt !== null && closesAt <= now) return `the market closed at ${isoTime(closesAt)}`;
  const resolvesAt = market.expectedResolutionAt ?? market.latestResolutionAt;
  if (resolvesAt !== null && resolvesAt <= now)
    return `the market was to be resolved at ${isoTime(resolvesAt)}; orders need one whose resolution is to come`;
  if (fee.model === 'unknown') return 'the provider did not say what taking costs on this market, and nothing unknown may be called free';
  return null;
}

/** True if the listing itself is a word on the present. */
export function isListedNow({ quality, receivedAt }: Pick<PredictionMarket, 'quality' | 'receivedAt'>, now: EpochMs): boolean {
  return quality === 'live' && now - receivedAt <= LISTING_MAX_AGE_MS;
}

/**
 * The nearest price of the grid that is not above (`down`) or not below (`up`) a price; null if the grid has none
 * between 0 and 1.
 */
export function gridPrice(grid: readonly PriceRange[], price: DecimalString, towards: 'down' | 'up'): DecimalString | null {
  const wanted = new Decimal(price);
  let best: Decimal | null = null;
  for (const { start, end, step } of grid) {
    if (!new Decimal(step).gt(0)) continue;
    const within = towards === 'down' ? Decimal.min(wanted, end) : Decimal.max(wanted, start);
    const steps = within.minus(start).div(step);
    let found = (towards === 'down' ? steps.floor() : steps.ceil()).times(step).plus(start);
    // Zero and one are no prices: the next ones inside are.
    if (found.lte(0) && towards === 'up') found = new Decimal(start).plus(step);
    if (found.gte(1) && towards === 'down') found = found.minus(step);
    const fits = found.gte(start) && found.lte(end) && found.gt(0) && found.lt(1);
    if (!fits || (towards === 'down' ? found.gt(wanted) : found.lt(wanted))) continue;
    if (best === null || (towards === 'down' ? found.gt(best) : found.lt(best))) best = found;
  }
  return best === null ? null : plainDecimal(best);
}

/** The book of one outcome: orders on the affirmative one stand in the other's at one minus their price. */
export function depthOfOutcome(
  book: PredictionBook & { readonly quality: Quality; readonly flags: readonly QualityFlag[] },
  outcome: OutcomeSide,
): Depth {
  const { source, observedAt, quality, flags } = book;
  const mirrored = (levels: readonly DepthLevel[]): DepthLevel[] => levels.map(({ price, size }) => ({ price: complement(price), size }));
  const [bids, asks] = outcome === 'yes' ? [book.bids, book.asks] : [mirrored(book.asks), mirrored(book.bids)];
  return { venue: 'prediction', source, observedAt, quality, flags, bids, asks };
}

/** Returns the fee of taking these parts. Each is a trade of its own and rounded up by itself. @throws Error for an unknown fee. */
export function takenFeeUsd(fee: PredictionFee, parts: readonly DepthLevel[]): DecimalString {
  const total = parts.reduce((sum, { price, size }) => {
    const part = takerFeeUsd(fee, price, size);
    if (part === null) throw new Error('the taker fee is unknown');
    return sum.plus(part);
  }, new Decimal(0));
  // Fees are booked in millionths: never in the trader's favour.
  return plainDecimal(total.toDecimalPlaces(6, Decimal.ROUND_UP));
}

/** Levels of a book that an order may be filled at. */
const MOST_PARTS = 100;

/**
 * The most that an order may pay in fees, in basis points of its notional: at the price within its limit if the fee
 * is highest, and with every part of it rounded up. The balance must be able to pay it.
 */
export function feeCeilingBps(fee: PredictionFee, order: Pick<Order, 'quantity' | 'limitPrice' | 'notionalUsd'>): number {
  if (fee.model === 'none' || fee.rate === null) return 0;
  // p x (1 - p) is highest at a half, and rises up to there.
  const price = new Decimal(order.limitPrice);
  const worst = price.lt('0.5') ? price : new Decimal('0.5');
  const exact = takerFeeUsd({ ...fee, roundingUsd: null }, plainDecimal(worst), order.quantity) as DecimalString;
  const rounding = new Decimal(fee.roundingUsd ?? 0).times(Math.min(MOST_PARTS, new Decimal(order.quantity).ceil().toNumber()));
  return new Decimal(exact).plus(rounding).times(10_000).div(order.notionalUsd).toDecimalPlaces(4, Decimal.ROUND_UP).toNumber();
}

/** Terms of an order besides the request. */
export interface PredictionOrderTerms {
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
 * The order that a wish comes to on the present price: in whole lots, its limit on the market's grid and within its
 * slippage budget on the touch. Refuses with `malformed` what is not the market's, and with `quote_not_live` if no
 * live price of the side is known.
 */
export function compilePredictionOrder(
  market: PredictionMarket,
  wish: PredictionWish,
  quote: Omit<OrderQuote, 'observedAt'> | null,
  terms: PredictionOrderTerms,
): Outcome<Order> {
  const { side, outcome } = wish;
  const instrument = outcomeKey(market.id, outcome);
  const { lot } = marketStepOf(instrument);
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
  // The rest of a position may always be sold.
  if (side === 'buy' && market.minimumSize !== null && new Decimal(quantity).lt(market.minimumSize))
    return refuse('malformed', `$.quantity: the market's least order is ${market.minimumSize} contracts, this one is of ${quantity}`);
  const { id, origin, mode, bookId } = terms;
  return { ok: true, value: orderOf({ id, origin, mode, bookId, instrument, side, quantity, limitPrice, maxSlippageBps }) };
}

/** The worst acceptable price on the grid: never beyond the budget, never beyond what was wished, never better than the touch itself by budget alone. */
function limitOnGrid(
  grid: readonly PriceRange[],
  instrument: InstrumentKey,
  side: OrderSide,
  touch: DecimalString,
  wished: DecimalString | null,
  maxSlippageBps: number,
): DecimalString {
  const buys = side === 'buy';
  const budgeted = gridPrice(grid, limitPriceOf(instrument, side, touch, maxSlippageBps), buys ? 'down' : 'up');
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
