/** Effects of a checkout's committed actions. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import type { CheckoutState } from '../../src/domain/marketplace/checkout.ts';
import { type ActorKind, activity, record, type StepInfo } from '../runtime/actor-kind.ts';
import { checkoutMachine } from './machine.ts';
import type { CheckoutContext } from './protocol.ts';

export const FOLLOW_PAYMENT = 'follow_payment';

export function checkoutContext(state: Pick<ActorState, 'context'>): CheckoutContext {
  return state.context as unknown as CheckoutContext;
}

/** The outer state: while it waits the chart stands in a state within. */
export function checkoutState({ value }: Pick<ActorState, 'value'>): CheckoutState {
  return (typeof value === 'string' ? value : Object.keys(value as object)[0]) as CheckoutState;
}

/** The row of the projection as the step leaves it. */
function projected(info: StepInfo): { readonly [field: string]: unknown } {
  const { listingId, manifestHash, priceUsd, payment, transactionId, signature, reason, detail, requestedBy, submittedBy, createdAt } =
    checkoutContext(info);
  return {
    id: info.actorId,
    orgId: info.orgId,
    listingId,
    manifestHash,
    priceUsd,
    buyer: payment?.buyer ?? null,
    payoutWallet: payment?.payoutWallet ?? null,
    memo: payment?.memo ?? null,
    transactionId,
    state: checkoutState(info),
    reason,
    detail,
    signature,
    requestedBy,
    submittedBy,
    createdAt,
    changedAt: info.now,
  };
}

export const checkoutKind: ActorKind = {
  kind: 'checkout',
  machine: checkoutMachine,
  validate: () => null,
  migrations: {},
  effects: {
    projectCheckout: (_: undefined, info) => [record('checkout', projected(info))],
    followPayment: (_: undefined, info) => [activity(FOLLOW_PAYMENT, { checkoutId: info.actorId })],
    issueLicence: (_: undefined, info) => {
      const { licenceId, listingId, manifestHash, priceUsd, signature, requestedBy } = checkoutContext(info);
      const licence = { id: licenceId, orgId: info.orgId, listingId, checkoutId: info.actorId, manifestHash, priceUsd, signature };
      return [record('licence', { ...licence, issuedTo: requestedBy, issuedAt: info.now })];
    },
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { listingId, priceUsd, signature, reason, detail } = checkoutContext(info);
      const body = { what, checkoutId: info.actorId, state: checkoutState(info), listingId, priceUsd, signature, reason, detail };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
  },
};
