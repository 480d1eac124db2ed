// Answers of the providers: every row is mapped, left out for a counted reason, or refused.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { acceptedInNewYorkTime, readSubmissions } from '../../../src/adapters/intelligence/filings.ts';
import { readObservations, readReleases } from '../../../src/adapters/intelligence/macro-feed.ts';
import { readWireItem } from '../../../src/adapters/intelligence/newswire.ts';
import { cashtagQuery, readPosts } from '../../../src/adapters/intelligence/social-feed.ts';
import { readChains, readHistory } from '../../../src/adapters/intelligence/tvl.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';
import type { Report } from '../../../src/domain/intelligence/report.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const names = indexEntityNames(CATALOG);
const fixture = (name: string) => JSON.parse(readFileSync(new URL(`../../fixtures/intelligence/${name}.json`, import.meta.url), 'utf8'));
const recorded = (path: string): string => fileURLToPath(new URL(`../../../../shared/data/${path}`, import.meta.url));
const reasons = (rejected: readonly { reason: string }[]) =>
  Object.fromEntries(
    [...new Set(rejected.map(({ reason }) => reason))].map((reason) => [reason, rejected.filter((one) => one.reason === reason).length]),
  );

describe('chains', () => {
  test('keep their numbers exactly to the cent and their ids as text, and refuse invalid values', () => {
    const { chains, rejected } = readChains(fixture('chains'), NOW);
    expect(chains).toEqual([
      { chain: 'Ethereum', chainId: '1', tokenSymbol: 'ETH', tvlUsd: '31234567890.12', receivedAt: NOW },
      { chain: 'Solana', chainId: null, tokenSymbol: 'SOL', tvlUsd: '2166649789.25', receivedAt: NOW },
      { chain: 'Base', chainId: '8453', tokenSymbol: null, tvlUsd: '812000000', receivedAt: NOW },
      { chain: 'Ultra', chainId: null, tokenSymbol: 'UOS', tvlUsd: '0', receivedAt: NOW },
    ]);
    expect(reasons(rejected)).toEqual({ bad_number: 2, missing_field: 2, unknown_shape: 1 });
    expect(chains.length + rejected.length).toBe(fixture('chains').length);
    expect(() => readChains({ error: 'x' }, NOW)).toThrow('no list');
  });

  test('have one value per day of their history, the last of the day', () => {
    const { days, rejected } = readHistory(fixture('chain-history'), 'Solana');
    expect(days).toEqual([
      { chain: 'Solana', date: '2025-11-17', tvlUsd: '900000000.12' },
      { chain: 'Solana', date: '2025-11-18', tvlUsd: '910000000' },
      { chain: 'Solana', date: '2025-11-19', tvlUsd: '921000000' },
    ]);
    expect(reasons(rejected)).toEqual({ bad_number: 2 });
    expect(() => readHistory('Chain not found', null)).toThrow('all chains is no list');
  });

  const file = recorded('fixtures/defillama/v2_chains_2022-09.json');
  test.skipIf(!existsSync(file))('of a recorded answer are all there', () => {
    const body = JSON.parse(readFileSync(file, 'utf8')) as { tvl: number }[];
    const { chains, rejected } = readChains(body, NOW);
    expect([body.length, chains.length, rejected]).toEqual([140, 140, []]);
    const sum = body.reduce((total, { tvl }) => total + tvl, 0);
    expect(Math.abs(chains.reduce((total, { tvlUsd }) => total + Number(tvlUsd), 0) - sum)).toBeLessThan(1);
    expect(chains.filter(({ chainId }) => chainId === null).length).toBe(
      body.filter((one) => (one as { chainId?: unknown }).chainId === null).length,
    );
  });
});

describe('macro series', () => {
  test('keep a missing value as missing, and refuse what is not a number or no day', () => {
    const { observations, rejected } = readObservations(fixture('observations'), { id: 'CPIAUCSL', units: 'pc1' }, NOW);
    expect(observations.map(({ date, value }) => [date, value])).toEqual([
      ['2026-07-01', '2.73218'],
      ['2026-08-01', '2.9392'],
      ['2026-09-01', null],
      ['2026-10-01', '3'],
    ]);
    expect(observations[0]).toEqual({
      seriesId: 'CPIAUCSL',
      units: 'pc1',
      date: '2026-07-01',
      value: '2.73218',
      vintage: '2026-11-19',
      receivedAt: NOW,
    });
    expect(reasons(rejected)).toEqual({ missing_field: 1, bad_number: 1 });
    expect(() => readObservations(fixture('observations'), { id: 'CPIAUCSL', units: 'lin' }, NOW)).toThrow('units lin');
  });

  test('have a calendar of days', () => {
    const { releases, rejected } = readReleases(fixture('release-dates'), NOW);
    expect(releases.map(({ releaseId, date }) => [releaseId, date])).toEqual([
      [50, '2026-11-06'],
      [10, '2026-12-10'],
    ]);
    expect(reasons(rejected)).toEqual({ missing_field: 2 });
    expect(() => readReleases({}, NOW)).toThrow('release_dates');
  });

  const rates = recorded('tapes/macro/us_primary_credit_rate_lean.csv');
  test.skipIf(!existsSync(rates))('read a recorded history of a rate without loss', () => {
    const rows = readFileSync(rates, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(','));
    const observations = rows.map(([date, value]) => ({ realtime_start: '2023-07-27', realtime_end: '9999-12-31', date, value }));
    const read = readObservations({ units: 'lin', observations }, { id: 'PCREDIT8', units: 'lin' }, NOW);
    expect([rows.length, read.observations.length, read.rejected]).toEqual([56, 56, []]);
    expect(read.observations.at(-1)).toMatchObject({ date: '2023-07-27', value: '5.5' });
  });
});

describe('filings', () => {
  const options = { names, receivedAt: NOW, since: NOW - 60 * 86_400_000, archiveUrl: 'https://archive.example' };

  test('are reports of the company with the meaning of their worst item, amendments with the story of their form', () => {
    const { reports, ignored, rejected, rows } = readSubmissions(fixture('submissions'), options);
    expect(reports.map(({ id, kind, severity, direction, storyKey }) => [id, kind, severity, direction, storyKey])).toEqual([
      ['sec:0000320193-26-000012', 'executive', 'high', 'negative', 'sec:320193:8-K:2026-11-16'],
      ['sec:0000320193-26-000010', 'executive', 'high', 'negative', 'sec:320193:8-K:2026-11-16'],
      ['sec:0000320193-26-000009', 'results', 'low', 'neutral', 'sec:320193:10-Q:2026-09-26'],
      ['sec:0000320193-26-000008', 'fundraising', 'medium', 'neutral', 'sec:320193:424B5:0000320193-26-000008'],
      ['sec:0000320193-26-000007', 'results', 'medium', 'neutral', 'sec:320193:8-K:2026-10-30'],
    ]);
    expect(reports[1]).toMatchObject({
      channel: 'filing',
      family: 'sec',
      primary: true,
      publishedAt: Date.UTC(2026, 10, 16, 21, 5, 2),
      entities: [{ asset: 'AAPL', by: 'cik', matched: '320193' }],
      headline: 'Apple Inc. files 8-K: departure or appointment of officers',
      url: 'https://archive.example/edgar/data/320193/000032019326000010/a8-k.htm',
    });
    expect(Object.fromEntries(ignored)).toEqual({ '4': 1 });
    expect(reasons(rejected)).toEqual({ missing_field: 1 });
    expect(reports.length + 1 + rejected.length).toBe(rows);
  });

  test('from before the look-back are counted as older, and an unknown company stays unmapped', () => {
    const read = readSubmissions({ ...fixture('submissions'), cik: 999, name: 'Nobody Corp' }, { ...options, since: NOW - 5 * 86_400_000 });
    expect(Object.fromEntries(read.ignored)).toEqual({ '4': 1, older: 3 });
    expect(read.reports[0]).toMatchObject({ entities: [], unmapped: ['Nobody Corp'] });
    expect(() => readSubmissions({ cik: '1', filings: {} }, options)).toThrow('no columns');
  });

  test('are read in the clock that matches their filing dates', () => {
    const filing = (acceptedAt: number, filingDate: string, form = '8-K') => ({ acceptedAt, filingDate, form });
    // 21:05 is after 17:30 in New York's time, but 16:05 there if it is UTC.
    expect(acceptedInNewYorkTime([filing(Date.UTC(2026, 10, 16, 21, 5), '2026-11-16')])).toBe(false);
    expect(acceptedInNewYorkTime([filing(Date.UTC(2026, 10, 16, 21, 5), '2026-11-17')])).toBe(true);
    // Ambiguous times take the later reading: no filing is seen before it existed.
    expect(acceptedInNewYorkTime([filing(Date.UTC(2026, 10, 17, 11, 0), '2026-11-17')])).toBe(true);
    expect(acceptedInNewYorkTime([filing(Date.UTC(2026, 10, 16, 21, 5), '2026-11-17', '4')])).toBe(true);
    // An acceptance after the answer's receipt is impossible.
    expect(acceptedInNewYorkTime([filing(Date.UTC(2026, 10, 17, 11, 0), '2026-11-17')], Date.UTC(2026, 10, 17, 11, 1))).toBe(false);
    // The majority of dates decides if one is wrong.
    const late = [16, 17, 18].map((day) => filing(Date.UTC(2026, 10, day, 18, 30), `2026-11-${day + 1}`));
    expect(acceptedInNewYorkTime([...late, filing(Date.UTC(2026, 10, 12, 21, 5), '2026-11-12')])).toBe(true);
    const body = fixture('submissions');
    body.filings.recent.filingDate = ['2026-11-19', '2026-11-18', '2026-11-17', '2026-11-10', '2026-11-03', '2026-11-02', '2026-01-02'];
    const { reports } = readSubmissions(body, options);
    // New York is four hours behind in October, five in November.
    expect(reports.at(-1)?.publishedAt).toBe(Date.UTC(2026, 9, 31, 0, 30, 26));
    expect(reports[1]?.publishedAt).toBe(Date.UTC(2026, 10, 17, 2, 5, 2));
  });

  test.each([
    ['early filings at half past seven', '07:30:32', 0, true],
    ['filings after the close', '16:21:59', 0, true],
    ['filings within the minute of half past five', '17:30:40', 0, true],
    ['evening filings with the next date', '19:05:10', 1, true],
    ['the same as UTC: early', '12:30:32', 0, false],
    ['the same as UTC: after the close', '21:21:59', 0, false],
  ])('in New York time or UTC by the hours of EDGAR as well: %s', (_, time, later, inNewYork) => {
    const days = [3, 4, 5, 6];
    const rows = days.map((day) => ({
      acceptedAt: Date.parse(`2025-11-0${day}T${time}Z`),
      filingDate: later === 0 ? `2025-11-0${day}` : `2025-11-0${day + 1}`,
      form: '8-K',
    }));
    // Filings of others about the company have another clock, and weigh less.
    const others = days.map((day) => ({
      acceptedAt: Date.parse(`2025-11-0${day}T21:05:00Z`),
      filingDate: `2025-11-0${day}`,
      form: 'SC 13D',
    }));
    // Early and late rows identify the clock only together with others: 12:30 in New York is 17:30 UTC.
    const telling = inNewYork ? [] : [{ acceptedAt: Date.UTC(2025, 10, 7, 23), filingDate: '2025-11-07', form: '4' }];
    expect(acceptedInNewYorkTime([...rows, ...telling])).toBe(inNewYork);
    if (time === '07:30:32') expect(acceptedInNewYorkTime([...rows, ...others])).toBe(true);
  });

  test('a time without a zone is not read in this machine’s zone', () => {
    const body = fixture('submissions');
    const { reports } = readSubmissions(body, options);
    body.filings.recent.acceptanceDateTime = body.filings.recent.acceptanceDateTime.map((text: string) => text.replace('Z', ''));
    expect(readSubmissions(body, options).reports).toEqual(reports);
  });

  const file = recorded('fixtures/sec/submissions_TSLA.json');
  test.skipIf(!existsSync(file))('of a recorded answer are reports or left out by form, none is lost', () => {
    const body = JSON.parse(readFileSync(file, 'utf8'));
    const { reports, ignored, rejected, rows } = readSubmissions(body, { ...options, since: 0 });
    const forms = body.filings.recent.form as string[];
    expect([rows, rejected.length]).toEqual([1001, 0]);
    expect(reports.length + [...ignored.values()].reduce((sum, count) => sum + count, 0)).toBe(1001);
    expect(ignored.get('4')).toBe(forms.filter((form) => form === '4').length);
    expect(reports.filter(({ headline }) => headline.includes('files 8-K:')).length).toBe(163);
    expect(new Set(reports.map(({ id }) => id)).size).toBe(reports.length);
    expect(reports.every(({ entities }) => entities[0]?.asset === 'TSLA')).toBe(true);
    // Accepted at 16:05 in New York, whatever suffix follows.
    const hours = reports.map(({ publishedAt }) => new Date(publishedAt - 5 * 3_600_000).getUTCHours());
    expect(Math.min(...hours)).toBeGreaterThanOrEqual(5);
  });
});

describe('wire items', () => {
  const page = fixture('wire-page').reports as Record<string, unknown>[];

  test('are reports with the known facts of their names', () => {
    const [first, second, third, fourth] = page.map((item) => readWireItem(item, names, NOW));
    expect(first).toMatchObject({
      id: 'wire:n-1',
      kind: 'executive',
      severity: 'high',
      direction: 'negative',
      storyKey: 'wire:s-1',
      url: 'https://wire.example/n-1',
      primary: false,
    });
    expect((first as Report).entities).toEqual([{ asset: 'AAPL', by: 'ticker', matched: 'AAPL' }]);
    expect(second).toMatchObject({
      kind: 'wire',
      severity: 'medium',
      direction: 'neutral',
      entities: [{ asset: 'COIN' }],
      unmapped: ['Apple Hospitality REIT'],
    });
    expect(third).toMatchObject({ action: 'retraction', corrects: 'wire:n-1' });
    expect(fourth).toBe('item n-4: "publishedAt" is not a time');
  });

  test('are stored without NUL, which the database refuses: otherwise rules would see an event that no history holds', () => {
    const read = readWireItem({ ...page[0], headline: 'NUL \0 inside', symbols: ['AAPL\0'], companies: ['\0Odd'] }, names, NOW) as Report;
    expect(read).toMatchObject({ headline: 'NUL  inside', entities: [{ asset: 'AAPL' }], unmapped: ['Odd'] });
    expect(JSON.stringify(read)).not.toContain('\\u0000');
  });

  test.each([
    [null],
    [{}],
    [{ ...page[0], id: '' }],
    [{ ...page[0], id: 'x'.repeat(191) }],
    [{ ...page[0], symbols: [], companies: [] }],
    [{ ...page[0], symbols: [1] }],
    [{ ...page[0], symbols: ['x'.repeat(121)] }],
    [{ ...page[0], source: {} }],
    [{ ...page[0], action: 'deny' }],
    [{ ...page[0], headline: 5 }],
  ])('like %j are refused with a sentence', (value) => expect(typeof readWireItem(value, names, NOW)).toBe('string'));
});

describe('posts', () => {
  test('have author, engagement and the meaning of their names; invalid posts are refused', () => {
    const { posts, rejected, newestId, nextToken } = readPosts(fixture('posts-page'), names, NOW, 'https://site.example');
    expect(posts).toEqual([
      {
        id: 'x:1989000000000000003',
        platform: 'x',
        author: 'tape_reader',
        text: 'why is $AAPL down, $WAGMI7 is the one',
        url: 'https://site.example/tape_reader/status/1989000000000000003',
        publishedAt: Date.UTC(2026, 10, 19, 15, 20),
        receivedAt: NOW,
        engagement: { likes: 30, reposts: 1, replies: 2, quotes: 0 },
        cashtags: ['$AAPL', '$WAGMI7'],
        entities: [{ asset: 'AAPL', by: 'cashtag', matched: '$AAPL' }],
        ambiguous: [],
        unmapped: ['$WAGMI7'],
      },
      expect.objectContaining({
        author: '12',
        engagement: { likes: null, reposts: null, replies: null, quotes: null },
        entities: [{ asset: 'TSLA', by: 'name', matched: 'Tesla' }],
      }),
    ]);
    expect(reasons(rejected)).toEqual({ missing_field: 2 });
    expect([newestId, nextToken]).toEqual(['1989000000000000003', 't-2']);
    expect(readPosts({ meta: { result_count: 0 } }, names, NOW, null).posts).toEqual([]);
    expect(() => readPosts({ title: 'Unauthorized' }, names, NOW, null)).toThrow('no list "data"');
  });

  test('are requested within the longest query that the platform takes', () => {
    expect(cashtagQuery(['AAPL', 'BTC'])).toBe('($AAPL OR $BTC) -is:retweet');
    const long = cashtagQuery(Array.from({ length: 200 }, (_, index) => `ASSET${index}`));
    expect(long.length).toBeLessThanOrEqual(512);
    expect(long).toMatch(/ASSET\d+\) -is:retweet$/);
  });
});
