/** The state chart of an evaluation run: waits for a worker, runs, and ends with a result, a refusal or a failure. */
import { assign, setup } from 'xstate';
import { effect } from '../runtime/actor-kind.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';

/** Evaluations that are simulated. Other kinds of evidence come from stored data. */
export const EVALUATIONS = ['backtest', 'stress_test', 'sweep', 'agreement'] as const;
export type Evaluation = (typeof EVALUATIONS)[number];

/** States of a run, in order. */
export const RUN_STATES = ['queued', 'running', 'finished', 'refused', 'cancelled', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** Reason why a run has no result, or null. */
export type RunEnding = {
  /** An expected reason such as `insufficient_history`, or `defect` for `failed` runs. */
  readonly code: string;
  readonly detail: string;
};

/** Input of a run, fixed at its start so that a repeated run gives the same result. Plain JSON. */
export interface EvaluationInput {
  readonly agentId: string;
  readonly evaluation: Evaluation;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Request with every default resolved. */
  readonly request: { readonly [field: string]: Json };
  readonly requestedBy: string;
}

/** Context of a run. Plain JSON, stored in the snapshot. */
export interface EvaluationContext extends EvaluationInput {
  readonly createdAt: number;
  readonly startedAt: number | null;
  /** Number of starts. More than one means that a process died during the run. */
  readonly attempts: number;
  readonly ending: RunEnding | null;
  readonly resultHash: string | null;
  /** Figures shown in lists. */
  readonly summary: { readonly [name: string]: Json } | null;
}

type EvaluationEvent =
  | { readonly type: 'run.begun'; readonly holder: string; readonly at: number }
  | { readonly type: 'run.finished'; readonly resultHash: string; readonly summary: { readonly [name: string]: Json } }
  | { readonly type: 'run.refused'; readonly code: string; readonly detail: string }
  | { readonly type: 'run.failed'; readonly detail: string }
  | { readonly type: 'cancel'; readonly subject: string };

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
