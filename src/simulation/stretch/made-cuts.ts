/** The cuts that the streams of a stretch have made and that wait until they are kept. */
import type { Cut } from '../../domain/market/cut.ts';
import type { EpochMs } from '../../domain/values/time.ts';

/** Cuts that are kept together: the trail takes none that was signed minutes after its slot. */
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
    /** The newest cut, if it is the slot's. */
    find: (slot: EpochMs): Cut | null => (newest?.slot === slot ? newest : null),
    /**
     * Keeps what was made since the last time, in the order of the slots and a few at a time; resolves once everything before it
     * is kept too. @throws what `write` throws
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
