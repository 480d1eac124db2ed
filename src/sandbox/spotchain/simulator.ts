/** Simulator of the aggregator on loopback: Jupiter's quotes, prices and limits, and GeckoTerminal's pool bars, over the seeded market. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { createHttpSimulator, type SimulatorReply, type SimulatorRequest } from '../reference/http-simulator.ts';
import type { LaunchedMarket } from './launched-market.ts';
import { type BarRange, createLaunchedQuotes } from './launched-quotes.ts';
import { poolAddress, throughPool } from './pool.ts';
import type { Cheat, SwapBuilder, SwapQuote } from './swap-builder.ts';

/** Token that has a pool against the stablecoin. */
export interface SpotchainSimulatorToken {
  /** Symbol, e.g. `AAPLx`. */
  readonly symbol: string;
  readonly mint: string;
  readonly decimals: number;
  /** Symbol of its underlying in the market, e.g. `AAPL`. */
  readonly underlying: string;
  readonly multiplier: number;
  readonly newMultiplier: number;
  readonly newMultiplierEffectiveAt: EpochMs;
  /** Transfer fee that the mint takes from the received amount, in basis points. Quotes are net of it. */
  readonly transferFeeBps?: number;
}

export interface SpotchainSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  readonly tokens: readonly SpotchainSimulatorToken[];
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Requests in any 60 s without and with a key. Defaults 30 and 600. */
  readonly keylessPerMinute?: number;
  readonly keyedPerMinute?: number;
  /** Accepted API keys. Any other key gets a 401; no key means the keyless plan. */
  readonly apiKeys?: readonly string[];
  /** Tokens that are launched on the chain; absent if there is none. */
  readonly launched?: LaunchedMarket;
  /** Builder of swap transactions; without it there are only quotes. */
  readonly handler?: SwapBuilder;
}

export type SpotchainSimulator = Awaited<ReturnType<typeof createSpotchainSimulator>>;

const LABELS = { curve: 'Dynamic Bonding Curve', successor: 'Meteora DAMM v2' } as const;
const WINDOW_MS = MINUTE_MS;
const BAR_LIMIT = 1_000;

/** Parses the range of a bars query, which excludes its end and open bars. Null if the route does not offer it. */
function readRange(unit: string, query: URLSearchParams, now: EpochMs): BarRange | null {
  const aggregate = Number(query.get('aggregate') ?? 1);
  const allowed = unit === 'day' ? [1] : unit === 'hour' ? [1, 4, 12] : [1, 5, 15];
  const limit = Number(query.get('limit') ?? 100);
  if (!allowed.includes(aggregate) || !(limit >= 1 && limit <= BAR_LIMIT)) return null;
  const length = aggregate * (unit === 'day' ? DAY_MS : unit === 'hour' ? HOUR_MS : MINUTE_MS);
  const asked = query.get('before_timestamp');
  const before = Math.min(asked === null ? now : Number(asked) * 1000, now - length + 1);
  const to = Math.ceil(before / length) * length;
  return { length, from: to - limit * length, to };
}

/** Returns the fields of a JSON body, or an empty object if it is not one. */
function readBody({ body }: SimulatorRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function refusal(code: string, text: string): SimulatorReply {
  return { status: 400, body: { error: text, errorCode: code } };
}

/** Formats a counter as a UUID. */
function requestId(counter: number): string {
  return `00000000-0000-4000-8000-${counter.toString(16).padStart(12, '0')}`;
}

/** Creates the rate limits of plans. A request gets a refusal, or the headers that every answer carries. */
function createPlans(
  options: Pick<SpotchainSimulatorOptions, 'apiKeys' | 'keylessPerMinute' | 'keyedPerMinute' | 'clock'>,
  nextId: () => string,
): (request: SimulatorRequest) => { readonly refusal?: SimulatorReply; readonly headers: Record<string, string> } {
  const windows = new Map<string, EpochMs[]>();
  return (request) => {
    const key = request.headers['x-api-key'];
    const name = typeof key === 'string' ? key : '';
    if (name !== '' && options.apiKeys !== undefined && !options.apiKeys.includes(name)) {
      return { refusal: { status: 401, body: { code: 401, message: 'Unauthorized' } }, headers: {} };
    }
    const limit = name === '' ? (options.keylessPerMinute ?? 30) : (options.keyedPerMinute ?? 600);
    const now = options.clock.now();
    const window = (windows.get(name) ?? []).filter((at) => at > now - WINDOW_MS);
    const full = window.length >= limit;
    if (!full) window.push(now);
    windows.set(name, window);
    const headers = {
      'x-ratelimit-remaining': String(limit - window.length - (full ? 1 : 0)),
      'x-ratelimit-current': String(window.length),
      'x-ratelimit-reset': String(Math.ceil(((window[0] ?? now) + WINDOW_MS) / 1000)),
      'x-api-gateway-request-id': nextId(),
    };
    if (full) return { refusal: { status: 429, body: '[API Gateway] Too many requests', headers }, headers };
    return { headers };
  };
}

/** Pools of the market's tokens against the stablecoin. */
interface Pools extends Pick<SpotchainSimulatorOptions, 'market' | 'clock' | 'stable'> {
  readonly faults: FaultSwitch;
  readonly byMint: ReadonlyMap<string, SpotchainSimulatorToken>;
  readonly byPool: ReadonlyMap<string, SpotchainSimulatorToken>;
  /** Error codes of broken routes, by symbol. */
  readonly broken: ReadonlyMap<string, string>;
}

/** Sources of quotes: the pools, and the launched tokens. */
interface Quoting extends Pools {
  readonly atLaunched: ReturnType<typeof createLaunchedQuotes>;
  /** Builder of swap transactions, or null if there is no chain. */
  readonly handler: SwapBuilder | null;
  readonly slotNow: () => number;
  /** Returns a new UUID-shaped id. */
  readonly nextId: () => string;
}

type Endpoints = Readonly<Record<string, (quoting: Quoting, request: SimulatorRequest) => SimulatorReply>>;
const GETS: Endpoints = {
  '/swap/v1/quote': quoteAnswer,
  '/swap/v2/order': orderAnswer,
  '/price/v3': (quoting, { query }) => prices(quoting, query),
};
const POSTS: Endpoints = {
  '/swap/v1/swap': swapAnswer,
  '/swap/v2/execute': executeAnswer,
};

/** Opens the simulator. Pools are constant-product, so price impact grows with size. Quotes are in raw units and ignore the multiplier. */
export async function createSpotchainSimulator(options: SpotchainSimulatorOptions) {
  const { market, clock, stable } = options;
  const faults = options.faults ?? createFaultSwitch();
  const byMint = new Map(options.tokens.map((token) => [token.mint, token]));
  const byPool = new Map(options.tokens.map((token) => [poolAddress(token.mint), token]));
  const broken = new Map<string, string>();
  let counter = 0;
  const handler = options.handler ?? null;
  const nextId = (): string => requestId(++counter);
  const plan = createPlans(options, nextId);

  const pools: Pools = { market, clock, stable, faults, byMint, byPool, broken };
  const atLaunched = createLaunchedQuotes({
    launched: options.launched ?? null,
    market,
    clock,
    stable,
    share(mint) {
      const share = byMint.get(mint);
      if (share === undefined) return null;
      const { price } = market.token(share.underlying, clock.now());
      return { dollars: price * multiplier(share, clock.now()), swap: (buying, amount) => swap(pools, share, buying, amount).out };
    },
  });
  const slotNow = (): number => handler?.slot() ?? Math.floor(clock.now() / 400);
  const quoting: Quoting = { ...pools, atLaunched, handler, slotNow, nextId };

  const server = await createHttpSimulator({
    clock,
    faults,
    port: options.port,
    reply: (request) => {
      const { path, query } = request;
      if (path.startsWith('/api/v2/')) return bars(quoting, path, query);
      const { refusal: limited, headers } = plan(request);
      if (limited !== undefined) return limited;
      const reply = (request.method === 'POST' ? POSTS : GETS)[path]?.(quoting, request) ?? {
        status: 404,
        body: { message: 'Route not found' },
      };
      return 'stream' in reply ? reply : { ...reply, headers };
    },
  });
  return {
    ...server,
    /** Makes every route of a token fail with this error code; null repairs them. */
    breakRoute(symbol: string, code: string | null) {
      const token = findToken(options.tokens, symbol);
      if (code === null) broken.delete(token.symbol);
      else broken.set(token.symbol, code);
    },
    /** Sets the fault of every following transaction, or none (null). */
    cheat(how: Cheat | null) {
      if (handler === null) throw new RangeError('the simulator has no chain, so that it builds nothing to cheat with');
      handler.cheat(how);
    },
    /** Returns a token's pool address for `/networks/solana/pools/<address>/ohlcv`. */
    poolOf: (symbol: string): string => poolAddress(findToken(options.tokens, symbol).mint),
  };
}

/** Returns the token of a symbol. @throws RangeError if there is none */
function findToken(tokens: readonly SpotchainSimulatorToken[], symbol: string): SpotchainSimulatorToken {
  const token = tokens.find((one) => one.symbol === symbol);
  if (token === undefined) throw new RangeError(`the simulator has no token "${symbol}"`);
  return token;
}

/** Answers a quote request of the first API. */
function quoteAnswer(quoting: Quoting, request: SimulatorRequest): SimulatorReply {
  const quote = quoted(quoting, request.query, 'v1');
  if (!('inputMint' in quote)) return quote;
  const plain = { platformFee: null, priceImpactPct: quote.impact.toFixed(12), contextSlot: quoting.slotNow(), timeTaken: 0.001_5 };
  return { status: 200, body: { ...quoteFields(quoting, quote), ...plain } };
}

/** Answers an order request of the second API, with a transaction if a taker is named. */
function orderAnswer(quoting: Quoting, request: SimulatorRequest): SimulatorReply {
  const { handler, nextId } = quoting;
  const quote = quoted(quoting, request.query, 'v2');
  if (!('inputMint' in quote)) return quote;
  const id = nextId();
  const taker = request.query.get('taker');
  const receiver = request.query.get('receiver');
  const built = taker === null || handler === null ? null : handler.order({ id, quote, taker, receiver });
  if (built !== null && 'refusal' in built) return built.refusal;
  return {
    status: 200,
    body: {
      mode: 'ultra',
      ...quoteFields(quoting, quote),
      priceImpact: -quote.impact * 100,
      priceImpactPct: (-quote.impact).toFixed(8),
      feeBps: 0,
      router: 'metis',
      transaction: null,
      requestId: id,
      lastValidBlockHeight: null,
      totalTime: 12,
      ...built?.fields,
    },
  };
}

/** Answers the first API's second step: the client returns the quote unchanged and gets a transaction. */
function swapAnswer(quoting: Quoting, request: SimulatorRequest): SimulatorReply {
  const { handler } = quoting;
  const { userPublicKey, quoteResponse, asLegacyTransaction } = readBody(request);
  const given = (typeof quoteResponse === 'object' && quoteResponse !== null ? quoteResponse : {}) as Record<string, unknown>;
  if (handler === null) return { status: 400, body: { error: 'this simulator has no chain to swap on' } };
  if (typeof userPublicKey !== 'string' || typeof given['inAmount'] !== 'string' || typeof given['otherAmountThreshold'] !== 'string')
    return { status: 422, body: { error: 'Failed to deserialize the JSON body into the target type: missing field' } };
  const query = new URLSearchParams({
    inputMint: String(given['inputMint']),
    outputMint: String(given['outputMint']),
    amount: given['inAmount'],
    slippageBps: String(given['slippageBps']),
  });
  const now = quoted(quoting, query, 'v1');
  if (!('inputMint' in now)) return now;
  return handler.swap({
    quote: now,
    taker: userPublicKey,
    threshold: BigInt(given['otherAmountThreshold']),
    legacy: asLegacyTransaction === true,
  });
}

/** Answers the second API's second step: submits the signed transaction. */
function executeAnswer({ handler }: Quoting, request: SimulatorRequest): SimulatorReply {
  const { signedTransaction, requestId: id } = readBody(request);
  if (handler === null || typeof signedTransaction !== 'string' || typeof id !== 'string')
    return { status: 400, body: { error: 'signedTransaction and requestId are needed', code: -1002 } };
  return handler.execute({ id, signedTransaction });
}

/** Quotes what a query requests, or returns the refusal. */
function quoted(
  quoting: Quoting,
  query: URLSearchParams,
  version: 'v1' | 'v2',
): (SwapQuote & { readonly impact: number }) | SimulatorReply {
  const { stable, byMint, broken, atLaunched } = quoting;
  const inputMint = query.get('inputMint') ?? '';
  const outputMint = query.get('outputMint') ?? '';
  const amountText = query.get('amount') ?? '';
  if (!/^[1-9]\d{0,19}$/.test(amountText))
    return { status: 400, body: { error: 'Query parameter amount cannot be parsed: invalid digit found in string' } };
  if (inputMint === outputMint) return refusal('CIRCULAR_ARBITRAGE_IS_DISABLED', 'Input and output mints are not allowed to be equal');
  const slippageBps = Number(query.get('slippageBps') ?? 50);
  if (!Number.isInteger(slippageBps) || slippageBps < 0 || slippageBps > 10_000)
    return { status: 400, body: { error: 'Query parameter slippageBps cannot be parsed: a whole number from 0 to 10000' } };
  const buying = inputMint === stable.mint;
  const launched = atLaunched.token(buying ? outputMint : inputMint);
  const token = byMint.get(buying ? outputMint : inputMint);
  const closed = (query.get('excludeRouters') ?? '').split(',').includes('metis');
  const asked = { inputMint, outputMint, inAmount: BigInt(amountText), slippageBps };
  if (launched !== null && !closed && (buying || outputMint === stable.mint))
    return atLaunched.quote(launched, asked) ?? refusal('COULD_NOT_FIND_ANY_ROUTE', 'Could not find any route');
  if (token === undefined || closed || (!buying && outputMint !== stable.mint)) {
    return version === 'v1' ? refusal('NO_ROUTES_FOUND', 'No routes found') : { status: 400, body: { error: 'Failed to get quotes' } };
  }
  const failure = broken.get(token.symbol);
  if (failure !== undefined)
    return refusal(failure, failure === 'TOKEN_NOT_TRADABLE' ? `The token ${token.mint} is not tradable` : 'No routes found');
  const { sent, out, impact } = swap(quoting, token, buying, BigInt(amountText));
  if (out <= 0n) return refusal('COULD_NOT_FIND_ANY_ROUTE', 'Could not find any route');
  const threshold = (out * BigInt(10_000 - slippageBps)) / 10_000n;
  return { ...asked, outAmount: out, sentAmount: sent, threshold, impact };
}

function prices(quoting: Quoting, query: URLSearchParams): SimulatorReply {
  const { market, clock, byMint, atLaunched } = quoting;
  const ids = (query.get('ids') ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0 || ids.length > 50) return { status: 400, body: { error: 'ids must name 1 to 50 mints' } };
  const now = clock.now();
  const body: Record<string, unknown> = {};
  for (const id of ids) {
    const token = byMint.get(id);
    const launched = atLaunched.token(id);
    if (launched !== null) body[id] = atLaunched.price(launched);
    // Unknown mints are omitted, like by the real API.
    if (token === undefined) continue;
    const { price, liquidityUsd } = market.token(token.underlying, now);
    const before = market.token(token.underlying, now - DAY_MS).price;
    body[id] = {
      createdAt: '2025-06-10T11:06:56Z',
      liquidity: liquidityUsd,
      usdPrice: price,
      blockId: Math.floor(now / 400),
      decimals: token.decimals,
      priceChange24h: Math.round((price / before - 1) * 1e5) / 1e3,
      scaledUiConfig: {
        multiplier: token.multiplier,
        newMultiplier: token.newMultiplier,
        newMultiplierEffectiveAt: new Date(token.newMultiplierEffectiveAt).toISOString(),
        usdPricePrescaled: price * multiplier(token, now),
      },
    };
  }
  return { status: 200, body };
}

function bars(quoting: Quoting, path: string, query: URLSearchParams): SimulatorReply {
  const { clock, stable, byPool, atLaunched } = quoting;
  const [, pool = '', unit = ''] = /^\/api\/v2\/networks\/solana\/pools\/([^/]+)\/ohlcv\/(day|hour|minute)$/.exec(path) ?? [];
  const token = byPool.get(pool);
  const range = readRange(unit, query, clock.now());
  const launched = atLaunched.bars(pool, range ?? { length: 1, from: 0, to: 0 });
  if (token === undefined && launched === null) return { status: 404, body: { errors: [{ status: '404', title: 'Not Found' }] } };
  if (range === null) return { status: 400, body: { errors: [{ status: '400', title: 'Invalid aggregate or limit' }] } };
  const list = token === undefined ? launched : seededBars(quoting, token, range);
  const base = token === undefined ? { address: pool, symbol: '' } : { address: token.mint, symbol: token.symbol };
  return {
    status: 200,
    body: {
      data: { id: quoting.nextId(), type: 'ohlcv_request_response', attributes: { ohlcv_list: list } },
      meta: { base, quote: { address: stable.mint, symbol: 'USDC' } },
    },
  };
}

/** Computes a swap in raw units. Both reserves follow the market's price and liquidity. `sent` leaves the pool, `out` arrives. */
function swap(
  pools: Pools,
  token: SpotchainSimulatorToken,
  buying: boolean,
  amount: bigint,
): { sent: bigint; out: bigint; impact: number } {
  const { market, clock, stable, faults } = pools;
  const now = clock.now();
  const { price: fair, liquidityUsd } = market.token(token.underlying, now);
  const price = faults.happens(faults.settings.priceJump) ? fair * 100 : fair;
  const stableReserve = liquidityUsd / 2;
  // Reserves are raw: one whole raw token equals `multiplier` UI units.
  const rawPrice = price * multiplier(token, now);
  const tokenReserve = stableReserve / rawPrice;
  const fee = BigInt(token.transferFeeBps ?? 0);
  // The mint rounds its fee up.
  const kept = (raw: bigint): bigint => raw - (raw * fee + 9_999n) / 10_000n;
  const input = buying ? Number(amount) / 10 ** stable.decimals : Number(kept(amount)) / 10 ** token.decimals;
  const [reserveIn, reserveOut] = buying ? [stableReserve, tokenReserve] : [tokenReserve, stableReserve];
  const { out: output, impact } = throughPool(reserveIn, reserveOut, input, market.halfSpread('token', token.underlying, now));
  // Routes show no book. A crossed market is one in which selling back returns more than buying cost.
  const bonus = !buying && faults.happens(faults.settings.crossed) ? 1.02 : 1;
  const sent = BigInt(Math.floor(buying ? output * 10 ** token.decimals : output * bonus * 10 ** stable.decimals));
  return { sent, out: buying ? kept(sent) : sent, impact };
}

/** Applies price faults to an amount, because prices are derived from amounts here. */
function bentAmount(pools: Pools, out: bigint): string {
  const { faults } = pools;
  const { settings } = faults;
  if (faults.happens(settings.zeroPrice)) return '0';
  if (faults.happens(settings.negativePrice)) return `-${out}`;
  return faults.happens(settings.nanPrice) ? 'NaN' : out.toString();
}

/** Returns the quote fields that both API versions share. */
function quoteFields(pools: Pools, { inputMint, outputMint, inAmount, outAmount, threshold, slippageBps, launched }: SwapQuote): object {
  const { stable } = pools;
  const amounts = { inputMint, inAmount: inAmount.toString(), outputMint, outAmount: bentAmount(pools, outAmount) };
  const label = launched === undefined ? 'Raydium CLMM' : LABELS[launched.token.venue];
  const ammKey = launched?.token.pool ?? poolAddress(inputMint === stable.mint ? outputMint : inputMint);
  return {
    ...amounts,
    otherAmountThreshold: threshold.toString(),
    swapMode: 'ExactIn',
    slippageBps,
    routePlan: [{ swapInfo: { ammKey, label, ...amounts }, percent: 100, bps: 10_000 }],
  };
}

/** Returns bars of a market token, newest first. Pool bars are in raw units. */
function seededBars(pools: Pools, token: SpotchainSimulatorToken, { length, from, to }: BarRange): readonly (readonly number[])[] {
  const { market } = pools;
  const candles = market.candles('token', token.underlying, length, from, to);
  return candles.reverse().map((bar) => {
    const scale = multiplier(token, bar.openTime);
    const close = Number(bar.close);
    const [open, high, low] = [Number(bar.open) * scale, Number(bar.high) * scale, Number(bar.low) * scale];
    return [bar.openTime / 1000, open, high, low, close * scale, Number(bar.volume) * close];
  });
}

function multiplier(token: SpotchainSimulatorToken, at: EpochMs): number {
  return at >= token.newMultiplierEffectiveAt ? token.newMultiplier : token.multiplier;
}
