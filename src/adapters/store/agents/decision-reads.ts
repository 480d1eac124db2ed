/** Decision records, assembled on reading from the packed row, the slot's observations and the manifest's rules. */
import { decision, type PackedDecision } from '../../../../actors/ticking/resource.ts';
import { compileManifest } from '../../../domain/agents/decide.ts';
import {
  assembleDecision,
  type DecisionRecord,
  decisionId,
  type RiskAttribution,
  type RuleOutcome,
  type RulesSeen,
} from '../../../domain/agents/decision.ts';
import { observedBy, type Reading } from '../../../domain/agents/observed-state.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { Observation } from '../../../domain/market/cut.ts';
import type { InstrumentKey } from '../../../domain/market/venue.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../queries.ts';
import { selectColumns } from '../resource-rows.ts';
import { movedBefore } from '../trail/history-archive.ts';

/** Decisions of one committed batch of a shard's ticks, as announced. Both slots are inclusive. */
export interface DecisionBatch {
  readonly periodMs: number;
  readonly shard: number;
  readonly fromSlot: EpochMs;
  readonly slot: EpochMs;
}

export interface DecisionPage extends PageOf<DecisionRecord> {
  /** Time before which decisions were archived, on the last page; null on other pages or if none were. */
  readonly movedBefore: EpochMs | null;
}

/** Parts of a manifest that reading needs; smaller than the compiled manifest. */
interface ReadableManifest {
  readonly reading: Reading;
  unpack(outcome: string, seen: RulesSeen): readonly RuleOutcome[];
}

/** Maximum number of cached manifests. */
const MAX_MANIFESTS = 1_000;
const UUID_DIGITS = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns a read of the rows' manifests by hash, with a cache. */
function rememberedManifests(sql: Sql): (rows: readonly PackedDecision[]) => Promise<ReadonlyMap<string, ReadableManifest>> {
  const manifests = new Map<string, ReadableManifest>();
  return async (rows) => {
    const missing = new Map(rows.filter((row) => !manifests.has(row.manifestHash)).map((row) => [row.manifestHash, row]));
    if (missing.size === 0) return manifests;
    const found = await sql<{ hash: string; canonical: string }[]>`
      select distinct on (m.hash) m.hash, m.canonical
      from unnest(${[...missing.values()].map((row) => row.agentId)}::uuid[], ${[...missing.values()].map((row) => row.manifestVersion)}::int[]) as w(agent_id, version)
      join manifests m on m.agent_id = w.agent_id and m.version = w.version`;
    for (const { hash, canonical } of found) {
      const oldest = manifests.keys().next();
      if (manifests.size >= MAX_MANIFESTS && oldest.done !== true) manifests.delete(oldest.value);
      manifests.set(hash, compileManifest(JSON.parse(canonical) as Manifest));
    }
    return manifests;
  };
}

async function readObservations(
  sql: Sql,
  wanted: readonly (readonly [slot: number, instrument: string])[],
): Promise<ReadonlyMap<number, ReadonlyMap<InstrumentKey, Observation>>> {
  if (wanted.length === 0) return new Map();
  const rows = await sql<{ slot: number; instrument: InstrumentKey; body: string }[]>`
    select o.slot, o.instrument, o.body
    from unnest(${wanted.map(([slot]) => slot)}::bigint[], ${wanted.map(([, instrument]) => instrument)}::text[]) as w(slot, instrument)
    join observations o on o.slot = w.slot and o.instrument = w.instrument`;
  const bySlot = new Map<number, Map<InstrumentKey, Observation>>();
  for (const { slot, instrument, body } of rows) {
    const observations = bySlot.get(slot) ?? new Map<InstrumentKey, Observation>();
    bySlot.set(slot, observations.set(instrument, JSON.parse(body) as Observation));
  }
  return bySlot;
}

/** @param kind actors whose decisions `list` and `get` read */
export function createDecisionReads(sql: Sql, kind: 'agent' | 'take' = 'agent') {
  const readManifests = rememberedManifests(sql);
  const columns = selectColumns(sql, decision, 'd');

  async function assemble(rows: readonly PackedDecision[]): Promise<DecisionRecord[]> {
    if (rows.length === 0) return [];
    const manifests = await readManifests(rows);
    const readable = rows.map((row) => {
      const manifest = manifests.get(row.manifestHash);
      if (manifest === undefined) throw new Error(`the manifest ${row.manifestHash} of agent ${row.agentId} is not on record`);
      return { row, manifest };
    });
    const wanted = new Map<string, readonly [slot: number, instrument: string]>();
    for (const { row, manifest } of readable) {
      if (row.observedHash === '') continue;
      for (const { instrument } of manifest.reading.parts) wanted.set(`${row.slot} ${instrument}`, [row.slot, instrument]);
    }
    const observations = await readObservations(sql, [...wanted.values()]);
    return readable.map(({ row, manifest }) => {
      const seen = row.observedHash === '' ? undefined : observations.get(row.slot);
      const observed = seen === undefined ? [] : observedBy(manifest.reading, { observations: seen });
      return assembleDecision({ ...row, risk: row.risk === null ? null : (JSON.parse(row.risk) as RiskAttribution) }, observed, manifest);
    });
  }

  /**
   * Finds a decision by id. Ids are derived from (agent, slot) and not stored, so the database computes them for each slot, newest first.
   */
  async function byId(id: string, among: ReturnType<typeof sql>): Promise<DecisionRecord | null> {
    if (!UUID_DIGITS.test(id)) return null;
    const hex = id.replaceAll('-', '');
    const rows = await sql<PackedDecision[]>`
      select ${columns} from decisions d join (
        select s.agent_id, s.slot from (
          select agent_id, slot, encode(sha256(convert_to('decision' || chr(10) || agent_id || chr(10) || slot, 'UTF8')), 'hex') as digits
          from decisions where ${among}
        ) s
        where left(s.digits, 12) = ${hex.slice(0, 12)} and substr(s.digits, 18, 15) = ${hex.slice(17)}
        order by s.slot desc limit 1
      ) f on f.agent_id = d.agent_id and f.slot = d.slot`;
    const before = rows.length === 0 ? null : await movedBefore(sql);
    const found = rows.filter((row) => decisionId(row.agentId, row.slot) === id && row.slot >= (before ?? 0));
    return (await assemble(found))[0] ?? null;
  }

  return {
    /** Lists decisions, newest first; null if the organization has no such agent. The position is the last decision's slot. */
    async list(orgId: string, agentId: string, { limit, after }: Page): Promise<DecisionPage | null> {
      const [known, before, rows] = await Promise.all([
        sql`select 1 from traders where id = ${agentId} and org_id = ${orgId} and kind = ${kind}`,
        movedBefore(sql),
        sql<PackedDecision[]>`
          select ${columns} from decisions d
          where d.agent_id = ${agentId} ${after === null ? sql`` : sql`and d.slot < ${Number(after)}`}
          order by d.slot desc limit ${limit + 1}`,
      ]);
      if (known.length === 0) return null;
      // The newest decision of an actor is never archived, but the observations of its earlier ones are.
      const kept = rows.filter(({ slot }) => before === null || slot >= before);
      const page = pageOfRows(kept, limit, (row) => String(row.slot));
      return { items: await assemble(page.items), next: page.next, movedBefore: page.next === null ? before : null };
    },

    /** Assembles the records of stored decisions in order. */
    assemble,

    /** Returns the decision of an organization's agent by id, or null. Searches newest first, about a microsecond per decision. */
    async get(orgId: string, agentId: string, id: string): Promise<DecisionRecord | null> {
      return byId(id, sql`agent_id = (select a.id from traders a where a.id = ${agentId} and a.org_id = ${orgId} and a.kind = ${kind})`);
    },

    /** Returns a decision of any organization by id, or null. */
    async find(id: string): Promise<DecisionRecord | null> {
      return byId(id, sql`true`);
    },

    /** Returns the organization's decisions of a shard's ticks, sorted by agent and slot; both slots are inclusive. */
    async ofShard(batch: DecisionBatch, orgId: string): Promise<DecisionRecord[]> {
      const rows = await sql<PackedDecision[]>`
        select ${columns} from actors a join decisions d on d.agent_id = a.id and d.slot between ${batch.fromSlot} and ${batch.slot}
        where a.tick_period_ms = ${batch.periodMs} and a.shard = ${batch.shard} and a.org_id = ${orgId}
        order by d.agent_id, d.slot`;
      return assemble(rows);
    },
  };
}

/** Reads of decisions for the API, the feeds and the operator's command line. */
export type DecisionStore = ReturnType<typeof createDecisionReads>;

/** Decision that asked for a trade without making a proposal. */
export interface Recommendation {
  readonly decision: DecisionRecord;
  readonly agentName: string;
}

export function createRecommendations(sql: Sql, decisions: Pick<DecisionStore, 'assemble'>) {
  /** Lists recommendations, newest first. The position is the last one's slot and agent, `slot|agent`. */
  return async (orgId: string, { limit, after }: Page): Promise<PageOf<Recommendation>> => {
    const [slot = '', agentId = ''] = after?.split('|') ?? [];
    const [before, rows] = await Promise.all([
      movedBefore(sql),
      sql<(PackedDecision & { readonly name: string })[]>`
        select ${selectColumns(sql, decision, 'd')}, a.name from decisions d join agents a on a.id = d.agent_id
        where a.org_id = ${orgId} and d.disposition in ('propose_entry', 'propose_exit')
          and not exists (select 1 from proposals p where p.agent_id = d.agent_id and p.slot = d.slot)
          ${after === null ? sql`` : sql`and (d.slot, d.agent_id) < (${Number(slot)}, ${agentId}::uuid)`}
        order by d.slot desc, d.agent_id desc limit ${limit + 1}`,
    ]);
    const kept = rows.filter((row) => row.slot >= (before ?? 0));
    const page = pageOfRows(kept, limit, (row) => `${row.slot}|${row.agentId}`);
    const records = await decisions.assemble(page.items);
    return { items: records.map((record, place) => ({ decision: record, agentName: page.items[place]?.name ?? '' })), next: page.next };
  };
}

export type Recommendations = ReturnType<typeof createRecommendations>;
