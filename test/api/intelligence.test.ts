// Market intelligence over HTTP on a real database: events with their corroboration, separate chatter, chains, macro series, the regime.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIntelligenceStore } from '../../src/adapters/store/intelligence/intelligence-store.ts';
import type { MacroObservation } from '../../src/domain/intelligence/macro.ts';
import type { SocialPost } from '../../src/domain/intelligence/record.ts';
import type { Report } from '../../src/domain/intelligence/report.ts';
import { StoryTracker } from '../../src/domain/intelligence/story-tracker.ts';
import { aReport } from '../domain/intelligence/reports.ts';
import { type ApiUnderTest, apiUnderTest, NOW } from './api-under-test.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ROUTES = ['/v1/chains', '/v1/intelligence/macro', '/v1/macro-regime', '/v1/social-feed', '/v1/intelligence/events'];

let api: ApiUnderTest;
let token: string;
let store: ReturnType<typeof createIntelligenceStore>;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read']);
  store = createIntelligenceStore(api.sql);
});
afterAll(() => api.close());
const get = (url: string) => api.call('GET', url, { token });
const day = (daysAgo: number): string => new Date(NOW - daysAgo * DAY).toISOString().slice(0, 10);

test.each(ROUTES)('%s needs permission, validates its query, and answers without any data', async (url) => {
  expect((await api.call('GET', url)).status).toBe(401);
  expect((await api.call('GET', url, { token: await api.token(['agent:read']) })).body.code).toBe('permission_missing');
  expect((await get(`${url}?nonsense=1`)).body.code).toBe('malformed');
  expect((await get(url)).status).toBe(200);
});

test('without data the regime is unknown, not neutral, and names every missing input', async () => {
  const { body } = await get('/v1/macro-regime');
  expect(body).toMatchObject({ regime: 'unknown', score: null, knownWeight: '0' });
  expect(body.inputs.map(({ state }: { state: string }) => state)).toEqual(Array(6).fill('missing'));
  expect((await get('/v1/chains')).body).toEqual({ items: [], nextCursor: null, total: null });
  const macro = (await get('/v1/intelligence/macro')).body;
  expect(macro.rates).toMatchObject({ policy: null, curve: null, policyRate: null, realPolicyRate: null });
  expect(macro.series.every(({ tooOld }: { tooOld: boolean }) => tooOld)).toBe(true);
});

describe('events', () => {
  const report = (id: string, minutesAgo: number, over: Partial<Report> = {}): Report =>
    aReport({ id, publishedAt: NOW - minutesAgo * 60_000, receivedAt: NOW - minutesAgo * 60_000 + 500, ...over });
  beforeAll(async () => {
    const handler = new StoryTracker();
    const told = [
      report('w1', 90, { storyKey: 's1', family: 'one' }),
      report('w2', 80, { storyKey: 's1', family: 'two' }),
      report('w3', 70, { storyKey: 's1', family: 'three', headline: 'Officer quits at the firm overnight', severity: 'critical' }),
      report('w4', 60, {
        storyKey: 's2',
        family: 'one',
        kind: 'product',
        severity: 'low',
        direction: 'positive',
        entities: [{ asset: 'TSLA', by: 'ticker', matched: 'TSLA' }],
        headline: 'New line of products comes from Tesla',
      }),
      report('f1', 50, {
        channel: 'filing',
        source: 'EDGAR',
        family: 'sec',
        primary: true,
        kind: 'results',
        severity: 'medium',
        direction: 'neutral',
        entities: [{ asset: 'TSLA', by: 'cik', matched: '1318605' }],
        headline: 'Tesla files 8-K: results of operations',
        url: 'https://archive.example/1',
      }),
      report('w5', 40, {
        family: 'one',
        kind: 'wire',
        severity: 'medium',
        direction: 'neutral',
        entities: [],
        unmapped: ['Nobody Corp'],
        headline: 'Nobody Corp does something',
      }),
      report('w6', 30, {
        family: 'one',
        storyKey: 's2',
        action: 'retraction',
        corrects: 'w4',
        kind: 'product',
        severity: 'low',
        direction: 'neutral',
        entities: [],
        headline: 'Withdrawn item',
      }),
    ];
    for (const one of told) {
      const change = handler.take(one);
      if (change !== null) await store.saveChanges([{ ...change, report: one }]);
    }
  });
  const ids = async (query: string): Promise<string[]> =>
    (await get(`/v1/intelligence/events${query}`)).body.items.map(({ id }: { id: string }) => id);

  test('name their confirmations and the weight of each report', async () => {
    const { items } = (await get('/v1/intelligence/events?symbol=AAPLx')).body;
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      id: 'w1',
      kind: 'executive',
      severity: 'critical',
      direction: 'negative',
      state: 'confirmed',
      confirmedBy: 'independent_families',
      confirmedAt: new Date(NOW - 70 * 60_000).toISOString(),
      observedAt: new Date(NOW - 70 * 60_000).toISOString(),
      families: ['one', 'three'],
      symbols: ['AAPL'],
    });
    expect(items[0].reports.map(({ id, counted }: { id: string; counted: string }) => [id, counted])).toEqual([
      ['w1', 'voice'],
      ['w2', 'copy'],
      ['w3', 'voice'],
    ]);
  });

  test('are filtered and come newest first', async () => {
    expect(await ids('')).toEqual(['w5', 'f1', 'w4', 'w1']);
    expect(await ids('?confirmed=true')).toEqual(['f1', 'w1']);
    expect(await ids('?confirmed=false')).toEqual(['w5', 'w4']);
    expect(await ids('?minSeverity=medium')).toEqual(['w5', 'f1', 'w1']);
    expect(await ids('?kind=results')).toEqual(['f1']);
    expect(await ids('?symbol=TSLA&confirmed=true')).toEqual(['f1']);
    expect(await ids(`?from=${new Date(NOW - 55 * 60_000).toISOString()}`)).toEqual(['w5', 'f1']);
    expect(await ids('?symbol=NOBODY')).toEqual([]);
  });

  test('that were withdrawn say so, and unknown names stay unmapped', async () => {
    const { items } = (await get('/v1/intelligence/events')).body;
    const of = (id: string) => items.find((item: { id: string }) => item.id === id);
    expect(of('w4')).toMatchObject({ state: 'retracted', confirmedBy: null });
    expect(of('w4').reports.map(({ counted }: { counted: string }) => counted)).toEqual(['withdrawn', 'retraction']);
    expect(of('w5')).toMatchObject({ symbols: [], state: 'rumor' });
    expect(of('w5').reports[0].unmapped).toEqual(['Nobody Corp']);
  });

  test('are read page by page', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await get(`/v1/intelligence/events?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(['w5', 'f1', 'w4', 'w1']);
    expect((await get('/v1/intelligence/events?cursor=eHh4')).body.code).toBe('malformed');
    expect((await get('/v1/intelligence/events?from=yesterday')).body.code).toBe('malformed');
  });
});

describe('the social feed', () => {
  const post = (id: string, minutesAgo: number, over: Partial<SocialPost> = {}): SocialPost => ({
    id: `x:${id}`,
    platform: 'x',
    author: 'somebody',
    text: 'a $AAPL post',
    url: null,
    publishedAt: NOW - minutesAgo * 60_000,
    receivedAt: NOW - minutesAgo * 60_000 + 500,
    engagement: { likes: 5, reposts: 0, replies: 0, quotes: null },
    cashtags: ['$AAPL'],
    entities: [{ asset: 'AAPL', by: 'cashtag', matched: '$AAPL' }],
    ambiguous: [],
    unmapped: [],
    ...over,
  });
  beforeAll(async () => {
    await store.savePosts([
      post('1', 30),
      post('2', 20, { entities: [], cashtags: ['$WAGMI'], unmapped: ['$WAGMI'], text: '$WAGMI' }),
      post('3', 10, {
        author: 'other',
        entities: [{ asset: 'BTC', by: 'name', matched: 'Bitcoin' }],
        engagement: { likes: 50, reposts: 1, replies: 2, quotes: 3 },
      }),
    ]);
    // Seen again later: only its engagement changes.
    await store.savePosts([
      post('1', 30, { receivedAt: NOW, engagement: { likes: 99, reposts: 7, replies: 0, quotes: null }, text: 'edited', entities: [] }),
    ]);
  });
  const ids = async (query: string): Promise<string[]> =>
    (await get(`/v1/social-feed${query}`)).body.items.map(({ id }: { id: string }) => id);

  test('shows posts about the catalog, newest first, with the newest engagement and the first text', async () => {
    const { items } = (await get('/v1/social-feed')).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual(['x:3', 'x:1']);
    expect(items[1]).toMatchObject({
      text: 'a $AAPL post',
      engagement: { likes: 99, quotes: null },
      assets: [{ asset: 'AAPL', by: 'cashtag', matched: '$AAPL' }],
    });
  });

  test('is filtered and paged, and shows the others on request', async () => {
    expect(await ids('?mapped=false')).toEqual(['x:3', 'x:2', 'x:1']);
    expect(await ids('?symbol=BTCUSDT')).toEqual(['x:3']);
    expect(await ids('?author=somebody')).toEqual(['x:1']);
    expect(await ids('?minLikes=60')).toEqual(['x:1']);
    expect(await ids('?platform=farcaster')).toEqual([]);
    expect(await ids(`?from=${new Date(NOW - 15 * 60_000).toISOString()}`)).toEqual(['x:3']);
    const { body } = await get('/v1/social-feed?limit=1');
    expect(body.items[0].id).toBe('x:3');
    expect(await ids(`?limit=1&cursor=${body.nextCursor}`)).toEqual(['x:1']);
  });

  test('is part of no event, whatever it says', async () => {
    expect((await get('/v1/intelligence/events?symbol=BTC')).body.items).toEqual([]);
  });
});

describe('chains', () => {
  const chain = (name: string, tvlUsd: string, at: number) => ({
    chain: name,
    chainId: name === 'Ethereum' ? '1' : null,
    tokenSymbol: null,
    tvlUsd,
    receivedAt: at,
  });
  beforeAll(async () => {
    await store.saveChains([chain('Ethereum', '90', NOW - DAY - HOUR), chain('Solana', '8', NOW - DAY - 5 * HOUR)]);
    await store.saveChains([chain('Ethereum', '75', NOW - 7 * DAY - 10 * 60_000)]);
    await store.saveChains([
      chain('Ethereum', '101.5', NOW - 20 * 60_000),
      chain('Solana', '12', NOW - 20 * 60_000),
      chain('Ultra', '0', NOW - 20 * 60_000),
    ]);
    await store.saveChains([
      chain('Ethereum', '100', NOW - 5 * 60_000),
      chain('Solana', '10', NOW - 5 * 60_000),
      chain('Ultra', '0', NOW - 5 * 60_000),
    ]);
    const days = [8, 7, 1, 0].map((ago, index) => ({ chain: null, date: day(ago), tvlUsd: String(200 + index * 10) }));
    await store.saveDays(
      [...days, { chain: 'Solana', date: day(1), tvlUsd: '8' }, { chain: 'Solana', date: day(7), tvlUsd: '20' }],
      NOW - HOUR,
    );
  });

  test('come with age and changes: from our own snapshots, else from the provider’s days, else unknown', async () => {
    const { items, total } = (await get('/v1/chains')).body;
    expect(items).toEqual([
      {
        chain: 'Ethereum',
        chainId: '1',
        tokenSymbol: null,
        tvlUsd: '100',
        receivedAt: new Date(NOW - 5 * 60_000).toISOString(),
        ageMs: 300_000,
        change1dPct: 11.111111,
        change7dPct: 33.333333,
      },
      {
        chain: 'Solana',
        chainId: null,
        tokenSymbol: null,
        tvlUsd: '10',
        receivedAt: new Date(NOW - 5 * 60_000).toISOString(),
        ageMs: 300_000,
        change1dPct: 25,
        change7dPct: -50,
      },
      {
        chain: 'Ultra',
        chainId: null,
        tokenSymbol: null,
        tvlUsd: '0',
        receivedAt: new Date(NOW - 5 * 60_000).toISOString(),
        ageMs: 300_000,
        change1dPct: null,
        change7dPct: null,
      },
    ]);
    expect(total).toMatchObject({ tvlUsd: '230', ageMs: HOUR, change1dPct: 4.545455, change7dPct: 9.52381 });
  });

  test('show their history on request, and are paged', async () => {
    const { items, total } = (await get('/v1/chains?chain=solana&historyDays=8')).body;
    expect(items).toHaveLength(1);
    expect(items[0].history).toEqual([
      { date: day(7), tvlUsd: '20' },
      { date: day(1), tvlUsd: '8' },
    ]);
    expect(total.history).toHaveLength(3);
    const first = (await get('/v1/chains?limit=2')).body;
    expect((await get(`/v1/chains?limit=2&cursor=${first.nextCursor}`)).body).toMatchObject({
      items: [{ chain: 'Ultra' }],
      nextCursor: null,
    });
  });
});

describe('macro', () => {
  const value = (
    seriesId: string,
    units: MacroObservation['units'],
    date: string,
    text: string | null,
    vintage: string,
  ): MacroObservation => ({
    seriesId,
    units,
    date,
    value: text,
    vintage,
    receivedAt: NOW - HOUR,
  });
  const lin = (id: string, daysAgo: number, text: string) => value(id, 'lin', day(daysAgo), text, day(daysAgo - 1));
  beforeAll(async () => {
    await store.saveObservations([
      lin('DFF', 95, '4.33'),
      lin('DFF', 2, '3.83'),
      lin('DFEDTARL', 2, '3.75'),
      lin('DFEDTARU', 2, '4'),
      lin('T10Y2Y', 2, '0.25'),
      lin('VIXCLS', 2, '18.5'),
      lin('BAMLH0A0HYM2', 2, '3'),
      lin('DTWEXBGS', 40, '120'),
      lin('DTWEXBGS', 3, '120'),
    ]);
    await store.saveObservations([
      value('CPILFESL', 'pc1', '2025-12-01', '2.9', '2026-01-13'),
      value('PAYEMS', 'chg', '2025-12-01', '50', '2026-01-09'),
    ]);
    await store.saveObservations([
      value('CPILFESL', 'pc1', '2026-01-01', '3.1', '2026-02-12'),
      value('PAYEMS', 'chg', '2026-01-01', '130', '2026-02-06'),
    ]);
    expect(
      await store.saveObservations([
        value('PAYEMS', 'chg', '2025-12-01', '48', '2026-02-06'),
        value('CPILFESL', 'pc1', '2026-01-01', '3.10', '2026-03-01'),
      ]),
    ).toBe(1);
    await store.saveReleases([
      { releaseId: 50, name: 'Employment Situation', date: '2026-03-06', receivedAt: NOW - 2 * DAY },
      { releaseId: 10, name: 'Consumer Price Index', date: '2026-03-11', receivedAt: NOW - 2 * DAY },
      { releaseId: 10, name: 'Consumer Price Index', date: day(3), receivedAt: NOW - 2 * DAY },
    ]);
    await store.saveReleases([
      { releaseId: 50, name: 'Employment Situation', date: '2026-03-06', receivedAt: NOW - HOUR },
      { releaseId: 10, name: 'Consumer Price Index', date: '2026-03-12', receivedAt: NOW - HOUR },
      { releaseId: 18, name: 'H.15 Selected Interest Rates', date: '2026-03-03', receivedAt: NOW - HOUR },
    ]);
  });

  test('has rate regimes, inflation with its units, and a calendar with each moved release once', async () => {
    const { body } = await get('/v1/intelligence/macro');
    expect(body.rates).toEqual({
      policy: 'easing',
      policyRate: '3.83',
      policyChange: '-0.5',
      targetLower: '3.75',
      targetUpper: '4',
      curve: 'flat',
      curveSlope: '0.25',
      realPolicyRate: '0.73',
    });
    expect(body.calendar).toEqual([
      { releaseId: 10, name: 'Consumer Price Index', date: day(3), impact: 'high', released: true },
      { releaseId: 18, name: 'H.15 Selected Interest Rates', date: '2026-03-03', impact: 'low', released: false },
      { releaseId: 50, name: 'Employment Situation', date: '2026-03-06', impact: 'high', released: false },
      { releaseId: 10, name: 'Consumer Price Index', date: '2026-03-12', impact: 'high', released: false },
    ]);
    const core = body.series.find(({ id }: { id: string }) => id === 'CPILFESL');
    expect(core).toMatchObject({ group: 'inflation', units: 'pc1', unit: 'percent over a year', frequency: 'monthly', tooOld: false });
    expect(core.observations).toEqual([
      { date: '2025-12-01', value: '2.9', vintage: '2026-01-13', firstValue: null },
      { date: '2026-01-01', value: '3.1', vintage: '2026-02-12', firstValue: null },
    ]);
    expect((await get('/v1/intelligence/macro?minImpact=high&calendarDays=5&group=inflation')).body).toMatchObject({
      calendar: [{ releaseId: 10 }, { releaseId: 50 }],
      series: [{ group: 'inflation' }, { group: 'inflation' }, { group: 'inflation' }, { group: 'inflation' }],
    });
  });

  test('shows a revision next to the first value, and what was known on a day', async () => {
    const jobs = async (query: string) =>
      (await get(`/v1/intelligence/macro?group=labour${query}`)).body.series.find(({ id }: { id: string }) => id === 'PAYEMS');
    expect((await jobs('')).observations).toEqual([
      { date: '2025-12-01', value: '48', vintage: '2026-02-06', firstValue: '50' },
      { date: '2026-01-01', value: '130', vintage: '2026-02-06', firstValue: null },
    ]);
    expect((await jobs('&asOf=2026-01-20')).observations).toEqual([
      { date: '2025-12-01', value: '50', vintage: '2026-01-09', firstValue: null },
    ]);
    expect((await jobs('&observations=1')).observations).toHaveLength(1);
    expect((await get('/v1/intelligence/macro?asOf=2027-01-01')).body.code).toBe('malformed');
    expect((await get('/v1/intelligence/macro?observations=0')).body.code).toBe('malformed');
  });

  test('gives the regime with every input: 0.25 x 0.5 + 0.25 x 1 + 0.1 x 0 + 0.1 x 1 + 0.15 x 0 + 0.15 x 1', async () => {
    const { body } = await get('/v1/macro-regime');
    expect(body).toMatchObject({
      regime: 'risk_on',
      score: '0.625',
      knownWeight: '1',
      thresholds: { riskOn: '0.25', riskOff: '-0.25', leastWeight: '0.6' },
    });
    expect(body.explanation).toBe('the score is 0.625, of which most comes from credit_spread 0.25 and chain_tvl 0.15');
    expect(body.inputs[0]).toEqual({
      name: 'volatility',
      description: 'Implied volatility of large US shares (VIXCLS)',
      unit: 'index points',
      value: '18.5',
      at: `${day(2)}T00:00:00.000Z`,
      ageMs: NOW - Date.parse(`${day(2)}T00:00:00Z`),
      maxAgeMs: 7 * DAY,
      state: 'used',
      weight: 0.25,
      riskOnAt: '16',
      riskOffAt: '26',
      score: '0.5',
      contribution: '0.125',
    });
  });

  test('is unknown once the inputs are too old, and the rates with it', async () => {
    const later = await apiUnderTest((ports) => ({
      intelligence: api.ports.intelligence,
      clock: { now: () => ports.clock.now() + 9 * DAY },
    }));
    try {
      const bearer = await later.token(['market:read']);
      const regime = (await later.call('GET', '/v1/macro-regime', { token: bearer })).body;
      expect(regime).toMatchObject({ regime: 'unknown', score: null });
      expect(regime.explanation).toContain('volatility is too old');
      const macro = (await later.call('GET', '/v1/intelligence/macro', { token: bearer })).body;
      expect(macro.rates).toMatchObject({ policy: null, curve: null });
    } finally {
      await later.close();
    }
  });
});

test('rows beyond the retention are deleted, and no published value is', async () => {
  await store.savePosts([
    {
      id: 'x:old',
      platform: 'x',
      author: 'a',
      text: '$AAPL',
      url: null,
      publishedAt: NOW - 31 * DAY,
      receivedAt: NOW,
      engagement: { likes: 1, reposts: 1, replies: 1, quotes: 1 },
      cashtags: [],
      entities: [],
      ambiguous: [],
      unmapped: [],
    },
  ]);
  await store.saveChains([{ chain: 'Ethereum', chainId: '1', tokenSymbol: null, tvlUsd: '1', receivedAt: NOW - 11 * DAY }]);
  const [before] = await api.sql<{ count: number }[]>`select count(*)::int as count from macro_observations`;
  expect(await store.prune(NOW)).toBe(2);
  expect(await store.prune(NOW)).toBe(0);
  expect((await api.sql<{ count: number }[]>`select count(*)::int as count from macro_observations`)[0]).toEqual(before);
  await expect(api.sql`delete from macro_observations`).rejects.toThrow();
  await expect(api.sql`update intelligence_events set state = 'confirmed' where id = 'w5'`).rejects.toThrow('check');
});
