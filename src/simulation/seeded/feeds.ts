/** Feeds of a seeded run: a price twice a second per instrument, unless a fault prevents it. */
import { Subject } from 'rxjs';
import type { VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { VENUES } from './fault-plan.ts';

/**
 * Quotes of each venue with their approximate levels. Bitcoin and the stock have nearly equal prices on two venues, which only the venue
 * tells apart.
 */
const MARKETS: Readonly<Record<string, readonly (readonly [instrument: string, base: number])[]>> = {
  spotexchange: [
    ['BTCUSDT', 96_000],
    ['ETHUSDT', 3_100],
  ],
  spotchain: [['AAPLx', 270]],
  evmvenue: [['BTC', 96_010]],
};
/** Approximate reference price of the stock, in US dollars. */
const REFERENCE_USD = 270;
/** Liquidity of every pool in US dollars, both sides. Without it nothing is bought on the primary chain. */
export const POOL_USD = '1000000';
/** Last two digits of every price, unique per venue and side, so that no two sources ever report the same number. */
const MARKS: Readonly<Record<string, string>> = { spotexchange: '1', spotchain: '3', evmvenue: '7', reference: '9' };

/** Fault of a price. */
type Bent = 'crossed' | 'future' | 'old';

export type SeededFeeds = ReturnType<typeof createSeededFeeds>;

/** Creates the feeds. @param nudge fraction by which a venue's prices are raised */
export function createSeededFeeds(clock: VirtualClock, random: () => number, nudge: Readonly<Partial<Record<Venue, number>>>) {
  const feeds = VENUES.map((venue) => ({ venue, messages: new Subject<FeedMessage>() }));
  const received: FeedMessage[] = [];
  const silentUntil = new Map<Venue, EpochMs>();
  let epoch = 1;

  function emit(venue: Venue, message: FeedMessage): void {
    received.push(message);
    feeds.find((feed) => feed.venue === venue)?.messages.next(message);
  }

  function say(venue: Venue, status: 'connected' | 'disconnected'): void {
    emit(venue, { kind: 'feed_status', venue, source: `test-${venue}`, receivedAt: clock.now(), status, epoch, detail: '' });
  }

  /** Publishes a venue's current prices once, optionally one of them with a fault. */
  function price(venue: Venue, bent: Bent | null = null): void {
    const level = (base: number): number => base * (1 + (random() - 0.5) / 100) * (1 + (nudge[venue] ?? 0));
    for (const message of createPrices(venue, clock.now(), bent, level)) emit(venue, message);
  }

  function beat(venue: Venue): void {
    if (clock.now() >= (silentUntil.get(venue) ?? 0)) price(venue);
    clock.deadline(clock.now() + 400 + Math.floor(random() * 200), () => beat(venue));
  }

  return {
    feeds,
    /** Messages of all feeds, in order. */
    received,
    price,
    /** Silences a venue. If it is disconnected, its feed reports that and the reconnect. */
    silence(venue: Venue, forMs: number, isDisconnected: boolean) {
      silentUntil.set(venue, clock.now() + forMs);
      if (!isDisconnected) return;
      say(venue, 'disconnected');
      clock.deadline(clock.now() + forMs, () => {
        epoch++;
        say(venue, 'connected');
      });
    },
    /** Sends bytes that are not a message. */
    garbage(venue: Venue) {
      const receivedAt = clock.now();
      emit(venue, {
        kind: 'rejection',
        venue,
        source: 'test',
        receivedAt,
        reason: 'not_json',
        detail: 'garbage',
        sample: '',
      });
    },
    /** Connects every venue and starts publishing. */
    begin() {
      for (const venue of VENUES) {
        say(venue, 'connected');
        beat(venue);
      }
    },
  };
}

/** Returns a venue's messages at an instant. `level` draws a price around a base. */
function createPrices(venue: Venue, now: EpochMs, bent: Bent | null, level: (base: number) => number): FeedMessage[] {
  const observedAt = bent === 'future' ? now + HOUR_MS : bent === 'old' ? now - DAY_MS : now;
  const spelled = (price: number, side: string): string => `${price.toFixed(4)}${MARKS[venue]}${side}`;
  if (venue === 'reference') return [referencePrice(now, observedAt, spelled(level(REFERENCE_USD), '0'))];
  return (MARKETS[venue] ?? []).flatMap(([instrument, base]): FeedMessage[] => {
    const mid = level(base);
    const [near, away] = [spelled(mid, '2'), spelled(mid * 1.0002, '4')];
    const [bid, ask] = bent === 'crossed' ? [away, near] : [near, away];
    const source = `test-${venue}:top`;
    const quote: FeedMessage = {
      kind: 'quote',
      venue,
      instrument,
      source,
      observedAt,
      receivedAt: now,
      sourceTime: true,
      bid,
      ask,
      bidSize: '1',
      askSize: '1',
      sequence: null,
      quality: 'live',
      flags: [],
    };
    return venue === 'spotchain' ? [poolLiquidity(instrument, now), quote] : [quote];
  });
}

function poolLiquidity(instrument: string, now: EpochMs): FeedMessage {
  const source = 'test-spotchain:pools';
  return { kind: 'pool_liquidity', venue: 'spotchain', instrument, source, observedAt: now, receivedAt: now, liquidityUsd: POOL_USD };
}

function referencePrice(now: EpochMs, observedAt: EpochMs, price: string): FeedMessage {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: 'AAPL',
    source: 'test-reference:price',
    observedAt,
    receivedAt: now,
    feedUpdatedAt: observedAt,
    referencePrice: price,
    confidence: '0.05',
    publisherSession: null,
    quality: 'live',
    flags: [],
  };
}
