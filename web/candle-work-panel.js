/** Imports and backfills of candles: how far each is, how long it still takes and what it waits for. */
import { fill, h } from './dom.js';
import { read } from './http.js';
import { withheld } from './permissions.js';
import { dataTable } from './tables.js';
import { dayAndTime, plain, zoneWord } from './words.js';
import { workLine } from './work-line.js';

/** @typedef {import('./api.ts').CandleWork} CandleWork */

const SHOWN = 50;
/** How often it is read anew while somebody looks: sooner where one is under way. */
const RUNNING_MS = 2_000;
const IDLE_MS = 10_000;

/** @param {{ readonly signal: AbortSignal, readonly fail: (error: unknown) => void }} options */
export function candleWorkPanel({ signal, fail }) {
  const refused = withheld('market:read', 'The list of imports');
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
        /** @type {import('./wire.ts').Page<CandleWork>} */
        const { items } = await read(`/v1/candles/work?limit=${SHOWN}`, { signal });
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

/** @param {readonly CandleWork[]} items */
function table(items) {
  return dataTable({
    caption: 'Imports and backfills of candles, newest first',
    head: ['work', 'bars', `begun, ${zoneWord()}`, 'state', 'how far it is'],
    rows: items.map((work) => [
      `${work.kind} from ${work.source}`,
      `${work.venue} ${work.instrument} ${work.timeframe}`,
      h('span', { class: 'number' }, dayAndTime(work.begunAt)),
      stateOf(work),
      farOf(work),
    ]),
    empty: 'Nothing was imported or fetched in the last week.',
  });
}

/** @param {CandleWork} work */
function stateOf({ state, seenAt }) {
  if (state === 'silent') return h('strong', { class: 'wrong' }, `silent since ${dayAndTime(seenAt)}`);
  return state === 'failed' ? h('strong', { class: 'wrong' }, plain(state)) : plain(state);
}

/** @param {CandleWork} work */
function farOf(work) {
  if (work.error !== null) return h('span', { class: 'long' }, work.error);
  const line = workLine(`${work.kind} of ${work.instrument}`);
  line.show(work);
  return line.element;
}
