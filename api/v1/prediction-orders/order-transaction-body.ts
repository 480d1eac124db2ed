/** The transaction that opens a live prediction order, on the wire. */
import { Type } from 'typebox';
import type { PreparedTransactionView } from '../../../actors/prepared-transaction/resource.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { choice, IdText, nullable, Time } from '../../shapes.ts';

export const OrderTransactionBody = Type.Object(
  {
    id: IdText,
    state: choice(PREPARED_TRANSACTION_STATES, 'Final opens the order; it does not fill it.'),
    reason: nullable('string', 'Reason of its end; null if the state needs none.'),
    detail: nullable('string', 'The same as a sentence.'),
    wallet: Type.String({ description: 'Wallet that signs and pays.' }),
    unsigned: Type.String({
      description: 'The whole transaction in base64, as the wallet is to sign it: exactly these bytes, and without sending them.',
    }),
    digest: Type.String({ description: 'SHA-256 of its message, in hexadecimal.' }),
    requiredSigners: Type.Array(Type.String()),
    blockhash: Type.String(),
    lastValidBlockHeight: Type.Integer({ description: 'Above this block height it cannot land any more.' }),
    signature: nullable('string', 'Its name on the chain, once it is signed.'),
    slot: nullable('number', 'The slot of the chain that it landed in.'),
    feeLamports: nullable('string', 'Network fee, once it is final.'),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'PredictionOrderTransaction' },
);

export function orderTransactionBody(view: PreparedTransactionView) {
  const { digest, requiredSigners, blockhash, lastValidBlockHeight } = view.message;
  return {
    id: view.id,
    state: view.state,
    reason: view.reason,
    detail: view.detail,
    wallet: view.wallet,
    unsigned: view.unsigned,
    digest,
    requiredSigners: [...requiredSigners],
    blockhash,
    lastValidBlockHeight,
    signature: view.signature,
    slot: view.slot,
    feeLamports: view.feeLamports,
    createdAt: isoTime(view.createdAt),
    changedAt: isoTime(view.changedAt),
  };
}
