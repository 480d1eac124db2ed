/**
 * The state chart of a bonding-curve launch: prepared, submitted, confirmed, trading, graduating, graduated. Its transactions are separate
 * prepared transactions, submitted one after the other. The chart reads the curve once they are final. After the submission only the
 * chain's state leads out of a state.
 */
import { assign, setup } from 'xstate';
import { again, readAnswer, answers, ENDS, ended, readEnd, WAIT } from '../prepared-transaction/follower-chart.ts';
import { effect } from '../runtime/actor-kind.ts';
import type { LaunchTerms, Launch } from './resource.ts';
import { MINUTE_MS } from '../../src/domain/values/time.ts';
import type { CurveState } from '../../src/domain/launch/launch-state.ts';

/** Context of a launch. Plain JSON, stored in the snapshot. */
export interface LaunchContext extends Omit<Launch, 'id' | 'kind' | 'state' | 'changedAt'> {
  /** Signed bytes of each transaction in base64, or null before the submission. They never change. */
  readonly signed: readonly string[] | null;
  /** Number of reads since the curve last changed. */
  readonly quietLooks: number;
}

/** Result of following a launch's transactions. */
export type CarryAnswer =
  | { readonly outcome: 'waits' }
  /** A supermajority has voted for every transaction. */
  | { readonly outcome: 'confirmed' }
  | { readonly outcome: 'finalized' }
  /** One of them will never land, or landed and failed. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  | { readonly outcome: 'looked'; readonly standing: CurveState }
  /** The chain did not answer, or has no such pool yet. */
  | { readonly outcome: 'silent'; readonly detail: string };

type LaunchEvent =
  | { readonly type: 'submit'; readonly signed: readonly string[]; readonly signatures: readonly string[]; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: CarryAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };

const readProgress = (args: { readonly event: LaunchEvent }): number => {
  const answer = readAnswer(args);
  return answer?.outcome === 'looked' ? answer.standing.migrationProgress : 0;
};

const ON_CURVE = [
  { guard: 'isGraduated', target: 'graduated', actions: 'rememberStanding' },
  { guard: 'isComplete', target: 'graduating', actions: 'rememberStanding' },
] as const;

const MOVED = { guard: 'hasMoved', target: '.waiting', actions: ['rememberStanding', 'projectLaunch'] } as const;
const QUIET = { target: '.waiting', actions: 'countQuietLook' } as const;
/** First interval in milliseconds between reads of a curve. It grows to a minute while nothing changes. */
const LOOK_SOON_MS = 5_000;
const LOOK_RARELY_MS = MINUTE_MS;

export const launchMachine = setup({
  types: { context: {} as LaunchContext, events: {} as LaunchEvent, input: {} as LaunchTerms },
  actions: {
    projectLaunch: effect<undefined>(),
    /** Submits the next transaction if the previous one is confirmed, and reports their state. */
    carryTransactions: effect<undefined>(),
    lookAtCurve: effect<undefined>(),
    /** Adds the new mint to the catalog. */
    listToken: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    countQuietLook: assign({ quietLooks: ({ context }) => context.quietLooks + 1 }),
    rememberSubmission: assign(({ event }) =>
      event.type === 'submit' ? { signed: event.signed, signatures: event.signatures, submittedBy: event.subject } : {},
    ),
    rememberEnd: assign((args) => readEnd(args)),
    rememberStanding: assign((args) => {
      const answer = readAnswer(args);
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
      const answer = readAnswer(args);
      if (answer?.outcome !== 'looked') return false;
      const { slot: _, at: __, ...now } = answer.standing;
      const { slot: ___, at: ____, ...before } = args.context.standing ?? answer.standing;
      return args.context.standing === null || JSON.stringify(now) !== JSON.stringify(before);
    },
    isComplete: (args) => readProgress(args) > 0,
    isGraduated: (args) => {
      const answer = readAnswer(args);
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
  context: ({ input }) => ({
    ...input,
    signed: null,
    signatures: [],
    submittedBy: null,
    reason: null,
    detail: null,
    tradingSince: null,
    standing: null,
    quietLooks: 0,
  }),
  initial: 'prepared',
  states: {
    /** The unsigned transactions are stored. */
    prepared: {
      entry: 'projectLaunch',
      ...again('carryTransactions', 'unsignedLookAfter'),
      on: {
        submit: { target: 'submitted', actions: 'rememberSubmission' },
        'activity.done': [...ENDS, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** The signed bytes are stored. From now on parts of the launch may be on the chain. */
    submitted: {
      entry: ['projectLaunch', 'carryTransactions'],
      ...again('carryTransactions', 'carryAfter'),
      on: {
        'activity.done': [...ENDS, { guard: 'isFinal', target: 'trading' }, { guard: 'isConfirmed', target: 'confirmed' }, WAIT],
        'activity.given_up': WAIT,
      },
    },
    /** A supermajority has voted for every transaction. A block may still be dropped. */
    confirmed: {
      entry: 'projectLaunch',
      ...again('carryTransactions', 'carryAfter'),
      on: { 'activity.done': [...ENDS, { guard: 'isFinal', target: 'trading' }, WAIT], 'activity.given_up': WAIT },
    },
    /** The token is on its curve and in the catalog. */
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
