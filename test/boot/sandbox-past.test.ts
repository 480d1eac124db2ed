// Past of the sandbox: the example strategies of a fresh database earn over five years.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { obtainableHistory, sandboxPast } from '../../src/boot/sandbox/sandbox-past.ts';
import type { ReplaySlot } from '../../clients/typescript/src/replay.ts';
import { hunt } from '../../examples/hunt.ts';
import { manifestFromFile } from '../../src/cli/backtest/manifest-file.ts';
import type { BacktestRequest } from '../../src/domain/backtest/request.ts';
import { compileManifest } from '../../src/domain/agents/decide.ts';
import { evidenceMetrics } from '../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { draftProblems, readManifest } from '../../src/domain/manifest/reader.ts';
import { EXAMPLE } from '../../src/sandbox/example-organization.ts';
import { type BacktestResult, backtestSeries, type BlindReplay, outsideRun, runBacktest } from '../../src/simulation/backtest/run.ts';
import { readInputs } from '../../src/simulation/backtest/from-history.ts';
import { buildHistory, type History } from '../../src/simulation/backtest/history.ts';
import { backtestNeeds } from '../../src/simulation/backtest/needs.ts';
import type { Simulation } from '../../src/simulation/backtest/simulate.ts';
import { drawDisguise } from '../../src/simulation/blind/disguise.ts';
import { ReplayPath } from '../../src/simulation/blind/replay-path.ts';
import { payload } from '../domain/authored.ts';
import { rounds } from '../harness/rounds.ts';
import { SANDBOX_NOW, sandboxBacktests } from './sandbox-backtests.ts';

const NOW = SANDBOX_NOW;
const { backtest, readsOf, requestOf } = sandboxBacktests(1);
const config = readConfig({});
if (!isConfig(config)) throw new Error(JSON.stringify(config));
const here = { config, runs: () => true, clock: { now: () => NOW } };
const past = sandboxPast(here);
if (past === null) throw new Error('no sandbox stands in');

/** Returns an example with one instrument of its universe: each trades alike, and one takes a third of the time. */
function example(name: string, symbol: string): Manifest {
  const found = EXAMPLE.agents.find(({ manifest }) => (manifest as { name?: string }).name === name);
  return manifestOf({ ...(found?.manifest as object), universe: [symbol] });
}

function manifestOf(authored: object): Manifest {
  const read = readManifest(authored);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

test('prices of the market are computed in this process without a venue; anything else is requested from the venue', () => {
  const histories = past?.histories({}) ?? {};
  expect(histories.spotexchange?.madeBy?.('BTCUSDT')).toBe('the seeded market');
  expect(histories.evmvenue?.madeBy?.('BTC')).toBe('the seeded market');
  expect(histories.spotexchange?.madeBy?.('NOBODYUSDT')).toBeNull();
});

test('the discount hunter earns on known data, news included, and loses a good part of its trades', async () => {
  const { summary, result } = await backtest(example('Discount hunter', 'AAPLx'));
  expect(summary['returnPct']).toBeGreaterThan(0);
  expect(summary['hitRatePct']).toBeGreaterThan(50);
  expect(summary['hitRatePct']).toBeLessThan(75);
  // News of high severity keep it out of the market at some discounts.
  const { conditions } = JSON.parse(result) as { conditions: readonly { type: string; blocked: number; unknown: number }[] };
  const news = conditions.find(({ type }) => type === 'no_negative_event');
  expect(news).toMatchObject({ unknown: 0 });
  expect(news?.blocked).toBeGreaterThan(0);
});

/** Returns the history of a manifest as its evaluation reads it. */
async function historyOf(manifest: Manifest, request: BacktestRequest): Promise<History> {
  const needs = backtestNeeds(manifest, manifest.timeframe);
  return buildHistory(manifest.timeframe, await readInputs(readsOf(request), needs, { request, funding: [], createdAt: NOW }, () => {}));
}

/** Answers every slot of a disguised path, as received through JSON. */
function answered(path: ReplayPath): ReplayPath {
  while (!path.isDone) {
    const trade = hunt(JSON.parse(JSON.stringify(path.shown())) as ReplaySlot);
    const { side, instrument, notionalUsd = null, quantity = null } = trade ?? {};
    path.decide(side === undefined || instrument === undefined ? null : { side, instrument, notionalUsd, quantity, limitPrice: null });
  }
  return path;
}

test('the outside duplicate of the discount hunter makes the same trades, and meets the gate with the same figures', async () => {
  const inside = example('Discount hunter', 'AAPLx');
  const authored = JSON.parse(readFileSync(new URL('../../examples/discount-hunter.json', import.meta.url), 'utf8')) as object;
  const outside = manifestOf({ ...authored, universe: ['AAPLx'] });
  // `npm run proof` uses the gate's whole period.
  const request = requestOf(
    rounds({ suite: 0, proof: 1 }) === 1 ? {} : { from: '2026-01-01T00:00:00Z', to: '2026-07-01T00:00:00Z', look: true },
  );
  const { assumptions } = request;
  const trials = { versions: 1, otherSharpes: [] };
  const run = runBacktest({ manifest: inside, history: await historyOf(inside, request), assumptions, trials, onProgress: () => {} });
  const history = await historyOf(outside, request);
  const work = { agentId: '00000000-0000-7000-8000-0000000000aa', compiled: compileManifest(outside), history, assumptions };
  const path = answered(new ReplayPath({ ...work, disguise: drawDisguise('ab'.repeat(32), 3, outside) }));
  const { simulation } = path.finish(Number(outside.maxCapitalUsd), 8_760);
  // Sales by outside code have no exit rule of the manifest.
  const records = ({ trades }: Pick<Simulation, 'trades'>) => trades.map(({ exitRules: _, ...trade }) => trade);
  expect(records(simulation)).toEqual(records(run.simulation));
  expect(simulation.trades.length).toBeGreaterThan(10);
  const duplicate = outsideRun({ manifest: outside, history, assumptions, trials }, path.rules, simulation, {} as BlindReplay);
  expect(evidenceMetrics('backtest', backtestSeries(duplicate))).toEqual(evidenceMetrics('backtest', backtestSeries(run)));
});

test('ten strategies compile without a problem, and a month of each is backtested', async () => {
  const folder = new URL('../../examples/strategies/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  expect(files).toHaveLength(10);
  const words = readFileSync(new URL('README.md', folder), 'utf8');
  for (const file of files) {
    const manifest = manifestFromFile(fileURLToPath(new URL(file, folder)));
    expect([file, draftProblems(manifest)]).toEqual([file, []]);
    expect(words.match(new RegExp(`^- \\[${file}\\]\\(${file}\\): .+$`, 'gm'))).toHaveLength(1);
    const { summary } = await backtest(manifest, { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z', look: true });
    expect([file, summary['passed'], summary['bars']]).toEqual([file, null, expect.any(Number)]);
  }
});

test('a manifest with every condition of the specification runs to an end, with each condition known', async () => {
  const { summary, result } = await backtest(manifestOf(payload({ universe: ['TSLAx'] })));
  expect(summary['verdict']).toMatch(summary['passed'] === true ? /^Passes/ : /^Does not pass the gate: \w.* -?\d/);
  const { conditions } = JSON.parse(result) as { conditions: readonly { type: string; passed: number; unknown: number }[] };
  expect(conditions.filter(({ type, passed }) => passed > 0 || type === 'rsi_above').map(({ type }) => type)).toEqual(
    expect.arrayContaining(['premium_below', 'rsi_below', 'no_negative_event', 'premium_above', 'rsi_above']),
  );
  expect(conditions.find(({ type }) => type === 'no_negative_event')).toMatchObject({ unknown: 0 });
});

test('the first agent of the README fails for a reason in its report: its costs exceed its profit', async () => {
  const first = manifestOf(JSON.parse(readFileSync(new URL('../../examples/first-agent.json', import.meta.url), 'utf8')));
  const look = { from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z', look: true };
  const once = await backtest(first, look);
  const twice = await backtest(first, { ...look, assumptions: { costMultiplier: 2 } });
  const profitOf = ({ result }: typeof once): number => (JSON.parse(result) as BacktestResult).trades.averageProfitPct as number;
  expect(once.summary['sharpe']).toBeLessThan(0);
  expect(profitOf(once)).toBeLessThan(0);
  expect(profitOf(twice) / profitOf(once)).toBeGreaterThan(1.6);
});

test('the trend follower earns, with losses that a person would bear', async () => {
  const { summary } = await backtest(example('Crypto trend', 'BTCUSDT'));
  expect(summary['returnPct']).toBeGreaterThan(0);
  expect(summary['maxDrawdownPct']).toBeLessThan(15);
});

test('marks and depths of the past are those of the market at their time', () => {
  const week = { from: NOW - 60 * 86_400_000, to: NOW };
  const marks = past.archives.marks('SPACEX', week);
  expect(marks.length).toBeGreaterThan(5);
  expect(marks.every(({ receivedAt }, n) => n === 0 || receivedAt > (marks[n - 1] as { receivedAt: number }).receivedAt)).toBe(true);
  const depths = past.archives.liquidity('spotchain:AAPLx', week);
  expect(depths.length).toBe(60 * 6);
  expect(Number(depths[0]?.value)).toBeGreaterThan(300_000);
});

test('no data of a real venue or of a sandbox elsewhere is invented', () => {
  expect([...obtainableHistory(here)].sort()).toEqual(['issuer_mark', 'news:filings', 'news:wire', 'pool_liquidity']);
  expect([...obtainableHistory({ config, runs: () => false })]).toEqual([]);
  expect(sandboxPast({ ...here, runs: () => false })).toBe(null);
  const real = { ...config, NEWS_URL: 'https://news.example', SPOTEXCHANGE_URL: 'https://exchange.example' } as typeof config;
  expect(obtainableHistory({ config: real, runs: () => true }).has('news:wire')).toBe(false);
  const mixed = sandboxPast({ ...here, config: real });
  expect(Object.keys(mixed?.histories({}) ?? {}).sort()).toEqual(['evmvenue', 'reference', 'spotchain']);
  expect(mixed?.archives.reports('news:wire', 'AAPL', { from: 0, to: 1 })).toBe(null);
});
