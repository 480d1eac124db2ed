/** Closes of stored bars of many instruments at once. */
import type { ClosedBar } from '../../../domain/ranking/momentum.ts';
import type { EpochMs } from '../../../domain/time.ts';
import { type InstrumentKey, instrumentKey, splitInstrumentKey, type Venue } from '../../../domain/venue.ts';
import type { Sql } from '../database.ts';

export function createBarReads(sql: Sql) {
  return {
    /** Closed bars that opened in [from, to) by instrument, ascending; an instrument without bars is missing. */
    async closes(
      instruments: readonly InstrumentKey[],
      timeframe: string,
      from: EpochMs,
      to: EpochMs,
    ): Promise<ReadonlyMap<string, readonly ClosedBar[]>> {
      const names = instruments.map((key) => splitInstrumentKey(key));
      const rows = await sql<{ venue: Venue; instrument: string; open_time: number; close: string }[]>`
        select c.venue, c.instrument, c.open_time, trim_scale(c.close)::text as close
        from unnest(${names.map(({ venue }) => venue)}::text[], ${names.map(({ instrument }) => instrument)}::text[]) as n(venue, instrument)
        join candles c on c.venue = n.venue and c.instrument = n.instrument and c.timeframe = ${timeframe}
          and c.open_time >= ${from} and c.open_time < ${to}
        order by c.venue, c.instrument, c.open_time`;
      const bars = new Map<string, ClosedBar[]>();
      for (const { venue, instrument, open_time: openTime, close } of rows) {
        const key = instrumentKey(venue, instrument);
        const list = bars.get(key) ?? [];
        list.push({ openTime, close });
        bars.set(key, list);
      }
      return bars;
    },
  };
}
