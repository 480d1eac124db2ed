/** Prediction markets. */
import { entry, type RouteGroup } from '../../route.ts';
import { marketRoutes } from '../market/market-routes.ts';
import { getPredictionMarket } from './get.ts';
import { listPredictionMarkets } from './list.ts';
import { researchPredictionMarket } from './research.ts';

export const predictionMarketRoutes: RouteGroup = {
  tag: marketRoutes.tag,
  routes: [
    entry(listPredictionMarkets, 'market:read'),
    entry(getPredictionMarket, 'market:read'),
    entry(researchPredictionMarket, 'market:read'),
  ],
};
