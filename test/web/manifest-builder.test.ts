// Rule builder: the rows are the manifest, and the manifest is shown as written.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONDITIONS } from '../../src/domain/conditions/index.ts';
import { manifestHash } from '../../src/domain/manifest/manifest.ts';
import { manifestPayloadSchema } from '../../src/domain/manifest/payload-form.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { MANIFEST_TEMPLATES } from '../../src/domain/manifest/templates.ts';
import {
  toDraft,
  isDeclarative,
  type ManifestDraft,
  toManifest,
  moved,
  toPayload,
} from '../../web/terminal/agents/builder/manifest-draft.ts';
import { type Field, readForm, objectionTo, splitConditionType } from '../../web/terminal/agents/builder/manifest-form.ts';
import { readYaml, writeYaml } from '../../web/terminal/agents/builder/yaml.ts';

const FORM = readForm(manifestPayloadSchema);
const { conditionSentence, readingText } = (await import(new URL('../../web/terminal/agents/rules.ts', import.meta.url).href)) as {
  conditionSentence(condition: { readonly type: string; readonly [field: string]: unknown }): string;
  readingText(text: string): string;
};

const shown = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !/[\r\u0085\u2028\u2029\uFEFF]/.test(text));
const textOf = (field: Field): fc.Arbitrary<string | readonly string[]> => {
  if (field.kind === 'choices') return fc.subarray([...field.choices]);
  if (field.kind === 'choice') return fc.constantFrom('', ...field.choices);
  if (field.kind === 'boolean') return fc.constantFrom('', 'true', 'false');
  if (field.kind === 'number')
    return fc.oneof(fc.constantFrom('', 'no number', '-1.25'), fc.integer({ min: -9_999, max: 9_999 }).map(String));
  if (field.kind === 'decimal') return fc.constantFrom('', '0.10', '123456789012345678.123456789012', '1,000');
  return shown;
};
const textsOf = (fields: readonly Field[]) => fc.record(Object.fromEntries(fields.map((field) => [field.name, textOf(field)])));
const rowsOf = (side: 'entry' | 'exit') =>
  fc.array(
    fc.constantFrom(...FORM[side]).chain(({ type, fields }) => textsOf(fields).map((texts) => ({ type, texts, more: {} }))),
    { maxLength: 4 },
  );
const drafts: fc.Arbitrary<ManifestDraft> = fc.record({
  texts: textsOf(FORM.fields),
  universe: fc.array(shown, { maxLength: 3 }),
  entry: rowsOf('entry'),
  exit: rowsOf('exit'),
  more: fc.constant({}),
});

/** Returns the hash of rows' payload, read by the service's own reader. */
const hashOf = (payload: unknown): string => {
  const read = readManifest(payload);
  expect(read.ok ? [] : read.problems).toEqual([]);
  return read.ok ? manifestHash(read.manifest) : '';
};

describe('the form of a manifest', () => {
  test('has every condition type of the service on its sides, with every field', () => {
    for (const side of ['entry', 'exit'] as const) {
      const expected = CONDITIONS.filter(({ sides }) => sides.includes(side)).map(({ type, fields }) => [type, Object.keys(fields)]);
      expect(FORM[side].map(({ type, fields }) => [type, fields.map(({ name }) => name)])).toEqual(expected);
    }
  });

  test('rejects exactly the numbers that the service would refuse', () => {
    const field = FORM.fields.find(({ name }) => name === 'stopLossPct') as Field;
    expect(['4', '0', '100', '3.5'].map((text) => objectionTo(field, text))).toEqual([null, null, null, null]);
    expect(['', '-1', '101', '4 %'].map((text) => objectionTo(field, text))).not.toContain(null);
  });

  test.each([
    ['rsi_below', 'rsi', 'below'],
    ['ema_cross_up', 'ema', 'cross_up'],
    ['gap_to_mark_above', 'gap_to_mark', 'above'],
    ['session_in', 'session', 'in'],
    ['reference_lost', 'reference_lost', ''],
  ])('%s looks at %s and compares by "%s"', (type, subject, operator) => {
    expect(splitConditionType(type)).toEqual([subject, operator]);
  });
});

describe('rows and YAML', () => {
  test('rows written as YAML and read again are the same rows, whatever their content', () => {
    fc.assert(
      fc.property(drafts, (draft) => {
        const read = readYaml(writeYaml(toManifest(draft, FORM)));
        expect(read.ok && toDraft(read.value, FORM)).toEqual(draft);
      }),
      { numRuns: 100 },
    );
  });

  test.each(MANIFEST_TEMPLATES.map((template) => [template.name, template] as const))(
    'the template %s passes the service, and so do its rows, with the same hash',
    (_, template) => {
      const rows = toDraft(template, FORM) as ManifestDraft;
      expect(hashOf(toManifest(rows, FORM))).toBe(hashOf(template));
      const stored = readManifest(template);
      expect(stored.ok && hashOf(toManifest(toDraft(toPayload({ ...stored.manifest }), FORM) as ManifestDraft, FORM))).toBe(
        hashOf(template),
      );
    },
  );

  test('values that the rows do not show are kept: an unknown field, and a value of another kind', () => {
    const manifest = {
      universe: [],
      entryConditions: [{ type: 'rsi_below', period: [14], value: 3, of: 'all' }],
      exitConditions: [],
      newField: { a: 1 },
    };
    expect(toManifest(toDraft(manifest, FORM) as ManifestDraft, FORM)).toEqual(manifest);
  });

  test('the declarative form, and lists without rules, are edited as text only', () => {
    expect(isDeclarative({ version: '1', agent: { name: 'x' } })).toBe(true);
    expect(isDeclarative(MANIFEST_TEMPLATES[2] as never)).toBe(false);
    expect(toDraft({ universe: 'AAPLx', entryConditions: [], exitConditions: [] }, FORM)).toBeNull();
    expect(toDraft({ universe: [], entryConditions: ['rsi'], exitConditions: [] }, FORM)).toBeNull();
  });

  test.each([
    ['name: [a', 1, 9],
    ['name: a\nname: b', 2, 1],
    ['name: a\n  b: c', 2, 4],
    ['- a', 1, 1],
    ['', 1, 1],
  ])('%j is refused in line %i, column %i', (text, line, column) => {
    const read = readYaml(text);
    expect(read.ok ? null : read.place).toEqual({ line, column });
  });

  test('a path of the service leads to its value, or to its nearest parent', () => {
    const read = readYaml('name: a\nentryConditions:\n  - type: rsi_below\n    value: 30\n');
    expect(read.ok && read.placeOf('$.entryConditions[0].value')).toEqual({ line: 4, column: 5 });
    expect(read.ok && read.placeOf('$.entryConditions[0].period')).toEqual({ line: 3, column: 5 });
    expect(read.ok && read.placeOf('$.timeframe')).toEqual({ line: 1, column: 1 });
  });

  test('a row moves to its new place, and not beyond the ends', () => {
    expect([moved(['a', 'b', 'c'], 0, 2), moved(['a', 'b'], 1, 0)]).toEqual([
      ['b', 'c', 'a'],
      ['b', 'a'],
    ]);
    expect([moved(['a'], 0, 1), moved(['a'], 0, -1)]).toEqual([['a'], ['a']]);
  });
});

test('every condition has a sentence with each field that has no default', () => {
  for (const { type, fields } of CONDITIONS) {
    const values = Object.fromEntries(Object.keys(fields).map((name, at) => [name, `${at + 3}7`]));
    const sentence = conditionSentence({ type, ...values });
    expect(sentence, type).not.toContain('…');
    for (const [name, value] of Object.entries(values)) expect(sentence, `${type}: ${name}`).toContain(value);
  }
  expect(conditionSentence({ type: 'of_tomorrow', depth: 3 })).toBe('of tomorrow depth 3');
  expect(readingText('Which one holds for the entry: price_below price=20000 or session_in sessions=PRE_MARKET|POST_MARKET?')).toBe(
    'Which one holds for the entry: the price is below $20000 or the US session is pre market or post market?',
  );
});
