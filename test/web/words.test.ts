// Words and numbers as people read them.
import { expect, test } from 'vitest';

/** A module of the console, which has its types in comments that this side of the checker does not read. */
const moduleOf = async (name: string) => (await import(new URL(`../../web/${name}`, import.meta.url).href)) as never;
const { numberText, valueText }: { numberText(value: number): string; valueText(value: number | string | null): string } =
  await moduleOf('words.js');
const { moneyText }: { moneyText(usd: string, isChange?: boolean): string } = await moduleOf('money.js');

test('a statistic keeps every digit before its point, and five digits in all', () => {
  expect([528_192, -528_192.4, 12_345.678, 9_999.876, 0.000123456, 1.9345678, 0].map(numberText)).toEqual([
    '528192',
    '-528192',
    '12346',
    '9999.9',
    '0.00012346',
    '1.9346',
    '0',
  ]);
  expect([valueText(528_192), valueText(null), valueText('market_closed')]).toEqual(['528192', 'unknown', 'market closed']);
});

test('money is grouped and rounded as the decimal text that it is, never as a double', () => {
  expect(moneyText('12345678901234567.895')).toBe('12,345,678,901,234,567.90');
  expect([moneyText('-3.5', true), moneyText('3', true), moneyText('0.001', true)]).toEqual(['-3.50', '+3.00', '0.00']);
});
