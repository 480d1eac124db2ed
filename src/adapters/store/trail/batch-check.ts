/** Check that a trusted writer signed a batch of the trail. */

import type { EpochMs } from '../../../domain/values/time.ts';
import { batchRoot, batchText, type ThinnedBatch, thinnedBatchRoot, type TrailChange } from '../../../domain/trail/batch.ts';
import { isSignedBy, type TrustedKey } from '../../signing-keys/writer-keys.ts';
import type { Transaction } from '../database.ts';

/** Batch as stored; a null signature was never made. */
export interface StoredBatch {
  readonly xid: string;
  readonly key_id: string | null;
  readonly at: EpochMs | null;
  readonly changes: number | null;
  readonly root: string | null;
  readonly signature: string | null;
}

export interface StoredChange extends TrailChange {
  readonly xid: string;
}

/** Batch with its rows in the database; `thinned` is null if all of them are there. */
interface BatchAtHand {
  readonly batch: StoredBatch;
  readonly changes: readonly StoredChange[];
  readonly thinned: ThinnedBatch | null;
}

/** Reads the batches of transactions by number; leaves out transactions without one. */
export async function readBatches(sql: Transaction, xids: readonly string[]): Promise<ReadonlyMap<string, BatchAtHand>> {
  const wanted = xids as string[];
  const [batches, changes] = await Promise.all([
    sql<(StoredBatch & { readonly places: number[] | null; readonly hashes: string | null })[]>`
      select b.xid::text as xid, key_id, at, changes, root, signature, to_jsonb(places) as places, encode(hashes, 'hex') as hashes
      from public.trail_batches b left join public.trail_thinned_batches t on t.xid = b.xid where b.xid = any(${wanted}::text[]::xid8[])`,
    sql<StoredChange[]>`
      select xid::text as xid, name as "table", op, key, encode(digest, 'hex') as digest from public.trail_changes
      where xid = any(${wanted}::text[]::xid8[]) order by trail_changes.xid, seq`,
  ]);
  const byXid = new Map<string, StoredChange[]>(batches.map(({ xid }) => [xid, []]));
  for (const change of changes) byXid.get(change.xid)?.push(change);
  return new Map(
    batches.map(({ places, hashes, ...batch }) => [
      batch.xid,
      { batch, changes: byXid.get(batch.xid) ?? [], thinned: places === null || hashes === null ? null : { places, hashes } },
    ]),
  );
}

/**
 * Returns a sentence with the fault of a batch, or null. @param thinned set if other rows of the batch are archived; `changes` are then the
 * remaining ones, which are proved to be among the signed ones
 */
export function batchFault(
  batch: StoredBatch,
  changes: readonly StoredChange[],
  keys: readonly TrustedKey[],
  thinned: ThinnedBatch | null = null,
): string | null {
  const { xid, key_id: keyId, at, root, signature } = batch;
  const [first] = changes;
  const what =
    first === undefined ? 'nothing' : `${first.table} ${first.key}${changes.length > 1 ? ` and ${changes.length - 1} more` : ''}`;
  if (keyId === null || at === null || root === null || signature === null)
    return `transaction ${xid} changed ${what}, and nobody signed it`;
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) return `transaction ${xid} changed ${what}, signed by key ${keyId}, which is not trusted`;
  if (changes.length !== (thinned === null ? batch.changes : thinned.places.length))
    return `transaction ${xid} was signed over ${batch.changes} changes, ${changes.length} are there (${what})`;
  const size = batch.changes as number;
  if ((thinned === null ? batchRoot(xid, changes) : thinnedBatchRoot(xid, size, changes, thinned)) !== root)
    return `the changes of transaction ${xid} are not those that were signed (${what})`;
  const text = batchText({ xid, writer: key.writer, keyId, at, changes: size, root });
  if (!isSignedBy(key.publicKey, Buffer.from(text), Buffer.from(signature, 'base64')))
    return `transaction ${xid} changed ${what}, and its signature is not that of key ${keyId}`;
  return null;
}
