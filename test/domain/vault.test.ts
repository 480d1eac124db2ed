/** Arithmetic of vault shares: worked examples, and invariants after any number of operations. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import {
  depositInto,
  drawdownPct,
  sharesFor,
  shareValue,
  type VaultShares,
  vaultCeilingUsd,
  withdrawFrom,
} from '../../src/domain/books/vault.ts';

const EMPTY: VaultShares = { totalShares: '0', roundingUsd: '0' };

describe('the first deposits', () => {
  test('the first one pays a dollar a share', () => {
    expect(depositInto(EMPTY, '0', '1000')).toEqual({
      shares: '1000',
      amountUsd: '1000',
      sharePriceUsd: '1',
      after: { totalShares: '1000', roundingUsd: '0' },
    });
  });

  test('after a profit of a third the next depositor gets fewer shares, and the price stays to the last digit', () => {
    const vault: VaultShares = { totalShares: '3', roundingUsd: '0' };
    // 4 dollars over 3 shares: 1.333333333 and a remainder of 0.000000001.
    expect(shareValue(vault, '4')).toEqual({ sharePriceUsd: '1.333333333', remainderUsd: '0.000000001' });
    const change = depositInto(vault, '4', '10');
    // 10 / 1.333333333 = 7.500000001875..., rounded down to nine places.
    expect(change?.shares).toBe('7.500000001');
    expect(shareValue(change?.after as VaultShares, '14').sharePriceUsd).toBe('1.333333333');
  });

  test('an amount that buys no share is no deposit, and neither is one into a vault that lost everything', () => {
    expect(depositInto({ totalShares: '1', roundingUsd: '0' }, '2000000', '0.001')).toBeNull();
    expect(depositInto({ totalShares: '5', roundingUsd: '0' }, '0', '10')).toBeNull();
    expect(depositInto({ totalShares: '5', roundingUsd: '0' }, '-3', '10')).toBeNull();
  });
});

describe('withdrawals', () => {
  test('pay whole units of the stablecoin and keep the rest in the rounding account', () => {
    const vault: VaultShares = { totalShares: '3', roundingUsd: '0' };
    expect(withdrawFrom(vault, '4', '1')).toEqual({
      shares: '1',
      amountUsd: '1.333333',
      sharePriceUsd: '1.333333333',
      after: { totalShares: '2', roundingUsd: '0.000000334' },
    });
  });

  test('of more shares than there are is refused', () => {
    expect(() => withdrawFrom({ totalShares: '3', roundingUsd: '0' }, '4', '3.000000001')).toThrow(RangeError);
  });

  test('the shares for an amount pay at least that amount less a unit of the stablecoin', () => {
    const vault: VaultShares = { totalShares: '7', roundingUsd: '0' };
    const shares = sharesFor(vault, '10', '5') as string;
    expect(withdrawFrom(vault, '10', shares).amountUsd).toBe('5');
  });
});

test('a depositor who enters and leaves at once gains nothing', () => {
  fc.assert(
    fc.property(usd(1, 10_000_000), usd(1, 10_000_000), (equity, amount) => {
      const vault: VaultShares = { totalShares: '1234.567890123', roundingUsd: '0' };
      const change = depositInto(vault, equity, amount);
      if (change === null) return;
      const back = withdrawFrom(change.after, plainDecimal(new Decimal(equity).plus(amount)), change.shares);
      expect(new Decimal(back.amountUsd).lte(amount)).toBe(true);
    }),
  );
});

test('over any profits, losses, deposits and withdrawals no operation moves the price, and owned plus rounding equals the equity', () => {
  const operation = fc.oneof(
    fc.record({ kind: fc.constant('deposit' as const), usd: usd(0.000001, 1_000_000) }),
    fc.record({ kind: fc.constant('withdraw' as const), part: fc.integer({ min: 1, max: 1_000 }) }),
    fc.record({ kind: fc.constant('market' as const), permille: fc.integer({ min: -400, max: 900 }) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 60 }), (operations) => {
      let vault = EMPTY;
      let equity = new Decimal(0);
      for (const step of operations) {
        const text = plainDecimal(equity);
        const before = shareValue(vault, text);
        if (step.kind === 'market') {
          equity = equity.plus(equity.times(step.permille).div(1_000).toDecimalPlaces(6));
          continue;
        }
        if (step.kind === 'deposit') {
          const change = depositInto(vault, text, step.usd);
          if (change === null) continue;
          equity = equity.plus(step.usd);
          vault = change.after;
        } else {
          const shares = plainDecimal(new Decimal(vault.totalShares).times(step.part).div(1_000).toDecimalPlaces(9, Decimal.ROUND_DOWN));
          if (shares === '0') continue;
          const change = withdrawFrom(vault, text, shares);
          equity = equity.minus(change.amountUsd);
          vault = change.after;
        }
        const after = shareValue(vault, plainDecimal(equity));
        if (vault.totalShares !== '0' && before.sharePriceUsd !== '0') expect(after.sharePriceUsd).toBe(before.sharePriceUsd);
        // Nothing is lost: shares, unassigned remainder and rounding account add up to the equity.
        const owned = new Decimal(after.sharePriceUsd).times(vault.totalShares);
        const sum = owned.plus(after.remainderUsd).plus(vault.roundingUsd);
        expect(plainDecimal(sum)).toBe(plainDecimal(equity));
        expect(new Decimal(vault.roundingUsd).gte(0)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('the limit is nothing on paper, a tenth at limited_live and the mandate at live', () => {
  expect((['draft', 'backtest', 'stress_test', 'paper', 'shadow'] as const).map((stage) => vaultCeilingUsd(stage, '25000'))).toEqual(
    Array(5).fill('0'),
  );
  expect(vaultCeilingUsd('limited_live', '25000')).toBe('2500');
  expect(vaultCeilingUsd('live', '25000')).toBe('25000');
});

test('the drawdown is measured from the highest share price', () => {
  expect(drawdownPct('0.9', '1.2')).toBe(25);
  expect(drawdownPct('1.3', '1.2')).toBe(0);
});

/** Amounts in whole units of the stablecoin. */
function usd(min: number, max: number) {
  return fc.integer({ min: Math.round(min * 1e6), max: Math.round(max * 1e6) }).map((units) => plainDecimal(new Decimal(units).div(1e6)));
}
