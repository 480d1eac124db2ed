// Leaderboard over HTTP: registration on either chain, windows, filters, a wallet's sales, CSV, and refusals.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLeaderboardStore } from '../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { createLeaderboardRefresh } from '../../src/trading/leaderboard-refresh.ts';
import { bought, closing, HOUR, moved, sold } from '../trading/leaderboard/refresh-fixture.ts';
import { type ApiUnderTest, apiUnderTest, NOW, OURS, THEIRS } from './api-under-test.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

let api: ApiUnderTest;
let operator: string;
let viewer: string;
const trader = sandboxKey('a trader').address;
const holder = sandboxKey('a holder').address;
const PERPS = '0x52908400098527886E0F7030069857D2E4169EE7';
const histories: Readonly<Record<string, ReturnType<typeof bought>[]>> = {
  [trader]: [sold(3, NOW - HOUR, 4, 90_000_000), sold(2, NOW - 2 * HOUR, 6, 60_000_000), bought(1, NOW - 3 * HOUR, 10, 100_000_000)],
  [holder]: [sold(5, NOW - HOUR, 1, 5_000_000), moved(4, NOW - 2 * HOUR, { A: 3 })],
};

beforeAll(async () => {
  api = await apiUnderTest();
  operator = await api.token(['market:read', 'agent:read'], OURS);
  viewer = await api.token(['market:read'], null);
});
afterAll(() => api.close());

const register = (body: object, token = operator) => api.call('POST', '/v1/leaderboard/wallets', { token, body });
const board = (query: string, token = viewer) => api.call('GET', `/v1/leaderboard?${query}`, { token });

test('wallets of both chains are on the board at once, and ranked once they were read', async () => {
  expect((await register({ address: trader, label: '=cmd "quoted", and a comma' })).body).toEqual({
    address: trader,
    chain: 'spotchain',
    label: '=cmd "quoted", and a comma',
  });
  expect((await register({ address: holder })).status).toBe(201);
  expect((await register({ address: PERPS.toLowerCase(), label: '-1+perps' })).body).toMatchObject({ address: PERPS, chain: 'evmvenue' });
  const before = (await board('window=24h')).body;
  expect(before.items.map(({ rank, reasons }: { rank: null; reasons: string[] }) => [rank, reasons])).toEqual([
    [null, ['not_read_yet']],
    [null, ['not_read_yet']],
    [null, ['not_read_yet']],
  ]);
  expect(before.refresh).toEqual({ at: null, waiting: 0, behindSeconds: 0 });
  const { run } = createLeaderboardRefresh({
    contained: eachRow((error) => {
      throw error;
    }),
    store: createLeaderboardStore(api.sql),
    clock: api.clock,
    histories: {
      transactions: async (address) => histories[address] ?? [],
      fills: async () => [closing(NOW - HOUR, '25.5')],
      failureOf: () => null,
    },
  });
  await run();
  const { body } = await board('window=24h');
  expect(body.items).toEqual([
    expect.objectContaining({
      rank: 1,
      address: trader,
      realizedPnlUsd: '50',
      coveragePct: 100,
      basis: 'partial',
      sales: 2,
      matchedSales: 2,
      reasons: [],
    }),
    expect.objectContaining({ rank: 2, address: PERPS, realizedPnlUsd: '25.5', coveragePct: null, basis: 'reported/partial', reasons: [] }),
    expect.objectContaining({ rank: null, address: holder, realizedPnlUsd: null, coveragePct: 0, reasons: ['no_known_basis'] }),
  ]);
  expect(body.refresh).toEqual({ at: new Date(NOW).toISOString(), waiting: 0, behindSeconds: 0 });
});

test('filters and pages keep the ranks of the whole board', async () => {
  const ranks = async (query: string) => (await board(`window=7d&${query}`)).body.items.map(({ rank }: { rank: number | null }) => rank);
  expect(await ranks('chain=evmvenue')).toEqual([2]);
  expect(await ranks('ranked=false')).toEqual([null]);
  expect(await ranks(`search=${holder.slice(0, 12)}`)).toEqual([null]);
  expect(await ranks('search=PERP')).toEqual([2]);
  expect(await ranks('minCoveragePct=50')).toEqual([1]);
  const first = (await board('window=7d&limit=1')).body;
  expect(await ranks(`limit=1&cursor=${first.nextCursor}`)).toEqual([2]);
});

test("a wallet's page has the trades behind its figure, and CSV the same", async () => {
  const { body } = await api.call('GET', `/v1/leaderboard/wallets/${trader}?window=24h`, { token: viewer });
  expect(body.wallet).toMatchObject({ rank: 1, realizedPnlUsd: '50' });
  expect(body.items.map(({ profitUsd, costUsd, quantity }: Record<string, string>) => [quantity, costUsd, profitUsd])).toEqual([
    ['4', '40', '50'],
    ['6', '60', '0'],
  ]);
  const sum = body.items.reduce((total: number, { profitUsd }: { profitUsd: string }) => total + Number(profitUsd), 0);
  expect(String(sum)).toBe(body.wallet.realizedPnlUsd);
  const second = await api.call('GET', `/v1/leaderboard/wallets/${trader}?window=24h&limit=1`, { token: viewer });
  const rest = await api.call('GET', `/v1/leaderboard/wallets/${trader}?window=24h&limit=1&cursor=${second.body.nextCursor}`, {
    token: viewer,
  });
  expect([...second.body.items, ...rest.body.items]).toEqual(body.items);
  const csv = await api.call('GET', `/v1/leaderboard/wallets/${trader}/csv?window=24h`, { token: viewer });
  expect(csv.headers['content-type']).toContain('text/csv');
  expect(csv.text.trimEnd().split('\r\n')).toHaveLength(3);
  expect(csv.text).toContain('sell,4,90,40,50');
  const whole = await api.call('GET', '/v1/leaderboard/csv?window=24h', { token: viewer });
  // A label is never a spreadsheet formula.
  expect(whole.text).toContain(`1,${trader},spotchain,"'=cmd ""quoted"", and a comma",50,100,partial,2,2,`);
  expect(whole.text).toContain(`2,${PERPS},evmvenue,'-1+perps,25.5,`);
  expect((await api.call('GET', `/v1/leaderboard/wallets/${sandboxKey('unknown').address}?window=24h`, { token: viewer })).status).toBe(
    404,
  );
});

test('registering again, also by another organization, changes nothing that is shown', async () => {
  const other = await api.token(['agent:read'], THEIRS);
  expect((await register({ address: trader, label: 'mine now' }, other)).status).toBe(201);
  expect((await register({ address: trader })).status).toBe(201);
  const { body } = await board('window=24h');
  expect(body.items).toHaveLength(3);
  expect(body.items[0].label).toBe('=cmd "quoted", and a comma');
});

test.each([
  ['a window that there is not', () => board('window=1h'), 400, 'malformed'],
  ['no window', () => board(''), 400, 'malformed'],
  ['an address that is none', () => register({ address: 'I'.repeat(44) }), 400, 'malformed'],
  ['an EVM address that is too short', () => register({ address: `0x${'a'.repeat(39)}` }), 400, 'malformed'],
  ['an EVM address with a wrong checksum', () => register({ address: '0x52908400098527886e0F7030069857D2E4169EE7' }), 400, 'malformed'],
  ['32 characters that are not 32 bytes', () => register({ address: 'z'.repeat(32) }), 400, 'malformed'],
  ['an empty label', () => register({ address: holder, label: ' ' }), 400, 'malformed'],
  ['a label that turns what follows it around', () => register({ address: holder, label: 'safe\u202e' }), 400, 'malformed'],
  ['a viewer without an organization', () => register({ address: holder }, viewer), 403, 'permission_missing'],
])('%s is one clear problem', async (_, ask, status, code) => {
  const reply = await ask();
  expect([reply.status, reply.body.code]).toEqual([status, code]);
});

test('an invisible character of a label is named', async () => {
  const { body } = await register({ address: holder, label: 'safe\u202e' });
  expect(body.problems).toEqual([
    {
      path: '$.label',
      problem: 'has U+202E, an invisible character',
      allowed: 'a text of 1 to 60 visible characters, not only spaces',
    },
  ]);
});

test('an ambiguous address belongs to the chain whose form it has', async () => {
  // Base58 has no 0, so 0x… is never an address of the primary chain. Forty hexadecimal digits without it are none of the EVM chain.
  const hexadecimal = 'abcdef123456789abcdef123456789abcdef1234';
  expect([(await register({ address: hexadecimal })).status, (await register({ address: `0x${hexadecimal}` })).body.chain]).toEqual([
    400,
    'evmvenue',
  ]);
});
