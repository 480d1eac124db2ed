/** Context and events of an evaluation run. */
import type { Json } from '../../src/domain/values/canonical-json.ts';

/** The evaluations that are simulated; the other kinds of evidence come from what the store holds. */
export const EVALUATIONS = ['backtest', 'stress_test', 'sweep', 'agreement'] as const;
export type Evaluation = (typeof EVALUATIONS)[number];

/** The states of a run, in the order of its life. */
export const RUN_STATES = ['queued', 'running', 'finished', 'refused', 'cancelled', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

/** Reason why a run has no result, or null. */
export type RunEnding = {
  /** An expected reason such as `insufficient_history`; `failed` runs say `defect`. */
  readonly code: string;
  readonly detail: string;
};

/** Plain JSON: what a run is about. Fixed at its beginning, so that carrying it out again gives the same result. */
export interface EvaluationInput {
  readonly agentId: string;
  readonly evaluation: Evaluation;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Request with every default resolved. */
  readonly request: { readonly [field: string]: Json };
  readonly requestedBy: string;
}

/** Plain JSON, stored in the snapshot. */
export interface EvaluationContext extends EvaluationInput {
  readonly createdAt: number;
  readonly startedAt: number | null;
  /** Number of starts. More than one means that a process died during the run. */
  readonly attempts: number;
  readonly ending: RunEnding | null;
  readonly resultHash: string | null;
  /** The numbers that a list shows. */
  readonly summary: { readonly [name: string]: Json } | null;
}

export type EvaluationEvent =
  | { readonly type: 'run.begun'; readonly holder: string; readonly at: number }
  | { readonly type: 'run.finished'; readonly resultHash: string; readonly summary: { readonly [name: string]: Json } }
  | { readonly type: 'run.refused'; readonly code: string; readonly detail: string }
  | { readonly type: 'run.failed'; readonly detail: string }
  | { readonly type: 'cancel'; readonly subject: string };
