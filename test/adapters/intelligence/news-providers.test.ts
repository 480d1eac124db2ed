/** Two real news providers: documented answers are read over sockets, and nothing is trusted unread. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { NEWS_PROVIDERS, readAlpacaArticle, readFinnhubArticle } from '../../../src/adapters/intelligence/news-providers.ts';
import { createKeyedClient } from '../../../src/adapters/venues/reference/keyed-client.ts';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';
import { readHeadline } from '../../../src/domain/intelligence/headline.ts';
import type { Report } from '../../../src/domain/intelligence/report.ts';
import { createSeededStories } from '../../../src/sandbox/intelligence/seeded-stories.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createNewsSimulator } from '../../../src/sandbox/news/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';

/** Example of the provider's own documentation. */
const ALPACA_ARTICLE = {
  id: 24843171,
  headline:
    'Apple Leader in Phone Sales in China for Second Straight Month in November With 23.6% Share, According to Market Research Data',
  author: 'Charles Gross',
  created_at: '2021-12-31T11:08:42Z',
  updated_at: '2021-12-31T11:08:43Z',
  summary: 'This headline-only article is meant to show you why a stock is moving, the most difficult aspect of stock trading',
  content: '',
  url: 'https://www.benzinga.com/news/21/12/24843171/apple-leader-in-phone-sales-in-china-for-second-straight-month-in-november-with-23-6-share-according',
  images: [],
  symbols: ['AAPL'],
  source: 'benzinga',
};
const FINNHUB_ARTICLE = {
  category: 'company',
  datetime: 1_640_948_922,
  headline: 'SEC charges Coinbase over unregistered offerings',
  id: 25286,
  image: '',
  related: 'COIN',
  source: 'Reuters',
  summary: '',
  url: 'https://example.com/25286',
};

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Received {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: http.IncomingHttpHeaders;
}

/** Runs a session with a provider that answers as `answer` says. Returns the requests. */
async function asked(
  name: keyof typeof NEWS_PROVIDERS,
  answer: (received: Received) => unknown,
  shares: readonly string[] = [],
  now = Date.now,
) {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://host');
    const one = { path, query, headers: request.headers };
    received.push(one);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(one)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider = NEWS_PROVIDERS[name];
  const clock = createLiveClock();
  const client = createKeyedClient({
    venue: 'reference',
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: provider.headers('id:secret'),
    clock,
    random: () => 0.5,
    perMinute: 600,
    budget: new WeightBudget(600),
  });
  const unknown: string[] = [];
  const note = (source: string, field: string): void => void unknown.push(`${source} ${field}`);
  const session = provider.open({ client, names: indexEntityNames(CATALOG), shares, clock: { now }, lookbackMs: 10 * 86_400_000, note });
  const reports = async (): Promise<Report[]> => (await session.ask()).messages.map((message) => (message as { report: Report }).report);
  return { session, reports, received, unknown };
}

test('alpaca: pages are followed, and the next round starts after the last one', async () => {
  const changedAt = new Date(Date.now() - 1_000).toISOString();
  const later = { ...ALPACA_ARTICLE, id: 2, updated_at: changedAt, symbols: ['BTCUSD'], headline: 'Bitcoin tops $200,000' };
  const { session, reports, received, unknown } = await asked('alpaca', ({ query }) =>
    query.get('page_token') === null ? { news: [ALPACA_ARTICLE], next_page_token: 'more' } : { news: [later], next_page_token: null },
  );
  const [apple] = await reports();
  expect(apple).toMatchObject({
    id: 'alpaca:24843171',
    source: 'benzinga',
    family: 'benzinga',
    primary: false,
    channel: 'wire',
    action: 'report',
  });
  expect(apple?.entities.map(({ asset }) => asset)).toEqual(['AAPL']);
  const [bitcoin] = await reports();
  expect(bitcoin).toMatchObject({ id: 'alpaca:2', direction: 'positive' });
  expect(bitcoin?.entities[0]?.asset).toBe('BTC');
  await session.ask();
  expect(received.map(({ query }) => query.get('page_token'))).toEqual([null, 'more', null]);
  expect(received[2]?.query.get('start')).toBe(changedAt);
  expect(received[0]).toMatchObject({ path: '/v1beta1/news', headers: { 'apca-api-key-id': 'id', 'apca-api-secret-key': 'secret' } });
  expect(unknown).toEqual([]);
});

test('alpaca: a change that is dated ahead hides no later one', async () => {
  const { session, received } = await asked('alpaca', () => ({
    news: [{ ...ALPACA_ARTICLE, updated_at: '2099-01-01T00:00:00Z' }],
    next_page_token: null,
  }));
  await session.ask();
  await session.ask();
  expect(Date.parse(received[1]?.query.get('start') ?? '')).toBeLessThanOrEqual(Date.now());
});

/** Article of 2021 as recorded by the provider's own client: without source and content, images in three sizes. */
const {
  source: _,
  content: __,
  ...ALPACA_RECORDED
} = {
  ...ALPACA_ARTICLE,
  id: 20472512,
  headline: 'Bulls And Bears Of The Week: Apple, GM, Tesla And More',
  summary: '\n\tThe past week&#39;s bullish calls included airlines.\n',
  images: ['large', 'small', 'thumb'].map((size) => ({ size, url: `https://example.com/${size}.jpeg` })),
  symbols: ['AAPL', 'ARKX', 'GM', 'TSLA'],
};

test('alpaca: articles of a recorded answer name no source; they belong to the only wire of that time', async () => {
  const { reports, unknown } = await asked('alpaca', ({ query }) =>
    query.get('page_token') === null
      ? { news: [ALPACA_RECORDED], next_page_token: 'MTYxNzQ2MzIxMjAwMDAwMDAwMHwyMDQ3MjUxMg==' }
      : {
          news: [
            { ...ALPACA_RECORDED, id: 20472513, source: null },
            { ...ALPACA_RECORDED, id: 20472514, source: '' },
          ],
          next_page_token: null,
        },
  );
  const [first] = await reports();
  expect(first).toMatchObject({ id: 'alpaca:20472512', source: 'benzinga', family: 'benzinga', primary: false });
  expect(first?.entities.map(({ asset }) => asset)).toEqual(expect.arrayContaining(['AAPL', 'TSLA']));
  expect((await reports()).map(({ family }) => family)).toEqual(['benzinga', 'benzinga']);
  expect(unknown).toEqual([]);
  // A wire does not confirm itself, so that an article without a source adds no second family.
  expect(readAlpacaArticle({ ...ALPACA_RECORDED, source: 7 })).toMatch(/"headline" and "source" are no texts/);
});

test('finnhub: one round requests every share and the market, and market news start after the newest', async () => {
  const { session, reports, received, unknown } = await asked(
    'finnhub',
    ({ path }) =>
      path === '/company-news' ? [FINNHUB_ARTICLE] : [{ ...FINNHUB_ARTICLE, id: 77, related: '', headline: 'SpaceX raises $2 billion' }],
    ['COIN', 'AAPL'],
  );
  const [charged] = await reports();
  expect(charged).toMatchObject({ id: 'finnhub:25286', source: 'Reuters', kind: 'regulatory', severity: 'high', direction: 'negative' });
  expect(charged?.entities.map(({ asset }) => asset)).toEqual(['COIN']);
  expect((await session.ask()).more).toBe(true);
  const [spacex] = await reports();
  expect(spacex).toMatchObject({ kind: 'fundraising' });
  expect(spacex?.entities[0]?.asset).toBe('SPACEX');
  await session.ask();
  expect((await session.ask()).more).toBe(false);
  for (let left = 3; left > 0; left--) await session.ask();
  expect(received.map(({ path, query }) => query.get('symbol') ?? `${path} ${query.get('category')} ${query.get('minId')}`)).toEqual([
    'COIN',
    'AAPL',
    '/news general 0',
    '/news crypto 0',
    '/news merger 0',
    'COIN',
    'AAPL',
    '/news general 77',
  ]);
  expect(received[0]?.headers['x-finnhub-token']).toBe('id:secret');
  expect(unknown).toEqual([]);
});

test('finnhub: after an outage of days the next round begins before it', async () => {
  let now = Date.UTC(2026, 5, 20, 12);
  const { session, received } = await asked(
    'finnhub',
    () => [],
    ['COIN'],
    () => now,
  );
  const round = async () => {
    while ((await session.ask()).more);
    return received.findLast(({ path }) => path === '/company-news')?.query.get('from');
  };
  expect(await round()).toBe('2026-06-10');
  now += 60_000;
  expect(await round()).toBe('2026-06-19');
  now += 5 * 86_400_000;
  expect(await round()).toBe('2026-06-19');
  now += 60_000;
  expect(await round()).toBe('2026-06-24');
});

test('an unreadable article is skipped alone, and one without a catalog name is ignored', async () => {
  const strange = [
    { ...ALPACA_ARTICLE, id: 'x' },
    null,
    { ...ALPACA_ARTICLE, symbols: 'AAPL' },
    { ...ALPACA_ARTICLE, symbols: ['AMC'], headline: 'AMC rises' },
  ];
  const { session } = await asked('alpaca', () => ({ news: [...strange, ALPACA_ARTICLE], next_page_token: null }));
  const { messages, rejected } = await session.ask();
  expect([messages.length, rejected?.length]).toEqual([1, 3]);
  const silent = await asked('finnhub', () => ({ error: 'no access' }));
  await expect(silent.session.ask()).rejects.toThrow(/no list of articles/);
  expect(readAlpacaArticle({ ...ALPACA_ARTICLE, created_at: 5 })).toMatch(/are not times/);
  expect(readFinnhubArticle({ ...FINNHUB_ARTICLE, datetime: 17 }, null)).toMatch(/no unix time/);
  expect(readFinnhubArticle({ ...FINNHUB_ARTICLE, url: 'javascript:alert(1)' }, null)).toMatchObject({ url: null });
});

test.each(['alpaca', 'finnhub'] as const)("the sandbox tells its stories in %s's format", async (name) => {
  const clock = createLiveClock();
  const market = createSeededMarket({ seed: 3 });
  const news = createSeededStories({ seed: 3, symbols: market.assets.map(({ symbol }) => symbol), filers: [] });
  const simulator = await createNewsSimulator({ news, clock, port: 0 });
  try {
    const client = createKeyedClient({
      venue: 'reference',
      baseUrl: simulator.url,
      clock,
      random: () => 0.5,
      perMinute: 600,
      budget: new WeightBudget(600),
    });
    const asking = { client, names: indexEntityNames(CATALOG), shares: ['AAPL', 'TSLA'], clock, lookbackMs: 10 * 86_400_000 };
    const session = NEWS_PROVIDERS[name].open(asking);
    const received: Report[] = [];
    for (let more = true; more; ) {
      const reading = await session.ask();
      expect(reading.rejected).toEqual([]);
      received.push(...reading.messages.map((message) => (message as { report: Report }).report));
      more = reading.more ?? false;
    }
    const told = new Set(received.flatMap(({ entities }) => entities.map(({ asset }) => asset)));
    for (const asset of ['AAPL', 'TSLA']) expect(told).toContain(asset);
    expect(received.every(({ id }) => /^(alpaca|finnhub):\d+$/.test(id))).toBe(true);
    expect(new Set(received.map(({ kind }) => kind)).size).toBeGreaterThan(2);
  } finally {
    await simulator.close();
  }
});

test.each([
  ['Tesla files for Chapter 11 bankruptcy', 'bankruptcy', 'negative'],
  ['Exchange moves to delist Example Corp', 'delisting', 'negative'],
  ['Apple CFO steps down with immediate effect', 'executive_departure', 'negative'],
  ['FTC opens antitrust investigation into Meta', 'regulatory_action', 'negative'],
  ['Hackers steal data of Microsoft customers', 'cyber_incident', 'negative'],
  ['NVIDIA Q3 earnings beat estimates', 'results', 'positive'],
  ['Amazon quarterly revenue misses, shares drop', 'results', 'negative'],
  ['Microsoft to acquire a startup for $2 billion', 'mna', null],
  ['Brokers cut price target of Tesla', 'analyst', 'negative'],
  ['Apple unveils a new phone', 'product', null],
  ['Something about Apple', null, null],
])('%s is %s, %s', (headline, category, tone) => {
  expect(readHeadline(headline)).toEqual({ category, tone });
});
