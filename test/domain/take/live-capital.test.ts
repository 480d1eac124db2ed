// Dollars that are free for a live Take: what its venue holds, less what anything else has bound.
import { expect, test } from 'vitest';
import type { OpenProposal } from '../../../src/domain/book.ts';
import { compareReserves, exchangePlace, RESERVE_AGE_MS, type ReservePlace } from '../../../src/domain/reserves.ts';
import { type BoundDollars, boundDollarsObjection, dollarsForTake } from '../../../src/domain/take/live-capital.ts';

const AT = 1_700_000_000_000;
const account = exchangePlace('7', [{ asset: 'USDT', free: '800', locked: '200' }]);
const wallet: ReservePlace = { place: 'wallet w', venue: 'spotchain', known: true, dollars: '300', assets: new Map() };

/** Vaults claim 150 dollars, 100 of them at the exchange only; a Take that was disarmed still has 50 of its allocation. */
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
  return { facts, vaultsPaidInUsd: '0', bound: [], waiting: [], ...over };
}
const free = (over: Partial<BoundDollars>, venue: 'spotexchange' | 'spotchain' = 'spotexchange') => dollarsForTake(bound(over), venue, AT);
const buys = (instrument: OpenProposal['instrument'], notionalUsd: string, side: 'buy' | 'sell' = 'buy'): OpenProposal => ({
  id: 'o',
  instrument,
  side,
  quantity: '1',
  notionalUsd,
});

test.each<[string, Partial<BoundDollars>, string]>([
  ['vaults of the venue bind their cash, a disarmed Take binds nothing', {}, '900'],
  ['what was paid into vaults since', { vaultsPaidInUsd: '40' }, '860'],
  ['what vaults paid out since frees nothing here', { vaultsPaidInUsd: '-40' }, '900'],
  ['another armed Take', { bound: [{ venue: 'spotexchange', cashUsd: '400', spentUsd: '0' }] }, '500'],
  ['an armed Take of another venue', { bound: [{ venue: 'spotchain', cashUsd: '290', spentUsd: '0' }] }, '860'],
  [
    'what a Take spent since accounts were compared, which still found it there',
    { bound: [{ venue: 'spotexchange', cashUsd: '100', spentUsd: '300' }] },
    '500',
  ],
  ['an open purchase of a person', { waiting: [buys('spotexchange:BTCUSDT', '250')] }, '650'],
  ['an open sale binds no dollars', { waiting: [buys('spotexchange:BTCUSDT', '250', 'sell')] }, '900'],
  ['more than there is', { bound: [{ venue: 'spotexchange', cashUsd: '5000', spentUsd: '0' }] }, '0'],
])('%s', (_, over, freeUsd) => {
  expect(free(over)).toEqual({ freeUsd, heldUsd: '1000' });
});

test('dollars elsewhere pay for nothing at this venue, and an open order in a prediction market is paid from wallets', () => {
  expect(free({}, 'spotchain')).toEqual({ freeUsd: '300', heldUsd: '300' });
  expect(free({ waiting: [buys('prediction:pm-1:yes', '120')] }, 'spotchain')).toEqual({ freeUsd: '180', heldUsd: '300' });
});

test('a purchase of a person takes no dollars that are bound, and is left to the venue where nobody knows of any', () => {
  const { waiting: _, ...dollars } = bound({ bound: [{ venue: 'spotexchange', cashUsd: '400', spentUsd: '0' }] });
  const objection = (needed: string, of: typeof dollars = dollars, at = AT) => boundDollarsObjection(of, 'spotexchange', needed, at);
  expect(objection('500')).toBeNull();
  expect(objection('500.01')).toMatchObject({ code: 'insufficient_balance', limit: '500', after: '500.01' });
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
  // Nothing is bound: the organization would overdraw its account alone, also with what it spent since.
  const facts = { check: untouched, booksCapitalUsd: '0', takesCash: {} };
  const spent = [{ venue: 'spotexchange', cashUsd: '0', spentUsd: '600' }] as const;
  expect(objection('5000', { facts, vaultsPaidInUsd: '0', bound: spent })).toBeNull();
});

test('nothing is free where accounts are unknown, old, or were never compared', () => {
  const silent: ReservePlace = { place: 'wallet w', venue: 'spotchain', known: false, why: 'no node' };
  expect(dollarsForTake(bound({}, [account, silent]), 'spotexchange', AT)).toEqual({ unknown: 'wallet w: no node' });
  expect(dollarsForTake(bound(), 'spotexchange', AT + RESERVE_AGE_MS + 1)).toHaveProperty('unknown');
  expect(free({ facts: { check: null, booksCapitalUsd: '0', takesCash: {} } })).toHaveProperty('unknown');
});
