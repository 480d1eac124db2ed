/** Simulator of the spot exchange on loopback: Binance's REST and websocket formats over the seeded market. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import type { Market } from '../market/market.ts';
import { RequestWeight } from '../request-weight.ts';
import { type MarketEndpoint, marketEndpoints, WEIGHT_LIMIT } from './market-endpoints.ts';
import { MarketStreams } from './market-streams.ts';
import { createOrderEndpoints } from './order-endpoints.ts';
import { OrderReports } from './order-reports.ts';
import { type ApiKey, readSigned, refusal } from './signed-request.ts';
import { type BookChange, chooseRules, SimulatedBook } from './simulated-book.ts';
import { ONE } from './symbol-filters.ts';
import { TradingAccount } from './trading-account.ts';
import type { VenueState } from './venue-state.ts';

/** Commission in hundred-thousandths: 0.1 %. */
const COMMISSION_RATE = 100n;

export interface SpotExchangeSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  /** Fault switch. Default: its own, with all faults off. */
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Interval of market data in milliseconds (see `SimulatorAddress`). Default: the venue's own. */
  readonly paceMs?: number;
  readonly seed?: number;
  /** API keys of the first account. Without any, that account cannot trade. */
  readonly keys?: readonly ApiKey[];
  /** Returns the further account of a key, which is opened on first use, or null for an unknown key. */
  readonly accountOfKey?: (key: string) => (ApiKey & { readonly account: string }) | null;
  /** Initial balances of each account, whole units by asset. Default: a million USDT. */
  readonly balances?: Readonly<Record<string, number>>;
}

export type SpotExchangeSimulator = Awaited<ReturnType<typeof createSpotExchangeSimulator>>;

/** Creates a book for every coin of the market. */
function createBooks({ market, clock, seed = 1 }: SpotExchangeSimulatorOptions): ReadonlyMap<string, SimulatedBook> {
  const coins = market.assets.filter(({ kind }) => kind === 'crypto');
  const books = coins.map((asset, index) => {
    const price = market.spot(asset.symbol, clock.now());
    // Ids grow with time, so that ids after a restart exceed earlier ones.
    const book = new SimulatedBook(chooseRules(asset.symbol, price), seed * 1000 + index, Math.floor(clock.now() / 10));
    book.follow(market, clock.now());
    return book;
  });
  return new Map(books.map((book) => [book.rules.symbol, book]));
}

/** Opens an account. Its matches change the books, and these changes are published. */
function openAccount(
  { market, clock, balances = { USDT: 1_000_000 } }: SpotExchangeSimulatorOptions,
  publish: (book: SimulatedBook, change: BookChange) => void,
  report: OrderReports['report'],
): TradingAccount {
  const account: TradingAccount = new TradingAccount({
    onReport: (order, type, trade) => report(account, order, type, trade),
    balances: Object.fromEntries(Object.entries(balances).map(([asset, units]) => [asset, BigInt(units) * ONE])),
    commissionRate: COMMISSION_RATE,
    commissionIn: null,
    // Ids grow with time, so that trades of an earlier run keep unique ids.
    firstId: clock.now(),
    onTaken: (book, change) => {
      if (book.rungs('bid').length > 0 && book.rungs('ask').length > 0) return publish(book, change);
      // An emptied side is quoted again at once.
      const anew = book.follow(market, clock.now());
      publish(book, {
        first: change.first,
        last: anew.last,
        bids: [...change.bids, ...anew.bids],
        asks: [...change.asks, ...anew.asks],
      });
    },
  });
  return account;
}

/** Signed endpoints of all accounts. The API key selects the account. */
type OrderEndpoints = Pick<ReturnType<typeof createOrderEndpoints>, 'weightOf' | 'answer'>;

function openAccounts(
  { keys = [], accountOfKey }: SpotExchangeSimulatorOptions,
  {
    open,
    ...shared
  }: Omit<Parameters<typeof createOrderEndpoints>[0], 'account' | 'keys' | 'uid'> & { readonly open: () => TradingAccount },
) {
  const opened = new Map<
    string,
    { readonly account: TradingAccount; readonly endpoints: OrderEndpoints; readonly keys: readonly ApiKey[] }
  >();
  function opening(uid: string, own: readonly ApiKey[]) {
    const account = open();
    const made = { account, keys: own, endpoints: createOrderEndpoints({ ...shared, account, keys: own, uid: Number(uid) }) };
    opened.set(uid, made);
    return made;
  }
  const first = opening('1', keys);
  function ofKey(key: unknown) {
    const further = typeof key === 'string' ? (accountOfKey?.(key) ?? null) : null;
    return further === null ? first : (opened.get(further.account) ?? opening(further.account, [further]));
  }
  return {
    first: first.account,
    /** Returns the account of a signed request, or the error response. */
    signedBy(request: Pick<LoopbackRequest, 'headers' | 'search' | 'body'>): TradingAccount | LoopbackAnswer {
      const { account, keys: own } = ofKey(request.headers['x-mbx-apikey']);
      const parameters = readSigned(request, own, shared.now(), false);
      return parameters instanceof URLSearchParams ? account : parameters;
    },
    withKey: (key: string) => opened.get(accountOfKey?.(key)?.account ?? '1')?.account,
    endpoints: {
      weightOf: first.endpoints.weightOf,
      answer: (request) => ofKey(request.headers['x-mbx-apikey']).endpoints.answer(request),
    } satisfies OrderEndpoints,
  };
}

interface Answering extends Pick<VenueState, 'faults' | 'clock' | 'venueNow'> {
  readonly endpoints: Readonly<Record<string, MarketEndpoint>>;
  readonly orders: OrderEndpoints;
  readonly weight: RequestWeight;
}

/** Answers one request: finds the endpoint, applies faults, weighs and answers. */
function answerTo({ faults, clock, venueNow, endpoints, orders, weight }: Answering, asked: LoopbackRequest): LoopbackAnswer {
  const { method, path, query } = asked;
  const route = Object.hasOwn(endpoints, path) && method === 'GET' ? endpoints[path] : undefined;
  const signedWeight = orders.weightOf(asked);
  if (route === undefined && signedWeight === undefined) return { status: 404, body: '<html><body><h2>404 Not found</h2></body></html>' };
  if (faults.happens(faults.settings.status5xx)) {
    if (method === 'GET')
      return refusal(503, -1008, 'Server is currently overloaded with other requests. Please try again in a few minutes.');
    // After this error a client cannot know whether the order was accepted.
    if (faults.random() < 0.5) orders.answer(asked);
    return refusal(504, -1007, 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.');
  }
  if (faults.happens(faults.settings.status429)) return refusal(429, -1003, 'Too many requests queued.', { 'retry-after': '1' });
  const verdict = weight.charge(route === undefined ? (signedWeight ?? 0) : route.weight(query), clock.now());
  const headers: Record<string, string> = {
    'x-mbx-used-weight': String(verdict.usedWeight),
    'x-mbx-used-weight-1m': String(verdict.usedWeight),
  };
  if (verdict.status !== 200) {
    headers['retry-after'] = String(verdict.retryAfterSeconds);
    const text =
      verdict.status === 429
        ? `Too much request weight used; current limit is ${WEIGHT_LIMIT} request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.`
        : `Way too much request weight used; IP banned until ${venueNow() + verdict.retryAfterSeconds * 1000}. Please use WebSocket Streams for live updates to avoid bans.`;
    return refusal(verdict.status, -1003, text, headers);
  }
  const answer = route === undefined ? orders.answer(asked) : route.answer(query);
  return { status: answer.status, body: answer.body, headers: { ...headers, ...answer.headers } };
}

/** Fills the account's resting orders that the market has reached. */
function settleAll(account: TradingAccount, asOfNow: (book: SimulatedBook) => void, at: EpochMs): void {
  for (const book of new Set(account.open(null).map(({ request }) => request.book))) {
    asOfNow(book);
    account.settle(book, at);
  }
}

/** Starts the simulator. Prices are the market's at the clock's time. Equal seeds, clocks and requests give equal answers. */
export async function createSpotExchangeSimulator(options: SpotExchangeSimulatorOptions) {
  const { market, clock } = options;
  const faults = options.faults ?? createFaultSwitch(options.seed ?? 1);
  const venueNow = () => clock.now() + faults.settings.clockOffsetMs;
  const books = createBooks(options);
  const statuses = new Map<string, string>();
  const findStatus = (symbol: string): string => statuses.get(symbol) ?? 'TRADING';
  const streams = new MarketStreams({ market, clock, faults, books, venueNow, statusOf: findStatus }, options.paceMs);
  const asOfNow = (book: SimulatedBook): void => {
    if (!streams.isFollowed(book.rules.symbol)) book.follow(market, clock.now());
  };
  const accounts = openAccounts(options, {
    open: () =>
      openAccount(
        options,
        (book, change) => streams.publishBook(book, change),
        (...report) => reports.report(...report),
      ),
    now: venueNow,
    bookOf: (symbol) => {
      const book = books.get(symbol);
      if (book !== undefined) asOfNow(book);
      return book;
    },
    statusOf: findStatus,
  });
  const reports = new OrderReports({
    clock,
    venueNow,
    accountOf: accounts.signedBy,
    settle: (account) => settleAll(account, asOfNow, venueNow()),
  });
  const endpoints = marketEndpoints({ market, clock, faults, books, venueNow, statusOf: findStatus, asOfNow });
  const answering = { faults, clock, venueNow, endpoints, orders: accounts.endpoints, weight: new RequestWeight(WEIGHT_LIMIT, true) };
  const server = await listenOnLoopback({
    clock,
    faults,
    port: options.port,
    request: (asked) => answerTo(answering, asked),
    socket: (socket) => reports.open(socket) ?? streams.open(socket),
  });
  return {
    /** REST URL: `http://127.0.0.1:<port>`. */
    url: server.url,
    /** Stream URL: `ws://127.0.0.1:<port>`. */
    wsUrl: server.wsUrl,
    faults,
    /** Listed symbols, e.g. `BTCUSDT`. */
    symbols: [...books.keys()],
    /** First account behind the signed endpoints. */
    account: accounts.first,
    /** Returns the account of a key, or undefined if it was never used. */
    accountWith: accounts.withKey,
    /** Sets the status of a symbol: `TRADING`, `HALT` or `BREAK`. */
    setStatus: (symbol: string, status: string) => void statuses.set(symbol, status),
    /** Announces maintenance on every socket, as the venue does ten minutes before it closes them. */
    announceShutdown: () => streams.announceShutdown(),
    /** Returns the number of open subscriptions to order reports. */
    reportsFollowed: (): number => reports.followed,
    /** Ends every subscription to order reports and notifies the subscribers. */
    endReports: () => reports.terminate(),
    async close() {
      streams.close();
      reports.close();
      await server.close();
    },
  };
}
