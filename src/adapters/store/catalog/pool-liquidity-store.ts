/** Depth of token pools: the newer of `pool_liquidity` and the last cuts' observations. */
import type { PoolLiquidity } from '../../../domain/risk/order-context.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Sql, Transaction } from '../database.ts';

/** Received state of a pool. */
interface ReceivedPool extends PoolLiquidity {
  readonly instrument: InstrumentKey;
}

/** Returns the last liquidity of the instruments' pools received after `since`; leaves out instruments without one. */
export async function poolLiquidity(
  sql: Sql,
  instruments: readonly InstrumentKey[],
  since: EpochMs,
): Promise<ReadonlyMap<InstrumentKey, PoolLiquidity>> {
  if (instruments.length === 0) return new Map();
  const keys = instruments as string[];
  // Depths of the sandbox's pools do not apply to real ones.
  const from = sql`greatest(${since}::bigint, (select max(at) from source_origins where source = 'spotchain'))`;
  const rows = await sql<{ instrument: InstrumentKey; at: number; liquidity_usd: DecimalString | null }[]>`
    select distinct on (instrument) instrument, at, liquidity_usd from (
      select instrument, slot as at, body::jsonb ->> 'liquidityUsd' as liquidity_usd from judged_observations
        where instrument = any(${keys}::text[]) and slot > ${from}
      union all
      select instrument, observed_at, liquidity_usd::text from pool_liquidity
        where instrument = any(${keys}::text[]) and observed_at > ${from}
    ) as received order by instrument, at desc`;
  return new Map(
    rows.flatMap(({ instrument, at, liquidity_usd }) =>
      liquidity_usd === null ? [] : [[instrument, { liquidityUsd: plainDecimal(liquidity_usd), observedAt: at }] as const],
    ),
  );
}

/** Stores a received depth unless a newer one is stored. */
export async function keepPoolLiquidity(sql: Sql | Transaction, { instrument, liquidityUsd, observedAt }: ReceivedPool): Promise<void> {
  await sql`
    insert into pool_liquidity (instrument, liquidity_usd, observed_at) values (${instrument}, ${liquidityUsd}, ${observedAt})
    on conflict (instrument) do update set liquidity_usd = excluded.liquidity_usd, observed_at = excluded.observed_at
    where pool_liquidity.observed_at < excluded.observed_at`;
}
