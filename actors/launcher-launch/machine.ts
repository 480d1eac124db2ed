/**
 * The state chart of a launch by the external launcher: quoted, prepared, payment_submitted, payment_confirmed, launching,
 * launched. The payment is a prepared transaction of its own. Once it is final the launcher is asked with its signature,
 * which names one launch however often it is asked; only its word leads out of `launching`.
 */
import { assign, setup } from 'xstate';
import { effect } from '../runtime/actor-kind.ts';
import type { LauncherAnswer, LauncherLaunchContext, LauncherLaunchEvent, LauncherLaunchInput } from './protocol.ts';

interface Heard {
  readonly context: LauncherLaunchContext;
  readonly event: LauncherLaunchEvent;
}

const answerOf = ({ event }: Pick<Heard, 'event'>): LauncherAnswer | null => (event.type === 'activity.done' ? event.answer : null);

const answers =
  (outcome: LauncherAnswer['outcome']) =>
  (heard: Heard): boolean =>
    answerOf(heard)?.outcome === outcome;

const ended =
  (how: 'expired' | 'failed') =>
  (heard: Heard): boolean => {
    const answer = answerOf(heard);
    return answer?.outcome === 'ended' && answer.how === how;
  };

const ENDS = [
  { guard: 'isExpired', target: 'expired', actions: 'rememberEnd' },
  { guard: 'isFailed', target: 'failed', actions: 'rememberEnd' },
] as const;

/** The timer of what is asked again runs in a state within, which an answer without news enters anew. */
const again = <Action extends string, Delay extends string>(action: Action, delay: Delay) =>
  ({
    initial: 'waiting',
    states: { waiting: { after: { [delay]: { actions: action } } as { [Key in Delay]: { actions: Action } } } },
  }) as const;
const WAIT = { target: '.waiting' } as const;
const ASK_SOON_MS = 2_000;
const ASK_RARELY_MS = 60_000;

export const launcherLaunchMachine = setup({
  types: { context: {} as LauncherLaunchContext, events: {} as LauncherLaunchEvent, input: {} as LauncherLaunchInput },
  actions: {
    projectLaunch: effect<undefined>(),
    /** Hands the payment over, and tells where it stands. */
    carryPayment: effect<undefined>(),
    /** Tells the launcher of the payment. */
    askLauncher: effect<undefined>(),
    /** The new mint becomes an instrument of the catalog. */
    listToken: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    rememberPayment: assign(({ event }) => (event.type === 'payment.prepared' ? { paymentId: event.transactionId } : {})),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit' ? { signed: event.signed, signature: event.signature, submittedBy: event.subject } : {},
    ),
    rememberEnd: assign((heard) => {
      const answer = answerOf(heard);
      return answer?.outcome === 'ended' ? { reason: answer.reason, detail: answer.detail } : {};
    }),
    rememberDecline: assign((heard) => {
      const answer = answerOf(heard);
      return answer?.outcome === 'declined' ? { reason: answer.code, detail: answer.detail } : {};
    }),
    rememberToken: assign((heard) => {
      const answer = answerOf(heard);
      return answer?.outcome === 'launched' ? { token: answer.token, reason: null, detail: null } : {};
    }),
    rememberUnpaid: assign({ reason: 'offer_expired', detail: 'the offer of the launcher ended before a payment was built' }),
    countAsking: assign({ asked: ({ context }) => context.asked + 1 }),
    askAnew: assign({ asked: 0, reason: null, detail: null }),
  },
  guards: {
    isConfirmed: answers('confirmed'),
    isFinal: answers('finalized'),
    isLaunched: answers('launched'),
    isDeclined: answers('declined'),
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
    /** The launcher knows the intent and named its price; the payment is being built. */
    quoted: {
      entry: 'projectLaunch',
      after: { unpaidUntil: { target: 'expired', actions: 'rememberUnpaid' } },
      on: { 'payment.prepared': { target: 'prepared', actions: 'rememberPayment' } },
    },
    /** The unsigned payment is stored; nobody has signed it yet. */
    prepared: {
      entry: 'projectLaunch',
      ...again('carryPayment', 'unsignedLookAfter'),
      on: {
        submit: { target: 'payment_submitted', actions: 'rememberSubmission' },
        'activity.done': [...ENDS, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The signed bytes are stored; from here on the payment may be on the chain. */
    payment_submitted: {
      entry: ['projectLaunch', 'carryPayment'],
      ...again('carryPayment', 'carryAfter'),
      on: {
        'activity.done': [...ENDS, { guard: 'isFinal', target: 'launching' }, { guard: 'isConfirmed', target: 'payment_confirmed' }, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The payment has a supermajority behind it; its block may still be left behind. */
    payment_confirmed: {
      entry: 'projectLaunch',
      ...again('carryPayment', 'carryAfter'),
      on: { 'activity.done': [...ENDS, { guard: 'isFinal', target: 'launching' }, WAIT], 'activity.given_up': WAIT },
    },
    /** The payment is final, and the launcher is asked until it says what came of it. */
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
    /** The token is on its market, and an instrument of the catalog. */
    launched: { type: 'final', entry: ['projectLaunch', 'listToken'] },
    /** Paid, and the launcher declines: the payer may have it asked once more. */
    failed_paid: {
      entry: ['projectLaunch', { type: 'alertOperators', params: { what: 'launch_failed_paid' } }],
      on: { retry: { target: 'launching', actions: 'askAnew' } },
    },
    /** Nothing was paid. */
    expired: { type: 'final', entry: 'projectLaunch' },
    /** The payment landed without its effect. */
    failed: { type: 'final', entry: ['projectLaunch', { type: 'alertOperators', params: { what: 'launch_failed' } }] },
  },
});
