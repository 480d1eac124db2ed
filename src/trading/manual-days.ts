/** Begins the UTC day of manual books by storing its first mark, as ticks do for agents' books. */
import type { ContainedLoop } from '../../actors/runtime/containment.ts';
import { markBook, startOfUtcDay } from '../domain/books/book.ts';
import type { DecimalString } from '../domain/values/decimal.ts';
import { type BookDay, begunDay } from '../domain/tape/tick-inputs.ts';
import { type EpochMs, MINUTE_MS } from '../domain/values/time.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import type { ManualDayStore } from '../adapters/store/books/manual-day-store.ts';

/** Interval in milliseconds at which books without a mark of the day are marked. */
export const MANUAL_DAYS_MS = MINUTE_MS;

/** Marks every manual book without a mark of this day. A book without live prices is marked later. */
export async function beginManualDays(deps: {
  readonly store: ManualDayStore;
  readonly marks: (instruments: readonly InstrumentKey[]) => Promise<ReadonlyMap<InstrumentKey, DecimalString>>;
  readonly clock: { now(): EpochMs };
  readonly contained: ContainedLoop;
}): Promise<void> {
  const { store, marks, clock, contained } = deps;
  const days: (BookDay & { readonly version: number })[] = [];
  await contained.each(
    await store.undated(startOfUtcDay(clock.now())),
    ({ id, orgId }) => ({ id, orgId }),
    async ({ read }) => {
      const { state, version } = read();
      const prices = await marks(state.holdings.map(({ instrument }) => instrument));
      const day = begunDay(state, markBook(state, prices, clock.now()));
      if (day !== null) days.push({ ...day, version });
    },
  );
  if (days.length > 0) await store.begin(days);
}
