/** Closings of an agent that are not sold yet: one line each, with what it waits for. */
import { fill, h } from './dom.js';
import { read } from './http.js';
import { priceText, symbolOf } from './words.js';
import { workLine } from './work-line.js';

/** Prices come and go without a word of the agent: while something is being closed, it is read again. */
const READ_EVERY_MS = 5_000;

/** @typedef {import('./wire.ts').Agent} Agent */

/** @param {{ readonly id: string, readonly signal: AbortSignal, readonly fail: (error: unknown) => void }} options */
export function closingLines({ id, signal, fail }) {
  const element = h('div', { class: 'closings', hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again;

  async function refresh() {
    try {
      describe(await read(`/v1/agents/${id}`, { signal }));
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  /** @param {Pick<Agent, 'closing'>} agent */
  function describe({ closing }) {
    clearTimeout(again);
    element.hidden = closing.length === 0;
    fill(element, closing.map(closingLine));
    if (closing.length > 0 && !signal.aborted) again = setTimeout(() => void refresh(), READ_EVERY_MS);
  }

  return { element, describe, end: () => clearTimeout(again) };
}

/** @param {Agent['closing'][number]} closing */
function closingLine({ instrument, limitPrice, closedBy, waitingFor = null }) {
  const line = workLine('closing');
  line.show({ progress: null, remainingMs: null, waitingFor });
  const what = instrument === null ? 'all positions' : symbolOf(instrument);
  const at = limitPrice === null ? 'at market' : `at ${priceText(limitPrice)} or better`;
  return h(
    'div',
    { 'data-closing-of': instrument ?? '' },
    h('p', {}, h('strong', {}, 'Closing: '), `${what}, ${at}, by ${closedBy}`),
    line.element,
  );
}
