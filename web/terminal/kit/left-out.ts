/** Names the instruments that a figure leaves out: two of them, and the number of others. Empty if there are none. */
export function leftOut(keys: readonly string[] | undefined): string {
  const names = (keys ?? []).map((key) => key.slice(key.indexOf(':') + 1));
  if (names.length === 0) return '';
  return `without ${names.length > 2 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more` : names.join(', ')}`;
}
