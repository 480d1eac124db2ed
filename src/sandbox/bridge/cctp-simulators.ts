/** CCTP in the sandbox: it carries between the chains of the sandbox. */
import { EVM_DOMAINS } from '../../domain/bridge/cctp-domains.ts';
import type { Simulators } from '../simulator-entry.ts';

/** The domain of the sandbox's EVM chain where Circle has none for its number. */
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
