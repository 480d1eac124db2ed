// The marketplace and the leaderboard in a real browser: a free strategy is found, taken and imported, and a wallet is put on the board.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { payload } from '../api/api-under-test.ts';
import { type Service, startService } from '../journeys/running-service.ts';
import { type Browser, barriers, CHROMIUM, openBrowser, openTab, signIn, type Watched } from './console-fixture.ts';

describe.skipIf(CHROMIUM === null)('the marketplace in a browser', () => {
  const payout = sandboxKey('console payout');
  let service: Service;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    const { body } = await service.post('/v1/wallets/challenge', { address: payout.address });
    const signature = Buffer.from(payout.sign(Buffer.from(body.text))).toString('base64');
    await service.post('/v1/wallets', { address: payout.address, signature });
    const agent = await service.post('/v1/agents', payload({ name: '<b>Tide</b> reader' }));
    const wish = { agentId: agent.body.id, manifestVersion: 1, priceUsd: 0, payoutWallet: payout.address, categories: ['tides'] };
    const listed = await service.post('/v1/marketplace', wish);
    expect(listed.status, listed.text).toBe(201);
    watched = await browser.page();
    page = watched.page;
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  test('a strategy is found with its evidence, its free licence is taken, and it is imported as a draft', async () => {
    await page.getByRole('link', { name: 'Marketplace' }).click();
    const row = page.getByRole('row').filter({ hasText: '<b>Tide</b> reader' });
    await row.waitFor();
    expect(await row.locator('td').allInnerTexts()).toEqual(['0', 'tides', '0', 'unknown', '0']);
    await page.getByLabel('Search name or description').fill('nothing like it');
    await page.keyboard.press('Enter');
    await page.getByText('No strategy matches.').waitFor();
    await page.getByLabel('Search name or description').fill('tide');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '<b>Tide</b> reader' }).click();
    await page.getByText('Nothing is on record of this version.').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('button', { name: 'Import as a new agent' }).click();
    // The creator reads the rules, but an import needs a licence of its own.
    await page.getByRole('alert').filter({ hasText: 'licence missing' }).waitFor();
    watched.complaints.splice(0);
    const { body } = await service.get('/v1/marketplace?search=tide');
    expect((await service.post(`/v1/marketplace/${body.items[0].id}/checkout`, {})).body.state).toBe('licensed');
    await page.getByRole('button', { name: 'Import as a new agent' }).click();
    await openTab(page, 'State');
    await page.locator('.chart').waitFor();
    expect(page.url()).toContain('#/agents/');
    expect(watched.complaints).toEqual([]);
  });

  test('a wallet is put on the board, and nonsense is refused beside the button', async () => {
    await page.getByRole('link', { name: 'Leaderboard' }).click();
    await page.getByText('No wallet is on the board yet.').waitFor();
    await page.getByLabel('Address of either chain').fill('z'.repeat(40));
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').filter({ hasText: 'malformed' }).waitFor();
    watched.complaints.splice(0);
    await page.getByLabel('Address of either chain').fill(payout.address);
    await page.getByLabel('Label').fill('payouts');
    await page.getByRole('button', { name: 'Register' }).click();
    const row = page.getByRole('row').filter({ hasText: 'payouts' });
    await row.waitFor();
    expect((await row.locator('td').allInnerTexts()).slice(0, 2)).toEqual(['none', 'unknown']);
    await page.getByRole('link', { name: 'payouts' }).click();
    await page.getByText(payout.address).waitFor();
    await page.getByRole('link', { name: '7d' }).click();
    await page.getByText('No sale in this window.').waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });
});
