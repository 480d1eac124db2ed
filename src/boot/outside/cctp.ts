/** CCTP in this service: the stablecoin's issuer, which burns on one chain and mints on the other. */
import { type CctpAddresses, cctpAccess } from '../../adapters/bridge/cctp/access.ts';
import { CCTP_SIMULATORS } from '../../sandbox/bridge/cctp-simulators.ts';
import type { Config } from '../config.ts';
import { type BridgeProviderEntry, isBridgeSimulated } from './bridge-provider.ts';
import type { SimulatorAt } from './entry.ts';

export const cctp = {
  ...cctpAccess,
  venue: 'evmvenue',
  addresses: (config: Config, simulator: SimulatorAt): CctpAddresses => ({
    cctpUrl: isBridgeSimulated(config) ? simulator('cctp') : config.CCTP_URL,
  }),
  // The chains' simulators already determine whether a sandbox is needed.
  isSimulated: () => false,
  simulators: CCTP_SIMULATORS,
} satisfies BridgeProviderEntry;
