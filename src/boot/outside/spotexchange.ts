/** The spot exchange in this service, and whose account live orders are sent for. */
import { type SpotExchangeAddresses, spotexchangeAccess } from '../../adapters/venues/spotexchange/access.ts';
import type { SpotCredentials } from '../../adapters/venues/spotexchange/signature.ts';
import { SANDBOX_EXCHANGE_KEY, SPOTEXCHANGE_SIMULATORS } from '../../sandbox/spotexchange/simulators.ts';
import type { Config } from '../config.ts';
import { type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';

export const spotexchange = {
  ...spotexchangeAccess,
  venue: 'spotexchange',
  addresses: (config: Config, simulator: SimulatorAt): SpotExchangeAddresses => ({
    spotexchange: {
      url: config.SPOTEXCHANGE_URL ?? simulator('spotexchange'),
      streamUrl: config.SPOTEXCHANGE_STREAM_URL ?? streamAt(simulator('spotexchange')),
    },
  }),
  isSimulated: (config) => config.SPOTEXCHANGE_URL === null,
  simulators: SPOTEXCHANGE_SIMULATORS,
} satisfies VenueEntry;

/** The account that orders are sent for; null where none is named for an exchange that is not the sandbox's. */
export function exchangeCredentials(config: Config): SpotCredentials | null {
  if (config.SPOTEXCHANGE_URL === null) return SANDBOX_EXCHANGE_KEY;
  const { SPOTEXCHANGE_KEY: key, SPOTEXCHANGE_SECRET: secret } = config;
  return key === null || secret === null ? null : { key: key.reveal(), secret: secret.reveal() };
}
