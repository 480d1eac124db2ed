/** Takes the README's pictures in dark and light, of a seeded sandbox in a real browser, for `npm run pictures`. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { waitFor } from '../harness/wait-for.ts';
import { CHROMIUM, openBrowser, propose, type ServiceWithPast, signIn, startServiceWithPast } from './terminal-fixture.ts';
import { PICTURED_PAGES, pictureFile, SCHEMES } from './pictured-pages.ts';

const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const SIZE = { width: 1440, height: 900 };
/** Script that freezes every clock, because differences between runs would be meaningless. */
const STAND_STILL = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const masked = node.data.replace(/\\b\\d\\d:\\d\\d:\\d\\d\\b/g, '12:00:00').replace(/\\b20\\d\\d-\\d\\d-\\d\\d\\b/g, '2026-01-01');
    if (masked !== node.data) node.data = masked;
  }
  for (const notice of document.querySelectorAll('.mantine-Notification-root')) notice.remove();
})()`;

test('every picture is taken', async () => {
  expect(CHROMIUM, 'pictures are taken in a Chromium, and there is none on this machine').not.toBeNull();
  mkdirSync(FOLDER, { recursive: true });
  const [service, browser] = await Promise.all([startServiceWithPast(), openBrowser()]);
  try {
    const { page } = await browser.page(SIZE);
    await signIn(page, service, 'operator');
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const id = items.find(({ name }) => name === 'Crypto trend')?.id as string;
    await trade(service, id);
    await order(service);
    for (const { name, address, ready } of PICTURED_PAGES) {
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.goto(`${service.url}/${address.replace(':agent', id)}`);
        await page.reload();
        await page.locator(ready).first().waitFor();
        await settled(page);
        await page.evaluate(STAND_STILL);
        const path = fileURLToPath(new URL(pictureFile(name, scheme), FOLDER));
        await page.screenshot({ path, animations: 'disabled', caret: 'hide', scale: 'css' });
      }
    }
  } finally {
    await browser.close();
    await service.discard();
  }
});

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
