// Texts and numbers for people.
import { expect, test } from 'vitest';
import { ACTOR_KINDS } from '../../src/boot/capabilities/index.ts';
import { ageInWords, withAgesInWords } from '../../src/domain/values/words.ts';

/** Loads a module of the pages, whose types are in comments that this type check does not read. */
const moduleOf = async (name: string) => (await import(new URL(`../../web/${name}`, import.meta.url).href)) as never;
const { age, eventWord, forPeople, numberText, priceText, quoteText, rejectionWords, valueText, withAges } = (await moduleOf(
  'words.js',
)) as {
  readonly [Name in 'eventWord' | 'forPeople' | 'priceText' | 'quoteText' | 'withAges']: (text: string) => string;
} & {
  age(ms: number): string;
  numberText(value: number): string;
  rejectionWords(rejection: object): string;
  valueText(value: number | string | null): string;
};
const { moneyText }: { moneyText(usd: string, isChange?: boolean): string } = await moduleOf('report/money.js');

test('a statistic keeps every digit before its point, with five digits in all', () => {
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

test('money is grouped and rounded as a decimal text, never as a double', () => {
  expect(moneyText('12345678901234567.895')).toBe('12,345,678,901,234,567.90');
  expect([moneyText('-3.5', true), moneyText('3', true), moneyText('0.001', true)]).toEqual(['-3.50', '+3.00', '0.00']);
});

const { compareTexts }: { compareTexts(a: string, b: string, way: 1 | -1): number } = await moduleOf('report/compare-texts.js');

test('a column sorts by value beyond a double’s precision, ages by length, and unknown values come last both ways', () => {
  const sorted = (texts: readonly string[], way: 1 | -1 = 1) => texts.toSorted((a, b) => compareTexts(a, b, way));
  const large = ['9007199254740993.5', '9007199254740993.25', '-3', '1,000.00 USD', '999.999 USD', 'unknown'];
  expect(sorted(large)).toEqual(['-3', '999.999 USD', '1,000.00 USD', '9007199254740993.25', '9007199254740993.5', 'unknown']);
  expect(sorted(large, -1).slice(-2)).toEqual(['-3', 'unknown']);
  expect(sorted(['3 min', '2 h ago', '0.4 s', '100 s', '–'])).toEqual(['0.4 s', '100 s', '3 min', '2 h ago', '–']);
  expect(sorted(['agent 10', 'Agent 9', 'agent 2'])).toEqual(['agent 2', 'Agent 9', 'agent 10']);
});

test('a price is grouped and cut as text', () => {
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

test('a quote has four decimals, or five digits below one; missing digits are not invented', () => {
  expect(
    ['262.712463123', '95.5', '64000', '96244.85', '0.0000000319512345', '0.48', '12345678901234567890.123456', '-0.5'].map(quoteText),
  ).toEqual(['262.7125', '95.5', '64,000', '96,244.85', '0.000000031951', '0.48', '12,345,678,901,234,567,890.1235', '-0.5']);
});

test('a sentence of the API is rewritten for people: times, symbols and conditions', () => {
  expect(forPeople('One proposal waits for an approval: POST /v1/agent-orders/:id/approve.')).toBe('One proposal waits for an approval.');
  // A route within a sentence is a part of it.
  const linked = 'no wallet could sign it: POST /v1/wallets/challenge and POST /v1/wallets link one';
  expect(forPeople(linked)).toBe(linked);
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
])('an age of %d milliseconds is %s, in a text of the service and on a page', (ms, words) => {
  expect([ageInWords(ms), age(ms)]).toEqual([words, words]);
});

test.each([
  ['stale, over_age, 104100000 ms old', 'stale, over_age, 28 h old'],
  ['a limit of 5000 ms', 'a limit of 5000 ms'],
])('only the ages in a text of the record are rewritten: %s', (text, words) => {
  expect([withAgesInWords(text), withAges(text)]).toEqual([words, words]);
});

test('a refusal shows ages in a suitable unit, and nothing else differs from the record', () => {
  const rejection = { code: 'stale_quote', limit: '5000 ms', before: 'stale, over_age, 104100000 ms old', after: null, suggestion: null };
  expect(rejectionWords(rejection)).toMatch(/: limit 5000 ms, before stale, over_age, 28 h old$/);
});

test('every timer of the state charts has words for people', () => {
  const timers = ACTOR_KINDS.flatMap(({ machine }) => Object.keys(machine.implementations.delays ?? {}));
  expect(timers).toContain('lookAfter');
  expect([...new Set(timers)].filter((name) => eventWord(`xstate.after.${name}.machine@1.state`).includes(name))).toEqual([]);
  expect(eventWord('positions.closed')).toBe('positions.closed');
});
