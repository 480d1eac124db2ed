/** The EVM chain in this service: its node and its tokens. */
import type { TokenListing } from '../../adapters/evmchain/wallet-reader.ts';
import { EVM_TOKENS } from '../../domain/identity/evm-chain.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';

interface Addresses {
  /** Node of the EVM chain, whose URL may contain a key. `tokens` are read for every wallet. */
  readonly evmchain: { readonly url: string; readonly chainId: number; readonly tokens: readonly TokenListing[] };
}

export const evmchain = {
  venue: 'evmvenue',
  budgets: () => ({}),
  addresses: (config: Config, simulator: SimulatorAt): Addresses => ({
    evmchain: {
      url: config.EVMCHAIN_URL?.reveal() ?? simulator('evmchain'),
      chainId: config.EVMCHAIN_ID,
      tokens: config.EVMCHAIN_TOKENS ?? EVM_TOKENS,
    },
  }),
  isSimulated: (config) => config.EVMCHAIN_URL === null,
  simulators: {
    evmchain: {
      place: 11,
      async start({ ledger, evmChainId: chainId }, at) {
        const { createEvmChainSimulator } = await import('../../sandbox/evmchain/simulator.ts');
        return createEvmChainSimulator({ chainId, tokens: EVM_TOKENS, ledger, ...at });
      },
    },
  },
} satisfies OutsideEntry;
