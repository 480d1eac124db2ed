/** Wallets of the EVM chain as people ask for them: read from its node, at most once in a few seconds each. */
import type { ChainWalletReads } from '../../../api/v1/wallets/ports.ts';
import type { ChainWallet } from '../../domain/identity/wallet.ts';
import { briefly } from '../brief-answers.ts';
import { checkedAddress } from './address.ts';
import { createWalletReader } from './wallet-reader.ts';

const CACHE_MS = 5_000;

/** Created once per process. */
export function createChainWalletReads(options: Parameters<typeof createWalletReader>[0]): ChainWalletReads {
  const chain = createWalletReader(options);
  const balances = briefly<ChainWallet>(options.clock, CACHE_MS);
  return {
    async read(text) {
      const address = checkedAddress(text);
      return address.ok ? balances(address.value, () => chain.read(address.value)) : address;
    },
  };
}
