// What the terminal shows is as old, as whole and as precise as it says.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { latch } from '../harness/latch.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Asked, exampleAnswer, openStubbedTerminal, refuse, type StubbedTerminal } from './stubbed-terminal.ts';
import { CHROMIUM, tellWhatFailedShowed } from './terminal-fixture.ts';

interface Item {
  readonly [field: string]: unknown;
}
interface Items {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

const BTC = 'spotexchange:BTCUSDT';
/** Agents on the first page of a list. */
const PER_PAGE = 200;
const web = (name: string): Promise<unknown> => import(new URL(`../../web/terminal/${name}`, import.meta.url).href);
const { countTickDecimals } = (await web('chart/tick.ts')) as {
  countTickDecimals(key: string, kind: string | undefined, price: string): number;
};

test.each([
  [BTC, 'spot', '96472.06123456', 2],
  ['evmvenue:BTC', 'perp', '96472.5', 0],
  ['evmvenue:SOL', 'perp', '9.1234', 4],
  ['evmvenue:SOL', 'perp', '150.12', 2],
  ['evmvenue:xyz:TSLA', 'perp', '0.9871', 3],
  ['spotchain:AAPLx', 'tokenized_equity', '0.53412345', 6],
  ['spotchain:unknown', undefined, '0.00001234', 9],
])('a price of %s (%s) at %s has %i decimals', (key, kind, price, decimals) => {
  expect(countTickDecimals(key, kind, price)).toBe(decimals);
});

describe.skipIf(CHROMIUM === null)('the terminal', () => {
  let terminal: StubbedTerminal;
  tellWhatFailedShowed(() => terminal.page);
  beforeAll(async () => {
    terminal = await openStubbedTerminal();
  });
  afterAll(() => terminal?.close());

  const entry = {
    ...(exampleAnswer('listCatalog') as Items).items[0],
    key: BTC,
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    kind: 'spot',
  };
  const catalog = { items: [{ ...entry, name: 'Bitcoin', underlying: 'BTC', benchmark: null, benchmarkKind: null }], nextCursor: null };
  const [agent] = (exampleAnswer('listAgents') as Items).items;
  const halted = (count: number, from: string) =>
    Array.from({ length: count }, (_, place) => ({
      ...agent,
      id: `${from}-${place}`,
      name: `Agent ${from} ${place}`,
      paused: true,
      pauseCause: 'emergency_halt',
    }));
  const quote = (at: string) => ({
    kind: 'quote',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    source: 'sandbox',
    observedAt: at,
    receivedAt: at,
    quality: 'live',
    flags: [],
    maxAgeMs: 5_000,
    cadence: 'continuous',
    bid: '60000',
    ask: '60010',
    mid: '60005',
  });

  test('the banner and the panel of halts count every agent, also those beyond the first page', async () => {
    const { page, open } = terminal;
    const older = latch();
    const resumed: string[] = [];
    await open('operate', {
      listAgents: async ({ query }: Asked) => {
        if (query.get('cursor') === null) return { items: halted(PER_PAGE, 'new'), nextCursor: 'more' };
        await older.released;
        return { items: halted(5, 'old'), nextCursor: null };
      },
      resumeAgent: (_, route) => {
        resumed.push(route.request().url());
        return agent as object;
      },
    });
    const banner = page.locator('.banner');
    await banner.getByText(`at least ${PER_PAGE} agents paused`).waitFor();
    expect(await page.getByRole('button', { name: 'Resume all', exact: true }).isDisabled()).toBe(true);
    older.release();
    await banner.getByText(`${PER_PAGE + 5} agents paused`).waitFor();
    await page.getByRole('button', { name: 'Resume all', exact: true }).click();
    await page
      .getByRole('dialog')
      .getByText(`Resume ${PER_PAGE + 5} agents?`)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume all' }).click();
    await page.getByText(`${PER_PAGE + 5} agents resumed.`).waitFor();
    expect(new Set(resumed).size).toBe(PER_PAGE + 5);
  });

  test('no paused agent is out of sight when all systems are called normal', async () => {
    const { page, open } = terminal;
    await open('overview', {
      listAgents: ({ query }: Asked) =>
        query.get('cursor') === null ? { items: [agent], nextCursor: 'more' } : { items: halted(1, 'old'), nextCursor: null },
    });
    await page.getByText(/Agent old 0\W is paused/).waitFor();
  });

  test('a hostile name turns no price around, and pushes no button out of sight', async () => {
    const { page, open } = terminal;
    const names = ['\u202Ename that turns', '\u2069\u202Eone that ends an isolation', 'w'.repeat(120)];
    const [proposal] = (exampleAnswer('listProposals') as Items).items;
    const waiting = names.map((_, place) => ({
      ...proposal,
      id: `5d1e8a52-0000-4000-8000-00000000000${place}`,
      agentId: `named-${place}`,
      state: 'pending_approval',
      expiresAt: new Date(Date.now() + (place + 5) * 60_000).toISOString(),
    }));
    const answers = {
      listAgents: { items: names.map((name, place) => ({ ...agent, id: `named-${place}`, name })), nextCursor: null },
      listProposals: { items: waiting, nextCursor: null },
    };
    await page.setViewportSize({ width: 390, height: 844 });
    await open('overview', answers);
    const sentences = page.locator('.attention span', { hasText: 'wants to' });
    await sentences.nth(2).waitFor();
    for (const sentence of await sentences.allInnerTexts())
      expect(sentence).toMatch(/^\u2068[^\u202a-\u202e\u2066-\u2069]+\u2069 wants to/);
    await open('proposals', answers);
    const approve = page.getByRole('button', { name: 'Approve' });
    await waitFor(async () => (await page.getByText(names[2] as string).count()) > 0, { what: 'the long name' });
    for (const button of await page.locator('.proposal').getByRole('button', { name: 'Approve' }).all()) {
      const { x = 0, width = 0 } = (await button.boundingBox()) ?? {};
      expect(x + width).toBeLessThan(390);
    }
    expect(await approve.count()).toBeGreaterThan(2);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('the figures of a day that stop arriving are not shown as those of the day', async () => {
    const { page, open, send } = terminal;
    await open(`trade/${encodeURIComponent(BTC)}`, { listCatalog: catalog });
    const high = page.locator('.instrument-head .figures > div', { hasText: '24 h high' }).locator('dd');
    const [ticker] = (exampleAnswer('listTickers') as Items).items;
    let aheadMs = 0;
    // Until the page has subscribed, it receives nothing.
    const tellUntil = (shown: string, highPrice: string | null) =>
      waitFor(
        async () => {
          const at = new Date(Date.now() + aheadMs).toISOString();
          send({ type: 'update', channel: 'quotes', data: quote(at), at });
          const day = { ...ticker, instrument: 'BTCUSDT', quality: 'live', highPrice, observedAt: at, receivedAt: at };
          if (highPrice !== null) send({ type: 'update', channel: 'tickers', data: day, at });
          return (await high.count()) > 0 && (await high.innerText()) === shown;
        },
        { what: `the high ${shown}` },
      );
    await tellUntil('61,234.50', '61234.5');
    // The service's clock goes on; its quotes arrive and its tickers do not.
    aheadMs = 8_000;
    await tellUntil('–', null);
    await tellUntil('61,300.00', '61300');
  });

  test('the pre-trade check is read again while it is looked at, and never of another order', async () => {
    const { page, open, answers } = terminal;
    const impact = exampleAnswer('simulateImpact') as { readonly allocations: readonly Item[] };
    const pass = (wouldPass: boolean) => ({ ...impact, allocations: [{ ...impact.allocations[0], wouldPass, note: '' }] });
    await open(`trade/${encodeURIComponent(BTC)}`, { listCatalog: catalog, simulateImpact: pass(true) });
    const size = page.getByRole('textbox', { name: 'Size' });
    const check = page.getByRole('region', { name: 'Pre-trade check' }).getByRole('status');
    await size.fill('100');
    await check.getByText('Risk: passes').waitFor();
    // The market, or another order, has changed what would pass.
    answers.simulateImpact = pass(false);
    await check.getByText('Risk: blocked').waitFor();
    const held = latch();
    answers.simulateImpact = async () => {
      await held.released;
      return pass(true);
    };
    await size.fill('200');
    await check.getByText('Risk: checking…').waitFor();
    held.release();
    await check.getByText('Risk: passes').waitFor();
  });

  test('fills that are not read, or cannot be, are not called none', async () => {
    const { page, open } = terminal;
    const held = latch();
    await open(`trade/${encodeURIComponent(BTC)}`, {
      listCatalog: catalog,
      listProposals: async (asked: Asked, route) => {
        await held.released;
        return refuse(403, 'forbidden', 'your role may not read proposals')(asked, route);
      },
    });
    const panel = page.locator('.dv-content-container');
    await page.locator('.dv-tab', { hasText: 'Fills' }).click();
    await panel.getByText('Loading…').first().waitFor({ state: 'attached' });
    expect(await page.getByText('No fills yet').count()).toBe(0);
    held.release();
    await panel.getByText('your role may not read proposals').first().waitFor();
    expect(await page.getByText('No fills yet').count()).toBe(0);
  });

  test('fills of an agent that are not read yet are not called none', async () => {
    const { page, open } = terminal;
    const held = latch();
    await open(`agents/${String(agent?.['id'])}/trades`, {
      listFills: async () => {
        await held.released;
        return { items: [], nextCursor: null };
      },
    });
    await page
      .getByRole('region', { name: /^Positions on/ })
      .first()
      .waitFor();
    expect(await page.getByText('No fills yet').count()).toBe(0);
    held.release();
    await page.getByText('No fills yet').waitFor();
  });

  test('what is written stays when the zone is switched, and when another member saves a version', async () => {
    const { page, open, answers } = terminal;
    const detail = exampleAnswer('getAgent') as Item;
    await page.addInitScript(`{
      const real = Date.now;
      let aheadMs = 0;
      Date.now = () => real() + aheadMs;
      globalThis.passMinute = () => { aheadMs += 60_000; };
    }`);
    await open(`agents/${String(detail['id'])}/edit`, {});
    const yaml = page.getByRole('textbox', { name: 'Manifest as YAML' });
    const written = `${await yaml.inputValue()}# mine\n`;
    await yaml.fill(written);
    await page.locator('main').focus();
    await page.keyboard.press('z');
    await page.locator('.clock', { hasText: 'local time' }).waitFor();
    expect(await yaml.inputValue()).toBe(written);
    answers.getAgent = { ...detail, manifestVersion: 2, manifestHash: 'f'.repeat(64) };
    // Coming back to the tab after a while reads the agent again.
    await page.evaluate("passMinute(); dispatchEvent(new Event('visibilitychange'))");
    await page.getByText('Version 2 was saved meanwhile').waitFor();
    expect(await yaml.inputValue()).toBe(written);
  });
});
