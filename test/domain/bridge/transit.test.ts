// Money between the chains counts once: with the sender before it leaves, in transit while on neither chain, with the recipient on arrival.
import { expect, test } from 'vitest';
import { ARRIVAL_STATES, SOURCE_STATES } from '../../../src/domain/bridge/axes.ts';
import { isBetweenChains, type TransitAmount, transitAccounts, transitReservations } from '../../../src/domain/bridge/transit.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';

const AMOUNT: TransitAmount = {
  id: 't1',
  amountUsd: '250.5',
  state: 'source_final',
  sourceState: 'final',
  destinationState: 'none',
  refundState: 'none',
  changedAt: 5,
};

test('for every combination of axes the money is in exactly one place', () => {
  for (const sourceState of SOURCE_STATES)
    for (const destinationState of ARRIVAL_STATES)
      for (const refundState of ARRIVAL_STATES) {
        const withSender = sourceState !== 'included' && sourceState !== 'final';
        const isThere = [destinationState, refundState].some((state) => state === 'included' || state === 'final');
        expect(isBetweenChains({ ...AMOUNT, sourceState, destinationState, refundState })).toBe(!withSender && !isThere);
      }
});

test('a portfolio counts it as unusable cash, and no longer once it has arrived', () => {
  const material = (amounts: readonly TransitAmount[]) => ({
    at: 10,
    mode: 'live' as const,
    books: [],
    wallets: [],
    unread: [],
    transit: transitAccounts(amounts),
    quotes: new Map(),
    outcomes: new Map(),
    pools: new Map(),
    mandate: { version: 0, preferences: DEFAULT_PREFERENCES },
  });
  const during = computePortfolio(material([AMOUNT]), CATALOG);
  expect(during.totals.valueUsd).toBe('250.5');
  expect(during.places).toMatchObject([{ kind: 'bridge_transfer', quality: 'in_transit', reservedUsd: '250.5' }]);
  expect(during.inputs.some(({ id, source }) => id === 'bridge:t1' && source.endsWith('?id=t1'))).toBe(true);
  expect(computePortfolio(material([{ ...AMOUNT, destinationState: 'included' }]), CATALOG).totals.valueUsd).toBe('0');
});

test('limits count the amount from the submission on', () => {
  expect(transitReservations([{ ...AMOUNT, sourceState: 'unseen', state: 'submitted' }])).toEqual([
    { id: 'bridge:t1', instrument: 'spotchain:USDC', side: 'buy', quantity: '250.5', notionalUsd: '250.5' },
  ]);
});
