/** Effects of a checkout's committed actions. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { CheckoutState } from '../../src/domain/marketplace/checkout.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type ActorKind, activity, record } from '../runtime/actor-kind.ts';
import { checkoutMachine, type CheckoutContext } from './machine.ts';
import { type Checkout, checkout, licence } from './resource.ts';

export const FOLLOW_PAYMENT = 'follow_payment';

export function checkoutContext(state: Pick<ActorState, 'context'>): CheckoutContext {
  return state.context as unknown as CheckoutContext;
}

/** Returns the outer state. While it waits, the chart is in a nested state. */
export function checkoutState({ value }: Pick<ActorState, 'value'>): CheckoutState {
  return (typeof value === 'string' ? value : Object.keys(value as object)[0]) as CheckoutState;
}

const UNPAID = { buyer: null, payoutWallet: null, memo: null };

/** Returns the checkout after a step. */
export function checkoutRow(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): Checkout {
  const context = checkoutContext(state);
  const { buyer, payoutWallet, memo } = context.payment ?? UNPAID;
  return checkout.pick({ id, state: checkoutState(state), buyer, payoutWallet, memo, changedAt }, context);
}

export const checkoutKind: ActorKind = {
  kind: 'checkout',
  machine: checkoutMachine,
  validate: () => null,
  migrations: {},
  effects: {
    projectCheckout: (_: undefined, info) => [record('checkout', checkout.record(info.orgId, checkoutRow(info.actorId, info, info.now)))],
    followPayment: (_: undefined, info) => [activity(FOLLOW_PAYMENT, { checkoutId: info.actorId })],
    issueLicence: (_: undefined, info) => {
      const { licenceId, listingId, manifestHash, priceUsd, signature, requestedBy } = checkoutContext(info);
      const issued = { id: licenceId, listingId, checkoutId: info.actorId, manifestHash, priceUsd, signature };
      return [record('licence', licence.record(info.orgId, { ...issued, issuedTo: requestedBy, issuedAt: info.now }))];
    },
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { listingId, priceUsd, signature, reason, detail } = checkoutContext(info);
      const body = { what, checkoutId: info.actorId, state: checkoutState(info), listingId, priceUsd, signature, reason, detail };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
  },
};
