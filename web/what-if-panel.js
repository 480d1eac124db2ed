/** Questions to the past: events are given to a copy of the actor at the step that is looked at, and the branch is shown. Nothing is written. */
import { fill, h, say } from './dom.js';
import { change } from './http.js';
import { createProblemNote } from './problem-note.js';
import { branchAccount } from './step-account.js';
import { changed } from './step-row.js';
import { countText, eventWord, stateText } from './words.js';

/** @typedef {import('./api.ts').ActorBranch} Branch */
/** @typedef {import('./wire.ts').StateValue} StateValue */
/** @typedef {{ readonly from: StateValue, readonly to: StateValue, readonly event: string }} BranchLight */

export class WhatIfPanel {
  #version = 0;
  /** @type {readonly { readonly type: string }[]} */
  #events = [];
  /** Counts what was asked, so that an answer that comes late is not shown. */
  #asked = 0;

  choice = h('select', { 'aria-label': 'Event' });
  fields = h('textarea', {
    rows: 3,
    spellcheck: 'false',
    'aria-label': 'Event fields (JSON)',
    placeholder: '{ "cause": "operator" }',
  });
  ask = h('button', { type: 'submit', class: 'primary' }, 'What if');
  clear = h('button', { type: 'button', onclick: () => this.#forget() }, 'Discard branch');
  from = h('span', { class: 'faint' });
  branch = h('ol', { class: 'branch', 'aria-label': 'Branch' });

  /**
   * @param {object} options
   * @param {string} options.id The actor.
   * @param {(error: unknown) => void} options.fail
   * @param {(step: BranchLight | null) => void} options.light Lights the chart as a step of the branch leaves it; null gives it back.
   */
  constructor({ id, fail, light }) {
    this.id = id;
    this.light = light;
    this.note = createProblemNote(fail);
    this.clear.hidden = true;
    this.element = h(
      'div',
      { class: 'panel what-if' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'What if'), this.from),
      h(
        'form',
        { class: 'what-if-form', onsubmit: (/** @type {Event} */ event) => this.#submit(event) },
        h('p', { class: 'faint' }, 'Sends the event to a copy of the actor. Nothing is stored or executed.'),
        this.choice,
        this.fields,
        h('div', { class: 'actions' }, this.ask, this.clear),
        this.note.element,
      ),
      this.branch,
    );
  }

  /** Begins anew after a step. @param {number} at @param {readonly string[]} takes The events that the machine reacts to there. */
  leaveFrom(at, takes) {
    this.#version = at;
    say(this.from, `after step ${countText(at)}`);
    this.#forget();
    this.#offer(takes);
  }

  #forget() {
    this.#asked++;
    this.#events = [];
    fill(this.branch);
    this.clear.hidden = true;
    this.note.clear();
    say(this.ask, 'What if');
    this.light(null);
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    void this.#follow();
  }

  async #follow() {
    this.note.clear();
    const turn = ++this.#asked;
    try {
      const more = this.fields.value.trim() === '' ? {} : JSON.parse(this.fields.value);
      const events = [...this.#events, { ...more, type: this.choice.value }];
      /** @type {Branch} */
      const found = await change('POST', `/v1/actors/${this.id}/what-if`, { version: this.#version, events });
      if (turn !== this.#asked) return;
      this.#events = events;
      this.#show(found);
    } catch (error) {
      if (turn === this.#asked) this.note.show(error instanceof SyntaxError ? new Error('The fields must be a JSON object.') : error);
    }
  }

  /** @param {Branch} found */
  #show({ steps, takes }) {
    fill(
      this.branch,
      steps.map((step) => this.#line(step)),
    );
    this.#offer(takes);
    this.clear.hidden = false;
    say(this.ask, 'And then');
    const last = steps.at(-1);
    if (last !== undefined) this.#lightAs(last);
  }

  /** @param {Branch['steps'][number]} step */
  #lightAs({ event, from, to }) {
    this.light({ from: /** @type {StateValue} */ (from), to: /** @type {StateValue} */ (to), event: String(event['type']) });
  }

  /** @param {Branch['steps'][number]} step */
  #line(step) {
    const [before, after] = [/** @type {StateValue} */ (step.from), /** @type {StateValue} */ (step.to)];
    return h(
      'li',
      { 'data-taken': String(step.taken) },
      h(
        'button',
        { type: 'button', class: 'branch-step', onclick: () => this.#lightAs(step) },
        h('span', { class: 'step-event' }, eventWord(String(step.event['type']))),
        h('span', { class: 'faint' }, step.taken ? changed(before, after) : `stays ${stateText(after)}`),
      ),
      branchAccount(step),
    );
  }

  /** @param {readonly string[]} takes */
  #offer(takes) {
    const before = this.choice.value;
    fill(
      this.choice,
      takes.map((type) => h('option', { value: type }, eventWord(type))),
    );
    if (takes.includes(before)) this.choice.value = before;
    this.choice.disabled = takes.length === 0;
    this.ask.disabled = takes.length === 0;
  }
}
