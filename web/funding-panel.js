/** The funding of one perpetual: what holding it costs now, and what it cost. */
import { partsOf } from './candle-reads.js';
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { factList, number } from './tables.js';
import { clockTime } from './words.js';

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.key
 * @param {AbortSignal} options.signal
 */
export function fundingPanel({ context, key, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const facts = h('div', {});
  const place = h('div', {});
  /** @type {ReturnType<typeof import('./equity-chart.js').equityChart> | null} */
  let chart = null;

  async function refresh() {
    try {
      /** @type {import('./api.ts').PerpDetail} */
      const perp = await read(`/v1/perps/${encodeURIComponent(partsOf(key).instrument)}`, { signal });
      say(note, perp.funding.problem ?? '');
      fill(
        facts,
        factList([
          ['Mark', number(perp.markPrice)],
          ['Oracle', number(perp.oraclePrice)],
          ['Basis', number(`${perp.basisPct} %`)],
          ['Funding per hour', number(perp.hourlyFunding)],
          ['Per year', number(`${perp.annualFundingPct} %`)],
          ['Next at', clockTime(perp.nextFundingAt)],
          ['Open interest', number(perp.openInterestNotional)],
        ]),
      );
      const points = perp.funding.items
        .map(({ at, hourlyFunding }) => ({ at: Date.parse(at), value: Number(hourlyFunding) * 100 }))
        .sort((a, b) => a.at - b.at);
      if (points.length === 0) return;
      const { equityChart } = await import('./equity-chart.js');
      if (signal.aborted) return;
      chart?.end();
      chart = equityChart({ label: 'Funding per hour in percent', points, decimals: 5, lower: null });
      fill(place, chart.element);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The funding cannot be read at the moment.');
      context.fail(error);
    }
  }

  void refresh();
  return {
    element: h(
      'div',
      { class: 'panel funding-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Funding')),
      h('div', { class: 'panel-body' }, note, facts, place),
    ),
    end: () => chart?.end(),
  };
}
