/**
 * From the bytes of a socket to the market view: the spot exchange's best bid and ask, against JSON.parse of the same
 * bytes, a bare scan of them, and hand-written chains of the same rules; and the maps of the other venues' messages.
 */
import assert from 'node:assert/strict';
import { Subject } from 'rxjs';
import { mapParsedSpotFrame, mapSpotFrame, streamSymbols } from '../src/adapters/venues/spotexchange/map.ts';
import { compareDecimals } from '../src/domain/decimal.ts';
import type { FeedMessage } from '../src/domain/market-event.ts';
import { NO_FLAGS, type Quality, type QualityFlag, type Quote } from '../src/domain/quote.ts';
import { createFeedCounters } from '../streams/feed-counters.ts';
import { withQuality } from '../streams/marked-quality.ts';
import { createMarketView } from '../streams/market-view.ts';
import { composedQuality, createQualityRule } from '../streams/quality-chain.ts';
import { bench, repeated, sink } from './harness.ts';
import { messageComparisons, messageContenders, messageNotes } from './venue-messages.ts';

const FRAMES = 8_192;
const SYMBOLS = 64;
const HEARD_AT = Date.UTC(2026, 2, 2, 14, 31);
/**
 * What tardis-dev 13.35.3 (the fastest peer we know of) reached beside JSON.parse and an object literal, in one run:
 * 551k/s to 725k/s on combined-stream bookTicker messages. It is not installed here; its rate is this share of ours.
 */
const TARDIS_OF_PARSE = 551 / 725;
/** Of the same run: ccxt, and a hand-written scan that keeps no texts. */
const CCXT_OF_PARSE = 158 / 725;
const HAND_SCAN_OF_PARSE = 6_790 / 725;

const instruments = Array.from({ length: SYMBOLS }, (_, index) => `COIN${String(index).padStart(2, '0')}USDT`);
const symbols = streamSymbols(instruments);

/** Frames in the exchange's layout: every symbol in turn, walking prices, now and then a crossed book. */
function madeFrames(): Buffer[] {
  let state = 20_260_302;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: FRAMES }, (_, index) => {
    const symbol = instruments[index % SYMBOLS] as string;
    const bid = 60_000 + random() * 100;
    const ask = index % 997 === 0 ? bid - 1 : bid + 0.01 + random();
    const size = (): string => (random() * 40).toFixed(8);
    return Buffer.from(
      `{"stream":"${symbol.toLowerCase()}@bookTicker","data":{"u":${60_000_000_000 + index},"s":"${symbol}","b":"${bid.toFixed(8)}","B":"${size()}","a":"${ask.toFixed(8)}","A":"${size()}"}}`,
    );
  });
}

const frames = madeFrames();
const quotes = frames.map((frame) => mapSpotFrame(frame, HEARD_AT, symbols)[0] as Quote);

/** The limit of scanning: the four numbers, found by their quotes, into doubles; nothing is checked and nothing kept. */
const doubles = new Float64Array(4);
function bareScan(frame: Buffer): void {
  let at = 40;
  for (let number = 0; number < 4; number++) {
    // `"b":"`: a quote, a letter, a quote, a colon, a quote.
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
    doubles[number] = whole / scale;
  }
}

/** What a plain normaliser does: parse, and write what it found as an object. */
function parsedLiteral(frame: Buffer): Quote {
  const { data } = JSON.parse(frame.toString('utf8')) as { data: { u: number; s: string; b: string; B: string; a: string; A: string } };
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: data.s,
    source: 'binance:bookTicker',
    observedAt: HEARD_AT,
    receivedAt: HEARD_AT,
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

/** The memory of the hand-written chains. */
interface HandSlot {
  sequence: number;
  crossed: number;
}

/** Five rules one after the other by hand, a new object after each: what a hand-written pipeline of immutable events does. */
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

/** The same five stages written with object spread, as one would without having measured it. */
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

/** Every contender says the same of every frame; otherwise the comparison would be of different work. */
function proveEqual(): void {
  const fused = createQualityRule();
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
    assert.deepEqual([quote], mapParsedSpotFrame(frames[index] as Buffer, HEARD_AT, symbols));
    assert.deepEqual(quote, parsedLiteral(frames[index] as Buffer));
    const judged = fused(quote);
    assert.deepEqual(allocating(quote), judged);
    assert.deepEqual(spread(quote), judged);
    subject.next(quote);
    assert.deepEqual(composed, judged);
    bareScan(frames[index] as Buffer);
    assert.deepEqual([...doubles], [quote.bid, quote.bidSize, quote.ask, quote.askSize].map(Number));
  }
}

proveEqual();

const overFrames = (work: (frame: Buffer) => unknown): (() => void) => {
  return () => {
    for (let index = 0; index < FRAMES; index++) sink.value = work(frames[index] as Buffer);
  };
};

/** Bytes, quote, quality, view: what the live process does per message. Rule and view begin anew each pass, as the numbers do. */
function wholePath(map: typeof mapSpotFrame): () => void {
  return () => {
    const counters = createFeedCounters();
    const judge = createQualityRule({ counters });
    const view = createMarketView({ counters });
    for (let index = 0; index < FRAMES; index++) {
      for (const message of map(frames[index] as Buffer, HEARD_AT, symbols)) {
        const kept = judge(message as FeedMessage);
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

await bench({
  title: `bytes to market view: bookTicker frames of the combined stream, ${(frames[0] as Buffer).length} B, ${SYMBOLS} instruments`,
  contenders: [
    repeated(
      'mapSpotFrame',
      FRAMES,
      overFrames((frame) => mapSpotFrame(frame, HEARD_AT, symbols)),
    ),
    repeated(
      'mapParsedSpotFrame',
      FRAMES,
      overFrames((frame) => mapParsedSpotFrame(frame, HEARD_AT, symbols)),
    ),
    repeated('bare scan', FRAMES, overFrames(bareScan)),
    repeated(
      'JSON.parse of bytes',
      FRAMES,
      overFrames((frame) => JSON.parse(frame.toString('utf8'))),
    ),
    repeated('JSON.parse + literal', FRAMES, overFrames(parsedLiteral)),
    repeated('bytes to view', FRAMES, wholePath(mapSpotFrame)),
    repeated('bytes to view, parsed', FRAMES, wholePath(mapParsedSpotFrame)),
    repeated('fused rule', FRAMES, overQuotes(createQualityRule as () => (quote: Quote) => unknown)),
    repeated('composed operators', FRAMES, composedPass),
    repeated('hand chain, allocating', FRAMES, overQuotes(allocatingChain)),
    repeated('hand chain, spread', FRAMES, overQuotes(spreadChain)),
    ...messageContenders(),
  ],
  comparisons: [
    {
      what: 'normalise (6x tardis-dev)',
      ours: 'mapSpotFrame',
      reference: 'JSON.parse + literal',
      goal: Math.round(6 * TARDIS_OF_PARSE * 100) / 100,
    },
    { what: 'normalise, share of the scan', ours: 'mapSpotFrame', reference: 'bare scan', goal: 0.5 },
    { what: 'normalise, plain JSON path', ours: 'mapParsedSpotFrame', reference: 'JSON.parse of bytes', goal: null },
    { what: 'bytes to market view', ours: 'bytes to view', reference: 'JSON.parse of bytes', goal: null },
    { what: 'same, plain JSON path', ours: 'bytes to view', reference: 'bytes to view, parsed', goal: null },
    { what: 'composed operators', ours: 'composed operators', reference: 'hand chain, allocating', goal: 0.5 },
    { what: 'composed, against spread', ours: 'composed operators', reference: 'hand chain, spread', goal: null },
    { what: 'fused rule', ours: 'fused rule', reference: 'hand chain, allocating', goal: 0.5 },
    ...messageComparisons,
  ],
  notes: [
    `bookTicker, in units of parse + literal: tardis-dev ${TARDIS_OF_PARSE.toFixed(2)}x, ccxt ${CCXT_OF_PARSE.toFixed(2)}x, hand scan ${HAND_SCAN_OF_PARSE.toFixed(2)}x (not installed, quoted)`,
    ...messageNotes,
    'trades and Hermes have no scan: their maps parse and then check every member, so parse + literal, which checks nothing, is about their ceiling',
    'of an l2Book the top is cut out and every byte checked; the other levels are cut where they are asked for, which the next line does',
    `tardis-dev is not installed: in one run with this machine's JSON.parse + literal it made ${Math.round(TARDIS_OF_PARSE * 100)} % of it, so 6x of it is ${(6 * TARDIS_OF_PARSE).toFixed(2)}x here`,
    'every path begins with the bytes; quotes keep their exact decimal texts, the bare scan only makes doubles',
    'object spread costs little here because quotes hold texts; over fields of doubles it costs ten times a literal',
    'rates are per second of processor time, garbage collection included',
  ],
});
