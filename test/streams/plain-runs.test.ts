/** Runs of plain quotes compared with receiving every quote separately, on random markets in the blocks of a tape. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { BlockEncoder, decodeFrame, FRAME_BYTES, openBlock } from '../../src/adapters/tape/binary-codec.ts';
import type { FeedMessage, MarketEvent } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { quoteOfDigits, writeDigits } from '../../src/domain/market/quote-digits.ts';
import { createFeedCounters } from '../../streams/feed-counters.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';
import { createFusedQuality } from '../../streams/quality/fused-quality.ts';
import { createMarketView, type MarketView } from '../../streams/market-view.ts';
import { PlainRuns } from '../../streams/plain-runs.ts';
import { overrideLimits } from '../../streams/quality/quality-limits.ts';
import { heartbeat, liquidity, perpContext, quote, REGULAR, reference, status } from './events.ts';
import { rounds } from '../harness/rounds.ts';

const freshness = createFreshness({ limits: overrideLimits({ sources: { 'binance:depth': { sequence: 'contiguous' } } }) });

/** Creates a receiver of the messages with its counts and state. */
function receiver() {
  const counters = createFeedCounters();
  const assess = createFusedQuality({ freshness, counters });
  const view = createMarketView({ freshness, counters });
  const receive = (message: FeedMessage): boolean => {
    const assessed = assess(message);
    return assessed !== null && view.apply(assessed) && assessed === message;
  };
  return { counters, view, receive, known: (at: number) => view.snapshot(at) };
}

/** Returns the messages as the walk over one block of a tape. */
function walked(messages: readonly MarketEvent[]) {
  const encoder = new BlockEncoder({ deflate: false });
  for (const message of messages) encoder.add(message, null);
  const block = encoder.take() as Buffer;
  return openBlock(decodeFrame(block.subarray(0, FRAME_BYTES)), block.subarray(FRAME_BYTES), 0);
}

/** Returns the parts of a quote that a subscriber to every quote receives. */
const top = ({ source, receivedAt, observedAt, bid, ask, bidSize, askSize }: Quote): string =>
  [source, receivedAt, observedAt, bid, ask, bidSize, askSize].join(' ');

/** Returns the live tops of one instrument from a view; a repeated top counts once. */
function followed(view: MarketView) {
  const tops: string[] = [];
  const told = (text: string): void => {
    if (tops.at(-1) !== text) tops.push(text);
  };
  view.changed.subscribe((event) => {
    if (event.kind === 'quote' && event.instrument === 'BTCUSDT' && event.quality === 'live') told(top(event));
  });
  return { tops, told };
}

/** Receives messages like a bulk replay. `look` is called after the messages at which somebody reads. */
function inRuns(messages: readonly MarketEvent[], looksAt: (index: number) => boolean, look: (known: unknown, index: number) => void) {
  const { counters, view, receive, known } = receiver();
  let received = 0;
  const runs = new PlainRuns({
    freshness,
    counters,
    receive: (one) => {
      received++;
      return receive(one);
    },
  });
  const { tops, told } = followed(view);
  const stop = runs.listen('spotexchange:BTCUSDT', (digits) => told(top(quoteOfDigits(digits))));
  const walk = walked(messages);
  for (let index = 0; walk.next(); index++) {
    if (walk.quote !== null && index % 13 !== 5) runs.take(walk.quote);
    else {
      const message = walk.event() as FeedMessage;
      if (message.kind === 'quote') runs.interrupt(message);
      else if (message.kind === 'feed_status') runs.interruptAll();
      receive(message);
    }
    if (!looksAt(index)) continue;
    runs.settle();
    look(known((messages[index] as MarketEvent).receivedAt), index);
  }
  stop();
  return { received, tops };
}

/** Ticks of an undisturbed feed. */
const calm = fc.record({
  instrument: fc.constantFrom('BTCUSDT', 'ETHUSDT'),
  drift: fc.integer({ min: -60, max: 80 }),
  spread: fc.constantFrom<number>(0, 1, 1, 1),
  newer: fc.constant<number>(1),
  lag: fc.constant<number>(0),
  isOtherSource: fc.constant<boolean>(false),
  scales: fc.constant([2, 2] as const),
  odd: fc.constant({}),
});

type Calm = typeof calm extends fc.Arbitrary<infer Value> ? Value : never;
type Tick = Omit<Calm, 'scales' | 'odd'> & { readonly scales: readonly [number, number]; readonly odd: object };

/** Deviation of a single tick. */
const deviation: fc.Arbitrary<Partial<Tick>> = fc.oneof(
  fc.constantFrom(-1_900, 700, 1_900, 2_100, 30_000).map((drift) => ({ drift })),
  fc.constantFrom(-1, 500).map((spread) => ({ spread })),
  // The same sequence number again, mostly with the same book.
  fc.constantFrom(0, 0, 0, -4, -1, 2).map((newer) => ({ newer, drift: 0, spread: 1 })),
  fc.constantFrom(-30_000, -500, -100, 500, 2_001, 60_000).map((lag) => ({ lag })),
  fc.constant({ isOtherSource: true }),
  fc.constantFrom([2, 3] as const, [8, 2] as const, [3, 3] as const).map((scales) => ({ scales })),
  fc
    .constantFrom(
      { bid: null },
      { ask: null },
      { bidSize: null },
      { bid: '0100.5' },
      { sequence: null },
      { quality: 'stale' as const },
      { flags: ['gap' as const] },
    )
    .map((odd) => ({ odd })),
);
const wild: fc.Arbitrary<Tick> = fc
  .tuple(calm, deviation, fc.option(deviation, { freq: 3 }))
  .map(([tick, one, other]) => ({ ...tick, ...one, ...other }));

const step = fc.record({
  advance: fc.integer({ min: 0, max: 1_500 }),
  looks: fc.integer({ min: 0, max: 19 }),
  make: fc.oneof(
    { weight: 30, arbitrary: calm },
    { weight: 6, arbitrary: wild },
    { weight: 1, arbitrary: fc.constantFrom('perp' as const, 'reference' as const, 'liquidity' as const, 'heartbeat' as const) },
    { weight: 1, arbitrary: fc.constantFrom('connected' as const, 'disconnected' as const) },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Numbering and timing of a market's quotes. */
const habits = fc.record({
  numbered: fc.boolean(),
  timed: fc.boolean(),
  source: fc.constantFrom('binance:bookTicker', 'binance:bookTicker', 'binance:depth'),
});
type Habits = typeof habits extends fc.Arbitrary<infer Value> ? Value : never;

/** Converts steps to a venue's messages. A new connection restarts the numbering. */
function marketOf(steps: readonly Step[], { numbered, timed, source }: Habits): MarketEvent[] {
  let at = REGULAR;
  const feeds = new Map<string, { cents: number; sequence: number }>();
  return steps.map(({ advance, make }) => {
    at += advance;
    if (make === 'perp') return perpContext(at);
    if (make === 'reference') return reference(at);
    if (make === 'liquidity') return liquidity(at);
    if (make === 'heartbeat') return heartbeat(at);
    if (typeof make === 'string') {
      for (const feed of feeds.values()) feed.sequence = 10;
      return status(at, make);
    }
    const feed = feeds.get(make.instrument) ?? { cents: 10_000, sequence: 100 };
    feeds.set(make.instrument, feed);
    feed.cents = Math.max(1, feed.cents + make.drift);
    feed.sequence = Math.max(0, feed.sequence + make.newer);
    const [bidScale, askScale] = make.scales;
    return quote(at, {
      source: make.isOtherSource ? 'binance:trade' : source,
      instrument: make.instrument,
      observedAt: at + make.lag,
      sourceTime: timed,
      bid: writeDigits(feed.cents * 10 ** (bidScale - 2), bidScale),
      ask: writeDigits(Math.max(1, feed.cents + make.spread) * 10 ** (askScale - 2), askScale),
      sequence: numbered ? feed.sequence : null,
      ...make.odd,
    });
  });
}

it('leaves the same view and counts at every read, whatever venues send', () => {
  let quotes = 0;
  let receivedOfThem = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 120 }), habits, (steps, feeds) => {
      const messages = marketOf(steps, feeds);
      const plainly = receiver();
      const { tops } = followed(plainly.view);
      const expected = messages.map((message) => {
        plainly.receive(message);
        return plainly.known(message.receivedAt);
      });
      const last = messages.length - 1;
      const runs = inRuns(
        messages,
        (index) => index === last || (steps[index] as Step).looks === 0,
        (known, index) => expect(known, `after message ${index}`).toEqual(expected[index]),
      );
      receivedOfThem += runs.received;
      expect(runs.tops).toEqual(tops);
      quotes += messages.filter(({ kind }) => kind === 'quote').length;
    }),
    { numRuns: rounds({ suite: 100, proof: 500 }) },
  );
  // Quotes were skipped, so the comparison is meaningful.
  expect(receivedOfThem).toBeLessThan(quotes * 0.8);
});

it('receives only the last quote of a calm run', () => {
  const messages = Array.from({ length: 200 }, (_, index) =>
    quote(REGULAR + index * 50, {
      sequence: index + 1,
      bid: writeDigits(10_000 + (index % 40), 2),
      ask: writeDigits(10_001 + (index % 40), 2),
    }),
  );
  const looked: unknown[] = [];
  const { received } = inRuns(
    messages,
    (index) => index === 199,
    (known) => looked.push(known),
  );
  expect(looked).toHaveLength(1);
  // The first, each whole event with the next one, and the last.
  expect(received).toBeLessThan(40);
});
