/** Reads of a live run for comparison with a replay: decisions, observations and missed slots. */
import { decision, type PackedDecision } from '../../../../actors/ticking/resource.ts';
import type { Observation } from '../../../domain/market/cut.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Sql } from '../database.ts';
import { selectColumns } from '../resource-rows.ts';
import { requireKept } from '../trail/history-archive.ts';

/** Maximum rows in memory. */
const BATCH = 10_000;

/** Slot that an agent missed. */
interface MissedSlot {
  readonly agentId: string;
  readonly slot: EpochMs;
  readonly reason: 'late_tick' | 'tick_crash';
}

/** Hash of the decision of an agent in a slot. */
interface WrittenDecision {
  readonly slot: EpochMs;
  readonly agentId: string;
  readonly hash: string;
}

export function createLiveRunReads(sql: Sql) {
  return {
    /** Returns the slots that agents missed, with the reason. */
    missed: async (): Promise<readonly MissedSlot[]> => sql<MissedSlot[]>`
      select agent_id as "agentId", slot, reason from decisions where reason in ('late_tick', 'tick_crash')`,
    decisions: async (agentIds: readonly string[], slot: EpochMs): Promise<readonly PackedDecision[]> => sql<PackedDecision[]>`
      select ${selectColumns(sql, decision, 'd')}
      from unnest(${agentIds as string[]}::uuid[]) as a(id) join decisions d on d.agent_id = a.id and d.slot = ${slot}`,
    /** Yields the decisions of slots from the first time to before the second in batches, by slot and then id. */
    async *written(from: EpochMs, to: EpochMs): AsyncIterable<readonly WrittenDecision[]> {
      await requireKept(sql, from, 'the comparison with the live run');
      yield* sql<WrittenDecision[]>`
        select slot, agent_id as "agentId", encode(hash, 'hex') as hash from decisions where slot >= ${from} and slot < ${to}
        order by slot, agent_id`.cursor(BATCH);
    },
    async observations(slot: EpochMs): Promise<ReadonlyMap<InstrumentKey, Observation>> {
      const rows = await sql<{ instrument: InstrumentKey; body: string }[]>`
        select instrument, body from observations where slot = ${slot} order by instrument`;
      if (rows.length === 0) await requireKept(sql, slot, 'what was observed');
      return new Map(rows.map(({ instrument, body }) => [instrument, JSON.parse(body) as Observation]));
    },
  };
}

/** Records of a live run that a replay is compared with. */
export type LiveRunReads = ReturnType<typeof createLiveRunReads>;
