/** Agents: commands, outside proposals, evaluations, gates and decisions. */
import { orAgentToken, TO_STOP } from '../../permission.ts';
import { entry, type RouteGroup } from '../../route.ts';
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

export const agentRoutes: RouteGroup = {
  tag: {
    name: 'agents',
    position: 70,
    description:
      'Create an agent from a manifest, preview and backtest it, promote it stage by stage, and approve its proposals. `GET /v1/agents/{id}/gates` says what is missing for the next stage and why the agent does not trade. Promotion answers 409 `gate_failed` with every condition. `POST /v1/agents/emergency-halt` pauses all agents.',
  },
  routes: [
    entry(createAgent, 'trade:execute'),
    entry(addAgentVersion, 'trade:execute'),
    entry(setAgentAutonomy, 'trade:execute'),
    entry(promoteAgent, 'trade:execute'),
    entry(signOffAgent, 'risk:manage'),
    entry(backtestAgent, 'trade:execute'),
    entry(sweepAgent, 'trade:execute'),
    entry(previewBacktest, 'trade:execute'),
    entry(stressTestAgent, 'trade:execute'),
    entry(cancelEvaluation, 'trade:execute'),
    entry(pauseAgent, TO_STOP),
    entry(closeAgentPositions, TO_STOP),
    entry(resumeAgent, 'risk:manage'),
    entry(releaseAgent, 'risk:manage'),
    entry(emergencyHalt, TO_STOP),
    entry(getHalt, 'agent:read'),
  ],
};

export const agentReadRoutes: RouteGroup = {
  tag: agentRoutes.tag,
  routes: [
    entry(listAgents, 'agent:read'),
    entry(getAgent, 'agent:read'),
    entry(proposeTrade, orAgentToken('trade:execute')),
    entry(listOutsideProposals, orAgentToken('agent:read')),
    entry(getOutsideProposal, orAgentToken('agent:read')),
    entry(getOutsideContext, orAgentToken('agent:read')),
    entry(getBriefContext, orAgentToken('agent:read')),
    entry(openReplaySession, orAgentToken('trade:execute')),
    entry(getReplaySession, orAgentToken('agent:read')),
    entry(answerReplayStep, orAgentToken('trade:execute')),
    entry(abandonReplaySession, orAgentToken('trade:execute')),
    entry(createAgentToken, 'trade:execute'),
    entry(listAgentTokens, 'agent:read'),
    entry(revokeAgentToken, TO_STOP),
    entry(createSignalHook, 'trade:execute'),
    entry(listSignalHooks, 'agent:read'),
    entry(rotateSignalHook, 'trade:execute'),
    entry(revokeSignalHook, TO_STOP),
    entry(receiveSignal, 'public'),
    entry(listDecisions, 'agent:read'),
    entry(listRecommendations, 'agent:read'),
    entry(getDecision, 'agent:read'),
    entry(explainAgentDecision, 'agent:read'),
    entry(listEvaluations, 'agent:read'),
    entry(getEvaluation, 'agent:read'),
    entry(getEvaluationReport, 'agent:read'),
    entry(listEvidence, 'agent:read'),
    entry(listGates, 'agent:read'),
    entry(getCalibration, 'agent:read'),
    entry(listVersions, 'agent:read'),
    entry(listHistory, 'agent:read'),
    entry(getChart, 'agent:read'),
  ],
};
