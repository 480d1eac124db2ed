// Rankings, basis and assessments over HTTP: on stored cuts and bars, present and past, in pages, and without invented reasons.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBasisReads } from '../../api/v1/rankings/basis.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { createBarReads } from '../../src/adapters/store/candles/bar-reads.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { Observation } from '../../src/domain/market/cut.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../src/domain/market/venue.ts';
import { momentumBars, computeMomentum } from '../../src/domain/ranking/momentum.ts';
import { seededRandom } from '../../src/domain/values/seeded-random.ts';
import { event, LIVE_QUOTE, LIVE_REFERENCE, observation } from '../domain/observations.ts';
import { type ApiUnderTest, apiUnderTest, NOW, OURS } from './api-under-test.ts';

const HOUR = 3_600_000;
const EQUITIES = CATALOG.fixed.entries.filter(({ kind }) => kind === 'tokenized_equity');
const EARLIER = NOW - 60_000;
const PRESENT = NOW - 30_000 - (NOW % 30_000);

let api: ApiUnderTest;
let reader: string;

function seen(slot: number, key: InstrumentKey, over: Partial<Observation> = {}): Observation {
  return observation({
    slot,
    instrument: key,
    quote: { ...LIVE_QUOTE, observedAt: slot - 500 },
    reference: { ...LIVE_REFERENCE, feedUpdatedAt: slot - 900 },
    ...over,
  });
}

async function cut(slot: number, ...observations: Observation[]): Promise<void> {
  await writeCut(api.sql, { slot, observations: new Map(observations.map((one) => [one.instrument, one])) }, 'streams');
}

/** Stores hourly bars up to now with the close `close(hoursAgo)`. */
async function bars(key: InstrumentKey, hours: number, close: (hoursAgo: number) => string): Promise<void> {
  const { venue, instrument } = splitInstrumentKey(key);
  const last = NOW - (NOW % HOUR) - HOUR;
  const candles = Array.from({ length: hours }, (_, index) => {
    const price = close(index);
    return { openTime: last - index * HOUR, open: price, high: price, low: price, close: price, volume: '1' };
  });
  await createCandleStore(api.sql).save({ kind: 'candles', venue, instrument, timeframe: '1h', source: 'test', receivedAt: NOW, candles });
}

beforeAll(async () => {
  api = await apiUnderTest();
  reader = await api.token(['market:read', 'agent:read']);
  const gaps = new Map(EQUITIES.map(({ key }, index) => [key, index - 5]));
  await cut(EARLIER, seen(EARLIER, 'spotchain:AAPLx', { premiumPct: 7 }));
  await cut(
    PRESENT,
    ...EQUITIES.slice(0, 9).map(({ key }) => seen(PRESENT, key, { premiumPct: gaps.get(key) as number })),
    seen(PRESENT, (EQUITIES[9] as { key: InstrumentKey }).key, { reference: { ...LIVE_REFERENCE, flags: ['carried_forward'] } }),
    seen(PRESENT, 'spotchain:OPENAI', { premiumPct: null, gapToMarkPct: -12, events: [event({ id: 'n1', observedAt: PRESENT })] }),
    seen(PRESENT, 'spotexchange:BTCUSDT', {
      reference: null,
      premiumPct: null,
      liquidityUsd: null,
      quote: { ...LIVE_QUOTE, bid: '99.99', ask: '100.01' },
    }),
    seen(PRESENT, 'evmvenue:BTC', {
      reference: null,
      premiumPct: null,
      hourlyFunding: '0.00001',
      quote: { ...LIVE_QUOTE, bid: '101.99', ask: '102.01', mid: '102' },
    }),
    seen(PRESENT, 'evmvenue:xyz:AAPL', {
      reference: null,
      premiumPct: null,
      liquidityUsd: null,
      hourlyFunding: '0.00000625',
      quote: { ...LIVE_QUOTE, bid: '100.99', ask: '101.01', mid: '101', ageMs: 400, source: 'hyperliquid:bbo' },
    }),
  );
  await bars('spotchain:AAPLx', 300, (ago) => (101 + ((ago * 3) % 5) / 10).toFixed(2));
  await bars('evmvenue:xyz:AAPL', 300, () => '101');
  await bars('spotchain:OPENAI', 200, (ago) => (ago === 0 ? '121' : ago < 168 ? '110' : '100'));
  await bars('spotexchange:BTCUSDT', 300, () => '100');
  await bars('evmvenue:BTC', 300, (ago) => (100 + (ago % 7) - 3).toFixed(2));
});
afterAll(() => api.close());

const get = (url: string) => api.call('GET', url, { token: reader });

test('fair value is ranked at the newest cut, with all pages from one cut, even if newer ones exist', async () => {
  const all = await get('/v1/rankings/fair-value?mode=deepest_discount');
  expect(all.body.asOf).toBe(new Date(PRESENT).toISOString());
  expect(all.body.items.map(({ symbol }: { symbol: string }) => symbol).slice(0, 3)).toEqual(
    EQUITIES.slice(0, 3).map(({ instrument }) => instrument),
  );
  expect(all.body.items).toHaveLength(EQUITIES.length);
  expect(all.body.items.slice(9)).toMatchObject([
    { rank: null, score: null, reasons: ['not_observed'] },
    { rank: null, score: null, reasons: ['stale_reference'], causes: [{ input: 'reference', cause: 'stale' }] },
  ]);
  const first = await get('/v1/rankings/fair-value?mode=deepest_discount&limit=4');
  await cut(PRESENT + 1, seen(PRESENT + 1, 'spotchain:AAPLx', { premiumPct: 99 }));
  const second = await get(`/v1/rankings/fair-value?mode=deepest_discount&limit=200&cursor=${first.body.nextCursor}`);
  expect([...first.body.items, ...second.body.items]).toEqual(all.body.items);
  expect(second.body.nextCursor).toBeNull();
});

test('a ranking as of a past time is that of the last cut before it', async () => {
  const past = await get(`/v1/rankings/fair-value?mode=highest_premium&at=${new Date(EARLIER + 5_000).toISOString()}`);
  expect(past.body.asOf).toBe(new Date(EARLIER).toISOString());
  expect(past.body.items[0]).toMatchObject({ symbol: 'AAPLx', rank: 1, score: '7' });
  const never = await get('/v1/rankings/fair-value?at=2019-01-01T00:00:00Z');
  expect(never.body.items.map(({ rank, reasons }: { rank: null; reasons: string[] }) => [rank, reasons])).toEqual(
    EQUITIES.map(() => [null, ['not_observed']]),
  );
});

test('filters narrow the list and keep the ranks', async () => {
  const technology = await get(`/v1/rankings/fair-value?mode=deepest_discount&sector=technology&at=${new Date(PRESENT).toISOString()}`);
  expect(technology.body.items.map(({ symbol, rank }: { symbol: string; rank: number }) => [symbol, rank])).toEqual([
    ['AAPLx', 1],
    ['NVDAx', 3],
    ['MSFTx', 9],
  ]);
  const without = await get(`/v1/rankings/fair-value?ranked=false&at=${new Date(PRESENT).toISOString()}`);
  expect(without.body.items).toHaveLength(2);
});

test('the slippage budget of a trade is a parameter: the allowed size grows with it', async () => {
  const largest = async (query: string): Promise<number> => {
    const { status, body } = await get(`/v1/rankings/fair-value?mode=liquidity&at=${new Date(PRESENT).toISOString()}${query}`);
    expect(status).toBe(200);
    const [row] = body.items;
    // A purchase of N dollars leaves a side of U for N U / (U - N): the budget is reached there.
    const { maxTradeUsd, maxTradeCostBps, slippageBudgetBps, poolLiquidityUsd } = row.inputs;
    expect(maxTradeCostBps).toBeLessThanOrEqual(slippageBudgetBps);
    expect(Number(maxTradeUsd)).toBeGreaterThan(
      ((0.97 * slippageBudgetBps) / (10_000 + slippageBudgetBps)) * (Number(poolLiquidityUsd) / 2),
    );
    return Number(maxTradeUsd);
  };
  const sizes = [
    await largest('&slippageBps=12.5'),
    await largest('&slippageBps=25'),
    await largest(''),
    await largest('&slippageBps=500'),
  ];
  expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
  expect(new Set(sizes).size).toBe(4);
});

test.each([
  'mode=best',
  'mode=liquidity&slippageBps=0',
  'mode=liquidity&slippageBps=5001',
  'mode=liquidity&slippageBps=1e2',
  'cursor=AAAA',
  'at=yesterday',
  'limit=0',
  'unknown=1',
])('a bad query (%s) gets one problem', async (query) => {
  const reply = await get(`/v1/rankings/fair-value?${query}`);
  expect([reply.status, reply.body.code]).toEqual([400, 'malformed']);
});

test('private markets have seven modes; momentum reads stored bars, the fit the caller’s books', async () => {
  const at = `&at=${new Date(PRESENT).toISOString()}`;
  for (const mode of ['gap_to_mark', 'deepest_discount', 'highest_premium', 'liquidity', 'momentum', 'news_intensity']) {
    const { body } = await get(`/v1/rankings/private?mode=${mode}${at}`);
    expect([mode, body.items[0].symbol, body.items[0].rank]).toEqual([mode, 'OPENAI', 1]);
  }
  const momentum = await get(`/v1/rankings/private?mode=momentum${at}`);
  // 0.6 x 10 % + 0.4 x 21 %.
  expect(momentum.body.items[0].score).toBe('14.4');
  const fit = await get(`/v1/rankings/private?mode=portfolio_fit${at}`);
  expect(fit.body.items.find(({ symbol }: { symbol: string }) => symbol === 'OPENAI')).toMatchObject({
    rank: null,
    reasons: ['no_portfolio'],
  });
  const outsider = await api.call('GET', '/v1/rankings/private?mode=portfolio_fit', { token: await api.token(['market:read']) });
  expect([outsider.status, outsider.body.code]).toEqual([403, 'permission_missing']);
  const markets = await get('/v1/private-markets?sector=artificial_intelligence');
  expect(markets.body.items.map(({ instrument }: { instrument: string }) => instrument)).toEqual(['ANTHROPIC', 'FIGUREAI', 'OPENAI']);
});

test('the basis shows three legs, and an edge only if they are live', async () => {
  const { body } = await get(`/v1/arbitrage/basis?at=${new Date(PRESENT).toISOString()}`);
  const row = (symbol: string) => body.items.find((one: { symbol: string }) => one.symbol === symbol);
  expect(row('AAPLx').edges[0]).toMatchObject({ against: 'reference', spreadBps: '-196.078431', reasons: [] });
  // The token is at 100, the builder's perpetual on the share at 101.
  expect(row('AAPLx').legs.perpetual).toMatchObject({ price: '101', source: 'hyperliquid:bbo', ageMs: 400, quality: 'live' });
  expect(row('AAPLx').edges[1]).toMatchObject({ against: 'perpetual', spreadBps: '-99.009901', reasons: [] });
  const terms = row('AAPLx').edges[1].costs.map(({ name }: { name: string }) => name);
  expect(terms.slice(4)).toEqual([
    'fees of the perpetual, both ways',
    'spread of the perpetual',
    'impact on the perpetual, both ways',
    'funding until the mean half-life',
  ]);
  expect(row('TSLAx').edges[1]).toMatchObject({ netEdgeBps: null, reasons: ['perpetual_not_live', 'no_funding', 'no_half_life'] });
  expect(row('SPYx').edges[1]).toMatchObject({ netEdgeBps: null, reasons: ['no_perpetual'] });
  expect(row((EQUITIES[9] as { instrument: string }).instrument).edges[0]).toMatchObject({
    netEdgeBps: null,
    reasons: ['reference_carried_forward'],
  });
  const perpetual = row('BTCUSDT').edges[1];
  expect(perpetual).toMatchObject({ against: 'perpetual', reasons: [] });
  expect(perpetual.halfLifeHours).toBeGreaterThanOrEqual(0);
  expect(Number(perpetual.netEdgeBps)).toBeLessThan(196.08);
  expect(row('BTCUSDT').edges[0].reasons).toEqual(['no_reference']);
});

test('a half-life without enough bars is fitted again as bars arrive', async () => {
  let now = NOW;
  const basis = createBasisReads({ bars: createBarReads(api.sql), catalog: CATALOG, clock: { now: () => now } });
  const halfLife = async (slot: number) => {
    const rows = await basis.rows({ slot, observations: new Map() }, '1000');
    return rows.find(({ symbol }) => symbol === 'NVDAx')?.edges[1]?.halfLifeHours;
  };
  expect(await halfLife(PRESENT)).toBeNull();
  await bars('spotchain:NVDAx', 100, (ago) => (200 + ((ago * 7) % 11) / 10).toFixed(2));
  await bars('evmvenue:xyz:NVDA', 100, () => '200');
  now += 60_000;
  expect(await halfLife(PRESENT + 30_000)).toBeNull();
  now += 60_000;
  expect(await halfLife(PRESENT + 60_000)).toBeGreaterThanOrEqual(0);
});

test('an assessment uses listed sources, and unknown stocks are not assessed', async () => {
  const reply = await api.call('POST', '/v1/stocks/OPENAI/assessment', { token: reader });
  expect(reply.status).toBe(200);
  const { body } = reply;
  expect(body).toMatchObject({ symbol: 'OPENAI', method: 'deterministic', note: null });
  const known = body.sources.map(({ id }: { id: string }) => id);
  for (const claim of [...body.bull, ...body.bear, ...body.valuation.claims, ...body.catalysts]) {
    expect(claim.sources.length).toBeGreaterThan(0);
    for (const id of claim.sources) expect(known).toContain(id);
  }
  expect(body.thin).toContain('No filings or news were received in the last 30 days.');
  for (const symbol of ['NOPE', 'BTCUSDT', 'AAPL']) {
    const refused = await api.call('POST', `/v1/stocks/${symbol}/assessment`, { token: reader });
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
  }
});

test('a model’s phrasing is used if it passes the check, otherwise that is stated', async () => {
  const phrased = await apiUnderTest(
    () => ({
      rankings: {
        phrasing: {
          phrase: async (given) => ({
            ok: true,
            answer: given.bull.length > 0 ? { invented: true } : { bull: [], bear: [], valuation: [], catalysts: [] },
          }),
        },
      },
    }),
    {},
    api.databaseUrl,
  );
  try {
    const token = await phrased.token(['market:read'], OURS);
    const refused = await phrased.call('POST', '/v1/stocks/OPENAI/assessment', { token });
    expect(refused.body).toMatchObject({
      method: 'deterministic',
      note: 'the phrasing of the model was refused: the answer holds invented',
    });
    const taken = await phrased.call('POST', '/v1/stocks/KALSHI/assessment', { token });
    expect(taken.body).toMatchObject({ symbol: 'KALSHI', method: 'model', note: null, bull: [] });
  } finally {
    await phrased.close();
  }
});

test('a newest cut that is too old gives no present ranking', async () => {
  api.clock.advanceTo(NOW + 10 * 60_000);
  const { body } = await get('/v1/rankings/fair-value');
  expect(
    body.items.every(({ rank, reasons }: { rank: number | null; reasons: string[] }) => rank === null && reasons[0] === 'not_observed'),
  ).toBe(true);
  const basis = await get('/v1/arbitrage/basis');
  expect(
    basis.body.items
      .flatMap(({ edges }: { edges: { netEdgeBps: string | null }[] }) => edges)
      .every(({ netEdgeBps }: { netEdgeBps: string | null }) => netEdgeBps === null),
  ).toBe(true);
});

test('the few bars read for momentum give the same as all bars, whatever is missing', async () => {
  const random = seededRandom(11);
  const hour = NOW - (NOW % HOUR);
  const reads = createBarReads(api.sql);
  const keys = Array.from({ length: 40 }, (_, n) => `evmvenue:GAP${n}` as InstrumentKey);
  for (const key of keys) {
    // From full to half empty, some without the last hours.
    const missing = random() * 0.9;
    const silent = random() < 0.4 ? Math.floor(random() * 12) : 0;
    const openTimes = Array.from({ length: 200 }, (_, n) => hour - n * HOUR).filter((_, n) => n >= silent && random() >= missing);
    const { venue, instrument } = splitInstrumentKey(key);
    const candles = openTimes.map((openTime) => {
      const price = (50 + random() * 100).toFixed(4);
      return { openTime, open: price, high: price, low: price, close: price, volume: '1' };
    });
    await createCandleStore(api.sql).save({
      kind: 'candles',
      venue,
      instrument,
      timeframe: '1h',
      source: 'test',
      receivedAt: NOW,
      candles,
    });
  }
  let found = 0;
  for (const at of [NOW, hour, hour - 3 * HOUR, hour + 1]) {
    const all = await reads.closes(keys, '1h', at - 400 * HOUR, at + HOUR);
    const few = await reads.nearest(keys, '1h', momentumBars(at));
    for (const key of keys) {
      const momentum = computeMomentum(all.get(key) ?? [], at);
      expect([key, computeMomentum(few.get(key) ?? [], at)]).toEqual([key, momentum]);
      expect((few.get(key) ?? []).length).toBeLessThanOrEqual(3);
      if (momentum !== null) found++;
    }
  }
  expect(found).toBeGreaterThan(20);
  expect(found).toBeLessThan(160);
});
