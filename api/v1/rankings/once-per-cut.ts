/** Derives values once per cut. Pages and callers of the same half minute read the same rows. */
import type { Cut } from '../../../src/domain/market/cut.ts';

/** Different requests that are kept of a cut: a slippage budget is any number. */
const KEPT_REQUESTS = 32;

/** Makes what a request asks for, or finds what was made of the same cut object. `about` names everything that it depends on besides. */
export type OncePerCut<Made> = (cut: Cut, about: string, make: () => Made) => Made;

/** Creates a cache that keeps a derived value as long as its cut is kept. A rejected promise is computed again. */
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
