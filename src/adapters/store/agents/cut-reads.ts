/** Reads of cuts for rankings. Recent ones are cached, because a cut never changes. */
import type { Cut } from '../../../domain/market/cut.ts';
import { type EpochMs, startOfSlot, TAKE_TICK_MS } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { readWrittenCut } from './cut-store.ts';

/** Maximum number of cached cuts. */
const KEPT_CUTS = 8;

export function createCutReads(sql: Sql) {
  const kept = new Map<EpochMs, Promise<Cut>>();
  return {
    /** Returns the last uncorrected cut at or before an instant, or null. */
    async at(instant: EpochMs): Promise<Cut | null> {
      // Cuts are made every half minute: if this half minute's is cached, no later one precedes the instant.
      const latest = kept.get(startOfSlot(instant, TAKE_TICK_MS));
      if (latest !== undefined) return latest;
      const [row] = await sql<{ slot: number }[]>`select slot from judged_cuts where slot <= ${instant} order by slot desc limit 1`;
      if (row === undefined) return null;
      let cut = kept.get(row.slot);
      if (cut === undefined) {
        cut = readWrittenCut(sql, row.slot);
        kept.set(row.slot, cut);
        // Failed reads are not cached.
        cut.catch(() => kept.delete(row.slot));
        for (const slot of kept.keys()) if (kept.size > KEPT_CUTS) kept.delete(slot);
      }
      return cut;
    },
  };
}

export type CutReads = ReturnType<typeof createCutReads>;
