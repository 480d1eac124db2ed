/** Store of closed bars. Missing bars are never filled in. */
import type { Observable } from 'rxjs';
import { FUNDING_HISTORY } from '../../../../streams/indicator-board.ts';
import type { Candle, CandleBatch, CandleSeries, StoredCandle } from '../../../domain/candles/candle.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { readsReal, writesReal } from '../catalog/source-origins.ts';
import { isAway, type Sql, type Transaction } from '../database.ts';
import { createCandleWindows } from './candle-windows.ts';

/** Bars of one series that open within [from, to). */
export interface BarRange extends CandleSeries {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

interface CandleRange extends BarRange {
  readonly limit: number;
}

/** First and last open time of a timeframe's stored bars. */
export interface StoredSpan {
  readonly timeframe: string;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
}

export function createCandleStore(sql: Sql) {
  const { windows, record, firstOpen } = createCandleWindows(sql);
  return {
    windows,
    record,
    firstOpen,

    /** Returns at most `limit` bars, ascending by open time. */
    async range({ venue, instrument, timeframe, from, to, limit }: CandleRange): Promise<readonly StoredCandle[]> {
      const rows = await sql<
        { open_time: number; open: string; high: string; low: string; close: string; volume: string; source: string; is_real: boolean }[]
      >`
        select open_time, trim_scale(open)::text as open, trim_scale(high)::text as high, trim_scale(low)::text as low,
          trim_scale(close)::text as close, trim_scale(volume)::text as volume, source, is_real
        from candles
        where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and is_real = ${readsReal(sql, venue)}
          and open_time >= ${from} and open_time < ${to}
        order by open_time limit ${limit}`;
      return rows.map(({ open_time: openTime, open, high, low, close, volume, source, is_real: isReal }) => ({
        openTime,
        open,
        high,
        low,
        close,
        volume,
        source,
        simulated: !isReal,
      }));
    },

    all: (range: BarRange) => allBars(sql, range),

    /** Returns the first and last bar within a range for each given timeframe that has one. */
    storedSpans: ({
      venue,
      instrument,
      timeframes,
      from,
      to,
    }: Omit<BarRange, 'timeframe'> & { readonly timeframes: readonly string[] }) => sql<StoredSpan[]>`
      select timeframe, "firstOpen", "lastOpen" from unnest(${timeframes}::text[]) as asked(timeframe), lateral (
        select min(open_time) as "firstOpen", max(open_time) as "lastOpen" from candles c
        where c.venue = ${venue} and c.instrument = ${instrument} and c.timeframe = asked.timeframe
          and c.is_real = ${readsReal(sql, venue)} and c.open_time >= ${from} and c.open_time < ${to}) span
      where "firstOpen" is not null`,

    /**
     * Stores closed bars in one transaction and returns the number of new or corrected ones. An existing bar is replaced only by one that
     * was received later, because venues correct bars. Storing the same batch again changes nothing.
     */
    async save(...batches: readonly CandleBatch[]): Promise<number> {
      const full = batches.filter(({ candles }) => candles.length > 0);
      if (full.length === 0) return 0;
      const saved = await sql.begin((transaction) => full.map((batch) => insertBars(transaction, batch)));
      return saved.reduce((sum, { count }) => sum + count, 0);
    },
  };
}

function insertBars(sql: Transaction, batch: CandleBatch) {
  // If a batch repeats a bar, the last one counts; a statement may change a row only once.
  const bars = [...new Map(batch.candles.map((candle) => [candle.openTime, candle])).values()];
  return sql`
        insert into candles (venue, instrument, timeframe, is_real, open_time, open, high, low, close, volume, source, received_at)
        select ${batch.venue}, ${batch.instrument}, ${batch.timeframe}, ${writesReal(sql, batch.venue)}, b."openTime", b.open, b.high, b.low, b.close, b.volume, ${batch.source}, ${batch.receivedAt}
        from jsonb_to_recordset(${sql.json(bars)})
          as b("openTime" bigint, open numeric, high numeric, low numeric, close numeric, volume numeric)
        on conflict (venue, instrument, timeframe, is_real, open_time) do update
          set open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close, volume = excluded.volume,
            source = excluded.source, received_at = excluded.received_at
          where candles.received_at < excluded.received_at
            and (candles.open, candles.high, candles.low, candles.close, candles.volume)
              is distinct from (excluded.open, excluded.high, excluded.low, excluded.close, excluded.volume)`;
}

/** Reads all bars of a range, ascending, as one text: rows would cost the reader ten times as much. */
async function allBars(sql: Sql, { venue, instrument, timeframe, from, to }: Omit<CandleRange, 'limit'>): Promise<readonly Candle[]> {
  const [row] = await sql<{ fields: string }[]>`
    select array_to_string(array(
      select concat_ws(',', open_time, trim_scale(open), trim_scale(high), trim_scale(low), trim_scale(close), trim_scale(volume))
      from candles
      where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe} and is_real = ${readsReal(sql, venue)}
          and open_time >= ${from} and open_time < ${to}
      order by open_time), ',') as fields`;
  return row === undefined || row.fields === '' ? [] : parseBars(row.fields.split(','));
}

/** Parses bars from consecutive groups of six fields. */
function parseBars(fields: readonly string[]): readonly Candle[] {
  const bars: Candle[] = [];
  for (let at = 0; at < fields.length; at += 6) {
    bars.push({
      openTime: Number(fields[at]),
      open: fields[at + 1] as string,
      high: fields[at + 2] as string,
      low: fields[at + 3] as string,
      close: fields[at + 4] as string,
      volume: fields[at + 5] as string,
    });
  }
  return bars;
}

/** Maximum batches per transaction. */
const MOST_AT_ONCE = 50;

/**
 * Starts storing. `write` queues work one piece at a time; batches that arrive meanwhile are stored together. Returns the stop function.
 */
export function keepBars(deps: {
  readonly sql: Sql;
  readonly received: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const candles = createCandleStore(deps.sql);
  const waiting: CandleBatch[] = [];
  async function keepWaiting(): Promise<void> {
    const some = waiting.splice(0, MOST_AT_ONCE);
    try {
      await candles.save(...some);
    } catch (error) {
      if (isAway(error)) waiting.unshift(...some);
      if (some.length === 1 || isAway(error)) throw error;
      // If one batch is refused, the others are stored by themselves.
      const each = await Promise.allSettled(some.map((batch) => candles.save(batch)));
      const refused = each.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
      if (refused !== undefined) throw refused.reason;
    }
  }
  const subscription = deps.received.subscribe({
    next(message) {
      if (message.kind !== 'candles' || message.source.endsWith(FUNDING_HISTORY)) return;
      waiting.push(message);
      deps.write('keeping bars', keepWaiting);
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
