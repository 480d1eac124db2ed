/** `sevengate halt`: the emergency halt of every organization of the service, or of one, from the command line. */
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { auditRow } from '../../../actors/agent/command-rows.ts';
import type { HaltView } from '../../../actors/agent/commands.ts';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { createRuntime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock.ts';
import { createLiveClock } from '../../../streams/live-clock.ts';
import { createNewIds } from '../../adapters/new-ids.ts';
import { openWriterKeys } from '../../adapters/signing-keys/writer-keys.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { openDatabase, type Sql } from '../../adapters/store/database.ts';
import { registerWriters } from '../../adapters/store/trail/writer-registry.ts';
import { ACTOR_KINDS } from '../capabilities/index.ts';
import { serviceDatabase } from './service-database.ts';
import { settings } from './settings.ts';

/** Whose word it is, in the audit: whoever reaches the database of the service with its settings. */
const SUBJECT = 'command line';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the halt of one organization came to. */
export interface HaltedOrganization extends Omit<HaltView, 'paused'> {
  readonly orgId: string;
  readonly name: string;
  /** How many agents and Takes are paused by this halt. */
  readonly paused: number;
}

/** Adds `halt`. Agents that are not paused when it ends set exit code 1; none of them can begin an order all the same. */
export function haltCommand(command: Command): void {
  command
    .option('--org <id>', 'halt this organization alone', uuid)
    .option('--database <url>', 'URL of the database of the service, with its owner’s login (default: that of the settings)')
    .option('--json', 'print the result as JSON')
    .action(async (options: { org?: string; database?: string; json?: true }) => {
      const { url, close } = options.database === undefined ? await serviceDatabase() : { url: options.database, close: async () => {} };
      const sql = openDatabase({ url, connections: 4, name: 'sevengate halt', ...(await writerOf(url)) });
      try {
        const clock = createLiveClock();
        const halted = await haltOrganizations(sql, clock, createNewIds(clock), options.org ?? null);
        process.stdout.write(`${options.json ? JSON.stringify(halted) : halted.map(lineOf).join('\n')}\n`);
        if (halted.some(({ pausing }) => pausing > 0)) process.exitCode = 1;
      } finally {
        await sql.end({ timeout: 3 });
        await close();
      }
    });
}

/**
 * Halts organizations one after the other, each wholly before the next: no order begins from its new epoch on, what waits is
 * cancelled, agents and Takes are paused. @throws Error where there is no such organization, or none at all.
 */
export async function haltOrganizations(
  sql: Sql,
  clock: Pick<Clock, 'now' | 'deadline'>,
  newId: () => string,
  orgId: string | null,
): Promise<readonly HaltedOrganization[]> {
  const organizations = await sql<{ id: string; name: string }[]>`
    select id, name from organizations ${orgId === null ? sql`` : sql`where id = ${orgId}`} order by id`;
  if (organizations.length === 0)
    throw new Error(orgId === null ? 'the database holds no organization' : `there is no organization ${orgId}`);
  const runtime = createRuntime({ store: createActorStore(sql), directory: createDirectory(ACTOR_KINDS), clock });
  const halts = createEmergencyHalt({ runtime, store: createAgentDirectory(sql), clock });
  const halted: HaltedOrganization[] = [];
  const failures: unknown[] = [];
  for (const { id, name } of organizations) {
    const context = { orgId: id, subject: SUBJECT, permissions: [], requestId: newId() };
    const audit = auditRow(context, 'agents.emergency_halt', id, null, null);
    try {
      const { paused, ...view } = await halts.halt(id, `${SUBJECT} ${context.requestId}`, [audit], 'done');
      halted.push({ orgId: id, name, ...view, paused: paused.length });
    } catch (error) {
      // One organization that cannot be halted leaves none of the others running.
      failures.push(error);
    }
  }
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `${failures.length} of ${organizations.length} organizations were not halted: ${String(failures[0])}`,
    );
  return halted;
}

/** The key that signs the halt, where the database takes changes from writers alone. */
async function writerOf(url: string): Promise<Pick<Parameters<typeof openDatabase>[0], 'writer'>> {
  const owner = openDatabase({ url, connections: 1, role: null, name: 'sevengate halt' });
  try {
    const [known] = await owner<{ there: boolean }[]>`select exists (select 1 from trail_writers) as there`;
    if (known?.there !== true) return {};
  } finally {
    await owner.end({ timeout: 3 });
  }
  const { api } = openWriterKeys(resolve(settings().SEVENGATE_HOME), ['api']);
  await registerWriters(url, [api]);
  return { writer: api };
}

function lineOf({ name, orgId, epoch, paused, pausing, cancelledProposals }: HaltedOrganization): string {
  const rest = pausing > 0 ? `, ${pausing} are not paused yet and cannot trade; a worker goes on` : '';
  return `${name} (${orgId}) is halted, epoch ${epoch}: ${paused} paused, ${cancelledProposals} proposals cancelled${rest}`;
}

function uuid(text: string): string {
  if (!UUID.test(text)) throw new InvalidArgumentError('an organization id is a UUID');
  return text.toLowerCase();
}
