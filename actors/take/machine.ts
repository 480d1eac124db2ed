/**
 * The state chart of a Take: draft, armed, triggered, proposed, filled, then closed, disarmed or expired. A parallel region follows its
 * data.
 */
import { assign, raise, setup } from 'xstate';
import { CLOSING, READING_OPEN } from '../../src/domain/take/take.ts';
import type { BreakerTrip, BreakerTripped } from '../agent/machine.ts';
import { effect } from '../runtime/actor-kind.ts';
import { degradedAfter, degradedForMs, FEED_REGION, isLastRestored, type DegradedFeeds, type FeedEvent } from '../ticking/feed-region.ts';
import type { PauseCause } from '../../src/domain/agents/agent.ts';
import type { ProposalState } from '../../src/domain/orders/execution.ts';
import type { ExecutionMode } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { TakeChanges } from './resource.ts';

/** Input of a compiled Take. Plain JSON. */
interface TakeInput {
  readonly hash: string;
  readonly symbol: string;
  /** True if it has exit conditions, so that it watches its position once it is filled. */
  readonly hasExit: boolean;
  readonly expiresAt: EpochMs;
}

/** Context of a Take. Plain JSON, stored in the snapshot. */
export interface TakeContext extends TakeInput, Omit<TakeChanges, 'state' | 'onDuty' | 'changedAt'> {
  /** True once its live book has its allocation, which the first live arming deposits. */
  readonly funded: boolean;
  /** Time since which it waits for its entry. Its remaining life counts from here. */
  readonly waitsSince: EpochMs;
  readonly side: 'entry' | 'exit';
  /** Id of its last proposal, or null before the first. */
  readonly proposalId: string | null;
  readonly decisionId: string | null;
  /** True between the fill of its entry and of its exit. */
  readonly holdsPosition: boolean;
  readonly degradedVenues: DegradedFeeds;
  /** Breaker that disarmed it last, or null. */
  readonly breaker: BreakerTrip | null;
  /** Readings of its words that its author confirmed at the arming. */
  readonly confirmed?: readonly string[];
  /** Readings of its words that its author was asked about after it was armed under an older reading. */
  readonly asked?: readonly string[];
}

/** A proposal of the Take ended. */
type ProposalEnded = {
  readonly type: 'proposal.ended';
  readonly proposalId: string;
  readonly decisionId: string | null;
  readonly side: 'entry' | 'exit';
  readonly state: ProposalState;
  readonly reason: string | null;
  readonly at: EpochMs;
};

export type TakeEvent =
  | { readonly type: 'arm'; readonly mode: ExecutionMode; readonly at: EpochMs; readonly confirmed?: readonly string[] }
  | { readonly type: 'disarm'; readonly subject: string }
  /** Sells what the Take holds on the operator's command, whatever its conditions. */
  | { readonly type: 'close'; readonly subject: string }
  /** A halt, or a tick that keeps crashing, disarms it. */
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** The thesis reads differently than at the arming, or leaves an unconfirmed question open. */
  | { readonly type: 'reading.open'; readonly questions: readonly string[] }
  | { readonly type: 'publish'; readonly at: EpochMs }
  /** A decision made a proposal. */
  | { readonly type: 'triggered'; readonly proposalId: string; readonly decisionId: string | null; readonly side: 'entry' | 'exit' }
  | ProposalEnded
  | BreakerTripped
  | FeedEvent;

const FILLED: readonly string[] = ['filled', 'partially_filled'];

function ended(event: TakeEvent): ProposalEnded | null {
  return event.type === 'proposal.ended' ? event : null;
}

function toTrip(event: TakeEvent): BreakerTrip | null {
  if (event.type !== 'breaker.tripped') return null;
  const { breaker, at, observed, limit } = event;
  return { breaker, at, observed, limit };
}

/** True for the end of the Take's own proposal, or of one that filled before the Take knew of it. */
function concerns(context: TakeContext, event: TakeEvent): boolean {
  const news = ended(event);
  return news !== null && (news.proposalId === context.proposalId || FILLED.includes(news.state));
}

const PROPOSAL_ENDED = [
  { guard: 'isEntryFilledForGood', target: '#take@2.life.filled', actions: 'rememberFill' },
  { guard: 'isEntryFilled', target: '#take@2.life.on_duty.filled', actions: 'rememberFill' },
  { guard: 'isExitFilled', target: '#take@2.life.closed', actions: 'rememberFill' },
  { guard: 'isExitFilledInPart', target: '#take@2.life.on_duty.filled', actions: 'rememberEnd' },
  { guard: 'isEntryUnfilled', target: '#take@2.life.on_duty.armed', actions: 'rememberEnd' },
  { guard: 'isExitUnfilled', target: '#take@2.life.on_duty.filled', actions: 'rememberEnd' },
] as const;

const SHOW = ['projectTake', 'announceTake'] as const;

const ARMED = ['rememberArming', 'rememberConfirmed'] as const;

/** Transition of a kill switch: disarms the Take and sells what it holds. */
const CLOSE = { guard: 'holdsPosition', target: '#take@2.life.disarmed', actions: 'rememberClosing' } as const;

/** Transitions of a tripped breaker, which disarms a live Take. */
const BREAKER = [
  {
    guard: 'isSlippage',
    target: '#take@2.life.disarmed',
    actions: ['rememberBreaker', { type: 'alert', params: { what: 'slippage' } }],
  },
  { guard: 'isLive', target: '#take@2.life.disarmed', actions: ['rememberBreaker', { type: 'alert', params: { what: 'daily_drawdown' } }] },
] as const;

const ALERT_OF_READING = { type: 'alert', params: { what: READING_OPEN } } as const;

/** A Take without a position must not buy what its author may not have meant. A Take with one keeps its exit conditions. */
const READING = [
  { guard: 'holdsPosition', actions: ['rememberAsked', ALERT_OF_READING] },
  { target: '#take@2.life.disarmed', actions: ['rememberAsked', 'rememberOpenReading', ALERT_OF_READING] },
] as const;

const TRIGGERED = { guard: 'isNewProposal', target: 'triggered', actions: 'rememberProposal' } as const;

export const takeMachine = setup({
  types: { context: {} as TakeContext, events: {} as TakeEvent, input: {} as TakeInput & { readonly createdAt: number } },
  actions: {
    projectTake: effect<undefined>(),
    announceTake: effect<undefined>(),
    openTickWindow: effect<undefined>(),
    closeTickWindow: effect<undefined>(),
    cancelProposals: effect<{ readonly reason: string }>(),
    alert: effect<{ readonly what: string }>(),
    rememberArming: assign({
      mode: ({ context, event }) => (event.type === 'arm' ? event.mode : context.mode),
      armedAt: ({ context, event }) => (event.type === 'arm' ? event.at : context.armedAt),
      waitsSince: ({ context, event }) => (event.type === 'arm' ? event.at : context.waitsSince),
      funded: ({ context, event }) => context.funded || (event.type === 'arm' && event.mode === 'live'),
      reason: null,
    }),
    rememberConfirmed: assign(({ event }) => (event.type === 'arm' && event.confirmed !== undefined ? { confirmed: event.confirmed } : {})),
    rememberAsked: assign(({ event }) => (event.type === 'reading.open' ? { asked: event.questions } : {})),
    rememberOpenReading: assign({ reason: READING_OPEN }),
    rememberProposal: assign({
      proposalId: ({ context, event }) => (event.type === 'triggered' ? event.proposalId : context.proposalId),
      decisionId: ({ context, event }) => (event.type === 'triggered' ? event.decisionId : context.decisionId),
      side: ({ context, event }) => (event.type === 'triggered' ? event.side : context.side),
      reason: null,
    }),
    rememberFill: assign({
      proposalId: ({ context, event }) => ended(event)?.proposalId ?? context.proposalId,
      decisionId: ({ context, event }) => ended(event)?.decisionId ?? context.decisionId,
      side: ({ context, event }) => ended(event)?.side ?? context.side,
      holdsPosition: ({ event }) => ended(event)?.side === 'entry',
      reason: null,
    }),
    rememberEnd: assign({
      waitsSince: ({ context, event }) => ended(event)?.at ?? context.waitsSince,
      reason: ({ event }) => {
        const news = ended(event);
        return news === null ? null : (news.reason ?? news.state);
      },
    }),
    rememberCause: assign({ reason: ({ event }) => (event.type === 'pause' ? event.cause : 'operator') }),
    rememberBreaker: assign({
      breaker: ({ context, event }) => toTrip(event) ?? context.breaker ?? null,
      reason: ({ event }) => toTrip(event)?.breaker ?? null,
    }),
    rememberLost: assign({ reason: 'data_degraded' }),
    raiseLost: raise({ type: 'feed.lost' }),
    noteFeed: assign({ degradedVenues: ({ context, event }) => degradedAfter(context.degradedVenues, event) }),
    rememberClosing: assign({ reason: CLOSING }),
    rememberPublication: assign({ publishedAt: ({ context, event }) => (event.type === 'publish' ? event.at : context.publishedAt) }),
    rememberExpiry: assign({ reason: 'life_over' }),
  },
  guards: {
    isNewProposal: ({ context, event }) => event.type === 'triggered' && event.proposalId !== context.proposalId,
    isEntryFilledForGood: ({ context, event }) =>
      concerns(context, event) && ended(event)?.side === 'entry' && FILLED.includes(ended(event)?.state ?? '') && !context.hasExit,
    isEntryFilled: ({ context, event }) =>
      concerns(context, event) && ended(event)?.side === 'entry' && FILLED.includes(ended(event)?.state ?? ''),
    isExitFilled: ({ context, event }) => concerns(context, event) && ended(event)?.side === 'exit' && ended(event)?.state === 'filled',
    isExitFilledInPart: ({ context, event }) =>
      concerns(context, event) && ended(event)?.side === 'exit' && ended(event)?.state === 'partially_filled',
    isEntryUnfilled: ({ context, event }) => concerns(context, event) && ended(event)?.side === 'entry',
    isExitUnfilled: ({ context, event }) => concerns(context, event) && ended(event)?.side === 'exit',
    holdsPosition: ({ context }) => context.holdsPosition,
    isSlippage: ({ context, event }) => context.mode === 'live' && toTrip(event)?.breaker === 'slippage',
    isLive: ({ context }) => context.mode === 'live',
    lastVenueRestored: ({ context, event }) => isLastRestored(context.degradedVenues, event),
  },
  delays: {
    /** Remaining life in milliseconds when it begins to wait for its entry. */
    lifeLeft: ({ context }) => Math.max(0, context.expiresAt - context.waitsSince),
    /** The trigger is a separate step in the history. The next one follows at once. */
    atOnce: 0,
    /** Delay of the degraded-data breaker: 5 s from the last good message. */
    degradedFor: ({ event }) => degradedForMs(event),
  },
}).createMachine({
  id: 'take@2',
  context: ({ input }) => ({
    hash: input.hash,
    symbol: input.symbol,
    hasExit: input.hasExit,
    expiresAt: input.expiresAt,
    mode: null,
    funded: false,
    armedAt: null,
    waitsSince: input.createdAt,
    side: 'entry',
    proposalId: null,
    decisionId: null,
    holdsPosition: false,
    reason: null,
    publishedAt: null,
    degradedVenues: [],
    breaker: null,
  }),
  type: 'parallel',
  on: { publish: { actions: ['rememberPublication', 'projectTake', 'announceTake'] } },
  states: {
    life: {
      initial: 'draft',
      states: {
        draft: { entry: SHOW, on: { arm: { target: 'on_duty', actions: ARMED } } },
        /** Evaluated every half minute. */
        on_duty: {
          initial: 'armed',
          entry: 'openTickWindow',
          exit: 'closeTickWindow',
          on: {
            disarm: { target: 'disarmed', actions: 'rememberCause' },
            pause: { target: 'disarmed', actions: 'rememberCause' },
            'breaker.tripped': BREAKER,
            'reading.open': READING,
            'feed.lost': { guard: 'isLive', target: 'disarmed', actions: 'rememberLost' },
            close: CLOSE,
            'proposal.ended': PROPOSAL_ENDED,
          },
          states: {
            armed: {
              entry: SHOW,
              after: { lifeLeft: { target: '#take@2.life.expired', actions: 'rememberExpiry' } },
              on: { triggered: TRIGGERED },
            },
            /** The conditions passed on a cut, and risk accepted the order. */
            triggered: { entry: SHOW, after: { atOnce: 'proposed' } },
            /** The order is being executed. */
            proposed: { entry: SHOW },
            /** Holds the position and waits for an exit condition. */
            filled: { entry: SHOW, on: { triggered: TRIGGERED } },
          },
        },
        /** A Take without exit conditions ends here. */
        filled: { entry: SHOW, on: { close: CLOSE } },
        /** The position is closed. */
        closed: { entry: SHOW },
        disarmed: {
          entry: ['projectTake', { type: 'cancelProposals', params: { reason: 'disarmed' } }, 'announceTake'],
          on: {
            arm: [
              { guard: 'holdsPosition', target: '#take@2.life.on_duty.filled', actions: ARMED },
              { target: 'on_duty', actions: ARMED },
            ],
            close: { ...CLOSE, reenter: true },
            // An order under way at the disarming has ended.
            'proposal.ended': [
              { guard: 'isEntryFilled', actions: ['rememberFill', 'projectTake', 'announceTake'] },
              { guard: 'isExitFilled', target: 'closed', actions: 'rememberFill' },
            ],
          },
        },
        // An order under way at the expiry has been filled.
        expired: { entry: SHOW, on: { 'proposal.ended': PROPOSAL_ENDED.slice(0, 2) } },
      },
    },
    /** State of its market data. Lost data cancels proposals and disarms a live Take. */
    feed: FEED_REGION,
  },
});
