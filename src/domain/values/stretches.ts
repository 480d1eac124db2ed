/** Half-open periods of time, ascending and without overlaps. */
import type { EpochMs } from './time.ts';

/** A period from `from` (inclusive) to `to` (exclusive). */
export interface Stretch {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Returns the union of the periods. */
export function unitedStretches(stretches: readonly Stretch[]): readonly Stretch[] {
  const united: Stretch[] = [];
  for (const { from, to } of [...stretches].sort((a, b) => a.from - b.from)) {
    if (to <= from) continue;
    const last = united.at(-1);
    if (last === undefined || from > last.to) united.push({ from, to });
    else if (to > last.to) united[united.length - 1] = { from: last.from, to };
  }
  return united;
}

/** Returns the intersection. Both lists ascend without overlaps. */
export function sharedStretches(left: readonly Stretch[], right: readonly Stretch[]): readonly Stretch[] {
  const shared: Stretch[] = [];
  for (let [l, r] = [0, 0]; l < left.length && r < right.length; ) {
    const [a, b] = [left[l] as Stretch, right[r] as Stretch];
    const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
    if (from < to) shared.push({ from, to });
    if (a.to < b.to) l++;
    else r++;
  }
  return shared;
}

/** Returns the parts of a period outside all others, which ascend without overlaps. */
export function missingStretches({ from, to }: Stretch, known: readonly Stretch[]): readonly Stretch[] {
  const missing: Stretch[] = [];
  let at = from;
  for (const one of known) {
    if (one.to <= at) continue;
    if (one.from >= to) break;
    if (one.from > at) missing.push({ from: at, to: one.from });
    at = one.to;
  }
  if (at < to) missing.push({ from: at, to });
  return missing;
}
