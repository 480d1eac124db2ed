/** The report of a sweep: every variant as a trial, what luck among all trials explains, and what picking would have earned. */
import { drawdownOf, statistic } from './backtest-figures.js';
import { h } from './dom.js';
import { equityChart } from './equity-chart.js';
import { gain, money } from './money.js';
import { tablePanel } from './sorted-table.js';
import { dataTable, factList } from './tables.js';
import { dayAndTime } from './words.js';

/** @typedef {import('./wire.ts').SweepResult} Result */
/** @typedef {import('./wire.ts').SweepTrial} Trial */
/**
 * @typedef {object} Report
 * @property {string} title The name of the agent.
 * @property {number | null} manifestVersion
 * @property {string} resultHash
 * @property {{ readonly [name: string]: unknown }} summary
 * @property {Result} result
 */

/** @param {Report} report */
export function sweepReport(report) {
  const { result } = report;
  const walked = walkChart(result);
  const best = bestChart(result);
  const element = h(
    'div',
    { class: 'report' },
    h(
      'p',
      { class: 'faint' },
      `${dayAndTime(result.from)} to ${dayAndTime(result.to)}, ${result.bars} bars of ${result.timeframe}, ${result.instruments.join(', ')}`,
    ),
    panel('Trials', countedOf(result)),
    panel('Walk-forward: each training window picks, the test window after it counts', walked.element, foldsTable(result)),
    trialsPanel(report),
    panel('The best variant of the whole stretch, picked with hindsight', best.element),
    panel(
      'Assumptions',
      h(
        'ul',
        { class: 'report-assumptions' },
        result.assumptions.map((sentence) => h('li', {}, sentence)),
      ),
    ),
    h(
      'p',
      { class: 'faint report-hashes' },
      'Result ',
      h('code', {}, report.resultHash),
      ' on history ',
      h('code', {}, result.historyHash),
    ),
  );
  return {
    element,
    end() {
      walked.end();
      best.end();
    },
  };
}

/** @param {string} title @param {...import('./dom.js').Child} content */
function panel(title, ...content) {
  return h('section', { class: 'panel', 'aria-label': title }, h('div', { class: 'panel-head' }, h('h2', {}, title)), ...content);
}

/** @param {number | null} value */
function percentOf(value) {
  return value === null ? 'not defined' : `${(value * 100).toFixed(2)} %`;
}

/** @param {Result} result */
function countedOf({ counted, expectedBestSharpe, trials, best, walkForward }) {
  const top = trials[best];
  return h(
    'div',
    {},
    factList([
      ['Trials counted', String(counted.total)],
      ['Of this sweep', String(counted.ofThisSweep)],
      ['Earlier ones', String(counted.earlier)],
      ['Sharpe by luck alone', statistic(expectedBestSharpe)],
      ['Sharpe of the best', statistic(top?.sharpe ?? null)],
      ['Deflated Sharpe of the best', percentOf(top?.deflatedSharpe ?? null)],
      ['Sharpe of the walk', statistic(walkForward?.performance.sharpe ?? null)],
      ['Deflated Sharpe of the walk', percentOf(walkForward?.deflatedSharpe ?? null)],
    ]),
    h(
      'p',
      { class: 'faint table-note' },
      'Who tries often finds something that looks good by luck alone. So every manifest counts, once for each stretch, that was backtested, swept or previewed in this organization and whose daily returns correlate by 0.5 or more with those of the best variant. The deflated Sharpe ratio is the probability that the true ratio lies above what the best of so many worthless trials would show: the Sharpe by luck alone.',
    ),
  );
}

/** @param {Result} result */
function walkChart({ walkForward }) {
  if (walkForward === null)
    return {
      element: h('p', { class: 'faint table-empty' }, 'The stretch is too short: it has no day after the first training window.'),
      end: () => {},
    };
  let peak = 100;
  const drawdown = walkForward.daily.map(({ date, growth }) => {
    peak = Math.max(peak, growth);
    return { at: Date.parse(date), value: (growth / peak - 1) * 100 };
  });
  return equityChart({
    label: 'What 100 became in the test windows, and the drawdown',
    points: walkForward.daily.map(({ date, growth }) => ({ at: Date.parse(date), value: growth })),
    decimals: 2,
    lower: { title: 'drawdown %', points: drawdown },
    base: 100,
  });
}

/** @param {Result} result */
function foldsTable({ walkForward, trials, parameters }) {
  if (walkForward === null) return null;
  const { performance } = walkForward;
  return h(
    'div',
    {},
    dataTable({
      caption: `${walkForward.trainDays} days pick, ${walkForward.testDays} days count: ${statistic(performance.returnPct)} % in all, deepest fall ${statistic(performance.maxDrawdownPct)} %`,
      head: ['tested', 'picked on', 'picked', 'Sharpe while picked', 'Sharpe tested', 'return tested'],
      rows: walkForward.folds.map(({ testFrom, testTo, trainFrom, trainTo, picked, trainSharpe, testSharpe, testReturnPct }) => [
        `${testFrom} to ${testTo}`,
        `${trainFrom} to ${trainTo}`,
        parameters.map(({ path }, index) => `${path} ${trials[picked]?.values[index]}`).join(', '),
        statistic(trainSharpe),
        statistic(testSharpe),
        `${statistic(testReturnPct)} %`,
      ]),
    }),
  );
}

/** @param {Report} report */
function trialsPanel({ title, resultHash, result }) {
  return tablePanel({
    title: 'Variants',
    told: `all ${result.trials.length}`,
    caption: 'Variants one by one',
    columns: columnsOf(result),
    items: result.trials,
    empty: 'No variant.',
    file: { title, of: '-sweep', resultHash },
  });
}

/** @param {Result} result @returns {readonly import('./sorted-table.js').Column<Trial>[]} */
function columnsOf({ parameters }) {
  const ratio = (/** @type {number | null} */ value) => String(value ?? '');
  return [
    ...parameters.map(({ path }, index) => ({ name: path, text: (/** @type {Trial} */ { values }) => String(values[index]) })),
    { name: 'Sharpe', text: ({ sharpe }) => ratio(sharpe), cell: ({ sharpe }) => statistic(sharpe) },
    {
      name: 'deflated Sharpe',
      text: ({ deflatedSharpe }) => ratio(deflatedSharpe),
      cell: ({ deflatedSharpe }) => percentOf(deflatedSharpe),
    },
    { name: 'drawdown %', text: ({ maxDrawdownPct }) => ratio(maxDrawdownPct), cell: ({ maxDrawdownPct }) => statistic(maxDrawdownPct) },
    { name: 'return %', text: ({ returnPct }) => ratio(returnPct), cell: ({ returnPct }) => statistic(returnPct) },
    { name: 'closed trades', text: ({ closedTrades }) => String(closedTrades) },
    {
      name: 'win rate %',
      text: ({ hitRatePct }) => ratio(hitRatePct),
      cell: ({ hitRatePct }) => (hitRatePct === null ? '' : statistic(hitRatePct)),
    },
    { name: 'profit USD', text: ({ profitUsd }) => profitUsd, cell: ({ profitUsd }) => gain(profitUsd) },
    { name: 'fees USD', text: ({ feesUsd }) => feesUsd, cell: ({ feesUsd }) => money(feesUsd) },
  ];
}

/** @param {Result} result */
function bestChart({ bestDaily, capitalUsd }) {
  if (bestDaily.length < 2) return { element: h('p', { class: 'faint table-empty' }, 'Too few days for a drawing.'), end: () => {} };
  return equityChart({
    label: 'Equity of the best variant in US dollars beside buying and holding, and the drawdown',
    name: 'best variant',
    points: bestDaily.map(({ date, equityUsd }) => ({ at: Date.parse(date), value: Number(equityUsd), text: equityUsd })),
    others: [
      {
        title: 'buy and hold',
        points: bestDaily.map(({ date, benchmarkUsd }) => ({ at: Date.parse(date), value: Number(benchmarkUsd), text: benchmarkUsd })),
      },
    ],
    decimals: 2,
    lower: { title: 'drawdown %', points: drawdownOf({ daily: bestDaily, capitalUsd }) },
    base: Number(capitalUsd),
  });
}
