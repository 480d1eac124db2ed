/** Whether a batch of the trail is what a trusted writer signed. */

import type { EpochMs } from '../../../domain/time.ts';
import { batchRoot, batchText, type TrailChange } from '../../../domain/trail/batch.ts';
import { isSignedBy, type TrustedKey } from '../../signing-keys/writer-keys.ts';

/** A batch as it is stored; what is null was never signed. */
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

/** One sentence about what is wrong with a batch; null of a good one. */
export function batchFault(batch: StoredBatch, changes: readonly StoredChange[], keys: readonly TrustedKey[]): string | null {
  const { xid, key_id: keyId, at, root, signature } = batch;
  const [first] = changes;
  const what =
    first === undefined ? 'nothing' : `${first.table} ${first.key}${changes.length > 1 ? ` and ${changes.length - 1} more` : ''}`;
  if (keyId === null || at === null || root === null || signature === null)
    return `transaction ${xid} changed ${what}, and nobody signed it`;
  const key = keys.find(({ id }) => id === keyId);
  if (key === undefined) return `transaction ${xid} changed ${what}, signed by key ${keyId}, which is not trusted`;
  if (changes.length !== batch.changes)
    return `transaction ${xid} was signed over ${batch.changes} changes, ${changes.length} are there (${what})`;
  if (batchRoot(xid, changes) !== root) return `the changes of transaction ${xid} are not those that were signed (${what})`;
  const text = batchText({ xid, writer: key.writer, keyId, at, changes: changes.length, root });
  if (!isSignedBy(key.publicKey, Buffer.from(text), Buffer.from(signature, 'base64')))
    return `transaction ${xid} changed ${what}, and its signature is not that of key ${keyId}`;
  return null;
}
