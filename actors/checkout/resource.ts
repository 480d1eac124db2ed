/** Fields of a marketplace checkout, its licence and the agents imported under it. */
import { Type } from 'typebox';
import { type ComputedOf, type FixedOf, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, HashText, IdText, nullable, Time } from '../../src/core/shapes.ts';
import { CHECKOUT_STATES } from '../../src/domain/marketplace/checkout.ts';

export const checkout = resource('marketplace_checkouts', {
  id: { wire: IdText, column: 'uuid' },
  listingId: { wire: IdText, column: 'uuid' },
  state: {
    wire: choice(
      CHECKOUT_STATES,
      '`licensed`: the payment is final and the licence is issued. `late`: the signed bytes came after the expiry, and the chain is asked whether they had landed.',
    ),
    column: 'text',
    changes: true,
  },
  reason: { wire: nullable('string'), column: 'text', changes: true },
  detail: { wire: nullable('string'), column: 'text', changes: true },
  priceUsd: { wire: DecimalText, column: 'numeric' },
  manifestHash: { wire: HashText, column: 'text' },
  /** Base58. Null, like the next two, if the price is 0. */
  buyer: { wire: nullable('string'), column: 'text' },
  payoutWallet: { wire: nullable('string'), column: 'text' },
  memo: { wire: nullable('string', 'Names this payment on the chain.'), column: 'text' },
  /** Id of its prepared transaction, or null if nothing is paid. */
  transactionId: { holds: held<string | null>(), column: 'uuid' },
  transaction: { wire: nullable('string', 'The payment to be signed, base64; null if the price is 0.'), computed: true },
  lastValidBlockHeight: { wire: nullable('integer', 'The block height up to which the payment may land.'), computed: true },
  signature: { wire: nullable('string'), column: 'text', changes: true },
  licenceId: { wire: nullable('string', 'Null before it is `licensed`.'), computed: true },
  requestedBy: { wire: Type.String(), column: 'text' },
  submittedBy: { wire: nullable('string'), column: 'text', changes: true },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
});

export type Checkout = ViewOf<typeof checkout>;
export type CheckoutView = Checkout & ComputedOf<typeof checkout>;
/** Fields of a new checkout. */
export type CheckoutTerms = Omit<FixedOf<typeof checkout>, 'id' | 'buyer' | 'payoutWallet' | 'memo'>;

/** Right of an organization to one listing's rules. An organization has one licence per listing. */
export const licence = resource(
  'licences',
  {
    id: { wire: IdText, column: 'uuid' },
    listingId: { wire: IdText, column: 'uuid' },
    checkoutId: { wire: IdText, column: 'uuid' },
    manifestHash: { wire: HashText, column: 'text' },
    priceUsd: { wire: DecimalText, column: 'numeric' },
    signature: { wire: nullable('string', 'Signature of the payment, or null if the price was 0.'), column: 'text' },
    issuedTo: { wire: Type.String(), column: 'text' },
    issuedAt: { wire: Time, column: 'bigint', instant: true },
    agentIds: { wire: Type.Array(IdText, { description: 'Agents that were imported under it.' }), computed: true },
  },
  { unless: 'one_licence_per_listing' },
);

export type Licence = ViewOf<typeof licence> & ComputedOf<typeof licence>;

/** An agent made from a licensed listing. */
export const marketplaceImport = resource('marketplace_imports', {
  agentId: { wire: IdText, column: 'uuid' },
  licenceId: { wire: IdText, column: 'uuid' },
  listingId: { wire: IdText, column: 'uuid' },
  importedBy: { wire: Type.String(), column: 'text' },
  at: { wire: Time, column: 'bigint', instant: true },
});
