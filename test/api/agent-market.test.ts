// Agent tokens over HTTP: listings, bars and books of a real database, without a chain node unless a test adds one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { bookIds, type Fill } from '../../src/domain/books/book.ts';
import type { Candle } from '../../src/domain/candles/candle.ts';
import { completeCatalog } from '../../src/domain/catalog/listed-token.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import { type InstrumentKey } from '../../src/domain/market/venue.ts';
import { SANDBOX_AGENT_TOKENS } from '../../src/sandbox/agent-tokens.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { type ApiUnderTest, apiUnderTest, NOW, newId, OURS } from './api-under-test.ts';

const HOUR = 3_600_000;
const ORCHARD: InstrumentKey = 'spotchain:ORCHARD';
const [first, second] = SANDBOX_AGENT_TOKENS;
const MINT = first?.mint ?? '';

let api: ApiUnderTest;
let reader: string;
let viewer: string;
beforeAll(async () => {
  api = await apiUnderTest();
  reader = await api.token(['market:read', 'agent:read']);
  viewer = await api.token(['market:read'], null);
  const lone = {
    mint: 'So11111111111111111111111111111111111111113',
    program: TOKEN_PROGRAM,
    symbol: 'LONE',
    name: 'Paired with nothing',
    decimals: 6,
    pairedStock: null,
    launcher: 'dbc',
    listedAt: NOW - HOUR,
    delistedAt: null,
  };
  expect(completeCatalog([...SANDBOX_AGENT_TOKENS.map((token) => ({ ...token, delistedAt: null })), lone])).toEqual([]);
  const store = createCandleStore(api.sql);
  const end = Math.floor(NOW / HOUR) * HOUR;
  const bars = (close: (hoursBack: number) => string): Candle[] =>
    Array.from({ length: 400 }, (_, at) => {
      const back = 400 - at;
      return { openTime: end - back * HOUR, open: close(back), high: close(back), low: close(back), close: close(back), volume: '10' };
    });
  for (const [instrument, candles] of [
    ['ORCHARD', bars((back) => (back <= 30 ? '0.03' : '0.02'))],
    ['AAPLx', bars((back) => (back <= 30 ? '220' : '200'))],
  ] as const)
    await store.save({ kind: 'candles', venue: 'spotchain', instrument, timeframe: '1h', source: 'test', receivedAt: NOW, candles });
});
afterAll(() => api.close());

const get = (path: string, token = reader) => api.call('GET', `/v1/agent-market/${path}`, { token });

const booked = (instrument: InstrumentKey, price: string) => {
  const id = newId();
  const fill: Fill = {
    id,
    orderId: id,
    bookId: bookIds.manual(OURS),
    instrument,
    side: 'buy',
    quantity: '1',
    fillPrice: price,
    feeUsd: '0',
    notionalUsd: price,
    decisionPrice: price,
    slippageBps: 0,
    at: NOW,
    quotes: [],
  };
  return api.sql.begin((transaction) => writeRecords(transaction, [{ type: 'fill', orgId: OURS, fill }]));
};

test('a token has its performance against the share; unknown values are null and count as the highest risk', async () => {
  api.market.set(ORCHARD, quoteOf(ORCHARD, NOW, '0.029', '0.031'));
  const { status, body } = await get(`tokens/${MINT}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ symbol: 'ORCHARD', pairedStock: 'spotchain:AAPLx', holders: null, creator: null, depth: null });
  expect(body.price).toEqual({ priceUsd: '0.03', source: 'aggregator', at: new Date(NOW).toISOString(), ageMs: 0 });
  expect(body.performance).toEqual([
    { window: '24h', tokenPct: 0, stockPct: 0, relativePct: 0 },
    { window: '7d', tokenPct: 50, stockPct: 10, relativePct: 36.363636 },
    { window: '30d', tokenPct: null, stockPct: null, relativePct: null },
  ]);
  expect(body.risk.unknown).toEqual(['liquidity_depth', 'top_wallet_concentration', 'creator_allocation', 'volume_stability']);
  expect(body.risk.terms.every((one: { formula: string }) => one.formula !== '')).toBe(true);
  expect(body.risk.score).toBe(90);
});

test('duplicate exposure is flagged by the books’ positions, and is empty for an identity without an organization', async () => {
  const flag = async (token?: string) => (await get(`tokens/${MINT}`, token)).body.duplicatedExposure;
  expect(await flag()).toEqual({ flagged: false, holdsToken: false, holdsStock: false });
  await booked(ORCHARD, '0.03');
  expect(await flag()).toEqual({ flagged: false, holdsToken: true, holdsStock: false });
  await booked('spotchain:AAPLx', '200');
  expect(await flag()).toEqual({ flagged: true, holdsToken: true, holdsStock: true });
  expect(await flag(viewer)).toBeNull();
  const paired = await get('stock-paired?stock=AAPLx');
  expect(paired.body.items).toMatchObject([{ symbol: 'ORCHARD', duplicatedExposure: { flagged: true }, priceUsd: '0.03' }]);
});

test('tokens paired with a share are listed page by page; a token without a pair is not among them', async () => {
  const one = await get('stock-paired?limit=1');
  expect(one.body.items.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['ORCHARD']);
  const two = await get(`stock-paired?limit=1&cursor=${one.body.nextCursor}`);
  expect(two.body.items.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['VOLTAGE']);
  expect(two.body.nextCursor).toBeNull();
  expect((await get('stock-paired?stock=MSFTx')).body.items).toEqual([]);
});

test('a ranking keeps unrankable tokens with the reason, and its pages are contiguous', async () => {
  const all = await get('rank?mode=relative_performance');
  expect(all.body.items.map(({ rank, symbol, reasons }: Record<string, unknown>) => [rank, symbol, reasons])).toEqual([
    [1, 'ORCHARD', []],
    [null, 'LONE', ['performance_unknown']],
    [null, 'VOLTAGE', ['performance_unknown']],
  ]);
  const newest = await get('rank?mode=newest&limit=2');
  expect(newest.body.items[0].symbol).toBe('LONE');
  const rest = await get(`rank?mode=newest&limit=2&cursor=${newest.body.nextCursor}`);
  expect(rest.body.items).toHaveLength(1);
  expect(rest.body.items[0].rank).toBe(3);
  expect((await get('rank')).body.items.every(({ rank }: { rank: number | null }) => rank === null)).toBe(true);
});

test.each([
  ['tokens/So11111111111111111111111111111111111111112', 404],
  ['tokens/nonsense', 400],
  [`tokens/${MINT}?wallets=nobody`, 400],
  ['rank?mode=best', 400],
  ['rank?cursor=bm9uc2Vuc2U', 400],
])('%s is refused', async (path, status) => {
  expect((await get(path)).status).toBe(status);
});

test('a delisted token is no longer in the agent token market', async () => {
  completeCatalog([{ ...(second as (typeof SANDBOX_AGENT_TOKENS)[number]), delistedAt: NOW - 1 }]);
  expect((await get(`tokens/${second?.mint}`)).status).toBe(404);
});
