/** Report of a sweep: every variant as a trial, the best Sharpe that luck explains, and the walk-forward result. */
import { computeDrawdown, statistic } from './backtest-figures.js';
import { h } from './dom.js';
import { equityChart } from './equity-chart.js';
import { gain, money } from './money.js';
import { tablePanel } from './sorted-table.js';
import { dataTable, factList } from './tables.js';
import { dayAndTime } from '../words.js';

/** @typedef {import('../wire.ts').SweepResult} Result */
/** @typedef {import('../wire.ts').SweepTrial} Trial */
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
    panel('Trials', renderCounted(result)),
    panel('Walk-forward: picked on each training window, measured on the test window after it', walked.element, foldsTable(result)),
    trialsPanel(report),
    panel('Best variant of the whole period (picked with hindsight)', best.element),
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
function formatPercent(value) {
  return value === null ? '–' : `${(value * 100).toFixed(2)} %`;
}

/** @param {Result} result */
function renderCounted({ counted, expectedBestSharpe, trials, best, walkForward }) {
  const top = trials[best];
  return h(
    'div',
    {},
    factList([
      ['Trials counted', String(counted.total)],
      ['In this sweep', String(counted.ofThisSweep)],
      ['Earlier trials', String(counted.earlier)],
      ['Expected best Sharpe of worthless trials', statistic(expectedBestSharpe)],
      ['Best Sharpe', statistic(top?.sharpe ?? null)],
      ['Deflated best Sharpe', formatPercent(top?.deflatedSharpe ?? null)],
      ['Walk-forward Sharpe', statistic(walkForward?.performance.sharpe ?? null)],
      ['Deflated walk-forward Sharpe', formatPercent(walkForward?.deflatedSharpe ?? null)],
    ]),
    h(
      'p',
      { class: 'faint table-note' },
      'If you try often enough, something looks good by chance. Every manifest that this organization backtested, swept or previewed counts as a trial, once per period, if its daily returns correlate with the best variant by 0.5 or more. The deflated Sharpe ratio is the probability that the true Sharpe ratio is above the best that as many worthless trials would be expected to show.',
    ),
  );
}

/** @param {Result} result */
function walkChart({ walkForward }) {
  if (walkForward === null)
    return {
      element: h('p', { class: 'faint table-empty' }, 'The period is too short: it has no day after the first training window.'),
      end: () => {},
    };
  let peak = 100;
  const drawdown = walkForward.daily.map(({ date, growth }) => {
    peak = Math.max(peak, growth);
    return { at: Date.parse(date), value: (growth / peak - 1) * 100 };
  });
  return equityChart({
    label: 'Growth of 100 in the test windows, with drawdown',
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
      caption: `${walkForward.trainDays} training days, ${walkForward.testDays} test days: total return ${statistic(performance.returnPct)} %, max drawdown ${statistic(performance.maxDrawdownPct)} %`,
      head: ['test window', 'training window', 'picked variant', 'training Sharpe', 'test Sharpe', 'test return'],
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
    caption: 'All variants',
    columns: buildColumns(result),
    items: result.trials,
    empty: 'No variants.',
    file: { title, of: '-sweep', resultHash },
  });
}

/** @param {Result} result @returns {readonly import('./sorted-table.js').Column<Trial>[]} */
function buildColumns({ parameters }) {
  const ratio = (/** @type {number | null} */ value) => String(value ?? '');
  return [
    ...parameters.map(({ path }, index) => ({ name: path, text: (/** @type {Trial} */ { values }) => String(values[index]) })),
    { name: 'Sharpe', text: ({ sharpe }) => ratio(sharpe), cell: ({ sharpe }) => statistic(sharpe) },
    {
      name: 'deflated Sharpe',
      text: ({ deflatedSharpe }) => ratio(deflatedSharpe),
      cell: ({ deflatedSharpe }) => formatPercent(deflatedSharpe),
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
  if (bestDaily.length < 2) return { element: h('p', { class: 'faint table-empty' }, 'Not enough days for a chart.'), end: () => {} };
  return equityChart({
    label: 'Equity of the best variant in US dollars against buy and hold, with drawdown',
    name: 'best variant',
    points: bestDaily.map(({ date, equityUsd }) => ({ at: Date.parse(date), value: Number(equityUsd), text: equityUsd })),
    others: [
      {
        title: 'buy and hold',
        points: bestDaily.map(({ date, benchmarkUsd }) => ({ at: Date.parse(date), value: Number(benchmarkUsd), text: benchmarkUsd })),
      },
    ],
    decimals: 2,
    lower: { title: 'drawdown %', points: computeDrawdown({ daily: bestDaily, capitalUsd }) },
    base: Number(capitalUsd),
  });
}
