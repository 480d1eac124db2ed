/**
 * The state chart of a checkout: prepared, submitted, confirmed, licensed. Its payment is a separate prepared transaction, which the chart
 * submits and follows. Entering `licensed` issues the licence, once the payment is final.
 */
import { assign, setup } from 'xstate';
import { again, answers, ENDS, ended, readEnd, WAIT } from '../prepared-transaction/follower-chart.ts';
import { effect } from '../runtime/actor-kind.ts';
import type { Payment } from '../../src/domain/marketplace/checkout.ts';
import type { Checkout, CheckoutTerms } from './resource.ts';

/** Input of a checkout. Plain JSON. */
export interface CheckoutInput extends CheckoutTerms {
  /** Null if the price is 0. */
  readonly payment: Payment | null;
  readonly licenceId: string;
}

/** Context of a checkout. Plain JSON, stored in the snapshot. */
export interface CheckoutContext extends CheckoutInput, Pick<Checkout, 'signature' | 'submittedBy' | 'reason' | 'detail'> {
  /** Signed bytes in base64, or null before the submission. They never change. */
  readonly signed: string | null;
}

/** Result of following a checkout's payment. */
export type PaymentAnswer =
  | { readonly outcome: 'waits' }
  | { readonly outcome: 'confirmed' }
  /** Finalized: the creator has the whole price. */
  | { readonly outcome: 'paid' }
  /** The payment will never land, landed and failed, or moved something else. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  /** The chain did not answer. */
  | { readonly outcome: 'silent'; readonly detail: string };

type CheckoutEvent =
  | { readonly type: 'submit'; readonly signed: string; readonly signature: string; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: PaymentAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };

const PAID = { guard: 'isPaid', target: 'licensed' } as const;

export const checkoutMachine = setup({
  types: { context: {} as CheckoutContext, events: {} as CheckoutEvent, input: {} as CheckoutInput },
  actions: {
    projectCheckout: effect<undefined>(),
    /** Submits the payment if its signed bytes are there, and reports its state. */
    followPayment: effect<undefined>(),
    issueLicence: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit'
        ? { signed: event.signed, signature: event.signature, submittedBy: event.subject, reason: null, detail: null }
        : {},
    ),
    rememberEnd: assign((args) => readEnd(args)),
  },
  guards: {
    isFree: ({ context }) => context.payment === null,
    isConfirmed: answers<PaymentAnswer>('confirmed'),
    isPaid: answers<PaymentAnswer>('paid'),
    isExpired: ended('expired'),
    isFailed: ended('failed'),
  },
  delays: { unsignedLookAfter: 15_000, followAfter: 1_000, lateLookAfter: 5_000 },
}).createMachine({
  id: 'checkout@1',
  context: ({ input }) => ({ ...input, signed: null, signature: null, submittedBy: null, reason: null, detail: null }),
  initial: 'created',
  states: {
    /** Transient first state. */
    created: { always: [{ guard: 'isFree', target: 'licensed' }, { target: 'prepared' }] },
    /** The unsigned payment is stored. */
    prepared: {
      entry: 'projectCheckout',
      ...again('followPayment', 'unsignedLookAfter'),
      on: {
        submit: { target: 'submitted', actions: 'rememberSubmission' },
        'activity.done': [...ENDS, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The signed bytes are stored. From now on the payment may be on the chain. */
    submitted: {
      entry: ['projectCheckout', 'followPayment'],
      ...again('followPayment', 'followAfter'),
      on: { 'activity.done': [PAID, ...ENDS, { guard: 'isConfirmed', target: 'confirmed' }, WAIT], 'activity.given_up': WAIT },
    },
    /** A supermajority has voted for the payment. Its block may still be dropped. */
    confirmed: {
      entry: 'projectCheckout',
      ...again('followPayment', 'followAfter'),
      on: { 'activity.done': [PAID, ...ENDS, WAIT], 'activity.given_up': WAIT },
    },
    licensed: { type: 'final', entry: ['projectCheckout', 'issueLicence'] },
    /**
     * The payment can no longer land through this service. A wallet may have sent it in time. Its signed bytes then give the transaction's
     * signature.
     */
    expired: {
      entry: 'projectCheckout',
      on: { submit: { target: 'late', actions: 'rememberSubmission' } },
    },
    /** Bytes came after the expiry. Only the chain knows if they landed. */
    late: {
      entry: ['projectCheckout', 'followPayment'],
      ...again('followPayment', 'lateLookAfter'),
      on: { 'activity.done': [PAID, ...ENDS, WAIT], 'activity.given_up': WAIT },
    },
    failed: { type: 'final', entry: ['projectCheckout', { type: 'alertOperators', params: { what: 'checkout_failed' } }] },
  },
});
