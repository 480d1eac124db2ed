/** Collects and publishes the newest venue data besides quotes: books, day statistics, perpetuals, and each venue's state. */

import type { IssuerMarkState } from '../src/domain/catalog/issuer-mark.ts';
import type { FeedHeartbeat, FeedMessage, FeedStatus } from '../src/domain/market/market-event.ts';
import type {
  BudgetState,
  DayTicker,
  MarketState,
  OrderBookSnapshot,
  ProviderState,
  VenueState,
} from '../src/domain/market/market-state.ts';
import { type EpochMs, MINUTE_MS } from '../src/domain/values/time.ts';
import { instrumentKey, type Venue } from '../src/domain/market/venue.ts';
import { isBookWanted, bookKey } from './book-wants.ts';
import type { Clock } from './clock/clock.ts';
import { ClockOffsets } from './clock/clock-offsets.ts';
import { readProvider } from './feed-life.ts';
import { FEED_DOWN, toFlags, toFlagBits, qualityWith, RESYNCING } from './quality/flag-bits.ts';
import type { MarketPipeline } from './market-pipeline.ts';
import type { FeedState } from './market-view.ts';

/** Maximum published levels per side: as many as an order is filled through. */
const BOOK_LEVELS = 100;
/** Interval in milliseconds at which books are read and published. */
const BOOKS_MS = 250;
const TICKERS_MS = 1_000;
const VENUES_MS = 1_000;
const PROBE_MS = MINUTE_MS;
const FIRST_PROBES = 5;
const FIRST_PROBE_MS = 1_000;

/** Venue data besides the feeds' streams, available while those are followed. */
export interface MarketExtras {
  readonly books: readonly { readonly venue: Venue; readonly instrument: string; read(levels: number): OrderBookSnapshot | null }[];
  readonly tickers: readonly { readonly instrument: string; read(): DayTicker | null }[];
  /** Returns the issuers' marks with valuations. */
  readonly marks?: () => readonly IssuerMarkState[];
  /** Venues with a server time. */
  readonly serverTimes: readonly { readonly venue: Venue; ask(): Promise<EpochMs> }[];
}

export interface MarketStatesOptions {
  readonly pipeline: Pick<MarketPipeline, 'received' | 'connectivity' | 'view' | 'counters'>;
  readonly extras: MarketExtras;
  readonly venues: readonly Venue[];
  readonly bus: {
    publish(state: MarketState): void;
    latest(key: string): MarketState | null;
    withdraw(key: string): void;
  };
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly budgets: () => readonly BudgetState[];
  readonly onFailure: (error: unknown) => void;
}

/** Connection states of all sources. A provider may have several, which connect independently. */
class SourceLives {
  /** States by venue and provider, then by source. */
  readonly #lives = new Map<string, Map<string, ProviderState>>();

  take(message: FeedStatus | FeedHeartbeat): void {
    const { venue, source, receivedAt } = message;
    const key = `${venue} ${readProvider(source)}`;
    const ofProvider = this.#lives.get(key) ?? new Map<string, ProviderState>();
    const before = ofProvider.get(source);
    // A sign of life of something that never connects (requested bars) counts for its provider.
    if (message.kind === 'heartbeat') {
      if (before !== undefined) ofProvider.set(source, { ...before, heardAt: receivedAt });
      return;
    }
    const { status, epoch, detail } = message;
    const connected = status === 'connected';
    ofProvider.set(source, { provider: source, connected, epoch, heardAt: connected ? receivedAt : (before?.heardAt ?? null), detail });
    this.#lives.set(key, ofProvider);
  }

  /** Returns the provider as one row, or one row per source if several connect. Empty before any message. */
  rowsOf({ venue, provider, connected, heardAt, detail }: FeedState): readonly ProviderState[] {
    const sources = [...(this.#lives.get(`${venue} ${provider}`)?.values() ?? [])];
    if (sources.length > 1) return sources.sort((a, b) => (a.provider < b.provider ? -1 : 1));
    if (connected === null && heardAt === null) return [];
    return [{ provider, connected, epoch: sources[0]?.epoch ?? null, heardAt, detail }];
  }
}

/** Starts publishing. Returns a function that stops it. */
export function publishMarketStates(options: MarketStatesOptions): () => void {
  const { pipeline, extras, bus, clock, onFailure } = options;
  const rounds = new Rounds(clock, onFailure);
  const states = new VenueStates(options);
  const offsets = states.offsets;
  const received = pipeline.received.subscribe({
    next(message) {
      states.take(message);
      if (message.kind === 'perp_context') bus.publish(message);
    },
    error: onFailure,
  });
  // At once if a venue is lost or recovers, because dependent states must not wait for the next second.
  const edges = pipeline.connectivity.edges.subscribe({
    next: ({ venue }) => bus.publish(states.stateOf(venue, clock.now())),
    error: onFailure,
  });
  rounds.every('books', BOOKS_MS, newBooks(extras, options));
  rounds.every('tickers', TICKERS_MS, newTickers(extras, bus));
  rounds.every('marks', TICKERS_MS, newMarks(extras, bus));
  rounds.every('venues', VENUES_MS, () => {
    const at = clock.now();
    for (const venue of options.venues) bus.publish(states.stateOf(venue, at));
  });

  function probe({ venue, ask }: MarketExtras['serverTimes'][number], done: number): void {
    const askedAt = clock.now();
    // A venue that does not answer is reported by its connectivity. Its offset is then from its events.
    ask()
      .then(
        (time) => offsets.probe(venue, time, askedAt, clock.now()),
        () => {},
      )
      .finally(() => rounds.later(`time ${venue}`, done < FIRST_PROBES ? FIRST_PROBE_MS : PROBE_MS, () => probe({ venue, ask }, done + 1)));
  }
  for (const one of extras.serverTimes) probe(one, 0);
  return () => {
    rounds.stop();
    received.unsubscribe();
    edges.unsubscribe();
  };
}

/** Named periodic work, until all of it is stopped. */
class Rounds {
  readonly #cancels = new Map<string, () => void>();
  readonly #clock: Pick<Clock, 'now' | 'deadline'>;
  readonly #onFailure: (error: unknown) => void;
  #stopped = false;

  constructor(clock: Pick<Clock, 'now' | 'deadline'>, onFailure: (error: unknown) => void) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  /** Runs the work now and every `everyMs` milliseconds. Errors are reported, and the work goes on. */
  every(name: string, everyMs: number, work: () => void): void {
    if (this.#stopped) return;
    try {
      work();
    } catch (error) {
      this.#onFailure(error);
    }
    this.later(name, everyMs, () => this.every(name, everyMs, work));
  }

  later(name: string, waitMs: number, work: () => void): void {
    if (!this.#stopped) this.#cancels.set(name, this.#clock.deadline(this.#clock.now() + waitMs, work));
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels.values()) cancel();
  }
}

/** Reception of each venue as a whole: sources, gaps, clock and message counts. */
class VenueStates {
  readonly offsets = new ClockOffsets();
  readonly #lives = new SourceLives();
  readonly #gaps = new Map<Venue, number>();
  readonly #gapped = new Set<string>();
  readonly #options: Pick<MarketStatesOptions, 'pipeline' | 'budgets'>;

  constructor(options: Pick<MarketStatesOptions, 'pipeline' | 'budgets'>) {
    this.#options = options;
  }

  take(message: FeedMessage): void {
    this.offsets.take(message);
    if (message.kind === 'feed_status' || message.kind === 'heartbeat') this.#lives.take(message);
    else if (message.kind === 'quote') this.#noteGap(message.venue, message.instrument, message.flags.includes('gap'));
  }

  /** Counts a gap once, however many quotes have its flag until it is repaired. */
  #noteGap(venue: Venue, instrument: string, isGap: boolean): void {
    if (!isGap && this.#gapped.size === 0) return;
    const key = instrumentKey(venue, instrument);
    if (!isGap) this.#gapped.delete(key);
    else if (!this.#gapped.has(key)) {
      this.#gapped.add(key);
      this.#gaps.set(venue, (this.#gaps.get(venue) ?? 0) + 1);
    }
  }

  stateOf(venue: Venue, at: EpochMs): VenueState {
    const { pipeline, budgets } = this.#options;
    const { hearing, detail, degradedSince, heardAt } = pipeline.connectivity.state(venue);
    const counts = pipeline.counters.snapshot()[venue];
    const providers = pipeline.view.feeds().flatMap((feed) => (feed.venue === venue ? this.#lives.rowsOf(feed) : []));
    return {
      kind: 'venue_state',
      venue,
      receivedAt: at,
      hearing,
      detail,
      degradedSince,
      heardAt,
      providers,
      clockOffset: this.offsets.of(venue, at),
      gaps: (this.#gaps.get(venue) ?? 0) + counts.counted.gap,
      messages: counts.received,
      rejected: Object.values(counts.rejected).reduce((sum, count) => sum + count, 0),
      unknownFields: counts.unknownFields,
      budgets: budgets().filter((budget) => budget.venue === venue),
    };
  }
}

type StateBus = MarketStatesOptions['bus'];

/** Publishes every leased book that changed since the last time, and every lost book as lost. */
export function newBooks({ books }: Pick<MarketExtras, 'books'>, { bus, clock }: Pick<MarketStatesOptions, 'bus' | 'clock'>): () => void {
  const shown = new Map<string, OrderBookSnapshot>();
  return () => {
    for (const { venue, instrument, read } of books) {
      const key = bookKey(venue, instrument);
      if (!isBookWanted(bus, venue, instrument, clock.now())) {
        if (shown.delete(key)) bus.withdraw(key);
        continue;
      }
      const before = shown.get(key);
      const book = read(BOOK_LEVELS);
      const next = book ?? (before === undefined ? null : lostBook(before, clock.now()));
      if (next === null || (before !== undefined && isSameBook(before, next))) continue;
      shown.set(key, next);
      bus.publish(next);
    }
  };
}

function newTickers({ tickers }: MarketExtras, bus: StateBus): () => void {
  const shown = new Map<string, EpochMs>();
  return () => {
    for (const { instrument, read } of tickers) {
      const ticker = read();
      if (ticker === null || shown.get(instrument) === ticker.receivedAt) continue;
      shown.set(instrument, ticker.receivedAt);
      bus.publish(ticker);
    }
  };
}

function newMarks({ marks }: MarketExtras, bus: StateBus): () => void {
  const shown = new Map<string, string>();
  return () => {
    for (const mark of marks?.() ?? []) {
      const said = `${mark.receivedAt} ${mark.mintVerified}`;
      if (shown.get(mark.instrument) === said) continue;
      shown.set(mark.instrument, said);
      bus.publish(mark);
    }
  };
}

function isSameBook(one: OrderBookSnapshot, other: OrderBookSnapshot): boolean {
  return (
    one.receivedAt === other.receivedAt && one.sequence === other.sequence && one.quality === other.quality && one.flags === other.flags
  );
}

/** Returns the last book of a lost feed, marked as lost, until there is another one. */
function lostBook(before: OrderBookSnapshot, at: EpochMs): OrderBookSnapshot {
  const bits = toFlagBits(before.flags) | FEED_DOWN | RESYNCING;
  const flags = toFlags(bits);
  if (before.flags === flags) return before;
  return { ...before, receivedAt: Math.max(at, before.receivedAt), quality: qualityWith(before.quality, bits), flags };
}
