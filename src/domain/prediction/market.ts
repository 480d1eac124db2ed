/** A prediction market in one shape for all providers. */
import type { BookLevel } from '../market/order-book.ts';
import { sha256Hex } from '../values/canonical-json.ts';
import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Quality, QualityFlag } from '../market/quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { PredictionQuestion } from './question.ts';

/** Both event-feed providers. */
export const PREDICTION_PROVIDERS = ['polymarket', 'kalshi'] as const;
export type PredictionProvider = (typeof PREDICTION_PROVIDERS)[number];

/**
 * States of a market, for both providers. `determined`: an outcome was proposed and may still be disputed. `unknown`: a provider's state
 * that this version does not know. Nothing is concluded from it.
 */
export const PREDICTION_STATUSES = [
  'unopened',
  'open',
  'paused',
  'closed',
  'determined',
  'disputed',
  'resolved',
  'voided',
  'unknown',
] as const;
export type PredictionStatus = (typeof PREDICTION_STATUSES)[number];

/** The affirmative outcome and its opposite. A provider's own labels (`Up`, `Down`) are in `label`. */
export const OUTCOME_SIDES = ['yes', 'no'] as const;
export type OutcomeSide = (typeof OUTCOME_SIDES)[number];

/** Prices from `start` to `end` are multiples of `step` above `start`. A tapered grid has several ranges. */
export interface PriceRange {
  readonly start: DecimalString;
  readonly end: DecimalString;
  readonly step: DecimalString;
}

/** One of exactly two outcomes. Prices are US dollars per contract that pays one dollar, hence probabilities. */
export interface PredictionOutcome {
  readonly side: OutcomeSide;
  readonly label: string;
  /** Instrument of its quotes on the venue `prediction`. */
  readonly instrument: string;
  /** Id at the provider: a token id, or `<ticker>:yes`. */
  readonly providerId: string;
  readonly bid: DecimalString | null;
  readonly ask: DecimalString | null;
  /** Contracts. */
  readonly bidSize: DecimalString | null;
  readonly askSize: DecimalString | null;
  readonly last: DecimalString | null;
  /** Payout of one contract once the market is resolved, or null before. */
  readonly payout: DecimalString | null;
}

/** Event that groups markets. `mutuallyExclusive`: at most one of its markets resolves yes. Null if the provider did not say. */
export interface PredictionEventLink {
  readonly id: string;
  readonly providerId: string;
  readonly title: string;
  readonly mutuallyExclusive: boolean | null;
}

/** Source that decides, as the rules or the provider name it. */
export interface ResolutionSource {
  readonly name: string;
  readonly url: string | null;
}

interface PredictionResolution {
  /** Rules as the provider wrote them. */
  readonly rules: string;
  readonly secondaryRules: string;
  readonly sources: readonly ResolutionSource[];
  /** Procedure of the resolution and its dispute. */
  readonly procedure: 'optimistic_oracle' | 'exchange_determination';
  /** States of the proposal's history, oldest first (`proposed`, `disputed`, …). */
  readonly history: readonly string[];
  readonly result: OutcomeSide | null;
  /** Deciding value, as the provider wrote it. */
  readonly decidedBy: string | null;
  readonly mayCloseEarly: boolean | null;
  readonly earlyCloseCondition: string | null;
}

/**
 * Taker fee: contracts x `rate` x (price x (1 - price)) ^ `exponent`, rounded up to `roundingUsd`. `rate` is null if the provider's model
 * is not published, and then nothing counts as free.
 */
export interface PredictionFee {
  readonly model: 'quadratic' | 'none' | 'unknown';
  readonly rate: DecimalString | null;
  readonly exponent: number;
  readonly roundingUsd: DecimalString | null;
}

/** A prediction market of one provider. Times are the provider's, or null if it gives none. */
export interface PredictionMarket {
  /** Our id, derived from provider and provider id, so that it is the same in every process and after every restart. */
  readonly id: string;
  readonly provider: PredictionProvider;
  /** Id from which `id` is derived: the condition id, or the market's ticker. */
  readonly providerId: string;
  /** Other ids at the provider, by the provider's names. */
  readonly providerIds: { readonly [name: string]: string };
  readonly event: PredictionEventLink | null;
  readonly question: string;
  /** Text that distinguishes this market from the others of its event, or an empty text. */
  readonly subtitle: string;
  readonly outcomes: readonly [PredictionOutcome, PredictionOutcome];
  readonly priceGrid: readonly PriceRange[];
  /** Minimum order in contracts. */
  readonly minimumSize: DecimalString | null;
  readonly status: PredictionStatus;
  /** The provider's own state. */
  readonly providerStatus: string;
  readonly volume: DecimalString | null;
  readonly volume24h: DecimalString | null;
  readonly liquidity: DecimalString | null;
  readonly openInterest: DecimalString | null;
  /** Unit of volumes and open interest. Liquidity is US dollars. */
  readonly volumeUnit: 'usd' | 'contracts';
  readonly opensAt: EpochMs | null;
  readonly closesAt: EpochMs | null;
  readonly expectedResolutionAt: EpochMs | null;
  readonly latestResolutionAt: EpochMs | null;
  readonly resolvedAt: EpochMs | null;
  readonly resolution: PredictionResolution;
  readonly fee: PredictionFee;
  /** Catalog symbol of the underlying, such as `BTC` or `AAPL`. Null unless it is certain. */
  readonly underlying: string | null;
  /** The question as comparable conditions, or null unless it is certain. */
  readonly asks: PredictionQuestion | null;
  readonly venue: 'prediction';
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** Book of a market's affirmative outcome. Orders on the other outcome appear at one minus their price. */
export interface PredictionBook {
  readonly marketId: string;
  readonly provider: PredictionProvider;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  /** Best first. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** A trade. `price` is that of the outcome `side`. */
export interface PredictionTrade {
  readonly id: string;
  readonly marketId: string;
  readonly provider: PredictionProvider;
  readonly side: OutcomeSide;
  readonly price: DecimalString;
  readonly size: DecimalString;
  /** The taker's side of that outcome, or null if the provider did not say. */
  readonly taker: 'buy' | 'sell' | null;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
}

/** News of a provider besides quotes. */
export type PredictionNews =
  | { readonly kind: 'markets'; readonly markets: readonly PredictionMarket[] }
  | { readonly kind: 'trades'; readonly trades: readonly PredictionTrade[] };

/** Hexadecimal digits of an id: 96 bits of SHA-256, enough to avoid collisions. */
const ID_DIGITS = 24;

/** Returns our id of a market: `pm-` and 24 hexadecimal digits of SHA-256 over `<provider>:<provider id>`. */
export function predictionMarketId(provider: PredictionProvider, providerId: string): string {
  return `pm-${sha256Hex(`${provider}:${providerId}`).slice(0, ID_DIGITS)}`;
}

/** Returns our id of an event: `pe-` and 24 hexadecimal digits. */
export function predictionEventId(provider: PredictionProvider, providerId: string): string {
  return `pe-${sha256Hex(`${provider}:event:${providerId}`).slice(0, ID_DIGITS)}`;
}

/** Returns the instrument of an outcome's quotes: `pm-….yes`. */
export function outcomeInstrument(marketId: string, side: OutcomeSide): string {
  return `${marketId}.${side}`;
}

/** Maximum digits that a double represents exactly here. */
const EXACT_DIGITS = 15;
const POWERS: readonly number[] = Array.from({ length: EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);

/** Returns one minus a price, exact: the price of the other outcome. */
export function complement(price: DecimalString): DecimalString {
  return complementOfFraction(price) ?? plainDecimal(new Decimal(1).minus(price));
}

/** Returns the same for the shortest form of `0.…`, which is common in books, or null for anything else. */
function complementOfFraction(price: DecimalString): DecimalString | null {
  const digits = price.length - 2;
  if (digits < 1 || digits >= EXACT_DIGITS || price.charCodeAt(0) !== 48 || price.charCodeAt(1) !== 46) return null;
  let fraction = 0;
  let code = 48;
  for (let at = 2; at < price.length; at++) {
    code = price.charCodeAt(at);
    if (code < 48 || code > 57) return null;
    fraction = fraction * 10 + (code - 48);
  }
  if (code === 48) return null;
  // Twice the power keeps leading zeros: 1 - 0.97 is 200 - 97 = 103, hence 0.03.
  return `0.${String(2 * (POWERS[digits] as number) - fraction).slice(1)}`;
}

/** Returns a grid with one step from 0 to 1. */
export function evenGrid(step: DecimalString): readonly PriceRange[] {
  return [{ start: '0', end: '1', step }];
}

/** Returns the step at a price, or null outside the grid. At a border the lower range applies. */
export function tickAt(grid: readonly PriceRange[], price: DecimalString): DecimalString | null {
  for (const range of grid) {
    if (compareDecimals(price, range.start) >= 0 && compareDecimals(price, range.end) <= 0) return range.step;
  }
  return null;
}

/** True if an order may have the price: strictly between 0 and 1 and on the grid. */
export function isOnGrid(grid: readonly PriceRange[], price: DecimalString): boolean {
  const value = new Decimal(price);
  if (!value.gt(0) || !value.lt(1)) return false;
  return grid.some(
    ({ start, end, step }) => value.gte(start) && value.lte(end) && new Decimal(step).gt(0) && value.minus(start).mod(step).isZero(),
  );
}

/**
 * Returns the fee of taking `size` contracts at `price` in US dollars, or null if the model is unknown. Rounded up like the provider's, so
 * that it is never understated.
 */
export function takerFeeUsd(fee: PredictionFee, price: DecimalString, size: DecimalString): DecimalString | null {
  if (fee.model === 'none') return '0';
  if (fee.model === 'unknown' || fee.rate === null) return null;
  const spread = new Decimal(price).times(new Decimal(1).minus(price)).pow(fee.exponent);
  const exact = new Decimal(size).times(fee.rate).times(spread);
  if (fee.roundingUsd === null) return plainDecimal(exact);
  return plainDecimal(exact.div(fee.roundingUsd).ceil().times(fee.roundingUsd));
}

/** Returns the trade's price as one of the affirmative outcome. */
export function affirmativePrice(trade: Pick<PredictionTrade, 'side' | 'price'>): DecimalString {
  return trade.side === 'yes' ? trade.price : complement(trade.price);
}
