/**
 * Corrections of wrong cuts. The signed cut stays; a row signed by the owner marks it as wrong with a reason. Assessments read
 * `judged_cuts` and `judged_observations`, which exclude it.
 */
import type { EpochMs } from '../../../domain/values/time.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { Sql, Transaction } from '../database.ts';

/** Cut that is marked as wrong. */
export interface CutCorrection {
  readonly slot: EpochMs;
  readonly reason: string;
  readonly by: string;
  readonly at: EpochMs;
}

/** Range of a correction: slots from `from` (inclusive) until `until` (exclusive). */
interface CorrectedSpan {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly reason: string;
  /** Author of the correction. */
  readonly by: string;
}

/**
 * Marks every cut of a range as wrong in one signed transaction and returns the new corrections by slot. Marked cuts are not changed.
 * @param sql connections of the owner of the tables with the owner's key @throws Error with one sentence if the range has no cut, or a
 * shard has not decided on it yet
 */
export async function correctCuts(sql: Sql, { from, until, reason, by }: CorrectedSpan): Promise<readonly CutCorrection[]> {
  return (await sql.begin(async (transaction) => {
    const [known] = await transaction`select 1 from cut_batches where slot >= ${from} and slot < ${until} limit 1`;
    if (known === undefined)
      throw new Error(`no cut was written from ${new Date(from).toISOString()} until ${new Date(until).toISOString()}`);
    return transaction<CutCorrection[]>`
      insert into cut_corrections (slot, reason, corrected_by)
      select slot, ${reason}, ${by} from cut_batches where slot >= ${from} and slot < ${until} order by slot
      on conflict (slot) do nothing returning slot, reason, corrected_by as by, corrected_at as at`;
  })) as readonly CutCorrection[];
}

/** Returns every correction by slot; none in a database without this migration. */
export async function cutCorrections(sql: Sql | Transaction): Promise<readonly CutCorrection[]> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('cut_corrections') is not null as ready`;
  if (ready?.ready !== true) return [];
  return sql<CutCorrection[]>`select slot, reason, corrected_by as by, corrected_at as at from cut_corrections order by slot`;
}

/** Reports corrections without a signature of the owner. */
export async function verifyCorrections(
  sql: Transaction,
  keys: readonly TrustedKey[],
  complain: (at: EpochMs, agentId: string | null, part: string, detail: string) => unknown,
): Promise<void> {
  const owners = keys.filter(({ writer }) => writer === 'owner').map(({ id }) => id);
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('cut_corrections') is not null as ready`;
  if (ready?.ready !== true) return;
  const others = await sql<{ slot: EpochMs; key_id: string | null }[]>`
    select c.slot, s.key_id from cut_corrections c left join lateral (
      select b.key_id from trail_changes h join trail_batches b on b.xid = h.xid
      where h.name = 'cut_corrections' and hashtext(h.key) = hashtext(c.slot::text) and h.key = c.slot::text order by h.seq desc limit 1) s on true
    where s.key_id is null or s.key_id <> all(${owners}::text[]) order by 1`;
  for (const { slot, key_id } of others)
    complain(slot, null, 'cut correction', `key ${key_id ?? 'of nobody'} corrected this cut, and it is no key of the owner`);
}
