// Cash of live books plus free dollars equals the accounts' balance, over any sequence of payments and fills.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import {
  type AccountFacts,
  coinsOutside,
  freeDollars,
  NO_ACCOUNTS,
  paidInto,
  withoutWallets,
} from '../../../src/domain/books/free-dollars.ts';
import { computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { compareReserves, depositObjection, RESERVE_AGE_MS, type ReservePlace, walletPlace } from '../../../src/domain/books/reserves.ts';
import { bookOf, materialOf, SATURDAY, WIDE } from './portfolio-samples.ts';

const place = (name: string, dollars: string): ReservePlace => ({
  place: name,
  venue: 'spotexchange',
  known: true,
  dollars,
  assets: new Map(),
});
const compared = (cashUsd: string, capitalUsd: string, places: readonly ReservePlace[]) =>
  compareReserves(
    { cashUsd, cashAt: { spotexchange: '0', spotchain: '0' }, holdings: [], depositedUsd: '0', books: { cashUsd, capitalUsd } },
    places,
    SATURDAY,
  );
const facts = (check: AccountFacts['check'], booksCapitalUsd: string, takesCash: AccountFacts['takesCash'] = {}): AccountFacts => ({
  check,
  booksCapitalUsd,
  takesCash,
});

test('cash of books plus free dollars equals the accounts, whatever is deposited, withdrawn, bought and sold since they were read', () => {
  const cents = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => new Decimal(value).div(100));
  const moves = fc.array(fc.record({ kind: fc.constantFrom('transfer', 'fill'), usd: cents }), { maxLength: 12 });
  fc.assert(
    fc.property(cents, cents, cents, moves, fc.nat(12), (held, cash, capital, sequence, readAt) => {
      const account = { usd: held };
      const books = { cash, capital };
      let check = compared(plainDecimal(cash), plainDecimal(capital), [place('spot exchange', plainDecimal(held))]);
      for (const [index, { kind, usd }] of sequence.entries()) {
        books.cash = books.cash.plus(usd);
        // A vault's deposit and a Take's allocation earmark account money; a fill moves both.
        if (kind === 'transfer') books.capital = books.capital.plus(usd);
        else account.usd = account.usd.plus(usd);
        if (index === readAt)
          check = compared(plainDecimal(books.cash), plainDecimal(books.capital), [place('spot exchange', plainDecimal(account.usd))]);
      }
      const free = freeDollars(facts(check, plainDecimal(books.capital)), SATURDAY);
      expect(plainDecimal(books.cash.plus(free.usd))).toBe(plainDecimal(account.usd));
    }),
  );
});

test('exchange coins that no book holds are shown outside the books, back no dollars and cannot be sold by a book', () => {
  const held: ReservePlace = {
    place: 'spot exchange, account 7',
    venue: 'spotexchange',
    known: true,
    dollars: '10000',
    assets: new Map([
      ['spotexchange:BTCUSDT', '2.5'],
      ['spotexchange:ETHUSDT', '3'],
      ['spotexchange:SOLUSDT', '0.0001'],
    ]),
  };
  const bought = { instrument: 'spotexchange:BTCUSDT', quantity: '1' } as const;
  const claims = {
    cashUsd: '0',
    cashAt: { spotexchange: '0', spotchain: '0' },
    depositedUsd: '0',
    books: { cashUsd: '0', capitalUsd: '0' },
  };
  const check = compareReserves({ ...claims, holdings: [bought] }, [held], SATURDAY);
  expect(check.verdict).toBe('backed');
  expect(check.lines).toEqual([
    { asset: 'USD', claimed: '0', held: '10000' },
    { asset: 'spotexchange:BTCUSDT', claimed: '1', held: '2.5' },
    { asset: 'spotexchange:ETHUSDT', claimed: '0', held: '3' },
  ]);
  const outside = coinsOutside({ check }, SATURDAY);
  expect(outside).toEqual([
    { instrument: 'spotexchange:BTCUSDT', quantity: '1.5' },
    { instrument: 'spotexchange:ETHUSDT', quantity: '3' },
  ]);
  expect(coinsOutside({ check }, SATURDAY + RESERVE_AGE_MS + 1)).toEqual([]);
  // They are no dollars that could back a deposit.
  const free = freeDollars(facts(check, '0'), SATURDAY);
  expect(free.usd).toBe('10000');
  const present = { claimedUsd: '0', depositedUsd: '0', armedUsd: '0', armedAtVenueUsd: '0', venue: null };
  expect(depositObjection(check, { amountUsd: '10001', present, now: SATURDAY })).toMatchObject({ kind: 'short', freeUsd: '10000' });
  const { places, holdings, totals } = computePortfolio(materialOf({ mode: 'live', free, outside }), WIDE);
  expect(places.map(({ id, positions }) => [id, positions.length])).toEqual([['accounts:free', 2]]);
  expect(holdings.map(({ quantity, costUsd }) => [quantity, costUsd])).toEqual([
    ['1.5', null],
    ['3', null],
  ]);
  expect(totals.cashUsd).toBe('10000');
});

test('a Take’s allocation is part of the account’s balance, and zero if that is unknown', () => {
  const take = bookOf('agent:t:live', '4000', []);
  const held = compared('0', '0', [place('spot exchange, account 7', '10000')]);
  const totals = (account: AccountFacts, at = SATURDAY) =>
    computePortfolio(materialOf({ mode: 'live', books: [take], free: freeDollars(account, at) }), WIDE).totals;
  expect(totals(facts(held, '4000', { 'agent:t:live': '4000' })).valueUsd).toBe('10000');
  expect(totals(facts(null, '4000', { 'agent:t:live': '4000' })).valueUsd).toBe('0');
  expect(totals(facts(held, '4000', { 'agent:t:live': '4000' }), SATURDAY + RESERVE_AGE_MS + 1).valueUsd).toBe('0');
  const silent: ReservePlace = { place: 'spot exchange', known: false, venue: 'spotexchange', why: 'no answer' };
  expect(freeDollars(facts(compared('0', '0', [silent]), '0'), SATURDAY)).toMatchObject({
    usd: '0',
    at: null,
    why: 'spot exchange: no answer',
  });
  // The assessed order's account has at least the order's maximum cost.
  expect(freeDollars(facts(null, '4000', { a: '1000', b: '3000' }), SATURDAY, 'b').usd).toBe('-1000');
  expect(computePortfolio(materialOf({ mode: 'live', free: freeDollars(NO_ACCOUNTS, SATURDAY) }), WIDE).places).toEqual([]);
});

test('a named wallet stands alone, and its dollars are counted once', () => {
  const check = compared('0', '0', [place('spot exchange', '10000'), place(walletPlace('w'), '500')]);
  const free = freeDollars(facts(check, '0'), SATURDAY);
  expect([free.usd, withoutWallets(free, ['w', 'another']).usd]).toEqual(['10500', '10000']);
});

test('deposits into books leave the account', () => {
  const free = freeDollars(facts(compared('0', '0', [place('spot exchange', '10000')]), '0'), SATURDAY);
  expect([paidInto(free, '98').usd, paidInto(free, '-2').usd]).toEqual(['9902', '10002']);
});
