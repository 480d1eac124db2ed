/** Scanner of Kalshi's frequent frames (whole books and differences) without JSON.parse. */
import type { BookLevel } from '../../../../domain/market/order-book.ts';
import { complement } from '../../../../domain/prediction/market.ts';
import type { DecimalString } from '../../../../domain/values/decimal.ts';
import type { EpochMs } from '../../../../domain/values/time.ts';
import { FrameScan, LevelLayout, Literal, memberNames } from '../../frame-scan.ts';
import { type BookSide, scannedLevels, scannedPrice } from '../level-book.ts';

/** Whole book. The venue lists bids of both outcomes: a bid for no is an offer of yes at one minus its price. */
export interface SnapshotMessage {
  readonly kind: 'snapshot';
  readonly sid: number;
  readonly seq: number;
  readonly ticker: string;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Difference of one level. */
export interface DeltaMessage {
  readonly kind: 'delta';
  readonly sid: number;
  readonly seq: number;
  readonly ticker: string;
  readonly side: BookSide;
  readonly price: DecimalString;
  readonly delta: DecimalString;
  readonly at: EpochMs;
}

const SNAPSHOT = new Literal('{"type":"orderbook_snapshot","sid":');
const DELTA = new Literal('{"type":"orderbook_delta","sid":');
const SEQ = new Literal(',"seq":');
const MSG = new Literal(',"msg":{');
const SNAPSHOT_MEMBERS = memberNames('market_ticker', 'yes_dollars_fp', 'no_dollars_fp', 'market_id');
const DELTA_MEMBERS = memberNames('market_ticker', 'price_dollars', 'delta_fp', 'side', 'ts_ms', 'market_id', 'ts');
const DELTA_NEEDS = 31;
const LEVELS = new LevelLayout('["', '","', '"]', { zeroSizes: true });

const scan = new FrameScan();

/** Converts bids for no to offers of yes. */
export function toAsks(no: readonly BookLevel[]): BookLevel[] {
  const asks: BookLevel[] = [];
  for (let index = 0; index < no.length; index++) {
    const { price, size } = no[index] as BookLevel;
    asks.push({ price: complement(price), size });
  }
  return asks;
}

/**
 * Scans an `orderbook_snapshot` or `orderbook_delta` in the venue's layout, with members of `msg` in any order. Null for every other
 * frame and for invalid ones, which are parsed as JSON.
 */
export function scanSocketFrame(frame: Buffer, isFollowed: (ticker: string) => boolean): SnapshotMessage | DeltaMessage | null {
  if (!scan.begin(frame)) return null;
  const whole = scan.take(SNAPSHOT);
  if (!whole && !scan.take(DELTA)) return null;
  const sid = scan.count();
  if (sid < 0 || !scan.take(SEQ)) return null;
  const seq = scan.count();
  if (seq < 0 || !scan.take(MSG)) return null;
  const read = whole ? snapshot(sid, seq) : delta(sid, seq);
  return read !== null && isFollowed(read.ticker) ? read : null;
}

function snapshot(sid: number, seq: number): SnapshotMessage | null {
  let ticker: string | null = null;
  /** Start and number of each outcome's levels among all levels. */
  let yesFrom = 0;
  let noFrom = 0;
  let yes = 0;
  let no = 0;
  let seen = 0;
  do {
    const member = scan.member(SNAPSHOT_MEMBERS);
    // Unknown and repeated members are left to JSON.parse.
    if (member < 0 || (seen & (1 << member)) !== 0) return null;
    seen |= 1 << member;
    if (member === 0) {
      ticker = scan.quoted();
      if (ticker === null || ticker === '') return null;
    } else if (member === 1) {
      yesFrom = scan.found / 2;
      yes = scan.levels(LEVELS);
    } else if (member === 2) {
      noFrom = scan.found / 2;
      no = scan.levels(LEVELS);
    } else if (!scan.passText()) return null;
    if (yes < 0 || no < 0) return null;
  } while (scan.comma());
  if (ticker === null || !scan.closes(2)) return null;
  const bids = scannedLevels(scan, yesFrom, yes);
  const against = scannedLevels(scan, noFrom, no);
  return bids === null || against === null ? null : { kind: 'snapshot', sid, seq, ticker, bids, asks: toAsks(against) };
}

function delta(sid: number, seq: number): DeltaMessage | null {
  let ticker: string | null = null;
  let side: string | null = null;
  let priceSpan = 0;
  let deltaSpan = 0;
  let at = -1;
  let seen = 0;
  do {
    const member = scan.member(DELTA_MEMBERS);
    if (member < 0 || (seen & (1 << member)) !== 0) return null;
    seen |= 1 << member;
    if (member === 0) ticker = scan.quoted();
    else if (member === 1) {
      priceSpan = scan.found;
      if (!scan.price()) return null;
    } else if (member === 2) {
      deltaSpan = scan.found;
      if (!scan.difference()) return null;
    } else if (member === 3) side = scan.quoted();
    else if (member === 4) {
      at = scan.count();
      if (at < 0) return null;
    } else if (!scan.passText()) return null;
  } while (scan.comma());
  if ((seen & DELTA_NEEDS) !== DELTA_NEEDS || ticker === null || ticker === '' || !scan.closes(2)) return null;
  const price = scannedPrice(scan, priceSpan);
  const difference = scan.shortest(deltaSpan);
  if (price === null || difference === null || (side !== 'yes' && side !== 'no')) return null;
  return side === 'yes'
    ? { kind: 'delta', sid, seq, ticker, side: 'bids', price, delta: difference, at }
    : { kind: 'delta', sid, seq, ticker, side: 'asks', price: complement(price), delta: difference, at };
}
