/** Texts of numbers: the sign of a profit or change, its direction, and what a total leaves out. A number that rounds to zero has no sign. */
const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', signDisplay: 'exceptZero' });

/** Formats a profit or loss in US dollars, given as a decimal text: `+$1,250.50`. */
export const signedMoney = (usd: string): string => MONEY.format(usd as Intl.StringNumericLiteral);

/** Formats a number with its sign: `+1.24`. */
export function signedText(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (!/[1-9]/.test(text)) return text.replace('-', '');
  return value > 0 ? `+${text}` : text;
}

/** Returns the direction of a number as it is shown, by which it is coloured. */
export function findDirection(shown: string): 'up' | 'down' | 'even' {
  if (!/[1-9]/.test(shown)) return 'even';
  return shown.startsWith('-') ? 'down' : 'up';
}

/** Names the instruments that a figure leaves out: two of them, and the number of others. Empty if there are none. */
export function leftOut(keys: readonly string[] | undefined): string {
  const names = (keys ?? []).map((key) => key.slice(key.indexOf(':') + 1));
  if (names.length === 0) return '';
  return `without ${names.length > 2 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ')}`;
}
