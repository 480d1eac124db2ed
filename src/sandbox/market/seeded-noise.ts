/** Random functions of time with random access: equal seeds and times give equal numbers in any order and process. */

/** Derives a 32-bit seed from a text (FNV-1a, then mixed). */
export function deriveSeed(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixed(hash, text.length);
}

/** Hashes a seed and an integer to 32 bits (murmur3's finalizer, keyed twice). */
export function mixed(seed: number, index: number): number {
  let hash = Math.imul(index, 0x9e3779b1) ^ seed;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ seed, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns a number 0 <= n < 1 from a seed and an integer. */
export function uniform(seed: number, index: number): number {
  return mixed(seed, index) / 4294967296;
}

/** Standard deviation of the sum of four bytes: 2 x sqrt((256^2 - 1) / 12). */
const BYTES_SD = 2 * Math.sqrt((256 * 256 - 1) / 12);

/** Turns a hash into a nearly standard normal number: the sum of its four bytes, at most 3.5 deviations. */
export function bell(hash: number): number {
  return ((hash & 255) + ((hash >>> 8) & 255) + ((hash >>> 16) & 255) + (hash >>> 24) - 510) / BYTES_SD;
}

/**
 * Smooth noise without drift: nearly normal at grid points `period` apart, eased in between. It reverts to the mean because grid points
 * are independent. `at` accepts any integer step >= 0.
 */
export class SmoothNoise {
  readonly #seed: number;
  readonly #period: number;
  #cell = -1;
  #left = 0;
  #right = 0;

  constructor(seed: number, period: number) {
    this.#seed = seed;
    this.#period = period;
  }

  at(step: number): number {
    const cell = Math.floor(step / this.#period);
    if (cell !== this.#cell) {
      this.#left = cell === this.#cell + 1 ? this.#right : bell(mixed(this.#seed, cell));
      this.#right = bell(mixed(this.#seed, cell + 1));
      this.#cell = cell;
    }
    const part = step / this.#period - cell;
    return this.#left + (this.#right - this.#left) * part * part * (3 - 2 * part);
  }
}

const LEVELS = 20;
/** Steps per cell of a bridged path. */
export const CELL = 2 ** LEVELS;
/** Steps below a node, by its depth. A table, because powers are slow in the innermost loop. */
const SPAN = Float64Array.from({ length: LEVELS + 1 }, (_, depth) => 2 ** (LEVELS - depth));
/** Logarithmic spread of the volatility between a node and its halves. Over 20 levels it gives quiet months and wild days. */
const CLUSTER_SD = 0.11;
/** Exponential of a nearly uniform number, with mean 1, by one byte of a hash. */
const CLUSTER = Float64Array.from({ length: 256 }, (_, byte) => {
  const unit = ((byte - 127.5) / 128) * Math.sqrt(3);
  return Math.exp(CLUSTER_SD * unit - (CLUSTER_SD * CLUSTER_SD) / 2);
});

/**
 * Brownian bridge refined by midpoints, over cells of 2^20 steps. It is zero at every cell's edges, which bounds the path to about two
 * years' variance. Variance follows a business clock, and the size of displacements is inherited with noise (volatility clusters). O(20)
 * for any step, about O(1) for neighbors, because the path to the last step is cached.
 */
export class BridgeNoise {
  readonly #seed: number;
  readonly #clock: (step: number) => number;
  #cell = -1;
  #depth = 0;
  readonly #left = new Float64Array(LEVELS + 1);
  readonly #leftValue = new Float64Array(LEVELS + 1);
  readonly #rightValue = new Float64Array(LEVELS + 1);
  readonly #leftTime = new Float64Array(LEVELS + 1);
  readonly #rightTime = new Float64Array(LEVELS + 1);
  readonly #scale = new Float64Array(LEVELS + 1);
  readonly #midKnown = new Uint8Array(LEVELS + 1);
  readonly #midValue = new Float64Array(LEVELS + 1);
  readonly #midTime = new Float64Array(LEVELS + 1);

  /** @param businessClock Returns the variance elapsed by a step. It must grow with every step. */
  constructor(seed: number, businessClock: (step: number) => number) {
    this.#seed = seed;
    this.#clock = businessClock;
  }

  /** Returns the path's value at an integer step >= 0, in units of the square root of the business clock. */
  at(step: number): number {
    const cell = Math.floor(step / CELL);
    let depth = this.#depth;
    if (cell !== this.#cell) {
      this.#cell = cell;
      depth = 0;
      this.#left[0] = cell * CELL;
      this.#leftTime[0] = this.#clock(cell * CELL);
      this.#rightTime[0] = this.#clock((cell + 1) * CELL);
      this.#scale[0] = 1;
      this.#midKnown[0] = 0;
    }
    while (depth > 0) {
      const left = this.#left[depth] as number;
      if (step >= left && step < left + (SPAN[depth] as number)) break;
      depth--;
    }
    let left = this.#left[depth] as number;
    while (step !== left) {
      const mid = left + (SPAN[depth + 1] as number);
      if (this.#midKnown[depth] === 0) this.#findMid(depth, mid);
      const scale = this.#scale[depth] as number;
      const spread = mixed(this.#seed ^ 0x5bd1e995, mid);
      const next = depth + 1;
      if (step < mid) {
        this.#left[next] = left;
        this.#leftValue[next] = this.#leftValue[depth] as number;
        this.#leftTime[next] = this.#leftTime[depth] as number;
        this.#rightValue[next] = this.#midValue[depth] as number;
        this.#rightTime[next] = this.#midTime[depth] as number;
        this.#scale[next] = scale * (CLUSTER[spread & 255] as number);
      } else {
        this.#left[next] = left = mid;
        this.#leftValue[next] = this.#midValue[depth] as number;
        this.#leftTime[next] = this.#midTime[depth] as number;
        this.#rightValue[next] = this.#rightValue[depth] as number;
        this.#rightTime[next] = this.#rightTime[depth] as number;
        this.#scale[next] = scale * (CLUSTER[spread >>> 24] as number);
      }
      this.#midKnown[next] = 0;
      depth = next;
    }
    this.#depth = depth;
    return this.#leftValue[depth] as number;
  }

  #findMid(depth: number, mid: number): void {
    const leftTime = this.#leftTime[depth] as number;
    const rightTime = this.#rightTime[depth] as number;
    const time = this.#clock(mid);
    const part = (time - leftTime) / (rightTime - leftTime);
    const leftValue = this.#leftValue[depth] as number;
    const deviation = (this.#scale[depth] as number) * Math.sqrt((time - leftTime) * (1 - part));
    this.#midValue[depth] = leftValue + ((this.#rightValue[depth] as number) - leftValue) * part + deviation * bell(mixed(this.#seed, mid));
    this.#midTime[depth] = time;
    this.#midKnown[depth] = 1;
  }
}

/** Grid points of one block of reverting noise, and of its run-up, after which the start has no influence. */
const BLOCK = 1024;

/**
 * Mean-reverting noise: an Ornstein-Uhlenbeck process of mean 0 and deviation 1 on a grid of points, linear in between. Each block is
 * computed from a fixed point a whole block earlier, so any step gives the same number in any order.
 */
export class RevertingNoise {
  readonly #seed: number;
  readonly #grid: number;
  readonly #kept: number;
  readonly #push: number;
  #block = -1;
  #values: Float64Array | null = null;

  /** @param halfLife steps after which half of a deviation remains; at least 24 grid points of `grid` steps each */
  constructor(seed: number, halfLife: number, grid: number) {
    this.#seed = seed;
    this.#grid = grid;
    this.#kept = 0.5 ** (grid / halfLife);
    this.#push = Math.sqrt(1 - this.#kept * this.#kept);
  }

  at(step: number): number {
    const point = Math.floor(step / this.#grid);
    const block = Math.floor(point / BLOCK);
    const values = block === this.#block ? (this.#values as Float64Array) : this.#work(block);
    const left = values[point - block * BLOCK] as number;
    const right = values[point - block * BLOCK + 1] as number;
    return left + (right - left) * (step / this.#grid - point);
  }

  #work(block: number): Float64Array {
    const values = this.#values ?? new Float64Array(BLOCK + 1);
    let value = 0;
    for (let point = (block - 1) * BLOCK; point <= (block + 1) * BLOCK; point++) {
      value = value * this.#kept + this.#push * bell(mixed(this.#seed, point));
      if (point >= block * BLOCK) values[point - block * BLOCK] = value;
    }
    this.#block = block;
    this.#values = values;
    return values;
  }
}
