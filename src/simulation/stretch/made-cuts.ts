/** Cuts of a fast-forward that wait to be stored. */
import type { Cut } from '../../domain/market/cut.ts';
import type { EpochMs } from '../../domain/values/time.ts';

/** Cuts stored together. The trail accepts none signed minutes after its slot. */
const CUTS_AT_ONCE = 4;

export function createMadeCuts() {
  let waiting: Cut[] = [];
  let newest: Cut | null = null;
  let keeping: Promise<void> = Promise.resolve();
  return {
    add(cut: Cut): void {
      newest = cut;
      waiting.push(cut);
    },
    /** Returns the newest cut if it belongs to the slot. */
    find: (slot: EpochMs): Cut | null => (newest?.slot === slot ? newest : null),
    /**
     * Stores new cuts in order of their slots, a few at a time. Resolves when all earlier ones are stored too. @throws errors of `write`
     */
    keep(write: (cuts: readonly Cut[]) => Promise<void>): Promise<void> {
      keeping = keeping.then(async () => {
        const made = waiting;
        waiting = [];
        for (let first = 0; first < made.length; first += CUTS_AT_ONCE) await write(made.slice(first, first + CUTS_AT_ONCE));
      });
      return keeping;
    },
  };
}
