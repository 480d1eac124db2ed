/** Agents: commands, outside proposals, evaluations, gates and decisions. */
import type { AgentTokens } from '../../../actors/agent/agent-tokens.ts';
import type { AgentCommands } from '../../../actors/agent/command-handler.ts';
import type { GateCommands } from '../../../actors/agent/gate-handler.ts';
import type { OutsideProposals } from '../../../actors/agent/outside-proposals.ts';
import type { SignalHooks } from '../../../actors/agent/signal-hooks.ts';
import type { EvaluationCommands } from '../../../actors/evaluation/command-handler.ts';
import type { ActorHistory } from '../../../actors/runtime/actor-history.ts';
import type { RunPages } from '../../../src/adapters/report-page.ts';
import type { AgentReads, LastHalt } from '../../../src/adapters/store/agents/agent-reads.ts';
import type { DecisionStore } from '../../../src/adapters/store/agents/decision-reads.ts';
import type { Recommendations } from '../../../src/adapters/store/agents/recommendation-reads.ts';
import type { EvaluationReads } from '../../../src/adapters/store/evaluations/evaluation-store.ts';
import type { PreviewStore } from '../../../src/adapters/store/evaluations/trial-reads.ts';
import type { AgentCalibration } from '../../../src/adapters/store/gates/calibration-store.ts';
import type { ClosingFacts } from '../../../src/domain/agents/closing-waits.ts';
import type { Preview } from '../../../src/domain/backtest/preview.ts';
import type { BacktestRequest } from '../../../src/domain/backtest/request.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { AskedSession, StepAsk } from '../../../src/domain/outside/replay-step.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { type RouteGroup } from '../../route.ts';
import { previewBacktest } from '../backtests/preview.ts';
import { receiveSignal } from '../signals/receive.ts';
import { addAgentVersion } from './add-version.ts';
import { getChart } from './chart.ts';
import { closeAgentPositions } from './close.ts';
import { createAgent } from './create.ts';
import { getDecision } from './decisions/decision.ts';
import { listDecisions } from './decisions/decisions.ts';
import { explainAgentDecision } from './decisions/explain-decision.ts';
import { emergencyHalt, getHalt } from './emergency-halt.ts';
import { backtestAgent } from './evaluations/backtest.ts';
import { cancelEvaluation } from './evaluations/cancel-evaluation.ts';
import { getEvaluation } from './evaluations/evaluation.ts';
import { getEvaluationReport } from './evaluations/evaluation-report.ts';
import { listEvaluations } from './evaluations/evaluations.ts';
import { abandonReplaySession, answerReplayStep, getReplaySession, openReplaySession } from './evaluations/replay-sessions.ts';
import { stressTestAgent } from './evaluations/stress-test.ts';
import { sweepAgent } from './evaluations/sweep.ts';
import { getCalibration } from './gates/calibration.ts';
import { listEvidence } from './gates/evidence.ts';
import { listGates } from './gates/gates.ts';
import { promoteAgent } from './gates/promote.ts';
import { signOffAgent } from './gates/sign-off.ts';
import { getAgent } from './get.ts';
import { listHistory } from './history.ts';
import { listAgents } from './list.ts';
import { createAgentToken, listAgentTokens, revokeAgentToken } from './outside/agent-tokens.ts';
import { getBriefContext, getOutsideContext } from './outside/outside-context.ts';
import { getOutsideProposal, listOutsideProposals, proposeTrade } from './outside/outside-proposals.ts';
import { createSignalHook, listSignalHooks, revokeSignalHook, rotateSignalHook } from './outside/signal-hooks.ts';
import { pauseAgent } from './pause.ts';
import { listRecommendations } from './recommendations.ts';
import { releaseAgent } from './release.ts';
import { resumeAgent } from './resume.ts';
import { setAgentAutonomy } from './set-autonomy.ts';
import { listVersions } from './versions.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly agents: {
      /** Null if the organization has no such agent. */
      calibration(orgId: string, agentId: string): Promise<AgentCalibration | null>;
      readonly reads: AgentReads;
      readonly commands: AgentCommands;
      readonly decisions: Pick<DecisionStore, 'list' | 'get'>;
      /** Recommendations of the organization's agents. */
      readonly recommendations: Recommendations;
      /** Past states of an agent's chart. */
      readonly past: Pick<ActorHistory, 'stateAt'>;
      /** Outside proposals of external agents. */
      readonly outside: OutsideProposals;
      readonly tokens: AgentTokens;
      readonly signals: SignalHooks;
      readonly gates: GateCommands;
      readonly evaluations: Pick<EvaluationReads, 'list' | 'find' | 'report'> &
        Pick<PreviewStore, 'notePreview'> & { readonly commands: EvaluationCommands; readonly page: RunPages };
      /** Returns the facts that explain what the agent's closings wait for. Empty if the organization has no such agent. */
      readonly closingFacts: (orgId: string, agentId: string) => Promise<ClosingFacts>;
      /** Returns the newest halt, or null. */
      readonly lastHalt: (orgId: string) => Promise<LastHalt | null>;
    };
    readonly previews: {
      /** Returns the number of bar series that a manifest reads on its timeframe. */
      seriesOf(manifest: Manifest): number;
      /** Runs a preview off the main loop within its time limit. Ends early with the signal. */
      run(
        asked: { readonly orgId: string; readonly subject: string; readonly manifest: Manifest; readonly request: BacktestRequest },
        signal: AbortSignal,
      ): Promise<Preview>;
    };
    /** Replay sessions, of this process and of those that it reaches; null if there can be none. */
    readonly replays: {
      /** Answers a step as JSON, or returns null if no process runs the session. */
      step(of: AskedSession, step: StepAsk): Promise<Outcome<string> | null>;
      /** Stops answering a cancelled session. */
      abandon(of: AskedSession): Promise<void>;
    } | null;
  }
}

export const agentRoutes: RouteGroup = {
  tag: {
    name: 'agents',
    position: 70,
    description:
      'Create an agent from a manifest, preview and backtest it, promote it stage by stage, and approve its proposals. `GET /v1/agents/{id}/gates` says what is missing for the next stage and why the agent does not trade. Promotion answers 409 `gate_failed` with every condition. `POST /v1/agents/emergency-halt` pauses all agents.',
  },
  routes: [
    createAgent,
    addAgentVersion,
    setAgentAutonomy,
    promoteAgent,
    signOffAgent,
    backtestAgent,
    sweepAgent,
    previewBacktest,
    stressTestAgent,
    cancelEvaluation,
    pauseAgent,
    closeAgentPositions,
    resumeAgent,
    releaseAgent,
    emergencyHalt,
    getHalt,
  ],
};

export const agentReadRoutes: RouteGroup = {
  tag: agentRoutes.tag,
  routes: [
    listAgents,
    getAgent,
    proposeTrade,
    listOutsideProposals,
    getOutsideProposal,
    getOutsideContext,
    getBriefContext,
    openReplaySession,
    getReplaySession,
    answerReplayStep,
    abandonReplaySession,
    createAgentToken,
    listAgentTokens,
    revokeAgentToken,
    createSignalHook,
    listSignalHooks,
    rotateSignalHook,
    revokeSignalHook,
    receiveSignal,
    listDecisions,
    listRecommendations,
    getDecision,
    explainAgentDecision,
    listEvaluations,
    getEvaluation,
    getEvaluationReport,
    listEvidence,
    listGates,
    getCalibration,
    listVersions,
    listHistory,
    getChart,
  ],
};
