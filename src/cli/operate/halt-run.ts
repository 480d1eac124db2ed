/** Implementation of `sevengate halt`, loaded only when it runs. */
import { resolve } from 'node:path';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import { type Halting, haltedText, haltOrganizations } from '../../../actors/agent/halt-organizations.ts';
import type { ActorKind } from '../../../actors/runtime/actor-kind.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createNewIds } from '../../adapters/new-ids.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { readOrganizations } from '../../adapters/store/callers/member-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { commandWriter } from '../../adapters/store/ready-database.ts';
import { databaseClock } from '../../adapters/store/simulated-time.ts';
import type { Service } from '../ports.ts';
import { withDatabase } from '../service-database.ts';
import { print } from '../words.ts';

/** Halts every organization, or one. Agents that are not paused at the end set exit code 1. */
export async function halt(service: Service, options: { org?: string; reason?: string; database?: string; json?: true }): Promise<void> {
  const kinds = await service.actorKinds();
  const writer = (url: string) => commandWriter(resolve(service.settings().SEVENGATE_HOME), url);
  await withDatabase(service, { name: 'sevengate halt', connections: 4, url: options.database, writer }, async (sql) => {
    const halted = await haltOrganizations(haltingOn(sql, kinds, await databaseClock(sql)), options.org ?? null, options.reason ?? null);
    print(options.json ? JSON.stringify(halted) : halted.map(haltedText).join('\n'));
    if (halted.some(({ pausing }) => pausing > 0)) process.exitCode = 1;
  });
}

/** Creates the halt on a database with actors of these kinds. */
export function haltingOn(sql: Sql, kinds: readonly ActorKind[], clock: Pick<Clock, 'now' | 'deadline'>): Halting {
  const runtime = createRuntime({ store: createActorStore(sql), directory: createDirectory(kinds), clock });
  const { halt } = createEmergencyHalt({ runtime, store: createAgentDirectory(sql), clock });
  return { halt, organizations: (id) => readOrganizations(sql, id), newId: createNewIds(clock) };
}
