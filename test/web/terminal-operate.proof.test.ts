// Parts of the terminal that need a whole browser: sign-in, lost connections, an exported test, ending an incident, and notifications.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { EXAMPLE_ORGANIZATION } from '../../src/sandbox/example-organization.ts';
import { runExported } from '../harness/run-exported.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import {
  barriers,
  type Browser,
  CHROMIUM,
  findingsEverywhere,
  giveToken,
  openBrowser,
  type ServiceWithPast,
  startServiceWithPast,
  tellWhatFailedShowed,
  type Watched,
} from './terminal-fixture.ts';

const SLOW = { timeout: 200_000 * PATIENCE };

describe.skipIf(CHROMIUM === null)('the terminal of an operator', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let agent = '';
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([startServiceWithPast({ steps: 300 }), openBrowser()]);
    watched = await browser.page({ width: 1440, height: 900 });
    page = watched.page;
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    agent = items.find(({ name }) => name === 'Crypto trend')?.id as string;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const signOut = async () => {
    await page.getByRole('button', { name: /account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
  };
  const go = (place: string) => page.evaluate(`location.hash = '#/${place}'`);

  test('the link that the service prints signs in once; a token never reaches a script', SLOW, async () => {
    const [, link = ''] = /sign in (http\S+)/.exec(service.stdout()) ?? [];
    await page.goto(link);
    await page.locator('.frame').waitFor();
    expect((await browser.context.cookies())[0]).toMatchObject({ name: 'sevengate', httpOnly: true, sameSite: 'Strict' });
    expect(page.url()).not.toContain('sign-in');
    await signOut();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText(/the link was used already/).waitFor();
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    await page.getByLabel('Access token').fill('not-a-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The alert of the link stands there until this one is answered.
    await page.getByText(/no signed token/).waitFor();
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    expect(await barriers(page)).toEqual([]);
    await giveToken(page, service.token('operator'));
    await page.locator('.frame').waitFor();
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(service.token('operator').slice(-20));
  });

  test('a lost connection is said, and what happened meanwhile is received exactly once', SLOW, async () => {
    const { page: second, complaints } = await browser.page({ width: 1440, height: 900 });
    const sockets: { close(options: { code: number; reason: string }): Promise<void> }[] = [];
    let isBarred = false;
    await second.routeWebSocket(/\/v1\/feeds$/, (socket) => {
      if (isBarred) return void socket.close({ code: 1013, reason: 'barred' });
      sockets.push(socket);
      socket.connectToServer();
    });
    await second.goto(`${service.url}/#/actors/${agent}`);
    await second.locator('.connection[data-state=live]').waitFor();
    const newest = () => second.locator('[data-step]').first().getAttribute('data-step').then(Number);
    const before = await waitFor(async () => (await newest()) || null, { what: 'the steps' });
    isBarred = true;
    await sockets[0]?.close({ code: 1012, reason: 'the service restarts' });
    await second.getByText(/^Reconnecting/).waitFor();
    expect((await service.post(`/v1/agents/${agent}/pause`)).status).toBe(200);
    isBarred = false;
    await second.locator('.connection[data-state=live]').waitFor();
    await waitFor(async () => (await second.locator('.state-chart').getAttribute('data-active'))?.includes('duty paused'), {
      what: 'the pause on the chart',
    });
    const after = await waitFor(async () => ((await newest()) > before ? newest() : null), { what: 'the step that was missed' });
    const versions = await second.evaluate<number[]>(
      `[...document.querySelectorAll('[data-step]')].map((row) => Number(row.dataset.step))`,
    );
    expect(versions).toEqual(versions.map((_, place) => after - place));
    expect(complaints.filter((text) => !text.includes('WebSocket'))).toEqual([]);
    await second.close();
  });

  test('a stretch of the past is a test that vitest runs', SLOW, async () => {
    const { version } = (await service.get(`/v1/actors/${agent}`)).body;
    await go(`actors/${agent}`);
    await page.locator(`[data-account="${version}"]`).waitFor();
    await page.getByText('Export', { exact: true }).click();
    await page.getByLabel('After version').fill('0');
    await page.getByLabel('Up to version').fill('20');
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as test' }).click()]);
    const { passed, output } = await runExported({ travelled: readFileSync(await file.path(), 'utf8') });
    expect(passed, output).toEqual(['travelled']);
  });

  test('a quarantined agent is found by its incident and released with a reason, which stays', SLOW, async () => {
    const sql = openDatabase({ url: service.databaseUrl, name: 'terminal test', connections: 1 });
    const detail = 'TypeError: a row of its own cannot be read';
    await createActorStore(sql).incident({ actorId: agent, at: Date.now(), kind: 'quarantined', detail, event: null, quarantine: true });
    await sql.end({ timeout: 1 });
    await go('runtime/incidents');
    await page.getByRole('row').filter({ hasText: detail }).waitFor();
    expect(await page.getByRole('button', { name: /^Release/ }).count()).toBe(0);
    await signOut();
    await giveToken(page, service.token('risk-manager'));
    await go('runtime/incidents');
    for (const part of ['actors', 'activities', 'timers', 'interventions', 'queues', 'work', 'reserves', 'incidents']) {
      await go(`runtime/${part}`);
      expect(await findingsEverywhere(page), part).toEqual([]);
    }
    await page.getByRole('button', { name: 'Release Crypto trend' }).first().click();
    await page.getByLabel('Reason').fill('the row was mended');
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await go('runtime/interventions');
    await page.getByRole('row').filter({ hasText: 'the row was mended' }).getByText('risk-manager').waitFor();
  });

  test('who asked for it is told by the browser while the page is out of sight', SLOW, async () => {
    await page.evaluate(`
      window.told = [];
      window.Notification = class extends Notification {
        static permission = 'granted';
        constructor(title, options) { super(title, options); window.told.push(title + ' ' + options.body); }
      };
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });`);
    await page.getByRole('button', { name: /account of/ }).click();
    await page.getByRole('menuitem', { name: 'Turn on browser notifications' }).click();
    const owner = openDatabase({ url: service.databaseUrl, name: 'terminal test', connections: 1, role: null });
    const body = owner.json({ what: 'daily_drawdown', agentId: agent });
    await owner`insert into announcements (channel, org_id, actor_id, at, body) values ('alerts', ${EXAMPLE_ORGANIZATION}, ${agent}, ${Date.now()}, ${body})`;
    await owner.end({ timeout: 1 });
    await waitFor(async () => (await page.evaluate<string[]>('window.told')).includes('Sevengate Crypto trend: daily drawdown'), {
      what: 'the breaker in a notification',
    });
  });
});
