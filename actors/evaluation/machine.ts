/** The state chart of an evaluation run: waits for a worker, runs, and ends with a result, a refusal or a failure. */
import { assign, setup } from 'xstate';
import { effect } from '../runtime/actor-kind.ts';
import type { EvaluationContext, EvaluationEvent, EvaluationInput } from './protocol.ts';

export const evaluationMachine = setup({
  types: {
    context: {} as EvaluationContext,
    events: {} as EvaluationEvent,
    input: {} as EvaluationInput & { readonly createdAt: number },
  },
  actions: {
    projectRun: effect<undefined>(),
    announceRun: effect<{ readonly what: string }>(),
    begin: assign({
      startedAt: ({ context, event }) => (event.type === 'run.begun' ? event.at : context.startedAt),
      attempts: ({ context }) => context.attempts + 1,
    }),
    rememberResult: assign({
      resultHash: ({ context, event }) => (event.type === 'run.finished' ? event.resultHash : context.resultHash),
      summary: ({ context, event }) => (event.type === 'run.finished' ? event.summary : context.summary),
    }),
    rememberEnding: assign({
      ending: ({ context, event }) => {
        if (event.type === 'run.refused') return { code: event.code, detail: event.detail };
        if (event.type === 'run.failed') return { code: 'defect', detail: event.detail };
        if (event.type === 'cancel') return { code: 'cancelled', detail: `cancelled by ${event.subject}` };
        return context.ending;
      },
    }),
  },
}).createMachine({
  id: 'evaluation@1',
  context: ({ input }) => ({
    agentId: input.agentId,
    evaluation: input.evaluation,
    manifestVersion: input.manifestVersion,
    manifestHash: input.manifestHash,
    request: input.request,
    requestedBy: input.requestedBy,
    createdAt: input.createdAt,
    startedAt: null,
    attempts: 0,
    ending: null,
    resultHash: null,
    summary: null,
  }),
  initial: 'queued',
  states: {
    /** Waits for a free worker. */
    queued: {
      entry: ['projectRun', { type: 'announceRun', params: { what: 'evaluation_queued' } }],
      on: {
        'run.begun': { target: 'running', actions: 'begin' },
        cancel: { target: 'cancelled', actions: 'rememberEnding' },
      },
    },
    /** A worker holds the run. If it dies, another one starts the run again. The same work gives the same result. */
    running: {
      entry: ['projectRun', { type: 'announceRun', params: { what: 'evaluation_running' } }],
      on: {
        'run.begun': { target: 'running', reenter: true, actions: 'begin' },
        'run.finished': { target: 'finished', actions: 'rememberResult' },
        'run.refused': { target: 'refused', actions: 'rememberEnding' },
        'run.failed': { target: 'failed', actions: 'rememberEnding' },
        cancel: { target: 'cancelled', actions: 'rememberEnding' },
      },
    },
    finished: { type: 'final', entry: ['projectRun', { type: 'announceRun', params: { what: 'evaluation_finished' } }] },
    refused: { type: 'final', entry: ['projectRun', { type: 'announceRun', params: { what: 'evaluation_refused' } }] },
    cancelled: { type: 'final', entry: ['projectRun', { type: 'announceRun', params: { what: 'evaluation_cancelled' } }] },
    failed: { type: 'final', entry: ['projectRun', { type: 'announceRun', params: { what: 'evaluation_failed' } }] },
  },
});
