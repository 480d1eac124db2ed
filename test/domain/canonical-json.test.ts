// Canonical JSON by the examples of RFC 8785, and for any value: the same text whatever the order of members.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';

test('it writes the examples of RFC 8785', () => {
  const values = JSON.parse(String.raw`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`);
  expect(canonicalJson(values)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
  const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'];
  const written = canonicalJson(Object.fromEntries(names.map((name, at) => [name, at])));
  expect(written).toBe(`{${sorted.map((name) => `${JSON.stringify(name)}:${names.indexOf(name)}`).join(',')}}`);
});

test('undefined members are left out, and values without a form are refused', () => {
  expect(canonicalJson({ b: undefined, a: [], c: {} })).toBe('{"a":[],"c":{}}');
  for (const without of [Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 'a\udc00b', { '\ud800': 1 }, { '\udfff': undefined }])
    expect(() => canonicalJson(without)).toThrow(TypeError);
});

test('any value is read back unchanged, and the order of members does not matter', () => {
  const backwards = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(backwards);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, one]) => [name, backwards(one)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
      const written = canonicalJson(value as never);
      expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(backwards(value) as never)).toBe(written);
      expect(written.length).toBe(JSON.stringify(value).length);
    }),
  );
});
