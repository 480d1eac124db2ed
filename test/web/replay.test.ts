// A tape in the terminal, in a real browser and without a database: played, stepped, moved, and clearly not the present.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { startTapeServer, type TapeServer } from '../../src/cli/tape/tape-server.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { bidAt, DAY_BEGIN, type RecordedDay, recordedDay } from '../harness/recorded-day.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Browser, CHROMIUM, findingsEverywhere, openBrowser, type Watched } from './terminal-fixture.ts';

describe.skipIf(CHROMIUM === null)('a replayed tape in the terminal', () => {
  const failures: unknown[] = [];
  let day: RecordedDay;
  let server: TapeServer;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  beforeAll(async () => {
    day = recordedDay();
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    const options = { from: null, to: null, speed: 10, loop: false, paused: true, port: 0, version: 'test' };
    [server, browser] = await Promise.all([
      startTapeServer({
        ...options,
        file: day.file,
        clock: createLiveClock(),
        progress: () => {},
        onFailure: (error) => void failures.push(error),
      }),
      openBrowser(),
    ]);
    watched = await browser.page();
    page = watched.page;
    await page.goto(server.url);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    day?.remove();
  });

  const bar = () => page.getByRole('region', { name: 'Replay' });
  const shownTime = () => page.locator('.replay-time').innerText();
  const bitcoin = () => page.locator('.quotes-page [data-instrument="spotexchange:BTCUSDT"] td').nth(2).innerText();
  const seek = (at: number) =>
    page.evaluate(`(() => {
      const input = document.querySelector('.replay-bar input[type=range]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, '${at}');
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }));
    })()`);

  test('needs no sign-in, says that it is a replay, and shows the quotes of that time', async () => {
    await bar().getByText('REPLAY').waitFor();
    expect(await bar().innerText()).toContain('day.tape.ndjson');
    expect(await page.getByRole('button', { name: /Halt|account of/ }).count()).toBe(0);
    await page.evaluate("location.hash = '#/quotes'");
    expect(await shownTime()).toBe('2026-03-02 14:30:00 UTC');
    await waitFor(async () => (await bitcoin()).replace(/\D/g, '') === bidAt(DAY_BEGIN), { what: 'the first quote of the tape' });
    await bar().getByRole('button', { name: 'Step' }).click();
    await waitFor(async () => (await bitcoin()).replace(/\D/g, '') === bidAt(DAY_BEGIN + 1_000), { what: 'the next quote' });
    expect(await shownTime()).toBe('2026-03-02 14:30:01 UTC');
  });

  test('the rest is shown in tape time and at its speed, down to zero', async () => {
    const left = () => page.locator('.replay-left').innerText();
    expect(server.to).toBe(DAY_BEGIN + 359_000);
    expect(await left()).toBe('5:58 left, 0:36 at × 10');
    await page.getByLabel('Speed').selectOption('0.1');
    await waitFor(async () => (await left()) === '5:58 left, 59:40 at × 0.1', { what: 'what is left at another speed' });
    await seek(DAY_BEGIN + 299_000);
    await waitFor(async () => (await left()) === '1:00 left, 10:00 at × 0.1', { what: 'what is left from another time on' });
    await page.getByLabel('Speed').selectOption('1000');
    await bar().getByRole('button', { name: 'Play', exact: true }).click();
    await bar().getByRole('button', { name: 'Restart' }).waitFor();
    expect(await left()).toBe('');
  });

  test('a jump shows the bars and the quote of its time, and continuing closes bars on the chart', async () => {
    await page.goto(`${server.url}/#/instruments/${encodeURIComponent('spotexchange:BTCUSDT')}/1m`);
    await page.locator('.timeframes').getByText('1m', { exact: true }).click();
    const chart = page.locator('.chart-canvas');
    const bars = async () => Number(await chart.getAttribute('data-bars'));
    // A dollar above the bid, a dollar below the ask.
    const middle = String(Number(bidAt(DAY_BEGIN + 150_000)) + 1);
    await seek(DAY_BEGIN + 150_000);
    await waitFor(async () => (await bars()) === 2, { what: 'the bars that had closed' });
    await waitFor(
      async () =>
        (await page.locator('tr[data-instrument="spotexchange:BTCUSDT"]').first().innerText()).replace(/\D/g, '').includes(middle),
      {
        what: 'the quote of that time',
      },
    );
    await page.getByLabel('Speed').selectOption('60');
    await bar().getByRole('button', { name: 'Play' }).click();
    await bar().getByRole('button', { name: 'Restart' }).waitFor();
    expect(await shownTime()).toBe(isoTime(server.to).slice(0, 19).replace('T', ' ') + ' UTC');
    await waitFor(async () => (await bars()) >= 5, { what: 'the bars that closed' });
    // After moving back, the later bars are gone.
    await seek(DAY_BEGIN + 150_000);
    await waitFor(async () => (await bars()) === 2, { what: 'the bars of that time again' });
  });

  test('a chart stays when the time goes back, as it does after an estimate that was ahead', async () => {
    const tape = async (path = '', body?: object) => {
      const sent = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return (await (await fetch(`${server.url}/v1/replay${path}`, sent)).json()) as { readonly at: string };
    };
    const told = await tape('/seek', { at: isoTime(DAY_BEGIN + 150_000) });
    const own = await browser.page();
    let estimate = DAY_BEGIN + 310_000;
    await own.page.route('**/v1/replay', (route) => route.fulfill({ json: { ...told, at: isoTime(estimate) } }));
    await own.page.goto(`${server.url}/#/instruments/${encodeURIComponent('spotexchange:BTCUSDT')}/1m`);
    const row = own.page.locator('tr[data-instrument="spotexchange:BTCUSDT"]').first();
    const isShown = async (at: number) => (await row.innerText()).replace(/\D/g, '').includes(String(Number(bidAt(at)) + 1));
    await waitFor(async () => (await own.page.locator('.chart-canvas').getAttribute('data-bars')) === '2', { what: 'the bars' });
    await waitFor(() => isShown(DAY_BEGIN + 150_000), { what: 'a quote, which draws the forming bar' });
    estimate = DAY_BEGIN + 200_000;
    await waitFor(async () => (await own.page.locator('.replay-time').innerText()).includes('14:33:20'), { what: 'the earlier time' });
    await tape('/step', {});
    await waitFor(() => isShown(DAY_BEGIN + 151_000), { what: 'the next quote' });
    expect(await own.page.locator('.chart-canvas').getAttribute('data-bars')).toBe('2');
    expect(own.complaints).toEqual([]);
    await own.page.close();
  });

  test('another tape of the folder is loaded; axe has no findings in dark, light and on a phone', async () => {
    await page.getByRole('link', { name: 'day.tape.ndjson' }).click();
    await page.getByRole('heading', { name: 'Replay', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Load broken.tape.ndjson' }).click();
    await page.getByText('is no tape header').first().waitFor();
    await page.getByRole('button', { name: 'Load minute.tape.ndjson' }).click();
    await waitFor(async () => (await bar().innerText()).includes('minute.tape.ndjson'), { what: 'the other tape' });
    expect(await shownTime()).toBe('2026-03-02 14:30:00 UTC');
    expect(await findingsEverywhere(page)).toEqual([]);
  });

  test('there were no console errors and no requests to others', () => {
    // The invalid tape was refused, as the page said.
    expect(watched.complaints.filter((text) => !text.includes('400'))).toEqual([]);
    expect([...new Set(watched.asked.map((address) => new URL(address).host))]).toEqual([new URL(server.url).host]);
    expect(failures).toEqual([]);
  });
});
