// The terminal under faults: the network to the real service is disturbed, and the browser's clock is moved.
import type { Page, Route, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { payload } from '../api/api-under-test.ts';
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
  visit,
} from './terminal-fixture.ts';

const LONG = { timeout: 120_000 * PATIENCE };
const STEPS = 100_000;
const HOUR_MS = 3_600_000;

/** Script that lets a test move the wall clock. As in a sleeping computer, the page's timers stand still meanwhile. */
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
  /** Handler of the feed's frames on their way to the page. */
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

  test(
    'a part that is refused stands beside those that are there, one press reads it again, and otherwise it comes by itself',
    LONG,
    async () => {
      await page.route('**/v1/portfolio?**', problem(503));
      await go('portfolio');
      await light('busy');
      const refused = page.locator('.not-read').filter({ hasText: 'Too many requests at once.', visible: true });
      await refused.first().waitFor();
      await page.getByText('P&L total').first().waitFor();
      expect(await findingsEverywhere(page)).toEqual([]);
      const asked = page.waitForRequest('**/v1/portfolio?**');
      await refused.first().getByRole('button', { name: 'Try again', exact: true }).click();
      await asked;
      await page.unrouteAll({ behavior: 'wait' });
      await refused.first().waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Stress scenarios' }).waitFor();
      await light('live');
    },
  );

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
    // The old connection is dead without notice.
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

  test('a feed that lags: the light says by how much, no price is live, and both come back', LONG, async () => {
    await go('trade');
    await quality('live');
    const earlier = (time: string) => new Date(Date.parse(time) - 20_000).toISOString();
    onFrame = (frame, send) => send(frame.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, earlier));
    await page.getByText(/^Late by 2\d s$/).waitFor();
    await quality('stale');
    onFrame = (frame, send) => send(frame);
    await light('live');
    await quality('live');
  });

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

  test('a list that is far longer than a page should give is sorted and searched as a whole, and few rows exist', LONG, async () => {
    // Created in the page, because such a long answer does not fit through the pipe to the browser.
    await page.evaluate(`(() => {
      const asked = window.fetch;
      window.giveFew = () => { window.fetch = asked; };
      window.fetch = async (...call) => {
        const answer = await asked(...call);
        if (!answer.url.includes('/v1/private-markets?')) return answer;
        const { items } = await answer.json();
        const rows = Array.from({ length: ${STEPS} }, (_, place) =>
          ({ ...items[place % items.length], key: 'row:' + place, livePrice: ((place * 7919) % ${STEPS}) + '.5' }));
        return new Response(JSON.stringify({ items: rows, nextCursor: null }), { headers: { 'content-type': 'application/json' } });
      };
    })()`);
    await go('private-markets');
    const table = page.getByRole('region', { name: 'Pre-IPO tokens' });
    await table.locator(`[aria-rowcount="${STEPS + 1}"]`).waitFor();
    expect(await table.locator('tbody tr').count()).toBeLessThan(100);
    const began = performance.now();
    await table.getByRole('button', { name: 'Price', exact: true }).click();
    await table.locator('th[aria-sort=ascending]').waitFor();
    console.info(`sorting ${STEPS} rows took ${Math.round(performance.now() - began)} ms`);
    const prices = (await table.locator('tbody tr[aria-rowindex] td:nth-child(2)').allInnerTexts()).map((text) =>
      Number(text.replaceAll(',', '')),
    );
    expect(prices.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, place) => place + 0.5));
    await table.getByRole('button', { name: 'Price', exact: true }).click();
    await table.getByRole('button', { name: 'Price', exact: true }).click();
    await page.evaluate('window.giveFew()');
  });

  test('hostile names are text, turn no line around, and fit a phone', LONG, async () => {
    const names = [
      '<img src=x onerror="window.hit=1"><script>window.hit=1</script>',
      '"><svg/onload=window.hit=1>{{7*7}}${7*7}',
      '\u202Egnp.evil \u2066moc.elpmaxe',
      'W'.repeat(120),
      'W'.repeat(500),
      'a\u200Bdm\u200Bin \u{1F469}\u200D\u{1F469}\u200D\u{1F467}',
    ];
    const taken: string[] = [];
    for (const name of names) {
      const { status, body } = await service.post('/v1/agents', payload({ name }));
      if (status === 201) taken.push(body.name);
      else expect([status, body.code]).toEqual([400, 'manifest_invalid']);
    }
    expect(taken.length).toBeGreaterThanOrEqual(3);
    const { items: shown } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const own = shown.filter(({ name }) => taken.includes(name)).map(({ id }) => `agents/${id}`);
    for (const place of ['agents', 'overview', 'operate', 'runtime/actors', 'trade', 'proposals', 'selling', ...own]) {
      await visit(page, place);
      expect(await findingsEverywhere(page), place).toEqual([]);
    }
    await visit(page, 'agents');
    for (const name of taken) {
      await page.locator('tr[data-agent]').getByText(name, { exact: true }).first().waitFor();
    }
    const ways = await page.evaluate<string[]>(
      "[...document.querySelectorAll('tr[data-agent] .name')].map((name) => getComputedStyle(name).unicodeBidi)",
    );
    expect(ways.every((way) => way === 'isolate' || way === 'plaintext')).toBe(true);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    await waitFor(async () => (await page.locator('.connection').getAttribute('data-state')) === 'live', { what: 'the green light' });
  });
});
