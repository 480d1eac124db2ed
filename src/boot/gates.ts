/** The gates of this database, wired: the desk over runtime and evidence, and the daily look at paper and shadow trading. */
import type { AgentDirectory } from '../../actors/agent/command-desk.ts';
import { createGateDesk, type GateCommands } from '../../actors/agent/gate-desk.ts';
import { lookEvery } from '../../actors/runtime/look.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { Clock } from '../../streams/clock.ts';
import { createAgentDirectory } from '../adapters/store/agent-directory.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createEvidenceWriter, type EvidenceWriter } from '../adapters/store/evidence-store.ts';
import { createGateKeeper } from '../adapters/store/gate-keeper.ts';

/** How often paper and shadow stages without evidence of the day are looked for. */
const DAILY_LOOK_MS = 600_000;

export interface Gates {
  readonly commands: GateCommands;
  /** Where evaluation runs put their evidence. */
  readonly evidence: EvidenceWriter;
  /** Begins to judge paper and shadow stages once a day; answers how to end it. */
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
    commands: createGateDesk({ runtime: deps.runtime, agents, gates: keeper }),
    evidence,
    watch(clock, onError) {
      return lookEvery(
        clock,
        DAILY_LOOK_MS,
        async () => {
          // An agent that moves on meanwhile is judged at its new stage next time.
          for (const agent of await keeper.dueForToday(clock.now())) await keeper.judge(agent, true).catch(onError);
        },
        onError,
      );
    },
  };
}
