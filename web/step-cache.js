/** The steps of an actor by their version, read in stretches as they are looked at: a history of any length opens at once. */

/** @typedef {import('./wire.ts').Step} Step */

const STRETCH = 200;
/** Stretches that are kept: more than a screen of any height shows, and a few behind. */
const KEPT = 30;
/** Maximum versions in a row without a step of their own: quarantines and their ends. */
const GAP = 20;
/** Stretches that are read at a time: who drags through a long history is not answered for all that was passed. */
const READ_AT_ONCE = 2;

/** @param {number} version */
const stretchOf = (version) => Math.floor((version - 1) / STRETCH);

export class StepCache {
  /** By the number of the stretch; without steps while it is read. @type {Map<number, { steps: ReadonlyMap<number, Step> | null }>} */
  #stretches = new Map();
  /** The numbers of the stretches that were wanted last. */
  #wanted = { low: 0, high: -1 };
  #reads = 0;
  /** Steps that were committed since. @type {Map<number, Step>} */
  #fresh = new Map();
  /** The version that the actor has reached, as far as is known. */
  last = 0;
  /** Place of its steps since they were moved to an archive file; null if they are read here. @type {{ readonly at: string, readonly file: string } | null} */
  archived = null;

  /**
   * @param {object} options
   * @param {(from: number, to: number) => Promise<{ readonly version: number, readonly items: readonly Step[], readonly archived?: { readonly at: string, readonly file: string } }>} options.fetch The steps after `from` up to `to`.
   * @param {() => void} options.onChange
   * @param {(error: unknown) => void} options.onError
   */
  constructor({ fetch, onChange, onError }) {
    this.fetch = fetch;
    this.onChange = onChange;
    this.onError = onError;
  }

  /** @param {number} version */
  reach(version) {
    if (version <= this.last) return;
    // What was read of the end lacks the steps that were not received.
    for (const number of this.#stretches.keys()) if (number >= stretchOf(Math.max(1, this.last))) this.#stretches.delete(number);
    this.last = version;
  }

  /**
   * The step that led to a version; null while it is not here, undefined if none led to it.
   * @param {number} version
   * @returns {Step | null | undefined}
   */
  at(version) {
    const received = this.#fresh.get(version);
    if (received !== undefined) return received;
    const steps = this.#stretches.get(stretchOf(version))?.steps ?? null;
    return steps === null ? null : steps.get(version);
  }

  /**
   * The last step up to a version, for versions that a quarantine led to have none; null while it is not here.
   * @param {number} version
   */
  upTo(version) {
    let step = this.at(version);
    for (let before = version - 1; step === undefined && before > 0; before--) step = this.at(before);
    return step ?? null;
  }

  /** The steps that are here, in no order. */
  known() {
    const read = [...this.#stretches.values()].flatMap(({ steps }) => (steps === null ? [] : [...steps.values()]));
    return [...read, ...this.#fresh.values()];
  }

  /**
   * The version of the last step at or before an instant; 1 where all came later. Few steps are read for it, however many there are.
   * @param {number} at
   */
  async versionAt(at) {
    let [low, high] = [1, this.last];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      // One after the other: each says where the next is looked for.
      // oxlint-disable-next-line no-await-in-loop
      const step = this.at(middle) ?? (await this.fetch(middle - 1, Math.min(middle + GAP, this.last))).items[0];
      if (step === undefined || Date.parse(step.at) > at) high = middle - 1;
      else low = Math.max(middle, Math.min(step.version, high));
    }
    return low;
  }

  /** Sees to it that the versions from `first` to `final` are here; what was wanted before and not read yet is not. @param {number} first @param {number} final */
  want(first, final) {
    if (this.last === 0) return;
    this.#wanted = { low: stretchOf(Math.max(1, first)), high: stretchOf(Math.max(1, Math.min(final, this.last))) };
    this.#readOn();
  }

  #readOn() {
    const { low, high } = this.#wanted;
    for (let number = low; number <= high && this.#reads < READ_AT_ONCE; number++) void this.#load(number);
  }

  /** Takes in a step as it is committed. @param {Step} step */
  add(step) {
    this.last = Math.max(this.last, step.version);
    this.#fresh.set(step.version, step);
    const [oldest] = this.#fresh.keys();
    if (this.#fresh.size > STRETCH && oldest !== undefined) {
      this.#fresh.delete(oldest);
      this.#stretches.delete(stretchOf(oldest));
    }
    this.onChange();
  }

  /** @param {number} number */
  async #load(number) {
    if (this.#stretches.has(number)) return;
    /** @type {{ steps: ReadonlyMap<number, Step> | null }} */
    const stretch = { steps: null };
    this.#stretches.set(number, stretch);
    this.#reads++;
    try {
      const { version, items, archived } = await this.fetch(number * STRETCH, (number + 1) * STRETCH);
      this.archived = archived ?? null;
      this.last = Math.max(this.last, version);
      stretch.steps = new Map(items.map((step) => [step.version, step]));
      for (const old of this.#stretches.keys()) if (this.#stretches.size > KEPT && old !== number) this.#stretches.delete(old);
      this.onChange();
    } catch (error) {
      if (this.#stretches.get(number) === stretch) this.#stretches.delete(number);
      this.#wanted = { low: 0, high: -1 };
      this.onError(error);
    } finally {
      this.#reads--;
      this.#readOn();
    }
  }
}
