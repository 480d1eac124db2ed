/** Context and events of an evaluation run. */
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

export type EvaluationEvent =
  | { readonly type: 'run.begun'; readonly holder: string; readonly at: number }
  | { readonly type: 'run.finished'; readonly resultHash: string; readonly summary: { readonly [name: string]: Json } }
  | { readonly type: 'run.refused'; readonly code: string; readonly detail: string }
  | { readonly type: 'run.failed'; readonly detail: string }
  | { readonly type: 'cancel'; readonly subject: string };
