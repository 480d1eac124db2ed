/** Commands of evaluation runs: the protocol between the API and the runs' actors. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Provenance } from '../../src/domain/market/data-source.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { ToldProgress } from '../../src/domain/values/work-progress.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { Evaluation, RunEnding, RunState } from './protocol.ts';

/** A run as the outside sees it. Times are ISO 8601. */
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
  /** Last progress reported by its worker; null before the first report. */
  readonly told: ToldProgress | null;
  /** Null before it has finished. */
  readonly provenance: Provenance | null;
}

/** Every command answers after its transaction is committed. A foreign agent or run answers exactly as a missing one. */
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
