/** Compares stored Takes with the present reading of their words, so that a changed grammar arms nothing that its author did not mean. */
import { canonicalJson } from '../values/canonical-json.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { EpochMs } from '../values/time.ts';
import { compileThesis } from './compile-thesis.ts';
import type { Take } from './take.ts';
import { shownCondition } from './thesis-phrases.ts';

/** Words of a stored Take, and the points to confirm, or null if it was compiled before they were stored. */
interface StoredWords {
  readonly thesis: string | null;
  readonly open: readonly string[] | null;
}

function inWords({ entry, exit, allocationUsd, maxSlippageBps }: Take): string {
  const sides = [...entry.map((one) => `entry ${shownCondition(one)}`), ...exit.map((one) => `exit ${shownCondition(one)}`)];
  return `${sides.join(', ')}, ${allocationUsd} USD, ${maxSlippageBps} basis points`;
}

const toPolicyText = ({ asset, entry, exit, allocationUsd, maxSlippageBps }: Take): string =>
  canonicalJson({ asset, entry, exit, allocationUsd, maxSlippageBps });

/**
 * Returns what the author of a stored Take must confirm before it is armed. For older Takes this includes words that now have another
 * meaning.
 */
export function listOpen({ thesis, open }: StoredWords, take: Take, createdAt: EpochMs, catalog: Catalog): readonly string[] {
  if (open !== null) return open;
  if (thesis === null) return [];
  const today = compileThesis(thesis, { catalog, now: createdAt });
  if (today.ok)
    return toPolicyText(today.take) === toPolicyText(take)
      ? today.open
      : [`the words mean today: ${inWords(today.take)}; the Take holds: ${inWords(take)}`];
  const asked = today.why === 'ambiguous' ? today.questions[0] : today.problems.map(({ path, problem }) => `${path}: ${problem}`)[0];
  return [`the words are asked about today (${asked}); the Take holds: ${inWords(take)}`];
}
