/** Store of marks, liquidity and spreads over time (`market_history`, `issuer_marks`) for backtests. */
import type { Observable } from 'rxjs';
import type { Fact } from '../../../domain/backtest/fact.ts';
import type { DataSource } from '../../../domain/market/data-source.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { halfSpreadBps } from '../../../domain/market/quote.ts';
import { type InstrumentKey, instrumentKey, isExecutable, splitInstrumentKey } from '../../../domain/market/venue.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Stretch } from '../../../domain/values/stretches.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../domain/values/time.ts';
import type { Sql, Transaction } from '../database.ts';
import { readsReal, writesReal } from './source-origins.ts';

export const HISTORY_KINDS = ['issuer_mark', 'pool_liquidity', 'half_spread'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

/** Rows per statement. */
const BATCH = 5_000;

interface Row {
  readonly at: EpochMs;
  readonly value: string;
}

const toFact = ({ at, value }: Row): Fact => ({ receivedAt: at, value: plainDecimal(value) });

/** Returns the source of the values: the issuer, or the instrument's venue. */
function sourceOfFacts(what: HistoryKind, instrument: string): DataSource {
  return what === 'issuer_mark' ? 'issuer' : splitInstrumentKey(instrument as InstrumentKey).venue;
}

/** Reads a token's marks by the issuer, received or imported. A repeated price keeps its first time. */
export async function marksOverTime(sql: Sql, token: string): Promise<readonly Fact[]> {
  const rows = await sql<Row[]>`
    select distinct on (at) at, value from (
      select seen_at as at, mark_price as value, id from issuer_marks where instrument = ${token} and is_real = ${readsReal(sql, 'issuer')}
      union all
      select at, value, null from market_history where what = 'issuer_mark' and instrument = ${token} and is_real = ${readsReal(sql, 'issuer')}
    ) as known order by at, id desc nulls last`;
  return rows.map(toFact);
}

/** Reads an instrument's values of one kind. Each counts as known from the end of its period. */
export async function factsOverTime(sql: Sql, what: HistoryKind, instrument: InstrumentKey): Promise<readonly Fact[]> {
  const rows = await sql<Row[]>`
    select at, value from market_history where what = ${what} and instrument = ${instrument}
      and is_real = ${readsReal(sql, sourceOfFacts(what, instrument))} order by at`;
  return rows.map(toFact);
}

/** Stores a received pool depth for its hour if it is the minimum. */
export async function keepLeastLiquidity(
  sql: Sql | Transaction,
  instrument: InstrumentKey,
  liquidityUsd: DecimalString,
  heardAt: EpochMs,
): Promise<void> {
  await sql`
    insert into market_history (what, instrument, at, is_real, value, source)
    values ('pool_liquidity', ${instrument}, ${endOfHour(heardAt)}, ${writesReal(sql, sourceOfFacts('pool_liquidity', instrument))}, ${liquidityUsd}, 'heard')
    on conflict (what, instrument, at, is_real) do update set value = excluded.value, source = excluded.source
    where market_history.value > excluded.value`;
}

/** Stores the mean half spread of an hour in basis points; if one is stored, the wider one. */
export async function keepHalfSpread(sql: Sql | Transaction, instrument: InstrumentKey, bps: number, heardAt: EpochMs): Promise<void> {
  await sql`
    insert into market_history (what, instrument, at, is_real, value, source)
    values ('half_spread', ${instrument}, ${endOfHour(heardAt)}, ${writesReal(sql, sourceOfFacts('half_spread', instrument))}, ${bps}, 'heard')
    on conflict (what, instrument, at, is_real) do update set value = excluded.value, source = excluded.source
    where market_history.value < excluded.value`;
}

/** Returns the end of the hour that contains an instant. */
function endOfHour(at: EpochMs): EpochMs {
  return (Math.floor(at / HOUR_MS) + 1) * HOUR_MS;
}

/** Stores imported values, all or none, and returns the number of new ones. Existing values are not changed. */
export async function keepHistory(
  sql: Sql,
  what: HistoryKind,
  instrument: string,
  facts: readonly Fact[],
  source: string,
  progress: (done: number, total: number) => void = () => {},
): Promise<number> {
  return sql.begin(async (transaction) => {
    let inserted = 0;
    for (let first = 0; first < facts.length; first += BATCH) {
      progress(first, facts.length);
      const rows = facts.slice(first, first + BATCH).map(({ receivedAt, value }) => ({ at: receivedAt, value }));
      const kept = await transaction`
        insert into market_history (what, instrument, at, is_real, value, source)
        select ${what}, ${instrument}, at, ${writesReal(transaction, sourceOfFacts(what, instrument))}, value, ${source} from jsonb_to_recordset(${transaction.json(rows)}) as r (at bigint, value numeric)
        on conflict do nothing`;
      inserted += kept.count;
    }
    progress(facts.length, facts.length);
    return inserted;
  });
}

/** Returns the period for which values of one kind and source are kept; null if there are none. */
export async function keptStretch(sql: Sql, what: HistoryKind, instrument: string, source: string): Promise<Stretch | null> {
  const [row] = await sql<{ from: EpochMs | null; to: EpochMs | null }[]>`
    select min(at) as "from", max(at) as "to" from market_history where what = ${what} and instrument = ${instrument} and source = ${source}
      and is_real = ${readsReal(sql, sourceOfFacts(what, instrument))}`;
  return row === undefined || row.from === null || row.to === null ? null : { from: row.from, to: row.to };
}

/** Lists the stored history of each instrument: the number of values, and the times from and to which they were known. */
export async function listHistory(sql: Sql): Promise<
  readonly {
    readonly what: HistoryKind;
    readonly instrument: string;
    readonly simulated: boolean;
    readonly values: number;
    readonly from: EpochMs;
    readonly to: EpochMs;
  }[]
> {
  return sql`
    select what, instrument, not is_real as simulated, count(*)::int as values, min(at) as "from", max(at) as "to" from (
      select what, instrument, is_real, at from market_history
      union all select 'issuer_mark', instrument, is_real, seen_at from issuer_marks
    ) as known group by what, instrument, is_real order by what, instrument, is_real desc`;
}

/** Milliseconds of which one quote per instrument counts. */
const SAMPLE_MS = MINUTE_MS;

interface HourOfQuotes {
  readonly hour: number;
  sum: number;
  count: number;
  sampledAt: EpochMs;
}

/**
 * Starts storing. An hour is written with the first quote of a later one. `write` queues work one piece at a time. Returns the stop
 * function.
 */
export function keepSpreads(deps: {
  readonly sql: Sql;
  /** Messages that passed the quality checks. */
  readonly assessed: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const hours = new Map<InstrumentKey, HourOfQuotes>();
  const subscription = deps.assessed.subscribe({
    next(message) {
      if (message.kind !== 'quote' || !isExecutable(message.venue) || message.venue === 'prediction') return;
      const instrument = instrumentKey(message.venue, message.instrument);
      const { receivedAt } = message;
      const before = hours.get(instrument);
      if (before !== undefined && receivedAt - before.sampledAt < SAMPLE_MS) return;
      const half = halfSpreadBps(message);
      if (half === null) return;
      const hour = Math.floor(receivedAt / HOUR_MS);
      if (before?.hour === hour) {
        before.sum += half;
        before.count += 1;
        before.sampledAt = receivedAt;
        return;
      }
      hours.set(instrument, { hour, sum: half, count: 1, sampledAt: receivedAt });
      if (before === undefined) return;
      const mean = Math.round((before.sum / before.count) * 1e4) / 1e4;
      deps.write('keeping the spread of an hour', () => keepHalfSpread(deps.sql, instrument, mean, before.sampledAt));
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
