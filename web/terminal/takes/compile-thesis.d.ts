/** Types of the thesis grammar in `src/domain/take/compile-thesis.ts`. The terminal's bundle takes it from there. */
import type { CatalogEntry } from '../../../clients/typescript/src/index.ts';

export interface Catalog {
  readonly entries: readonly CatalogEntry[];
}

export interface Understood {
  readonly phrase: string;
  readonly as: string;
}

export type CompiledThesis =
  | {
      readonly ok: true;
      readonly understood: readonly Understood[];
      readonly assumed: readonly string[];
      readonly notUnderstood: readonly string[];
      readonly open: readonly string[];
    }
  | { readonly ok: false; readonly why: 'ambiguous'; readonly questions: readonly string[]; readonly understood: readonly Understood[] }
  | {
      readonly ok: false;
      readonly why: 'invalid';
      readonly problems: readonly { readonly path: string; readonly problem: string; readonly allowed: string }[];
    };

export const MAX_THESIS_LENGTH: number;
/** @throws Error if two entries share a name. */
export function catalogOf(entries: readonly CatalogEntry[]): Catalog;
/** @param world.now Base of relative times, in milliseconds since 1970. */
export function compileThesis(thesis: string, world: { readonly catalog: Catalog; readonly now: number }): CompiledThesis;
