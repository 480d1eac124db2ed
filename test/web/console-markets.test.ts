// The pages of instruments in a real browser: candles by timeframe, the book as it moves, funding, news, and who holds it.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConsoleFiles } from '../../src/adapters/console-files.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Service, startService } from '../journeys/running-service.ts';
import { type Browser, CHROMIUM, findingsEverywhere, openBrowser, signIn, type Watched } from './console-fixture.ts';

describe.skipIf(CHROMIUM === null)('the pages of instruments in a browser', () => {
  let service: Service;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    watched = await browser.page();
    page = watched.page;
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  const bars = async (): Promise<number> => Number(await page.locator('.candle-place').getAttribute('data-bars'));
  /** The colours that the pane of candles is painted with, each with how many dots. */
  const painted = (): Promise<Record<string, number>> =>
    page.evaluate(`(() => {
      const counted = {};
      for (const canvas of document.querySelectorAll('.candle-place canvas')) {
        const copy = new OffscreenCanvas(canvas.width || 1, canvas.height || 1).getContext('2d', { willReadFrequently: true });
        if (canvas.width > 0 && canvas.height > 0) copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height);
        for (let i = 0; i < data.length; i += 4) {
          if (data[i + 3] < 255) continue;
          const colour = '#' + [data[i], data[i + 1], data[i + 2]].map((part) => part.toString(16).padStart(2, '0')).join('');
          counted[colour] = (counted[colour] ?? 0) + 1;
        }
      }
      return counted;
    })()`);

  test('from the quotes to a perpetual: candles drawn from the bars of the API, at every length of a bar', async () => {
    await page.getByRole('link', { name: 'Quotes' }).click();
    await page.locator('[data-venue=evmvenue]').getByRole('link', { name: 'BTC', exact: true }).click();
    await page.getByRole('heading', { name: 'BTC', level: 1 }).waitFor();
    await waitFor(async () => (await bars()) >= 290, { what: 'the bars of 15 minutes' });
    const newest = (await service.get('/v1/candles?venue=evmvenue&instrument=BTC&timeframe=15m&limit=1')).body.items[0];
    // Away from the chart, whose words are otherwise those of the bar under the pointer.
    await page.mouse.move(1, 1);
    const legend = page.locator('.candle-place .market-chart-legend');
    await waitFor(async () => (await legend.innerText()).includes(`O ${newest.open}`), { what: 'the newest bar in words' });
    // Rising bars and falling ones are both there, in the palette's own colours of the dark.
    await waitFor(async () => ((await painted())['#5fd38d'] ?? 0) > 100 && ((await painted())['#ff8a80'] ?? 0) > 100, {
      what: 'green and red candles',
    });
    for (const length of ['1h', '4h', '1m']) {
      await page.getByRole('button', { name: length, exact: true }).click();
      await page.getByLabel(`BTC, bars of ${length}`).waitFor();
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
    await page.getByText('No book holds it.').waitFor();
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  test('a tokenized share shows its premium and when the session is closed; a venue without books shows none', async () => {
    await page.goto(`${service.url}/#/instruments/${encodeURIComponent('spotchain:AAPLx')}/1h`);
    await page.getByRole('heading', { name: 'AAPLx', level: 1 }).waitFor();
    await waitFor(async () => (await bars()) >= 290, { what: 'the bars of an hour' });
    await page.getByText('Blue: the regular session is closed.').waitFor();
    // The line of the premium is in the palette's colour of sessions.
    await waitFor(async () => ((await painted())['#86b6ff'] ?? 0) > 100, { what: 'the premium' });
    await waitFor(async () => (await page.locator('.book-panel:visible').count()) === 0, { what: 'no book' });
    expect(await findingsEverywhere(page)).toEqual([]);
    await page.goto(`${service.url}/#/instruments/${encodeURIComponent('spotchain:NONE')}`);
    await page.getByRole('heading', { name: 'There is no such instrument' }).waitFor();
  });

  test('until here nothing complained, and nobody else was asked for anything', () => {
    // The chart of an instrument that does not exist was refused, as the page said.
    expect(watched.complaints.filter((text) => !text.includes('404'))).toEqual([]);
    expect([...new Set(watched.asked.map((address) => new URL(address).host))]).toEqual([new URL(service.url).host]);
  });
});

test('what a first visit loads stays within its budget, and the chart library comes only with a chart', () => {
  const files = new Map(readConsoleFiles().map(({ name, content }) => [name, content]));
  const index = String(files.get('index.html'));
  const announced = [...index.matchAll(/href="\/console\/([^"]+)"/g)].map(([, name]) => name as string);
  const weight = [...announced, 'main.js'].reduce(
    (sum, name) => sum + gzipSync(files.get(name) ?? Buffer.alloc(0), { level: 9 }).length,
    0,
  );
  expect(weight).toBeLessThan(160_000);
  expect(announced).not.toContain('lightweight-charts.js');
  // The file as the package ships it, with its licence at the top.
  const shipped = readFileSync(
    new URL('../../node_modules/lightweight-charts/dist/lightweight-charts.standalone.production.mjs', import.meta.url),
  );
  expect(files.get('lightweight-charts.js')?.equals(shipped)).toBe(true);
  expect(String(shipped).slice(0, 400)).toContain('Apache License 2.0');
});
