// Transactions of the aggregator are real: signed by the taker they move exactly what was quoted, and nothing else passes.
import { getAssociatedTokenAddressSync, TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { PublicKey, VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { SANDBOX_MAKER } from '../../../src/sandbox/spotchain/pool.ts';
import { type ChainFixture, chainFixture, SHARE, STABLE, signed, TAXED } from './chain-fixture.ts';

let fixture: ChainFixture;
beforeAll(async () => {
  fixture = await chainFixture();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.aggregator.cheat(null));

const programOf = (mint: string): PublicKey => (mint === STABLE.mint ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID);
async function amount(owner: PublicKey, mint: string): Promise<bigint> {
  const account = getAssociatedTokenAddressSync(new PublicKey(mint), owner, false, programOf(mint));
  const { result } = await fixture.ask('getTokenAccountBalance', account.toBase58(), { commitment: 'processed' });
  return BigInt(result?.value.amount ?? 0);
}
const buy = (taker: string, mint = SHARE.mint) =>
  fixture.order({ inputMint: STABLE.mint, outputMint: mint, amount: '250000000', taker, slippageBps: '50' });
const send = (bytes: Uint8Array, settings: object = {}) =>
  fixture.ask('sendTransaction', Buffer.from(bytes).toString('base64'), {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
    ...settings,
  });

test('the maker is the one known to the rest of the sandbox', () => {
  expect(SANDBOX_MAKER).toBe(sandboxKey('maker').address);
});

test('a signed order executes, and balances move exactly as quoted', async () => {
  const taker = fixture.rich();
  const lamports = async () =>
    (await fixture.ask('getBalance', taker.publicKey.toBase58(), { commitment: 'processed' })).result.value as number;
  const [dollars, before] = [await amount(taker.publicKey, STABLE.mint), await lamports()];
  const order = await buy(taker.publicKey.toBase58());
  expect(order['maker']).toBe(SANDBOX_MAKER);
  // Unsigned by the taker, signed by the maker, with the lookup table.
  const unsigned = VersionedTransaction.deserialize(Buffer.from(order.transaction, 'base64'));
  expect(unsigned.signatures.map((one) => one.every((byte) => byte === 0))).toEqual([true, false]);
  expect(unsigned.message.version).toBe(0);
  expect(unsigned.message.addressTableLookups).toHaveLength(1);
  const answer = await send(signed(order.transaction, taker));
  expect(answer.error).toBeUndefined();
  expect(await amount(taker.publicKey, STABLE.mint)).toBe(dollars - 250_000_000n);
  expect(await amount(taker.publicKey, SHARE.mint)).toBe(BigInt(order.outAmount));
  // The stated fees and rent equal what was paid.
  const told = ['signatureFeeLamports', 'prioritizationFeeLamports', 'rentFeeLamports'].map((name) => order[name] as number);
  expect(before - (await lamports())).toBe(told.reduce((sum, fee) => sum + fee, 0));
  fixture.chain.finalize();
  const { result } = await fixture.ask('getTransaction', answer.result, { maxSupportedTransactionVersion: 0 });
  expect(result.meta).toMatchObject({ err: null, fee: (told[0] as number) + (told[1] as number) });
});

test('a mint with a fee credits the quoted amount, both ways', async () => {
  const taker = fixture.rich();
  const order = await buy(taker.publicKey.toBase58(), TAXED.mint);
  expect((await send(signed(order.transaction, taker))).error).toBeUndefined();
  const bought = await amount(taker.publicKey, TAXED.mint);
  expect(bought).toBe(BigInt(order.outAmount));
  const dollars = await amount(taker.publicKey, STABLE.mint);
  const back = await fixture.order({
    inputMint: TAXED.mint,
    outputMint: STABLE.mint,
    amount: bought.toString(),
    taker: taker.publicKey.toBase58(),
  });
  expect((await send(signed(back.transaction, taker))).error).toBeUndefined();
  expect(await amount(taker.publicKey, TAXED.mint)).toBe(0n);
  expect((await amount(taker.publicKey, STABLE.mint)) - dollars).toBe(BigInt(back.outAmount));
});

test('the first API quotes, then builds, in both versions of transactions', async () => {
  const taker = fixture.rich();
  const quote = await fixture.quote({ inputMint: STABLE.mint, outputMint: SHARE.mint, amount: '1000000', slippageBps: '50' });
  for (const asLegacyTransaction of [false, true]) {
    const swap = await fixture.post('/swap/v1/swap', {
      userPublicKey: taker.publicKey.toBase58(),
      quoteResponse: quote,
      asLegacyTransaction,
    });
    expect(swap).toMatchObject({ simulationError: null, lastValidBlockHeight: expect.any(Number) });
    const bytes = signed(swap.swapTransaction, taker);
    expect(VersionedTransaction.deserialize(bytes).version).toBe(asLegacyTransaction ? 'legacy' : 0);
    const held = await amount(taker.publicKey, SHARE.mint);
    expect((await send(bytes)).error).toBeUndefined();
    expect((await amount(taker.publicKey, SHARE.mint)) - held).toBe(BigInt(quote.outAmount));
  }
});

test('the aggregator lands only its own transactions', async () => {
  const taker = fixture.rich();
  const order = await buy(taker.publicKey.toBase58());
  const bytes = signed(order.transaction, taker);
  const execute = (signedTransaction: Buffer, requestId = order.requestId) =>
    fixture.post('/swap/v2/execute', { signedTransaction: signedTransaction.toString('base64'), requestId });
  expect((await execute(bytes, '00000000-0000-4000-8000-ffffffffffff')).code).toBe(-1);
  expect((await execute(bytes.subarray(0, 90))).code).toBe(-2);
  const altered = Buffer.from(bytes);
  altered[altered.length - 1] = (altered.at(-1) as number) ^ 1;
  expect((await execute(altered)).code).toBe(-3);
  expect((await execute(Buffer.from(order.transaction, 'base64'))).code).toBe(-1003);
  expect(await execute(bytes)).toMatchObject({ status: 'Success', code: 0, outputAmountResult: order.outAmount });
  expect(await amount(taker.publicKey, SHARE.mint)).toBe(BigInt(order.outAmount));
});

test('a wallet that cannot pay gets an empty transaction and the reason', async () => {
  const poor = fixture.rich();
  const order = await fixture.order({
    inputMint: STABLE.mint,
    outputMint: SHARE.mint,
    amount: '5000000001',
    taker: poor.publicKey.toBase58(),
  });
  expect(order).toMatchObject({ transaction: '', errorCode: 1 });
  const stranger = sandboxKey('nobody').address;
  fixture.node.fund(stranger, STABLE.mint, 5_000_000n);
  expect(await fixture.order({ inputMint: STABLE.mint, outputMint: SHARE.mint, amount: '1000000', taker: stranger })).toMatchObject({
    transaction: '',
    errorCode: 2,
  });
  expect((await fixture.order({ inputMint: STABLE.mint, outputMint: SHARE.mint, amount: '1000000' })).transaction).toBeNull();
});

describe('a transaction that is not what was signed', () => {
  test('is refused with every altered byte of its amount, and the same bytes run once', async () => {
    const taker = fixture.rich();
    const bytes = signed((await buy(taker.publicKey.toBase58())).transaction, taker);
    const tampered = Buffer.from(bytes);
    tampered[tampered.length - 20] = (tampered.at(-20) as number) ^ 1;
    expect((await send(tampered)).error).toMatchObject({ code: -32003 });
    // Without preflight the node accepts it, and no block ever holds it.
    const name = (await send(tampered, { skipPreflight: true })).result;
    expect((await fixture.ask('getSignatureStatuses', [name])).result.value).toEqual([null]);
    expect((await send(bytes)).error).toBeUndefined();
    const held = await amount(taker.publicKey, SHARE.mint);
    const again = await send(bytes);
    expect(again.error).toMatchObject({ code: -32002, data: { err: 'AlreadyProcessed', logs: [] } });
    expect((await send(bytes, { skipPreflight: true })).result).toEqual(expect.any(String));
    expect(await amount(taker.publicKey, SHARE.mint)).toBe(held);
  });

  test('is refused once its blockhash has expired', async () => {
    const taker = fixture.rich();
    const order = await buy(taker.publicKey.toBase58());
    const bytes = signed(order.transaction, taker);
    const height = async () => (await fixture.ask('getBlockHeight', { commitment: 'processed' })).result as number;
    fixture.chain.advance(Number(order.lastValidBlockHeight) - (await height()));
    const onTheLastBlock = await fixture.ask('simulateTransaction', bytes.toString('base64'), {
      encoding: 'base64',
      commitment: 'processed',
    });
    expect(onTheLastBlock.result.value.err).toBeNull();
    fixture.chain.advance(1);
    expect((await send(bytes, { preflightCommitment: 'processed' })).error).toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: Blockhash not found',
      data: { err: 'BlockhashNotFound', logs: [] },
    });
    await send(bytes, { skipPreflight: true });
    expect(await amount(taker.publicKey, SHARE.mint)).toBe(0n);
  });
});

test.each(['other_recipient', 'half_output', 'takes_all'] as const)(
  'a simulation shows the effect of a cheating aggregator (%s)',
  async (how) => {
    const taker = fixture.rich();
    fixture.aggregator.cheat(how);
    const order = await buy(taker.publicKey.toBase58());
    const { error, changes } = await fixture.rpc.simulate(Buffer.from(order.transaction, 'base64'));
    expect(error).toBeNull();
    const mine = changes.tokens.filter(({ owner }) => owner === taker.publicKey.toBase58());
    const gained = mine.find(({ mint }) => mint === SHARE.mint);
    const paid = mine.find(({ mint }) => mint === STABLE.mint);
    const got = BigInt(gained?.after ?? 0) - BigInt(gained?.before ?? 0);
    const gave = BigInt(paid?.before ?? 0) - BigInt(paid?.after ?? 0);
    expect(got >= BigInt(order.otherAmountThreshold) && gave === 250_000_000n).toBe(false);
  },
);
