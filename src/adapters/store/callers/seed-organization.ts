/** First contents of an empty database: an organization with members, and agents that decide from the first minute. */
import type { AgentCommands } from '../../../../actors/agent/commands.ts';
import type { CommandContext } from '../../../core/command-context.ts';
import type { Autonomy, Permission } from '../../../domain/agents/agent.ts';
import { readManifest } from '../../../domain/manifest/reader.ts';
import type { Sql } from '../database.ts';
import { createMemberStore, writeMember } from './member-store.ts';

interface SeedOrganization {
  readonly id: string;
  readonly name: string;
  /** Members; the first one creates the agents. */
  readonly members: readonly { readonly subject: string; readonly name: string; readonly permissions: readonly Permission[] }[];
  readonly agents: readonly { readonly manifest: unknown; readonly autonomy: Autonomy }[];
}

/** Id of the advisory lock that admits one seeding process at a time. Any constant works. */
const SEED_LOCK = 7_070_708;

/** Dependencies. `owner` is connected as the owner of the tables, who alone may create members. */
interface SeedWith {
  readonly sql: Sql;
  readonly owner: Sql;
  readonly commands: AgentCommands;
  readonly newId: () => string;
}

/**
 * Seeds a database in which the organization never had a member; leaves any other unchanged. Returns true if it did. Members are created
 * last, so that the next start completes an interrupted seeding.
 */
export async function seedOrganization(organization: SeedOrganization, { sql, owner, commands, newId }: SeedWith): Promise<boolean> {
  // Asked through `owner`: postgres.js reserves no connection of a pool that has none yet.
  if (await isSeeded(owner, organization)) return false;
  const held = await owner.reserve();
  try {
    await held`select pg_advisory_lock(${SEED_LOCK})`;
    try {
      if (await isSeeded(sql, organization)) return false;
      await seed(organization, { sql, owner, commands, newId });
      return true;
    } finally {
      await held`select pg_advisory_unlock(${SEED_LOCK})`;
    }
  } finally {
    held.release();
  }
}

async function isSeeded(sql: Sql, { members }: SeedOrganization): Promise<boolean> {
  const [known] = await sql`select 1 from members where subject = any(${members.map(({ subject }) => subject)}::text[]) limit 1`;
  return known !== undefined;
}

async function seed({ id: orgId, name, members, agents }: SeedOrganization, { sql, owner, commands, newId }: SeedWith): Promise<void> {
  await createMemberStore(owner).ensureOrganization(orgId, name);
  const there = new Set((await sql<{ name: string }[]>`select name from agents where org_id = ${orgId}`).map((agent) => agent.name));
  for (const { manifest, autonomy } of agents) {
    const read = readManifest(manifest);
    if (!read.ok)
      throw new Error(`an example manifest is wrong: ${read.problems.map(({ path, problem }) => `${path} ${problem}`).join('; ')}`);
    if (there.has(read.manifest.name)) continue;
    const context: CommandContext = {
      orgId,
      subject: members[0]?.subject ?? '',
      permissions: members[0]?.permissions ?? [],
      requestId: newId(),
    };
    const created = await commands.create(context, read.manifest);
    if (!created.ok) throw new Error(created.refusal.detail);
    if (autonomy !== 'research') await commands.setAutonomy(context, created.value.id, autonomy);
  }
  await owner.begin(async (transaction) => {
    for (const member of members)
      await writeMember(transaction, member.subject, { orgId, name: member.name, permissions: member.permissions });
  });
}
