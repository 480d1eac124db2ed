// Backtest report as one file, opened without any service: values at the cursor, sorting and CSV match the record.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulationPage } from '../../src/adapters/run-pages.ts';
import { DEFAULT_ASSUMPTIONS } from '../../src/domain/backtest/assumptions.ts';
import { canonicalHash } from '../../src/domain/values/canonical-json.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { buildHistory } from '../../src/simulation/backtest/history.ts';
import { type BacktestResult, runBacktest } from '../../src/simulation/backtest/run.ts';
import { payload } from '../domain/authored.ts';
import { waitFor } from '../harness/wait-for.ts';
import { draws, entryOf, START, walk } from '../simulation/backtest/random-histories.ts';
import { type Browser, CHROMIUM, findingsEverywhere, openBrowser, type Watched } from './terminal-fixture.ts';

const DAY = 86_400_000;

/** Returns a result of two years of two instruments with many trades. */
function resultOf(name: string): BacktestResult {
  const read = readManifest(
    payload({
      name,
      universe: ['BTCUSDT', 'ETHUSDT'],
      timeframe: '24h',
      entryConditions: [{ type: 'rsi_below', period: 3, value: 55 }],
      exitConditions: [
        { type: 'rsi_above', period: 3, value: 60 },
        { type: 'held_longer_than', hours: 96 },
      ],
      maxSlippageBps: 500,
      maxOpenPositions: 2,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const history = buildHistory('24h', [
    { entry: entryOf('BTCUSDT'), candles: walk(draws(11), START - 730 * DAY, DAY, 730, 30_000) },
    { entry: entryOf('ETHUSDT'), candles: walk(draws(12), START - 730 * DAY, DAY, 730, 2_000) },
  ]);
  return runBacktest({
    manifest: read.manifest,
    history,
    assumptions: DEFAULT_ASSUMPTIONS,
    trials: { versions: 4, otherSharpes: [0.2, 0.9] },
  }).result;
}

/** Name that would be markup if it were not text. */
const NAME = '</script><img src=x onerror="document.title=1">';

describe.skipIf(CHROMIUM === null)('the report of a backtest in a file', () => {
  const result = resultOf(NAME);
  const resultHash = canonicalHash(result as never);
  const folder = mkdtempSync(join(tmpdir(), 'sevengate-report-'));
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  beforeAll(async () => {
    const summary = { passed: null, verdict: 'A look at a stretch of history: no evidence for the gate.' };
    const made = await simulationPage({ evaluation: 'backtest', title: NAME, manifestVersion: null, resultHash, summary, result });
    const file = join(folder, 'report.html');
    writeFileSync(file, made.page);
    browser = await openBrowser();
    watched = await browser.page();
    page = watched.page;
    await page.goto(pathToFileURL(file).href);
    await page.getByRole('heading', { name: 'Metrics' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const section = (name: string) => page.getByRole('region', { name, exact: true }).first();
  const legend = () => page.locator('.market-chart-legend').innerText();
  const said = () => page.locator('.market-chart [role=status]').innerText();
  const shown = (text: string) => text.replaceAll(/[\u00a0,]/g, (character) => (character === ',' ? '' : ' '));

  test('it shows its subject as text; axe has no findings in dark, light and on a phone', async () => {
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(`Backtest: ${NAME}`);
    expect(await page.title()).toBe(`Backtest: ${NAME}`);
    expect(await section('Metrics').innerText()).toContain(`${result.performance.sharpe?.toFixed(2)}`);
    expect(await section('Selection bias').innerText()).toMatch(/Trials counted, including this one\s+4/);
    expect(await findingsEverywhere(page)).toEqual([]);
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    expect(await background()).toBe('rgb(12, 16, 20)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe('rgb(244, 246, 248)');
    await page.emulateMedia({ colorScheme: 'dark' });
  });

  test('the chart shows equity, benchmark and drawdown at the cursor with every digit of the record', async () => {
    const last = result.daily.at(-1);
    expect(shown(await legend())).toContain(`agent ${last?.equityUsd} `);
    const place = await page.locator('.market-chart-canvas').boundingBox();
    if (place === null) throw new Error('the chart has no place');
    await page.mouse.move(place.x + place.width / 3, place.y + 120);
    await waitFor(async () => !(await legend()).startsWith(String(last?.date)), { what: 'the values at the cursor' });
    const told = shown(await legend());
    const day = result.daily.find(({ date }) => told.startsWith(date));
    expect(told).toContain(`agent ${day?.equityUsd} `);
    expect(told).toContain(`buy and hold ${day?.benchmarkUsd} `);
    expect(told).toMatch(/drawdown % -?[\d.]+$/);
  });

  test('it zooms and resets, and its scale switches between logarithmic and linear', async () => {
    await page.mouse.move(0, 0);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await waitFor(async () => /In view: 20\d\d/.test(await said()), { what: 'a part of the stretch' });
    const [, from = '', to = ''] = /In view: (\S+) \S+ to (\S+) /.exec(await said()) ?? [];
    const whole = result.daily.length * DAY;
    const part = Date.parse(to) - Date.parse(from);
    expect(part).toBeGreaterThan(whole * 0.4);
    expect(part).toBeLessThan(whole * 0.6);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await waitFor(async () => !(await said()).includes('In view:'), { what: 'the whole stretch' });
    const scale = () => page.locator('.market-chart').getAttribute('data-scale');
    expect(await scale()).toBe('linear');
    const before = await page.locator('.market-chart-canvas').screenshot();
    await page.getByRole('button', { name: 'Logarithmic' }).click();
    expect(await scale()).toBe('logarithmic');
    await waitFor(async () => !(await page.locator('.market-chart-canvas').screenshot()).equals(before), { what: 'another drawing' });
    await page.getByRole('button', { name: 'Linear' }).click();
    expect(await scale()).toBe('linear');
  });

  test('sorting covers all trades by value, and more are shown on request', async () => {
    const { list } = result.trades;
    expect(list.length).toBeGreaterThan(100);
    const trades = section('Trades');
    const profits = async () =>
      await trades
        .locator('tbody tr td:nth-child(7) .number')
        .evaluateAll((all) => all.map((one) => (one as unknown as { title: string }).title));
    const ordered = list
      .flatMap(({ profitUsd }) => (profitUsd === null ? [] : [profitUsd]))
      .sort((a, b) => new Decimal(a).cmp(b))
      .map((profit) => `${profit} USD`);
    await trades.getByRole('button', { name: 'profit USD' }).click();
    expect(await profits()).toEqual(ordered.slice(0, 25));
    await trades.getByRole('button', { name: 'profit USD' }).click();
    expect(await profits()).toEqual(ordered.toReversed().slice(0, 25));
    expect(await trades.locator('th[aria-sort]').innerText()).toContain('profit USD');
    await trades.getByRole('button', { name: 'More' }).click();
    expect(await profits()).toEqual(ordered.toReversed().slice(0, 50));
  });

  test('the file of all trades holds the exact texts of the record', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
    const rows: readonly Record<string, string>[] = parse(readFileSync(await download.path()), { columns: true });
    expect(rows.length).toBe(result.trades.list.length);
    for (const [index, trade] of result.trades.list.entries()) {
      expect(rows[index]).toMatchObject({
        'decided at': trade.decidedAt,
        instrument: trade.instrument,
        quantity: trade.quantity,
        'entry price': trade.entryPrice,
        'exit price': trade.exitPrice ?? '',
        'profit USD': trade.profitUsd ?? '',
        'profit %': String(trade.profitPct ?? ''),
        'fees USD': trade.feesUsd,
        'closed by': trade.exitedBy.join(' + '),
      });
    }
    expect(download.suggestedFilename()).toMatch(/^[\w-]+-trades-[0-9a-f]{8}\.csv$/);
  });

  test('the tables of instruments and exits show the record’s sums', async () => {
    for (const [name, groups] of [
      ['By instrument', result.trades.byInstrument],
      ['By exit rule', result.trades.byExit],
    ] as const) {
      const rows = section(name).locator('tbody tr');
      expect(await rows.count()).toBe(groups.length);
      for (const [index, { name: own, closed, open, profitUsd, feesUsd }] of groups.entries()) {
        const row = rows.nth(index);
        expect(await row.locator('th').innerText()).toBe(own.replaceAll('_', ' '));
        expect(await row.locator('td').first().innerText()).toBe(String(closed + open));
        expect(await row.locator('[title]').evaluateAll((all) => all.map((one) => (one as unknown as { title: string }).title))).toEqual([
          `${profitUsd} USD`,
          `${feesUsd} USD`,
        ]);
      }
    }
  });

  test('it made no requests, and there were no console errors', () => {
    expect(watched.complaints).toEqual([]);
    expect(watched.asked.filter((address) => !/^(file|blob):/.test(address))).toEqual([]);
  });
});
