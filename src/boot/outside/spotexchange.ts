/** The spot exchange in this service. */
import { type SpotExchangeAddresses, spotexchangeAccess } from '../../adapters/venues/spotexchange/access.ts';
import { SPOTEXCHANGE_SIMULATORS } from '../../sandbox/spotexchange/simulators.ts';
import type { Config } from '../config.ts';
import { type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';

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
  simulators: SPOTEXCHANGE_SIMULATORS,
} satisfies VenueEntry;
