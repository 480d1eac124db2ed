/** Derives values once per cut, so that pages and callers of the same half minute read the same rows. */
import type { Cut } from '../../../src/domain/market/cut.ts';

/** Maximum requests cached per cut, because a slippage budget may be any number. */
const KEPT_REQUESTS = 32;

/** Returns the cached or newly derived value of a cut. `about` names everything else it depends on. */
type OncePerCut<Made> = (cut: Cut, about: string, make: () => Made) => Made;

/** Creates a cache that keeps a derived value while its cut is kept. A rejected promise is computed again. */
export function createOncePerCut<Made>(): OncePerCut<Made> {
  const byCut = new WeakMap<Cut, Map<string, Made>>();
  return (cut, about, make) => {
    let kept = byCut.get(cut);
    if (kept === undefined) {
      kept = new Map();
      byCut.set(cut, kept);
    }
    const known = kept.get(about);
    if (known !== undefined) return known;
    const made = make();
    kept.set(about, made);
    if (made instanceof Promise) made.catch(() => kept.delete(about));
    for (const old of kept.keys()) if (kept.size > KEPT_REQUESTS) kept.delete(old);
    return made;
  };
}
