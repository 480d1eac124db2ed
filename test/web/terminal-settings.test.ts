// Settings of a member follow to another browser, and neither an older copy, a broken one nor a missing connection costs anything.
import { readFileSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import {
  type Browser,
  CHROMIUM,
  layoutShift,
  openBrowser,
  signIn,
  tellWhatFailedShowed,
  WATCH_SHIFTS,
  type Watched,
} from './terminal-fixture.ts';

const MOST_SHIFT = 0.05;
const AGENT = readFileSync(new URL('../../examples/first-agent.json', import.meta.url), 'utf8');

describe.skipIf(CHROMIUM === null)('settings of a member', () => {
  let service: SharedService;
  let browsers: readonly Browser[] = [];
  let first: Page;
  let second: Page;
  let watched: readonly Watched[] = [];
  tellWhatFailedShowed(() => second);
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, ...browsers] = await Promise.all([joinService('settings'), openBrowser(), openBrowser()]);
    expect((await service.post('/v1/agents', AGENT)).status).toBe(201);
    watched = await Promise.all(browsers.map((one) => one.page({ width: 1440, height: 900 })));
    [first, second] = watched.map(({ page }) => page) as [Page, Page];
    await second.addInitScript(WATCH_SHIFTS);
    await signIn(first, service, 'operator');
    await first.locator('.rung').first().waitFor();
  });
  afterAll(async () => {
    await Promise.all(browsers.map((one) => one.close()));
    await service?.leave();
  });

  interface Setting {
    readonly name: string;
    readonly version: number;
    readonly value: string;
  }
  const kept = async (): Promise<readonly Setting[]> => (await service.get('/v1/me/settings')).body.items;
  const valueOf = async (name: string): Promise<string | undefined> => (await kept()).find((one) => one.name === name)?.value;
  const isKept = (name: string, part: string) =>
    waitFor(async () => (await valueOf(name))?.includes(part), { what: `${part} in the setting ${name}` });
  const close = async (page: Page) => {
    await page.getByRole('heading', { name: 'Agents' }).click();
    await page.locator('.views').waitFor({ state: 'detached' });
  };
  /** Saves the present state of the table of agents under a name. */
  const saveView = async (page: Page, name: string) => {
    await page.evaluate("location.hash = '#/agents'");
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill(name);
    await page.getByRole('button', { name: 'Save view' }).click();
    await close(page);
  };
  const views = async (page: Page): Promise<readonly string[]> => {
    await page.evaluate("location.hash = '#/agents'");
    await page.getByRole('button', { name: 'Views' }).click();
    const found = await page.locator('.views .plain').allInnerTexts();
    await close(page);
    return found;
  };

  test('a view, a favorite, the theme and a workspace of one browser are in the other, and nothing shifts', async () => {
    await first.getByRole('button', { name: 'Add NVDAx to favorites' }).click();
    await first.locator('.dv-tab', { hasText: 'Fills' }).click();
    await first.getByRole('button', { name: /account of/ }).click();
    await first.getByRole('menuitem', { name: 'Light theme' }).click();
    await saveView(first, 'Mornings');
    await isKept('views-agents', 'Mornings');
    await isKept('starred', 'NVDAx');
    await isKept('workspace-trade', 'fills');
    await isKept('theme', 'light');

    await signIn(second, service, 'operator');
    await second.locator('.rung').first().waitFor();
    const { shift, moved } = await layoutShift(second);
    expect(shift, moved).toBeLessThan(MOST_SHIFT);
    await second.getByRole('button', { name: 'Remove NVDAx from favorites' }).waitFor();
    await second.locator('.dv-active-tab', { hasText: 'Fills' }).waitFor();
    await second.locator('html[data-mantine-color-scheme=light]').waitFor();
    expect(await views(second)).toEqual(['Mornings']);
    // Opening the page in a window of another size is no change.
    await second.setViewportSize({ width: 1280, height: 800 });
    await second.goto('about:blank');
    await second.goto(service.url);
    await second.locator('.rung').first().waitFor();
    await second.locator('.chart-canvas canvas').first().waitFor();
    expect(await second.evaluate('JSON.stringify(localStorage)')).not.toContain('isUnsent\\":true');
  });

  test('an older copy does not overwrite what another browser has kept since, and says so', async () => {
    await saveView(first, 'Evenings');
    await isKept('views-agents', 'Evenings');
    await saveView(second, 'Nights');
    await second.getByText('It was changed in another browser meanwhile').waitFor();
    expect(await views(second)).toEqual(['Evenings', 'Mornings']);
    await saveView(second, 'Nights');
    await isKept('views-agents', 'Nights');
    expect(Object.keys(JSON.parse((await valueOf('views-agents')) as string)).toSorted()).toEqual(['Evenings', 'Mornings', 'Nights']);
  });

  test('without an answer of the service a change stays in the browser, and is sent on the next visit', async () => {
    await second.route('**/v1/me/settings**', (route) => route.abort());
    const asked = second.waitForRequest((request) => request.method() === 'PUT');
    await saveView(second, 'Offline');
    await asked;
    await second.reload();
    expect(await views(second)).toContain('Offline');
    expect(await valueOf('views-agents')).not.toContain('Offline');
    await second.unroute('**/v1/me/settings**');
    await second.reload();
    await isKept('views-agents', 'Offline');
  });

  test('a change that follows a write whose answer was lost is kept, and no other browser is blamed', async () => {
    const unanswered = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await second.route('**/v1/me/settings/views-agents', unanswered, { times: 1 });
    const lost = second.waitForEvent('requestfailed', (request) => request.method() === 'PUT');
    await saveView(second, 'Unanswered');
    await isKept('views-agents', 'Unanswered');
    await lost;
    await second.getByRole('button', { name: 'Views' }).click();
    await second.getByRole('button', { name: 'Delete view Unanswered' }).click();
    await close(second);
    await waitFor(async () => !(await valueOf('views-agents'))?.includes('Unanswered'), { what: 'a setting without the deleted view' });
    expect(await views(second)).not.toContain('Unanswered');
    expect(await second.getByText('It was changed in another browser meanwhile').count()).toBe(0);
  });

  test('whatever a setting holds, the page shows its defaults instead', async () => {
    const put = async (name: string, value: string) => {
      const version = (await kept()).find((one) => one.name === name)?.version ?? 0;
      expect((await service.ask('PUT', `/v1/me/settings/${name}`, { body: { version, value } })).status).toBe(200);
    };
    const grid = {
      root: { type: 'branch', data: [{ type: 'leaf', data: { views: ['chart'], id: '1' } }] },
      width: -1,
      height: 'x',
      orientation: 'UP',
    };
    const layouts = [
      'null',
      '[',
      '{"panels":{"constructor":{}},"grid":{}}',
      JSON.stringify({ panels: { chart: { contentComponent: 'evil' } }, grid }),
    ];
    for (const layout of layouts) {
      /* oxlint-disable no-await-in-loop -- one after the other in the same browser */
      await put('workspace-trade', layout);
      await put('starred', `${'x '.repeat(4_000)}<img src=x onerror=alert(1)>`);
      await put('theme', '"><script>');
      await put('preferences', '[null]');
      await put('timeframe', '__proto__');
      await put('tour', '1e999');
      await put('chart-agent', '../../v1/me');
      await put('views-agents', '{"<b>x</b>":{"shown":7,"hidden":"constructor","sort":"99down","constructor":"y"},"z":null}');
      await put('views-rankings', '{"z":{"market":"constructor","mode":"constructor"}}');
      await second.goto('about:blank');
      await second.goto(service.url);
      await second.locator('.chart-canvas canvas').first().waitFor();
      await second
        .locator('.dv-tab', { hasText: 'Watchlist' })
        .or(second.locator('.dv-tab', { hasText: 'Chart' }))
        .first()
        .waitFor();
      expect(await views(second)).toEqual(['<b>x</b>', 'z']);
      /* oxlint-enable no-await-in-loop */
    }
    await second.getByRole('button', { name: 'Views' }).click();
    await second.getByRole('button', { name: '<b>x</b>', exact: true }).click();
    await second.locator('tr[data-agent]').first().waitFor();
    await second.evaluate("location.hash = '#/rankings'");
    await second.getByRole('button', { name: 'Views' }).click();
    await second.getByRole('button', { name: 'z', exact: true }).click();
    await second.getByRole('heading', { name: 'Rankings' }).waitFor();
    expect(await second.locator('.refusal').allInnerTexts()).toEqual([]);
  });
});
