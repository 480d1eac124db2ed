/** Cuts in PostgreSQL. Each slot's cut is written once, and every decision on the slot reads that one. */
import type { Clock } from '../../../../streams/clock.ts';
import { canonicalJson } from '../../../domain/values/canonical-json.ts';
import { type Cut, type Observation, observationHash } from '../../../domain/market/cut.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { cutDigest } from '../../../domain/trail/batch-digests.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import { inTransaction } from '../actors/actor-store.ts';
import type { Sql } from '../database.ts';
import type { WriteLine } from '../write-line.ts';

/** Keeps each cut of the streams as it is made, one after the other. */
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
  /** Reports every written cut: how many instruments it holds, and how long after its slot it was written. */
  readonly onKept: (cut: { readonly instruments: number; readonly behindMs: number }) => void;
  /** Runs if the database's clock has not reached a slot: the time of the streams ran ahead. */
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

/** A cut of a slot that the database's clock has not reached: the writer's clock is ahead. Nothing was written. */
export class SlotNotReached extends Error {}

/**
 * Writes a slot's observations, once: the first writer's cut is the slot's cut, a later one is dropped.
 * @returns whether this one was written. @throws SlotNotReached
 */
export async function writeCut(sql: Sql, cut: Cut, source: 'streams' | 'silence'): Promise<boolean> {
  return (await writeCuts(sql, [cut], source)) === 1;
}

/** The same of several slots, in one transaction. @returns how many of them were written. @throws SlotNotReached; then none was. */
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

/** The cut of a slot that is known to have one; with `instruments`, these alone. */
export async function readWrittenCut(sql: Sql, slot: EpochMs, instruments?: readonly InstrumentKey[]): Promise<Cut> {
  const these = instruments === undefined ? sql`` : sql`and instrument = any(${instruments as string[]}::text[])`;
  const rows = await sql<
    { instrument: InstrumentKey; body: string }[]
  >`select instrument, body from observations where slot = ${slot} ${these} order by instrument`;
  return { slot, observations: new Map(rows.flatMap(({ instrument, body }) => readObservation(instrument, slot, body))) };
}

/**
 * Reads one observation of a cut; empty if its row is not an observation of that instrument and slot. What cannot be read was not observed.
 */
function readObservation(instrument: InstrumentKey, slot: EpochMs, body: string): readonly [InstrumentKey, Observation][] {
  try {
    const observation = JSON.parse(body) as Observation | null;
    return observation?.instrument === instrument && observation.slot === slot ? [[instrument, observation]] : [];
  } catch {
    return [];
  }
}
