// A book is the fold of its fills: nothing is created or lost, and its ledger sums to zero.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  agentBook,
  applyFill,
  applyRescaling,
  applyTransfer,
  bookIds,
  emptyBook,
  type Fill,
  markBook,
  nextUtcDay,
  type Position,
  readBookId,
  type TradingBook,
  rescaledBy,
} from '../../src/domain/books/book.ts';
import { computeSlippageBps } from '../../src/domain/orders/costs.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { equityCourse } from '../../src/domain/books/equity-course.ts';
import { type LedgerEntry, ledgerOfFill, ledgerOfOpening, ledgerOfTransfer } from '../../src/domain/books/ledger.ts';
import { floorToStep, findMarketStep } from '../../src/domain/market/market-step.ts';
import { computeProfit } from '../../src/domain/portfolio/performance.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { type Operation, randomOperations } from './random-fills.ts';

const AGENT = '01900000-0000-7000-8000-0000000000aa';
const BOOK = bookIds.paper(AGENT, 3);
const DAY = Date.UTC(2026, 2, 2);

function fill(over: Partial<Fill> & Pick<Fill, 'side' | 'quantity' | 'fillPrice' | 'notionalUsd'>): Fill {
  return {
    id: 'f',
    orderId: 'o',
    bookId: BOOK,
    instrument: 'spotchain:AAPLx',
    feeUsd: '0',
    decisionPrice: over.fillPrice,
    slippageBps: 0,
    at: DAY,
    quotes: [],
    ...over,
  };
}

test('a purchase and a sale give hand-computed cash, cost, profit, fees and slippage', () => {
  const bought = applyFill(
    emptyBook(BOOK, 'paper', '10000'),
    fill({ side: 'buy', quantity: '10', fillPrice: '200.5', notionalUsd: '2005', feeUsd: '2', decisionPrice: '200', slippageBps: 25 }),
  );
  expect(bought).toMatchObject({
    cashUsd: '7993',
    feesUsd: '2',
    realizedPnlUsd: '0',
    fills: 1,
    slippageUsd: '5.0125',
    turnoverUsd: '2005',
  });
  expect(bought.holdings).toEqual([{ instrument: 'spotchain:AAPLx', quantity: '10', costUsd: '2005', openedAt: DAY }]);
  const sold = applyFill(
    bought,
    fill({
      side: 'sell',
      quantity: '4',
      fillPrice: '210',
      notionalUsd: '840',
      feeUsd: '-0.5',
      decisionPrice: '211',
      slippageBps: 47.3934,
      at: DAY + 1,
    }),
  );
  // 4 of 10 cost 802; sold for 840: 38 of profit. The fee is a rebate. 840 slipped by 47.3934 bps.
  expect(sold).toMatchObject({
    cashUsd: '8833.5',
    feesUsd: '1.5',
    realizedPnlUsd: '38',
    fills: 2,
    slippageUsd: '8.9935456',
    turnoverUsd: '2845',
  });
  expect(sold.holdings).toEqual([{ instrument: 'spotchain:AAPLx', quantity: '6', costUsd: '1203', openedAt: DAY }]);
  expect(agentBook(sold)).toEqual({
    positions: [{ instrument: 'spotchain:AAPLx', quantity: '6', averageEntryPrice: '200.5', openedAt: DAY }],
    openProposals: 0,
    fills: 2,
    realizedPnlUsd: '38',
    // (2005 x 25 + 840 x 47.3934) / 2845
    slippageBps: 31.61175958,
  });
});

test('a fill has one slippage: book and fill agree', () => {
  const slippageBps = computeSlippageBps('buy', '200', '197.37');
  expect(slippageBps).toBe(-131.5);
  const one = fill({ side: 'buy', quantity: '10', fillPrice: '197.37', notionalUsd: '1973.7', decisionPrice: '200', slippageBps });
  expect(agentBook(applyFill(emptyBook(BOOK, 'live', '10000'), one)).slippageBps).toBe(slippageBps);
});

test('dust is not a position, does not age the next one, and is sold with it', () => {
  const BTC = 'spotexchange:BTCUSDT' as const;
  const trade = (side: 'buy' | 'sell', quantity: string, at: number, feeUsd = '0'): Fill =>
    fill({
      side,
      quantity,
      fillPrice: '60000',
      notionalUsd: plainDecimal(new Decimal(quantity).times(60_000)),
      instrument: BTC,
      feeUsd,
      at,
    });
  const bought = applyFill(emptyBook(BOOK, 'live', '10000'), trade('buy', '0.00162837', DAY, '0.0978'));
  // $97.80 in all, as paid by the account.
  expect(bought).toMatchObject({ cashUsd: '9902.2', feesUsd: '0.0978' });
  expect(agentBook(bought).positions).toMatchObject([{ instrument: BTC, quantity: '0.00162837' }]);
  const flat = applyFill(bought, trade('sell', '0.00162', DAY + 1));
  expect(flat.holdings).toMatchObject([{ quantity: '0.00000837', costUsd: '0.5022' }]);
  expect(agentBook(flat).positions).toEqual([]);
  expect(markBook(flat, new Map([[BTC, '60000']]), DAY + 2)).toMatchObject({ exposureUsd: '0.5022', unrealizedPnlUsd: '0' });
  const again = applyFill(flat, trade('buy', '0.00162837', DAY + 3));
  expect(agentBook(again).positions).toMatchObject([{ quantity: '0.00163674', openedAt: DAY + 3 }]);
  // One lot more than the second purchase alone can sell.
  expect(floorToStep('0.00163674', findMarketStep(BTC).lot)).toBe('0.00163');
  const sold = applyFill(again, trade('sell', '0.00163', DAY + 4));
  expect(sold.holdings).toMatchObject([{ quantity: '0.00000674' }]);
});

test('impossible fills are refused: another book, zero, more than is held, a wrong notional', () => {
  const book = emptyBook(BOOK, 'paper', '1000');
  expect(() => applyFill(book, fill({ side: 'sell', quantity: '1', fillPrice: '1', notionalUsd: '1' }))).toThrow(
    /sells 1 spotchain:AAPLx of 0/,
  );
  expect(() => applyFill(book, fill({ side: 'buy', quantity: '0', fillPrice: '1', notionalUsd: '0' }))).toThrow(/no positive/);
  expect(() => applyFill(book, fill({ side: 'buy', quantity: '2', fillPrice: '3', notionalUsd: '6.1' }))).toThrow(
    /states a notional of 6.1/,
  );
  // A price rounded from the money differs by at most half a trillionth.
  expect(applyFill(book, fill({ side: 'buy', quantity: '3', fillPrice: '0.333333333333', notionalUsd: '1' })).turnoverUsd).toBe('1');
  expect(() => applyFill(book, fill({ side: 'buy', quantity: '3', fillPrice: '0.333333333332', notionalUsd: '1' }))).toThrow(
    /states a notional of 1 for/,
  );
  expect(() => applyFill({ ...book, id: 'other' }, fill({ side: 'buy', quantity: '2', fillPrice: '3', notionalUsd: '6' }))).toThrow(
    /cannot be booked/,
  );
});

test('the first mark of a UTC day starts it; drawdown is measured from there, realized and unrealized', () => {
  const held = applyFill(emptyBook(BOOK, 'paper', '10000'), fill({ side: 'buy', quantity: '10', fillPrice: '200', notionalUsd: '2000' }));
  const at = (price: string) => new Map([['spotchain:AAPLx' as const, price]]);
  const morning = markBook(held, at('200'), DAY + 1_000);
  expect(morning).toMatchObject({ equityUsd: '10000', exposureUsd: '2000', unrealizedPnlUsd: '0', dailyDrawdownPct: 0 });
  expect(morning.state).toMatchObject({ day: DAY, dayStartEquityUsd: '10000' });
  const noon = markBook(morning.state, at('150'), DAY + 43_200_000);
  expect(noon).toMatchObject({ equityUsd: '9500', unrealizedPnlUsd: '-500', dailyDrawdownPct: 5 });
  expect(noon.state).toBe(morning.state);
  expect(markBook(noon.state, at('150'), DAY + 86_399_999).dailyDrawdownPct).toBe(5);
  const next = markBook(noon.state, at('150'), nextUtcDay(DAY + 43_200_000));
  expect(next).toMatchObject({ dailyDrawdownPct: 0, state: { day: DAY + 86_400_000, dayStartEquityUsd: '9500' } });
});

test('a deposit is not profit and a withdrawal not a drawdown', () => {
  const { state } = markBook(emptyBook(BOOK, 'live', '1000'), new Map(), DAY);
  expect(markBook(applyTransfer(state, '-400'), new Map(), DAY + 5)).toMatchObject({ equityUsd: '600', dailyDrawdownPct: 0 });
  expect(markBook(applyTransfer(state, '250.25'), new Map(), DAY + 5).state).toMatchObject({
    capitalUsd: '1250.25',
    dayStartEquityUsd: '1250.25',
  });
});

test('a position without a mark makes dependent figures unknown', () => {
  const held = applyFill(emptyBook(BOOK, 'paper', '10000'), fill({ side: 'buy', quantity: '1', fillPrice: '200', notionalUsd: '200' }));
  expect(markBook(held, new Map(), DAY)).toMatchObject({
    equityUsd: null,
    exposureUsd: null,
    unrealizedPnlUsd: null,
    dailyDrawdownPct: null,
    unpriced: ['spotchain:AAPLx'],
  });
});

test('dust without a mark makes nothing unknown: it is left out of every sum and named', () => {
  const held = applyFill(emptyBook(BOOK, 'paper', '10000'), fill({ side: 'buy', quantity: '1', fillPrice: '200', notionalUsd: '200' }));
  const dust: Position = { instrument: 'spotexchange:BTCUSDT', quantity: '0.000009', costUsd: '0.9', openedAt: DAY };
  const both = { ...held, holdings: [...held.holdings, dust] };
  const marks = new Map<InstrumentKey, string>([['spotchain:AAPLx', '210']]);
  expect(markBook(both, marks, DAY)).toMatchObject({
    exposureUsd: '210',
    unpriced: [],
    leftOut: [dust.instrument],
    equityUsd: new Decimal(held.cashUsd).plus(210).toFixed(),
  });
  // The whole lot is a position, with an unknown price.
  const lot = { ...dust, quantity: '0.00001' };
  expect(markBook({ ...held, holdings: [...held.holdings, lot] }, marks, DAY)).toMatchObject({
    equityUsd: null,
    unpriced: [lot.instrument],
    leftOut: [],
  });
  // With a mark it counts.
  const all = markBook(both, marks.set(dust.instrument, '100000'), DAY);
  expect([all.exposureUsd, all.leftOut]).toEqual(['210.9', []]);
  const contents = { ...both, capitalUsd: '10000' };
  expect(computeProfit(contents, (key) => (key === dust.instrument ? null : '210'))).toEqual({
    profitUsd: new Decimal(held.cashUsd).plus(210).minus(10_000).toFixed(),
    unmarked: [],
  });
  const moves = [{ at: DAY, kind: 'position', instrument: dust.instrument, amount: dust.quantity }] as const;
  expect(equityCourse(moves, () => null, [DAY])[0]?.equityUsd).toBe('0');
});

test('a book id names its owner, and invalid ids are refused', () => {
  expect(readBookId(bookIds.paper(AGENT, 12))).toEqual({ agentId: AGENT, orgId: null, mode: 'paper', manifestVersion: 12 });
  expect(readBookId(bookIds.live(AGENT))).toEqual({ agentId: AGENT, orgId: null, mode: 'live', manifestVersion: null });
  expect(readBookId(bookIds.manual(AGENT))).toEqual({ agentId: null, orgId: AGENT, mode: 'paper', manifestVersion: null });
  expect(readBookId(bookIds.manual(AGENT, 'live'))).toEqual({ agentId: null, orgId: AGENT, mode: 'live', manifestVersion: null });
  for (const wrong of [
    '',
    'agent:x:live',
    `agent:${AGENT}:paper:0`,
    `agent:${AGENT}:paper:`,
    `manual:${AGENT}:paper`,
    `${bookIds.live(AGENT)} `,
  ]) {
    expect(readBookId(wrong)).toBeNull();
  }
});

/** Decimals of the big-integer oracle, which shares no arithmetic with the book. */
const SCALE = 18;
function units(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return negative ? -value : value;
}

class Oracle {
  cash = units('25000');
  /** Proceeds of sales minus the cost of purchases. */
  traded = 0n;
  fees = 0n;
  readonly quantities = new Map<string, bigint>();

  add(operation: Operation): void {
    if (operation.kind === 'transfer') {
      this.cash += units(operation.amountUsd);
      return;
    }
    const { side, quantity, notionalUsd, feeUsd, instrument } = operation.fill;
    const sign = side === 'buy' ? 1n : -1n;
    this.cash -= sign * units(notionalUsd) + units(feeUsd);
    this.traded -= sign * units(notionalUsd);
    this.fees += units(feeUsd);
    this.quantities.set(instrument, (this.quantities.get(instrument) ?? 0n) + sign * units(quantity));
  }
}

class Balances {
  readonly byAsset = new Map<string, bigint>();
  readonly byAccount = new Map<string, bigint>();

  add(entry: LedgerEntry): void {
    const sums = new Map<string, bigint>();
    for (const { kind, asset, amount } of entry.legs) {
      if (amount === '0') throw new Error(`${entry.id} moves nothing`);
      sums.set(asset, (sums.get(asset) ?? 0n) + units(amount));
      this.byAsset.set(asset, (this.byAsset.get(asset) ?? 0n) + units(amount));
      const account = `${kind} ${asset}`;
      this.byAccount.set(account, (this.byAccount.get(account) ?? 0n) + units(amount));
    }
    for (const sum of sums.values()) if (sum !== 0n) throw new Error(`${entry.id} is off by ${sum}`);
  }
}

/** Mutation testing runs this hundreds of times with fewer operations. */
const OPERATIONS = Number(process.env['RANDOM_CASES'] ?? 20_000);

test(`after ${OPERATIONS} random operations (seed 7) every sum is exactly right, and the ledger sums to zero`, () => {
  const next = randomOperations(7, [BOOK]);
  let book: TradingBook = emptyBook(BOOK, 'paper', '25000');
  const oracle = new Oracle();
  const balances = new Balances();
  balances.add(ledgerOfOpening(BOOK, '25000', 0) as LedgerEntry);
  for (let i = 0; i < OPERATIONS; i++) {
    const operation = next();
    oracle.add(operation);
    if (operation.kind === 'fill') {
      book = applyFill(book, operation.fill);
      balances.add(ledgerOfFill(operation.fill));
    } else {
      book = applyTransfer(book, operation.amountUsd);
      balances.add(ledgerOfTransfer(BOOK, operation.amountUsd, operation.reference, operation.at));
    }
  }
  expect(units(book.cashUsd)).toBe(oracle.cash);
  expect(units(book.feesUsd)).toBe(oracle.fees);
  const open = book.holdings.reduce((sum, { costUsd }) => sum + units(costUsd), 0n);
  expect(units(book.realizedPnlUsd) - open).toBe(oracle.traded);
  const held = Object.fromEntries(book.holdings.map(({ instrument, quantity }) => [instrument, units(quantity)]));
  expect(held).toEqual(Object.fromEntries([...oracle.quantities].filter(([, quantity]) => quantity > 0n)));
  for (const sum of balances.byAsset.values()) expect(sum).toBe(0n);
  expect(balances.byAccount.get('cash USD')).toBe(oracle.cash);
  expect(balances.byAccount.get('fees USD')).toBe(oracle.fees);
  expect(balances.byAccount.get('trading USD')).toBe(-oracle.traded);
  for (const [instrument, quantity] of oracle.quantities) expect(balances.byAccount.get(`position ${instrument}`)).toBe(quantity);
});

test('a new multiplier changes units and nothing else, never rounds up, and takes no more than is held', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 ** 12 }),
      fc.constantFrom('1.0039092', '5', '0.1', '3'),
      fc.constantFrom('1', '1.0057146', '7'),
      (raw, before, after) => {
        const held = new Decimal(raw).div('1e8').toFixed();
        const exact = new Decimal(held).times(after).div(before);
        const now = new Decimal(held).plus(rescaledBy(held, before, after));
        expect(exact.minus(now).gte(0) && exact.minus(now).lt('1e-18')).toBe(true);
      },
    ),
  );
  const bought = applyFill(emptyBook(BOOK, 'paper', '10000'), fill({ side: 'buy', quantity: '10', fillPrice: '200', notionalUsd: '2000' }));
  const [instrument, openedAt] = [bought.holdings[0]?.instrument as 'spotchain:AAPLx', bought.holdings[0]?.openedAt];
  const change = (quantity: string) => ({ bookId: BOOK, instrument, quantity, at: DAY });
  expect(applyRescaling(bought, change('-9'))).toEqual({ ...bought, holdings: [{ instrument, quantity: '1', costUsd: '2000', openedAt }] });
  expect(applyRescaling(bought, change('-10'))).toMatchObject({ holdings: [], cashUsd: bought.cashUsd, realizedPnlUsd: '-2000' });
  expect(() => applyRescaling(bought, change('-11'))).toThrow(/takes -11 of 10/);
  expect(applyRescaling(emptyBook(BOOK, 'paper', '1'), change('8')).holdings).toEqual([
    { instrument, quantity: '8', costUsd: '0', openedAt: DAY },
  ]);
});
