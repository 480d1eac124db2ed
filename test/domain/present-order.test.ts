// An order whose market has moved since its decision: never a worse price, and never refused for a better one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atPresentPrice, type Order, sizeOrder } from '../../src/domain/orders/order.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';

function order(side: 'buy' | 'sell', touch: string): Order {
  const made = sizeOrder({
    id: 'o',
    origin: 'proposal',
    mode: 'paper',
    bookId: 'b',
    instrument: 'spotexchange:BTCUSDT',
    side,
    touch,
    maxSlippageBps: 50,
    notionalUsd: '1000',
    heldQuantity: '0.5',
  });
  if (made === null) throw new Error('less than one lot');
  return made;
}

test('a cheaper buy keeps its budget on the present ask; a more expensive one keeps its limit', () => {
  const decided = order('buy', '100000');
  expect(decided.limitPrice).toBe('100500');
  expect(atPresentPrice(decided, { bid: '98999', ask: '99000' })).toMatchObject({ limitPrice: '99495', quantity: decided.quantity });
  expect(atPresentPrice(decided, { bid: '100299', ask: '100300' })).toBe(decided);
  expect(atPresentPrice(decided, { bid: '1', ask: null })).toBe(decided);
  expect(atPresentPrice(decided, null)).toBe(decided);
});

test('the same for a sell, reversed', () => {
  const decided = order('sell', '100000');
  expect(decided.limitPrice).toBe('99500');
  expect(atPresentPrice(decided, { bid: '101000', ask: '101001' }).limitPrice).toBe('100495');
  expect(atPresentPrice(decided, { bid: '99900', ask: '99901' })).toBe(decided);
});

test('whatever the market does, the limit is within the first limit and within the budget or the first limit', () => {
  fc.assert(
    fc.property(fc.constantFrom('buy' as const, 'sell' as const), fc.integer({ min: 9_000_000, max: 11_000_000 }), (side, cents) => {
      const decided = order(side, '100000');
      const touch = new Decimal(cents).div(100);
      const now = atPresentPrice(decided, { bid: touch.toFixed(), ask: touch.toFixed() });
      const limit = new Decimal(now.limitPrice);
      const sign = side === 'buy' ? 1 : -1;
      expect(limit.minus(decided.limitPrice).times(sign).lte(0)).toBe(true);
      const budget = touch.times(new Decimal(1).plus(sign * 0.005));
      expect(limit.minus(budget).times(sign).lte(0) || limit.eq(decided.limitPrice)).toBe(true);
      expect(now.quantity).toBe(decided.quantity);
    }),
  );
});
