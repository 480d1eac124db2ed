/** Wallets of the EVM chain as people ask for them: read from its node, at most once in a few seconds each. */
import type { ChainWallet } from '../../domain/identity/wallet.ts';
import type { Outcome } from '../../domain/values/refusal.ts';
import { briefly } from '../brief-answers.ts';
import { checkedAddress } from './address.ts';
import { createWalletReader } from './wallet-reader.ts';

const CACHE_MS = 5_000;

/** Created once per process. */
export function createChainWalletReads(options: Parameters<typeof createWalletReader>[0]) {
  const chain = createWalletReader(options);
  const balances = briefly<ChainWallet>(options.clock, CACHE_MS);
  return {
    async read(text: string): Promise<Outcome<ChainWallet>> {
      const address = checkedAddress(text);
      return address.ok ? balances(address.value, () => chain.read(address.value)) : address;
    },
  };
}

/** Balances of an address on the EVM chain, read from a node at one block. */
export type ChainWalletReads = ReturnType<typeof createChainWalletReads>;
