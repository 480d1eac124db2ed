/** Alerts as the service keeps them, newest first, each with its agent and its venues by name. */
import { alertWords } from './alert-words.js';
import { fill, h } from './dom.js';
import { read } from './http.js';
import { dayAndTime } from './words.js';

/** @typedef {import('./api.ts').Alert} Alert */

const SHOWN = 6;

/** The newest of them, and where the others are. @param {AbortSignal} signal */
export function alertList(signal) {
  const element = h('div', {});
  return {
    element,
    async refresh() {
      /** @type {import('./wire.ts').Page<Alert>} */
      const { items, nextCursor } = await read(`/v1/alerts?limit=${SHOWN}`, { signal });
      if (items.length === 0) return fill(element, h('p', { class: 'panel-body faint' }, 'No recent alerts.'));
      const rows = await Promise.all(items.map(alertRow));
      fill(
        element,
        h('ul', { class: 'attention-list' }, rows),
        nextCursor === null ? null : h('p', { class: 'panel-body' }, h('a', { href: '#/runtime/alerts' }, 'All alerts')),
      );
    },
  };
}

/** @param {Alert} alert */
async function alertRow(alert) {
  const time = h('time', { class: 'faint', datetime: alert.at }, dayAndTime(alert.at));
  return h(
    'li',
    { 'data-kind': 'alert' },
    h('span', {}, await alertWords(/** @type {import('./wire.ts').News<'alerts'>} */ (alert.data))),
    time,
  );
}
