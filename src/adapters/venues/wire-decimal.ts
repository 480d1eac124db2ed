/** Decimals as venues write them: checked character by character, so that a scan and a parsed message assess alike. */
import type { DecimalString } from '../../domain/values/decimal.ts';

/** Longer numbers are nonsense from a venue and would only cost memory. */
export const MAX_DECIMAL_CHARACTERS = 40;

/** Returns the end of the plain decimal (`-?\d+(\.\d+)?`, at most 40 characters) that begins at `start`, or -1 if none begins there. */
export function scanDecimal(text: string, start: number): number {
  let at = start;
  if (text.charCodeAt(at) === 45) at++;
  const whole = at;
  let code = text.charCodeAt(at);
  while (code >= 48 && code <= 57) code = text.charCodeAt(++at);
  if (at === whole) return -1;
  if (code === 46) {
    const fraction = ++at;
    code = text.charCodeAt(at);
    while (code >= 48 && code <= 57) code = text.charCodeAt(++at);
    if (at === fraction) return -1;
  }
  return at - start <= MAX_DECIMAL_CHARACTERS ? at : -1;
}

/** The value if it is a text that holds one plain decimal and nothing else, else null. */
export function wireDecimal(value: unknown): DecimalString | null {
  return typeof value === 'string' && scanDecimal(value, 0) === value.length ? value : null;
}

/** True if a plain decimal is zero: `0`, `0.00`, `-0`. */
export function isZero(decimal: DecimalString): boolean {
  for (let i = 0; i < decimal.length; i++) {
    const code = decimal.charCodeAt(i);
    if (code > 48 && code < 58) return false;
  }
  return true;
}

/** A whole number of at least 0 that a double holds exactly: ids and times of venues. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
