// Listings of agent tokens on a real database: a symbol names one token forever, delisting is final, and every process learns of both.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createListedTokenStore, loadListedTokens } from '../../../../src/adapters/store/catalog/listed-token-store.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { followListedTokens } from '../../../../src/boot/wiring/listed-tokens.ts';
import { CATALOG } from '../../../../src/domain/catalog/catalog.ts';
import { SANDBOX_AGENT_TOKENS } from '../../../../src/sandbox/agent-tokens.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { waitFor } from '../../../harness/wait-for.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const TOKEN = {
  mint: 'So11111111111111111111111111111111111111112',
  program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  symbol: 'HARBOR',
  name: 'Harbor Master',
  decimals: 9,
  pairedStock: 'spotchain:NVDAx',
  launcher: 'agentlaunch',
  listedAt: NOW,
} as const;

let sql: Sql;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'listing test', connections: 2 });
});
afterEach(() => CATALOG.list([]));
afterAll(() => sql.end({ timeout: 1 }));

test('a token is listed once, under a symbol of its own, and delisted once', async () => {
  const store = createListedTokenStore(sql);
  expect(await store.add(TOKEN)).toBe(true);
  expect(await store.add(TOKEN)).toBe(false);
  expect(await store.add({ ...TOKEN, symbol: 'harbor', mint: 'AgtVtRange1111111111111111111111111111111111' })).toBe(false);
  expect(await store.all()).toEqual([{ ...TOKEN, origin: null, delistedAt: null }]);
  expect(await store.delist(TOKEN.mint, NOW + 5)).toBe(true);
  expect(await store.delist(TOKEN.mint, NOW + 9)).toBe(false);
  expect((await store.all())[0]?.delistedAt).toBe(NOW + 5);
  await expect(sql`update listed_tokens set delisted_at = null`).rejects.toThrow('a delisted token stays delisted');
  await expect(sql`update listed_tokens set symbol = 'OTHER'`).rejects.toThrow('permission denied');
  await expect(sql`delete from listed_tokens`).rejects.toThrow('permission denied');
});

test('sandbox tokens are listed only if the sandbox is the chain', async () => {
  const clock = createVirtualClock(NOW);
  const warnings: unknown[] = [];
  const log = { warn: (...told: unknown[]) => warnings.push(told) } as never;
  const following = await followListedTokens({ sql, isSandboxed: true, mayList: true, clock, log });
  expect(CATALOG.listed.map(({ instrument }) => instrument).sort()).toEqual(
    ['HARBOR', ...SANDBOX_AGENT_TOKENS.map(({ symbol }) => symbol)].sort(),
  );
  // A listing of another writer is found at the next poll.
  await createListedTokenStore(sql).add({
    ...TOKEN,
    symbol: 'PIER',
    name: 'Pier Watch',
    mint: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM',
  });
  clock.advanceTo(NOW + 5_000);
  await waitFor(() => CATALOG.bySymbol('PIER') !== undefined, { what: 'the new listing' });
  await following.stop();
  expect(warnings).toEqual([]);
  await loadListedTokens(sql, false);
  expect(CATALOG.listed.map(({ instrument }) => instrument).sort()).toEqual(['HARBOR', 'PIER']);
});

test('an invalid listing is left out and reported', async () => {
  await createListedTokenStore(sql).add({ ...TOKEN, symbol: 'TSLA', mint: '8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR' });
  expect(await loadListedTokens(sql, false)).toEqual(['TSLA is taken by spotchain:TSLAx']);
  expect(CATALOG.bySymbol('HARBOR')).toBeDefined();
});
