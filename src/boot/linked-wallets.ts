/** Linked wallets as the API asks for them: reads of the store, and the command handler that proves them. */
import { createLinkedWalletHandler } from '../../actors/linked-wallet/command-handler.ts';
import type { ApiPorts } from '../../api/ports.ts';
import type { Clock } from '../../streams/clock.ts';
import { checkedAddress } from '../adapters/evmchain/address.ts';
import { isWalletTextSigned, type TakesSignature } from '../adapters/identity/wallet-signature.ts';
import { createLinkedWalletStore } from '../adapters/store/callers/linked-wallet-store.ts';
import type { Sql } from '../adapters/store/database.ts';

export function createLinkedWallets(
  sql: Sql,
  clock: Pick<Clock, 'now'>,
  newId: () => string,
  takesSignature: TakesSignature,
): ApiPorts['linkedWallets'] {
  const store = createLinkedWalletStore(sql);
  return {
    reads: store,
    commands: createLinkedWalletHandler({
      store,
      clock,
      newId,
      evmAddress: checkedAddress,
      isSigned: (address, text, signature) => isWalletTextSigned(address, text, signature, takesSignature),
    }),
  };
}
