/** GET /v1/rankings/private: ranks pre-IPO tokens in one of seven modes, at the newest or a past cut. */
import { Type } from 'typebox';
import { EXECUTION_MODES, type ExecutionMode } from '../../../src/domain/orders/order.ts';
import { portfolioOf } from '../../../src/domain/portfolio/portfolio.ts';
import { DEFAULT_SLIPPAGE_BUDGET_BPS } from '../../../src/domain/ranking/fair-value.ts';
import { momentumBars } from '../../../src/domain/ranking/momentum.ts';
import type { FitPortfolio } from '../../../src/domain/ranking/portfolio-fit.ts';
import { PRIVATE_FORMULAS, PRIVATE_MODES, type PrivateRequest, rankPrivateMarkets } from '../../../src/domain/ranking/private-markets.ts';
import type { RankedRow } from '../../../src/domain/ranking/ranked-row.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { memberOf } from '../../caller.ts';
import { sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { createOncePerCut } from './once-per-cut.ts';
import { cutOfQuery, RankingBody, rankingFields, rankingPage } from './row-body.ts';

const LIST = 'private';

/** Returns the caller's books of a mode for the fit, or null if they have no value. */
export async function fitPortfolio(ports: ApiPorts, orgId: string, mode: ExecutionMode): Promise<FitPortfolio | null> {
  const portfolio = portfolioOf(await ports.portfolio.read(orgId, mode, { read: [], unread: [] }), ports.catalog.entries);
  const value = new Decimal(portfolio.totals.valueUsd);
  if (!value.gt(0)) return null;
  const underlyingWeights = new Map<string, DecimalString>();
  for (const { underlying, valueUsd } of portfolio.holdings) {
    if (valueUsd === null) continue;
    const weight = new Decimal(valueUsd).abs().div(value).times(100).toDecimalPlaces(8);
    underlyingWeights.set(underlying, plainDecimal(weight.plus(underlyingWeights.get(underlying) ?? 0)));
  }
  const sectorWeights = new Map(
    portfolio.sectors.flatMap(({ sector, weightPct }) => (weightPct === null ? [] : [[sector, plainDecimal(weightPct)] as const])),
  );
  return { valueUsd: portfolio.totals.valueUsd, sectorWeights, underlyingWeights };
}

export const rankPrivateRoute = defineRoute({
  method: 'GET',
  url: '/v1/rankings/private',
  name: 'rankPrivateMarkets',
  tag: 'rankings',
  summary: 'Pre-IPO markets by one of seven modes',
  description:
    '`portfolio_fit` scores against the books of the caller and shows each term. Rows that cannot be ranked stay in the list with the reasons.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      mode: Type.Optional(choice(PRIVATE_MODES, 'Default: `gap_to_mark`.')),
      books: Type.Optional(choice(EXECUTION_MODES, 'Mode of the books that `portfolio_fit` reads. Default: `paper`.')),
      ...rankingFields,
    }),
  },
  answers: { 200: { description: 'A page of the ranking.', schema: RankingBody } },
  refusals: ['permission_missing'],
  handle: (ports) => {
    const once = createOncePerCut<readonly RankedRow[]>();
    // Bars that arrive after the ranking do not change it.
    const onceRead = createOncePerCut<Promise<readonly RankedRow[]>>();
    return async (request, reply) => {
      const { mode = 'gap_to_mark', slippageBps = DEFAULT_SLIPPAGE_BUDGET_BPS, books = 'paper' } = request.query;
      if (mode === 'portfolio_fit' && !memberOf(request).permissions.includes('agent:read')) {
        return sendRefusal(reply, refuse('permission_missing', 'portfolio_fit reads your books, which needs agent:read').refusal);
      }
      const place = await cutOfQuery(ports, request.query, LIST);
      const tokens = ports.catalog.entries.entries.filter(({ kind }) => kind === 'pre_ipo');
      const { cut } = place;
      const ranked = (more: Partial<PrivateRequest> = {}) => rankPrivateMarkets(tokens, cut, { mode, slippageBps, ...more });
      const rowsOf = async () => {
        if (mode === 'portfolio_fit') return ranked({ portfolio: await fitPortfolio(ports, memberOf(request).orgId, books) });
        if (mode !== 'momentum') return once(cut, `${mode} ${slippageBps}`, ranked);
        const keys = tokens.map(({ key }) => key);
        return onceRead(cut, mode, async () => ranked({ bars: await ports.rankings.bars.nearest(keys, '1h', momentumBars(cut.slot)) }));
      };
      return { ...rankingPage(await rowsOf(), request.query, place, LIST), mode, formula: PRIVATE_FORMULAS[mode] };
    };
  },
});
