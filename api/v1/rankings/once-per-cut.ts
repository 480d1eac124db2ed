/** Rankings that follow from a cut alone are made once per cut: pages, and callers of the same half minute, read the same rows. */
import type { Cut } from '../../../src/domain/cut.ts';
import type { RankedRow } from '../../../src/domain/ranking/ranked-row.ts';

/** Different requests that are kept of a cut: a slippage budget is any number. */
const KEPT_REQUESTS = 32;

/** Makes the rows of a request, or finds those that were made of the same cut object. `about` names everything that they depend on besides. */
export type OncePerCut = (cut: Cut, about: string, make: () => readonly RankedRow[]) => readonly RankedRow[];

/** Rows are kept for as long as whoever read the cut keeps it. */
export function createOncePerCut(): OncePerCut {
  const byCut = new WeakMap<Cut, Map<string, readonly RankedRow[]>>();
  return (cut, about, make) => {
    let made = byCut.get(cut);
    if (made === undefined) {
      made = new Map();
      byCut.set(cut, made);
    }
    const known = made.get(about);
    if (known !== undefined) return known;
    const rows = make();
    made.set(about, rows);
    for (const old of made.keys()) if (made.size > KEPT_REQUESTS) made.delete(old);
    return rows;
  };
}
