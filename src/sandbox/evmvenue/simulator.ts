/** Simulator of the perpetuals venue on loopback, with Hyperliquid's `/info` and `/ws` wire formats over the seeded market. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch, seededRandom } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import type { Market } from '../market/market.ts';
import { RequestWeight } from '../request-weight.ts';
import { createListings, DELISTED_CONTEXT, formatMeta, type PerpListings, SHARE_DEX } from './listings.ts';
import { PerpMarket, INTERVAL_MS, rate } from './perp-market.ts';
import { PerpStreams } from './perp-streams.ts';
import { type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { clearinghouseState, type PerpListing, perpPrice, userFills, userFillsSince } from './perp-wallets.ts';

const WEIGHT_LIMIT = 1_200;

export interface EvmVenueSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  /** Fault switch. Default: its own, with all faults off. */
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
  /** Interval of market data in milliseconds (see `SimulatorAddress`). Default: the venue's own. */
  readonly paceMs?: number;
  readonly seed?: number;
}

export type EvmVenueSimulator = Awaited<ReturnType<typeof createEvmVenueSimulator>>;

interface Answering {
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  readonly info: Readonly<Record<string, InfoType>>;
  readonly weight: RequestWeight;
}

/** Answers one request: applies faults, parses, weighs and answers. */
function answerTo({ clock, faults, info: types, weight }: Answering, { method, path, body }: LoopbackRequest): LoopbackAnswer {
  if (path !== '/info' || method !== 'POST') return { status: 404, body: 'Not found' };
  if (faults.happens(faults.settings.status5xx)) return { status: 503, body: 'Service Unavailable' };
  if (faults.happens(faults.settings.status429)) return { status: 429, body: null, headers: { 'retry-after': '1' } };
  let asked: Record<string, unknown>;
  try {
    asked = (JSON.parse(body) ?? {}) as Record<string, unknown>;
  } catch {
    return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
  }
  const { type } = asked;
  const info = typeof type === 'string' && Object.hasOwn(types, type) ? types[type] : undefined;
  if (info === undefined) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
  const now = clock.now();
  if (weight.charge(info.weight, now).status !== 200) return { status: 429, body: null };
  const answer = info.answer(asked, now);
  if (answer === undefined) return { status: 422, body: 'Failed to deserialize the JSON body into the target type' };
  const perWeight = ROWS_PER_WEIGHT[type as string];
  if (perWeight !== undefined && Array.isArray(answer)) weight.charge(Math.ceil(answer.length / perWeight), now);
  return { status: 200, body: answer };
}

/** Starts the simulator. Prices are the market's at the clock's time. Equal seeds, clocks and requests give equal answers. */
export async function createEvmVenueSimulator(options: EvmVenueSimulatorOptions) {
  const { market, clock } = options;
  const seed = options.seed ?? 1;
  const faults = options.faults ?? createFaultSwitch(seed);
  const listings = createListings(market, clock.now());
  const perps = new PerpMarket({ market, faults, seed });
  const streams = new PerpStreams({ ...options, faults, seed, listings: listings.byCoin, perps });
  const info = infoTypes({ market, listings, perps, venueNow: () => clock.now() + faults.settings.clockOffsetMs });
  const answering = { clock, faults, info, weight: new RequestWeight(WEIGHT_LIMIT, false) };
  const server = await listenOnLoopback({
    clock,
    faults,
    port: options.port,
    request: (asked) => answerTo(answering, asked),
    socket: (socket) => streams.open(socket),
  });
  return {
    /** `http://127.0.0.1:<port>`; requests go to `/info`. */
    url: server.url,
    /** `ws://127.0.0.1:<port>/ws`. */
    wsUrl: `${server.wsUrl}/ws`,
    faults,
    /** Tradable coins of the main dex, e.g. `BTC`. */
    coins: listings.mainDex.map(({ coin }) => coin),
    async close() {
      streams.close();
      await server.close();
    },
  };
}

const REACHABLE_BARS = 5_000;
const FUNDING_PAGE = 500;

interface InfoType {
  readonly weight: number;
  /** Returns the answer, or undefined if the request is malformed. */
  readonly answer: (body: Record<string, unknown>, now: EpochMs) => unknown;
}

type InfoTypes = Readonly<Record<string, InfoType>>;

interface InfoSources {
  readonly market: Market;
  readonly listings: PerpListings;
  readonly perps: PerpMarket;
  readonly venueNow: () => EpochMs;
}

/** Rows per additional unit of weight, by request type. */
const ROWS_PER_WEIGHT: Readonly<Record<string, number>> = {
  candleSnapshot: 60,
  fundingHistory: 20,
  userFills: 20,
  userFillsByTime: 20,
  recentTrades: 20,
};

/** Returns all request types by name. */
function infoTypes(sources: InfoSources): InfoTypes {
  return { ...dexTypes(sources), ...marketTypes(sources), ...walletTypes(sources) };
}

const findListing = ({ byCoin }: PerpListings, coin: unknown): PerpListing | undefined =>
  typeof coin === 'string' ? byCoin.get(coin) : undefined;
const readAddress = (user: unknown): string | null =>
  typeof user === 'string' && /^0x[0-9a-fA-F]{40}$/.test(user) ? user.toLowerCase() : null;

/** Creates the requests about listings and all prices. */
function dexTypes({ market, listings, perps }: InfoSources): InfoTypes {
  return {
    meta: { weight: 20, answer: ({ dex }) => formatMeta(listings, dex) ?? undefined },
    metaAndAssetCtxs: {
      weight: 20,
      answer: ({ dex }, now) => {
        const head = formatMeta(listings, dex);
        if (head === null) return undefined;
        const contexts = (dex === SHARE_DEX ? listings.shareDex : listings.mainDex).map((listing) => perps.context(listing, now));
        return [head, dex === SHARE_DEX ? contexts : [...contexts, DELISTED_CONTEXT]];
      },
    },
    perpDexs: {
      weight: 20,
      answer: () => [
        null,
        { name: SHARE_DEX, fullName: 'Shares', deployer: `0x${'8'.repeat(40)}`, oracleUpdater: null, feeRecipient: null },
      ],
    },
    allMids: {
      weight: 2,
      answer: ({ dex }, now) =>
        Object.fromEntries(
          (dex === SHARE_DEX ? listings.shareDex : listings.mainDex).map((listing) => [
            listing.coin,
            perpPrice(market.perp(listing.asset, now).mark, listing.sizeDecimals),
          ]),
        ),
    },
  };
}

/** Creates the requests about one market: book, trades, candles and funding. */
function marketTypes({ market, listings, perps }: InfoSources): InfoTypes {
  return {
    l2Book: {
      weight: 2,
      answer: ({ coin }, now) => {
        const listing = findListing(listings, coin);
        return listing === undefined ? null : perps.book(listing, now, false);
      },
    },
    recentTrades: {
      weight: 20,
      answer: ({ coin }, now) => {
        const listing = findListing(listings, coin);
        return listing === undefined ? null : perps.recentTrades(listing, now);
      },
    },
    candleSnapshot: {
      weight: 20,
      answer: ({ req }, now) => {
        const { coin, interval, startTime, endTime } = (req ?? {}) as Record<string, unknown>;
        const listing = findListing(listings, coin);
        if (typeof interval !== 'string' || !Object.hasOwn(INTERVAL_MS, interval) || typeof startTime !== 'number') return undefined;
        if (listing === undefined) return null;
        const barMs = INTERVAL_MS[interval] as number;
        const current = Math.floor(now / barMs) * barMs;
        const end = Math.min(typeof endTime === 'number' ? endTime : now, now);
        const oldest = current - (REACHABLE_BARS - 1) * barMs;
        const from = Math.max(Math.floor(startTime / barMs) * barMs, oldest);
        const bars = perps.closedCandles(listing, interval, from, Math.min(end + 1, current));
        return end >= current && current >= from ? [...bars, perps.formingCandle(listing, interval, now)] : bars;
      },
    },
    fundingHistory: {
      weight: 20,
      answer: ({ coin, startTime, endTime }, now) => {
        const listing = findListing(listings, coin);
        if (typeof startTime !== 'number') return undefined;
        if (listing === undefined) return null;
        const end = Math.min(typeof endTime === 'number' ? endTime : now, now);
        const rows: object[] = [];
        for (let hour = Math.floor(startTime / HOUR_MS) * HOUR_MS; hour <= end && rows.length < FUNDING_PAGE; hour += HOUR_MS) {
          // The venue settles on the hour and stamps the payment some milliseconds later.
          const time = hour + 10 + Math.floor(seededRandom(hour / HOUR_MS)() * 190);
          if (time < startTime || time > end) continue;
          const { mark, oracle, hourlyFunding } = market.perp(listing.asset, hour);
          rows.push({
            coin: listing.coin,
            fundingRate: rate(hourlyFunding * listing.fundingScale),
            premium: rate((mark - oracle) / oracle),
            time,
          });
        }
        return rows;
      },
    },
  };
}

/** Creates the requests about an address: its holdings and history. */
function walletTypes({ market, listings, venueNow }: InfoSources): InfoTypes {
  return {
    clearinghouseState: {
      weight: 2,
      answer: ({ user }, now) => {
        const address = readAddress(user);
        return address === null ? undefined : clearinghouseState(address, market, listings.mainDex, now, venueNow());
      },
    },
    userFills: {
      weight: 20,
      answer: ({ user }, now) => {
        const address = readAddress(user);
        return address === null ? undefined : userFills(address, market, listings.mainDex, now);
      },
    },
    userFillsByTime: {
      weight: 20,
      answer: ({ user, startTime }, now) => {
        const address = readAddress(user);
        return address === null || typeof startTime !== 'number'
          ? undefined
          : userFillsSince(address, market, listings.mainDex, now, startTime);
      },
    },
  };
}
