/** Prediction markets in this service: both providers, and the on-chain venue of live orders. */
import { join, resolve } from 'node:path';
import { type PredictionAddresses, predictionAccess } from '../../adapters/venues/prediction/access.ts';
import { openAccessKey } from '../../sandbox/prediction/access-key.ts';
import { SANDBOX_KEY } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';
import { type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';

/** Opens the key that the sandbox's Kalshi accepts, and creates it on first use. @param home state folder */
const sandboxKalshiKey = (home: string) => openAccessKey(join(home, 'kalshi'));

type Addresses = PredictionAddresses['prediction'];

export const prediction = {
  ...predictionAccess,
  venue: 'prediction',
  addresses: (config: Config, simulator: SimulatorAt): PredictionAddresses => ({
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
      async start({ questions }, at, home) {
        const { createKalshiSimulator } = await import('../../sandbox/prediction/kalshi-simulator.ts');
        return createKalshiSimulator({ questions, key: sandboxKalshiKey(home), ...at });
      },
    },
    onchain: {
      place: 16,
      async start({ questions, chain, stable }, at) {
        const { createOnchainPredictionSimulator } = await import('../../sandbox/prediction/onchain/simulator.ts');
        return createOnchainPredictionSimulator({ questions, chain, stable, key: SANDBOX_KEY, ...at });
      },
    },
  },
} satisfies VenueEntry;

function kalshiKey(config: Config): Addresses['kalshi']['key'] {
  const { KALSHI_KEY_ID: id, KALSHI_PRIVATE_KEY: key } = config;
  if (config.KALSHI_URL === null) return sandboxKalshiKey(resolve(config.SEVENGATE_HOME));
  return id === null || key === null ? null : { id, privateKey: key.reveal() };
}

/**
 * Returns the on-chain venue. Its simulator fills only seeded questions with the sandbox's coins, never orders on real markets or with
 * real money.
 */
function onchainAddress(config: Config, simulator: SimulatorAt): Addresses['onchain'] {
  const { PREDICTION_ONCHAIN_URL: url, PREDICTION_ONCHAIN_KEY: key, PREDICTION_ONCHAIN_PROGRAMS: programs } = config;
  if (url !== null && key !== null) return { url, key: key.reveal(), programs };
  const isSandboxed = config.POLYMARKET_GAMMA_URL === null && config.KALSHI_URL === null && config.SPOTCHAIN_URL === null;
  return isSandboxed ? { url: `${simulator('onchain')}/prediction/v1`, key: SANDBOX_KEY, programs: [] } : null;
}
