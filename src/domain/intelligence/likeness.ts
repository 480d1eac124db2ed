/** Similarity of two headlines, which tells a syndicated copy from an independent report. */

/** Minimum share of common word pairs at which two headlines are one text. */
const COPY_LIKENESS = 0.8;
/** Minimum words of a headline that can be compared. */
const LEAST_WORDS = 4;

/** Number of texts whose result is cached. A report is compared with every other one of its days. */
const REMEMBERED = 4_096;

/** Returns the same function with a cache of its newest results. */
function remembered<Value>(read: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size >= REMEMBERED) known.clear();
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

const words = remembered(
  (text): readonly string[] =>
    text
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]+/gu) ?? [],
);

/** Returns the pairs of consecutive words. */
const pairs = remembered((text): ReadonlySet<string> => {
  const list = words(text);
  const found = new Set<string>();
  for (let i = 0; i + 1 < list.length; i++) found.add(`${list[i]} ${list[i + 1]}`);
  return found;
});

/** Returns the share of common word pairs among all word pairs of both texts, 0 to 1. */
export function likeness(a: string, b: string): number {
  const [one, two] = [pairs(a), pairs(b)];
  if (one.size === 0 || two.size === 0) return words(a).join(' ') === words(b).join(' ') ? 1 : 0;
  let shared = 0;
  for (const pair of one) if (two.has(pair)) shared++;
  return shared / (one.size + two.size - shared);
}

/** True if both are one text, up to small edits. */
export function nearIdentical(a: string, b: string): boolean {
  if (a === b) return true;
  return words(a).length >= LEAST_WORDS && words(b).length >= LEAST_WORDS && likeness(a, b) >= COPY_LIKENESS;
}

/** Returns an address without the parts that vary for one page: scheme, `www.`, query, fragment and final slash. */
export const canonicalUrl = remembered((url): string => {
  if (!URL.canParse(url)) return url;
  const { hostname, pathname } = new URL(url);
  return `${hostname.replace(/^www\./, '')}${pathname.replace(/\/+$/, '')}`;
});
