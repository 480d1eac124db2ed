/** Reads closes of stored bars for many instruments at once. */
import type { BarsWanted, ClosedBar } from '../../../domain/ranking/momentum.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { type InstrumentKey, instrumentKey, splitInstrumentKey, type Venue } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';

interface BarRow {
  readonly venue: Venue;
  readonly instrument: string;
  readonly open_time: number;
  readonly close: string;
}

function byInstrument(rows: readonly BarRow[]): Map<string, ClosedBar[]> {
  const bars = new Map<string, ClosedBar[]>();
  for (const { venue, instrument, open_time: openTime, close } of rows) {
    const key = instrumentKey(venue, instrument);
    const list = bars.get(key) ?? [];
    list.push({ openTime, close });
    bars.set(key, list);
  }
  return bars;
}

/** Returns the instruments as SQL rows `n` to join bars with. */
function namesAs(sql: Sql, names: readonly ReturnType<typeof splitInstrumentKey>[]) {
  const [venues, instruments] = [names.map(({ venue }) => venue), names.map(({ instrument }) => instrument)];
  return sql`(
          select u.venue, u.instrument, reads_real(u.venue) as is_real
          from unnest(${venues}::text[], ${instruments}::text[]) as u(venue, instrument) offset 0) n`;
}

export function createBarReads(sql: Sql) {
  return {
    /** Returns closed bars that opened in [from, to) by instrument, ascending; instruments without bars are missing. */
    async closes(
      instruments: readonly InstrumentKey[],
      timeframe: string,
      from: EpochMs,
      to: EpochMs,
    ): Promise<ReadonlyMap<string, readonly ClosedBar[]>> {
      const names = instruments.map((key) => splitInstrumentKey(key));
      const rows = await sql<BarRow[]>`
        select c.venue, c.instrument, c.open_time, trim_scale(c.close)::text as close
        from ${namesAs(sql, names)}
        join candles c on c.venue = n.venue and c.instrument = n.instrument and c.timeframe = ${timeframe} and c.is_real = n.is_real
          and c.open_time >= ${from} and c.open_time < ${to}
        order by c.venue, c.instrument, c.open_time`;
      return byInstrument(rows);
    },

    /**
     * Returns the newest bar of each instrument at an instant and single earlier ones, ascending. Instruments without a newest bar are
     * missing.
     */
    async nearest(
      instruments: readonly InstrumentKey[],
      timeframe: string,
      { at, withinMs, backMs, toleranceMs }: BarsWanted,
    ): Promise<ReadonlyMap<string, readonly ClosedBar[]>> {
      const names = instruments.map((key) => splitInstrumentKey(key));
      const rows = await sql<BarRow[]>`
        select n.venue, n.instrument, bar.open_time, trim_scale(bar.close)::text as close
        from ${namesAs(sql, names)}
        cross join lateral (
          select c.open_time from candles c where c.venue = n.venue and c.instrument = n.instrument and c.timeframe = ${timeframe} and c.is_real = n.is_real
            and c.open_time between ${at - withinMs} and ${at} order by c.open_time desc limit 1) newest
        cross join unnest(${[0, ...backMs]}::bigint[]) as w(back)
        cross join lateral (
          select c.open_time, c.close from candles c where c.venue = n.venue and c.instrument = n.instrument and c.timeframe = ${timeframe} and c.is_real = n.is_real
            and c.open_time between newest.open_time - w.back - case when w.back = 0 then 0 else ${toleranceMs}::bigint end and newest.open_time - w.back
          order by c.open_time desc limit 1) bar
        order by n.venue, n.instrument, bar.open_time`;
      return byInstrument(rows);
    },
  };
}

export type BarReads = ReturnType<typeof createBarReads>;
