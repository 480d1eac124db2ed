/** Compares the texts of a column: numbers by value, words alphabetically. */
import { compare, multiply } from './decimal.ts';

const NUMBER = /^([+-]?)\$?(\d[\d,]*(?:\.\d+)?)([KMBT]?)(?![\w:-])/;
const TIMES: { readonly [suffix: string]: string } = { K: '1000', M: '1000000', B: '1000000000', T: '1000000000000' };
const NOTHING = new Set(['', '–', '…']);

/** Returns the number at the start of a text: `-1234.5` of `-$1,234.50`, or null for `2026-11-27`, `12:30` and words. */
export function numberIn(text: string): string | null {
  const found = NUMBER.exec(text.trim().replace('−', '-'));
  if (found === null) return null;
  const [, sign = '', digits = '', suffix = ''] = found;
  const plain = `${sign === '-' ? '-' : ''}${digits.replaceAll(',', '')}`;
  return suffix === '' ? plain : multiply(plain, TIMES[suffix] as string);
}

/** Compares two texts of a column. Numbers come before words. */
function compareTexts(left: string, right: string): number {
  const [a, b] = [numberIn(left), numberIn(right)];
  if (a !== null && b !== null) return compare(a, b);
  if (a !== null || b !== null) return a === null ? 1 : -1;
  return left.localeCompare(right, 'en', { numeric: true, sensitivity: 'base' });
}

/** Returns the indexes of the texts in order. Empty cells are last in both directions. */
export function orderOf(texts: readonly string[], { isDown }: { readonly isDown: boolean }): readonly number[] {
  const isEmpty = (place: number) => NOTHING.has(texts[place] as string);
  return texts
    .map((_, place) => place)
    .sort(
      (a, b) =>
        Number(isEmpty(a)) - Number(isEmpty(b)) || compareTexts(texts[a] as string, texts[b] as string) * (isDown ? -1 : 1) || a - b,
    );
}
