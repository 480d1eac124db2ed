/** CCTP in this service: the stablecoin's issuer, which burns on one chain and mints on the other. */
import { type CctpAddresses, cctpAccess } from '../../adapters/bridge/cctp/access.ts';
import type { Config } from '../config.ts';
import { type BridgeProviderEntry, isBridgeSimulated, type SimulatorAt } from './entry.ts';
import { EVM_DOMAINS } from '../../domain/bridge/cctp-domains.ts';

/** Domain of the sandbox's EVM chain if Circle assigns none to its chain id. */
const SANDBOX_DOMAIN = 3;

export const cctp = {
  ...cctpAccess,
  venue: 'evmvenue',
  addresses: (config: Config, simulator: SimulatorAt): CctpAddresses => ({
    cctpUrl: isBridgeSimulated(config) ? simulator('cctp') : config.CCTP_URL,
  }),
  // The chains' simulators already determine whether a sandbox is needed.
  isSimulated: () => false,
  simulators: {
    cctp: {
      place: 18,
      async start({ chains, evmChainId, scripts }, at) {
        const { createCctpSimulator } = await import('../../sandbox/bridge/cctp-simulator.ts');
        return createCctpSimulator({ ...chains, evmDomain: EVM_DOMAINS[evmChainId] ?? SANDBOX_DOMAIN, script: scripts.cctp, ...at });
      },
    },
  },
} satisfies BridgeProviderEntry;
