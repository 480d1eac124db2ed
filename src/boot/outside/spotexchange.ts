/** The spot exchange in this service. */
import { type SpotExchangeAddresses, spotexchangeAccess } from '../../adapters/venues/spotexchange/access.ts';
import type { Config } from '../config.ts';
import { type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';
import { SANDBOX_EXCHANGE_KEY, findFurtherAccount } from '../../sandbox/spotexchange/sandbox-accounts.ts';

export const spotexchange = {
  ...spotexchangeAccess,
  venue: 'spotexchange',
  addresses: (config: Config, simulator: SimulatorAt): SpotExchangeAddresses => ({
    spotexchange: {
      url: config.SPOTEXCHANGE_URL ?? simulator('spotexchange'),
      streamUrl: config.SPOTEXCHANGE_STREAM_URL ?? streamAt(simulator('spotexchange')),
      wsApiUrl: config.SPOTEXCHANGE_URL === null ? `${streamAt(simulator('spotexchange'))}/ws-api/v3` : config.SPOTEXCHANGE_WS_API_URL,
    },
  }),
  isSimulated: (config) => config.SPOTEXCHANGE_URL === null,
  simulators: {
    spotexchange: {
      place: 0,
      async start({ market }, at) {
        const { createSpotExchangeSimulator } = await import('../../sandbox/spotexchange/simulator.ts');
        return createSpotExchangeSimulator({ market, keys: [SANDBOX_EXCHANGE_KEY], accountOfKey: findFurtherAccount, ...at });
      },
    },
  },
} satisfies VenueEntry;
