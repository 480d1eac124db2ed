/** The pages of the console: their names, the key that leads there after `g`, and who is shown them. */
import { IS_REPLAY } from './replay-mode.js';

/** @typedef {{ readonly name: string, readonly title: string, readonly key: string, readonly ofAgents: boolean }} PageEntry */

/** @type {readonly PageEntry[]} */
export const PAGES = [
  { name: 'home', title: 'Overview', key: 'o', ofAgents: true },
  { name: 'agents', title: 'Agents', key: 'a', ofAgents: true },
  { name: 'takes', title: 'Takes', key: 't', ofAgents: true },
  { name: 'proposals', title: 'Proposals', key: 'p', ofAgents: true },
  { name: 'portfolio', title: 'Portfolio', key: 'f', ofAgents: true },
  { name: 'bridge', title: 'Transfers', key: 'x', ofAgents: true },
  { name: 'launches', title: 'Launches', key: 'l', ofAgents: true },
  { name: 'marketplace', title: 'Marketplace', key: 'k', ofAgents: true },
  { name: 'runtime', title: 'Runtime', key: 'r', ofAgents: true },
  { name: 'quotes', title: 'Quotes', key: 'q', ofAgents: false },
  { name: 'markets', title: 'Markets', key: 'm', ofAgents: false },
  IS_REPLAY
    ? { name: 'replay', title: 'Replay', key: 'b', ofAgents: false }
    : { name: 'leaderboard', title: 'Leaderboard', key: 'b', ofAgents: false },
];
/** Pages without a place in the header. @type {readonly PageEntry[]} */
export const FURTHER_PAGES = [
  { name: 'actors', title: 'Actors', key: 'c', ofAgents: true },
  { name: 'members', title: 'Members', key: 'e', ofAgents: true },
];
/** What a thumb reaches on a phone; the others are behind `More`. */
export const THUMB_PAGES = ['home', 'agents', 'proposals', 'portfolio', 'quotes', 'replay'];

/** @param {import('./wire.ts').Me} me */
export function maySeeAgents(me) {
  return me.permissions.includes('agent:read') && me.orgId !== null;
}

/** @param {readonly PageEntry[]} pages @param {import('./wire.ts').Me} me */
export function pagesOf(pages, me) {
  return pages.filter(({ ofAgents }) => !ofAgents || maySeeAgents(me));
}

/** @param {string} name */
export function pageAddress(name) {
  return `#/${name}`;
}
