// What the terminal shows and does on a bad day: the network between the page and the service is disturbed, the service is the real one.
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import {
  type Browser,
  CHROMIUM,
  findingsEverywhere,
  openBrowser,
  type ServiceWithPast,
  signIn,
  startServiceWithPast,
  tellWhatFailedShowed,
} from './terminal-fixture.ts';

const LONG = { timeout: 120_000 * PATIENCE };

describe.skipIf(CHROMIUM === null)('the terminal on a bad day', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let page: Page;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([startServiceWithPast({ steps: 10 }), openBrowser()]);
    page = (await browser.page({ width: 1440, height: 900 })).page;
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const go = (place: string) => page.evaluate(`location.hash = '#/${place}'`);
  const light = (state: string) => page.locator(`.connection[data-state=${state}]`).waitFor();
  const quality = (word: string) => page.locator(`[data-instrument="spotexchange:BTCUSDT"] .quality-${word}`).first().waitFor();
  const orders = async () => (await service.get('/v1/market-orders')).body.items as unknown[];
  const problem = (status: number, retryAfter: number) => (route: Route) =>
    route.fulfill({
      status,
      contentType: 'application/problem+json',
      headers: { 'retry-after': String(retryAfter) },
      body: JSON.stringify({ code: 'busy', status, detail: 'Too many requests at once.', requestId: 'r' }),
    });

  test(
    'offline: what was read stays, an order is refused and never sent later, and a page that was never read comes with the network',
    LONG,
    async () => {
      await quality('live');
      await browser.context.setOffline(true);
      await page.getByText(/^Reconnecting/).waitFor();
      await quality('stale');
      await page.getByRole('textbox', { name: 'Size' }).fill('250');
      await page.getByRole('button', { name: 'Buy BTCUSDT on paper' }).click();
      await page.getByText('This device is offline. Send it again: it is placed once.').waitFor();
      expect(await page.locator('.watchlist, [data-instrument]').count()).toBeGreaterThan(3);
      await go('rankings');
      await page.getByText('Loading…').filter({ visible: true }).first().waitFor();
      await browser.context.setOffline(false);
      await page.getByRole('heading', { name: 'Rankings' }).waitFor();
      await light('live');
      await go('trade');
      await quality('live');
      expect(await orders()).toEqual([]);
      await page.getByRole('textbox', { name: 'Size' }).fill('');
    },
  );

  test('slow: the light says so while the page waits, and goes green with the answer', LONG, async () => {
    await page.route('**/v1/social**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      await route.continue();
    });
    await go('social');
    await page.getByText('Loading…').filter({ visible: true }).first().waitFor();
    await light('slow');
    await page.getByText('Slow answers').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await light('live');
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('too many calls: the light says when the page asks again, and it does by itself', LONG, async () => {
    let refused = 0;
    await page.route('**/v1/social**', (route) => (refused++ < 2 ? problem(429, 3)(route) : route.continue()));
    await go('trade');
    await go('social');
    await page.getByText(/^Busy, asks again in [123] s$/).waitFor();
    await waitFor(() => refused === 3, { what: 'the third request, which is answered' });
    await light('live');
    expect(refused).toBe(3);
    await page.unrouteAll({ behavior: 'wait' });
  });
});
