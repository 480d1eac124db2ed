/** Mapping of Jupiter's answers to quotes and pool liquidity. Pure. See docs/reference/outside/aggregator.md. */
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { PoolLiquidity, Quote, RejectionReason } from '../../../domain/market/quote.ts';
import { NO_FLAGS } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { knownFields, type Members, noteUnknown } from '../known-fields.ts';
import { isCount } from '../wire-decimal.ts';
import { readScaledUi, type ScaledUi, uiAmount } from './multiplier.ts';

export const QUOTE_SOURCE = 'jupiter:quote';
export const PRICE_SOURCE = 'jupiter:price';

/** Fields of a route's step, and of the two kinds of reports keyed by pool, in which every name is accepted. */
const STEP: Members = [
  'swapInfo percent bps usdValue',
  { swapInfo: 'ammKey label inputMint outputMint inAmount outAmount feeAmount feeMint updateContextSlot' },
];
const REPORT: Members = ['info', { info: '*' }];
/** Fields of both route answers, `v1` and `v2` without a taker, used or not. */
export const QUOTE_FIELDS = knownFields(QUOTE_SOURCE, [
  'inputMint inAmount outputMint outAmount otherAmountThreshold swapMode slippageBps platformFee priceImpactPct routePlan ' +
    'contextSlot timeTaken swapUsdValue simplerRouteUsed mostReliableAmmsQuoteReport longtailMarketQuoteReport ' +
    'useIncurredSlippageForQuoting useRewards otherRoutePlans loadedLongtailToken instructionVersion transactionVersion mode inUsdValue ' +
    'outUsdValue priceImpact feeMint feeBps referralAccount signatureFeeLamports signatureFeePayer prioritizationFeeLamports ' +
    'prioritizationFeePayer rentFeeLamports rentFeePayer swapType router transaction lastValidBlockHeight gasless requestId totalTime ' +
    'taker quoteId maker expireAt errorCode errorMessage error',
  { routePlan: STEP, platformFee: 'amount feeBps feeMint', mostReliableAmmsQuoteReport: REPORT },
]);
const PRICE_FIELDS = knownFields(PRICE_SOURCE, [
  '*',
  {
    '*': [
      'createdAt liquidity usdPrice blockId decimals priceChange24h stockData scaledUiConfig',
      {
        stockData: 'id price mcap updatedAt',
        scaledUiConfig:
          'multiplier newMultiplier newMultiplierEffectiveAt newMultiplierEffectiveTimestamp circSupplyPrescaled totalSupplyPrescaled ' +
          'usdPricePrescaled',
      },
    ],
  },
]);

/** Token that is quoted against the stablecoin. */
export interface SpotToken {
  /** Symbol such as `AAPLx` or `SPACEX`: the `instrument` of its quotes. */
  readonly symbol: string;
  readonly mint: string;
  readonly decimals: number;
  /** Multiplier from the catalog, updated by the venue's price answers. */
  readonly scaledUi: ScaledUi;
  /** Time from which the mint is quoted. Default: always. */
  readonly validFrom?: EpochMs | null;
  readonly validTo?: EpochMs | null;
}

/** Answer to one route request, reduced to what prices need. */
export interface Leg {
  /** Raw amounts as integer text. */
  readonly inAmount: string;
  readonly outAmount: string;
  readonly contextSlot: number | null;
}

const RAW = /^[1-9]\d{0,19}$/;

/**
 * Maps the answer of `/swap/v1/quote`, or of `/swap/v2/order` without a taker, and checks that mints and raw amount equal the request's.
 * Returns a sentence if it is unusable. `note` receives unknown fields.
 */
export function readLeg(body: unknown, inputMint: string, outputMint: string, amount: string, note?: NoteUnknownField): Leg | string {
  if (typeof body !== 'object' || body === null) return 'the quote is not an object';
  const answer = body as Record<string, unknown>;
  noteUnknown(answer, QUOTE_FIELDS, note);
  const { inAmount, outAmount, contextSlot = null, swapMode } = answer;
  if (answer['inputMint'] !== inputMint || answer['outputMint'] !== outputMint) {
    return `the quote is for ${valueText(answer['inputMint'], 44)} to ${valueText(answer['outputMint'], 44)}, which was not asked for`;
  }
  if (inAmount !== amount) return `the quote takes ${valueText(inAmount, 30)} raw units, not the ${amount} that were asked for`;
  // Omitted means the default, which was requested.
  if (swapMode !== undefined && swapMode !== 'ExactIn') return `the quote is for ${valueText(swapMode, 20)}, asked for was ExactIn`;
  if (typeof outAmount !== 'string' || !RAW.test(outAmount))
    return `the quote's outAmount is ${JSON.stringify(outAmount)?.slice(0, 40)}, no raw amount above zero`;
  if (contextSlot !== null && !isCount(contextSlot)) return 'contextSlot is no whole number';
  return { inAmount, outAmount, contextSlot };
}

/** Significant digits of prices. Further ones are noise of integer division. */
const PRICE_DIGITS = 15;

/** Returns stablecoin per UI unit of token, rounded against the trader: down for a bid, up for an ask. */
function perUiUnit(stableRaw: string, stableDecimals: number, tokenUi: Decimal, rounding: 0 | 1): DecimalString {
  return plainDecimal(uiAmount(stableRaw, stableDecimals, '1').div(tokenUi).toSignificantDigits(PRICE_DIGITS, rounding));
}

/** Legs of one probe. `sell` is null if the token could be bought but not sold. */
interface Probe {
  readonly buy: Leg;
  readonly sell: Leg | null;
}

/**
 * Maps a small buy and the sell of what it bought to a quote per UI unit. The ask is the price of the buy, the bid that of the sell, and
 * both sizes are the probed amount. Route amounts are RAW, so they are divided by `multiplier`, the one in effect. `priceUsd` is the
 * venue's own price per UI unit (a last-swap heuristic). If it differs from the executable mid by more than `maxDisagreementPct`, one of
 * the prices or the multiplier is wrong, and the quote is `degraded` (flag `wide_confidence`).
 */
export function mapProbe(
  token: SpotToken,
  stableDecimals: number,
  probe: Probe,
  multiplier: DecimalString,
  priceUsd: number | null,
  maxDisagreementPct: number,
  receivedAt: EpochMs,
): Quote<'spotchain'> {
  const size = uiAmount(probe.buy.outAmount, token.decimals, multiplier);
  const ask = perUiUnit(probe.buy.inAmount, stableDecimals, size, Decimal.ROUND_UP as 0);
  const bid = probe.sell === null ? null : perUiUnit(probe.sell.outAmount, stableDecimals, size, Decimal.ROUND_DOWN as 1);
  const sizeText = plainDecimal(size.toSignificantDigits(PRICE_DIGITS, Decimal.ROUND_DOWN));
  const mid = (Number(ask) + Number(bid ?? ask)) / 2;
  const disagrees = priceUsd !== null && Math.abs(priceUsd / mid - 1) * 100 > maxDisagreementPct;
  const flags = bid === null ? (['one_sided'] as const) : disagrees ? (['wide_confidence'] as const) : NO_FLAGS;
  return {
    kind: 'quote',
    venue: 'spotchain',
    instrument: token.symbol,
    source: QUOTE_SOURCE,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    bid,
    ask,
    bidSize: bid === null ? null : sizeText,
    askSize: sizeText,
    sequence: (probe.sell ?? probe.buy).contextSlot,
    quality: bid === null || disagrees ? 'degraded' : 'live',
    flags,
  };
}

/** Returns the quote of a token that the venue does not trade (paused mint): both sides empty, `halted`. */
export function haltedQuote(token: SpotToken, receivedAt: EpochMs): Quote<'spotchain'> {
  return {
    kind: 'quote',
    venue: 'spotchain',
    instrument: token.symbol,
    source: QUOTE_SOURCE,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    bid: null,
    ask: null,
    bidSize: null,
    askSize: null,
    sequence: null,
    quality: 'halted',
    flags: NO_FLAGS,
  };
}

export interface PriceRow {
  readonly usdPrice: number;
  readonly liquidityUsd: DecimalString | null;
  readonly scaledUi: ScaledUi | null;
}

/** Result of a `/price/v3` answer: rows by mint, and the reasons for unusable ones. */
interface ReadPrices {
  readonly rows: ReadonlyMap<string, PriceRow>;
  readonly unread: readonly { readonly reason: RejectionReason; readonly detail: string }[];
}

/**
 * Maps `/price/v3`, each row separately. The answer omits unknown mints. `liquidity` and `scaledUiConfig` may be missing or null. A row
 * in which one of them is unreadable is refused, because a price with an unknown multiplier is worthless. Returns a sentence if the
 * answer is not an object.
 */
export function readPrices(body: unknown, note?: NoteUnknownField): ReadPrices | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the prices are not an object keyed by mint';
  noteUnknown(body, PRICE_FIELDS, note);
  const rows = new Map<string, PriceRow>();
  const unread: { reason: RejectionReason; detail: string }[] = [];
  for (const [mint, value] of Object.entries(body as Record<string, unknown>)) {
    const row = readPrice(value);
    if ('usdPrice' in row) rows.set(mint, row);
    else unread.push({ reason: row.reason, detail: `${mint.slice(0, 44)}: ${row.detail}` });
  }
  return { rows, unread };
}

function readPrice(value: unknown): PriceRow | { readonly reason: RejectionReason; readonly detail: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { reason: 'unknown_shape', detail: 'the row is not an object' };
  const { usdPrice, liquidity = null, scaledUiConfig = null } = value as Record<string, unknown>;
  if (usdPrice === undefined) return { reason: 'missing_field', detail: 'usdPrice is missing' };
  if (typeof usdPrice !== 'number' || !Number.isFinite(usdPrice)) return { reason: 'bad_number', detail: 'usdPrice is not a number' };
  if (usdPrice <= 0) return { reason: 'non_positive_price', detail: `usdPrice is ${usdPrice}` };
  if (liquidity !== null && !(typeof liquidity === 'number' && Number.isFinite(liquidity) && liquidity >= 0))
    return { reason: 'bad_number', detail: 'liquidity is not a number of at least 0' };
  const scaledUi = readScaledUi(scaledUiConfig);
  if (scaledUi === null && scaledUiConfig !== null) return { reason: 'unknown_shape', detail: 'scaledUiConfig cannot be read' };
  return { usdPrice, liquidityUsd: liquidity === null ? null : plainDecimal(liquidity), scaledUi };
}

export function poolLiquidity(symbol: string, liquidityUsd: DecimalString, receivedAt: EpochMs): PoolLiquidity {
  return {
    kind: 'pool_liquidity',
    venue: 'spotchain',
    instrument: symbol,
    source: PRICE_SOURCE,
    observedAt: receivedAt,
    receivedAt,
    liquidityUsd,
  };
}
