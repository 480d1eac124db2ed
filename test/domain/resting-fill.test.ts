// Possible fills of a resting order compared with the rule in exact decimals.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCostModel } from '../../src/domain/orders/costs.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import { type MarketFlow, restingFill } from '../../src/domain/orders/resting-fill.ts';

const INSTRUMENT = 'spotexchange:BTCUSDT';
/** Prices of which several share one double. */
const price = fc
  .tuple(
    fc.constantFrom('60000', '59999.99', '60000.000000000001', '59999.9999999999999', '60000.0000', '6e4'),
    fc.integer({ min: 0, max: 2 }),
  )
  .map(([text, zeros]) => (text.includes('.') ? `${text}${'0'.repeat(zeros)}` : text))
  .filter((text) => !text.includes('e'));
const size = fc.integer({ min: 1, max: 400 }).map((thousandths) => (thousandths / 1_000).toFixed(3));

test('only what is strictly beyond the price counts, however close it is', () => {
  const trade = fc.record({ price, quantity: size });
  const top = fc.record({ ask: price, askSize: fc.oneof(size, fc.constant('0')) });
  fc.assert(
    fc.property(
      fc.constantFrom('buy', 'sell'),
      price,
      fc.array(trade, { maxLength: 6 }),
      fc.array(top, { maxLength: 6 }),
      (side, at, trades, tops) => {
        const sign = side === 'buy' ? -1 : 1;
        const isBeyond = (other: string): boolean => new Decimal(other).cmp(at) === sign;
        const flow: MarketFlow = {
          venue: 'spotexchange',
          source: 'test',
          trades: trades.map((each) => ({ ...each, at: 1 })),
          tops: tops.map(({ ask, askSize }) => ({
            source: 'test',
            observedAt: 1,
            at: 1,
            ...(side === 'buy' ? { bid: null, bidSize: null, ask, askSize } : { bid: ask, bidSize: askSize, ask: null, askSize: null }),
          })),
        };
        const order = { id: 'o', bookId: 'b', venue: 'spotexchange', instrument: INSTRUMENT, side, quantity: '1' } as unknown as Order;
        const filled = restingFill(order, flow, findCostModel(INSTRUMENT), { id: 'f', price: at, decisionPrice: at, until: 2 });
        const traded = trades.filter((each) => isBeyond(each.price)).reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
        const shown = tops.filter(({ ask }) => isBeyond(ask)).map(({ askSize }) => new Decimal(askSize));
        const most = Decimal.min(1, Decimal.max(traded, 0, ...shown));
        expect(filled.outcome === 'no_fill' ? '0' : filled.fill.quantity).toBe(most.toString());
      },
    ),
    { numRuns: 300 },
  );
});
