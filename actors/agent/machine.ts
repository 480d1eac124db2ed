/** The agent's state chart: seven gates, duty and feed, side by side (spec sections 3.1, 6.1, 8). */
import { assign, or, raise, setup, stateIn } from 'xstate';
import type { Venue } from '../../src/domain/venue.ts';
import type { AgentContext, AgentEvent, AgentInput, TickDecision } from './protocol.ts';

/** Named here, carried out by the runtime after the commit. */
const effect =
  <Parameters>() =>
  (_: unknown, __: Parameters): void => {};

function withVenue(venues: readonly Venue[], venue: Venue): readonly Venue[] {
  return venues.includes(venue) ? venues : [...venues, venue].sort();
}

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
  },
  guards: {
    hasLiveCapital: or([stateIn({ stage: 'limited_live' }), stateIn({ stage: 'live' })]),
    lastVenueRestored: ({ context, event }) =>
      event.type === 'feed.restored' && context.degradedVenues.every((venue) => venue === event.venue),
  },
  /** Spec 8: the data degradation breaker. */
  delays: { degradedFor: 5_000 },
}).createMachine({
  id: 'agent@1',
  context: ({ input }) => ({
    autonomy: input.autonomy,
    manifestVersion: input.manifestVersion,
    manifestHash: input.manifestHash,
    pauseCause: null,
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
    /** The seven gates of spec 3.1. A passed gate leads on; any change of the manifest leads back to draft. */
    stage: {
      initial: 'draft',
      on: {
        'manifest.changed': {
          target: '.draft',
          actions: [
            assign({ manifestVersion: ({ event }) => event.manifestVersion, manifestHash: ({ event }) => event.manifestHash }),
            { type: 'cancelProposals', params: { reason: 'manifest_changed' } },
            { type: 'announceAgent', params: { what: 'manifest_changed' } },
          ],
        },
      },
      states: {
        draft: { entry: 'projectAgent', on: { 'gate.passed': 'backtest' } },
        backtest: { entry: 'projectAgent', on: { 'gate.passed': 'stress_test' } },
        stress_test: { entry: 'projectAgent', on: { 'gate.passed': 'paper' } },
        paper: { entry: 'projectAgent', on: { 'gate.passed': 'shadow' } },
        shadow: { entry: 'projectAgent', on: { 'gate.passed': 'limited_live' } },
        limited_live: { entry: 'projectAgent', on: { 'gate.passed': 'live' } },
        live: { entry: 'projectAgent' },
      },
    },
    /** Whether it is ticked at all. */
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
                  verdict: event.compiled.decide(event.cut, event.book, context.autonomy),
                }),
              },
            },
            pause: {
              target: 'paused',
              actions: assign({ pauseCause: ({ event }) => event.cause }),
            },
            'feed.lost': {
              target: 'paused',
              guard: 'hasLiveCapital',
              actions: assign({ pauseCause: 'data_degraded' }),
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
            resume: {
              target: 'active',
              actions: [assign({ pauseCause: null }), 'projectAgent', { type: 'announceAgent', params: { what: 'resumed' } }],
            },
          },
        },
      },
    },
    /** What it hears. Degraded data is survived for five seconds; then proposals are cancelled, and an agent with live capital is paused. */
    feed: {
      initial: 'live',
      states: {
        live: {
          on: {
            'feed.degraded': {
              target: 'degraded',
              actions: assign({ degradedVenues: ({ context, event }) => withVenue(context.degradedVenues, event.venue) }),
            },
          },
        },
        degraded: {
          after: { degradedFor: 'lost' },
          on: {
            'feed.degraded': {
              actions: assign({ degradedVenues: ({ context, event }) => withVenue(context.degradedVenues, event.venue) }),
            },
            'feed.restored': [
              { guard: 'lastVenueRestored', target: 'live', actions: assign({ degradedVenues: [] }) },
              {
                actions: assign({
                  degradedVenues: ({ context, event }) => context.degradedVenues.filter((venue) => venue !== event.venue),
                }),
              },
            ],
          },
        },
        lost: {
          entry: [
            { type: 'cancelProposals', params: { reason: 'data_degraded' } },
            { type: 'alert', params: { what: 'data_degraded' } },
            raise({ type: 'feed.lost' }),
          ],
          on: {
            'feed.degraded': {
              actions: assign({ degradedVenues: ({ context, event }) => withVenue(context.degradedVenues, event.venue) }),
            },
            'feed.restored': [
              { guard: 'lastVenueRestored', target: 'live', actions: assign({ degradedVenues: [] }) },
              {
                actions: assign({
                  degradedVenues: ({ context, event }) => context.degradedVenues.filter((venue) => venue !== event.venue),
                }),
              },
            ],
          },
        },
      },
    },
  },
});
