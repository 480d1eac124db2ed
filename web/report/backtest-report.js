/** Report of a backtest, alone or next to a second run. Used by the terminal and by the offline file. */
import { computeDrawdown, FIGURES, figureDifference, figureText, lengthText, statistic } from './backtest-figures.js';
import { h } from './dom.js';
import { equityChart } from './equity-chart.js';
import { gain, money } from './money.js';
import { sortedTable, tablePanel } from './sorted-table.js';
import { dataTable, factList, number } from './tables.js';
import { dayAndTime, plain, priceText } from '../words.js';

/** @typedef {import('../wire.ts').BacktestResult} Result */
/** @typedef {import('../wire.ts').BacktestTrade} Trade */
/** @typedef {import('../wire.ts').TradeGroup} Group */
/**
 * @typedef {object} Report
 * @property {string} title The name of the agent or of the manifest.
 * @property {number | null} manifestVersion
 * @property {string} resultHash
 * @property {{ readonly [name: string]: unknown }} summary
 * @property {Result} result
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const CHART_HEIGHT = 340;

/**
 * @param {Report} report
 * @param {Report | null} other Drawn over it and set beside it.
 */
export function backtestReport(report, other) {
  const { result, summary } = report;
  const chart = courseChart(report, other);
  const verdict = summary['verdict'];
  const element = h(
    'div',
    { class: 'report' },
    h('p', { class: 'faint' }, stretchWords(result)),
    typeof verdict === 'string' ? h('p', { class: 'report-verdict', 'data-passed': String(summary['passed']) }, verdict) : null,
    panel('Metrics', other === null ? renderFigures(result) : renderComparison(report, other)),
    panel(other === null ? 'Equity, benchmark and drawdown' : 'Growth of $100, with drawdown', chart.element),
    panel('Monthly returns', monthsTable(result)),
    panel('By instrument', groupTable('Trades by instrument', 'instrument', result.trades.byInstrument, result)),
    panel('By exit rule', groupTable('Trades by exit rule', 'closed by', result.trades.byExit, result)),
    tradesPanel(report),
    panel('Rules', conditionsTable(result)),
    panel('Decisions', renderDecisions(result)),
    panel('Selection bias', renderLuck(result)),
    panel('Assumptions and data', renderAssumptions(result)),
    h(
      'p',
      { class: 'faint report-hashes' },
      'Result ',
      h('code', {}, report.resultHash),
      ' of manifest ',
      h('code', {}, result.manifestHash),
      ' on history ',
      h('code', {}, result.historyHash),
    ),
  );
  return { element, end: chart.end };
}

/** @param {string} title @param {...import('./dom.js').Child} content */
function panel(title, ...content) {
  return h('section', { class: 'panel', 'aria-label': title }, h('div', { class: 'panel-head' }, h('h2', {}, title)), ...content);
}

/** @param {Result} result */
function stretchWords({ from, to, bars, timeframe, instruments }) {
  return `${dayAndTime(from)} to ${dayAndTime(to)}, ${bars} bars of ${timeframe}, ${instruments.map(({ key }) => key).join(', ')}`;
}

/** @param {Result} result */
function renderFigures(result) {
  return factList(
    FIGURES.map((figure) => [
      figure.name,
      h(
        'span',
        { class: 'report-figure' },
        h('strong', {}, figureText(figure, result)),
        h('small', { class: 'faint' }, figure.note?.(result) ?? ''),
      ),
    ]),
  );
}

/** @param {Report} first @param {Report} second */
function renderComparison(first, second) {
  return dataTable({
    caption: `${nameRun(first)} compared with ${nameRun(second)}`,
    head: ['metric', 'this run', 'other run', 'difference'],
    rows: [
      ['Period', ...[first, second].map(({ result }) => `${result.from.slice(0, 10)} to ${result.to.slice(0, 10)}`), ''],
      ...FIGURES.map((figure) => [
        figure.name,
        figureText(figure, first.result),
        figureText(figure, second.result),
        figureDifference(figure, first.result, second.result),
      ]),
    ],
  });
}

/** @param {Report} report */
function nameRun({ title, manifestVersion }) {
  return manifestVersion === null ? title : `${title} v${manifestVersion}`;
}

/**
 * Draws the equity of one run in US dollars with buy and hold, or the growth of 100 US dollars in two runs.
 * @param {Report} report
 * @param {Report | null} other
 */
function courseChart({ result }, other) {
  if (result.daily.length < 2) return { element: h('p', { class: 'faint table-empty' }, 'Not enough days for a chart.'), end: () => {} };
  const lower = { title: 'drawdown %', points: computeDrawdown(result) };
  if (other === null) {
    return equityChart({
      label: 'Equity in US dollars against buy and hold, with drawdown',
      name: 'agent',
      points: result.daily.map(({ date, equityUsd }) => ({ at: Date.parse(date), value: Number(equityUsd), text: equityUsd })),
      others: [
        {
          title: 'buy and hold',
          points: result.daily.map(({ date, benchmarkUsd }) => ({ at: Date.parse(date), value: Number(benchmarkUsd), text: benchmarkUsd })),
        },
      ],
      decimals: 2,
      lower,
      base: Number(result.capitalUsd),
      height: CHART_HEIGHT,
    });
  }
  return equityChart({
    label: 'Growth of $100 in both runs, with the drawdown of the first',
    name: 'this run',
    points: computeGrowth(result),
    others: [{ title: 'the other run', points: computeGrowth(other.result) }],
    decimals: 2,
    lower,
    base: 100,
    height: CHART_HEIGHT,
  });
}

/** @param {Result} result */
function computeGrowth({ daily, capitalUsd }) {
  return daily.map(({ date, equityUsd }) => ({ at: Date.parse(date), value: (Number(equityUsd) / Number(capitalUsd)) * 100 }));
}

/** @param {Result} result */
function monthsTable({ daily, capitalUsd }) {
  /** @type {Map<string, number>} */
  const ends = new Map();
  for (const { date, equityUsd } of daily) ends.set(date.slice(0, 7), Number(equityUsd));
  let before = Number(capitalUsd);
  /** @type {Map<string, number>} */
  const returns = new Map();
  for (const [month, end] of ends) {
    returns.set(month, (end / before - 1) * 100);
    before = end;
  }
  const years = [...new Set([...ends.keys()].map((month) => month.slice(0, 4)))];
  return dataTable({
    caption: 'Return per month (%)',
    empty: 'No data.',
    head: ['year', ...MONTHS, 'year'],
    rows: years.map((year) => {
      const months = MONTHS.map((_, index) => returns.get(`${year}-${String(index + 1).padStart(2, '0')}`));
      const whole = months.reduce((/** @type {number} */ product, change) => product * (1 + (change ?? 0) / 100), 1);
      return [year, ...months.map(percentCell), percentCell((whole - 1) * 100)];
    }),
  });
}

/** @param {number | undefined} percent */
function percentCell(percent) {
  if (percent === undefined) return '';
  const text = percent.toFixed(1);
  const way = Number(text) < 0 ? 'loss' : Number(text) > 0 ? 'profit' : 'even';
  return h('span', { class: `number gain-${way}` }, text);
}

/**
 * @param {string} caption
 * @param {string} name Of the first column.
 * @param {readonly Group[] | undefined} groups Undefined for a run of an earlier version.
 * @param {Result} result
 */
function groupTable(caption, name, groups, { trades, feesUsd }) {
  if (groups === undefined)
    return h('p', { class: 'faint table-empty' }, 'This run predates this table. Run the backtest again to see it.');
  const table = sortedTable({
    caption,
    items: groups,
    empty: 'No trades.',
    columns: [
      { name, text: (group) => group.name, cell: (group) => plain(group.name) },
      { name: 'trades', text: ({ closed, open }) => String(closed + open) },
      {
        name: 'win rate',
        text: ({ hitRatePct }) => (hitRatePct === null ? '' : String(hitRatePct)),
        cell: ({ hitRatePct }) => (hitRatePct === null ? '' : `${statistic(hitRatePct)} %`),
      },
      { name: 'P&L USD', text: (group) => group.profitUsd, cell: (group) => gain(group.profitUsd) },
      { name: 'fees USD', text: (group) => group.feesUsd, cell: (group) => money(group.feesUsd) },
      {
        name: 'average holding',
        text: ({ averageHoldingMs }) => String(averageHoldingMs ?? ''),
        cell: ({ averageHoldingMs }) => lengthText(averageHoldingMs),
      },
    ],
  });
  const whole = h(
    'p',
    { class: 'faint table-note' },
    `Total: ${trades.closed + trades.open} trades, P&L `,
    gain(trades.profitUsd),
    ' USD from closed trades, fees ',
    money(feesUsd),
    ` USD, average holding ${lengthText(trades.averageHoldingMs ?? null)}.`,
  );
  return h('div', {}, table, whole);
}

/** @type {readonly import('./sorted-table.js').Column<Trade>[]} */
const TRADE_COLUMNS = [
  { name: 'decided at', text: ({ decidedAt }) => decidedAt, cell: ({ decidedAt }) => dayAndTime(decidedAt).slice(0, 16) },
  { name: 'instrument', text: ({ instrument }) => instrument },
  { name: 'quantity', text: ({ quantity }) => quantity, cell: ({ quantity }) => number(quantity) },
  { name: 'entry price', text: ({ entryPrice }) => entryPrice, cell: ({ entryPrice }) => priceText(entryPrice) },
  {
    name: 'exit decided at',
    text: ({ exitDecidedAt }) => exitDecidedAt ?? '',
    cell: ({ exitDecidedAt }) => (exitDecidedAt === null ? 'open' : dayAndTime(exitDecidedAt).slice(0, 16)),
  },
  {
    name: 'exit price',
    text: ({ exitPrice }) => exitPrice ?? '',
    cell: ({ exitPrice }) => (exitPrice === null ? '' : priceText(exitPrice)),
  },
  {
    name: 'profit USD',
    text: ({ profitUsd }) => profitUsd ?? '',
    cell: ({ profitUsd }) => (profitUsd === null ? '' : gain(profitUsd)),
  },
  { name: 'profit %', text: ({ profitPct }) => String(profitPct ?? ''), cell: ({ profitPct }) => percentCell(profitPct ?? undefined) },
  { name: 'fees USD', text: ({ feesUsd }) => feesUsd, cell: ({ feesUsd }) => money(feesUsd) },
  { name: 'max loss %', text: ({ maePct }) => String(maePct), cell: ({ maePct }) => statistic(maePct) },
  { name: 'max gain %', text: ({ mfePct }) => String(mfePct), cell: ({ mfePct }) => statistic(mfePct) },
  { name: 'bars', text: ({ bars }) => String(bars) },
  { name: 'slippage bps', text: ({ slippageBps }) => String(slippageBps), cell: ({ slippageBps }) => statistic(slippageBps) },
  { name: 'closed by', text: ({ exitedBy }) => exitedBy.join(' + '), cell: ({ exitedBy }) => plain(exitedBy.join(' + ')) },
];

/** @param {Report} report */
function tradesPanel({ title, manifestVersion, resultHash, result: { trades } }) {
  const all = trades.closed + trades.open;
  const version = manifestVersion === null ? '' : `-v${manifestVersion}`;
  return tablePanel({
    title: 'Trades',
    told: all === trades.list.length ? `all ${all}` : `the first ${trades.list.length} of ${all}`,
    caption: 'All trades',
    columns: TRADE_COLUMNS,
    items: trades.list,
    empty: 'No trades.',
    file: { title, of: `${version}-trades`, resultHash },
  });
}

/** @param {Result} result */
function conditionsTable({ conditions }) {
  const share = (/** @type {number} */ part, /** @type {number} */ whole) => (whole === 0 ? '' : `${((part / whole) * 100).toFixed(2)} %`);
  return h(
    'div',
    {},
    dataTable({
      caption: 'Rule results, counted per bar and instrument',
      head: ['rule', 'side', 'threshold', 'evaluated', 'passed', 'unknown', 'only blocker', 'closed positions'],
      rows: conditions.map(({ side, type, threshold, evaluated, passed, unknown, lastToFail, closed }) => [
        plain(type),
        side,
        String(threshold ?? ''),
        String(evaluated),
        share(passed, evaluated),
        h('span', { class: unknown > 0 ? 'gain-loss' : '' }, share(unknown, evaluated)),
        side === 'entry' ? String(lastToFail) : '',
        side === 'exit' ? String(closed) : '',
      ]),
    }),
    h('p', { class: 'faint table-note' }, 'A rule fails if its input is unknown or not live. “Only blocker”: no other entry rule failed.'),
  );
}

/** @param {Result} result */
function renderDecisions({ dispositions, blocked, missed, checkedBars, execution, turnoverUsd }) {
  const list = (/** @type {{ readonly [word: string]: number }} */ counts) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([word, count]) => `${plain(word)} ${count}`)
      .join(', ') || 'none';
  return h(
    'div',
    { class: 'panel-body' },
    h('p', {}, `Bars by outcome: ${list(dispositions)}.`),
    h('p', {}, `Proposals blocked by risk checks: ${list(blocked)}.`),
    h('p', {}, `Orders without a fill: ${list(missed)}.`),
    execution === undefined ? '' : executionLine(execution, turnoverUsd),
    h(
      'p',
      { class: 'faint' },
      `Look-ahead check: ${checkedBars} bars were decided again with only the bars known at the time, and every outcome was the same.`,
    ),
  );
}

/**
 * @param {NonNullable<Result['execution']>} execution
 * @param {number} turnoverUsd
 */
function executionLine({ algorithm, urgency, restedUsd }, turnoverUsd) {
  const share = turnoverUsd > 0 ? ((restedUsd / turnoverUsd) * 100).toFixed(1) : '0.0';
  const how = `Execution: ${plain(algorithm)}, ${urgency} urgency`;
  return h('p', {}, `${how}. ${share} % of turnover was filled as maker, the rest as taker.`);
}

/** @param {Result} result */
function renderLuck({ luck, performance }) {
  const percent = (/** @type {number | null} */ value) => (value === null ? 'not defined' : `${(value * 100).toFixed(2)} %`);
  return dataTable({
    caption: 'Correction for the number of trials',
    head: ['statistic', 'value'],
    rows: [
      ['Trials counted, including this one', String(luck.versionsTried)],
      ['Expected best Sharpe ratio of as many worthless trials', statistic(luck.expectedBestSharpe)],
      ['Sharpe ratio of this run', statistic(performance.sharpe)],
      ['Probability that the true Sharpe ratio is above zero (probabilistic Sharpe ratio)', percent(luck.probabilisticSharpe)],
      ['Probability that it is above the expected best of worthless trials (deflated Sharpe ratio)', percent(luck.deflatedSharpe)],
      ['Skewness and kurtosis of the daily returns', `${statistic(luck.skewness)}, ${statistic(luck.kurtosis)}`],
    ],
  });
}

/** @param {Result} result */
function renderAssumptions({ assumptions, instruments }) {
  return h(
    'div',
    {},
    h(
      'ul',
      { class: 'report-assumptions' },
      assumptions.named.map((sentence) => h('li', {}, sentence)),
    ),
    dataTable({
      caption: 'Trading costs and data coverage by instrument',
      head: ['instrument', 'cost model', 'fee bps', 'half spread bps', 'depth USD', 'bars known', 'reference live', 'events known'],
      rows: instruments.map(({ key, costs, quoteKnownPct, referenceLivePct, eventsKnownPct }) => [
        key,
        costs.model,
        String(costs.feeBps),
        String(costs.halfSpreadBps),
        String(costs.depthUsd),
        `${quoteKnownPct} %`,
        `${referenceLivePct} %`,
        `${eventsKnownPct} %`,
      ]),
    }),
  );
}
