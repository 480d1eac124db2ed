/** A source-corroborated probability: every figure with its formula and inputs. Inputs that are not live do not count. */
import type { BookLevel } from '../market/order-book.ts';
import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Quality, QualityFlag } from '../market/quote.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../values/time.ts';
import {
  affirmativePrice,
  complement,
  type PredictionBook,
  type PredictionMarket,
  type PredictionProvider,
  type PredictionTrade,
  takerFeeUsd,
} from './market.ts';

/** Levels per side included in the depth. */
const DEPTH_LEVELS = 5;
/** Maximum age of trades that count, in milliseconds. */
export const TRADES_WINDOW_MS = HOUR_MS;
/** Maximum number of newest trades that count. */
const MAX_TRADES = 50;

/** Evidence of one market, or why there is none. */
export interface Evidence {
  readonly market: PredictionMarket;
  readonly book: (PredictionBook & { readonly quality: Quality; readonly flags: readonly QualityFlag[] }) | null;
  /** Reason why there is no book. Empty if there is one. */
  readonly bookProblem: string;
  readonly trades: readonly PredictionTrade[];
  readonly tradesProblem: string;
}

/** A figure from a provider. */
interface ResearchInput {
  readonly id: string;
  readonly provider: PredictionProvider;
  readonly marketId: string;
  readonly kind: 'bid' | 'ask' | 'trade' | 'fee_rate';
  /** Price of the affirmative outcome, or a fee rate. */
  readonly value: DecimalString;
  /** Contracts, or null if the kind has none. */
  readonly size: DecimalString | null;
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly quality: Quality;
  readonly counts: boolean;
  /** Reason why it does not count. Empty if it does. */
  readonly why: string;
}

/** A computed figure. `inputs` are ids of inputs and of other computed figures. */
interface DerivedNumber {
  readonly id: string;
  readonly value: DecimalString | null;
  readonly formula: string;
  readonly inputs: readonly string[];
  /** Reason why there is no value. Empty if there is one. */
  readonly why: string;
}

export const CORROBORATIONS = ['corroborated', 'disputed', 'single_source', 'insufficient'] as const;
type Corroboration = (typeof CORROBORATIONS)[number];

export const DISAGREEMENTS = ['inside_spreads', 'inside_fees', 'actionable', 'fees_unknown', 'not_comparable'] as const;
type DisagreementVerdict = (typeof DISAGREEMENTS)[number];

export interface ProbabilityResearch {
  readonly inputs: readonly ResearchInput[];
  readonly derived: readonly DerivedNumber[];
  readonly corroboration: Corroboration;
  /** Null unless at least one venue counts and the venues do not contradict each other. */
  readonly probability: DerivedNumber;
  /** Widest range that the counted books allow. */
  readonly low: DerivedNumber;
  readonly high: DerivedNumber;
  readonly disagreement: {
    readonly verdict: DisagreementVerdict;
    readonly difference: DerivedNumber;
    readonly edgePerContract: DerivedNumber;
    /** Purchases that would realize the edge. */
    readonly legs: readonly { readonly provider: PredictionProvider; readonly side: 'yes' | 'no'; readonly price: DecimalString }[];
    readonly sizeContracts: DecimalString | null;
  };
  /** Warnings: what is missing, stale or contradictory. */
  readonly notes: readonly string[];
}

/** Weight of one venue's evidence. */
interface VenueView {
  readonly provider: PredictionProvider;
  readonly market: PredictionMarket;
  readonly bids: readonly ResearchInput[];
  readonly asks: readonly ResearchInput[];
  readonly mid: DerivedNumber;
  readonly depth: DerivedNumber;
  readonly halfSpread: DerivedNumber;
}

class Ledger {
  readonly inputs: ResearchInput[] = [];
  readonly derived: DerivedNumber[] = [];
  readonly notes: string[] = [];

  derive(id: string, formula: string, inputs: readonly string[], value: Decimal | null, why = ''): DerivedNumber {
    const number: DerivedNumber = {
      id,
      value: value === null ? null : plainDecimal(value.toDecimalPlaces(8)),
      formula,
      inputs,
      why: value === null ? why : '',
    };
    this.derived.push(number);
    return number;
  }
}

const listIds = (inputs: readonly { readonly id: string }[]): string[] => inputs.map(({ id }) => id);
const sizeSum = (inputs: readonly ResearchInput[]): Decimal => inputs.reduce((sum, { size }) => sum.plus(size ?? 0), new Decimal(0));
const quoteWords = (quality: Quality, flags: readonly QualityFlag[]): string =>
  `${quality}${flags.length === 0 ? '' : ` (${flags.join(', ')})`}`;

/** Returns why a market's prices cannot count at any level. Empty if they can. */
function marketProblem(market: PredictionMarket): string {
  return market.status === 'open' ? '' : `the market is ${market.status}`;
}

function levelInputs(
  ledger: Ledger,
  prefix: string,
  kind: 'bid' | 'ask',
  levels: readonly BookLevel[],
  { market, book }: Evidence,
): ResearchInput[] {
  if (book === null) return [];
  const closed = marketProblem(market);
  const why = closed !== '' ? closed : book.quality === 'live' ? '' : `the book is ${quoteWords(book.quality, book.flags)}`;
  const made = levels.slice(0, DEPTH_LEVELS).map(
    ({ price, size }, index): ResearchInput => ({
      id: `${prefix}.${kind}.${index + 1}`,
      provider: market.provider,
      marketId: market.id,
      kind,
      value: price,
      size,
      source: book.source,
      observedAt: book.observedAt,
      receivedAt: book.receivedAt,
      quality: book.quality,
      counts: why === '',
      why,
    }),
  );
  ledger.inputs.push(...made);
  return made;
}

/** Computes a venue's book figures: mid, depth-weighted mid, half spread and the depth on both sides. */
function computeView(ledger: Ledger, prefix: string, evidence: Evidence): VenueView {
  const { market, book } = evidence;
  const bids = levelInputs(ledger, prefix, 'bid', book?.bids ?? [], evidence);
  const asks = levelInputs(ledger, prefix, 'ask', book?.asks ?? [], evidence);
  const [bid, ask] = [bids[0], asks[0]];
  const usable = bid !== undefined && ask !== undefined && bid.counts && ask.counts;
  const why =
    book === null ? evidence.bookProblem : bid === undefined || ask === undefined ? 'the book is not two-sided, so it has no mid' : bid.why;
  if (!usable) ledger.notes.push(`${market.provider} is not counted: ${why}`);
  const top = [bid, ask].flatMap((level) => (level === undefined ? [] : [level.id]));
  const depthOf = [...listIds(bids), ...listIds(asks)];
  const both = (compute: (low: Decimal, high: Decimal) => Decimal): Decimal | null =>
    usable ? compute(new Decimal(bid.value), new Decimal(ask.value)) : null;
  ledger.derive(
    `${prefix}.mid`,
    '(best bid + best ask) / 2',
    top,
    both((low, high) => low.plus(high).div(2)),
    why,
  );
  const halfSpread = ledger.derive(
    `${prefix}.halfSpread`,
    '(best ask - best bid) / 2',
    top,
    both((low, high) => high.minus(low).div(2)),
    why,
  );
  const mid = ledger.derive(
    `${prefix}.depthMid`,
    `(best bid x ask depth + best ask x bid depth) / (bid depth + ask depth), depth = sizes of the best ${DEPTH_LEVELS} levels`,
    depthOf,
    both((low, high) => {
      const [bidDepth, askDepth] = [sizeSum(bids), sizeSum(asks)];
      return low.times(askDepth).plus(high.times(bidDepth)).div(bidDepth.plus(askDepth));
    }),
    why,
  );
  const depth = ledger.derive(
    `${prefix}.depth`,
    'smaller of bid depth and ask depth, in contracts',
    depthOf,
    usable ? Decimal.min(sizeSum(bids), sizeSum(asks)) : null,
    why,
  );
  return { provider: market.provider, market, bids, asks, mid, depth, halfSpread };
}

/** Computes the volume-weighted price of the newest trades, and checks that it is within the book. */
function checkTrades(ledger: Ledger, prefix: string, view: VenueView, evidence: Evidence, now: EpochMs): void {
  const { market } = evidence;
  const newest = [...evidence.trades].sort((a, b) => b.observedAt - a.observedAt || (a.id < b.id ? -1 : 1)).slice(0, MAX_TRADES);
  const inputs = newest.map((trade, index): ResearchInput => {
    const old = now - trade.observedAt > TRADES_WINDOW_MS;
    return {
      id: `${prefix}.trade.${index + 1}`,
      provider: market.provider,
      marketId: market.id,
      kind: 'trade',
      value: affirmativePrice(trade),
      size: trade.size,
      source: trade.source,
      observedAt: trade.observedAt,
      receivedAt: trade.receivedAt,
      quality: old ? 'stale' : 'live',
      counts: !old,
      why: old ? `the trade is older than ${TRADES_WINDOW_MS / MINUTE_MS} minutes` : '',
    };
  });
  ledger.inputs.push(...inputs);
  const counting = inputs.filter(({ counts }) => counts);
  const total = sizeSum(counting);
  const vwap = ledger.derive(
    `${prefix}.vwap`,
    'sum of price x size / sum of sizes, over the trades of the last hour in prices of the affirmative outcome',
    listIds(counting),
    total.gt(0)
      ? counting.reduce((sum, { value, size }) => sum.plus(new Decimal(value).times(size ?? 0)), new Decimal(0)).div(total)
      : null,
    evidence.tradesProblem === '' ? 'no trade in the last hour' : evidence.tradesProblem,
  );
  const [bid, ask] = [view.bids[0], view.asks[0]];
  if (vwap.value === null || view.mid.value === null || bid === undefined || ask === undefined) return;
  const outside = new Decimal(vwap.value).lt(bid.value) || new Decimal(vwap.value).gt(ask.value);
  ledger.derive(
    `${prefix}.tradesAgainstMid`,
    'volume-weighted trade price - depth-weighted mid',
    [vwap.id, view.mid.id],
    new Decimal(vwap.value).minus(view.mid.value),
  );
  if (outside)
    ledger.notes.push(`${market.provider}: recent trades average ${vwap.value}, outside its book of ${bid.value} to ${ask.value}`);
}

function feeInput(ledger: Ledger, prefix: string, market: PredictionMarket): string[] {
  const { fee } = market;
  if (fee.model === 'unknown' || (fee.model === 'quadratic' && fee.rate === null)) return [];
  const id = `${prefix}.fee`;
  if (!ledger.inputs.some((input) => input.id === id)) {
    ledger.inputs.push({
      id,
      provider: market.provider,
      marketId: market.id,
      kind: 'fee_rate',
      value: fee.model === 'none' ? '0' : (fee.rate as string),
      size: null,
      source: market.source,
      observedAt: market.observedAt,
      receivedAt: market.receivedAt,
      quality: 'live',
      counts: true,
      why: '',
    });
  }
  return [id];
}

/** Computes the edge of buying yes on one venue and no on the other, which pays one dollar for certain if both resolve alike. */
function computeEdge(ledger: Ledger, cheap: VenueView, dear: VenueView, prefixes: readonly [string, string]) {
  const ask = cheap.asks[0] as ResearchInput;
  const bid = dear.bids[0] as ResearchInput;
  const size = compareDecimals(ask.size ?? '0', bid.size ?? '0') < 0 ? (ask.size ?? '0') : (bid.size ?? '0');
  const noPrice = complement(bid.value);
  const fees = [takerFeeUsd(cheap.market.fee, ask.value, size), takerFeeUsd(dear.market.fee, noPrice, size)];
  const known = fees.every((fee): fee is string => fee !== null) && new Decimal(size).gt(0);
  const inputs = [ask.id, bid.id, ...feeInput(ledger, prefixes[0], cheap.market), ...feeInput(ledger, prefixes[1], dear.market)];
  const cost = new Decimal(ask.value).plus(noPrice);
  const edge = known ? new Decimal(1).minus(cost).minus(fees.reduce((sum, fee) => sum.plus(fee), new Decimal(0)).div(size)) : null;
  return {
    edge,
    inputs,
    size,
    gross: new Decimal(1).minus(cost),
    legs: [
      { provider: cheap.provider, side: 'yes' as const, price: ask.value },
      { provider: dear.provider, side: 'no' as const, price: noPrice },
    ],
  };
}

const EDGE = '1 - yes ask of one venue - (1 - yes bid of the other) - taker fees of both / size, at the size available at both best prices';

function computeDisagreement(ledger: Ledger, one: VenueView, other: VenueView): ProbabilityResearch['disagreement'] {
  const ids = [one.mid.id, other.mid.id];
  const difference = ledger.derive(
    'difference',
    `depth-weighted mid of ${one.provider} - depth-weighted mid of ${other.provider}`,
    ids,
    new Decimal(one.mid.value as string).minus(other.mid.value as string),
  );
  const ways = [
    computeEdge(ledger, one, other, [one.provider, other.provider]),
    computeEdge(ledger, other, one, [other.provider, one.provider]),
  ];
  const best = (ways[0] as (typeof ways)[0]).gross.gte((ways[1] as (typeof ways)[0]).gross)
    ? (ways[0] as (typeof ways)[0])
    : (ways[1] as (typeof ways)[0]);
  const edgePerContract = ledger.derive('edgePerContract', EDGE, best.inputs, best.edge, 'the fees of a venue are unknown');
  const verdict: DisagreementVerdict = best.gross.lte(0)
    ? 'inside_spreads'
    : best.edge === null
      ? 'fees_unknown'
      : best.edge.gt(0)
        ? 'actionable'
        : 'inside_fees';
  return { verdict, difference, edgePerContract, legs: best.legs, sizeContracts: plainDecimal(best.size) };
}

/** Researches a market together with the same question on the second venue, or alone. */
export function researchProbability(subject: Evidence, same: Evidence | null, now: EpochMs): ProbabilityResearch {
  const ledger = new Ledger();
  const views = [subject, ...(same === null ? [] : [same])].map((evidence) => {
    const prefix = evidence.market.provider;
    const view = computeView(ledger, prefix, evidence);
    checkTrades(ledger, prefix, view, evidence, now);
    return view;
  });
  const counting = views.filter(({ mid }) => mid.value !== null);
  const [one, other] = counting;
  const none = (id: string, why: string) => ledger.derive(id, 'none', [], null, why);
  const bounds = (side: 'bids' | 'asks', id: string, formula: string): DerivedNumber => {
    const tops = counting.flatMap((view) => view[side][0] ?? []);
    const values = tops.map(({ value }) => new Decimal(value));
    return ledger.derive(
      id,
      formula,
      listIds(tops),
      values.length === 0 ? null : side === 'bids' ? Decimal.min(...values) : Decimal.max(...values),
      'no book is counted',
    );
  };
  const low = bounds('bids', 'low', 'lowest best bid of the counted books');
  const high = bounds('asks', 'high', 'highest best ask of the counted books');
  if (one === undefined) {
    const why = 'no venue has a live two-sided book for this question';
    return research(ledger, 'insufficient', none('probability', why), low, high, notComparable(none, why));
  }
  if (other === undefined) {
    const probability = ledger.derive(
      'probability',
      'depth-weighted mid of the only counted venue',
      [one.mid.id],
      new Decimal(one.mid.value as string),
    );
    return research(ledger, 'single_source', probability, low, high, notComparable(none, 'only one venue is counted'));
  }
  const disagreement = computeDisagreement(ledger, one, other);
  // Books that contradict each other after the venues' fees cannot both be right.
  const apart = disagreement.verdict === 'actionable' || disagreement.verdict === 'fees_unknown';
  const formula = 'sum of depth-weighted mid x depth / sum of depths, over the venues';
  const inputs = counting.flatMap(({ mid, depth }) => [mid.id, depth.id]);
  const depths = counting.reduce((sum, { depth }) => sum.plus(depth.value as string), new Decimal(0));
  const weighted = counting.reduce(
    (sum, { mid, depth }) => sum.plus(new Decimal(mid.value as string).times(depth.value as string)),
    new Decimal(0),
  );
  const probability = ledger.derive(
    'probability',
    formula,
    inputs,
    apart || !depths.gt(0) ? null : weighted.div(depths),
    apart ? 'the prices of the venues differ by more than their spreads and fees' : 'no depth on both sides',
  );
  return research(ledger, apart ? 'disputed' : 'corroborated', probability, low, high, disagreement);
}

function notComparable(none: (id: string, why: string) => DerivedNumber, why: string): ProbabilityResearch['disagreement'] {
  return {
    verdict: 'not_comparable',
    difference: none('difference', why),
    edgePerContract: none('edgePerContract', why),
    legs: [],
    sizeContracts: null,
  };
}

function research(
  ledger: Ledger,
  corroboration: Corroboration,
  probability: DerivedNumber,
  low: DerivedNumber,
  high: DerivedNumber,
  disagreement: ProbabilityResearch['disagreement'],
): ProbabilityResearch {
  return { inputs: ledger.inputs, derived: ledger.derived, corroboration, probability, low, high, disagreement, notes: ledger.notes };
}
