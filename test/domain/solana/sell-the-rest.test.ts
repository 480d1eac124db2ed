// The rest of a position is sold rounded down to lots; what the book may not sell is rounded up.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyBook, type OpenProposal, computeSellable, type TradingBook } from '../../../src/domain/books/book.ts';
import { swapOrder } from '../../../src/domain/solana/swap.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';

const AAPLX: InstrumentKey = 'spotchain:AAPLx';
const LOT = 100n;
const token = { mint: 'token', decimals: 8, multiplier: '1' };

/** Returns the lots of a sell of so many units of the chain; a hundred units are a lot. */
function lotsOf(units: bigint, sellable: bigint | null): bigint {
  const parts = { id: 'order', bookId: 'book', instrument: AAPLX, worstPrice: '200', maxSlippageBps: 50 };
  const rest = sellable === null ? {} : { sellable: textOf(sellable) };
  const { quantity } = swapOrder({ side: 'sell', input: token, inAmount: String(units) }, { ...parts, ...rest });
  const [whole = '', part = ''] = quantity.split('.');
  return BigInt(whole + part.padEnd(6, '0'));
}
const textOf = (units: bigint): string => `${units / 100_000_000n}.${String(units % 100_000_000n).padStart(8, '0')}`;

test.each<[bigint, bigint | null, bigint]>([
  [37_154_517n, 37_154_517n, 371_545n],
  // One unit more than the book may sell.
  [37_154_518n, 37_154_517n, 371_546n],
  // A lot or more stays behind: nothing is rounded down.
  [37_154_417n, 37_154_517n, 371_545n],
  [37_154_500n, 37_154_517n, 371_545n],
  // Less than one lot counts as one.
  [17n, 17n, 1n],
  [100n, 100n, 1n],
  [37_154_517n, null, 371_546n],
])('%d units of %s that the book may sell are %d lots', (units, sellable, lots) => {
  expect(lotsOf(units, sellable)).toBe(lots);
});

test('no sell exceeds what the book may sell: its lots fit exactly if its units do, from one lot up', () => {
  const amount = fc.bigInt({ min: LOT, max: 10n ** 12n });
  const near = fc.bigInt({ min: -250n, max: 250n });
  fc.assert(
    fc.property(amount, near, (units, off) => {
      const sellable = units + off < 0n ? 0n : units + off;
      const fits = lotsOf(units, sellable) <= sellable / LOT;
      expect(fits).toBe(units <= sellable);
    }),
  );
});

test('a buy has no sellable quantity', () => {
  const parts = { id: 'order', bookId: 'book', instrument: AAPLX, worstPrice: '200', maxSlippageBps: 50 };
  const given = { side: 'buy', input: { mint: 'dollars', decimals: 6, multiplier: '1' }, inAmount: '1000001' } as const;
  expect(swapOrder(given, { ...parts, sellable: '9' })).toEqual(swapOrder(given, parts));
});

test('pending sales are not sold again, and pending purchases or other instruments do not count', () => {
  const open = (side: 'buy' | 'sell', instrument: InstrumentKey, quantity: string): OpenProposal =>
    ({ id: `${side} ${instrument}`, side, instrument, quantity, notionalUsd: '1' }) as OpenProposal;
  const book = (openProposals: readonly OpenProposal[]): TradingBook => ({
    ...emptyBook('book', 'live', '100'),
    holdings: [{ instrument: AAPLX, quantity: '0.37154517', costUsd: '100', openedAt: 1 }],
    openProposals,
  });
  expect(computeSellable(book([]), AAPLX)).toBe('0.37154517');
  expect(computeSellable(book([open('sell', AAPLX, '0.371545')]), AAPLX)).toBe('0.00000017');
  expect(computeSellable(book([open('sell', AAPLX, '0.4')]), AAPLX)).toBe('0');
  expect(computeSellable(book([open('buy', AAPLX, '0.1'), open('sell', 'spotchain:NVDAx', '0.1')]), AAPLX)).toBe('0.37154517');
  expect(computeSellable(book([]), 'spotchain:NVDAx')).toBe('0');
});
