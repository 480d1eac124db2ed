/** Effect of an asset's stories on its price by minute. */
import { BUCKET, storyPlan } from '../intelligence/story-plan.ts';
import { CELL } from './seeded-noise.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

const BUCKET_MINUTES = BUCKET / MINUTE_MS;
const BUCKETS = Math.ceil(CELL / BUCKET_MINUTES) + 1;
/** Minutes until a price reflects half of a story, and minutes until it reflects all of it. */
const HALF_TAKEN = 1.5;
const TAKEN = 24;
/** Buckets before a cell whose stories may still be published in the cell. */
const BEFORE = 3;

interface Shock {
  /** Minute of the cell at which the price starts to move. */
  readonly from: number;
  readonly size: number;
}

/**
 * Sum of the shocks since the beginning of a cell, less a linear share of the cell's total, so that it ends at zero like the price path.
 * In standard deviations of a day.
 */
export class NewsShocks {
  readonly #seed: number;
  readonly #files: boolean;
  #cell = -1;
  #shocks: readonly Shock[] = [];
  /** Sum of the shocks fully reflected before each bucket of the cell, and the first shock after them. */
  readonly #taken = new Float64Array(BUCKETS);
  readonly #first = new Int32Array(BUCKETS);
  #slope = 0;

  constructor(seed: number, files: boolean) {
    this.#seed = seed;
    this.#files = files;
  }

  at(minute: number): number {
    const cell = Math.floor(minute / CELL);
    if (cell !== this.#cell) this.#work(cell);
    const into = minute - cell * CELL;
    const stretch = Math.floor(into / BUCKET_MINUTES);
    let sum = (this.#taken[stretch] as number) - this.#slope * into;
    for (let n = this.#first[stretch] as number; n < this.#shocks.length; n++) {
      const { from, size } = this.#shocks[n] as Shock;
      if (into <= from) break;
      sum += into - from >= TAKEN ? size : size * (1 - 0.5 ** ((into - from) / HALF_TAKEN));
    }
    return sum;
  }

  #work(cell: number): void {
    const begin = cell * CELL;
    const shocks: Shock[] = [];
    const add = (at: number, size: number): void => {
      // Prices are drawn per minute, so the shock starts at the first whole minute at or after publication.
      const from = Math.ceil(at / MINUTE_MS) - begin;
      if (size !== 0 && from >= 0 && from < CELL - TAKEN) shocks.push({ from, size });
    };
    const firstBucket = Math.floor(begin / BUCKET_MINUTES) - BEFORE;
    for (let bucket = firstBucket; bucket * BUCKET_MINUTES < begin + CELL; bucket++) {
      const plan = storyPlan(this.#seed, bucket, this.#files);
      if (plan === null) continue;
      add(plan.at, plan.shock);
      if (plan.withdrawnAt !== null) add(plan.withdrawnAt, -plan.shock);
    }
    shocks.sort((a, b) => a.from - b.from);
    let taken = 0;
    let next = 0;
    for (let stretch = 0; stretch < BUCKETS; stretch++) {
      for (; next < shocks.length && (shocks[next] as Shock).from + TAKEN <= stretch * BUCKET_MINUTES; next++)
        taken += (shocks[next] as Shock).size;
      this.#taken[stretch] = taken;
      this.#first[stretch] = next;
    }
    this.#shocks = shocks;
    this.#slope = shocks.reduce((sum, { size }) => sum + size, 0) / CELL;
    this.#cell = cell;
  }
}
