/** The page of a replay: what is on the tape, and the other tapes that may be loaded. */
import { fill, h } from './dom.js';
import { change, read } from './http.js';
import { dataTable, factList, number } from './tables.js';
import { instrumentAddress } from './words.js';

/** @typedef {import('./replay-bar.js').Replay} Replay */

/** @typedef {{ readonly name: string, readonly bytes: number }} TapeFile */

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function replayView({ fail }) {
  const abort = new AbortController();
  const { signal } = abort;
  const panels = h('div', {});

  async function draw() {
    /** @type {[Replay, { readonly items: readonly TapeFile[] }]} */
    const [state, { items }] = await Promise.all([read('/v1/replay', { signal }), read('/v1/replay/tapes', { signal })]);
    const drawn = [aboutTape(state), instrumentsOf(state), tapeTable(state, items, load)];
    fill(
      panels,
      drawn.map((content) => h('div', { class: 'panel' }, content)),
    );
  }

  /** @param {string} tape */
  async function load(tape) {
    try {
      await change('POST', '/v1/replay/load', { tape });
      await draw();
    } catch (error) {
      fail(error);
    }
  }

  draw().catch((error) => {
    if (!signal.aborted) fail(error);
  });
  const about = 'These pages replay a recording: prices, bars and outages as they were received at the time.';
  return {
    element: h(
      'section',
      { class: 'page replay' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Replay'), h('p', { class: 'faint' }, about)),
      panels,
    ),
    title: 'Replay',
    end: () => abort.abort(),
  };
}

/** @param {Replay} state */
function aboutTape({ tape, from, to, instruments }) {
  return h(
    'div',
    { class: 'panel-body' },
    factList([
      ['Tape', tape],
      ['From', from],
      ['To', to],
      ['Instruments', String(instruments.length)],
    ]),
  );
}

/** @param {Replay} state */
function instrumentsOf({ instruments }) {
  return dataTable({
    caption: 'Instruments on this tape',
    head: ['Instrument', 'Venue'],
    rows: instruments.map((key) => [
      h('a', { href: instrumentAddress(key) }, key.slice(key.indexOf(':') + 1)),
      key.slice(0, key.indexOf(':')),
    ]),
  });
}

/** @param {Replay} state @param {readonly TapeFile[]} tapes @param {(name: string) => Promise<void>} load */
function tapeTable({ tape }, tapes, load) {
  return dataTable({
    caption: 'Other tapes',
    head: ['Tape', 'Bytes', 'Replay'],
    rows: tapes.map(({ name, bytes }) => [
      name,
      number(bytes),
      name === tape ? 'playing' : h('button', { type: 'button', onclick: () => void load(name) }, `Load ${name}`),
    ]),
  });
}
