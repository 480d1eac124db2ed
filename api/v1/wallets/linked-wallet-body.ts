/** A linked wallet on the wire. */
import { type Static, Type } from 'typebox';
import { type LinkedWallet, linkedWallet } from '../../../actors/linked-wallet/resource.ts';
import { IdText, objectOf } from '../../shapes.ts';

export const AddressText = Type.String({
  minLength: 32,
  maxLength: 44,
  description: 'Address on the primary chain (base58) or on the EVM chain (0x and 40 hexadecimal digits).',
});

export const WalletPath = objectOf({ id: IdText });

export const LinkedWalletBody = Type.Object(linkedWallet.wire, { $id: 'LinkedWallet' });

export const linkedWalletBody = (wallet: LinkedWallet): Static<typeof LinkedWalletBody> => linkedWallet.body(wallet);
