/** Linked wallets for the API: reads of the store, and the command handler that verifies them. */
import { createLinkedWalletHandler } from '../../../actors/linked-wallet/commands.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { checkedAddress } from '../../adapters/evmchain/checked-address.ts';
import { createWalletReader } from '../../adapters/evmchain/wallet-reader.ts';
import { type EvmWallets, isWalletTextSigned } from '../../adapters/identity/wallet-signature.ts';
import { createLinkedWalletStore } from '../../adapters/store/callers/linked-wallet-store.ts';
import type { Sql } from '../../adapters/store/database.ts';

export function createLinkedWallets(sql: Sql, clock: Pick<Clock, 'now'>, newId: () => string, evm: EvmWallets): ApiPorts['linkedWallets'] {
  const store = createLinkedWalletStore(sql);
  return {
    reads: store,
    commands: createLinkedWalletHandler({
      store,
      clock,
      newId,
      evmAddress: checkedAddress,
      evmChainId: evm.chainId,
      isSigned: (address, text, signature) => isWalletTextSigned(address, text, signature, evm),
    }),
  };
}

type ReaderOptions = Parameters<typeof createWalletReader>[0];

/** Creates the reads of EVM wallets from the node at an address. */
export function evmWalletsAt(
  place: Omit<ReaderOptions, 'clock' | 'onFailure'>,
  clock: ReaderOptions['clock'],
  onFailure: NonNullable<ReaderOptions['onFailure']>,
): EvmWallets {
  return { chainId: place.chainId, takesSignature: createWalletReader({ ...place, clock, onFailure }).takesSignature };
}
