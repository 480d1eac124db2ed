/** Reads of a live run for comparison with a replay: decisions, observations and missed slots. */
import type { Observation } from '../../../domain/market/cut.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { LiveDecision, LiveRunReads } from '../../../simulation/ports.ts';
import type { Sql } from '../database.ts';
import { requireKept } from '../trail/history-archive.ts';

/** Maximum rows in memory. */
const BATCH = 10_000;

export function createLiveRunReads(sql: Sql): LiveRunReads {
  return {
    missed: () => sql`
      select agent_id as "agentId", slot, reason from decisions where reason in ('late_tick', 'tick_crash')`,
    decisions: (agentIds, slot) => sql<LiveDecision[]>`
      select d.agent_id as "agentId", d.disposition, d.reason, d.instrument, d.outcome, d.risk, d.book, d.manifest_version as "manifestVersion",
        encode(d.manifest_hash, 'hex') as "manifestHash", encode(d.observed_hash, 'hex') as "observedHash",
        encode(d.previous_hash, 'hex') as "previousHash", encode(d.hash, 'hex') as hash
      from unnest(${agentIds as string[]}::uuid[]) as a(id) join decisions d on d.agent_id = a.id and d.slot = ${slot}`,
    async *written(from, to) {
      await requireKept(sql, from, 'the comparison with the live run');
      yield* sql<{ slot: EpochMs; agentId: string; hash: string }[]>`
        select slot, agent_id as "agentId", encode(hash, 'hex') as hash from decisions where slot >= ${from} and slot < ${to}
        order by slot, agent_id`.cursor(BATCH);
    },
    async observations(slot) {
      const rows = await sql<{ instrument: InstrumentKey; body: string }[]>`
        select instrument, body from observations where slot = ${slot} order by instrument`;
      if (rows.length === 0) await requireKept(sql, slot, 'what was observed');
      return new Map(rows.map(({ instrument, body }) => [instrument, JSON.parse(body) as Observation]));
    },
  };
}
