// A token is launched from one's own wallet on a whole service: preview, prepare, sign, submit, watch it trade, graduate.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { associatedAccount, type PoolKeys, swapInstruction } from '../../src/domain/launch/curve/program.ts';
import { NATIVE_MINT } from '../../src/domain/launch/quote-tokens.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import { buildTransaction, computeLimit } from '../../src/sandbox/solana/instructions.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { kitInstruction } from '../../src/sandbox/solana/launch-programs/modelled-machine.ts';
import { signedBy } from '../actors/launch/launch-fixture.ts';
import { payload } from '../api/api-under-test.ts';
import { testInProof } from '../harness/rounds.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { holdingOf } from '../sandbox/solana/launch-fixture.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { commandsUnder, openTerminal } from './typed-commands.ts';

const creator = sandboxKey('journey creator');
const trader = sandboxKey('journey trader');
const buyer = sandboxKey('journey buyer');
let service: SharedService;
let control: string;

async function chain(verb: string, body: object): Promise<void> {
  const answer = await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

/** Calls the node of the sandbox's chain, as any wallet does. */
async function node(method: string, ...params: unknown[]) {
  const { simulators } = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { simulators: { primarychain: string } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(simulators.primarychain, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await answer.json()) as { result?: never; error?: unknown };
  expect(error).toBeUndefined();
  return result as never;
}

beforeAll(async () => {
  service = await joinService('launch');
  control = (JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string }).control;
  const agent = await service.post('/v1/agents', payload({ name: 'Lighthouse' }));
  expect(agent.status, agent.text).toBe(201);
  await chain('fund', { owner: creator.address, mint: 'SOL', amount: '10000000000' });
  await chain('fund', { owner: trader.address, mint: 'SOL', amount: '1000000000' });
  await chain('fund', { owner: buyer.address, mint: 'SOL', amount: '1000000000' });
  await chain('fund', { owner: buyer.address, mint: USDC_MINT, amount: '1000000000' });
  await chain('fund', { owner: trader.address, mint: NATIVE_MINT, amount: '400000000000' });
}, 60_000 * PATIENCE);
afterAll(() => service?.leave());

const CURVE = { preset: 'agent_treasury', quoteMint: NATIVE_MINT, startingFdv: '30' };
const launchOf = async (id: string) => (await service.get(`/v1/launches/${id}`, 'operator')).body;
const until = (id: string, state: string) =>
  waitFor(
    async () => {
      const found = await launchOf(id);
      expect(['failed', 'expired'], JSON.stringify(found)).not.toContain(found.state);
      return found.state === state ? found : null;
    },
    { what: `the launch to be ${state}`, deadlineMs: 120_000 },
  );

/** Buys on the curve directly on the chain. */
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

/** Swaps as a stranger by the general swap routes, and returns the finalized order. */
async function swapped(mint: string, side: 'buy' | 'sell', amount: string) {
  const wish = { instrument: mint, side, amount, slippageBps: 300, wallet: buyer.address };
  const prepared = await waitFor(
    async () => {
      const answer = await service.post('/v1/spotchain/orders/prepare', wish, 'operator');
      expect([201, 422, 503], answer.text).toContain(answer.status);
      return answer.status === 201 ? answer.body : null;
    },
    { what: `a prepared ${side}`, deadlineMs: 180_000 },
  );
  const signedTransaction = signedBy(buyer, prepared.transaction);
  await waitFor(
    async () => (await service.post(`/v1/spotchain/orders/${prepared.id}/execute`, { signedTransaction }, 'operator')).status === 202,
    { what: `the ${side} to be taken`, deadlineMs: 60_000 },
  );
  return waitFor(
    async () => {
      const { body } = await service.get(`/v1/spotchain/orders/${prepared.id}`, 'operator');
      expect(['failed', 'expired'], JSON.stringify(body)).not.toContain(body.state);
      return body.state === 'finalized' ? body : null;
    },
    { what: `the ${side} to be final`, deadlineMs: 120_000 },
  );
}

test('a token is previewed, prepared, signed and submitted, trades on its curve by the swap routes, graduates, and is sold in the pool that follows', {
  timeout: 400_000 * PATIENCE,
}, async () => {
  const preview = await service.post('/v1/launches/dbc/preview', CURVE, 'operator');
  expect(preview.status, preview.text).toBe(200);
  const wish = {
    ...CURVE,
    name: 'Lighthouse Keeper',
    symbol: 'BEACON',
    uri: 'https://example.com/beacon.json',
    creator: creator.address,
    firstBuy: '1',
  };
  expect((await service.post('/v1/launches/dbc/prepare', wish, 'viewer')).status).toBe(403);
  const prepared = await service.post('/v1/launches/dbc/prepare', wish, 'operator');
  expect(prepared.status, prepared.text).toBe(201);
  const { id, mint, config, transactions } = prepared.body as { id: string; mint: string; config: string; transactions: string[] };
  const signed = transactions.map((one) => signedBy(creator, one));
  const submitted = await service.post(`/v1/launches/${id}/submit`, { transactions: signed }, 'operator');
  expect(submitted.status, submitted.text).toBe(202);

  await until(id, 'trading');
  const first = await service.get(`/v1/launches/${id}/monitor`, 'operator');
  expect(first.status, first.text).toBe(200);
  expect(first.body.graduation).toEqual({ progress: 'on_curve', successorPool: null });
  expect(first.body.curve.graduationThreshold).toBe(preview.body.graduationThreshold);
  expect(first.body.curve.quoteReserve).toBe('0.96');
  expect(Number(first.body.curve.creatorFees.quote)).toBeGreaterThan(0);
  expect(Number(first.body.curve.creatorFees.claimedQuote)).toBeLessThan(1e-8);
  const { returns, returnPct } = await waitFor(
    async () => {
      const { curve } = (await service.get(`/v1/launches/${id}/monitor`, 'operator')).body;
      return curve.returns === null ? null : curve;
    },
    { what: 'the price of what it is quoted in', deadlineMs: 60_000 },
  );
  expect(returns.relativePct).toBe(returnPct);
  await waitFor(
    async () =>
      (await service.get('/v1/catalog?q=BEACON', 'operator')).body.items.some(
        (one: { token: { mint: string } }) => one.token.mint === mint,
      ),
    {
      what: 'the mint in the catalog',
      deadlineMs: 60_000,
    },
  );

  const bought = await swapped(mint, 'buy', '20');
  expect(bought.route).toMatchObject([{ venue: 'Dynamic Bonding Curve' }]);
  expect(bought.fills).toMatchObject([{ side: 'buy' }]);
  const moved = await waitFor(
    async () => {
      const { body } = await service.get(`/v1/launches/${id}/monitor`, 'operator');
      return Number(body.curve.fillPct) > Number(first.body.curve.fillPct) ? body : null;
    },
    { what: 'the monitor to move', deadlineMs: 60_000 },
  );
  expect(Number(moved.curve.price)).toBeGreaterThan(Number(first.body.curve.price));
  expect(Number(moved.curve.returnPct)).toBeGreaterThan(Number(first.body.curve.returnPct));

  // The token has a quote with source, age and quality, bars and a rank, and holdings of it have a value.
  // On a busy machine it may be degraded for seconds at a time.
  const quote = await waitFor(
    async () => {
      const [newest] = (await service.get('/v1/quotes?venue=spotchain&instrument=BEACON', 'operator')).body.items;
      return newest?.quality === 'live' ? newest : null;
    },
    { what: 'a live quote of the token', deadlineMs: 20_000 },
  );
  expect(quote).toMatchObject({ source: 'jupiter:quote' });
  expect(Number(quote.bid)).toBeLessThan(Number(quote.ask));
  const bars = await waitFor(
    async () => {
      const { body } = await service.get('/v1/candles?venue=spotchain&instrument=BEACON&timeframe=1m', 'operator');
      return body.items?.length > 0 ? body.items : null;
    },
    { what: 'bars of the token', deadlineMs: 150_000 },
  );
  expect(Number(bars[0].high)).toBeGreaterThan(0);
  // A busy service answers 503 with `Retry-After`.
  const ranked = await waitFor(
    async () => (await service.get('/v1/agent-market/rank?mode=liquidity&limit=200', 'operator')).body.items ?? null,
    { what: 'the ranking' },
  );
  expect(ranked.map(({ symbol }: { symbol: string }) => symbol)).toContain('BEACON');
  const portfolio = await waitFor(
    async () => {
      const { body } = await service.get(`/v1/portfolio?wallets=${buyer.address}`, 'operator');
      return JSON.stringify(body).includes('BEACON') ? body : null;
    },
    { what: 'the token in a portfolio', deadlineMs: 60_000 },
  );
  const mine = portfolio.holdings.filter(({ symbol }: { symbol: string }) => symbol === 'BEACON');
  expect(mine.map(({ quantity }: { quantity: string }) => quantity)).toContain(bought.fills[0].quantity);
  for (const { valueUsd } of mine) expect(Math.abs(Number(valueUsd) - 20)).toBeLessThan(5);

  await buy({ config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM }, 300_000_000_000n);
  await until(id, 'graduated');
  const last = await service.get(`/v1/launches/${id}/monitor`, 'operator');
  expect(last.body.graduation.progress).toBe('graduated');
  expect(last.body.graduation.successorPool).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  expect(last.body.curve.fillPct).toBe('100');
  const sold = await swapped(mint, 'sell', bought.fills[0].quantity);
  expect(sold.route).toMatchObject([{ venue: 'Meteora DAMM v2' }]);
  expect(Number(sold.fills[0].fillPrice)).toBeGreaterThan(Number(bought.fills[0].fillPrice));
});

testInProof(
  'the guide’s commands lead from an agent to a graduated token, while the monitor shows progress',
  {
    timeout: 400_000 * PATIENCE,
  },
  async () => {
    const terminal = openTerminal(service);
    const said = commandsUnder('docs/guides/first-launch.md', 'Your first launch');
    const [untilMonitor = '', fromMonitor = ''] = said.split(/(?=^sg "\$U\/v1\/launches\/\$LAUNCH\/monitor")/m);
    const agent = (await service.get('/v1/agents?limit=1', 'operator')).body.items[0].id;
    const submitted = await terminal.type(untilMonitor);
    const { id, mint } = JSON.parse(readFileSync(join(terminal.folder, 'launch.json'), 'utf8')) as { id: string; mint: string };
    expect(submitted).toContain('"submitted"');
    expect((await until(id, 'trading')).agentId).toBe(agent);
    expect(await terminal.type(`LAUNCH=${id}\n${fromMonitor}`)).toContain('"on_curve"');
    await until(id, 'graduated');
    const { curve, graduation } = (await service.get(`/v1/launches/${id}/monitor`, 'operator')).body;
    expect([curve.fillPct, graduation.progress]).toEqual(['100', 'graduated']);
    terminal.close();
    expect((await service.get(`/v1/agent-market/tokens/${mint}`, 'operator')).status).toBe(200);
  },
);

test('an agent’s token is launched by the external launcher for one payment, and is listed like any agent token', {
  timeout: 300_000 * PATIENCE,
}, async () => {
  await waitFor(
    async () => {
      const { status, body } = await service.get('/v1/agentlaunch/pairs', 'viewer');
      return status === 200 && body.items.some(({ symbol }: { symbol: string }) => symbol === 'TSLAx');
    },
    { what: 'the pairs of the launcher', deadlineMs: 60_000 },
  );
  const agents = await service.get('/v1/agents?limit=1', 'operator');
  const wish = {
    agentId: agents.body.items[0].id,
    pair: 'TSLAx',
    creatorFeeBps: 200,
    name: 'Dynamo',
    symbol: 'DYNAMO',
    description: 'A token of an agent that watches one share.',
    imageUrl: 'https://example.com/dynamo.png',
    creator: creator.address,
  };
  expect((await service.post('/v1/launches/agentlaunch/quote', wish, 'viewer')).status).toBe(403);
  const quoted = await service.post('/v1/launches/agentlaunch/quote', wish, 'operator');
  expect(quoted.status, quoted.text).toBe(201);
  const { id, transaction } = quoted.body as { id: string; transaction: string };
  const payment = signedBy(creator, transaction);
  const submitted = await service.post(`/v1/launches/${id}/submit`, { payment }, 'operator');
  expect(submitted.status, submitted.text).toBe(202);
  await until(id, 'launched');
  const { mint } = await launchOf(id);
  const token = await waitFor(
    async () => {
      const told = await service.get(`/v1/agent-market/tokens/${mint}`, 'operator');
      return told.status === 200 && told.body.creator !== null && told.body.holders?.excluded?.length > 0 ? told.body : null;
    },
    { what: 'the token among agent tokens, with its creator and holders', deadlineMs: 60_000 },
  );
  expect(token).toMatchObject({ symbol: 'DYNAMO', pairedStock: 'spotchain:TSLAx', creator: { address: creator.address, freePct: 0 } });
  expect(token.holders.excluded).toMatchObject([{ kind: 'curve', pctOfSupply: 100 }]);
  const again = await service.post(`/v1/launches/${id}/submit`, { payment }, 'operator');
  expect([again.status, again.body.state, again.body.mint]).toEqual([202, 'launched', mint]);
});
