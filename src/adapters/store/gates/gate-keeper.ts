/**
 * Assesses gates from the store: deciding evidence, and the present results of paper and shadow trading. Writes use the evaluator's
 * connection.
 */
import type { Stage } from '../../../domain/agents/agent.ts';
import {
  assessEvidence,
  EVIDENCE_KINDS,
  type EvidenceCheck,
  type EvidenceDraft,
  type EvidenceKind,
  type EvidenceMetrics,
  type EvidenceSeries,
  evidenceKindAt,
  evidenceMetrics,
  GATE_LIMITS,
  GATE_OF,
  isRecentWindow,
  type OutdatedEvidence,
  outdatedWords,
} from '../../../domain/agents/evidence.ts';
import { computePaperSeries } from '../../../domain/agents/paper-evaluation.ts';
import { computeShadowSeries } from '../../../domain/agents/shadow-evaluation.ts';
import { bookIds } from '../../../domain/books/book.ts';
import type { Manifest } from '../../../domain/manifest/manifest.ts';
import { draftProblems } from '../../../domain/manifest/reader.ts';
import { lastHour } from '../../../domain/orders/funding.ts';
import { canonicalHash } from '../../../domain/values/canonical-json.ts';
import { normalCdf } from '../../../domain/values/statistics.ts';
import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../../domain/values/time.ts';
import { figureInWords } from '../../../domain/values/words.ts';
import { createSilenceReports } from '../agents/outside-silence.ts';
import { countOwedHours } from '../books/funding-store.ts';
import type { Sql } from '../database.ts';
import { createEvaluationRows } from '../evaluations/evaluation-rows.ts';
import { UnsignedRow } from '../trail/signed-rows.ts';
import { filledAgents, tellDrift } from './calibration-store.ts';
import {
  type EvidenceRecord,
  type EvidenceWriter,
  evidenceColumns,
  outdatedEvidence,
  type StoredEvidence,
  tellOutdated,
  toEvidence,
  untoldAgents,
} from './evidence-store.ts';

/** Agent whose gates are assessed. */
interface GatedAgent {
  readonly id: string;
  readonly stage: Stage;
  readonly manifestVersion: number;
  readonly manifestHash: string;
}

/** State of one gate. */
interface AssessedGate {
  readonly gate: Stage;
  readonly kind: EvidenceKind;
  /** Deciding evidence, or null. */
  readonly evidence: StoredEvidence | null;
  readonly passed: boolean;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics | null;
  /** Further problems: manifest paths that the catalog rejects. */
  readonly problems: readonly string[];
  /** Person who signed off; null at other gates. */
  readonly signedBy: string | null;
}

export function createGateKeeper(deps: { readonly sql: Sql; readonly evidence: EvidenceWriter }) {
  const { sql, evidence } = deps;
  const rows = createEvaluationRows(sql);

  /** Computes the series from stored rows; null for kinds that are evaluated elsewhere. */
  async function computeSeries(agent: GatedAgent, kind: EvidenceKind): Promise<EvidenceSeries[EvidenceKind] | null> {
    if (kind === 'manifest') return readManifest(sql, agent);
    if (kind !== 'paper' && kind !== 'shadow') return null;
    const manifest = await readManifest(sql, agent);
    const window = await rows.window(agent.id);
    if (window === null) throw new Error(`agent ${agent.id} has no recorded entry to its stage`);
    return kind === 'paper'
      ? computePaperSeries(await rows.paper(agent, manifest, window))
      : computeShadowSeries(await rows.shadow(agent, manifest, window));
  }

  /**
   * Assesses the agent's next gate; null at the last stage. Evidence that follows from rows (manifest, paper, shadow) is computed now. With
   * `write` it is stored: always if it passes, else once a day or if the newest stored result differs. `outdated` is the agent's evidence
   * of earlier rules, if already read.
   */
  async function validate(agent: GatedAgent, write: boolean, outdated?: readonly OutdatedEvidence[]): Promise<AssessedGate | null> {
    const kind = evidenceKindAt(agent.stage);
    if (kind === null) return null;
    const known = await deciding(sql, agent, kind);
    const series = await computeSeries(agent, kind);
    const held = (outdated ?? (await outdatedEvidence(sql, agent.id))).map(outdatedWords);
    const refused = kind === 'manifest' ? draftProblems(series as Manifest).map(({ path, problem }) => `${path}: ${problem}`) : [];
    const problems = [...held, ...refused];
    if (series === null) {
      const stored = known?.evidence ?? null;
      const own = [...ruleProblems(stored), ...(await choiceProblems(sql, kind, stored))];
      return toGate(kind, stored, [...problems, ...own], known?.signedBy ?? null);
    }
    const draft = draftEvidence(agent, kind, series);
    const { passed, checks } = assessEvidence(kind, draft.metrics);
    const unfunded = kind === 'paper' ? await fundingProblems(sql, agent, evaluatedAt(series, 0)) : [];
    // A result without its funding is not known: it is neither stored nor does an older one count in its place.
    if (write && unfunded.length > 0) return { ...toGate(kind, null, [...problems, ...unfunded], null), checks, metrics: draft.metrics };
    problems.push(...unfunded);
    if (!write) {
      return {
        gate: agent.stage,
        kind,
        evidence: known?.evidence ?? null,
        passed: passed && problems.length === 0,
        checks,
        metrics: draft.metrics,
        problems,
        signedBy: null,
      };
    }
    const before = known?.evidence ?? null;
    const due =
      before === null || before.passed !== passed || Math.floor(before.at / DAY_MS) < Math.floor(evaluatedAt(series, before.at) / DAY_MS);
    const fresh = kind === 'manifest' ? before === null || before.ruleChange !== null : passed || due;
    try {
      const record = fresh ? await evidence.write(draft) : before;
      return { ...toGate(kind, record, [...problems, ...ruleProblems(record)], null), checks, metrics: draft.metrics };
    } catch (error) {
      if (!(error instanceof UnsignedRow)) throw error;
      // Without signatures the gate stays closed, with the reason.
      return { ...toGate(kind, null, [...problems, error.message], null), checks, metrics: draft.metrics };
    }
  }

  return {
    validate,

    /** Returns every gate in order: stored evidence of the active manifest, and the present state of the next gate. */
    async all(agent: GatedAgent): Promise<readonly AssessedGate[]> {
      const gates: AssessedGate[] = [];
      const outdated = await outdatedEvidence(sql, agent.id);
      for (const kind of EVIDENCE_KINDS) {
        const now = GATE_OF[kind] === agent.stage ? await validate(agent, false, outdated) : null;
        const known = now === null ? await latest(sql, agent, kind) : null;
        gates.push(now ?? toGate(kind, known, outdated.filter((one) => one.kind === kind).map(outdatedWords), null));
      }
      return gates;
    },

    /** Returns true if new evidence of the agent is simulated: a market data source is not real, or time was shifted. */
    isSimulated: (agent: GatedAgent) => isSimulated(sql, agent),

    /** Stores a risk manager's sign-off. */
    async signOff(agent: GatedAgent, series: EvidenceSeries['risk_signoff']): Promise<StoredEvidence> {
      return evidence.write(draftEvidence(agent, 'risk_signoff', series));
    },

    untold: (now: EpochMs) => untoldAgents(sql, now),
    tellOutdated: (agentId: string, now: EpochMs) => tellOutdated(sql, agentId, now),
    filled: (now: EpochMs) => filledAgents(sql, now),
    tellDrift: (agentId: string, now: EpochMs) => tellDrift(sql, agentId, now),
    ...createSilenceReports(sql),
    dueForToday: (now: EpochMs, limit: number) => dueForToday(sql, now, limit),
  };
}

/** Returns agents whose stage is assessed from rows and was not assessed today, in turns by organization. */
async function dueForToday(sql: Sql, now: EpochMs, limit: number): Promise<readonly GatedAgent[]> {
  const found = await sql<{ id: string; stage: Stage; manifest_version: number; manifest_hash: string }[]>`
    select a.id, a.stage, a.manifest_version, a.manifest_hash from agents a
    where a.stage in ('paper', 'shadow') and not exists (
      select 1 from evidence e where e.agent_id = a.id and e.kind = a.stage and e.at >= ${Math.floor(now / DAY_MS) * DAY_MS})
    order by row_number() over (partition by a.org_id order by a.id), a.id limit ${limit}`;
  return found.map((row) => ({ id: row.id, stage: row.stage, manifestVersion: row.manifest_version, manifestHash: row.manifest_hash }));
}

async function isSimulated(sql: Sql, agent: GatedAgent): Promise<boolean> {
  const [row] = await sql<{ is_real: boolean }[]>`
    select not is_simulated(gate_now()) and bool_and(origin_at(s.source, gate_now()) = 'real') as is_real
    from manifests m cross join unnest(manifest_sources(m.canonical::jsonb)) s(source)
    where m.agent_id = ${agent.id} and m.version = ${agent.manifestVersion}`;
  return row?.is_real !== true;
}

/** Returns the deciding evidence of a gate of the active manifest and who signed off. */
async function deciding(
  sql: Sql,
  agent: GatedAgent,
  kind: EvidenceKind,
): Promise<{ evidence: StoredEvidence; signedBy: string | null } | null> {
  const [row] = await sql<(EvidenceRecord & { signed_by: string | null })[]>`
    select ${evidenceColumns(sql)}, case when kind = 'risk_signoff' then series::jsonb ->> 'subject' end as signed_by
    from gate_evidence(${agent.id}, ${kind}, ${agent.manifestVersion}, ${agent.manifestHash}) as evidence`;
  return row === undefined ? null : { evidence: toEvidence(row), signedBy: row.signed_by };
}

/** Returns the newest evidence of another gate of the active manifest. */
async function latest(sql: Sql, agent: GatedAgent, kind: EvidenceKind): Promise<StoredEvidence | null> {
  const [row] = await sql<EvidenceRecord[]>`
    select ${evidenceColumns(sql)} from evidence
    where agent_id = ${agent.id} and kind = ${kind} and manifest_version = ${agent.manifestVersion} and seq > gate_reset_seq(${agent.id})
    order by seq desc limit 1`;
  return row === undefined ? null : toEvidence(row);
}

async function readManifest(sql: Sql, agent: GatedAgent): Promise<Manifest> {
  const [row] = await sql<{ canonical: string }[]>`
    select canonical from manifests where agent_id = ${agent.id} and version = ${agent.manifestVersion} and hash = ${agent.manifestHash}`;
  if (row === undefined) throw new Error(`manifest version ${agent.manifestVersion} of agent ${agent.id} is not on record`);
  return JSON.parse(row.canonical) as Manifest;
}

function draftEvidence(agent: GatedAgent, kind: EvidenceKind, series: EvidenceSeries[EvidenceKind]): EvidenceDraft {
  const metrics = evidenceMetrics(kind, series);
  return {
    agentId: agent.id,
    kind,
    manifestVersion: agent.manifestVersion,
    manifestHash: agent.manifestHash,
    series,
    metrics,
    runId: null,
    resultHash: canonicalHash({ kind, manifestHash: agent.manifestHash, series }),
  } as EvidenceDraft;
}

/** Milliseconds after an hour's end by which its funding is booked, unless the venue's rate or price is unknown. */
const FUNDING_BOOKED_MS = 2 * HOUR_MS;

/** Returns the problem of a paper book whose funding is not booked up to now: it would be taken for zero. */
async function fundingProblems(sql: Sql, { id, manifestVersion }: GatedAgent, at: EpochMs): Promise<readonly string[]> {
  const hours = await countOwedHours(sql, bookIds.paper(id, manifestVersion), lastHour(at - FUNDING_BOOKED_MS));
  if (hours === 0) return [];
  return [`the funding of ${hours} ${hours === 1 ? 'hour' : 'hours'} is not booked yet, because a rate or a price of the venue is missing`];
}

/** Returns the problem of evidence of earlier rules. */
function ruleProblems(known: StoredEvidence | null): readonly string[] {
  if (known === null || known.ruleChange === null) return [];
  return [outdatedWords({ ...known, ruleChange: known.ruleChange })];
}

/** Returns problems of passed evidence whose period was selected: it ended long ago, or is the best of many trials. */
async function choiceProblems(sql: Sql, kind: EvidenceKind, known: StoredEvidence | null): Promise<readonly string[]> {
  if (kind !== 'backtest' || known === null) return [];
  const [row] = await sql<{ last: number; now: number; trials: number; best: number; errors: number | null }[]>`
    select (series::json ->> 'lastCandleAt')::bigint as last, gate_now() as now, l.trials, l.expected_best as best, l.errors_above as errors
    from evidence e, backtest_luck(e.id) l where e.id = ${known.id}`;
  if (row === undefined) return [];
  const { last, now, trials, best, errors } = row;
  const problems: string[] = [];
  if (!isRecentWindow(last, now))
    problems.push(
      `the backtest ends at ${isoTime(last)}, and the last candle may lie at most ${GATE_LIMITS.windowEndDays} days back: run it again up to today`,
    );
  if (errors === null || normalCdf(errors) < GATE_LIMITS.deflatedSharpe)
    problems.push(
      `${trials} trials were made of its family, which is every manifest and stretch whose returns move with its own: by luck alone the best of them would show a Sharpe ratio of ${figureInWords(best)}, and that the true one lies above it is ${errors === null ? 'unknown' : `${figureInWords(normalCdf(errors) * 100)} % probable`}; at least ${GATE_LIMITS.deflatedSharpe * 100} % is asked for`,
    );
  return problems;
}

/** Returns the evaluation time of a series; series of the manifest have none. */
function evaluatedAt(series: EvidenceSeries[EvidenceKind], otherwise: EpochMs): EpochMs {
  return 'evaluatedAt' in series ? series.evaluatedAt : otherwise;
}

function toGate(kind: EvidenceKind, evidence: StoredEvidence | null, problems: readonly string[], signedBy: string | null): AssessedGate {
  return {
    gate: GATE_OF[kind],
    kind,
    evidence,
    passed: evidence !== null && evidence.passed && problems.length === 0,
    checks: evidence?.checks ?? assessEvidence(kind, {}).checks,
    metrics: evidence?.metrics ?? null,
    problems,
    signedBy,
  };
}
