/** Current page, its part, and the chosen instrument. All are in the URL, so that they can be bookmarked and shared. */
import { createKeptStore, createStore } from './kit/store.ts';

const KEPT = 'sevengate.terminal.instrument';

export const instrument = createKeptStore(KEPT, 'spotexchange:BTCUSDT');
export const page = createStore('trade');
/** Part of the URL after the page's name: `7/costs` of `#/agents/7/costs`. */
export const within = createStore('');

/** Panel to bring into view, or null once it is shown. */
export const panelAsked = createStore<string | null>(null);

/** Returns the venue of `spotexchange:BTCUSDT`. */
export const venueIn = (key: string): string => key.slice(0, key.indexOf(':'));

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
function presentAddress(name: string): string {
  const moved = MOVED.find(([old]) => old.test(name));
  return moved === undefined ? name : name.replace(moved[0], moved[1]);
}

/** Returns the part of an address as text. A broken escape in a link is taken as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function readAddress(): void {
  const asked = location.hash.replace(/^#\/?/, '');
  const present = presentAddress(asked);
  if (present !== asked) history.replaceState(null, '', `#/${present}`);
  const [, name = '', ...rest] = location.hash.split('/');
  const [key = ''] = rest;
  within.set(rest.join('/'));
  page.set(name === '' ? 'trade' : name);
  if (name === 'trade' && key !== '') instrument.set(decoded(key));
}

/** Follows the URL until the returned function is called. */
export function followAddress(): () => void {
  addEventListener('hashchange', readAddress);
  readAddress();
  return () => removeEventListener('hashchange', readAddress);
}

export function goTo(name: string): void {
  location.hash = `#/${name}`;
}

/** Chooses the instrument that every panel follows. It is chosen at once: what is written after the call is written for it. */
export function choose(key: string): void {
  goTo(`trade/${encodeURIComponent(key)}`);
  readAddress();
}
