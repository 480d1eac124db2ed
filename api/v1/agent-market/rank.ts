/** GET /v1/agent-market/rank: agent tokens by risk, liquidity, dispersion, performance against their share, or age. */
import { Type } from 'typebox';
import { AGENT_RANK_FORMULAS, AGENT_RANK_MODES, rankTokens, UNRANKED } from '../../../src/domain/agent-market/analysis.ts';
import { encodeCursor, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, nullable, objectOf, pageFields } from '../../shapes.ts';
import { agentTokens, analysisFor, TokenBody, tokenBody } from './token-body.ts';

const LIST = 'agent-market-rank';
const PLACE = /^\d{1,6}$/;
/** Maximum tokens ranked. The newest are used. */
const MOST_RANKED = 200;

export const rankAgentTokens = defineRoute({
  method: 'GET',
  url: '/v1/agent-market/rank',
  name: 'rankAgentTokens',
  tag: 'agent-market',
  summary: 'Ranked agent tokens',
  description: `The ${MOST_RANKED} newest tokens, ranked. A token that cannot be ranked stays in the list, without a rank and with the reason.`,
  permission: 'market:read',
  cost: 'costly',
  schema: { querystring: objectOf({ mode: Type.Optional(choice(AGENT_RANK_MODES, 'Default: `lowest_risk`.')), ...pageFields }) },
  answers: {
    200: {
      description: 'A page of the ranking.',
      schema: Type.Object({
        items: Type.Array(
          Type.Object(
            {
              rank: nullable('integer', 'From 1; null if it cannot be ranked, and `reasons` say why.'),
              score: nullable('number', 'Value that the ranking uses.'),
              reasons: Type.Array(choice(Object.values(UNRANKED))),
              ...TokenBody.properties,
            },
            { $id: 'RankedAgentToken' },
          ),
        ),
        nextCursor: nullable('string'),
        mode: Type.String(),
        formula: Type.String(),
      }),
    },
  },
  refusals: [],
  handle: (ports) => async (request) => {
    const { mode = 'lowest_risk' } = request.query;
    const { limit, after } = pageOfQuery(request.query, LIST, PLACE);
    const newest = agentTokens(ports)
      .toSorted((a, b) => (b.token?.validFrom ?? 0) - (a.token?.validFrom ?? 0))
      .slice(0, MOST_RANKED);
    const rows = rankTokens(await Promise.all(newest.map((entry) => analysisFor(ports, entry))), mode);
    const begin = after === null ? 0 : Number(after);
    const end = begin + limit;
    return {
      items: rows
        .slice(begin, end)
        .map(({ rank, score, reasons, analysis }) => ({ rank, score, reasons: [...reasons], ...tokenBody(analysis) })),
      nextCursor: end < rows.length ? encodeCursor(LIST, String(end)) : null,
      mode,
      formula: AGENT_RANK_FORMULAS[mode],
    };
  },
});
