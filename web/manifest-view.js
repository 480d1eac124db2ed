/** A manifest being written: for a new agent, for one like another, or as the next version of one. What is wrong stands beside its field in the API's own words. */
import { BacktestPreview } from './backtest-preview.js';
import { h, say } from './dom.js';
import { clearProblem, fieldRow, showProblems } from './form-fields.js';
import { change, read } from './http.js';
import { FIRST_TEXTS, MANIFEST_FIELDS, textsOf, valueOf } from './manifest-fields.js';
import { createProblemNote } from './problem-note.js';

/** @typedef {'new' | 'edit' | 'clone'} Purpose */

const TITLES = { new: 'New agent', edit: 'New version', clone: 'Duplicate agent' };
const BUTTONS = { new: 'Create', edit: 'Save as the next version', clone: 'Create' };

/**
 * @param {import('./shell.js').Context} context
 * @param {string} id The agent that is edited or copied; empty for a new one.
 * @param {Purpose} purpose
 * @returns {import('./shell.js').View}
 */
export function manifestView(context, id, purpose) {
  const abort = new AbortController();
  const { signal } = abort;
  /** @type {Record<string, unknown>} */
  let kept = {};
  const rows = new Map(MANIFEST_FIELDS.map((field) => [field.name, fieldRow(field)]));
  const note = createProblemNote(context.fail);
  const save = h('button', { type: 'submit', class: 'primary' }, BUTTONS[purpose]);
  const whose = h('p', { class: 'faint' });
  const fields = [...rows.values()].map(({ element }) => element);
  const last = h('div', { class: 'dialog-buttons' }, h('a', { href: id === '' ? '#/agents' : `#/agents/${id}` }, 'Cancel'), save);
  const payload = () => ({ ...kept, ...givenIn(rows) });
  const preview = new BacktestPreview({ manifest: payload, agentId: purpose === 'edit' ? id : '', signal });
  const form = h('form', { class: 'panel manifest-form', onsubmit: submit, oninput: () => preview.change() }, fields, note.element, last);

  async function begin() {
    try {
      if (purpose === 'new') return write(FIRST_TEXTS);
      /** @type {import('./api.ts').AgentDetail} */
      const agent = await read(`/v1/agents/${id}`, { signal });
      const stored = await textsOf(agent.manifest);
      kept = stored.kept;
      write(purpose === 'clone' ? { ...stored.texts, name: `${agent.name} copy` } : stored.texts);
      say(whose, `${purpose === 'clone' ? 'Copied from' : 'Of'} ${agent.name}, version ${agent.manifestVersion}.`);
    } catch (error) {
      if (!signal.aborted) context.fail(error);
    }
  }

  /** @param {Readonly<Record<string, string>>} texts */
  function write(texts) {
    for (const [name, { input }] of rows) input.value = texts[name] ?? '';
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    save.disabled = true;
    note.clear();
    for (const row of rows.values()) clearProblem(row);
    try {
      /** @type {import('./wire.ts').Agent} */
      const agent = await change('POST', purpose === 'edit' ? `/v1/agents/${id}/versions` : '/v1/agents', payload());
      context.notify(purpose === 'edit' ? `Version ${agent.manifestVersion} is the manifest now.` : `${agent.name} was created at draft.`);
      location.hash = `#/agents/${agent.id}`;
    } catch (error) {
      showProblems(error, rows, note);
    } finally {
      save.disabled = false;
    }
  }
  void begin();

  return {
    element: h('section', { class: 'page' }, pageHead(purpose, whose), h('div', { class: 'manifest-form' }, form, preview.element)),
    title: TITLES[purpose],
    end: () => abort.abort(),
  };
}

/** @param {Purpose} purpose @param {HTMLElement} whose */
function pageHead(purpose, whose) {
  return h('div', { class: 'page-head' }, h('div', {}, h('h1', {}, TITLES[purpose]), whose));
}

/**
 * Returns the fields' values without empty ones.
 * @param {ReadonlyMap<string, import('./form-fields.js').Row>} rows @returns {Record<string, unknown>}
 */
function givenIn(rows) {
  const given = MANIFEST_FIELDS.map((field) => [field.name, valueOf(field, rows.get(field.name)?.input.value ?? '')]);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}
