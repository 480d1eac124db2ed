// Takes in the console: a thesis in words becomes a draft, is armed, shows its evaluations as they come, is disarmed, forked and published.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Browser,
  barriers,
  CHROMIUM,
  openBrowser,
  type ServiceWithPast,
  signIn,
  startServiceWithPast,
  type Watched,
} from './console-fixture.ts';

const THESIS = 'Buy BTCUSDT when the price is below $20,000, with $500, because <b>weekends overshoot</b>';

describe.skipIf(CHROMIUM === null)('Takes in the console', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
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

  /** The browser itself notes a refusal, and nothing else was wrong. */
  const expectOnly = (status: string) => expect(watched.complaints.splice(0)).toEqual([expect.stringContaining(status)]);
  const takes = async () =>
    (await service.get('/v1/takes')).body.items as { id: string; state: string; lineage: string[]; published: boolean }[];

  test('an ambiguous thesis is answered with questions, a clear one with what was understood, and neither arms anything', async () => {
    await page.getByRole('link', { name: 'Takes', exact: true }).click();
    await page.getByText('No Take yet').waitFor();
    await page.getByLabel('Thesis in words').fill('Buy BTC when it is cheap');
    await page.getByRole('button', { name: 'Compile' }).click();
    await page.getByRole('list', { name: 'Questions' }).getByRole('listitem').first().waitFor();
    expectOnly('422');
    await page.getByLabel('Thesis in words').fill(THESIS);
    await page.getByRole('button', { name: 'Compile' }).click();
    const understood = page.getByRole('list', { name: 'What was understood' });
    await understood.getByText('allocation of 500 USD').waitFor();
    // Its markup is a text like any other.
    expect(await understood.innerText()).toContain('<b>weekends overshoot</b>');
    const [take] = await takes();
    await page.locator(`[data-take="${take?.id}"][data-state=draft]`).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  test('it is armed on its page, stands so in its chart, shows its evaluations as they come, and is disarmed', async () => {
    const [take] = await takes();
    await page.locator(`[data-take="${take?.id}"]`).getByRole('link').click();
    await page.getByRole('heading', { name: 'Take on BTCUSDT', level: 1 }).waitFor();
    await page.getByText('price below 20000').first().waitFor();
    await page.getByLabel('with real money').check();
    await page.getByRole('button', { name: 'Arm', exact: true }).click();
    await page.getByText('feature disabled').waitFor();
    expect(watched.complaints.splice(0)).toHaveLength(1);
    await page.getByLabel('with real money').uncheck();
    await page.getByRole('button', { name: 'Arm', exact: true }).click();
    await page.locator('section.page[data-state=armed]').waitFor();
    await page.locator('.chart[data-standing*=armed]').waitFor();
    await page.getByRole('list', { name: 'Steps, newest first' }).getByText('on duty armed').waitFor();
    await page.locator('.take-decisions .decision').first().waitFor({ timeout: 200_000 });
    await page.locator('.take-decisions .decision summary').first().click();
    await page.getByRole('button', { name: 'Explain' }).first().click();
    await page.locator('.explanation strong').first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Disarm' }).click();
    await page.locator('section.page[data-state=disarmed]').waitFor();
    expect(await page.getByRole('button', { name: 'Disarm' }).isDisabled()).toBe(true);
  });

  test('it is published and forked, and the fork names where it comes from', async () => {
    const [take] = await takes();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.locator('section.page[data-state=disarmed]').waitFor();
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.locator('section.page[data-state=draft]').waitFor();
    await page.getByText(take?.id as string).waitFor();
    const [fork, original] = await takes();
    expect([fork?.lineage, fork?.published, original?.published]).toEqual([[take?.id], false, true]);
    expect(watched.complaints.splice(0)).toEqual([]);
  });
});
