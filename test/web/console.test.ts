// The console as an operator meets it: signing in, watching, pausing, stepping back in time, losing the connection, halting.
import fastify from 'fastify';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerConsole } from '../../api/console.ts';
import { readConsoleFiles } from '../../src/adapters/console-files.ts';
import { rounds, testInProof } from '../harness/rounds.ts';
import { waitFor } from '../harness/wait-for.ts';
import type { Service } from '../journeys/running-service.ts';
import {
  barriers,
  type Browser,
  CHROMIUM,
  clickAndBeTold,
  DECISIONS,
  findingsEverywhere,
  openBrowser,
  openTab,
  signIn,
  startServiceWithPast,
  tellWhatFailedShowed,
  unfoldCard,
  type Watched,
} from './console-fixture.ts';

if (CHROMIUM === null)
  console.warn('the console is not tested in a browser: there is no Chromium on this machine (Debian: apt-get install chromium)');

/** Steps of the agent `Crypto trend`. */
const STEPS = rounds({ suite: 1_000, proof: 100_000 });
/** The rows of the list of steps: where each lies, in a list of which length, and the version that it shows. */
const STEP_ROWS = `[...document.querySelectorAll('[role=listbox] .window-row')].map((row) => ({
  index: Number(row.dataset.index), length: Number(row.ariaSetSize), version: row.querySelector('.step-version')?.textContent.replaceAll(',', '') }))`;

/** Parses a shown version: `50,002`. */
const versionOf = (shown: string): number => Number(shown.replaceAll(',', ''));

describe.skipIf(CHROMIUM === null)('the console in a browser', () => {
  let service: Service;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([startServiceWithPast({ steps: STEPS }), openBrowser()]);
    watched = await browser.page();
    page = watched.page;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const agentRow = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name }) });
  const attributes = async (found: Locator, name: string) => Promise.all((await found.all()).map((one) => one.getAttribute(name)));
  const chartState = (): Promise<string | null> => page.locator('.chart').getAttribute('data-standing');
  const openAgent = async (name: string): Promise<void> => {
    await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('link', { name }).click();
    // Not the tab of the page before, if that was an agent's as well.
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await openTab(page, 'State');
    await page.locator('.chart').waitFor();
  };
  const expectChartState = (words: string) =>
    waitFor(async () => (await chartState())?.split(' ').includes(words) === true, { what: `a chart that stands at ${words}` });

  test('the link that the service prints at its start signs its owner in by one click, and no second time', async () => {
    const [, link = ''] = /sign in (http\S+)/.exec(service.stdout()) ?? [];
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#\/sign-in\/[\w-]{22}$/);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect((await browser.context.cookies())[0]).toMatchObject({ name: 'sevengate', httpOnly: true, sameSite: 'Strict' });
    expect(page.url()).not.toContain('sign-in');
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText(/the link was used already/).waitFor();
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
  });

  test('a token that nobody issued is refused in a sentence; a good one opens the console and never reaches a script', async () => {
    await page.goto(service.url);
    await page.getByLabel('Access token').fill('not-a-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').filter({ hasText: 'unauthenticated' }).textContent()).toMatch(/^unauthenticated: \w+/);
    // The browser itself notes the refusal, and nothing else was wrong.
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('401')]);
    expect(await barriers(page)).toEqual([]);
    await signIn(page, service, 'risk-manager');
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain(service.token('risk-manager').slice(-20));
    const [cookie] = await browser.context.cookies();
    expect(cookie).toMatchObject({ name: 'sevengate', httpOnly: true, sameSite: 'Strict' });
  });

  test('the three example agents stand there with stage, duty, data and what they decided last', async () => {
    for (const [name, autonomy] of [
      ['Discount hunter', 'suggest'],
      ['Crypto trend', 'confirm'],
      ['Perpetual carry', 'research'],
    ] as const) {
      const row = agentRow(name);
      // All at one look: data that is late on a busy machine is live again a moment later.
      const live = async () => {
        const texts = await row.locator('td').allInnerTexts();
        return texts[3] === 'live' && texts[4]?.endsWith('ago') ? texts : null;
      };
      const cells = await waitFor(live, { what: `${name} with live data and a decision` });
      expect(cells.slice(0, 4)).toEqual(['draft', autonomy, 'Running', 'live']);
      expect(cells[4]).toMatch(/^(hold|propose entry|blocked by risk) \d+ (s|min) ago$/);
    }
    expect(await page.locator('.connection').getAttribute('data-state')).toBe('live');
    expect(await barriers(page)).toEqual([]);
  });

  test('quotes of every venue move, and a closed market is told from a live one', async () => {
    await page.getByRole('link', { name: 'Quotes' }).click();
    const line = page.locator('[data-venue=spotexchange] [data-instrument=BTCUSDT]');
    await line.locator('.quality-live').waitFor();
    const before = await line.locator('.price').first().innerText();
    await waitFor(async () => (await line.locator('.price').first().innerText()) !== before, { what: 'another bid' });
    await page.locator('[data-venue=prediction] [data-instrument]').first().waitFor();
    expect(await attributes(page.locator('[data-venue]'), 'data-venue')).toEqual([
      'spotchain',
      'spotexchange',
      'evmvenue',
      'reference',
      'prediction',
    ]);
    // What the API says of each reference price is what its row says.
    const { items } = (await service.get('/v1/quotes?venue=reference&limit=200')).body;
    for (const { instrument, quality } of items as { instrument: string; quality: string }[]) {
      expect(await page.locator(`[data-venue=reference] [data-instrument=${instrument}] .quality`).innerText()).toBe(quality);
    }
    const { items: predicted } = (await service.get('/v1/prediction-markets?limit=200')).body;
    const [market] = predicted as { question: string }[];
    await page
      .locator('[data-venue=prediction]')
      .getByText(market?.question ?? 'a question')
      .first()
      .waitFor();
    await page.getByRole('searchbox').fill('btc');
    await waitFor(async () => (await page.locator('[data-instrument]:visible').count()) === 2, { what: 'the two instruments of bitcoin' });
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('searchbox').fill('nothing of this name');
    await page.getByText('No matching instruments.').waitFor();
    await page.getByRole('searchbox').fill('');
    await page.getByText('No matching instruments.').waitFor({ state: 'hidden' });
  });

  test('the menu of who is signed in closes as one turns to anything else', async () => {
    const card = page.locator('.who-card');
    const open = () => page.locator('.who summary').click();
    await open();
    await card.waitFor();
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'hidden' });
    await open();
    await page.mouse.click(5, 600);
    await card.waitFor({ state: 'hidden' });
    await open();
    await page.evaluate(`location.hash = '#/markets'`);
    await page.getByRole('heading', { name: 'Markets', level: 1 }).waitFor();
    await card.waitFor({ state: 'hidden' });
  });

  test('a paused agent is seen to pause without reloading, and its chart steps back in time and on again', async () => {
    await openAgent('Perpetual carry');
    await expectChartState('duty.active');
    expect(await barriers(page)).toEqual([]);
    await page.evaluate('window.neverReloaded = true');
    await page.getByRole('button', { name: 'Pause' }).click();
    await expectChartState('duty.paused');
    // The arrow of the event is marked, and the one that leads to the same state by another event is not.
    expect(await attributes(page.locator('.edge.is-taken'), 'data-event')).toEqual(['pause']);
    await page.getByText('paused: operator').waitFor();

    await page.getByRole('button', { name: 'One step earlier' }).click();
    await expectChartState('duty.active');
    // Its data may have been lost and found again before it was paused.
    const chosen = await page.locator('[aria-selected=true] .step-version').innerText();
    expect(await page.locator('.moment').innerText()).toMatch(new RegExp(`^after step ${chosen}, 20\\d\\d-`));
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expectChartState('duty.paused');

    await page.getByRole('button', { name: 'Resume' }).click();
    await expectChartState('duty.active');
    // Two transitions receive it, one of them for an agent whose positions are being closed.
    expect(new Set(await attributes(page.locator('.edge.is-taken'), 'data-event'))).toEqual(new Set(['resume']));
    expect(await page.evaluate('window.neverReloaded')).toBe(true);
  });

  test('a decision opens into the matrix of its rules, as the API tells of them', async () => {
    await openAgent('Discount hunter');
    await openTab(page, 'Decisions');
    const { items } = (await service.get(`/v1/agents/${page.url().split('/').at(-2)}/decisions`)).body;
    const decided = (
      items as { id: string; reason: string | null; rules: { instrument: string; type: string; passed: boolean }[] }[]
    ).filter(({ reason }) => reason !== 'late_tick');
    expect(decided.length).toBeGreaterThanOrEqual(DECISIONS);
    const decision = decided.at(-1) as (typeof decided)[number];
    const card = page.locator(`[data-decision="${decision.id}"]`);
    await unfoldCard(card);
    await card.locator('.matrix').waitFor();
    const head = await card.locator('.matrix thead th').allInnerTexts();
    expect(head.map((text) => text.split(/\s/)[0])).toEqual(['rule', 'threshold', 'AAPLx', 'NVDAx', 'GOOGLx', 'MSFTx', 'SPYx']);
    // Premiums of -2 and 2 percent against -1.2: one passes.
    const premiums = await card.locator('.matrix tr', { hasText: 'premium below' }).locator('td').allInnerTexts();
    expect(premiums).toEqual(['-1.2', '✓ -2', '✗ 2', '✗ 2', '✗ 2', '✗ 2']);
    expect(await card.locator('.verdict').count()).toBe(decision.rules.length);
    expect(await card.locator('.verdict-passed').count()).toBe(decision.rules.filter(({ passed }) => passed).length);
    // The page alone scrolls: no part of it cuts a decision off.
    const cutting = await page.evaluate(`(() => {
      const found = [];
      for (let part = document.querySelector('[data-decision="${decision.id}"]').parentElement; part !== document.body; part = part.parentElement)
        if (getComputedStyle(part).overflowY !== 'visible' && part.scrollHeight > part.clientHeight) found.push(part.className);
      return found;
    })()`);
    expect(cutting).toEqual([]);
    expect(await barriers(page)).toEqual([]);
  });

  test('the gates show every condition; a promotion moves the agent on, and what is missing is said', async () => {
    await openAgent('Discount hunter');
    // It has traded nothing: why stands above all else, in the words of the API, and once more among the gates.
    const reasons = async (): Promise<string[]> => (await service.get(`/v1/agents/${page.url().split('/').at(-2)}/gates`)).body.whyNoTrades;
    expect((await reasons()).length).toBeGreaterThan(0);
    await waitFor(async () => (await page.locator('.why-none').innerText()) === `Why no trades? ${(await reasons()).join(' ')}`, {
      what: 'why it does not trade',
    });
    await openTab(page, 'Gates and evaluations');
    await page.getByRole('heading', { name: 'Why no trades?' }).waitFor();
    const gate = (stage: string) => page.locator(`.gate-list [data-gate=${stage}]`);
    await gate('draft').locator('.badge', { hasText: 'ready' }).waitFor();
    expect(await attributes(page.locator('.gate-list > li'), 'data-state')).toEqual(['here', 'ahead', 'ahead', 'ahead', 'ahead', 'ahead']);
    expect(await gate('draft').locator('[data-check=stop_loss]').innerText()).toMatch(/✓\s+stop loss\s+4\s+> 0/);
    expect(await gate('draft').locator('.is-missed').count()).toBe(0);
    await clickAndBeTold(page, page.getByRole('button', { name: 'Promote' }), 'Promoted to backtest.');
    await expectChartState('stage.backtest');
    await gate('backtest').locator('.badge', { hasText: 'shut' }).waitFor();
    expect(await gate('backtest').locator('[data-check=sharpe]').innerText()).toMatch(/✗\s+sharpe\s+unknown\s+> 1.8/);
    await page.getByRole('button', { name: 'Promote' }).click();
    await page
      .locator('.notices')
      .getByText(/nothing on record opens the gate at backtest/)
      .waitFor();
    // It is closed by its button; refused once more it is left, and goes by itself: see below.
    const told = page.locator('.notice-error');
    await told.getByRole('button', { name: 'Close' }).click();
    expect(await told.count()).toBe(0);
    await page.getByRole('button', { name: 'Promote' }).click();
    await told.waitFor();
    await page.evaluate('window.wasTold = true');
    // The browser itself notes each refusal, and nothing else was wrong.
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('409'), expect.stringContaining('409')]);
    expect(await barriers(page)).toEqual([]);
  });

  testInProof('a hundred thousand steps open at once and scroll through a handful of rows, to the first and back', async () => {
    const isOfSteps = (address: string) => new URL(address).pathname.endsWith('/steps');
    const readsBefore = watched.asked.filter(isOfSteps).length;
    await openAgent('Crypto trend');
    const list = page.getByRole('listbox');
    const versions = async () => (await list.locator('.step-version').allInnerTexts()).map(versionOf);
    // Every row that is seen holds the step of its place: none is still being read, and none is another's.
    const expectRows = async (some: number, what: string) => {
      const shown = await waitFor(
        async () => {
          const rows = await page.evaluate<{ index: number; length: number; version: string | undefined }[]>(STEP_ROWS);
          const isThere = rows.some(({ version }) => Math.abs(Number(version) - some) < 20);
          return isThere && rows.every(({ version }) => version !== undefined) ? rows : null;
        },
        { what },
      );
      expect(shown.map(({ version }) => Number(version))).toEqual(shown.map(({ index, length }) => length - index));
      expect(shown.length).toBeLessThan(60);
    };
    const scrollTo = (share: number) =>
      page.evaluate(`(() => { const list = document.querySelector('[role=listbox]'); list.scrollTop = list.scrollHeight * ${share}; })()`);
    await expectRows(STEPS, 'the newest of the steps that it was given');
    await list.focus();
    // From one step to the next by the keyboard: the first, the change of autonomy, the first loss of data.
    await page.keyboard.press('End');
    await waitFor(async () => (await versions()).includes(1), { what: 'the first step' });
    await expectChartState('feed.live');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expectChartState('feed.degraded');
    expect(await list.locator('[aria-selected=true] .step-version').innerText()).toBe('3');
    for (const share of [0.75, 0.5, 0.25, 0.5]) {
      await scrollTo(share);
      await expectRows(STEPS * (1 - share), `the steps at ${share} of the list`);
    }
    await page.keyboard.press('Home');
    await expectRows(STEPS, 'the newest step again');
    await waitFor(async () => (await page.locator('.moment').innerText()).startsWith('now, after step'), { what: 'the present' });
    // Six moments of the list were looked at, each of two stretches at most, and nothing in between was read.
    expect(watched.asked.filter(isOfSteps).length - readsBefore).toBeLessThanOrEqual(12);
  });

  testInProof(
    'the past is travelled with one scrubber: why each step was taken, what another event would have done, and a stretch as a test',
    async () => {
      await openAgent('Crypto trend');
      const id = page.url().split('/').at(-2) as string;
      await page.getByRole('link', { name: 'Details and what-if' }).click();
      await page.getByRole('heading', { name: 'Crypto trend', level: 1 }).waitFor();
      const step = page.getByLabel('Step', { exact: true });
      await waitFor(async () => Number(await step.getAttribute('max')) >= STEPS, { what: 'the scrubber over all steps' });
      // Degraded data by an odd step, restored by an even one.
      await step.fill('50001');
      await page.locator('[data-account="50001"]').waitFor();
      await expectChartState('feed.degraded');
      const account = page.getByRole('region', { name: 'Step details' });
      const told = (await service.get(`/v1/actors/${id}/steps/50001`)).body;
      expect(told.changes).toEqual([{ path: 'degradedVenues', before: [], after: ['spotexchange'] }]);
      await account.getByText('["spotexchange"]').waitFor();
      await step.fill('50002');
      await page.locator('[data-account="50002"]').waitFor();
      await expectChartState('feed.live');
      await account.locator('.guard[data-passed=true]', { hasText: 'lastVenueRestored' }).waitFor();
      expect(await page.locator('[aria-selected=true] .step-version').innerText()).toBe('50,002');
      expect(await page.getByRole('listbox').getByRole('option').count()).toBeLessThan(60);

      const history = async () => (await service.get(`/v1/actors/${id}`)).body.version;
      const before = await history();
      await page.getByLabel('Event', { exact: true }).selectOption('pause');
      await page.getByLabel('Event fields (JSON)').fill('{ "cause": "operator" }');
      await page.getByRole('button', { name: 'What if' }).click();
      await page.locator('.branch [data-taken=true]').getByText('duty active → paused').waitFor();
      await expectChartState('duty.paused');
      await page.getByRole('button', { name: 'Discard branch' }).click();
      await expectChartState('duty.active');
      expect(await history()).toBe(before);
      const link = await page.getByRole('link', { name: 'Export as test' }).getAttribute('href');
      expect(link).toBe(`/v1/actors/${id}/test?from=49992&to=50002`);
      expect(await (await page.request.get(`${service.url}${link}`)).text()).toContain('goes from version 49993 to 50002 as it did');

      // The strip of time: a place on it, and a decision, lead to the step that stood then.
      await page
        .locator('.lane-words')
        .getByText(/\d+ decisions/)
        .waitFor();
      await page.getByRole('button', { name: '‹ decision or fill' }).waitFor();
      const strip = page.getByRole('img', { name: 'Steps, decisions, fills and the price over time' });
      await strip.click({ position: { x: 2, y: 30 } });
      await waitFor(async () => (await page.locator('.time-travel').getAttribute('data-version')) === '1', { what: 'the first step' });
      await strip.click({ position: { x: ((await strip.boundingBox())?.width ?? 0) - 2, y: 30 } });
      await waitFor(async () => Number(await page.locator('.time-travel').getAttribute('data-version')) >= STEPS, {
        what: 'the newest step',
      });
      await step.fill('50002');

      // The chart is seen whole, with the scrubber, the steps and the reasons beside it.
      await page.setViewportSize({ width: 1440, height: 900 });
      for (const part of [page.locator('.scrubber'), ...(await page.locator('.time-grid svg').all())]) {
        const box = await part.boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(900);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      expect(await findingsEverywhere(page)).toEqual([]);
      // A link that is followed in the very moment in which another step is shown is followed all the same.
      await page.evaluate(`(() => {
      location.hash = '#/actors';
      const scrubber = document.querySelector('input[aria-label=Step], .scrubber input[type=range]');
      scrubber.value = '7';
      scrubber.dispatchEvent(new Event('input'));
    })()`);
      await page.locator(`[data-actor="${id}"]`).waitFor();
      await page.goBack();
      await step.waitFor();
      await page.getByRole('link', { name: '← Actors' }).click();
      await page.locator(`[data-actor="${id}"]`).waitFor();
      await page.getByLabel('Kind').selectOption('take');
      await page.getByText('No matching actors.').waitFor();
      await page.getByLabel('Kind').selectOption('agent');
      await page.getByRole('link', { name: 'Crypto trend' }).waitFor();
      expect(await findingsEverywhere(page)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    },
  );

  test('a refusal that nobody closed has gone by itself, and the page is still the same', async () => {
    await page.locator('.notice-error').waitFor({ state: 'detached' });
    expect(await page.evaluate('window.wasTold')).toBe(true);
  });

  test('until here nothing complained, and nobody else was asked for anything', () => {
    expect(watched.complaints).toEqual([]);
    const origins = new Set(watched.asked.map((address) => new URL(address).host));
    expect([...origins]).toEqual([new URL(service.url).host]);
    expect(watched.asked.some((address) => address.includes('token='))).toBe(false);
  });

  test('a lost connection is said so, and what happened meanwhile is received exactly once', async () => {
    const { page: second, complaints } = await browser.page({ width: 1100 });
    const sockets: { close(options: { code: number; reason: string }): Promise<void> }[] = [];
    let barred = false;
    await second.routeWebSocket(/\/v1\/feeds$/, (socket) => {
      if (barred) return void socket.close({ code: 1013, reason: 'barred' });
      sockets.push(socket);
      socket.connectToServer();
    });
    const { items } = (await service.get('/v1/agents')).body;
    const { id } = (items as { id: string; name: string }[]).find(({ name }) => name === 'Perpetual carry') as { id: string };
    await second.goto(`${service.url}/#/agents/${id}/state`);
    await second.locator('.connection[data-state=live]').waitFor();
    const words = second.locator('.connection-words');
    const steps = async () => (await second.locator('.step-version').allInnerTexts()).map(versionOf);
    const before = await waitFor(async () => ((await steps()).length > 0 ? steps() : null), { what: 'the steps' });
    // Of the steps that came since: the versions of those that paused it.
    const pauses = async () => {
      const rows = await second.evaluate<[number, string][]>(`[...document.querySelectorAll('.window-row:has(.step-version)')].map((row) =>
        [Number(row.querySelector('.step-version').textContent.replaceAll(',', '')), row.querySelector('.step-event').textContent])`);
      return rows.filter(([version, event]) => version > (before[0] as number) && event === 'pause').map(([version]) => version);
    };
    barred = true;
    await sockets[0]?.close({ code: 1012, reason: 'the service restarts' });
    await waitFor(async () => (await words.innerText()).startsWith('reconnecting'), { what: 'the word reconnecting' });
    expect((await service.post(`/v1/agents/${id}/pause`)).status).toBe(200);
    expect(await second.locator('.chart').getAttribute('data-standing')).toContain('duty.active');
    barred = false;
    await second.locator('.connection[data-state=live]').waitFor();
    expect(await words.innerText()).toBe('live');
    await waitFor(async () => (await second.locator('.chart').getAttribute('data-standing'))?.includes('duty.paused') === true, {
      what: 'the pause',
    });
    await waitFor(async () => (await pauses()).length > 0, { what: 'the pause among the steps' });
    const after = await steps();
    expect(after[0]).toBeGreaterThan(before[0] as number);
    expect(after).toEqual(Array.from(after, (_, index) => (after[0] as number) - index));
    expect(await pauses()).toHaveLength(1);
    expect(complaints.filter((text) => !text.includes('WebSocket'))).toEqual([]);
    await second.close();
  });

  test('who may only read is shown no way to halt, and cannot pause', async () => {
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    expect(await browser.context.cookies()).toEqual([]);
    await signIn(page, service, 'viewer');
    expect(await page.getByRole('button', { name: 'Halt all' }).count()).toBe(0);
    await openAgent('Discount hunter');
    const pause = page.getByRole('button', { name: 'Pause' });
    expect([await pause.isDisabled(), await pause.getAttribute('title')]).toEqual([true, 'Requires trade:execute or risk:manage']);
  });

  test('on a narrow screen in the light, the halt asks first and then holds for every agent', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, service, 'operator');
    await agentRow('Crypto trend').locator('.hears-live').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Halt all' }).click();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect((await service.get('/v1/agents')).body.items.map(({ paused }: { paused: boolean }) => paused)).toContain(false);
    await page.getByRole('button', { name: 'Halt all' }).click();
    await clickAndBeTold(page, page.getByRole('button', { name: 'Halt all agents' }), /^Halted: \d+ agents? paused/);
    await waitFor(async () => (await page.locator('[data-duty=paused]').count()) === 3, { what: 'three paused agents' });
    await page.getByRole('navigation', { name: 'Main pages' }).getByRole('link', { name: 'Quotes' }).click();
    await page.locator('[data-instrument=BTCUSDT]').waitFor();
    expect(await barriers(page)).toEqual([]);
    await openAgent('Discount hunter');
    await expectChartState('duty.paused');
    expect(await barriers(page)).toEqual([]);
  });
});

test('the console is served with a policy of its own, compressed, and not again where it is known', async () => {
  const app = fastify();
  registerConsole(app, readConsoleFiles());
  const page = await app.inject({ url: '/' });
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  const files = [...page.body.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path as string);
  expect(files.length).toBeGreaterThan(10);
  for (const path of files) {
    const plain = await app.inject({ url: path });
    expect([plain.statusCode, path]).toEqual([200, path]);
    const small = await app.inject({ url: path, headers: { 'accept-encoding': 'br, gzip' } });
    expect(small.headers['content-encoding']).toBe('gzip');
    const known = await app.inject({ url: path, headers: { 'if-none-match': `"other", W/${plain.headers.etag}` } });
    expect([known.statusCode, known.body]).toEqual([304, '']);
    // Every module that a module imports is announced by the page, so that none is found late.
    if (path.endsWith('.js')) {
      for (const [, name] of plain.body.matchAll(/from '\.\/([^']+)'/g)) expect(files).toContain(`/console/${name}`);
    }
  }
  expect((await app.inject({ url: '/console/wire.ts' })).statusCode).toBe(404);
  expect((await app.inject({ url: '/console/..%2fpackage.json' })).statusCode).toBe(404);
  await app.close();
});
