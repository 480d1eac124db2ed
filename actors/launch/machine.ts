/**
 * The state chart of a token's launch on a bonding curve: prepared, submitted, confirmed, trading, graduating, graduated.
 * Its transactions are prepared transactions of their own; it hands them over one after the other and looks at the curve
 * once they are final. Only the chain's word leads out of a state after the submission.
 */
import { assign, setup } from 'xstate';
import { again, answerOf, answers, ENDS, ended, endOf, WAIT } from '../prepared-transaction/follower-chart.ts';
import { effect, fromInput } from '../runtime/actor-kind.ts';
import type { CarryAnswer, LaunchContext, LaunchEvent } from './protocol.ts';
import type { LaunchTerms } from './resource.ts';

const progressOf = (args: { readonly event: LaunchEvent }): number => {
  const answer = answerOf(args);
  return answer?.outcome === 'looked' ? answer.standing.migrationProgress : 0;
};

const ON_CURVE = [
  { guard: 'isGraduated', target: 'graduated', actions: 'rememberStanding' },
  { guard: 'isComplete', target: 'graduating', actions: 'rememberStanding' },
] as const;

const MOVED = { guard: 'hasMoved', target: '.waiting', actions: ['rememberStanding', 'projectLaunch'] } as const;
const QUIET = { target: '.waiting', actions: 'countQuietLook' } as const;
/** A curve is looked at soon while it moves, and ever more rarely up to a minute while nothing happens. Milliseconds. */
const LOOK_SOON_MS = 5_000;
const LOOK_RARELY_MS = 60_000;

export const launchMachine = setup({
  types: { context: {} as LaunchContext, events: {} as LaunchEvent, input: {} as LaunchTerms },
  actions: {
    projectLaunch: effect<undefined>(),
    /** Hands the next transaction over if the one before it is confirmed, and tells where they stand. */
    carryTransactions: effect<undefined>(),
    lookAtCurve: effect<undefined>(),
    /** The new mint becomes an instrument of the catalog. */
    listToken: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    countQuietLook: assign({ quietLooks: ({ context }) => context.quietLooks + 1 }),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit' ? { signed: event.signed, signatures: event.signatures, submittedBy: event.subject } : {},
    ),
    rememberEnd: assign((args) => endOf(args)),
    rememberStanding: assign((args) => {
      const answer = answerOf(args);
      if (answer?.outcome !== 'looked') return {};
      return { standing: answer.standing, tradingSince: args.context.tradingSince ?? answer.standing.at, quietLooks: 0 };
    }),
  },
  guards: {
    isConfirmed: answers<CarryAnswer>('confirmed'),
    isFinal: answers<CarryAnswer>('finalized'),
    isExpired: ended('expired'),
    isFailed: ended('failed'),
    hasMoved: (args) => {
      const answer = answerOf(args);
      if (answer?.outcome !== 'looked') return false;
      const { slot: _, at: __, ...now } = answer.standing;
      const { slot: ___, at: ____, ...before } = args.context.standing ?? answer.standing;
      return args.context.standing === null || JSON.stringify(now) !== JSON.stringify(before);
    },
    isComplete: (args) => progressOf(args) > 0,
    isGraduated: (args) => {
      const answer = answerOf(args);
      return answer?.outcome === 'looked' && answer.standing.isMigrated;
    },
  },
  delays: {
    unsignedLookAfter: 15_000,
    carryAfter: 1_000,
    lookAfter: ({ context }) => Math.min(LOOK_SOON_MS * 2 ** Math.min(context.quietLooks, 10), LOOK_RARELY_MS),
  },
}).createMachine({
  id: 'launch@1',
  context: fromInput((input) => ({
    ...input,
    signed: null,
    signatures: [],
    submittedBy: null,
    reason: null,
    detail: null,
    tradingSince: null,
    standing: null,
    quietLooks: 0,
  })),
  initial: 'prepared',
  states: {
    /** The unsigned transactions are stored; they are not signed yet. */
    prepared: {
      entry: 'projectLaunch',
      ...again('carryTransactions', 'unsignedLookAfter'),
      on: {
        submit: { target: 'submitted', actions: 'rememberSubmission' },
        'activity.done': [...ENDS, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The signed bytes are stored; from here on a part of the launch may be on the chain. */
    submitted: {
      entry: ['projectLaunch', 'carryTransactions'],
      ...again('carryTransactions', 'carryAfter'),
      on: {
        'activity.done': [...ENDS, { guard: 'isFinal', target: 'trading' }, { guard: 'isConfirmed', target: 'confirmed' }, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** Every transaction has a supermajority behind it; its block may still be left behind. */
    confirmed: {
      entry: 'projectLaunch',
      ...again('carryTransactions', 'carryAfter'),
      on: { 'activity.done': [...ENDS, { guard: 'isFinal', target: 'trading' }, WAIT], 'activity.given_up': WAIT },
    },
    /** The token is on its curve, and an instrument of the catalog. */
    trading: {
      entry: ['projectLaunch', 'listToken', 'lookAtCurve'],
      ...again('lookAtCurve', 'lookAfter'),
      on: { 'activity.done': [...ON_CURVE, MOVED, QUIET], 'activity.given_up': QUIET },
    },
    /** Completed curve whose successor pool is not open yet. */
    graduating: {
      entry: ['projectLaunch', 'lookAtCurve'],
      ...again('lookAtCurve', 'lookAfter'),
      on: { 'activity.done': [ON_CURVE[0], MOVED, QUIET], 'activity.given_up': QUIET },
    },
    graduated: { type: 'final', entry: 'projectLaunch' },
    expired: { type: 'final', entry: 'projectLaunch' },
    failed: { type: 'final', entry: ['projectLaunch', { type: 'alertOperators', params: { what: 'launch_failed' } }] },
  },
});
