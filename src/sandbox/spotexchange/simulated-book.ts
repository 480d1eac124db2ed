/** Order book of the simulated exchange: levels around the market's price, with update ids like the real one. */
import type { EpochMs } from '../../domain/values/time.ts';
import { seededRandom } from '../faults.ts';
import type { Market } from '../market/market.ts';

/** Decimals of a symbol's tick and lot. */
export interface SymbolRules {
  readonly symbol: string;
  readonly base: string;
  readonly tickDigits: number;
  readonly lotDigits: number;
}

/** Book change: update ids `first` to `last`. Sizes are absolute, "0.00000000" removes a level. */
export interface BookChange {
  readonly first: number;
  readonly last: number;
  readonly bids: readonly [string, string][];
  readonly asks: readonly [string, string][];
}

/** Prices that a book needs from the market. */
type BookMarket = Pick<Market, 'spot' | 'halfSpread'>;

const LEVELS = 20;
const LEVEL_SPACING = 0.000_1;

/** Formats a number like the venue, with eight decimals. */
export function eightDecimals(value: number): string {
  return value.toFixed(8);
}

/** Returns the decimals of tick and lot by the price's magnitude: 2 and 5 for bitcoin, 2 and 3 for a price of 150. */
export function chooseRules(asset: string, price: number): SymbolRules {
  const magnitude = Math.floor(Math.log10(price));
  return {
    symbol: `${asset}USDT`,
    base: asset,
    tickDigits: Math.min(8, Math.max(2, 4 - magnitude)),
    lotDigits: Math.min(8, Math.max(0, magnitude + 1)),
  };
}

/** Book of levels in ticks and lots. Bid and ask never touch. */
export class SimulatedBook {
  readonly rules: SymbolRules;
  readonly #random: () => number;
  readonly #tick: number;
  readonly #lot: number;
  #bids = new Map<number, number>();
  #asks = new Map<number, number>();
  #lastUpdateId: number;

  constructor(rules: SymbolRules, seed: number, firstUpdateId: number) {
    this.rules = rules;
    this.#random = seededRandom(seed);
    this.#tick = 10 ** -rules.tickDigits;
    this.#lot = 10 ** -rules.lotDigits;
    this.#lastUpdateId = firstUpdateId;
  }

  get lastUpdateId(): number {
    return this.#lastUpdateId;
  }

  /** Moves the book to the market's price at an instant. At least the best size changes. */
  follow(market: BookMarket, at: EpochMs): BookChange {
    const mid = market.spot(this.rules.base, at);
    const top = this.#topTicks(mid, market.halfSpread('spot', this.rules.base, at));
    const bids = this.#ladder(top.bid, -1, mid);
    const asks = this.#ladder(top.ask, 1, mid);
    const changedBids = this.#difference(this.#bids, bids, -1);
    const changedAsks = this.#difference(this.#asks, asks, 1);
    const first = this.#lastUpdateId + 1;
    this.#lastUpdateId += changedBids.length + changedAsks.length;
    this.#bids = bids;
    this.#asks = asks;
    return { first, last: this.#lastUpdateId, bids: changedBids, asks: changedAsks };
  }

  #topTicks(mid: number, halfSpread: number): { readonly bid: number; readonly ask: number } {
    return {
      bid: Math.min(Math.floor((mid * (1 - halfSpread)) / this.#tick), Math.ceil(mid / this.#tick) - 1),
      ask: Math.max(Math.ceil((mid * (1 + halfSpread)) / this.#tick), Math.ceil(mid / this.#tick)),
    };
  }

  /** Returns the best bid and ask at an instant, in the venue's format. The book does not change. */
  topAt(market: BookMarket, at: EpochMs): { readonly bid: [string, string]; readonly ask: [string, string] } {
    const mid = market.spot(this.rules.base, at);
    const { bid, ask } = this.#topTicks(mid, market.halfSpread('spot', this.rules.base, at));
    const written = (ticks: number): [string, string] => [
      eightDecimals(ticks * this.#tick),
      eightDecimals(this.#lots(this.#random(), mid) * this.#lot),
    ];
    return { bid: written(bid), ask: written(ask) };
  }

  /** Returns the best price and size of a side. */
  top(side: 'bid' | 'ask'): { readonly price: number; readonly size: string } {
    const [ticks, lots] = this.#sorted(side)[0] as [number, number];
    return { price: ticks * this.#tick, size: eightDecimals(lots * this.#lot) };
  }

  /** Returns the best levels of a side, in the venue's format. */
  levels(side: 'bid' | 'ask', limit: number): [string, string][] {
    return this.#sorted(side)
      .slice(0, limit)
      .map(([ticks, lots]) => [eightDecimals(ticks * this.#tick), eightDecimals(lots * this.#lot)]);
  }

  /** Returns the levels of a side in ticks and lots, best first. */
  rungs(side: 'bid' | 'ask'): readonly (readonly [ticks: number, lots: number])[] {
    return this.#sorted(side);
  }

  /** Removes matched lots from existing levels. */
  take(side: 'bid' | 'ask', taken: readonly (readonly [ticks: number, lots: number])[]): BookChange {
    const before = side === 'bid' ? this.#bids : this.#asks;
    const after = new Map(before);
    for (const [ticks, lots] of taken) {
      const left = (after.get(ticks) ?? 0) - lots;
      if (left < 0) throw new Error(`there are no ${lots} lots at ${ticks} ticks`);
      if (left === 0) after.delete(ticks);
      else after.set(ticks, left);
    }
    const changes = this.#difference(before, after, side === 'bid' ? -1 : 1);
    const first = this.#lastUpdateId + 1;
    this.#lastUpdateId += changes.length;
    if (side === 'bid') this.#bids = after;
    else this.#asks = after;
    return { first, last: this.#lastUpdateId, bids: side === 'bid' ? changes : [], asks: side === 'ask' ? changes : [] };
  }

  #sorted(side: 'bid' | 'ask'): [number, number][] {
    const sign = side === 'bid' ? -1 : 1;
    return [...(side === 'bid' ? this.#bids : this.#asks)].sort((a, b) => (a[0] - b[0]) * sign);
  }

  /** Builds a side: the best level at its exact tick, the rest on a coarse grid, so that most levels survive a small move. */
  #ladder(topTicks: number, sign: 1 | -1, mid: number): Map<number, number> {
    const spacing = Math.max(1, Math.round((mid * LEVEL_SPACING) / this.#tick));
    const levels = new Map<number, number>([[topTicks, this.#lots(this.#random(), mid)]]);
    let grid = (sign < 0 ? Math.floor((topTicks - 1) / spacing) : Math.ceil((topTicks + 1) / spacing)) * spacing;
    while (levels.size < LEVELS && grid > 0) {
      // The size of a resting level depends on its price alone.
      levels.set(grid, this.#lots(seededRandom(grid)(), mid));
      grid += sign * spacing;
    }
    return levels;
  }

  /** Returns a size worth 500 to 50,500 units of the quote asset, in lots. */
  #lots(chance: number, mid: number): number {
    return Math.max(1, Math.round((500 + 50_000 * chance * chance) / mid / this.#lot));
  }

  #difference(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>, sign: 1 | -1): [string, string][] {
    const changes: [number, number][] = [];
    for (const ticks of before.keys()) if (!after.has(ticks)) changes.push([ticks, 0]);
    for (const [ticks, lots] of after) if (before.get(ticks) !== lots) changes.push([ticks, lots]);
    return changes
      .sort((a, b) => (a[0] - b[0]) * sign)
      .map(([ticks, lots]) => [eightDecimals(ticks * this.#tick), eightDecimals(lots * this.#lot)]);
  }
}
