/** Compares table cells: decimals by value, digit by digit and never as a double, ages by length, everything else as words. */

const DECIMAL = /^[+\-−]?\d[\d,]*(?:\.\d+)?$/;
const AGE = /^(\d+(?:\.\d+)?) (ms|s|min|h|d)(?: ago)?$/;
const UNIT_MS = /** @type {{ readonly [unit: string]: number }} */ ({ ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 });
const WORDS = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
/** Texts of unknown values. They come last in both sort orders. */
const NOTHING = new Set(['', '–', 'unknown', 'none', '–', '…']);

/**
 * Returns a number below zero if `a` comes before `b`.
 * @param {string} a
 * @param {string} b
 * @param {1 | -1} way -1 for descending order.
 */
export function compareTexts(a, b, way) {
  const [left, right] = [a.trim(), b.trim()];
  const [isLeft, isRight] = [!NOTHING.has(left), !NOTHING.has(right)];
  if (!isLeft || !isRight) return Number(isRight) - Number(isLeft);
  return way * (compareNumbers(left, right) ?? compareAges(left, right) ?? WORDS.compare(left, right));
}

/** @param {string} a @param {string} b @returns {number | null} Null if one of them is not a number. */
function compareNumbers(a, b) {
  const [left, right] = [parseDecimal(a), parseDecimal(b)];
  if (left === null || right === null) return null;
  const places = Math.max(left.decimals.length, right.decimals.length);
  const scaled = (/** @type {NonNullable<ReturnType<typeof parseDecimal>>} */ { sign, whole, decimals }) =>
    sign * BigInt(whole + decimals.padEnd(places, '0'));
  const [x, y] = [scaled(left), scaled(right)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Returns the first word as a decimal: `-3.50 %`, `12,345.6 USD`. @param {string} text */
function parseDecimal(text) {
  const [first = '', unit] = text.split(' ');
  if (!DECIMAL.test(first) || (unit !== undefined && unit in UNIT_MS)) return null;
  const [whole = '', decimals = ''] = first
    .replace(/^[+\-−]/, '')
    .replaceAll(',', '')
    .split('.');
  return { sign: /^[-−]/.test(first) ? -1n : 1n, whole, decimals };
}

/** @param {string} a @param {string} b @returns {number | null} */
function compareAges(a, b) {
  const [left, right] = [AGE.exec(a), AGE.exec(b)];
  if (left === null || right === null) return null;
  const length = (/** @type {RegExpExecArray} */ [, count = '0', unit = 'ms']) => Number(count) * (UNIT_MS[unit] ?? 1);
  return length(left) - length(right);
}
