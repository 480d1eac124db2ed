/** Differences of two manifest versions: fields by path, and conditions added or removed. */
import { canonicalJson, type Json } from '../values/canonical-json.ts';
import type { Manifest, ManifestCondition } from './manifest.ts';

export interface FieldChange {
  /** Path in the canonical manifest, such as `$.stopLossPct`. */
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/** A condition on one side only. A condition with another parameter is one removed and one added. */
interface ConditionChange {
  readonly side: 'entry' | 'exit';
  readonly condition: ManifestCondition;
}

export interface ManifestDiff {
  /** Changes of plain fields and the universe, without conditions. */
  readonly changes: readonly FieldChange[];
  readonly conditionsAdded: readonly ConditionChange[];
  readonly conditionsRemoved: readonly ConditionChange[];
}

/** Returns the differences from `before` to `after`, fields in the order of their names. Equal manifests have none. */
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
    // Reordered conditions are evaluated in another order, which also changes the hash.
    const same = (manifest: Manifest): string[] => manifest[side].map((condition) => canonicalJson(condition));
    const [from, to] = [same(before), same(after)];
    if (canonicalJson(from) !== canonicalJson(to) && canonicalJson([...from].sort()) === canonicalJson([...to].sort()))
      changes.push({ path: `$.${side}`, before: before[side], after: after[side] });
  }
  return { changes, conditionsAdded: missingFrom(before, after), conditionsRemoved: missingFrom(after, before) };
}

/** Returns the conditions of `manifest` that `other` lacks. Duplicates count. */
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
