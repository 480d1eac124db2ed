/**
 * The state chart of a launch by the external launcher: quoted, prepared, payment_submitted, payment_confirmed, launching, launched. The
 * payment is a separate prepared transaction. Once it is final, the launcher is asked with its signature, which names one launch however
 * often it is asked. Only its answer leads out of `launching`.
 */
import { assign, setup } from 'xstate';
import { again, readAnswer, answers, ENDS, ended, readEnd, WAIT } from '../prepared-transaction/follower-chart.ts';
import { effect } from '../runtime/actor-kind.ts';
import { MINUTE_MS, type EpochMs } from '../../src/domain/values/time.ts';
import type { LauncherIntent, LauncherOffer } from '../../src/domain/launch/launcher.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Input of a launch. Plain JSON. */
export interface LauncherLaunchInput {
  readonly intent: LauncherIntent;
  readonly offer: LauncherOffer;
  readonly quoteSymbol: string;
  readonly pairedStock: InstrumentKey;
  readonly preparedBy: string;
  readonly createdAt: EpochMs;
}

/** Context of a launch. Plain JSON, stored in the snapshot. */
export interface LauncherLaunchContext extends LauncherLaunchInput {
  /** Id of the payment's prepared transaction, or null until it is built. */
  readonly paymentId: string | null;
  /** Signed bytes in base64, or null before the submission. They never change. */
  readonly signed: string | null;
  readonly signature: string | null;
  readonly submittedBy: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** Number of queries to the launcher since the payment was final. */
  readonly asked: number;
  readonly token: LaunchedToken | null;
}

/** The token as read from the chain. */
interface LaunchedToken {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
  /** The launcher's transaction, or null if it names none. */
  readonly transaction: string | null;
}

export type LauncherAnswer =
  | { readonly outcome: 'waits' }
  /** A supermajority has voted for the payment. */
  | { readonly outcome: 'confirmed' }
  | { readonly outcome: 'finalized' }
  /** The payment will never land, or landed without its effect. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  | { readonly outcome: 'launched'; readonly token: LaunchedToken }
  | { readonly outcome: 'declined'; readonly code: string; readonly detail: string }
  /** The launcher has not launched yet, does not answer, or names a token that the chain does not show yet. */
  | { readonly outcome: 'pending'; readonly detail: string };

type LauncherLaunchEvent =
  | { readonly type: 'payment.prepared'; readonly transactionId: string }
  | { readonly type: 'submit'; readonly signed: string; readonly signature: string; readonly subject: string }
  /** The payer asks for another query of the launcher. */
  | { readonly type: 'retry'; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: LauncherAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };

const ASK_SOON_MS = 2_000;
const ASK_RARELY_MS = MINUTE_MS;

export const launcherLaunchMachine = setup({
  types: { context: {} as LauncherLaunchContext, events: {} as LauncherLaunchEvent, input: {} as LauncherLaunchInput },
  actions: {
    projectLaunch: effect<undefined>(),
    /** Submits the payment, and reports its state. */
    carryPayment: effect<undefined>(),
    /** Reports the payment to the launcher. */
    askLauncher: effect<undefined>(),
    /** Adds the new mint to the catalog. */
    listToken: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    rememberPayment: assign(({ event }) => (event.type === 'payment.prepared' ? { paymentId: event.transactionId } : {})),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit' ? { signed: event.signed, signature: event.signature, submittedBy: event.subject } : {},
    ),
    rememberEnd: assign((args) => readEnd(args)),
    rememberDecline: assign((args) => {
      const answer = readAnswer(args);
      return answer?.outcome === 'declined' ? { reason: answer.code, detail: answer.detail } : {};
    }),
    rememberToken: assign((args) => {
      const answer = readAnswer(args);
      return answer?.outcome === 'launched' ? { token: answer.token, reason: null, detail: null } : {};
    }),
    rememberUnpaid: assign({ reason: 'offer_expired', detail: 'the offer of the launcher expired before a payment was built' }),
    countAsking: assign({ asked: ({ context }) => context.asked + 1 }),
    askAnew: assign({ asked: 0, reason: null, detail: null }),
  },
  guards: {
    isConfirmed: answers<LauncherAnswer>('confirmed'),
    isFinal: answers<LauncherAnswer>('finalized'),
    isLaunched: answers<LauncherAnswer>('launched'),
    isDeclined: answers<LauncherAnswer>('declined'),
    isExpired: ended('expired'),
    isFailed: ended('failed'),
  },
  delays: {
    unpaidUntil: ({ context }) => Math.max(0, context.offer.validUntil - context.createdAt),
    unsignedLookAfter: 15_000,
    carryAfter: 1_000,
    askAfter: ({ context }) => Math.min(ASK_SOON_MS * 2 ** Math.min(context.asked, 10), ASK_RARELY_MS),
  },
}).createMachine({
  id: 'launcher_launch@1',
  context: ({ input }) => ({
    ...input,
    paymentId: null,
    signed: null,
    signature: null,
    submittedBy: null,
    reason: null,
    detail: null,
    asked: 0,
    token: null,
  }),
  initial: 'quoted',
  states: {
    /** The launcher has priced the intent, and the payment is being built. */
    quoted: {
      entry: 'projectLaunch',
      after: { unpaidUntil: { target: 'expired', actions: 'rememberUnpaid' } },
      on: { 'payment.prepared': { target: 'prepared', actions: 'rememberPayment' } },
    },
    /** The unsigned payment is stored. */
    prepared: {
      entry: 'projectLaunch',
      ...again('carryPayment', 'unsignedLookAfter'),
      on: {
        submit: { target: 'payment_submitted', actions: 'rememberSubmission' },
        'activity.done': [...ENDS, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The signed bytes are stored. From now on the payment may be on the chain. */
    payment_submitted: {
      entry: ['projectLaunch', 'carryPayment'],
      ...again('carryPayment', 'carryAfter'),
      on: {
        'activity.done': [...ENDS, { guard: 'isFinal', target: 'launching' }, { guard: 'isConfirmed', target: 'payment_confirmed' }, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** A supermajority has voted for the payment. Its block may still be dropped. */
    payment_confirmed: {
      entry: 'projectLaunch',
      ...again('carryPayment', 'carryAfter'),
      on: { 'activity.done': [...ENDS, { guard: 'isFinal', target: 'launching' }, WAIT], 'activity.given_up': WAIT },
    },
    /** The payment is final. The launcher is asked until it gives a result. */
    launching: {
      entry: ['projectLaunch', 'askLauncher'],
      ...again('askLauncher', 'askAfter'),
      on: {
        'activity.done': [
          { guard: 'isLaunched', target: 'launched', actions: 'rememberToken' },
          { guard: 'isDeclined', target: 'failed_paid', actions: 'rememberDecline' },
          { target: '.waiting', actions: 'countAsking' },
        ],
        'activity.given_up': { target: '.waiting', actions: 'countAsking' },
      },
    },
    /** The token is on its market and in the catalog. */
    launched: { type: 'final', entry: ['projectLaunch', 'listToken'] },
    /** The payment is final, but the launcher declined. The payer may have it asked again. */
    failed_paid: {
      entry: ['projectLaunch', { type: 'alertOperators', params: { what: 'launch_failed_paid' } }],
      on: { retry: { target: 'launching', actions: 'askAnew' } },
    },
    /** Unpaid launch whose offer has expired. */
    expired: { type: 'final', entry: 'projectLaunch' },
    /** The payment landed without its effect. */
    failed: { type: 'final', entry: ['projectLaunch', { type: 'alertOperators', params: { what: 'launch_failed' } }] },
  },
});
