/** The manifest versions of one agent, each with what it changed, and any two of them compared. */
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { conditionWords } from './manifest-words.js';
import { createProblemNote } from './problem-note.js';
import { dataTable } from './tables.js';
import { dayAndTime, plain } from './words.js';

/** @typedef {import('./wire.ts').ManifestVersion} Version */
/** @typedef {Pick<Version, 'changes' | 'conditionsAdded' | 'conditionsRemoved'>} Difference */

const VERSIONS_SHOWN = 20;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id The agent.
 * @param {AbortSignal} options.signal
 */
export function versionsPanel({ context: { fail }, id, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const list = h('ol', { class: 'version-list' });
  const problem = createProblemNote(fail);
  const from = h('input', { type: 'number', min: 1, step: 1, required: true, size: 4 });
  const to = h('input', { type: 'number', min: 1, step: 1, required: true, size: 4 });
  const comparison = h('div', { class: 'comparison', role: 'status' });
  const form = h(
    'form',
    { class: 'vault-form', hidden: true, onsubmit: compare },
    h('label', {}, 'From version ', from),
    h('label', {}, 'to version ', to),
    h('button', { type: 'submit' }, 'Compare'),
  );

  /** @param {Event} event */
  async function compare(event) {
    event.preventDefault();
    problem.clear();
    fill(comparison);
    try {
      /** @type {{ readonly comparison: (Difference & { readonly from: number, readonly to: number }) | null }} */
      const { comparison: found } = await read(`/v1/agents/${id}/versions?limit=1&from=${from.value}&to=${to.value}`, { signal });
      if (found !== null) fill(comparison, differenceTable(found, `From version ${found.from} to version ${found.to}`));
    } catch (error) {
      if (!signal.aborted) problem.show(error);
    }
  }

  async function refresh() {
    try {
      /** @type {import('./wire.ts').Page<Version>} */
      const { items, nextCursor } = await read(`/v1/agents/${id}/versions?limit=${VERSIONS_SHOWN}`, { signal });
      fill(list, items.map(versionItem));
      const [newest] = items;
      form.hidden = newest === undefined || newest.version < 2;
      if (newest !== undefined && from.value === '') {
        from.value = String(Math.max(1, newest.version - 1));
        to.value = String(newest.version);
      }
      say(note, nextCursor === null ? '' : `newest ${items.length}`);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The versions could not be loaded.');
      fail(error);
    }
  }

  return {
    element: h(
      'div',
      { class: 'panel versions-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Versions'), note),
      list,
      form,
      problem.element,
      comparison,
    ),
    refresh,
  };
}

/** @param {Version} version */
function versionItem(version) {
  const { changes, conditionsAdded, conditionsRemoved } = version;
  const count = changes.length + conditionsAdded.length + conditionsRemoved.length;
  const head = [
    h('strong', {}, `v${version.version}`),
    h('code', { title: version.manifestHash }, version.manifestHash.slice(0, 10)),
    h('span', { class: 'faint' }, `${dayAndTime(version.createdAt)} by ${version.createdBy}`),
    h('span', {}, count === 0 ? (version.version === 1 ? 'first version' : 'no change') : `${count} ${count === 1 ? 'change' : 'changes'}`),
  ];
  if (count === 0) return h('li', { 'data-version': version.version }, h('div', { class: 'run-head' }, head));
  return h(
    'li',
    { 'data-version': version.version },
    h('details', {}, h('summary', { class: 'run-head' }, head), differenceTable(version, `Changes in version ${version.version}`)),
  );
}

/**
 * Creates the table of differences between two versions, line by line.
 * @param {Difference} difference
 * @param {string} caption
 */
export function differenceTable({ changes, conditionsAdded, conditionsRemoved }, caption) {
  return dataTable({
    caption,
    empty: 'No differences.',
    head: ['field', 'before', 'after'],
    rows: [
      ...changes.map(({ path, before, after }) => [path, was(jsonCode(before)), became(jsonCode(after))]),
      ...conditionsRemoved.map(({ side, condition }) => [`${plain(side)} condition`, was(wordsOf(condition)), '–']),
      ...conditionsAdded.map(({ side, condition }) => [`${plain(side)} condition`, '–', became(wordsOf(condition))]),
    ],
  });
}

/** @param {string | HTMLElement} content */
function was(content) {
  return content === '–' ? content : h('del', {}, content);
}

/** @param {string | HTMLElement} content */
function became(content) {
  return content === '–' ? content : h('ins', {}, content);
}

/** @param {{ readonly [name: string]: unknown }} condition */
function wordsOf(condition) {
  return conditionWords(/** @type {import('./manifest-words.js').Condition} */ (condition));
}

/** @param {unknown} value */
function jsonCode(value) {
  return value === undefined || value === null ? '–' : h('code', {}, typeof value === 'string' ? value : JSON.stringify(value));
}
