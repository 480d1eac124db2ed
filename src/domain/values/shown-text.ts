/** Texts that distinguish things for people, such as names, without invisible characters. */

/** Controls, direction marks, zero widths, private characters, line separators, and letters that are drawn as nothing. */
const UNSEEN = '\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\u034F\\u115F\\u1160\\u2800\\u3164\\uFFA0';
const FIRST_UNSEEN = new RegExp(`[${UNSEEN}]`, 'u');

/** Pattern of such a text in a JSON schema, with flag `u`. Not only spaces. */
export const SHOWN_PATTERN = `^\\p{Zs}*[^${UNSEEN}\\p{Zs}][^${UNSEEN}]*$`;

/** Returns the first invisible character, such as `U+202E`, or null. */
export function unseenIn(text: string): string | null {
  const found = FIRST_UNSEEN.exec(text)?.[0].codePointAt(0);
  return found === undefined ? null : `U+${found.toString(16).toUpperCase().padStart(4, '0')}`;
}
