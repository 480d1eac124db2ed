/** Reads of a stress test: recent bars, the last observation, and the organization's settings. */
import type { Observation } from '../../../domain/market/cut.ts';
import type { Candle } from '../../../domain/candles/candle.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { RiskPreferences } from '../../../domain/risk/preferences.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { type BarRange, createCandleStore } from '../candles/candle-store.ts';
import type { Sql } from '../database.ts';
import { readPreferences } from '../risk/risk-preferences-store.ts';

export function createStressReads(sql: Sql) {
  const candles = createCandleStore(sql);
  return {
    /** Reads all bars of a range, ascending. */
    bars: (range: BarRange): Promise<readonly Candle[]> => candles.all(range),
    /** Returns an instrument's last observation after `since` and not after `at`. */
    async lastObservation(key: InstrumentKey, since: EpochMs, at: EpochMs): Promise<Observation | null> {
      const [row] = await sql<{ body: string }[]>`
        select body from judged_observations where instrument = ${key} and slot <= ${at} and slot > ${since} order by slot desc limit 1`;
      return row === undefined ? null : (JSON.parse(row.body) as Observation);
    },
    preferences: async (orgId: string): Promise<RiskPreferences> => (await readPreferences(sql, orgId)).preferences,
  };
}

export type StressReads = ReturnType<typeof createStressReads>;
