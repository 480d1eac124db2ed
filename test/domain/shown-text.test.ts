// Deceptive names: texts that look the same to a person and differ.
import { expect, test } from 'vitest';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { SHOWN_PATTERN, unseenIn } from '../../src/domain/values/shown-text.ts';
import { payload } from '../api/api-under-test.ts';

/** Characters of the Unicode tables "Default_Ignorable_Code_Point" and "Bidi_Control", and letters without a glyph. */
const UNSEEN = [
  0x00, 0x07, 0x09, 0x0a, 0x7f, 0x85, 0xad, 0x034f, 0x061c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029,
  0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0x206f, 0x2800, 0x3164, 0xe000, 0xfeff,
  0xffa0, 0xfff9, 0xe0001, 0xe0041,
];
const SEEN = ['Discount hunter', 'Börsenjäger 2', '割引ハンター', 'صياد', 'NAÏVE – “v2” (50 %)', '🚀', 'a\u00a0b', ' x '];

test.each(UNSEEN.map((code) => [`U+${code.toString(16).toUpperCase().padStart(4, '0')}`, String.fromCodePoint(code)]))(
  '%s is found wherever it stands, and no name has it',
  (code, character) => {
    for (const name of [`${character}Hunter`, `Hun${character}ter`, `Hunter${character}`]) {
      expect(unseenIn(name)).toBe(code);
      expect(new RegExp(SHOWN_PATTERN, 'u').test(name)).toBe(false);
      const read = readManifest(payload({ name }));
      expect(read).toMatchObject({ problems: [{ path: '$.name', problem: `has ${code}, an invisible character` }] });
    }
  },
);

test.each(SEEN)('%j is a name', (name) => {
  expect(unseenIn(name)).toBeNull();
  expect(new RegExp(SHOWN_PATTERN, 'u').test(name)).toBe(true);
  expect(readManifest(payload({ name }))).toMatchObject({ manifest: { name } });
});

test.each(['', ' ', '\u00a0\u3000 '])('%j is none', (name) => {
  expect(new RegExp(SHOWN_PATTERN, 'u').test(name)).toBe(false);
  expect(readManifest(payload({ name }))).toHaveProperty('problems');
});
