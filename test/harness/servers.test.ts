// Servers given to tests are real and private.
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { testDatabase } from './postgres.ts';
import { testRedis } from './redis.ts';
import { waitFor } from './wait-for.ts';

test('each database is migrated and starts empty, whatever another test wrote', async () => {
  const [first, second] = await Promise.all([testDatabase(), testDatabase()]);
  const [one, two] = [postgres(first, { max: 1 }), postgres(second, { max: 1 })];
  try {
    await one`insert into organizations (id, name) values ('00000000-0000-7000-8000-000000000001', 'ours')`;
    expect(await one`select name from organizations`).toEqual([{ name: 'ours' }]);
    expect(await two`select name from organizations`).toEqual([]);
  } finally {
    await Promise.all([one.end(), two.end()]);
  }
});

test('an empty database has no table', async () => {
  const sql = postgres(await testDatabase('empty'), { max: 1 });
  try {
    expect(await sql`select 1 from pg_tables where schemaname = 'public'`).toHaveLength(0);
  } finally {
    await sql.end();
  }
});

const redisUrl = await testRedis();
test.skipIf(redisUrl === null)('the Redis is a real one with a password', async () => {
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl as string);
  try {
    expect(await redis.set('a', 'b')).toBe('OK');
    expect(await redis.dbsize()).toBe(1);
  } finally {
    redis.disconnect();
  }
});

test('a failed wait names what did not happen', async () => {
  await expect(waitFor(() => false, { what: 'the moon', deadlineMs: 20 })).rejects.toThrow('the moon: not within 0.2 s');
  let calls = 0;
  expect(await waitFor(() => (++calls > 3 ? 'there' : null), { what: 'the fourth call' })).toBe('there');
});
