/** Cancels open proposals in batches: what a halt, a pause and a demotion have in common. */
import type { Runtime } from '../runtime/runtime.ts';

/** Proposals cancelled in one transaction. */
const BATCH = 500;

/** Answers how many were cancelled; one that has begun or ended meanwhile refuses, and is left to its own end. */
export async function cancelOpen(
  runtime: Pick<Runtime, 'deliverMany'>,
  orgId: string,
  open: readonly { readonly id: string }[],
  { reason, cause }: { readonly reason: string; readonly cause: string },
): Promise<number> {
  let cancelled = 0;
  for (let from = 0; from < open.length; from += BATCH) {
    const ids = open.slice(from, from + BATCH).map(({ id }) => id);
    const outcomes = await runtime.deliverMany(ids, { type: 'cancel', reason }, { cause, orgId, quarantines: true });
    for (const outcome of outcomes.values()) if (outcome.ok) cancelled++;
  }
  return cancelled;
}
