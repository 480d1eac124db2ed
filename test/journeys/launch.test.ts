// A token is launched from a wallet of one's own, as a user of a whole service meets it: preview, prepare, sign, submit, watch it trade, graduate.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { associatedAccount, type PoolKeys, swapInstruction } from '../../src/domain/launch/curve-program.ts';
import { NATIVE_MINT } from '../../src/domain/launch/quote-tokens.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import { buildTransaction, computeLimit } from '../../src/sandbox/solana/instructions.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { kitInstruction } from '../../src/sandbox/solana/launch-programs/modelled-machine.ts';
import { signedBy } from '../actors/launch/launch-fixture.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { holdingOf } from '../sandbox/solana/launch-fixture.ts';
import { type Service, startService } from './running-service.ts';

const creator = sandboxKey('journey creator');
const trader = sandboxKey('journey trader');
let service: Service;
let control: string;

async function chain(verb: string, body: object): Promise<void> {
  const answer = await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

/** Asks the node of the sandbox's chain, as any wallet does. */
async function node(method: string, ...params: unknown[]) {
  const { simulators } = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { simulators: { primarychain: string } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(simulators.primarychain, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await answer.json()) as { result?: never; error?: unknown };
  expect(error).toBeUndefined();
  return result as never;
}

beforeAll(async () => {
  service = await startService();
  control = (JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string }).control;
  await chain('fund', { owner: creator.address, mint: 'SOL', amount: '10000000000' });
  await chain('fund', { owner: trader.address, mint: 'SOL', amount: '1000000000' });
  await chain('fund', { owner: trader.address, mint: NATIVE_MINT, amount: '400000000000' });
}, 60_000 * PATIENCE);
afterAll(() => service?.discard());

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

test('a token is previewed, prepared, signed and submitted, trades on its curve, is listed, and graduates', {
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

  await buy({ config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM }, 5_000_000_000n);
  const moved = await waitFor(
    async () => {
      const { body } = await service.get(`/v1/launches/${id}/monitor`, 'operator');
      return Number(body.curve.fillPct) > Number(first.body.curve.fillPct) ? body : null;
    },
    { what: 'the monitor to move', deadlineMs: 60_000 },
  );
  expect(Number(moved.curve.price)).toBeGreaterThan(Number(first.body.curve.price));
  expect(Number(moved.curve.returnPct)).toBeGreaterThan(Number(first.body.curve.returnPct));

  await buy({ config, baseMint: mint, quoteMint: NATIVE_MINT, quoteProgram: TOKEN_PROGRAM }, 300_000_000_000n);
  await until(id, 'graduated');
  const last = await service.get(`/v1/launches/${id}/monitor`, 'operator');
  expect(last.body.graduation.progress).toBe('graduated');
  expect(last.body.graduation.successorPool).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
  expect(last.body.curve.fillPct).toBe('100');
});

test('an agent’s token is launched by the external launcher for one payment, and is told of as any agent token', {
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
