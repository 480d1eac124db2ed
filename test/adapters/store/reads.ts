/** Rows for tests of reads, written without the application. */
import { randomBytes } from 'node:crypto';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { canonicalJson } from '../../../src/domain/values/canonical-json.ts';
import { uuidV7 } from '../../../src/domain/values/ids.ts';
import { type Manifest, manifestHash } from '../../../src/domain/manifest/manifest.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';
import { testDatabase } from '../../harness/postgres.ts';

export const ORG = '00000000-0000-7000-8000-00000000000a';
export const OTHER = '00000000-0000-7000-8000-00000000000b';
const T0 = Date.UTC(2026, 2, 2);
export const freshId = (): string => uuidV7(T0, randomBytes(10));

export async function storeUnderTest(): Promise<Sql> {
  const sql = openDatabase({ url: await testDatabase(), name: 'reads test', connections: 4 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER}, 'theirs')`;
  return sql;
}

/** Writes an agent with its manifest versions. `createdAt` sets its place in lists. */
export async function agentRow(
  sql: Sql,
  orgId: string,
  createdAt: string,
  manifests: readonly Manifest[] = [sampleManifest()],
): Promise<string> {
  const id = freshId();
  const last = manifests.at(-1) as Manifest;
  await sql.begin(async (transaction) => {
    await transaction`
      insert into actors (id, org_id, kind, machine, version, snapshot, status, tick_period_ms)
      values (${id}, ${orgId}, 'agent', 'agent@1', 3, ${transaction.json({ value: { stage: 'draft', duty: 'active' }, context: {} })}, 'running', 60000)`;
    for (const [index, manifest] of manifests.entries()) {
      await transaction`
        insert into manifests (agent_id, version, hash, canonical, created_by)
        values (${id}, ${index + 1}, ${manifestHash(manifest)}, ${canonicalJson(manifest as never)}, 'ann')`;
    }
    await transaction`
      insert into agents (id, org_id, name, stage, autonomy, manifest_version, manifest_hash, created_by, created_at)
      values (${id}, ${orgId}, ${last.name}, 'draft', 'research', ${manifests.length}, ${manifestHash(last)}, 'ann', ${createdAt}::text::timestamptz)`;
  });
  return id;
}
