// The auditor of simulated trading finds every planted fault, and nothing in honest trading.
import { expect, test } from 'vitest';
import { applyFill, emptyBook, type Fill } from '../../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { completeOrder } from '../../../src/domain/orders/order.ts';
import { createBookAudit, type QuoteAtFill } from '../../../src/simulation/stress/book-audit.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';

const AT = Date.UTC(2026, 1, 4, 15);
const MANIFEST = sampleManifest({ maxOpenPositions: 1 });
const QUOTE: QuoteAtFill = { venue: 'spotchain', quality: 'live', bid: '99.9', ask: '100', observedAt: AT - 1_000 };

function order(side: 'buy' | 'sell', quantity: string, limitPrice: string, maxSlippageBps = 50) {
  return completeOrder({
    id: `${side}-1`,
    origin: 'proposal',
    mode: 'paper',
    bookId: 'b',
    instrument: 'spotchain:AAPLx',
    side,
    quantity,
    limitPrice,
    maxSlippageBps,
  });
}

function fill(side: 'buy' | 'sell', quantity: string, fillPrice: string, changes: Partial<Fill> = {}): Fill {
  return {
    id: 'fill-1',
    orderId: `${side}-1`,
    bookId: 'b',
    instrument: 'spotchain:AAPLx',
    side,
    quantity,
    fillPrice,
    feeUsd: '0.5',
    notionalUsd: plainDecimal(new Decimal(quantity).times(fillPrice)),
    decisionPrice: fillPrice,
    slippageBps: 0,
    at: AT,
    quotes: [],
    ...changes,
  };
}

test('honest trading has no findings, and the book agrees with the fills', () => {
  const audit = createBookAudit(MANIFEST, '10000');
  let book = emptyBook('b', 'paper', '10000');
  const buy = fill('buy', '9', '100.1');
  audit.filled(buy, order('buy', '9', '100.5'), QUOTE, 0);
  book = applyFill(book, buy);
  audit.agrees(book, AT);
  const sell = fill('sell', '4', '99.8');
  audit.filled(sell, order('sell', '4', '99.5'), QUOTE, 5);
  book = applyFill(book, sell);
  audit.agrees(book, AT);
  expect(audit.findings()).toEqual({ breaches: [], unsafeFills: [] });
});

test.each<[string, (audit: ReturnType<typeof createBookAudit>) => void, RegExp]>([
  [
    'a trade above its notional',
    (a) => a.filled(fill('buy', '11', '100'), order('buy', '11', '100.5'), QUOTE, 0),
    /brings its order to 1100/,
  ],
  ['a price beyond the limit', (a) => a.filled(fill('buy', '1', '101'), order('buy', '1', '100.5'), QUOTE, 0), /beyond its limit/],
  ['more slippage than the budget', (a) => a.filled(fill('buy', '1', '100'), order('buy', '1', '101', 90), QUOTE, 0), /90 bps of slippage/],
  [
    'an entry after the loss of a day',
    (a) => a.filled(fill('buy', '1', '100'), order('buy', '1', '100.5'), QUOTE, 3.1),
    /after a loss of 3.1 %/,
  ],
  ['a sale of what is not held', (a) => a.filled(fill('sell', '1', '99'), order('sell', '1', '98'), QUOTE, 0), /sells 1 of 0/],
  [
    'a second position',
    (a) => {
      a.forced(fill('buy', '1', '100', { instrument: 'spotchain:NVDAx' }));
      a.filled(fill('buy', '1', '100'), order('buy', '1', '100.5'), QUOTE, 0);
    },
    /opens position 2/,
  ],
  [
    'an instrument outside the universe',
    (a) => a.filled(fill('buy', '1', '100', { instrument: 'spotchain:NVDAx' }), order('buy', '1', '100.5'), QUOTE, 0),
    /outside the universe/,
  ],
  [
    'a book that forgot a fill',
    (a) => {
      a.forced(fill('buy', '1', '100'));
      a.agrees(emptyBook('b', 'paper', '10000'), AT);
    },
    /the book holds nothing/,
  ],
])('finds %s', (_, plant, words) => {
  const audit = createBookAudit(MANIFEST, '10000');
  plant(audit);
  expect(audit.findings().breaches.join('; ')).toMatch(words);
});

test.each<[string, QuoteAtFill | null, string]>([
  ['no quote', null, 'without a quote'],
  ['a stale quote', { ...QUOTE, quality: 'stale' }, 'was stale'],
  ['a quote of another venue', { ...QUOTE, venue: 'spotexchange' }, 'priced by spotexchange'],
  ['an old quote', { ...QUOTE, observedAt: AT - 20_000 }, '20000 ms old'],
  ['a price better than the market', { ...QUOTE, ask: '100.3' }, 'better than the market'],
])('a fill on %s is unsafe', (_, quote, words) => {
  const audit = createBookAudit(MANIFEST, '10000');
  audit.filled(fill('buy', '1', '100'), order('buy', '1', '100.5'), quote, 0);
  expect(audit.findings().unsafeFills.join('; ')).toContain(words);
});

test('capital spent twice is found', () => {
  const audit = createBookAudit({ ...MANIFEST, maxCapitalUsd: '100', maxTradeNotionalUsd: '1000' }, '100');
  audit.filled(fill('buy', '2', '100'), order('buy', '2', '100.5'), QUOTE, 0);
  expect(audit.findings().breaches.join('; ')).toMatch(/invested to 200.00 USD.*of cash/);
});
