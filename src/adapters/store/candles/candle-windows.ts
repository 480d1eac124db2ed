/** Periods of a series that were requested, as multiranges: the reasons of gaps follow from them. */
import type { Stretch } from '../../../domain/values/stretches.ts';
import type { CandleWindow, WindowState } from '../../../domain/candles/candle-gaps.ts';
import type { CandleSeries } from '../../../domain/candles/candle.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { readsReal, writesReal } from '../catalog/source-origins.ts';
import type { Sql, Transaction } from '../database.ts';

/** Summary of a stored series. */
interface SeriesSummary extends CandleSeries {
  /** False if the bars were received from a real venue. */
  readonly simulated: boolean;
  /** True if the bars are stored and not read: the venue was simulated and is real now, or the reverse. */
  readonly setAside: boolean;
  readonly bars: number;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
  readonly sources: readonly string[];
}

export function createCandleWindows(sql: Sql) {
  return {
    /** Returns the periods that overlap [from, to), clipped to it, ascending. */
    async windows({ venue, instrument, timeframe }: CandleSeries, { from, to }: Stretch): Promise<readonly CandleWindow[]> {
      if (from >= to) return [];
      return sql<CandleWindow[]>`
        select w.state, w.code, lower(part)::bigint as from, upper(part)::bigint as to
        from candle_windows w, unnest(w.windows * int8multirange(int8range(${from}, ${to}))) as part
        where w.venue = ${venue} and w.instrument = ${instrument} and w.timeframe = ${timeframe} and w.is_real = ${readsReal(sql, venue)}
        order by lower(part), w.state`;
    },

    /** Records the result of requesting [from, to). An answer replaces an earlier refusal; a refusal replaces nothing. */
    async record(series: CandleSeries, range: Stretch, state: WindowState, code: string, at: EpochMs): Promise<void> {
      if (range.from >= range.to) return;
      await sql.begin((transaction) => recordWindow(transaction, series, range, state, code, at));
    },

    /** Returns the first stored bar of a series, or null. */
    async firstOpen({ venue, instrument, timeframe }: CandleSeries): Promise<EpochMs | null> {
      const [row] = await sql<{ first: EpochMs | null }[]>`
        select min(open_time) as first from candles
        where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and is_real = ${readsReal(sql, venue)}`;
      return row?.first ?? null;
    },

    summaries: (filter: Partial<CandleSeries>) => readSummaries(sql, filter),

    /** Returns the holes between stored bars within [from, to), including those at both ends, ascending. */
    async holes({ venue, instrument, timeframe }: CandleSeries, { from, to }: Stretch, barMs: number): Promise<readonly Stretch[]> {
      return sql<{ from: EpochMs; to: EpochMs }[]>`
        select before + ${barMs}::bigint as from, open_time as to from (
          select open_time, lag(open_time, 1, ${from - barMs}::bigint) over (order by open_time) as before from (
            select open_time from candles
            where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe}
              and is_real = ${readsReal(sql, venue)} and open_time >= ${from} and open_time < ${to}
            union all select ${to}::bigint) bars) pairs
        where open_time > before + ${barMs}::bigint order by 1`;
    },
  };
}

/** Returns every stored series, or those that match. */
async function readSummaries(sql: Sql, filter: Partial<CandleSeries>): Promise<readonly SeriesSummary[]> {
  const rows = await sql<
    (CandleSeries & {
      simulated: boolean;
      set_aside: boolean;
      bars: number;
      first_open: number;
      last_open: number;
      sources: string[];
    })[]
  >`
    select venue, instrument, timeframe, not is_real as simulated, is_real <> reads_real(venue) as set_aside, count(*)::bigint as bars, min(open_time) as first_open, max(open_time) as last_open,
      array_agg(distinct source order by source) as sources
    from candles
    where (${filter.venue ?? null}::text is null or venue = ${filter.venue ?? null})
      and (${filter.instrument ?? null}::text is null or instrument = ${filter.instrument ?? null})
      and (${filter.timeframe ?? null}::text is null or timeframe = ${filter.timeframe ?? null})
    group by venue, instrument, timeframe, is_real order by venue, instrument, timeframe, is_real desc`;
  return rows.map(
    ({ venue, instrument, timeframe, simulated, set_aside: setAside, bars, first_open: firstOpen, last_open: lastOpen, sources }) => ({
      venue,
      instrument,
      timeframe,
      simulated,
      setAside,
      bars,
      firstOpen,
      lastOpen,
      sources,
    }),
  );
}

export type CandleWindows = ReturnType<typeof createCandleWindows>;

/** Runs `record` in the caller's transaction. */
export async function recordWindow(
  sql: Transaction,
  { venue, instrument, timeframe }: CandleSeries,
  { from, to }: Stretch,
  state: WindowState,
  code: string,
  at: EpochMs,
): Promise<void> {
  if (state === 'asked') {
    await sql`
      update candle_windows set windows = windows - int8multirange(int8range(${from}, ${to}))
      where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and state = 'refused'
        and is_real = ${writesReal(sql, venue)}`;
  }
  await sql`
    insert into candle_windows (venue, instrument, timeframe, is_real, state, code, windows, checked_at)
    values (${venue}, ${instrument}, ${timeframe}, ${writesReal(sql, venue)}, ${state}, ${code}, int8multirange(int8range(${from}, ${to})), ${at})
    on conflict (venue, instrument, timeframe, is_real, state, code)
    do update set windows = candle_windows.windows + excluded.windows, checked_at = excluded.checked_at`;
}
