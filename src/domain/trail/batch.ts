/**
 * A writer's signed batch: all rows that one transaction wrote. Each row is an entry of a Merkle tree, the signature covers the root, and
 * the signed batch is in turn an entry of the log that checkpoints cover.
 */
import { sha256Hex } from '../values/canonical-json.ts';
import { leafHash, merkleRoot, thinnedRoot } from './merkle.ts';

/** Writers. Each process signs with its own keys. `owner` signs a person's corrections at the machine, and no process opens its key. */
export const WRITERS = ['feed', 'worker', 'evaluator', 'api', 'log', 'owner'] as const;
export type Writer = (typeof WRITERS)[number];

/** Changes of a row. `sum`: the digest covers many rows that are written together, under their own name. */
export type ChangeOp = 'insert' | 'update' | 'delete' | 'genesis' | 'sum';

/** One row of a batch. */
export interface TrailChange {
  readonly table: string;
  readonly op: ChangeOp;
  /** Primary key of the row, its parts separated by blanks. For a `sum` the name of the rows. */
  readonly key: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
}

/** A batch as stored in the trail. */
export interface TrailBatch {
  /** Transaction number, unique in the database. */
  readonly xid: string;
  readonly writer: Writer;
  /** First eight hexadecimal digits of the signing key. */
  readonly keyId: string;
  /** Time of the signature in milliseconds. */
  readonly at: number;
  readonly changes: number;
  /** Merkle root over the entries in base64. */
  readonly root: string;
}

/** Returns the entry of one row, bound to its transaction so that a signature is never valid for another one. */
export function changeEntry(xid: string, { table, op, key, digest }: TrailChange): Buffer {
  return Buffer.from(`${xid}\n${table}\n${op}\n${key}\n${digest}`);
}

/** Returns the root over the rows of a transaction in the order of writing, in base64. */
export function batchRoot(xid: string, changes: readonly TrailChange[]): string {
  return merkleRoot(changes.map((change) => leafHash(changeEntry(xid, change)))).toString('base64');
}

/** Part of a batch that stays in the database after its other rows have moved to an archive file. */
export interface ThinnedBatch {
  /** Indexes of the remaining rows, from 0 in the order of writing. */
  readonly places: readonly number[];
  /** Roots of the moved subtrees from left to right, 32 bytes each in hexadecimal. */
  readonly hashes: string;
}

/** Returns the root over all rows of a transaction from the remaining ones, in base64, or null if they do not form one. */
export function thinnedBatchRoot(xid: string, size: number, kept: readonly TrailChange[], { places, hashes }: ThinnedBatch): string | null {
  const leaves = kept.map((change) => leafHash(changeEntry(xid, change)));
  const moved = (hashes.match(/.{1,64}/g) ?? []).map((hash) => Buffer.from(hash, 'hex'));
  return thinnedRoot(size, places, leaves, moved)?.toString('base64') ?? null;
}

/** Returns the text that the writer signs. */
export function batchText({ xid, writer, keyId, at, changes, root }: TrailBatch): string {
  return `sevengate-batch-1\n${xid}\n${writer}\n${keyId}\n${at}\n${changes}\n${root}\n`;
}

/** Returns the entry of a signed batch in the log. */
export function logEntry(batch: TrailBatch, signature: string): Buffer {
  return Buffer.from(`${batchText(batch)}${signature}\n`);
}

interface SignedDecision {
  readonly agentId: string;
  readonly slot: number;
  /** SHA-256 in hexadecimal over the whole decision. */
  readonly hash: string;
}

/** Returns the SHA-256 over the lines `agent slot hash`, sorted by slot and agent. */
export function decisionsDigest(decisions: readonly SignedDecision[]): string {
  const ordered = [...decisions].sort((a, b) => a.slot - b.slot || (a.agentId < b.agentId ? -1 : 1));
  let text = '';
  for (const { agentId, slot, hash } of ordered) text += `${agentId} ${slot} ${hash}\n`;
  return sha256Hex(text);
}

/** Returns the SHA-256 over the lines `instrument hash`, sorted by instrument. */
export function cutDigest(observations: readonly { readonly instrument: string; readonly hash: string }[]): string {
  const ordered = [...observations].sort((a, b) => (a.instrument < b.instrument ? -1 : 1));
  return sha256Hex(ordered.map(({ instrument, hash }) => `${instrument} ${hash}\n`).join(''));
}
