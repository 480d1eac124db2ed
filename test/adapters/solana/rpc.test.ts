// Client of a node: answers are read strictly, a lost broadcast is unknown, and silence is never an answer.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { getBase58Decoder } from '@solana/kit';
import { getMint, TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import {
  AddressLookupTableAccount,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChainClient } from '../../../actors/prepared-transaction/chain-client.ts';
import { NodeError } from '../../../src/adapters/json-rpc.ts';
import { createSolanaRpc, type SolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';
import { COMMON_TABLE, ISSUER } from '../../../src/sandbox/solana/genesis.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { type ChainFixture, chainFixture, SHARE, STABLE, signed, TAXED } from '../../sandbox/solana/chain-fixture.ts';
import { NOON } from '../venues/spotexchange/tiny-world.ts';

let fixture: ChainFixture;
beforeAll(async () => {
  fixture = await chainFixture();
});
afterAll(() => fixture.close());
afterEach(() => {
  fixture.node.faults.reset();
  fixture.chain.intake('land');
  fixture.chain.hold(null);
});

/** Creates a swap signed by its taker. */
async function ready(): Promise<{ readonly taker: Keypair; readonly bytes: Buffer; readonly outAmount: string }> {
  const taker = fixture.rich();
  const order = await fixture.order({
    inputMint: STABLE.mint,
    outputMint: SHARE.mint,
    amount: '250000000',
    taker: taker.publicKey.toBase58(),
  });
  return { taker, bytes: signed(order.transaction, taker), outAmount: order.outAmount };
}
const nameOf = (bytes: Buffer): string => getBase58Decoder().decode(bytes.subarray(1, 65));

test('it is a client of the chain as prepared transactions need one', () => {
  const client: ChainClient = fixture.rpc;
  expect(client).toBeDefined();
});

describe('a broadcast', () => {
  test('is sent, seen, confirmed, final, and reports whose balances it moved', async () => {
    const { taker, bytes, outAmount } = await ready();
    const name = nameOf(bytes);
    expect(await fixture.rpc.status(name)).toEqual({ state: 'unseen', slot: null, error: null });
    expect(await fixture.rpc.broadcast(bytes)).toEqual({ outcome: 'sent' });
    const slot = fixture.chain.slot('processed');
    expect(await fixture.rpc.status(name)).toEqual({ state: 'processed', slot, error: null });
    fixture.chain.advance(2);
    expect((await fixture.rpc.status(name)).state).toBe('confirmed');
    expect(await fixture.rpc.transaction(name)).toBeNull();
    fixture.chain.advance(400);
    expect((await fixture.rpc.status(name)).state).toBe('finalized');
    const landed = await fixture.rpc.transaction(name);
    expect(landed).toMatchObject({ slot, blockTime: NOON, error: null, feeLamports: '12000' });
    const mine = landed?.changes.tokens.filter(({ owner }) => owner === taker.publicKey.toBase58());
    expect(mine?.map(({ mint, before, after }) => [mint, before, after])).toEqual(
      expect.arrayContaining([
        [STABLE.mint, '5000000000', '4750000000'],
        [SHARE.mint, '0', outAmount],
      ]),
    );
    const lamports = landed?.changes.lamports ?? [];
    expect(lamports.reduce((sum, { before, after }) => sum + BigInt(before) - BigInt(after), 0n)).toBe(12_000n);
  });

  test('of the same bytes is the same transaction, however often and with any fault', async () => {
    const { taker, bytes } = await ready();
    fixture.node.faults.set({ lostAnswer: 1 });
    expect(await fixture.rpc.broadcast(bytes)).toMatchObject({ outcome: 'unknown' });
    fixture.node.faults.reset();
    expect(await fixture.rpc.broadcast(bytes)).toEqual({ outcome: 'sent' });
    const held = await fixture.rpc.balancesOf(taker.publicKey.toBase58());
    fixture.chain.finalize();
    expect(held.ok).toBe(true);
    expect((await fixture.rpc.status(nameOf(bytes))).state).toBe('finalized');
  });

  test('that answers 503 or not JSON may have arrived; a refused one has not', async () => {
    const { bytes } = await ready();
    fixture.node.faults.set({ status5xx: 1 });
    expect(await fixture.rpc.broadcast(bytes)).toMatchObject({ outcome: 'unknown' });
    fixture.node.faults.set({ status5xx: 0, garbage: 1 });
    expect(await fixture.rpc.broadcast(bytes)).toMatchObject({ outcome: 'unknown' });
    fixture.node.faults.set({ garbage: 0, status429: 1 });
    await expect(fixture.rpc.broadcast(bytes)).rejects.toMatchObject({ code: 'http_429' });
    const away = createSolanaRpc({ url: 'http://127.0.0.1:1/?api-key=hunter2', clock: createLiveClock() });
    const error = await away.broadcast(bytes).then(
      () => null,
      (thrown: unknown) => thrown as NodeError,
    );
    expect(error).toBeInstanceOf(NodeError);
    expect(`${error?.message} ${error?.stack}`).not.toContain('hunter2');
  });

  test('is refused with the reason of the chain', async () => {
    const { bytes } = await ready();
    const altered = Buffer.from(bytes);
    altered[altered.length - 20] = (altered.at(-20) as number) ^ 1;
    expect(await fixture.rpc.broadcast(altered)).toEqual({ outcome: 'refused', reason: 'Transaction signature verification failure' });
    fixture.chain.expireBlockhashes();
    expect(await fixture.rpc.broadcast(bytes)).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('BlockhashNotFound') });
  });

  test('without the node’s answer is unknown when its time is over', async () => {
    const { bytes } = await ready();
    const rpc = createSolanaRpc({ url: fixture.url, clock: createLiveClock(), timeoutMs: 100 });
    fixture.node.faults.set({ freeze: true });
    expect(await rpc.broadcast(bytes)).toEqual({ outcome: 'unknown', detail: 'the node did not answer in time' });
    await expect(rpc.blockHeight('confirmed')).rejects.toMatchObject({ code: 'timeout' });
    rpc.close();
  });

  test('that was lost stays unseen, and one that a fork drops is unseen again', async () => {
    const { bytes } = await ready();
    fixture.chain.intake('lose');
    expect(await fixture.rpc.broadcast(bytes)).toEqual({ outcome: 'sent' });
    expect((await fixture.rpc.status(nameOf(bytes))).state).toBe('unseen');
    fixture.chain.intake('land');
    await fixture.rpc.broadcast(bytes);
    expect((await fixture.rpc.status(nameOf(bytes))).state).toBe('processed');
    fixture.chain.drop(nameOf(bytes));
    expect((await fixture.rpc.status(nameOf(bytes))).state).toBe('unseen');
  });
});

test('a failure in a block is reported in the words of the chain', async () => {
  const { taker, bytes } = await ready();
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'sendTransaction',
    params: [bytes.toString('base64'), { encoding: 'base64', skipPreflight: true }],
  };
  // The taker's funds are gone when the swap runs.
  const blockhash = (await fixture.rpc.latestBlockhash('confirmed')).blockhash;
  const drain = new TransactionMessage({
    payerKey: taker.publicKey,
    recentBlockhash: blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: taker.publicKey, toPubkey: Keypair.generate().publicKey, lamports: 998_495_000 })],
  });
  const draining = new VersionedTransaction(drain.compileToLegacyMessage());
  draining.sign([taker]);
  expect(await fixture.rpc.broadcast(draining.serialize())).toEqual({ outcome: 'sent' });
  await fetch(fixture.url, { method: 'POST', body: JSON.stringify(body) });
  const status = await fixture.rpc.status(nameOf(bytes));
  expect(status.error).toMatch(/^\{"InstructionError":\[2,/);
  fixture.chain.finalize();
  expect((await fixture.rpc.transaction(nameOf(bytes)))?.error).toBe(status.error);
});

describe('a simulation', () => {
  test('of an unsigned swap reports what it would move, with tables resolved', async () => {
    const taker = fixture.rich();
    const order = await fixture.order({
      inputMint: STABLE.mint,
      outputMint: SHARE.mint,
      amount: '1000000',
      taker: taker.publicKey.toBase58(),
    });
    const found = await fixture.rpc.simulate(Buffer.from(order.transaction, 'base64'));
    expect(found.error).toBeNull();
    expect(Number(found.unitsConsumed)).toBeGreaterThan(1_000);
    expect(found.logs.length).toBeGreaterThan(5);
    const gained = found.changes.tokens.find(({ owner, mint }) => owner === taker.publicKey.toBase58() && mint === SHARE.mint);
    expect(gained).toMatchObject({ before: '0', after: order.outAmount });
    expect(found.changes.lamports.map(({ account }) => account)).toContain(SHARE.mint);
  });

  test('of an impossible transaction reports the error and moves nothing', async () => {
    const { bytes } = await ready();
    fixture.chain.expireBlockhashes();
    expect(await fixture.rpc.simulate(bytes)).toMatchObject({ error: 'BlockhashNotFound', changes: { lamports: [], tokens: [] } });
  });
});

describe('holdings of an address', () => {
  test('are read over both token programs with the present multiplier', async () => {
    const owner = Keypair.generate().publicKey.toBase58();
    fixture.node.fund(owner, 'SOL', 7_000_000n);
    fixture.node.fund(owner, STABLE.mint, 123n);
    fixture.node.fund(owner, SHARE.mint, 456n);
    fixture.node.fund(owner, TAXED.mint, 789n);
    fixture.chain.finalize();
    const held = await fixture.rpc.balancesOf(owner);
    expect(held).toMatchObject({ ok: true, value: { address: owner, lamports: 7_000_000n, slot: fixture.chain.slot('confirmed') } });
    const rows = held.ok
      ? held.value.tokens.map(({ mint, amount, multiplier, decimals, frozen }) => [mint, amount, multiplier, decimals, frozen])
      : [];
    expect(rows).toEqual([
      [STABLE.mint, 123n, 1, 6, false],
      [TAXED.mint, 789n, 1, 9, false],
      [SHARE.mint, 456n, 1.005_714_6, 8, false],
    ]);
    expect(await fixture.rpc.balancesOf('somebody')).toMatchObject({ ok: false, refusal: { code: 'malformed' } });
    expect(await fixture.rpc.balancesOf(Keypair.generate().publicKey.toBase58())).toMatchObject({
      ok: true,
      value: { lamports: 0n, tokens: [] },
    });
  });

  test('equal the token library’s reading of the mint', async () => {
    const connection = new Connection(fixture.url, 'confirmed');
    const theirs = await getMint(connection, new PublicKey(TAXED.mint), 'confirmed', TOKEN_2022_PROGRAM_ID);
    const ours = await fixture.rpc.mintInfo(TAXED.mint);
    expect(ours).toMatchObject({
      program: TOKEN_2022_PROGRAM_ID.toBase58(),
      decimals: theirs.decimals,
      supply: theirs.supply,
      mintAuthority: theirs.mintAuthority?.toBase58(),
      paused: false,
      transferFee: { newer: { basisPoints: 100 } },
      permanentDelegate: ISSUER.address,
      transferHook: null,
      startsFrozen: false,
    });
    expect(await fixture.rpc.mintInfo(ISSUER.address)).toBeNull();
    expect(await fixture.rpc.mintInfo('nonsense')).toBeNull();
    expect(await fixture.rpc.mintInfo(STABLE.mint)).toMatchObject({ scale: null, transferFee: null, extensions: [] });
  });

  test('a lookup table equals the chain library’s reading, and anything else is null', async () => {
    const { value } = await new Connection(fixture.url, 'confirmed').getAddressLookupTable(new PublicKey(COMMON_TABLE));
    expect(value).toBeInstanceOf(AddressLookupTableAccount);
    expect(await fixture.rpc.lookupTable(COMMON_TABLE)).toEqual(value?.state.addresses.map((one) => one.toBase58()));
    expect(await fixture.rpc.lookupTable(STABLE.mint)).toBeNull();
    expect(await fixture.rpc.lookupTable(Keypair.generate().publicKey.toBase58())).toBeNull();
  });
});

describe('invalid answers', () => {
  let told: unknown;
  let server: http.Server;
  let rpc: SolanaRpc;
  beforeAll(async () => {
    server = http.createServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk: Buffer) => void (body += chunk.toString()));
      incoming.on('end', () =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, ...(told as object) })),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    rpc = createSolanaRpc({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock: createLiveClock() });
  });
  afterAll(() => {
    rpc.close();
    server.closeAllConnections();
    server.close();
  });

  const NAME = '1'.repeat(64);
  const context = { slot: 5 };
  const status = { slot: 5, confirmations: 1, err: null, confirmationStatus: 'confirmed' };
  test.each<[string, unknown, () => Promise<unknown>]>([
    ['a height as text', { result: '5' }, () => rpc.blockHeight('confirmed')],
    ['a height with a fraction', { result: 5.5 }, () => rpc.blockHeight('confirmed')],
    ['a height that was rounded', { result: 2 ** 53 }, () => rpc.blockHeight('confirmed')],
    ['a result beside an error', { result: 5, error: { code: 1, message: 'x' } }, () => rpc.blockHeight('confirmed')],
    ['neither of them', {}, () => rpc.blockHeight('confirmed')],
    ["another question's answer", { id: 999, result: 5 }, () => rpc.blockHeight('confirmed')],
    ['two statuses for one', { result: { context, value: [status, status] } }, () => rpc.status(NAME)],
    ['no status', { result: { context, value: [] } }, () => rpc.status(NAME)],
    ['a status without commitment', { result: { context, value: [{ ...status, confirmationStatus: null }] } }, () => rpc.status(NAME)],
    [
      'a status without error field',
      { result: { context, value: [{ slot: 5, confirmationStatus: 'confirmed' }] } },
      () => rpc.status(NAME),
    ],
    ['a status whose error is a number', { result: { context, value: [{ ...status, err: 6 }] } }, () => rpc.status(NAME)],
    [
      'a blockhash that is none',
      { result: { context, value: { blockhash: 'x', lastValidBlockHeight: 5 } } },
      () => rpc.latestBlockhash('confirmed'),
    ],
    [
      'an account that is not in base64',
      { result: { context, value: [{ owner: STABLE.mint, data: ['%', 'base64'] }] } },
      () => rpc.lookupTable(STABLE.mint),
    ],
    ['accounts that were not asked for', { result: { context, value: [null, null] } }, () => rpc.mintInfo(STABLE.mint)],
    [
      'a transaction without balances',
      { result: { slot: 5, blockTime: null, meta: { err: null, fee: 5 }, transaction: { message: { accountKeys: [] } } } },
      () => rpc.transaction(NAME),
    ],
  ])('%s', async (_, answer, ask) => {
    told = answer;
    await expect(ask()).rejects.toBeInstanceOf(NodeError);
  });

  test('a refusal of the node names the method and its words', async () => {
    told = { error: { code: -32602, message: 'Invalid param: WrongSize' } };
    await expect(rpc.status(NAME)).rejects.toMatchObject({
      code: 'rpc_-32602',
      message: 'the node refused getSignatureStatuses: Invalid param: WrongSize',
    });
  });

  test.each([
    ['another signature', { result: NAME }, 'unknown'],
    ['an internal error', { error: { code: -32603, message: 'x' } }, 'unknown'],
    ['a code that nobody knows', { error: { code: 7, message: 'x' } }, 'unknown'],
    ['a preflight that failed', { error: { code: -32002, message: 'x', data: { err: 'AccountNotFound' } } }, 'refused'],
    ['it has it already', { error: { code: -32002, message: 'x', data: { err: 'AlreadyProcessed' } } }, 'sent'],
  ])('a broadcast that is answered with %s', async (_, answer, outcome) => {
    told = answer;
    expect(await rpc.broadcast(Buffer.alloc(200, 1))).toMatchObject({ outcome });
  });

  test('a node that is behind has taken nothing', async () => {
    told = { error: { code: -32005, message: 'Node is behind by 42 slots' } };
    await expect(rpc.broadcast(Buffer.alloc(200, 1))).rejects.toMatchObject({ code: 'rpc_-32005' });
  });
});

test('an exhausted budget stops requests before they are sent', async () => {
  const clock = createVirtualClock(NOON);
  const rpc = createSolanaRpc({ url: fixture.url, clock, budget: new WeightBudget(2, 60_000) });
  const asked = fixture.node.requests.get('getBlockHeight') ?? 0;
  await rpc.blockHeight('confirmed');
  await rpc.blockHeight('confirmed');
  await expect(rpc.blockHeight('confirmed')).rejects.toMatchObject({ code: 'budget_exhausted' });
  expect(fixture.node.requests.get('getBlockHeight')).toBe(asked + 2);
  rpc.close();
});
