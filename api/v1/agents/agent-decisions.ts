/** Decision records of agents, their explanations, and recommendations. */
import { type TSchema, Type } from 'typebox';
import { decision } from '../../../actors/ticking/resource.ts';
import type { DecisionStore, Recommendation } from '../../../src/adapters/store/agents/decision-reads.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { explainDecision } from '../../../src/domain/agents/explain-decision.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { idInPath, storedId } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, choice, HashText, IdText, objectSchema, pageFields, pageSchema, Time } from '../../shapes.ts';

export const DecisionBody = Type.Object(decision.wire, {
  $id: 'Decision',
  description: 'Immutable and append-only; `hash` covers the record and `previousHash`.',
});

/** Returns the schema of a page of decisions, with the location of older ones. */
export function decisionPageSchema<Item extends TSchema>(item: Item) {
  return Type.Object({
    ...pageSchema(item).properties,
    movedBefore: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'On the last page, where older decisions were moved: those before this moment lie in archive files.',
      }),
    ),
  });
}

export function toMovedBefore({ movedBefore }: { readonly movedBefore: number | null }): { movedBefore?: string } {
  return movedBefore === null ? {} : { movedBefore: new Date(movedBefore).toISOString() };
}

/** Message for a decision that does not exist, or belongs to another agent or organization. */
export const NO_DECISION = 'there is no decision with this id (pages of decisions tell from when on older ones lie in archive files)';

const RulesInWords = Type.Array(Type.Object({ type: Type.String(), passed: Type.Boolean(), sentence: Type.String() }));

export const ExplainedDecision = Type.Object(
  {
    decisionId: IdText,
    hash: HashText,
    summary: Type.String(),
    why: Type.Array(Type.String()),
    instruments: Type.Array(Type.Object({ instrument: Type.String(), seen: Type.String(), entry: RulesInWords, exit: RulesInWords })),
    missing: Type.Array(Type.String(), { description: 'Conditions missing for a trade, the nearest first.' }),
  },
  { $id: 'ExplainedDecision' },
);

/** Returns the decision in a path in words, or null if the organization has none. */
export async function explainedDecision(
  decisions: Pick<DecisionStore, 'get'>,
  orgId: string,
  path: { readonly id: string; readonly decisionId: string },
) {
  const id = idInPath(path);
  const decisionId = storedId(path.decisionId);
  const found = id === null || decisionId === null ? null : await decisions.get(orgId, id, decisionId);
  return found === null ? null : { decisionId: found.id, hash: found.hash, ...explainDecision(found) };
}

export const listDecisions = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions',
  name: 'listDecisions',
  tag: 'agents',
  summary: 'The decision records of an agent, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of decisions.', schema: decisionPageSchema(DecisionBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'decisions', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.decisions.list(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return { ...pageBody(found, 'decisions', (decision) => decision), ...toMovedBefore(found) };
  },
});

const RecommendationBody = Type.Object(
  {
    decisionId: IdText,
    hash: HashText,
    agentId: IdText,
    agentName: Type.String(),
    slot: Time,
    side: choice(['buy', 'sell']),
    instrument: Type.String(),
    summary: Type.String(),
    seen: Type.String({ description: 'Market data of the instrument at the slot, in words.' }),
    why: Type.Array(Type.String()),
    rules: RulesInWords,
  },
  { $id: 'Recommendation' },
);

export const listRecommendations = defineRoute({
  method: 'GET',
  url: '/v1/recommendations',
  name: 'listRecommendations',
  tag: 'agents',
  summary: 'Trades that agents at `suggest` would make, newest first',
  description:
    'An agent at this autonomy places no orders: place them with `/v1/market-orders` or a prepared swap. Each recommendation is a recorded decision that asked for a trade and made no proposal.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of recommendations.', schema: pageSchema(RecommendationBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'recommendations', POSITIONS.decision);
    return pageBody(await ports.agents.recommendations(requireMember(request).orgId, page), 'recommendations', recommendationBody);
  },
});

function recommendationBody({ decision, agentName }: Recommendation) {
  const { id, hash, agentId, slot, disposition, instrument } = decision;
  const side = disposition === 'propose_entry' ? 'entry' : 'exit';
  const { summary, why, instruments } = explainDecision(decision);
  const told = instruments.find((one) => one.instrument === instrument);
  return {
    decisionId: id,
    hash,
    agentId,
    agentName,
    slot,
    side: side === 'entry' ? 'buy' : 'sell',
    instrument,
    summary,
    seen: told?.seen ?? '',
    why,
    rules: (told?.[side] ?? []).filter(({ passed }) => passed),
  };
}

export const getDecision = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions/:decisionId',
  name: 'getDecision',
  tag: 'agents',
  summary: 'One decision record',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: objectSchema({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision.', schema: DecisionBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const [id, decisionId] = [idInPath(request.params), storedId(request.params.decisionId)];
    const found =
      id === null || decisionId === null ? null : await ports.agents.decisions.get(requireMember(request).orgId, id, decisionId);
    return found ?? sendProblem(reply, 'not_found', NO_DECISION);
  },
});

export const explainAgentDecision = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/decisions/:decisionId/explain',
  name: 'explainDecision',
  tag: 'agents',
  summary: 'One decision in words',
  description:
    'The observations, the rules that held, the decision, and what was missing for a trade. Every number is one of the decision record, which `hash` names.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: objectSchema({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision in words.', schema: ExplainedDecision } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) =>
    (await explainedDecision(ports.agents.decisions, requireMember(request).orgId, request.params)) ??
    sendProblem(reply, 'not_found', NO_DECISION),
});
