/** Store of cuts. The cut of a slot is written once, and every decision of the slot reads it. */
import type { Clock } from '../../../../streams/clock/clock.ts';
import { type Cut, type Observation, observationHash } from '../../../domain/market/cut.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { cutDigest } from '../../../domain/trail/batch.ts';
import { canonicalJson } from '../../../domain/values/canonical-json.ts';
import { type EpochMs, startOfSlot, TAKE_TICK_MS } from '../../../domain/values/time.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import type { WriteLine } from '../write-line.ts';

/** Writes each cut of the streams, one at a time. */
export function keepCuts({
  sql,
  write,
  clock,
  onKept,
  onAhead,
}: {
  readonly sql: Sql;
  readonly write: WriteLine['write'];
  readonly clock: Pick<Clock, 'now'>;
  /** Called after every write with the number of instruments and the delay after the slot, in milliseconds. */
  readonly onKept: (cut: { readonly instruments: number; readonly behindMs: number }) => void;
  /** Called if the database's clock has not reached a slot: the streams' time is ahead. */
  readonly onAhead: () => void;
}): (cut: Cut) => void {
  return (cut) =>
    write('writing a cut', async () => {
      try {
        await writeCut(sql, cut, 'streams');
      } catch (error) {
        if (error instanceof SlotNotReached) onAhead();
        throw error;
      }
      onKept({ instruments: cut.observations.size, behindMs: clock.now() - cut.slot });
    });
}

/** Thrown for a cut of a slot that the database's clock has not reached. Nothing was written. */
export class SlotNotReached extends Error {}

/**
 * Writes a slot's observations once: the first writer's cut is kept, later ones are dropped. Returns true if this one was written. @throws
 * SlotNotReached
 */
export async function writeCut(sql: Sql, cut: Cut, source: 'streams' | 'silence'): Promise<boolean> {
  return (await writeCuts(sql, [cut], source)) === 1;
}

/** Writes several slots in one transaction and returns the number of written ones. @throws SlotNotReached, with none written */
export async function writeCuts(sql: Sql, cuts: readonly Cut[], source: 'streams' | 'silence'): Promise<number> {
  try {
    return await insertCuts(sql, cuts, source);
  } catch (error) {
    const { constraint_name: constraint } = error as { constraint_name?: string };
    throw constraint === 'cut_of_reached_slot' ? new SlotNotReached((error as Error).message) : error;
  }
}

function insertCuts(sql: Sql, cuts: readonly Cut[], source: 'streams' | 'silence'): Promise<number> {
  return inTransaction(sql, async (transaction) => {
    const heads = cuts.map(({ slot, observations }) => ({ slot, source, instruments: observations.size }));
    const inserted = await transaction<{ slot: EpochMs }[]>`
      insert into cuts ${transaction(heads)} on conflict do nothing returning slot`;
    const fresh = new Set(inserted.map(({ slot }) => slot));
    const written = cuts.filter(({ slot }) => fresh.has(slot));
    if (written.length === 0) return 0;
    const rows = written.flatMap(({ slot, observations }) =>
      [...observations].map(([instrument, observation]) => ({
        slot,
        instrument,
        hash: observationHash(observation),
        body: canonicalJson(observation),
      })),
    );
    const batches = written.map(({ slot, observations }) => ({
      slot,
      source,
      instruments: observations.size,
      digest: cutDigest(rows.filter((row) => row.slot === slot)),
    }));
    await transaction`insert into cut_batches ${transaction(batches)}`;
    if (rows.length > 0) {
      await transaction`
        insert into observations (slot, instrument, hash, body)
        select slot, instrument, hash, body from jsonb_to_recordset(${transaction.json(rows)}) as o(slot bigint, instrument text, hash text, body text)`;
    }
    return written.length;
  });
}

export async function cutExists(sql: Sql, slot: EpochMs): Promise<boolean> {
  const [cut] = await sql`select 1 from cuts where slot = ${slot}`;
  return cut !== undefined;
}

export async function readCut(sql: Sql, slot: EpochMs): Promise<Cut | null> {
  return (await cutExists(sql, slot)) ? readWrittenCut(sql, slot) : null;
}

/** Reads the cut of a slot that has one; `instruments` restricts it. */
export async function readWrittenCut(sql: Sql, slot: EpochMs, instruments?: readonly InstrumentKey[]): Promise<Cut> {
  const these = instruments === undefined ? sql`` : sql`and instrument = any(${instruments as string[]}::text[])`;
  const rows = await sql<
    { instrument: InstrumentKey; body: string }[]
  >`select instrument, body from observations where slot = ${slot} ${these} order by instrument`;
  return { slot, observations: new Map(rows.flatMap(({ instrument, body }) => readObservation(instrument, slot, body))) };
}

/** Parses one observation of a cut; empty if its row does not describe that instrument and slot. */
function readObservation(instrument: InstrumentKey, slot: EpochMs, body: string): readonly [InstrumentKey, Observation][] {
  try {
    const observation = JSON.parse(body) as Observation | null;
    return observation?.instrument === instrument && observation.slot === slot ? [[instrument, observation]] : [];
  } catch {
    return [];
  }
}

/** Maximum number of cached cuts. */
const KEPT_CUTS = 8;

export function createCutReads(sql: Sql) {
  const kept = new Map<EpochMs, Promise<Cut>>();
  return {
    /** Returns the last uncorrected cut at or before an instant, or null. */
    async at(instant: EpochMs): Promise<Cut | null> {
      // Cuts are made every half minute: if this half minute's is cached, no later one precedes the instant.
      const latest = kept.get(startOfSlot(instant, TAKE_TICK_MS));
      if (latest !== undefined) return latest;
      const [row] = await sql<{ slot: number }[]>`select slot from judged_cuts where slot <= ${instant} order by slot desc limit 1`;
      if (row === undefined) return null;
      let cut = kept.get(row.slot);
      if (cut === undefined) {
        cut = readWrittenCut(sql, row.slot);
        kept.set(row.slot, cut);
        // Failed reads are not cached.
        cut.catch(() => kept.delete(row.slot));
        for (const slot of kept.keys()) if (kept.size > KEPT_CUTS) kept.delete(slot);
      }
      return cut;
    },
  };
}

export type CutReads = ReturnType<typeof createCutReads>;
