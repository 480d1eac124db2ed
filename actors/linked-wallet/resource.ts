/** Fields of a linked wallet. Its proof, the signed text with the signature, is on record beside them and never shown. */
import { Type } from 'typebox';
import { resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, IdText, nullable, Time } from '../../src/core/shapes.ts';
import { WALLET_CHAINS } from '../../src/domain/identity/linked-wallet.ts';

export const linkedWallet = resource('linked_wallets', {
  id: { wire: IdText, column: 'uuid' },
  chain: { wire: choice(WALLET_CHAINS), column: 'text' },
  /** Address of the wallet, checksummed on the EVM chain. */
  address: { wire: Type.String(), column: 'text' },
  label: { wire: nullable('string'), column: 'text', changes: true },
  provedBy: { wire: Type.String({ description: 'The member who handed the signature in.' }), column: 'text', changes: true },
  provedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

export type LinkedWallet = ViewOf<typeof linkedWallet>;
