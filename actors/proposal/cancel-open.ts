/** Cancels open proposals in batches, for halts, pauses and demotions. */
import type { Runtime } from '../runtime/runtime.ts';

/** Number of proposals cancelled per transaction. */
const BATCH = 500;

/** Cancels proposals and returns how many. Proposals that have begun or ended meanwhile refuse, and go on. */
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
