/** The perpetuals venue in this service. */
import { type EvmVenueAddresses, evmvenueAccess } from '../../adapters/venues/evmvenue/access.ts';
import type { Config } from '../config.ts';
import { type SimulatorAt, streamAt, type VenueEntry } from './entry.ts';

export const evmvenue = {
  ...evmvenueAccess,
  venue: 'evmvenue',
  addresses: (config: Config, simulator: SimulatorAt): EvmVenueAddresses => ({
    evmvenue: {
      url: config.EVMVENUE_URL ?? simulator('evmvenue'),
      streamUrl: config.EVMVENUE_STREAM_URL ?? `${streamAt(simulator('evmvenue'))}/ws`,
    },
  }),
  isSimulated: (config) => config.EVMVENUE_URL === null,
  simulators: {
    evmvenue: {
      place: 1,
      async start({ market }, at) {
        const { createEvmVenueSimulator } = await import('../../sandbox/evmvenue/simulator.ts');
        return createEvmVenueSimulator({ market, ...at });
      },
    },
  },
} satisfies VenueEntry;
