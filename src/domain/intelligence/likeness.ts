/** How alike two headlines are: what tells a syndicated copy from a report in somebody's own words. */

/** Two headlines that share at least this part of their word pairs are one text. */
const COPY_LIKENESS = 0.8;
/** Shorter headlines say too little to be told apart by their words. */
const LEAST_WORDS = 4;

function words(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

function pairs(list: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (let i = 0; i + 1 < list.length; i++) found.add(`${list[i]} ${list[i + 1]}`);
  return found;
}

/** Shared word pairs over all word pairs of both texts, 0 to 1. */
export function likeness(a: string, b: string): number {
  const [one, two] = [pairs(words(a)), pairs(words(b))];
  if (one.size === 0 || two.size === 0) return words(a).join(' ') === words(b).join(' ') ? 1 : 0;
  let shared = 0;
  for (const pair of one) if (two.has(pair)) shared++;
  return shared / (one.size + two.size - shared);
}

/** True where both are one text, up to small changes of an editor. */
export function nearIdentical(a: string, b: string): boolean {
  if (a === b) return true;
  return words(a).length >= LEAST_WORDS && words(b).length >= LEAST_WORDS && likeness(a, b) >= COPY_LIKENESS;
}

/** An address without what differs between readers of one page: scheme, `www.`, query, fragment, a slash at the end. */
export function canonicalUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { hostname, pathname } = new URL(url);
  return `${hostname.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}`;
}
