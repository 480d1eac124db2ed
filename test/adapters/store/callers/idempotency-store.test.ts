// Remembered answers are found only by their whole key, and deleted when old.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIdempotencyStore } from '../../../../src/adapters/store/callers/idempotency-store.ts';
import type { Sql } from '../../../../src/adapters/store/database.ts';
import { ORG, OTHER, storeUnderTest } from '../reads.ts';

let sql: Sql;
beforeAll(async () => {
  sql = await storeUnderTest();
});
afterAll(() => sql.end());

const remember = (key: string, age = '0 hours', status: number | null = 201) =>
  sql`insert into idempotency_keys (org_id, subject, route, key, request_hash, status, body, created_at)
    values (${ORG}, 'ann', 'POST /v1/agents', ${key}, 'hash', ${status}, ${status === null ? null : '{"a":1}'}, clock_timestamp() - ${age}::text::interval)`;

test('an answer is found by organization, subject, route and key together', async () => {
  await remember('k');
  const store = createIdempotencyStore(sql);
  expect(await store.find(ORG, 'ann', 'POST /v1/agents', 'k')).toEqual({ requestHash: 'hash', status: 201, body: '{"a":1}' });
  for (const [org, subject, route, key] of [
    [OTHER, 'ann', 'POST /v1/agents', 'k'],
    [ORG, 'bob', 'POST /v1/agents', 'k'],
    [ORG, 'ann', 'POST /v1/takes', 'k'],
    [ORG, 'ann', 'POST /v1/agents', 'K'],
  ] as const) {
    expect(await store.find(org, subject, route, key)).toBeNull();
  }
});

test('an unfinished answer has neither status nor body', async () => {
  await remember('open', '0 hours', null);
  expect(await createIdempotencyStore(sql).find(ORG, 'ann', 'POST /v1/agents', 'open')).toEqual({
    requestHash: 'hash',
    status: null,
    body: null,
  });
});

test('only older answers than requested are deleted', async () => {
  await remember('old', '49 hours');
  await remember('young', '47 hours');
  const store = createIdempotencyStore(sql);
  expect(await store.forgetOlderThan(48)).toBe(1);
  expect(await store.find(ORG, 'ann', 'POST /v1/agents', 'old')).toBeNull();
  expect(await store.find(ORG, 'ann', 'POST /v1/agents', 'young')).not.toBeNull();
});
