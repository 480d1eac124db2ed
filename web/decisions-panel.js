/** Decisions of one agent, newest first, each with its rules. */
import { decisionCard } from './decision-card.js';
import { h, say } from './dom.js';
import { read } from './http.js';
import { zoneWord } from './words.js';

/** @typedef {import('./wire.ts').Decision} Decision */

const PER_PAGE = 20;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id The agent.
 * @param {AbortSignal} options.signal
 */
export function decisionsPanel({ context, id, signal }) {
  const cards = h('div', { class: 'decisions' });
  const more = h('button', { type: 'button', hidden: true, onclick: () => void readPage(false) }, 'Earlier decisions');
  const note = h('p', { class: 'faint' }, 'Loading…');
  /** @type {Decision[]} */
  let decisions = [];
  /** @type {string | null} */
  let cursor = null;
  const known = new Set();

  /** @param {boolean} again */
  async function readPage(again) {
    more.disabled = true;
    try {
      const from = cursor === null || again ? '' : `&cursor=${cursor}`;
      /** @type {import('./wire.ts').Page<Decision>} */
      const page = await read(`/v1/agents/${id}/decisions?limit=${PER_PAGE}${from}`, { signal });
      // Read again after a new beginning: what is known stays, and the place below it too.
      if (!again || decisions.length === 0) cursor = page.nextCursor;
      for (const decision of page.items) include(decision);
      more.hidden = cursor === null;
      say(note, decisions.length === 0 ? 'No decisions yet. The first one comes at the next full minute.' : '');
    } catch (error) {
      say(note, decisions.length === 0 ? 'The decisions could not be loaded.' : '');
      context.fail(error);
    } finally {
      more.disabled = false;
    }
  }

  /** @param {Decision} decision */
  function include(decision) {
    if (known.has(decision.id)) return;
    known.add(decision.id);
    const at = decisions.findIndex(({ slot }) => slot < decision.slot);
    const place = at < 0 ? decisions.length : at;
    decisions = decisions.toSpliced(place, 0, decision);
    const card = decisionCard(decision, () => read(`/v1/agents/${id}/decisions/${decision.id}/explain`));
    cards.insertBefore(card, cards.children[place] ?? null);
    say(note, '');
  }

  const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Decisions'), h('span', { class: 'faint' }, `times in ${zoneWord()}`));
  return {
    element: h('div', { class: 'panel' }, head, h('div', { class: 'decisions-place' }, note, cards, more)),
    include,
    /** After a new beginning of the feed. */
    readAgain: () => readPage(true),
  };
}
