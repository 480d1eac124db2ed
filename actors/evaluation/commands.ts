/** Commands of evaluation runs, as the API calls them. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Provenance } from '../../src/domain/market/data-source.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { ToldProgress } from '../../src/domain/values/work-progress.ts';
import type { CommandContext } from '../agent/commands.ts';
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

/** Commands of evaluation runs. Each answers after its transaction has committed. Runs of another organization are `not_found`. */
export interface EvaluationCommands {
  /** Queues a run on the agent's active manifest. Refuses with `state_conflict` while another run of the agent has not ended. */
  start(
    context: CommandContext,
    agentId: string,
    evaluation: Evaluation,
    request: { readonly [field: string]: Json },
  ): Promise<Outcome<EvaluationView>>;
  cancel(context: CommandContext, agentId: string, runId: string): Promise<Outcome<EvaluationView>>;
}
