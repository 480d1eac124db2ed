/** Handles promotions and sign-offs: checks the gate's evidence, then asks the agent. The database checks again and decides. */
import { checkInWords } from '../../src/domain/agents/gate-progress.ts';
import type { ActorRow, StepPlan } from '../../src/domain/agents/actor-step.ts';
import type { Stage } from '../../src/domain/agents/agent.ts';
import type { MissingHistory } from '../../src/domain/backtest/missing-history.ts';
import type { SourceOrigin } from '../../src/domain/market/data-source.ts';
import { type EvidenceCheck, type EvidenceKind, type EvidenceMetrics, evidenceKindAt, GATE_OF } from '../../src/domain/agents/evidence.ts';
import type { ManifestInWords } from '../../src/domain/manifest/execution-words.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AgentDirectory } from './commands.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { AgentView } from './resource.ts';
import { agentContext, agentValue } from './effects.ts';

/** Evidence as the gate handler reads it. */
export interface GateEvidence {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly at: EpochMs;
  readonly passed: boolean;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics;
  /** True if any of its sources was not real, or its time was moved. Such evidence does not count beside anything real. */
  readonly simulated: boolean;
  /** Origin of each market data source while the evidence was made. Missing in answers stored before origins were recorded. */
  readonly origins?: Readonly<Record<string, SourceOrigin>>;
  /** Version of the gate rules it was made under. */
  readonly rulesVersion: number;
  /** Change of those rules since then, as a clause, or null if they are current. */
  readonly ruleChange: string | null;
}

interface GateState {
  readonly gate: Stage;
  readonly kind: EvidenceKind;
  /** Evidence that decides the gate, or null if there is none yet. */
  readonly evidence: GateEvidence | null;
  readonly passed: boolean;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics | null;
  readonly problems: readonly string[];
  readonly signedBy: string | null;
}

/** Agent, as its gates are validated. */
export type GatedView = Pick<AgentView, 'id' | 'stage' | 'manifestVersion' | 'manifestHash'>;

/** Evidence store of the command handler. */
interface GateKeeper {
  /** Validates the agent's present gate, and records the result if `write`. Returns null at the last stage. */
  validate(agent: GatedView, write: boolean): Promise<GateState | null>;
  /** True if new evidence of the agent would be simulated: a market data source is not real, or time was moved. */
  isSimulated(agent: GatedView): Promise<boolean>;
  /** All gates, in order. */
  all(agent: GatedView): Promise<readonly GateState[]>;
  signOff(
    agent: GatedView,
    word: { readonly subject: string; readonly approved: boolean; readonly comment: string },
  ): Promise<GateEvidence>;
}

/** A promoted agent, and the history that its next backtest would miss. */
export type PromotedView = AgentView & ManifestInWords & { readonly missingHistory: readonly MissingHistory[] };

interface GatesProgress extends ManifestInWords {
  readonly stage: Stage;
  readonly gates: readonly GateState[];
  /** True if its forward trading runs on a source that is not real, or under a moved time. */
  readonly simulated: boolean;
  /** History that the agent's next backtest would miss. */
  readonly missingHistory: readonly MissingHistory[];
}

/** Instructions to obtain a gate's evidence, shown if none is on record. */
const HOW: Readonly<Record<EvidenceKind, string>> = {
  manifest: 'the manifest must be valid',
  backtest: 'run a backtest of the active manifest: POST /v1/agents/:id/backtest',
  stress_test: 'run a stress test of the active manifest: POST /v1/agents/:id/stress_test',
  paper: 'trade on paper for at least 14 days',
  shadow: 'trade in shadow of the live market',
  risk_signoff: 'an independent risk manager must sign off: POST /v1/agents/:id/sign-off',
};

/** Maximum validations of one promotion if the database refuses a stale one. Enough for a dozen concurrent requests. */
const PROMOTE_RACES = 12;

interface GateDeps {
  readonly runtime: Runtime;
  readonly agents: Pick<AgentDirectory, 'find' | 'write'>;
  readonly gates: GateKeeper;
  /** Returns the history that a backtest of the agent's manifest would miss. */
  readonly missingHistory: (agent: GatedView) => Promise<readonly MissingHistory[]>;
  readonly manifestInWords: (agent: GatedView, orgId: string) => Promise<ManifestInWords>;
  /** Returns why the agent's universe cannot get live capital, or null if it can. */
  readonly capitalRefusal: (agent: GatedView) => Promise<string | null>;
}

/** Returns the view of a promoted agent. Missing history is included only before the gate that a backtest opens. */
async function describePromotion(
  deps: GateDeps,
  orgId: string,
  view: AgentView,
  stages: readonly Stage[],
): Promise<Pick<PromotedView, 'missingHistory' | keyof ManifestInWords>> {
  const missingHistory = stages.includes(view.stage) ? await deps.missingHistory(view) : [];
  return { missingHistory, ...(await deps.manifestInWords(view, orgId)) };
}

/** Validates the gate of the agent's stage `before` and opens it. Returns `superseded` if the database has newer evidence. */
async function attempt(
  deps: GateDeps,
  context: CommandContext,
  before: AgentView,
): Promise<Outcome<PromotedView> | { readonly superseded: () => Outcome<never> }> {
  const { runtime, gates } = deps;
  let gateState: GateState | null;
  try {
    gateState = await gates.validate(before, true);
  } catch (error) {
    if (!isContradicted(error)) throw error;
    return { superseded: () => rethrow(error) };
  }
  if (gateState === null) return refuse('state_conflict', 'the agent is live; no gate follows');
  const shut = explainClosedGate(gateState, context.subject);
  if (shut !== null) return shut;
  const late = before.stage === 'shadow' ? await deps.capitalRefusal(before) : null;
  if (late !== null) return refuse('feature_disabled', `no live capital: ${late}`);
  const { evidence } = gateState as { evidence: GateEvidence };
  const told = await describePromotion(deps, context.orgId, before, ['draft']);
  const after = (plan: StepPlan): PromotedView => ({
    ...before,
    ...told,
    stage: agentValue(plan.state).stage,
    autonomy: agentContext(plan.state).autonomy,
  });
  try {
    const outcome = await runtime.deliver(
      before.id,
      {
        type: 'gate.passed',
        gate: before.stage,
        manifestHash: before.manifestHash,
        evidenceId: evidence.id,
        askedBy: context.subject,
      },
      {
        cause: `${context.subject} ${context.requestId}`,
        orgId: context.orgId,
        also: (row: ActorRow, plan: StepPlan) => [
          auditRow(context, 'agent.promote', before.id, row.state, plan.state),
          ...answerRows(context, after(plan)),
        ],
      },
    );
    return outcome.ok ? { ok: true, value: after(outcome.value.plan) } : outcome;
  } catch (error) {
    const refused = refusedByDatabase(error);
    if (refused === null) return answeredMeanwhile(error);
    return refused.refusal.code === 'gate_failed' ? { superseded: () => refused } : refused;
  }
}

export function createGateHandler(deps: GateDeps) {
  const { agents, gates } = deps;

  return {
    /** Opens the agent's present gate, or refuses with the condition that fails. */
    async promote(context: CommandContext, agentId: string): Promise<Outcome<PromotedView>> {
      const first = await agents.find(context.orgId, agentId);
      let before = first;
      for (let race = 1; ; race++) {
        if (!first || !before) return refuse('not_found', 'there is no such agent');
        // The caller meant the stage at that moment, not the next gate.
        if (isAnother(before, first)) return refuse('state_conflict', elsewhere(before));
        if (before.paused) return refuse('state_conflict', `the agent is paused (${before.pauseCause}); resume it first`);
        const outcome = await attempt(deps, context, before);
        if (!('superseded' in outcome)) return outcome;
        if (race === PROMOTE_RACES) return outcome.superseded();
        before = await agents.find(context.orgId, agentId);
      }
    },

    /** Records an independent risk manager's decision on the step to `live`. */
    async signOff(
      context: CommandContext,
      agentId: string,
      word: { readonly approved: boolean; readonly comment: string },
    ): Promise<Outcome<GateEvidence>> {
      const before = await agents.find(context.orgId, agentId);
      if (!before) return refuse('not_found', 'there is no such agent');
      if (evidenceKindAt(before.stage) !== 'risk_signoff')
        return refuse(
          'state_conflict',
          `a sign-off is for the step from ${GATE_OF.risk_signoff} to live; the agent stands at ${before.stage}`,
        );
      if (before.createdBy === context.subject)
        return refuse('sign_off_refused', 'the creator of an agent cannot sign it off; another member with risk:manage has to');
      try {
        const evidence = await gates.signOff(before, { subject: context.subject, ...word });
        await agents.write([auditRow(context, 'agent.sign_off', agentId, null, null), ...answerRows(context, evidence)]);
        return { ok: true, value: evidence };
      } catch (error) {
        const now = isContradicted(error) ? await agents.find(context.orgId, agentId) : before;
        if (now && isAnother(now, before)) return refuse('state_conflict', elsewhere(now));
        return refusedByDatabase(error) ?? answeredMeanwhile(error);
      }
    },

    /** Returns null if the organization has no such agent. */
    async progress(orgId: string, agentId: string): Promise<GatesProgress | null> {
      const view = await agents.find(orgId, agentId);
      return view && readProgress(deps, orgId, view);
    },
  };
}

export type GateCommands = ReturnType<typeof createGateHandler>;

/** Returns the progress through an agent's gates. */
async function readProgress(deps: GateDeps, orgId: string, view: AgentView): Promise<GatesProgress> {
  const [gates, simulated] = [await deps.gates.all(view), await deps.gates.isSimulated(view)];
  return { stage: view.stage, gates, simulated, ...(await describePromotion(deps, orgId, view, ['draft', 'backtest'])) };
}

/** True if the agent is at another gate than before, or at the same one with another manifest. */
function isAnother(now: GatedView, before: GatedView): boolean {
  return now.stage !== before.stage || now.manifestHash !== before.manifestHash;
}

function elsewhere({ stage, manifestVersion }: GatedView): string {
  return `somebody else was faster: the agent stands at ${stage} now, with manifest version ${manifestVersion}`;
}

function rethrow(error: unknown): never {
  throw error;
}

/** True if the database refused evidence because it contradicts the record, through a change since it was computed or a defect. */
function isContradicted(error: unknown): boolean {
  return (error as { code?: string }).code === '23514';
}

/** Returns why a gate stays closed, or null if it opens. */
function explainClosedGate(gateState: GateState, asking: string): ReturnType<typeof refuse> | null {
  const { gate, kind, evidence, checks, problems, signedBy } = gateState;
  const shut = (code: 'evidence_missing' | 'gate_failed' | 'sign_off_refused', detail: string): ReturnType<typeof refuse> => ({
    ok: false,
    refusal: { code, detail, checks },
  });
  if (evidence === null && kind !== 'manifest')
    return shut('evidence_missing', `there is no evidence for the gate at ${gate}: ${HOW[kind]}`);
  if (problems.length > 0) return shut('gate_failed', `the gate at ${gate} stays closed: ${problems.join('; ')}`);
  if (evidence === null || !gateState.passed) {
    const failed = checks.filter(({ passed }) => !passed).map(checkInWords);
    return shut('gate_failed', `the gate at ${gate} stays closed: ${failed.join('; ')}`);
  }
  if (signedBy === asking) return shut('sign_off_refused', 'the member who signed off cannot promote the agent; another member must');
  return null;
}

/** Returns the refusal of the database's own gate, or null for any other error. */
function refusedByDatabase(error: unknown): ReturnType<typeof refuse> | null {
  const { constraint_name: constraint, code, message } = error as { constraint_name?: string; code?: string; message?: string };
  if (constraint === 'stage_gate') return refuse('gate_failed', message ?? 'the gate stays closed');
  if (constraint === 'vault_ceiling') return refuse('state_conflict', message ?? 'the vault holds too much capital for the stage');
  if (code === '42501' && message?.includes('sign-off')) return refuse('sign_off_refused', message);
  return null;
}
