// Dollars free for a live Take: its venue's balance minus everything reserved.
import { expect, test } from 'vitest';
import { compareReserves, exchangePlace, RESERVE_AGE_MS, type ReservePlace } from '../../../src/domain/books/reserves.ts';
import { type BoundAtVenue, type BoundDollars, boundDollarsObjection, dollarsForTake } from '../../../src/domain/take/live-capital.ts';

const AT = 1_700_000_000_000;
const account = exchangePlace('7', [{ asset: 'USDT', free: '800', locked: '200' }]);
const wallet: ReservePlace = { place: 'wallet w', venue: 'spotchain', known: true, dollars: '300', assets: new Map() };

/** Reserved dollars: vaults claim 150, 100 of them only at the exchange; a disarmed Take still has 50 of its allocation. */
function bound(over: Partial<BoundDollars> = {}, places: readonly ReservePlace[] = [account, wallet]): BoundDollars {
  const claims = {
    cashUsd: '150',
    cashAt: { spotexchange: '100', spotchain: '0' },
    holdings: [],
    depositedUsd: '150',
    books: { cashUsd: '200', capitalUsd: '200' },
  };
  const check = compareReserves(claims, places, AT);
  const facts = { check, booksCapitalUsd: '200', takesCash: { idle: '50' } };
  return { facts, vaultsPaidInUsd: '0', bound: [], ...over };
}
const free = (over: Partial<BoundDollars>, venue: 'spotexchange' | 'spotchain' = 'spotexchange', of: string | null = null) =>
  dollarsForTake(bound(over), { venue, wallet: of }, AT);
const take = (venue: BoundAtVenue['venue'], cashUsd: string, spentUsd = '0', of: string | null = null): BoundAtVenue => ({
  holder: `take ${venue}`,
  venue,
  wallet: of,
  cashUsd,
  spentUsd,
  isBooked: true,
});
const asked = (venue: BoundAtVenue['venue'], usd: string, of: string | null = null): BoundAtVenue => ({
  ...take(venue, '0', usd, of),
  holder: 'o',
  isBooked: false,
});

test.each<[string, Partial<BoundDollars>, string]>([
  ['vaults of the venue bind their cash, a disarmed Take binds nothing', {}, '900'],
  ['what was paid into vaults since', { vaultsPaidInUsd: '40' }, '860'],
  ['what vaults paid out since frees nothing here', { vaultsPaidInUsd: '-40' }, '900'],
  ['another armed Take', { bound: [take('spotexchange', '400')] }, '500'],
  ['an armed Take of another venue', { bound: [take('spotchain', '290')] }, '860'],
  ['what a Take spent since accounts were compared, which still found it there', { bound: [take('spotexchange', '100', '300')] }, '500'],
  ['what a person asked for there', { bound: [asked('spotexchange', '250')] }, '650'],
  ['what a person asked for elsewhere, as far as the rest does not cover it', { bound: [asked('spotchain', '300')] }, '850'],
  ['more than there is', { bound: [take('spotexchange', '5000')] }, '0'],
])('%s', (_, over, freeUsd) => {
  expect(free(over)).toEqual({ freeUsd, heldUsd: '1000' });
});

test('dollars elsewhere cannot be used at this venue, nor those of another wallet', () => {
  expect(free({}, 'spotchain', 'w')).toEqual({ freeUsd: '300', heldUsd: '300' });
  expect(free({ bound: [asked('spotchain', '120')] }, 'spotchain', 'w')).toEqual({ freeUsd: '180', heldUsd: '300' });
  const two = [account, wallet, { ...wallet, place: 'wallet v', dollars: '200' }];
  const on = (of: string, over: Partial<BoundDollars>) => dollarsForTake(bound(over, two), { venue: 'spotchain', wallet: of }, AT);
  // The venue has 500, and each wallet its own.
  expect(on('w', { bound: [take('spotchain', '190', '0', 'v')] })).toEqual({ freeUsd: '300', heldUsd: '500' });
  expect(on('v', { bound: [take('spotchain', '190', '0', 'v')] })).toEqual({ freeUsd: '10', heldUsd: '500' });
  expect(on('x', {})).toEqual({ unknown: 'the balance of wallet x has not been checked yet' });
});

test('a person’s order uses no reserved dollars, and is left to the venue if balances are unknown', () => {
  const dollars = bound({ bound: [take('spotexchange', '400')] });
  const at = { id: 'o', venue: 'spotexchange', wallet: null } as const;
  const objection = (usd: string, of: BoundDollars = dollars, now = AT) => boundDollarsObjection(of, { ...at, usd }, now);
  expect(objection('500')).toBeNull();
  expect(objection('500.01')).toMatchObject({ code: 'insufficient_balance', limit: '500', after: '500.01' });
  // Its own reservation does not count against it.
  expect(objection('500', bound({ bound: [take('spotexchange', '400'), asked('spotexchange', '500')] }))).toBeNull();
  expect(objection('500.01', dollars, AT + RESERVE_AGE_MS + 1)).toBeNull();
  const untouched = compareReserves(
    {
      cashUsd: '0',
      cashAt: { spotexchange: '0', spotchain: '0' },
      holdings: [],
      depositedUsd: '0',
      books: { cashUsd: '0', capitalUsd: '0' },
    },
    [account],
    AT,
  );
  // Nothing is reserved: the organization would overdraw its account alone, even with what it has since spent.
  const facts = { check: untouched, booksCapitalUsd: '0', takesCash: {} };
  const spent = { ...take('spotexchange', '0', '600'), holder: null };
  expect(objection('5000', { facts, vaultsPaidInUsd: '0', bound: [spent] })).toBeNull();
});

test('a wallet pays with its unreserved dollars; one without a comparison backs nothing', () => {
  const dollars = bound({ bound: [take('spotchain', '250', '0', 'w')] });
  const objection = (of: string, usd: string) => boundDollarsObjection(dollars, { id: 'o', venue: 'spotchain', wallet: of, usd }, AT);
  expect(objection('w', '50')).toBeNull();
  expect(objection('w', '50.01')).toMatchObject({ code: 'insufficient_balance', limit: '50', after: '50.01' });
  expect(objection('elsewhere', '5000')).toBeNull();
});

test('nothing is free if accounts are unknown, old, or were never compared', () => {
  const silent: ReservePlace = { place: 'wallet w', venue: 'spotchain', known: false, why: 'no node' };
  expect(dollarsForTake(bound({}, [account, silent]), { venue: 'spotexchange', wallet: null }, AT)).toEqual({
    unknown: 'wallet w: no node',
  });
  expect(dollarsForTake(bound(), { venue: 'spotexchange', wallet: null }, AT + RESERVE_AGE_MS + 1)).toHaveProperty('unknown');
  expect(free({ facts: { check: null, booksCapitalUsd: '0', takesCash: {} } })).toHaveProperty('unknown');
});
