// Wallet of the EVM chain, read by the real client from the simulator: every balance at one block, and described failures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedAddress } from '../../../src/adapters/evmchain/checked-address.ts';
import { createWalletReader } from '../../../src/adapters/evmchain/wallet-reader.ts';
import { EVM_TOKENS } from '../../../src/domain/identity/evm-chain.ts';
import { toAmount } from '../../../src/domain/identity/wallet.ts';
import { createEvmChainSimulator, type EvmChainSimulator } from '../../../src/sandbox/evmchain/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';

const clock = createLiveClock();
const CHAIN = 42_161;
const SOMEBODY = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const [USDC, , , WETH] = EVM_TOKENS;
let simulator: EvmChainSimulator;
beforeAll(async () => {
  simulator = await createEvmChainSimulator({ chainId: CHAIN, tokens: EVM_TOKENS, clock, port: 0 });
});
afterAll(() => simulator.close());

const reader = (over: Partial<Parameters<typeof createWalletReader>[0]> = {}) =>
  createWalletReader({ url: simulator.url, chainId: CHAIN, tokens: EVM_TOKENS, clock, ...over });

test('balances to the last base unit, all at one block, with nonce and kind', async () => {
  simulator.setBalance(SOMEBODY, null, 1_234_567_890_123_456_789n);
  simulator.setBalance(SOMEBODY, USDC?.contract as string, 2_500_000_001n);
  simulator.setBalance(SOMEBODY, WETH?.contract as string, 1n);
  simulator.setNonce(SOMEBODY, 7);
  const read = await reader().read(SOMEBODY);
  if (!read.ok) throw new Error(read.refusal.detail);
  expect(read.value).toMatchObject({
    address: SOMEBODY,
    chainId: CHAIN,
    kind: 'account',
    nonce: 7,
    native: { symbol: 'ETH', contract: null, decimals: 18, balance: '1234567890123456789', amount: '1.234567890123456789' },
    unread: [],
  });
  expect(read.value.tokens).toHaveLength(4);
  expect(read.value.tokens[0]).toEqual({
    symbol: 'USDC',
    contract: USDC?.contract,
    decimals: 6,
    balance: '2500000001',
    amount: '2500.000001',
  });
  expect(read.value.tokens[3]).toMatchObject({ symbol: 'WETH', amount: '0.000000000000000001' });
  expect(Number(read.value.block.number)).toBeGreaterThan(1_000_000);
  expect(Math.abs(clock.now() - read.value.block.at)).toBeLessThan(30_000);
});

test('code makes a contract, and a pointer to code elsewhere a delegated account', async () => {
  simulator.setCode(`0x${'11'.repeat(20)}`, '0x6001');
  simulator.setCode(`0x${'22'.repeat(20)}`, `0xef0100${'33'.repeat(20)}`);
  expect(await reader().read(`0x${'11'.repeat(20)}`)).toMatchObject({ value: { kind: 'contract' } });
  expect(await reader().read(`0x${'22'.repeat(20)}`)).toMatchObject({ value: { kind: 'delegated' } });
});

test('without the multicall contract every token is read separately; one that is no token is named, never zero', async () => {
  const bare = await createEvmChainSimulator({ chainId: CHAIN, tokens: EVM_TOKENS.slice(0, 1), clock, port: 0, multicall: false });
  try {
    bare.setBalance(SOMEBODY, USDC?.contract as string, 5_000_000n);
    const read = await reader({ url: bare.url, tokens: EVM_TOKENS.slice(0, 2) }).read(SOMEBODY);
    expect(read).toMatchObject({
      ok: true,
      value: { tokens: [{ symbol: 'USDC', amount: '5' }], unread: [{ symbol: 'USDC.e', contract: EVM_TOKENS[1]?.contract }] },
    });
  } finally {
    await bare.close();
  }
});

describe('a failure becomes a refusal that does not show the node’s address', () => {
  const refusal = async (over: Partial<Parameters<typeof createWalletReader>[0]> = {}) => {
    const read = await reader(over).read(SOMEBODY);
    if (read.ok) throw new Error('it was read');
    expect(read.refusal.code).toBe('unavailable');
    expect(read.refusal.detail).not.toContain('127.0.0.1');
    return read.refusal.detail;
  };

  test('another chain', async () => {
    expect(await refusal({ chainId: 1 })).toBe('the node is of chain 42161, and the settings say 1');
  });
  test('nobody there', async () => {
    expect(await refusal({ url: 'http://127.0.0.1:9/v3/secret-key' })).not.toContain('secret-key');
  });
  test.each([{ status429: 1 }, { status5xx: 1 }, { garbage: 1 }])('the simulator does %j', async (fault) => {
    simulator.faults.set(fault);
    try {
      expect(await refusal()).toContain('did not answer');
    } finally {
      simulator.faults.reset();
    }
  });
  test('each failure is counted by its name', async () => {
    const counted: string[] = [];
    const over = { onFailure: (reason: string) => void counted.push(reason) };
    const under = async (fault: object, more: object = {}): Promise<void> => {
      simulator.faults.set(fault);
      await refusal({ ...over, ...more });
      simulator.faults.reset();
    };
    await under({ garbage: 1 });
    await under({ status5xx: 1 });
    await under({ status429: 1 });
    await under({ lostAnswer: 1 });
    await under({ slowMs: 2_000 }, { timeoutMs: 50 });
    await refusal({ ...over, chainId: 1 });
    await refusal({ ...over, url: 'http://127.0.0.1:9' });
    // An error for a whole batch answers none of its questions: the client cannot recognize a limit by it.
    expect(counted).toEqual(['malformed', 'http_503', 'malformed', 'unreachable', 'timeout', 'other_chain', 'unreachable']);
  });

  test('a node that is too slow', async () => {
    simulator.faults.set({ slowMs: 600 });
    try {
      expect(await refusal({ timeoutMs: 50 })).toContain('did not answer');
    } finally {
      simulator.faults.reset();
    }
  });
});

// Addresses from the text of EIP-55.
test.each([
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
])('the checksum of %s is right, and a wrong case is noticed', (address) => {
  expect(checkedAddress(address)).toEqual({ ok: true, value: address });
  expect(checkedAddress(address.toLowerCase())).toEqual({ ok: true, value: address });
  expect(checkedAddress(`0x${address.slice(2).toUpperCase()}`)).toEqual({ ok: true, value: address });
  const at = address.search(/[a-f](?=[A-F0-9a-f]*$)/);
  const wrong = address.slice(0, at) + (address[at] as string).toUpperCase() + address.slice(at + 1);
  expect(checkedAddress(wrong)).toMatchObject({ ok: false, refusal: { code: 'malformed' } });
});

test('amounts of base units are exact', () => {
  expect(toAmount(0n, 18)).toBe('0');
  expect(toAmount(1_500_000n, 6)).toBe('1.5');
  expect(toAmount(10n ** 40n + 1n, 18)).toBe('10000000000000000000000.000000000000000001');
  expect(toAmount(42n, 0)).toBe('42');
});
