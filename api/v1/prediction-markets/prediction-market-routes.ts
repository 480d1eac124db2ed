/** Prediction markets. */
import type { PredictionReads } from '../../../src/adapters/venues/prediction/prediction-reads.ts';
import { type RouteGroup } from '../../route.ts';
import { marketRoutes } from '../market/market-routes.ts';
import { getPredictionMarket } from './get.ts';
import { listPredictionMarkets } from './list.ts';
import { researchPredictionMarket } from './research.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly predictionMarkets: PredictionReads;
  }
}

export const predictionMarketRoutes: RouteGroup = {
  tag: marketRoutes.tag,
  routes: [listPredictionMarkets, getPredictionMarket, researchPredictionMarket],
};
