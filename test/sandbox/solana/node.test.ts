// The node speaks as nodes do: common clients work with it, and every refusal has a known code.
import { address, createSolanaRpc as createKitRpc, createSolanaRpcSubscriptions, signature as signatureOf } from '@solana/kit';
import {
  createAmountToUiAmountInstruction,
  createAssociatedTokenAccountIdempotent,
  getAccount,
  getMint,
  getScaledUiAmountConfig,
  getTokenMetadata,
  getTransferFeeConfig,
  TOKEN_2022_PROGRAM_ID,
  transferChecked,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSolanaSimulator, type SolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { type ChainFixture, chainFixture, type Json, SHARE, STABLE, TAXED } from './chain-fixture.ts';

let fixture: ChainFixture;
let live: SolanaSimulator;
let connection: Connection;
beforeAll(async () => {
  fixture = await chainFixture();
  live = await createSolanaSimulator({ clock: createLiveClock(), seed: 3, port: 0, mints: [SHARE, TAXED], stable: STABLE });
  connection = new Connection(live.url, 'confirmed');
});
afterAll(async () => {
  // It would retry the closed port forever.
  (connection as unknown as { _rpcWebSocket: { close(): void } })._rpcWebSocket.close();
  await fixture.close();
  await live.close();
});

const memo = (text: string): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    keys: [],
    data: Buffer.from(text),
  });

async function transfer(
  chain: ChainFixture,
  from: Keypair,
  lamports: number,
  ...more: TransactionInstruction[]
): Promise<VersionedTransaction> {
  const { result } = await chain.ask('getLatestBlockhash', { commitment: 'processed' });
  const to = Keypair.generate().publicKey;
  const message = new TransactionMessage({
    payerKey: from.publicKey,
    recentBlockhash: result.value.blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports }), ...more],
  });
  return new VersionedTransaction(message.compileToV0Message());
}
const wire = (transaction: VersionedTransaction): string => Buffer.from(transaction.serialize()).toString('base64');

describe('web3.js', () => {
  test('is funded, pays, waits for its confirmation on the socket and reads everything back', async () => {
    const payer = Keypair.generate();
    const airdrop = await connection.requestAirdrop(payer.publicKey, 2_000_000_000);
    await connection.confirmTransaction({ signature: airdrop, ...(await connection.getLatestBlockhash()) }, 'confirmed');
    const friend = Keypair.generate().publicKey;
    const paying = new Transaction().add(
      SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: friend, lamports: 70_000_000 }),
      memo('rent'),
    );
    const latest = await connection.getLatestBlockhash();
    paying.recentBlockhash = latest.blockhash;
    const signature = await connection.sendTransaction(paying, [payer]);
    expect((await connection.confirmTransaction({ signature, ...latest }, 'confirmed')).value.err).toBeNull();
    expect(await connection.getBalance(friend)).toBe(70_000_000);
    const read = await connection.getTransaction(signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 });
    expect(read?.meta).toMatchObject({ err: null, fee: 5_000 });
    expect(read?.transaction.signatures).toEqual([signature]);
    const parsed = await connection.getParsedTransaction(signature, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 });
    expect(parsed?.transaction.message.accountKeys[0]).toMatchObject({ signer: true, writable: true });
    const [last] = await connection.getSignaturesForAddress(friend, {}, 'confirmed');
    expect(last).toMatchObject({ signature, err: null, memo: '[4] rent' });
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
  });

  test('reads mints, multipliers, fees and names as the token library does, and moves a token that takes a fee', async () => {
    const owner = Keypair.generate();
    live.fund(owner.publicKey.toBase58(), 'SOL', 1_000_000_000n);
    live.fund(owner.publicKey.toBase58(), TAXED.mint, 3_000n);
    live.chain.finalize();
    const mint = new PublicKey(TAXED.mint);
    const read = await getMint(connection, mint, 'confirmed', TOKEN_2022_PROGRAM_ID);
    expect(read.decimals).toBe(9);
    expect(getTransferFeeConfig(read)?.newerTransferFee).toMatchObject({ transferFeeBasisPoints: 100, maximumFee: 0xffff_ffff_ffff_ffffn });
    const scale = getScaledUiAmountConfig(read);
    expect([scale?.multiplier, scale?.newMultiplier, Number(scale?.newMultiplierEffectiveTimestamp)]).toEqual([
      1,
      5,
      TAXED.newMultiplierEffectiveAt / 1_000,
    ]);
    expect(await getTokenMetadata(connection, mint, 'confirmed')).toMatchObject({ symbol: 'SPACEX' });
    const to = await createAssociatedTokenAccountIdempotent(
      connection,
      owner,
      mint,
      Keypair.generate().publicKey,
      { commitment: 'confirmed' },
      TOKEN_2022_PROGRAM_ID,
    );
    const mine = (await connection.getTokenAccountsByOwner(owner.publicKey, { mint })).value[0]?.pubkey as PublicKey;
    await transferChecked(connection, owner, mine, mint, to, owner, 1_000n, 9, [], { commitment: 'confirmed' }, TOKEN_2022_PROGRAM_ID);
    expect((await getAccount(connection, to, 'confirmed', TOKEN_2022_PROGRAM_ID)).amount).toBe(990n);
    expect((await getAccount(connection, mine, 'confirmed', TOKEN_2022_PROGRAM_ID)).amount).toBe(2_000n);
  });
});

test('a user’s lookup table shortens their next transaction', async () => {
  const owner = fixture.rich();
  const recent = (await fixture.ask('getSlot', { commitment: 'processed' })).result as number;
  const [make, table] = AddressLookupTableProgram.createLookupTable({
    authority: owner.publicKey,
    payer: owner.publicKey,
    recentSlot: recent - 1,
  });
  const friends = Array.from({ length: 5 }, () => Keypair.generate().publicKey);
  const extend = AddressLookupTableProgram.extendLookupTable({
    lookupTable: table,
    authority: owner.publicKey,
    payer: owner.publicKey,
    addresses: friends,
  });
  const making = await transfer(fixture, owner, 1_000_000, make, extend);
  making.sign([owner]);
  expect(
    (await fixture.ask('sendTransaction', wire(making), { encoding: 'base64', preflightCommitment: 'processed' })).error,
  ).toBeUndefined();
  fixture.chain.advance(2);
  const lookup = (await new Connection(fixture.url, 'confirmed').getAddressLookupTable(table)).value;
  expect(lookup?.state.addresses.map(String)).toEqual(friends.map(String));
  const { result } = await fixture.ask('getLatestBlockhash', { commitment: 'processed' });
  const instructions = friends.map((to) => SystemProgram.transfer({ fromPubkey: owner.publicKey, toPubkey: to, lamports: 1_000_000 }));
  const message = new TransactionMessage({ payerKey: owner.publicKey, recentBlockhash: result.value.blockhash, instructions });
  const short = new VersionedTransaction(message.compileToV0Message(lookup === null ? [] : [lookup]));
  expect(short.message.staticAccountKeys).toHaveLength(2);
  short.sign([owner]);
  expect(
    (await fixture.ask('sendTransaction', wire(short), { encoding: 'base64', preflightCommitment: 'processed' })).error,
  ).toBeUndefined();
  for (const friend of friends)
    expect((await fixture.ask('getBalance', friend.toBase58(), { commitment: 'processed' })).result.value).toBe(1_000_000);
});

test('a kit client can use it too, and receives a signature notification on the same port', async () => {
  const rpc = createKitRpc(live.url);
  const owner = Keypair.generate().publicKey.toBase58();
  const signature = live.fund(owner, 'SOL', 5_000_000n);
  const received = await createSolanaRpcSubscriptions(live.url.replace('http', 'ws') as `ws://${string}`)
    .signatureNotifications(signatureOf(signature), { commitment: 'confirmed' })
    .subscribe({ abortSignal: AbortSignal.timeout(20_000) });
  for await (const notification of received) {
    expect(notification.value).toEqual({ err: null });
    break;
  }
  expect((await rpc.getBalance(address(owner), { commitment: 'confirmed' }).send()).value).toBe(5_000_000n);
  const { value } = await rpc.getLatestBlockhash().send();
  expect((await rpc.isBlockhashValid(value.blockhash, { commitment: 'confirmed' }).send()).value).toBe(true);
  expect((await rpc.getSignatureStatuses([signatureOf(signature)]).send()).value[0]?.err).toBeNull();
});

describe('what a UI amount is', () => {
  test.each([1n, 99_999_999n, 123_456_789n, 7_000_000_000_001n])('of %d raw units agrees with the token program itself', async (amount) => {
    const owner = fixture.rich();
    fixture.node.fund(owner.publicKey.toBase58(), SHARE.mint, amount);
    const { result } = await fixture.ask(
      'getTokenAccountsByOwner',
      owner.publicKey.toBase58(),
      { mint: SHARE.mint },
      { encoding: 'jsonParsed', commitment: 'processed' },
    );
    const told = result.value[0].account.data.parsed.info.tokenAmount;
    expect(told.amount).toBe(amount.toString());
    const question = createAmountToUiAmountInstruction(new PublicKey(SHARE.mint), amount, TOKEN_2022_PROGRAM_ID);
    const asking = await transfer(fixture, owner, 1_000_000, question);
    const simulated = await fixture.ask('simulateTransaction', wire(asking), { encoding: 'base64', commitment: 'processed' });
    expect(told.uiAmountString).toBe(Buffer.from(simulated.result.value.returnData.data[0], 'base64').toString());
  });

  test('follows the multiplier on the day that it changes', async () => {
    const other = await chainFixture();
    const owner = other.rich();
    other.node.fund(owner.publicKey.toBase58(), TAXED.mint, 2_000_000_000n);
    const shown = async () => {
      const { result } = await other.ask(
        'getTokenAccountsByOwner',
        owner.publicKey.toBase58(),
        { mint: TAXED.mint },
        { encoding: 'jsonParsed', commitment: 'processed' },
      );
      return result.value[0].account.data.parsed.info.tokenAmount.uiAmountString as string;
    };
    expect(await shown()).toBe('2');
    other.clock.advanceTo(TAXED.newMultiplierEffectiveAt);
    expect(await shown()).toBe('10');
    await other.close();
  });
});

describe('sending', () => {
  test('is refused in preflight with a node’s code, error and logs', async () => {
    const owner = fixture.rich();
    const greedy = await transfer(fixture, owner, 9_000_000_000_000);
    greedy.sign([owner]);
    const { error } = await fixture.ask('sendTransaction', wire(greedy), { encoding: 'base64', preflightCommitment: 'processed' });
    expect(error).toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: {
        err: { InstructionError: [0, { Custom: 1 }] },
        unitsConsumed: 150,
        logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
      },
    });
    // Without preflight, the fee is paid and the failure is in a block.
    const { result } = await fixture.ask('sendTransaction', wire(greedy), { encoding: 'base64', skipPreflight: true });
    const [status] = (await fixture.ask('getSignatureStatuses', [result])).result.value;
    expect(status).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, confirmationStatus: 'processed', confirmations: 0 });
    expect((await fixture.ask('getBalance', owner.publicKey.toBase58(), { commitment: 'processed' })).result.value).toBe(
      1_000_000_000 - 5_000,
    );
  });

  test('from an unknown payer, or with a blockhash unseen at the requested commitment, is refused', async () => {
    const nobody = Keypair.generate();
    const paying = await transfer(fixture, nobody, 5);
    paying.sign([nobody]);
    const unknown = await fixture.ask('sendTransaction', wire(paying), { encoding: 'base64', preflightCommitment: 'processed' });
    expect(unknown.error).toMatchObject({ code: -32002, data: { err: 'AccountNotFound' } });
    const owner = fixture.rich();
    fixture.chain.advance(1);
    const early = await transfer(fixture, owner, 1_000_000);
    early.sign([owner]);
    expect((await fixture.ask('sendTransaction', wire(early), { encoding: 'base64' })).error).toMatchObject({
      data: { err: 'BlockhashNotFound' },
    });
    expect(
      (await fixture.ask('sendTransaction', wire(early), { encoding: 'base64', preflightCommitment: 'processed' })).error,
    ).toBeUndefined();
  });

  test('the charged fee equals the announced one', async () => {
    const owner = fixture.rich();
    const paying = await transfer(fixture, owner, 1_000_000);
    const message = Buffer.from(paying.message.serialize()).toString('base64');
    expect((await fixture.ask('getFeeForMessage', message, { commitment: 'processed' })).result.value).toBe(5_000);
    fixture.chain.expireBlockhashes();
    expect((await fixture.ask('getFeeForMessage', message, { commitment: 'processed' })).result.value).toBeNull();
  });
});

describe('simulating', () => {
  test('accepts unsigned bytes, and refuses them if signatures are to be checked', async () => {
    const owner = fixture.rich();
    const paying = wire(await transfer(fixture, owner, 1_000_000));
    const open = await fixture.ask('simulateTransaction', paying, { encoding: 'base64', commitment: 'processed' });
    expect(open.result.value).toMatchObject({
      err: null,
      fee: 5_000,
      preBalances: [1_000_000_000, 0, 1],
      postBalances: [998_995_000, 1_000_000, 1],
    });
    expect((await fixture.ask('simulateTransaction', paying, { encoding: 'base64', sigVerify: true })).error?.code).toBe(-32003);
    expect(
      (await fixture.ask('simulateTransaction', paying, { encoding: 'base64', sigVerify: true, replaceRecentBlockhash: true })).error?.code,
    ).toBe(-32602);
    expect((await fixture.ask('getBalance', owner.publicKey.toBase58(), { commitment: 'processed' })).result.value).toBe(1_000_000_000);
    fixture.chain.expireBlockhashes();
    expect((await fixture.ask('simulateTransaction', paying, { encoding: 'base64' })).result.value.err).toBe('BlockhashNotFound');
    const replaced = await fixture.ask('simulateTransaction', paying, { encoding: 'base64', replaceRecentBlockhash: true });
    expect(replaced.result.value).toMatchObject({ err: null, replacementBlockhash: { blockhash: expect.any(String) } });
  });

  test('shows the requested accounts as they would be', async () => {
    const owner = fixture.rich();
    const paying = wire(await transfer(fixture, owner, 1_000_000));
    const accounts = { addresses: [owner.publicKey.toBase58(), STABLE.mint], encoding: 'base64' };
    const { result } = await fixture.ask('simulateTransaction', paying, { encoding: 'base64', commitment: 'processed', accounts });
    expect(result.value.accounts[0].lamports).toBe(998_995_000);
    expect(result.value.accounts[1].owner).toBe('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  });
});

test.each([
  ['makeMoney', [], -32601],
  ['getBalance', ['nobody'], -32602],
  ['getBalance', [7], -32602],
  ['getBalance', [], -32602],
  ['getSlot', [{ commitment: 'recent' }], -32602],
  ['getSlot', [{ minContextSlot: 9_000_000_000 }], -32016],
  ['getMultipleAccounts', [Array.from({ length: 101 }, () => STABLE.mint)], -32602],
  ['getSignatureStatuses', [['short']], -32602],
  ['getTransaction', ['1'.repeat(64), { commitment: 'processed' }], -32602],
  ['sendTransaction', ['%%%', { encoding: 'base64' }], -32602],
  ['sendTransaction', ['AAAA', { encoding: 'base64' }], -32602],
  ['sendTransaction', [Buffer.alloc(1_300).toString('base64'), { encoding: 'base64' }], -32602],
  ['getTokenSupply', ['11111111111111111111111111111111'], -32602],
  ['getTokenAccountsByOwner', [STABLE.mint, {}], -32602],
  ['getAccountInfo', [TAXED.mint], -32600],
] as const)('%s with wrong parameters (%#) is refused as nodes refuse it', async (method, params, code) => {
  expect((await fixture.ask(method, ...params)).error?.code).toBe(code);
});

test('a transaction of version 0 is only sent to clients that support it', async () => {
  const owner = fixture.rich();
  const paying = await transfer(fixture, owner, 1_000_000);
  paying.sign([owner]);
  const { result } = await fixture.ask('sendTransaction', wire(paying), { encoding: 'base64', preflightCommitment: 'processed' });
  expect((await fixture.ask('getTransaction', result, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 })).result).toBeNull();
  fixture.chain.advance(2);
  expect((await fixture.ask('getTransaction', result, { commitment: 'confirmed' })).error?.code).toBe(-32015);
  const told = await fixture.ask('getTransaction', result, {
    commitment: 'confirmed',
    maxSupportedTransactionVersion: 0,
    encoding: 'base64',
  });
  expect(told.result.transaction[0]).toBe(wire(paying));
});

test('a batch is answered item by item, and invalid items get an error', async () => {
  const post = async (body: string) => (await fetch(fixture.url, { method: 'POST', body })).json() as Promise<Json>;
  const answers = await post(
    JSON.stringify([
      { jsonrpc: '2.0', id: 'a', method: 'getHealth' },
      { jsonrpc: '2.0', id: 2, method: 'makeMoney' },
      { jsonrpc: '2.0', id: 3, method: 'getBalance', params: { of: 1 } },
      { id: 4 },
    ]),
  );
  expect(answers.map((one: Json) => [one.id, one.error?.code ?? one.result])).toEqual([
    ['a', 'ok'],
    [2, -32601],
    [3, -32602],
    [4, -32600],
  ]);
  expect((await post('[]')).error.code).toBe(-32600);
  expect((await post('{')).error.code).toBe(-32700);
  expect((await fetch(fixture.url)).status).toBe(405);
});

test('reads of programs and mints return existing ones, filtered', async () => {
  const owner = fixture.rich();
  const filters = [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: owner.publicKey.toBase58() } }];
  const settings = { encoding: 'base64', commitment: 'processed', filters, dataSlice: { offset: 64, length: 8 } };
  const { result } = await fixture.ask('getProgramAccounts', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', settings);
  expect(result.map((one: Json) => Buffer.from(one.account.data[0], 'base64').readBigUInt64LE())).toEqual([5_000_000_000n]);
  const largest = (await fixture.ask('getTokenLargestAccounts', STABLE.mint, { commitment: 'processed' })).result.value;
  expect(largest[0].amount).toBe('5000000000');
  expect((await fixture.ask('getTokenSupply', STABLE.mint)).result.value.decimals).toBe(6);
});
