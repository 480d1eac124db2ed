/**
 * Independent verification of the gate records: hashes and assesses every piece of evidence and every change of stage again, and compares
 * them with the agent's state. It finds changes that bypassed the database's rules.
 */

import { STAGES, type Stage } from '../../../domain/agents/agent.ts';
import { type BacktestRequest, isLook } from '../../../domain/backtest/request.ts';
import { canonicalJson, sha256Hex } from '../../../domain/values/canonical-json.ts';
import type { SourceOrigin } from '../../../domain/market/data-source.ts';
import { GENESIS_HASH } from '../../../domain/agents/decision.ts';
import {
  assessEvidence,
  type EvidenceKind,
  type EvidenceMetrics,
  type EvidenceRow,
  type EvidenceSeries,
  evidenceChainText,
  evidenceKindAt,
  evidenceMetrics,
  type StageChangeRow,
  stageChangeChainText,
} from '../../../domain/agents/evidence.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Transaction } from '../database.ts';

/** Receives one difference: time, agent, affected part, and a sentence. */
export type GateComplaint = (at: EpochMs, agentId: string, part: string, detail: string) => unknown;

const PAGE_AGENTS = 500;
/** Maximum relative difference of doubles between the database and this program. */
const EQUAL_WITHIN = 1e-6;

interface StoredEvidence extends EvidenceRow {
  readonly hash: string;
  /** Author of the manifest version; null if not recorded. */
  readonly author: string | null;
  /** Its backtest or stress test; null if no such run of its manifest is recorded. */
  readonly run: { readonly request: BacktestRequest; readonly createdAt: EpochMs; readonly state: string } | null;
  /** True if the evidence is listed as made under earlier rules. */
  readonly superseded: boolean;
  /** Origins of its sources as stated; null for evidence older than that statement. */
  readonly origins: Readonly<Record<string, SourceOrigin>> | null;
  /** Recorded origins of its sources. */
  readonly recorded: Readonly<Record<string, SourceOrigin>>;
  /** Instruments of a real venue without a stored real bar in the backtest's period. */
  readonly barless: readonly string[];
}
type GateRecord = StoredEvidence | (StageChangeRow & { readonly hash: string });

interface GatedAgent {
  readonly id: string;
  readonly created: EpochMs;
  readonly created_by: string;
  readonly stage: Stage;
  readonly manifest_version: number;
  readonly manifest_hash: string;
  /** State in the chart; null if there is none. */
  readonly charted: string | null;
  readonly head_seq: number | null;
  readonly head_hash: string | null;
}

/** Verifies the gate records of every agent and returns their number. `manifestOf` returns the canonical manifest of a version. */
export async function verifyGates(
  sql: Transaction,
  manifestOf: (agentId: string, version: number) => Manifest | null,
  complain: GateComplaint,
): Promise<number> {
  let count = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const agents = await sql<GatedAgent[]>`
      select a.id, floor(extract(epoch from a.created_at) * 1000)::bigint as created, a.created_by, a.stage, a.manifest_version, a.manifest_hash,
        c.snapshot #>> '{value,stage}' as charted, h.seq as head_seq, h.hash as head_hash
      from agents a left join actors c on c.id = a.id left join gate_heads h on h.agent_id = a.id where a.id > ${after} order by a.id limit ${PAGE_AGENTS}`;
    const records = await readRecords(
      sql,
      agents.map(({ id }) => id),
    );
    for (const agent of agents) {
      const chain = records.get(agent.id) ?? [];
      count += chain.length;
      verifyChain(agent, chain, (version) => manifestOf(agent.id, version), complain);
    }
    const last = agents.at(-1);
    if (last === undefined || agents.length < PAGE_AGENTS) return count;
    after = last.id;
  }
}

async function readRecords(sql: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, readonly GateRecord[]>> {
  const evidence = await sql<StoredEvidence[]>`
    select e.agent_id as "agentId", e.seq, e.id, e.kind, e.manifest_version as "manifestVersion", e.manifest_hash as "manifestHash", e.at,
      e.run_id as "runId", e.result_hash as "resultHash", e.metrics, e.series, e.previous_hash as "previousHash", e.hash,
      (select m.created_by from manifests m where m.agent_id = e.agent_id and m.version = e.manifest_version) as author,
      case when r.id is not null then jsonb_build_object('request', r.request, 'createdAt', r.created_at, 'state', r.state) end as run,
      exists (select 1 from superseded_evidence s where s.evidence_id = e.id) as superseded,
      e.origins, case when e.kind = 'manifest' then '{}' else coalesce((
        select origins_between(manifest_sources(readable_json(m.canonical)), evidence_since(e.kind, e.series::jsonb, e.run_id, e.at), e.at)
        from manifests m where m.agent_id = e.agent_id and m.version = e.manifest_version), '{}') end as recorded,
      case when e.kind = 'backtest' then array(
        select u ->> 'key' from manifests m cross join lateral readable_elements(readable_json(m.canonical) -> 'universe') u
        where m.agent_id = e.agent_id and m.version = e.manifest_version and e.origins ->> split_part(u ->> 'key', ':', 1) = 'real' and not exists (
          select 1 from candles c where c.is_real and c.venue = split_part(u ->> 'key', ':', 1) and c.instrument = split_part(u ->> 'key', ':', 2)
            and c.open_time between (e.series::jsonb ->> 'firstCandleAt')::bigint and (e.series::jsonb ->> 'lastCandleAt')::bigint)) else '{}' end as barless
    from evidence e left join evaluation_runs r on r.agent_id = e.agent_id and r.id::text = e.run_id and r.evaluation = e.kind
      and (r.manifest_version, r.manifest_hash) = (e.manifest_version, e.manifest_hash)
    where e.agent_id = any(${ids as string[]}::uuid[])`;
  const changes = await sql<(StageChangeRow & { readonly hash: string })[]>`
    select agent_id as "agentId", seq, at, from_stage as "fromStage", to_stage as "toStage", manifest_version as "manifestVersion",
      manifest_hash as "manifestHash", evidence_id as "evidenceId", asked_by as "askedBy", previous_hash as "previousHash", hash
    from stage_changes where agent_id = any(${ids as string[]}::uuid[])`;
  const records = new Map<string, GateRecord[]>();
  for (const record of [...evidence, ...changes] as GateRecord[]) {
    const chain = records.get(record.agentId);
    if (chain === undefined) records.set(record.agentId, [record]);
    else chain.push(record);
  }
  for (const chain of records.values()) chain.sort((a, b) => a.seq - b.seq);
  return records;
}

/** Result of following one agent's chain. */
interface Walk {
  seq: number;
  head: string;
  at: EpochMs;
  stage: Stage | null;
  manifestVersion: number;
  manifestHash: string;
  /** Newest evidence of each kind since the last reset. */
  evidence: Map<EvidenceKind, Weighed>;
  readonly creator: string;
}

/** Reassessed evidence. `signer` is the person who signed off; null for other kinds. */
interface Weighed {
  readonly id: string;
  readonly passed: boolean;
  readonly manifestHash: string;
  readonly signer: string | null;
  readonly author: string | null;
}

function verifyChain(
  agent: GatedAgent,
  chain: readonly GateRecord[],
  manifestOf: (version: number) => Manifest | null,
  complain: GateComplaint,
): void {
  const walk: Walk = {
    seq: 0,
    head: GENESIS_HASH,
    at: 0,
    stage: null,
    manifestVersion: 0,
    manifestHash: '',
    evidence: new Map(),
    creator: agent.created_by,
  };
  for (const record of chain) {
    verifyLink(record, walk, complain);
    if ('kind' in record) verifyEvidence(record, walk, manifestOf(record.manifestVersion), complain);
    else verifyChange(record, walk, complain);
  }
  const at = Math.max(walk.at, agent.created);
  if (walk.stage === null) return void complain(at, agent.id, 'stage', 'its beginning is not on record');
  if (walk.stage !== agent.stage)
    complain(at, agent.id, 'stage', `the agent stands at ${agent.stage}, its gate records lead to ${walk.stage}`);
  if (walk.manifestHash !== agent.manifest_hash || walk.manifestVersion !== agent.manifest_version) {
    complain(
      at,
      agent.id,
      'manifest_version',
      `version ${agent.manifest_version} is active, its gate records end with ${walk.manifestVersion}`,
    );
  }
  if (agent.charted !== null && agent.charted !== agent.stage) {
    complain(at, agent.id, 'stage', `its state chart stands at ${agent.charted}, its row at ${agent.stage}`);
  }
  if (agent.head_seq !== walk.seq || agent.head_hash !== walk.head) {
    complain(at, agent.id, 'missing gate record', `the chain ends with number ${walk.seq}, its head says ${agent.head_seq ?? 'nothing'}`);
  }
}

function verifyLink(record: GateRecord, walk: Walk, complain: GateComplaint): void {
  const { agentId, seq, at } = record;
  if (seq !== walk.seq + 1) complain(at, agentId, 'missing gate record', `number ${walk.seq + 1} is not there; the next one is ${seq}`);
  else if (record.previousHash !== walk.head) {
    complain(at, agentId, 'previous_hash', `gate record ${seq} follows ${record.previousHash}, the one before it is ${walk.head}`);
  }
  if (at < walk.at) complain(at, agentId, 'at', `gate record ${seq} is older than the one before it`);
  const actual = sha256Hex('kind' in record ? evidenceChainText(record) : stageChangeChainText(record));
  if (actual !== record.hash)
    complain(at, agentId, 'kind' in record ? 'evidence' : 'stage', `gate record ${seq} hashes to ${actual}, it says ${record.hash}`);
  walk.seq = seq;
  walk.head = record.hash;
  walk.at = Math.max(walk.at, at);
}

function verifyEvidence(record: StoredEvidence, walk: Walk, manifest: Manifest | null, complain: GateComplaint): void {
  const { agentId, at, seq, kind } = record;
  if (manifest === null) {
    complain(at, agentId, 'evidence', `gate record ${seq} is about manifest version ${record.manifestVersion}, which is not on record`);
    return;
  }
  const foreign = kind === 'backtest' && !record.superseded ? foreignRun(record, manifest) : null;
  if (foreign !== null) complain(at, agentId, 'evidence', `gate record ${seq} (backtest) is of ${foreign}`);
  for (const fault of originFaults(record)) complain(at, agentId, 'evidence', `gate record ${seq} (${kind}) ${fault}`);
  let passed = false;
  let signer: string | null = null;
  try {
    const series = JSON.parse(record.series) as EvidenceSeries[typeof kind];
    if (kind === 'risk_signoff') signer = (series as EvidenceSeries['risk_signoff']).subject;
    const metrics = evidenceMetrics(kind, series);
    if (!hasManifestLimits(kind, series, manifest))
      complain(at, agentId, 'evidence', `gate record ${seq} (${kind}) was assessed by other limits than the manifest's`);
    // Manifest evidence of earlier rules counted other metrics, and the manifest does not tell which.
    const isOfOldRules = kind === 'manifest' && record.superseded;
    const different = isOfOldRules ? null : differingMetric(JSON.parse(record.metrics) as EvidenceMetrics, metrics);
    if (different !== null) complain(at, agentId, 'evidence', `gate record ${seq} (${kind}): ${different}`);
    passed = assessEvidence(kind, metrics).passed;
  } catch (error) {
    complain(at, agentId, 'evidence', `gate record ${seq} (${kind}) cannot be read: ${(error as Error).message}`);
  }
  // A run charges its trials as it finishes: the evidence of one that ended otherwise decides nothing.
  if (record.run !== null && record.run.state !== 'finished') return;
  walk.evidence.set(kind, { id: record.id, passed, manifestHash: record.manifestHash, signer, author: record.author });
}

/** Yields statements about sources that contradict the recorded origins or the stored bars. */
function* originFaults({ origins, recorded, barless }: StoredEvidence): Iterable<string> {
  if (origins === null) return;
  for (const source of new Set([...Object.keys(origins), ...Object.keys(recorded)])) {
    const [said, was] = [origins[source] ?? 'nothing', recorded[source] ?? 'nothing'];
    if (said !== was) yield `says that ${source} was ${said}, and the record of sources says ${was}`;
  }
  for (const instrument of barless) yield `says that it stands on real bars of ${instrument}, and none is kept of its stretch`;
}

/** Returns the problem of backtest evidence whose run has another manifest, timeframe or period; null if none. */
function foreignRun({ run }: StoredEvidence, manifest: Manifest): string | null {
  if (run === null) return 'no run of its manifest on record';
  return isLook(run.request, manifest.timeframe, run.createdAt) ? 'a look at another timeframe or stretch' : null;
}

/** Checks that limits in the series equal the manifest's. */
function hasManifestLimits(kind: EvidenceKind, series: EvidenceSeries[EvidenceKind], manifest: Manifest): boolean {
  if (kind === 'manifest') return canonicalJson(series) === canonicalJson(manifest);
  if (kind === 'stress_test') return (series as EvidenceSeries['stress_test']).maxDailyDrawdownPct === manifest.maxDailyDrawdownPct;
  return kind !== 'shadow' || (series as EvidenceSeries['shadow']).maxSlippageBps === manifest.maxSlippageBps;
}

function differingMetric(claimed: EvidenceMetrics, computed: EvidenceMetrics): string | null {
  for (const [name, value] of Object.entries(computed)) {
    const said = claimed[name] ?? null;
    const same = value === null || said === null ? value === said : Math.abs(value - said) <= EQUAL_WITHIN * Math.max(1, Math.abs(value));
    if (!same) return `it says ${name} ${said ?? 'nothing'}, its series gives ${value ?? 'nothing'}`;
  }
  return null;
}

/** Kinds that are assessed over the stage itself: evidence from before the stage was entered does not count. */
const OF_THE_STAGE: readonly EvidenceKind[] = ['paper', 'shadow', 'risk_signoff'];

function verifyChange(record: StageChangeRow, walk: Walk, complain: GateComplaint): void {
  const { agentId, at, seq, fromStage, toStage } = record;
  if (fromStage !== walk.stage)
    complain(at, agentId, 'stage', `gate record ${seq} leaves ${fromStage ?? 'nothing'}, the agent stood at ${walk.stage ?? 'nothing'}`);
  const forward = fromStage !== null && STAGES.indexOf(toStage) > STAGES.indexOf(fromStage);
  if (forward) {
    const kind = evidenceKindAt(fromStage);
    const proof = kind === null ? undefined : walk.evidence.get(kind);
    if (STAGES.indexOf(toStage) !== STAGES.indexOf(fromStage) + 1)
      complain(at, agentId, 'gate', `gate record ${seq} skips from ${fromStage} to ${toStage}`);
    else if (proof === undefined || proof.id !== record.evidenceId || proof.manifestHash !== record.manifestHash)
      complain(at, agentId, 'gate', `gate record ${seq} opens the gate from ${fromStage} without the evidence that decides it`);
    else if (!proof.passed)
      complain(at, agentId, 'gate', `gate record ${seq} opens the gate from ${fromStage} by evidence that has not passed`);
    else if (proof.signer !== null && [walk.creator, proof.author, record.askedBy].includes(proof.signer))
      complain(
        at,
        agentId,
        'gate',
        `gate record ${seq} opens the gate from ${fromStage} by the word of ${proof.signer}, who is not independent of it`,
      );
    for (const own of OF_THE_STAGE) walk.evidence.delete(own);
  } else walk.evidence.clear();
  walk.stage = toStage;
  walk.manifestVersion = record.manifestVersion;
  walk.manifestHash = record.manifestHash;
}
