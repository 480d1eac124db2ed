/**
 * Local copy of an order book by the exchange's documented procedure: snapshot, numbered differences, restart after a gap. See
 * docs/reference/outside/spot-exchange.md.
 */
import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { BookEdge } from '../../../domain/market/order-book.ts';
import type { BookLevel } from '../order-book.ts';
import { isZero } from '../wire-decimal.ts';
import type { DepthDiff } from './map.ts';

/** Answer of `GET /depth`; a new listing has an empty book and update id -1. */
export interface DepthSnapshot {
  readonly lastUpdateId: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/**
 * `new`: no snapshot yet, differences are kept. `live`: exact down to the snapshot's depth. `resyncing`: a gap, or a market beyond the
 * snapshot; the levels are invalid until a new snapshot fits.
 */
type LocalBookState = 'new' | 'live' | 'resyncing';

/** Default levels of a snapshot. A side with fewer levels is complete. */
export const SNAPSHOT_LEVELS = 1_000;

/** Share of the distance from a snapshot's best to its last price at which a new snapshot is requested. */
const RENEW_AT = 0.5;

/** Range of a snapshot on one side. Levels beyond `last` are reported only when they change. */
interface Reach {
  readonly last: DecimalString;
  /** Price at which a new snapshot is requested. */
  readonly renew: DecimalString;
}

function findReach(levels: readonly BookLevel[], asked: number): Reach | null {
  const [best, last] = [levels[0]?.[0], levels.at(-1)?.[0]];
  if (best === undefined || last === undefined || levels.length < asked) return null;
  return { last, renew: plainDecimal(new Decimal(last).minus(best).times(RENEW_AT).plus(best)) };
}

function findEdge(side: readonly BookLevel[], levels: number, reach: Reach | null): DecimalString | null {
  return side.length > levels ? (side[levels - 1]?.[0] ?? null) : (reach?.last ?? null);
}

/** Maximum differences kept while waiting for a snapshot. */
const MAX_PENDING = 2_000;

/** Maximum levels per side, twice the deepest snapshot. */
const MAX_LEVELS = 10_000;

/** Returns the index of a price in a sorted side. `sign` is 1 for ascending asks and -1 for descending bids. */
function findPlace(side: readonly BookLevel[], price: string, sign: 1 | -1): { index: number; found: boolean } {
  let low = 0;
  let high = side.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = compareDecimals((side[middle] as BookLevel)[0], price) * sign;
    if (difference === 0) return { index: middle, found: true };
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return { index: low, found: false };
}

/** Sets levels within the range; further ones are ignored, because their neighbours are unknown. */
function setLevels(side: BookLevel[], levels: readonly BookLevel[], sign: 1 | -1, reach: Reach | null): void {
  for (const level of levels) {
    if (reach !== null && compareDecimals(level[0], reach.last) * sign > 0) continue;
    const { index, found } = findPlace(side, level[0], sign);
    if (isZero(level[1])) {
      if (found) side.splice(index, 1);
    } else side.splice(index, found ? 1 : 0, level);
  }
  if (side.length > MAX_LEVELS) side.length = MAX_LEVELS;
}

function isNearEdge([best]: readonly BookLevel[], reach: Reach | null, sign: 1 | -1): boolean {
  return reach !== null && (best === undefined || compareDecimals(best[0], reach.renew) * sign > 0);
}

/** Order book. Pass it every difference and, whenever `needsSnapshot` is true, a snapshot requested after that. */
export class LocalBook {
  #state: LocalBookState = 'new';
  #lastUpdateId = -1;
  #observedAt: EpochMs = 0;
  #receivedAt: EpochMs = 0;
  #pending: DepthDiff[] = [];
  #bids: BookLevel[] = [];
  #asks: BookLevel[] = [];
  /** True after an empty snapshot of a new listing: the first difference may have any number. */
  #anyMayFollow = false;
  #bidReach: Reach | null = null;
  #askReach: Reach | null = null;
  /** True from nearing the range's end until the next snapshot; meanwhile every difference is kept. */
  #renewing = false;

  get state(): LocalBookState {
    return this.#state === 'live' && this.#hasLeftReach ? 'resyncing' : this.#state;
  }
  /** True without a fitting snapshot, and when the market nears the end of the last one's range while the book stays live. */
  get needsSnapshot(): boolean {
    return this.#state !== 'live' || this.#renewing;
  }
  get #hasLeftReach(): boolean {
    return (this.#bidReach !== null && this.#bids.length === 0) || (this.#askReach !== null && this.#asks.length === 0);
  }
  /** Update id up to which the book is exact; -1 before the first snapshot and after an empty one. */
  get lastUpdateId(): number {
    return this.#lastUpdateId;
  }
  /** Venue time of the last applied difference; 0 if there was none since the snapshot. */
  get observedAt(): EpochMs {
    return this.#observedAt;
  }
  /** Last time at which the book is known to have been current: receipt of a difference, or request of the snapshot. */
  get receivedAt(): EpochMs {
    return this.#receivedAt;
  }
  /** Returns how much of the best `levels` per side is known. */
  edge(levels: number): BookEdge {
    return { bid: findEdge(this.#bids, levels, this.#bidReach), ask: findEdge(this.#asks, levels, this.#askReach) };
  }
  /** Bids, descending by price. Not a copy. */
  get bids(): readonly BookLevel[] {
    return this.#bids;
  }
  /** Asks, ascending by price. Not a copy. */
  get asks(): readonly BookLevel[] {
    return this.#asks;
  }

  /**
   * Applies a difference. `old`: already included. `kept`: waits for a snapshot. `gap`: an update was lost, and the book is `resyncing`.
   */
  apply(diff: DepthDiff): 'applied' | 'old' | 'kept' | 'gap' {
    if (this.#state !== 'live') {
      this.#keep(diff);
      return 'kept';
    }
    if (!this.#anyMayFollow && diff.lastId <= this.#lastUpdateId) return 'old';
    if (!this.#anyMayFollow && diff.firstId > this.#lastUpdateId + 1) {
      this.#state = 'resyncing';
      this.#pending = [];
      this.#keep(diff);
      return 'gap';
    }
    // Also kept for the requested snapshot.
    if (this.#renewing) this.#keep(diff);
    this.#set(diff);
    this.#renewing ||= isNearEdge(this.#bids, this.#bidReach, -1) || isNearEdge(this.#asks, this.#askReach, 1);
    return 'applied';
  }

  /**
   * Starts from a snapshot. `too_old`: it ends before the kept differences begin, and another one is needed. An empty snapshot of a new
   * listing is valid. @param askedAt time of the request; the answer is not older @param levels requested levels per side; a side with
   * fewer is complete
   */
  restart(snapshot: DepthSnapshot, askedAt: EpochMs, levels = SNAPSHOT_LEVELS): 'live' | 'too_old' {
    const anyMayFollow = snapshot.lastUpdateId < 0;
    const pending = anyMayFollow ? this.#pending : this.#pending.filter((diff) => diff.lastId > snapshot.lastUpdateId);
    let last = snapshot.lastUpdateId;
    for (const [index, diff] of pending.entries()) {
      if (!(anyMayFollow && index === 0) && diff.firstId > last + 1) return 'too_old';
      last = Math.max(last, diff.lastId);
    }
    if (this.#state === 'live' && last < this.#lastUpdateId) return 'too_old';
    const knownAt = this.#state === 'live' ? Math.max(askedAt, this.#receivedAt) : askedAt;
    this.#state = 'live';
    this.#lastUpdateId = snapshot.lastUpdateId;
    this.#anyMayFollow = anyMayFollow;
    this.#bidReach = findReach(snapshot.bids, levels);
    this.#askReach = findReach(snapshot.asks, levels);
    this.#renewing = false;
    this.#observedAt = 0;
    this.#receivedAt = knownAt;
    this.#bids = [];
    this.#asks = [];
    setLevels(this.#bids, snapshot.bids, -1, null);
    setLevels(this.#asks, snapshot.asks, 1, null);
    for (const diff of pending) this.#set(diff);
    this.#pending = [];
    return 'live';
  }

  /** Clears the book after a lost connection, which restarts the numbering. */
  clear(): void {
    this.#state = 'new';
    this.#lastUpdateId = -1;
    this.#anyMayFollow = false;
    this.#observedAt = 0;
    this.#pending = [];
    this.#bidReach = null;
    this.#askReach = null;
    this.#renewing = false;
    this.#bids = [];
    this.#asks = [];
  }

  #keep(diff: DepthDiff): void {
    const before = this.#pending.at(-1);
    if (before !== undefined && diff.lastId <= before.lastId) return;
    // After a gap no snapshot can connect to the earlier differences.
    if (before !== undefined && diff.firstId > before.lastId + 1) this.#pending = [];
    if (this.#pending.length >= MAX_PENDING) this.#pending = [];
    this.#pending.push(diff);
  }

  #set(diff: DepthDiff): void {
    setLevels(this.#bids, diff.bids, -1, this.#bidReach);
    setLevels(this.#asks, diff.asks, 1, this.#askReach);
    this.#lastUpdateId = diff.lastId;
    this.#anyMayFollow = false;
    this.#observedAt = diff.observedAt;
    this.#receivedAt = diff.receivedAt;
  }
}
