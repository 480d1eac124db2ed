/** Scanner of Polymarket's frequent frames (whole books and level changes) without JSON.parse. */
import type { BookLevel } from '../../../../domain/market/order-book.ts';
import type { DecimalString } from '../../../../domain/values/decimal.ts';
import type { EpochMs } from '../../../../domain/values/time.ts';
import { FrameScan, LevelLayout, memberNames } from '../../frame-scan.ts';
import { bestFirst, scannedLevels, scannedPrice } from '../level-book.ts';

/** Whole book of one token, from `/book` and from `book` frames. */
export interface TokenBook {
  readonly kind: 'book';
  readonly token: string;
  readonly at: EpochMs;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** Change of one level. `size` is the new size. */
export interface LevelChange {
  readonly token: string;
  readonly side: 'bids' | 'asks';
  readonly price: DecimalString;
  readonly size: DecimalString;
  /** Best prices of the token's book after the whole message, if given; null for an empty side. */
  readonly best: { readonly bid: DecimalString | null; readonly ask: DecimalString | null } | null;
}

export interface ChangesMessage {
  readonly kind: 'changes';
  readonly at: EpochMs;
  readonly changes: readonly LevelChange[];
}

const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const MEMBERS = memberNames(
  'market',
  'asset_id',
  'timestamp',
  'hash',
  'bids',
  'asks',
  'event_type',
  'price_changes',
  'tick_size',
  'min_order_size',
  'last_trade_price',
  'neg_risk',
);
const TIMESTAMP = 4;
const BOOK_NEEDS = 2 | TIMESTAMP | 16 | 32 | 64;
const CHANGES_NEED = TIMESTAMP | 64 | 128;
/** Members that only books have. A frame that mixes them with members of changes is parsed. */
const ONLY_BOOK = 2 | 8 | 16 | 32 | 256 | 512 | 1024 | 2048;
const CHANGE_MEMBERS = memberNames('asset_id', 'price', 'size', 'side', 'hash', 'best_bid', 'best_ask');
const CHANGE_NEEDS = 15;
const LEVELS = new LevelLayout('{"price":"', '","size":"', '"}', { zeroSizes: true });

const scan = new FrameScan();

/**
 * Scans a `book` or `price_change` frame without whitespace, with members in any order. Null for every other frame, for lists of frames
 * and for invalid ones, which are parsed as JSON.
 */
export function scanMarketFrame(frame: Buffer, isFollowed: (token: string) => boolean): TokenBook | ChangesMessage | null {
  if (!scan.begin(frame) || !scan.byte(OPEN_OBJECT)) return null;
  let token: string | null = null;
  let type: string | null = null;
  let at = -1;
  let bidsFrom = 0;
  let asksFrom = 0;
  let bids = 0;
  let asks = 0;
  let changes: LevelChange[] | null = null;
  let seen = 0;
  do {
    const member = scan.member(MEMBERS);
    // Unknown and repeated members are left to JSON.parse.
    if (member < 0 || (seen & (1 << member)) !== 0) return null;
    seen |= 1 << member;
    switch (member) {
      case 1:
        token = scan.quoted();
        if (token === null || !isFollowed(token)) return null;
        break;
      case 2:
        at = scan.quotedCount();
        if (at < 0) return null;
        break;
      case 4:
        bidsFrom = scan.found / 2;
        bids = scan.levels(LEVELS);
        if (bids < 0) return null;
        break;
      case 5:
        asksFrom = scan.found / 2;
        asks = scan.levels(LEVELS);
        if (asks < 0) return null;
        break;
      case 6:
        type = scan.quoted();
        break;
      case 7:
        changes = levelChanges(isFollowed);
        if (changes === null) return null;
        break;
      case 11:
        if (!scan.passFlag()) return null;
        break;
      default:
        if (!scan.passText()) return null;
    }
  } while (scan.comma());
  if (!scan.closes(1)) return null;
  if (type === 'price_change')
    return (seen & CHANGES_NEED) === CHANGES_NEED && (seen & ONLY_BOOK) === 0 && changes !== null ? { kind: 'changes', at, changes } : null;
  if (type !== 'book' || (seen & BOOK_NEEDS) !== BOOK_NEEDS || changes !== null || token === null) return null;
  const bidLevels = scannedLevels(scan, bidsFrom, bids);
  const askLevels = scannedLevels(scan, asksFrom, asks);
  if (bidLevels === null || askLevels === null) return null;
  return { kind: 'book', token, at, bids: bestFirst(bidLevels, 'bids'), asks: bestFirst(askLevels, 'asks') };
}

function levelChanges(isFollowed: (token: string) => boolean): LevelChange[] | null {
  const changes: LevelChange[] = [];
  if (!scan.byte(OPEN_LIST)) return null;
  if (scan.byte(CLOSE_LIST)) return changes;
  do {
    const change = levelChange(isFollowed);
    if (change === null) return null;
    changes.push(change);
  } while (scan.comma());
  return scan.byte(CLOSE_LIST) ? changes : null;
}

function levelChange(isFollowed: (token: string) => boolean): LevelChange | null {
  if (!scan.byte(OPEN_OBJECT)) return null;
  let token: string | null = null;
  let word: string | null = null;
  let priceSpan = 0;
  let sizeSpan = 0;
  let bidSpan = -1;
  let askSpan = -1;
  let seen = 0;
  do {
    const member = scan.member(CHANGE_MEMBERS);
    if (member < 0 || (seen & (1 << member)) !== 0) return null;
    seen |= 1 << member;
    const span = scan.found;
    switch (member) {
      case 0:
        token = scan.quoted();
        break;
      case 1:
        priceSpan = span;
        if (!scan.price()) return null;
        break;
      case 2:
        sizeSpan = span;
        if (!scan.size()) return null;
        break;
      case 3:
        word = scan.quoted();
        break;
      case 4:
        if (!scan.passText()) return null;
        break;
      case 5:
        bidSpan = span;
        if (!scan.size()) return null;
        break;
      default:
        askSpan = span;
        if (!scan.size()) return null;
    }
  } while (scan.comma());
  if ((seen & CHANGE_NEEDS) !== CHANGE_NEEDS || !scan.byte(CLOSE_OBJECT)) return null;
  const price = scannedPrice(scan, priceSpan);
  const size = scan.shortest(sizeSpan);
  if (token === null || !isFollowed(token) || price === null || size === null || (word !== 'BUY' && word !== 'SELL')) return null;
  const side = word === 'BUY' ? 'bids' : 'asks';
  if (bidSpan < 0 || askSpan < 0) return { token, side, price, size, best: null };
  const bid = scan.shortest(bidSpan);
  const ask = scan.shortest(askSpan);
  if (bid === null || ask === null || !isTop(bid) || !isTop(ask)) return null;
  return { token, side, price, size, best: { bid: bid.length > 1 ? bid : null, ask: ask.length > 1 ? ask : null } };
}

/** True if a decimal is a price between 0 and 1, or `0` or `1`, which mean an empty side. */
function isTop(decimal: DecimalString): boolean {
  return decimal.length > 1 ? decimal.charCodeAt(0) === 48 : decimal === '0' || decimal === '1';
}
