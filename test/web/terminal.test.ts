// Terminal: live prices, orders by mouse, approvals by keyboard, and its size.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readExamples } from '../../api/document/examples.ts';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { waitFor } from '../harness/wait-for.ts';
import {
  axeFindings,
  type Browser,
  CHROMIUM,
  findingsEverywhere,
  giveToken,
  layoutShift,
  openBrowser,
  propose,
  type ServiceWithPast,
  startServiceWithPast,
  tellWhatFailedShowed,
  turnTo,
  WATCH_SHIFTS,
  type Watched,
} from './terminal-fixture.ts';
import { keyboardOf } from './hands.ts';
import { widenAnswers } from './wide-answers.ts';
import { latch } from '../harness/latch.ts';

/** Agent whose own rules never trade, so that only the test proposes. */
const PATIENT = {
  name: 'Patient',
  universe: ['BTCUSDT'],
  timeframe: '1h',
  entryConditions: [{ type: 'price_above', price: '10000000' }],
  exitConditions: [],
  maxCapitalUsd: 50_000,
  maxTradeNotionalUsd: 5_000,
  stopLossPct: 5,
  takeProfitPct: 8,
  maxDailyDrawdownPct: 4,
  maxOpenPositions: 3,
  maxSlippageBps: 20,
};
/** Answer of a busy service to a change without an Idempotency-Key. */
const BUSY = {
  status: 503,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    code: 'unavailable',
    status: 503,
    detail: 'the request timed out; it may have had an effect, so look before you ask again',
    requestId: 'r',
  }),
};
const HOSTILE = '<img src=x onerror=alert(1)>';
/** Script that returns names of rows that cover the next column. */
const NAMES_OVER_FIGURES = `[...document.querySelectorAll('th[scope=row] *')]
  .filter((part) => part.getBoundingClientRect().right > part.closest('th').getBoundingClientRect().right + 1)
  .map((part) => part.textContent)`;
/** Maximum size of the first visit: transferred kilobytes, and files. */
const MOST_BYTES = 450_000;
const MOST_FILES = 12;
const MOST_SHIFT = 0.05;
/** Maximum layout shift by prices alone. */
const MOST_SHIFT_BY_PRICES = 0.005;

describe.skipIf(CHROMIUM === null)('the terminal', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    // The first visit after an update waits for the bundle: test/api/terminal-page.test.ts.
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([startServiceWithPast({ steps: 10 }), openBrowser()]);
    watched = await browser.page({ width: 1440, height: 900 });
    page = watched.page;
    await page.addInitScript(WATCH_SHIFTS);
    // The sandbox's market differs every hour: sometimes an example agent proposes too.
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const trend = items.find(({ name }) => name === 'Crypto trend')?.id;
    const lowered = await service.post(`/v1/agents/${trend}/autonomy`, { autonomy: 'research' });
    expect(lowered.status, JSON.stringify(lowered.body)).toBe(200);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const tab = (name: string) => page.locator('.dv-tab', { hasText: name });
  const orders = async () => (await service.get('/v1/market-orders')).body.items as { state: string; side: string }[];
  const writeSize = async (size: string) => {
    await page.getByRole('textbox', { name: 'Size' }).fill(size);
    await page.getByText('Risk: passes').waitFor();
  };

  test('after sign-in it shows moving live prices, and the first visit is small', async () => {
    await page.goto(`${service.url}/terminal`);
    await giveToken(page, service.token('operator'));
    const price = page.locator('[data-instrument="spotexchange:BTCUSDT"] [class^=flash-]');
    await waitFor(async () => /^\d/.test(await price.innerText()), { what: 'a price of BTCUSDT' });
    const first = await price.innerText();
    await waitFor(async () => (await price.innerText()) !== first, { what: 'another price of BTCUSDT' });
    await page
      .getByRole('status')
      .filter({ hasText: /^Live$/ })
      .waitFor();
    await page.locator('.rung').first().waitFor();
    await page.locator('.chart-canvas canvas').first().waitFor();

    await page.reload();
    await page.locator('.rung').first().waitFor();
    await page.locator('.chart-canvas canvas').first().waitFor();
    const files = await page.evaluate<{ name: string; encodedBodySize: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }) => !name.includes('/v1/')).map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`,
    );
    expect(files.length + 1).toBeLessThanOrEqual(MOST_FILES);
    expect(files.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)).toBeLessThanOrEqual(MOST_BYTES);
    const { shift, moved } = await layoutShift(page);
    expect(shift, moved).toBeLessThan(MOST_SHIFT);
  });

  test('prices that arrive after the page was drawn shift nothing', async () => {
    const { page: late, asked } = await browser.page({ width: 1440, height: 900 });
    await late.addInitScript(WATCH_SHIFTS);
    const [quotes, tickers] = [latch(), latch()];
    await late.routeWebSocket(/./, (socket) => {
      const service = socket.connectToServer();
      service.onMessage((message) => {
        const { released } = String(message).includes('tickers') ? tickers : quotes;
        void released.then(() => socket.send(message));
      });
    });
    await late.goto(`${service.url}/terminal`);
    await late.locator('.chart-canvas canvas').first().waitFor();
    await late.evaluate('window.shifts.length = 0');
    quotes.release();
    await late.locator('.rung').first().waitFor();
    await late.locator('.instrument-head').getByText('Bid', { exact: true }).waitFor();
    tickers.release();
    await late.locator('.instrument-head').getByText('24 h high', { exact: true }).waitFor();
    const { shift, moved } = await layoutShift(late);
    expect(shift, moved).toBeLessThan(MOST_SHIFT_BY_PRICES);
    // Each announcement channel begins with a read, and summing up is limited to sixty a minute: one with the page, one each 5 s.
    const each5s = await late.evaluate<number>('Math.ceil(performance.now() / 5_000)');
    expect(asked.filter((address) => address.includes('/v1/portfolio/performance')).length).toBeLessThanOrEqual(1 + each5s);
    await late.close();
  });

  test('on a phone neither the feed nor more rows of a list move what is read', async () => {
    const { page: phone } = await browser.page({ width: 390, height: 844 });
    await phone.addInitScript(WATCH_SHIFTS);
    const heard = latch();
    await phone.routeWebSocket(/./, (socket) => {
      const service = socket.connectToServer();
      service.onMessage((message) => void heard.released.then(() => socket.send(message)));
    });
    const { items } = Object(readExamples().operations['listWork']?.answers['200']) as { readonly items: readonly object[] };
    // A table has a search field from its twentieth row on, if it begins with so many.
    let rows = 19;
    await phone.route('**/v1/runtime/work?*', (route) =>
      route.fulfill({
        json: { items: Array.from({ length: rows }, (_, place) => ({ ...items[0], id: String(place) })), nextCursor: null },
      }),
    );
    await phone.goto(`${service.url}/#/runtime/work`);
    const table = phone.getByRole('region', { name: 'Long work' });
    await table.waitFor();
    await phone.evaluate('window.shifts.length = 0');
    rows = 25;
    heard.release();
    await phone.getByText('Feed: heartbeat every 5 s').waitFor();
    await waitFor(async () => (await table.getByRole('row').count()) === 1 + rows, { what: 'more rows' });
    const { shift, moved } = await layoutShift(phone);
    expect(shift, moved).toBeLessThan(MOST_SHIFT_BY_PRICES);
    await phone.close();
  });

  test('a sandbox wallet that opens late moves nothing below it', async () => {
    const { page: phone } = await browser.page({ width: 390, height: 844 });
    await phone.addInitScript(WATCH_SHIFTS);
    const opened = latch();
    await phone.route('**/v1/sandbox/wallet', (route) => opened.released.then(() => route.continue()));
    await phone.goto(`${service.url}/#/wallets`);
    await phone.getByText(/No wallet is linked|Linked by/).waitFor();
    await phone.getByRole('status').getByText('Loading…').waitFor({ state: 'attached' });
    opened.release();
    await phone.getByRole('button', { name: 'Get 10 SOL and 10,000 USDC' }).waitFor();
    await phone.getByRole('button', { name: 'Create text to sign' }).waitFor();
    const { shift, moved } = await layoutShift(phone);
    expect(shift, moved).toBeLessThan(MOST_SHIFT);
    await phone.close();
  });

  test('by mouse a market order is checked, placed on paper and filled; a limit order rests and is cancelled', async () => {
    await writeSize('250');
    await page.getByRole('button', { name: 'Buy BTCUSDT on paper' }).click();
    await page.getByText('Order filled').waitFor();
    expect(await orders()).toEqual([expect.objectContaining({ state: 'filled', side: 'buy' })]);
    await page.locator('[data-position="spotexchange:BTCUSDT"]').waitFor();

    await page.getByText('Limit', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Limit price (USD)' }).fill('20000');
    await writeSize('100');
    await page.getByRole('button', { name: 'Buy BTCUSDT on paper' }).click();
    await page.getByText('Order resting').waitFor();
    await tab('Orders').click();
    await page.getByRole('button', { name: /^Cancel buy 0\.005 BTCUSDT$/ }).click();
    await page.locator('[data-order][data-open=false]', { hasText: 'cancelled' }).waitFor();
    await tab('Fills').click();
    await page.locator('[data-fill]').waitFor();
  });

  test('an order blocked by risk says why, and one click makes it pass', async () => {
    await page.getByText('Market', { exact: true }).last().click();
    await page.getByRole('textbox', { name: 'Size' }).fill('90000000');
    await page.getByText('Risk: blocked').waitFor();
    await page.getByRole('button', { name: /^Use / }).first().click();
    await page.getByText('Risk: passes').waitFor();
    await page.getByRole('textbox', { name: 'Size' }).fill('');
  });

  test('by keyboard an order is typed into the palette, and a proposal is approved', async () => {
    const { body: agent } = await service.post('/v1/agents', PATIENT);
    expect((await service.post(`/v1/agents/${agent.id}/autonomy`, { autonomy: 'confirm' })).status).toBe(200);
    await page.locator('main').focus();
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search or type an order' }).pressSequentially('buy 500 AAPLx');
    await page.getByText('Buy $500 of AAPLx').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'AAPLx' }).waitFor();
    await waitFor(async () => (await page.getByRole('textbox', { name: 'Pay (USDC)' }).inputValue()) === '500', {
      what: 'the size in the ticket',
    });

    const id = await propose(service, agent.id, '0.01');
    await page.locator('.count.urgent[data-count="1"]').waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('a');
    await page.getByText('Approved', { exact: true }).waitFor();
    await waitFor(async () => (await service.get(`/v1/agent-orders/${id}`)).body.state === 'filled', { what: 'the filled proposal' });
  });

  test('a key answers once, and only the proposal whose card names it', async () => {
    const { items } = Object(readExamples().operations['listProposals']?.answers['200']) as { readonly items: readonly object[] };
    const { items: agents } = (await service.get('/v1/agents')).body as { items: { id: string }[] };
    const [mine, other] = agents.map(({ id }) => id);
    const waits = (id: string, agentId: string | undefined, minutes: number) => ({
      ...items[0],
      id,
      agentId,
      state: 'pending_approval',
      expiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
    });
    const ids = ['5d1e8a52-0000-4000-8000-000000000001', '5d1e8a52-0000-4000-8000-000000000002'] as const;
    const pending = [waits(ids[0], mine, 9), waits(ids[1], other, 4)];
    const approved: string[] = [];
    await page.route('**/v1/agent-orders**', async (route) => {
      const [, id] = /agent-orders\/([^/?]+)\/approve/.exec(route.request().url()) ?? [];
      if (id === undefined)
        return route.fulfill({ json: { items: pending.filter((one) => !approved.includes(one.id)), nextCursor: null } });
      approved.push(id);
      return route.fulfill({ json: { ...items[0], id } });
    });
    await page.evaluate(`location.hash = '#/proposals/${mine}'`);
    await page.reload();
    const card = page.locator(`[data-proposal="${ids[0]}"]`);
    await card.waitFor();
    expect(await card.locator('kbd').count()).toBe(0);
    await page.evaluate("location.hash = '#/proposals'");
    await page.locator(`[data-proposal="${ids[1]}"] kbd`).first().waitFor();
    await page.locator('main').focus();
    for (let held = 0; held < 40; held++) {
      await page.keyboard.down('a');
      if (approved.length > 0) await page.waitForTimeout(50);
    }
    await page.keyboard.up('a');
    await card.locator('kbd').first().waitFor();
    expect(approved).toEqual([ids[1]]);
    await page.unroute('**/v1/agent-orders**');
  });

  test('what could not be read is no good news', async () => {
    for (const name of ['agents', 'agent-orders', 'venues']) await page.route(`**/v1/${name}?*`, (route) => route.abort());
    await page.route('**/v1/venues', (route) => route.abort());
    await page.evaluate("location.hash = '#/overview'");
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.getByText('All systems normal.').count()).toBe(0);
    await page.getByText('Waiting for proposals, agents and feeds.').first().waitFor();
    await page.unrouteAll();
    watched.complaints.splice(0);
    await page.evaluate("location.hash = '#/trade/spotexchange%3ABTCUSDT'");
    await page.reload();
    await page.locator('.rung').first().waitFor();
  });

  test('assessment, basis and copilot are added as panels by the palette and follow the chosen instrument', async () => {
    const command = async (words: string, action: string) => {
      await page.locator('main').focus();
      await page.keyboard.press('/');
      await page.getByRole('textbox', { name: 'Search or type an order' }).pressSequentially(words);
      await page.getByText(action, { exact: true }).click();
    };
    const turn = (key: string) => page.evaluate(`location.hash = '#/trade/${key}'`);
    await turn('spotchain:TSLAx');
    await command('show basis', 'Show basis');
    await page.locator('[data-basis="TSLAx"]').waitFor();
    await command('show assess', 'Show assessment');
    await page.getByRole('button', { name: 'Assess TSLAx' }).click();
    await page.getByRole('heading', { name: 'Against', exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await turn('spotexchange:BTCUSDT');
    await page.getByText('Choose a share to read the case').waitFor();
    await tab('Basis').click();
    await page.locator('[data-basis="BTCUSDT"]').waitFor();
    await command('show copilot', 'Show copilot');
    await page.getByRole('button', { name: 'What is the price of BTCUSDT?' }).click();
    await page.locator('.exchanges .reply', { hasText: 'BTCUSDT' }).waitFor();
    await command('reset', 'Reset the workspace');
    await tab('Copilot').waitFor({ state: 'detached' });
  });

  test('expected and actual cost of its fill are on the page, as in the API', async () => {
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const id = items.find(({ name }) => name === PATIENT.name)?.id;
    const { paper, groups, fills } = (await service.get(`/v1/agents/${id}/calibration`)).body;
    expect(fills).toHaveLength(1);
    await page.evaluate(`location.hash = '#/agents/${id}/costs'`);
    const costs = page.getByRole('region', { name: 'Cost figures' });
    const shown = (value: number | null): string => (value === null ? '–' : value.toFixed(1));
    for (const [name, of] of [
      ['Paper', paper],
      ...groups.filter(({ by }: { by: string }) => by === 'size').map((of: { key: string }) => [`${of.key} USD`, of]),
    ]) {
      const row = costs.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
      await row.waitFor();
      expect(await row.getByRole('cell').allInnerTexts()).toEqual([
        '1',
        ...[of.expectedBps, of.realizedBps, of.biasBps, of.medianBps].map(shown),
        `${of.dearer} / ${of.cheaper}`,
      ]);
    }
    expect(paper.realizedBps).not.toBeNull();
    await page.getByRole('img', { name: `Realized cost of ${fills.length - paper.unknown} fills against the expected one` }).waitFor();
  });

  test('an agent is found by the palette, its page shows its stage, and a decision is explained', async () => {
    await page.evaluate("location.hash = '#/agents'");
    await page.locator('tr[data-agent]', { hasText: 'Crypto trend' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Search or type an order' }).pressSequentially('open crypto');
    await page.getByText('Open Crypto trend').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Crypto trend' }).waitFor();
    await page.locator('.stage-rail li').nth(6).waitFor();
    await page.getByText('EMA 24 crosses above EMA 120 on 1h bars').waitFor();
    // Not a late decision, which evaluated no rule.
    await page.locator('tr[data-decision]', { hasText: 'of 3' }).first().getByRole('button').click();
    await page.getByRole('region', { name: 'Rules with observed values' }).waitFor();
    for (const part of ['Gates', 'Evaluations', 'Positions and fills', 'Costs', 'Versions']) {
      await page.getByRole('link', { name: part, exact: true }).click();
      await page.getByRole('region', { name: part, exact: true }).waitFor();
    }
    const askAutonomy = async () => {
      await page.locator('.agent-actions').getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Set autonomy' }).click();
      return page.getByRole('dialog').getByLabel('Level').first();
    };
    await (await askAutonomy()).click();
    await page.getByRole('option', { name: 'autonomous' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await (await askAutonomy()).inputValue()).toBe('research');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('an agent’s past is walked by keyboard, a what-if question branches off it, and nothing is stored', async () => {
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const id = items.find(({ name }) => name === 'Crypto trend')?.id as string;
    const { version } = (await service.get(`/v1/actors/${id}`)).body;
    await page.evaluate(`location.hash = '#/actors/${id}/3'`);
    await page.locator('[data-account="3"]').waitFor();
    await page.locator('.state-region .is-active').first().waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('ArrowLeft');
    await page.locator('[data-account="2"]').waitFor();
    await page.locator('[data-step="2"][aria-current=step]').waitFor();
    await page.keyboard.press('End');
    await page.locator('.debugger-chart[data-past=false]').waitFor();
    await page.keyboard.press('w');
    await page.getByLabel('Event', { exact: true }).selectOption('pause');
    await page.getByLabel('Event fields (JSON)').fill('{ "cause": "operator" }');
    await page.getByRole('button', { name: 'What if' }).click();
    await page.locator('.branch [data-taken=true]').getByText('duty active → paused').waitFor();
    await page.locator('.debugger-chart[data-branch=true]').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    expect((await service.get(`/v1/actors/${id}`)).body.version).toBe(version);
  });

  test('rules are built in rows, an error of the YAML names its line, and a hostile name is text', async () => {
    await page.evaluate("location.hash = '#/agents/new'");
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Remove: no negative event' }).click();
    await page.getByRole('textbox', { name: '%', exact: true }).first().fill('5000');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: /^Line \d+, column \d+:$/ }).waitFor();
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('400 (Bad Request)')]);
    await page.getByRole('textbox', { name: '%', exact: true }).first().fill('-2');
    const yaml = page.getByRole('textbox', { name: 'Manifest as YAML' });
    const written = await yaml.inputValue();
    await yaml.fill(written.replace('pct: -2', 'pct: [-2'));
    await page.getByText('The rows come back when the YAML can be read').waitFor();
    await yaml.fill(
      written.replace('universe:', 'strategy: external\nrelease: "7"\nuniverse:').replace(/(entry|exit)Conditions:\n( .*\n)+/g, ''),
    );
    await page.getByText('Your own code decides').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByRole('link', { name: 'Outside code', exact: true }).click();
    await page.getByText('not asked yet').waitFor();
    await page.getByRole('textbox', { name: 'Name of the token' }).fill('my bot');
    // The creation of a secret takes no Idempotency-Key, so the page does not repeat it after a busy service refused.
    let asked = 0;
    await page.route('**/v1/agents/*/tokens', (route, request) =>
      request.method() === 'POST' && asked++ === 0 ? route.fulfill(BUSY) : route.continue(),
    );
    const [saved, refused] = [page.getByText('I have saved it'), page.getByText('look before you ask again')];
    for (let isSaved = false; !isSaved; ) {
      // Of the answer, not of the page: for an instant after the click, it still shows the refusal before.
      const answered = page.waitForResponse((answer) => answer.request().method() === 'POST' && answer.url().endsWith('/tokens'));
      await page.getByRole('button', { name: 'Create token' }).click();
      isSaved = (await answered).ok();
      await (isSaved ? saved : refused).waitFor();
    }
    expect(asked).toBeGreaterThan(1);
    await page.unroute('**/v1/agents/*/tokens');
    await saved.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('tr', { hasText: 'my bot' }).waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  test('a view of the agents is saved by name with its filter, order and columns, chosen after a reload, and deleted', async () => {
    await page.evaluate("location.hash = '#/agents'");
    const names = page.locator('tr[data-agent] .name');
    await names.nth(2).waitFor();
    const all = await names.count();
    for (let press = 0; press < 2; press++) await page.getByRole('button', { name: 'Agent', exact: true }).click();
    await page.locator('th[aria-sort=descending]').waitFor();
    const shown = await names.allInnerTexts();
    expect(shown).toEqual(shown.toSorted((a, b) => b.localeCompare(a, 'en')));
    await page.getByRole('textbox', { name: 'Filter agents' }).fill('discount');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('checkbox', { name: 'Mode' }).uncheck();
    await page.getByRole('textbox', { name: 'Name of the view' }).fill('Discounts');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Discounts', exact: true }).waitFor();
    await page.reload();
    await names.nth(all - 1).waitFor();
    const mode = page.getByRole('columnheader', { name: 'Mode' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('checkbox', { name: 'Mode' }).check();
    await mode.waitFor();
    await page.getByRole('button', { name: 'Discounts', exact: true }).click();
    await mode.waitFor({ state: 'hidden' });
    expect(await names.allInnerTexts()).toEqual(['Discount hunter']);
    await page.getByRole('button', { name: 'Delete view Discounts' }).click();
    await page.getByRole('button', { name: 'Discounts', exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  });

  test('a contract of a prediction market is bought on paper, and its order opens with its fill', async () => {
    await page.evaluate("location.hash = '#/predictions'");
    const yes = page.getByRole('region', { name: 'Prediction markets' }).locator('tbody tr:not([hidden]) td:nth-child(2)');
    for (const way of ['ascending', 'descending']) {
      await page.getByRole('button', { name: 'Yes', exact: true }).first().click();
      await page.locator(`th[aria-sort=${way}]`).waitFor();
      const prices = (await yes.allInnerTexts()).map(Number);
      expect(prices).toEqual(prices.toSorted((a, b) => (way === 'ascending' ? a - b : b - a)));
    }
    await page.getByRole('searchbox', { name: 'Search: Prediction markets' }).fill('kalshi');
    await page.getByText(/^\d+ of \d+ rows$/).waitFor();
    expect(await page.getByRole('region', { name: 'Prediction markets' }).getByText('polymarket').filter({ visible: true }).count()).toBe(
      0,
    );
    await page.getByRole('searchbox', { name: 'Search: Prediction markets' }).fill('');
    // Prices that are not live buy nothing.
    await page.getByRole('region', { name: 'Chosen market' }).locator('.quality-live').waitFor();
    // Small enough for the depth of every moment of the market.
    await page.getByRole('textbox', { name: 'Size (USD)' }).fill('5');
    await page.getByRole('button', { name: 'Buy yes on paper' }).click();
    await page
      .getByText(/^Order (partially )?filled/)
      .last()
      .waitFor();
    await page.getByRole('button', { name: /^buy [\d.,]+ yes$/ }).click();
    await page.getByRole('region', { name: 'Fills' }).waitFor();
  });

  test('by keyboard alone a thesis is highlighted while typed, asks about unclear parts, and is armed once each open reading is confirmed', async () => {
    const hand = keyboardOf(page);
    await hand.go('Takes');
    const thesis = page.getByRole('textbox', { name: 'Your thesis' });
    const create = page.getByRole('button', { name: 'Create draft' });
    await hand.write(thesis, 'Buy BTC when it is cheap');
    await page.getByRole('region', { name: 'Questions' }).waitFor();
    expect(await create.isDisabled()).toBe(true);
    await thesis.fill('Buy BTCUSDT when the price is below $20,000, with $500, because <b>weekends overshoot</b>');
    await page.locator('.thesis-marks mark[data-kind=understood]', { hasText: /^the price is below \$20,000$/ }).waitFor();
    expect(await page.locator('.thesis-marks mark[data-kind=aside]').innerText()).toContain('<b>weekends overshoot</b>');
    await hand.press(create);
    await page.getByRole('heading', { name: 'Take on BTCUSDT' }).waitFor();
    const arm = page.getByRole('button', { name: 'Arm on paper' });
    expect(await arm.isDisabled()).toBe(true);
    for (const box of await page.getByRole('region', { name: 'Arm', exact: true }).getByRole('checkbox').all()) await hand.press(box);
    expect(await findingsEverywhere(page)).toEqual([]);
    await hand.press(arm);
    await page.getByText('The Take on BTCUSDT is armed.').waitFor();
    expect((await service.get('/v1/takes')).body.items).toEqual([expect.objectContaining({ state: 'armed', mode: 'paper' })]);
  });

  test('the sandbox wallet is funded, linked, and launches a token whose curve trades', async () => {
    await page.evaluate("location.hash = '#/wallets'");
    await page.getByRole('button', { name: 'Get 10 SOL and 10,000 USDC' }).click();
    await page.getByText('The faucet brought').waitFor();
    await page.getByRole('button', { name: 'Sandbox wallet primary chain' }).click();
    await page.getByRole('button', { name: 'Sign with Sandbox wallet' }).click();
    await page.getByText(/^Linked: /).waitFor();
    expect((await service.get('/v1/wallets')).body.items).toEqual([expect.objectContaining({ chain: 'spotchain' })]);

    await page.evaluate("location.hash = '#/launches/new'");
    await page.getByRole('textbox', { name: 'Name' }).fill('Lantern Bearer');
    await page.getByRole('textbox', { name: 'Symbol' }).fill('LANTERN');
    await page.getByRole('textbox', { name: 'Metadata URL' }).fill('https://example.com/token.json');
    await page.getByRole('button', { name: 'Sign with Sandbox wallet' }).click();
    await page.locator('[data-state=trading]').waitFor();
    await page.locator('.curve [data-fill]').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // The market lists it a moment later.
    watched.complaints.splice(0);
  });

  test('accessible to everybody: axe has no findings in dark and light, and a phone does not scroll sideways', async () => {
    for (const place of [
      '#/trade',
      '#/agents',
      '#/rankings',
      '#/basis',
      '#/risk',
      '#/operate',
      '#/predictions',
      '#/macro',
      '#/overview',
      '#/quotes',
      '#/perps',
      '#/proposals',
      '#/runtime/timers',
      '#/takes',
      '#/portfolio',
      '#/marketplace',
      '#/transfers',
      '#/leaderboard',
      '#/wallets',
    ]) {
      await page.evaluate(`location.hash = '${place}'`);
      await page
        .locator(place === '#/trade' ? '.ticket' : place === '#/operate' ? '.venue-state' : '.page h1')
        .first()
        .waitFor();
      expect(await findingsEverywhere(page), place).toEqual([]);
    }
    await page.evaluate("location.hash = '#/trade'");
    await page.locator('.ticket').waitFor();
    await turnTo(page, 'light');
    expect(await axeFindings(page)).toEqual([]);
    expect(watched.complaints).toEqual([]);
    expect(watched.asked.filter((address) => new URL(address).host !== new URL(service.url).host)).toEqual([]);
  });

  test('on a phone the figures of every table are in sight beside long names, and a column can be left out', async () => {
    const { page: phone } = await browser.page({ width: 390, height: 844 });
    await widenAnswers(phone);
    // Columns that the member chose before, on this browser, would stay.
    await phone.goto(service.url);
    await phone.evaluate("for (const key of Object.keys(localStorage)) if (key.includes('.views.')) localStorage.removeItem(key)");
    await phone.reload();
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const patient = items.find(({ name }) => name === PATIENT.name)?.id;
    for (const [place, ...titles] of [
      ['quotes', 'Ask'],
      ['rankings', 'Gap'],
      ['agents', 'Today'],
      ['overview', 'Today'],
      ['private-markets', 'Gap', 'Change'],
      ['social', 'Post'],
      ['perps', 'Annual funding'],
      ['predictions', 'Yes', 'Value'],
      ['swaps', 'Value'],
      ['transfers', 'Expected'],
      ['takes', 'Allocation'],
      ['proposals', 'Order'],
      ['basis-policies', 'Size'],
      ['macro', 'Latest'],
      ['chains', 'Value locked'],
      ['marketplace', 'Paid'],
      ['selling', 'Price'],
      ['published-takes', 'Size'],
      ['vaults', 'Return'],
      ['leaderboard', 'Realized'],
      ['launches', 'State'],
      ['agent-tokens', 'Price'],
      ['portfolio', 'Value', 'Loss', 'Net'],
      [`agents/${patient}/trades`, 'Cost', 'Value'],
      [`agents/${patient}/costs`, 'Realized (bps)', 'Bias (bps)'],
      ['runtime/actors', 'Status'],
      ['runtime/timers', 'Due'],
    ] as const) {
      // The tables of the page before may stand for a moment.
      await phone.evaluate(`document.querySelectorAll('th').forEach((th) => th.dataset.old = ''); location.hash = '#/${place}'`);
      for (const title of titles) {
        const head = phone.locator('thead th:not([data-old])', { hasText: new RegExp(`^${title.replace(/[()]/g, '\\$&')}$`) }).first();
        await head.waitFor();
        if (place === 'agents') await phone.locator('[data-agent]').getByText('98,765.43').first().waitFor();
        const { x, width } = (await head.boundingBox()) as { x: number; width: number };
        expect(x + width, `${place}: ${title}`).toBeLessThanOrEqual(390);
        if (title === 'Post') expect(width).toBeGreaterThan(150);
      }
      expect(await phone.evaluate(NAMES_OVER_FIGURES), place).toEqual([]);
    }
    for (const [screen, list, ...titles] of [
      ['Portfolio', 'positions', 'Value', 'P&L'],
      ['Portfolio', 'fills', 'Price', 'Value', 'Side'],
      ['Trade', 'orders', 'Price', 'Side', 'State'],
    ] as const) {
      await phone.getByRole('navigation', { name: 'Screens' }).getByRole('button', { name: screen, exact: true }).click();
      const table = phone.getByRole('region', { name: `List of ${list}` });
      await table
        .getByText(list === 'positions' ? '-$222,222.21' : '123,456.78')
        .first()
        .waitFor();
      for (const title of titles) {
        const { x, width } = (await table.getByRole('columnheader', { name: title, exact: true }).boundingBox()) as {
          x: number;
          width: number;
        };
        expect(x + width, `${list}: ${title}`).toBeLessThanOrEqual(390);
      }
    }
    await phone.evaluate("location.hash = '#/agents'");
    await phone.getByRole('button', { name: 'Views' }).click();
    await phone.getByRole('checkbox', { name: 'Mode' }).uncheck();
    await phone.getByRole('columnheader', { name: 'Mode' }).waitFor({ state: 'detached' });
    await phone.close();
  });

  test('a halt shows who, when and why on every page, and a permitted member resumes after a confirmation', async () => {
    const reason = '<b>prices look wrong</b>';
    await page.evaluate("location.hash = '#/operate'");
    await page.getByRole('button', { name: 'Halt', exact: true }).click();
    await page.getByRole('textbox', { name: 'Reason (optional)' }).fill(reason);
    await page.getByRole('button', { name: 'Halt all agents' }).click();
    const banner = page.locator('.banner');
    await banner.getByText(reason).waitFor();
    expect(await banner.innerText()).toMatch(/Halted\s+by operator .*ago/);
    expect(await banner.getByRole('button').count()).toBe(0);

    await page.getByRole('button', { name: /account of/ }).click();
    // The sign-in page means signed out: not before the service has answered.
    await page.route('**/v1/session', async (route) => {
      await page.getByText('Signing out…').waitFor();
      expect(await page.getByLabel('Access token').count()).toBe(0);
      await route.continue();
    });
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    expect(await browser.context.cookies()).toEqual([]);
    await page.unroute('**/v1/session');
    await giveToken(page, service.token('risk-manager'));
    await page.getByRole('button', { name: 'Resume Patient' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Patient resumed.').waitFor();
    await page.getByRole('checkbox', { name: 'Select Crypto trend' }).check();
    await page.getByRole('button', { name: 'Resume selected' }).click();
    await page.getByRole('dialog').getByText('Crypto trend').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume selected' }).click();
    await page.getByText('1 agent resumed.').waitFor();
    const { items } = (await service.get('/v1/agents')).body as { items: { name: string; paused: boolean }[] };
    expect(items.filter(({ paused }) => !paused).map(({ name }) => name)).toEqual(expect.arrayContaining(['Patient', 'Crypto trend']));
    expect(items.some(({ paused }) => paused)).toBe(true);
    await banner.getByRole('button', { name: /^Resume \d+ agents?$/ }).click();
    await banner.waitFor({ state: 'detached' });
  });
});
