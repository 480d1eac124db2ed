/**
 * Keeps received flow of instruments that shadow orders trade, for as long as an order may need it: live books, every trade, and unreliable
 * periods. Bounded in time and number. Dropped flow proves nothing.
 */
import type { BookLevel } from '../src/domain/market/order-book.ts';
import { merge, type Observable, type Subscription } from 'rxjs';
import type { FeedMessage, FeedStatus } from '../src/domain/market/market-event.ts';
import type { PoolLiquidity, Quote } from '../src/domain/market/quote.ts';
import type { FlowBook, FlowGap, FlowPrint, FlowSpan, FlowWindow, VenueTrade } from '../src/domain/shadow/flow.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../src/domain/market/venue.ts';
import type { Clock } from './clock/clock.ts';
import type { MarketExtras } from './market-states.ts';

/** Milliseconds for which flow is kept: longer than any order rests plus the wait for its measurement. */
const KEPT_MS = 180_000;
/** Minimum milliseconds between kept books. */
const BOOK_EVERY_MS = 100;
const LEVELS = 20;
/** Maximum books kept per instrument. */
const MOST_BOOKS = 2 * (KEPT_MS / BOOK_EVERY_MS);
const MOST_TRADES = 20_000;
const MOST_GAPS = 1_000;

export interface FlowKeeperOptions {
  /** Quotes after the quality rules, with time flags added when due. */
  readonly assessed: Observable<FeedMessage>;
  readonly trades: Observable<VenueTrade>;
  /** Books that feeds follow. Their levels are used if they agree with the best bid and ask. */
  readonly books: MarketExtras['books'];
  readonly clock: Pick<Clock, 'now'>;
  readonly onFailure: (error: unknown) => void;
}

interface Kept {
  readonly books: FlowBook[];
  readonly trades: FlowPrint[];
  readonly gaps: { from: EpochMs; until: EpochMs | null; why: string }[];
  liquidity: PoolLiquidity | null;
}

export function createFlowKeeper(options: FlowKeeperOptions) {
  const { clock } = options;
  const kept = new Map<Venue, Map<string, Kept>>();
  const readers: Readers = new Map(options.books.map((book) => [`${book.venue}:${book.instrument}`, book.read]));
  let listening: Subscription | null = null;

  function take(message: FeedMessage | VenueTrade): void {
    const followed = kept.get(message.venue);
    if (followed === undefined) return;
    if (message.kind === 'feed_status') return takeStatus(message, followed);
    if (message.kind !== 'quote' && message.kind !== 'trade' && message.kind !== 'pool_liquidity') return;
    const one = followed.get(message.instrument);
    if (one === undefined) return;
    if (message.kind === 'quote') takeQuote(one, message, clock.now(), readers);
    else if (message.kind === 'trade') takeTrade(one, message);
    else one.liquidity = message;
  }

  return {
    /** From now on follows exactly these instruments. Without instruments it subscribes to nothing. */
    follow(keys: ReadonlySet<InstrumentKey>) {
      const before = new Map([...kept].map(([venue, followed]) => [venue, new Map(followed)]));
      kept.clear();
      for (const key of keys) {
        const { venue, instrument } = splitInstrumentKey(key);
        const followed = kept.get(venue) ?? new Map<string, Kept>();
        followed.set(instrument, before.get(venue)?.get(instrument) ?? { books: [], trades: [], gaps: [], liquidity: null });
        kept.set(venue, followed);
      }
      if (kept.size > 0) listening ??= merge(options.assessed, options.trades).subscribe({ next: take, error: options.onFailure });
      else {
        listening?.unsubscribe();
        listening = null;
      }
    },

    window(span: FlowSpan): FlowWindow {
      const { venue, instrument } = splitInstrumentKey(span.instrument);
      return copyWindow(span, kept.get(venue)?.get(instrument));
    },

    stop() {
      listening?.unsubscribe();
      listening = null;
      kept.clear();
    },
  };
}

/** Readers of followed books' levels, by instrument key. */
type Readers = ReadonlyMap<string, MarketExtras['books'][number]['read']>;

/** Makes the instruments of a lost connection's venue unknown until each has a live quote again. */
function takeStatus({ status, receivedAt }: FeedStatus, followed: ReadonlyMap<string, Kept>): void {
  if (status === 'disconnected') for (const one of followed.values()) beginGap(one, receivedAt, 'feed_down');
}

function takeQuote(one: Kept, quote: Quote, now: EpochMs, readers: Readers): void {
  // A quote that only time made stale is sent again with its old receipt.
  if (quote.quality !== 'live') return beginGap(one, now, quote.flags.join(' ') || quote.quality);
  const open = one.gaps.at(-1);
  // A quote that a sign of life made live again comes with its receipt from before the gap.
  const at = open?.until === null && quote.receivedAt <= open.from ? now : quote.receivedAt;
  if (open?.until === null) open.until = at;
  const last = one.books.at(-1);
  if (last !== undefined && at - last.at < BOOK_EVERY_MS && open?.until !== at) return;
  one.books.push({ source: quote.source, at, ...readSides(quote, readers), liquidityUsd: one.liquidity?.liquidityUsd ?? null });
  trim(one.books, MOST_BOOKS, at - KEPT_MS);
  trimGaps(one, at - KEPT_MS);
}

/** Returns the levels of the feed's own book if it agrees with the quote, else only the best bid and ask. */
function readSides(quote: Quote, readers: Readers): Pick<FlowBook, 'bids' | 'asks'> {
  const [bids, asks] = [toTop(quote.bid, quote.bidSize), toTop(quote.ask, quote.askSize)];
  const book = readers.get(`${quote.venue}:${quote.instrument}`)?.(LEVELS) ?? null;
  if (book === null || book.quality !== 'live') return { bids, asks };
  const levels = { bids: book.bids.map(toLevel), asks: book.asks.map(toLevel) };
  return levels.bids[0]?.price === bids[0]?.price && levels.asks[0]?.price === asks[0]?.price ? levels : { bids, asks };
}

function takeTrade(one: Kept, { sequence, price, quantity, receivedAt: at }: VenueTrade): void {
  // A repeated trade is the same trade.
  if (sequence <= (one.trades.at(-1)?.sequence ?? -1)) return;
  one.trades.push({ sequence, price, quantity, at });
  trim(one.trades, MOST_TRADES, at - KEPT_MS);
}

function beginGap(one: Kept, from: EpochMs, why: string): void {
  const open = one.gaps.at(-1);
  if (open?.until === null) return;
  one.gaps.push({ from, until: null, why });
  trimGaps(one, from - KEPT_MS);
}

/** Removes items older than `since` and beyond the maximum, oldest first, in batches. */
function trim(list: { readonly at: EpochMs }[], most: number, since: EpochMs): void {
  const slack = Math.ceil(most / 10);
  const beyondSlack = list[slack];
  if (list.length - most <= slack && (beyondSlack === undefined || beyondSlack.at >= since)) return;
  const old = list.findIndex(({ at }) => at >= since);
  list.splice(0, Math.max(old, list.length - most, 0));
}

/** Merges the oldest gaps, including the time between them, if there are too many. This can only add to the unknown time. */
function trimGaps(one: Kept, since: EpochMs): void {
  while (one.gaps[0] !== undefined && one.gaps[0].until !== null && one.gaps[0].until < since) one.gaps.shift();
  if (one.gaps.length <= MOST_GAPS) return;
  const [first, second] = one.gaps.splice(0, 2) as [FlowGap, FlowGap];
  one.gaps.unshift({ from: first.from, until: second.until, why: first.why });
}

const toTop = (price: string | null, size: string | null): readonly BookLevel[] => (price === null ? [] : [{ price, size: size ?? '' }]);

const toLevel = ([price, size]: readonly [price: string, size: string]): BookLevel => ({ price, size });

/** Returns the kept flow of a window as an immutable copy. */
function copyWindow(span: FlowSpan, one: Kept | undefined): FlowWindow {
  const { from, booksUntil, until } = span;
  const { books = [], trades = [], gaps = [] } = one ?? {};
  const [firstBook, firstTrade] = [lastUntil(books, from), lastUntil(trades, from)];
  const after = trades.findIndex(({ at }) => at > until);
  const since = Math.min(from, books[firstBook]?.at ?? from);
  return {
    ...span,
    books: books.slice(firstBook).filter(({ at }) => at <= booksUntil),
    trades: trades.slice(firstTrade, after < 0 ? undefined : after + 1),
    gaps: gaps.filter((gap) => gap.from <= until && (gap.until === null || gap.until > since)).map((gap) => ({ ...gap })),
  };
}

/** Returns the index after the last item at or before an instant, or 0 if there is none. */
function lastUntil(list: readonly { readonly at: EpochMs }[], instant: EpochMs): number {
  return Math.max(
    0,
    list.findLastIndex(({ at }) => at <= instant),
  );
}
