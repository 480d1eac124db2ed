/** GET /v1/recommendations: lists the trades that agents at `suggest` recommend, with the rules behind them. */
import { Type } from 'typebox';
import type { Recommendation } from '../../../src/adapters/store/agents/recommendation-reads.ts';
import { explainDecision } from '../../../src/domain/agents/explain-decision.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, HashText, IdText, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';
import { RulesInWords } from './decisions/explained-decision.ts';

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
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of recommendations.', schema: pageOf(RecommendationBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'recommendations', POSITIONS.decision);
    return pageBody(await ports.agents.recommendations(memberOf(request).orgId, page), 'recommendations', recommendationBody);
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
