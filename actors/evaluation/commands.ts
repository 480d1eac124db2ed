/** Commands of evaluation runs, as the API calls them. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Provenance } from '../../src/domain/market/data-source.ts';
import type { ToldProgress } from '../../src/domain/values/work-progress.ts';
import type { Evaluation, RunEnding, RunState } from './protocol.ts';

/** View of a run. Times are ISO 8601. */
export interface EvaluationView {
  readonly id: string;
  readonly agentId: string;
  readonly evaluation: Evaluation;
  readonly state: RunState;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly request: { readonly [field: string]: Json };
  readonly requestedBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: number;
  readonly ending: RunEnding | null;
  readonly resultHash: string | null;
  readonly summary: { readonly [name: string]: Json } | null;
  /** Last progress reported by its worker, or null before the first report. */
  readonly told: ToldProgress | null;
  /** Null until it has finished. */
  readonly provenance: Provenance | null;
}
