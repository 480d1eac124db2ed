// Bookings of a fill, a transfer and an opening, as a bookkeeper would write them.
import { expect, test } from 'vitest';
import { applySettlement, emptyBook, type Fill, type Settlement } from '../../src/domain/books/book.ts';
import { ledgerOfFill, ledgerOfOpening, ledgerOfSettlement, ledgerOfTransfer } from '../../src/domain/books/ledger.ts';

const FILL: Fill = {
  id: 'f1',
  orderId: 'o1',
  bookId: 'book',
  instrument: 'spotchain:AAPLx',
  side: 'buy',
  quantity: '2.5',
  fillPrice: '200.2',
  feeUsd: '0.5005',
  notionalUsd: '500.5',
  decisionPrice: '200',
  slippageBps: 10,
  at: 7,
  quotes: [],
};

test('a purchase: dollars and fee leave, the instrument arrives, each against the trading account', () => {
  expect(ledgerOfFill(FILL)).toEqual({
    id: 'fill:f1',
    bookId: 'book',
    kind: 'fill',
    at: 7,
    legs: [
      { kind: 'cash', asset: 'USD', amount: '-501.0005' },
      { kind: 'fees', asset: 'USD', amount: '0.5005' },
      { kind: 'trading', asset: 'USD', amount: '500.5' },
      { kind: 'position', asset: 'spotchain:AAPLx', amount: '2.5' },
      { kind: 'trading', asset: 'spotchain:AAPLx', amount: '-2.5' },
    ],
  });
});

test('a sale with a rebate: the reverse, and the rebate is income', () => {
  expect(ledgerOfFill({ ...FILL, side: 'sell', feeUsd: '-0.1' }).legs).toEqual([
    { kind: 'cash', asset: 'USD', amount: '500.6' },
    { kind: 'fees', asset: 'USD', amount: '-0.1' },
    { kind: 'trading', asset: 'USD', amount: '-500.5' },
    { kind: 'position', asset: 'spotchain:AAPLx', amount: '-2.5' },
    { kind: 'trading', asset: 'spotchain:AAPLx', amount: '2.5' },
  ]);
});

test('a movement of zero is no leg', () => {
  expect(ledgerOfFill({ ...FILL, feeUsd: '0' }).legs.map(({ kind }) => kind)).toEqual(['cash', 'trading', 'position', 'trading']);
});

test('deposits, withdrawals and a book’s opening balance are booked against its capital', () => {
  expect(ledgerOfTransfer('book', '-40.25', 'withdrawal-3', 9)).toEqual({
    id: 'transfer:withdrawal-3',
    bookId: 'book',
    kind: 'transfer',
    at: 9,
    legs: [
      { kind: 'cash', asset: 'USD', amount: '-40.25' },
      { kind: 'capital', asset: 'USD', amount: '40.25' },
    ],
  });
  expect(ledgerOfOpening('book', '25000', 1)).toEqual({
    id: 'opening:book',
    bookId: 'book',
    kind: 'opening',
    at: 1,
    legs: [
      { kind: 'cash', asset: 'USD', amount: '25000' },
      { kind: 'capital', asset: 'USD', amount: '-25000' },
    ],
  });
  expect(ledgerOfOpening('book', '0', 1)).toBeNull();
});

const SETTLEMENT: Settlement = { bookId: 'book', instrument: 'prediction:m.yes', quantity: '40', payout: '1', at: 9 };

test('a resolved market: the contracts leave, the payout arrives; without a payout no money moves', () => {
  expect(ledgerOfSettlement(SETTLEMENT)).toEqual({
    id: 'settlement:book:prediction:m.yes:9',
    bookId: 'book',
    kind: 'settlement',
    at: 9,
    legs: [
      { kind: 'cash', asset: 'USD', amount: '40' },
      { kind: 'trading', asset: 'USD', amount: '-40' },
      { kind: 'position', asset: 'prediction:m.yes', amount: '-40' },
      { kind: 'trading', asset: 'prediction:m.yes', amount: '40' },
    ],
  });
  expect(ledgerOfSettlement({ ...SETTLEMENT, payout: '0' }).legs).toEqual([
    { kind: 'position', asset: 'prediction:m.yes', amount: '-40' },
    { kind: 'trading', asset: 'prediction:m.yes', amount: '40' },
  ]);
});

test('a book after its market resolved has the payout, and the rest of the cost is a loss; other positions stay', () => {
  const other = { instrument: 'prediction:n.no', quantity: '3', costUsd: '1', openedAt: 2 } as const;
  const held = { instrument: 'prediction:m.yes', quantity: '40.00', costUsd: '26', openedAt: 1 } as const;
  const book = { ...emptyBook('book', 'paper', '100'), cashUsd: '73', realizedPnlUsd: '2', holdings: [held, other] };
  expect(applySettlement(book, SETTLEMENT)).toEqual({ ...book, cashUsd: '113', realizedPnlUsd: '16', holdings: [other] });
  expect(applySettlement(book, { ...SETTLEMENT, payout: '0' })).toEqual({ ...book, realizedPnlUsd: '-24', holdings: [other] });
  expect(applySettlement(book, { ...SETTLEMENT, payout: '0.5' })).toMatchObject({ cashUsd: '93', realizedPnlUsd: '-4' });
});

test('a market pays for held contracts only, between nothing and a dollar', () => {
  const book = {
    ...emptyBook('book', 'paper', '100'),
    holdings: [{ instrument: 'prediction:m.yes', quantity: '40', costUsd: '26', openedAt: 1 }],
  } as const;
  const settled = (over: Partial<Settlement>) => () => applySettlement(book, { ...SETTLEMENT, ...over });
  expect(settled({ quantity: '39' })).toThrow(/^a settlement of 39 prediction:m.yes is not what book holds: 40$/);
  expect(settled({ instrument: 'prediction:m.no' })).toThrow(/^a settlement of 40 prediction:m.no is not what book holds: 0$/);
  for (const payout of ['-0.01', '1.01', 'NaN']) expect(settled({ payout })).toThrow(`prediction:m.yes cannot pay ${payout}`);
});
