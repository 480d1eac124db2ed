// The wallet of the sandbox: a member opens it, fills it, and signs with it on a real simulated chain; another service has none.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PublicKey, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyEd25519 } from '../../src/adapters/solana/ed25519.ts';
import { openSandboxControl } from '../../src/sandbox/control.ts';
import { noteSandbox } from '../../src/sandbox/noted-sandbox.ts';
import { chainStatus, chainVerbs } from '../../src/sandbox/solana/control.ts';
import { sandboxWallets } from '../../src/sandbox/wallet-client.ts';
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

test('it signs a text and its own transactions, and nothing that another pays for', async () => {
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
