/** Two agents on a database of their own that decide as the service's agents do, on a clock that a test moves. */
import { createCommandHandler } from '../../../actors/agent/command-handler.ts';
import type { CommandContext } from '../../../actors/agent/commands.ts';
import { agentKind } from '../../../actors/agent/effects.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import { createTradingTicker } from '../../../actors/ticking/trading-decisions.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../../src/adapters/store/agents/agent-directory.ts';
import { createTickStore } from '../../../src/adapters/store/agents/tick-store.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { uuidV7 } from '../../../src/domain/ids.ts';
import type { VirtualClock } from '../../../streams/virtual-clock.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';

/** @param createdAt The instant that their ids are made of. */
export async function twoAgents(sql: Sql, clock: VirtualClock, context: CommandContext, createdAt: number) {
  const actors = createActorStore(sql);
  let made = 0;
  const commands = createCommandHandler({
    runtime: createRuntime({ store: actors, directory: createDirectory([agentKind]), clock }),
    agents: createAgentDirectory(sql),
    clock,
    newId: () => uuidV7(createdAt, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, ++made)),
  });
  const ids: string[] = [];
  for (const name of ['one', 'two']) {
    const outcome = await commands.create(context, sampleManifest({ name }));
    if (outcome.ok) ids.push(outcome.value.id);
  }
  const store = createTickStore(sql, actors.incident);
  return { ids, commands, ticker: createTradingTicker({ store, now: async () => clock.now(), clock, pause: async () => {} }) };
}
