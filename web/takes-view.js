/** The organization's Takes: written in words, what was understood of them, where each stands; alive by the feed. */
import { fill, h, mark, say } from './dom.js';
import { change, Refused, read } from './http.js';
import { createProblemNote } from './problem-note.js';
import { dayAndTime, forPeople, plain } from './words.js';

/** @typedef {import('./wire.ts').Take} Take */
/** @typedef {import('./wire.ts').News<'takes'>} TakeChange */

const PER_PAGE = 25;
const MOST_THESIS = 2_000;
const EXAMPLE = 'Buy AAPLx when it trades more than 2% below its reference, with $500; sell when the premium is above 0.5%';

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function takesView({ me, feed, fail }) {
  const abort = new AbortController();
  const { signal } = abort;
  const mayTrade = me.permissions.includes('trade:execute');
  /** @type {Map<string, ReturnType<typeof takeRow>>} */
  const rows = new Map();
  /** @type {string | null} */
  let cursor = null;

  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const body = h('tbody', {});
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load(false) }, 'Earlier Takes');
  const head = ['Take', 'State', 'Mode', 'Allocation', 'Expires'].map((title) => h('th', { scope: 'col' }, title));
  const element = h(
    'section',
    { class: 'page' },
    h('div', { class: 'page-head' }, h('h1', {}, 'Takes'), note),
    mayTrade ? thesisForm({ fail, onMade: (take) => include(take, true) }) : null,
    h('table', { class: 'agents' }, h('thead', {}, h('tr', {}, head)), body),
    h('div', { class: 'pager' }, more),
  );

  /** @param {boolean} anew */
  async function load(anew) {
    try {
      const from = anew || cursor === null ? '' : `&cursor=${cursor}`;
      /** @type {import('./wire.ts').Page<Take>} */
      const page = await read(`/v1/takes?limit=${PER_PAGE}${from}`, { signal });
      if (anew) {
        rows.clear();
        fill(body);
      }
      cursor = page.nextCursor;
      more.hidden = cursor === null;
      for (const take of page.items) include(take, false);
      say(note, rows.size === 0 ? 'No Takes yet. Write a thesis to create one.' : `${rows.size} shown`);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The Takes could not be loaded.');
      fail(error);
    }
  }

  /** @param {Take} take @param {boolean} first Whether it is the newest. */
  function include(take, first) {
    const known = rows.get(take.id);
    if (known !== undefined) return known.stand(take);
    const row = takeRow(take);
    rows.set(take.id, row);
    if (first) body.prepend(row.element);
    else body.append(row.element);
    say(note, `${rows.size} shown`);
  }

  /** @param {TakeChange} news */
  async function receive(news) {
    const known = rows.get(news.takeId);
    if (known !== undefined) return known.stand(news);
    try {
      include(await read(`/v1/takes/${news.takeId}`, { signal }), true);
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  const stop = feed.subscribe({
    channel: 'takes',
    begin: () => void load(true),
    receive: ({ data }) => void receive(data),
    refuse: (detail) => fail(new Error(detail)),
  });

  return {
    element,
    title: 'Takes',
    list: { label: 'Search Takes' },
    end() {
      abort.abort();
      stop();
    },
  };
}

/**
 * A thesis in words, and what was understood of it or is asked back.
 * @param {object} options
 * @param {(error: unknown) => void} options.fail
 * @param {(take: Take) => void} options.onMade Receives the draft that was made of it.
 */
function thesisForm({ fail, onMade }) {
  const thesis = h('textarea', { rows: '3', maxlength: MOST_THESIS, placeholder: EXAMPLE, 'aria-label': 'Your thesis' });
  const compile = h('button', { type: 'submit', class: 'primary' }, 'Compile');
  const problem = createProblemNote(fail);
  const questions = h('ul', { class: 'take-questions', 'aria-label': 'Questions' });
  const made = h('div', { role: 'status' });

  /** @param {Event} event */
  async function write(event) {
    event.preventDefault();
    compile.disabled = true;
    problem.clear();
    fill(questions);
    fill(made);
    try {
      /** @type {Take} */
      const take = await change('POST', '/v1/takes/compile', { thesis: thesis.value });
      onMade(take);
      fill(made, h('p', {}, 'A draft: ', h('a', { href: `#/takes/${take.id}` }, take.symbol), '. ', understoodWords(take)));
      thesis.value = '';
    } catch (error) {
      problem.show(error);
      const asked = error instanceof Refused ? (error.problem.questions ?? []) : [];
      fill(
        questions,
        asked.map((question) => h('li', {}, question)),
      );
    } finally {
      compile.disabled = false;
    }
  }

  return h(
    'form',
    { class: 'take-form', onsubmit: write },
    thesis,
    h('div', { class: 'actions' }, compile, h('span', { class: 'faint' }, 'Creates a draft. It does not start trading.')),
    problem.element,
    questions,
    made,
  );
}

/** @param {Take} take */
function takeRow(take) {
  const state = h('span', { class: 'badge' });
  const mode = h('td', { 'data-title': 'Mode' });
  const element = h(
    'tr',
    { 'data-take': take.id },
    h(
      'th',
      { scope: 'row' },
      h('a', { href: `#/takes/${take.id}` }, take.symbol),
      h('p', { class: 'faint description' }, take.thesis ?? ''),
    ),
    h('td', { 'data-title': 'State' }, state),
    mode,
    h('td', { 'data-title': 'Allocation' }, h('span', { class: 'number' }, take.allocationUsd), ' USD'),
    h('td', { 'data-title': 'Expires' }, h('span', { class: 'number' }, dayAndTime(take.expiresAt))),
  );
  /** @param {{ readonly state: string, readonly mode: string | null, readonly reason: string | null }} now */
  function stand(now) {
    mark(element, 'data-state', now.state);
    say(state, now.reason === null ? plain(now.state) : `${plain(now.state)}: ${plain(now.reason)}`);
    say(mode, now.mode ?? '');
  }
  stand(take);
  return { element, stand };
}

/**
 * Describes the reading of a thesis, phrase by phrase.
 * @param {Take} take
 */
export function understoodWords({ understood, assumed, notUnderstood }) {
  const lines = [
    ...understood.map(({ phrase, as }) => `“${phrase}” → ${as}`),
    ...assumed.map((one) => `assumed: ${one}`),
    ...notUnderstood.map((one) => `ignored: ${one}`),
  ];
  return h(
    'ul',
    { class: 'understood', 'aria-label': 'How it was read' },
    lines.map((line) => h('li', {}, forPeople(line))),
  );
}
