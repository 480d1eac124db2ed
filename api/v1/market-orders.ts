/** Manual orders on the spot exchange, on paper or live. */
import { Type } from 'typebox';
import { type MarketOrderCommands, type MarketOrderRequest, NO_MARKET_ORDER } from '../../actors/market-order/commands.ts';
import { type MarketOrderView, marketOrder } from '../../actors/market-order/resource.ts';
import type { MarketOrderReads } from '../../src/adapters/store/orders/market-order-store.ts';
import { instrumentKey } from '../../src/domain/market/venue.ts';
import { TIMES_IN_FORCE, type TimeInForce } from '../../src/domain/orders/execution.ts';
import { EXECUTION_MODES } from '../../src/domain/orders/order.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { malformed } from '../http/strict-json.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { TO_STOP } from '../permission.ts';
import { sendProblem } from '../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../route.ts';
import { choice, EmptyBody, IdText, objectSchema, pageFields, pageSchema } from '../shapes.ts';
import { orderTerms, readOrderTerms, WISHED_SIDE, type WishedTerms, wishedAmount, wishedSlippage } from './manual-order-body.ts';
import { knownInstrument, NO_INSTRUMENT } from './market/known-instrument.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly marketOrders: {
      readonly reads: MarketOrderReads;
      readonly commands: MarketOrderCommands;
    };
  }
}

/** Order request of a person. */
const MarketOrderWish = objectSchema({
  instrument: Type.String({ minLength: 1, maxLength: 40, description: "The exchange's symbol, e.g. `BTCUSDT`." }),
  side: WISHED_SIDE,
  quantity: wishedAmount('In base units, a whole number of lots. Either this or `notionalUsd`.'),
  notionalUsd: wishedAmount('The largest notional of the order at its worst price. Either this or `quantity`.'),
  limitPrice: wishedAmount('Limit price. Default: the present price plus the slippage budget.'),
  maxSlippageBps: wishedSlippage(50),
  timeInForce: Type.Optional(
    choice(
      TIMES_IN_FORCE,
      '`ioc`, the default, takes what the market holds at once; `gtc` rests at `limitPrice` until it is filled or cancelled.',
    ),
  ),
  postOnly: Type.Optional(Type.Boolean({ description: 'Requires `gtc`. The order never takes liquidity; it fails if it would.' })),
});

interface Wish extends WishedTerms {
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly timeInForce?: TimeInForce;
  readonly postOnly?: boolean;
}

/**
 * Converts a body into a request. @throws InputError unless exactly one size is given and not zero, the instrument is one of the
 * exchange's, a resting order has a limit, and only a resting order is post-only.
 */
function readOrderRequest(ports: Pick<ApiPorts, 'catalog'>, wish: Wish): MarketOrderRequest {
  const { instrument, side, timeInForce = 'ioc', postOnly = false } = wish;
  if (!knownInstrument(ports.catalog.entries, 'spotexchange', instrument)) throw malformed('$.instrument', NO_INSTRUMENT, 'e.g. BTCUSDT');
  if (postOnly && timeInForce !== 'gtc') throw malformed('$.postOnly', 'a post-only order must rest', '"timeInForce": "gtc" beside it');
  if (timeInForce === 'gtc' && wish.limitPrice === undefined)
    throw malformed('$.limitPrice', 'missing; a resting order needs it', 'the price that it rests at');
  return { instrument: instrumentKey('spotexchange', instrument), side, ...readOrderTerms(wish), timeInForce, postOnly };
}

const MarketOrderBody = Type.Object(marketOrder.wire, { $id: 'MarketOrder' });

function marketOrderBody(view: MarketOrderView) {
  return marketOrder.body(view, orderTerms(view));
}

const MarketOrderPath = objectSchema({ id: IdText });

const placePaperOrder = defineRoute({
  method: 'POST',
  url: '/v1/market-orders/paper',
  name: 'placePaperOrder',
  tag: 'market-orders',
  summary: 'Paper order on the spot exchange',
  description:
    "Goes through the same pre-trade risk function as every order, in the organization's manual book, with its risk preferences as the mandate. It is filled at once through the depth of the exchange's live book. Each fill names its quotes, and an unfilled part has a reason.",
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: MarketOrderWish },
  idempotent: true,
  answers: { 201: { description: 'The order as it ended.', schema: MarketOrderBody } },
  refusals: ['halted', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = readOrderRequest(ports, request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: marketOrderBody,
        run: (context) => ports.marketOrders.commands.place(context, 'paper', wish),
      });
    };
  },
});

const placeSpotexchangeOrder = defineRoute({
  method: 'POST',
  url: '/v1/market-orders/spotexchange/live',
  name: 'placeSpotexchangeOrder',
  tag: 'market-orders',
  summary: 'Live order on the spot exchange',
  description:
    'Only if SVC_LIVE_SPOTEXCHANGE_ENABLED=true. Goes through the same pre-trade risk function, lease and epoch as every order, and is sent once, as LIMIT IOC at its worst acceptable price. GET /v1/market-orders/:id tells the outcome; it is `unknown` until the exchange has reported it.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: MarketOrderWish },
  idempotent: true,
  answers: { 202: { description: 'The order, submitted. Poll `GET /v1/market-orders/{id}` for its outcome.', schema: MarketOrderBody } },
  refusals: ['halted', 'feature_disabled', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = readOrderRequest(ports, request.body);
      return carryOut(request, reply, {
        status: 202,
        answer: marketOrderBody,
        run: (context) => ports.marketOrders.commands.place(context, 'live', wish),
      });
    };
  },
});

const cancelMarketOrder = defineRoute({
  method: 'POST',
  url: '/v1/market-orders/:id/cancel',
  name: 'cancelMarketOrder',
  tag: 'market-orders',
  summary: 'Cancels the resting part of an order',
  description:
    'The order is `withdrawing` until its venue has answered. Fills before and meanwhile stay. It ends `cancelled`, `partially_filled` or `filled`.',
  permission: TO_STOP,
  cost: 'write',
  schema: { params: MarketOrderPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The order, being cancelled.', schema: MarketOrderBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_MARKET_ORDER);
      return carryOut(request, reply, {
        status: 200,
        answer: marketOrderBody,
        run: (context) => ports.marketOrders.commands.cancel(context, id),
      });
    };
  },
});

const listMarketOrders = defineRoute({
  method: 'GET',
  url: '/v1/market-orders',
  name: 'listMarketOrders',
  tag: 'market-orders',
  summary: 'Orders of people on the spot exchange, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      ...pageFields,
      mode: Type.Optional(choice(EXECUTION_MODES)),
      open: Type.Optional(choice(['true'], 'Open orders, which may still be filled.')),
    }),
  },
  answers: { 200: { description: 'A page of orders.', schema: pageSchema(MarketOrderBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { mode, open } = request.query;
    const page = pageOfQuery(request.query, 'market-orders', POSITIONS.number);
    return pageBody(
      await ports.marketOrders.reads.list(
        requireMember(request).orgId,
        { ...(mode === undefined ? {} : { mode }), open: open === 'true' },
        page,
      ),
      'market-orders',
      marketOrderBody,
    );
  },
});

const getMarketOrder = defineRoute({
  method: 'GET',
  url: '/v1/market-orders/:id',
  name: 'getMarketOrder',
  tag: 'market-orders',
  summary: 'One order of a person with its fills',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: MarketOrderPath },
  answers: { 200: { description: 'The order.', schema: MarketOrderBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const order = id === null ? null : await ports.marketOrders.reads.find(requireMember(request).orgId, id);
    return order === null ? sendProblem(reply, 'not_found', NO_MARKET_ORDER) : marketOrderBody(order);
  },
});

export const marketOrderRoutes: RouteGroup = {
  tag: {
    name: 'market-orders',
    position: 140,
    description:
      'Manual orders on the spot exchange, on paper or live. They pass the same pre-trade risk function as orders of agents. Live orders require `SVC_LIVE_SPOTEXCHANGE_ENABLED`. Poll the order for its outcome: `unknown` means that the exchange has not reported it yet.',
  },
  routes: [placePaperOrder, placeSpotexchangeOrder, cancelMarketOrder, listMarketOrders, getMarketOrder],
};
