/** Simulator of CCTP, which transfers between the sandbox's chains. */
import { EVM_DOMAINS } from '../../domain/bridge/cctp-domains.ts';
import type { Simulators } from '../simulator-entry.ts';

/** Domain of the sandbox's EVM chain if Circle assigns none to its chain id. */
const SANDBOX_DOMAIN = 3;

export const CCTP_SIMULATORS = {
  cctp: {
    place: 18,
    async start({ chains, evmChainId, scripts }, at) {
      const { createCctpSimulator } = await import('./cctp-simulator.ts');
      return createCctpSimulator({ ...chains, evmDomain: EVM_DOMAINS[evmChainId] ?? SANDBOX_DOMAIN, script: scripts.cctp, ...at });
    },
  },
} satisfies Simulators;
