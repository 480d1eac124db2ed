/** The agent's state chart, with parallel regions for stage, duty and feed. */
import { and, assign, or, raise, setup, stateIn } from 'xstate';
import type { Stage, Autonomy, PauseCause } from '../../src/domain/agents/agent.ts';
import { type Closing, withClosing } from '../../src/domain/orders/execution.ts';
import { effect } from '../runtime/actor-kind.ts';
import { degradedAfter, degradedForMs, FEED_REGION, isLastRestored, type DegradedFeeds, type FeedEvent } from '../ticking/feed-region.ts';
import type { Breaker } from '../../src/domain/agents/breakers.ts';
import type { Cut } from '../../src/domain/market/cut.ts';
import type { CompiledManifest, RiskAssessor } from '../../src/domain/agents/decide.ts';
import type { AgentBook, Verdict } from '../../src/domain/agents/decision.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { AgentChanges } from './resource.ts';

/** Context of an agent. Plain JSON, stored in the snapshot. */
export interface AgentContext extends Omit<AgentChanges, 'stage' | 'closing' | 'stageEvidence' | 'stageAskedBy'> {
  readonly degradedVenues: DegradedFeeds;
  /** Evidence or demotion that led to its present stage. Missing in snapshots from before gates existed. */
  readonly promotion?: Promotion | null;
  /** Breaker that tripped last. Missing if none has. */
  readonly breaker?: BreakerTrip | null;
  /** Positions that a person closed and that are not yet sold. Missing if there were none. */
  readonly closing?: readonly Closing[];
}

/** Reason of the agent's stage. `evidenceId` is null after a demotion and a change of the manifest. */
interface Promotion {
  readonly evidenceId: string | null;
  /** The subject who asked, or the breaker that demoted it. */
  readonly askedBy: string | null;
}

export type BreakerTrip = {
  readonly breaker: Breaker;
  readonly at: EpochMs;
  readonly observed: number;
  readonly limit: number;
};

interface AgentInput {
  readonly autonomy: Autonomy;
  readonly manifestVersion: number;
  readonly manifestHash: string;
}

/**
 * A tick: the slot's cut, the agent's compiled manifest, its book and its risk function. The only event that is neither JSON nor stored.
 */
type AgentTick = {
  readonly type: 'tick';
  readonly slot: EpochMs;
  readonly cut: Cut;
  readonly compiled: CompiledManifest;
  readonly book: AgentBook;
  readonly assess?: RiskAssessor;
  /** Instruments with an open proposal. */
  readonly pending?: ReadonlySet<InstrumentKey>;
};

/** A tripped circuit breaker. Degraded data is not one of them, because it is a timer of the chart. Takes receive the same event. */
export type BreakerTripped = BreakerTrip & { readonly type: 'breaker.tripped' };

export type AgentEvent =
  | AgentTick
  | { readonly type: 'manifest.changed'; readonly manifestVersion: number; readonly manifestHash: string }
  /** Opens the gate out of stage `gate` for this manifest. */
  | {
      readonly type: 'gate.passed';
      readonly gate: Stage;
      readonly manifestHash: string;
      readonly evidenceId: string;
      readonly askedBy: string;
    }
  | BreakerTripped
  /** Sets the autonomy. `mayRaise` is false if the caller may not raise it to a level that places orders without approval. */
  | { readonly type: 'autonomy.set'; readonly autonomy: Autonomy; readonly mayRaise?: false }
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** Closes positions on a person's command: pauses the agent and sells what it holds, whatever its rules say. */
  | { readonly type: 'positions.close'; readonly closing: Closing }
  /** Reports that the positions of this closing are sold. */
  | { readonly type: 'positions.closed'; readonly instrument: InstrumentKey | null; readonly at: EpochMs }
  /** Releases the agent from quarantine after its fault was fixed. The agent stays paused until it is resumed. */
  | { readonly type: 'quarantine.released' }
  | { readonly type: 'resume'; readonly subject: string; readonly createdBy: string; readonly at: EpochMs }
  | FeedEvent;

/** Result of a tick, as parameters of the decision action. */
export interface TickDecision {
  readonly slot: EpochMs;
  readonly verdict: Verdict;
}

/** Returns the evidence or demotion of an event that changes the stage. */
function toPromotion(event: AgentEvent): Promotion | null {
  if (event.type === 'gate.passed') return { evidenceId: event.evidenceId, askedBy: event.askedBy };
  return event.type === 'breaker.tripped' ? { evidenceId: null, askedBy: `breaker ${event.breaker}` } : null;
}

function toTrip(event: AgentEvent): BreakerTrip | null {
  if (event.type !== 'breaker.tripped') return null;
  const { breaker, at, observed, limit } = event;
  return { breaker, at, observed, limit };
}

/** Returns the remaining closings after an event. */
function closingAfter(closing: readonly Closing[], event: AgentEvent): readonly Closing[] {
  if (event.type === 'positions.close') return withClosing(closing, event.closing);
  if (event.type === 'positions.closed') return closing.filter(({ instrument, at }) => instrument !== event.instrument || at !== event.at);
  return event.type === 'resume' ? [] : closing;
}

/** Returns the change of the context that pauses the agent for a cause, or ends its pause. */
function setPause(cause: PauseCause | null): Pick<AgentContext, 'pauseCause'> {
  return { pauseCause: cause };
}

const ANNOUNCE_PROMOTION = { type: 'announceAgent', params: { what: 'promoted' } } as const;
const PROMOTE = ['notePromotion', ANNOUNCE_PROMOTION] as const;
/** Cancels proposals for the paper book when real money begins. */
const PROMOTE_TO_CAPITAL = ['notePromotion', { type: 'cancelProposals', params: { reason: 'stage_changed' } }, ANNOUNCE_PROMOTION] as const;
const DEMOTE = [
  'noteDemotion',
  { type: 'cancelProposals', params: { reason: 'demoted' } },
  { type: 'announceAgent', params: { what: 'demoted' } },
  { type: 'alert', params: { what: 'slippage' } },
] as const;

/** Demotes an agent whose code differs from the code that passed. Its evidence no longer counts. */
const DISAGREED = {
  target: 'backtest',
  guard: 'disagreementTripped',
  actions: [
    'noteDemotion',
    { type: 'cancelProposals', params: { reason: 'demoted' } },
    { type: 'announceAgent', params: { what: 'demoted' } },
    { type: 'alert', params: { what: 'disagreement' } },
  ],
} as const;

export const agentMachine = setup({
  types: { context: {} as AgentContext, events: {} as AgentEvent, input: {} as AgentInput },
  actions: {
    recordDecision: effect<TickDecision>(),
    projectAgent: effect<undefined>(),
    openTickWindow: effect<undefined>(),
    closeTickWindow: effect<undefined>(),
    cancelProposals: effect<{ readonly reason: string }>(),
    announceAgent: effect<{ readonly what: string }>(),
    alert: effect<{ readonly what: string }>(),
    notePromotion: assign({ promotion: ({ event }) => toPromotion(event) }),
    noteDemotion: assign({ promotion: ({ event }) => toPromotion(event), breaker: ({ event }) => toTrip(event) }),
    noteClosing: assign({ closing: ({ context, event }) => closingAfter(context.closing ?? [], event) }),
    raiseLost: raise({ type: 'feed.lost' }),
    noteFeed: assign({ degradedVenues: ({ context, event }) => degradedAfter(context.degradedVenues, event) }),
    notePausingBreaker: assign({ ...setPause('daily_drawdown'), breaker: ({ event }) => toTrip(event) }),
  },
  guards: {
    hasLiveCapital: or([stateIn({ stage: 'limited_live' }), stateIn({ stage: 'live' })]),
    opens: ({ context, event }, { gate }: { readonly gate: Stage }) =>
      event.type === 'gate.passed' && event.gate === gate && event.manifestHash === context.manifestHash,
    isPausedByBreaker: ({ context }) => context.pauseCause === 'daily_drawdown' || context.pauseCause === 'data_degraded',
    isClosing: ({ context }) => (context.closing ?? []).length > 0,
    disagreementTripped: ({ event }) => event.type === 'breaker.tripped' && event.breaker === 'disagreement',
    slippageTripped: ({ event }) => event.type === 'breaker.tripped' && event.breaker === 'slippage',
    drawdownTripped: and([
      stateIn({ duty: 'active' }),
      or([stateIn({ stage: 'limited_live' }), stateIn({ stage: 'live' })]),
      ({ event }) => event.type === 'breaker.tripped' && event.breaker === 'daily_drawdown',
    ]),
    lastVenueRestored: ({ context, event }) => isLastRestored(context.degradedVenues, event),
  },
  /** Delay of the degraded-data breaker: 5 s from the last good message. */
  delays: { degradedFor: ({ event }) => degradedForMs(event) },
}).createMachine({
  id: 'agent@1',
  context: ({ input }) => ({
    autonomy: input.autonomy,
    manifestVersion: input.manifestVersion,
    manifestHash: input.manifestHash,
    ...setPause(null),
    degradedVenues: [],
  }),
  type: 'parallel',
  on: {
    'autonomy.set': {
      actions: [
        assign({ autonomy: ({ event }) => event.autonomy }),
        'projectAgent',
        { type: 'announceAgent', params: { what: 'autonomy_set' } },
      ],
    },
  },
  states: {
    /** The seven stages, each behind a gate. A passed gate leads to the next. Any change of the manifest leads back to draft. */
    stage: {
      initial: 'draft',
      on: {
        'manifest.changed': {
          target: '.draft',
          actions: [
            assign({
              manifestVersion: ({ event }) => event.manifestVersion,
              manifestHash: ({ event }) => event.manifestHash,
              promotion: null,
            }),
            { type: 'cancelProposals', params: { reason: 'manifest_changed' } },
            { type: 'announceAgent', params: { what: 'manifest_changed' } },
          ],
        },
      },
      states: {
        draft: {
          entry: 'projectAgent',
          on: { 'gate.passed': { guard: { type: 'opens', params: { gate: 'draft' } }, target: 'backtest', actions: PROMOTE } },
        },
        backtest: {
          entry: 'projectAgent',
          on: { 'gate.passed': { guard: { type: 'opens', params: { gate: 'backtest' } }, target: 'stress_test', actions: PROMOTE } },
        },
        stress_test: {
          entry: 'projectAgent',
          on: { 'gate.passed': { guard: { type: 'opens', params: { gate: 'stress_test' } }, target: 'paper', actions: PROMOTE } },
        },
        paper: {
          entry: 'projectAgent',
          on: {
            'gate.passed': { guard: { type: 'opens', params: { gate: 'paper' } }, target: 'shadow', actions: PROMOTE },
            'breaker.tripped': DISAGREED,
          },
        },
        shadow: {
          entry: 'projectAgent',
          on: {
            'gate.passed': { guard: { type: 'opens', params: { gate: 'shadow' } }, target: 'limited_live', actions: PROMOTE_TO_CAPITAL },
            'breaker.tripped': DISAGREED,
          },
        },
        limited_live: {
          entry: 'projectAgent',
          on: {
            'gate.passed': { guard: { type: 'opens', params: { gate: 'limited_live' } }, target: 'live', actions: PROMOTE },
            'breaker.tripped': [{ guard: 'slippageTripped', target: 'paper', actions: DEMOTE }, DISAGREED],
          },
        },
        live: {
          entry: 'projectAgent',
          on: { 'breaker.tripped': [{ guard: 'slippageTripped', target: 'paper', actions: DEMOTE }, DISAGREED] },
        },
      },
    },
    /** Duty of the agent. It is ticked only while active. */
    duty: {
      initial: 'active',
      states: {
        active: {
          entry: 'openTickWindow',
          on: {
            tick: {
              actions: {
                type: 'recordDecision',
                params: ({ context, event }) => ({
                  slot: event.slot,
                  verdict: event.compiled.decide(event.cut, event.book, context.autonomy, event.assess, event.pending),
                }),
              },
            },
            pause: {
              target: 'paused',
              actions: assign(({ event }) => setPause(event.cause)),
            },
            'positions.close': {
              target: 'paused',
              actions: ['noteClosing', assign(setPause('operator')), { type: 'announceAgent', params: { what: 'closing' } }],
            },
            'quarantine.released': { target: 'paused', actions: assign(setPause('quarantine')) },
            'breaker.tripped': {
              target: 'paused',
              guard: 'drawdownTripped',
              actions: ['notePausingBreaker', { type: 'alert', params: { what: 'daily_drawdown' } }],
            },
            'feed.lost': {
              target: 'paused',
              guard: 'hasLiveCapital',
              actions: assign(setPause('data_degraded')),
            },
          },
        },
        paused: {
          entry: [
            'closeTickWindow',
            { type: 'cancelProposals', params: { reason: 'paused' } },
            'projectAgent',
            { type: 'announceAgent', params: { what: 'paused' } },
          ],
          on: {
            // Cancels orders under way first, because the new closing may have another limit price.
            'positions.close': {
              actions: [
                'noteClosing',
                { type: 'cancelProposals', params: { reason: 'closing' } },
                'projectAgent',
                { type: 'announceAgent', params: { what: 'closing' } },
              ],
            },
            // A breaker's pause goes on: its resumption is as strict, and `reduce_to_flat` has not ended.
            'quarantine.released': [
              { guard: 'isPausedByBreaker', actions: ['projectAgent'] },
              { actions: [assign(setPause('quarantine')), 'projectAgent'] },
            ],
            'positions.closed': {
              actions: ['noteClosing', 'projectAgent', { type: 'announceAgent', params: { what: 'closed' } }],
            },
            resume: [
              {
                guard: 'isClosing',
                target: 'active',
                actions: [
                  assign(setPause(null)),
                  'noteClosing',
                  { type: 'cancelProposals', params: { reason: 'resumed' } },
                  'projectAgent',
                  { type: 'announceAgent', params: { what: 'resumed' } },
                ],
              },
              {
                target: 'active',
                actions: [assign(setPause(null)), 'projectAgent', { type: 'announceAgent', params: { what: 'resumed' } }],
              },
            ],
          },
        },
      },
    },
    /** State of its market data. Lost data cancels proposals, and pauses an agent with live capital. */
    feed: FEED_REGION,
  },
});
