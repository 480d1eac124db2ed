/** Agents: creation, autonomy, and the groups of all routes of an agent. */
import { Type } from 'typebox';
import type { AgentTokens } from '../../../actors/agent/agent-tokens.ts';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import type { GateCommands } from '../../../actors/agent/gate-handler.ts';
import type { OutsideProposals } from '../../../actors/agent/outside-proposals.ts';
import type { AgentView } from '../../../actors/agent/resource.ts';
import type { SignalHooks } from '../../../actors/agent/signal-hooks.ts';
import type { EvaluationCommands } from '../../../actors/evaluation/commands.ts';
import type { ActorHistory } from '../../../actors/runtime/actor-history.ts';
import type { RunPages } from '../../../src/adapters/run-pages.ts';
import type { AgentReads, LastHalt } from '../../../src/adapters/store/agents/agent-reads.ts';
import type { DecisionStore, Recommendations } from '../../../src/adapters/store/agents/decision-reads.ts';
import type { EvaluationReads } from '../../../src/adapters/store/evaluations/evaluation-store.ts';
import type { PreviewStore } from '../../../src/adapters/store/evaluations/trial-reads.ts';
import type { AgentCalibration } from '../../../src/adapters/store/gates/calibration-store.ts';
import { AUTONOMY_IDENTIFIERS, AUTONOMY_LEVELS, type Autonomy, NO_AGENT } from '../../../src/domain/agents/agent.ts';
import type { ClosingFacts } from '../../../src/domain/agents/closing-waits.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute, type RouteGroup } from '../../route.ts';
import { AgentPath, AnyJson, choice, HashText, objectSchema, pageFields, pageSchema, Time } from '../../shapes.ts';
import { AgentBody, agentBody, agentFields, waitingAgentBody } from './agent-body.ts';
import { explainAgentDecision, getDecision, listDecisions, listRecommendations } from './agent-decisions.ts';
import {
  backtestAgent,
  cancelEvaluation,
  getEvaluation,
  getEvaluationReport,
  listEvaluations,
  stressTestAgent,
  sweepAgent,
} from './agent-evaluations.ts';
import { getCalibration, listEvidence, listGates, promoteAgent, signOffAgent } from './agent-gates.ts';
import { closeAgentPositions, emergencyHalt, getHalt, pauseAgent, releaseAgent, resumeAgent } from './agent-halts.ts';
import { getChart, listHistory } from './agent-history.ts';
import { createAgentToken, listAgentTokens, revokeAgentToken } from './agent-tokens.ts';
import { addAgentVersion, listVersions, ManifestBody, ManifestTakenBody, manifestTakenBody, parseManifest } from './agent-versions.ts';
import { previewBacktest } from './backtest-previews.ts';
import { getBriefContext, getOutsideContext } from './outside-context.ts';
import { getOutsideProposal, listOutsideProposals, proposeTrade } from './outside-proposals.ts';
import { abandonReplaySession, answerReplayStep, getReplaySession, openReplaySession } from './replay-sessions.ts';
import { createSignalHook, listSignalHooks, receiveSignal, revokeSignalHook, rotateSignalHook } from './signal-hooks.ts';

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
  }
}

const createAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents',
  name: 'createAgent',
  tag: 'agents',
  summary: 'Creates an agent from a manifest',
  description: 'The new agent starts at stage `draft` with autonomy `research`, whatever the manifest requests.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: ManifestBody },
  bodyRule: 'read_by_handler',
  yaml: true,
  idempotent: true,
  answers: { 201: { description: 'The agent was created.', schema: ManifestTakenBody } },
  refusals: ['manifest_invalid', 'halted', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const read = parseManifest(ports, request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: (view: AgentView) => manifestTakenBody(view, read),
        run: (context) => ports.agents.commands.create(context, read.manifest),
      });
    };
  },
});

const AutonomyRequest = objectSchema({
  autonomy: choice([...AUTONOMY_LEVELS, ...Object.keys(AUTONOMY_IDENTIFIERS)], 'The level, in either form.'),
});

const setAgentAutonomy = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/autonomy',
  name: 'setAgentAutonomy',
  tag: 'agents',
  summary: 'Sets the autonomy level',
  description: 'Raising to `policy_auto` or `autonomous` also needs `risk:manage`; lowering is always allowed.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: AutonomyRequest },
  idempotent: true,
  answers: { 200: { description: 'The agent at its new level.', schema: AgentBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { autonomy: word } = request.body;
      const autonomy = AUTONOMY_IDENTIFIERS[word] ?? (word as Autonomy);
      return carryOut(request, reply, {
        status: 200,
        answer: agentBody,
        run: (context) => ports.agents.commands.setAutonomy(context, id, autonomy),
      });
    };
  },
});

const listAgents = defineRoute({
  method: 'GET',
  url: '/v1/agents',
  name: 'listAgents',
  tag: 'agents',
  summary: "The organization's agents, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of agents.', schema: pageSchema(AgentBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'agents', POSITIONS.uuid);
    return pageBody(await ports.agents.reads.list(requireMember(request).orgId, page), 'agents', agentBody);
  },
});

const AgentDetailBody = Type.Object(
  {
    ...agentFields,
    versions: Type.Array(Type.Object({ version: Type.Integer(), manifestHash: HashText, createdBy: Type.String(), createdAt: Time }), {
      description: 'Newest first.',
    }),
    manifest: Type.Unsafe<object>({
      ...AnyJson,
      type: 'object',
      additionalProperties: true,
      description: 'The canonical manifest of the active version, as it was hashed.',
    }),
  },
  { $id: 'AgentDetail' },
);

const getAgent = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id',
  name: 'getAgent',
  tag: 'agents',
  summary: 'One agent with its manifest versions',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The agent.', schema: AgentDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { orgId } = requireMember(request);
    const agent = id === null ? null : await ports.agents.reads.get(orgId, id);
    if (agent === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const body = agent.closing.length === 0 ? agentBody(agent) : waitingAgentBody(agent, await ports.agents.closingFacts(orgId, agent.id));
    return { ...body, versions: agent.versions, manifest: agent.manifest };
  },
});

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
