/** A linked wallet on the wire. */
import { Type } from 'typebox';
import type { LinkedWallet } from '../../../src/domain/identity/linked-wallet.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { choice, IdText, nullable, objectOf, Time } from '../../shapes.ts';

export const AddressText = Type.String({
  minLength: 32,
  maxLength: 44,
  description: 'Address on the primary chain (base58) or on the EVM chain (0x and 40 hexadecimal digits).',
});

export const WalletPath = objectOf({ id: IdText });

export const LinkedWalletBody = Type.Object(
  {
    id: IdText,
    chain: choice(['spotchain', 'evmvenue']),
    address: Type.String(),
    label: nullable('string'),
    provedBy: Type.String({ description: 'The member who handed the signature in.' }),
    provedAt: Time,
  },
  { $id: 'LinkedWallet' },
);

export function linkedWalletBody({ provedAt, ...wallet }: LinkedWallet) {
  return { ...wallet, provedAt: isoTime(provedAt) };
}
