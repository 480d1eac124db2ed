/** Prediction markets in this service: both providers, the on-chain venue that live orders go to, and their simulators. */
import { join } from 'node:path';
import type { UnknownFields } from '../../../streams/feed-counters.ts';
import { createKalshiFeed } from '../../adapters/venues/prediction/kalshi/feed.ts';
import { createKalshiRest, KALSHI_TOKENS_PER_SECOND } from '../../adapters/venues/prediction/kalshi/rest.ts';
import { createOnchainOrders } from '../../adapters/venues/prediction/onchain-orders.ts';
import { createPolymarketFeed } from '../../adapters/venues/prediction/polymarket/feed.ts';
import { createPolymarketRest, POLYMARKET_LIMITS, POLYMARKET_WINDOW_MS } from '../../adapters/venues/prediction/polymarket/rest.ts';
import type { PredictionAsking } from '../../adapters/venues/prediction/prediction-reads.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../domain/catalog.ts';
import { openAccessKey } from '../../sandbox/prediction/access-key.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { MakeBudget } from '../budgets.ts';
import type { OnchainPredictions } from '../capabilities/capability.ts';
import type { Config } from '../config.ts';
import { ASKED_WAIT_MS, type Reach, type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';

/** The on-chain venue tells no limit; one request a second is a client that nobody minds. */
const ONCHAIN_PER_MINUTE = 60;

/** What the providers let one address ask: windows of ten seconds, and a bucket that is full again after one. */
const budgets = (make: MakeBudget) => ({
  polymarket_gamma: make('polymarket_gamma', POLYMARKET_LIMITS.gamma, POLYMARKET_WINDOW_MS),
  polymarket_clob: make('polymarket_clob', POLYMARKET_LIMITS.clob, POLYMARKET_WINDOW_MS),
  polymarket_data: make('polymarket_data', POLYMARKET_LIMITS.data, POLYMARKET_WINDOW_MS),
  kalshi: make('kalshi', KALSHI_TOKENS_PER_SECOND, 1_000),
  prediction_onchain: make('prediction_onchain', ONCHAIN_PER_MINUTE),
});

interface Addresses {
  readonly prediction: {
    readonly polymarket: { readonly gammaUrl: string; readonly clobUrl: string; readonly dataUrl: string; readonly streamUrl: string };
    /** `key` null: the tops are polled, because the venue opens no socket without one. */
    readonly kalshi: {
      readonly url: string;
      readonly streamUrl: string;
      readonly key: { readonly id: string; readonly privateKey: string } | null;
    };
    /** Where live orders go; null where none is named and the markets or the chain are real. */
    readonly onchain: { readonly url: string; readonly key: string; readonly programs: readonly string[] } | null;
  };
}

type Providers = Reach<Addresses, ReturnType<typeof budgets>>;

export const prediction = {
  venue: 'prediction',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    prediction: {
      polymarket: {
        gammaUrl: config.POLYMARKET_GAMMA_URL ?? `${simulator('polymarket')}/gamma`,
        clobUrl: config.POLYMARKET_CLOB_URL ?? `${simulator('polymarket')}/clob`,
        dataUrl: config.POLYMARKET_DATA_URL ?? `${simulator('polymarket')}/data`,
        streamUrl: config.POLYMARKET_STREAM_URL ?? `${streamAt(simulator('polymarket'))}/ws/market`,
      },
      kalshi: {
        url: config.KALSHI_URL ?? `${simulator('kalshi')}/trade-api/v2`,
        streamUrl: config.KALSHI_STREAM_URL ?? `${streamAt(simulator('kalshi'))}/trade-api/ws/v2`,
        key: kalshiKey(config),
      },
      onchain: onchainAddress(config, simulator),
    },
  }),
  isSimulated: (config) => config.POLYMARKET_GAMMA_URL === null || config.KALSHI_URL === null,
  simulators: {
    polymarket: {
      place: 12,
      start: async ({ questions }, at) =>
        (await import('../../sandbox/prediction/polymarket-simulator.ts')).createPolymarketSimulator({ questions, ...at }),
    },
    kalshi: {
      place: 13,
      async start({ questions }, at, config) {
        const { createKalshiSimulator } = await import('../../sandbox/prediction/kalshi-simulator.ts');
        return createKalshiSimulator({ questions, key: openAccessKey(kalshiFolder(config)), ...at });
      },
    },
    onchain: {
      place: 16,
      async start({ questions, chain, stable }, at) {
        const { createOnchainPredictionSimulator } = await import('../../sandbox/prediction/onchain-simulator.ts');
        return createOnchainPredictionSimulator({ questions, chain, stable, key: SANDBOX_KEY, ...at });
      },
    },
  },

  open(reach: Providers) {
    const { addresses, clock, random } = reach;
    const { polymarket, kalshi } = addresses.prediction;
    const rest = restOf(reach);
    const predictions = [
      createPolymarketFeed({ streamUrl: polymarket.streamUrl, rest: rest.polymarket, clock, random }),
      createKalshiFeed({ streamUrl: kalshi.streamUrl, key: kalshi.key, rest: rest.kalshi, clock, random }),
    ];
    return { feeds: predictions, predictions };
  },
} satisfies VenueEntry;

/** Where the key lies that the sandbox's Kalshi accepts. */
function kalshiFolder(config: Config): string {
  return join(config.SEVENGATE_HOME, 'kalshi');
}

function kalshiKey(config: Config): Addresses['prediction']['kalshi']['key'] {
  const { KALSHI_KEY_ID: id, KALSHI_PRIVATE_KEY: key } = config;
  if (config.KALSHI_URL === null) return openAccessKey(kalshiFolder(config));
  return id === null || key === null ? null : { id, privateKey: key.reveal() };
}

/** The simulator fills seeded questions with the sandbox's coins: never orders on real markets, and never real money. */
function onchainAddress(config: Config, simulator: SimulatorAt): Addresses['prediction']['onchain'] {
  const { PREDICTION_ONCHAIN_URL: url, PREDICTION_ONCHAIN_KEY: key, PREDICTION_ONCHAIN_PROGRAMS: programs } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), programs };
  const isSandboxed = config.POLYMARKET_GAMMA_URL === null && config.KALSHI_URL === null && config.SPOTCHAIN_URL === null;
  return isSandboxed ? { url: `${simulator('onchain')}/prediction/v1`, key: SANDBOX_KEY, programs: [] } : null;
}

function restOf(
  { addresses, clock, random, budgets: paid }: Omit<Providers, 'note'>,
  given: { readonly maxWaitMs?: number; readonly unknownFields?: UnknownFields } = {},
) {
  const { gammaUrl, clobUrl, dataUrl } = addresses.prediction.polymarket;
  return {
    polymarket: createPolymarketRest({
      gammaUrl,
      clobUrl,
      dataUrl,
      clock,
      random,
      budgets: { gamma: paid.polymarket_gamma, clob: paid.polymarket_clob, data: paid.polymarket_data },
      ...given,
    }),
    kalshi: createKalshiRest({ baseUrl: addresses.prediction.kalshi.url, clock, random, budget: paid.kalshi, ...given }),
  };
}

/** Books and trades on demand, in any process, within its request budgets. */
export function createPredictionAsking(reach: Providers): Readonly<Record<'polymarket' | 'kalshi', PredictionAsking>> {
  return restOf(reach, { maxWaitMs: ASKED_WAIT_MS, unknownFields: { note: reach.note, rows: () => [] } });
}

/** The on-chain venue with its chain; null where either is not named. */
export function openOnchainPredictions(
  { addresses, clock, random, budgets: paid, note }: Providers,
  chain: OnchainPredictions['chain'] | null,
): (OnchainPredictions & { close(): void }) | null {
  const { onchain } = addresses.prediction;
  if (onchain === null || chain === null) return null;
  const { url: baseUrl, key, programs } = onchain;
  const stable = { mint: USDC_MINT, decimals: USDC_DECIMALS };
  const venue = createOnchainOrders({ baseUrl, key, stable, programs, clock, random, budget: paid.prediction_onchain, note });
  return { venue, chain, close: () => venue.close() };
}
