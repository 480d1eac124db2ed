/**
 * A local copy of one order book, kept by the exchange's official procedure: snapshot, numbered differences, start again at a gap.
 * See docs/reference/outside/spot-exchange.md.
 */
import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { BookEdge } from '../../../domain/market/order-book.ts';
import type { BookLevel } from '../order-book.ts';
import { isZero } from '../wire-decimal.ts';
import type { DepthDiff } from './map.ts';

/** Answer of `GET /depth`. A new listing answers an empty book with update id -1. */
export interface DepthSnapshot {
  readonly lastUpdateId: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/**
 * `new`: no snapshot yet, differences are kept. `live`: exact down to the snapshot's depth.
 * `resyncing`: a gap was seen, or the market left what the snapshot told. The levels are no longer the market's until a new
 * snapshot fits.
 */
export type LocalBookState = 'new' | 'live' | 'resyncing';

/** Levels that a snapshot asks for by default. A side with fewer is told whole. */
export const SNAPSHOT_LEVELS = 1_000;

/** The part of the way from a snapshot's best price to its last one at which a new snapshot is asked for. */
const RENEW_AT = 0.5;

/** Reach of a snapshot on one side. Levels beyond `last` are reported only when they change. */
interface Reach {
  readonly last: DecimalString;
  /** Price from which a new snapshot is due. */
  readonly renew: DecimalString;
}

function reachOf(levels: readonly BookLevel[], asked: number): Reach | null {
  const [best, last] = [levels[0]?.[0], levels.at(-1)?.[0]];
  if (best === undefined || last === undefined || levels.length < asked) return null;
  return { last, renew: plainDecimal(new Decimal(last).minus(best).times(RENEW_AT).plus(best)) };
}

function edgeOf(side: readonly BookLevel[], levels: number, reach: Reach | null): DecimalString | null {
  return side.length > levels ? (side[levels - 1]?.[0] ?? null) : (reach?.last ?? null);
}

/** Maximum differences kept while a snapshot is awaited. Older ones are of no use. */
const MAX_PENDING = 2_000;

/** Levels kept of a side, twice the deepest snapshot: what lies further off is of no use, and differences add to it for ever. */
const MAX_LEVELS = 10_000;

/** Returns the place of a price in a sorted side. `sign` is 1 for ascending asks and -1 for descending bids. */
function placeOf(side: readonly BookLevel[], price: string, sign: 1 | -1): { index: number; found: boolean } {
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

/** Sets levels; what lies beyond the reach is not kept, since its neighbours there are unknown. */
function setLevels(side: BookLevel[], levels: readonly BookLevel[], sign: 1 | -1, reach: Reach | null): void {
  for (const level of levels) {
    if (reach !== null && compareDecimals(level[0], reach.last) * sign > 0) continue;
    const { index, found } = placeOf(side, level[0], sign);
    if (isZero(level[1])) {
      if (found) side.splice(index, 1);
    } else side.splice(index, found ? 1 : 0, level);
  }
  if (side.length > MAX_LEVELS) side.length = MAX_LEVELS;
}

function isNearEdge([best]: readonly BookLevel[], reach: Reach | null, sign: 1 | -1): boolean {
  return reach !== null && (best === undefined || compareDecimals(best[0], reach.renew) * sign > 0);
}

/** One book. Feed it every difference and, whenever `needsSnapshot`, a snapshot taken after that. */
export class LocalBook {
  #state: LocalBookState = 'new';
  #lastUpdateId = -1;
  #observedAt: EpochMs = 0;
  #receivedAt: EpochMs = 0;
  #pending: DepthDiff[] = [];
  #bids: BookLevel[] = [];
  #asks: BookLevel[] = [];
  /** True after an empty snapshot of a new listing: any difference may come first. */
  #anyMayFollow = false;
  #bidReach: Reach | null = null;
  #askReach: Reach | null = null;
  /** True from the edge until the next snapshot, even if the market turns round: no difference may be missing in between. */
  #renewing = false;

  get state(): LocalBookState {
    return this.#state === 'live' && this.#hasLeftReach ? 'resyncing' : this.#state;
  }
  /** True without a fitting snapshot, and once the market comes near the edge of the last one: the book stays live meanwhile. */
  get needsSnapshot(): boolean {
    return this.#state !== 'live' || this.#renewing;
  }
  get #hasLeftReach(): boolean {
    return (this.#bidReach !== null && this.#bids.length === 0) || (this.#askReach !== null && this.#asks.length === 0);
  }
  /** The update id up to which the book is exact; -1 before the first snapshot and after an empty one. */
  get lastUpdateId(): number {
    return this.#lastUpdateId;
  }
  /** Venue time of the last difference that was applied; 0 while there was none since the snapshot. */
  get observedAt(): EpochMs {
    return this.#observedAt;
  }
  /** The latest time at which the book is known to have been the venue's: it received a difference, or asked for the snapshot. */
  get receivedAt(): EpochMs {
    return this.#receivedAt;
  }
  /** Returns how far the best `levels` of each side are known. */
  edge(levels: number): BookEdge {
    return { bid: edgeOf(this.#bids, levels, this.#bidReach), ask: edgeOf(this.#asks, levels, this.#askReach) };
  }
  /** Descending by price. Not a copy: read it at once. */
  get bids(): readonly BookLevel[] {
    return this.#bids;
  }
  /** Ascending by price. Not a copy: read it at once. */
  get asks(): readonly BookLevel[] {
    return this.#asks;
  }

  /**
   * Takes a difference. `old`: the book already holds it (a duplicate). `kept`: it waits for a snapshot.
   * `gap`: an update in between was lost, the book is `resyncing` from here.
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
    // Kept for the snapshot that is due as well.
    if (this.#renewing) this.#keep(diff);
    this.#set(diff);
    this.#renewing ||= isNearEdge(this.#bids, this.#bidReach, -1) || isNearEdge(this.#asks, this.#askReach, 1);
    return 'applied';
  }

  /**
   * Takes a snapshot. `too_old`: it ends before the kept differences begin, another one is needed.
   * An empty snapshot is legal: a new listing has no orders yet.
   * @param askedAt Time of the request: the answer may be late, and is not of a time before it.
   * @param levels Levels of a side that were asked for: a side with fewer was told whole.
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
    this.#bidReach = reachOf(snapshot.bids, levels);
    this.#askReach = reachOf(snapshot.asks, levels);
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

  /** Forgets everything: the connection was lost, and with it the numbering. */
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
    // A hole among the kept differences makes those before it useless: no snapshot could join them.
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
