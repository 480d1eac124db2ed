// Every pattern of a request has a description for its refusal, with a valid example.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { documentedRoutes } from '../../api/document/openapi.ts';
import { wordsOfPattern } from '../../api/document/pattern-words.ts';
import { CHANNELS } from '../../api/feeds/channels/index.ts';
import { compileValidator } from '../../api/validation.ts';
import { SHOWN_PATTERN } from '../../src/domain/values/shown-text.ts';

function patternsIn(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = (node as { pattern?: unknown }).pattern;
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(node).flatMap(patternsIn)];
}
const requests = [...documentedRoutes().map(({ schema }) => schema), ...CHANNELS.map(({ params }) => params)];
const patterns = [...new Set(requests.flatMap(patternsIn))].filter((pattern) => pattern !== SHOWN_PATTERN);

test('every pattern has a description', () => {
  expect(patterns.length).toBeGreaterThan(30);
  expect(patterns.filter((pattern) => wordsOfPattern(pattern) === null)).toEqual([]);
});

test.each(patterns)('the description of %s ends with a valid example with the most decimals allowed', (pattern) => {
  const words = wordsOfPattern(pattern) ?? '';
  const [, example = ''] = /such as (.+)$/.exec(words) ?? [];
  expect([words, new RegExp(pattern, 'u').test(example)]).toEqual([words, true]);
  const [, decimals] = /at most (\d+) decimals/.exec(words) ?? [];
  if (decimals === undefined) return;
  const takes = (count: number): boolean => new RegExp(pattern, 'u').test(`1.${'5'.repeat(count)}`);
  expect([takes(Number(decimals)), takes(Number(decimals) + 1)]).toEqual([true, false]);
});

test('a refusal says what is allowed without the regular expression, and the maximum length', () => {
  const check = compileValidator(Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }) }), 'body');
  const refused = check({ reason: '   ' });
  expect('error' in refused && refused.error.problems).toEqual([
    {
      path: '$.reason',
      problem: 'got the text "   "',
      allowed: 'a text that is not blank, such as prices look wrong; 1 to 500 characters',
    },
  ]);
});
