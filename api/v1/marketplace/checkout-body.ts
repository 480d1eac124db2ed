/** A checkout and a licence on the wire. */
import { type Static, Type } from 'typebox';
import type { CheckoutView, Licence } from '../../../actors/checkout/commands.ts';
import { CHECKOUT_STATES } from '../../../src/domain/marketplace/checkout.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { choice, DecimalText, HashText, IdText, nullable, Time } from '../../shapes.ts';

export const CheckoutBody = Type.Object(
  {
    id: IdText,
    listingId: IdText,
    state: choice(
      CHECKOUT_STATES,
      '`licensed`: the payment is final and the licence is issued. `late`: the signed bytes came after the expiry, and the chain is asked whether they had landed.',
    ),
    reason: nullable('string'),
    detail: nullable('string'),
    priceUsd: DecimalText,
    manifestHash: HashText,
    buyer: nullable('string'),
    payoutWallet: nullable('string'),
    memo: nullable('string', 'Names this payment on the chain.'),
    transaction: nullable('string', 'The payment to be signed, base64; null if the price is 0.'),
    lastValidBlockHeight: nullable('integer', 'The block height up to which the payment may land.'),
    signature: nullable('string'),
    licenceId: nullable('string', 'Null before it is `licensed`.'),
    requestedBy: Type.String(),
    submittedBy: nullable('string'),
    createdAt: Time,
    changedAt: Time,
  },
  { $id: 'Checkout' },
);

export function checkoutBody({ createdAt, changedAt, ...checkout }: CheckoutView): Static<typeof CheckoutBody> {
  return { ...checkout, createdAt: isoTime(createdAt), changedAt: isoTime(changedAt) };
}

export const LicenceBody = Type.Object(
  {
    id: IdText,
    listingId: IdText,
    checkoutId: IdText,
    manifestHash: HashText,
    priceUsd: DecimalText,
    signature: nullable('string', 'Signature of the payment, or null if the price was 0.'),
    issuedTo: Type.String(),
    issuedAt: Time,
    agentIds: Type.Array(IdText, { description: 'Agents that were imported under it.' }),
  },
  { $id: 'Licence' },
);

export function licenceBody({ issuedAt, agentIds, ...licence }: Licence): Static<typeof LicenceBody> {
  return { ...licence, agentIds: [...agentIds], issuedAt: isoTime(issuedAt) };
}
