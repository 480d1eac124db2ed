/** Strict parsing of decimals in venues' messages, shared by scans and parsed messages. */
import type { DecimalString } from '../../domain/values/decimal.ts';

/** Maximum characters of a number; longer ones are nonsense. */
export const MAX_DECIMAL_CHARACTERS = 40;

/** Returns the end of the plain decimal (`-?\d+(\.\d+)?`, at most 40 characters) at `start`, or -1 if there is none. */
function scanDecimal(text: string, start: number): number {
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

/** Returns the value if it is a text with exactly one plain decimal, else null. */
export function wireDecimal(value: unknown): DecimalString | null {
  return typeof value === 'string' && scanDecimal(value, 0) === value.length ? value : null;
}

/** Returns true if a plain decimal is zero: `0`, `0.00`, `-0`. */
export function isZero(decimal: DecimalString): boolean {
  for (let i = 0; i < decimal.length; i++) {
    const code = decimal.charCodeAt(i);
    if (code > 48 && code < 58) return false;
  }
  return true;
}

/** Returns true for a whole number of at least 0 that a double holds exactly, such as ids and times. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
