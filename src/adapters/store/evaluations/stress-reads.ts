/** Reads of a stress test: recent bars, the last observation, and the organization's settings. */
import type { Observation } from '../../../domain/market/cut.ts';
import type { StressReads } from '../../../simulation/ports.ts';
import { createCandleStore } from '../candles/candle-store.ts';
import type { Sql } from '../database.ts';
import { preferencesOf } from '../risk/risk-preferences-store.ts';

export function createStressReads(sql: Sql): StressReads {
  const candles = createCandleStore(sql);
  return {
    bars: (range) => candles.all(range),
    async lastObservation(key, since, at) {
      const [row] = await sql<{ body: string }[]>`
        select body from judged_observations where instrument = ${key} and slot <= ${at} and slot > ${since} order by slot desc limit 1`;
      return row === undefined ? null : (JSON.parse(row.body) as Observation);
    },
    preferences: async (orgId) => (await preferencesOf(sql, orgId)).preferences,
  };
}
