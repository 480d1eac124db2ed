/**
 * Reads cuts and trusts only the feed's public keys: it hashes the batch, the cut's row and every observation. The owner of the tables can
 * hide a cut but cannot invent one.
 */
import type { Cut, Observation } from '../../../domain/market/cut.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { cutDigest } from '../../../domain/trail/batch.ts';
import { sha256Hex } from '../../../domain/values/canonical-json.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { Sql, Transaction } from '../database.ts';
import { batchFault, readBatches } from './batch-check.ts';

/** Cut signed by the feed, or a sentence why there is none. */
type FeedCut = { readonly ok: true; readonly cut: Cut } | { readonly ok: false; readonly why: string };

const no = (why: string): FeedCut => ({ ok: false, why });

/** @param keys keys of the feed; signatures of other writers do not count */
export async function feedCutAt(sql: Sql, slot: EpochMs, keys: readonly TrustedKey[]): Promise<FeedCut> {
  return (await sql.begin('isolation level repeatable read read only', (transaction) => cutIn(transaction, slot, keys))) as FeedCut;
}

/** Returns the newest cut, which must be signed by the feed; earlier ones are not searched. */
export async function newestFeedCut(sql: Sql, keys: readonly TrustedKey[]): Promise<FeedCut> {
  return (await sql.begin('isolation level repeatable read read only', async (transaction) => {
    const [newest] = await transaction<{ slot: EpochMs }[]>`select slot from judged_cuts order by slot desc limit 1`;
    return newest === undefined ? no('there is no cut') : cutIn(transaction, newest.slot, keys);
  })) as FeedCut;
}

async function cutIn(sql: Transaction, slot: EpochMs, keys: readonly TrustedKey[]): Promise<FeedCut> {
  const named = `the cut of ${new Date(slot).toISOString()}`;
  await sql`set local timezone to 'UTC'`;
  const [[written], [change], observations, [corrected]] = await Promise.all([
    sql<{ row: string }[]>`select to_jsonb(b)::text as row from cut_batches b where slot = ${slot}`,
    sql<{ xid: string; digest: string }[]>`
      select xid::text as xid, encode(digest, 'hex') as digest from trail_changes
      where name = 'cut_batches' and hashtext(key) = hashtext(${String(slot)}) and key = ${String(slot)} order by seq desc limit 1`,
    sql<{ instrument: InstrumentKey; body: string }[]>`select instrument, body from observations where slot = ${slot}`,
    sql<{ reason: string }[]>`select reason from cut_corrections where slot = ${slot}`,
  ]);
  if (corrected !== undefined) return no(`${named} was corrected: ${corrected.reason}`);
  if (written === undefined || change === undefined) return no(`nobody signed ${named}`);
  const atHand = (await readBatches(sql, [change.xid])).get(change.xid);
  if (atHand === undefined) return no(`${named} is not the feed's: transaction ${change.xid} has no batch`);
  const { batch, changes, thinned } = atHand;
  const fault = batchFault(batch, changes, keys, thinned);
  if (fault !== null) return no(`${named} is not the feed's: ${fault}`);
  const { row } = written;
  const isInBatch = changes.some(
    ({ table, key, op, digest }) => table === 'cut_batches' && key === String(slot) && op === 'insert' && digest === sha256Hex(row),
  );
  const { slot: signedSlot, digest, source } = JSON.parse(row) as { slot: number; digest: string; source: string };
  const hashes = observations.map(({ instrument, body }) => ({ instrument, hash: sha256Hex(body) }));
  if (!isInBatch || signedSlot !== slot || source !== 'streams' || cutDigest(hashes) !== digest)
    return no(`${named} is not the one that the feed signed`);
  return {
    ok: true,
    cut: { slot, observations: new Map(observations.map(({ instrument, body }) => [instrument, JSON.parse(body) as Observation])) },
  };
}
