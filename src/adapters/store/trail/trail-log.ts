/** Log of signed batches: appends committed ones and publishes signed checkpoints. */

import type { EpochMs } from '../../../domain/values/time.ts';
import { logEntry, type TrailBatch, type Writer } from '../../../domain/trail/batch.ts';
import { appendLeaf, emptyFrontier, type Frontier, frontierRoot, leafHash } from '../../../domain/trail/merkle.ts';
import {
  type Checkpoint,
  checkpointText,
  encodeNote,
  parseCheckpoint,
  parseNote,
  type VerifierKey,
  verifiedBy,
} from '../../../domain/trail/signed-note.ts';
import { isSignedBy } from '../../signing-keys/writer-keys.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';

/** Maximum batches appended per transaction. */
const AT_ONCE = 5_000;

/** Key that signs checkpoints. */
interface CheckpointSigner {
  readonly name: string;
  readonly id: string;
  sign(text: Uint8Array): Buffer;
}

/** Batch in the log's order. */
interface LoggedBatch {
  readonly index: number;
  readonly xid: string;
  readonly writer: Writer;
  readonly key_id: string;
  readonly at: EpochMs;
  readonly changes: number;
  readonly root: string;
  readonly signature: string;
}

/**
 * @param sql connections that show the worker's secret.
 * @param origin names this log in its checkpoints: one line without blanks at its ends.
 * @param atOnce how many batches are appended in one transaction at most.
 */
export function createTrailLog(sql: Sql, signer: CheckpointSigner, origin: string, atOnce: number = AT_ONCE) {
  async function appended(transaction: Transaction): Promise<number | null> {
    const fresh = await transaction<LoggedBatch[]>`
      select index, xid, writer, key_id, at, changes, root, signature from trail_sequence(${atOnce}) order by index`;
    if (fresh.length === 0) return null;
    const frontier = await lastFrontier(transaction);
    const isNext = fresh[0]?.index === frontier.size;
    for (const batch of isNext ? fresh : await loggedFrom(transaction, frontier.size))
      appendLeaf(frontier, leafHash(logEntry(toBatch(batch), batch.signature)));
    const at = await checkpointTime(transaction);
    const text = checkpointText({ origin, size: frontier.size, root: frontierRoot(frontier), extensions: [`at ${at}`] });
    const note = encodeNote(text, [{ name: signer.name, id: signer.id, signature: signer.sign(Buffer.from(text)) }]);
    const roots = frontier.roots.map((root) => root.toString('hex'));
    await transaction`
      select trail_checkpoint(${frontier.size}, ${note}, array(select decode(r, 'hex') from unnest(${roots}::text[]) with ordinality as u(r, n) order by n),
        ${at})`;
    return frontier.size;
  }

  return {
    /**
     * Appends what was committed since, and signs a checkpoint if there is anything. @returns the size of the log, or null if
     * nothing was new.
     */
    async advance(): Promise<number | null> {
      let size: number | null = null;
      for (;;) {
        const grown = await inTransaction(sql, appended);
        if (grown === null) return size;
        size = grown;
      }
    },
    /** The newest checkpoint as a signed note; null before the first. */
    async newest(): Promise<string | null> {
      const [row] = await sql<{ note: string }[]>`select note from trail_checkpoints order by size desc limit 1`;
      return row?.note ?? null;
    },
  };
}

export type TrailLog = ReturnType<typeof createTrailLog>;

/**
 * Returns the time of a checkpoint. Verifiers reject later entries with an earlier time, so it is never later than that of batches still to
 * come: those beyond this portion, or behind a running transaction.
 */
async function checkpointTime(transaction: Transaction): Promise<EpochMs> {
  const [row] = await transaction<{ at: EpochMs }[]>`
    select least(record_clock_ms(), (select min(at) from trail_batches
      where signature is not null and xid > (select max(xid) from trail_log))) as at`;
  return (row as { at: EpochMs }).at;
}

/** Returns the state of the log at its newest checkpoint with a valid signature. */
async function lastFrontier(transaction: Transaction): Promise<Frontier> {
  const keys = await transaction<(VerifierKey & { publicKey: Buffer })[]>`
    select key_id as id, 'sevengate/log' as name, public_key as "publicKey" from trail_writers where writer = 'log'`;
  for (let below = Number.MAX_SAFE_INTEGER; ; ) {
    const [last] = await transaction<{ size: number; note: string; frontier: string[] }[]>`
      select size, note, array(select encode(f, 'hex') from unnest(frontier) with ordinality as u(f, n) order by n) as frontier
      from trail_checkpoints where size < ${below} order by size desc limit 1`;
    if (last === undefined) return emptyFrontier();
    const frontier = { size: last.size, roots: last.frontier.map((hex) => Buffer.from(hex, 'hex')) };
    const checkpoint = readCheckpoint(last.note, keys);
    if (checkpoint?.size === last.size && checkpoint.root.equals(frontierRoot(frontier))) return frontier;
    below = last.size;
  }
}

/** Reads every log entry from an index on. */
function loggedFrom(transaction: Transaction, index: number): Promise<readonly LoggedBatch[]> {
  return transaction<LoggedBatch[]>`
    select l.index, l.xid::text as xid, w.writer, b.key_id, b.at, b.changes, b.root, b.signature from trail_log l
    join trail_batches b on b.xid = l.xid join trail_writers w on w.key_id = b.key_id where l.index >= ${index} order by l.index`;
}

/** Returns the checkpoint of a note with a valid signature, else null. */
export function readCheckpoint(note: string, keys: readonly VerifierKey[]): Checkpoint | null {
  try {
    return verifiedBy(note, keys, isSignedBy).length === 0 ? null : parseCheckpoint(parseNote(note).text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function toBatch({ xid, writer, key_id: keyId, at, changes, root }: LoggedBatch): TrailBatch {
  return { xid, writer, keyId, at, changes, root };
}
