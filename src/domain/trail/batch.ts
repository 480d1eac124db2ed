/**
 * Signed batch of a writer: all rows that one transaction wrote. Each row is an entry of a Merkle tree, the signature is over the root, and
 * the signed batch is in turn an entry of the log that checkpoints are about.
 */
import { leafHash, merkleRoot, thinnedRoot } from './merkle.ts';

/** Writers. Each process signs with keys of its own. `owner` signs what a person corrects at the machine, and no process opens its key. */
export const WRITERS = ['feed', 'worker', 'evaluator', 'api', 'log', 'owner'] as const;
export type Writer = (typeof WRITERS)[number];

/** Changes of a row. `sum`: the digest is over many rows that are written together, under a name of their own. */
export type ChangeOp = 'insert' | 'update' | 'delete' | 'genesis' | 'sum';

/** One row of a batch. */
export interface TrailChange {
  readonly table: string;
  readonly op: ChangeOp;
  /** Primary key of the row, its parts separated by blanks; for a `sum` the name of the rows. */
  readonly key: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
}

/** A batch as it lies in the trail. */
export interface TrailBatch {
  /** The number of the transaction, which no other one of the database ever has. */
  readonly xid: string;
  readonly writer: Writer;
  /** Eight hexadecimal digits of the key that signed. */
  readonly keyId: string;
  /** Time at which it was signed, in milliseconds. */
  readonly at: number;
  readonly changes: number;
  /** Base64 of the Merkle root over the entries. */
  readonly root: string;
}

/** The entry of one row: bound to its transaction, so that a signature is never good for another one. */
export function changeEntry(xid: string, { table, op, key, digest }: TrailChange): Buffer {
  return Buffer.from(`${xid}\n${table}\n${op}\n${key}\n${digest}`);
}

/** Base64 of the root over the rows of a transaction in the order of their writing. */
export function batchRoot(xid: string, changes: readonly TrailChange[]): string {
  return merkleRoot(changes.map((change) => leafHash(changeEntry(xid, change)))).toString('base64');
}

/** Part of a batch that stays in the database after its other rows have moved to an archive file. */
export interface ThinnedBatch {
  /** Indexes of the rows that stay, from 0 in the order of their writing. */
  readonly places: readonly number[];
  /** Hexadecimal: the roots, 32 bytes each, of the subtrees that moved, from left to right. */
  readonly hashes: string;
}

/** Base64 of the root over all rows of a transaction, from those that stay; null if they do not make up one. */
export function thinnedBatchRoot(xid: string, size: number, kept: readonly TrailChange[], { places, hashes }: ThinnedBatch): string | null {
  const leaves = kept.map((change) => leafHash(changeEntry(xid, change)));
  const moved = (hashes.match(/.{1,64}/g) ?? []).map((hash) => Buffer.from(hash, 'hex'));
  return thinnedRoot(size, places, leaves, moved)?.toString('base64') ?? null;
}

/** Returns the text that the writer signs. */
export function batchText({ xid, writer, keyId, at, changes, root }: TrailBatch): string {
  return `sevengate-batch-1\n${xid}\n${writer}\n${keyId}\n${at}\n${changes}\n${root}\n`;
}

/** The entry of a signed batch in the log. */
export function logEntry(batch: TrailBatch, signature: string): Buffer {
  return Buffer.from(`${batchText(batch)}${signature}\n`);
}
