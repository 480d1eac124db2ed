// News: severity, direction, corroboration, and the feed over a real socket against its double.
import { afterEach, describe, expect, test } from 'vitest';
import { createNewsFeed, readReport, type Report, StoryDesk } from '../../../src/adapters/intelligence/news-feed.ts';
import { createKeyedDoor, type KeyedDoor } from '../../../src/adapters/venues/reference/keyed-door.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { FeedMessage, NewsEvent } from '../../../src/domain/market-event.ts';
import { createNewsDouble } from '../../../src/sandbox/news/double.ts';
import { createSeededNews } from '../../../src/sandbox/news/seeded-news.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { acceleratedClock } from '../../sandbox/accelerated-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const DAY = 86_400_000;
const SYMBOLS = ['AAPL', 'TSLA', 'NVDA', 'SPACEX', 'BTC'];
const random = () => 0.5;

const filing = {
  id: 'r1',
  storyId: 's1',
  publishedAt: '2026-11-19T15:00:00Z',
  source: { name: 'EDGAR', family: 'sec', primary: true },
  form: '8-K',
  items: ['2.02', '9.01'],
  category: 'results',
  tone: 'negative',
  symbols: ['AAPL'],
  headline: 'Apple reports results',
} as const;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a report', () => {
  test.each([
    [['4.02'], 'analyst', 'critical'],
    [['1.05', '9.01'], 'analyst', 'high'],
    [['9.01'], 'analyst', 'low'],
    [['8.01', '1.01', '5.02'], 'analyst', 'high'],
    [[], 'bankruptcy', 'critical'],
    [[], 'something new', 'medium'],
    [[], 'product', 'low'],
  ])('with items %j of category %s is %s', (items, category, severity) =>
    expect(readReport({ ...filing, items, category })).toMatchObject({ severity }),
  );

  test('of unknown tone counts as negative from high on', () => {
    expect(readReport({ ...filing, tone: 'mixed', items: ['5.02'] })).toMatchObject({ negative: true });
    expect(readReport({ ...filing, tone: 'mixed' })).toMatchObject({ negative: false });
    expect(readReport({ ...filing, tone: 'positive', items: ['5.02'] })).toMatchObject({ negative: false });
  });

  test.each([
    [null],
    [{}],
    [{ ...filing, id: '' }],
    [{ ...filing, publishedAt: 'soon' }],
    [{ ...filing, symbols: [] }],
    [{ ...filing, symbols: [1] }],
    [{ ...filing, source: {} }],
    [{ ...filing, id: 'x'.repeat(201) }],
    [{ ...filing, storyId: 'x'.repeat(201) }],
    [{ ...filing, symbols: ['x'.repeat(41)] }],
    [{ ...filing, headline: 5 }],
  ])('like %j is refused with a sentence', (value) => expect(typeof readReport(value)).toBe('string'));
});

describe('a story', () => {
  const wire = (over: Partial<Report> = {}): Report => ({
    id: 'w',
    storyId: 's',
    publishedAt: NOW,
    family: 'one',
    primary: false,
    severity: 'medium',
    negative: true,
    symbols: ['AAPL'],
    headline: 'x',
    ...over,
  });

  test('is a rumour until a second, independent family reports it', () => {
    const desk = new StoryDesk();
    expect(desk.take(wire(), NOW)).toMatchObject({ id: 's', rumor: true, negative: true, severity: 'medium' });
    expect(desk.take(wire({ id: 'w2' }), NOW)).toBeNull();
    expect(desk.take(wire({ id: 'w3', family: 'two' }), NOW)).toMatchObject({ id: 's', rumor: false });
    expect(desk.take(wire({ id: 'w4', family: 'two' }), NOW)).toBeNull();
  });

  test('is confirmed at once by a primary source', () => {
    expect(new StoryDesk().take(wire({ primary: true }), NOW)).toMatchObject({ rumor: false });
  });

  test('only ever becomes worse', () => {
    const desk = new StoryDesk();
    desk.take(wire({ severity: 'high' }), NOW);
    expect(desk.take(wire({ severity: 'low', family: 'two', negative: false }), NOW)).toMatchObject({
      severity: 'high',
      negative: true,
      rumor: false,
    });
    expect(desk.take(wire({ severity: 'critical', symbols: ['TSLA'] }), NOW)).toMatchObject({
      severity: 'critical',
      symbols: ['AAPL', 'TSLA'],
    });
  });
});

describe('the seeded news', () => {
  test('are the same however they are cut', () => {
    const news = createSeededNews({ seed: 3, symbols: SYMBOLS });
    const whole = news.between(NOW - 30 * DAY, NOW);
    const parts = Array.from({ length: 30 }, (_, day) =>
      createSeededNews({ seed: 3, symbols: SYMBOLS }).between(NOW - (30 - day) * DAY, NOW - (29 - day) * DAY),
    ).flat();
    expect(parts).toEqual(whole);
    expect(whole.length).toBeGreaterThan(30);
    expect(new Set(whole.map((report) => report.id)).size).toBe(whole.length);
    expect(createSeededNews({ seed: 4, symbols: SYMBOLS }).between(NOW - 30 * DAY, NOW)).not.toEqual(whole);
  });

  test('bring a negative event of high severity about once a month and asset, not every day', () => {
    const reports = createSeededNews({ seed: 3, symbols: SYMBOLS })
      .between(NOW - 300 * DAY, NOW)
      .map(readReport);
    expect(reports.filter((report) => typeof report === 'string')).toEqual([]);
    const grave = new Set(
      (reports as Report[])
        .filter((report) => report.negative && (report.severity === 'high' || report.severity === 'critical'))
        .map((report) => report.storyId),
    );
    expect(grave.size / (SYMBOLS.length * 10)).toBeGreaterThan(0.2);
    expect(grave.size / (SYMBOLS.length * 10)).toBeLessThan(3);
  });
});

describe('a story that never ends', () => {
  test('keeps no more of its sources and symbols than matter, and says nothing new of reprints', () => {
    const desk = new StoryDesk();
    const events = Array.from({ length: 500 }, (_, index) =>
      desk.take({ ...(readReport(filing) as Report), primary: false, family: `family ${index}`, symbols: [`S${index}`] }, NOW),
    ).filter((event) => event !== null);
    expect(events.at(-1)?.symbols).toHaveLength(200);
    expect(events.at(-1)?.rumor).toBe(false);
    expect(events.length).toBeLessThanOrEqual(201);
  });
});

describe('the news feed', () => {
  test('begins anew where the provider no longer knows its cursor, and repeats nothing', async () => {
    const clock = acceleratedClock(NOW, 100);
    let expired = false;
    const asked: string[] = [];
    const door: KeyedDoor = {
      perMinute: 60,
      request: () => ({ url: '', headers: {} }),
      async get(_path, query) {
        const [name] = query[0] as readonly [string, string];
        asked.push(name);
        if (name === 'cursor' && expired) throw new VenueError('reference', 410, 'http_410', 'this cursor has expired');
        return { reports: name === 'from' ? [filing, ...(expired ? [{ ...filing, id: 'r2', storyId: 's2' }] : [])] : [], cursor: 'c' };
      },
    };
    const heard: FeedMessage[] = [];
    const subscription = createNewsFeed({ door, clock, random, everyMs: 1_000 }).messages.subscribe({
      next: (message) => heard.push(message),
    });
    cleanups.push(() => subscription.unsubscribe());
    await waitFor(() => asked.includes('cursor'), { what: 'a second reading' });
    expired = true;
    await waitFor(() => heard.some((message) => message.kind === 'news' && message.id === 's2'), { what: 'the next report' });
    expect(heard.flatMap((message) => (message.kind === 'news' ? [message.id] : []))).toEqual(['s1', 's2']);
  });

  async function opened(options: { everyMs?: number } = {}) {
    const clock = acceleratedClock(NOW, 100);
    const news = createSeededNews({ seed: 3, symbols: SYMBOLS });
    const double = await createNewsDouble({ news, clock, port: 0 });
    cleanups.push(() => double.close());
    const door = createKeyedDoor({ venue: 'reference', baseUrl: double.url, clock, random, perMinute: 600, attempts: 1 });
    const heard: FeedMessage[] = [];
    const subscription = createNewsFeed({ door, clock, random, lookbackMs: 25 * DAY, ...options }).messages.subscribe({
      next: (message) => heard.push(message),
      error: (error) => expect.unreachable(String(error)),
    });
    cleanups.push(() => subscription.unsubscribe());
    return { clock, double, news, heard, events: () => heard.filter((message): message is NewsEvent => message.kind === 'news') };
  }

  test('brings the whole look-back once, then each new report', async () => {
    const { double, news, heard, events } = await opened();
    await waitFor(() => heard.some((message) => message.kind === 'heartbeat'), { what: 'the first reading' });
    const stories = new Set(news.between(NOW - 25 * DAY, NOW).map((report) => report.storyId));
    expect(new Set(events().map((event) => event.id))).toEqual(stories);
    double.publish({ ...filing, id: 'r9', storyId: 'own', items: ['1.03'] });
    await waitFor(() => events().some((event) => event.id === 'own'), { what: 'the new report' });
    expect(events().find((event) => event.id === 'own')).toMatchObject({
      venue: 'reference',
      symbols: ['AAPL'],
      severity: 'critical',
      negative: true,
      rumor: false,
    });
    const count = events().length;
    const beats = () => heard.filter((message) => message.kind === 'heartbeat').length;
    const before = beats();
    await waitFor(() => beats() > before + 2, { what: 'more readings' });
    expect(events().filter((event) => event.id === 'own')).toHaveLength(1);
    expect(events().length - count).toBeLessThan(3);
  });

  test('survives an outage and misses nothing that was published meanwhile', async () => {
    const { clock, double, heard, events } = await opened();
    await waitFor(() => heard.some((message) => message.kind === 'heartbeat'), { what: 'the first reading' });
    double.faults.set({ status5xx: 1 });
    await waitFor(() => heard.some((message) => message.kind === 'feed_status' && message.status === 'disconnected'), { what: 'the loss' });
    double.publish({ ...filing, id: 'r8', storyId: 'meanwhile' });
    const at = clock.now();
    await waitFor(() => clock.now() > at + 20_000, { what: 'a while' });
    double.faults.reset();
    await waitFor(() => events().some((event) => event.id === 'meanwhile'), { what: 'the missed report' });
    expect(heard.flatMap((message) => (message.kind === 'feed_status' ? [`${message.status} ${message.epoch}`] : []))).toEqual([
      'connected 1',
      'disconnected 1',
      'connected 2',
    ]);
  });
});
