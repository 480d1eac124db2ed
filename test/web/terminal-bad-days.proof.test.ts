// What the terminal shows and does on a bad day. The network between the page and the service is disturbed, the browser's clock is moved; the service is the real one.
import type { Page, Route, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { startService } from '../journeys/running-service.ts';
import {
  type Browser,
  CHROMIUM,
  findingsEverywhere,
  giveToken,
  openBrowser,
  propose,
  type ServiceWithPast,
  signIn,
  startServiceWithPast,
  tellWhatFailedShowed,
} from './terminal-fixture.ts';

const LONG = { timeout: 120_000 * PATIENCE };
const STEPS = 100_000;
const HOUR_MS = 3_600_000;

/** Script that lets a test move the clock of the day; as in a computer that slept, the clock of the page stands still meanwhile. */
const MOVABLE_CLOCK = `{
  const Real = Date;
  let skew = 0;
  window.moveClock = (ms) => { skew += ms; };
  window.Date = class extends Real {
    constructor(...given) { given.length === 0 ? super(Real.now() + skew) : super(...given); }
    static now() { return Real.now() + skew; }
  };
}`;

describe.skipIf(CHROMIUM === null)('the terminal on a bad day', () => {
  let service: ServiceWithPast;
  let first: ServiceWithPast;
  let browser: Browser;
  let page: Page;
  let agents: readonly { id: string; name: string }[];
  /** Frames of the feed on their way to the page. */
  let onFrame: (frame: string, send: (frame: string) => void) => void = (frame, send) => send(frame);
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([startServiceWithPast({ steps: STEPS }), openBrowser()]);
    first = service;
    page = await openPage();
    await signIn(page, service, 'operator');
    agents = (await service.get('/v1/agents')).body.items;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
    await first?.discard();
  });

  const openPage = async (script = '') => {
    const opened = (await browser.page({ width: 1440, height: 900 })).page;
    await opened.addInitScript(MOVABLE_CLOCK + script);
    await opened.routeWebSocket(/\/v1\/feeds$/, (socket: WebSocketRoute) => {
      const server = socket.connectToServer();
      server.onMessage((frame) => onFrame(String(frame), (passed) => socket.send(passed)));
    });
    return opened;
  };
  const go = (place: string, of = page) => of.evaluate(`location.hash = '#/${place}'`);
  const light = (state: string, of = page) => of.locator(`.connection[data-state=${state}]`).waitFor();
  const quality = (word: string, of = page) =>
    of.locator('[data-instrument="spotexchange:BTCUSDT"]').locator(`.quality-${word}`).first().waitFor();
  const orders = async () => (await service.get('/v1/market-orders')).body.items as unknown[];
  const agentOf = (name: string) => agents.find((agent) => agent.name === name)?.id as string;
  const problem = (status: number, retryAfter?: number) => (route: Route) =>
    route.fulfill({
      status,
      contentType: 'application/problem+json',
      headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
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

  test('a session that ends hides what somebody wrote: the same member finds it again, another one does not', LONG, async () => {
    await go('agents/new');
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Half written');
    await browser.context.clearCookies();
    await page.getByLabel('Access token').waitFor();
    expect(await name.isVisible()).toBe(false);
    expect(await findingsEverywhere(page)).toEqual([]);
    await giveToken(page, service.token('operator'));
    await name.waitFor();
    expect(await name.inputValue()).toBe('Half written');
    await light('live');
    await browser.context.clearCookies();
    await page.getByLabel('Access token').waitFor();
    await giveToken(page, service.token('risk-manager'));
    await page.getByRole('button', { name: /account of Rita Risk/ }).waitFor();
    expect(await name.inputValue()).toBe('');
    await browser.context.clearCookies();
    await page.getByLabel('Access token').waitFor();
    await giveToken(page, service.token('operator'));
    await page.getByRole('button', { name: /account of Olivia Operator/ }).waitFor();
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

  test('a service that restarts: the page waits, goes on with its member and its place, and prices move', LONG, async () => {
    await go('trade');
    await quality('live');
    const { port } = new URL(service.url);
    await service.stop();
    await page.getByText(/^Reconnecting/).waitFor();
    await quality('stale');
    const env = { DATABASE_URL: service.databaseUrl, QUEUE_BACKEND: 'postgres', PORT: port };
    service = { ...(await startService({ home: service.home, env })), databaseUrl: service.databaseUrl };
    await light('live');
    await quality('live');
    await page.getByRole('button', { name: /account of Olivia Operator/ }).waitFor();
  });

  test('two tabs: an answer in one is seen in the other, and both belong to the same member', LONG, async () => {
    const second = await openPage();
    await second.goto(service.url);
    await second.locator('.frame').waitFor();
    expect((await service.post(`/v1/agents/${agentOf('Crypto trend')}/autonomy`, { autonomy: 'confirm' })).status).toBe(200);
    const id = await propose(service, agentOf('Crypto trend'), '0.01');
    await Promise.all([page, second].map((tab) => go('proposals', tab)));
    const waits = (tab: Page) => tab.locator(`[data-proposal="${id}"][data-state=pending_approval]`);
    await Promise.all([page, second].map((tab) => waits(tab).waitFor()));
    await waits(second)
      .getByRole('button', { name: /^Decline/ })
      .click();
    await waits(page).waitFor({ state: 'detached' });

    await second.getByRole('button', { name: /account of/ }).click();
    await second.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await giveToken(second, service.token('risk-manager'));
    await page.getByRole('button', { name: /account of Rita Risk/ }).waitFor();
    await second.getByRole('button', { name: /account of/ }).click();
    await second.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await giveToken(page, service.token('operator'));
    await second.getByRole('button', { name: /account of Olivia Operator/ }).waitFor();
    await second.close();
  });

  test('a laptop that slept: nothing old is green, and the page finds a new connection at once', LONG, async () => {
    await go('trade');
    await quality('live');
    // The old connection is dead and nobody says so.
    let isDead = true;
    onFrame = (frame, send) => !isDead && send(frame);
    const sockets = page.waitForEvent('websocket');
    await page.evaluate(`window.moveClock(${8 * HOUR_MS})`);
    await quality('stale');
    isDead = false;
    await sockets;
    await light('live');
    await quality('live');
    await page.evaluate(`window.moveClock(${-8 * HOUR_MS})`);
    onFrame = (frame, send) => send(frame);
  });

  for (const [way, ms] of [
    ['three hours late', -3 * HOUR_MS],
    ['ten days early', 240 * HOUR_MS],
  ] as const)
    test(
      `a clock that is ${way}: the page shows the service's time, live prices and whole countdowns, and stays signed in`,
      LONG,
      async () => {
        const wrong = await openPage(`;Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + (${ms}) });
        window.moveClock(${ms});`);
        await wrong.goto(service.url);
        await wrong.locator('.frame').waitFor();
        await light('live', wrong);
        await quality('live', wrong);
        const shown = Date.parse((await wrong.locator('time.clock').getAttribute('datetime')) as string);
        expect(Math.abs(shown - Date.now())).toBeLessThan(5_000 * PATIENCE);
        const id = await propose(service, agentOf('Crypto trend'), '0.01');
        await go('proposals', wrong);
        const waiting = wrong.locator(`[data-proposal="${id}"][data-state=pending_approval]`);
        expect(await waiting.locator('.countdown').innerText()).toMatch(/^(9|10)[: ]/);
        await waiting.getByRole('button', { name: /^Decline/ }).click();
        await waiting.waitFor({ state: 'detached' });
        await wrong.reload();
        await wrong.locator('.frame').waitFor();
        await wrong.close();
      },
    );

  test(`${STEPS.toLocaleString('en-US')} rows: the newest and the oldest step are reached at once, and few rows exist`, LONG, async () => {
    await go(`actors/${agentOf('Crypto trend')}`);
    await page.locator('[data-step]').first().waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('Home');
    await page.locator('[data-step="1"]').getByText('…', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.locator('[data-step]').count()).toBeLessThan(100);
    await page.keyboard.press('End');
    await page.locator(`[data-step="${STEPS}"]`).waitFor();
  });
});
