/** Signed endpoints of the simulated exchange: orders, order status, account and trades. */
import { DAY_MS, type EpochMs } from '../../domain/values/time.ts';
import type { LoopbackAnswer, LoopbackRequest } from '../loopback.ts';
import { type ApiKey, missing, readSigned, refusal } from './signed-request.ts';
import type { SimulatedBook } from './simulated-book.ts';
import { amountText, failedFilter, toUnits } from './symbol-filters.ts';
import type { OrderRequest, Trade, TradingAccount, VenueOrder } from './trading-account.ts';

/** Order limits of one account, in ten seconds and in a day. */
export const ORDERS_PER_10_SECONDS = 100;
export const ORDERS_PER_DAY = 200_000;
const TEN_SECONDS_MS = 10_000;
const MAX_TRADES = 1_000;
const DEFAULT_TRADES = 500;

/** Request weight of each signed endpoint. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'POST /api/v3/order': 1,
  'POST /api/v3/order/test': 1,
  'DELETE /api/v3/order': 1,
  'GET /api/v3/order': 4,
  'GET /api/v3/openOrders': 6,
  'GET /api/v3/account': 20,
  'GET /api/v3/myTrades': 20,
  'GET /api/v3/rateLimit/order': 40,
};

interface OrderEndpointsOptions {
  readonly account: TradingAccount;
  readonly keys: readonly ApiKey[];
  /** Account number. */
  readonly uid: number;
  /** Returns the venue's time. */
  readonly now: () => EpochMs;
  /** Returns the current book of a symbol, or undefined if it is not listed. */
  readonly bookOf: (symbol: string) => SimulatedBook | undefined;
  readonly statusOf: (symbol: string) => string;
}

const illegal = (name: string, range: string): LoopbackAnswer =>
  refusal(400, -1100, `Illegal characters found in parameter '${name}'; legal range is '${range}'.`);
const AMOUNT = '^([0-9]{1,20})(\\.[0-9]{1,20})?$';
const NAME = '^[\\.A-Z\\:/a-z0-9_-]{1,36}$';

const isAnswer = (value: object): value is LoopbackAnswer => 'status' in value && 'body' in value;

/** Parses an amount. Undefined if it is absent, an error response if it is invalid. */
function amount(parameters: URLSearchParams, name: string): bigint | LoopbackAnswer | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,20}(\.\d{1,20})?$/.test(text)) return illegal(name, AMOUNT);
  const units = toUnits(text);
  if (units === null) return refusal(400, -1111, `Parameter '${name}' has too much precision.`);
  return units > 0n ? units : refusal(400, -1013, `Invalid ${name}.`);
}

export function createOrderEndpoints(options: OrderEndpointsOptions) {
  const { account, keys, now, statusOf } = options;
  /** Times of recent orders, for the order limits. */
  let placedAt: EpochMs[] = [];
  let named = 0;

  function placed(windowMs: number): number {
    const from = now() - windowMs;
    return placedAt.filter((at) => at > from).length;
  }

  function orderCounts(): Readonly<Record<string, string>> {
    return { 'x-mbx-order-count-10s': String(placed(TEN_SECONDS_MS)), 'x-mbx-order-count-1d': String(placedAt.length) };
  }

  function place(parameters: URLSearchParams, testOnly: boolean): LoopbackAnswer {
    const request = readOrder(options, parameters, () => `double${++named}`);
    if (isAnswer(request)) return request;
    const { symbol } = request.book.rules;
    account.settle(request.book, now());
    const failed = failedFilter(request, account.open(symbol).length);
    if (failed !== null) return refusal(400, -1013, `Filter failure: ${failed}`);
    if (statusOf(symbol) !== 'TRADING') return refusal(400, -2010, 'Market is closed.');
    if (account.open(symbol).some((order) => order.request.clientOrderId === request.clientOrderId))
      return refusal(400, -2010, 'Duplicate order sent.');
    if (testOnly) return { status: 200, body: {} };
    placedAt = placedAt.filter((at) => at > now() - DAY_MS);
    if (placed(TEN_SECONDS_MS) >= ORDERS_PER_10_SECONDS)
      return refusal(429, -1015, `Too many new orders; current limit is ${ORDERS_PER_10_SECONDS} orders per 10 SECOND.`, {
        'retry-after': '10',
      });
    if (placedAt.length >= ORDERS_PER_DAY)
      return refusal(429, -1015, `Too many new orders; current limit is ${ORDERS_PER_DAY} orders per 1 DAY.`, { 'retry-after': '3600' });
    placedAt.push(now());
    const order = account.place(request, now());
    if (order === 'insufficient') return refusal(400, -2010, 'Account has insufficient balance for requested action.');
    if (order === 'would_match') return refusal(400, -2010, 'Order would immediately match and take.');
    const wanted = parameters.get('newOrderRespType') ?? 'FULL';
    return {
      status: 200,
      body: wanted === 'ACK' ? acknowledged(order) : { ...resulted(order), ...(wanted === 'FULL' ? { fills: filledRows(order) } : {}) },
      headers: orderCounts(),
    };
  }

  const limits = (): LoopbackAnswer => ({
    status: 200,
    body: [
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: ORDERS_PER_10_SECONDS, count: placed(TEN_SECONDS_MS) },
      { rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: ORDERS_PER_DAY, count: placedAt.length },
    ],
  });

  const HANDLERS: Readonly<Record<string, (parameters: URLSearchParams) => LoopbackAnswer>> = {
    'POST /api/v3/order': (parameters) => place(parameters, false),
    'POST /api/v3/order/test': (parameters) => place(parameters, true),
    'DELETE /api/v3/order': (parameters) => cancel(options, parameters),
    'GET /api/v3/order': (parameters) => {
      const order = findOrder(options, parameters, -2013, 'Order does not exist.');
      return isAnswer(order) ? order : { status: 200, body: described(order) };
    },
    'GET /api/v3/openOrders': (parameters) => openOrders(options, parameters),
    'GET /api/v3/account': (parameters) => balances(options, parameters),
    'GET /api/v3/myTrades': (parameters) => myTrades(options, parameters),
    'GET /api/v3/rateLimit/order': limits,
  };

  return {
    /** Returns the weight of a signed request, or undefined if the endpoint is not a signed one. */
    weightOf: ({ method, path }: LoopbackRequest): number | undefined => {
      const name = `${method} ${path}`;
      return Object.hasOwn(WEIGHTS, name) ? WEIGHTS[name] : undefined;
    },
    answer(request: LoopbackRequest): LoopbackAnswer {
      const parameters = readSigned(request, keys, now(), request.method !== 'GET');
      if (!(parameters instanceof URLSearchParams)) return parameters;
      return (HANDLERS[`${request.method} ${request.path}`] as (typeof HANDLERS)[string])(parameters);
    },
  };
}

function findSymbol(options: OrderEndpointsOptions, parameters: URLSearchParams): SimulatedBook | LoopbackAnswer {
  const { bookOf } = options;
  const symbol = parameters.get('symbol');
  if (symbol === null || symbol === '') return missing('symbol');
  return bookOf(symbol) ?? refusal(400, -1121, 'Invalid symbol.');
}

/** Parses an order, or returns the error response. */
function readOrder(options: OrderEndpointsOptions, parameters: URLSearchParams, nextName: () => string): OrderRequest | LoopbackAnswer {
  const book = findSymbol(options, parameters);
  if (isAnswer(book)) return book;
  const [side, type, inForce] = [parameters.get('side'), parameters.get('type'), parameters.get('timeInForce')];
  if (side === null) return missing('side');
  if (side !== 'BUY' && side !== 'SELL') return refusal(400, -1117, 'Invalid side.');
  if (type === null) return missing('type');
  if (type !== 'LIMIT' && type !== 'LIMIT_MAKER' && type !== 'MARKET') return refusal(400, -1116, 'Invalid orderType.');
  const [price, quantity, quoteQuantity] = [
    amount(parameters, 'price'),
    amount(parameters, 'quantity'),
    amount(parameters, 'quoteOrderQty'),
  ];
  for (const each of [price, quantity, quoteQuantity]) if (typeof each === 'object') return each;
  const name = parameters.get('newClientOrderId');
  if (name !== null && !/^[.A-Z:/a-z0-9_-]{1,36}$/.test(name)) return illegal('newClientOrderId', NAME);
  const clientOrderId = name ?? nextName();
  const common = { book, side, clientOrderId } as const;
  if (type === 'MARKET') {
    if (inForce !== null) return refusal(400, -1106, "Parameter 'timeInForce' sent when not required.");
    if (price !== undefined) return refusal(400, -1106, "Parameter 'price' sent when not required.");
    if (quantity === undefined && quoteQuantity === undefined) return missing('quantity');
    if (quantity !== undefined && quoteQuantity !== undefined) return refusal(400, -1128, 'Combination of optional parameters invalid.');
    return {
      ...common,
      type,
      timeInForce: 'IOC',
      price: null,
      quantity: (quantity as bigint | undefined) ?? null,
      quoteQuantity: (quoteQuantity as bigint | undefined) ?? null,
    };
  }
  const rests = type === 'LIMIT_MAKER';
  if (rests && inForce !== null) return refusal(400, -1106, "Parameter 'timeInForce' sent when not required.");
  const timeInForce = rests ? 'GTC' : inForce;
  if (timeInForce === null) return missing('timeInForce');
  if (timeInForce !== 'GTC' && timeInForce !== 'IOC' && timeInForce !== 'FOK') return refusal(400, -1115, 'Invalid timeInForce.');
  if (quantity === undefined) return missing('quantity');
  if (price === undefined) return missing('price');
  if (quoteQuantity !== undefined) return refusal(400, -1106, "Parameter 'quoteOrderQty' sent when not required.");
  return { ...common, type, timeInForce, price: price as bigint, quantity: quantity as bigint, quoteQuantity: null };
}

/** Returns the order that the parameters name, or the error response. */
function findOrder(options: OrderEndpointsOptions, parameters: URLSearchParams, code: number, text: string): VenueOrder | LoopbackAnswer {
  const { account, now } = options;
  const book = findSymbol(options, parameters);
  if (isAnswer(book)) return book;
  account.settle(book, now());
  const [id, name] = [parameters.get('orderId'), parameters.get('origClientOrderId')];
  if (id === null && name === null)
    return refusal(400, -1102, "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!");
  const found = account.find(book.rules.symbol, {
    ...(id === null ? {} : { orderId: Number(id) }),
    ...(name === null ? {} : { clientOrderId: name }),
  });
  return found ?? refusal(400, code, text);
}

function cancel(options: OrderEndpointsOptions, parameters: URLSearchParams): LoopbackAnswer {
  const { account, now } = options;
  const order = findOrder(options, parameters, -2011, 'Unknown order sent.');
  if (isAnswer(order)) return order;
  if (order.status !== 'NEW' && order.status !== 'PARTIALLY_FILLED') return refusal(400, -2011, 'Unknown order sent.');
  account.cancel(order, now());
  return { status: 200, body: { ...resulted(order), origClientOrderId: order.request.clientOrderId } };
}

function openOrders(options: OrderEndpointsOptions, parameters: URLSearchParams): LoopbackAnswer {
  const { account, now } = options;
  if (parameters.get('symbol') === null) return { status: 200, body: account.open(null).map(described) };
  const book = findSymbol(options, parameters);
  if (isAnswer(book)) return book;
  account.settle(book, now());
  return { status: 200, body: account.open(book.rules.symbol).map(described) };
}

function balances(options: OrderEndpointsOptions, parameters: URLSearchParams): LoopbackAnswer {
  const { account, now } = options;
  const nonZero = parameters.get('omitZeroBalances') === 'true';
  const held = account.balances().filter(({ free, locked }) => !nonZero || Number(free) > 0 || Number(locked) > 0);
  return {
    status: 200,
    body: {
      makerCommission: 10,
      takerCommission: 10,
      buyerCommission: 0,
      sellerCommission: 0,
      commissionRates: { maker: '0.00100000', taker: '0.00100000', buyer: '0.00000000', seller: '0.00000000' },
      canTrade: true,
      canWithdraw: false,
      canDeposit: false,
      brokered: false,
      requireSelfTradePrevention: false,
      preventSor: false,
      updateTime: now(),
      accountType: 'SPOT',
      balances: held,
      permissions: ['SPOT'],
      uid: options.uid,
    },
  };
}

function myTrades(options: OrderEndpointsOptions, parameters: URLSearchParams): LoopbackAnswer {
  const { account, now } = options;
  const book = findSymbol(options, parameters);
  if (isAnswer(book)) return book;
  account.settle(book, now());
  const orderId = parameters.get('orderId');
  const fromId = parameters.get('fromId');
  const limit = Math.min(Number(parameters.get('limit') ?? DEFAULT_TRADES), MAX_TRADES);
  const trades = account.orders
    .filter(({ request, orderId: id }) => request.book === book && (orderId === null || String(id) === orderId))
    .flatMap(({ trades: own }) => own)
    .filter(({ id }) => id >= Number(fromId ?? 0));
  return { status: 200, body: (fromId === null ? trades.slice(-limit) : trades.slice(0, limit)).map(tradeRow) };
}

function acknowledged({ request, orderId, at }: VenueOrder): object {
  return { symbol: request.book.rules.symbol, orderId, orderListId: -1, clientOrderId: request.clientOrderId, transactTime: at };
}

/** Formats the order fields shared by the longer responses. */
function orderState({ request, executed, executedQuote, status, expiryReason, at }: VenueOrder): object {
  return {
    price: amountText(request.price ?? 0n),
    origQty: amountText(request.quantity ?? executed),
    executedQty: amountText(executed),
    origQuoteOrderQty: amountText(request.quoteQuantity ?? 0n),
    cummulativeQuoteQty: amountText(executedQuote),
    status,
    timeInForce: request.timeInForce,
    type: request.type,
    side: request.side,
    workingTime: at,
    selfTradePreventionMode: 'EXPIRE_MAKER',
    ...(status === 'EXPIRED' ? { expiryReason } : {}),
  };
}

function resulted(order: VenueOrder): object {
  return { ...acknowledged(order), ...orderState(order) };
}

function described(order: VenueOrder): object {
  return {
    symbol: order.request.book.rules.symbol,
    orderId: order.orderId,
    orderListId: -1,
    clientOrderId: order.request.clientOrderId,
    ...orderState(order),
    stopPrice: '0.00000000',
    icebergQty: '0.00000000',
    time: order.at,
    updateTime: order.changedAt,
    isWorking: true,
  };
}

function filledRows({ trades }: VenueOrder): readonly object[] {
  return trades.map(({ price, quantity, commission, commissionAsset, id }) => ({
    price: amountText(price),
    qty: amountText(quantity),
    commission: amountText(commission),
    commissionAsset,
    tradeId: id,
  }));
}

function tradeRow(trade: Trade): object {
  return {
    symbol: trade.symbol,
    id: trade.id,
    orderId: trade.orderId,
    orderListId: -1,
    price: amountText(trade.price),
    qty: amountText(trade.quantity),
    quoteQty: amountText(trade.quoteQuantity),
    commission: amountText(trade.commission),
    commissionAsset: trade.commissionAsset,
    time: trade.at,
    isBuyer: trade.buys,
    isMaker: trade.maker,
    isBestMatch: true,
  };
}
