/** Store of the multipliers of tokens: in whose units their quotes are, and since when. */
import type { Observable } from 'rxjs';
import type { MultiplierChange } from '../../../domain/books/book.ts';
import { CATALOG } from '../../../domain/catalog/catalog.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { TokenMultiplier } from '../../../domain/market/quote.ts';
import { instrumentKey, splitInstrumentKey, type InstrumentKey } from '../../../domain/market/venue.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { readsReal, writesReal } from './source-origins.ts';

interface LastRow {
  readonly instrument: InstrumentKey;
  readonly at: EpochMs;
  readonly multiplier: DecimalString;
  readonly before: DecimalString | null;
}

const readLast = (sql: Sql) => sql<LastRow[]>`
  select distinct on (instrument) instrument, at, multiplier, before from (
    select instrument, at, multiplier, lag(multiplier) over (partition by instrument order by at) as before
    from token_multipliers where is_real = ${readsReal(sql, 'spotchain')}) m order by instrument, at desc`;

/** Reads the last multiplier of each token, by its name at the venue. */
export async function lastMultipliers(sql: Sql): Promise<ReadonlyMap<string, DecimalString>> {
  const rows = await readLast(sql);
  return new Map(rows.map(({ instrument, multiplier }) => [splitInstrumentKey(instrument).instrument, plainDecimal(multiplier)]));
}

/** Brings received multipliers into this process's catalog. */
export async function loadMultipliers(sql: Sql): Promise<void> {
  const rows = await readLast(sql);
  CATALOG.learn(
    new Map(
      rows.map(({ instrument, at, multiplier, before }) => [
        instrument,
        { at, multiplier: Number(multiplier), before: before === null ? null : Number(before) },
      ]),
    ),
  );
}

/** Reads the changes of the multipliers of tokens up to an instant, ascending. Other instruments have none. */
export async function multiplierChanges(
  sql: Sql,
  instruments: readonly InstrumentKey[],
  until: EpochMs,
): Promise<readonly MultiplierChange[]> {
  const rows = await sql<MultiplierChange[]>`
    select i.instrument, c.at, c.before, c.after from unnest(${instruments as string[]}::text[]) as i(instrument)
    cross join lateral multiplier_changes(i.instrument, ${until}) c order by c.at`;
  return rows.map((row) => ({ ...row, before: plainDecimal(row.before), after: plainDecimal(row.after) }));
}

/** Stores a received multiplier unless it is the last one. */
export async function keepMultiplier(sql: Sql, { venue, instrument, observedAt, multiplier }: TokenMultiplier): Promise<void> {
  const key = instrumentKey(venue, instrument);
  await sql`
    insert into token_multipliers (instrument, at, multiplier, is_real)
    select ${key}, ${observedAt}, ${multiplier}::numeric, o.is_real from (select ${writesReal(sql, 'spotchain')} as is_real) o
    where ${multiplier}::numeric is distinct from (
      select multiplier from token_multipliers m where m.instrument = ${key} and m.is_real = o.is_real order by at desc limit 1)
    on conflict do nothing`;
}

/** Starts storing. `write` queues work one piece at a time. Returns the stop function. */
export function keepMultipliers(deps: {
  readonly sql: Sql;
  /** Every message of the feeds: a multiplier changes no view, so it is not among the assessed ones. */
  readonly received: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const subscription = deps.received.subscribe({
    next(message) {
      if (message.kind === 'token_multiplier') deps.write('keeping the multiplier of a token', () => keepMultiplier(deps.sql, message));
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
