/** GET /v1/spotchain/quote: prices a swap now. */
import { memberOf } from '../../caller.ts';
import { sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { SwapQuoteBody, SwapQuoteQuery, swapQuoteBody, wishOf } from './swap-body.ts';

export const quoteSwap = defineRoute({
  method: 'GET',
  url: '/v1/spotchain/quote',
  name: 'quoteSwap',
  tag: 'spotchain',
  summary: 'Aggregator-routed quote of a swap',
  description:
    'Asks the aggregator for a route of exactly this amount. Nothing is stored or reserved. Refused while the token has no live quote.',
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: SwapQuoteQuery },
  answers: { 200: { description: 'The quote.', schema: SwapQuoteBody } },
  refusals: ['feature_disabled', 'blocked_by_risk', 'route_refused'],
  handle: (ports) => async (request, reply) => {
    const outcome = await ports.swaps.commands.quote(memberOf(request).orgId, wishOf(ports, request.query));
    return outcome.ok ? swapQuoteBody(outcome.value) : sendRefusal(reply, outcome.refusal);
  },
});
