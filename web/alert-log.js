/** The alerts that this window has received since it was opened, newest first; they outlast a reload of it. */
import { h } from './dom.js';
import { clockAndZone } from './words.js';

/** @typedef {{ readonly at: string, readonly words: string }} Alert */

const KEPT = 'sevengate.alerts';
const MOST = 20;
const SHOWN = 6;

/** @returns {readonly Alert[]} */
export function alertsReceived() {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(found) ? found.filter(({ at, words }) => typeof at === 'string' && typeof words === 'string') : [];
  } catch {
    return [];
  }
}

/** @param {Alert} alert */
export function keepAlert(alert) {
  sessionStorage.setItem(KEPT, JSON.stringify([alert, ...alertsReceived()].slice(0, MOST)));
}

/** Somebody else may sign in here next. */
export function forgetAlerts() {
  sessionStorage.removeItem(KEPT);
}

/** The newest of them. */
export function alertList() {
  const newest = alertsReceived().slice(0, SHOWN);
  if (newest.length === 0) return h('p', { class: 'panel-body faint' }, 'None since this window was opened.');
  const rows = newest.map(({ at, words }) =>
    h('li', { 'data-kind': 'alert' }, h('span', {}, words), h('time', { class: 'faint', datetime: at }, clockAndZone(at))),
  );
  return h('ul', { class: 'attention-list' }, rows);
}
