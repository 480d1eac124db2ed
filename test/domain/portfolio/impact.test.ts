// Effect of a proposed allocation on a copy of the book: before and after, computed by hand.
import { expect, test } from 'vitest';
import { completeOrder } from '../../../src/domain/orders/order.ts';
import { type Allocation, type AssessedAllocation, computeImpact } from '../../../src/domain/portfolio/impact.ts';
import type { PortfolioMaterial } from '../../../src/domain/portfolio/portfolio.ts';
import { bookOf, MANUAL, materialOf, quoteOf, SATURDAY, WIDE } from './portfolio-samples.ts';

const QUOTES = new Map([quoteOf('spotexchange:BTCUSDT', '49990', '50010'), quoteOf('spotchain:AAPLx', '199', '201')]);

function assessed(allocation: Allocation, quantity: string | null, touch: string, passes = true): AssessedAllocation {
  const { instrument, side } = allocation;
  const order =
    quantity === null
      ? null
      : completeOrder({
          id: 'preview',
          origin: 'manual',
          mode: 'paper',
          bookId: MANUAL,
          instrument,
          side,
          quantity,
          limitPrice: touch,
          maxSlippageBps: 50,
        });
  return {
    allocation,
    order,
    touch: order === null ? null : touch,
    quote: null,
    risk: order === null ? null : { verdict: passes ? 'passed' : 'blocked', rejections: [] },
    limits: [],
    problem: order === null ? 'no live ask' : '',
  };
}
const buy = (quantity: string | null, passes = true) =>
  assessed({ instrument: 'spotexchange:BTCUSDT', side: 'buy', notionalUsd: '5001' }, quantity, '50010', passes);
const sell = (quantity: string) => assessed({ instrument: 'spotexchange:BTCUSDT', side: 'sell', notionalUsd: '4999' }, quantity, '49990');
const impact = (all: readonly AssessedAllocation[], more: Partial<PortfolioMaterial> = {}) =>
  computeImpact(materialOf({ quotes: QUOTES, ...more }), MANUAL, all, WIDE);

test('a purchase costs the ask and the fee, and is worth the mark', () => {
  const { before, after, allocations } = impact([buy('0.1')]);
  // The purchase opens the book; before it the portfolio is empty.
  expect(before.totals).toMatchObject({ valueUsd: '0', cashUsd: '0' });
  expect(before.places).toEqual([]);
  // 0.1 x 50010 = 5001 and a fee of 10 bps, paid by the account; worth 0.1 x 50000.
  expect(allocations).toMatchObject([{ wouldPass: true, quantity: '0.1', feeUsd: '5.001', note: '' }]);
  expect(after.totals).toMatchObject({ cashUsd: '0', liveUsd: '5000', valueUsd: '5000' });
  expect(after.holdings).toMatchObject([{ quantity: '0.1', costUsd: '5001', valueUsd: '5000' }]);
  expect(after.holdings[0]?.inputs).toContain('allocation:0');
  // equity_selloff: 15 % of 5000; crypto_crash: 30 %.
  expect(after.scenarios.map(({ lossUsd }) => lossUsd)).toEqual(['750', '0', '1500', '0', '0']);
  expect(before.scenarios.map(({ lossUsd }) => lossUsd)).toEqual(['0', '0', '0', '0', '0']);
});

test('a trade that risk would reject is simulated anyway, and marked as rejected', () => {
  const { after, allocations } = impact([buy('0.1', false)]);
  expect(allocations[0]).toMatchObject({ wouldPass: false, quantity: '0.1', note: 'risk would refuse it' });
  expect(after.totals.liveUsd).toBe('5000');
});

test('without a live price nothing is simulated', () => {
  const { before, after, allocations } = impact([buy(null)]);
  expect(allocations[0]).toMatchObject({ wouldPass: false, quantity: '0', feeUsd: '0', note: 'no live ask' });
  expect(after.totals).toEqual(before.totals);
});

test('allocations follow each other; a sale takes no more than the book then holds', () => {
  const { after, allocations } = impact([sell('0.1'), buy('0.1'), sell('0.3')]);
  expect(allocations.map(({ quantity, note }) => [quantity, note])).toEqual([
    ['0', `the book ${MANUAL} holds none of spotexchange:BTCUSDT`],
    ['0.1', ''],
    ['0.1', 'cut to the 0.1 that the book holds'],
  ]);
  // The proceeds of the sale return to the account.
  expect(after.totals).toMatchObject({ valueUsd: '0', cashUsd: '0' });
  expect(after.holdings).toEqual([]);
});

test('the input is unchanged, and other books stay separate', () => {
  const books = [bookOf(MANUAL, '0', [['spotchain:AAPLx', '1', '190']]), bookOf(`${MANUAL}:live`, '77', [])];
  const material = materialOf({ quotes: QUOTES, books });
  const copy = JSON.stringify(material.books.map(({ state }) => state));
  const { before, after } = computeImpact(material, MANUAL, [buy('0.01')], WIDE);
  expect(JSON.stringify(material.books.map(({ state }) => state))).toBe(copy);
  expect(before.places.map(({ cashUsd }) => cashUsd)).toEqual(['0', '77']);
  expect(after.places.map(({ cashUsd }) => cashUsd)).toEqual(['0', '77']);
  expect(after.holdings.map(({ symbol, valueUsd }) => [symbol, valueUsd])).toEqual([
    ['AAPLx', '200'],
    ['BTCUSDT', '500'],
  ]);
});

test('a purchase that makes a position large for its pool adds the haircut', () => {
  const pools = new Map([['spotchain:AAPLx', { liquidityUsd: '8000', observedAt: SATURDAY }] as const]);
  const books = [bookOf(MANUAL, '0', [['spotchain:AAPLx', '2', '390']])];
  const more = assessed({ instrument: 'spotchain:AAPLx', side: 'buy', notionalUsd: '201' }, '1', '201');
  const { before, after } = impact([more], { books, pools });
  const freeze = ({ scenarios }: typeof before) => scenarios[3];
  // 400 is just 5 % of 8000; 600 is more: 2 % of 400, then 27 % of 600.
  expect([freeze(before)?.lossUsd, freeze(after)?.lossUsd]).toEqual(['8', '162']);
  expect([before.exits[0]?.large, after.exits[0]?.large]).toEqual([false, true]);
});
