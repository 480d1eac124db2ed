/** Simulator of the perpetuals venue on loopback, with Hyperliquid's `/info` and `/ws` wire formats over the seeded market. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { type LoopbackAnswer, type LoopbackRequest, listenOnLoopback } from '../loopback.ts';
import type { Market } from '../market/market.ts';
import { RequestWeight } from '../request-weight.ts';
import { type InfoType, infoTypes, ROWS_PER_WEIGHT } from './info-requests.ts';
import { listingsOf } from './listings.ts';
import { PerpMarket } from './perp-market.ts';
import { PerpStreams } from './perp-streams.ts';

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
  const listings = listingsOf(market, clock.now());
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
