/** The log of signed batches: appends what was committed, and keeps signed checkpoints that anybody may hold on to. */

import type { EpochMs } from '../../../domain/time.ts';
import { logEntry, type TrailBatch, type Writer } from '../../../domain/trail/batch.ts';
import { appendLeaf, emptyFrontier, type Frontier, frontierRoot, leafHash } from '../../../domain/trail/merkle.ts';
import { checkpointText, encodeNote } from '../../../domain/trail/signed-note.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';

/** At most so many batches are appended in one transaction. */
const AT_ONCE = 5_000;

/** The key that checkpoints are signed with. */
export interface CheckpointSigner {
  readonly name: string;
  readonly id: string;
  sign(text: Uint8Array): Buffer;
}

/** A batch of the log, in its order. */
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

export interface TrailLog {
  /** Appends what was committed since, and signs a checkpoint where there is any. @returns the size of the log, or null where nothing was new. */
  advance(): Promise<number | null>;
  /** The newest checkpoint as a signed note; null before the first. */
  newest(): Promise<string | null>;
}

/**
 * @param sql connections that show the worker's secret.
 * @param origin names this log in its checkpoints: one line without blanks at its ends.
 * @param atOnce how many batches are appended in one transaction at most.
 */
export function createTrailLog(sql: Sql, signer: CheckpointSigner, origin: string, atOnce: number = AT_ONCE): TrailLog {
  async function appended(transaction: Transaction): Promise<number | null> {
    const [last] = await transaction<{ size: number; frontier: string[] }[]>`
      select size, array(select encode(f, 'hex') from unnest(frontier) with ordinality as u(f, n) order by n) as frontier
      from trail_checkpoints order by size desc limit 1`;
    const fresh = await transaction<LoggedBatch[]>`
      select index, xid, writer, key_id, at, changes, root, signature from trail_sequence(${atOnce}) order by index`;
    if (fresh.length === 0) return null;
    const frontier: Frontier = emptyFrontier();
    if (last !== undefined) {
      frontier.size = last.size;
      frontier.roots.push(...last.frontier.map((hex) => Buffer.from(hex, 'hex')));
    }
    if (fresh[0]?.index !== frontier.size)
      throw new Error(`the log goes on at ${fresh[0]?.index}, its last checkpoint has ${frontier.size}`);
    for (const batch of fresh) appendLeaf(frontier, leafHash(logEntry(batchOf(batch), batch.signature)));
    const [clock] = await transaction<{ now: EpochMs }[]>`select record_clock_ms() as now`;
    // Whoever verifies takes nothing for true that is older and comes later: while more wait, that is the time of the last one here.
    const at = fresh.length < atOnce ? (clock?.now as EpochMs) : Math.min(clock?.now as EpochMs, (fresh.at(-1) as LoggedBatch).at);
    const text = checkpointText({ origin, size: frontier.size, root: frontierRoot(frontier), extensions: [`at ${at}`] });
    const note = encodeNote(text, [{ name: signer.name, id: signer.id, signature: signer.sign(Buffer.from(text)) }]);
    const roots = frontier.roots.map((root) => root.toString('hex'));
    await transaction`
      select trail_checkpoint(${frontier.size}, ${note}, array(select decode(r, 'hex') from unnest(${roots}::text[]) with ordinality as u(r, n) order by n),
        ${at})`;
    return frontier.size;
  }

  return {
    async advance() {
      let size: number | null = null;
      for (;;) {
        const grown = await inTransaction(sql, appended);
        if (grown === null) return size;
        size = grown;
      }
    },
    async newest() {
      const [row] = await sql<{ note: string }[]>`select note from trail_checkpoints order by size desc limit 1`;
      return row?.note ?? null;
    },
  };
}

function batchOf({ xid, writer, key_id: keyId, at, changes, root }: LoggedBatch): TrailBatch {
  return { xid, writer, keyId, at, changes, root };
}
