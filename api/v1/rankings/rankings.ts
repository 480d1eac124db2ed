/** Ranked tokenized equities and pre-IPO tokens, at the newest or a past cut. */
import { Type } from 'typebox';
import type { AssessmentPhrasing } from '../../../src/adapters/language-model/model-ports.ts';
import type { CutReads } from '../../../src/adapters/store/agents/cut-store.ts';
import type { BarReads } from '../../../src/adapters/store/candles/bar-reads.ts';
import { EXECUTION_MODES, type ExecutionMode } from '../../../src/domain/orders/order.ts';
import { computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import {
  DEFAULT_SLIPPAGE_BUDGET_BPS,
  FAIR_VALUE_FORMULAS,
  FAIR_VALUE_MODES,
  rankFairValue,
} from '../../../src/domain/ranking/fair-value.ts';
import { momentumBars } from '../../../src/domain/ranking/momentum.ts';
import type { FitPortfolio } from '../../../src/domain/ranking/portfolio-fit.ts';
import { PRIVATE_FORMULAS, PRIVATE_MODES, type PrivateRequest, rankPrivateMarkets } from '../../../src/domain/ranking/private-markets.ts';
import type { RankedRow } from '../../../src/domain/ranking/ranked-row.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfKeyed, pageOfQuery } from '../../cursor.ts';
import { sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../../route.ts';
import { choice, objectSchema, pageFields, pageSchema } from '../../shapes.ts';
import { CatalogEntryBody, entryBody } from '../market/catalog-entry.ts';
import { type BasisReads, listBasis } from './basis.ts';
import { createOncePerCut } from './once-per-cut.ts';
import { cutOfQuery, RankingBody, rankingFields, rankingPage } from './ranking-rows.ts';
import { assessStockRoute } from './stock-assessments.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly rankings: {
      readonly cuts: CutReads;
      readonly bars: BarReads;
      readonly basis: BasisReads;
      /** Absent if no language model is configured. */
      readonly phrasing?: AssessmentPhrasing;
    };
  }
}

const FAIR_VALUE_LIST = 'fair-value';

export const rankFairValueRoute = defineRoute({
  method: 'GET',
  url: '/v1/rankings/fair-value',
  name: 'rankFairValue',
  tag: 'rankings',
  summary: 'Tokenized equities by discount, premium, liquidity or event intensity',
  description: 'Ranks what was observed at one cut. Rows that cannot be ranked stay in the list, without a rank and with the reasons.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({ mode: Type.Optional(choice(FAIR_VALUE_MODES, 'Default: `deepest_discount`.')), ...rankingFields }),
  },
  answers: { 200: { description: 'A page of the ranking.', schema: RankingBody } },
  refusals: [],
  handle: (ports) => {
    const once = createOncePerCut<readonly RankedRow[]>();
    return async (request) => {
      const { mode = 'deepest_discount', slippageBps = DEFAULT_SLIPPAGE_BUDGET_BPS } = request.query;
      const place = await cutOfQuery(ports, request.query, FAIR_VALUE_LIST);
      const rows = once(place.cut, `${mode} ${slippageBps}`, () =>
        rankFairValue(ports.catalog.entries.entries, place.cut, { mode, slippageBps }),
      );
      return { ...rankingPage(rows, request.query, place, FAIR_VALUE_LIST), mode, formula: FAIR_VALUE_FORMULAS[mode] };
    };
  },
});

const PRIVATE_LIST = 'private';

/** Returns the caller's books of a mode for the fit, or null if they have no value. */
export async function fitPortfolio(ports: ApiPorts, orgId: string, mode: ExecutionMode): Promise<FitPortfolio | null> {
  const portfolio = computePortfolio(await ports.portfolio.read(orgId, mode, { read: [], unread: [] }), ports.catalog.entries);
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
    querystring: objectSchema({
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
      if (mode === 'portfolio_fit' && !requireMember(request).permissions.includes('agent:read')) {
        return sendRefusal(reply, refuse('permission_missing', 'portfolio_fit reads your books, which needs agent:read').refusal);
      }
      const place = await cutOfQuery(ports, request.query, PRIVATE_LIST);
      const tokens = ports.catalog.entries.entries.filter(({ kind }) => kind === 'pre_ipo');
      const { cut } = place;
      const ranked = (more: Partial<PrivateRequest> = {}) => rankPrivateMarkets(tokens, cut, { mode, slippageBps, ...more });
      const readRows = async () => {
        if (mode === 'portfolio_fit') return ranked({ portfolio: await fitPortfolio(ports, requireMember(request).orgId, books) });
        if (mode !== 'momentum') return once(cut, `${mode} ${slippageBps}`, ranked);
        const keys = tokens.map(({ key }) => key);
        return onceRead(cut, mode, async () => ranked({ bars: await ports.rankings.bars.nearest(keys, '1h', momentumBars(cut.slot)) }));
      };
      return { ...rankingPage(await readRows(), request.query, place, PRIVATE_LIST), mode, formula: PRIVATE_FORMULAS[mode] };
    };
  },
});

const listPrivateMarkets = defineRoute({
  method: 'GET',
  url: '/v1/private-markets',
  name: 'listPrivateMarkets',
  tag: 'rankings',
  summary: 'Pre-IPO markets with their live price, issuer mark and implied valuation',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({ sector: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })), ...pageFields }),
  },
  answers: { 200: { description: 'A page of the markets, by symbol.', schema: pageSchema(CatalogEntryBody) } },
  refusals: [],
  handle: (ports) => (request) => {
    const page = pageOfQuery(request.query, 'private-markets', POSITIONS.instrument);
    const { sector } = request.query;
    const found = ports.catalog.entries.entries.filter(
      (entry) => entry.kind === 'pre_ipo' && (sector === undefined || entry.sector === sector),
    );
    return pageBody(
      pageOfKeyed(found, ({ key }) => key, page),
      'private-markets',
      (entry) => entryBody(ports, entry),
    );
  },
});

export const rankingRoutes: RouteGroup = {
  tag: {
    name: 'rankings',
    position: 60,
    description:
      'Ranked tokenized equities and pre-IPO markets, each from one observed cut, and stock assessments. Rows that cannot be ranked stay in the list with their reasons. Page with the cursor to stay on the same cut.',
  },
  routes: [rankFairValueRoute, rankPrivateRoute, listPrivateMarkets, listBasis, assessStockRoute],
};
