// Sandbox wallet: a member opens it, funds it, and signs with it on a real simulated chain. Other services have none.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { encodeFunctionData, erc20Abi, type Hex, verifyTypedData } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyEd25519 } from '../../src/adapters/solana/ed25519.ts';
import { EVM_TOKENS } from '../../src/domain/identity/evm-chain.ts';
import { createEvmChainSimulator } from '../../src/sandbox/evmchain/simulator.ts';
import { openSandboxControl } from '../../src/sandbox/control.ts';
import { noteSandbox } from '../../src/sandbox/noted-sandbox.ts';
import { chainStatus, chainVerbs } from '../../src/sandbox/solana/chain-verbs.ts';
import { sandboxWallets } from '../../src/sandbox/wallet-client.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { type ChainFixture, chainFixture } from '../sandbox/solana/chain-fixture.ts';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.ts';

const home = mkdtempSync(join(tmpdir(), 'sevengate-sandbox-wallet-'));
let api: ApiUnderTest;
let fixture: ChainFixture;
let control: Awaited<ReturnType<typeof openSandboxControl>>;
let forget: () => void;
let token: string;
let address: string;
beforeAll(async () => {
  [api, fixture] = await Promise.all([apiUnderTest(() => ({ sandboxWallets: sandboxWallets(home) })), chainFixture()]);
  const chain = { status: () => chainStatus(fixture.chain), verbs: chainVerbs(fixture.chain, { cheat: () => {} }) };
  control = await openSandboxControl({ faults: {}, port: 0, chain });
  token = await api.token(['trade:execute']);
});
afterAll(async () => {
  await Promise.all([api.close(), fixture.close(), control.close()]);
  rmSync(home, { recursive: true, force: true });
});

const use = (body: object, as = token) => api.call('POST', '/v1/sandbox/wallet', { token: as, body });

test('a service without a sandbox has no such wallet, and says to sign with another', async () => {
  expect(await use({ act: 'open' })).toMatchObject({
    status: 404,
    body: { code: 'not_found', detail: expect.stringMatching(/sign with a wallet of your own/) },
  });
  forget = noteSandbox(home, { control: control.url, simulators: {} });
});

test('each member has one of their own, and the faucet fills it', async () => {
  const opened = await use({ act: 'open' });
  expect(opened.status, opened.text).toBe(200);
  ({ address } = opened.body);
  const balance = async () => (await fixture.ask('getBalance', address, { commitment: 'processed' })).result.value;
  expect(await balance()).toBe(0);
  expect((await use({ act: 'fund' })).body.address).toBe(address);
  expect(await balance()).toBe(10_000_000_000);
  const other = await api.token(['trade:execute']);
  expect((await use({ act: 'open' }, other)).body.address).not.toBe(address);
});

test('it signs a text and its own transactions, and none that another wallet pays for', async () => {
  const text = 'I am this wallet. ✓';
  const { signature } = (await use({ act: 'sign_text', text })).body;
  expect(verifyEd25519(Buffer.from(signature, 'base64'), Buffer.from(text), new PublicKey(address).toBytes())).toBe(true);

  const payment = async (payer: string): Promise<string> => {
    const { result } = await fixture.ask('getLatestBlockhash', { commitment: 'processed' });
    const from = new PublicKey(payer);
    const instructions = [SystemProgram.transfer({ fromPubkey: from, toPubkey: PublicKey.unique(), lamports: 3_000_000 })];
    const message = new TransactionMessage({ payerKey: from, recentBlockhash: result.value.blockhash, instructions });
    return Buffer.from(new VersionedTransaction(message.compileToV0Message()).serialize()).toString('base64');
  };
  const own = await payment(address);
  const { transaction } = (await use({ act: 'sign_transaction', transaction: own })).body;
  const sent = await fixture.ask('sendTransaction', transaction, { encoding: 'base64', preflightCommitment: 'processed' });
  expect(sent.error).toBeUndefined();

  const foreign = await use({ act: 'sign_transaction', transaction: await payment(PublicKey.unique().toBase58()) });
  expect(foreign).toMatchObject({
    status: 400,
    body: { code: 'malformed', detail: expect.stringMatching(/does not sign this transaction/) },
  });
  expect((await use({ act: 'sign_transaction', transaction: 'nonsense' })).body.detail).toMatch(/base64/);
  forget();
});

test('on the EVM chain it shows its address, signs typed data, sends, and serves no other member', async () => {
  const evm = await createEvmChainSimulator({ chainId: 1337, tokens: EVM_TOKENS, clock: createLiveClock(), port: 0 });
  forget = noteSandbox(home, { control: control.url, simulators: { evmchain: evm.url } });
  const USDC = EVM_TOKENS.find(({ symbol }) => symbol === 'USDC') as (typeof EVM_TOKENS)[number];
  try {
    const { evmAddress } = (await use({ act: 'open' })).body as { evmAddress: Hex };
    const ask = async (method: string, ...params: unknown[]) => (await use({ act: 'evm_request', method, params })).body;
    expect((await ask('eth_requestAccounts')).result).toEqual([evmAddress]);

    const typed = {
      domain: { name: 'Sevengate', chainId: 1337 },
      types: { Link: [{ name: 'text', type: 'string' }] },
      primaryType: 'Link' as const,
      message: { text: 'I am this wallet. ✓' },
    };
    const signature = (await ask('eth_signTypedData_v4', evmAddress, JSON.stringify(typed))).result as Hex;
    expect(await verifyTypedData({ address: evmAddress, ...typed, signature })).toBe(true);

    const receiver = '0x00000000000000000000000000000000000000a1';
    const before = evm.ledger.balance(receiver, USDC.contract);
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [receiver, 5_000_000n] });
    const payment = { from: evmAddress, to: USDC.contract, data, value: '0x0' };
    const hash = (await ask('eth_sendTransaction', payment)).result;
    expect((await ask('eth_getTransactionReceipt', hash)).result).toMatchObject({ status: '0x1', from: evmAddress.toLowerCase() });
    expect(evm.ledger.balance(receiver, USDC.contract) - before).toBe(5_000_000n);

    const refused = { status: 400, code: 'malformed' };
    expect(await ask('eth_sendTransaction', { ...payment, from: receiver })).toMatchObject({
      ...refused,
      detail: expect.stringMatching(/signs for 0x\w+ alone/),
    });
    expect(await ask('eth_sign', evmAddress, '0x00')).toMatchObject({
      ...refused,
      detail: expect.stringMatching(/does not answer eth_sign/),
    });
  } finally {
    forget();
    await evm.close();
  }
});
