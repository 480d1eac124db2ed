// The console where tokens are launched: a token is described, previewed, signed by a wallet and launched, trades, moves its picture, and pays its creator.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { associatedAccount, type PoolKeys, swapInstruction } from '../../src/domain/launch/curve/program.ts';
import { NATIVE_MINT } from '../../src/domain/launch/quote-tokens.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import { buildTransaction, computeLimit } from '../../src/sandbox/solana/instructions.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { kitInstruction } from '../../src/sandbox/solana/launch-programs/modelled-machine.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type Service, startService } from '../journeys/running-service.ts';
import { holdingOf } from '../sandbox/solana/launch-fixture.ts';
import { type Browser, barriers, CHROMIUM, findingsEverywhere, openBrowser, signIn, troublesOf, type Watched } from './console-fixture.ts';
import { standardWallet, type TestWallet } from './test-wallets.ts';

const creator = keyOf(71);
const CREATOR = creator.publicKey.toBase58();
const trader = sandboxKey('console trader');
const SLOW = { timeout: 300_000 * PATIENCE };

describe.skipIf(CHROMIUM === null)('the console where tokens are launched', () => {
  let service: Service;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let wallet: TestWallet;
  const places = () =>
    JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string; simulators: { primarychain: string } };
  const fund = async (owner: string, mint: string, amount: string): Promise<void> => {
    const answer = await fetch(`${places().control}/chain/fund`, { method: 'POST', body: JSON.stringify({ owner, mint, amount }) });
    expect(answer.status).toBe(200);
  };
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(), openBrowser()]);
    watched = await browser.page();
    page = watched.page;
    wallet = await standardWallet(page, 'Harbour', creator);
    await fund(CREATOR, 'SOL', '10000000000');
    await fund(trader.address, 'SOL', '1000000000');
    await fund(trader.address, NATIVE_MINT, '40000000000');
    await signIn(page, service, 'operator');
  }, 300_000 * PATIENCE);
  afterAll(async () => {
    await browser?.close();
    await service?.discard();
  });

  /** Asks the node of the sandbox's chain, as any wallet does. */
  async function node(method: string, ...params: unknown[]) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const { result, error } = (await (await fetch(places().simulators.primarychain, { method: 'POST', headers, body })).json()) as {
      result?: unknown;
      error?: unknown;
    };
    expect(error).toBeUndefined();
    return result;
  }

  /** Somebody buys on the curve, straight at the chain. */
  async function buy(keys: PoolKeys, amount: bigint): Promise<void> {
    const { value } = (await node('getLatestBlockhash', { commitment: 'confirmed' })) as { value: { blockhash: string } };
    const accounts = {
      baseAccount: associatedAccount(trader.address, keys.baseMint, TOKEN_PROGRAM),
      quoteAccount: associatedAccount(trader.address, NATIVE_MINT, TOKEN_PROGRAM),
    };
    const swap = swapInstruction(keys, { direction: 'buy', mode: 'partialFill', amount, bound: 0n, trader: trader.address, ...accounts });
    const instructions = [computeLimit(400_000), ...[holdingOf(trader, keys.baseMint, TOKEN_PROGRAM), swap].map(kitInstruction)];
    const bytes = buildTransaction({ version: 0, feePayer: trader.address, blockhash: value.blockhash, instructions, signers: [trader] });
    await node('sendTransaction', Buffer.from(bytes).toString('base64'), { encoding: 'base64', preflightCommitment: 'confirmed' });
  }

  const go = (hash: string) => page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  /** The browser itself notes a refusal, and nothing else was wrong. */
  const expectOnly = (status: string) => expect(watched.complaints.splice(0)).toEqual([expect.stringContaining(status)]);
  const launches = async () =>
    (await service.get('/v1/launches', 'operator')).body.items as { id: string; symbol: string; state: string }[];
  const fillNow = async (): Promise<number> => Number((await page.locator('.curve circle').getAttribute('data-fill')) ?? 0);
  const refusal = (words: RegExp) => page.getByRole('alert').filter({ hasText: words });

  test(
    'a token is described and previewed; what is wrong stands beside its field, and what a wallet alters is not handed in',
    SLOW,
    async () => {
      await page.getByRole('link', { name: 'Launches', exact: true }).click();
      await page.getByRole('heading', { name: 'Launches', level: 1 }).waitFor();
      await page.getByText('No launches yet.').waitFor();
      // The two agent tokens of the sandbox are ranked, or stand there without a rank.
      await page.getByRole('rowheader', { name: 'ORCHARD' }).waitFor();
      await page.getByRole('link', { name: 'Launch a token' }).click();
      await page.getByRole('img', { name: /^Bonding curve of the token: not on chain yet/ }).waitFor();
      expect((await page.locator('.curve-line').getAttribute('points'))?.split(' ')).toHaveLength(11);
      const threshold = page.locator('.facts > div', { hasText: 'Graduation threshold' });
      const before = await threshold.innerText();
      await page.getByLabel('Starting FDV').fill('60');
      await waitFor(async () => (await threshold.innerText()) !== before, { what: 'the preview of another value' });
      await page.getByLabel('Starting FDV').fill('30');
      await waitFor(async () => (await threshold.innerText()) === before, { what: 'the preview of the first value again' });

      await page.getByLabel('Name', { exact: true }).fill('Lantern <b>Bearer</b>');
      await page.getByLabel('Symbol').fill('LAN TERN');
      await page.getByLabel('Metadata URL').fill('https://example.com/lantern.json');
      await page.getByLabel('Creator’s first buy').fill('1');
      const sign = page.getByRole('button', { name: 'Sign with Harbour' });
      await sign.click();
      await page
        .locator('#problem-symbol')
        .getByText(/^symbol: /)
        .waitFor();
      expect(await page.getByLabel('Symbol').getAttribute('aria-invalid')).toBe('true');
      expectOnly('400');
      await page.getByLabel('Symbol').fill('LANTERN');
      wallet.behaviour = 'guards';
      await sign.click();
      await refusal(/Not submitted: Harbour signed a different transaction: instructions were inserted of Lighthouse /).waitFor();
      const [waiting] = await launches();
      expect([waiting?.symbol, waiting?.state]).toEqual(['LANTERN', 'prepared']);
      const sentences = await page
        .getByRole('list', { name: /^(The transaction|Transaction \d of \d)$/ })
        .getByRole('listitem')
        .allInnerTexts();
      expect(sentences.join('\n')).toMatch(/Makes the token “Lantern <b>Bearer<\/b>” \(LANTERN\) with the mint/);
      expect(sentences.join('\n')).toMatch(new RegExp(`Pays 1 SOL from ${CREATOR} to `));
      expect(sentences.join('\n')).toMatch(/gives exactly 1,000,000,000 raw units of /);
      expect(sentences.join('\n')).not.toContain('not known here');
      expect(await barriers(page)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    },
  );

  test('what was prepared elsewhere is signed on its page, by its creator’s account alone', SLOW, async () => {
    const wish = { preset: 'agent_treasury', quoteMint: NATIVE_MINT, startingFdv: '30', name: 'Second', symbol: 'SECOND' };
    const uri = 'https://example.com/second.json';
    const prepared = await service.post('/v1/launches/dbc/prepare', { ...wish, uri, creator: CREATOR }, 'operator');
    expect(prepared.status, prepared.text).toBe(201);
    await go(`#/launches/${prepared.body.id}`);
    await page.getByRole('heading', { name: 'SECOND Second' }).waitFor();
    const hostile = [
      ['shows_other_account', new RegExp(`Harbour shares L2TE\\w+\\. Switch to ${CREATOR}`)],
      ['disconnected', new RegExp(`Harbour shares no account\\. Switch to ${CREATOR}`)],
      ['other_network', new RegExp(`Harbour has ${CREATOR} on aptos:mainnet, not on the primary chain\\.`)],
      ['declines', /User rejected the request\./],
      ['alters', /signed a different transaction: instructions were altered of /],
      ['leaves_unsigned', new RegExp(`the wallet did not sign for ${CREATOR}\\.`)],
      ['gives_nonsense', /Not submitted: Harbour signed a different transaction: /],
      ['gives_nothing', /Not submitted: Harbour returned no signed transaction\./],
      ['gives_fewer', /Not submitted: Harbour signed 0 of \d transactions\./],
    ] as const;
    for (const [behaviour, words] of hostile) {
      wallet.behaviour = behaviour;
      await page.getByRole('button', { name: 'Sign with Harbour' }).click();
      await refusal(words).waitFor();
    }
    expect((await service.get(`/v1/launches/${prepared.body.id}`, 'operator')).body.state).toBe('prepared');
    wallet.behaviour = 'honest';
    await page.getByRole('button', { name: 'Sign with Harbour' }).click();
    await page.getByRole('heading', { name: 'Signature required' }).waitFor({ state: 'hidden' });
    const { body } = await service.get(`/v1/launches/${prepared.body.id}`, 'operator');
    expect(['submitted', 'confirmed', 'trading']).toContain(body.state);
    expect(watched.complaints).toEqual([]);
  });

  test('signed in the form it is launched; its picture moves as somebody buys, and its creator claims the fees', SLOW, async () => {
    await go('#/launches/new');
    await page.locator('.curve-line').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Lantern <b>Bearer</b>');
    await page.getByLabel('Symbol').fill('BEARER');
    await page.getByLabel('Metadata URL').fill('https://example.com/bearer.json');
    await page.getByLabel('Creator’s first buy').fill('1');
    await page.getByRole('button', { name: 'Sign with Harbour' }).click();
    // What the name holds is a text and no markup.
    await page.getByRole('heading', { name: 'BEARER Lantern <b>Bearer</b>' }).waitFor();
    const id = page.url().split('/').at(-1) as string;
    await page.locator('[data-fact=fill]').waitFor({ timeout: 200_000 });
    const first = await waitFor(async () => ((await fillNow()) > 0 ? fillNow() : null), {
      what: 'the first buy in the picture',
      deadlineMs: 60_000,
    });
    const { config, mint } = await waitFor(
      async () => {
        const { body } = await service.get(`/v1/launches/${id}`, 'operator');
        return body.state === 'trading' ? (body as { config: string; mint: string }) : null;
      },
      { what: 'the launch to trade', deadlineMs: 120_000 },
    );

    const standing = await waitFor(
      async () => {
        const { body } = await service.get(`/v1/launches/${id}`, 'operator');
        return body.progress === null ? null : body;
      },
      { what: 'how far the curve is filled', deadlineMs: 60_000 },
    );
    expect([standing.progress.total, standing.waitingFor.cause]).toEqual([100, 'market']);
    expect(standing.progress.done).toBeGreaterThan(0);
    await page.locator('.work-line', { hasText: 'buyers take the rest of the curve' }).waitFor();
    const markBefore = Number(await page.locator('.curve circle').getAttribute('cx'));
    await buy({ config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM }, 20_000_000_000n);
    await waitFor(async () => (await fillNow()) > first, { what: 'the picture to move', deadlineMs: 60_000 });
    expect(Number(await page.locator('.curve circle').getAttribute('cx'))).toBeGreaterThan(markBefore);
    expect(await page.locator('[data-fact=fill]').innerText()).toBe(`${(await fillNow()).toFixed(2)} %`);

    // The price over time is drawn from the looks that the API tells of.
    const drawn = page.getByRole('figure', { name: 'Price of BEARER in SOL' });
    const course = await waitFor(
      async () => {
        const { body } = await service.get(`/v1/launches/${id}/price-history`, 'operator');
        const { points } = body as { points: { at: string; price: string; fillPct: string; progress: string }[] };
        const seconds = new Set(points.map(({ at }) => at.slice(0, 19))).size;
        return seconds >= 2 && (await drawn.getAttribute('data-points')) === String(seconds) ? points : null;
      },
      { what: 'the prices in the chart', deadlineMs: 60_000 },
    );
    const last = course.at(-1);
    expect(Number(course[0]?.price)).toBeLessThan(Number(last?.price));
    const told = /to ([\d.]+) SOL, curve ([\d.]+) % full/.exec(await drawn.getByRole('status').innerText()) ?? [];
    expect(Math.abs(Number(told[1]) / Number(last?.price) - 1)).toBeLessThan(0.0001);
    expect(Number(told[2])).toBeCloseTo(Number(last?.fillPct), 2);
    const shown = Number(/price in SOL (\S+)/.exec(await drawn.innerText())?.[1]);
    expect(Math.abs(shown / Number(last?.price) - 1)).toBeLessThan(0.01);

    const claims = page.locator('.launch-claims');
    const sign = claims.getByRole('button', { name: 'Sign with Harbour' });
    wallet.behaviour = 'guards';
    await sign.click();
    await refusal(/signed a different transaction/).waitFor();
    expect(await claims.getByRole('listitem').allInnerTexts()).toContainEqual(
      expect.stringMatching(new RegExp(`^Pays the creator's trading fees of the curve .* out to ${CREATOR}: `)),
    );
    wallet.behaviour = 'honest';
    // On a busy machine an answer may be refused for want of time, or the claim expire before it is signed: then it is asked for anew.
    for (let words = ''; !words.includes('The claim is finalized.'); ) {
      await sign.click();
      words = await waitFor(
        async () => {
          const told = await claims.innerText();
          const isRefused = (await refusal(/\w/).filter({ visible: true }).count()) > 0;
          return isRefused || /The claim is (finalized|expired)/.test(told) ? told : null;
        },
        { what: 'how the claim ends', deadlineMs: 20_000 },
      );
      if (!words.includes('The claim is finalized.')) watched.complaints.splice(0);
    }
    const { curve } = (await service.get(`/v1/launches/${id}/monitor`, 'operator')).body;
    expect(Number(curve.creatorFees.claimedQuote)).toBeGreaterThan(0.01);
    expect(await troublesOf(page, ['launches', 'launches/new', `launches/${id}`, `actors/${id}`])).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  test(
    'the external launcher is paid by a wallet of the page; declined after the payment, the same payment has it asked once more',
    SLOW,
    async () => {
      await go('#/launches');
      await page.getByRole('link', { name: 'Launch with the external launcher' }).click();
      const pair = page.getByLabel('Paired share');
      await pair.selectOption('TSLAx');
      await page.getByLabel('Name', { exact: true }).fill('Dynamo <b>One</b>');
      await page.getByLabel('Symbol').fill('DYNONE');
      await page.getByLabel('Image URL').fill('https://example.com/dynamo.png');
      await page.getByLabel('Creator fee per trade').fill('much');
      const sign = page.getByRole('button', { name: 'Sign with Harbour' });
      await sign.click();
      await page
        .locator('#problem-creatorFeeBps')
        .getByText(/^creatorFeeBps: /)
        .waitFor();
      expectOnly('400');
      await page.getByLabel('Creator fee per trade').fill('200');
      await page.getByLabel('Description').fill('A token of an agent that watches one share.');
      wallet.behaviour = 'guards';
      await sign.click();
      await refusal(/Not submitted: .* instructions were inserted of Lighthouse /).waitFor();
      // What is paid, and to whom, stands there in the launcher's words and in those of the transaction.
      const { items } = (await service.get('/v1/launches?limit=1', 'operator')).body;
      const [{ id, lamports, payTo }] = items;
      expect(items).toMatchObject([{ kind: 'launcher', state: 'prepared', symbol: 'DYNONE', waitingFor: { cause: 'signature' } }]);
      const offer = page.locator('.launch-signing .facts');
      expect(await offer.innerText()).toContain(payTo);
      expect(await offer.getByTitle(`${lamports} lamports`).innerText()).toBe(`${Number(lamports) / 1e9} SOL`);
      expect(await page.getByRole('list', { name: 'The transaction' }).innerText()).toContain(`to ${payTo}`);
      expect(await findingsEverywhere(page)).toEqual([]);

      await fetch(`${places().control}/chain/launcher_trouble`, { method: 'POST', body: JSON.stringify({ how: 'declines' }) });
      wallet.behaviour = 'honest';
      await sign.click();
      await page.getByRole('heading', { name: 'DYNONE Dynamo <b>One</b>' }).waitFor();
      expect(page.url()).toContain(`#/launches/${id}`);
      await page.locator('.work-line', { hasText: 'the launcher declined' }).waitFor({ timeout: 120_000 * PATIENCE });
      const paid = (await service.get(`/v1/launches/${id}`, 'operator')).body;
      expect([paid.state, paid.signatures.length]).toEqual(['failed_paid', 1]);
      await fetch(`${places().control}/chain/launcher_trouble`, { method: 'POST', body: JSON.stringify({ how: null }) });
      await page.getByRole('heading', { name: 'Retry with the launcher' }).waitFor();
      await page.getByRole('button', { name: 'Sign with Harbour' }).click();
      await page.locator('.page-head', { hasText: 'launched' }).waitFor({ timeout: 120_000 * PATIENCE });
      const launched = (await service.get(`/v1/launches/${id}`, 'operator')).body;
      expect(launched).toMatchObject({ state: 'launched', signatures: paid.signatures, progress: null, waitingFor: null });
      expect(await barriers(page)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    },
  );
});
