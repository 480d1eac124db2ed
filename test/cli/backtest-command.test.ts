// `sevengate backtest` from files, without a service: the same bytes in another process, and one-sentence refusals.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { simulationPage } from '../../src/adapters/run-pages.ts';
import { commandService } from '../../src/boot/command-service.ts';
import { run } from '../../src/cli/backtest/backtest-run.ts';
import { DEFAULT_ASSUMPTIONS } from '../../src/domain/backtest/assumptions.ts';
import { parseParameter, readSweep } from '../../src/domain/backtest/sweep.ts';
import { joinCandles } from '../../src/domain/candles/joined-candles.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { workBacktest } from '../../src/simulation/backtest/backtest-work.ts';
import { buildHistory } from '../../src/simulation/backtest/history.ts';
import { backtestNeeds, toInstrumentInputs } from '../../src/simulation/backtest/needs.ts';
import { type SweepResult, workSweep } from '../../src/simulation/sweep/sweep-work.ts';
import { payload } from '../domain/authored.ts';
import { withCluster } from '../harness/postgres.ts';
import { sevengate } from '../journeys/running-service.ts';
import { draws, walk } from '../simulation/backtest/random-histories.ts';

const DAY = 86_400_000;
const FROM = Date.UTC(2020, 5, 1);
/** The last day starts a bar of two days that has not ended: only complete bars are aggregated. */
const DAYS = 5 * 365 + 10;
const folder = mkdtempSync(join(tmpdir(), 'sevengate-backtest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const candles = walk(draws(21), FROM, DAY, DAYS, 30_000);
const rows = candles.map(({ openTime, open, high, low, close, volume }) => [openTime, open, high, low, close, volume].join(','));
const bars = join(folder, 'btc.csv');
writeFileSync(bars, `openTime,open,high,low,close,volume\n${rows.join('\n')}\n`);
const authored = payload({
  universe: ['BTCUSDT'],
  timeframe: '24h',
  entryConditions: [
    { type: 'rsi_below', period: 7, value: 45 },
    { type: 'ema_above', fast: 2, slow: 5, timeframe: '48h' },
  ],
  exitConditions: [{ type: 'rsi_above', period: 7, value: 60 }],
  maxSlippageBps: 500,
});
const file = join(folder, 'manifest.json');
writeFileSync(file, JSON.stringify(authored));

test('a run from files gives the same bytes in its own process as here', async () => {
  const report = join(folder, 'report.html');
  const done = await sevengate(['backtest', file, '--candles', bars, '--json', '--report', report]);
  expect([done.stderr, done.code]).toEqual(['', 0]);
  const read = readManifest(authored);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { manifest } = read;
  const needs = backtestNeeds(manifest, '24h');
  const bySeries = new Map([
    ['spotexchange:BTCUSDT 24h', candles],
    ['spotexchange:BTCUSDT 48h', joinCandles(candles.slice(0, -1), 2 * DAY)],
  ]);
  const outcome = await workBacktest({
    manifest,
    timeframe: '24h',
    request: { from: '', to: '', timeframe: null, look: false, assumptions: DEFAULT_ASSUMPTIONS },
    inputs: toInstrumentInputs(needs, {
      bars: bySeries,
      funding: new Map(),
      events: new Map(),
      marks: new Map(),
      liquidity: new Map(),
      halfSpreads: new Map(),
    }),
    trials: { versions: 1, otherSharpes: [] },
    onProgress: () => {},
  });
  if (!outcome.ok) throw new Error(outcome.detail);
  expect(done.stdout).toBe(`{"resultHash":"${outcome.resultHash}","result":${outcome.result}}\n`);
  const { resultHash, summary } = outcome;
  const page = await simulationPage({
    evaluation: 'backtest',
    title: manifest.name,
    manifestVersion: null,
    resultHash,
    summary,
    result: JSON.parse(outcome.result),
  });
  expect(readFileSync(report, 'utf8')).toBe(page.page);
  expect(outcome.summary['closedTrades'] as number).toBeGreaterThan(5);
});

test('a history that is too short is refused in one sentence, and used as a rehearsal only on request', async () => {
  const short = ['backtest', file, '--candles', bars, '--from', '2024-01-01'];
  const refused = await sevengate(short);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^sevengate: insufficient_history: spotexchange:BTCUSDT has candles from 2024-01-01T00:00:00.000Z .*less than 5 years\n$/,
  );
  const look = await sevengate([...short, '--look']);
  expect(look.stdout).toContain('a look, no evidence');
});

test('a sweep from files gives the same bytes as here, counts every trial, and refuses what the API refuses', async () => {
  const words = ['stopLossPct=2,4', 'entryConditions[0].value=35,45'];
  const report = join(folder, 'sweep.html');
  const window = ['--train-days', '365', '--test-days', '91', '--versions-tried', '4'];
  const done = await sevengate(['backtest', file, '--candles', bars, '--json', '--report', report, ...window, '--sweep', ...words]);
  expect([done.stderr, done.code]).toEqual(['', 0]);
  const read = readManifest(authored);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { manifest } = read;
  const end = (candles.at(-1)?.openTime ?? 0) + DAY;
  const given = { from: new Date(FROM).toISOString(), to: new Date(end).toISOString(), parameters: words.map(parseParameter) };
  const asked = readSweep(manifest, given, Date.now());
  if (!('request' in asked)) throw new Error(JSON.stringify(asked));
  const inputs = toInstrumentInputs(backtestNeeds(manifest, '24h'), {
    bars: new Map([
      ['spotexchange:BTCUSDT 24h', candles],
      ['spotexchange:BTCUSDT 48h', joinCandles(candles.slice(0, -1), 2 * DAY)],
    ]),
    funding: new Map(),
    events: new Map(),
    marks: new Map(),
    liquidity: new Map(),
    halfSpreads: new Map(),
  });
  const history = buildHistory('24h', inputs);
  const outcome = await workSweep({
    ...asked,
    historyOf: async () => history,
    earlier: { sharpes: [null, null, null] },
    onProgress: () => {},
  });
  if (!outcome.ok) throw new Error(outcome.detail);
  expect(done.stdout).toBe(`{"resultHash":"${outcome.resultHash}","result":${outcome.result}}\n`);
  const told = JSON.parse(outcome.result) as SweepResult;
  expect(told.counted).toEqual({ total: 7, ofThisSweep: 4, earlier: 3 });
  expect(told.walkForward?.folds.length).toBeGreaterThan(3);
  expect(readFileSync(report, 'utf8')).toContain('<title>Sweep: ');

  const refused = await sevengate(['backtest', file, '--candles', bars, '--sweep', 'stopLoss=2', 'stopLossPct=', '--train-days', '0']);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('"stopLoss" is not a threshold of the manifest (allowed: entryConditions[0].period');
  expect(refused.stderr).toContain('parameters[1].values 0 values are given (allowed: 1 to 50)');
  expect(refused.stderr).toContain('walkForward.trainDays 0 is not a window length (allowed: 1 to 1500 whole days)');
});

test('bars of a stopped service give the result of the same bars in a file, printed before the database has stopped again', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sevengate-backtest-home-'));
  chmodSync(home, 0o711);
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  await withCluster(home);
  const series = ['--venue', 'spotexchange', '--instrument', 'BTCUSDT', '--timeframe', '24h'];
  const imported = await sevengate(['candles', 'import', ...series, bars], { SEVENGATE_HOME: home });
  expect([imported.stderr, imported.code]).toEqual([expect.not.stringContaining('sevengate:'), 0]);
  const owner = join(home, 'postgres.owner');
  expect(existsSync(owner)).toBe(false);

  const service = { ...commandService, settings: () => ({ ...commandService.settings(), SEVENGATE_HOME: home, DATABASE_URL: null }) };
  const told: { readonly text: string; readonly runs: boolean }[] = [];
  const output = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    told.push({ text: String(text), runs: existsSync(owner) });
    return true;
  });
  onTestFinished(() => output.mockRestore());
  const asked = { from: '2020-06-01', to: '2025-06-01', json: true, versionsTried: 1 } as const;
  await run(service, file, { ...asked, candles: ['store'] });
  expect(existsSync(owner)).toBe(false);
  await run(service, file, { ...asked, candles: [bars] });
  expect(told.map(({ runs }) => runs)).toEqual([true, false]);
  expect(told[0]?.text).toContain('"resultHash"');
  // Compared as a boolean, because the texts are 300 kB long.
  expect(told[0]?.text === told[1]?.text).toBe(true);
});
