/**
 * GET /v1/rankings/fair-value: ranks tokenized equities by discount, premium, liquidity or event intensity, at the newest or a past cut.
 */
import { Type } from 'typebox';
import {
  DEFAULT_SLIPPAGE_BUDGET_BPS,
  FAIR_VALUE_FORMULAS,
  FAIR_VALUE_MODES,
  rankFairValue,
} from '../../../src/domain/ranking/fair-value.ts';
import type { RankedRow } from '../../../src/domain/ranking/ranked-row.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { createOncePerCut } from './once-per-cut.ts';
import { cutOfQuery, RankingBody, rankingFields, rankingPage } from './row-body.ts';

const LIST = 'fair-value';

export const rankFairValueRoute = defineRoute({
  method: 'GET',
  url: '/v1/rankings/fair-value',
  name: 'rankFairValue',
  tag: 'rankings',
  summary: 'Tokenized equities by discount, premium, liquidity or event intensity',
  description: 'Ranks what was observed at one cut. Rows that cannot be ranked stay in the list, without a rank and with the reasons.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectOf({ mode: Type.Optional(choice(FAIR_VALUE_MODES, 'Default: `deepest_discount`.')), ...rankingFields }) },
  answers: { 200: { description: 'A page of the ranking.', schema: RankingBody } },
  refusals: [],
  handle: (ports) => {
    const once = createOncePerCut<readonly RankedRow[]>();
    return async (request) => {
      const { mode = 'deepest_discount', slippageBps = DEFAULT_SLIPPAGE_BUDGET_BPS } = request.query;
      const place = await cutOfQuery(ports, request.query, LIST);
      const rows = once(place.cut, `${mode} ${slippageBps}`, () =>
        rankFairValue(ports.catalog.entries.entries, place.cut, { mode, slippageBps }),
      );
      return { ...rankingPage(rows, request.query, place, LIST), mode, formula: FAIR_VALUE_FORMULAS[mode] };
    };
  },
});
