/** Books new multipliers of tokens: after a split or a reinvested dividend every book has the units that its wallet has. */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import type { RescalingStore } from '../adapters/store/books/rescaling-store.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../domain/values/time.ts';

/** Interval in milliseconds at which changes are looked for. */
export const RESCALINGS_MS = 10_000;
/** Milliseconds after a change by which earlier fills are on record. Quotes are not live for longer than that (`UNSETTLED_MS`). */
const COMMIT_MS = MINUTE_MS;
/** Milliseconds before a look in which changes may still be received. */
const RECEIVED_LATE_MS = HOUR_MS;
/** Milliseconds of changes that the first look of a process considers. */
const FIRST_LOOK_MS = 30 * DAY_MS;

/** Creates the look at changes that books have not booked. Each returns the number of bookings. */
export function createRescalings(deps: {
  readonly store: RescalingStore;
  readonly clock: { now(): EpochMs };
  readonly contained: ContainedLoop;
}): () => Promise<number> {
  const { store, clock, contained } = deps;
  let since: EpochMs | null = null;
  return async () => {
    const until = clock.now() - COMMIT_MS;
    const due = await store.due(since ?? until - FIRST_LOOK_MS, until);
    let booked = 0;
    const handled = await contained.each(
      due,
      ({ bookId: id, orgId }) => ({ id, orgId }),
      async (one) => {
        if (await store.book(one)) booked += 1;
      },
    );
    // A book that failed is looked for again.
    if (handled === due.length) since = until - RECEIVED_LATE_MS;
    return booked;
  };
}
