// FIFO cost of sales compared with a naive ledger and the cases of RP2, and unknown costs.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { EMPTY_LEDGER, type FifoLedger, ledgerAfter, type WalletEvent } from '../../../src/domain/leaderboard/fifo-ledger.ts';
import { computeLamports, toWalletEvent } from '../../../src/domain/leaderboard/wallet-event.ts';
import { salesOf } from './ledger-fold.ts';
import { differing } from './naive-ledger.ts';

const buy = (quantity: number, usd: number, mint = 'A'): WalletEvent => ({ kind: 'buy', mint, quantity: `${quantity}`, usd: `${usd}` });
const sell = (quantity: number, usd = 1, mint = 'A'): WalletEvent => ({ kind: 'sell', mint, quantity: `${quantity}`, usd: `${usd}` });
const move = (change: number, mint = 'A'): WalletEvent => ({ kind: 'moved', changes: [{ mint, change: `${change}` }] });

test('random ledgers agree with the naive form to the last raw unit', () => {
  const { found, sales, matched } = differing(1, 2_000, salesOf);
  expect(found).toEqual([]);
  expect(matched).toBeGreaterThan(sales / 10);
});

test.each([
  ['the oldest are sold first', [buy(10, 100), buy(10, 300), sell(15)], [250n]],
  ['the parts of a lot add up to its cost', [buy(3, 100), sell(1), sell(1), sell(1)], [33n, 33n, 34n]],
  ['tokens do not know of each other', [buy(5, 50), buy(5, 70, 'B'), sell(5, 1, 'B'), sell(5)], [70n, 50n]],
  ['what was never bought has no basis', [sell(1), buy(2, 10), sell(2)], [null, 10n]],
  ['a sale of more than was bought has none as a whole, and leaves nothing', [buy(10, 100), sell(11), buy(1, 7), sell(1)], [null, 7n]],
  ['what came by a transfer leaves all that is held without a basis', [buy(10, 100), move(5), sell(10)], [null]],
  ['what went by one too', [buy(10, 100), move(-4), sell(6)], [null]],
  ['after that is sold, purchases set the basis again', [buy(10, 100), move(5), buy(4, 40), sell(15), sell(4)], [null, 40n]],
  ['a sale over the edge of both has none', [move(5), buy(4, 40), sell(7), sell(2)], [null, 20n]],
  ['a transfer of everything ends it', [buy(10, 100), move(-10), buy(1, 9), sell(1)], [9n]],
  ['a transfer of more than was seen too', [buy(10, 100), move(-50), buy(1, 9), sell(1)], [9n]],
] as const)('%s', (_, events, costs) => {
  expect(salesOf(events)).toEqual(costs);
});

test('an event costs as much as its own token holds, and the ledger is plain JSON', () => {
  let ledger: FifoLedger = EMPTY_LEDGER;
  for (let lot = 1; lot <= 40; lot++) ({ ledger } = ledgerAfter(ledger, buy(lot, lot * 10, `M${lot % 4}`)));
  const before = ledger['M1'];
  const { ledger: after } = ledgerAfter(JSON.parse(JSON.stringify(ledger)) as FifoLedger, sell(3, 5, 'M2'));
  expect(after['M1']).toEqual(before);
  expect(JSON.parse(JSON.stringify(after))).toEqual(after);
});

describe('effect of a transaction on a wallet', () => {
  const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
  const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
  const SOL = 'So11111111111111111111111111111111111111112';
  const of = (tokens: Record<string, bigint>, lamports = 0n) => toWalletEvent({ tokens: new Map(Object.entries(tokens)), lamports });

  test.each([
    ['a purchase', { A: 10n, [USDC]: -7n }, 0n, { kind: 'buy', mint: 'A', quantity: '10', usd: '7' }],
    ['a sale for the other dollar', { A: -10n, [USDT]: 7n }, -2_039_280n, { kind: 'sell', mint: 'A', quantity: '10', usd: '7' }],
    ['a transfer', { A: 10n }, 0n, { kind: 'moved', changes: [{ mint: 'A', change: '10' }] }],
    ['a swap for the native coin', { A: 10n, [SOL]: -5n }, -900_000_000n, { kind: 'moved', changes: [{ mint: 'A', change: '10' }] }],
    [
      'a purchase that is paid in two coins',
      { A: 10n, [USDC]: -7n },
      -900_000_000n,
      { kind: 'moved', changes: [{ mint: 'A', change: '10' }] },
    ],
    ['one paid in two dollars', { A: 10n, [USDC]: -7n, [USDT]: -7n }, 0n, { kind: 'moved', changes: [{ mint: 'A', change: '10' }] }],
    ['token and dollars both in', { A: 10n, [USDC]: 7n }, 0n, { kind: 'moved', changes: [{ mint: 'A', change: '10' }] }],
    ['dollars alone', { [USDC]: 7n, [USDT]: -7n }, 0n, null],
    ['nothing', { A: 0n }, 0n, null],
  ] as const)('%s', (_, tokens, lamports, event) => {
    expect(of(tokens, lamports)).toEqual(event);
  });

  test('a swap of two tokens leaves both without a basis', () => {
    expect(of({ A: -3n, B: 4n })).toEqual({
      kind: 'moved',
      changes: [
        { mint: 'A', change: '-3' },
        { mint: 'B', change: '4' },
      ],
    });
  });

  test('the fee paid by the wallet and its wrapped coin are not part of the price', () => {
    expect(computeLamports(-1_000_005_000n, new Map([[SOL, 1_000_000_000n]]), 5_000n)).toBe(0n);
  });
});

/** RP2's own FIFO example (eprbell/rp2, Apache-2.0): quantities in 1e-8 coins, dollars in 1e-12. */
describe('the FIFO cases of RP2', () => {
  const coins = (amount: number): string => BigInt(Math.round(amount * 1e8)).toString();
  const dollars = (amount: number): string => (BigInt(Math.round(amount * 1e4)) * 100_000_000n).toString();
  const received = (at: string, amount: number, usd: number) => ({
    at,
    event: { kind: 'buy', mint: 'BTC', quantity: coins(amount), usd: dollars(usd) } as const,
  });
  const gone = (at: string, amount: number) => ({ at, event: { kind: 'sell', mint: 'BTC', quantity: coins(amount), usd: '0' } as const });
  // In chronological order. A donation, a gift and a transfer fee use up lots like a sale.
  const HISTORY = [
    received('2020-01-01', 1, 11_100),
    gone('2020-01-11', 0.2),
    gone('2020-01-21', 0.01),
    received('2020-02-01', 2, 24_000),
    gone('2020-02-11', 1),
    received('2020-03-01', 3, 39_000),
    received('2020-04-01', 4, 56_400),
    gone('2020-04-11', 5),
    gone('2020-04-12', 3.79),
    received('2020-05-01', 5, 75_500),
    gone('2020-05-21', 0.02),
    gone('2021-06-11', 2.01),
    gone('2021-07-21', 0.04),
  ];
  // Cost basis by hand: 11,100 a coin, then 12,000, 13,000, 14,100, 15,100.
  const EXPECTED = [
    2_220,
    111,
    0.79 * 11_100 + 0.21 * 12_000,
    1.79 * 12_000 + 3 * 13_000 + 0.21 * 14_100,
    3.79 * 14_100,
    0.02 * 15_100,
    2.01 * 15_100,
    0.04 * 15_100,
  ];

  test('give the same basis as by hand', () => {
    const costs = salesOf(HISTORY.map(({ event }) => event)).map((cost) => Number(cost) / 1e12);
    costs.forEach((cost, place) => {
      expect(cost).toBeCloseTo(EXPECTED[place] as number, 8);
    });
    expect(costs).toHaveLength(EXPECTED.length);
  });

  /** RP2's totals of the cost basis: year, kind, and the indexes of the history's disposals. */
  const TOTALS = [
    [2020, 'SELL', 13_509, [0, 2]],
    [2020, 'MOVE', 413, [1, 5]],
    [2020, 'GIFT', 63_441, [3]],
    [2020, 'DONATE', 53_439, [4]],
    [2021, 'SELL', 30_351, [6]],
    [2021, 'MOVE', 604, [7]],
  ] as const;

  test('and the totals of its full report', () => {
    const costs = salesOf(HISTORY.map(({ event }) => event)).map((cost) => Number(cost) / 1e12);
    for (const [year, kind, total, places] of TOTALS)
      expect(
        places.reduce<number>((sum, place) => sum + (costs[place] as number), 0),
        `${year} ${kind}`,
      ).toBeCloseTo(total, 6);
  });

  const golden = fileURLToPath(
    new URL('../../../../shared/data/oracles/fifo/rp2/golden_crypto_example_generic_fifo_rp2_full_report.json', import.meta.url),
  );
  test.skipIf(!existsSync(golden))('which are those of the recorded report, where it is there', () => {
    const report = JSON.parse(readFileSync(golden, 'utf8')) as Record<string, (string | number | null)[][]>;
    const rows = report['BTC Tax'] ?? [];
    for (const [year, kind, total] of TOTALS)
      expect(rows.find((row) => row[0] === year && row[4] === kind)?.[7], `${year} ${kind}`).toBeCloseTo(total, 6);
  });
});
