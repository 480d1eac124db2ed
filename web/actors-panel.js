/** Every durable actor of the organization, newest first, by kind and by how it stands; each leads to its past. */
import { h } from './dom.js';
import { pagedTable, wordFilter } from './paged-table.js';
import { countText, dayAndTime, plain, stateText, zoneWord } from './words.js';

/** @typedef {import('./api.ts').Actor} Actor */

const PER_PAGE = 50;
/** Nobody types on for so long. */
const STILL_MS = 250;
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
 * @param {import('./runtime-view.js').RuntimeParts} parts
 * @param {HTMLInputElement} search What is searched for; the service looks through all actors.
 */
export function actorsPanel({ signal, fail, interventions }, search) {
  const kind = wordFilter('Kind', KINDS, plain, () => void table.begin());
  const status = wordFilter('Status', ['running', 'done', 'quarantined'], plain, () => void table.begin());
  const table = pagedTable({
    label: 'Actors, newest first',
    head: ['actor', 'state', 'status', 'steps', `changed, ${zoneWord()}`, ...(interventions.may ? ['intervene'] : [])],
    address() {
      const query = new URLSearchParams({ limit: String(PER_PAGE) });
      for (const [name, { value }] of Object.entries({ kind, status })) if (value !== '') query.set(name, value);
      const wanted = search.value.trim();
      // `steps:7` looks into a column of what is shown.
      if (wanted !== '' && !wanted.includes(':')) query.set('search', wanted);
      return `/v1/actors?${query}`;
    },
    row: (/** @type {Actor} */ actor) => actorCells(actor, interventions),
    empty: 'No matching actors.',
    signal,
    fail,
  });
  let asked = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let soon;
  search.addEventListener('input', () => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      if (signal.aborted || search.value.trim() === asked) return;
      asked = search.value.trim();
      void table.begin();
    }, STILL_MS);
  });
  return { content: [h('div', { class: 'filters' }, kind, status), table.element], begin: table.begin, filters: [kind, status] };
}

/** @param {Actor} actor @param {import('./interventions.js').Interventions} interventions */
function actorCells({ id, kind, name, version, status, value, changedAt }, interventions) {
  const of = { actorId: id, actorKind: kind, actorName: name, actorStatus: status };
  const link = actorLink(of);
  link.dataset['actor'] = id;
  return [
    link,
    stateText(/** @type {import('./wire.ts').StateValue} */ (value)),
    h('span', { class: 'badge', 'data-status': status }, plain(status)),
    h('span', { class: 'number' }, countText(version)),
    h('span', { class: 'number' }, dayAndTime(changedAt)),
    ...(interventions.may ? [interventions.ofActor(of)] : []),
  ];
}

/**
 * An actor by its name, or by its kind with what it is about; it leads to its past.
 * @param {{ readonly actorId: string, readonly actorKind: string, readonly actorName: string | null }} actor
 */
export function actorLink({ actorId, actorKind, actorName }) {
  return h('a', { href: `#/actors/${actorId}`, title: actorId }, actorWord({ actorId, actorKind, actorName }));
}

/** @param {{ readonly actorId: string, readonly actorKind: string, readonly actorName: string | null }} actor */
export function actorWord({ actorId, actorKind, actorName }) {
  if (actorName === null) return `${plain(actorKind)} ${actorId.slice(-8)}`;
  return actorKind === 'agent' ? actorName : `${plain(actorKind)}: ${actorName}`;
}
