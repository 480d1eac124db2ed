/** What one agent has earned, how far it is at its gate, what could be done next, and why it trades nothing where it does not. */
import { fill, h } from './dom.js';
import { gateHere, nextAction, progressWords } from './gate-progress.js';
import { read } from './http.js';
import { gain, money } from './money.js';
import { factList } from './tables.js';
import { plain } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./api.ts').Performance} Performance */
/** @typedef {Performance['books'][number]} Earned */

/** How many of the newest decisions are asked why they traded nothing. */
const DECISIONS = 60;

/** @param {{ readonly context: import('./shell.js').Context, readonly id: string, readonly signal: AbortSignal }} options */
export function agentSummary({ context, id, signal }) {
  const place = h('div', {});
  const course = h('div', {});
  /** @type {{ end(): void } | null} */
  let chart = null;
  let shown = '';

  /** @param {Agent} agent */
  async function refresh(agent) {
    try {
      const [paper, live, gates] = await Promise.all([
        read('/v1/portfolio/performance?mode=paper', { signal }),
        read('/v1/portfolio/performance?mode=live', { signal }),
        read(`/v1/agents/${id}/gates`, { signal }),
      ]);
      const books = [.../** @type {Performance} */ (live).books, .../** @type {Performance} */ (paper).books].filter(
        ({ agentId }) => agentId === id,
      );
      const book = books.find(({ manifestVersion }) => manifestVersion === null || manifestVersion === agent.manifestVersion) ?? null;
      const gate = gateHere(/** @type {{ readonly gates: readonly import('./wire.ts').Gate[] }} */ (gates).gates);
      const why = book === null || book.version === 0 ? await whyNoTrades(id, agent, signal) : null;
      fill(
        place,
        why === null ? null : h('p', { class: 'why-none' }, h('strong', {}, 'Why no trades? '), why),
        factList(factsOf(agent, book, gate)),
      );
      if (book !== null && book.version > 0) await drawCourse(book);
    } catch (error) {
      if (!signal.aborted) context.fail(error);
    }
  }

  /** @param {Earned} book */
  async function drawCourse({ bookId }) {
    /** @type {import('./api.ts').Equity} */
    const { items } = await read(`/v1/books/${encodeURIComponent(bookId)}/equity`, { signal });
    const known = items.flatMap(({ at, pnlUsd, drawdownPct }) =>
      pnlUsd === null || drawdownPct === null ? [] : [{ at: Date.parse(at), value: Number(pnlUsd), drawdown: -drawdownPct }],
    );
    const key = `${bookId} ${known.length} ${known.at(-1)?.at}`;
    if (key === shown || known.length < 2) return;
    const { equityChart } = await import('./equity-chart.js');
    if (signal.aborted) return;
    shown = key;
    chart?.end();
    const lower = { title: 'drawdown %', points: known.map(({ at, drawdown }) => ({ at, value: drawdown })) };
    const made = equityChart({ label: 'Profit and loss in US dollars, and the drawdown', points: known, decimals: 2, lower });
    chart = made;
    fill(course, h('details', { class: 'options course' }, h('summary', {}, 'Course of profit and loss'), made.element));
  }

  return { element: h('div', { class: 'agent-summary' }, place, course), refresh, end: () => chart?.end() };
}

/**
 * @param {Agent} agent
 * @param {Earned | null} book
 * @param {import('./wire.ts').Gate | null} gate
 * @returns {readonly (readonly [string, import('./dom.js').Child])[]}
 */
function factsOf(agent, book, gate) {
  const none = () => h('span', { class: 'faint' }, 'no book yet');
  return [
    ['Earned', book === null ? none() : gain(book.pnlUsd)],
    ['Today', book === null || book.todayUsd === null ? h('span', { class: 'faint' }, 'not begun') : gain(book.todayUsd)],
    ['Unrealized', book === null ? none() : gain(book.unrealizedPnlUsd)],
    ['Equity', book === null ? none() : money(book.equityUsd)],
    ['Gate', progressWords(gate)],
    ['Next', nextAction(agent, gate)],
  ];
}

/**
 * What kept the newest decisions from trading, the most frequent first.
 * @param {string} id
 * @param {Agent} agent
 * @param {AbortSignal} signal
 */
async function whyNoTrades(id, { paused, autonomy }, signal) {
  if (paused) return 'It is paused, so it decides nothing.';
  /** @type {import('./wire.ts').Page<import('./wire.ts').Decision>} */
  const { items } = await read(`/v1/agents/${id}/decisions?limit=${DECISIONS}`, { signal });
  if (items.length === 0) return 'It has not decided yet; it does so once a minute.';
  const entered = items.filter(({ disposition }) => disposition === 'propose_entry').length;
  if (entered > 0 && (autonomy === 'research' || autonomy === 'suggest'))
    return `${entered} of its last ${items.length} decisions would have entered, but at ${plain(autonomy)} it orders nothing.`;
  /** @type {Map<string, number>} */
  const kept = new Map();
  for (const { rules, reason } of items) {
    const failed = rules.filter(({ side, passed }) => side === 'entry' && !passed).map(({ type }) => type);
    for (const cause of new Set(failed.length > 0 ? failed : [reason ?? 'hold'])) kept.set(cause, (kept.get(cause) ?? 0) + 1);
  }
  const words = [...kept]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([cause, count]) => `${plain(cause)} in ${count}`);
  return `Of its last ${items.length} decisions these entry rules failed for some instrument: ${words.join(', ')}.`;
}
