// Contract wallets are verified by the contract itself (ERC-1271), through a node.
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandContext } from '../../src/core/command-context.ts';
import { createWalletReader } from '../../src/adapters/evmchain/wallet-reader.ts';
import { createMemberStore } from '../../src/adapters/store/callers/member-store.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createLinkedWallets } from '../../src/boot/wiring/linked-wallets.ts';
import { EVM_CHAIN_ID, EVM_TOKENS } from '../../src/domain/identity/evm-chain.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import type { WalletTypedData } from '../../src/domain/identity/linked-wallet.ts';
import { createEvmChainSimulator, type EvmChainSimulator } from '../../src/sandbox/evmchain/simulator.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { testDatabase } from '../harness/postgres.ts';

const ORG = '00000000-0000-7000-8000-00000000000a';
const clock = createLiveClock();
const owner = privateKeyToAccount(`0x${'51'.repeat(32)}`);
const stranger = privateKeyToAccount(`0x${'52'.repeat(32)}`);
const SAFE = `0x${'5a'.repeat(20)}`;
let simulator: EvmChainSimulator;
let sql: Sql;
let wallets: ReturnType<typeof createLinkedWallets>;
let made = 0;

beforeAll(async () => {
  simulator = await createEvmChainSimulator({ chainId: EVM_CHAIN_ID, tokens: EVM_TOKENS, clock, port: 0 });
  sql = openDatabase({ url: await testDatabase(), name: 'linked wallets test', connections: 2 });
  await createMemberStore(sql).ensureOrganization(ORG, 'ours');
  const reader = createWalletReader({ url: simulator.url, chainId: EVM_CHAIN_ID, tokens: EVM_TOKENS, clock, timeoutMs: 60_000 });
  const newId = (): string => uuidV7(clock.now(), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, ++made));
  wallets = createLinkedWallets(sql, clock, newId, { chainId: EVM_CHAIN_ID, takesSignature: reader.takesSignature });
  simulator.setContractWallet(SAFE, owner.address);
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await simulator?.close();
});

const context = (): CommandContext => ({ orgId: ORG, subject: 'ann', permissions: [], requestId: `r${++made}` }) as never;
async function linked(address: string, signer: typeof owner, bend = (signature: string): string => signature) {
  const challenge = await wallets.commands.challenge(context(), address);
  if (!challenge.ok) throw new Error(challenge.refusal.detail);
  const signature = bend(await signer.signMessage({ message: challenge.value.text }));
  const outcome = await wallets.commands.link(context(), { address, signature, label: 'treasury' });
  return outcome.ok ? outcome.value.address.toLowerCase() : outcome.refusal.code;
}

test('a contract is verified only by a signature that it accepts', async () => {
  expect(await linked(SAFE, stranger)).toBe('signature_invalid');
  expect(await linked(SAFE, owner, (signature) => `${signature}00`)).toBe('signature_invalid');
  expect(await linked(SAFE, owner, (signature) => `${signature.slice(0, -2)}zz`)).toBe('signature_invalid');
  expect(await linked(SAFE, owner, () => `0x${'00'.repeat(3_000)}`)).toBe('signature_invalid');
  expect(await linked(SAFE, owner)).toBe(SAFE);
});

test('typed data of this chain is as good as the text; for another chain, or with another field, it is not', async () => {
  const typed = async (address: string, signer: typeof owner, bend: (data: WalletTypedData) => WalletTypedData = (data) => data) => {
    const challenge = await wallets.commands.challenge(context(), address);
    if (!challenge.ok || challenge.value.typedData === null) throw new Error('no typed data');
    const signature = await signer.signTypedData(bend(challenge.value.typedData) as never);
    const outcome = await wallets.commands.link(context(), { address, signature, label: 'typed' });
    return outcome.ok ? outcome.value.address.toLowerCase() : outcome.refusal.code;
  };
  expect(await typed(owner.address, owner, (data) => ({ ...data, domain: { ...data.domain, chainId: 1 } }))).toBe('signature_invalid');
  expect(await typed(owner.address, owner, (data) => ({ ...data, message: { ...data.message, member: 'eve' } }))).toBe('signature_invalid');
  expect(await typed(owner.address, stranger)).toBe('signature_invalid');
  expect(await typed(owner.address, owner)).toBe(owner.address.toLowerCase());
  expect(await typed(SAFE, owner)).toBe(SAFE);
  const solana = await wallets.commands.challenge(context(), sandboxKey('somebody').address);
  expect(solana).toMatchObject({ ok: true, value: { typedData: null } });
});

test('an address without a contract is verified by its own key only', async () => {
  expect(await linked(stranger.address, owner)).toBe('signature_invalid');
  expect(await linked(stranger.address, stranger)).toBe(stranger.address.toLowerCase());
  // A contract without that call returns nothing, which is no confirmation.
  simulator.setCode(`0x${'11'.repeat(20)}`, '0x6001');
  expect(await linked(`0x${'11'.repeat(20)}`, owner)).toBe('signature_invalid');
});

test('a node that does not answer verifies nothing and uses nothing up, and an ordinary key does not need it', async () => {
  simulator.faults.set({ status5xx: 1 });
  expect(await linked(SAFE, owner)).toBe('unavailable');
  expect(await linked(owner.address, owner)).toBe(owner.address.toLowerCase());
  simulator.faults.reset();
  expect(await linked(SAFE, owner)).toBe(SAFE);
});

test('a node of another chain is reported, and not believed', async () => {
  const reader = createWalletReader({ url: simulator.url, chainId: 1, tokens: [], clock });
  const answer = await reader.takesSignature(SAFE, `0x${'00'.repeat(32)}`, '0x00');
  expect(answer.ok ? null : answer.refusal.code).toBe('unavailable');
});
