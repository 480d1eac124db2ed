/** Simulator of the EVM chain's node. */
import { EVM_TOKENS } from '../../domain/identity/evm-chain.ts';
import type { Simulators } from '../simulator-entry.ts';

export const EVMCHAIN_SIMULATORS = {
  evmchain: {
    place: 11,
    async start({ ledger, evmChainId: chainId }, at) {
      const { createEvmChainSimulator } = await import('./simulator.ts');
      return createEvmChainSimulator({ chainId, tokens: EVM_TOKENS, ledger, ...at });
    },
  },
} satisfies Simulators;
