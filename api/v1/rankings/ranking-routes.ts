/** Rankings and assessments of stocks. */
import { entry, type RouteGroup } from '../../route.ts';
import { listBasis } from '../arbitrage/basis.ts';
import { listPrivateMarkets } from '../private-markets/list.ts';
import { assessStockRoute } from '../stocks/assessment.ts';
import { rankFairValueRoute } from './fair-value.ts';
import { rankPrivateRoute } from './private.ts';

export const rankingRoutes: RouteGroup = {
  tag: {
    name: 'rankings',
    position: 60,
    description:
      'Ranked tokenized equities and pre-IPO markets, each from one observed cut, and stock assessments. Rows that cannot be ranked stay in the list with their reasons. Page with the cursor to stay on the same cut.',
  },
  routes: [
    entry(rankFairValueRoute, 'market:read'),
    entry(rankPrivateRoute, 'market:read'),
    entry(listPrivateMarkets, 'market:read'),
    entry(listBasis, 'market:read'),
    entry(assessStockRoute, 'market:read'),
  ],
};
