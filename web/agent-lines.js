/** Every agent in a line: its stage and how far it is at its gate, the course of what it earned, and what came of today. */
import { dutyBadge, stageGates } from './agents-view.js';
import { fill, h } from './dom.js';
import { gateHere, progressWords } from './gate-progress.js';
import { read } from './http.js';
import { gain } from './money.js';
import { sparkline } from './sparkline.js';
import { plain } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./api.ts').Performance['books'][number]} Earned */

const SHOWN = 25;
const POINTS = 60;
const HEAD = ['Agent', 'Stage', 'Gate', 'Status', 'P&L curve', 'Today', 'Total P&L'];

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {AbortSignal} options.signal
 */
export function agentLines({ context, signal }) {
  const body = h('tbody', {});
  const note = h('p', { class: 'panel-body faint', hidden: true });
  const head = h(
    'thead',
    {},
    h(
      'tr',
      {},
      HEAD.map((title) => h('th', { scope: 'col' }, title)),
    ),
  );
  const mayTrade = context.me.permissions.includes('trade:execute');

  /** @param {readonly Earned[]} earned */
  async function refresh(earned) {
    /** @type {import('./wire.ts').Page<Agent>} */
    const { items, nextCursor } = await read(`/v1/agents?limit=${SHOWN}`, { signal });
    const rows = await Promise.all(items.map((agent) => agentLine(agent, bookOf(agent, earned), signal)));
    fill(body, rows);
    note.hidden = items.length > 0 && nextCursor === null;
    fill(
      note,
      items.length === 0 ? ['No agents yet. ', mayTrade ? h('a', { href: '#/agents/new' }, 'Create one') : null] : `The newest ${SHOWN}.`,
    );
  }

  return {
    element: h(
      'div',
      { class: 'panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Agents'), h('span', { class: 'space' }), h('a', { href: '#/agents' }, 'All agents')),
      h('table', { class: 'agents home-agents' }, head, body),
      note,
    ),
    refresh,
  };
}

/**
 * The book that the agent trades in now: with real money where it has some.
 * @param {Agent} agent
 * @param {readonly Earned[]} earned
 */
function bookOf({ id, manifestVersion }, earned) {
  const own = earned.filter(({ agentId }) => agentId === id);
  return own.find((book) => book.manifestVersion === null) ?? own.find((book) => book.manifestVersion === manifestVersion) ?? null;
}

/** @param {Agent} agent @param {Earned | null} book @param {AbortSignal} signal */
async function agentLine(agent, book, signal) {
  const [gates, course] = await Promise.all([read(`/v1/agents/${agent.id}/gates`, { signal }), courseOf(book, signal)]);
  const gate = gateHere(/** @type {{ readonly gates: readonly import('./wire.ts').Gate[] }} */ (gates).gates);
  const none = () => h('span', { class: 'faint' }, '–');
  const cell = (/** @type {string} */ title, /** @type {import('./dom.js').Child} */ content) => h('td', { 'data-title': title }, content);
  return h(
    'tr',
    { 'data-agent': agent.id },
    h(
      'th',
      { scope: 'row' },
      h('a', { href: `#/agents/${agent.id}` }, agent.name),
      h('p', { class: 'faint description' }, plain(agent.autonomy)),
    ),
    cell('Stage', stageGates(agent.stage)),
    cell('Gate', progressWords(gate)),
    cell('Status', dutyBadge(agent.paused, agent.pauseCause)),
    cell('P&L curve', sparkline(course, `P&L of ${agent.name} over time`)),
    cell('Today', book === null || book.todayUsd === null ? none() : gain(book.todayUsd)),
    cell('Total P&L', book === null ? none() : gain(book.pnlUsd)),
  );
}

/** @param {Earned | null} book @param {AbortSignal} signal @returns {Promise<readonly number[]>} */
async function courseOf(book, signal) {
  if (book === null || book.version === 0) return [];
  /** @type {import('./api.ts').Equity} */
  const { items } = await read(`/v1/books/${encodeURIComponent(book.bookId)}/equity?points=${POINTS}`, { signal });
  // The course is marked from time to time; it ends with what stands beside it.
  return [...items.map(({ pnlUsd }) => pnlUsd), book.pnlUsd].flatMap((usd) => (usd === null ? [] : [Number(usd)]));
}
