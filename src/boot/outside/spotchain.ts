/** The primary chain in this service: its aggregator, the history of its pools, its node, and the simulators of both. */
import { createKeyedClient } from '../../adapters/venues/reference/keyed-client.ts';
import { createSpotchainCandles } from '../../adapters/venues/spotchain/candles.ts';
import { createSpotchainFeed } from '../../adapters/venues/spotchain/feed.ts';
import { CATALOG, USDC_DECIMALS, USDC_MINT } from '../../domain/catalog.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import { SANDBOX_LAUNCH_PARTNER } from '../../sandbox/solana/launch-partner.ts';
import { SANDBOX_MAKER } from '../../sandbox/spotchain/maker.ts';
import { poolAddress } from '../../sandbox/spotchain/pool-address.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import { keyFor, type Reach, type SimulatorAt, type VenueEntry } from './entry.ts';
import { tokensNow } from './listed.ts';

/** Requests per minute that the aggregator's plan allows. */
export const SPOTCHAIN_PER_MINUTE = 600;
const CANDLES_PER_MINUTE = 120;

const budgets = (make: MakeBudget) => ({
  aggregator: make('aggregator', SPOTCHAIN_PER_MINUTE),
  pools: make('pools', CANDLES_PER_MINUTE),
});

interface Addresses {
  /** `pools`: the pool whose bars stand for a token, by symbol. */
  readonly spotchain: {
    readonly url: string;
    readonly key: string | null;
    readonly candlesUrl: string;
    readonly pools: Pick<ReadonlyMap<string, string>, 'get'>;
    /** A node of the chain, which may hold a key; null where the aggregator is real and no node of its chain is named. */
    readonly rpcUrl: string | null;
    /** Those who sign swaps beside their takers. */
    readonly makers: readonly string[];
    /** Whose the partner's part of a launch's fees is; null where nobody is named. */
    readonly launchPartner: string | null;
  };
}

/** In the sandbox every token of the catalog has a pool, as soon as it is listed. */
const SANDBOX_POOLS: Addresses['spotchain']['pools'] = {
  get(symbol) {
    const token = CATALOG.bySymbol(symbol)?.token ?? null;
    return token === null ? undefined : poolAddress(token.mint);
  },
};

type Chain = Reach<Addresses, ReturnType<typeof budgets>>;

export const spotchain = {
  venue: 'spotchain',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    spotchain: {
      url: config.SPOTCHAIN_URL ?? simulator('spotchain'),
      key: keyFor(config.SPOTCHAIN_URL, config.SPOTCHAIN_KEY),
      candlesUrl: config.SPOTCHAIN_CANDLES_URL ?? simulator('spotchain'),
      pools: config.SPOTCHAIN_CANDLES_URL === null ? SANDBOX_POOLS : new Map(),
      // A real aggregator's transactions are not for the sandbox's chain.
      rpcUrl: config.SPOTCHAIN_RPC_URL?.reveal() ?? (config.SPOTCHAIN_URL === null ? simulator('primarychain') : null),
      makers: config.SPOTCHAIN_URL === null ? [SANDBOX_MAKER] : [],
      launchPartner: config.LAUNCH_PARTNER_WALLET ?? (config.SPOTCHAIN_URL === null ? SANDBOX_LAUNCH_PARTNER : null),
    },
  }),
  isSimulated: (config) => config.SPOTCHAIN_URL === null,
  simulators: {
    spotchain: {
      place: 2,
      async start({ tokenMarket: market, mints: tokens, stable, swaps: handler, launched }, at) {
        const { createSpotchainSimulator } = await import('../../sandbox/spotchain/simulator.ts');
        return createSpotchainSimulator({ market, tokens, stable, handler, launched, apiKeys: [SANDBOX_KEY], ...at });
      },
    },
    // The last one of all: its sockets have the port after it.
    primarychain: {
      place: 22,
      async start({ chain, seed }, at) {
        const { openSolanaNode } = await import('../../sandbox/solana/simulator.ts');
        return openSolanaNode(chain, { seed, ...at });
      },
    },
  },

  open({ addresses, budgets: { aggregator, pools }, clock, random, note }: Chain) {
    const { url, key, candlesUrl, pools: poolOf } = addresses.spotchain;
    const client = createKeyedClient({
      venue: 'spotchain',
      baseUrl: url,
      headers: key === null ? {} : { 'x-api-key': key },
      clock,
      random,
      perMinute: SPOTCHAIN_PER_MINUTE,
      budget: aggregator,
    });
    const bars = createKeyedClient({
      venue: 'spotchain',
      baseUrl: candlesUrl,
      clock,
      random,
      perMinute: CANDLES_PER_MINUTE,
      budget: pools,
      note,
    });
    const poolsNow = () =>
      tokensNow().flatMap(({ symbol, scaledUi }) => {
        const pool = poolOf.get(symbol);
        return pool === undefined ? [] : [{ symbol, pool, scaledUi }];
      });
    return {
      feeds: [createSpotchainFeed({ client, tokens: tokensNow, stable: { mint: USDC_MINT, decimals: USDC_DECIMALS }, clock, random })],
      history: createSpotchainCandles({ client: bars, pools: poolsNow }),
    };
  },
} satisfies VenueEntry;
