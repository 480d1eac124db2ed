/** The first contents of an empty database: one organization with three people, and three agents that decide from the first minute. */
import type { AgentCommands, CommandContext } from '../../actors/agent/commands.ts';
import { createMemberStore, writeMember } from '../adapters/store/callers/member-store.ts';
import type { Sql } from '../adapters/store/database.ts';
import { readManifest } from '../domain/manifest/reader.ts';
import { EXAMPLE_AGENTS, EXAMPLE_MEMBERS, EXAMPLE_ORGANIZATION } from '../sandbox/example-organization.ts';

/** Any constant: one process seeds at a time, where several start at once. */
const SEED_LOCK = 7_070_708;

/**
 * Seeds a database whose example members were never there; leaves any other alone. Answers whether it did. The members
 * come last: a seeding that was cut off is finished by the next start. `owner` works as the owner of the tables, who alone
 * says who is a member.
 */
export async function seedExamples(sql: Sql, owner: Sql, commands: AgentCommands, newId: () => string): Promise<boolean> {
  // Asked of the owner: postgres.js reserves no connection of a pool that has none yet.
  if (await isSeeded(owner)) return false;
  const held = await owner.reserve();
  try {
    await held`select pg_advisory_lock(${SEED_LOCK})`;
    try {
      if (await isSeeded(sql)) return false;
      await seed(sql, owner, commands, newId);
      return true;
    } finally {
      await held`select pg_advisory_unlock(${SEED_LOCK})`;
    }
  } finally {
    held.release();
  }
}

async function isSeeded(sql: Sql): Promise<boolean> {
  const [known] = await sql`select 1 from members where subject = any(${EXAMPLE_MEMBERS.map(({ subject }) => subject)}::text[]) limit 1`;
  return known !== undefined;
}

async function seed(sql: Sql, owner: Sql, commands: AgentCommands, newId: () => string): Promise<void> {
  await createMemberStore(owner).ensureOrganization(EXAMPLE_ORGANIZATION, 'Example desk');
  const there = new Set(
    (await sql<{ name: string }[]>`select name from agents where org_id = ${EXAMPLE_ORGANIZATION}`).map(({ name }) => name),
  );
  for (const { manifest, autonomy } of EXAMPLE_AGENTS) {
    const read = readManifest(manifest);
    if (!read.ok)
      throw new Error(`an example manifest is wrong: ${read.problems.map(({ path, problem }) => `${path} ${problem}`).join('; ')}`);
    if (there.has(read.manifest.name)) continue;
    const context: CommandContext = {
      orgId: EXAMPLE_ORGANIZATION,
      subject: 'operator',
      permissions: EXAMPLE_MEMBERS[0]?.permissions ?? [],
      requestId: newId(),
    };
    const created = await commands.create(context, read.manifest);
    if (!created.ok) throw new Error(created.refusal.detail);
    if (autonomy !== 'research') await commands.setAutonomy(context, created.value.id, autonomy);
  }
  await owner.begin(async (transaction) => {
    for (const { subject, name, permissions } of EXAMPLE_MEMBERS)
      await writeMember(transaction, subject, { orgId: EXAMPLE_ORGANIZATION, name, permissions });
  });
}
