/** The lease under which an order is sent. A halt waits for its end, and no other worker takes over before. */
import { PermitLost } from '../../src/domain/orders/execution.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type Clock, timeLeft } from '../../streams/clock/clock.ts';
import type { DeliverOptions, Runtime } from '../runtime/runtime.ts';

/**
 * Maximum time in which an order may be sent after its lease was taken. A halt waits no longer. The holder counts from before its request
 * and the database from writing the row, so that the holder's time ends first, however long the commit takes.
 */
export const LEASE_MS = 2_000;
/** Last part of a lease, in milliseconds, in which nothing new is begun. */
const MARGIN_MS = 250;

export interface Lease {
  /** End of the lease by the holder's clock. It also identifies the lease: an answer counts only under the lease it was read under. */
  readonly until: EpochMs;
  /** Remaining time in milliseconds. Nothing is sent at 0, even if the wall clock is still before `until`. */
  readonly leftMs: () => number;
}

/**
 * Takes the lease to run an activity. Returns its end, or the reason why the actor is superseded, which `standsAt` reads if its chart
 * accepts no lease any more. @throws if the lease ended before it could be used or could not be taken now. The activity is then repeated.
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
  if (leftMs() < MARGIN_MS) throw new Error(`the lease of ${id} expired before it was used`);
  return { until, leftMs };
}
