// One journey from end to end in a real browser: an agent is made, trades, is halted and looked back upon; its past becomes a test that runs; a tape is replayed; a token is launched.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTapeServer } from '../../src/cli/tape-server.ts';
import { createLiveClock } from '../../streams/live-clock.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { type RecordedDay, recordedDay } from '../harness/recorded-day.ts';
import { runExported } from '../harness/run-exported.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import { type Browser, CHROMIUM, findingsEverywhere, openBrowser, openTab, signIn, signOut, type Watched } from './console-fixture.ts';
import { standardWallet } from './test-wallets.ts';

const creator = keyOf(77);
const SLOW = { timeout: 300_000 * PATIENCE };

describe.skipIf(CHROMIUM === null)('one journey through the console', () => {
  let service: SharedService;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let day: RecordedDay;
  let id = '';
  beforeAll(async () => {
    [service, browser] = await Promise.all([joinService('console-journey'), openBrowser()]);
    day = recordedDay();
    watched = await browser.page();
    page = watched.page;
    await standardWallet(page, 'Harbour', creator);
    const { control } = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string };
    const body = JSON.stringify({ owner: creator.publicKey.toBase58(), mint: 'SOL', amount: '10000000000' });
    expect((await fetch(`${control}/chain/fund`, { method: 'POST', body })).status).toBe(200);
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.leave();
    day?.remove();
  });

  test('an agent is created; what its own rules propose is approved, and its entry is seen on the chart', SLOW, async () => {
    await page.getByRole('link', { name: 'New agent' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Traveller');
    await page.getByLabel('Instruments (one per line)').fill('spotexchange:BTC/USDT:spot');
    await page.getByLabel('Enter when all are true').fill('[{ "type": "price_above", "price": "1" }]');
    await page.getByLabel('Exit when any is true').fill('[{ "type": "price_above", "price": "20000000" }]');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Traveller', level: 1 }).waitFor();
    id = page.url().split('/').at(-1) as string;
    await page.getByRole('button', { name: 'Autonomy' }).click();
    await page.getByLabel('Level').selectOption('confirm');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.locator('.facts').getByText('confirm', { exact: true }).waitFor();
    // Where a busy machine gave no answer in time, the dialog stays although the level is set.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'View proposals' }).click();
    // The market may leave the limit before an approval is carried out: then the rules propose anew a minute later.
    await waitFor(
      async () => {
        // It may have gone since it was counted, or go before it is pressed: then it is looked for again.
        const waiting = page.locator('[data-state=pending_approval]').getByRole('button', { name: 'Approve', disabled: false });
        if ((await waiting.count()) > 0)
          await waiting
            .first()
            .click({ timeout: 2_000 })
            .catch(() => {});
        return (await page.locator('.proposal[data-state=filled]').count()) > 0;
      },
      { what: 'a filled proposal', deadlineMs: 200_000 },
    );
    await page.locator('.proposal[data-state=filled]').getByRole('link', { name: 'Traveller' }).click();
    const chart = page.locator('.candle-place figure');
    await waitFor(async () => /Marked: .*buy [\d.]+ at [\d,.]+/.test(await chart.getByRole('status').innerText()), { what: 'the entry' });
    await page.getByText(/paper entry [\d,.]+, stop [\d,.]+, target [\d,.]+/).waitFor();
    // The bar that has not closed moves with the quotes.
    const now = () => chart.locator('.market-chart-legend').innerText();
    await page.mouse.move(1, 1);
    await waitFor(async () => /now [\d,.]+$/.test(await now()), { what: 'the bar of the present' });
    const before = await now();
    await waitFor(async () => (await now()) !== before, { what: 'another price' });
  });

  test('it is halted, its past is stepped back and branched, and a stretch of it is a test that vitest runs', SLOW, async () => {
    await page.getByRole('button', { name: 'Halt all' }).click();
    await page.getByRole('button', { name: 'Halt all agents' }).click();
    await page.getByText(/^Halted: \d agents? paused/).waitFor();
    await page
      .locator('.facts')
      .getByText(/^Paused/)
      .waitFor();
    await openTab(page, 'State');
    await page.locator('.chart[data-standing*="duty.paused"]').waitFor();
    await page.getByRole('button', { name: 'One step earlier' }).click();
    await page.locator('.chart[data-standing*="duty.active"]').waitFor();
    await page.getByRole('link', { name: 'Details and what-if' }).click();
    const step = page.getByLabel('Step', { exact: true });
    const { version } = (await service.get(`/v1/actors/${id}`)).body;
    await waitFor(async () => Number(await step.getAttribute('max')) >= version, { what: 'the scrubber over all steps' });
    await step.fill('2');
    await page.locator('[data-account="2"]').waitFor();
    await page.getByLabel('Event', { exact: true }).selectOption('pause');
    await page.getByLabel('Event fields (JSON)').fill('{ "cause": "operator" }');
    await page.getByRole('button', { name: 'What if' }).click();
    await page.locator('.branch [data-taken=true]').getByText('duty active → paused').waitFor();
    await page.getByRole('button', { name: 'Discard branch' }).click();
    await page.getByLabel('After version').fill('0');
    await page.getByLabel('Up to version').fill(String(version));
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as test' }).click()]);
    expect(file.suggestedFilename()).toBe(`${id}-0-${version}.test.ts`);
    const { passed, output } = await runExported({ travelled: readFileSync(await file.path(), 'utf8') });
    expect(passed, output).toEqual(['travelled']);
    expect((await service.get(`/v1/actors/${id}`)).body.version).toBe(version);
    // Whoever manages the risk resumes what was halted, all at once; the operator may not.
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
    expect(await page.getByRole('button', { name: 'Resume all' }).isDisabled()).toBe(true);
    await signOut(page);
    await signIn(page, service, 'risk-manager');
    await page.getByRole('button', { name: 'Resume all' }).click();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume selected' }).click();
    await page.getByText('Resumed: 1 agent.').waitFor();
    expect((await service.get(`/v1/agents/${id}`)).body.paused).toBe(false);
    await signOut(page);
    await signIn(page, service, 'operator');
  });

  test('a tape is replayed in the same browser', async () => {
    const failures: unknown[] = [];
    const server = await startTapeServer({
      file: day.file,
      from: null,
      to: null,
      speed: 60,
      loop: false,
      paused: true,
      port: 0,
      version: 'test',
      clock: createLiveClock(),
      progress: () => {},
      onFailure: (error) => void failures.push(error),
    });
    try {
      const { page: second, complaints } = await browser.page();
      await second.goto(server.url);
      const bar = second.getByRole('region', { name: 'Replay' });
      await bar.getByText('REPLAY').waitFor();
      await bar.getByRole('button', { name: 'Play', exact: true }).click();
      await bar.getByRole('button', { name: 'Restart' }).waitFor();
      expect([failures, complaints]).toEqual([[], []]);
      await second.close();
    } finally {
      await server.stop();
    }
  });

  test('a token of the agent is launched by a wallet of the browser, and trades', SLOW, async () => {
    await page.getByRole('link', { name: 'Launches', exact: true }).click();
    await page.getByRole('link', { name: 'Launch a token' }).click();
    await page.locator('.curve-line').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Traveller token');
    await page.getByLabel('Symbol').fill('TRAVEL');
    await page.getByLabel('Metadata URL').fill('https://example.com/traveller.json');
    await page.getByLabel('Creator’s first buy').fill('1');
    await page.getByRole('button', { name: 'Sign with Harbour' }).click();
    await page.getByRole('heading', { name: 'TRAVEL Traveller token' }).waitFor({ timeout: 120_000 * PATIENCE });
    const launch = page.url().split('/').at(-1) as string;
    await waitFor(async () => (await service.get(`/v1/launches/${launch}`)).body.state === 'trading', {
      what: 'a token that trades',
      deadlineMs: 200_000,
    });
    await page.getByText(/^trading, as of /).waitFor();
    await waitFor(async () => Number((await page.locator('.curve circle').getAttribute('data-fill')) ?? 0) > 0, { what: 'the first buy' });
    expect(watched.complaints).toEqual([]);
  });
});
