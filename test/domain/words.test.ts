// Figures for people, and the spelling of names in hashed JSON.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import { figureInWords } from '../../src/domain/values/words.ts';

test('no figure has an exponent, and no nonzero one reads as zero', () => {
  expect(figureInWords(8.912e-7)).toBe('less than 0.001');
  expect(figureInWords(-8.912e-7)).toBe('between -0.001 and 0');
  expect([figureInWords(14), figureInWords(1.80049), figureInWords(0)]).toEqual(['14', '1.8', '0']);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const words = figureInWords(value);
      expect(words).not.toMatch(/\de/);
      if (value !== 0) expect(words).not.toBe('0');
    }),
  );
});

test('a name with half a surrogate pair has no canonical encoding, like a text', () => {
  expect(() => canonicalJson({ '\ud800': 1 })).toThrow(TypeError);
  expect(() => canonicalJson({ a: [{ 'b\udc00': null }] })).toThrow(/lone surrogate/);
  expect(canonicalJson({ '\u{1f600}': 1 })).toBe('{"\u{1f600}":1}');
});
