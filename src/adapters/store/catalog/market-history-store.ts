/** Marks and liquidity over time (`market_history`, `issuer_marks`): what backtests know besides bars and events. */
import { type DecimalString, plainDecimal } from '../../../domain/decimal.ts';
import type { EpochMs } from '../../../domain/time.ts';
import type { InstrumentKey } from '../../../domain/venue.ts';
import type { Fact } from '../../../simulation/backtest/history.ts';
import type { Sql, Transaction } from '../database.ts';

export const HISTORY_KINDS = ['issuer_mark', 'pool_liquidity'] as const;
export type HistoryKind = (typeof HISTORY_KINDS)[number];

const DAY_MS = 86_400_000;
/** So many values are written in one statement. */
const BATCH = 5_000;

interface Row {
  readonly at: EpochMs;
  readonly value: string;
}

const factOf = ({ at, value }: Row): Fact => ({ receivedAt: at, value: plainDecimal(value) });

/** An issuer's marks of a token as they were read or imported. A price that is said again does not become younger. */
export async function marksOverTime(sql: Sql, token: string): Promise<readonly Fact[]> {
  const rows = await sql<Row[]>`
    select distinct on (at) at, value from (
      select seen_at as at, mark_price as value, id from issuer_marks where instrument = ${token}
      union all
      select at, value, null from market_history where what = 'issuer_mark' and instrument = ${token}
    ) as known order by at, id desc nulls last`;
  return rows.map(factOf);
}

/** The least liquidity of an instrument's pools by day, each known from the day's end on. */
export async function liquidityOverTime(sql: Sql, instrument: InstrumentKey): Promise<readonly Fact[]> {
  const rows = await sql<Row[]>`
    select at, value from market_history where what = 'pool_liquidity' and instrument = ${instrument} order by at`;
  return rows.map(factOf);
}

/** Keeps what was received of a pool for its day, where it is the least of it. */
export async function keepLeastLiquidity(
  sql: Sql | Transaction,
  instrument: InstrumentKey,
  liquidityUsd: DecimalString,
  heardAt: EpochMs,
): Promise<void> {
  const endOfDay = (Math.floor(heardAt / DAY_MS) + 1) * DAY_MS;
  await sql`
    insert into market_history (what, instrument, at, value, source) values ('pool_liquidity', ${instrument}, ${endOfDay}, ${liquidityUsd}, 'heard')
    on conflict (what, instrument, at) do update set value = excluded.value, source = excluded.source
    where market_history.value > excluded.value`;
}

/** Keeps imported values, all or none; answers how many were new. What is there already stays as it is. */
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
        insert into market_history (what, instrument, at, value, source)
        select ${what}, ${instrument}, at, value, ${source} from jsonb_to_recordset(${transaction.json(rows as never)}) as r (at bigint, value numeric)
        on conflict do nothing`;
      inserted += kept.count;
    }
    progress(facts.length, facts.length);
    return inserted;
  });
}

/** What is kept of each instrument: how many values, and from when to when they were known. */
export async function listHistory(sql: Sql): Promise<
  readonly {
    readonly what: HistoryKind;
    readonly instrument: string;
    readonly values: number;
    readonly from: EpochMs;
    readonly to: EpochMs;
  }[]
> {
  return sql`
    select what, instrument, count(*)::int as values, min(at) as "from", max(at) as "to" from (
      select what, instrument, at from market_history
      union all select 'issuer_mark', instrument, seen_at from issuer_marks
    ) as known group by what, instrument order by what, instrument`;
}
