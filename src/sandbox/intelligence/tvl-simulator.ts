/** Simulator of DefiLlama's chains on loopback: value locked that follows coin prices. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { SmoothNoise, deriveSeed } from '../market/seeded-noise.ts';
import { createHttpSimulator, type HttpSimulator } from '../reference/http-simulator.ts';

interface Chain {
  readonly name: string;
  readonly gecko_id: string | null;
  readonly tokenSymbol: string | null;
  readonly cmcId: string | null;
  /** Chain id as the provider gives it: a number, a text or null. */
  readonly chainId: number | string | null;
  /** Value locked at the market's anchor, in US dollars. */
  readonly usd: number;
  readonly coin: 'BTC' | 'ETH' | 'SOL';
}

function chain(
  name: string,
  gecko: string | null,
  token: string | null,
  chainId: Chain['chainId'],
  usd: number,
  coin: Chain['coin'],
): Chain {
  return {
    name,
    gecko_id: gecko,
    tokenSymbol: token,
    cmcId: gecko === null ? null : String(deriveSeed(name) % 20_000),
    chainId,
    usd,
    coin,
  };
}

const CHAINS: readonly Chain[] = [
  chain('Ethereum', 'ethereum', 'ETH', 1, 71e9, 'ETH'),
  chain('Solana', 'solana', 'SOL', null, 9.4e9, 'SOL'),
  chain('Bitcoin', 'bitcoin', 'BTC', null, 7.1e9, 'BTC'),
  chain('BSC', 'binancecoin', 'BNB', 56, 6.6e9, 'BTC'),
  chain('Tron', 'tron', 'TRX', null, 5.2e9, 'BTC'),
  chain('Base', null, null, '8453', 4.6e9, 'ETH'),
  chain('Arbitrum', 'arbitrum', 'ARB', '42161', 2.9e9, 'ETH'),
  chain('Hyperliquid L1', 'hyperliquid', 'HYPE', 999, 2.1e9, 'BTC'),
  chain('Avalanche', 'avalanche-2', 'AVAX', 43114, 1.4e9, 'BTC'),
  chain('Polygon', 'matic-network', 'POL', 137, 1.2e9, 'ETH'),
  chain('Sui', 'sui', 'SUI', null, 1e9, 'SOL'),
  chain('Aptos', 'aptos', 'APT', null, 5.2e8, 'SOL'),
  chain('Optimism', 'optimism', 'OP', 10, 3.6e8, 'ETH'),
  chain('Nuls', 'nuls', 'NULS', null, 2.7e6, 'BTC'),
  chain('Ultra', 'ultra', 'UOS', null, 0, 'BTC'),
];

/** Interval between the provider's updates. */
const STEP_MS = 5 * MINUTE_MS;
const ANCHOR = Date.UTC(2026, 0, 5);
const HISTORY_DAYS = 400;

export interface TvlSimulatorOptions {
  readonly market: Market;
  readonly clock: Clock;
  readonly seed: number;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

/** Opens the simulator: `/v2/chains`, `/v2/historicalChainTvl` and `/v2/historicalChainTvl/<chain>`, with ETags. */
export async function createTvlSimulator(options: TvlSimulatorOptions): Promise<HttpSimulator> {
  const { market, clock } = options;
  const noises = new Map(CHAINS.map(({ name }) => [name, new SmoothNoise(deriveSeed(`${options.seed}/tvl/${name}`), 2 * 1440)]));

  /** Returns the value locked, in US dollars. It follows the coin's price, and some deposits come and go. */
  function tvl({ name, usd, coin }: Chain, at: EpochMs): number {
    if (usd === 0) return 0;
    const worth = market.value(coin, at) / market.value(coin, ANCHOR);
    return usd * worth ** 0.8 * (1 + 0.03 * (noises.get(name) as SmoothNoise).at(Math.floor(at / MINUTE_MS)));
  }

  function history(of: readonly Chain[], now: EpochMs) {
    const today = Math.floor(now / DAY_MS) * DAY_MS;
    const points = Array.from({ length: HISTORY_DAYS }, (_, index) => today - (HISTORY_DAYS - 1 - index) * DAY_MS).map(
      (at) => [at, at] as const,
    );
    // The last point is today's and changes until midnight.
    points.push([today, now]);
    return points.map(([date, at]) => ({ date: date / 1000, tvl: Math.round(of.reduce((sum, one) => sum + tvl(one, at), 0)) }));
  }

  return createHttpSimulator({
    clock,
    faults: options.faults ?? createFaultSwitch(),
    port: options.port,
    reply: ({ path, headers }) => {
      const now = Math.floor(clock.now() / STEP_MS) * STEP_MS;
      const etag = `W/"${now}"`;
      const answer = (body: unknown) =>
        headers['if-none-match'] === etag ? { status: 304, body: '', headers: { etag } } : { status: 200, body, headers: { etag } };
      if (path === '/v2/chains')
        return answer(
          CHAINS.map((one) => ({
            gecko_id: one.gecko_id,
            tvl: tvl(one, now),
            tokenSymbol: one.tokenSymbol,
            cmcId: one.cmcId,
            name: one.name,
            chainId: one.chainId,
          })),
        );
      if (path === '/v2/historicalChainTvl') return answer(history(CHAINS, now));
      const name = /^\/v2\/historicalChainTvl\/(.+)$/.exec(path)?.[1];
      const found = CHAINS.filter((one) => one.name.toLowerCase() === name?.toLowerCase());
      return found.length === 0 ? { status: 404, body: 'Chain not found' } : answer(history(found, now));
    },
  });
}
