/** Markets of Kalshi: the sandbox's questions as this venue names them, with books, trades and settlement. */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../streams/clock/clock.ts';
import { type EpochMs, WEEK_MS } from '../../domain/values/time.ts';
import { bendPrices, type FaultSwitch } from '../faults.ts';
import type { SeededBook, SeededQuestion, SeededQuestions, SeededTrade } from './seeded-questions.ts';
import { kalshiWords } from './wording.ts';

/** Time from a market's end to its determination, and from then to its settlement. */
export const DETERMINED_MS = 20_000;
export const FINAL_MS = 80_000;
const STRIKES = { above: 'greater', at_or_above: 'greater_or_equal', below: 'less', between: 'between' } as const;
const PRICE_RANGES = [
  { start: '0.0000', end: '0.1000', step: '0.0010' },
  { start: '0.1000', end: '0.9000', step: '0.0100' },
  { start: '0.9000', end: '1.0000', step: '0.0010' },
];

export interface KalshiVenue {
  readonly questions: SeededQuestions;
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  /** Key whose signature opens the socket. */
  readonly key: { readonly id: string; readonly publicKey: KeyObject };
}

/** Returns the venue's time, which a fault may shift. */
export function venueNow({ clock, faults }: KalshiVenue): EpochMs {
  return clock.now() + faults.settings.clockOffsetMs;
}

const dollars = (thousandths: number): string => (thousandths / 1_000).toFixed(4);
export const count = (size: number): string => size.toFixed(2);
const iso = (at: EpochMs): string => new Date(at).toISOString();

export function toSeries({ asset, group }: SeededQuestion): string {
  return `KX${asset}${(group.split('-')[1] ?? '').slice(0, 1).toUpperCase()}`;
}
export function toEventTicker(question: SeededQuestion): string {
  return `${toSeries(question)}-${question.group.split('-').at(-1)}`;
}
/** Returns the ticker of a question's market. */
export function toTicker(question: SeededQuestion): string {
  const letter = question.comparator === 'between' ? 'B' : question.comparator === 'below' ? 'L' : 'T';
  return `${toEventTicker(question)}-${letter}${question.threshold}`;
}

/** Returns the questions listed at a time, by ticker. */
export function listed({ questions }: KalshiVenue, now: EpochMs): ReadonlyMap<string, SeededQuestion> {
  return new Map(questions.listed('kalshi', now).map((question) => [toTicker(question), question]));
}

export function computeStatus({ resolvesAt }: SeededQuestion, now: EpochMs): string {
  const past = now - resolvesAt;
  return past < 0 ? 'active' : past < DETERMINED_MS ? 'closed' : past < FINAL_MS ? 'determined' : 'finalized';
}

/** Formats a market like the catalog. */
export function marketBody(venue: KalshiVenue, question: SeededQuestion, now: EpochMs): object {
  return {
    ticker: toTicker(question),
    event_ticker: toEventTicker(question),
    market_type: 'binary',
    ...formatDates(question),
    status: computeStatus(question, now),
    ...formatPrices(venue, question, now),
    notional_value_dollars: '1.0000',
    price_level_structure: 'tapered_deci_cent',
    price_ranges: PRICE_RANGES,
    ...formatOutcome(venue, question, now),
    can_close_early: false,
    ...formatWords(question),
  };
}

function formatDates({ createdAt, resolvesAt }: SeededQuestion) {
  return {
    created_time: iso(createdAt),
    open_time: iso(createdAt),
    close_time: iso(resolvesAt),
    expected_expiration_time: iso(resolvesAt + FINAL_MS),
    latest_expiration_time: iso(resolvesAt + WEEK_MS),
    settlement_timer_seconds: 60,
  };
}

function formatWords(question: SeededQuestion) {
  const { threshold, upper, comparator } = question;
  const { title, subtitle, rulesPrimary, rulesSecondary } = kalshiWords(question);
  return {
    title,
    yes_sub_title: subtitle,
    no_sub_title: `Not ${subtitle}`,
    rules_primary: rulesPrimary,
    rules_secondary: rulesSecondary,
    strike_type: STRIKES[comparator as keyof typeof STRIKES],
    ...(comparator === 'below' ? { cap_strike: threshold } : { floor_strike: threshold }),
    ...(comparator === 'between' ? { cap_strike: upper } : {}),
  };
}

/** Formats prices, sizes and volumes. An ended market has no offers. */
function formatPrices({ questions, clock, faults }: KalshiVenue, question: SeededQuestion, now: EpochMs) {
  const open = computeStatus(question, now) === 'active';
  const { bids, asks } = questions.book(question, 'kalshi', Math.min(clock.now(), question.resolvesAt - 1));
  const [bid, ask] = [bids[0], asks[0]];
  const until = Math.min(now, question.resolvesAt);
  const [last] = questions.trades(question, 'kalshi', until - 300_000, now).slice(-1);
  const volume = Math.floor((Math.max(0, until - question.createdAt) / 1_000) * (1 + 4 * questions.fate(question, 'volume')));
  const bent = bendPrices(faults, bid?.price ?? 0, ask?.price ?? 1_000, dollars);
  const opposite = (level: { price: number } | undefined, none: number): string =>
    dollars(open && level !== undefined ? 1_000 - level.price : none);
  return {
    yes_bid_dollars: open ? bent.bid : dollars(0),
    yes_bid_size_fp: count(bid?.size ?? 0),
    yes_ask_dollars: open ? bent.ask : dollars(1_000),
    yes_ask_size_fp: count(ask?.size ?? 0),
    no_bid_dollars: opposite(ask, 0),
    no_ask_dollars: opposite(bid, 1_000),
    last_price_dollars: dollars(last?.price ?? 0),
    volume_fp: count(volume),
    volume_24h_fp: count(Math.floor(volume / 2)),
    open_interest_fp: count(Math.floor(volume / 3)),
    liquidity_dollars: dollars([...bids, ...asks].reduce((sum, level) => sum + level.size * level.price, 0)),
  };
}

function formatOutcome({ questions }: KalshiVenue, question: SeededQuestion, now: EpochMs) {
  const status = computeStatus(question, now);
  const won = status === 'determined' || status === 'finalized' ? questions.outcome(question) : null;
  const result = won === null ? '' : won ? 'yes' : 'no';
  if (status !== 'finalized') return { result, expiration_value: '' };
  return {
    result,
    settlement_value_dollars: won ? '1.0000' : '0.0000',
    settlement_ts: iso(question.resolvesAt + FINAL_MS),
    expiration_value: kalshiWords(question).subtitle,
  };
}

/** Returns the bids of both outcomes, worst first. An offer of yes is a bid for no. */
export function formatSides(
  { questions, clock, faults }: KalshiVenue,
  question: SeededQuestion,
): { yes: [string, string][]; no: [string, string][] } {
  const book = questions.book(question, 'kalshi', clock.now());
  const bent = bendPrices(faults, book.bids[0]?.price ?? 0, book.asks[0]?.price ?? 1_000, String);
  const yes = book.bids.map(({ price, size }, index): [string, string] => [
    index === 0 ? bentDollars(bent.bid) : dollars(price),
    count(size),
  ]);
  const no = book.asks.map(({ price, size }, index): [string, string] => [
    dollars(index === 0 ? 1_000 - Number(bent.ask) : 1_000 - price),
    count(size),
  ]);
  return { yes: yes.reverse(), no: no.reverse() };
}

const bentDollars = (text: string): string => (text === 'NaN' ? text : dollars(Number(text)));

/** Returns a book's sizes by `yes` or `no` and price. */
export function indexLevels(book: SeededBook): Map<string, number> {
  return new Map([
    ...book.bids.map(({ price, size }) => [`yes ${dollars(price)}`, size] as const),
    ...book.asks.map(({ price, size }) => [`no ${dollars(1_000 - price)}`, size] as const),
  ]);
}

export function tradeBody(ticker: string, trade: SeededTrade) {
  return {
    trade_id: `${ticker}-${trade.id}`,
    count_fp: count(trade.size),
    yes_price_dollars: dollars(trade.price),
    no_price_dollars: dollars(1_000 - trade.price),
    taker_side: trade.side,
  };
}
