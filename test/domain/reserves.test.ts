// Claims compared with balances: decimal sums, unknown places, tolerance, and backed deposits.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import {
  claimedOutcomes,
  compareReserves,
  type DollarVenue,
  depositObjection,
  exchangePlace,
  isShort,
  RESERVE_AGE_MS,
  type ReserveClaims,
  type ReservePlace,
} from '../../src/domain/books/reserves.ts';

const AT = 1_700_000_000_000;
const AT_ANY = { spotexchange: '0', spotchain: '0' };
const BOOKS = { cashUsd: '0', capitalUsd: '0' };
const BTC = 'spotexchange:BTCUSDT' as const;
const AAPL = 'spotchain:AAPLx' as const;
const account = exchangePlace('7', [
  { asset: 'USDT', free: '900.1', locked: '99.9' },
  { asset: 'USDC', free: '1', locked: '0' },
  { asset: 'BTC', free: '0.5', locked: '0.1' },
]);
const wallet: ReservePlace = { place: 'wallet w', venue: 'spotchain', known: true, dollars: '10', assets: new Map([[AAPL, '2']]) };
const silentWallet: ReservePlace = { place: 'wallet s', known: false, venue: 'spotchain', why: 'no node' };
const claims = (cashUsd: string, btc = '0.6', aapl = '2'): ReserveClaims => ({
  cashUsd,
  cashAt: AT_ANY,
  holdings: [
    { instrument: BTC, quantity: btc },
    { instrument: AAPL, quantity: aapl },
    // Positions at other venues are not compared.
    { instrument: 'evmvenue:BTC', quantity: '5' },
  ],
  depositedUsd: '100',
  books: { cashUsd: '20', capitalUsd: '30' },
});

test('dollars and assets of all places are summed exactly, including amounts locked by orders', () => {
  expect(compareReserves(claims('1011'), [account, wallet], AT)).toEqual({
    at: AT,
    verdict: 'backed',
    lines: [
      { asset: 'USD', claimed: '1011', held: '1011' },
      { asset: AAPL, claimed: '2', held: '2' },
      { asset: BTC, claimed: '0.6', held: '0.6' },
    ],
    unknown: [],
    depositedUsd: '100',
    dollars: {
      places: [
        { place: 'spot exchange, account 7', venue: 'spotexchange', usd: '1001' },
        { place: 'wallet w', venue: 'spotchain', usd: '10' },
      ],
      booksCashUsd: '20',
      booksCapitalUsd: '30',
    },
  });
});

test('a silent place leaves its assets unknown, and a shortfall elsewhere remains', () => {
  const check = compareReserves(claims('1'), [account, silentWallet], AT);
  expect(check).toMatchObject({ verdict: 'unknown', unknown: ['wallet s: no node'] });
  expect(check.lines.map(({ held }) => held)).toEqual([null, null, '0.6']);
  expect(compareReserves(claims('1', '0.7'), [account, silentWallet], AT).verdict).toBe('short');
  // Without places nothing is held.
  expect(compareReserves(claims('0', '0', '0'), [], AT).verdict).toBe('backed');
  expect(compareReserves(claims('0.01', '0', '0'), [], AT).verdict).toBe('short');
});

test('prediction outcomes are compared like everything else, and a silent venue leaves only them unknown', () => {
  const YES = 'prediction:pm-0123456789abcdef01234567.yes' as const;
  const claimed: ReserveClaims = {
    cashUsd: '1',
    cashAt: AT_ANY,
    holdings: [{ instrument: YES, quantity: '12.34' }],
    depositedUsd: '1',
    books: BOOKS,
  };
  expect(claimedOutcomes(claims('1'))).toEqual([]);
  expect(claimedOutcomes(claimed)).toEqual([YES]);
  const held = (contracts: string): ReservePlace => ({
    place: 'p',
    venue: 'prediction',
    known: true,
    dollars: '0',
    assets: new Map([[YES, contracts]]),
  });
  expect(compareReserves(claimed, [account, held('12.34')], AT).verdict).toBe('backed');
  expect(compareReserves(claimed, [account, held('12')], AT)).toMatchObject({
    verdict: 'short',
    lines: [{ asset: 'USD' }, { asset: YES, claimed: '12.34', held: '12' }, { asset: BTC, claimed: '0', held: '0.6' }],
  });
  // It holds no dollars, so the held amount is known anyway.
  const silent: ReservePlace = { place: 'p', known: false, venue: 'prediction', why: 'no venue' };
  const check = compareReserves(claimed, [account, silent], AT);
  expect([check.verdict, check.lines.map(({ held: contracts }) => contracts)]).toEqual(['unknown', ['1001', null, '0.6']]);
  expect(
    depositObjection({ ...check, number: 1 } as never, {
      amountUsd: '1',
      present: { claimedUsd: '1', depositedUsd: '1', armedUsd: '0', armedAtVenueUsd: '0', venue: null },
      now: AT,
    }),
  ).toMatchObject({
    kind: 'unknown',
  });
});

test('the tolerance is ten basis points of the claims, and no more', () => {
  expect(isShort({ claimed: '1000', held: '999' })).toBe(false);
  expect(isShort({ claimed: '1000', held: '998.999999' })).toBe(true);
});

test('a deposit passes if it is backed in addition to all claims, at any amounts', () => {
  const cents = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((value) => plainDecimal(new Decimal(value.toString()).div(1_000_000)));
  fc.assert(
    fc.property(cents, cents, cents, cents, cents, (held, seen, present, since, amount) => {
      const place = exchangePlace('7', [{ asset: 'USDT', free: held, locked: '0' }]);
      const check = compareReserves({ cashUsd: seen, cashAt: AT_ANY, holdings: [], depositedUsd: '7', books: BOOKS }, [place], AT);
      const depositedUsd = plainDecimal(new Decimal(since).plus(7));
      const objection = depositObjection(check, {
        amountUsd: amount,
        present: { claimedUsd: present, depositedUsd, armedUsd: '0', armedAtVenueUsd: '0', venue: null },
        now: AT,
      });
      const larger = Decimal.max(present, new Decimal(seen).plus(since));
      const fits = new Decimal(held).gte(larger.plus(amount)) && check.verdict === 'backed';
      expect(objection === null).toBe(fits);
    }),
    { numRuns: 200 },
  );
});

test('nothing is deposited while the balances are unknown: never compared, long ago, a silent place, another shortfall', () => {
  const asked = {
    amountUsd: '1',
    present: { claimedUsd: '0', depositedUsd: '100', armedUsd: '0', armedAtVenueUsd: '0', venue: null },
    now: AT,
  };
  const good = compareReserves(claims('1'), [account, wallet], AT);
  expect(depositObjection(good, asked)).toBeNull();
  expect(depositObjection({ ...good, depositedUsd: null }, asked)).toMatchObject({ kind: 'unknown' });
  expect(depositObjection(null, asked)).toMatchObject({ kind: 'unknown' });
  expect(depositObjection(good, { ...asked, now: AT + RESERVE_AGE_MS + 1 })).toMatchObject({ kind: 'unknown' });
  expect(depositObjection(compareReserves(claims('1'), [account, silentWallet], AT), asked)).toMatchObject({ kind: 'unknown' });
  const lacking = depositObjection(compareReserves(claims('1', '0.7'), [account, wallet], AT), asked);
  expect(lacking).toMatchObject({ kind: 'short', freeUsd: '0' });
  expect(lacking?.detail).toContain(`0.6 of 0.7 ${BTC}`);
});

test('a vault that trades at one venue only is backed by that venue’s dollars', () => {
  // 1,001 dollars at the exchange, 10 in a wallet of the primary chain.
  const claimed = (cashAt: ReserveClaims['cashAt']): ReserveClaims => ({ ...claims('0', '0', '0'), cashUsd: '5', cashAt });
  const objection = (venue: DollarVenue | null, amountUsd: string, depositedUsd = '100') => {
    const check = compareReserves(claimed({ spotexchange: '0', spotchain: '4' }), [account, wallet], AT);
    return depositObjection(check, {
      amountUsd,
      present: { claimedUsd: '5', depositedUsd, armedUsd: '0', armedAtVenueUsd: '0', venue },
      now: AT,
    });
  };
  expect([objection('spotchain', '6'), objection('spotexchange', '900'), objection(null, '1006')]).toEqual([null, null, null]);
  expect(objection('spotchain', '6.01')).toMatchObject({ kind: 'short', freeUsd: '6', heldUsd: '10' });
  expect(objection('spotchain', '6.01')?.detail).toContain('trades at spotchain only');
  expect(objection('spotexchange', '1001.01')).toMatchObject({ kind: 'short', heldUsd: '1001' });
  // Later deposits may be at either venue.
  expect(objection('spotchain', '6', '100.01')).toMatchObject({ kind: 'short', freeUsd: '5.99' });
  // Less at the venue than its vaults claim is a shortfall, however much is elsewhere.
  const short = compareReserves(claimed({ spotexchange: '0', spotchain: '11' }), [account, wallet], AT);
  expect([short.verdict, short.lines[1]]).toEqual(['short', { asset: 'USD:spotchain', claimed: '11', held: '10' }]);
  const silent = compareReserves(claimed({ spotexchange: '4', spotchain: '1' }), [account, silentWallet], AT);
  expect(silent.lines.slice(0, 3).map(({ asset, held }) => [asset, held])).toEqual([
    ['USD', null],
    ['USD:spotexchange', '1001'],
    ['USD:spotchain', null],
  ]);
});
