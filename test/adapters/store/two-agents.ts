/** Two agents on their own database that decide like the service's, on a clock that the test moves. */
import type { CommandContext } from '../../../src/core/command-context.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import type { VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';
import { actorsOn, countedIds } from '../../world/actor-world.ts';

/** @param createdAt Time in their ids. */
export async function twoAgents(sql: Sql, clock: VirtualClock, context: CommandContext, createdAt: number) {
  const { commands, ticker } = actorsOn(sql, clock, countedIds(createdAt).newId);
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const outcome = await commands.create(context, sampleManifest({ name }));
    if (outcome.ok) ids.push(outcome.value.id);
  }
  return { ids, commands, ticker: ticker() };
}
