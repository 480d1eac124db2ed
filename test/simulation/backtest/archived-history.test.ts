// Past data of backtests besides bars, on a real database: archived events, issuers' marks, daily liquidity.
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importArchive } from '../../../src/adapters/intelligence/import-events.ts';
import { createKnownHistoryReads } from '../../../src/adapters/store/candles/backtest-reads.ts';
import { createCandleStore } from '../../../src/adapters/store/candles/candle-store.ts';
import { importHistoryFile } from '../../../src/adapters/store/catalog/history-files.ts';
import { createIssuerMarkStore } from '../../../src/adapters/store/catalog/issuer-mark-store.ts';
import {
  factsOverTime,
  keepHalfSpread,
  keepHistory,
  keepLeastLiquidity,
  keepSpreads,
  marksOverTime,
} from '../../../src/adapters/store/catalog/market-history-store.ts';
import { openDatabase, type Sql } from '../../../src/adapters/store/database.ts';
import { keepArchive, readArchives } from '../../../src/adapters/store/intelligence/event-archive-store.ts';
import { createWorkReads } from '../../../src/adapters/store/long-work-store.ts';
import { workFromStore } from '../../../src/boot/threads/backtest-worker.ts';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import { missingHistoryText } from '../../../src/domain/backtest/missing-history.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import type { Report } from '../../../src/domain/intelligence/report.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import type { Counted } from '../../../src/domain/values/work-progress.ts';
import { missingHistory } from '../../../src/simulation/backtest/missing-history.ts';
import type { BacktestResult } from '../../../src/simulation/backtest/run.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { payload } from '../../domain/authored.ts';
import { testDatabase } from '../../harness/postgres.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const FROM = Date.UTC(2024, 0, 1);
const TO = Date.UTC(2024, 6, 1);
const NOW = Date.UTC(2024, 6, 2);
let url: string;
let sql: Sql;

beforeAll(async () => {
  url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
});
afterAll(() => sql.end());

/** Bars of a price that swings by a tenth every other day around 100. */
const bars: Candle[] = Array.from({ length: (TO - FROM) / HOUR }, (_, n) => {
  const level = 100 + 10 * Math.sin((n * Math.PI) / 24);
  const [open, close] = [level.toFixed(2), (100 + 10 * Math.sin(((n + 1) * Math.PI) / 24)).toFixed(2)];
  const [high, low] = [Math.max(Number(open), Number(close)).toFixed(2), Math.min(Number(open), Number(close)).toFixed(2)];
  return { openTime: FROM + n * HOUR, open, high, low, close, volume: '100000' };
});

const report = (id: string, publishedAt: number): Report => ({
  id,
  channel: 'wire',
  source: 'Wire',
  family: 'wire',
  primary: true,
  publishedAt,
  receivedAt: publishedAt,
  kind: 'regulatory',
  severity: 'high',
  direction: 'negative',
  entities: [{ asset: 'SPACEX', by: 'ticker', matched: 'SPACEX' }],
  unmapped: [],
  headline: 'A court decides',
  url: null,
  storyKey: null,
  action: 'report',
  corrects: null,
});

function manifestOf(entry: readonly object[]): Manifest {
  const read = readManifest(
    payload({
      universe: ['SPACEX'],
      timeframe: '1h',
      entryConditions: entry,
      exitConditions: [{ type: 'rsi_above', period: 7, value: 70 }],
      maxSlippageBps: 1_000,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

async function backtest(entry: readonly object[]): Promise<BacktestResult> {
  const outcome = await workFromStore(
    {
      databaseUrl: url,
      asked: {
        manifest: manifestOf(entry),
        request: { from: isoTime(FROM), to: isoTime(TO), timeframe: null, look: true, assumptions: DEFAULT_ASSUMPTIONS },
        trials: { versions: 1, otherSharpes: [] },
        funding: [],
        createdAt: NOW,
      },
    },
    () => {},
  );
  if (!outcome.ok) throw new Error(outcome.detail);
  return JSON.parse(outcome.result) as BacktestResult;
}

/** Returns the decision times of a result's entries. */
const entriesOf = ({ trades }: BacktestResult): readonly number[] => trades.list.map(({ decidedAt }) => Date.parse(decidedAt));
const RULES = [
  { type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24, includeRumors: false },
  { type: 'gap_to_mark_below', pct: 5 },
  { type: 'liquidity_above', usd: 100_000 },
];

test('rules on events, marks and liquidity pass if the history of each is stored, and fail if one is not', async () => {
  await createCandleStore(sql).save({
    kind: 'candles',
    venue: 'spotchain',
    instrument: 'SPACEX',
    timeframe: '1h',
    source: 'test',
    receivedAt: 1,
    candles: bars,
  });
  const nothing = await backtest(RULES);
  expect(nothing.trades.list).toEqual([]);
  expect(nothing.assumptions.named.filter((line) => /could not be known at 100 % of the slots/.test(line))).toHaveLength(3);

  // Events from March to June of both sources, one of them on April 10th; a mark from February on; liquidity until May.
  const [march, june] = [Date.UTC(2024, 2, 1), Date.UTC(2024, 5, 1)];
  const archive = { underlyings: ['SPACEX'], from: march, to: june, file: 'f', at: NOW };
  const april = Date.UTC(2024, 3, 10);
  const wire = { ...archive, source: 'news:wire', sha256: 'aa'.repeat(32), reports: [report('wire:1', april)] };
  expect(await keepArchive(sql, wire)).toBe(true);
  expect(await keepArchive(sql, wire)).toBe(false);
  expect(await readArchives(sql, 'SPACEX')).toMatchObject([{ from: march, to: june, reports: [{ id: 'wire:1' }] }]);
  expect(await readArchives(sql, 'TSLA')).toEqual([]);
  const february = Date.UTC(2024, 1, 1);
  const marks = Array.from({ length: 6 }, (_, n) => ({ receivedAt: february + n * 25 * DAY, value: '100' }));
  expect(await keepHistory(sql, 'issuer_mark', 'SPACEX', marks, 'marks.csv')).toBe(6);
  expect(await keepHistory(sql, 'issuer_mark', 'SPACEX', marks, 'marks.csv')).toBe(0);
  const may = Date.UTC(2024, 4, 1);
  const depths = Array.from({ length: (may - FROM) / DAY }, (_, n) => ({ receivedAt: FROM + (n + 1) * DAY, value: '250000' }));
  await keepHistory(sql, 'pool_liquidity', 'spotchain:SPACEX', depths, 'pools.csv');

  // Before a run: what the gate's period lacks, and what imports it.
  const missing = await missingHistory(createKnownHistoryReads(sql), manifestOf(RULES), NOW, new Set());
  expect(missing.map(({ source, conditions }) => [source, ...conditions])).toEqual([
    ['news:wire', 'no_negative_event'],
    ['news:filings', 'no_negative_event'],
    ['issuer_mark', 'gap_to_mark_below'],
    ['pool_liquidity', 'liquidity_above'],
  ]);
  const stretch = { from: Date.UTC(2019, 6, 2) - 8 * DAY, to: NOW };
  // Known from a day after the archive's start until its end: 91 of 1,835 days.
  expect(missing[0]).toMatchObject({ longest: { from: stretch.from, to: march + DAY }, missingPct: 95.04 });
  expect(missing[0]?.command).toBe(
    `npx sevengate history import-events <wire.ndjson> --from ${isoTime(stretch.from - DAY)} --to ${isoTime(march + DAY)} --of SPACEX`,
  );
  expect(missing[1]).toMatchObject({ longest: stretch, missingPct: 100 });
  expect(missing[2]?.command).toBe('npx sevengate history import-facts <file.csv> --kind issuer_mark --instrument SPACEX');
  expect(missingHistoryText(missing[2] as (typeof missing)[number])).toContain(
    'gap_to_mark_below on spotchain:SPACEX looks at marks of the issuer',
  );
  expect(
    await missingHistory(createKnownHistoryReads(sql), manifestOf([{ type: 'rsi_below', period: 7, value: 30 }]), NOW, new Set()),
  ).toEqual([]);

  // SPACEX files with the regulator: the wire alone does not make its events known.
  expect(entriesOf(await backtest(RULES))).toEqual([]);
  await keepArchive(sql, { ...archive, source: 'news:filings', sha256: 'bb'.repeat(32), reports: [] });
  const entries = entriesOf(await backtest(RULES));
  expect(entries.length).toBeGreaterThan(5);
  expect(Math.min(...entries)).toBeGreaterThanOrEqual(march + DAY);
  expect(Math.max(...entries)).toBeLessThan(may + 2 * DAY + HOUR);
  expect(entries.filter((at) => at > april && at < april + DAY)).toEqual([]);
  const whole = { ...archive, from: stretch.from - DAY, to: NOW };
  await keepArchive(sql, { ...whole, source: 'news:wire', sha256: 'cc'.repeat(32), reports: [] });
  await keepArchive(sql, { ...whole, source: 'news:filings', sha256: 'dd'.repeat(32), reports: [] });
  expect((await missingHistory(createKnownHistoryReads(sql), manifestOf(RULES), NOW, new Set())).map(({ source }) => source)).toEqual([
    'issuer_mark',
    'pool_liquidity',
  ]);
  expect(entriesOf(await backtest(RULES.slice(1))).some((at) => at > april && at < april + DAY)).toBe(true);
});

test('the feed stores the lowest liquidity and the widest mean spread of an hour, known from its end on', async () => {
  const day = Date.UTC(2024, 8, 2);
  for (const [hour, usd] of [
    [3.1, '500.5'],
    [3.5, '120'],
    [3.9, '900'],
    [4.2, '700'],
  ] as const)
    await keepLeastLiquidity(sql, 'spotchain:AAPLx', usd, day + hour * HOUR);
  expect(await factsOverTime(sql, 'pool_liquidity', 'spotchain:AAPLx')).toEqual([
    { receivedAt: day + 4 * HOUR, value: '120' },
    { receivedAt: day + 5 * HOUR, value: '700' },
  ]);
  for (const [hour, bps] of [
    [3.1, 25.5],
    [3.9, 24],
    [4.2, 30],
  ] as const)
    await keepHalfSpread(sql, 'spotchain:AAPLx', bps, day + hour * HOUR);
  expect(await factsOverTime(sql, 'half_spread', 'spotchain:AAPLx')).toEqual([
    { receivedAt: day + 4 * HOUR, value: '25.5' },
    { receivedAt: day + 5 * HOUR, value: '30' },
  ]);
});

test('the feed stores the mean spread of live quotes, one per minute, after their hour', async () => {
  const day = Date.UTC(2024, 9, 1);
  const assessed = new Subject<FeedMessage>();
  const work: Promise<unknown>[] = [];
  const stop = keepSpreads({
    sql,
    assessed,
    write: (_, piece) => void work.push(piece()),
    onFailure: (error) => void work.push(Promise.reject(error)),
  });
  const quote = (at: number, bid: string, ask: string, quality: 'live' | 'stale' = 'live') =>
    assessed.next({
      kind: 'quote',
      venue: 'spotchain',
      instrument: 'TSLAx',
      source: 's',
      observedAt: at,
      receivedAt: at,
      sourceTime: false,
      bid,
      ask,
      bidSize: '1',
      askSize: '1',
      sequence: null,
      quality,
      flags: [],
    });
  quote(day, '99', '101');
  quote(day + 30_000, '1', '101');
  quote(day + 60_000, '98', '102');
  quote(day + 120_000, '1', '101', 'stale');
  quote(day + HOUR, '99.9', '100.1');
  stop();
  await Promise.all(work);
  expect(await factsOverTime(sql, 'half_spread', 'spotchain:TSLAx')).toEqual([{ receivedAt: day + HOUR, value: '150' }]);
});

test('received and imported marks make one history', async () => {
  const mark = { issuer: 'prestocks', source: 'prestocks:mark', symbol: 'OPENAI', mint: 'm', markValuation: '1', supply: null };
  const read = (markPrice: string, receivedAt: number) => ({ ...mark, markPrice, tokenPrice: null, impliedValuation: null, receivedAt });
  await createIssuerMarkStore(sql).append([read('30', 3_000), read('40', 4_000)]);
  await keepHistory(
    sql,
    'issuer_mark',
    'OPENAI',
    [
      { receivedAt: 1_000, value: '10.50' },
      { receivedAt: 3_000, value: '31' },
    ],
    'old.csv',
  );
  expect(await marksOverTime(sql, 'OPENAI')).toEqual([
    { receivedAt: 1_000, value: '10.5' },
    { receivedAt: 3_000, value: '30' },
    { receivedAt: 4_000, value: '40' },
  ]);
});

test('imports of events and values record their progress and worker; a failed one says so and stores nothing', async () => {
  const clock = createLiveClock();
  const reports = Array.from({ length: 2_500 }, (_, n) => report(`wire:many-${n}`, FROM + n * HOUR));
  const archive = {
    source: 'news:wire',
    underlyings: ['SPACEX'],
    from: FROM,
    to: TO,
    reports,
    file: 'wire.ndjson',
    sha256: 'ee'.repeat(32),
    outside: 0,
  } as const;
  const told: (Counted | null)[] = [];
  expect(await importArchive(sql, archive, clock, ({ progress }) => told.push(progress))).toMatchObject({ reports: 2_500, isNew: true });
  expect(told).toEqual([0, 2_000, 2_500].map((done) => ({ done, total: 2_500, unit: 'reports' })));
  const twice = { ...archive, sha256: 'ff'.repeat(32), reports: [...reports, reports[0] as Report] };
  await expect(importArchive(sql, twice, clock)).rejects.toThrow('duplicate key');
  const facts = [{ receivedAt: FROM, value: '1' }];
  const depth = { file: '/home/ann/depth.csv', kind: 'pool_liquidity', instrument: 'AAPLx', key: 'spotchain:AAPLx', facts } as const;
  await importHistoryFile(sql, depth, clock);
  // What is still to come is not known: days without a report would count as quiet.
  const later = clock.now() + HOUR;
  const ahead = { ...archive, sha256: 'ab'.repeat(32), to: later };
  await expect(importArchive(sql, ahead, clock)).rejects.toThrow(/^--to is in the future: an archive is complete until 20\S+Z at most$/);
  await expect(importHistoryFile(sql, { ...depth, facts: [...facts, { receivedAt: later, value: '1' }] }, clock)).rejects.toThrow(
    `/home/ann/depth.csv: ${isoTime(later)} is in the future`,
  );
  const { items } = await createWorkReads(sql).list({ limit: 3, after: null }, ['event_import', 'fact_import']);
  const ended = { endedAt: expect.any(Number) };
  expect(items).toMatchObject([
    {
      ...ended,
      kind: 'fact_import',
      subject: 'pool_liquidity of AAPLx',
      source: 'depth.csv',
      unit: 'values',
      done: 1,
      total: 1,
      error: null,
    },
    { ...ended, kind: 'event_import', done: 2_000, total: 2_501, error: expect.stringContaining('nothing of it was kept') },
    {
      ...ended,
      kind: 'event_import',
      subject: 'news:wire of SPACEX',
      source: 'wire.ndjson',
      workedOnBy: `sevengate history import-events, process ${process.pid}`,
      done: 2_500,
      total: 2_500,
      error: null,
    },
  ]);
  expect(await sql`select 1 from event_archives where sha256 in (${twice.sha256}, ${ahead.sha256})`).toHaveLength(0);
});
