/** Permissions of the caller's role. What it does not permit is never requested: one plain sentence replaces it. */
import { h } from './dom.js';

/** @typedef {import('./wire.ts').Me} Me */
/** @typedef {Me['permissions'][number]} Permission */
/** @typedef {{ readonly permissions: readonly string[], readonly orgId: string | null }} Caller */

/** Nobody may do anything before somebody is signed in. @type {Caller} */
let caller = { permissions: [], orgId: null };

/** From here on this one is signed in. @param {Caller} me */
export function actAs(me) {
  caller = me;
}

/** True if the caller has the permission. All but the market belongs to an organization. @param {Permission} permission */
export function may(permission) {
  return caller.permissions.includes(permission) && (permission === 'market:read' || caller.orgId !== null);
}

/**
 * The sentence in the place of what a role does not permit; null if it does.
 * @param {Permission} permission
 * @param {string} what Begins the sentence and takes a singular verb: `The chart`.
 */
export function withheld(permission, what) {
  return may(permission) ? null : h('p', { class: 'faint withheld' }, withheldWords(permission, what));
}

/** @param {Permission} permission @param {string} what */
export function withheldWords(permission, what) {
  if (caller.permissions.includes(permission)) return `${what} needs an organization, and you are not a member of one.`;
  return `${what} requires ${permission}, which your role does not include.`;
}
