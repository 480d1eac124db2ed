/** Gathers what the venues say beside quotes and passes the newest on: books, day statistics, perpetuals, each venue's standing. */
import type { Clock } from '../../streams/clock.ts';
import { ClockOffsets } from '../../streams/clock-offsets.ts';
import { providerOf } from '../../streams/feed-life.ts';
import { FEED_DOWN, flagsOf, marksOf, qualityWith, RESYNCING } from '../../streams/flag-bits.ts';
import type { MarketPipeline } from '../../streams/market-pipeline.ts';
import type { FeedState } from '../../streams/market-view.ts';
import type { MarketStateBus } from '../adapters/queue/market-state-bus.ts';
import type { FeedHeartbeat, FeedMessage, FeedStatus } from '../domain/market-event.ts';
import type { BudgetState, OrderBookSnapshot, ProviderState, VenueState } from '../domain/market-state.ts';
import type { EpochMs } from '../domain/time.ts';
import { instrumentKey, type Venue } from '../domain/venue.ts';
import type { MarketExtras } from './venues.ts';

/** The deepest book that a channel shows. */
export const BOOK_LEVELS = 50;
/** How often books are looked at; a client is shown no more of them than that. */
const BOOKS_MS = 250;
const TICKERS_MS = 1_000;
const VENUES_MS = 1_000;
const PROBE_MS = 60_000;
const FIRST_PROBES = 5;
const FIRST_PROBE_MS = 1_000;

export interface MarketStatesOptions {
  readonly pipeline: Pick<MarketPipeline, 'heard' | 'connectivity' | 'view' | 'counters'>;
  readonly extras: MarketExtras;
  readonly venues: readonly Venue[];
  readonly bus: Pick<MarketStateBus, 'publish'>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly budgets: () => readonly BudgetState[];
  readonly onFailure: (error: unknown) => void;
}

/** What every source said of its own connection: one provider may have several, each of which comes and goes by itself. */
class SourceLives {
  /** By venue and provider, then by source. */
  readonly #lives = new Map<string, Map<string, ProviderState>>();

  take(message: FeedStatus | FeedHeartbeat): void {
    const { venue, source, receivedAt } = message;
    const key = `${venue} ${providerOf(source)}`;
    const ofProvider = this.#lives.get(key) ?? new Map<string, ProviderState>();
    const before = ofProvider.get(source);
    // A sign of life of what never connected (bars that are asked for) is told with its provider.
    if (message.kind === 'heartbeat') {
      if (before !== undefined) ofProvider.set(source, { ...before, heardAt: receivedAt });
      return;
    }
    const { status, epoch, detail } = message;
    const connected = status === 'connected';
    ofProvider.set(source, { provider: source, connected, epoch, heardAt: connected ? receivedAt : (before?.heardAt ?? null), detail });
    this.#lives.set(key, ofProvider);
  }

  /** The provider as one, or each of its sources by its name where several connect; nothing where it said nothing yet. */
  rowsOf({ venue, provider, connected, heardAt, detail }: FeedState): readonly ProviderState[] {
    const sources = [...(this.#lives.get(`${venue} ${provider}`)?.values() ?? [])];
    if (sources.length > 1) return sources.sort((a, b) => (a.provider < b.provider ? -1 : 1));
    if (connected === null && heardAt === null) return [];
    return [{ provider, connected, epoch: sources[0]?.epoch ?? null, heardAt, detail }];
  }
}

/** Starts; the answer stops it. */
export function publishMarketStates(options: MarketStatesOptions): () => void {
  const { pipeline, extras, bus, clock, onFailure } = options;
  const offsets = new ClockOffsets();
  const lives = new SourceLives();
  const gaps = new Map<Venue, number>();
  const gapped = new Set<string>();
  const cancels = new Map<string, () => void>();
  const shownBooks = new Map<string, OrderBookSnapshot>();
  const shownTickers = new Map<string, EpochMs>();
  const shownMarks = new Map<string, string>();
  let stopped = false;

  function hear(message: FeedMessage): void {
    offsets.take(message);
    if (message.kind === 'perp_context') bus.publish(message);
    else if (message.kind === 'feed_status' || message.kind === 'heartbeat') lives.take(message);
    else if (message.kind === 'quote') noteGap(message.venue, message.instrument, message.flags.includes('gap'));
  }

  /** A gap counts once, however many quotes carry its mark until it is repaired. */
  function noteGap(venue: Venue, instrument: string, isGap: boolean): void {
    if (!isGap && gapped.size === 0) return;
    const key = instrumentKey(venue, instrument);
    if (!isGap) gapped.delete(key);
    else if (!gapped.has(key)) {
      gapped.add(key);
      gaps.set(venue, (gaps.get(venue) ?? 0) + 1);
    }
  }

  function lookAtBooks(): void {
    for (const { venue, instrument, read } of extras.books) {
      const key = instrumentKey(venue, instrument);
      const before = shownBooks.get(key);
      const book = read(BOOK_LEVELS);
      const next = book ?? (before === undefined ? null : lostBook(before, clock.now()));
      if (next === null || (before !== undefined && isSameBook(before, next))) continue;
      shownBooks.set(key, next);
      bus.publish(next);
    }
  }

  function lookAtTickers(): void {
    for (const { instrument, read } of extras.tickers) {
      const ticker = read();
      if (ticker === null || shownTickers.get(instrument) === ticker.receivedAt) continue;
      shownTickers.set(instrument, ticker.receivedAt);
      bus.publish(ticker);
    }
  }

  function lookAtMarks(): void {
    for (const mark of extras.marks?.() ?? []) {
      const said = `${mark.receivedAt} ${mark.mintVerified}`;
      if (shownMarks.get(mark.instrument) === said) continue;
      shownMarks.set(mark.instrument, said);
      bus.publish(mark);
    }
  }

  function stateOf(venue: Venue, at: EpochMs): VenueState {
    const { hearing, detail, degradedSince, heardAt } = pipeline.connectivity.state(venue);
    const counts = pipeline.counters.snapshot()[venue];
    const providers = pipeline.view.feeds().flatMap((feed) => (feed.venue === venue ? lives.rowsOf(feed) : []));
    return {
      kind: 'venue_state',
      venue,
      receivedAt: at,
      hearing,
      detail,
      degradedSince,
      heardAt,
      providers,
      clockOffset: offsets.of(venue, at),
      gaps: (gaps.get(venue) ?? 0) + counts.counted.gap,
      messages: counts.received,
      rejected: Object.values(counts.rejected).reduce((sum, count) => sum + count, 0),
      unknownFields: counts.unknownFields,
      budgets: options.budgets().filter((budget) => budget.venue === venue),
    };
  }

  function repeat(name: string, everyMs: number, work: () => void): void {
    if (stopped) return;
    try {
      work();
    } catch (error) {
      onFailure(error);
    }
    cancels.set(
      name,
      clock.deadline(clock.now() + everyMs, () => repeat(name, everyMs, work)),
    );
  }

  function probe(name: string, venue: Venue, ask: () => Promise<EpochMs>, done: number): void {
    const askedAt = clock.now();
    const again = (): void => {
      if (stopped) return;
      const wait = done < FIRST_PROBES ? FIRST_PROBE_MS : PROBE_MS;
      cancels.set(
        name,
        clock.deadline(clock.now() + wait, () => probe(name, venue, ask, done + 1)),
      );
    };
    // A venue that does not answer is told by its connectivity; its offset is then that of its events.
    ask()
      .then(
        (time) => offsets.probe(venue, time, askedAt, clock.now()),
        () => {},
      )
      .finally(again);
  }

  const heard = pipeline.heard.subscribe({ next: hear, error: onFailure });
  // At once where a venue is lost or found: what hangs on its standing must not wait for the next second.
  const edges = pipeline.connectivity.edges.subscribe({ next: ({ venue }) => bus.publish(stateOf(venue, clock.now())), error: onFailure });
  repeat('books', BOOKS_MS, lookAtBooks);
  repeat('tickers', TICKERS_MS, lookAtTickers);
  repeat('marks', TICKERS_MS, lookAtMarks);
  repeat('venues', VENUES_MS, () => {
    const at = clock.now();
    for (const venue of options.venues) bus.publish(stateOf(venue, at));
  });
  for (const { venue, ask } of extras.serverTimes) probe(`time ${venue}`, venue, ask, 0);
  return () => {
    stopped = true;
    heard.unsubscribe();
    edges.unsubscribe();
    for (const cancel of cancels.values()) cancel();
  };
}

function isSameBook(one: OrderBookSnapshot, other: OrderBookSnapshot): boolean {
  return (
    one.receivedAt === other.receivedAt && one.sequence === other.sequence && one.quality === other.quality && one.flags === other.flags
  );
}

/** The book before its feed was lost: shown as what it is, until there is another one. */
function lostBook(before: OrderBookSnapshot, at: EpochMs): OrderBookSnapshot {
  const marks = marksOf(before.flags) | FEED_DOWN | RESYNCING;
  const flags = flagsOf(marks);
  if (before.flags === flags) return before;
  return { ...before, receivedAt: Math.max(at, before.receivedAt), quality: qualityWith(before.quality, marks), flags };
}
