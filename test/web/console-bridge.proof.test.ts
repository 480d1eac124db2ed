// The console where money moves between the chains and is ranked: wallets are linked, a transfer is quoted, signed, submitted and seen to end, a wallet is put on the board, over a whole running service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page, Route } from 'playwright-core';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createReserveStore } from '../../src/adapters/store/vaults/reserve-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { USDC_MINT } from '../../src/domain/catalog.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { signedBy } from '../actors/prepared-transaction/swap-fixture.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type Service, startService } from '../journeys/running-service.ts';
import {
  type Browser,
  barriers,
  CHROMIUM,
  openBrowser,
  proposeOrder,
  signIn,
  troublesOf,
  unfold,
  visit,
  type Watched,
} from './console-fixture.ts';
import { announcedWallet, standardWallet, type TestWallet } from './test-wallets.ts';

const solana = keyOf(33);
const SENDER = solana.publicKey.toBase58();
const evm = privateKeyToAccount(`0x${'3c'.repeat(32)}`);
const onBoard = sandboxKey('console payout');
const WISH = { from: 'spotchain', to: 'evmvenue', token: 'USDC', amount: '30', sender: SENDER, recipient: evm.address };
/** An agent whose own rules never ask for a trade. */
const HOLDER = {
  name: 'Holder',
  universe: ['BTCUSDT'],
  timeframe: '1h',
  entryConditions: [{ type: 'price_above', price: '10000000' }],
  exitConditions: [],
  maxCapitalUsd: 5_000,
  maxTradeNotionalUsd: 500,
  stopLossPct: 5,
  takeProfitPct: 8,
  maxDailyDrawdownPct: 4,
  maxOpenPositions: 3,
  maxSlippageBps: 20,
};
/** The page waits for blocks and for durable timers. */
const SLOW = { timeout: 120_000 * PATIENCE };

describe.skipIf(CHROMIUM === null)('the console where money moves between the chains', () => {
  let service: Service;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let control: string;
  let harbour: TestWallet;
  let cliff: TestWallet;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    const noted = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as {
      readonly control: string;
      readonly simulators: { readonly [name: string]: string };
    };
    control = noted.control;
    await chain('fund', { owner: SENDER, mint: 'SOL', amount: '1000000000' });
    await chain('fund', { owner: SENDER, mint: USDC_MINT, amount: '1000000000' });
    await waitFor(async () => (await service.post('/v1/bridge/quote', WISH)).status === 201, { what: 'a quote', deadlineMs: 20_000 });
    watched = await browser.page();
    page = watched.page;
    harbour = await standardWallet(page, 'Harbour', solana);
    cliff = await announcedWallet(page, 'Cliff', evm, noted.simulators['evmchain'] as string);
    await signIn(page, service, 'operator');
  }, 60_000 * PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  async function chain(verb: string, body: object): Promise<void> {
    const answer = await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
    expect(answer.status, await answer.text()).toBe(200);
  }
  const wallets = (): Locator => page.locator('.linked-wallets');
  const quoting = (): Locator => page.locator('.bridge-quote-panel');
  /** The browser itself notes a refusal, and nothing else was wrong. */
  const expectOnly = (status: string) => expect(watched.complaints.splice(0)).toEqual([expect.stringContaining(status)]);

  async function link(address: string, sign: (text: string) => Promise<string>, label: string): Promise<void> {
    await wallets().getByLabel('Address (primary or EVM chain)').fill(address);
    await wallets().getByRole('button', { name: 'Create text to sign' }).click();
    const text = wallets().getByRole('region', { name: 'Text to sign' });
    await text.getByText(`Wallet: ${address}`).waitFor();
    await wallets()
      .getByLabel('Signature')
      .fill(await sign(await text.innerText()));
    await wallets().getByLabel('Label').fill(label);
    await wallets().getByRole('button', { name: 'Link', exact: true }).click();
  }

  /** Quotes on the page and signs what the page shows. Answers the signed transaction. */
  async function quote(amount: string): Promise<string> {
    await quoting().getByLabel('Amount in USDC').fill(amount);
    await quoting().getByLabel('Sender').fill(SENDER);
    await quoting().getByLabel('Recipient').fill(evm.address);
    // A chain that a busy machine has not been told of lately is not quoted on: who is refused asks again.
    await waitFor(
      async () => {
        await quoting().getByRole('button', { name: 'Quote' }).click();
        const answer = quoting().locator('.bridge-quote form, .problem p').first();
        await answer.waitFor();
        return (await quoting().locator('.bridge-quote form').count()) === 1;
      },
      { what: 'a quote' },
    );
    watched.complaints.splice(0);
    await unfold(quoting(), 'Transaction to sign');
    return signedBy(solana, await quoting().getByRole('region', { name: 'Unsigned transaction' }).innerText());
  }

  async function submit(signed: string): Promise<void> {
    await quoting()
      .getByRole('textbox', { name: /^Signed transaction/ })
      .fill(signed);
    await quoting().getByRole('button', { name: 'Submit' }).click();
  }

  test('a wallet is linked by its signature, and somebody else’s signature is refused beside the button', SLOW, async () => {
    await page.getByRole('link', { name: 'Transfers', exact: true }).click();
    await page.getByText('No transfers yet. Request a quote above to start one.').waitFor();
    await wallets().getByText('No linked wallets yet.').waitFor();
    const stranger = privateKeyToAccount(`0x${'3d'.repeat(32)}`);
    await link(evm.address, (message) => stranger.signMessage({ message }), 'cold');
    await wallets().locator('.problem p').getByText('signature invalid').waitFor();
    expectOnly('422');
    // Typed data that is another thing than the text says is offered to no wallet.
    const permit = { name: 'USD Coin', version: '2', chainId: 42161, verifyingContract: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' };
    const altered: readonly ((typed: { readonly message: object }) => object)[] = [
      (typed) => ({ ...typed, domain: permit, primaryType: 'Permit' }),
      (typed) => ({ ...typed, domain: permit }),
      (typed) => ({ ...typed, message: { ...typed.message, statement: 'I give everything away.' } }),
      (typed) => ({ ...typed, message: { ...typed.message, spender: evm.address } }),
    ];
    for (const change of altered) {
      const alter = async (route: Route): Promise<void> => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { readonly typedData: { readonly message: object } };
        await route.fulfill({ response: answer, json: { ...body, typedData: change(body.typedData) } });
      };
      // Each is asked for as the one before it was refused.
      // oxlint-disable no-await-in-loop
      await page.route('**/v1/wallets/challenge', alter, { times: 1 });
      await wallets().getByLabel('Address (primary or EVM chain)').fill(evm.address);
      await wallets().getByRole('button', { name: 'Create text to sign' }).click();
      await wallets().getByText('Not signed: the typed data differs from the text.').waitFor();
      expect(await wallets().getByRole('button', { name: 'Sign with Cliff' }).count()).toBe(0);
      // oxlint-enable no-await-in-loop
    }
    // The wallet of the page signs the text itself, and an address of the other chain is not its own.
    await wallets().getByLabel('Address (primary or EVM chain)').fill(evm.address);
    await wallets().getByRole('button', { name: 'Create text to sign' }).click();
    await wallets().getByText(`Wallet: ${evm.address}`).waitFor();
    await wallets().getByLabel('Label').fill('cold');
    // It is shown the fields of typed data, and signs for the chain that they name alone.
    const typed = wallets().locator('.typed-data .facts');
    await typed.getByText(/^Sevengate 1 on the chain \d+$/).waitFor();
    await typed.getByText(evm.address).waitFor();
    cliff.behaviour = 'stays_elsewhere';
    await wallets().getByRole('button', { name: 'Sign with Cliff' }).click();
    await wallets()
      .getByText(/Not signed: Cliff is on chain 1\. Switch it to chain \d+/)
      .waitFor();
    // What it signed instead is a signature all the same, and proves nothing.
    cliff.behaviour = 'signs_other_data';
    await wallets().getByRole('button', { name: 'Sign with Cliff' }).click();
    await wallets().locator('.problem p').getByText('signature invalid').waitFor();
    expectOnly('422');
    expect((await service.get('/v1/wallets')).body.items).toEqual([]);
    cliff.behaviour = 'honest';
    await wallets().getByRole('button', { name: 'Sign with Cliff' }).click();
    expect(await wallets().getByRole('button', { name: 'Sign with Harbour' }).count()).toBe(0);
    const row = wallets().locator('tbody tr');
    await row.getByText('cold').waitFor();
    expect(await row.innerText()).toContain(evm.address);
    const { body } = await service.get('/v1/wallets');
    expect(body.items).toMatchObject([{ address: evm.address, label: 'cold' }]);
    expect(await quoting().locator('#bridge-recipients option').getAttribute('value')).toBe(evm.address);
    expect(await barriers(page)).toEqual([]);
    await wallets().getByLabel('Address (primary or EVM chain)').fill(SENDER);
    await wallets().getByRole('button', { name: 'Create text to sign' }).click();
    const sign = wallets().getByRole('button', { name: 'Sign with Harbour' });
    harbour.behaviour = 'signs_other_text';
    await sign.click();
    await wallets().getByText('Not submitted: Harbour signed a different text: “I give everything away.”').waitFor();
    expect((await service.get('/v1/wallets')).body.items).toHaveLength(1);
    harbour.behaviour = 'honest';
    await wallets().getByLabel('Label').fill('sol');
    await sign.click();
    await wallets().locator('tbody tr', { hasText: SENDER }).waitFor();
    expect(watched.complaints).toEqual([]);
  });

  test(
    'a transfer is quoted with its fees, refused where it is another one, submitted, and seen to complete without reloading',
    SLOW,
    async () => {
      const other = await quote('30');
      const signed = await quote('40');
      expect(await quoting().locator('.data-table tbody tr').count()).toBeGreaterThanOrEqual(2);
      expect(await quoting().locator('.bridge-words').innerText()).toMatch(/relay costs .* USD/);
      expect(await barriers(page)).toEqual([]);
      watched.complaints.length = 0;
      await submit(other);
      await quoting()
        .locator('.bridge-quote .problem p')
        .getByText(/differ|quoted/)
        .waitFor();
      expectOnly('422');
      await submit(signed);
      const card = page.locator('[data-transfer]');
      await card.waitFor();
      // The service has no time for the first answer: the page asks again.
      await page.route(/\/layout$/, (route) => route.fulfill({ status: 503 }), { times: 1 });
      await unfold(card, 'Terms and state chart');
      await card.locator('.chart').waitFor();
      const id = await card.getAttribute('data-transfer');
      await page.locator(`[data-transfer="${id}"][data-state=completed]`).waitFor({ timeout: 60_000 * PATIENCE });
      await card.locator('.chart[data-standing=completed]').waitFor();
      const { body } = await service.get(`/v1/bridge/status?id=${id}`);
      const facts = await card.locator('.facts').first().innerText();
      expect(facts).toContain('final');
      expect(facts).toContain(`${Number(body.axes.destination.amountUsd)}`);
      expect(await card.locator('.step-event').allInnerTexts()).toContain('activity.done');
      // What left and what arrived, over the steps that the API tells of, against what was quoted.
      const drawn = card.locator('.transfer-course figure');
      const { items } = (await service.get(`/v1/bridge/transfers/${id}/timeline`)).body as {
        items: { at: string; state: string; arrivedUsd: string | null }[];
      };
      const seconds = new Set(items.map(({ at }) => at.slice(0, 19))).size;
      await waitFor(async () => (await drawn.getAttribute('data-points')) === String(seconds), { what: 'the steps in the chart' });
      expect([items[0]?.state, items.at(-1)?.state, items.at(-1)?.arrivedUsd]).toEqual([
        'quoted',
        'completed',
        body.axes.destination.amountUsd,
      ]);
      const words = await drawn.getByRole('status').innerText();
      expect(words).toContain(`Quoted ${body.expectedReceived}, minimum ${body.minimumReceived}`);
      for (const state of ['quoted', 'completed']) expect(words).toContain(state);
      expect(await drawn.innerText()).toContain(`arrived ${Number(body.axes.destination.amountUsd).toFixed(6)}`);
      expect(await barriers(page)).toEqual([]);
    },
  );

  test('the wallets of the page sign and send a transfer each way; one that sent something else is not handed in', SLOW, async () => {
    await quote('21');
    await quoting().getByRole('button', { name: 'Sign with Harbour' }).click();
    await page.locator('[data-transfer]', { hasText: '21 USDC' }).waitFor();
    const funded = { owner: evm.address, amount: '1000000000' };
    await chain('evm_fund', funded);
    await quoting().getByLabel('From the').selectOption('evmvenue');
    await quoting().getByLabel('Amount in USDC').fill('22');
    await quoting().getByLabel('Sender').fill(evm.address);
    await quoting().getByLabel('Recipient').fill(SENDER);
    const send = quoting().getByRole('button', { name: 'Sign and send with Cliff' });
    await waitFor(
      async () => {
        await quoting().getByRole('button', { name: 'Quote' }).click();
        await quoting().locator('.bridge-quote form, .problem p').first().waitFor();
        return (await send.count()) === 1;
      },
      { what: 'a quote' },
    );
    cliff.behaviour = 'stays_elsewhere';
    await send.click();
    await quoting()
      .getByText(/Not signed: Cliff is on chain 1\. Switch it to chain \d+/)
      .waitFor();
    cliff.behaviour = 'sends_elsewhere';
    await send.click();
    await quoting()
      .getByText(/Cliff sent a different transaction \(0x[0-9a-f]{64}\): data: expected/)
      .waitFor();
    expect(await page.locator('[data-transfer]', { hasText: '22 USDC' }).count()).toBe(0);
    cliff.behaviour = 'honest';
    await send.click();
    await page.locator('[data-transfer]', { hasText: '22 USDC' }).waitFor();
    await quoting().getByLabel('From the').selectOption('spotchain');
    watched.complaints.length = 0;
  });

  test('a transfer whose payment is short says so in words', SLOW, async () => {
    await chain('bridge_trouble', { provider: 'relay', how: 'pays_part' });
    await chain('bridge_trouble', { provider: 'cctp', how: 'pays_part' });
    await submit(await quote('25'));
    const words = page.locator('[data-attention=partial_fill]');
    await words.waitFor({ timeout: 60_000 * PATIENCE });
    expect(await words.innerText()).toBe('less has arrived than the quote promised at least');
    await chain('bridge_trouble', { provider: 'relay', how: null });
    await chain('bridge_trouble', { provider: 'cctp', how: null });
    await waitFor(async () => (await page.locator('[data-transfer]').count()) === 4, { what: 'all transfers, newest first' });
    expect(await page.locator('[data-transfer]').first().locator('h2').innerText()).toContain('25 USDC');
  });

  test('a linked wallet stands beside the live books at one click', SLOW, async () => {
    await page.evaluate(`location.hash = '#/portfolio/live'`);
    const button = page.getByRole('group', { name: 'Linked wallets' }).getByRole('button', { name: /^cold / });
    await button.click();
    await page.getByRole('region', { name: 'Holdings' }).locator('tbody tr', { hasText: evm.address.toLowerCase() }).first().waitFor();
    expect(await page.getByLabel('Additional wallets').inputValue()).toBe(evm.address);
    expect(await barriers(page)).toEqual([]);
  });

  test('what somebody approved on the primary chain is signed by the owner’s wallet beside its proposal, and booked', SLOW, async () => {
    const { id: agentId } = (await service.post('/v1/agents', { ...HOLDER, name: 'Owner', universe: ['AAPLx'], maxSlippageBps: 100 })).body;
    expect((await service.post(`/v1/agents/${agentId}/autonomy`, { autonomy: 'confirm' })).status).toBe(200);
    await placeAtStage(service.embeddedUrl(), agentId, 'limited_live');
    expect((await service.post(`/v1/agents/${agentId}/vault/deposit`, { amountUsd: '400' })).status).toBe(201);
    await page.evaluate(`location.hash = '#/proposals/${agentId}'`);
    const sign = page.locator('.proposal-signing').getByRole('button', { name: 'Sign with Harbour' });
    /** Prepared approval. One that is signed too late, or on an aged quote, fails: the member proposes and approves again. */
    const prepared = () =>
      waitFor(
        async () => {
          const quote = (await service.get('/v1/quotes?venue=spotchain&instrument=AAPLx')).body.items[0];
          if (quote?.quality !== 'live') return null;
          const limitPrice = new Decimal(quote.ask).times('1.005').toFixed(2);
          const wish = { mode: 'live', instrument: 'spotchain:AAPLx', quantity: '0.1', limitPrice, maxSlippageBps: 100 } as const;
          const id = await proposeOrder(service, service.embeddedUrl(), agentId, wish);
          const card = page.locator(`[data-proposal="${id}"]`);
          await card.getByRole('button', { name: 'Approve' }).click();
          await page
            .locator(`[data-proposal="${id}"]:is([data-state=unknown], [data-state=failed], [data-state=blocked_by_risk])`)
            .waitFor();
          return (await sign.count()) === 1 ? { id, card } : null;
        },
        { what: 'a transaction for the owner', deadlineMs: 60_000 },
      );
    const first = await prepared();
    harbour.behaviour = 'alters';
    await sign.click();
    await first.card.getByText(/Not submitted: Harbour signed a different transaction: instructions were altered of /).waitFor();
    const told = await first.card.getByRole('list', { name: 'The transaction' }).getByRole('listitem').allInnerTexts();
    expect(told.join('\n')).toMatch(new RegExp(`for ${SENDER}: gives exactly [\\d,]+ raw units of|Moves [\\d,.]+ of the mint`));
    harbour.behaviour = 'honest';
    await sign.click();
    const filled = await waitFor(
      async () => {
        const { body } = await service.get(`/v1/agent-orders/${first.id}`);
        expect(['failed', 'expired', 'cancelled'], JSON.stringify(body)).not.toContain(body.state);
        // The quote may have aged while the wallet was asked: the same bytes are signed once more.
        if (body.transaction?.state === 'prepared' && (await sign.count()) === 1 && (await sign.isEnabled())) await sign.click();
        return body.state === 'filled' ? body : null;
      },
      { what: 'the fill of the proposal', deadlineMs: 90_000 },
    );
    expect(filled).toMatchObject({ transaction: { state: 'finalized', wallet: SENDER, signedBy: 'owner' }, fills: [{ side: 'buy' }] });
    await page.locator(`[data-proposal="${first.id}"][data-state=filled]`).waitFor();
    expect(await sign.count()).toBe(0);
    expect(await barriers(page)).toEqual([]);
    for (const complaint of watched.complaints.splice(0)) expect(complaint).toContain('422');
  });

  test('the vault of an agent names the linked wallets of whoever has paid in', SLOW, async () => {
    const { id } = (await service.post('/v1/agents', HOLDER)).body;
    await placeAtStage(service.embeddedUrl(), id, 'limited_live');
    const paid = await service.post(`/v1/agents/${id}/vault/deposit`, { amountUsd: '100' });
    expect(paid.status, paid.text).toBe(201);
    const { depositors } = (await service.get(`/v1/agents/${id}/vault`)).body;
    const { items } = (await service.get('/v1/wallets')).body;
    const linked = items.find(({ address }: { address: string }) => address === evm.address);
    expect(linked.provedBy).toBe(depositors[0].depositor);
    await page.evaluate(`location.hash = '#/agents/${id}/vault'`);
    const row = page.getByRole('region', { name: 'Depositors' }).locator('tbody tr');
    await row.waitFor();
    expect(await row.locator('th, td').allInnerTexts()).toEqual(
      expect.arrayContaining([
        depositors[0].depositor,
        expect.stringContaining(`cold ${evm.address.slice(0, 6)}…${evm.address.slice(-4)}`),
      ]),
    );
    // What a share was worth since, marked once a minute. The course itself is asked for once: it has a budget.
    const sql = openDatabase({ url: service.embeddedUrl(), name: 'console test', connections: 1, role: null });
    // Where money is real, the vault shows what backs it. In the sandbox nothing is, so a comparison is kept as the worker would.
    const backing = page.locator('.vault-panel .facts > div', { hasText: 'Proof of reserves' }).locator('[title]');
    expect(await backing.count()).toBe(0);
    const [agent] = await sql<{ org_id: string }[]>`select org_id from agents where id = ${id}`;
    const check = { at: Date.now(), verdict: 'short', unknown: ['wallet w: no node'], depositedUsd: '100', dollars: null } as const;
    const lines = [{ asset: 'USD', claimed: '100', held: '62.5' }];
    await createReserveStore(sql).keep(agent?.org_id as string, { ...check, lines }, null);
    await page.getByRole('button', { name: 'Revalue the vault' }).click();
    await backing.waitFor();
    expect(await backing.innerText()).toBe('short');
    expect((await backing.getAttribute('title'))?.split('\n').slice(1)).toEqual(['USD: 62.5 held, 100 claimed', 'wallet w: no node']);
    await waitFor(async () => (await sql`select from vault_marks where agent_id = ${id}`).length > 0, { what: 'a mark' });
    await sql.end();
    const [mark] = (await service.get(`/v1/agents/${id}/vault/price-history`)).body.items;
    await unfold(page, 'Share price in US dollars');
    const legend = page.locator('.vault-panel .market-chart-legend');
    const [, told = ''] = /^20\d\d-\d\d-\d\d \d\d:\d\d\s+([\d,.]+)\s+drawdown/.exec(await legend.innerText()) ?? [];
    expect(Number(told.replaceAll(',', ''))).toBeCloseTo(Number(mark.sharePriceUsd), 2);
    expect(await barriers(page)).toEqual([]);
  });

  test('a wallet is put on the board, and nonsense is refused beside the button', async () => {
    await page.getByRole('link', { name: 'Leaderboard' }).click();
    await page.getByText('No wallets yet. Register one below.').waitFor();
    await page.getByLabel('Address (primary or EVM chain)').fill('z'.repeat(40));
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('alert').filter({ hasText: 'malformed' }).waitFor();
    watched.complaints.splice(0);
    await page.getByLabel('Address (primary or EVM chain)').fill(onBoard.address);
    await page.getByLabel('Label').fill('payouts');
    await page.getByRole('button', { name: 'Register' }).click();
    const row = page.getByRole('row').filter({ hasText: 'payouts' });
    await row.waitFor();
    expect((await row.locator('td').allInnerTexts()).slice(0, 2)).toEqual(['none', 'unknown']);
    await page.getByRole('link', { name: 'payouts' }).click();
    await page.getByText(onBoard.address).waitFor();
    await page.getByRole('link', { name: '7d' }).click();
    await page.getByText('No sales in this period.').waitFor();
    expect(await troublesOf(page, ['leaderboard', `leaderboard/${onBoard.address}`])).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  test('who may only read is offered no submission, and nothing complained on the way', SLOW, async () => {
    const transfer = (await service.get('/v1/bridge/transfers')).body.items.at(-1).id;
    expect(await troublesOf(page, ['bridge', `actors/${transfer}`])).toEqual([]);
    await visit(page, 'bridge');
    expect(watched.complaints).toEqual([]);
    await page.locator('.who summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, service, 'viewer');
    await page.evaluate(`location.hash = '#/bridge'`);
    await page.locator('[data-transfer]').first().waitFor();
    await quote('20');
    const button = quoting().getByRole('button', { name: 'Submit' });
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([true, 'Requires trade:execute']);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await barriers(page)).toEqual([]);
  });
});
