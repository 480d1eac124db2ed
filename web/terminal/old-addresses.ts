/** Addresses that links and bookmarks of earlier versions name, and the pages that took their place. */
const MOVED: readonly (readonly [old: RegExp, now: string])[] = [
  [/^home$/, 'overview'],
  [/^instruments\/([^/]+).*$/, 'trade/$1'],
  [/^markets(\/venues)?$/, 'operate'],
  [/^markets\/tickers$/, 'quotes'],
  [/^markets\/perps$/, 'perps'],
  [/^markets\/predictions$/, 'predictions'],
  [/^markets\/macro$/, 'macro'],
  [/^actors$/, 'runtime/actors'],
  [/^reports\/([^/]+)\/([^/?]+)\?with=(.+)$/, 'reports/$1/$2/$3'],
];

/** Returns the present address of a page; that of a page that has not moved stays. @param name What follows `#/`. */
export function presentAddress(name: string): string {
  const moved = MOVED.find(([old]) => old.test(name));
  return moved === undefined ? name : name.replace(moved[0], moved[1]);
}
