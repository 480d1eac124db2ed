/** Connectivity of each venue, with a state for each kind of silence, and the changes that agents react to. */
import type { Observable } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import { ageInWords } from '../../src/domain/values/words.ts';
import { DATA_DEGRADATION_MS, type FeedLimits } from '../../src/domain/venues/venue-facts.ts';
import type { Clock } from '../clock/clock.ts';
import { type FeedLife, FeedLives, readProvider } from '../feed-life.ts';
import { ageMs } from './flag-bits.ts';
import { createFreshness, type Freshness } from './freshness.ts';
import { createOrderedBus } from '../ordered-bus.ts';

/**
 * Returns how much is left, at an instant, of the five seconds for which degraded data is tolerated. They count from the last good message,
 * or from the change if there never was one. The agent's own durable timer waits.
 */
export function degradationLeftMs({ goodAt, at }: { readonly goodAt: EpochMs | null; readonly at: EpochMs }, now: EpochMs): number {
  return Math.min(DATA_DEGRADATION_MS, Math.max(0, (goodAt ?? at) + DATA_DEGRADATION_MS - now));
}

/**
 * Connectivity of a venue. `live`: prices arrive. `no_trades`: connected, but nothing changes. `market_closed`: no session is open, so
 * silence means nothing. `carried_forward`: messages arrive, but prices stand still while the session is open. `silent`: connected, but
 * nothing arrived for longer than its limit. `feed_down`: not connected. The last three are degraded.
 */
type Hearing = 'live' | 'no_trades' | 'market_closed' | 'carried_forward' | 'silent' | 'feed_down';

/** Providers of marks and news. Their state says nothing about a venue's prices. */
const SIDE_PROVIDERS: ReadonlySet<string> = new Set(['prestocks', 'tessera', 'news', 'finnhub', 'alpaca']);

const DEGRADED: ReadonlySet<Hearing> = new Set(['carried_forward', 'silent', 'feed_down']);

/** A venue's data became degraded, or recovered. */
export interface ConnectivityEdge {
  readonly type: 'feed.degraded' | 'feed.restored';
  readonly venue: Venue;
  readonly at: EpochMs;
  readonly hearing: Hearing;
  /**
   * Start of the five seconds: the last credible message of the worst feed, or for a polled feed the due time of its first missed answer.
   * Null if there was none.
   */
  readonly goodAt: EpochMs | null;
  /** One sentence for people. */
  readonly detail: string;
}

interface VenueConnectivity {
  readonly venue: Venue;
  readonly hearing: Hearing;
  readonly detail: string;
  /** Time since which its data is degraded, or null. */
  readonly degradedSince: EpochMs | null;
  /** Time of the last good message, as of the edge. */
  readonly goodAt: EpochMs | null;
  /** Time of the last sign of life, or null. */
  readonly heardAt: EpochMs | null;
}

interface ConnectivityOptions {
  readonly clock: Clock;
  /** Expected venues, which are degraded until they are received. */
  readonly venues: readonly Venue[];
  readonly freshness?: Freshness;
}

export interface Connectivity {
  /** Handles a message of the merged stream. */
  take(message: FeedMessage): void;
  /** Changes, emitted at once. An agent's own timer waits for the rest of the five seconds. */
  readonly edges: Observable<ConnectivityEdge>;
  state(venue: Venue): VenueConnectivity;
  /** Starts watching: from now on, every expected venue without data is degraded. */
  start(): void;
  stop(): void;
}

/** One provider of a venue. */
interface Watched {
  readonly life: FeedLife;
  readonly limits: FeedLimits;
  /** True once it has sent prices. Before that, its status stands for the venue. */
  priced: boolean;
  /** Receipt of the last quote, reference or context. */
  pricedAt: EpochMs;
  /** Newest source time in a price. */
  progressAt: EpochMs;
  cancel: (() => void) | null;
}

interface VenueState {
  readonly venue: Venue;
  readonly feeds: Watched[];
  hearing: Hearing;
  detail: string;
  degradedSince: EpochMs | null;
  goodAt: EpochMs | null;
  known: boolean;
}

export function createConnectivity(options: ConnectivityOptions): Connectivity {
  return new ExpectedFeeds(options);
}

const WORST: readonly Hearing[] = ['live', 'no_trades', 'market_closed', 'carried_forward', 'silent', 'feed_down'];

class ExpectedFeeds implements Connectivity {
  readonly #options: ConnectivityOptions;
  readonly #clock: ConnectivityOptions['clock'];
  readonly #freshness;
  readonly #lives = new FeedLives();
  readonly #watched = new Map<FeedLife, Watched>();
  readonly #states = new Map<Venue, VenueState>();
  readonly #edges = createOrderedBus<ConnectivityEdge>();
  #running = false;

  constructor(options: ConnectivityOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#freshness = options.freshness ?? createFreshness();
  }

  get edges(): Observable<ConnectivityEdge> {
    return this.#edges.stream;
  }

  state(venue: Venue): VenueConnectivity {
    const state = this.#stateOf(venue);
    const heardAt = state.feeds.reduce((latest, feed) => Math.max(latest, feed.life.heardAt), Number.NEGATIVE_INFINITY);
    return {
      venue,
      hearing: state.hearing,
      detail: state.detail,
      degradedSince: state.degradedSince,
      goodAt: state.goodAt,
      heardAt: heardAt === Number.NEGATIVE_INFINITY ? null : heardAt,
    };
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    for (const venue of this.#options.venues) this.#stateOf(venue);
    for (const state of this.#states.values()) {
      this.#review(state, this.#clock.now());
      for (const feed of state.feeds) this.#watch(feed, state);
    }
  }

  stop(): void {
    this.#running = false;
    for (const feed of this.#watched.values()) {
      feed.cancel?.();
      feed.cancel = null;
    }
    this.#edges.complete();
  }

  #stateOf(venue: Venue): VenueState {
    let state = this.#states.get(venue);
    if (state === undefined) {
      state = { venue, feeds: [], hearing: 'feed_down', detail: 'not received yet', degradedSince: null, goodAt: null, known: false };
      this.#states.set(venue, state);
    }
    return state;
  }

  #hearingOf(feed: Watched, at: EpochMs): readonly [Hearing, string] {
    const { life, limits } = feed;
    if (life.connected === false) return ['feed_down', `${life.provider} is disconnected: ${life.detail}`];
    const closed = life.venue === 'reference' && this.#freshness.sessionAt(at) === 'CLOSED';
    if (closed) return ['market_closed', 'no session is open'];
    const silentMs = at - life.heardAt;
    if (silentMs > limits.silentAfterMs) return ['silent', `${life.provider} was not received for ${ageInWords(silentMs)}`];
    if (!feed.priced) return ['no_trades', `${life.provider} is connected and has sent no price yet`];
    if (limits.cadence === 'continuous' && (life.venue !== 'reference' || this.#freshness.sessionAt(at) === 'REGULAR')) {
      const frozenMs = ageMs(feed.progressAt, at);
      if (frozenMs > limits.maxAgeMs) return ['carried_forward', `${life.provider} repeats prices that are ${ageInWords(frozenMs)} old`];
    }
    if (at - feed.pricedAt > limits.maxAgeMs)
      return ['no_trades', `${life.provider} is alive; nothing changed for ${ageInWords(at - feed.pricedAt)}`];
    return ['live', ''];
  }

  #review(state: VenueState, at: EpochMs): void {
    if (!this.#running) return;
    let hearing: Hearing = 'live';
    let detail = '';
    let goodAt: EpochMs | null = null;
    const anyPriced = state.feeds.some((feed) => feed.priced);
    let feeds = 0;
    for (const feed of state.feeds) {
      // A source without a price (a feed that failed before it named itself) counts only while there is nothing better.
      if (anyPriced && !feed.priced) continue;
      feeds++;
      const [word, why] = this.#hearingOf(feed, at);
      if (WORST.indexOf(word) > WORST.indexOf(hearing)) {
        [hearing, detail] = [word, why];
        const good = word === 'carried_forward' ? feed.progressAt : (feed.life.missedAt ?? feed.life.heardAt);
        goodAt = Number.isFinite(good) ? good : null;
      }
    }
    if (feeds === 0) [hearing, detail] = ['feed_down', 'not received yet'];
    const degraded = DEGRADED.has(hearing);
    state.hearing = hearing;
    state.detail = detail;
    if (degraded && state.degradedSince === null) {
      state.degradedSince = at;
      state.goodAt = goodAt;
      state.known = true;
      this.#edges.next({ type: 'feed.degraded', venue: state.venue, at, hearing, goodAt, detail });
    } else if (!degraded && (state.degradedSince !== null || !state.known)) {
      const restored = state.degradedSince !== null;
      state.degradedSince = null;
      state.known = true;
      if (restored) this.#edges.next({ type: 'feed.restored', venue: state.venue, at, hearing, goodAt: at, detail });
    }
  }

  /** Sets one timer per feed, renewed when it fires, so that a quote costs none. */
  #watch(feed: Watched, state: VenueState): void {
    const now = this.#clock.now();
    const { limits, life } = feed;
    let next = life.heardAt + limits.silentAfterMs + 1;
    if (limits.cadence === 'continuous' && feed.progressAt + limits.maxAgeMs + 1 > now)
      next = Math.min(next, feed.progressAt + limits.maxAgeMs + 1);
    if (next <= now) next = now + Math.min(limits.silentAfterMs, limits.maxAgeMs);
    feed.cancel = this.#clock.deadline(next, () => {
      feed.cancel = null;
      if (!this.#running) return;
      this.#review(state, this.#clock.now());
      this.#watch(feed, state);
    });
  }

  #watchedOf(life: FeedLife, source: string, state: VenueState): Watched {
    let feed = this.#watched.get(life);
    if (feed === undefined) {
      feed = {
        life,
        limits: this.#freshness.sourceLimits(life.venue, source),
        priced: false,
        pricedAt: Number.NEGATIVE_INFINITY,
        progressAt: Number.NEGATIVE_INFINITY,
        cancel: null,
      };
      this.#watched.set(life, feed);
      state.feeds.push(feed);
      if (this.#running) this.#watch(feed, state);
    }
    return feed;
  }

  take(message: FeedMessage): void {
    switch (message.kind) {
      case 'quote':
      case 'perp_context':
      case 'reference': {
        // An issuer's mark arrives once in weeks. It says nothing about the feed of share prices.
        if (message.kind === 'reference' && this.#freshness.isIssuerMark(message)) return;
        // A second source sends because the first one is silent. It must not make the first look alive.
        if (SIDE_PROVIDERS.has(readProvider(message.source))) return;
        const state = this.#stateOf(message.venue);
        const feed = this.#watchedOf(this.#lives.receive(message), message.source, state);
        feed.priced = true;
        feed.pricedAt = message.receivedAt;
        const own = message.kind === 'reference' ? message.feedUpdatedAt : message.observedAt;
        const bounded = own < message.receivedAt ? own : message.receivedAt;
        if (bounded > feed.progressAt) feed.progressAt = bounded;
        // While all is well only silence and frozen times can change it, and those have a timer.
        if (state.hearing !== 'live' || feed.limits.cadence === 'continuous') this.#review(state, message.receivedAt);
        return;
      }
      case 'heartbeat':
      case 'feed_status': {
        if (SIDE_PROVIDERS.has(readProvider(message.source))) return;
        const state = this.#stateOf(message.venue);
        this.#watchedOf(this.#lives.receive(message), message.source, state);
        if (message.kind === 'feed_status' || state.degradedSince !== null) this.#review(state, message.receivedAt);
        return;
      }
      default:
        return;
    }
  }
}
