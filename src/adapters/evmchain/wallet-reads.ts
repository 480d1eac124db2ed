/** Cached reads of EVM wallets for the API: each address is read at most once in a few seconds. */
import type { ChainWallet } from '../../domain/identity/wallet.ts';
import type { Outcome } from '../../domain/values/refusal.ts';
import { briefly } from '../brief-answers.ts';
import { checkedAddress } from './checked-address.ts';
import { createWalletReader } from './wallet-reader.ts';

const CACHE_MS = 5_000;

/** Creates the reads, once per process. */
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

/** Reads of balances on the EVM chain at one block. */
export type ChainWalletReads = ReturnType<typeof createChainWalletReads>;
