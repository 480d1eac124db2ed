/** Scanner of the perpetuals venue's frequent frames (best prices and whole books) without JSON.parse. */
import type { EpochMs } from '../../../domain/values/time.ts';
import { FrameScan, LevelLayout, Literal, memberNames, NameTable } from '../frame-scan.ts';
import type { BookLevel } from '../order-book.ts';

/** Best level of both sides of a frame. The other levels of a book are read on access. */
interface ScannedFrame {
  readonly channel: 'bbo' | 'l2Book';
  readonly coin: string;
  readonly time: EpochMs;
  readonly bid: BookLevel;
  readonly ask: BookLevel;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const BEST = new Literal('{"channel":"bbo","data":{');
const BOOK = new Literal('{"channel":"l2Book","data":{');
const BEST_MEMBERS = memberNames('coin', 'time', 'bbo');
const BOOK_MEMBERS = memberNames('coin', 'time', 'levels', 'fast');
/** All members but the last, which is optional. */
const NEEDED = 7;
/** A size of zero means no order. Such a book is left to the parser, which refuses it. */
const LEVELS = new LevelLayout('{"px":"', '","sz":"', '","n":', { counted: true });

const scan = new FrameScan();
const tables = new WeakMap<ReadonlySet<string>, NameTable<string>>();

/** Returns the coins by the bytes of their names, built once per set because sets do not change. */
function findTable(coins: ReadonlySet<string>): NameTable<string> {
  let table = tables.get(coins);
  if (table === undefined) {
    table = new NameTable(new Map([...coins].map((coin) => [coin, coin])));
    tables.set(coins, table);
  }
  return table;
}

/**
 * Scans a `bbo` or `l2Book` frame in the venue's layout, with members in any order. Null for every other frame, for one-sided books and
 * for invalid frames, which are parsed as JSON.
 */
export function scanPerpFrame(frame: Buffer, coins: ReadonlySet<string>): ScannedFrame | null {
  if (!scan.begin(frame)) return null;
  if (scan.take(BEST)) return members('bbo', BEST_MEMBERS, coins);
  return scan.take(BOOK) ? members('l2Book', BOOK_MEMBERS, coins) : null;
}

/** Returns every level of a scanned book. @throws Error for any other frame */
export function scannedLevels(
  frame: Buffer,
  coins: ReadonlySet<string>,
): { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] } {
  if (scanPerpFrame(frame, coins) === null) throw new Error('the scanned frame has changed');
  return { bids: scan.pairs(0, bidLevels), asks: scan.pairs(bidLevels, askLevels) };
}

/** Levels per side in the last frame. */
let bidLevels = 0;
let askLevels = 0;

function members(channel: 'bbo' | 'l2Book', names: readonly Literal[], coins: ReadonlySet<string>): ScannedFrame | null {
  let coin: string | null = null;
  let time = -1;
  let seen = 0;
  do {
    const member = scan.member(names);
    // Unknown and repeated members are left to JSON.parse.
    if (member < 0 || (seen & (1 << member)) !== 0) return null;
    seen |= 1 << member;
    if (member === 0) {
      if (!scan.byte(QUOTE)) return null;
      coin = scan.named(findTable(coins), QUOTE);
      if (coin === null || !scan.byte(QUOTE)) return null;
    } else if (member === 1) {
      time = scan.count();
      if (time < 0) return null;
    } else if (member === 3) {
      if (!scan.passFlag()) return null;
    } else if (!(channel === 'bbo' ? best() : sides())) return null;
  } while (scan.comma());
  if ((seen & NEEDED) !== NEEDED || coin === null || !scan.closes(2)) return null;
  return { channel, coin, time, bid: scan.pair(0), ask: scan.pair(bidLevels) };
}

function best(): boolean {
  bidLevels = askLevels = 1;
  return scan.levels(LEVELS) === 2;
}

function sides(): boolean {
  if (!scan.byte(OPEN_LIST)) return false;
  bidLevels = scan.levels(LEVELS);
  if (bidLevels < 1 || !scan.byte(COMMA)) return false;
  askLevels = scan.levels(LEVELS);
  return askLevels > 0 && scan.byte(CLOSE_LIST);
}
