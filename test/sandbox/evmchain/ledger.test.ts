// The sandbox's EVM chain is in memory: after a restart it must not repeat earlier results.
import { expect, test } from 'vitest';
import { foundLedger } from '../../../src/sandbox/evmchain/simulator.ts';

const TOKEN = { symbol: 'USDC', contract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', decimals: 6 };
const [FROM, TO] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const;
const opened = (block: number) => foundLedger({ chainId: 8_453, tokens: [TOKEN], newest: () => block });

test('a restarted chain pays under other hashes, and no wallet meets a nonce it has used', () => {
  const [before, after, same] = [opened(1_000), opened(1_400), opened(1_000)];
  const hashes = [before, after].flatMap((ledger) => [
    ledger.pay(FROM, TO, TOKEN.contract, 5n),
    ledger.pay(FROM, TO, TOKEN.contract, 5n),
    ledger.payBadly(FROM, TOKEN.contract),
  ]);
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(after.nonce(FROM)).toBeGreaterThan(before.nonce(FROM));
  // Equal clocks still give equal answers.
  expect([same.pay(FROM, TO, TOKEN.contract, 5n), same.nonce(FROM)]).toEqual([hashes[0], before.nonce(FROM)]);
});
