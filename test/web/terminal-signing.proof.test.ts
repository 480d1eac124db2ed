// Signatures by browser wallets: an honest one moves the chain; every other one gives one sentence and no submission.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { NATIVE_MINT } from '../../src/domain/launch/quote-tokens.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from '../journeys/shared-service.ts';
import { axeFindings, type Browser, CHROMIUM, openBrowser, signIn, tellWhatFailedShowed, type Watched } from './terminal-fixture.ts';
import { announcedWallet, publishStrategy, standardWallet, type TestWallet } from './test-wallets.ts';

const OWNER = keyOf(91);
const ADDRESS = OWNER.publicKey.toBase58();
type Hostile = readonly (readonly [TestWallet['behaviour'], string | RegExp])[];
const OTHER_ACCOUNT: Hostile = [
  ['shows_other_account', new RegExp(`^Harbour shares L2TE\\w+\\. Switch to ${ADDRESS} in the wallet and try again\\.$`)],
  ['disconnected', `Harbour shares no account. Switch to ${ADDRESS} in the wallet and try again.`],
];
const DECLINED: Hostile = [['declines', 'User rejected the request.']];
const TRANSACTIONS: Hostile = [
  ...DECLINED,
  ['other_network', `Harbour has ${ADDRESS} on aptos:mainnet, not on the primary chain. Switch the network in the wallet.`],
  ['alters', /^Not submitted: Harbour signed a different transaction: .*instructions were altered of /],
  ['leaves_unsigned', `Not submitted: Harbour signed a different transaction: the wallet did not sign for ${ADDRESS}.`],
  ['gives_nonsense', /^Not submitted: Harbour signed a different transaction: /],
  ['gives_nothing', 'Not submitted: Harbour returned no signed transaction.'],
  ['gives_fewer', /^Not submitted: Harbour signed 0 of \d transactions\.$/],
];
/** Misbehaviour of a wallet that decodes a transaction, which it cannot if accounts are in lookup tables. */
const GUARDED: Hostile = [
  ['guards', /^Not submitted: Harbour signed a different transaction: .*instructions were inserted of Lighthouse /],
];
const TEXTS: Hostile = [
  ...DECLINED,
  ...OTHER_ACCOUNT,
  ['signs_other_text', 'Not submitted: Harbour signed a different text: “I give everything away.”.'],
  ['leaves_unsigned', 'Not submitted: Harbour returned no signature.'],
  ['gives_nonsense', 'Not submitted: Harbour returned 12 bytes that are no signature.'],
  ['gives_nothing', 'Not submitted: Harbour returned no signed text.'],
  ['gives_fewer', 'Not submitted: Harbour returned no signed text.'],
];
const evm = privateKeyToAccount(`0x${'4d'.repeat(32)}`);
const EVM: Hostile = [...DECLINED, ['stays_elsewhere', /^Not signed: Cliff is on chain 1\. Switch it to chain \d+ and try again\.$/]];
/** Paths that accept signed content. */
const SUBMISSION = /\/(submission|submit|execute|settle|delegations|wallets)$/;

describe.skipIf(CHROMIUM === null)('wallets of a browser and the terminal', () => {
  let service: SharedService;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let wallet: TestWallet;
  let cliff: TestWallet;
  let listingId: string;
  let submitted: string[];
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([joinService('terminal-signing'), openBrowser()]);
    const { control, simulators } = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as {
      readonly control: string;
      readonly simulators: { readonly evmchain: string };
    };
    const fund = async (verb: string, body: object) =>
      expect((await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) })).status).toBe(200);
    await fund('fund', { owner: ADDRESS, mint: 'SOL', amount: '10000000000' });
    await fund('fund', { owner: ADDRESS, mint: USDC_MINT, amount: '1000000000' });
    listingId = await publishStrategy(service, await service.stranger('creators'), 'Paid strategy');
    watched = await browser.page({ width: 1440, height: 900 });
    page = watched.page;
    wallet = await standardWallet(page, 'Harbour', OWNER);
    cliff = await announcedWallet(page, 'Cliff', evm, simulators.evmchain);
    submitted = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'POST' && SUBMISSION.test(pathname)) submitted.push(pathname);
    });
    await signIn(page, service, 'operator');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.leave();
  });

  const go = (place: string) => page.evaluate(`location.hash = '#/${place}'`);
  /** Returns a region of the page with its one signing button and its refusal. */
  const signingIn = (place: Locator, name = 'Harbour') => ({
    sign: place.getByRole('button', { name: new RegExp(`^Sign .*with ${name}$`) }),
    refusal: place.getByRole('alert'),
  });

  /** Has the wallet misbehave in each way, and expects one sentence each, no submission, and a usable button. */
  async function expectRefused(place: Locator, ways: Hostile, of = wallet): Promise<void> {
    const { sign, refusal } = signingIn(place, of === wallet ? 'Harbour' : 'Cliff');
    const before = submitted.length;
    for (const [behaviour, words] of ways) {
      of.behaviour = behaviour;
      await sign.click();
      await refusal.waitFor();
      const told = (await refusal.allInnerTexts()).map((text) => text.trim());
      expect(told, behaviour).toEqual([typeof words === 'string' ? words : expect.stringMatching(words)]);
      expect(await sign.isEnabled(), behaviour).toBe(true);
    }
    of.behaviour = 'honest';
    expect(submitted.slice(before)).toEqual([]);
  }

  test('a wallet is linked only by the text that it was given', async () => {
    await go('wallets');
    await page.getByRole('button', { name: /^Harbour/ }).click();
    const place = page.getByRole('region', { name: 'Link a wallet' });
    await expectRefused(place, TEXTS);
    await signingIn(place).sign.click();
    await page.getByText(/^Linked: /).waitFor();
    expect((await service.get('/v1/wallets')).body.items).toEqual([expect.objectContaining({ address: ADDRESS, chain: 'spotchain' })]);
    expect(watched.complaints).toEqual([]);
  });

  test('a launch prepared elsewhere is signed on its page only by its creator, and trades', async () => {
    const wish = { preset: 'agent_treasury', quoteMint: NATIVE_MINT, startingFdv: '30', name: 'Lantern <b>Bearer</b>', symbol: 'LANTERN' };
    const uri = 'https://example.com/lantern.json';
    const { body: launch, ...prepared } = await service.post('/v1/launches/dbc/prepare', { ...wish, uri, creator: ADDRESS });
    expect(prepared.status, prepared.text).toBe(201);
    await go(`launches/${launch.id}`);
    await page.getByRole('heading', { name: 'LANTERN Lantern <b>Bearer</b>' }).waitFor();
    const place = page.getByRole('region', { name: 'Signature required' });
    await expectRefused(place, [...OTHER_ACCOUNT, ...TRANSACTIONS, ...GUARDED]);
    const sentences = (await place.getByRole('listitem').allInnerTexts()).join('\n');
    expect(sentences).toContain('Creates the token “Lantern <b>Bearer</b>” (LANTERN) with the mint');
    expect(sentences).not.toContain('not known here');
    expect(await axeFindings(page)).toEqual([]);
    expect((await service.get(`/v1/launches/${launch.id}`)).body.state).toBe('prepared');
    await signingIn(place).sign.click();
    await page.locator('.page-head [data-state=trading]').waitFor();
    expect((await service.get(`/v1/launches/${launch.id}`)).body.state).toBe('trading');
    // The market lists the token a moment later.
    expect(watched.complaints.splice(0).filter((complaint) => !complaint.includes('404'))).toEqual([]);
  });

  test('a swap of the ticket is signed unchanged, and completes on the chain', async () => {
    await go('trade/spotchain%3AAAPLx');
    const ticket = page.getByRole('form', { name: 'Swap ticket' });
    await ticket.getByRole('textbox', { name: 'Pay (USDC)' }).fill('20');
    await ticket.getByRole('textbox', { name: 'Max slippage (bps)' }).fill('100');
    const { sign } = signingIn(ticket);
    // A quote of the sandbox ages, and then nothing is prepared: a refused user asks again.
    const prepare = async () => {
      await ticket.getByRole('button', { name: 'Prepare swap' }).click();
      await sign.or(ticket.getByRole('alert')).first().waitFor();
      return sign.isVisible();
    };
    await waitFor(prepare, { what: 'a prepared swap', deadlineMs: 20_000 });
    const swaps = async () => (await service.get('/v1/spotchain/orders')).body.items as { id: string; state: string }[];
    await expectRefused(ticket, [...OTHER_ACCOUNT, ...TRANSACTIONS]);
    expect((await swaps()).filter(({ state }) => state !== 'prepared')).toEqual([]);
    const submit = async () => {
      if ((await sign.isVisible()) && (await sign.isEnabled())) await sign.click();
      else await prepare();
      await ticket.getByText('Submitted unchanged.').or(ticket.getByRole('alert')).first().waitFor();
      return (await swaps()).some(({ state }) => state !== 'prepared' && state !== 'expired');
    };
    await waitFor(submit, { what: 'a submitted swap', deadlineMs: 20_000 });
    await go('swaps');
    await page.getByRole('row').filter({ hasText: 'finalized' }).waitFor();
    expect((await swaps()).map(({ state }) => state)).toContain('finalized');
    // Aged quotes were refused with a reason.
    for (const complaint of watched.complaints.splice(0)) expect(complaint).toMatch(/422|503/);
  });

  test('a licence is paid by the wallet unchanged, and its strategy is imported as a draft', async () => {
    await go(`marketplace/${listingId}`);
    const place = page.getByRole('region', { name: 'Licence' });
    await expectRefused(place, [['disconnected', 'The wallet shared no account.'], ...TRANSACTIONS, ...GUARDED]);
    const checkouts = async () =>
      ((await service.get('/v1/marketplace/checkouts')).body.items as { state: string }[]).map(({ state }) => state);
    expect(await checkouts()).toEqual(['prepared']);
    await signingIn(place).sign.click();
    await page.getByRole('button', { name: 'Import as a new agent' }).click();
    expect(await checkouts()).toEqual(['licensed']);
    await page.waitForURL(/#\/agents\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { name: 'Paid strategy' }).waitFor();
    const { items } = (await service.get('/v1/agents')).body as { items: { name: string; stage: string }[] };
    expect(items.map(({ name, stage }) => [name, stage])).toEqual([['Paid strategy', 'draft']]);
    expect(watched.complaints).toEqual([]);
  });

  test('a delegation with another text never reaches a wallet, the right one is signed as written, and is revoked', async () => {
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string }[] };
    await go(`agents/${items[0]?.id}/signing`);
    const place = page.getByRole('region', { name: 'Delegated wallets' });
    const ask = async () => {
      await place.getByLabel('Wallet on the primary chain').fill(ADDRESS);
      await place.getByLabel('Wallet id at the remote signer').fill('session-9');
      await place.getByLabel('Max per transaction (USD)').fill('250.50');
      await place.getByRole('button', { name: 'Create text to sign' }).click();
    };
    await page.route(
      '**/v1/delegations/challenge',
      async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { text: string };
        await route.fulfill({ response, json: { ...body, text: body.text.replace('250.5 US', '9250.5 US') } });
      },
      { times: 1 },
    );
    await ask();
    await place.getByText('Most per transaction is “9250.5 US dollars” instead of “250.50”').waitFor();
    expect(await signingIn(place).sign.count()).toBe(0);
    await ask();
    await place.getByRole('region', { name: 'Text to sign' }).waitFor();
    await expectRefused(place, TEXTS);
    await signingIn(place).sign.click();
    await place.getByRole('row').getByText('holds').waitFor();
    const delegations = async () => (await service.get(`/v1/delegations?agentId=${items[0]?.id}`)).body.items;
    expect(await delegations()).toEqual([
      expect.objectContaining({ wallet: ADDRESS, signerWallet: 'session-9', maxNotionalUsd: '250.5', revokedAt: null }),
    ]);
    await place.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await place
      .getByRole('row')
      .getByText(/^revoked by/)
      .waitFor();
    expect((await delegations())[0].revokedBy).toBe(service.subject('operator'));
    expect(watched.complaints).toEqual([]);
  });

  test('a wallet of the EVM chain is linked only by typed data', async () => {
    await go('wallets');
    await page.getByRole('button', { name: /^Cliff/ }).click();
    const linking = page.getByRole('region', { name: 'Link a wallet' });
    await linking.getByText(/^Sevengate 1 on the chain \d+$/).waitFor();
    await expectRefused(linking, EVM, cliff);
    // The substituted data has a valid signature: the service reports that it proves nothing.
    cliff.behaviour = 'signs_other_data';
    await signingIn(linking, 'Cliff').sign.click();
    await linking.getByRole('alert').waitFor();
    expect(await linking.getByRole('alert').count()).toBe(1);
    expect(watched.complaints.splice(0)).toEqual([expect.stringContaining('422')]);
    cliff.behaviour = 'honest';
    await signingIn(linking, 'Cliff').sign.click();
    await page.getByRole('row').filter({ hasText: 'EVM chain' }).waitFor();
    const { items } = (await service.get('/v1/wallets')).body as { items: { address: string }[] };
    expect(items.map(({ address }) => address)).toContain(evm.address);
  });
});
