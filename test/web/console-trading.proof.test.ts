// The console where money is decided on: proposals, evaluations, vaults, books, versions, and what the venues supply.
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNewIds } from '../../src/adapters/new-ids.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createRunStore } from '../../src/adapters/store/evaluations/evaluation-store.ts';
import { createWorkRecorder } from '../../src/adapters/store/long-work-store.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { evaluationProgress } from '../../src/domain/work-progress.ts';
import { EXAMPLE_ORGANIZATION } from '../../src/sandbox/example-organization.ts';
import { createLiveClock } from '../../streams/live-clock.ts';
import { isMet } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import {
  type Browser,
  barriers,
  CHROMIUM,
  findingsEverywhere,
  openBrowser,
  openTab,
  propose,
  type ServiceWithPast,
  signIn,
  signOut,
  startServiceWithPast,
  tellWhatFailedShowed,
  unfold,
  unreadableTexts,
  visit,
  type Watched,
  unfoldCard,
} from './console-fixture.ts';

const PATIENT = {
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

const BEGUN = Date.now();
/** The date this many days before the one on which these tests began: runs over the same stretch count as trials of one idea, at midnight too. */
const day = (back: number): string => new Date(BEGUN - back * 86_400_000).toISOString().slice(0, 10);

/** Function with which the console shows a sentence of the API. Its types are in comments that this side of the checker does not read. */
const { forPeople }: { forPeople(sentence: string): string } = (await import(new URL('../../web/words.js', import.meta.url).href)) as never;
/** A number as the API writes it. */
const ungrouped = (text: string): string => text.replaceAll(',', '');

describe.skipIf(CHROMIUM === null)('the console where money is decided on', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  /** An agent whose own rules never ask for a trade, so that only the test proposes. */
  let patient: string;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([startServiceWithPast(), openBrowser()]);
    watched = await browser.page();
    page = watched.page;
    patient = await createPatient();
    // The market of the sandbox is another every hour: in some of them an agent of the example proposes too.
    expect((await service.post(`/v1/agents/${await agentOf('Crypto trend')}/autonomy`, { autonomy: 'research' })).status).toBe(200);
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const agentOf = async (name: string): Promise<string> => {
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    return items.find((agent) => agent.name === name)?.id as string;
  };
  const createPatient = async (): Promise<string> => {
    const { body } = await service.post('/v1/agents', { ...PATIENT, name: 'Patient' });
    expect((await service.post(`/v1/agents/${body.id}/autonomy`, { autonomy: 'confirm' })).status).toBe(200);
    return body.id;
  };
  const withOwner = async (change: (owner: Sql) => Promise<unknown>): Promise<void> => {
    const owner = openDatabase({ url: service.databaseUrl, name: 'console test owner', connections: 1, role: null });
    await change(owner).finally(() => owner.end({ timeout: 1 }));
  };
  const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const card = (id: string) => page.locator(`[data-proposal="${id}"]`);
  const stateOf = (id: string, state: string) => page.locator(`[data-proposal="${id}"][data-state=${state}]`).waitFor();
  /** The idempotency keys that went along with approvals: one for each click. */
  const keys: (string | undefined)[] = [];
  const approve = async (id: string): Promise<void> => {
    const [request] = await Promise.all([
      page.waitForRequest((asked) => asked.url().endsWith(`/${id}/approve`)),
      card(id).getByRole('button', { name: 'Approve' }).click(),
    ]);
    expect(request.headers()['idempotency-key']).toMatch(/^[0-9a-f]{32}$/);
    keys.push(request.headers()['idempotency-key']);
  };
  /** The browser itself notes a refusal, and nothing else was wrong. */
  const expectOnly = (status: string) => expect(watched.complaints.splice(0)).toEqual([expect.stringContaining(status)]);

  test('a proposal appears as it is made; approved it is filled, and the page shows on which quotes', async () => {
    await page.getByRole('link', { name: 'Proposals', exact: true }).click();
    await page.getByRole('heading', { name: 'Proposals', level: 1 }).waitFor();
    await go(`#/agents/${patient}`);
    await page.getByRole('link', { name: 'View proposals' }).click();
    await page.getByText('No proposals yet').waitFor();
    const id = await propose(service, patient, '0.01');
    await stateOf(id, 'pending_approval');
    await card(id).getByRole('link', { name: 'Patient' }).waitFor();
    const { body: proposed } = await service.get(`/v1/agent-orders/${id}`);
    expect(await card(id).locator('h2').innerText()).toBe('buy 0.01 BTCUSDT spotexchange');
    expect(ungrouped(await card(id).locator('.proposal-head').innerText())).toContain(String(Number(proposed.order.limitPrice)));
    expect(await card(id).locator('.countdown').innerText()).toMatch(/^expires in (10:00|9:[0-5]\d)$/);
    // What an answer rests on: the market, the exits that the rules would set, and why.
    const facts = card(id).locator('.proposal-ground');
    await facts.getByText(/^ask [\d,.]+, 0\.\d+ %, [\d.,]+ inside the limit/).waitFor();
    const decided = Number(proposed.decisionPrice);
    await facts.getByText(/−5 %/).waitFor();
    const stop = Number(
      (await facts.locator('.facts > div', { hasText: 'Stop' }).locator('span').last().innerText()).split(' ')[0]?.replaceAll(',', ''),
    );
    expect(Math.abs(stop / (decided * 0.95) - 1)).toBeLessThan(0.01);
    await facts.getByText('+8 %').waitFor();
    await card(id).locator('.proposal-why p').filter({ hasNotText: 'Loading' }).waitFor();
    await page.locator('.nav-badge', { hasText: /^1$/ }).waitFor();
    await waitFor(async () => (await page.title()).startsWith('(1) Proposals'), { what: 'a title that says what waits' });
    expect(await findingsEverywhere(page)).toEqual([]);

    await unfold(card(id), 'Details, fills and state chart');
    await card(id).locator('.chart[data-standing=pending_approval]').waitFor();
    await approve(id);
    await stateOf(id, 'filled');
    await card(id).locator('.chart[data-standing=filled]').waitFor();
    expect(await card(id).getByRole('button', { name: 'Approve' }).isVisible()).toBe(false);
    const { body: filled } = await service.get(`/v1/agent-orders/${id}`);
    const [fill] = filled.fills;
    const row = card(id).locator('.data-table tbody tr').first();
    expect(ungrouped(await row.locator('td').nth(2).innerText())).toBe(fill.fillPrice);
    expect(ungrouped(await row.locator('.quote-list li').first().innerText())).toContain(`${fill.quotes[0].bid} / ${fill.quotes[0].ask}`);
    expect(await card(id).locator('.step-event').allInnerTexts()).toContain('approve');
    expect(await barriers(page)).toEqual([]);
  });

  test('declined with a reason it ends so; what risk refuses at its approval is named with its numbers', async () => {
    const declined = await propose(service, patient, '0.01');
    await stateOf(declined, 'pending_approval');
    await card(declined).getByLabel('Reason for declining').fill('<b>too late</b>');
    await card(declined).getByRole('button', { name: 'Decline' }).click();
    await stateOf(declined, 'declined');
    // Its markup is a text like any other.
    expect(await card(declined).locator('.proposal-outcome').innerText()).toContain('<b>too late</b>');
    const large = await propose(service, patient, '2');
    await stateOf(large, 'pending_approval');
    await approve(large);
    expect(new Set(keys).size).toBe(2);
    await stateOf(large, 'blocked_by_risk');
    const { body } = await service.get(`/v1/agent-orders/${large}`);
    const named = await card(large).locator('.gate-problems li').allInnerTexts();
    expect(named).toHaveLength(body.risk.rejections.length);
    for (const [index, { code, limit, after }] of body.risk.rejections.entries()) {
      expect(named[index]).toContain(code.replaceAll('_', ' '));
      expect(named[index]).toContain(`limit ${limit}`);
      expect(named[index]).toContain(`after ${after}`);
    }
    expectOnly('422');
    await page.getByRole('combobox', { name: 'State' }).selectOption('declined');
    await waitFor(async () => (await page.locator('.proposal').count()) === 1, { what: 'only the declined one' });
    expect(await page.locator('.proposal').getAttribute('data-proposal')).toBe(declined);
    expect(await barriers(page)).toEqual([]);
    // What was chosen is part of the address, and so of a view; cards are sorted by what they say of themselves.
    expect(page.url()).toContain('state=declined');
    await page.getByRole('combobox', { name: 'State' }).selectOption('all');
    await waitFor(async () => (await page.locator('.proposal').count()) > 1, { what: 'all of them' });
    const worth = async (): Promise<number[]> =>
      (await page.locator('.proposal [data-column=worth]').allInnerTexts()).map((text) => Number.parseFloat(ungrouped(text)));
    await page.getByLabel('Sort by').selectOption('worth, descending');
    expect(await worth()).toEqual((await worth()).toSorted((a, b) => b - a));
    expect(await page.locator('.proposal').first().getAttribute('data-proposal')).toBe(large);
    await page.getByLabel('Sort by').selectOption('worth, ascending');
    expect(await worth()).toEqual((await worth()).toSorted((a, b) => a - b));
    expect(page.url()).toContain('sort=worth');
    await page.getByRole('searchbox').fill('state:declined');
    await waitFor(async () => (await page.locator('.proposal').filter({ visible: true }).count()) === 1, { what: 'only the declined one' });
    await page.getByRole('searchbox').fill('state:nothing');
    await page.getByText('No matches.').waitFor();
    await page.getByRole('searchbox').fill('');
  });

  test('what is open and half written stays so while the connection is lost, and what happened meanwhile is shown', async () => {
    const { page: second } = await browser.page({});
    const sockets: { close(options: { code: number; reason: string }): Promise<void> }[] = [];
    await second.routeWebSocket(/\/v1\/feeds$/, (socket) => {
      sockets.push(socket);
      socket.connectToServer();
    });
    let readings = 0;
    await second.route(/\/layout$/, (route) => (++readings === 1 ? route.abort() : route.continue()));
    const id = await propose(service, patient, '0.01');
    await second.goto(`${service.url}/#/proposals`);
    const shown = second.locator(`[data-proposal="${id}"]`);
    await unfold(shown, 'Details, fills and state chart');
    // Its first reading found nobody: the chart is drawn as soon as somebody answers.
    await shown.locator('.chart[data-standing=pending_approval]').waitFor();
    expect(readings).toBe(2);
    await shown.getByLabel('Reason for declining').fill('half a rea');
    await sockets[0]?.close({ code: 1012, reason: 'the service restarts' });
    expect((await service.post(`/v1/agent-orders/${id}/decline`)).status).toBe(200);
    await waitFor(async () => sockets.length > 1, { what: 'a new connection' });
    await second.locator(`[data-proposal="${id}"][data-state=declined]`).waitFor();
    await shown.locator('.chart[data-standing=declined]').waitFor();
    expect(await shown.getByLabel('Reason for declining').inputValue()).toBe('half a rea');
    await second.close();
  });

  test('the page of the agent shows the book that was filled, and the vault says why nothing may be paid in', async () => {
    await go(`#/agents/${patient}/vault`);
    const book = page.locator(`[data-book="agent:${patient}:paper:1"]`);
    await book.waitFor();
    const { items } = (await service.get(`/v1/books?agentId=${patient}`)).body;
    const [position] = items[0].positions;
    expect((await book.locator('.data-table').first().locator('tbody td').allInnerTexts()).map(ungrouped)).toEqual([
      position.quantity,
      position.averageEntryPrice,
      // What is longer than six decimals is cut for the eye.
      expect.stringContaining(position.costUsd.slice(0, position.costUsd.indexOf('.') + 7)),
      expect.stringMatching(/^20\d\d-/),
    ]);
    await unfold(book, '1 fill');
    await book.locator('.quote-list li').waitFor();
    await page.getByLabel('Amount in USD').fill('100');
    await page.getByRole('button', { name: 'Deposit' }).click();
    const refusal = page.locator('.vault-panel .problem');
    await refusal.getByText(/\w/).first().waitFor();
    const { body } = await service.post(`/v1/agents/${patient}/vault/deposit`, { amountUsd: '100' });
    expect(await refusal.locator('p').innerText()).toBe(`${body.code.replaceAll('_', ' ')}: ${body.detail}`);
    expectOnly(String(body.status));
    expect(await barriers(page)).toEqual([]);
  });

  test('the portfolio shows what is held with the quality of its price, and all five scenarios', async () => {
    await page.getByRole('link', { name: 'Portfolio', exact: true }).click();
    const table = (name: string) => page.getByRole('region', { name });
    await table('Holdings').locator('tbody tr', { hasText: 'BTCUSDT' }).waitFor();
    const { body } = await service.get('/v1/portfolio');
    const held = body.holdings.find(({ symbol }: { symbol: string }) => symbol === 'BTCUSDT');
    const row = table('Holdings').locator('tbody tr', { hasText: 'BTCUSDT' });
    expect(await row.locator('td').nth(0).innerText()).toBe('Patient, paper v1');
    expect(await row.locator('td').nth(1).innerText()).toBe(held.quantity);
    expect(await row.locator('.quality, td').allInnerTexts()).toContainEqual(
      expect.stringMatching(/live|stale|delayed|degraded|halted|no quote/),
    );
    expect(await table('Stress scenarios').locator('tbody th').allInnerTexts()).toEqual(
      body.scenarios.map(({ id }: { id: string }) => expect.stringMatching(new RegExp(`^${id.replaceAll('_', ' ')}`))),
    );
    expect(await barriers(page)).toEqual([]);
  });

  test('orders of people that rest are listed with what is filled and their age, and taken back there', async () => {
    const { body: quotes } = await service.get('/v1/quotes?venue=spotexchange&instrument=BTCUSDT');
    const limitPrice = new Decimal(quotes.items[0].bid).times('0.8').toFixed(2);
    const asked = { instrument: 'BTCUSDT', side: 'buy', quantity: '0.01', limitPrice, timeInForce: 'gtc', postOnly: true };
    const { status, body: order } = await service.post('/v1/market-orders/paper', asked);
    expect([status, order.state]).toEqual([201, 'resting']);
    const orders = page.getByRole('region', { name: 'Manual orders' });
    const row = orders.locator('tbody tr', { has: page.locator(`[data-order="${order.id}"]`) });
    await row.waitFor();
    const cells = await row.locator('td').allInnerTexts();
    expect(cells.slice(0, 3)).toEqual(['resting', '0 of 0.01', expect.stringMatching(/^[\d,]+(\.\d+)?$/)]);
    expect(new Decimal(ungrouped(cells[2] as string)).eq(limitPrice)).toBe(true);
    expect(cells[3]).toMatch(/^\d+(\.\d)? (ms|s|min)$/);
    expect(await barriers(page)).toEqual([]);
    await row.getByRole('button', { name: 'Cancel buy 0.01 BTCUSDT' }).click();
    // What has ended is no longer open, and stands among all.
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Order filter').selectOption('all');
    await orders.locator(`[data-order="${order.id}"][data-state=cancelled]`).waitFor();
    expect(await row.locator('td').nth(0).innerText()).toBe('cancelled: cancel requested');
    expect(await row.getByRole('button').count()).toBe(0);
    expect((await service.get(`/v1/market-orders/${order.id}`)).body.state).toBe('cancelled');
    await page.getByRole('link', { name: 'live', exact: true }).click();
    await page.getByText('No holdings.').waitFor();
    await page.getByText('No open orders.').waitFor();
  });

  test('wallets that are named stand beside the live books, and one that is refused is told in its place', async () => {
    const table = (name: string) => page.getByRole('region', { name });
    const wallet = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
    await page.getByLabel('Additional wallets').fill(`${wallet}, nonsense`);
    await page.getByRole('button', { name: 'Show' }).click();
    await page.locator('.problem p').getByText('"nonsense" is no address').waitFor();
    expectOnly('400');
    await page.getByLabel('Additional wallets').fill(wallet);
    await page.getByRole('button', { name: 'Show' }).click();
    await table('Holdings').locator('tbody tr', { hasText: wallet }).first().waitFor();
    const { body } = await service.get(`/v1/portfolio?wallets=${wallet}`);
    expect(await table('Holdings').locator('tbody tr').count()).toBe(body.holdings.length);
    expect(await page.locator('.problem').first().innerText()).toBe('');
    expect(await barriers(page)).toEqual([]);
  });

  test('an allocation is simulated before it is ordered: what risk would say, and the weights before and after', async () => {
    const table = (name: string) => page.getByRole('region', { name });
    const allocate = async (): Promise<void> => {
      await page.getByLabel('Symbol or instrument').fill('BTCUSDT');
      await page.getByLabel('Amount in USD').fill('2500');
      await page.getByRole('button', { name: 'Add another' }).click();
      await page.getByLabel('Symbol or instrument').nth(1).fill('evmvenue:BTC');
      await page.locator('.impact-row [name=side]').nth(1).selectOption('sell');
      await page.getByLabel('Amount in USD').nth(1).fill('100');
      await page.getByRole('button', { name: 'Simulate' }).click();
      await table('Allocations').locator('tbody tr').first().waitFor();
    };
    const rows = table('Allocations').locator('tbody tr');
    // Live orders to this venue are off in this service, and the page says which setting would turn them on.
    await allocate();
    expect(await rows.nth(0).innerText()).toMatch(/would be rejected[^]*turn SVC_LIVE_SPOTEXCHANGE_ENABLED on/);
    // What is traded by hand counts on both sides: the cash of the page is the cash that the simulation begins with.
    const cash = page.locator('.facts > div', { hasText: 'Cash USD' });
    const bought = await service.post('/v1/market-orders/paper', { instrument: 'BTCUSDT', side: 'buy', quantity: '0.5' });
    expect([bought.status, bought.body.state]).toEqual([201, 'filled']);
    await page.getByRole('link', { name: 'paper', exact: true }).click();
    await page.getByText('No holdings.').waitFor({ state: 'detached' });
    await table('Holdings').locator('tbody tr', { hasText: 'people' }).waitFor();
    await allocate();
    const [held, simulated] = await cash.locator(':scope > span:last-child').allInnerTexts();
    expect(simulated?.split(' → ')[0]).toBe(held);
    const { totals } = (await service.get('/v1/portfolio')).body;
    expect(await cash.first().locator('[title]').getAttribute('title')).toBe(`${totals.cashUsd} USD`);
    expect(await rows.locator('th').allInnerTexts()).toEqual(['buy spotexchange:BTCUSDT for 2500', 'sell evmvenue:BTC for 100']);
    expect(await rows.nth(0).locator('td').first().innerText()).toBe('would pass');
    expect(await rows.nth(1).innerText()).toContain('reduce only');
    expect(await table('Scenario losses, before and after').locator('tbody tr').count()).toBe(5);
    expect(await barriers(page)).toEqual([]);
    await page.getByLabel('Amount in USD').nth(1).fill('lots');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.locator('.impact-panel .problem p').getByText('$.allocations[1].notionalUsd').waitFor();
    expectOnly('400');
    // Nothing was ordered by looking: there is what was bought and what was taken back before.
    expect((await service.get('/v1/market-orders')).body.items.map(({ state }: { state: string }) => state)).toEqual([
      'filled',
      'cancelled',
    ]);
  });

  test('an evaluation is begun on the page, leads to the fetch that its worker waits for, and is cancelled', async () => {
    const sql = openDatabase({ url: service.databaseUrl, name: 'console test', connections: 2 });
    const clock = createLiveClock();
    let fetched = (): void => {};
    let fetching: Promise<void> = Promise.resolve();
    try {
      // What is begun is taken by another worker of the same database, which is this test.
      await withOwner((owner) =>
        owner.unsafe(`
          create function taken_elsewhere() returns trigger language plpgsql as
            $$ begin new.holder := 'another worker'; new.held_until := clock_timestamp() + interval '1 hour'; return new; end $$;
          create trigger taken_elsewhere before insert on evaluation_runs for each row execute function taken_elsewhere()`),
      );
      await go(`#/agents/${patient}/gates`);
      await page.getByRole('button', { name: 'Backtest', exact: true }).click();
      const run = page.locator('.run-list > li').first();
      await run.locator('.badge').waitFor();
      const runId = (await run.getAttribute('data-run')) as string;
      const { runtime } = openActors(sql, clock, createNewIds(clock));
      expect(
        await runtime.deliver(runId, { type: 'run.begun', holder: 'another worker', at: clock.now() }, { cause: 'test' }),
      ).toMatchObject({
        ok: true,
      });
      const series = { venue: 'spotexchange', instrument: 'BTCUSDT', timeframe: '1h' } as const;
      const workId = await new Promise<string>((recorded) => {
        const work = { kind: 'backfill', source: 'spotexchange', subject: 'spotexchange BTCUSDT 1h', series, unit: 'bars' } as const;
        const told = { ...work, recorded: 'always', failureOf: () => null, thrownFailureOf: () => 'failed', onRecorded: recorded } as const;
        fetching = createWorkRecorder(sql, clock, 'another worker').during(told, (tell) => {
          tell.waits({ cause: 'venue', detail: 'the venue answers again' });
          return new Promise<void>((resume) => {
            fetched = resume;
          });
        });
      });
      const far = { done: 10, total: 40, doing: 'fetching spotexchange:BTCUSDT', since: clock.now(), waitsForWork: workId };
      const told = { what: 'evaluation_progress', agentId: patient, runId, evaluation: 'backtest', ...far } as const;
      const body = { ...told, ...evaluationProgress('running', far, clock.now()) };
      await createRunStore(sql).announceProgress({ runId, orgId: EXAMPLE_ORGANIZATION, agentId: patient }, clock.now(), body);
      await run.getByText(/^10 of 40 bars/).waitFor();
      await run.getByRole('link', { name: `Data fetch no. ${workId}` }).click();
      const row = page.getByRole('row').filter({ hasText: `backfill (no. ${workId})` });
      await row.getByText('waiting: the venue answers again').waitFor();
      await row.getByText('spotexchange BTCUSDT 1h').waitFor();
      await go(`#/agents/${patient}/gates`);
      // Read anew, it still names what it waits for; once it has ended it waits for nothing.
      const awaited = run.getByRole('link', { name: /Data fetch no/ });
      await awaited.waitFor();
      await run.getByRole('button', { name: 'Cancel' }).click();
      await page.locator('.run-list > li[data-state=cancelled]').waitFor();
      await awaited.waitFor({ state: 'hidden' });
      await unfold(run, 'State chart');
      await run.locator('.chart[data-standing=cancelled]').waitFor();
    } finally {
      fetched();
      await fetching;
      await withOwner((owner) => owner.unsafe('drop trigger taken_elsewhere on evaluation_runs; drop function taken_elsewhere'));
      await sql.end({ timeout: 1 });
    }
    const { items } = (await service.get(`/v1/agents/${patient}/evaluations`)).body;
    expect(items).toMatchObject([{ evaluation: 'backtest', state: 'cancelled' }]);
    expect(await barriers(page)).toEqual([]);
  });

  test('a look at a few days runs to its end before the eyes of who began it, and its report opens', async () => {
    await unfold(page, 'Another period for the backtest');
    await page.getByLabel('From', { exact: true }).fill(day(5));
    await page.getByLabel('To', { exact: true }).fill(day(1));
    await page.getByLabel('exploratory').check();
    await page.getByRole('button', { name: 'Backtest', exact: true }).click();
    const run = page.locator('.run-list > li').first();
    await page.locator('.run-list > li[data-state=finished]').waitFor({ timeout: 200_000 });
    const { items } = (await service.get(`/v1/agents/${patient}/evaluations`)).body;
    expect(items[0]).toMatchObject({ state: 'finished', request: { look: true, from: `${day(5)}T00:00:00.000Z` } });
    expect(await run.locator('.run-words').innerText()).toContain(`bars ${items[0].summary.bars}`);
    // The course of its equity, where the run stands.
    await unfold(run, 'Equity in US dollars');
    const { result } = (await service.get(`/v1/agents/${patient}/evaluations/${items[0].id}`)).body;
    const legend = run.locator('.market-chart-legend');
    expect(ungrouped(await legend.innerText())).toContain(`${result.daily.at(-1).date} 00:00   ${result.daily.at(-1).equityUsd}`);
    await run.getByRole('link', { name: 'Report' }).click();
    await page.getByRole('heading', { name: 'Backtest: Patient, manifest v1', level: 1 }).waitFor();
    await page.getByText('A look at a stretch of history').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  /** Runs a look at some days of an agent to its end. Answers the run with its result. */
  const lookAt = async (agent: string, days: number) => {
    const { body } = await service.post(`/v1/agents/${agent}/backtest`, {
      from: `${day(days)}T00:00:00.000Z`,
      to: `${day(1)}T00:00:00.000Z`,
      look: true,
    });
    const read = async () => (await service.get(`/v1/agents/${agent}/evaluations/${body.id}`)).body;
    await waitFor(async () => (await read()).state === 'finished', { what: 'the end of the look', deadlineMs: 120_000 });
    return read();
  };

  test('the report of a run that traded is handed out as the record says, beside a second run, and as a file of its own', async () => {
    const churner = {
      ...PATIENT,
      name: 'Churner',
      entryConditions: [{ type: 'rsi_below', period: 7, value: 60 }],
      exitConditions: [{ type: 'held_longer_than', hours: 6 }],
    };
    const { id } = (await service.post('/v1/agents', churner)).body;
    const first = await lookAt(id, 15);
    // The preview of a manifest that is being written trades as the run does, over what it looks at, and opens no gate.
    const previewed = await service.post('/v1/backtests/preview?days=3', churner);
    expect(previewed.status, previewed.text).toBe(200);
    expect(previewed.body).toMatchObject({ evidence: false, ending: null, problems: [], result: { timeframe: churner.timeframe } });
    const second = { ...churner, exitConditions: [{ type: 'held_longer_than', hours: 12 }] };
    expect((await service.post(`/v1/agents/${id}/versions`, second)).status).toBe(201);
    const other = await lookAt(id, 15);
    const { trades } = first.result;
    expect(trades.list.length).toBeGreaterThan(5);

    await go(`#/reports/${id}/${first.id}`);
    await page.getByRole('heading', { name: 'Backtest: Churner, manifest v1', level: 1 }).waitFor();
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download CSV' }).click()]);
    const rows: readonly Record<string, string>[] = parse(readFileSync(await csv.path()), { columns: true });
    const texts = (names: readonly string[]) => rows.map((row) => names.map((name) => row[name]));
    expect(texts(['decided at', 'entry price', 'exit price', 'profit USD', 'fees USD'])).toEqual(
      trades.list.map((trade: Record<string, string | null>) =>
        ['decidedAt', 'entryPrice', 'exitPrice', 'profitUsd', 'feesUsd'].map((name) => trade[name] ?? ''),
      ),
    );

    // Another run beside it: curves over each other, figures with their differences, and what the manifest changed.
    const runs = page.getByLabel('run of');
    await runs.locator(`option[value="${other.id}"]`).waitFor({ state: 'attached' });
    await runs.selectOption(other.id);
    const manifests = page.getByRole('region', { name: 'Manifests', exact: true });
    await manifests.getByText('held longer than').first().waitFor();
    expect(await manifests.locator('tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/exit condition\s+held longer than 6/),
      expect.stringMatching(/exit condition\s+–\s+held longer than 12/),
    ]);
    const fees = page.getByRole('row', { name: /^Fees/ }).locator('td');
    const money = async (place: number) => ungrouped(await fees.nth(place).innerText());
    expect([await money(0), await money(1)]).toEqual([first, other].map(({ result }) => `${Number(result.feesUsd).toFixed(2)} USD`));
    const difference = new Decimal(other.result.feesUsd).minus(first.result.feesUsd);
    expect(await money(2)).toBe(`${difference.gt(0) ? '+' : ''}${difference.toFixed()} USD`);
    expect(await page.locator('.market-chart-legend').innerText()).toMatch(/this.run.[\d.,]+\s+the.other.run.[\d.,]+/);
    expect(page.url()).toContain(`?with=${id}/${other.id}`);
    expect(await findingsEverywhere(page)).toEqual([]);

    // A run of another agent: what its manifest has otherwise, line by line.
    const calm = (await service.post('/v1/agents', { ...churner, name: 'Calm churner', stopLossPct: 2.5 })).body;
    const third = await lookAt(calm.id, 15);
    await go(`#/reports/${id}/${first.id}?with=${calm.id}/${third.id}`);
    const between = page.getByRole('region', { name: 'From Churner version 1 to Calm churner version 1' });
    await between.getByRole('row', { name: '$.name Churner Calm churner' }).waitFor();
    expect(await between.getByRole('row', { name: /stopLossPct/ }).innerText()).toContain('2.5');

    // The same as a file: its script runs under the policy that it is served with, and reaches nothing of the console.
    const file = await browser.context.newPage();
    const complaints: string[] = [];
    file.on('console', (message) => complaints.push(message.text()));
    file.on('pageerror', (error) => complaints.push(error.message));
    await file.goto(`${service.url}/v1/agents/${id}/evaluations/${first.id}/report`);
    await file.getByRole('heading', { name: 'Backtest: Churner, manifest v1', level: 1 }).waitFor();
    expect(await file.locator('.market-chart-legend').innerText()).toContain('buy');
    const [saved] = await Promise.all([file.waitForEvent('download'), file.getByRole('button', { name: 'Download CSV' }).click()]);
    expect(readFileSync(await saved.path(), 'utf8')).toBe(readFileSync(await csv.path(), 'utf8'));
    expect(await file.evaluate('(() => { try { return String(localStorage); } catch (error) { return error.name; } })()')).toBe(
      'SecurityError',
    );
    expect(complaints).toEqual([]);
    await file.close();
  });

  test('a sweep of thresholds is asked for in the page, and its report shows every trial and counts them', async () => {
    const id = await agentOf('Churner');
    await go(`#/agents/${id}/gates`);
    await unfold(page, 'Another period for the backtest');
    await page.getByLabel('From', { exact: true }).fill(day(15));
    await page.getByLabel('To', { exact: true }).fill(day(1));
    await unfold(page, 'Parameter sweep');
    await page.getByLabel('Training days').fill('5');
    await page.getByLabel('Test days').fill('3');
    await page.getByLabel('Parameters, one per line').fill('name = 1');
    await page.getByRole('button', { name: 'Sweep', exact: true }).click();
    await page.locator('.evaluations-panel .problem').getByText('is no threshold of the manifest').first().waitFor();
    expectOnly('400');
    await page.getByLabel('Parameters, one per line').fill('entryConditions[0].value = 50, 60, 70');
    await page.getByRole('button', { name: 'Sweep', exact: true }).click();
    const run = page.locator('.run-list > li').first();
    await run.getByText('A sweep of 3 variants').waitFor({ timeout: 120_000 });
    const { items } = (await service.get(`/v1/agents/${id}/evaluations?limit=1`)).body;
    const { result } = (await service.get(`/v1/agents/${id}/evaluations/${items[0].id}`)).body;
    // The version before and the agent of the same rules were backtested: two earlier trials; the present one is among the variants.
    expect(result.counted).toEqual({ total: 5, ofThisSweep: 3, earlier: 2 });
    await run.getByRole('link', { name: 'Report' }).click();
    await page.getByRole('heading', { name: 'Sweep: Churner, manifest v2', level: 1 }).waitFor();
    const facts = page.getByRole('region', { name: 'Trials', exact: true }).locator('.facts > div');
    expect((await facts.allInnerTexts()).slice(0, 3).map((text) => text.split('\n'))).toEqual([
      ['Trials counted', '5'],
      ['In this sweep', '3'],
      ['Earlier trials', '2'],
    ]);
    const rows = page.getByRole('region', { name: 'All variants' }).locator('tbody tr');
    expect(await rows.locator('th').allInnerTexts()).toEqual(['50', '60', '70']);
    expect(
      await page
        .getByRole('region', { name: /^5 training days, 3 test days/ })
        .locator('tbody tr')
        .count(),
    ).toBe(result.walkForward.folds.length);
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  test('a new version of the manifest is listed with what it changed; a decision is explained in words', async () => {
    const hunter = await agentOf('Discount hunter');
    await go(`#/agents/${hunter}/versions`);
    await page.locator('[data-version="1"]').waitFor();
    const manifest = {
      ...PATIENT,
      name: 'Discount hunter',
      universe: ['AAPLx', 'TSLAx', 'NVDAx'],
      entryConditions: [{ type: 'premium_below', pct: -0.9 }],
      exitConditions: [{ type: 'premium_above', pct: 0.4 }],
    };
    expect((await service.post(`/v1/agents/${hunter}/versions`, manifest)).status).toBe(201);
    const version = page.locator('[data-version="2"]');
    await unfold(version, '');
    const change = version.locator('tr', { hasText: '$.stopLossPct' });
    expect(await change.locator('td').allInnerTexts()).toEqual(['4', '5']);
    expect(await version.locator('tr', { hasText: 'premium below -0.9 %' }).locator('th').innerText()).toBe('entry condition');
    await page.getByText(/^It buys when all of these are true: premium below -0\.9 %\.$/).waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);

    const { items } = (await service.get(`/v1/agents/${hunter}/decisions`)).body;
    const oldest = items.at(-1).id;
    const { body: explained } = await service.get(`/v1/agents/${hunter}/decisions/${oldest}/explain`);
    await openTab(page, 'Decisions');
    const decision = page.locator(`[data-decision="${oldest}"]`);
    await unfoldCard(decision);
    await decision.getByRole('button', { name: 'Explain' }).click();
    await decision.getByText(forPeople(explained.summary)).waitFor();
    expect(await decision.locator('.explanation').innerText()).toContain(forPeople(explained.why[0]));
    expect(await barriers(page)).toEqual([]);
  });

  test('the markets page has a tab for everything that venues supply', async () => {
    await page.getByRole('link', { name: 'Markets' }).click();
    const rows = page.locator('.market-panel .data-table tbody tr');
    await rows.first().waitFor();
    const venues = (await service.get('/v1/venues')).body.items as { venue: string }[];
    expect(await rows.locator('th').allInnerTexts()).toEqual(
      venues.map(({ venue }) => expect.stringMatching(new RegExp(`^${venue.replaceAll('_', ' ')}`))),
    );
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Tickers' }).click();
    await rows.filter({ hasText: 'BTCUSDT' }).waitFor();
    await page.getByRole('link', { name: 'Perpetuals' }).click();
    await rows.filter({ hasText: 'BTC' }).first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Macro' }).click();
    await page.locator('[data-regime]').waitFor();
    expect(await rows.count()).toBe((await service.get('/v1/macro-regime')).body.inputs.length);
    await page.getByRole('link', { name: 'Prediction markets' }).click();
    const market = page.locator('[data-market]').first();
    await unfoldCard(market);
    await market.locator('.facts, .problem').first().waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('no page shows an id, an instant in milliseconds or a number without end where people read', async () => {
    const { items: agents } = (await service.get('/v1/agents')).body as { items: { id: string }[] };
    const { items: actors } = (await service.get('/v1/actors?limit=200')).body as { items: { id: string; kind: string }[] };
    const { items: markets } = (await service.get('/v1/prediction-markets?limit=50')).body as {
      items: { id: string; outcomes: { side: string; ask: string | null }[] }[];
    };
    const market = markets.find(({ outcomes }) => outcomes.some(({ side, ask }) => side === 'yes' && ask !== null && Number(ask) < 0.9));
    const order = await service.post('/v1/prediction-orders/paper', {
      marketId: market?.id,
      outcome: 'yes',
      side: 'buy',
      quantity: '10',
    });
    const thesis = 'Buy BTCUSDT when the price is below $20,000, with $500, because weekends overshoot';
    const { id: take, open } = (await service.post('/v1/takes/compile', { thesis })).body;
    expect((await service.post('/v1/takes/arm', { takeId: take, mode: 'paper', confirm: open })).status).toBe(200);
    const churner = await agentOf('Churner');
    const runs = (await service.get(`/v1/agents/${churner}/evaluations`)).body.items as { id: string; state: string }[];
    const addresses = [
      'home',
      'agents',
      'takes',
      'proposals',
      'portfolio',
      'bridge',
      'launches',
      'marketplace',
      'quotes',
      'leaderboard',
      'launches/new',
      'members',
      `takes/${take}`,
      `actors/${take}`,
      ...runs.flatMap(({ id, state }) => (state === 'finished' ? [`reports/${churner}/${id}`, `actors/${id}`] : [])),
      ...['actors', 'activities', 'timers', 'incidents', 'alerts', 'queues', 'work', 'interventions'].map((tab) => `runtime/${tab}`),
      ...['venues', 'tickers', 'perps', 'predictions', 'basis'].map((tab) => `markets/${tab}`),
      ...['', '/decisions', '/gates', '/state', '/vault', '/signing', '/versions', '/edit', '/clone'].map(
        (tab) => `agents/${patient}${tab}`,
      ),
      ...agents.map(({ id }) => `agents/${id}`),
      ...Array.from(new Map(actors.map(({ kind, id }) => [kind, id])).values(), (id) => `actors/${id}`),
      ...(order.status < 300 ? [`actors/${order.body.id}`] : []),
      ...['spotexchange:BTCUSDT', 'spotchain:AAPLx'].map((key) => `instruments/${encodeURIComponent(key)}`),
    ];
    const found: string[] = [];
    for (const address of addresses.filter((_, row) => isMet(row, 0, 2))) {
      await visit(page, address);
      await page.evaluate('for (const part of document.querySelectorAll("main details")) part.open = true');
      await waitFor(async () => (await page.getByText('an outcome…').filter({ visible: true }).count()) === 0, {
        what: 'names of outcomes',
      });
      found.push(...(await unreadableTexts(page)).map((text) => `${address}: ${text}`));
    }
    expect(found).toEqual([]);
    expect(order.status, order.text).toBeLessThan(300);
    watched.complaints.splice(0);
  });

  test('who may only read can answer nothing, and nothing complained on the way', async () => {
    expect(watched.complaints).toEqual([]);
    await signOut(page);
    await signIn(page, service, 'viewer');
    const id = await propose(service, patient, '0.01');
    await go(`#/proposals/${patient}`);
    await stateOf(id, 'pending_approval');
    for (const name of ['Approve', 'Decline']) {
      const button = card(id).getByRole('button', { name });
      expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([true, 'Requires trade:execute']);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'light' });
    await unfold(card(id), 'Details, fills and state chart');
    await card(id).locator('.chart').waitFor();
    expect(await barriers(page)).toEqual([]);
    await go(`#/agents/${patient}/vault`);
    await page.locator('.vault-panel .facts').waitFor();
    await page.locator('[data-book]').first().waitFor();
    expect(await barriers(page)).toEqual([]);
  });
});
