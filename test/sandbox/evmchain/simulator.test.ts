// Simulator of a node: JSON-RPC as nodes speak it, with batches, errors, blocks by the clock, reverts.
import { decodeFunctionResult, encodeFunctionData, erc20Abi, multicall3Abi } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVM_TOKENS } from '../../../src/domain/identity/evm-chain.ts';
import { createEvmChainSimulator, type EvmChainSimulator } from '../../../src/sandbox/evmchain/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';

let simulator: EvmChainSimulator;
beforeAll(async () => {
  simulator = await createEvmChainSimulator({ chainId: 42_161, tokens: EVM_TOKENS, clock: createLiveClock(), port: 0 });
});
afterAll(() => simulator.close());

const post = async (body: string) =>
  (await fetch(simulator.url, { method: 'POST', body })).json() as Promise<ReturnType<typeof JSON.parse>>;
const rpc = (method: string, params: unknown[] = []) => post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
const usdc = EVM_TOKENS[0]?.contract as string;

test('chain, blocks and their times are consistent', async () => {
  expect((await rpc('eth_chainId')).result).toBe('0xa4b1');
  const newest = (await rpc('eth_blockNumber')).result as string;
  const block = (await rpc('eth_getBlockByNumber', [newest, false])).result;
  expect(block.number).toBe(newest);
  const before = (await rpc('eth_getBlockByNumber', [`0x${(Number(newest) - 1).toString(16)}`, false])).result;
  expect(block.parentHash).toBe(before.hash);
  expect(Math.abs(Number(block.timestamp) * 1_000 - Date.now())).toBeLessThan(30_000);
  expect((await rpc('eth_getBlockByNumber', [`0x${(Number(newest) + 100).toString(16)}`, false])).result).toBeNull();
  expect((await rpc('eth_getBalance', [usdc, `0x${(Number(newest) + 100).toString(16)}`])).error).toEqual({
    code: -32000,
    message: 'header not found',
  });
});

test('a batch is answered item by item, with errors at their items', async () => {
  const answers = await post(
    JSON.stringify([
      { jsonrpc: '2.0', id: 'a', method: 'eth_chainId' },
      { jsonrpc: '2.0', id: 2, method: 'eth_makeMoney' },
      { jsonrpc: '2.0', id: 3, method: 'eth_getBalance', params: ['0x12', 'latest'] },
      { id: 4 },
    ]),
  );
  expect(answers.map((answer: { id: unknown; error?: { code: number } }) => [answer.id, answer.error?.code ?? 0])).toEqual([
    ['a', 0],
    [2, -32601],
    [3, -32602],
    [4, -32600],
  ]);
  expect((await post('[]')).error.code).toBe(-32600);
  expect((await post('{')).error.code).toBe(-32700);
});

test('tokens answer their calls, and revert where they have no such function', async () => {
  const decimals = await rpc('eth_call', [{ to: usdc, data: encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }) }, 'latest']);
  expect(Number(decimals.result)).toBe(6);
  const symbol = await rpc('eth_call', [{ to: usdc, data: encodeFunctionData({ abi: erc20Abi, functionName: 'symbol' }) }, 'latest']);
  expect(decodeFunctionResult({ abi: erc20Abi, functionName: 'symbol', data: symbol.result })).toBe('USDC');
  const reverted = await rpc('eth_call', [{ to: usdc, data: '0xdeadbeef' }, 'latest']);
  expect(reverted.error).toMatchObject({ code: 3, message: 'execution reverted' });
  // An empty address: no code, no answer, no error.
  expect((await rpc('eth_call', [{ to: `0x${'9'.repeat(40)}`, data: '0xdeadbeef' }, 'latest'])).result).toBe('0x');
});

test('many reads in one call fail one by one if allowed, and otherwise together', async () => {
  const multicall = '0xcA11bde05977b3631167028862bE2a173976CA11';
  const call = (allowFailure: boolean) =>
    rpc('eth_call', [
      {
        to: multicall,
        data: encodeFunctionData({
          abi: multicall3Abi,
          functionName: 'aggregate3',
          args: [
            [
              { target: usdc as `0x${string}`, allowFailure, callData: encodeFunctionData({ abi: erc20Abi, functionName: 'decimals' }) },
              { target: usdc as `0x${string}`, allowFailure, callData: '0xdeadbeef' },
            ],
          ],
        }),
      },
      'latest',
    ]);
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: (await call(true)).result });
  expect(results.map(({ success }) => success)).toEqual([true, false]);
  expect((await call(false)).error.code).toBe(3);
});
