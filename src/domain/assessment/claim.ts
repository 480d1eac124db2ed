/** Claims of an assessment: a sentence and at least one source, as the type requires. */
import type { EpochMs } from '../values/time.ts';

export const SOURCE_KINDS = ['quote', 'reference', 'filing', 'news', 'bars', 'pool', 'catalog', 'calendar'] as const;
type SourceKind = (typeof SOURCE_KINDS)[number];

/** Observation, by the id under which it can be looked up. */
export interface Source {
  readonly id: string;
  readonly kind: SourceKind;
  readonly at: EpochMs;
}

/** A list of at least one source, by type. */
export type Sources = readonly [Source, ...Source[]];

/** A claim. `id` is unique in its assessment, such as `bull.1`. Sources are ids of the assessment's list. */
export interface Claim {
  readonly id: string;
  readonly text: string;
  readonly sources: readonly [string, ...string[]];
}

/** Claims of one list, numbered. `sources` collects their sources. */
export type ClaimList = ReturnType<typeof claimList>;

/** Creates a list. @param seen All sources of the assessment by id, shared by its lists. */
export function claimList(name: string, seen: Map<string, Source>) {
  const claims: Claim[] = [];
  return {
    claims,
    /** Adds a claim with at least one source. */
    add(text: string, sources: Sources) {
      for (const source of sources) seen.set(source.id, source);
      const [first, ...others] = sources;
      claims.push({ id: `${name}.${claims.length + 1}`, text, sources: [first.id, ...others.map(({ id }) => id)] });
    },
  };
}
