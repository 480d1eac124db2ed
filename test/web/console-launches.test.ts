// The console where tokens are launched: the list, the curve as a picture, and the monitor as it moves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { associatedAccount, type PoolKeys, swapInstruction } from '../../src/domain/launch/curve-program.ts';
import { NATIVE_MINT } from '../../src/domain/launch/quote-tokens.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import { buildTransaction, computeLimit } from '../../src/sandbox/solana/instructions.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { kitInstruction } from '../../src/sandbox/solana/launch-programs/modelled-machine.ts';
import { signedBy } from '../actors/launch/launch-fixture.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type Service, startService } from '../journeys/running-service.ts';
import { holdingOf } from '../sandbox/solana/launch-fixture.ts';
import { type Browser, barriers, CHROMIUM, openBrowser, signIn, type Watched } from './console-fixture.ts';

const creator = sandboxKey('console creator');
const trader = sandboxKey('console trader');

describe.skipIf(CHROMIUM === null)('the console where tokens are launched', () => {
  let service: Service;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
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
    await fund(creator.address, 'SOL', '10000000000');
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

  test('a launch is listed, its curve is drawn, and both move as somebody buys', { timeout: 300_000 * PATIENCE }, async () => {
    await page.getByRole('link', { name: 'Launches', exact: true }).click();
    await page.getByRole('heading', { name: 'Launches', level: 1 }).waitFor();
    await page.getByText('No launch yet.').waitFor();
    // The two agent tokens of the sandbox are ranked, or stand there without a rank.
    await page.getByRole('rowheader', { name: 'ORCHARD' }).waitFor();

    const wish = {
      preset: 'agent_treasury',
      quoteMint: NATIVE_MINT,
      startingFdv: '30',
      name: 'Lantern <b>Bearer</b>',
      symbol: 'LANTERN',
      uri: 'https://example.com/lantern.json',
      creator: creator.address,
      firstBuy: '1',
    };
    const prepared = await service.post('/v1/launches/dbc/prepare', wish, 'operator');
    expect(prepared.status, prepared.text).toBe(201);
    const { id, mint, config, transactions } = prepared.body as { id: string; mint: string; config: string; transactions: string[] };
    // What the name holds is a text and no markup.
    await page.getByRole('link', { name: 'LANTERN Lantern <b>Bearer</b>' }).click();
    await page.getByText('prepared', { exact: false }).first().waitFor();
    const picture = page.getByRole('img', { name: /^The curve of LANTERN/ });
    await picture.waitFor();
    expect((await page.locator('.curve-line').getAttribute('points'))?.split(' ')).toHaveLength(11);
    expect(await barriers(page)).toEqual([]);

    const signed = transactions.map((one) => signedBy(creator, one));
    expect((await service.post(`/v1/launches/${id}/submit`, { transactions: signed }, 'operator')).status).toBe(202);
    await page.locator('[data-fact=fill]').waitFor({ timeout: 200_000 });
    const fillNow = async (): Promise<number> => Number((await page.locator('.curve circle').getAttribute('data-fill')) ?? 0);
    const first = await waitFor(async () => ((await fillNow()) > 0 ? fillNow() : null), {
      what: 'the first buy in the picture',
      deadlineMs: 60_000,
    });
    await waitFor(async () => (await service.get(`/v1/launches/${id}`, 'operator')).body.state === 'trading', {
      what: 'the launch to trade',
      deadlineMs: 120_000,
    });

    const markBefore = Number(await page.locator('.curve circle').getAttribute('cx'));
    await buy({ config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM }, 20_000_000_000n);
    await waitFor(async () => (await fillNow()) > first, { what: 'the picture to move', deadlineMs: 60_000 });
    expect(Number(await page.locator('.curve circle').getAttribute('cx'))).toBeGreaterThan(markBefore);
    expect(await page.locator('[data-fact=fill]').innerText()).toBe(`${await page.locator('.curve circle').getAttribute('data-fill')} %`);
    expect(await barriers(page)).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });
});
