/** Old addresses in links and bookmarks, with the pages that replaced them. */
const MOVED: readonly (readonly [old: RegExp, now: string])[] = [
  [/^home$/, 'overview'],
  [/^instruments\/([^/]+).*$/, 'trade/$1'],
  [/^markets(\/venues)?$/, 'operate'],
  [/^markets\/tickers$/, 'quotes'],
  [/^markets\/perps$/, 'perps'],
  [/^markets\/predictions$/, 'predictions'],
  [/^markets\/macro$/, 'macro'],
  [/^bridge$/, 'transfers'],
  [/^portfolio\/(?!paper|live).*$/, 'portfolio'],
  [/^leaderboard\/([^/%]{32,})(?:%20| )(24h|7d|30d)$/, 'leaderboard/$2/$1'],
  [/^leaderboard\/([^/%]{32,})$/, 'leaderboard/24h/$1'],
  [/^agents\/([^/]+)\/state$/, 'actors/$1'],
  [/^actors$/, 'runtime/actors'],
  [/^bridge$/, 'transfers'],
  [/^leaderboard\/([^/ %]{32,})(?: |%20)(24h|7d|30d)$/, 'leaderboard/$2/$1'],
  [/^reports\/([^/]+)\/([^/?]+)\?with=(.+)$/, 'reports/$1/$2/$3'],
];

/** Returns the current address of a page. @param name Part after `#/`. */
export function presentAddress(name: string): string {
  const moved = MOVED.find(([old]) => old.test(name));
  return moved === undefined ? name : name.replace(moved[0], moved[1]);
}
