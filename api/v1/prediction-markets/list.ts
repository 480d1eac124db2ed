/** GET /v1/prediction-markets: lists the markets of both providers in one shape. */
import { Type } from 'typebox';
import { pageBody, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { PredictionMarketBody, PredictionStatusWord, ProviderWord, predictionMarketBody } from './market-body.ts';

const LIST = 'prediction-markets';
/** Position: the end of a market in milliseconds, and its id. */
const POSITION = /^\d{1,15}\.pm-[0-9a-f]{24}$/;

export const listPredictionMarkets = defineRoute({
  method: 'GET',
  url: '/v1/prediction-markets',
  name: 'listPredictionMarkets',
  tag: 'market',
  summary: 'Prediction markets of both providers',
  description: 'Sorted by end, the latest first. All given filters apply.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      provider: Type.Optional(ProviderWord),
      status: Type.Optional(PredictionStatusWord),
      underlying: Type.Optional(
        Type.String({ minLength: 1, maxLength: 32, description: 'Underlying of the question, for example `BTC`.' }),
      ),
      symbol: Type.Optional(
        Type.String({ minLength: 1, maxLength: 32, description: 'A symbol of the catalog on the same underlying, for example `AAPLx`.' }),
      ),
      event: Type.Optional(Type.String({ pattern: '^pe-[0-9a-f]{24}$', description: "The event's id." })),
      q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Part of the question, in any case.' })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of markets.', schema: pageOf(PredictionMarketBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { provider, status, underlying, symbol, event, q } = request.query;
    const page = pageOfQuery(request.query, LIST, POSITION);
    const entry = symbol === undefined ? undefined : ports.catalog.entries.bySymbol(symbol);
    if (symbol !== undefined && entry === undefined)
      throw malformed('query.symbol', `unknown symbol ${symbol}`, 'a symbol of GET /v1/catalog');
    const named = [underlying, entry?.underlying].filter((one) => one !== undefined);
    // No market is about two different underlyings.
    if (named.length === 2 && named[0] !== named[1]) return { items: [], nextCursor: null };
    const [about] = named;
    const found = await ports.predictionMarkets.list(
      {
        ...(provider === undefined ? {} : { provider }),
        ...(status === undefined ? {} : { status }),
        ...(about === undefined ? {} : { underlying: about }),
        ...(q === undefined ? {} : { text: q }),
        ...(event === undefined ? {} : { eventId: event }),
      },
      page,
    );
    const now = ports.clock.now();
    return pageBody(found, LIST, (market) => predictionMarketBody(market, ports.quotes, now));
  },
});
