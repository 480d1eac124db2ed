/** Latest data of every instrument, and message counts of every venue. */
import type { Observable } from 'rxjs';
import { listActiveEvents, listEventSources, LONGEST_EVENT_LOOKBACK_HOURS, readEventRound } from '../src/domain/intelligence/listening.ts';
import type { FeedMessage, NewsEvent } from '../src/domain/market/market-event.ts';
import {
  type PerpContext,
  type PoolLiquidity,
  type Quote,
  type ReferencePrice,
  SECOND_REFERENCE_SOURCES,
} from '../src/domain/market/quote.ts';
import { type EpochMs, HOUR_MS } from '../src/domain/values/time.ts';
import { type InstrumentKey, instrumentKey, type Venue } from '../src/domain/market/venue.ts';
import { createFeedCounters, type FeedCounters, type VenueCounts } from './feed-counters.ts';
import { type FeedLife, FeedLives } from './feed-life.ts';
import { CLOCK_SKEW, withQuoteFlags, withReferenceFlags, toFlagBits } from './quality/flag-bits.ts';
import { createFreshness, type Freshness } from './quality/freshness.ts';
import { createOrderedBus } from './ordered-bus.ts';
import { SlotTable } from './slot-table.ts';

/** Milliseconds for which a negative event is active: the longest look-back of a condition. */
const ACTIVE_NEWS_MS = LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS;

/** Data of one instrument. */
interface InstrumentView {
  readonly key: InstrumentKey;
  quote: Quote | null;
  reference: ReferencePrice | null;
  perpContext: PerpContext | null;
  liquidity: PoolLiquidity | null;
}

export interface FeedState {
  readonly venue: Venue;
  readonly provider: string;
  readonly connected: boolean | null;
  readonly heardAt: EpochMs | null;
  readonly detail: string;
}

interface MarketSnapshot {
  readonly quotes: readonly Quote[];
  readonly references: readonly ReferencePrice[];
  readonly perpContexts: readonly PerpContext[];
  readonly liquidity: readonly PoolLiquidity[];
  readonly feeds: readonly FeedState[];
  readonly counts: Readonly<Record<Venue, VenueCounts>>;
}

interface MarketViewOptions {
  readonly freshness?: Freshness;
  readonly counters?: FeedCounters;
  /** Maximum instruments. Further ones are refused and counted as `over_capacity`. Default 20,000. */
  readonly maxInstruments?: number;
  /** Maximum events. Further ones push out the oldest, whose symbols are then unknown for as long as it would count. Default 50,000. */
  readonly maxNews?: number;
}

export interface MarketView {
  /** Applies a message. Returns true if the view changed. Counts refused ones. */
  apply(message: FeedMessage): boolean;
  /** Returns the data of an instrument, or undefined if nothing was ever received. */
  instrument(key: InstrumentKey): Readonly<InstrumentView> | undefined;
  /** Returns the latest quote with the flags of an instant, for display and pricing. */
  quoteAt(key: InstrumentKey, at: EpochMs): Quote | null;
  /** Returns the latest reference price with the flags of an instant. */
  referenceAt(key: InstrumentKey, at: EpochMs): ReferencePrice | null;
  /**
   * Returns active events about a symbol, newest first: negative ones of the longest look-back, others of the last 168 hours. Null if
   * unknown: a source was never read completely or is silent for too long, or a relevant event was dropped for space. A source was read
   * completely once a polling round ended, which its heartbeat reports.
   */
  newsOf(symbol: string, at: EpochMs): readonly NewsEvent[] | null;
  feeds(): readonly FeedState[];
  /** Quotes and reference prices that became the latest, in order. */
  readonly changed: Observable<Quote | ReferencePrice>;
  readonly counters: FeedCounters;
  readonly freshness: Freshness;
  /** Returns all data, with the flags of an instant. */
  snapshot(at: EpochMs): MarketSnapshot;
}

export function createMarketView(options: MarketViewOptions = {}): MarketView {
  return new LatestView(options);
}

class LatestView implements MarketView {
  readonly freshness;
  readonly counters;
  readonly #maxInstruments;
  readonly #maxNews;
  readonly #slots = new Map<InstrumentKey, InstrumentView>();
  /** Index of the same slots that needs no key string. */
  readonly #byName;
  readonly #lives = new FeedLives();
  readonly #news = new Map<string, NewsEvent>();
  readonly #newsBySymbol = new Map<string, Set<string>>();
  /** Time at which a source of events last completed a round. */
  readonly #roundEndedAt = new Map<string, EpochMs>();
  /** By source, the underlyings that its last round did not read, with the time of the last round that did. */
  readonly #unreadSince = new Map<string, ReadonlyMap<string, EpochMs>>();
  /** Time of the latest dropped event, by symbol. */
  readonly #pushedOutAt = new Map<string, EpochMs>();
  readonly #changed = createOrderedBus<Quote | ReferencePrice>();

  constructor(options: MarketViewOptions = {}) {
    this.freshness = options.freshness ?? createFreshness();
    this.counters = options.counters ?? createFeedCounters();
    this.#maxInstruments = options.maxInstruments ?? 20_000;
    this.#maxNews = options.maxNews ?? 50_000;
    this.#byName = new SlotTable<InstrumentView>((venue, instrument) => {
      const key = instrumentKey(venue as Venue, instrument);
      const view: InstrumentView = { key, quote: null, reference: null, perpContext: null, liquidity: null };
      this.#slots.set(key, view);
      return view;
    });
  }

  apply(message: FeedMessage): boolean {
    if (message.kind === 'rejection') {
      this.counters.rejected(message.venue, message.reason);
      return false;
    }
    this.counters.received(message.venue);
    this.#lives.receive(message);
    switch (message.kind) {
      case 'quote': {
        const slot = this.#slotOfMessage(message.venue, message.instrument);
        if (slot === null) return false;
        if (this.#olderThanOther(message, slot.quote)) {
          this.counters.count(message.venue, 'out_of_order');
          return false;
        }
        slot.quote = message;
        this.#changed.next(message);
        return true;
      }
      case 'reference': {
        const slot = this.#slotOfMessage('reference', message.instrument);
        if (slot === null) return false;
        if (this.#olderThanOther(message, slot.reference)) {
          this.counters.count('reference', 'out_of_order');
          return false;
        }
        slot.reference = message;
        this.#changed.next(message);
        return true;
      }
      case 'perp_context': {
        const slot = this.#slotOfMessage(message.venue, message.instrument);
        if (slot === null) return false;
        slot.perpContext = message;
        return true;
      }
      case 'pool_liquidity': {
        const slot = this.#slotOfMessage(message.venue, message.instrument);
        if (slot === null) return false;
        slot.liquidity = message;
        return true;
      }
      case 'news':
        return this.#applyNews(message);
      case 'heartbeat':
        if (message.venue === 'reference') this.#endRound(message.source, message.receivedAt);
        return false;
      default:
        // Bars belong to the indicator board. Status and heartbeats only count as signs of life.
        return message.kind === 'feed_status';
    }
  }

  instrument(key: InstrumentKey): Readonly<InstrumentView> | undefined {
    return this.#slots.get(key);
  }

  quoteAt(key: InstrumentKey, at: EpochMs): Quote | null {
    const quote = this.#slots.get(key)?.quote ?? null;
    return quote === null ? null : this.#markedQuote(quote, at);
  }

  referenceAt(key: InstrumentKey, at: EpochMs): ReferencePrice | null {
    const reference = this.#slots.get(key)?.reference ?? null;
    return reference === null ? null : this.#agedReference(reference, at);
  }

  newsOf(symbol: string, at: EpochMs): readonly NewsEvent[] | null {
    if (!this.#isNewsKnown(symbol, at)) return null;
    const ids = [...(this.#newsBySymbol.get(symbol) ?? [])];
    return listActiveEvents(
      ids.map((id) => this.#news.get(id) as NewsEvent),
      at,
    );
  }

  feeds(): readonly FeedState[] {
    return this.#lives.all().map((life) => this.#feedState(life));
  }

  readonly changed = this.#changed.stream;

  snapshot(at: EpochMs): MarketSnapshot {
    const quotes: Quote[] = [];
    const references: ReferencePrice[] = [];
    const perpContexts: PerpContext[] = [];
    const liquidity: PoolLiquidity[] = [];
    for (const slot of this.#slots.values()) {
      if (slot.quote !== null) quotes.push(this.#markedQuote(slot.quote, at));
      if (slot.reference !== null) references.push(this.#agedReference(slot.reference, at));
      if (slot.perpContext !== null) perpContexts.push(slot.perpContext);
      if (slot.liquidity !== null) liquidity.push(slot.liquidity);
    }
    return {
      quotes,
      references,
      perpContexts,
      liquidity,
      feeds: this.#lives.all().map((life) => this.#feedState(life)),
      counts: this.counters.snapshot(),
    };
  }

  #slotOfMessage(venue: Venue, instrument: string): InstrumentView | null {
    // A full view remembers no new name, not even as refused.
    if (this.#slots.size >= this.#maxInstruments && !this.#slots.has(instrumentKey(venue, instrument))) {
      this.counters.count(venue, 'over_capacity');
      return null;
    }
    return this.#byName.at(venue, instrument);
  }

  /**
   * True if the event is older than the latest from another source. An older time of one source never replaces a newer one of another.
   * Within a source the rules ensure this. Once the latest exceeds its maximum age it blocks nothing: the venue's clock was set back, and
   * new messages count.
   */
  #olderThanOther(event: Quote | ReferencePrice, latest: Quote | ReferencePrice | null): boolean {
    if (latest === null || latest.source === event.source) return false;
    if (event.kind === 'reference' && latest.kind === 'reference') {
      const [isSecond, wasSecond] = [this.#isSecondSource(event), this.#isSecondSource(latest)];
      // A live price of the first source outranks any of a second one, whichever is newer.
      if (isSecond && !wasSecond && this.#agedReference(latest, event.receivedAt).quality === 'live') return true;
      if (!isSecond && wasSecond && event.quality === 'live') return false;
    }
    if (event.observedAt >= latest.observedAt) return false;
    if (event.receivedAt - latest.receivedAt > this.freshness.maxAgeMs(latest)) return false;
    return (toFlagBits(latest.flags) & CLOCK_SKEW) === 0;
  }

  #isSecondSource(reference: ReferencePrice): boolean {
    return SECOND_REFERENCE_SOURCES.has(reference.source);
  }

  #applyNews(event: NewsEvent): boolean {
    const before = this.#news.get(event.id);
    if (before !== undefined) this.#forget(before);
    this.#news.set(event.id, event);
    for (const symbol of event.symbols) {
      const ids = this.#newsBySymbol.get(symbol);
      if (ids === undefined) this.#newsBySymbol.set(symbol, new Set([event.id]));
      else ids.add(event.id);
    }
    for (const oldest of this.#news.values()) {
      const counts = oldest.receivedAt >= event.receivedAt - ACTIVE_NEWS_MS;
      if (this.#news.size <= this.#maxNews && counts) break;
      if (counts && oldest.negative) {
        for (const symbol of oldest.symbols) this.#pushedOutAt.set(symbol, Math.max(oldest.observedAt, this.#pushedOutAt.get(symbol) ?? 0));
      }
      this.#forget(oldest);
    }
    return true;
  }

  #isNewsKnown(symbol: string, at: EpochMs): boolean {
    if ((this.#pushedOutAt.get(symbol) ?? Number.NEGATIVE_INFINITY) >= at - ACTIVE_NEWS_MS) return false;
    const since = at - this.freshness.limits.eventsMaxSilenceMs;
    return listEventSources(symbol).every((source) => {
      const readAt = this.#unreadSince.get(source)?.get(symbol) ?? this.#roundEndedAt.get(source);
      return readAt !== undefined && readAt >= since;
    });
  }

  #endRound(roundSource: string, at: EpochMs): void {
    const { source, unread } = readEventRound(roundSource);
    const before = this.#unreadSince.get(source);
    const readAt = this.#roundEndedAt.get(source) ?? Number.NEGATIVE_INFINITY;
    if (unread.size > 0) this.#unreadSince.set(source, new Map([...unread].map((symbol) => [symbol, before?.get(symbol) ?? readAt])));
    else if (before !== undefined) this.#unreadSince.delete(source);
    this.#roundEndedAt.set(source, at);
  }

  #forget(event: NewsEvent): void {
    this.#news.delete(event.id);
    for (const symbol of event.symbols) {
      const ids = this.#newsBySymbol.get(symbol);
      ids?.delete(event.id);
      if (ids?.size === 0) this.#newsBySymbol.delete(symbol);
    }
  }

  #markedQuote(quote: Quote, at: EpochMs): Quote {
    return withQuoteFlags(quote, this.freshness.bitsAt(quote, this.#lives.of(quote.venue, quote.source), at));
  }

  #agedReference(reference: ReferencePrice, at: EpochMs): ReferencePrice {
    return withReferenceFlags(reference, this.freshness.bitsAt(reference, this.#lives.of('reference', reference.source), at));
  }

  #feedState(life: FeedLife): FeedState {
    return {
      venue: life.venue,
      provider: life.provider,
      connected: life.connected,
      heardAt: life.heardAt === Number.NEGATIVE_INFINITY ? null : life.heardAt,
      detail: life.detail,
    };
  }
}
