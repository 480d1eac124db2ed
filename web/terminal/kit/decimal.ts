/** Arithmetic on decimal texts: money never becomes a floating point number. */

interface Exact {
  readonly digits: bigint;
  readonly decimals: number;
}

function exact(text: string): Exact {
  const [whole = '', decimals = ''] = text.split('.');
  return { digits: BigInt(`${whole}${decimals}`), decimals: decimals.length };
}

function formatExact({ digits, decimals }: Exact): string {
  const sign = digits < 0n ? '-' : '';
  const text = (digits < 0n ? -digits : digits).toString().padStart(decimals + 1, '0');
  const whole = text.slice(0, text.length - decimals);
  const rest = text.slice(text.length - decimals).replace(/0+$/, '');
  return `${sign}${whole}${rest === '' ? '' : `.${rest}`}`;
}

export function multiply(left: string, right: string): string {
  const [a, b] = [exact(left), exact(right)];
  return formatExact({ digits: a.digits * b.digits, decimals: a.decimals + b.decimals });
}

export function sum(texts: readonly string[]): string {
  const numbers = texts.map(exact);
  const decimals = Math.max(0, ...numbers.map((number) => number.decimals));
  const digits = numbers.reduce((total, number) => total + number.digits * 10n ** BigInt(decimals - number.decimals), 0n);
  return formatExact({ digits, decimals });
}

/** Returns a number below zero if the left one is smaller, above zero if it is larger. */
export function compare(left: string, right: string): number {
  const [a, b] = [exact(left), exact(right)];
  const [x, y] = [a.digits * 10n ** BigInt(b.decimals), b.digits * 10n ** BigInt(a.decimals)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Truncates to a number of decimals. */
export function cut(text: string, decimals: number): string {
  const [whole = '', rest = ''] = text.split('.');
  return decimals === 0 || rest === '' ? whole : `${whole}.${rest.slice(0, decimals)}`;
}

/** Removes trailing zeros after the decimal point: `97000.50` becomes `97000.5`, and `97000` stays. */
export const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** True if the text is a positive amount that the service accepts. */
export const isAmount = (text: string): boolean => /^(0|[1-9]\d{0,17})(\.\d{1,12})?$/.test(text) && /[1-9]/.test(text);

/** True if the text is a slippage limit in basis points that the service accepts. */
export const isSlippage = (bps: string): boolean => /^\d{1,3}$|^1000$/.test(bps);
