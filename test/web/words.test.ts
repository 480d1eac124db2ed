// Words and numbers as people read them.
import { expect, test } from 'vitest';
import { CONDITIONS } from '../../src/domain/conditions/index.ts';
import { ageInWords, withAgesInWords } from '../../src/domain/words.ts';

/** A module of the console, which has its types in comments that this side of the checker does not read. */
const moduleOf = async (name: string) => (await import(new URL(`../../web/${name}`, import.meta.url).href)) as never;
const { age, forPeople, numberText, priceText, quoteText, rejectionWords, valueText, withAges } = (await moduleOf('words.js')) as {
  readonly [Name in 'forPeople' | 'priceText' | 'quoteText' | 'withAges']: (text: string) => string;
} & {
  age(ms: number): string;
  numberText(value: number): string;
  rejectionWords(rejection: object): string;
  valueText(value: number | string | null): string;
};
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

const {
  conditionWords,
  manifestSentences,
}: {
  conditionWords(condition: object): string;
  manifestSentences(manifest: object): readonly string[];
} = await moduleOf('manifest-words.js');

test('every condition is said by its name, with each of its fields', () => {
  expect(conditionWords({ type: 'premium_below', pct: -0.4 })).toBe('premium below -0.4 %');
  expect(conditionWords({ type: 'session_in', sessions: ['regular', 'pre_market'] })).toBe('session in (sessions regular or pre market)');
  for (const { type, fields } of CONDITIONS) {
    const values = Object.fromEntries(Object.keys(fields).map((name, index) => [name, `v${index}x`]));
    const words = conditionWords({ type, ...values });
    expect(words.startsWith(type.replaceAll('_', ' ')), words).toBe(true);
    for (const value of Object.values(values)) expect(words).toContain(value);
  }
});

test('a manifest is sentences: all entry rules hold together, one exit rule is enough, and stop and target are among them', () => {
  const [looks, buys, sells, stakes, loses] = manifestSentences({
    universe: [{ key: 'spotexchange:BTCUSDT', kind: 'spot' }],
    timeframe: '5m',
    entry: [
      { type: 'price_below', price: '90000' },
      { type: 'rsi_below', period: 14, timeframe: '5m' },
    ],
    exit: [{ type: 'held_longer_than', hours: 24 }],
    maxCapitalUsd: '10000',
    maxTradeNotionalUsd: '1000',
    maxLeverage: '1',
    stopLossPct: 4,
    takeProfitPct: 6,
    maxDailyDrawdownPct: 3,
    maxOpenPositions: 1,
    maxSlippageBps: 50,
  });
  expect(looks).toBe('It watches spotexchange:BTCUSDT on 5m bars.');
  expect(buys).toBe('It buys when all of these are true: price below 90000; rsi below (period 14, timeframe 5m).');
  expect(sells).toBe('It sells when any of these is true: held longer than 24 hours; 4 % below the entry; 6 % above it.');
  expect(stakes).toContain('Max order size 1,000.00 US dollars, capital 10,000.00 US dollars, at most one position');
  expect(loses).toContain('daily loss of 3 %');
});

const { compareTexts }: { compareTexts(a: string, b: string, way: 1 | -1): number } = await moduleOf('compare-texts.js');
const { holds }: { holds(search: string, cells: readonly (readonly [string, string])[]): boolean } = await moduleOf('list-view.js');

test('a column is sorted by value beyond what a double holds, ages by their length, and what is unknown comes last both ways', () => {
  const sorted = (texts: readonly string[], way: 1 | -1 = 1) => texts.toSorted((a, b) => compareTexts(a, b, way));
  const large = ['9007199254740993.5', '9007199254740993.25', '-3', '1,000.00 USD', '999.999 USD', 'unknown'];
  expect(sorted(large)).toEqual(['-3', '999.999 USD', '1,000.00 USD', '9007199254740993.25', '9007199254740993.5', 'unknown']);
  expect(sorted(large, -1).slice(-2)).toEqual(['-3', 'unknown']);
  expect(sorted(['3 min', '2 h ago', '0.4 s', '100 s', '–'])).toEqual(['0.4 s', '100 s', '3 min', '2 h ago', '–']);
  expect(sorted(['agent 10', 'Agent 9', 'agent 2'])).toEqual(['agent 2', 'Agent 9', 'agent 10']);
});

test('a search holds where every word does, and a word with a column looks only there', () => {
  const cells = [
    ['Agent', 'Crypto trend'],
    ['Last decision', 'hold on spotexchange:BTCUSDT'],
    ['Stage', 'paper'],
  ] as const;
  expect(['trend paper', 'stage:paper', 'lastdecision:hold', 'spotexchange:BTC'].map((search) => holds(search, cells))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['trend live', 'stage:hold', 'agent:paper'].map((search) => holds(search, cells))).toEqual([false, false, false]);
});

test('a price is grouped and cut as the text that it is', () => {
  expect(
    ['1234567.5', '0.100', '-91234.50', '12345678901234567890.1234567', '1000', '0.0000000673778911177', '0.00123456789', '0.00000002'].map(
      priceText,
    ),
  ).toEqual([
    '1,234,567.5',
    '0.10',
    '-91,234.50',
    '12,345,678,901,234,567,890.123456…',
    '1,000',
    '0.00000006737…',
    '0.001234…',
    '0.00000002',
  ]);
});

test('a quote has four decimals, or five digits below one; what it does not have is not made up', () => {
  expect(
    ['262.712463123', '95.5', '64000', '96244.85', '0.0000000319512345', '0.48', '12345678901234567890.123456', '-0.5'].map(quoteText),
  ).toEqual(['262.7125', '95.5', '64,000', '96,244.85', '0.000000031951', '0.48', '12,345,678,901,234,567,890.1235', '-0.5']);
});

test('a sentence of the API is said for people: its instants by the clock, its instruments by their symbols, its conditions in words', () => {
  expect(forPeople('At 2026-11-23T12:09:00.000Z the agent proposed to buy spotexchange:BTCUSDT: price_below price=20000.')).toBe(
    'At 2026-11-23 12:09:00 UTC the agent proposed to buy BTCUSDT: price below price 20000.',
  );
});

test.each<[number, string]>([
  [-1, '0 s'],
  [0, '0 s'],
  [0.4, '0 s'],
  [850.7, '850 ms'],
  [999.9, '999 ms'],
  [1_000, '1 s'],
  [1_290, '1.2 s'],
  [2_300, '2.3 s'],
  [9_999, '9.9 s'],
  [12_340, '12 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [90_000, '1.5 min'],
  [300_000, '5 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [104_100_000, '28 h'],
  [172_799_999, '47 h'],
  [172_800_000, '2 d'],
  [276_480_000, '3.2 d'],
  [31_536_000_000, '365 d'],
])('an age of %d milliseconds is %s, in a text of the service and in the console', (ms, words) => {
  expect([ageInWords(ms), age(ms)]).toEqual([words, words]);
});

test.each([
  ['stale, over_age, 104100000 ms old', 'stale, over_age, 28 h old'],
  ['a limit of 5000 ms', 'a limit of 5000 ms'],
])('the ages inside of a text of the record are said, and nothing else of it changes: %s', (text, words) => {
  expect([withAgesInWords(text), withAges(text)]).toEqual([words, words]);
});

test('a refusal tells ages in a unit that fits, and nothing else of the record in other words', () => {
  const rejection = { code: 'stale_quote', limit: '5000 ms', before: 'stale, over_age, 104100000 ms old', after: null, suggestion: null };
  expect(rejectionWords(rejection)).toMatch(/: limit 5000 ms, before stale, over_age, 28 h old$/);
});
