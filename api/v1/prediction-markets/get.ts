/** GET /v1/prediction-markets/:id: one prediction market. */
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { marketIdOf, NO_MARKET, PredictionMarketBody, PredictionMarketPath, predictionMarketBody } from './market-body.ts';

export const getPredictionMarket = defineRoute({
  method: 'GET',
  url: '/v1/prediction-markets/:id',
  name: 'getPredictionMarket',
  tag: 'market',
  summary: 'One prediction market',
  permission: 'market:read',
  cost: 'read',
  schema: { params: PredictionMarketPath },
  answers: { 200: { description: 'The market.', schema: PredictionMarketBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = marketIdOf(request.params);
    const market = id === null ? null : await ports.predictionMarkets.get(id);
    if (market === null) return sendProblem(reply, 'not_found', NO_MARKET);
    return predictionMarketBody(market, ports.quotes, ports.clock.now());
  },
});
