// The marketplace in a real browser: a free strategy is found, taken and imported, and a paid licence is signed by a wallet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { payload } from '../api/api-under-test.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import {
  type Browser,
  barriers,
  CHROMIUM,
  openBrowser,
  openTab,
  signIn,
  tellWhatFailedShowed,
  troublesOf,
  type Watched,
} from './console-fixture.ts';
import { standardWallet, type TestWallet } from './test-wallets.ts';

describe.skipIf(CHROMIUM === null)('the marketplace in a browser', () => {
  const payout = sandboxKey('console payout');
  let service: SharedService;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let wallet: TestWallet;
  const buyer = keyOf(61);
  const link = async (key: typeof payout, as?: string): Promise<void> => {
    const { body } = await service.post('/v1/wallets/challenge', { address: key.address }, as);
    const signature = Buffer.from(key.sign(Buffer.from(body.text))).toString('base64');
    expect((await service.post('/v1/wallets', { address: key.address, signature }, as)).status).toBe(201);
  };
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([joinService('console-marketplace'), openBrowser()]);
    const creator = await service.stranger('creators');
    await link(payout, creator);
    const agent = await service.post('/v1/agents', payload({ name: '<b>Ebb</b> reader' }), creator);
    const wish = { agentId: agent.body.id, manifestVersion: 1, priceUsd: 0, payoutWallet: payout.address, categories: ['ebbs'] };
    const listed = await service.post('/v1/marketplace', wish, creator);
    expect(listed.status, listed.text).toBe(201);
    const paid = await service.post('/v1/agents', payload({ name: 'Paid strategy' }), creator);
    const price = await service.post('/v1/marketplace', { ...wish, agentId: paid.body.id, priceUsd: '12.5' }, creator);
    expect(price.status, price.text).toBe(201);
    const { control } = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string };
    for (const [mint, amount] of [
      ['SOL', '1000000000'],
      [USDC_MINT, '50000000'],
    ] as const) {
      const fund = { owner: buyer.publicKey.toBase58(), mint, amount };
      expect((await fetch(`${control}/chain/fund`, { method: 'POST', body: JSON.stringify(fund) })).status).toBe(200);
    }
    watched = await browser.page();
    page = watched.page;
    wallet = await standardWallet(page, 'Harbour', buyer);
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.leave();
  });

  test('a strategy is found with its evidence, its free licence is taken, and it is imported as a draft', async () => {
    await page.getByRole('link', { name: 'Marketplace' }).click();
    const row = page.getByRole('row').filter({ hasText: '<b>Ebb</b> reader' });
    await row.waitFor();
    await expect.poll(() => row.locator('td').allInnerTexts()).toEqual(['0', 'ebbs', '0', 'unknown', '0']);
    await page.getByLabel('Search name or description').fill('nothing like it');
    await page.keyboard.press('Enter');
    await page.getByText('No matching strategies.').waitFor();
    await page.getByLabel('Search name or description').fill('ebb');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '<b>Ebb</b> reader' }).click();
    await page.getByText('No evidence for this version.').waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByText('Buy a licence to see the rules.').waitFor();
    await page.getByRole('button', { name: 'Get free licence' }).click();
    await page.getByRole('button', { name: 'Import as a new agent' }).click();
    await openTab(page, 'State');
    await page.locator('.chart').waitFor();
    expect(page.url()).toContain('#/agents/');
    expect(watched.complaints).toEqual([]);
  });

  test('a licence is paid by a wallet of the browser: what it alters is named and not handed in, what it signs as prepared is settled', async () => {
    await page.getByRole('link', { name: 'Marketplace' }).click();
    await page.getByRole('link', { name: 'Paid strategy' }).click();
    const pay = page.getByRole('button', { name: 'Sign with Harbour' });
    wallet.behaviour = 'guards';
    await pay.click();
    const refused = page.getByRole('alert').filter({ hasText: 'signed a different transaction' });
    await refused.waitFor();
    expect(await refused.innerText()).toMatch(/instructions were inserted of Lighthouse \(L2TE\w+\)/);
    const states = async () => {
      const { items } = (await service.get('/v1/marketplace/checkouts')).body as { items: { state: string; buyer: string | null }[] };
      return items.flatMap((one) => (one.buyer === buyer.publicKey.toBase58() ? [one.state] : []));
    };
    expect(await states()).toEqual(['prepared']);
    wallet.behaviour = 'declines';
    await pay.click();
    await page.getByRole('alert').filter({ hasText: 'User rejected the request.' }).waitFor();
    expect(await barriers(page)).toEqual([]);
    wallet.behaviour = 'honest';
    await pay.click();
    await page.getByText(/^The transaction is paid for by .* and does this:$/).waitFor();
    await pay.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Import as a new agent' }).waitFor();
    const { items } = (await service.get('/v1/marketplace/licences')).body;
    expect(items).toContainEqual(expect.objectContaining({ priceUsd: '12.5', signature: expect.stringMatching(/^\w{64,}$/) }));
    expect(await states()).toEqual(['licensed']);
    expect(wallet.asked).toEqual(['transaction', 'transaction', 'transaction']);
    expect(watched.complaints).toEqual([]);
  });

  test('a listing of its own is neither bought nor imported by an organization', async () => {
    const own = await service.post('/v1/agents', payload({ name: 'Own strategy' }));
    const ownPayout = sandboxKey('own payout');
    await link(ownPayout);
    const wish = { agentId: own.body.id, manifestVersion: 1, priceUsd: 0, payoutWallet: ownPayout.address, categories: ['ebbs'] };
    const listed = await service.post('/v1/marketplace', wish);
    expect(listed.status, listed.text).toBe(201);
    await page.evaluate(`location.hash = '#/marketplace/${listed.body.id}'`);
    await page.getByText('This is your own listing.').waitFor();
    expect(await page.getByRole('button', { name: /licence|Import/ }).count()).toBe(0);
  });

  test('no page of the marketplace stands in anybody’s way', async () => {
    const { items } = (await service.get('/v1/marketplace?search=ebb')).body as { items: { id: string }[] };
    expect(await troublesOf(page, ['marketplace', `marketplace/${items[0]?.id}`])).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });
});
