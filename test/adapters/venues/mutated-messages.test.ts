// Every field of every message of every map, damaged in every way: no crash, no guess, and a reason if nothing is yielded.
import { describe, expect, test } from 'vitest';
import { REJECTION_REASONS } from '../../../src/domain/market/quote.ts';
import { createUnknownFields } from '../../../streams/feed-counters.ts';
import { damaged, MAPS, SHAPES, type Shape, type Step, type WireMap, WORDS } from './wire-shapes.ts';

const DAMAGES: readonly unknown[] = [null, true, 0, -1, 1.5, 1e300, '', 'zz', 'NaN', '-1', '0', '1e5', ' 1', [], {}, [[]], '9'.repeat(60)];
/** Returns the path of every value in a message, itself included. */
function pathsIn(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? value.map((one, index) => [index, one] as const) : Object.entries(value);
  return [path, ...inner.flatMap(([step, one]) => pathsIn(one, [...path, step]))];
}

const PRICES = new Set([
  'bid',
  'ask',
  'bidSize',
  'askSize',
  'referencePrice',
  'markPrice',
  'oraclePrice',
  'price',
  'size',
  'usdPrice',
  'outAmount',
  'inAmount',
]);

/** Expects that every price is a plain number of zero or above, and every reason is in the list. */
function mustBePossible(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) return;
  const { kind, reason } = value as { kind?: unknown; reason?: unknown };
  if (kind === 'rejection') return expect(REJECTION_REASONS, what).toContain(reason);
  for (const [name, member] of Object.entries(value)) {
    if (PRICES.has(name) && member !== null && typeof member !== 'object')
      expect(String(member), `${what}: ${name}`).toMatch(/^\d+(\.\d+)?(e\+\d+)?$/);
    else mustBePossible(member, what);
  }
}

/** Sources whose names are keys or columns, so that every name is known. */
const OPEN: ReadonlySet<string> = new Set(['spotchain prices']);

/** Returns the result without the message's own quotes. */
const plain = (found: readonly unknown[]): unknown =>
  JSON.parse(JSON.stringify(found.map(shown), (key, one: unknown) => (key === 'sample' ? undefined : one)) ?? 'null');
function shown(one: unknown): unknown {
  const { kind, book, top } = (one ?? {}) as { kind?: unknown; book?: unknown; top?: unknown };
  return kind === 'perp_book' ? { kind, book, top } : one;
}

describe.each(Object.entries(MAPS))('%s', (name, { messages, map }) => {
  test('a damaged field never crashes and never becomes a price', () => {
    let damages = 0;
    for (const message of messages) {
      for (const path of pathsIn(message)) {
        for (const replacement of [...DAMAGES.map((one) => [one]), ...(path.length > 0 ? [[]] : [])]) {
          const broken = damaged(message, path, ...replacement);
          const what = `${path.join('.')} = ${JSON.stringify(replacement[0])} in ${JSON.stringify(message).slice(0, 120)}`;
          let yielded: readonly unknown[] = [];
          expect(() => (yielded = map(broken)), what).not.toThrow();
          for (const one of yielded) mustBePossible(one, what);
          damages++;
        }
      }
    }
    expect(damages).toBeGreaterThan(30);
  });

  test('an unknown field changes nothing', () => {
    for (const message of messages) {
      for (const path of pathsIn(message)) {
        const parent = path.reduce<unknown>((at, step) => (at as Record<Step, unknown>)[step], message);
        if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) continue;
        if (path.length === 0 && OPEN.has(name)) continue;
        expect(plain(map(damaged(message, [...path, 'zzNew'], { any: [1] })))).toEqual(plain(map(message)));
      }
    }
  });

  test('no known field is counted as unknown', () => {
    const unknown = createUnknownFields();
    for (const message of messages) map(message, unknown.note);
    expect(unknown.rows()).toEqual([]);
  });
});

const reasonsOf = (found: readonly unknown[]): unknown[] =>
  found.flatMap((one) => {
    const { kind, reason, rejection } = one as { kind?: unknown; reason?: unknown; rejection?: { reason: unknown } };
    return kind === 'rejection' ? [reason] : kind === 'unusable' ? [rejection?.reason] : [];
  });
const words = (text = ''): string[] => text.split(' ').filter((word) => word !== '');
const MISTYPED: readonly unknown[] = [true, { any: 1 }];

describe('every shape', () => {
  test.each(
    SHAPES.map((shape) => [`${shape.of} ${shape.at.join('.')} ${Object.keys(memberOf(shape)).join(',').slice(0, 40)}`, shape] as const),
  )('%s', (_what, shape) => {
    const { message, at, counted } = shape;
    const { map } = MAPS[shape.of] as { map: WireMap };
    const [required, typed, kept, unread] = [words(shape.required), words(shape.typed), words(shape.kept), words(shape.unread)];
    expect([...required, ...typed, ...kept, ...unread].sort(), 'every member is accounted for').toEqual(
      Object.keys(memberOf(shape)).sort(),
    );
    const sound = map(message);
    expect(reasonsOf(sound)).toEqual([]);
    expect(sound).not.toHaveLength(0);
    const refuses = (field: string, ...replacement: unknown[]): void => {
      // A boolean of the right type is valid there.
      if (typeof memberOf(shape)[field] === 'boolean' && typeof replacement[0] === 'boolean') return;
      const found = map(damaged(message, [...at, field], ...replacement));
      const reasons = reasonsOf(found);
      const what = `${field} = ${replacement.length === 0 ? 'nothing' : JSON.stringify(replacement[0])}`;
      expect(reasons, what).toHaveLength(1);
      expect(found.length, what).toBe(sound.length);
      expect(REJECTION_REASONS).toContain(reasons[0]);
    };
    for (const field of required) for (const replacement of [[], [null], ...MISTYPED.map((one) => [one])]) refuses(field, ...replacement);
    for (const field of typed) {
      expect(reasonsOf(map(damaged(message, [...at, field]))), `without ${field}`).toEqual([]);
      for (const one of MISTYPED) refuses(field, one);
    }
    for (const field of kept) {
      expect(reasonsOf(map(damaged(message, [...at, field]))), `without ${field}`).toHaveLength(1);
      for (const one of MISTYPED) refuses(field, one);
    }
    for (const field of unread)
      for (const replacement of [[], [null], ...MISTYPED.map((one) => [one])])
        expect(reasonsOf(map(damaged(message, [...at, field], ...replacement))), field).toEqual([]);
    if (counted === null) return;
    const more = createUnknownFields();
    expect(plain(map(damaged(message, [...at, 'zzNew'], 1), more.note))).toEqual(plain(sound));
    expect(more.rows()).toEqual([{ source: counted[0], field: `${counted[1]}zzNew`, count: 1 }]);
  });

  function memberOf({ message, at }: Shape): Record<string, unknown> {
    return at.reduce<unknown>((inner, step) => (inner as Record<Step, unknown>)[step], message) as Record<string, unknown>;
  }
});

test.each(WORDS.map((word) => [`${word.of} ${word.at.join('.')}`, word] as const))(
  'an unknown word is never taken for a known one: %s',
  (_what, { of, message, at, becomes }) => {
    const { map } = MAPS[of] as { map: WireMap };
    const sound = map(message);
    expect(reasonsOf(sound)).toEqual([]);
    for (const word of ['dance', 'BUY ', 'Yes', '__proto__', 'constructor', 'toString']) {
      const found = map(damaged(message, at, word));
      if (becomes === 'nothing') expect(reasonsOf(found), word).toEqual([]);
      else expect(reasonsOf(found), word).toHaveLength(1);
      expect(found, word).toHaveLength(becomes === 'kept' ? sound.length + 1 : sound.length);
      expect(plain(found), word).not.toEqual(plain(sound));
    }
  },
);

test('countless names are counted together', () => {
  const unknown = createUnknownFields();
  for (let i = 0; i < 500; i++) unknown.note('binance:depth', `f${i}`);
  unknown.note('binance:depth', 'f0');
  unknown.note('binance:bookTicker', 'x'.repeat(5_000));
  const rows = unknown.rows();
  expect(rows).toHaveLength(52);
  expect(rows.find(({ field }) => field === 'f0')?.count).toBe(2);
  expect(rows.find(({ field }) => field === 'other')?.count).toBe(450);
  expect(rows.at(-1)?.field).toHaveLength(60);
});
