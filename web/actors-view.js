/** Every durable actor of the organization, newest first, by kind and by how it stands; each leads to its past. */
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { dayAndTime, plain, standing, zoneWord } from './words.js';

/** @typedef {import('./api.ts').Actor} Actor */
/** @typedef {import('./wire.ts').Page<Actor>} ActorPage */

const PER_PAGE = 50;
const KINDS = [
  'agent',
  'take',
  'proposal',
  'evaluation',
  'market_order',
  'prediction_order',
  'prepared_transaction',
  'bridge_transfer',
  'launch',
  'launcher_launch',
  'checkout',
];

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function actorsView({ fail }) {
  const abort = new AbortController();
  /** @type {string | null} */
  let cursor = null;
  const note = h('p', { class: 'faint', role: 'status' });
  const rows = h('tbody', {});
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load() }, 'More');
  const kind = choice('Kind', KINDS, () => void begin());
  const status = choice('Status', ['running', 'done', 'quarantined'], () => void begin());

  async function begin() {
    cursor = null;
    fill(rows);
    await load();
  }

  async function load() {
    const wanted = `${kind.value}/${status.value}`;
    say(note, 'Reading…');
    try {
      const query = new URLSearchParams({ limit: String(PER_PAGE) });
      for (const [name, { value }] of Object.entries({ kind, status })) if (value !== '') query.set(name, value);
      if (cursor !== null) query.set('cursor', cursor);
      /** @type {ActorPage} */
      const { items, nextCursor } = await read(`/v1/actors?${query}`, { signal: abort.signal });
      if (`${kind.value}/${status.value}` !== wanted) return;
      cursor = nextCursor;
      rows.append(...items.map(actorRow));
      more.hidden = nextCursor === null;
      say(note, rows.childElementCount === 0 ? 'No actor is like this.' : '');
    } catch (error) {
      if (!abort.signal.aborted) fail(error);
    }
  }

  void begin();
  return {
    element: h(
      'section',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Actors'), h('div', { class: 'actions' }, kind, status)),
      actorsPanel(rows, note),
      h('div', { class: 'pager' }, more),
    ),
    title: 'Actors',
    list: { label: 'Search the actors read so far' },
    end: () => abort.abort(),
  };
}

/** @param {string} label @param {readonly string[]} words @param {() => void} onchange */
function choice(label, words, onchange) {
  const options = words.map((word) => h('option', { value: word }, plain(word)));
  return h('select', { 'aria-label': label, onchange }, h('option', { value: '' }, `any ${label.toLowerCase()}`), options);
}

/** @param {HTMLElement} rows @param {HTMLElement} note */
function actorsPanel(rows, note) {
  return h(
    'div',
    { class: 'panel actors-panel', tabindex: '0', role: 'region', 'aria-label': 'Actors, newest first' },
    h(
      'table',
      { class: 'data-table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          ['actor', 'stands at', 'status', 'steps', `changed, ${zoneWord()}`].map((text) => h('th', { scope: 'col' }, text)),
        ),
      ),
      rows,
    ),
    note,
  );
}

/** @param {Actor} actor */
function actorRow({ id, kind, name, version, status, value, changedAt }) {
  return h(
    'tr',
    { 'data-actor': id },
    h('th', { scope: 'row' }, h('a', { href: `#/actors/${id}` }, name ?? `${plain(kind)} ${id.slice(-8)}`)),
    h('td', {}, standing(/** @type {import('./wire.ts').StateValue} */ (value))),
    h('td', {}, h('span', { class: 'badge' }, plain(status))),
    h('td', { class: 'number' }, String(version)),
    h('td', { class: 'number' }, dayAndTime(changedAt)),
  );
}
