/** The lease under which an order leaves: a halt waits for its end, and nobody follows its holder before. */
import { PermitLost } from '../../src/domain/orders/execution.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type Clock, timeLeft } from '../../streams/clock.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';

/**
 * Maximum time in which an order may be sent after its lease was taken. A halt waits no longer than this. The holder counts from before it
 * requests the lease and the database from the row's writing, so that the holder's time ends first, however long the commit takes.
 */
export const LEASE_MS = 2_000;
/** The last part of a lease in which nothing is begun any more. */
const MARGIN_MS = 250;

export interface Lease {
  /** End of the lease by the holder's clock. It also names the lease: an answer is taken only under the lease it was found under. */
  readonly until: EpochMs;
  /** Remaining time in milliseconds. Nothing is sent at zero, even if the time of day is still before `until`. */
  readonly leftMs: () => number;
}

/**
 * Takes the lease to carry an activity out; answers until when it holds, or what has superseded the actor, which `standsAt`
 * tells where its chart takes no lease any more. @throws if the lease was over before it could be used, or could not be
 * taken at this moment: the activity is carried out again
 */
export async function takeLease(
  { runtime, clock }: { readonly runtime: Pick<Runtime, 'deliver'>; readonly clock: Pick<Clock, 'now' | 'elapsed'> },
  id: string,
  key: string,
  standsAt: () => Promise<string>,
  /** Further conditions of the step. */
  under: Pick<DeliverOptions, 'also'> = {},
): Promise<Lease | { readonly supersededBy: string }> {
  const leftMs = timeLeft(clock, LEASE_MS);
  const until = clock.now() + LEASE_MS;
  try {
    const event = { type: 'execution.begun', key, leaseUntil: until, leaseMs: LEASE_MS };
    const outcome = await runtime.deliver(id, event, { cause: 'execution', ...under });
    if (!outcome.ok && outcome.refusal.code === 'unavailable') throw new Error(outcome.refusal.detail);
    if (!outcome.ok) return { supersededBy: await standsAt() };
  } catch (error) {
    if (!(error instanceof PermitLost)) throw error;
    return { supersededBy: error.reason };
  }
  if (leftMs() < MARGIN_MS) throw new Error(`the lease of ${id} was over before it could be used`);
  return { until, leftMs };
}
