/** Steps of an actor by version, read in stretches on demand, so that a long history opens at once. */
import type { Step as ReadStep, StepStretch } from '../../../clients/typescript/src/index.ts';
import type { StateValue } from './layout.ts';

/** A step with the fields that the API document leaves open. */
export interface Step extends Omit<ReadStep, 'event' | 'from' | 'to'> {
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  readonly from: StateValue | null;
  readonly to: StateValue;
}

interface Stretch {
  /** Null while it is being read. */
  steps: ReadonlyMap<number, Step> | null;
}

interface Options {
  /** Reads the steps after `from` up to `to`. */
  readonly fetch: (from: number, to: number) => Promise<StepStretch>;
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
}

const STRETCH = 200;
/** Number of cached stretches: more than one screen shows, and a few behind. */
const KEPT = 30;
/** Maximum versions in a row without a step: quarantines and their ends. */
const GAP = 20;
/** Number of parallel reads, because dragging through a long history passes many stretches. */
const READ_AT_ONCE = 2;

const findStretch = (version: number): number => Math.floor((version - 1) / STRETCH);
const readSteps = (items: StepStretch['items']): readonly Step[] => items as readonly Step[];

export class StepCache {
  readonly #options: Options;
  readonly #stretches = new Map<number, Stretch>();
  /** Range of the stretches requested last. */
  #wanted = { low: 0, high: -1 };
  #reads = 0;
  /** Steps committed since the actor was read. */
  readonly #fresh = new Map<number, Step>();
  /** Newest known version. */
  last = 0;
  /** Archive file and time of its steps, or null while they are in the database. */
  archived: { readonly at: string; readonly file: string } | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Notes that the actor has reached a version. */
  reach(version: number): void {
    if (version <= this.last) return;
    // The last stretch that was read lacks the missed steps.
    for (const number of this.#stretches.keys()) if (number >= findStretch(Math.max(1, this.last))) this.#stretches.delete(number);
    this.last = version;
  }

  /** Returns the step to a version, null while it is not loaded, or undefined if there is none. */
  at(version: number): Step | null | undefined {
    const received = this.#fresh.get(version);
    if (received !== undefined) return received;
    const steps = this.#stretches.get(findStretch(version))?.steps ?? null;
    return steps === null ? null : steps.get(version);
  }

  /** Returns the loaded steps, in no order. */
  known(): readonly Step[] {
    const read = [...this.#stretches.values()].flatMap(({ steps }) => (steps === null ? [] : [...steps.values()]));
    return [...read, ...this.#fresh.values()];
  }

  /** Finds the version of the last step at or before a time, or 1 if all came later. Reads few steps. */
  async versionAt(at: number): Promise<number> {
    let [low, high] = [1, this.last];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      // Each answer decides where to search next.
      // oxlint-disable-next-line no-await-in-loop
      const step = this.at(middle) ?? readSteps((await this.#options.fetch(middle - 1, Math.min(middle + GAP, this.last))).items)[0];
      if (step === undefined || Date.parse(step.at) > at) high = middle - 1;
      else low = Math.max(middle, Math.min(step.version, high));
    }
    return low;
  }

  /** Reads the missing versions from `first` to `final`, and drops earlier requests. */
  want(first: number, final: number): void {
    if (this.last === 0) return;
    this.#wanted = { low: findStretch(Math.max(1, first)), high: findStretch(Math.max(1, Math.min(final, this.last))) };
    this.#readOn();
  }

  /** Adds a committed step. */
  add(step: Step): void {
    this.last = Math.max(this.last, step.version);
    this.#fresh.set(step.version, step);
    const [oldest] = this.#fresh.keys();
    if (this.#fresh.size > STRETCH && oldest !== undefined) {
      this.#fresh.delete(oldest);
      this.#stretches.delete(findStretch(oldest));
    }
    this.#options.onChange();
  }

  #readOn(): void {
    const { low, high } = this.#wanted;
    for (let number = low; number <= high && this.#reads < READ_AT_ONCE; number++) void this.#load(number);
  }

  async #load(number: number): Promise<void> {
    if (this.#stretches.has(number)) return;
    const stretch: Stretch = { steps: null };
    this.#stretches.set(number, stretch);
    this.#reads++;
    try {
      const { version, items, archived } = await this.#options.fetch(number * STRETCH, (number + 1) * STRETCH);
      this.archived = archived ?? null;
      this.last = Math.max(this.last, version);
      stretch.steps = new Map(readSteps(items).map((step) => [step.version, step]));
      for (const old of this.#stretches.keys()) if (this.#stretches.size > KEPT && old !== number) this.#stretches.delete(old);
      this.#options.onChange();
    } catch (error) {
      if (this.#stretches.get(number) === stretch) this.#stretches.delete(number);
      this.#wanted = { low: 0, high: -1 };
      this.#options.onError(error);
    } finally {
      this.#reads--;
      this.#readOn();
    }
  }
}
