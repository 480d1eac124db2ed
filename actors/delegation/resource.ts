/** Fields of a delegation, of its revocation, and of an order that is passed to the delegated signer. */
import { Type } from 'typebox';
import { derived, held, resource, type ViewOf } from '../../src/core/resource.ts';
import { DecimalText, IdText, NullableTime, nullable, Time, walletAddress } from '../../src/core/shapes.ts';
import type { TraderKind } from '../../src/domain/identity/delegation.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { Order } from '../../src/domain/orders/order.ts';

interface Trader {
  readonly trader: TraderKind;
  readonly agentId: string;
}

export const delegation = resource('delegations', {
  id: { wire: IdText, column: 'uuid' },
  trader: { holds: held<TraderKind>(), column: 'text' },
  agentId: {
    holds: held<string>(),
    ...derived(nullable('string', 'Null if it is of a Take.'), ({ trader, agentId }: Trader) => (trader === 'agent' ? agentId : null)),
    column: 'uuid',
  },
  takeId: derived(nullable('string', 'Null if it is of an agent.'), ({ trader, agentId }: Trader) => (trader === 'take' ? agentId : null)),
  wallet: { wire: walletAddress('The address of the wallet on the primary chain, base58.'), column: 'text' },
  signerWallet: {
    wire: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'The remote signer’s id of the same wallet.' }),
    column: 'text',
  },
  maxNotionalUsd: { wire: DecimalText, column: 'numeric' },
  expiresAt: { wire: Time, column: 'bigint', instant: true },
  issuedAt: { wire: Time, column: 'bigint', instant: true },
  nonce: { wire: IdText, column: 'uuid' },
  /** Text that the owner signed. The other fields make it up. */
  challenge: { holds: held<string>(), column: 'text' },
  ownerSignature: { wire: Type.String({ description: "The owner's Ed25519 signature under the text, base64." }), column: 'text' },
  grantedBy: { wire: Type.String(), column: 'text' },
  grantedAt: { wire: Time, column: 'bigint', instant: true },
});

export const revocation = resource('delegation_revocations', {
  delegationId: { holds: held<string>(), column: 'uuid' },
  revokedAt: { wire: { ...NullableTime, description: 'Null while it was not revoked.' }, column: 'bigint', instant: true },
  revokedBy: { wire: nullable('string'), column: 'text' },
});

/** A delegation and its state. */
export type Delegation = { readonly orgId: string } & Omit<ViewOf<typeof delegation>, 'challenge'> &
  Omit<ViewOf<typeof revocation>, 'delegationId'>;

export const delegatedOrder = resource(
  'delegated_orders',
  {
    orderId: { holds: held<string>(), column: 'uuid' },
    agentId: { holds: held<string>(), column: 'uuid' },
    proposalId: { holds: held<string>(), column: 'uuid' },
    delegationId: { holds: held<string>(), column: 'uuid' },
    order: { holds: held<Order>(), column: 'jsonb', name: 'order_body' },
    /** Quotes on which risk accepted it, and which value the organization's holdings. */
    heard: { holds: held<readonly (Quote | ReferencePrice)[]>(), column: 'jsonb' },
    preparedAt: { holds: held<number>(), column: 'bigint' },
  },
  { unless: 'delegated_orders_pkey' },
);

/** A transaction submitted to the delegated signer. */
export type DelegatedOrder = { readonly orgId: string } & ViewOf<typeof delegatedOrder>;
