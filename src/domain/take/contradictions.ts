/** Finds conditions that can never pass together, with which a Take would wait for ever. */
import { Decimal } from '../values/decimal.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';

/** Condition pairs `<stem>_below` / `<stem>_above`, and the field that both compare. */
const BANDS: Readonly<Record<string, string>> = {
  price: 'price',
  premium: 'pct',
  gap_to_mark: 'pct',
  basis: 'pct',
  rsi: 'value',
  funding_percentile: 'percentile',
};

/** Returns a condition's parameters besides the compared field, such as period and timeframe. */
function measure(condition: ManifestCondition, field: string): string {
  return Object.keys(condition)
    .filter((name) => name !== 'type' && name !== field)
    .sort()
    .map((name) => `${name}=${String(condition[name])}`)
    .join(' ');
}

function emptyBand(conditions: readonly ManifestCondition[], stem: string, field: string): string | null {
  for (const below of conditions.filter(({ type }) => type === `${stem}_below`)) {
    for (const above of conditions.filter(({ type }) => type === `${stem}_above`)) {
      if (measure(below, field) !== measure(above, field)) continue;
      const [high, low] = [String(below[field]), String(above[field])];
      if (new Decimal(low).gte(high)) return `${stem} cannot be below ${high} and above ${low} at the same time`;
    }
  }
  return null;
}

/** Returns why the entry conditions, which must all pass, never can, or null if they may. */
export function entryContradiction(entry: readonly ManifestCondition[]): string | null {
  for (const [stem, field] of Object.entries(BANDS)) {
    const found = emptyBand(entry, stem, field);
    if (found !== null) return found;
  }
  const sessions = entry.filter(({ type }) => type === 'session_in').map((condition) => condition['sessions'] as readonly string[]);
  const [first, ...others] = sessions;
  if (first !== undefined && !first.some((session) => others.every((list) => list.includes(session)))) {
    return 'the session lists have no session in common';
  }
  return null;
}

/** Returns a sentence about an exit that can pass at the same time as the entry, so that the position would be closed at once, or null. */
export function exitAtOnce(entry: readonly ManifestCondition[], exit: readonly ManifestCondition[]): string | null {
  for (const [stem, field] of Object.entries(BANDS)) {
    for (const enter of entry) {
      for (const leave of exit) {
        if (measure(enter, field) !== measure(leave, field)) continue;
        const [entered, left] = [enter[field], leave[field]];
        if (entered === undefined || left === undefined) continue;
        const [a, b] = [new Decimal(String(entered)), new Decimal(String(left))];
        const belowTwice = enter.type === `${stem}_below` && leave.type === `${stem}_below` && b.gte(a);
        const aboveTwice = enter.type === `${stem}_above` && leave.type === `${stem}_above` && b.lte(a);
        const crossed = enter.type === `${stem}_below` && leave.type === `${stem}_above` && b.lt(a);
        const crossedBack = enter.type === `${stem}_above` && leave.type === `${stem}_below` && b.gt(a);
        if (belowTwice || aboveTwice || crossed || crossedBack)
          return `the exit ${leave.type} ${String(left)} can be true at the same time as the entry ${enter.type} ${String(entered)}`;
      }
    }
  }
  return null;
}
