/** Differences of two manifest versions: fields by path, and conditions added or removed. */
import { canonicalJson, type Json } from '../values/canonical-json.ts';
import type { Manifest, ManifestCondition } from './manifest.ts';

export interface FieldChange {
  /** Path in the canonical manifest: `$.stopLossPct`. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/** A condition that stands on one side only. A condition with another parameter is one removed and one added. */
export interface ConditionChange {
  readonly side: 'entry' | 'exit';
  readonly condition: ManifestCondition;
}

export interface ManifestDiff {
  /** Plain fields and the universe; conditions stand apart. */
  readonly changes: readonly FieldChange[];
  readonly conditionsAdded: readonly ConditionChange[];
  readonly conditionsRemoved: readonly ConditionChange[];
}

/** The differences from `before` to `after`, fields in the order of their names. Two equal manifests differ in nothing. */
export function diffManifests(before: Manifest, after: Manifest): ManifestDiff {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changes: FieldChange[] = [];
  for (const name of names) {
    if (name === 'entry' || name === 'exit') continue;
    const from = (before as unknown as { readonly [field: string]: Json | undefined })[name] ?? null;
    const to = (after as unknown as { readonly [field: string]: Json | undefined })[name] ?? null;
    if (canonicalJson(from) !== canonicalJson(to)) changes.push({ path: `$.${name}`, before: from, after: to });
  }
  for (const side of ['entry', 'exit'] as const) {
    // The same conditions in another order are evaluated in another order: a change that the hash sees.
    const same = (manifest: Manifest): string[] => manifest[side].map((condition) => canonicalJson(condition));
    const [from, to] = [same(before), same(after)];
    if (canonicalJson(from) !== canonicalJson(to) && canonicalJson([...from].sort()) === canonicalJson([...to].sort()))
      changes.push({ path: `$.${side}`, before: before[side], after: after[side] });
  }
  return { changes, conditionsAdded: missingFrom(before, after), conditionsRemoved: missingFrom(after, before) };
}

/** The conditions of `manifest` that `other` lacks; of duplicates as many as it has more. */
function missingFrom(other: Manifest, manifest: Manifest): ConditionChange[] {
  return (['entry', 'exit'] as const).flatMap((side) => {
    const left = other[side].map((condition) => canonicalJson(condition));
    return manifest[side].flatMap((condition): ConditionChange[] => {
      const place = left.indexOf(canonicalJson(condition));
      if (place < 0) return [{ side, condition }];
      left.splice(place, 1);
      return [];
    });
  });
}
