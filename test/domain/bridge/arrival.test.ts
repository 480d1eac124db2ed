// Payments of a transfer: none from before its quote, and none that settled another transfer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArrivalSighting, isOlder, judgeArrival } from '../../../src/domain/bridge/transfer.ts';

const HEAD = { height: 100, at: 50_000 };
const OWN = 'own transfer';
const seen = (change: Partial<ArrivalSighting> = {}): ArrivalSighting => ({
  state: 'final',
  hash: 'h',
  amount: '5',
  block: { height: 101, at: 51_000 },
  ...change,
});

test.each([
  ['a later block', { height: 101, at: 51_000 }, false],
  ['a later block of the same second', { height: 101, at: 50_000 }, false],
  ['the head itself', { height: 100, at: 50_000 }, true],
  ['an earlier block', { height: 99, at: 49_000 }, true],
  ['a height that was built anew after a fork', { height: 100, at: 51_000 }, false],
  ['the same height without a time', { height: 100, at: null }, true],
])('%s: older is %j', (_, block, older) => {
  expect(isOlder(block, HEAD)).toBe(older);
  expect(judgeArrival(seen({ block }), HEAD, null, OWN)).toMatchObject(
    older ? { state: 'foreign', objection: 'older' } : { state: 'final' },
  );
});

test('a payment that settled another transfer is foreign', () => {
  expect(judgeArrival(seen(), HEAD, OWN, OWN)).toEqual({ state: 'final', hash: 'h', amount: '5', objection: null });
  expect(judgeArrival(seen(), HEAD, 'other transfer', OWN)).toMatchObject({ state: 'foreign', objection: 'settled_another' });
});

test('a payment with an unknown block is not believed, and a non-payment has no amount', () => {
  expect(judgeArrival(seen({ block: null }), HEAD, null, OWN).state).toBe('foreign');
  fc.assert(
    fc.property(fc.constantFrom('none' as const, 'failed' as const), fc.option(fc.constant(OWN)), (state, settled) => {
      expect(judgeArrival(seen({ state }), HEAD, settled, OWN)).toEqual({ state, hash: 'h', amount: null, objection: null });
    }),
  );
});
