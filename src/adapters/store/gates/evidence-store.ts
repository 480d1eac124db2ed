/**
 * Store of evidence, written as the role sevengate_evaluator on its own pool: the application's role can read but not insert it. The
 * database numbers, dates, checks and chains each row (migrations/0009_gates.sql).
 */
import {
  type EvidenceCheck,
  type EvidenceDraft,
  type EvidenceKind,
  type EvidenceMetrics,
  type OutdatedEvidence,
  outdatedWords,
} from '../../../domain/agents/evidence.ts';
import type { SourceOrigin } from '../../../domain/market/data-source.ts';
import { canonicalJson } from '../../../domain/values/canonical-json.ts';
import { DAY_MS, type EpochMs } from '../../../domain/values/time.ts';
import { hintAnnouncements, inTransaction } from '../actors/actor-store.ts';
import type { Sql, Transaction } from '../database.ts';
import { createSignedRows } from '../trail/signed-rows.ts';

/** Role of the evaluator's pool: `openDatabase({ url, role: EVALUATOR_ROLE, … })`. */
export const EVALUATOR_ROLE = 'sevengate_evaluator';

/** Evidence as read. */
export interface StoredEvidence {
  readonly id: string;
  readonly agentId: string;
  readonly seq: number;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly at: EpochMs;
  readonly runId: string | null;
  readonly resultHash: string;
  readonly metrics: EvidenceMetrics;
  readonly checks: readonly EvidenceCheck[];
  readonly passed: boolean;
  /** False if every source was real and the time was not shifted. Simulated evidence opens no gate to a real venue. */
  readonly simulated: boolean;
  /** Origin of each market data source during the evaluation. */
  readonly origins: Readonly<Record<string, SourceOrigin>>;
  /** Version of the gate's rules at the evaluation. */
  readonly rulesVersion: number;
  /** Change of the rules since then, as a clause; null if they are current. */
  readonly ruleChange: string | null;
}

/** Row of `evidence` without its series and chain. */
export interface EvidenceRecord {
  id: string;
  agent_id: string;
  seq: number;
  kind: EvidenceKind;
  manifest_version: number;
  manifest_hash: string;
  at: number;
  run_id: string | null;
  result_hash: string;
  metrics: string;
  checks: readonly EvidenceCheck[];
  passed: boolean;
  simulated: boolean;
  origins: Readonly<Record<string, SourceOrigin>>;
  rules_version: number;
  rule_change: string | null;
}

/** Selects the columns of an `EvidenceRecord`; the query must name the table `evidence`. */
export const evidenceColumns = (sql: Sql | Transaction) => sql`
  evidence.id, evidence.agent_id, evidence.seq, evidence.kind, evidence.manifest_version, evidence.manifest_hash, evidence.at, evidence.run_id,
  evidence.result_hash, evidence.metrics, evidence.checks, evidence.passed, evidence_is_simulated(evidence) as simulated, evidence_origins(evidence) as origins,
  coalesce((select s.rules_version from superseding(evidence) s), gate_rules_version(evidence.kind)) as rules_version,
  (select s.rule_change from superseding(evidence) s) as rule_change`;

export function toEvidence(row: EvidenceRecord): StoredEvidence {
  return {
    id: row.id,
    agentId: row.agent_id,
    seq: row.seq,
    kind: row.kind,
    manifestVersion: row.manifest_version,
    manifestHash: row.manifest_hash,
    at: row.at,
    runId: row.run_id,
    resultHash: row.result_hash,
    metrics: JSON.parse(row.metrics) as EvidenceMetrics,
    checks: row.checks,
    passed: row.passed,
    simulated: row.simulated,
    origins: row.origins,
    rulesVersion: row.rules_version,
    ruleChange: row.rule_change,
  };
}

/**
 * Returns the expected slippage of each agent's fills in basis points, from the newest passed shadow or else backtest evidence of its
 * active manifest. Leaves out agents without it.
 */
export async function expectedSlippage(sql: Sql | Transaction, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (agentIds.length === 0) return new Map();
  const rows = await sql<{ id: string; bps: number | null }[]>`
    select distinct on (a.id) a.id, (e.metrics::jsonb ->> case e.kind when 'shadow' then 'shortfallBps' else 'slippageBps' end)::float8 as bps
    from agents a join evidence e on e.agent_id = a.id and e.manifest_version = a.manifest_version and e.kind in ('shadow', 'backtest') and e.passed
    where a.id = any(${agentIds as string[]}::uuid[]) order by a.id, e.kind desc, e.seq desc`;
  return new Map(rows.flatMap(({ id, bps }) => (bps === null ? [] : [[id, bps] as const])));
}

export function createEvidenceWriter(sql: Sql, newId: () => string) {
  const signed = createSignedRows(sql);
  return {
    /**
     * Checks the signatures of all rows behind the evidence, writes it and returns the row as the database assessed it.
     * Repeating a run returns the existing row. @throws UnsignedRow if a row is not signed; Error if the series contradicts
     * itself, its metrics or the manifest: a defect
     */
    async write(draft: EvidenceDraft): Promise<StoredEvidence> {
      await signed.requireBasis(draft);
      const { agentId, kind, manifestVersion, manifestHash, runId, resultHash } = draft;
      const id = newId();
      const written = await sql.begin(
        (transaction) => transaction<EvidenceRecord[]>`
        insert into evidence (id, agent_id, kind, manifest_version, manifest_hash, run_id, result_hash, metrics, series)
        values (${id}, ${agentId}, ${kind}, ${manifestVersion}, ${manifestHash}, ${runId}, ${resultHash},
          ${canonicalJson(draft.metrics)}, ${canonicalJson(draft.series)})
        returning ${evidenceColumns(transaction)}`,
      );
      if (written[0] !== undefined) return toEvidence(written[0]);
      const [known] = await sql<EvidenceRecord[]>`
        select ${evidenceColumns(sql)} from evidence where agent_id = ${agentId} and kind = ${kind} and run_id = ${runId}`;
      if (known === undefined) throw new Error(`evidence of run ${runId} was neither written nor found`);
      return toEvidence(known);
    },
  };
}

/** Writer of evidence. `sql` is connected as `EVALUATOR_ROLE`. */
export type EvidenceWriter = ReturnType<typeof createEvidenceWriter>;

/** Returns passed evidence of an agent that is outdated and not renewed. */
export async function outdatedEvidence(sql: Sql | Transaction, agentId: string): Promise<readonly OutdatedEvidence[]> {
  return sql<OutdatedEvidence[]>`
    select kind, rules_version as "rulesVersion", rule_change as "ruleChange" from outdated_evidence(${agentId})`;
}

/** Returns agents with outdated evidence that had no alert about it in the day before `now`. */
export async function untoldAgents(sql: Sql, now: EpochMs): Promise<readonly { readonly id: string }[]> {
  return sql<{ id: string }[]>`
    select d.id from (
      select e.agent_id as id from superseded_evidence s join evidence e on e.id = s.evidence_id
      union
      -- Evidence from before a source was what it is now.
      select e.agent_id from evidence e where evidence_since(e.kind, e.series::jsonb, e.run_id, e.at) < (select max(at) from source_origins)
        and set_aside_sources(e) is not null
    ) d
    where not exists (select 1 from announcements n where n.channel = 'alerts' and n.actor_id = d.id and n.at > ${now - DAY_MS}
      and n.body ->> 'what' = 'evidence_outdated') order by 1`;
}

/** Announces on the channel `alerts` which evidence keeps the agent at its stage, if any. */
export async function tellOutdated(sql: Sql, agentId: string, now: EpochMs): Promise<void> {
  const outdated = await outdatedEvidence(sql, agentId);
  if (outdated.length === 0) return;
  const detail = `It stays at its stage: ${outdated.map(outdatedWords).join('; ')}`;
  await inTransaction(sql, async (transaction) => {
    await transaction`
      insert into announcements (channel, org_id, actor_id, at, body)
      select 'alerts', org_id, id, ${now}, ${transaction.json({ what: 'evidence_outdated', agentId, detail })} from agents where id = ${agentId}`;
    await hintAnnouncements(transaction);
  });
}
