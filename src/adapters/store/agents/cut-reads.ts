/** Cuts of the past and present for rankings: the newest ones stay parsed in memory, for a cut never changes. */
import type { Cut } from '../../../domain/market/cut.ts';
import { type EpochMs, slotOf, TAKE_TICK_MS } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { readWrittenCut } from './cut-store.ts';

/** Number of parsed cuts kept: the present one and those that pages of the last minutes request. */
const KEPT_CUTS = 8;

export function createCutReads(sql: Sql) {
  const kept = new Map<EpochMs, Promise<Cut>>();
  return {
    /** Last uncorrected cut at or before an instant, or null. */
    async at(instant: EpochMs): Promise<Cut | null> {
      // Cuts stand on half minutes: if that of this half minute is known, there is none between it and the instant.
      const latest = kept.get(slotOf(instant, TAKE_TICK_MS));
      if (latest !== undefined) return latest;
      const [row] = await sql<{ slot: number }[]>`select slot from judged_cuts where slot <= ${instant} order by slot desc limit 1`;
      if (row === undefined) return null;
      let cut = kept.get(row.slot);
      if (cut === undefined) {
        cut = readWrittenCut(sql, row.slot);
        kept.set(row.slot, cut);
        // A read that failed is asked again.
        cut.catch(() => kept.delete(row.slot));
        for (const slot of kept.keys()) if (kept.size > KEPT_CUTS) kept.delete(slot);
      }
      return cut;
    },
  };
}

export type CutReads = ReturnType<typeof createCutReads>;
