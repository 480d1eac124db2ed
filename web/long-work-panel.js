/** Long work without a page of its own: how far each is, how long it still takes, what it waits for and who works at it. */
import { fill, h } from './dom.js';
import { read } from './http.js';
import { withheld } from './permissions.js';
import { dataTable } from './tables.js';
import { dayAndTime, plain, zoneWord } from './words.js';
import { workLine } from './work-line.js';

/** @typedef {import('./api.ts').LongWork} LongWork */

const SHOWN = 50;
/** Interval of reading while the panel is visible: shorter while work is running. */
const RUNNING_MS = 2_000;
const IDLE_MS = 10_000;

/** @param {{ readonly signal: AbortSignal, readonly fail: (error: unknown) => void }} options */
export function longWorkPanel({ signal, fail }) {
  const refused = withheld('agent:read', 'The list of background work');
  if (refused !== null) return refused;
  const element = h('div', {});
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next;
  signal.addEventListener('abort', () => clearTimeout(next), { once: true });

  async function refresh() {
    let isRunning = false;
    // Nothing is read for whoever looks at something else.
    if (!document.hidden && (element.childElementCount === 0 || element.offsetParent !== null)) {
      try {
        /** @type {import('./wire.ts').Page<LongWork>} */
        const { items } = await read(`/v1/runtime/work?limit=${SHOWN}`, { signal });
        isRunning = items.some(({ state }) => state === 'running');
        fill(element, table(items));
      } catch (error) {
        if (!signal.aborted) fail(error);
      }
    }
    if (!signal.aborted) next = setTimeout(() => void refresh(), isRunning || element.offsetParent === null ? RUNNING_MS : IDLE_MS);
  }
  void refresh();
  return element;
}

/** @param {readonly LongWork[]} items */
function table(items) {
  return dataTable({
    caption: 'Imports, backfills, archiving and sandbox runs, newest first',
    head: ['job', 'target', 'source', 'started by', `started, ${zoneWord()}`, 'state', 'progress'],
    rows: items.map((work) => [
      `${plain(work.kind)} (no. ${work.id})`,
      h('span', { class: 'long' }, work.subject),
      h('span', { class: 'long' }, work.source),
      work.workedOnBy,
      h('span', { class: 'number' }, dayAndTime(work.begunAt)),
      stateOf(work),
      farOf(work),
    ]),
    empty: 'No background work in the last week.',
  });
}

/** @param {LongWork} work */
function stateOf({ state, seenAt }) {
  if (state === 'silent') return h('strong', { class: 'wrong' }, `stopped: last sign of life ${dayAndTime(seenAt)}`);
  return state === 'failed' ? h('strong', { class: 'wrong' }, plain(state)) : plain(state);
}

/** @param {LongWork} work */
function farOf(work) {
  if (work.error !== null) return h('span', { class: 'long' }, work.error);
  const line = workLine(`${plain(work.kind)} of ${work.subject}`);
  line.show(work);
  return line.element;
}
