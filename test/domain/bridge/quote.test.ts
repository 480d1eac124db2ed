// Offers and their choice: every fee is named, amounts are exact, and the explanation has the numbers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delayAfterMs } from '../../../src/domain/bridge/axes.ts';
import { compareOffers, costUsd } from '../../../src/domain/bridge/comparison.ts';
import { evmDifferences } from '../../../src/domain/bridge/evm-fields.ts';
import { type BridgeOffer, toBaseUnits, offerObjection, pairObjection, toUsd } from '../../../src/domain/bridge/quote.ts';

const OFFER: BridgeOffer = {
  provider: 'relay',
  kind: 'intent',
  reference: null,
  amountIn: '100000000',
  amountOut: '99900000',
  minimumOut: '99900000',
  fees: [
    { name: 'a', amountUsd: '0.06', included: true },
    { name: 'b', amountUsd: '0.04', included: true },
    { name: 'gas', amountUsd: '0.01', included: false },
  ],
  route: [],
  estimatedSeconds: 10,
  expiresAt: 0,
};

describe('amounts', () => {
  test.each([
    ['1', '1000000'],
    ['0.999999', null],
    ['1.0000001', null],
    ['12.345678', '12345678'],
    ['10000000', '10000000000000'],
    ['10000000.000001', null],
    ['-5', null],
    ['1e6', null],
    ['', null],
  ])('%s', (amount, base) => {
    const read = toBaseUnits(amount);
    expect(read.ok ? read.value : null).toBe(base);
    if (!read.ok) expect(read.refusal.code).toBe('malformed');
  });

  test('base units and dollars convert exactly at any amount', () => {
    fc.assert(
      fc.property(fc.bigInt(1_000_000n, 10_000_000_000_000n), (base) => {
        const back = toBaseUnits(toUsd(base));
        expect(back.ok && back.value).toBe(String(base));
      }),
      { seed: 15 },
    );
  });
});

test.each([
  ['spotchain', 'evmvenue', 'USDC', null],
  ['spotchain', 'spotchain', 'USDC', '$.to'],
  ['spotchain', 'evmvenue', 'SOL', '$.token'],
])('the pair %s to %s of %s', (from, to, token, where) => {
  expect(pairObjection(from, to, token)?.slice(0, where?.length ?? 0) ?? null).toBe(where);
});

test.each([
  ['as it is', {}, null],
  ['an unnamed fee', { amountOut: '99800000', minimumOut: '99800000' }, 'names fees of'],
  ['more than was given', { amountOut: '100000001', minimumOut: '1' }, 'would deliver 100.000001'],
  ['nothing left', { amountOut: '0', minimumOut: '0' }, 'deliver nothing'],
  ['a least amount above the expected', { minimumOut: '99900001' }, 'promises at least'],
  ['no time', { estimatedSeconds: 0 }, 'estimates 0 seconds'],
])('an offer with %s', (_, change, words) => {
  const objection = offerObjection({ ...OFFER, ...change });
  if (words === null) expect(objection).toBeNull();
  else expect(objection).toContain(words);
});

describe('the choice', () => {
  const cctp: BridgeOffer = { ...OFFER, provider: 'cctp', minimumOut: '99950000', estimatedSeconds: 900 };

  test('the lowest cost wins, fees on top included', () => {
    expect(costUsd(OFFER).toString()).toBe('0.11');
    const made = compareOffers([OFFER, cctp], []);
    expect(made?.chosen.provider).toBe('cctp');
    expect(made?.explanation).toBe(
      'cctp costs 0.06 USD in total and takes about 900 s, and it is the cheapest offer; relay costs 0.11 USD in total and takes about 10 s',
    );
    const dear = { ...cctp, fees: [{ name: 'gas', amountUsd: '3', included: false }] };
    expect(compareOffers([dear, OFFER], [])?.chosen.provider).toBe('relay');
  });

  test('equal offers are decided by speed, and speed may be preferred', () => {
    const near = { ...cctp, minimumOut: '99900001' };
    expect(compareOffers([near, OFFER], [])?.chosen.provider).toBe('relay');
    expect(compareOffers([near, OFFER], [])?.explanation).toContain('2 bps');
    expect(compareOffers([cctp, OFFER], [], 'speed')?.chosen.provider).toBe('relay');
  });

  test('a provider without an offer is named with the reason, and without offers nothing is chosen', () => {
    const made = compareOffers([OFFER], [{ provider: 'cctp', reason: 'it does not answer' }]);
    expect(made?.explanation).toContain('it is the only offer; cctp has no offer: it does not answer');
    expect(compareOffers([], [])).toBeNull();
  });
});

test.each([
  [{}, []],
  [{ from: '0xAA' }, []],
  [{ chainId: 1 }, ['chain 1 instead of 42161']],
  [{ chainId: null }, ['chain none instead of 42161']],
  [{ to: null }, ['to a new contract instead of 0xbb']],
  [{ value: '1' }, ['value 1 instead of 0']],
  [{ data: '0x01' }, ['data']],
  [{ from: '0xcc' }, ['from 0xcc instead of 0xaa']],
  [{ type: 'eip7702' }, ['type eip7702, which does more than a call']],
])('a transaction that differs by %j', (change, differs) => {
  const quoted = { kind: 'evm', chainId: 42_161, from: '0xaa', to: '0xbb', data: '0x', value: '0' } as const;
  expect(evmDifferences(quoted, { chainId: 42_161, from: '0xaa', to: '0xbb', data: '0x', value: '0', type: 'eip1559', ...change })).toEqual(
    differs,
  );
});

test('a transfer is delayed after three times its estimate, and never before two minutes', () => {
  expect(delayAfterMs(5)).toBe(120_000);
  expect(delayAfterMs(1_000)).toBe(3_000_000);
});
