// Reads of agents: pages by (time, id), within the organization only.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentReads } from '../../../../src/adapters/store/agents/agent-reads.ts';
import type { Sql } from '../../../../src/adapters/store/database.ts';
import { sampleManifest } from '../../../actors/agent/sample.ts';
import { agentRow, freshId, ORG, OTHER, storeUnderTest } from '../reads.ts';

let sql: Sql;
beforeAll(async () => {
  sql = await storeUnderTest();
});
afterAll(() => sql.end());

test('agents created in the same microsecond are paged by id, none lost and none twice', async () => {
  const reads = createAgentReads(sql);
  const made: { id: string; at: string }[] = [];
  for (let i = 0; i < 12; i++) {
    const at = `2026-03-02T10:00:00.00000${i < 8 ? 5 : 6}Z`;
    made.push({ id: await agentRow(sql, ORG, at), at });
  }
  await agentRow(sql, OTHER, '2026-03-02T10:00:00.000005Z');
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof reads.list>> = await reads.list(ORG, { limit: 5, after });
    seen.push(...page.items.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  const expected = made.sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1)).map(({ id }) => id);
  expect(seen).toEqual(expected);
});

test('a page that ends exactly at the last agent says so', async () => {
  const reads = createAgentReads(sql);
  const all = await reads.list(ORG, { limit: 200, after: null });
  const exact = await reads.list(ORG, { limit: all.items.length, after: null });
  expect(exact.next).toBeNull();
  expect((await reads.list(ORG, { limit: all.items.length - 1, after: null })).next).toBe(all.items.at(-2)?.id);
});

test('an agent comes with its versions, newest first, and its active manifest', async () => {
  const id = await agentRow(sql, ORG, '2026-03-02T11:00:00Z', [sampleManifest(), sampleManifest({ stopLossPct: 7 })]);
  const agent = await createAgentReads(sql).get(ORG, id);
  expect(agent?.versions.map(({ version }) => version)).toEqual([2, 1]);
  expect(agent?.manifest['stopLossPct']).toBe(7);
  expect(agent).toMatchObject({ manifestVersion: 2, createdAt: '2026-03-02T11:00:00.000Z', paused: false, pauseCause: null });
});

test('every read of a foreign or missing agent is null', async () => {
  const theirs = await agentRow(sql, OTHER, '2026-03-02T11:00:00Z');
  const reads = createAgentReads(sql);
  const page = { limit: 5, after: null };
  for (const id of [theirs, freshId()]) {
    expect([
      await reads.get(ORG, id),
      await reads.history(ORG, id, page),
      await reads.evidence(ORG, id, page),
      await reads.chartState(ORG, id),
    ]).toEqual([null, null, null, null]);
  }
  expect(await reads.chartState(OTHER, theirs)).toEqual({
    machine: 'agent@1',
    version: 3,
    status: 'running',
    value: { stage: 'draft', duty: 'active' },
  });
});

test('steps are paged by version, newest first, with a null where nothing was before', async () => {
  const id = await agentRow(sql, ORG, '2026-03-02T12:00:00Z');
  for (let version = 0; version < 4; version++) {
    await sql`insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
      values (${id}, ${version}, ${1_000 + version}, 'agent@1', ${sql.json({ type: 'e', n: version })}, ${version === 0 ? null : sql.json({ v: version - 1 })}, ${sql.json({ v: version })}, 'test')`;
  }
  const reads = createAgentReads(sql);
  const first = await reads.history(ORG, id, { limit: 3, after: null });
  expect(first?.items.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(first?.next).toBe('1');
  const rest = await reads.history(ORG, id, { limit: 3, after: '1' });
  expect(rest).toEqual({
    items: [{ version: 0, at: 1_000, machine: 'agent@1', event: { type: 'e', n: 0 }, from: null, to: { v: 0 }, cause: 'test' }],
    next: null,
  });
});
