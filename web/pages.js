/** The pages of the console: their names, the key that leads there after `g`, and what a role needs to be shown them. */
import { may } from './permissions.js';
import { IS_REPLAY } from './replay-mode.js';

/** @typedef {import('./permissions.js').Permission} Permission */
/** @typedef {{ readonly name: string, readonly title: string, readonly key: string, readonly needs: Permission | null }} PageEntry */

/** @type {readonly PageEntry[]} */
export const PAGES = [
  { name: 'home', title: 'Overview', key: 'o', needs: 'agent:read' },
  { name: 'agents', title: 'Agents', key: 'a', needs: 'agent:read' },
  { name: 'takes', title: 'Takes', key: 't', needs: 'agent:read' },
  { name: 'proposals', title: 'Proposals', key: 'p', needs: 'agent:read' },
  { name: 'portfolio', title: 'Portfolio', key: 'f', needs: 'agent:read' },
  { name: 'bridge', title: 'Transfers', key: 'x', needs: 'agent:read' },
  { name: 'launches', title: 'Launches', key: 'l', needs: 'agent:read' },
  { name: 'marketplace', title: 'Marketplace', key: 'k', needs: 'agent:read' },
  { name: 'runtime', title: 'Runtime', key: 'r', needs: 'agent:read' },
  { name: 'quotes', title: 'Quotes', key: 'q', needs: 'market:read' },
  { name: 'markets', title: 'Markets', key: 'm', needs: 'market:read' },
  IS_REPLAY
    ? { name: 'replay', title: 'Replay', key: 'b', needs: 'market:read' }
    : { name: 'leaderboard', title: 'Leaderboard', key: 'b', needs: 'market:read' },
];
/** Pages without a place in the header. @type {readonly PageEntry[]} */
export const FURTHER_PAGES = [
  { name: 'actors', title: 'Actors', key: 'c', needs: 'agent:read' },
  { name: 'members', title: 'Members', key: 'e', needs: null },
];
/** Pages within reach of a thumb on a phone; the others are behind `More`. */
export const THUMB_PAGES = ['home', 'agents', 'proposals', 'portfolio', 'quotes', 'replay'];

/** Pages that are reached from others. @type {readonly Omit<PageEntry, 'key'>[]} */
const INNER_PAGES = [
  { name: 'instruments', title: 'Instrument', needs: 'market:read' },
  { name: 'reports', title: 'Report', needs: 'agent:read' },
  { name: 'join', title: 'Join an organization', needs: null },
];

/** Returns the pages that the caller's role permits. @param {readonly PageEntry[]} pages */
export function pagesOf(pages) {
  return pages.filter(({ needs }) => needs === null || may(needs));
}

/** The page that an address names; where it names none, the first that the role permits. @param {string} name */
export function pageNamed(name) {
  const all = [...PAGES, ...FURTHER_PAGES];
  return [...all, ...INNER_PAGES].find((page) => page.name === name) ?? /** @type {PageEntry} */ (pagesOf(all)[0]);
}

/** @param {string} name */
export function pageAddress(name) {
  return `#/${name}`;
}
