/** Reads of agents: lists, versions, steps and chart states. Every read takes the organization. */
import { type AgentView, agent } from '../../../../actors/agent/resource.ts';
import type { EvidenceCheck, EvidenceKind, EvidenceMetrics } from '../../../domain/agents/evidence.ts';
import type { Position } from '../../../domain/books/book.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { SourceOrigin } from '../../../domain/market/data-source.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { type ActorStep, newestSteps } from '../actors/actor-reads.ts';
import type { Sql } from '../database.ts';
import { type EvidenceRecord, evidenceColumns, toEvidence } from '../gates/evidence-store.ts';
import { pageOfRows } from '../queries.ts';
import { selectColumns } from '../resource-rows.ts';

/** Present state of an agent's chart. */
export interface ChartState {
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: Json;
}

interface AgentVersion {
  readonly version: number;
  readonly manifestHash: string;
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

interface AgentDetail extends AgentView {
  /** Manifest versions, newest first. */
  readonly versions: readonly AgentVersion[];
  /** Canonical manifest of the active version, as hashed. */
  readonly manifest: { readonly [field: string]: Json };
}

/** Evidence of a manifest hash as the database checked it. */
interface AgentEvidence {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: EpochMs;
  readonly runId: string | null;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics;
  /** True if one of its sources was not real or its time was shifted. */
  readonly simulated: boolean;
  readonly origins: Readonly<Record<string, SourceOrigin>>;
  readonly rulesVersion: number;
  /** Change of the gate's rules since then as a clause; null if they are current. */
  readonly ruleChange: string | null;
  readonly seq: number;
  readonly hash: string;
}

/** Manifest version and its previous one. */
interface VersionedManifest extends AgentVersion {
  readonly manifest: Manifest;
  /** Null for the first version. */
  readonly previous: Manifest | null;
}

/** Last emergency halt of an organization. */
export interface LastHalt {
  /** Number of halts of the organization. */
  readonly epoch: number;
  /** ISO 8601. */
  readonly at: string;
  /** Author; null for a halt stored before authors were recorded. */
  readonly by: string | null;
  readonly reason: string | null;
  /** True while agents are still being paused. */
  readonly isPausing: boolean;
}

/** Converts a row of an agent's columns to a view. */
export function toAgent(row: Readonly<Record<string, unknown>>): AgentView {
  const view = agent.view(row);
  return { ...view, paused: view.pauseCause !== null };
}

/** Reads the holdings of an agent's live book and of its active version's paper book, for closing them. */
export function createHeldReads(sql: Sql): (orgId: string, agentId: string) => Promise<readonly Position[]> {
  return async (orgId, agentId) => {
    const books = await sql<{ holdings: readonly Position[] }[]>`
      select b.holdings from books b join agents a on a.id = b.agent_id
      where a.id = ${agentId} and a.org_id = ${orgId}`;
    return books.flatMap(({ holdings }) => holdings);
  };
}

/** Reads the last halt of an organization; null if there was none. */
export async function readLastHalt(sql: Sql, orgId: string): Promise<LastHalt | null> {
  const [row] = await sql<{ epoch: number; at: Date | null; by: string | null; reason: string | null; isPausing: boolean }[]>`
    select epoch, halted_at as at, halted_by as by, halt_reason as reason, swept_epoch < epoch as "isPausing"
    from control where org_id = ${orgId}`;
  return row === undefined || row.at === null ? null : { ...row, at: row.at.toISOString() };
}

async function belongs(sql: Sql, orgId: string, agentId: string): Promise<boolean> {
  const rows = await sql`select 1 from agents where id = ${agentId} and org_id = ${orgId}`;
  return rows.length > 0;
}

export function createAgentReads(sql: Sql) {
  return {
    ...manifestReads(sql),

    /** Lists agents, newest first. The position is the last agent's id; a foreign one yields an empty page. */
    async list(orgId: string, { limit, after }: Page): Promise<PageOf<AgentView>> {
      const rows = await sql<{ id: string }[]>`
        select ${selectColumns(sql, agent)} from agents t where t.org_id = ${orgId}
        ${after === null ? sql`` : sql`and (t.created_at, t.id) < (select created_at, id from agents where id = ${after} and org_id = ${orgId})`}
        order by t.created_at desc, t.id desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ id }) => id);
      return { items: page.items.map(toAgent), next: page.next };
    },

    /** Returns an agent with its versions, newest first; null if the organization has no such agent. */
    async get(orgId: string, agentId: string): Promise<AgentDetail | null> {
      const [[row], versions] = await Promise.all([
        sql<{ canonical: string }[]>`
          select ${selectColumns(sql, agent)}, m.canonical from agents t join manifests m on m.agent_id = t.id and m.version = t.manifest_version
          where t.id = ${agentId} and t.org_id = ${orgId}`,
        sql<{ version: number; hash: string; created_by: string; created_at: Date }[]>`
          select m.version, m.hash, m.created_by, m.created_at from manifests m join agents a on a.id = m.agent_id
          where m.agent_id = ${agentId} and a.org_id = ${orgId} order by m.version desc`,
      ]);
      if (row === undefined) return null;
      return {
        ...toAgent(row),
        manifest: JSON.parse(row.canonical) as { readonly [field: string]: Json },
        versions: versions.map((version) => ({
          version: version.version,
          manifestHash: version.hash,
          createdBy: version.created_by,
          createdAt: version.created_at.toISOString(),
        })),
      };
    },

    async history(orgId: string, agentId: string, page: Page): Promise<PageOf<ActorStep> | null> {
      const [known, steps] = await Promise.all([belongs(sql, orgId, agentId), newestSteps(sql, agentId, page)]);
      return known ? steps : null;
    },

    /** Lists evidence, newest first. The position is the last row's number among the agent's gate records. */
    async evidence(orgId: string, agentId: string, { limit, after }: Page): Promise<PageOf<AgentEvidence> | null> {
      const [known, rows] = await Promise.all([
        belongs(sql, orgId, agentId),
        sql<(EvidenceRecord & { hash: string })[]>`
          select ${evidenceColumns(sql)}, hash from evidence
          where agent_id = ${agentId} ${after === null ? sql`` : sql`and seq < ${Number(after)}::bigint`} order by seq desc limit ${limit + 1}`,
      ]);
      if (!known) return null;
      const page = pageOfRows(rows, limit, (row) => String(row.seq));
      return { items: page.items.map((row) => ({ ...toEvidence(row), hash: row.hash })), next: page.next };
    },

    /** Returns the state of the agent's chart. */
    async chartState(orgId: string, agentId: string): Promise<ChartState | null> {
      const [row] = await sql<{ machine: string; version: number; status: 'running' | 'done' | 'quarantined'; value: Json }[]>`
        select machine, version, status, snapshot->'value' as value from actors where id = ${agentId} and org_id = ${orgId} and kind = 'agent'`;
      return row === undefined ? null : { machine: row.machine, version: row.version, status: row.status, value: row.value };
    },
  };
}

/** Creates the reads of manifest versions. */
function manifestReads(sql: Sql) {
  return {
    /**
     * Lists versions from `from` to `to` (inclusive, optional) with their previous ones, newest first. The position is the last one's
     * number.
     */
    async versions(
      orgId: string,
      agentId: string,
      range: { readonly from: number | null; readonly to: number | null },
      { limit, after }: Page,
    ): Promise<PageOf<VersionedManifest> | null> {
      const [known, rows] = await Promise.all([
        belongs(sql, orgId, agentId),
        sql<{ version: number; hash: string; created_by: string; created_at: Date; canonical: string; previous: string | null }[]>`
          select m.version, m.hash, m.created_by, m.created_at, m.canonical, p.canonical as previous
          from manifests m left join manifests p on p.agent_id = m.agent_id and p.version = m.version - 1
          where m.agent_id = ${agentId} and m.version >= ${range.from ?? 1}
          ${range.to === null ? sql`` : sql`and m.version <= ${range.to}`} ${after === null ? sql`` : sql`and m.version < ${Number(after)}::bigint`}
          order by m.version desc limit ${limit + 1}`,
      ]);
      if (!known) return null;
      const page = pageOfRows(rows, limit, (row) => String(row.version));
      const items = page.items.map((row) => ({
        version: row.version,
        manifestHash: row.hash,
        createdBy: row.created_by,
        createdAt: row.created_at.toISOString(),
        manifest: JSON.parse(row.canonical) as Manifest,
        previous: row.previous === null ? null : (JSON.parse(row.previous) as Manifest),
      }));
      return { items, next: page.next };
    },

    /** Returns the manifest of one version; null if it does not exist. */
    async manifest(orgId: string, agentId: string, version: number): Promise<Manifest | null> {
      const [row] = await sql<{ canonical: string }[]>`
        select m.canonical from manifests m join agents a on a.id = m.agent_id
        where m.agent_id = ${agentId} and m.version = ${version} and a.org_id = ${orgId}`;
      return row === undefined ? null : (JSON.parse(row.canonical) as Manifest);
    },
  };
}

/** Reads of agents. Every read takes the organization; a foreign agent is answered like a missing one. */
export type AgentReads = ReturnType<typeof createAgentReads>;
