// Routes of the aggregator, read strictly: required members of a transaction, and the meaning of each refusal.
import { expect, test } from 'vitest';
import { createSpotchainRoutes } from '../../../../src/adapters/venues/spotchain/orders.ts';
import { VenueError } from '../../../../src/adapters/venues/venue-feed.ts';
import { base58 } from '../../../../src/domain/solana/base58.ts';

const address = (fill: number): string => base58(new Uint8Array(32).fill(fill));
const [USDC, TOKEN, WALLET] = [address(1), address(2), address(3)];
const asked = { inputMint: USDC, outputMint: TOKEN, amount: '1000', slippageBps: 50, taker: WALLET };
// Form of the provider's published example of an order with a taker (swap/v2).
const answer = {
  mode: 'manual',
  inputMint: USDC,
  outputMint: TOKEN,
  inAmount: '1000',
  outAmount: '900',
  otherAmountThreshold: '895',
  swapMode: 'ExactIn',
  slippageBps: 50,
  priceImpact: -0.126,
  routePlan: [{ swapInfo: { ammKey: 'k', label: 'Raydium CLMM', inputMint: USDC, outputMint: TOKEN }, percent: 100, bps: 10_000 }],
  router: 'metis',
  transaction: Buffer.from('some bytes').toString('base64'),
  lastValidBlockHeight: '12345',
  gasless: false,
  taker: WALLET,
  requestId: 'r',
};

/** Creates an aggregator with one answer, which records its requests. */
function aggregator(body: unknown, noted: [string, unknown][] = []) {
  return createSpotchainRoutes({
    get: async (path, query) => {
      noted.push([path, Object.fromEntries(query)]);
      if (body instanceof Error) throw body;
      return body;
    },
  });
}
const routed = async (body: unknown, over: Partial<typeof asked> | { taker: null } = {}) => aggregator(body).route({ ...asked, ...over });

test('a route with its transaction is requested once, without routers whose maker signs later', async () => {
  const noted: [string, unknown][] = [];
  const outcome = await aggregator(answer, noted).route(asked);
  expect(noted).toEqual([
    [
      '/swap/v2/order',
      {
        inputMint: USDC,
        outputMint: TOKEN,
        amount: '1000',
        swapMode: 'ExactIn',
        slippageBps: '50',
        excludeRouters: 'jupiterz',
        taker: WALLET,
      },
    ],
  ]);
  expect(outcome).toMatchObject({
    ok: true,
    value: {
      inAmount: '1000',
      outAmount: '900',
      minOutAmount: '895',
      priceImpactPct: '-0.126',
      steps: [{ venue: 'Raydium CLMM', inputMint: USDC, outputMint: TOKEN, percent: 100 }],
      transaction: { base64: answer.transaction, lastValidBlockHeight: 12_345 },
    },
  });
});

test('a plain quote has no transaction, and a height may be a number as in the previous version', async () => {
  expect(await routed({ ...answer, transaction: null, lastValidBlockHeight: null }, { taker: null })).toMatchObject({
    ok: true,
    value: { transaction: null },
  });
  expect(await routed({ ...answer, lastValidBlockHeight: 12_345 })).toMatchObject({
    ok: true,
    value: { transaction: { lastValidBlockHeight: 12_345 } },
  });
});

test.each<[string, unknown]>([
  ['not an object', 'text'],
  ['not an object', null],
  ['not asked for', { ...answer, outputMint: USDC }],
  ['not the 1000 that were asked for', { ...answer, inAmount: '1001' }],
  ['no raw amount', { ...answer, outAmount: '1e3' }],
  ['otherAmountThreshold', { ...answer, otherAmountThreshold: '0' }],
  ['otherAmountThreshold', { ...answer, otherAmountThreshold: 895 }],
  ['somebody else pays', { ...answer, gasless: true }],
  ['routePlan', { ...answer, routePlan: {} }],
  ['builds no transaction', { ...answer, transaction: '' }],
  ['builds no transaction: no route', { ...answer, transaction: '', errorCode: 7, errorMessage: 'no route' }],
  ['for another wallet', { ...answer, taker: USDC }],
  ['base64', { ...answer, transaction: 'c29tZSBieXRlcx' }],
  ['lastValidBlockHeight', { ...answer, lastValidBlockHeight: null }],
  ['lastValidBlockHeight', { ...answer, lastValidBlockHeight: '-1' }],
])('an answer is refused: %s', async (words, body) => {
  const outcome = await routed(body);
  expect(outcome).toMatchObject({ ok: false, refusal: { code: 'route_refused', detail: expect.stringContaining(words) } });
});

test.each([1, 2, 3])('a wallet that lacks what it would give (%d) is rejected like by risk', async (errorCode) => {
  const outcome = await routed({ ...answer, transaction: '', errorCode, errorMessage: 'Insufficient funds' });
  expect(outcome).toMatchObject({
    ok: false,
    refusal: {
      code: 'blocked_by_risk',
      rejections: [{ code: 'insufficient_balance' }],
      detail: expect.stringContaining('Insufficient funds'),
    },
  });
});

test.each([
  [400, 'route_refused'],
  [401, 'unavailable'],
  [429, 'unavailable'],
  [500, 'unavailable'],
  [0, 'unavailable'],
])('status %d is %s', async (status, code) => {
  expect(await routed(new VenueError('spotchain', status, 'x', 'Failed to get quotes'))).toMatchObject({ ok: false, refusal: { code } });
});

test('an answer not from the aggregator is a defect and is thrown', async () => {
  await expect(routed(new TypeError('ours'))).rejects.toThrow('ours');
});
