// Strict readers compared with oracles: JSON.parse for valid JSON, decimal.js for numbers.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactNumber } from '../../api/http/exact-number.ts';
import { InputError } from '../../api/problem.ts';
import { parseStrictJson } from '../../api/http/strict-json.ts';
import { parseStrictYaml } from '../../api/http/strict-yaml.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';

const key = fc
  .string({ unit: 'grapheme', maxLength: 6 })
  .filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text) && !text.includes('\u0000'));
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !value.includes('\u0000'));
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
);
const { tree } = fc.letrec<{ tree: unknown; object: Record<string, unknown> }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Record<string, unknown>>,
}));
const body = fc.dictionary(key, tree, { maxKeys: 5, noNullPrototype: true });

describe('JSON', () => {
  test('every plain body is read like by JSON.parse, whatever its whitespace', () => {
    fc.assert(
      fc.property(body, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const written = JSON.stringify(value, null, space);
        expect(parseStrictJson(written)).toEqual(JSON.parse(written));
      }),
      { numRuns: 300 },
    );
  });

  test('a damaged body is read like by JSON.parse or refused, and what JSON.parse refuses is never read', () => {
    const damage = fc.record({
      at: fc.nat(200),
      drop: fc.nat(3),
      put: fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', 'e', '.', ' ', 'null', '\u0001'),
    });
    let read = 0;
    fc.assert(
      fc.property(body, damage, (value, { at, drop, put }) => {
        const written = JSON.stringify(value);
        const cut = Math.min(at, written.length);
        const damaged = written.slice(0, cut) + put + written.slice(cut + drop);
        let strict: unknown;
        try {
          strict = parseStrictJson(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          return;
        }
        read++;
        expect(strict).toEqual(JSON.parse(damaged));
      }),
      { numRuns: 1_000 },
    );
    expect(read).toBeGreaterThan(20);
  });
});

describe('numbers', () => {
  test('a literal is exact if its double’s shortest form is the same decimal', () => {
    const literal = fc
      .tuple(
        fc.boolean(),
        fc.integer({ min: 0, max: 10 ** 9 }),
        fc.option(fc.stringMatching(/^\d{1,14}$/)),
        fc.option(fc.integer({ min: -30, max: 30 })),
      )
      .map(
        ([negative, whole, fraction, exponent]) =>
          `${negative ? '-' : ''}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      );
    fc.assert(
      fc.property(literal, (written) => {
        const same = new Decimal(written).eq(new Decimal(String(Number(written))));
        expect(exactNumber(written)).toBe(same ? Number(written) + 0 : null);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['0', 0],
    ['-0', 0],
    ['0.10', 0.1],
    ['1.5e3', 1500],
    ['100000000000000000000', 1e20],
    ['9007199254740992', 9007199254740992],
    ['5e-324', 5e-324],
    ['9007199254740993', null],
    ['0.1000000000000000055', null],
    ['1e309', null],
    ['1e-330', null],
    ['0e999', 0],
  ])('%s is %s', (written, value) => {
    expect(exactNumber(written)).toBe(value);
  });
});

describe('YAML', () => {
  test('JSON is YAML: what the strict JSON reader accepts reads the same as YAML', () => {
    const plain = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/).filter((name) => name !== 'constructor'),
      fc.oneof(
        fc.stringMatching(/^[ -~]{0,12}$/),
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.boolean(),
        fc.constant(null),
        fc.array(fc.integer(), { maxLength: 3 }),
      ),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(plain, (value) => {
        const written = JSON.stringify(value);
        expect(parseStrictYaml(written)).toEqual(parseStrictJson(written));
      }),
      { numRuns: 200 },
    );
  });

  test('anchors are allowed within bounds; words that other YAML versions convert to booleans or dates stay texts', () => {
    expect(
      parseStrictYaml('a: &x [1, 2]\nb: *x\nno: no\nwhen: 2026-03-02\ntilde: ~\nhuge: "9007199254740993"\nplus: +5\nsmall: 1.50'),
    ).toEqual({
      a: [1, 2],
      b: [1, 2],
      no: 'no',
      when: '2026-03-02',
      tilde: null,
      huge: '9007199254740993',
      plus: 5,
      small: 1.5,
    });
  });
});
