/** The gates of this database, wired: the command handler over runtime and evidence, and the daily look at paper and shadow trading. */
import type { AgentDirectory } from '../../actors/agent/command-handler.ts';
import { createGateHandler, type GateCommands } from '../../actors/agent/gate-handler.ts';
import { runEvery } from '../../actors/runtime/run-every.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { Clock } from '../../streams/clock.ts';
import { createAgentDirectory } from '../adapters/store/agents/agent-directory.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createEvidenceWriter, type EvidenceWriter } from '../adapters/store/gates/evidence-store.ts';
import { createGateKeeper } from '../adapters/store/gates/gate-keeper.ts';

/** How often paper and shadow stages without evidence of the day are looked for. */
const DAILY_LOOK_MS = 600_000;

export interface Gates {
  readonly commands: GateCommands;
  /** Where evaluation runs put their evidence. */
  readonly evidence: EvidenceWriter;
  /** Begins to assess paper and shadow stages once a day; answers how to end it. */
  watch(clock: Clock, onError: (error: unknown) => void): { stop(): Promise<void> };
}

/** `evaluator` is a pool that works as the role sevengate_evaluator; `sql` is the application's. */
export function openGates(deps: {
  readonly sql: Sql;
  readonly evaluator: Sql;
  readonly runtime: Runtime;
  readonly newId: () => string;
}): Gates {
  const evidence = createEvidenceWriter(deps.evaluator, deps.newId);
  const keeper = createGateKeeper({ sql: deps.sql, evidence });
  const agents: Pick<AgentDirectory, 'find' | 'write'> = createAgentDirectory(deps.sql);
  return {
    commands: createGateHandler({ runtime: deps.runtime, agents, gates: keeper }),
    evidence,
    watch(clock, onError) {
      return runEvery(
        clock,
        DAILY_LOOK_MS,
        async () => {
          // An agent that moves on meanwhile is assessed at its new stage next time.
          for (const agent of await keeper.dueForToday(clock.now())) await keeper.validate(agent, true).catch(onError);
        },
        onError,
      );
    },
  };
}
