/** Rankings and assessments of stocks. */
import type { AssessmentPhrasing } from '../../../src/adapters/language-model/model-ports.ts';
import type { CutReads } from '../../../src/adapters/store/agents/cut-reads.ts';
import type { BarReads } from '../../../src/adapters/store/candles/bar-reads.ts';
import { type RouteGroup } from '../../route.ts';
import { listBasis } from '../arbitrage/basis.ts';
import type { BasisReads } from '../arbitrage/basis-reads.ts';
import { listPrivateMarkets } from '../private-markets/list.ts';
import { assessStockRoute } from '../stocks/assessment.ts';
import { rankFairValueRoute } from './fair-value.ts';
import { rankPrivateRoute } from './private.ts';

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

export const rankingRoutes: RouteGroup = {
  tag: {
    name: 'rankings',
    position: 60,
    description:
      'Ranked tokenized equities and pre-IPO markets, each from one observed cut, and stock assessments. Rows that cannot be ranked stay in the list with their reasons. Page with the cursor to stay on the same cut.',
  },
  routes: [rankFairValueRoute, rankPrivateRoute, listPrivateMarkets, listBasis, assessStockRoute],
};
