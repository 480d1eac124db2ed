// Cost model compared with recordings of real pools and books, by an independent implementation.
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { averageOverBest, assumedMarketState, pooledPrice, slippageFromMiddleBps } from '../../src/domain/orders/costs.ts';
import { takenFrom } from '../../src/domain/orders/paper-fill.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { seedOfRun } from '../harness/seed.ts';

type Row = Readonly<Record<string, string>>;

/** Returns the rows of a recording, keyed by a column. */
function byColumn(file: string, column: string): ReadonlyMap<string, readonly Row[]> {
  const rows = parse(readFileSync(new URL(`../fixtures/costs/${file}`, import.meta.url)), { columns: true }) as Row[];
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(row[column] as string, [...(groups.get(row[column] as string) ?? []), row]);
  return groups;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

test('an order of dollars is the limit of many small swaps through a pool of which the product stays the same', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('buy' as const, 'sell' as const),
      fc.double({ min: 0.001, max: 0.4, noNaN: true }),
      fc.double({ min: 0.01, max: 5_000, noNaN: true }),
      (side, share, price) => {
        let [dollars, tokens] = [1_000_000, 1_000_000 / price];
        const quantity = (share * dollars) / price;
        let paid = 0;
        for (let n = 0; n < 500; n++) {
          const product = dollars * tokens;
          tokens += (side === 'buy' ? -1 : 1) * (quantity / 500);
          paid += Math.abs(product / tokens - dollars);
          dollars = product / tokens;
        }
        const average = paid / quantity / price;
        const exact = pooledPrice(side, String(price), String(quantity), '2000000').div(price).toNumber();
        expect(exact / average).toBeCloseTo(1, 7);
        expect(averageOverBest(side, share * 1_000_000, { depthUsd: 5_000 }) / exact).toBeCloseTo(1, 9);
      },
    ),
    { seed: seedOfRun(), numRuns: 200 },
  );
});

describe('pools of tokenized shares in June 2026', () => {
  const pools = byColumn('pool-trades.csv', 'pool');

  test('a purchase and a sale within half a minute lost no more than the model charges, in all pools but one of 0.8 %', () => {
    const dear: string[] = [];
    for (const rows of pools.values()) {
      const [{ symbol, dex, liquidityUsd } = {}] = rows;
      const state = { ...assumedMarketState('spotchain:AAPLx'), depthUsd: Number(liquidityUsd) / 400 };
      const beyond = rows.map(({ paidUsd, boughtTokens, soldTokens, receivedUsd }) => {
        const [ask, bid] = [Number(paidUsd) / Number(boughtTokens), Number(receivedUsd) / Number(soldTokens)];
        const lostBps = ((ask - bid) / (ask + bid)) * 1e4;
        return (
          lostBps - (slippageFromMiddleBps('buy', Number(paidUsd), state) + slippageFromMiddleBps('sell', Number(receivedUsd), state)) / 2
        );
      });
      if (median(beyond) > 0) dear.push(`${symbol} on ${dex}`);
    }
    expect(pools.size).toBeGreaterThan(4);
    expect(dear).toEqual(['COINX on raydium']);
  });
});

describe('books of a bitcoin perpetual', () => {
  const books = byColumn('btc-perpetual-books.csv', 'at');

  /** Walks in thousandths of a coin, because single satoshis would be slow. */
  function walkedPlainly(levels: readonly (readonly [price: number, amount: number])[], quantity: number): number {
    let paid = 0;
    let level = 0;
    let left = Math.round((levels[0]?.[1] as number) * 1_000);
    for (let n = 0; n < Math.round(quantity * 1_000); n++) {
      while (left === 0) left = Math.round((levels[++level]?.[1] as number) * 1_000);
      paid += (levels[level]?.[0] as number) / 1_000;
      left--;
    }
    return paid / quantity;
  }

  test.each([0.01, 0.4, 3, 12, 18])('an order of %d BTC walks each as paper does, and costs no more than the assumed book', (quantity) => {
    const key = 'evmvenue:BTC' as InstrumentKey;
    for (const rows of books.values()) {
      const side = (name: string) =>
        rows.filter((row) => row['side'] === name).map(({ price, amount }) => [Number(price), Number(amount)] as const);
      const [asks, bids] = [side('ask'), side('bid')];
      const middle = ((asks[0]?.[0] as number) + (bids[0]?.[0] as number)) / 2;
      for (const [order, levels] of [
        ['buy', asks],
        ['sell', bids],
      ] as const) {
        const plain = walkedPlainly(levels, quantity);
        const taken = takenFrom(
          { side: order, instrument: key, quantity: String(quantity), limitPrice: order === 'buy' ? '1000000' : '1' },
          levels.map(([price, size]) => ({ price: String(price), size: String(size) })),
          null,
        );
        expect(taken?.quantity.toNumber()).toBeCloseTo(quantity, 9);
        expect(taken?.notional.div(quantity).toNumber()).toBeCloseTo(plain, 6);
        const costBps = Math.abs(plain / middle - 1) * 1e4;
        expect(costBps).toBeLessThan(slippageFromMiddleBps(order, quantity * middle, assumedMarketState(key)));
      }
    }
  });
});
