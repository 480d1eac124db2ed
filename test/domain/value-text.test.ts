// Outside values are quoted in messages: any value can be quoted without throwing.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorText, valueText } from '../../src/domain/values/value-text.ts';

test('a text stands as it is, another value as JSON writes it, and long ones are cut', () => {
  expect(valueText('AAPLx')).toBe('AAPLx');
  expect(valueText(12.5)).toBe('12.5');
  expect(valueText(undefined)).toBe('undefined');
  expect(valueText(null)).toBe('null');
  expect(valueText(10n)).toBe('10');
  expect(valueText({ toString: [] })).toBe('{"toString":[]}');
  expect(valueText('x'.repeat(100))).toHaveLength(60);
  expect(valueText([1, 2, 3], 3)).toBe('[1,');
});

test('no value that JSON can carry makes it throw, also one that names the methods by which values become texts', () => {
  const hostile = fc.record({ toString: fc.jsonValue(), valueOf: fc.jsonValue(), toJSON: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(fc.property(fc.oneof(fc.jsonValue(), hostile), (value) => valueText(value).length <= 60));
});

test('an error is told by its message, something else that was thrown by itself', () => {
  expect(errorText(new Error('the socket closed'))).toBe('the socket closed');
  expect(errorText('closed')).toBe('closed');
  expect(errorText({ code: 7 })).toBe('{"code":7}');
});
