// Returns since a launch, claimed fees, and descriptions of a program's refusals.
import { describe, expect, test } from 'vitest';
import { claimedFee, launchErrorWords, launchReturns, namesProblem } from '../../../src/domain/launch/launch-state.ts';
import { seededRandom } from '../../../src/domain/values/seeded-random.ts';

describe('returns since a launch', () => {
  test('are those of the token in dollars, of its quote token, and of one measured in the other', () => {
    // Doubled against a share that lost a tenth: 80 % in dollars.
    expect(launchReturns('2', '200', '180')).toEqual({ tokenPct: '80', quotePct: '-10', relativePct: '100' });
    expect(launchReturns('1', '150', '150')).toEqual({ tokenPct: '0', quotePct: '0', relativePct: '0' });
  });

  test('multiply: the return in dollars is that of both', () => {
    const random = seededRandom(11);
    for (let round = 0; round < 200; round++) {
      const [ratio, start, now] = [0.01 + random() * 30, 1 + random() * 400, 1 + random() * 400];
      const { tokenPct, quotePct, relativePct } = launchReturns(ratio.toFixed(9), start.toFixed(6), now.toFixed(6));
      const product = (1 + Number(quotePct) / 100) * (1 + Number(relativePct) / 100);
      expect(1 + Number(tokenPct) / 100).toBeCloseTo(product, 4);
    }
  });
});

test('claimed fees are the share of all fees minus the pending ones, and never negative', () => {
  expect(claimedFee('1000', 75, '250')).toBe(500n);
  expect(claimedFee('1000', 75, '750')).toBe(0n);
  expect(claimedFee('999', 50, '500')).toBe(0n);
});

test('errors of programs have descriptions, and others keep the chain’s text', () => {
  expect(launchErrorWords('{"InstructionError":[2,{"Custom":6081}]}')).toBe(
    'the quote mint charges a fee on every transfer (program error 6081)',
  );
  expect(launchErrorWords('"BlockhashNotFound"')).toBe('"BlockhashNotFound"');
  expect(launchErrorWords('AccountNotFound')).toBe('the signing wallet has no SOL for the network fee (AccountNotFound)');
});

test.each([
  [{ name: ' ', symbol: 'A', uri: 'https://a.example' }, '$.name'],
  [{ name: 'é'.repeat(17), symbol: 'A', uri: 'https://a.example' }, '$.name'],
  [{ name: 'A', symbol: 'A-B', uri: 'https://a.example' }, '$.symbol'],
  [{ name: 'A', symbol: 'ELEVENCHARS', uri: 'https://a.example' }, '$.symbol'],
  [{ name: 'A', symbol: 'A', uri: 'http://a.example' }, '$.uri'],
  [{ name: 'A', symbol: 'A', uri: `https://${'a'.repeat(200)}` }, '$.uri'],
])('the names %j are refused at %s', (names, place) => {
  expect(namesProblem(names)?.startsWith(`${place}:`)).toBe(true);
});
