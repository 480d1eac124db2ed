// Charts fill their place after it has grown and as bars close.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Browser, CHROMIUM, openBrowser } from './terminal-fixture.ts';

const SOURCE = `
  import { PriceChart } from './web/terminal/chart/price-chart.ts';
  import { CourseDrawing } from './web/terminal/kit/course-drawing.ts';
  Object.assign(globalThis, { PriceChart, CourseDrawing });
`;
/** Everything but candles and lines is black. */
const PAGE = `<!doctype html><style>
  :root { --panel: #000; --grid: #000; --text-2: #000; --up-soft: #000; --down-soft: #000; --up: #f00; --down: #f00; --accent: #f00; --warn: #000; --font: monospace }
  body { margin: 0; background: #000 }
  #place { width: 0; height: 300px }
</style><div id="place"></div>`;
/** Functions that the tests call in the page. */
const HANDS = `
  globalThis.MINUTE = 60_000;
  globalThis.bars = (count, from = 0) => Array.from({ length: count }, (_, index) => {
    const close = 100 + (index % 7);
    return { openTime: new Date(from + index * MINUTE).toISOString(), open: '103', high: '108', low: '98', close: String(close), volume: '1' };
  });
  globalThis.widen = (width) => { document.querySelector('#place').style.width = width + 'px'; };
  globalThis.frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  // Number of bars in sight: stretches of columns with red.
  globalThis.columns = () => {
    const canvas = [...document.querySelectorAll('#place canvas')].find(({ width }) => width > 500);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const heights = new Array(canvas.width).fill(0);
    for (let at = 0; at < data.length; at += 4) if (data[at] > 100 && data[at + 1] < 60) heights[(at / 4) % canvas.width]++;
    return heights.filter((height, column) => height > 2 && !(heights[column - 1] > 2)).length;
  };
  // Left and right end of what is red, in parts of the place's width.
  globalThis.drawnPart = () => {
    const width = document.querySelector('#place').clientWidth;
    const heights = new Array(width).fill(0);
    for (const canvas of document.querySelectorAll('#place canvas')) {
      if (canvas.width === 0 || canvas.height === 0) continue;
      const { left } = canvas.getBoundingClientRect();
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (data[at] > 100 && data[at + 1] < 60) heights[left + ((at / 4) % canvas.width)]++;
    }
    // The level of the last price is one pixel high and crosses the whole place.
    const drawn = heights.map((height) => height > 2);
    return { from: drawn.indexOf(true) / width, to: drawn.lastIndexOf(true) / width };
  };
`;

describe.skipIf(CHROMIUM === null)('a chart fills its place', () => {
  let browser: Browser;
  let page: Page;
  let script: string;
  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
    });
    script = (outputFiles[0] as { text: string }).text;
    browser = await openBrowser();
    ({ page } = await browser.page({ width: 1280, height: 400 }));
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    await page.setContent(PAGE);
    await page.addScriptTag({ content: script });
    await page.evaluate(HANDS);
    await page.evaluate('globalThis.chart = new PriceChart(document.querySelector("#place"))');
  });

  const steps = async (...all: string[]): Promise<{ from: number; to: number }> => {
    for (const step of all) await page.evaluate(`(async () => { ${step}; await frames(); })()`);
    return page.evaluate('drawnPart()');
  };
  const whole = { from: expect.toSatisfy((part: number) => part < 0.05), to: expect.toSatisfy((part: number) => part > 0.85) };

  test('after its place has grown', async () => {
    expect(await steps('widen(500)', 'chart.setBars(bars(300), MINUTE, "series")', 'widen(1000)')).toEqual(whole);
  });

  test('with bars that close one after the other', async () => {
    await steps('widen(1000)', 'chart.setBars(bars(20), MINUTE, "series")');
    expect(await steps('chart.setBars(bars(120), MINUTE, "series")')).toEqual(whole);
  });

  test('with the fewer bars of another series of the same time', async () => {
    await steps('widen(1000)', 'chart.setBars(bars(300), MINUTE, "series")');
    expect(await steps('chart.setBars(bars(100, 200 * MINUTE), MINUTE, "other")')).toEqual(whole);
  });

  test('and stays as a reader has zoomed it while bars close and the oldest leave', async () => {
    await steps('widen(1000)', 'chart.setBars(bars(100), MINUTE, "series")');
    const shown = 'globalThis.columns()';
    const fitted = await page.evaluate<number>(shown);
    await page.mouse.move(500, 100);
    for (let turn = 0; turn < 10; turn++) await page.mouse.wheel(0, -200);
    await steps('');
    const zoomed = await page.evaluate<number>(shown);
    expect(zoomed).toBeLessThan(fitted / 2);
    await steps('chart.setBars(bars(100, MINUTE), MINUTE, "series")', 'chart.setBars(bars(100, 2 * MINUTE), MINUTE, "series")');
    expect(Math.abs((await page.evaluate<number>(shown)) - zoomed)).toBeLessThan(zoomed / 10);
    await steps('chart.setBars(bars(100, 1_000 * MINUTE), MINUTE, "other")');
    expect(await page.evaluate<number>(shown)).toBe(fitted);
  });

  test('as does a line of figures over time', async () => {
    await steps('chart.end(); globalThis.chart = new CourseDrawing(document.querySelector("#place"))');
    const points = 'Array.from({ length: 200 }, (_, index) => ({ at: index * MINUTE, value: index % 5 }))';
    const course = `{ series: [{ title: '', ink: '--up', points: ${points} }], decimals: 2 }`;
    expect(await steps('widen(500)', `chart.draw(${course})`, 'widen(1000)')).toEqual(whole);
  });
});
