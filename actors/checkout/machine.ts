/**
 * The state chart of a checkout: prepared, submitted, confirmed, licensed. Its payment is a prepared transaction of its own,
 * which it hands over and follows. The licence is issued by the one step that enters `licensed`, once the payment is final.
 */
import { assign, setup } from 'xstate';
import { again, answers, ENDS, ended, endOf, WAIT } from '../prepared-transaction/follower-chart.ts';
import { effect, fromInput } from '../runtime/actor-kind.ts';
import type { CheckoutContext, CheckoutEvent, CheckoutInput, PaymentAnswer } from './protocol.ts';

const PAID = { guard: 'isPaid', target: 'licensed' } as const;

export const checkoutMachine = setup({
  types: { context: {} as CheckoutContext, events: {} as CheckoutEvent, input: {} as CheckoutInput },
  actions: {
    projectCheckout: effect<undefined>(),
    /** Hands the payment over if its signed bytes are there, and tells where it stands. */
    followPayment: effect<undefined>(),
    issueLicence: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit'
        ? { signed: event.signed, signature: event.signature, submittedBy: event.subject, reason: null, detail: null }
        : {},
    ),
    rememberEnd: assign((args) => endOf(args)),
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
  context: fromInput((input) => ({ ...input, signed: null, signature: null, submittedBy: null, reason: null, detail: null })),
  initial: 'created',
  states: {
    /** Initial state, left at once. */
    created: { always: [{ guard: 'isFree', target: 'licensed' }, { target: 'prepared' }] },
    /** The unsigned payment is stored; it is not signed yet. */
    prepared: {
      entry: 'projectCheckout',
      ...again('followPayment', 'unsignedLookAfter'),
      on: {
        submit: { target: 'submitted', actions: 'rememberSubmission' },
        'activity.done': [...ENDS, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The signed bytes are stored; from here on the payment may be on the chain. */
    submitted: {
      entry: ['projectCheckout', 'followPayment'],
      ...again('followPayment', 'followAfter'),
      on: { 'activity.done': [PAID, ...ENDS, { guard: 'isConfirmed', target: 'confirmed' }, WAIT], 'activity.given_up': WAIT },
    },
    /** The payment has a supermajority behind it; its block may still be left behind. */
    confirmed: {
      entry: 'projectCheckout',
      ...again('followPayment', 'followAfter'),
      on: { 'activity.done': [PAID, ...ENDS, WAIT], 'activity.given_up': WAIT },
    },
    licensed: { type: 'final', entry: ['projectCheckout', 'issueLicence'] },
    /** Can no longer land through this service. A wallet may still have sent it in time; its signed bytes give the transaction's name. */
    expired: {
      entry: 'projectCheckout',
      on: { submit: { target: 'late', actions: 'rememberSubmission' } },
    },
    /** Bytes came after the expiry: the chain alone says whether they had landed. */
    late: {
      entry: ['projectCheckout', 'followPayment'],
      ...again('followPayment', 'lateLookAfter'),
      on: { 'activity.done': [PAID, ...ENDS, WAIT], 'activity.given_up': WAIT },
    },
    failed: { type: 'final', entry: ['projectCheckout', { type: 'alertOperators', params: { what: 'checkout_failed' } }] },
  },
});
