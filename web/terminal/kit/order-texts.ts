/** Compares the texts of a column: numbers by value, words alphabetically. */
import { compare, multiply } from './decimal.ts';

const NUMBER = /^([+-]?)\$?(\d[\d,]*(?:\.\d+)?)([KMBT]?)(?![\w:-])/;
/** Number as a language writes what is very small or large: `5.5e-17`, the rest of a sum that is zero. */
const POWER = /^-?\d(?:\.\d+)?e[+-]\d+$/;
const TIMES: { readonly [suffix: string]: string } = { K: '1000', M: '1000000', B: '1000000000', T: '1000000000000' };
const NOTHING = new Set(['', '–', '…']);

/** Returns the number at the start of a text: `-1234.5` of `-$1,234.50`, or null for `2026-11-27`, `12:30` and words. */
export function numberIn(text: string): string | null {
  if (POWER.test(text)) return Number(text).toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
  const found = NUMBER.exec(text.trim().replace('−', '-'));
  if (found === null) return null;
  const [, sign = '', digits = '', suffix = ''] = found;
  const plain = `${sign === '-' ? '-' : ''}${digits.replaceAll(',', '')}`;
  return suffix === '' ? plain : multiply(plain, TIMES[suffix] as string);
}

const WORDS = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Text of a cell with its number, which is read once for many comparisons. */
export interface Sortable {
  readonly text: string;
  /** Every digit, or null for words. */
  readonly exact: string | null;
  readonly rough: number;
}

/** Returns undefined for an empty cell. */
export function toSortable(text: string): Sortable | undefined {
  if (NOTHING.has(text)) return undefined;
  const exact = numberIn(text);
  return { text, exact, rough: Number(exact) };
}

/** Compares two cells of a column. Numbers come before words. */
export function compareCells(left: Sortable, right: Sortable): number {
  const [a, b] = [left.exact, right.exact];
  if (a !== null && b !== null) return left.rough - right.rough || compare(a, b);
  if (a !== null || b !== null) return a === null ? 1 : -1;
  return WORDS.compare(left.text, right.text);
}
