// The pages of instruments in a real browser: candles by timeframe, the book as it moves, funding, news, and who holds it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VENUE_FACTS } from '../../src/domain/venue.ts';
import { EXAMPLE } from '../../src/sandbox/example-organization.ts';
import { waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import {
  type Browser,
  CHROMIUM,
  findingsEverywhere,
  openBrowser,
  paintedColours,
  signIn,
  tellWhatFailedShowed,
  type Watched,
} from './console-fixture.ts';

interface QuoteLimits {
  readonly venue: string;
  readonly instrument: string;
  readonly maxAgeMs: number;
}

/** Seconds of an age as it is shown: `3 s`, `1.4 min`. */
const secondsOf = (shown: string): number => Number.parseFloat(shown) * ({ ms: 0.001, s: 1, min: 60 }[shown.split(' ')[1] ?? ''] ?? 3_600);

describe.skipIf(CHROMIUM === null)('the pages of instruments in a browser', () => {
  let service: SharedService;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([joinService('console-markets'), openBrowser({ timezoneId: 'Asia/Kolkata' })]);
    const [{ manifest } = { manifest: null }] = EXAMPLE.agents;
    expect((await service.post('/v1/agents', manifest)).body.name).toBe('Discount hunter');
    watched = await browser.page();
    page = watched.page;
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.leave();
  });

  const bars = async (): Promise<number> => Number(await page.locator('.candle-place').getAttribute('data-bars'));
  const painted = () => paintedColours(page);

  test('from the quotes to a perpetual: candles drawn from the bars of the API, at every length of a bar', async () => {
    // The venue refuses the history of funding once; the page says so, and a later test finds the chart all the same.
    const refusal = 'evmvenue did not answer: its request budget is spent (rate_limited)';
    await page.route(
      '**/v1/perps/BTC',
      async (route) => {
        const answer = await route.fetch();
        const perp = await answer.json();
        await route.fulfill({ response: answer, json: { ...perp, funding: { ...perp.funding, items: [], problem: refusal } } });
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: 'Quotes' }).click();
    await page.locator('[data-venue=evmvenue]').getByRole('link', { name: 'BTC', exact: true }).click();
    await page.getByRole('heading', { name: 'BTC', level: 1 }).waitFor();
    await page.locator('.funding-panel').getByText(refusal).waitFor();
    await waitFor(async () => (await bars()) >= 290, { what: 'the bars of 15 minutes' });
    const newest = (await service.get('/v1/candles?venue=evmvenue&instrument=BTC&timeframe=15m&limit=1')).body.items[0];
    const words = page.locator('.candle-place figure p[role=status]');
    await waitFor(async () => (await words.innerText()).includes(`Last close ${newest.close.replace(/(\d)(?=(\d{3})+(\.|$))/g, '$1,')}`), {
      what: 'the newest bar in words',
    });
    // Away from the chart, whose words are otherwise those of the bar under the pointer: that of the present, which moves.
    await page.mouse.move(1, 1);
    const legend = page.locator('.candle-place .market-chart-legend');
    await waitFor(async () => /now [\d,.]+$/.test(await legend.innerText()), { what: 'the bar of the present' });
    const forming = Date.parse((await page.locator('.candle-place figure').getAttribute('data-forming')) ?? '');
    expect(forming - Date.parse(newest.openTime)).toBeGreaterThanOrEqual(900_000);
    expect(forming % 900_000).toBe(0);
    // Rising bars and falling ones are both there, in the palette's own colours of the dark.
    await waitFor(async () => ((await painted())['#5fd38d'] ?? 0) > 100 && ((await painted())['#ff8a80'] ?? 0) > 100, {
      what: 'green and red candles',
    });
    for (const length of ['1h', '4h', '1m']) {
      await page.getByRole('button', { name: length, exact: true }).click();
      await page.getByLabel(`BTC, ${length} bars`).waitFor();
      await waitFor(async () => (await bars()) > 50, { what: `bars of ${length}` });
    }
  });

  test('a bar that closes while one looks is drawn without reloading', async () => {
    const shown = await page.locator('.candle-place figure p[role=status]').innerText();
    await waitFor(async () => (await page.locator('.candle-place figure p[role=status]').innerText()) !== shown, {
      what: 'the next bar of a minute',
      deadlineMs: 100_000,
    });
  });

  test('the book moves, funding and news are told, and nothing of it troubles axe in the dark, the light or on a phone', async () => {
    const prices = () => page.locator('.book-panel tbody td:first-child').allInnerTexts();
    await waitFor(async () => (await prices()).length >= 6, { what: 'levels of the book' });
    const before = (await prices()).join();
    await waitFor(async () => (await prices()).join() !== before, { what: 'another book' });
    await page.locator('.funding-panel').getByText('Funding per hour').waitFor();
    await page.locator('.funding-panel canvas').first().waitFor();
    await page.locator('.news-list li').first().waitFor();
    await page.getByText('No positions in this instrument.').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  test('a tokenized share shows its premium and when the session is closed; a venue without books shows none', async () => {
    await page.goto(`${service.url}/#/instruments/${encodeURIComponent('spotchain:AAPLx')}/1h`);
    await page.getByRole('heading', { name: 'AAPLx', level: 1 }).waitFor();
    await waitFor(async () => (await bars()) >= 290, { what: 'the bars of an hour' });
    await page.getByText('Blue: market closed.').waitFor();
    // Two weeks of hours: the sessions of each day are one band, not one for every bar.
    const bands = Number(await page.locator('.candle-place figure').getAttribute('data-bands'));
    expect(bands).toBeGreaterThan(5);
    expect(bands).toBeLessThan(25);
    // The line of the premium is in the palette's colour of sessions.
    await waitFor(async () => ((await painted())['#86b6ff'] ?? 0) > 100, { what: 'the premium' });
    await waitFor(async () => (await page.locator('.book-panel:visible').count()) === 0, { what: 'no book' });
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.goto(`${service.url}/#/instruments/${encodeURIComponent('spotchain:NONE')}`);
    await page.getByRole('heading', { name: 'Instrument not found' }).waitFor();
  });

  test('a list is sorted by value, searched by column, and kept as a view that a link shows as well', async () => {
    await page.goto(`${service.url}/#/markets/tickers`);
    const rows = page.getByRole('region', { name: 'Spot exchange, last 24 hours' }).locator('tbody tr');
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'last', exact: true }).click();
    await page.getByRole('button', { name: 'last', exact: true }).click();
    const shown = async () =>
      rows.locator('td:nth-child(2) .number').evaluateAll((all) => all.map((one) => Number(one.getAttribute('title'))));
    const { items } = (await service.get('/v1/tickers?limit=200')).body;
    expect(items.length).toBeGreaterThan(2);
    const prices = await shown();
    expect([prices.length, prices]).toEqual([items.length, prices.toSorted((a, b) => b - a)]);
    expect(await page.locator('[aria-sort=descending]').getAttribute('data-column')).toBe('last');
    await page.getByRole('searchbox').fill('instrument:btc');
    await waitFor(async () => (await rows.filter({ visible: true }).count()) === 1, { what: 'one instrument' });
    // The page reads again every few seconds: what is redrawn is searched and sorted again.
    await page.evaluate(`for (const row of document.querySelectorAll('tbody tr')) row.dataset.old = ''`);
    await page.locator('tbody tr:not([data-old])').first().waitFor({ state: 'attached' });
    expect(await rows.filter({ visible: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Bitcoin');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#/markets/tickers?search=instrument%3Abtc&sort=last&way=down');
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.getByLabel('Saved views').selectOption('All, default order');
    await waitFor(async () => (await rows.filter({ visible: true }).count()) === items.length, { what: 'all instruments' });
    await page.getByLabel('Saved views').selectOption('Bitcoin');
    await waitFor(async () => (await rows.filter({ visible: true }).count()) === 1, { what: 'the saved view' });
    expect(await page.getByRole('searchbox').inputValue()).toBe('instrument:btc');
    await page.getByRole('button', { name: 'Delete view' }).click();
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No matches.').waitFor();
  });

  test('a few letters find a page, an agent, an instrument or a deed, and keys lead there without them', async () => {
    await page.keyboard.press('Escape');
    await page.locator('main').focus();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('discount');
    await page.getByRole('option', { name: /Discount hunter/ }).waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Discount hunter', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('nvdax');
    await page.getByRole('dialog').getByRole('option', { name: /NVDAx/ }).first().click();
    await page.getByRole('heading', { name: 'NVDAx', level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { name: 'Quotes', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('?z');
    expect(await page.getByRole('searchbox').inputValue()).toBe('?z');
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.keyboard.press('Escape');
    // Who does not want single keys turns them off.
    await page.locator('.who summary').click();
    await page.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.locator('main').focus();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
  });

  test('times are in UTC or in local time, on every page and in every chart, as one chooses', async () => {
    const utc = await page.evaluate<number>('new Date().getTimezoneOffset()');
    expect(utc, 'the browser of this test lies east of Greenwich').toBe(-330);
    await page.goto(`${service.url}/#/instruments/${encodeURIComponent('evmvenue:BTC')}/1h`);
    await page.getByRole('heading', { name: 'BTC', level: 1 }).waitFor();
    await waitFor(async () => (await bars()) > 50, { what: 'the bars' });
    await page.mouse.move(1, 1);
    const legend = page.locator('.candle-place .market-chart-legend');
    await waitFor(async () => /:00 {2}O/.test(await legend.innerText()), { what: 'a full hour in UTC' });
    await page.locator('.who summary').click();
    await page.getByLabel('Times in').selectOption('local time');
    await waitFor(async () => /:30 {2}O/.test(await legend.innerText()), { what: 'half past in India' });
    await page.goto(`${service.url}/#/markets/venues`);
    await page.getByText(/^as of \d\d:\d\d:\d\d local time$/).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).fill('times in utc');
    await page.keyboard.press('Enter');
    await page.getByText(/^as of \d\d:\d\d:\d\d UTC$/).waitFor();
  });

  test('on a phone the main pages lie under the thumb, and the others behind More', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const thumbs = page.getByRole('navigation', { name: 'Main pages' });
    await thumbs.getByRole('link', { name: 'Portfolio' }).click();
    await page.getByRole('heading', { name: 'Portfolio', level: 1 }).waitFor();
    await thumbs.getByRole('button', { name: 'More' }).click();
    await page.getByRole('option', { name: /Leaderboard/ }).click();
    await page.getByRole('heading', { name: 'Leaderboard', level: 1 }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages', exact: true }).isVisible()).toBe(false);
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('until here nothing complained, and nobody else was asked for anything', () => {
    // The chart of an instrument that does not exist was refused, as the page said.
    expect(watched.complaints.filter((text) => !text.includes('404'))).toEqual([]);
    expect([...new Set(watched.asked.map((address) => new URL(address).host))]).toEqual([new URL(service.url).host]);
  });

  test('with the network cut the light goes off at once, and no badge is live beyond the age limit of its venue', async () => {
    const { page: second } = await browser.page();
    await second.goto(`${service.url}/#/quotes`);
    await second.locator('[data-instrument=BTCUSDT] .quality-live').first().waitFor();
    await second.locator('.connection[data-state=live]').waitFor();
    const answers = await Promise.all(
      ['spotchain', 'spotexchange', 'evmvenue', 'reference'].map((venue) => service.get(`/v1/quotes?limit=200&venue=${venue}`)),
    );
    const quotes: QuoteLimits[] = answers.flatMap(({ body }) => body.items);
    const limits = new Map(quotes.map(({ venue, instrument, maxAgeMs }) => [`${venue}:${instrument}`, maxAgeMs]));
    expect(limits.get('spotexchange:BTCUSDT')).toBe(VENUE_FACTS.spotexchange.limits.maxAgeMs);
    /** Key and age of every row with a live badge, the age as it is shown. */
    const live = async () =>
      second.evaluate<[string, string][]>(`[...document.querySelectorAll('[data-venue] tr:has(.quality-live)')].map((row) =>
        [row.closest('[data-venue]').dataset.venue + ':' + row.dataset.instrument, row.querySelector('.age').textContent])`);
    await browser.context.setOffline(true);
    try {
      await second.locator('.connection:not([data-state=live])').waitFor();
      await waitFor(
        async () => {
          const rows = await live();
          const late = rows.filter(
            ([key, age]) => secondsOf(age) * 1_000 > (limits.get(key) ?? VENUE_FACTS.prediction.limits.maxAgeMs) + 1_000,
          );
          expect(late).toEqual([]);
          return !rows.some(([key]) => key.startsWith('spotexchange:'));
        },
        { what: 'no live quote of a venue whose limit is 5 s' },
      );
      expect(await second.locator('.connection').getAttribute('data-state')).not.toBe('live');
    } finally {
      await browser.context.setOffline(false);
    }
    await second.locator('.connection[data-state=live]').waitFor();
    await second.locator('[data-instrument=BTCUSDT] .quality-live').first().waitFor();
    await second.close();
  });
});
