// The front page and the page of an agent as its owner works with them: what needs attention, made, edited, cloned, closed, signed off.
import type { Page, WebSocket } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { createMemberStore } from '../../src/adapters/store/callers/member-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { commandWriter } from '../../src/adapters/store/ready-database.ts';
import { EXAMPLE_ORGANIZATION } from '../../src/sandbox/example-organization.ts';
import { localSigningKeys } from '../../src/sandbox/identity/identity-folder.ts';
import { SANDBOX_AUDIENCE } from '../../src/sandbox/identity/provider.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { isMet } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import { sevengate } from '../journeys/running-service.ts';
import {
  type Browser,
  CHROMIUM,
  clickAndBeTold,
  findingsEverywhere,
  giveToken,
  openBrowser,
  openTab,
  paintedColours,
  propose,
  type ServiceWithPast,
  signIn,
  signOut,
  startServiceWithPast,
  tellWhatFailedShowed,
  unfold,
  visit,
  type Watched,
} from './console-fixture.ts';

/** An agent whose rules never hold. */
const MINIMAL = {
  universe: ['BTCUSDT'],
  timeframe: '5m',
  entryConditions: [{ type: 'price_above', price: '10000000' }],
  exitConditions: [{ type: 'price_above', price: '20000000' }],
  maxCapitalUsd: 10_000,
  maxTradeNotionalUsd: 1_000,
  maxOpenPositions: 1,
  maxSlippageBps: 50,
  stopLossPct: 4,
  takeProfitPct: 6,
  maxDailyDrawdownPct: 3,
};

describe.skipIf(CHROMIUM === null)('the front page and what is done with an agent, in a browser', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([startServiceWithPast(), openBrowser()]);
    watched = await browser.page();
    page = watched.page;
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  const expectOnly = (status: string) => expect(watched.complaints.splice(0)).toEqual([expect.stringContaining(status)]);
  const agentOf = async (name: string): Promise<{ id: string; autonomy: string; manifestVersion: number; paused: boolean }> => {
    const { items } = (await service.get('/v1/agents')).body;
    return items.find((agent: { name: string }) => agent.name === name);
  };
  let made = '';

  test('a new agent is written in a form: what is wrong stands beside its field in the words of the API, and is mended there', async () => {
    await page.getByRole('link', { name: 'New agent' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Written here');
    await page.getByLabel('Instruments (one per line)').fill('spotexchange:BTC/USDT:spot');
    await page.getByLabel('Enter when all are true').fill('[{ "type": "price_above", "price": "10000000" }]');
    await page.getByLabel('Exit when any is true').fill('[{ "type": "price_abov" }]');
    await page.getByLabel('Stop-loss (%)').fill('much');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('#problem-stopLossPct span').waitFor();
    const refused = (
      await service.post('/v1/agents', {
        name: 'Written here',
        universe: ['spotexchange:BTC/USDT:spot'],
        timeframe: '5m',
        entryConditions: [{ type: 'price_above', price: '10000000' }],
        exitConditions: [{ type: 'price_abov' }],
        maxCapitalUsd: '10000',
        maxTradeNotionalUsd: '1000',
        maxLeverage: '1',
        stopLossPct: 'much',
        takeProfitPct: 6,
        maxDailyDrawdownPct: 3,
        maxOpenPositions: 3,
        maxSlippageBps: 50,
      })
    ).body.problems as { path: string; problem: string }[];
    expect(refused.length).toBeGreaterThanOrEqual(2);
    for (const { path, problem } of refused) {
      const field = /^\$\.(\w+)/.exec(path)?.[1];
      expect(await page.locator(`#problem-${field}`).innerText()).toContain(problem);
    }
    expectOnly('400');
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByLabel('Stop-loss (%)').fill('5');
    await page.getByLabel('Exit when any is true').fill('[{ "type": "price_above", "price": "20000000" }]');
    // The preview says what its rules would have done once it is asked for: here, why nothing. Typing asks for none.
    const preview = page.getByRole('region', { name: 'Preview' });
    const runPreview = preview.getByRole('button', { name: 'Run preview' });
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().includes('/v1/backtests/preview') && asked.push(request.url())));
    await page.getByLabel('Timeframe').fill('1h');
    await runPreview.click();
    await preview.getByText(/^price above \(10000000\) held at none of [\d,]+ looks/).waitFor();
    expect(await preview.getByText('does not count for a gate').count()).toBe(1);
    await preview.locator('canvas').first().waitFor();
    await preview.getByText('0 closed, 0 open').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByLabel('Enter when all are true').fill('[{ "type": "rsi_belo" }]');
    await preview.getByText('The rules have changed. Run the preview again.').waitFor();
    expect(asked).toHaveLength(1);
    await runPreview.click();
    await preview.getByText('Complete the manifest first:').waitFor();
    // Its second rule reads an indicator, which its chart shows.
    const rules = [
      { type: 'price_above', price: '10000000' },
      { type: 'rsi_below', period: 14, value: 90 },
    ];
    await page.getByLabel('Enter when all are true').fill(JSON.stringify(rules));
    await page.getByLabel('Timeframe').fill('5m');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Written here', level: 1 }).waitFor();
    made = (await agentOf('Written here')).id;
    await page
      .getByText('It has decided nothing yet')
      .or(page.getByText(/price above \(10000000\) (held at none of \d+ looks|did not hold at its only look)/))
      .first()
      .waitFor();
    expect(watched.complaints).toEqual([]);
  });

  test('its autonomy is set, it is edited into a second version, and cloned', async () => {
    await page.getByRole('button', { name: 'Autonomy' }).click();
    await page.getByLabel('Level').selectOption('confirm');
    await page.getByRole('button', { name: 'Set', exact: true }).click();
    await page.locator('.facts').getByText('confirm', { exact: true }).waitFor();
    expect((await agentOf('Written here')).autonomy).toBe('confirm');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText('Of Written here, version 1.').waitFor();
    expect(await page.getByLabel('Instruments (one per line)').inputValue()).toBe('spotexchange:BTC/USDT:spot');
    await page.getByLabel('Take-profit (%)').fill('9');
    await clickAndBeTold(page, page.getByRole('button', { name: 'Save as the next version' }), 'Version 2 is the manifest now.');
    const { manifest } = (await service.get(`/v1/agents/${made}`)).body;
    expect([manifest.takeProfitPct, manifest.stopLossPct, manifest.universe]).toEqual([
      9,
      5,
      [{ key: 'spotexchange:BTCUSDT', kind: 'spot' }],
    ]);
    await go(`#/agents/${made}/clone`);
    await page.getByText('Copied from Written here, version 2.').waitFor();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Written here copy', level: 1 }).waitFor();
    expect((await agentOf('Written here copy')).manifestVersion).toBe(1);
  });

  test('a proposal that waits is said on the front page; once it is filled the page says what the books earned, as the API does', async () => {
    // On a busy machine the market leaves the limit of an order before it is carried out: then another one is proposed.
    await waitFor(
      async () => {
        const id = await propose(service, made, '0.01');
        await page.getByRole('link', { name: 'Overview' }).click();
        await page.getByText(/^Written here wants to buy 0\.01 BTCUSDT/).waitFor();
        await page.getByText(/needs? your attention\./).waitFor();
        expect(await findingsEverywhere(page)).toEqual([]);
        await page.getByRole('link', { name: /^Review: Written here/ }).click();
        const card = page.locator(`[data-proposal="${id}"]`);
        await card.getByRole('button', { name: 'Approve' }).click();
        await page
          .locator(['filled', 'failed', 'cancelled', 'expired'].map((state) => `[data-proposal="${id}"][data-state=${state}]`).join())
          .waitFor();
        return (await card.getAttribute('data-state')) === 'filled';
      },
      { what: 'a filled proposal' },
    );
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(/Paper P&L [+-]?[\d,.]+ USD\./).waitFor();
    const shown = page
      .getByRole('region', { name: 'P&L in US dollars' })
      .locator('tbody tr', { hasText: 'Paper' })
      .locator('[title$="USD"]');
    // Prices move: what is shown is asked for again until both agree.
    await waitFor(
      async () => {
        const { totals } = (await service.get('/v1/portfolio/performance')).body;
        return (await shown.last().getAttribute('title')) === `${totals.feesUsd} USD`;
      },
      { what: 'the fees of the API' },
    );
    await page.locator(`[data-agent="${made}"] [title$="USD"]`).first().waitFor();
    // The curve of everything ends where the figures above stand, and says the same change of today.
    const curve = page.locator('.total-equity[data-mode=paper]');
    await curve.locator('canvas').first().waitFor();
    await waitFor(
      async () => {
        const [equity, today] = await shown.evaluateAll((all) => all.slice(0, 2).map((one) => one.getAttribute('title')));
        const told = await curve.locator('.equity-words [title$="USD"]').evaluateAll((all) => all.map((one) => one.getAttribute('title')));
        return equity !== null && told.join() === `${equity},${today}`;
      },
      { what: 'the same figures twice' },
    );
    // The last of its points is the present, and stands for its minute alone.
    await waitFor(
      async () => {
        const { items } = (await service.get('/v1/portfolio/equity?mode=paper')).body as {
          items: { at: string; pnlUsd: string | null }[];
        };
        const minutes = new Set(items.flatMap(({ at, pnlUsd }) => (pnlUsd === null ? [] : [at.slice(0, 16)])));
        return (await curve.locator('[data-points]').getAttribute('data-points')) === String(minutes.size);
      },
      { what: 'one point for each minute' },
    );
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  test('the chart of the agent is drawn with its instrument, what it holds and what it earned', async () => {
    await go(`#/agents/${made}`);
    await waitFor(async () => Number(await page.locator('.candle-place').getAttribute('data-bars')) > 200, { what: 'its bars' });
    const { items } = (await service.get(`/v1/books?agentId=${made}`)).body;
    expect(items[0].positions).toHaveLength(1);
    await page.locator('.agent-summary').getByText('Unrealized').waitFor();
    // The indicator of its own rule has a pane below the candles, as soon as a decision has noted it.
    await waitFor(
      async () => {
        const { items: decided } = (await service.get(`/v1/agents/${made}/decisions?limit=1`)).body;
        return typeof decided[0]?.observed['spotexchange:BTCUSDT']?.indicators['rsi:14@5m']?.value === 'number';
      },
      { what: 'a decision that notes the indicator', deadlineMs: 150_000 },
    );
    await go('#/home');
    await go(`#/agents/${made}`);
    await page.locator('.candle-place [data-gauges="rsi 14@5m"]').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    for (const tab of ['Gates and evaluations', 'State', 'Vault and books', 'Versions']) {
      await openTab(page, tab);
      expect(await page.getByRole('tabpanel').count()).toBe(1);
    }
    expect(page.url()).toMatch(/\/versions$/);
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Decisions');
  });

  test('a chart shows the decisions that risk blocked, and the minutes in which the agent knew no live quote', async () => {
    const chart = page.locator('.candle-place figure');
    const shows = async (name: string) => {
      await go(`#/agents/${(await agentOf(name)).id}`);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByRole('button', { name: '1m', exact: true }).click();
      await waitFor(async () => Number(await page.locator('.candle-place').getAttribute('data-bars')) > 200, { what: 'bars of a minute' });
      return (await service.get(`/v1/agents/${(await agentOf(name)).id}/decisions?limit=200`)).body.items;
    };
    const decided = await shows('Discount hunter');
    const blocked = decided.filter((one: { disposition: string }) => one.disposition === 'blocked_by_risk');
    // The newest tick of the past had a price that was not live.
    expect(blocked.at(-1)).toMatchObject({ instrument: 'spotchain:AAPLx', risk: { rejections: [{ code: 'quote_not_live' }] } });
    const words = () => chart.getByRole('status').innerText();
    await waitFor(async () => /Marked: .*quote not live/.test(await words()), { what: 'the blocked decision in words' });
    const warn = await page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue('--warn').trim()`);
    await waitFor(async () => ((await paintedColours(page))[warn] ?? 0) > 20, { what: 'the squares of blocked decisions' });

    const coin = (await shows('Crypto trend')).filter(
      (one: { observed: Record<string, { quote: { quality: string } | null }> }) =>
        one.observed['spotexchange:BTCUSDT'] !== undefined && one.observed['spotexchange:BTCUSDT'].quote?.quality !== 'live',
    );
    expect(coin.length).toBeGreaterThanOrEqual(1);
    await page.getByText('Violet: no live quote for the agent.').waitFor();
    // A coin has no sessions: every band is such a stretch.
    await waitFor(async () => Number(await chart.getAttribute('data-bands')) >= 1, { what: 'the stale stretch' });
  });

  test('an evaluation in progress disturbs nobody who looks at the agents, and an alert names its agent and its venue', async () => {
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Written here', exact: true }) });
    await row.getByText('confirm').waitFor();
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString();
    const begun = await service.post(`/v1/agents/${made}/backtest`, { from: day(9), to: day(1), look: true });
    expect(begun.status, begun.text).toBe(202);
    await waitFor(async () => (await service.get(`/v1/agents/${made}/evaluations`)).body.items[0].state === 'finished', {
      what: 'the end of the look',
      deadlineMs: 90_000,
    });
    expect((await row.locator('td').allInnerTexts()).slice(0, 3)).toEqual(['draft', 'confirm', 'Running']);
    expect(watched.complaints).toEqual([]);
    const owner = openDatabase({ url: service.databaseUrl, name: 'console test', connections: 1, role: null });
    try {
      const what = 'data_degraded';
      const ofAgent = { what, agentId: made, venues: ['spotexchange'] };
      const ofTake = { what, agentId: EXAMPLE_ORGANIZATION, takeId: EXAMPLE_ORGANIZATION, symbol: 'AAPLx', venues: ['spotchain'] };
      for (const alert of [ofAgent, ofTake])
        await owner`
          insert into announcements (channel, org_id, actor_id, at, body)
          values ('alerts', ${EXAMPLE_ORGANIZATION}, ${made}, ${Date.now()}, ${owner.json(alert)})`;
    } finally {
      await owner.end({ timeout: 1 });
    }
    await page.locator('.notices').getByText('Written here: data degraded on spotexchange').first().waitFor();
    await page.locator('.notices').getByText('Take on AAPLx: data degraded on spotchain').waitFor();
    // The front page still says so once the notice is gone, also after a reload.
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.locator('.attention-list [data-kind=alert]').getByText('Written here: data degraded on spotexchange').first().waitFor();
    // A window that is opened later shows it too: it is read from the service.
    await page.reload();
    await page.locator('.attention-list [data-kind=alert]').getByText('Written here: data degraded on spotexchange').first().waitFor();
    await go(`#/agents/${made}`);
  });

  test('who asked for it is told by the browser, with the name of the agent, while the page is out of sight', async () => {
    // What the browser is asked to show is noted on the way to it; one without windows allows none, whatever it is granted.
    await page.evaluate(`
      window.told = [];
      window.Notification = class extends Notification {
        static permission = 'granted';
        constructor(title, options) { super(title, options); window.told.push(title + ' ' + options.body); }
      };`);
    const told = () => page.evaluate<readonly string[]>('window.told');
    const alert = async (what: string) => {
      const owner = openDatabase({ url: service.databaseUrl, name: 'console test', connections: 1, role: null });
      const body = owner.json({ what, agentId: made });
      await owner`insert into announcements (channel, org_id, actor_id, at, body) values ('alerts', ${EXAMPLE_ORGANIZATION}, ${made}, ${Date.now()}, ${body})`;
      await owner.end({ timeout: 1 });
    };
    await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })`);
    await alert('slippage');
    await page.locator('.notices').getByText('Written here: slippage').waitFor();
    await page.locator('.who summary').click();
    await page.getByLabel('Browser notifications').check();
    await page.keyboard.press('Escape');
    await alert('daily_drawdown');
    await waitFor(async () => (await told()).length > 0, { what: 'the breaker in a notification' });
    expect(await told()).toEqual(['Sevengate Written here: daily drawdown']);
    const proposed = await propose(service, made, '0.02');
    await waitFor(async () => (await told()).some((words) => /^Written here wants to buy 0\.02 BTCUSDT at [\d,.]+$/.test(words)), {
      what: 'the approval',
    });
    await service.post(`/v1/agent-orders/${proposed}/decline`);
    // Who looks at the page sees it there.
    await page.evaluate('delete document.hidden');
    const before = (await told()).length;
    await alert('incident');
    await page.locator('.notices').getByText('Written here: incident').waitFor();
    expect((await told()).length).toBe(before);
  });

  test('what it holds is closed from its page: it is paused, the page says what is waited for, and the position goes', async () => {
    await page.getByRole('button', { name: 'Close positions' }).click();
    await page.getByLabel('Sell').selectOption({ label: 'BTCUSDT' });
    await page.getByLabel('Min price').fill('12.345678901');
    await page.getByRole('dialog').getByRole('button', { name: 'Close positions' }).click();
    await page.getByRole('dialog').locator('.problem p').getByText('it lies between two ticks').waitFor();
    expectOnly('400');
    expect(await findingsEverywhere(page)).toEqual([]);
    // No market pays it: the word stays, and the page says why.
    await page.getByLabel('Min price').fill('9999999.5');
    await page.getByRole('dialog').getByRole('button', { name: 'Close positions' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('paused: operator').waitFor();
    const closing = page.locator('.closings');
    await closing.getByText(/^Closing: BTCUSDT, at 9,999,999\.5 or better/).waitFor();
    await closing.getByText(/^waiting: the market pays [\d.]+ for spotexchange:BTCUSDT, and the limit is 9999999\.5$/).waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close positions' }).click();
    await page.getByLabel('Sell').selectOption({ label: 'BTCUSDT' });
    await page.getByRole('dialog').getByRole('button', { name: 'Close positions' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await waitFor(async () => (await service.get(`/v1/books?agentId=${made}`)).body.items[0].positions.length === 0, {
      what: 'an empty book',
      deadlineMs: 90_000,
    });
    await closing.waitFor({ state: 'hidden', timeout: 30_000 });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('Written here is paused: operator.').waitFor();
  });

  test('the step to live capital is signed off in the page, by somebody who neither wrote the agent nor asks for it', async () => {
    const gateOf = async (id: string) =>
      (await service.get(`/v1/agents/${id}/gates`)).body.gates.find(({ from }: { from: string }) => from === 'limited_live');
    const { id: copy } = await agentOf('Written here copy');
    const own = (await service.post('/v1/agents', { ...MINIMAL, name: 'Of the risk manager' }, 'risk-manager')).body.id;
    const writer = await commandWriter(service.home, service.databaseUrl);
    for (const id of [copy, own]) await placeAtStage(service.databaseUrl, id, 'limited_live', writer ?? undefined);
    await go(`#/agents/${copy}/gates`);
    const signOff = page.getByRole('button', { name: 'Sign off', exact: true }).first();
    await signOff.waitFor();
    expect([await signOff.isDisabled(), await signOff.getAttribute('title')]).toEqual([true, 'Requires risk:manage']);
    expect(watched.complaints).toEqual([]);
    await signOut(page);
    await signIn(page, service, 'risk-manager');

    await go(`#/agents/${own}/gates`);
    await signOff.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign off' }).click();
    await page
      .getByRole('dialog')
      .locator('.problem p')
      .getByText('the creator of an agent cannot sign it off; another member with risk:manage has to')
      .waitFor();
    watched.complaints.splice(0);
    expect((await gateOf(own)).evidence).toBeNull();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await go(`#/agents/${copy}/gates`);
    await signOff.click();
    await page.getByLabel('Reason').fill('Two weeks on paper hold what the backtest said.');
    expect(await findingsEverywhere(page)).toEqual([]);
    await clickAndBeTold(page, page.getByRole('dialog').getByRole('button', { name: 'Sign off' }), /^Signed off\.$/);
    expect(await gateOf(copy)).toMatchObject({ passed: true, evidence: { at: expect.any(String) } });
    await page.locator('.gate-list [data-gate=limited_live] .badge', { hasText: 'ready' }).waitFor();
    // Whoever signed off does not ask for the promotion too.
    await page.getByRole('button', { name: 'Promote' }).click();
    await page.locator('.notices').getByText('whoever signed off does not ask for the promotion; somebody else has to').waitFor();
    watched.complaints.splice(0);
    expect((await service.get(`/v1/agents/${copy}`)).body.stage).toBe('limited_live');
  });

  test('who may only read is offered nothing of it', async () => {
    expect(watched.complaints).toEqual([]);
    await signOut(page);
    await signIn(page, service, 'viewer');
    expect(await page.getByRole('link', { name: 'New agent' }).count()).toBe(0);
    await go(`#/agents/${made}`);
    await page.getByRole('button', { name: 'Close positions' }).waitFor();
    expect(await page.getByRole('button', { name: 'Close positions' }).isDisabled()).toBe(true);
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
  });

  test('who signs out is told of nothing more before the session ends, and goes on where it does not', async () => {
    const sockets: WebSocket[] = [];
    page.on('websocket', (socket) => sockets.push(socket));
    await page.reload();
    await waitFor(() => sockets.length > 0, { what: 'the connection of the feed' });
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/v1/session', async (route) => {
      await held;
      await route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{"detail":"signing out did not succeed"}' });
    });
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await waitFor(() => sockets.every((socket) => socket.isClosed()), { what: 'the end of the feed' });
    answer();
    await page.getByText('signing out did not succeed').waitFor();
    await page.unroute('**/v1/session');
    await go('#/agents');
    await page.getByRole('link', { name: 'Crypto trend' }).waitFor();
    expectOnly('500');
  });

  test('what a role does not give is left out with one sentence on every page, and never asked for', async () => {
    const wanted = ['agent:read', 'market:read', 'members:manage'] as const;
    const agent = `agents/${(await agentOf('Crypto trend')).id}`;
    const { items: actors } = (await service.get('/v1/actors?limit=200')).body as { items: { id: string; kind: string }[] };
    const proposal = actors.find(({ kind }) => kind === 'proposal')?.id;
    const pages = ['home', 'agents', 'takes', 'proposals', 'portfolio', 'bridge', 'launches', 'marketplace', 'runtime', 'agents/new'];
    const tabs = ['', '/gates', '/state', '/vault', '/signing', '/versions', '/edit'].map((tab) => `${agent}${tab}`);
    const ofAgents = [...pages, ...tabs, `actors/${made}`, `actors/${proposal}`, `proposals/${made}`];
    const ofMarket = ['quotes', 'leaderboard', 'markets/tickers', `instruments/${encodeURIComponent('spotexchange:BTCUSDT')}`];
    const partly = ['members', 'launches/new', 'launches/launcher'];
    const refused: string[] = [];
    page.on('response', (answer) => void (answer.status() === 403 && refused.push(answer.url())));
    const keys = localSigningKeys(service.home, { now: Date.now });
    const become = async (permission: (typeof wanted)[number]): Promise<void> => {
      await signOut(page);
      await giveToken(page, keys.mintToken({ subject: `only ${permission}`, audience: SANDBOX_AUDIENCE, lifetimeS: 3_600 }));
    };
    const writer = await commandWriter(service.home, service.databaseUrl);
    const owner = openDatabase({
      url: service.databaseUrl,
      name: 'console test',
      connections: 1,
      role: null,
      ...(writer ? { writer } : {}),
    });
    for (const permission of wanted) {
      const name = `only ${permission}`;
      await createMemberStore(owner).grant(name, { orgId: EXAMPLE_ORGANIZATION, name, permissions: [permission] });
    }
    await owner.end({ timeout: 1 });
    for (const [row, permission] of wanted.entries()) {
      await become(permission);
      await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor({ state: 'attached' });
      const isShown = (address: string) => (ofMarket.includes(address) ? permission === 'market:read' : permission === 'agent:read');
      const visited = [...ofAgents, ...ofMarket, ...partly].filter((_, column) => isMet(row, column, wanted.length));
      for (const address of visited) {
        await visit(page, address);
        const words = await page.locator('main').innerText();
        expect(words, `${permission}: ${address}`).not.toMatch(/permission missing|the channel|could not be loaded|Reading…|Loading…/);
        if (partly.includes(address) || isShown(address)) continue;
        expect(words, `${permission}: ${address}`).toMatch(/This page requires (market|agent):read, which your role does not include\./);
      }
      // Alerts may come at any time; nothing was refused.
      expect(await page.locator('.notice-error').allInnerTexts()).toEqual([]);
    }
    await become('agent:read');
    await visit(page, 'home');
    await page.getByText('Market data feeds requires market:read, which your role does not include.').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await visit(page, agent);
    await page.getByText('Price chart requires market:read, which your role does not include.').waitFor();
    expect([refused, watched.complaints]).toEqual([[], []]);
    await signOut(page);
    await signIn(page, service, 'viewer');
  });

  test('the runtime in one page: a quarantined agent is found by its incident and released with a reason, which stays', async () => {
    const sql = openDatabase({ url: service.databaseUrl, name: 'console test', connections: 1 });
    try {
      const detail = 'TypeError: a row of its own cannot be read';
      await createActorStore(sql).incident({ actorId: made, at: Date.now(), kind: 'quarantined', detail, event: null, quarantine: true });
      // An import that goes on: a quarter of it took ten seconds when it said so last, and it says so for the length of this test.
      await sql`
        insert into long_work (kind, subject, venue, instrument, timeframe, source, worked_on_by, unit, done, total, begun_at, seen_at)
        select 'import', 'spotexchange BTCUSDT 1h', 'spotexchange', 'BTCUSDT', '1h', 'btcusdt.csv', 'sevengate candles import, process 7', 'bytes', 250000, 1000000, now - 10000, now + 600000
        from service_clock_ms() as now`;
      // And a move whose process died an hour ago.
      await sql`
        insert into long_work (kind, subject, source, worked_on_by, unit, done, total, begun_at, seen_at)
        select 'archive_move', 'decisions before 2026-01-01', 'the database', 'worker, process 8', 'rows', 5, 10, now - 3700000, now - 3600000
        from service_clock_ms() as now`;
    } finally {
      await sql.end({ timeout: 1 });
    }
    await go('#/runtime/incidents');
    const incident = page.getByRole('row').filter({ hasText: 'a row of its own cannot be read' });
    await incident.getByRole('link', { name: 'Written here' }).waitFor();
    expect(await page.getByRole('button', { name: 'Release' }).count()).toBe(0);
    expect(watched.complaints).toEqual([]);
    await signOut(page);
    await signIn(page, service, 'risk-manager');
    await page.getByRole('link', { name: 'Runtime', exact: true }).click();
    await page.locator('.tile[data-wrong]').filter({ hasText: '1 quarantined' }).waitFor();
    for (const tab of ['Actors', 'Activities', 'Timers', 'Queues', 'Work', 'Alerts', 'Interventions', 'Incidents']) {
      await openTab(page, tab);
      if (tab === 'Alerts') {
        const alert = page.getByRole('row').filter({ hasText: 'data degraded' }).filter({ hasText: 'spotexchange' });
        await alert.getByRole('link', { name: 'Written here' }).first().waitFor();
      }
      if (tab === 'Work') {
        const row = page.getByRole('row').filter({ hasText: 'btcusdt.csv' });
        await row.getByText(/^250,000 of 1,000,000 bytes, 0:\d\d left$/).waitFor();
        expect(await row.getByRole('progressbar').getAttribute('value')).toBe('250000');
        const dead = page.getByRole('row').filter({ hasText: 'archive move' });
        await dead.getByText(/^stopped: last sign of life /).waitFor();
        expect(await dead.getByText('left').count()).toBe(0);
      }
      expect(await findingsEverywhere(page)).toEqual([]);
    }
    await openTab(page, 'Actors');
    await page.getByRole('searchbox', { name: 'Search the runtime' }).fill('written here copy');
    const actors = page
      .getByRole('region', { name: 'Actors, newest first' })
      .getByRole('row')
      .filter({ has: page.getByRole('link') });
    await waitFor(async () => (await actors.filter({ visible: true }).count()) === 1, { what: 'the one that is searched for' });
    // The page looks through what it has at once, and asks the service when the typing has paused.
    const searched = (address: string) => address.includes('/v1/actors?') && address.includes('search=written+here+copy');
    await waitFor(async () => watched.asked.some(searched), { what: 'the service is asked for it' });
    await page.getByRole('searchbox', { name: 'Search the runtime' }).fill('');
    await openTab(page, 'Incidents');
    await incident.getByRole('button', { name: 'Release' }).click();
    await page.getByLabel('Reason').fill('the row was mended');
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await openTab(page, 'Interventions');
    await page.getByRole('row').filter({ hasText: 'the row was mended' }).getByText('risk-manager').waitFor();
    expect((await service.get(`/v1/agents/${made}`)).body).toMatchObject({ paused: true, pauseCause: 'quarantine' });
    await openTab(page, 'Incidents');
    await incident.getByRole('link', { name: 'Written here' }).click();
    await page.getByRole('heading', { name: /Written here/, level: 1 }).waitFor();
    expect(watched.complaints).toEqual([]);
  });

  test('members are managed in their page: who may not is told why; a role is written, somebody is invited and joins, is changed, and removed', async () => {
    await go('#/members');
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    const invite = page.getByRole('button', { name: 'Invite a member' });
    expect([await invite.isDisabled(), await invite.getAttribute('title')]).toEqual([true, 'Requires members:manage']);
    expect(await findingsEverywhere(page)).toEqual([]);

    const ada = ['token', '--subject', 'ada', '--permissions', 'market:read,agent:read,members:manage'];
    const made = await sevengate(ada, { SEVENGATE_HOME: service.home, DATABASE_URL: service.databaseUrl });
    expect(made.code, made.stderr).toBe(0);
    await signOut(page);
    await giveToken(page, made.stdout.trim());
    await page.locator('.who summary').click();
    await page.getByRole('link', { name: 'Members of the organization' }).click();
    const memberRow = (name: string) =>
      page.getByRole('region', { name: 'Members of the organization' }).locator('tbody tr', { hasText: name });
    await memberRow('Victor Viewer').waitFor();
    const own = memberRow('ada (you)').getByRole('button', { name: /^Remove/ });
    expect([await own.isDisabled(), await own.getAttribute('title')]).toEqual([
      true,
      expect.stringContaining('You cannot change your own'),
    ]);

    await unfold(page, 'New role');
    const role = page.locator('details', { hasText: 'New role' });
    await role.getByLabel('Name (lower-case letters').fill('Night Desk');
    await role.getByRole('checkbox', { name: 'market:read' }).check();
    await role.getByRole('checkbox', { name: 'agent:read' }).check();
    await role.getByRole('button', { name: 'Save role' }).click();
    await role
      .locator('#problem-role-name')
      .getByText(/^name: /)
      .waitFor();
    await role.getByLabel('Name (lower-case letters').fill('night_desk');
    await role.getByRole('button', { name: 'Save role' }).click();
    await page.getByRole('region', { name: 'Roles' }).locator('tbody tr', { hasText: 'night desk' }).getByText('custom').waitFor();
    expectOnly('400');

    await unfold(page, 'Invite a member');
    const inviting = page.locator('details', { has: page.locator('summary', { hasText: 'Invite a member' }) });
    await inviting.getByLabel('Valid for (hours').fill('1000');
    await inviting.getByLabel('Name').fill('Nora <b>Night</b>');
    await inviting.getByLabel('Role').selectOption('night_desk');
    await inviting.getByRole('button', { name: 'Invite', exact: true }).click();
    await inviting
      .locator('#problem-invite-hours')
      .getByText(/^hours: /)
      .waitFor();
    expectOnly('400');
    await inviting.getByLabel('Valid for (hours').fill('2');
    await inviting.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await inviting.getByLabel('Invitation link for Nora <b>Night</b>').inputValue();
    const invitationRow = page.getByRole('region', { name: 'Invitations, newest first' }).locator('tbody tr');
    await invitationRow.getByText('open').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    // It is shown once: read again, the page knows nothing of it.
    await page.reload();
    await invitationRow.getByText('open').waitFor();
    expect(await page.content()).not.toContain(link.split('/').at(-1));

    const token = localSigningKeys(service.home, { now: Date.now }).mintToken({
      subject: 'nora',
      audience: SANDBOX_AUDIENCE,
      lifetimeS: 600,
    });
    await signOut(page);
    await page.goto(link);
    await giveToken(page, token);
    await page.getByRole('heading', { name: 'Join an organization', level: 1 }).waitFor();
    await expect.poll(() => page.url()).not.toContain(link.split('/').at(-1));
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.getByRole('link', { name: 'Agents', exact: true }).first().waitFor();
    expect((await service.get('/v1/me', token)).body).toMatchObject({
      name: 'Nora <b>Night</b>',
      permissions: ['market:read', 'agent:read'],
      orgId: EXAMPLE_ORGANIZATION,
    });

    await signOut(page);
    await giveToken(page, made.stdout.trim());
    await go('#/members');
    await invitationRow.getByText('accepted by nora').waitFor();
    await memberRow('Nora <b>Night</b>')
      .getByRole('button', { name: /^Change/ })
      .click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('operator');
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await memberRow('Nora <b>Night</b>').getByText('trade:execute').waitFor();
    expect((await service.get('/v1/me', token)).body.permissions).toEqual(['market:read', 'agent:read', 'trade:execute']);
    await memberRow('Nora <b>Night</b>')
      .getByRole('button', { name: /^Revoke tokens/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke tokens' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await service.get('/v1/me', token)).status).toBe(401);
    await memberRow('Nora <b>Night</b>')
      .getByRole('button', { name: /^Remove/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await memberRow('Nora <b>Night</b>').waitFor({ state: 'detached' });
    expect(watched.complaints).toEqual([]);
  });
});
