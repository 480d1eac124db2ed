/** Store of the multipliers of tokens: in whose units their quotes are, and since when. */
import type { Observable } from 'rxjs';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { TokenMultiplier } from '../../../domain/market/quote.ts';
import { instrumentKey, splitInstrumentKey, type InstrumentKey } from '../../../domain/market/venue.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Sql } from '../database.ts';
import { readsReal, writesReal } from './source-origins.ts';

/** Reads the last multiplier of each token, by its name at the venue. */
export async function lastMultipliers(sql: Sql): Promise<ReadonlyMap<string, DecimalString>> {
  const rows = await sql<{ instrument: InstrumentKey; multiplier: DecimalString }[]>`
    select distinct on (instrument) instrument, multiplier from token_multipliers
    where is_real = ${readsReal(sql, 'spotchain')} order by instrument, at desc`;
  return new Map(rows.map(({ instrument, multiplier }) => [splitInstrumentKey(instrument).instrument, plainDecimal(multiplier)]));
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
  /** Messages that passed the quality checks. */
  readonly assessed: Observable<FeedMessage>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): () => void {
  const subscription = deps.assessed.subscribe({
    next(message) {
      if (message.kind === 'token_multiplier') deps.write('keeping the multiplier of a token', () => keepMultiplier(deps.sql, message));
    },
    error: deps.onFailure,
  });
  return () => subscription.unsubscribe();
}
