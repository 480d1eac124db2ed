/** The funding of one perpetual: what holding it costs now, and what it cost. */
import { partsOf } from './timeframes.js';
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { factList, number } from './tables.js';
import { clockTime } from './words.js';

/** Funding comes by no feed; it is read again so often, also where the venue refused its history a moment ago. */
const READ_EVERY_MS = 20_000;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.key
 * @param {AbortSignal} options.signal
 */
export function fundingPanel({ context, key, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const facts = h('div', {});
  const course = fundingCourse(signal);

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
          ['Next funding', clockTime(perp.nextFundingAt)],
          ['Open interest', number(perp.openInterestNotional)],
        ]),
      );
      await course.draw(perp.funding.items);
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The funding rates could not be loaded.');
      context.fail(error);
    }
  }

  void refresh();
  const again = setInterval(() => void refresh(), READ_EVERY_MS);
  return {
    element: h(
      'div',
      { class: 'panel funding-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Funding')),
      h('div', { class: 'panel-body' }, note, facts, course.element),
    ),
    end() {
      clearInterval(again);
      course.end();
    },
  };
}

/** The rates that were paid, as a curve; drawn anew where there is another one. @param {AbortSignal} signal */
function fundingCourse(signal) {
  const element = h('div', {});
  /** @type {ReturnType<typeof import('./equity-chart.js').equityChart> | null} */
  let chart = null;
  let drawn = '';
  return {
    element,
    /** @param {import('./api.ts').PerpDetail['funding']['items']} rates */
    async draw(rates) {
      const wanted = JSON.stringify(rates);
      if (rates.length === 0 || wanted === drawn) return;
      const { equityChart } = await import('./equity-chart.js');
      if (signal.aborted) return;
      const points = rates
        .map(({ at, hourlyFunding }) => ({ at: Date.parse(at), value: Number(hourlyFunding) * 100 }))
        .sort((a, b) => a.at - b.at);
      chart?.end();
      chart = equityChart({ label: 'Hourly funding rate (%)', points, decimals: 5, lower: null });
      drawn = wanted;
      fill(element, chart.element);
    },
    end: () => chart?.end(),
  };
}
