/** Ports of the agent routes: agents, decisions, evidence and evaluation runs. Boot supplies them. */

import type { DailyReturns } from '../../../src/domain/backtest/daily-returns.ts';
import type { AgentTokens } from '../../../actors/agent/agent-tokens.ts';
import type { SignalHooks } from '../../../actors/agent/signal-hooks.ts';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import type { AgentView } from '../../../actors/agent/resource.ts';
import type { GateCommands } from '../../../actors/agent/gate-handler.ts';
import type { OutsideProposals } from '../../../actors/agent/outside-proposals.ts';
import type { EvaluationCommands, EvaluationView } from '../../../actors/evaluation/commands.ts';
import type { ActorHistory } from '../../../actors/runtime/actor-history.ts';
import type { CalibratedFill } from '../../../src/domain/agents/calibration.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import type { ClosingFacts } from '../../../src/domain/agents/closing-waits.ts';
import type { DecisionRecord } from '../../../src/domain/agents/decision.ts';
import type { SourceOrigin } from '../../../src/domain/market/data-source.ts';
import type { EvidenceCheck, EvidenceKind, EvidenceMetrics } from '../../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { StepAsk } from '../../../src/domain/outside/replay-step.ts';
import type { Page, PageOf } from '../../page.ts';
import type { ActorStep } from '../actors/ports.ts';

export interface AgentVersion {
  readonly version: number;
  readonly manifestHash: string;
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface AgentDetail extends AgentView {
  /** Newest first. */
  readonly versions: readonly AgentVersion[];
  /** The canonical manifest of the active version, as it was hashed. */
  readonly manifest: { readonly [field: string]: Json };
}

/** Evidence that is tied to a manifest hash, as the database checked it. */
export interface AgentEvidence {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: EpochMs;
  readonly runId: string | null;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics;
  /** True unless every source that it stands on was real, and time was not moved on. */
  readonly simulated: boolean;
  readonly origins: Readonly<Record<string, SourceOrigin>>;
  readonly rulesVersion: number;
  /** Change of its rules since then, as a clause; null if they are the present ones. */
  readonly ruleChange: string | null;
  readonly seq: number;
  readonly hash: string;
}

/** A manifest version together with the one before it. */
export interface VersionedManifest extends AgentVersion {
  readonly manifest: Manifest;
  /** Null for the first version. */
  readonly previous: Manifest | null;
}

/** Current state of an agent's state chart. */
export interface ChartState {
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: Json;
}

/** The newest emergency halt of an organization. */
export interface LastHalt {
  /** Counts the halts of the organization. */
  readonly epoch: number;
  /** ISO 8601. */
  readonly at: string;
  /** Null of a halt of before its author was kept. */
  readonly by: string | null;
  readonly reason: string | null;
  /** True while agents are still being paused. */
  readonly isPausing: boolean;
}

/** Reads about agents. Every one takes the organization; a foreign agent answers null, exactly as a missing one. */
export interface AgentReads {
  list(orgId: string, page: Page): Promise<PageOf<AgentView>>;
  get(orgId: string, agentId: string): Promise<AgentDetail | null>;
  history(orgId: string, agentId: string, page: Page): Promise<PageOf<ActorStep> | null>;
  evidence(orgId: string, agentId: string, page: Page): Promise<PageOf<AgentEvidence> | null>;
  /** Newest first; only versions from `from` to `to`, both inclusive, if they are given. */
  versions(
    orgId: string,
    agentId: string,
    range: { readonly from: number | null; readonly to: number | null },
    page: Page,
  ): Promise<PageOf<VersionedManifest> | null>;
  /** One version's manifest; null if there is no such version (or agent). */
  manifest(orgId: string, agentId: string, version: number): Promise<Manifest | null>;
  chartState(orgId: string, agentId: string): Promise<ChartState | null>;
}

export interface DecisionPage extends PageOf<DecisionRecord> {
  /** Time before which decisions lie in archive files, on the last page. Null if none were moved, and on every other page. */
  readonly movedBefore: EpochMs | null;
}

/** Reads of decision records, newest first. Null if the organization has no such agent. */
export interface DecisionReads {
  list(orgId: string, agentId: string, page: Page): Promise<DecisionPage | null>;
  get(orgId: string, agentId: string, decisionId: string): Promise<DecisionRecord | null>;
}

/** A decision that asked for a trade, and of which no proposal was made. */
export interface Recommendation {
  readonly decision: DecisionRecord;
  readonly agentName: string;
}

/** A manifest that was simulated while it was written. `agentId` is the agent whose next version it was meant to be; null for none. */
export interface PreviewedManifest {
  readonly agentId: string | null;
  readonly manifest: Manifest;
  readonly at: EpochMs;
  readonly returns: DailyReturns;
}

/** Evaluation runs. Every read takes the organization; a foreign agent or run answers null, exactly as a missing one. */
export interface EvaluationPort {
  readonly commands: EvaluationCommands;
  list(orgId: string, agentId: string, page: Page): Promise<PageOf<EvaluationView> | null>;
  find(orgId: string, agentId: string, runId: string): Promise<EvaluationView | null>;
  /** Notes that a manifest was simulated while it was written, which counts as a trial; the same again is noted once. */
  notePreview(orgId: string, preview: PreviewedManifest): Promise<void>;
  /** The canonical result of a finished run. */
  report(orgId: string, agentId: string, runId: string): Promise<{ readonly result: string } | null>;
  /** The page of a finished run, and the content security policy under which it works; a policy of null: nothing of it runs. */
  page(orgId: string, agentId: string, runId: string): Promise<{ readonly page: string; readonly policy: string | null } | null>;
}

/** Fills of an agent's active manifest with what they were expected to cost, newest first. */
export interface AgentCalibration {
  readonly manifestVersion: number;
  /** Mean cost of a fill in the newest backtest that passed its gate, in basis points; null without one. */
  readonly promisedBps: number | null;
  readonly fills: readonly CalibratedFill[];
}

/** Replay sessions, wherever they run. */
export interface ReplayPort {
  /** Answers a step; null if no process runs the session. The answer is JSON. */
  step(of: AskedSession, step: StepAsk): Promise<Outcome<string> | null>;
  /** Answers no further step of a session that was cancelled. */
  abandon(of: AskedSession): Promise<void>;
}

interface AskedSession {
  readonly orgId: string;
  readonly agentId: string;
  readonly runId: string;
}

export interface AgentPorts {
  /** Null if the organization has no such agent. */
  calibration(orgId: string, agentId: string): Promise<AgentCalibration | null>;
  readonly reads: AgentReads;
  readonly commands: AgentCommands;
  readonly decisions: DecisionReads;
  /** Recommendations of the organization's agents, newest first. The position is the last one's slot and agent, `slot|agent`. */
  readonly recommendations: (orgId: string, page: Page) => Promise<PageOf<Recommendation>>;
  /** Past states of an agent's chart. */
  readonly past: Pick<ActorHistory, 'stateAt'>;
  /** Outside proposals of external agents. */
  readonly outside: OutsideProposals;
  readonly tokens: AgentTokens;
  readonly signals: SignalHooks;
  readonly gates: GateCommands;
  readonly evaluations: EvaluationPort;
  /** Facts that decide what the agent's closings wait for. Empty if the organization has no such agent. */
  readonly closingFacts: (orgId: string, agentId: string) => Promise<ClosingFacts>;
  /** Null if the organization was never halted. */
  readonly lastHalt: (orgId: string) => Promise<LastHalt | null>;
}
