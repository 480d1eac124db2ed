/** Depth of token pools: the newer of `pool_liquidity` and the last cuts' observations. Stores received depths. */
import type { Observable } from 'rxjs';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import { type InstrumentKey, instrumentKey } from '../../../domain/market/venue.ts';
import type { PoolLiquidity } from '../../../domain/risk/order-context.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import type { Sql, Transaction } from '../database.ts';
import { keepLeastLiquidity } from './market-history-store.ts';

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

/** Milliseconds between two writes of a pool. */
const KEEP_EVERY_MS = MINUTE_MS;

/** Starts storing. `write` queues work one piece at a time. Returns the stop function. */
export function keepPools(deps: {
  readonly sql: Sql;
  /** Messages that passed the quality checks. */
  readonly assessed: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const keptAt = new Map<InstrumentKey, EpochMs>();
  const subscription = deps.assessed.subscribe({
    next(message) {
      if (message.kind !== 'pool_liquidity') return;
      const { venue, instrument: symbol, liquidityUsd, receivedAt: observedAt } = message;
      const instrument = instrumentKey(venue, symbol);
      if (observedAt - (keptAt.get(instrument) ?? Number.NEGATIVE_INFINITY) < KEEP_EVERY_MS) return;
      keptAt.set(instrument, observedAt);
      deps.write('keeping the liquidity of a pool', () =>
        deps.sql.begin(async (transaction) => {
          await keepPoolLiquidity(transaction, { instrument, liquidityUsd, observedAt });
          await keepLeastLiquidity(transaction, instrument, liquidityUsd, observedAt);
        }),
      );
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
