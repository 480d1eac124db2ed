/**
 * From the bytes of a socket to the market view: the spot exchange's best bid and ask, compared with other libraries, JSON.parse
 * of the same bytes, a bare scan, and hand-written chains of the same rules. Also the maps of the other venues'
 * messages.
 */
import assert from 'node:assert/strict';
import { Subject } from 'rxjs';
import { mapParsedSpotFrame, mapSpotFrame, streamSymbols } from '../src/adapters/venues/spotexchange/map.ts';
import { compareDecimals } from '../src/domain/values/decimal.ts';
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import { NO_FLAGS, type Quality, type QualityFlag, type Quote } from '../src/domain/market/quote.ts';
import { createFeedCounters } from '../streams/feed-counters.ts';
import { withQuality } from '../streams/quality/flag-bits.ts';
import { createFusedQuality } from '../streams/quality/fused-quality.ts';
import { composedQuality } from '../streams/market-pipeline.ts';
import { createMarketView } from '../streams/market-view.ts';
import { changesOf, changingFrames, FRAMES, INSTRUMENTS, recordedFrames } from './book-ticker-frames.ts';
import { bench, type Comparison, repeated, sink } from './harness.ts';
import { ccxtBinance, ccxtReading, tardisReading } from './peer-normalisers.ts';
import { peerVersion, tardis } from './peers.ts';
import { messageComparisons, messageContenders } from './venue-messages.ts';

const RECEIVED_AT = Date.UTC(2026, 2, 2, 14, 31);
const symbols = streamSymbols(INSTRUMENTS);
/** Frames in which all four numbers change: the worst case. */
const frames = changingFrames();
/** Frames like a real stream: one side changes, the rest stays. */
const recorded = recordedFrames();
const quotes = frames.map((frame) => copied(mapSpotFrame(frame, RECEIVED_AT, symbols)[0] as Quote));

const tardisBookTicker = tardisReading(tardis().normalizeBookTickers('binance', new Date(RECEIVED_AT)), RECEIVED_AT);
const binance = await ccxtBinance(INSTRUMENTS);
const ccxtBookTicker = ccxtReading(binance, 'wss://stream.binance.com:9443/stream');

/**
 * Copies a quote. V8 allocates objects from sites with long-lived results directly in the old space, where only a full collection
 * frees them, so a map whose quotes the benchmark kept would run at half its speed.
 */
function copied(quote: Quote): Quote {
  return {
    kind: quote.kind,
    venue: quote.venue,
    instrument: quote.instrument,
    source: quote.source,
    observedAt: quote.observedAt,
    receivedAt: quote.receivedAt,
    sourceTime: quote.sourceTime,
    bid: quote.bid,
    ask: quote.ask,
    bidSize: quote.bidSize,
    askSize: quote.askSize,
    sequence: quote.sequence,
    quality: quote.quality,
    flags: quote.flags,
  };
}

/** Limit of scanning: reads the four numbers by their quotes into doubles, without checks. */
const simulators = new Float64Array(4);
function bareScan(frame: Buffer): void {
  let at = 40;
  for (let number = 0; number < 4; number++) {
    // `"b":"` is a quote, a letter, a quote, a colon, a quote.
    while (!(frame[at] === 34 && frame[at + 2] === 34 && frame[at + 3] === 58 && frame[at + 4] === 34 && frame[at + 1] !== 115)) at++;
    at += 5;
    let whole = 0;
    let scale = 1;
    let code = frame[at] as number;
    while (code >= 48 && code <= 57) {
      whole = whole * 10 + (code - 48);
      code = frame[++at] as number;
    }
    if (code === 46) {
      code = frame[++at] as number;
      while (code >= 48 && code <= 57) {
        whole = whole * 10 + (code - 48);
        scale *= 10;
        code = frame[++at] as number;
      }
    }
    simulators[number] = whole / scale;
  }
}

/** Baseline normalizer: parses the frame and writes the result as an object. */
function parsedLiteral(frame: Buffer): Quote {
  const { data } = JSON.parse(frame.toString('utf8')) as { data: { u: number; s: string; b: string; B: string; a: string; A: string } };
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: data.s,
    source: 'binance:bookTicker',
    observedAt: RECEIVED_AT,
    receivedAt: RECEIVED_AT,
    sourceTime: false,
    bid: data.b,
    ask: data.a,
    bidSize: data.B,
    askSize: data.A,
    sequence: data.u,
    quality: 'live',
    flags: NO_FLAGS,
  };
}

/** Memory of the hand-written chains. */
interface HandSlot {
  sequence: number;
  crossed: number;
}

/** Applies five rules by hand with a new object after each, like a hand-written pipeline of immutable events. */
function allocatingChain(): (quote: Quote) => Quote | null {
  const slots = new Map<string, HandSlot>();
  const slotOf = (quote: Quote): HandSlot => {
    let slot = slots.get(quote.instrument);
    if (slot === undefined) {
      slot = { sequence: -1, crossed: 0 };
      slots.set(quote.instrument, slot);
    }
    return slot;
  };
  const skew = (quote: Quote): Quote =>
    quote.observedAt > quote.receivedAt + 2_000 ? withQuality(quote, 'degraded', ['clock_skew']) : withQuality(quote, 'live', NO_FLAGS);
  const order = (quote: Quote): Quote | null => {
    const slot = slotOf(quote);
    const sequence = quote.sequence as number;
    if (sequence <= slot.sequence) return null;
    slot.sequence = sequence;
    return withQuality(quote, quote.quality, quote.flags);
  };
  const gap = (quote: Quote): Quote =>
    quote.flags.includes('resyncing') ? withQuality(quote, 'degraded', quote.flags) : withQuality(quote, quote.quality, quote.flags);
  const crossed = (quote: Quote): Quote => {
    const wrong = quote.bid === null || quote.ask === null || compareDecimals(quote.bid, quote.ask) > 0;
    return wrong ? withQuality(quote, 'degraded', ['crossed']) : withQuality(quote, quote.quality, quote.flags);
  };
  const degraded = (quote: Quote): Quote =>
    quote.flags.length > 0 && quote.quality === 'live'
      ? withQuality(quote, 'degraded', quote.flags)
      : withQuality(quote, quote.quality, quote.flags);
  return (quote) => {
    const ordered = order(skew(quote));
    return ordered === null ? null : degraded(crossed(gap(ordered)));
  };
}

/** Applies the same five stages with object spread, as one would without measuring. */
function spreadChain(): (quote: Quote) => Quote | null {
  const slots = new Map<string, HandSlot>();
  return (quote) => {
    const skewed = { ...quote, quality: (quote.observedAt > quote.receivedAt + 2_000 ? 'degraded' : 'live') as Quality };
    let slot = slots.get(skewed.instrument);
    if (slot === undefined) {
      slot = { sequence: -1, crossed: 0 };
      slots.set(skewed.instrument, slot);
    }
    if ((skewed.sequence as number) <= slot.sequence) return null;
    slot.sequence = skewed.sequence as number;
    const ordered = { ...skewed };
    const gapped = { ...ordered, quality: (ordered.flags.includes('resyncing') ? 'degraded' : ordered.quality) as Quality };
    const wrong = gapped.bid === null || gapped.ask === null || compareDecimals(gapped.bid, gapped.ask) > 0;
    const crossed = {
      ...gapped,
      quality: (wrong ? 'degraded' : gapped.quality) as Quality,
      flags: wrong ? (['crossed'] as readonly QualityFlag[]) : gapped.flags,
    };
    return { ...crossed, quality: (crossed.flags.length > 0 ? 'degraded' : crossed.quality) as Quality };
  };
}

/** Proves that all readers of a frame return the same; otherwise the comparison would be unfair. */
function proveReadEqual(bytes: Buffer): Quote {
  const quote = mapSpotFrame(bytes, RECEIVED_AT, symbols)[0] as Quote;
  assert.deepEqual([quote], mapParsedSpotFrame(bytes, RECEIVED_AT, symbols));
  assert.deepEqual(quote, parsedLiteral(bytes));
  const numbers = [quote.bid, quote.bidSize, quote.ask, quote.askSize].map(Number);
  bareScan(bytes);
  assert.deepEqual([...simulators], numbers);
  const peer = tardisBookTicker(bytes);
  assert.deepEqual([peer?.bidPrice, peer?.bidAmount, peer?.askPrice, peer?.askAmount], numbers);
  ccxtBookTicker(bytes);
  const kept = binance.bidsasks[quote.instrument.replace(/USDT$/, '/USDT')];
  assert.deepEqual([kept?.bid, kept?.bidVolume, kept?.ask, kept?.askVolume], numbers);
  return quote;
}

/** Proves the same for the rules of quality. */
function proveEqual(): void {
  const fused = createFusedQuality();
  const allocating = allocatingChain();
  const spread = spreadChain();
  const subject = new Subject<FeedMessage>();
  let composed: FeedMessage | null = null;
  subject.pipe(composedQuality()).subscribe({
    next: (message) => {
      composed = message;
    },
    error: (error) => {
      throw error;
    },
  });
  for (let index = 0; index < FRAMES; index++) {
    const quote = quotes[index] as Quote;
    assert.deepEqual(proveReadEqual(frames[index] as Buffer), quote);
    const assessed = fused(quote);
    assert.deepEqual(allocating(quote), assessed);
    assert.deepEqual(spread(quote), assessed);
    subject.next(quote);
    assert.deepEqual(composed, assessed);
  }
}

proveEqual();
for (const frame of recorded) proveReadEqual(frame);
const changes = changesOf(recorded);
assert.ok(changes.oneSided === 1 && changes.size === 1 && changes.price > 0.55 && changes.price < 0.65);

const overFrames = (work: (frame: Buffer) => unknown, over = frames): (() => void) => {
  return () => {
    for (let index = 0; index < FRAMES; index++) sink.value = work(over[index] as Buffer);
  };
};

/** Bytes, quote, quality, view: the live process's work per message. Rule and view start anew each pass, as the numbers do. */
function wholePath(map: typeof mapSpotFrame): () => void {
  return () => {
    const counters = createFeedCounters();
    const assess = createFusedQuality({ counters });
    const view = createMarketView({ counters });
    for (let index = 0; index < FRAMES; index++) {
      for (const message of map(frames[index] as Buffer, RECEIVED_AT, symbols)) {
        const kept = assess(message as FeedMessage);
        if (kept !== null) view.apply(kept);
      }
    }
    sink.value = view;
  };
}

function overQuotes(make: () => (quote: Quote) => unknown): () => void {
  return () => {
    const chain = make();
    for (let index = 0; index < FRAMES; index++) sink.value = chain(quotes[index] as Quote);
  };
}

function composedPass(): void {
  const subject = new Subject<FeedMessage>();
  const subscription = subject.pipe(composedQuality()).subscribe({
    next: (message) => {
      sink.value = message;
    },
    error: (error) => {
      throw error;
    },
  });
  for (let index = 0; index < FRAMES; index++) subject.next(quotes[index] as Quote);
  subscription.unsubscribe();
}

const ours = (frame: Buffer): unknown => mapSpotFrame(frame, RECEIVED_AT, symbols);
const readers: readonly [name: string, work: (frame: Buffer) => unknown][] = [
  ['mapSpotFrame', ours],
  ['tardis-dev', tardisBookTicker],
  ['ccxt', ccxtBookTicker],
  ['bare scan', bareScan],
  ['JSON.parse + literal', parsedLiteral],
];

/** Comparisons for reading a stream of frames. Venues send thousands per second, so a reader of millions is no bottleneck. */
function readingLines(stream: string): Comparison[] {
  const line = (what: string, reference: string): Comparison => {
    return { what: `${stream}, ${what}`, ours: `mapSpotFrame, ${stream}`, reference: `${reference}, ${stream}`, goal: null };
  };
  return [
    line('against tardis-dev', 'tardis-dev'),
    line('against ccxt', 'ccxt'),
    line('share of the scan', 'bare scan'),
    line('against parse + literal', 'JSON.parse + literal'),
  ];
}

await bench({
  title: `bytes to quote: bookTicker frames of the combined stream, ${INSTRUMENTS.length} instruments, beside peers and limit`,
  contenders: readers.flatMap(([name, work]) => [
    repeated(`${name}, as recorded`, FRAMES, overFrames(work, recorded)),
    repeated(`${name}, all changing`, FRAMES, overFrames(work)),
  ]),
  comparisons: [...readingLines('as recorded'), ...readingLines('all changing')],
  notes: [
    `as recorded: ${(recorded[0] as Buffer).length} to ${(recorded.at(-1) as Buffer).length} B; each frame differs from its instrument's last one on one side, always in size and in ${Math.round(100 * changes.price)} % in price, as the tapes of Binance (30 %) and Binance.US (81 %) do together`,
    `all changing: ${(frames[0] as Buffer).length} B; all four numbers change in each frame, to the last digit`,
    `${peerVersion('tardis-dev')}: JSON.parse, canHandle and map of its book ticker; ${peerVersion('ccxt')}: onMessage of its own client, with nobody waiting; all from the bytes on, without sockets`,
    'quotes keep their exact decimal texts; the peers and the bare scan make doubles, the peers check nothing',
  ],
});

await bench({
  title: `bytes to market view: the same frames with all four numbers changing, ${(frames[0] as Buffer).length} B`,
  contenders: [
    repeated(
      'mapParsedSpotFrame',
      FRAMES,
      overFrames((frame) => mapParsedSpotFrame(frame, RECEIVED_AT, symbols)),
    ),
    repeated(
      'JSON.parse of bytes',
      FRAMES,
      overFrames((frame) => JSON.parse(frame.toString('utf8'))),
    ),
    repeated('bytes to view', FRAMES, wholePath(mapSpotFrame)),
    repeated('bytes to view, parsed', FRAMES, wholePath(mapParsedSpotFrame)),
    repeated('fused rule', FRAMES, overQuotes(createFusedQuality as () => (quote: Quote) => unknown)),
    repeated('composed operators', FRAMES, composedPass),
    repeated('hand chain, allocating', FRAMES, overQuotes(allocatingChain)),
    repeated('hand chain, spread', FRAMES, overQuotes(spreadChain)),
  ],
  comparisons: [
    { what: 'normalise, plain JSON path', ours: 'mapParsedSpotFrame', reference: 'JSON.parse of bytes', goal: null },
    { what: 'bytes to market view', ours: 'bytes to view', reference: 'JSON.parse of bytes', goal: null },
    { what: 'same, plain JSON path', ours: 'bytes to view', reference: 'bytes to view, parsed', goal: null },
    { what: 'composed operators', ours: 'composed operators', reference: 'hand chain, allocating', goal: 0.5 },
    { what: 'composed, against spread', ours: 'composed operators', reference: 'hand chain, spread', goal: null },
    { what: 'fused rule', ours: 'fused rule', reference: 'hand chain, allocating', goal: 0.5 },
  ],
  notes: [
    'every path begins with the bytes',
    'object spread costs little here because quotes hold texts; over fields of doubles it costs ten times a literal',
    'rates are per second of processor time, garbage collection included',
  ],
});

await bench({
  title: "bytes to messages: the venues' other frames, beside peers where they read them too",
  contenders: messageContenders(),
  comparisons: messageComparisons,
  notes: [
    'trades and Hermes have no scan: their maps parse and then check every member, so parse + literal, which checks nothing, is about their ceiling',
    'of an l2Book the top is cut out and every byte checked; the other levels are cut where they are asked for, as in the lines of every level',
  ],
});
