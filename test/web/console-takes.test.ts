// Takes in the console: a thesis in words becomes a draft, is armed, shows its evaluations as they come, is disarmed, forked and published.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE } from '../../src/sandbox/example-organization.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import {
  barriers,
  type Browser,
  CHROMIUM,
  clickAndBeTold,
  openBrowser,
  signIn,
  tellWhatFailedShowed,
  troublesOf,
  type Watched,
} from './console-fixture.ts';
import { standardWallet, type TestWallet } from './test-wallets.ts';

const THESIS = 'Buy BTCUSDT when the price is below $20,000, with $500, because <b>weekends overshoot</b>';

const OWNER = keyOf(81);
const ADDRESS = OWNER.publicKey.toBase58();

describe.skipIf(CHROMIUM === null)('Takes in the console', () => {
  let service: SharedService;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let wallet: TestWallet;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    [service, browser] = await Promise.all([joinService('console-takes'), openBrowser()]);
    const [{ manifest } = { manifest: null }] = EXAMPLE.agents;
    expect((await service.post('/v1/agents', manifest)).body.name).toBe('Discount hunter');
    watched = await browser.page();
    page = watched.page;
    wallet = await standardWallet(page, 'Harbour', OWNER);
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.leave();
  });

  /** The browser itself notes a refusal, and nothing else was wrong. */
  const expectOnly = (status: string) => expect(watched.complaints.splice(0)).toEqual([expect.stringContaining(status)]);
  const takes = async () =>
    (await service.get('/v1/takes')).body.items as { id: string; state: string; lineage: string[]; published: boolean }[];

  test('an ambiguous thesis is answered with questions, a clear one with what was understood, and neither arms anything', async () => {
    await page.getByRole('link', { name: 'Takes', exact: true }).click();
    await page.getByText('No Takes yet').waitFor();
    await page.getByLabel('Your thesis').fill('Buy BTC when it is cheap');
    await page.getByRole('button', { name: 'Compile' }).click();
    await page.getByRole('list', { name: 'Questions' }).getByRole('listitem').first().waitFor();
    expectOnly('422');
    await page.getByLabel('Your thesis').fill(THESIS);
    await page.getByRole('button', { name: 'Compile' }).click();
    const understood = page.getByRole('list', { name: 'How it was read' });
    await understood.getByText('allocation of 500 USD').waitFor();
    // Its markup is a text like any other.
    expect(await understood.innerText()).toContain('<b>weekends overshoot</b>');
    const [take] = await takes();
    await page.locator(`[data-take="${take?.id}"][data-state=draft]`).waitFor();
    expect(await barriers(page)).toEqual([]);
  });

  /** Asks for the text that delegates the wallet to what the page is about. */
  async function askForText(): Promise<void> {
    await page.getByLabel('Wallet on the primary chain').fill(ADDRESS);
    await page.getByLabel('Wallet id at the remote signer').fill('session-9');
    await page.getByLabel('Max per transaction (USD)').fill('250.50');
    await page.getByLabel('Valid for (days').fill('30');
    await page.getByRole('button', { name: 'Create text to sign' }).click();
  }

  test('its owner’s wallet is delegated to it: the text says what was asked for, or is not signed, and it is revoked', async () => {
    const [take] = await takes();
    await page.locator(`[data-take="${take?.id}"]`).getByRole('link').click();
    await page.getByText('No delegated wallet.').waitFor();
    await page.getByLabel('Max per transaction (USD)').fill('much');
    await page.getByRole('button', { name: 'Create text to sign' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'Enter the validity as a number' })
      .or(page.locator('#problem-maxNotionalUsd span'))
      .first()
      .waitFor();
    watched.complaints.splice(0);
    const panel = page.locator('.delegations');
    await page.route(
      '**/v1/delegations/challenge',
      async (route) => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { text: string };
        await route.fulfill({ response: answer, json: { ...body, text: body.text.replace('250.5 US', '9250.5 US') } });
      },
      { times: 1 },
    );
    await askForText();
    await panel.getByText('Most per transaction is “9250.5 US dollars” instead of “250.50”').waitFor();
    expect(await panel.getByRole('button', { name: 'Sign with Harbour' }).count()).toBe(0);

    await askForText();
    const text = panel.getByRole('region', { name: 'Text to sign' });
    await text.getByText(`Take: ${take?.id}`).waitFor();
    expect(await panel.locator('.wallet-signing .facts').innerText()).toContain('this Take, without asking each time');
    expect(await barriers(page)).toEqual([]);
    const sign = panel.getByRole('button', { name: 'Sign with Harbour' });
    wallet.behaviour = 'signs_other_text';
    await sign.click();
    await panel.getByText('Harbour signed a different text').waitFor();
    wallet.behaviour = 'shows_other_account';
    await sign.click();
    await panel.getByText(`Switch to ${ADDRESS}`).waitFor();
    expect((await service.get('/v1/delegations')).body.items).toEqual([]);
    wallet.behaviour = 'honest';
    await sign.click();
    const row = panel.locator('tbody tr');
    await row.getByText('holds').waitFor();
    const { items } = (await service.get(`/v1/delegations?takeId=${take?.id}`)).body;
    expect(items).toMatchObject([
      { takeId: take?.id, wallet: ADDRESS, signerWallet: 'session-9', maxNotionalUsd: '250.5', revokedAt: null },
    ]);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('revoked by operator').waitFor();
    expect((await service.get(`/v1/delegations?takeId=${take?.id}`)).body.items[0].revokedBy).toBe(service.subject('operator'));
    expect(watched.complaints).toEqual([]);
  });

  test('an agent is delegated a wallet in the same way, on its own page', async () => {
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string; name: string }[] };
    const agent = items.find(({ name }) => name === 'Discount hunter');
    await page.evaluate(`location.hash = '#/agents/${agent?.id}/signing'`);
    await askForText();
    await page.getByRole('region', { name: 'Text to sign' }).getByText(`Agent: ${agent?.id}`).waitFor();
    await page.locator('.delegations').getByRole('button', { name: 'Sign with Harbour' }).click();
    await page.locator('.delegations tbody tr').getByText('holds').waitFor();
    expect((await service.get(`/v1/delegations?agentId=${agent?.id}`)).body.items).toHaveLength(1);
    expect(await barriers(page)).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await page.getByRole('link', { name: 'Takes', exact: true }).click();
  });

  test('it is armed on its page, stands so in its chart, shows its evaluations as they come, and is disarmed', async () => {
    const [take] = await takes();
    await page.locator(`[data-take="${take?.id}"]`).getByRole('link').click();
    await page.getByRole('heading', { name: 'Take on BTCUSDT', level: 1 }).waitFor();
    await page.getByText('price below 20000').first().waitFor();
    await page.getByLabel('with real money').check();
    await page.getByRole('button', { name: 'Arm', exact: true }).click();
    await page.getByRole('dialog').getByText('there is no exit condition').waitFor();
    await page.getByRole('button', { name: 'Confirm and arm' }).click();
    await page.getByRole('dialog').getByText('feature disabled').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(watched.complaints.splice(0)).toHaveLength(1);
    await page.getByLabel('with real money').uncheck();
    await page.getByRole('button', { name: 'Arm', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm and arm' }).click();
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
    await page.locator(`.facts a[title="${take?.id}"]`).waitFor();
    const [fork, original] = await takes();
    expect([fork?.lineage, fork?.published, original?.published]).toEqual([[take?.id], false, true]);
    expect(await troublesOf(page, ['takes', `takes/${take?.id}`, `takes/${fork?.id}`, `actors/${take?.id}`])).toEqual([]);
    expect(watched.complaints.splice(0)).toEqual([]);
  });

  test('an agent is made of it once what its words leave open is confirmed, and of one that is turned away from nothing is made', async () => {
    const agents = async (): Promise<number> => (await service.get('/v1/agents')).body.items.length;
    const before = await agents();
    // A fork has no words of its own; the original has.
    await page.goto(`${service.url}/#/takes/${(await takes())[1]?.id}`);
    await page.getByText('price below 20000').first().waitFor();
    const make = page.getByRole('button', { name: 'Convert to agent' });
    await make.click();
    await page.getByRole('dialog').getByText('there is no exit condition').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await agents()).toBe(before);
    await make.click();
    await clickAndBeTold(page, page.getByRole('button', { name: 'Confirm and convert to agent' }), 'Draft agent created.');
    await page.waitForURL(/#\/agents\/[0-9a-f-]{36}$/);
    expect(await agents()).toBe(before + 1);
    expect(await barriers(page)).toEqual([]);
    expect(watched.complaints.splice(0)).toEqual([]);
  });
});
