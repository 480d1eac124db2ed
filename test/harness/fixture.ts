/** Places an agent at a stage past all gates, for tests of later stages. Runs as the database's owner with triggers disabled. */
import { openDatabase } from '../../src/adapters/store/database.ts';
import type { BatchSigner } from '../../src/adapters/store/trail/batch-seal.ts';
import type { Stage } from '../../src/domain/agents/agent.ts';

/** Sets both the row that the gates guard and the state chart's snapshot to `stage`. */
export async function placeAtStage(databaseUrl: string, agentId: string, stage: Stage, writer?: BatchSigner): Promise<void> {
  const owner = openDatabase({
    url: databaseUrl,
    connections: 1,
    role: null,
    name: 'past the gates',
    ...(writer === undefined ? {} : { writer }),
  });
  try {
    await owner.begin(async (transaction) => {
      const [gate] = await transaction`select tgenabled as enabled from pg_trigger where tgname = 'agent_stage_gate'`;
      await transaction`alter table agents disable trigger agent_stage_gate`;
      await transaction`update agents set stage = ${stage} where id = ${agentId}`;
      if (gate?.['enabled'] === 'A') await transaction`alter table agents enable always trigger agent_stage_gate`;
      else await transaction`alter table agents enable trigger agent_stage_gate`;
      await transaction`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', to_jsonb(${stage}::text)) where id = ${agentId}`;
    });
  } finally {
    await owner.end({ timeout: 3 });
  }
}
