/**
 * Order books as every process reads them: the book that the feed keeps, passed on by use, and the venue itself only if that
 * one is not live or not deep enough. A venue's answer is everybody's, for as long as a quote of it would be live.
 */
import { bookKey, type BookWants } from '../../../streams/book-wants.ts';
import { type Clock, timeLeft } from '../../../streams/clock/clock.ts';
import { findLimits, qualityLimits } from '../../../streams/quality/quality-limits.ts';
import { isReceived } from '../../../streams/quality/state-quality.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { type AskedBook, type MarketState, marketStateKey, type OrderBookSnapshot } from '../../domain/market/market-state.ts';
import type { OrderBook } from '../../domain/market/order-book.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { instrumentKey, type Venue, VENUE_FACTS } from '../../domain/market/venue.ts';
import { type AskClaims, CLAIM_MS } from '../queue/ask-claims.ts';
import { changeWithin } from '../queue/newest-bus.ts';
import { ASKED } from '../reach.ts';

/** A request for at most so many levels costs the least that a venue takes: everybody asks for as many. */
const CHEAP_DEPTH = 100;
/** The deepest book that anybody reads. */
const MOST_DEPTH = 200;
/** Failed requests of other processes after which a process requests the book itself. */
const WAITS = 2;

interface SharedBookDeps {
  readonly states: {
    latest(key: string): MarketState | null;
    publish(state: MarketState): void;
    subscribe(listener: (changed: readonly MarketState[]) => void): () => void;
  };
  readonly wants: BookWants;
  readonly claims: AskClaims;
  /** Asks the venue itself. */
  readonly asked: { read(venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>> };
  readonly clock: Clock;
}

export interface SharedBookReads {
  /** See `VenueBooks` and `OrderBookReads`. */
  read(venue: Venue, instrument: string, depth: number, least?: number): Promise<Outcome<OrderBook>>;
}

export function createSharedBookReads(deps: SharedBookDeps): SharedBookReads {
  const { states, wants, asked, clock } = deps;
  const asking = new Map<string, Promise<Outcome<OrderBook>>>();

  /** Asks the venue once for everybody in this process who wants the answer at the same moment. */
  function ask(venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>> {
    const key = marketStateKey({ kind: 'asked_book', venue, instrument, depth });
    const kept = states.latest(key);
    if (kept?.kind === 'asked_book' && kept.book !== null && isOfNow(venue, kept.book.source, kept.book.receivedAt, clock.now()))
      return Promise.resolve({ ok: true, value: kept.book });
    let answer = asking.get(key);
    if (answer === undefined) {
      answer = askForAll(deps, key, venue, instrument, depth).finally(() => asking.delete(key));
      asking.set(key, answer);
    }
    return answer;
  }

  return {
    async read(venue, instrument, depth, least = depth) {
      if (!VENUE_FACTS[venue].hasBooks || CATALOG.byKey(instrumentKey(venue, instrument)) === undefined)
        return asked.read(venue, instrument, depth);
      wants.want(venue, instrument);
      const followed = states.latest(bookKey(venue, instrument));
      const book = followed?.kind === 'order_book' ? followedBook(states, followed, depth, least, clock.now()) : null;
      if (book !== null) return { ok: true, value: book };
      const answer = await ask(venue, instrument, depth <= CHEAP_DEPTH ? CHEAP_DEPTH : MOST_DEPTH);
      return answer.ok ? { ok: true, value: cut(answer.value, depth) } : answer;
    },
  };
}

/** A book that is not older than a quote may be, and not of a time to come. */
function isOfNow(venue: Venue, source: string, receivedAt: EpochMs, at: EpochMs): boolean {
  const limits = findLimits(qualityLimits(), venue, source);
  return at - receivedAt <= limits.maxAgeMs && receivedAt - at <= limits.maxSkewMs;
}

/** Returns the feed's own book, if it is live now and deep enough; null if the venue must be asked. */
function followedBook(
  states: SharedBookDeps['states'],
  book: OrderBookSnapshot,
  depth: number,
  least: number,
  at: EpochMs,
): OrderBook | null {
  const { venue, source, observedAt, receivedAt, bids, asks, edge, quality, flags } = book;
  if (edge === undefined || quality !== 'live' || !isOfNow(venue, source, receivedAt, at)) return null;
  const state = states.latest(marketStateKey({ kind: 'venue_state', venue }));
  if (!isReceived(state?.kind === 'venue_state' ? state : null, at)) return null;
  // A side that ends before its edge has no more; one that ends at it is known to a lesser depth than was asked for.
  const unknown = {
    bid: bids.length < depth ? edge.bid : null,
    ask: asks.length < depth ? edge.ask : null,
  };
  if ((unknown.bid !== null && bids.length < least) || (unknown.ask !== null && asks.length < least)) return null;
  const levels = (side: OrderBookSnapshot['bids']) => side.slice(0, depth).map(([price, size]) => ({ price, size }));
  const shown = { source, observedAt, receivedAt, quality, flags, bids: levels(bids), asks: levels(asks) };
  return unknown.bid === null && unknown.ask === null ? shown : { ...shown, edge: unknown };
}

function cut(book: OrderBook, depth: number): OrderBook {
  return { ...book, bids: book.bids.slice(0, depth), asks: book.asks.slice(0, depth) };
}

/**
 * Asks the venue, or waits for the answer of the process that is asking it. What was refused to another is asked anew, unless the venue was
 * silent to it for as long as this process would wait.
 */
async function askForAll(deps: SharedBookDeps, key: string, venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>> {
  const { states, claims, asked, clock } = deps;
  const leftMs = timeLeft(clock, ASKED.totalMs);
  for (let waits = 0, mine = false; !mine; waits++) {
    const before = states.latest(key);
    mine = waits === WAITS || (await claims.take(key));
    const told = mine ? answerAfter(states, key, before) : await nextAnswer(deps, key, before);
    if (told?.book === null && leftMs() <= 0) return refuse('unavailable', `${venue} did not answer another process`);
    if (told?.book == null || !isOfNow(venue, told.book.source, told.receivedAt, clock.now())) continue;
    if (mine) await claims.settle(key, true);
    return { ok: true, value: told.book };
  }
  let book: OrderBook | null = null;
  try {
    const answer = await asked.read(venue, instrument, depth);
    if (answer.ok) book = answer.value;
    return answer;
  } finally {
    states.publish({ kind: 'asked_book', venue, instrument, depth, receivedAt: clock.now(), book });
    await claims.settle(key, book !== null);
  }
}

function answerAfter(states: SharedBookDeps['states'], key: string, before: MarketState | null): AskedBook | null {
  const state = states.latest(key);
  return state?.kind === 'asked_book' && state !== before ? state : null;
}

/** The next answer that reaches this process; null if none comes for as long as a claim lasts. */
async function nextAnswer({ states, clock }: SharedBookDeps, key: string, before: MarketState | null): Promise<AskedBook | null> {
  const known = () => answerAfter(states, key, before);
  if (known() === null) await changeWithin(states, clock, CLAIM_MS, () => known() !== null);
  return known();
}
