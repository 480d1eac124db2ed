/** Markets of Polymarket: the sandbox's questions with this venue's ids, books, oracle and trades. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../streams/clock/clock.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import { bendPrices, type FaultSwitch } from '../faults.ts';
import type { SeededBook, SeededQuestion, SeededQuestions, SeededTrade } from './seeded-questions.ts';
import { polymarketWords } from './wording.ts';

/** Time for which a new market is listed before its tokens exist. */
export const HYDRATION_MS = MINUTE_MS;
/**
 * Times after a market's end, in milliseconds: orders stop, an outcome is proposed, some are disputed and proposed again, then it is
 * final.
 */
const PROPOSED_MS = 20_000;
const DISPUTED_MS = 50_000;
const REPROPOSED_MS = 80_000;
export const FINAL_MS = 120_000;
/** Maximum number of questions remembered by outcome token. */
const MOST_LISTINGS = 2_000;

/** Listed question with the ids that this venue gives it. */
export interface Listing {
  readonly question: SeededQuestion;
  readonly conditionId: string;
  readonly tokens: readonly [string, string];
  readonly number: number;
}

export interface PolymarketVenue {
  readonly questions: SeededQuestions;
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  readonly listings: Listings;
}

/** Returns the venue's time, which a fault may shift. */
export function venueNow({ clock, faults }: Pick<PolymarketVenue, 'clock' | 'faults'>): EpochMs {
  return clock.now() + faults.settings.clockOffsetMs;
}

export const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
export const price = (thousandths: number): string => (thousandths / 1_000).toFixed(3).replace(/0$/, '');
const iso = (at: EpochMs): string => new Date(at).toISOString();
const spaced = (at: EpochMs): string => `${iso(at).slice(0, 19).replace('T', ' ')}+00`;

/** Returns the condition id and the catalog id of a question's market. */
export function polymarketIds({ key }: SeededQuestion): { readonly conditionId: string; readonly number: number } {
  const conditionId = `0x${sha(`condition/${key}`)}`;
  return { conditionId, number: Number.parseInt(conditionId.slice(2, 9), 16) };
}

type Listings = ReturnType<typeof createListings>;

export function createListings(questions: SeededQuestions) {
  const listings = new Map<string, Listing>();
  const byToken = new Map<string, Listing>();
  function findListing(question: SeededQuestion): Listing {
    const known = listings.get(question.key);
    if (known !== undefined) return known;
    const token = (label: string): string => BigInt(`0x${sha(`${question.key}/${label}`)}`).toString();
    const listing: Listing = { question, ...polymarketIds(question), tokens: [token('yes'), token('no')] };
    listings.set(question.key, listing);
    for (const one of listing.tokens) byToken.set(one, listing);
    if (listings.size > MOST_LISTINGS) {
      const oldest = listings.values().next().value as Listing;
      listings.delete(oldest.question.key);
      for (const one of oldest.tokens) byToken.delete(one);
    }
    return listing;
  }
  const at = (now: EpochMs): Listing[] => questions.listed('polymarket', now).map(findListing);
  return {
    at,
    byToken(token: string, now: EpochMs): Listing | undefined {
      if (!byToken.has(token)) at(now);
      return byToken.get(token);
    },
  };
}

/** Returns the oracle's state and its earlier states. */
export function readOracle(
  { questions }: PolymarketVenue,
  { question }: Listing,
  now: EpochMs,
): { word: string | null; history: string[]; final: boolean } {
  const past = now - question.resolvesAt;
  if (past < PROPOSED_MS) return { word: null, history: [], final: false };
  const contested = questions.fate(question, 'dispute') < 0.15;
  if (past >= FINAL_MS) {
    return {
      word: 'resolved',
      history: contested ? ['proposed', 'disputed', 'proposed', 'resolved'] : ['proposed', 'resolved'],
      final: true,
    };
  }
  if (!contested || past < DISPUTED_MS) return { word: 'proposed', history: ['proposed'], final: false };
  if (past < REPROPOSED_MS) return { word: 'disputed', history: ['proposed', 'disputed'], final: false };
  return { word: 'proposed', history: ['proposed', 'disputed', 'proposed'], final: false };
}

/** Returns the price step of a market, in thousandths. */
export function findPriceStep({ questions }: PolymarketVenue, { question }: Listing, now: EpochMs): number {
  return questions.step(question, 'polymarket', 500, now);
}

/** True if a market has an order book. */
export function hasBook(listing: Listing | undefined, now: EpochMs): listing is Listing {
  return listing !== undefined && now - listing.question.createdAt >= HYDRATION_MS && now < listing.question.resolvesAt + PROPOSED_MS;
}

/** Formats a market like the catalog. Inside of an event it does not repeat the event. */
export function marketBody(venue: PolymarketVenue, listing: Listing, now: EpochMs, insideEvent: boolean): object {
  const { question, conditionId, tokens } = listing;
  return {
    id: String(listing.number),
    conditionId,
    slug: question.key.toLowerCase(),
    ...formatWords(question),
    ...formatDates(venue, listing, now),
    ...formatPrices(venue, listing, now),
    ...oracleFields(venue, listing, now),
    archived: false,
    restricted: true,
    enableOrderBook: true,
    orderPriceMinTickSize: findPriceStep(venue, listing, now) / 1_000,
    orderMinSize: 5,
    clobTokenIds: now - question.createdAt < HYDRATION_MS ? '["", ""]' : JSON.stringify(tokens),
    acceptingOrders: now < question.resolvesAt,
    negRisk: question.exclusive,
    negRiskOther: false,
    feesEnabled: !question.share,
    feeType: question.share ? null : 'crypto_fees_v2',
    ...(question.share ? {} : { feeSchedule: { rate: 0.072, exponent: 1, takerOnly: true, rebateRate: 0.2 } }),
    ...(insideEvent ? {} : { events: [{ id: deriveEventId(question), title: eventTitle(question), negRisk: question.exclusive }] }),
  };
}

function formatWords(question: SeededQuestion) {
  const { title, rules, source } = polymarketWords(question);
  return {
    question: title,
    questionID: `0x${sha(`question/${question.key}`)}`,
    resolutionSource: source,
    description: rules,
    outcomes: '["Yes", "No"]',
    groupItemTitle: question.upper === null ? `$${question.threshold}` : `$${question.threshold}-${question.upper}`,
  };
}

function formatDates(venue: PolymarketVenue, listing: Listing, now: EpochMs) {
  const { createdAt, resolvesAt } = listing.question;
  const over = readOracle(venue, listing, now).final;
  return {
    endDate: iso(resolvesAt),
    startDate: iso(createdAt),
    createdAt: iso(createdAt),
    updatedAt: iso(now - (now % 1_000)),
    ...(over ? { closedTime: spaced(resolvesAt + FINAL_MS), umaEndDate: iso(resolvesAt + FINAL_MS) } : {}),
  };
}

function formatPrices(venue: PolymarketVenue, listing: Listing, now: EpochMs) {
  const { questions } = venue;
  const { question } = listing;
  const until = Math.min(now, question.resolvesAt);
  const { bids, asks } = questions.book(question, 'polymarket', Math.min(now, question.resolvesAt - 1));
  const [bid, ask] = [(bids[0]?.price ?? 0) / 1_000, (asks[0]?.price ?? 1_000) / 1_000];
  const volume = ((Math.max(0, until - question.createdAt) / 1_000) * (1 + 9 * questions.fate(question, 'volume'))).toFixed(6);
  const [last] = questions.trades(question, 'polymarket', until - 300_000, now).slice(-1);
  return {
    liquidity: [...bids, ...asks].reduce((sum, level) => sum + (level.size * level.price) / 1_000, 0).toFixed(4),
    outcomePrices: JSON.stringify(outcomePrices(venue, listing, (bid + ask) / 2, now)),
    volume,
    volumeNum: Number(volume),
    volume24hr: Math.round(Number(volume) / 2),
    spread: Number((ask - bid).toFixed(3)),
    ...(last === undefined ? {} : { lastTradePrice: last.price / 1_000 }),
    bestBid: bid,
    bestAsk: ask,
  };
}

/** Returns the prices of yes and no: between the best bid and ask while the market is open, 0 or 1 after its resolution. */
function outcomePrices(venue: PolymarketVenue, listing: Listing, middle: number, now: EpochMs): readonly [string, string] {
  const { questions } = venue;
  if (!readOracle(venue, listing, now).final) return [middle.toFixed(4), (1 - middle).toFixed(4)];
  // Some old markets have no prices in the catalog: only the order book service knows the winner.
  if (questions.fate(listing.question, 'legacy') < 0.1) return ['0', '0'];
  return questions.outcome(listing.question) ? ['1', '0'] : ['0', '1'];
}

function oracleFields(venue: PolymarketVenue, listing: Listing, now: EpochMs) {
  const { word, history, final } = readOracle(venue, listing, now);
  return {
    active: true,
    closed: final,
    umaBond: '500',
    umaReward: '5',
    ...(word === null ? {} : { umaResolutionStatus: word }),
    umaResolutionStatuses: JSON.stringify(history),
  };
}

export const deriveEventId = (question: SeededQuestion): string => String(Number.parseInt(sha(question.group).slice(0, 7), 16));
export const eventTitle = (question: SeededQuestion): string => `${question.asset}: ${question.group}`;

/** Returns the book of one outcome's token. */
export function readTokenBook({ questions, clock }: PolymarketVenue, { question, tokens }: Listing, token: string): SeededBook {
  const book = questions.book(question, 'polymarket', clock.now());
  return token === tokens[0] ? book : mirrored(book);
}

const mirrors = new WeakMap<SeededBook, SeededBook>();

/** Returns the other outcome's book, in which every order appears at one minus its price. */
function mirrored(book: SeededBook): SeededBook {
  const flip = (levels: SeededBook['bids']): SeededBook['bids'] =>
    levels.map((level) => ({ price: 1_000 - level.price, size: level.size }));
  const mirror = mirrors.get(book) ?? { bids: flip(book.asks), asks: flip(book.bids) };
  mirrors.set(book, mirror);
  return mirror;
}

/** Formats a token's book like the venue. */
export function bookBody(venue: PolymarketVenue, listing: Listing, token: string, now: EpochMs): object {
  const { bids, asks } = readTokenBook(venue, listing, token);
  const bent = bendPrices(venue.faults, bids[0]?.price ?? 0, asks[0]?.price ?? 1_000, (value) => (value / 1_000).toFixed(4));
  const levels = (list: SeededBook['bids'], best: string) =>
    list.map((level, index) => ({ price: index === 0 ? plain(best) : price(level.price), size: level.size.toFixed(2) }));
  return {
    market: listing.conditionId,
    asset_id: token,
    timestamp: String(now),
    hash: sha(`${token}/${now}`).slice(0, 40),
    // The best price comes last on both sides.
    bids: levels(bids, bent.bid).reverse(),
    asks: levels(asks, bent.ask).reverse(),
    min_order_size: '5',
    tick_size: String(findPriceStep(venue, listing, venue.clock.now()) / 1_000),
    neg_risk: listing.question.exclusive,
  };
}

const plain = (text: string): string => text.replace(/(\.\d\d)0+$/, '$1').replace(/(\.\d\d\d)0$/, '$1');

/** Returns a trade's token and price. Buying no means buying the other token at one minus the price. */
export function tradeFields({ tokens }: Listing, trade: SeededTrade): { asset: string; side: string; price: number } {
  return trade.side === 'yes'
    ? { asset: tokens[0], side: 'BUY', price: trade.price }
    : { asset: tokens[1], side: 'BUY', price: 1_000 - trade.price };
}
