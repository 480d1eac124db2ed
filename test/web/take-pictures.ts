/**
 * Takes pictures of a seeded sandbox in a real browser: the README's for `npm run pictures`, and every page in three sizes and two themes
 * for `npm run pictures -- all <folder>`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { waitFor } from '../harness/wait-for.ts';
import {
  CHROMIUM,
  everyAddress,
  openBrowser,
  propose,
  type ServiceWithPast,
  signIn,
  SIZES,
  startServiceWithPast,
  visit,
} from './terminal-fixture.ts';
import { PICTURED_PAGES, pictureFile, SCHEMES } from './pictured-pages.ts';

const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const SIZE = { width: 1440, height: 900 };
/** Bound of the whole run: every wait in it has a shorter one, and the listings of the example market alone may take five minutes. */
const RUN_MS = 3_600_000;
/** Script that freezes every clock, because differences between runs would be meaningless. */
const STAND_STILL = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const masked = node.data.replace(/\\b\\d\\d:\\d\\d:\\d\\d\\b/g, '12:00:00').replace(/\\b20\\d\\d-\\d\\d-\\d\\d\\b/g, '2026-01-01');
    if (masked !== node.data) node.data = masked;
  }
  for (const notice of document.querySelectorAll('.mantine-Notification-root')) notice.remove();
})()`;

/** Folder of the pictures of every page, or undefined for the README's. */
const { PICTURES_OF_ALL } = process.env;

test('every picture is taken', { timeout: RUN_MS }, async () => {
  expect(CHROMIUM, 'pictures are taken in a Chromium, and there is none on this machine').not.toBeNull();
  const [service, browser] = await Promise.all([startServiceWithPast({ env: { SANDBOX_EXAMPLES: 'true' } }), openBrowser()]);
  try {
    const { page } = await browser.page(SIZE);
    await signIn(page, service, 'operator');
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const id = items.find(({ name }) => name === 'Crypto trend')?.id as string;
    await trade(service, id);
    await order(service);
    if (PICTURES_OF_ALL === undefined) await takeReadme(page, service, id);
    else await takeAll(page, service, PICTURES_OF_ALL);
  } finally {
    await browser.close();
    await service.discard();
  }
});

async function takeReadme(page: Page, service: ServiceWithPast, id: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, address, ready } of PICTURED_PAGES) {
    for (const scheme of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${service.url}/${address.replace(':agent', id)}`);
      await page.reload();
      await page.locator(ready).first().waitFor();
      await settled(page);
      await page.evaluate(STAND_STILL);
      await take(page, fileURLToPath(new URL(pictureFile(name, scheme), FOLDER)));
    }
  }
}

/** Pictures every page once its examples exist. A file is named by size, theme and page. */
async function takeAll(page: Page, service: ServiceWithPast, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const listed = async (): Promise<boolean> => (await service.get('/v1/marketplace')).body.items.length > 2;
  await waitFor(listed, { what: 'the listings of the example market', deadlineMs: 300_000 });
  const addresses = await everyAddress(page, service);
  await page.getByRole('button', { name: 'Close' }).click();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const address of addresses) {
      await page.goto(`${service.url}/${address}`);
      await visit(page, address.slice('#/'.length));
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        const name = address
          .slice('#/'.length)
          .replace(/[0-9a-f-]{36}/, 'agent')
          .replaceAll('/', '-');
        await take(page, join(folder, `${size.width}-${scheme}-${name}.png`));
      }
    }
  }
}

const take = (page: Page, path: string) => page.screenshot({ path, animations: 'disabled', caret: 'hide', scale: 'css' });

/** Gives the agent a position: approves a proposal until it fills. The market may leave its limit meanwhile. */
async function trade(service: ServiceWithPast, agentId: string): Promise<void> {
  await waitFor(
    async () => {
      const id = await propose(service, agentId, '0.05');
      await service.post(`/v1/agent-orders/${id}/approve`);
      const order = await waitFor(
        async () => {
          const { body } = await service.get(`/v1/agent-orders/${id}`);
          return ['pending_approval', 'approved', 'executing', 'unknown'].includes(body.state) ? null : body;
        },
        { what: 'the end of the proposal' },
      );
      return order.state === 'filled';
    },
    { what: 'a filled proposal' },
  );
}

/** Places a manual order, so that the workspace shows a position and a fill of people too. */
async function order(service: ServiceWithPast): Promise<void> {
  const body = { instrument: 'ETHUSDT', side: 'buy', notionalUsd: '2500' };
  const { status, body: answer } = await service.post('/v1/market-orders/paper', body);
  expect(status, JSON.stringify(answer)).toBeLessThan(300);
}

/** Waits until nothing is loading and the page looks as it did a second before. */
async function settled(page: Page): Promise<void> {
  await page.mouse.move(1, SIZE.height - 1);
  await waitFor(
    () =>
      page.evaluate<boolean>(`new Promise((resolve) => {
        const main = document.querySelector('main');
        const look = () => main.querySelectorAll('*').length;
        const before = look();
        setTimeout(() => resolve(look() === before && !/Reading|connecting/.test(main.innerText)), 1_500);
      })`),
    { what: 'a page that stands still' },
  );
}
