/** Fast parsing of the spot exchange's most frequent frames, best bid and ask and book differences, without JSON.parse. */
import { NO_FLAGS, type Quote } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { FrameScan, LevelLayout, Literal, NameTable, Repeated } from '../frame-scan.ts';
import type { BookLevel } from '../order-book.ts';

export const BOOK_TICKER_SOURCE = 'binance:bookTicker';

/** Change of a book with absolute sizes; zero removes a level. Contains the updates `firstId` to `lastId`. */
export interface DepthDiff {
  readonly kind: 'depth_diff';
  readonly instrument: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly firstId: number;
  readonly lastId: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Common parts of an instrument's frames. */
interface Instrument {
  readonly name: string;
  /** Cached numbers of its bookTicker; a cache only. */
  readonly bid: Repeated;
  readonly bidSize: Repeated;
  readonly ask: Repeated;
  readonly askSize: Repeated;
  /** Bytes between the event time and the first id of a difference. */
  readonly toFirstId: Literal;
}

const AT = 64;
const HEAD = new Literal('{"stream":"');
const TICKER = new Literal('@bookTicker","data":{"u":');
const DEPTH = new Literal('@depth@100ms","data":{"e":"depthUpdate","E":');
const SLOW_DEPTH = new Literal('@depth","data":{"e":"depthUpdate","E":');
const LAST_ID = new Literal(',"u":');
const BIDS = new Literal(',"b":');
const ASKS = new Literal(',"a":');
const LEVELS = new LevelLayout('["', '","', '"]', { zeroSizes: true });

const scan = new FrameScan();
const tables = new WeakMap<ReadonlyMap<string, string>, NameTable<Instrument>>();
let lastInstruments: ReadonlyMap<string, string> | null = null;
let lastTable = new NameTable<Instrument>(new Map());

function createInstrument(name: string): Instrument {
  return {
    name,
    bid: new Repeated(`,"s":"${name}","b":"`),
    bidSize: new Repeated(',"B":"'),
    ask: new Repeated(',"a":"'),
    askSize: new Repeated(',"A":"'),
    toFirstId: new Literal(`,"s":"${name}","U":`),
  };
}

/** Returns the instruments by stream name, cached per map. */
function findTable(instruments: ReadonlyMap<string, string>): NameTable<Instrument> {
  if (instruments === lastInstruments) return lastTable;
  let table = tables.get(instruments);
  if (table === undefined) {
    // Names that JSON would escape, or longer ones, never occur in this layout.
    const plain = [...instruments].filter(([, name]) => /^[\w.-]{1,24}$/.test(name));
    table = new NameTable(new Map(plain.map(([symbol, name]) => [symbol, createInstrument(name)])));
    tables.set(instruments, table);
  }
  lastInstruments = instruments;
  lastTable = table;
  return table;
}

/**
 * Parses a frame that has exactly the venue's layout of a best bid and ask or a book difference with usual content: two sides, positive
 * prices, ordered ids. Returns null for any other frame, which is then parsed as JSON. `instruments` maps lower-case stream symbols to the
 * product's names.
 */
export function scanSpotFrame(
  frame: Buffer,
  receivedAt: EpochMs,
  instruments: ReadonlyMap<string, string>,
): Quote<'spotexchange'> | DepthDiff | null {
  if (!scan.begin(frame) || !scan.take(HEAD)) return null;
  const instrument = scan.named(findTable(instruments), AT);
  if (instrument === null) return null;
  if (scan.take(TICKER)) return bookTicker(instrument, receivedAt);
  return scan.take(DEPTH) || scan.take(SLOW_DEPTH) ? depth(instrument, receivedAt) : null;
}

function bookTicker(instrument: Instrument, receivedAt: EpochMs): Quote<'spotexchange'> | null {
  const sequence = scan.count();
  if (sequence < 0) return null;
  const bid = scan.repeated(instrument.bid);
  const bidSize = bid === null ? null : scan.repeated(instrument.bidSize);
  const ask = bidSize === null ? null : scan.repeated(instrument.ask);
  const askSize = ask === null ? null : scan.repeated(instrument.askSize);
  if (askSize === null || !scan.closes(2)) return null;
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: instrument.name,
    source: BOOK_TICKER_SOURCE,
    // The stream contains no event time.
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    bid,
    ask,
    bidSize,
    askSize,
    sequence,
    quality: 'live',
    flags: NO_FLAGS,
  };
}

function depth({ name, toFirstId }: Instrument, receivedAt: EpochMs): DepthDiff | null {
  const observedAt = scan.count();
  if (observedAt < 0 || !scan.take(toFirstId)) return null;
  const firstId = scan.count();
  if (firstId < 0 || !scan.take(LAST_ID)) return null;
  const lastId = scan.count();
  if (lastId < firstId || !scan.take(BIDS)) return null;
  const bids = scan.levels(LEVELS);
  if (bids < 0 || !scan.take(ASKS)) return null;
  const asks = scan.levels(LEVELS);
  if (asks < 0 || !scan.closes(2)) return null;
  return {
    kind: 'depth_diff',
    instrument: name,
    observedAt,
    receivedAt,
    firstId,
    lastId,
    bids: scan.pairs(0, bids),
    asks: scan.pairs(bids, asks),
  };
}
