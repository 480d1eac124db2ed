/** Summary of one agent: its earnings, its gate, its next step, and why it does not trade. */
import { fill, h } from './dom.js';
import { gateHere, nextAction, progressWords } from './gate-progress.js';
import { read } from './http.js';
import { gain, money } from './money.js';
import { factList } from './tables.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {import('./api.ts').Performance} Performance */
/** @typedef {Performance['books'][number]} Earned */

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
      const { gates: all, whyNoTrades } = /** @type {import('./wire.ts').Gates} */ (gates);
      const gate = gateHere(all);
      fill(
        place,
        whyNoTrades.length === 0 ? null : h('p', { class: 'why-none' }, h('strong', {}, 'Why no trades? '), whyNoTrades.join(' ')),
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
    const made = equityChart({ label: 'P&L in US dollars, with drawdown', points: known, decimals: 2, lower });
    chart = made;
    fill(course, h('details', { class: 'options course' }, h('summary', {}, 'P&L curve'), made.element));
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
  const none = () => h('span', { class: 'faint' }, '–');
  return [
    ['Total P&L', book === null ? none() : gain(book.pnlUsd)],
    ['Today', book === null || book.todayUsd === null ? h('span', { class: 'faint' }, '–') : gain(book.todayUsd)],
    ['Unrealized', book === null ? none() : gain(book.unrealizedPnlUsd)],
    ['Equity', book === null ? none() : money(book.equityUsd)],
    ['Gate', progressWords(gate)],
    ['Next', nextAction(agent, gate)],
  ];
}
