/** A backtest as one page: drawings inside, no request to anywhere, readable on paper, every text escaped. */
import { Decimal, type DecimalString } from '../../domain/decimal.ts';
import { type Cell, escaped, pathThrough, reportPage, table, words } from '../report-page.ts';
import type { BacktestResult, ConditionStatistics, EquityDayRow, TradeSummary } from './run.ts';

const WIDTH = 960;
const LEFT = 70;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
/** Trades shown one by one. */
const SHOWN_TRADES = 200;
/** Points of a drawn curve; more cannot be told apart on a page. */
const POINTS = 1_200;

const STYLE = `
*{box-sizing:border-box}body{margin:0 auto;max-width:1020px;padding:24px;font:14px/1.5 system-ui,sans-serif}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}
p{margin:4px 0}.soft{color:var(--soft)}.numbers{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:8px;margin:12px 0}
.numbers div{border:1px solid var(--line);border-radius:6px;padding:8px}.numbers b{display:block;font-size:18px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:12px}th,td{padding:3px 6px;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child,.words{text-align:left}.bad{color:var(--bad)}.good{color:var(--good)}svg{width:100%;height:auto;display:block}
.verdict{padding:8px 12px;border-radius:6px;border:1px solid var(--line);font-weight:600}.heat td{text-align:center;min-width:52px}
code{font-size:12px;word-break:break-all}@media print{body{max-width:none;padding:0}h2{break-after:avoid}tr,svg{break-inside:avoid}}
`;

/** What the page says besides the result. */
export interface ReportContext {
  readonly title: string;
  readonly resultHash: string;
  /** The gate's verdict, or why the run is no evidence. */
  readonly verdict: string;
}

/** The page. The same result gives the same text, byte for byte. */
export function backtestReport(result: BacktestResult, context: ReportContext): string {
  const title = `Backtest: ${context.title}`;
  const body = `<h1>${escaped(title)}</h1>
<p class="soft">${escaped(result.from)} to ${escaped(result.to)}, ${result.bars} bars of ${escaped(result.timeframe)}, ${result.instruments.map(({ key }) => escaped(key)).join(', ')}</p>
<p class="verdict">${escaped(context.verdict)}</p>
${numbersOf(result)}
<h2>Equity, benchmark and drawdown</h2>${equityDrawing(result)}
<h2>Monthly returns</h2>${monthsTable(result)}
<h2>Conditions</h2>${conditionsTable(result.conditions)}
<h2>Decisions</h2>${decisionsOf(result)}
<h2>Trades</h2>${tradesTable(result.trades.list, result.trades.closed + result.trades.open)}
<h2>Luck</h2>${luckOf(result)}
<h2>Assumptions and data</h2>${assumptionsOf(result)}
<p class="soft">Result <code>${escaped(context.resultHash)}</code><br>manifest <code>${escaped(result.manifestHash)}</code><br>history <code>${escaped(result.historyHash)}</code></p>`;
  return reportPage({ title, style: STYLE, body });
}

function number(value: number | null, digits = 2, unit = ''): string {
  return value === null ? 'not defined' : `${value.toFixed(digits)}${unit}`;
}

/** To the cent: the result has every digit, a tile has room for few. */
function dollars(amountUsd: DecimalString): string {
  return `${new Decimal(amountUsd).toFixed(2)} USD`;
}

function numbersOf({ performance, benchmark, trades, exposurePct, feesUsd, finalEquityUsd, method, turnoverUsd }: BacktestResult): string {
  const cell = (name: string, value: string, note = ''): string =>
    `<div>${name}<b>${escaped(value)}</b><span class="soft">${escaped(note)}</span></div>`;
  return `<div class="numbers">${[
    cell('Sharpe', number(performance.sharpe), `${method.days} days, ddof 1, × √${method.periodsPerYear}`),
    cell('Sortino', number(performance.sortino), `benchmark ${number(benchmark.sortino)}`),
    cell('Maximum drawdown', number(performance.maxDrawdownPct, 2, ' %'), `benchmark ${number(benchmark.maxDrawdownPct, 1, ' %')}`),
    cell('Return', number(performance.returnPct, 2, ' %'), `benchmark ${number(benchmark.returnPct, 1, ' %')}`),
    cell('Volatility a year', number(performance.annualVolatilityPct, 2, ' %'), `benchmark Sharpe ${number(benchmark.sharpe)}`),
    cell('Final equity', dollars(finalEquityUsd)),
    cell('Exposure', number(exposurePct, 1, ' %'), 'bars with a position'),
    cell('Closed trades', String(trades.closed), `hit rate ${number(trades.hitRatePct, 1, ' %')}`),
    cell('Average trade', number(trades.averageProfitPct, 3, ' %'), `slippage ${number(trades.averageSlippageBps, 1, ' bps')}`),
    cell('Fees', dollars(feesUsd), `turnover ${turnoverUsd.toFixed(0)} USD`),
  ].join('')}</div>`;
}

/** Indices that a drawing visits: all of them, or evenly spread ones with the last. */
function visited(length: number): number[] {
  const step = Math.max(1, Math.ceil(length / POINTS));
  const indices: number[] = [];
  for (let i = 0; i < length; i += step) indices.push(i);
  if (indices.at(-1) !== length - 1) indices.push(length - 1);
  return indices;
}

function equityDrawing({ daily, capitalUsd }: BacktestResult): string {
  if (daily.length < 2) return '<p class="soft">Too few days for a drawing.</p>';
  const [height, gap, below] = [300, 24, 110];
  const start = Number(capitalUsd);
  const equity = daily.map((day) => Number(day.equityUsd));
  const held = daily.map((day) => Number(day.benchmarkUsd));
  const low = Math.min(start, ...equity, ...held);
  const high = Math.max(start, ...equity, ...held);
  let peak = start;
  const falls = daily.map((day, i) => {
    const fall = Math.max((peak - Number(day.lowUsd)) / peak, day.drawdownPct / 100, 0);
    peak = Math.max(peak, equity[i] as number, Number(day.highUsd));
    return fall * 100;
  });
  const deepest = Math.max(...falls, 0.01);
  const indices = visited(daily.length);
  const x = (i: number): number => LEFT + (i / (daily.length - 1)) * (WIDTH - LEFT - 10);
  const y = (value: number): number => 10 + (1 - (value - low) / (high - low || 1)) * (height - 20);
  const down = (fall: number): number => height + gap + (fall / deepest) * below;
  const line = (values: readonly number[], place: (value: number) => number): string =>
    pathThrough(indices.map((i) => [x(i), place(values[i] as number)]));
  const levels = [0, 0.25, 0.5, 0.75, 1].map((share) => low + (high - low) * share);
  const years = daily.flatMap(({ date }, i) =>
    i > 0 && date.slice(0, 4) !== (daily[i - 1] as EquityDayRow).date.slice(0, 4) ? [{ i, year: date.slice(0, 4) }] : [],
  );
  const bottom = height + gap + below;
  return `<svg viewBox="0 0 ${WIDTH} ${bottom + 24}" role="img" aria-label="Equity of the agent and of buying and holding, and the drawdown of the agent">
${levels.map((level) => `<line x1="${LEFT}" x2="${WIDTH - 10}" y1="${y(level).toFixed(1)}" y2="${y(level).toFixed(1)}" stroke="var(--line)"/><text x="${LEFT - 6}" y="${(y(level) + 4).toFixed(1)}" font-size="11" text-anchor="end" fill="var(--soft)">${level.toFixed(0)}</text>`).join('')}
${years.map(({ i, year }) => `<line x1="${x(i).toFixed(1)}" x2="${x(i).toFixed(1)}" y1="10" y2="${bottom}" stroke="var(--line)"/><text x="${x(i).toFixed(1)}" y="${bottom + 16}" font-size="11" text-anchor="middle" fill="var(--soft)">${year}</text>`).join('')}
<path d="${line(held, y)}" fill="none" stroke="var(--other)" stroke-dasharray="4 3"/>
<path d="${line(equity, y)}" fill="none" stroke="var(--own)" stroke-width="1.6"/>
<path d="${line(falls, down)}L${x(daily.length - 1).toFixed(1)} ${height + gap}L${LEFT} ${height + gap}Z" fill="var(--bad)" fill-opacity="0.35" stroke="var(--bad)" stroke-width="0.7"/>
<text x="${LEFT - 6}" y="${height + gap + 4}" font-size="11" text-anchor="end" fill="var(--soft)">0 %</text>
<text x="${LEFT - 6}" y="${bottom}" font-size="11" text-anchor="end" fill="var(--soft)">-${deepest.toFixed(1)} %</text>
<text x="${LEFT + 8}" y="24" font-size="12" fill="var(--own)">agent</text><text x="${LEFT + 60}" y="24" font-size="12" fill="var(--other)">buy and hold</text><text x="${LEFT + 160}" y="24" font-size="12" fill="var(--bad)">drawdown (below)</text>
</svg>`;
}

function monthsTable({ daily, capitalUsd }: BacktestResult): string {
  const ends = new Map<string, number>();
  for (const { date, equityUsd } of daily) ends.set(date.slice(0, 7), Number(equityUsd));
  let before = Number(capitalUsd);
  const returns = new Map<string, number>();
  for (const [month, end] of ends) {
    returns.set(month, (end / before - 1) * 100);
    before = end;
  }
  const widest = Math.max(0.01, ...[...returns.values()].map(Math.abs));
  const years = [...new Set([...ends.keys()].map((month) => month.slice(0, 4)))];
  const cell = (gain: number | undefined): string => {
    if (gain === undefined) return '<td></td>';
    const colour = gain < 0 ? '179,38,30' : '20,108,46';
    return `<td style="background:rgba(${colour},${((Math.abs(gain) / widest) * 0.6).toFixed(3)})">${gain.toFixed(1)}</td>`;
  };
  const rows = years.map((year) => {
    const months = MONTHS.map((_, index) => returns.get(`${year}-${String(index + 1).padStart(2, '0')}`));
    const whole = months.reduce<number>((product, gain) => product * (1 + (gain ?? 0) / 100), 1);
    return `<tr><td>${year}</td>${months.map(cell).join('')}<td><b>${((whole - 1) * 100).toFixed(1)}</b></td></tr>`;
  });
  return `<table class="heat"><thead><tr><th>Percent</th>${MONTHS.map((month) => `<th>${month}</th>`).join('')}<th>Year</th></tr></thead><tbody>${rows.join('')}</tbody></table>`;
}

function conditionsTable(conditions: readonly ConditionStatistics[]): string {
  const share = (part: number, whole: number): string => (whole === 0 ? '' : `${((part / whole) * 100).toFixed(2)} %`);
  const rows = conditions.map(({ side, type, threshold, evaluated, passed, unknown, lastToFail, closed }): Cell[] => [
    side,
    words(`${escaped(type)} ${escaped(String(threshold ?? ''))}`),
    evaluated,
    share(passed, evaluated),
    share(evaluated - passed, evaluated),
    unknown > 0 ? { html: share(unknown, evaluated), as: 'bad' } : share(unknown, evaluated),
    side === 'entry' ? lastToFail : '',
    side === 'exit' ? closed : '',
  ]);
  const columns = ['Side', words('Rule'), 'Evaluated', 'Passed', 'Blocked', 'Unknown', 'Alone in the way', 'Closed positions'];
  return `${table(columns, rows)}
<p class="soft">Evaluated counts slots times instruments. A rule whose input is unknown or not live fails. “Alone in the way”: the only entry rule that did not pass.</p>`;
}

function decisionsOf({ dispositions, blocked, missed, checkedBars }: BacktestResult): string {
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([word, count]) => `${escaped(word)} ${count}`)
      .join(', ') || 'none';
  return `<p>Bars by disposition: ${list(dispositions)}.</p><p>Proposals that risk blocked: ${list(blocked)}.</p><p>Orders that came to no fill: ${list(missed)}.</p>
<p class="soft">${checkedBars} bars were decided anew by the plain decider on the bars known then, with the same outcome.</p>`;
}

function tradesTable(trades: readonly TradeSummary[], total: number): string {
  const shown = trades.slice(0, SHOWN_TRADES);
  const rows = shown.map((trade): Cell[] => {
    const gain = trade.profitPct;
    return [
      escaped(trade.decidedAt.slice(0, 16)),
      words(escaped(trade.instrument)),
      escaped(trade.quantity),
      escaped(trade.entryPrice),
      escaped(trade.exitPrice ?? 'open'),
      { html: number(gain, 2, ' %').replace('not defined', ''), as: gain === null ? '' : gain < 0 ? 'bad' : 'good' },
      trade.maePct.toFixed(2),
      trade.mfePct.toFixed(2),
      trade.bars,
      words(escaped(trade.exitedBy.join(', '))),
    ];
  });
  const rest = total > shown.length ? `<p class="soft">The first ${shown.length} of ${total} trades.</p>` : '';
  const sizes = ['Quantity', 'Entry', 'Exit', 'Profit', 'MAE %', 'MFE %', 'Bars'];
  return `${table(['Decided', words('Instrument'), ...sizes, words('Closed by')], rows)}${rest}`;
}

function luckOf({ luck, performance }: BacktestResult): string {
  const percent = (value: number | null): string => (value === null ? 'not defined' : `${(value * 100).toFixed(2)} %`);
  return `<table><tbody>
<tr><td>Manifest versions of this agent that were backtested, this one included</td><td>${luck.versionsTried}</td></tr>
<tr><td>Sharpe ratio that the best of so many worthless versions is expected to show</td><td>${number(luck.expectedBestSharpe)}</td></tr>
<tr><td>Sharpe ratio of this version</td><td>${number(performance.sharpe)}</td></tr>
<tr><td>Probability that its true Sharpe ratio lies above zero (probabilistic Sharpe ratio)</td><td>${percent(luck.probabilisticSharpe)}</td></tr>
<tr><td>Probability that it lies above what luck among the versions explains (deflated Sharpe ratio)</td><td>${percent(luck.deflatedSharpe)}</td></tr>
<tr><td>Skewness and kurtosis of the daily returns</td><td>${number(luck.skewness)}, ${number(luck.kurtosis)}</td></tr>
</tbody></table>`;
}

function assumptionsOf({ assumptions, instruments }: BacktestResult): string {
  const rows = instruments.map(({ key, costs, quoteKnownPct, referenceLivePct, eventsKnownPct }): Cell[] => [
    escaped(key),
    words(escaped(costs.model)),
    costs.feeBps,
    costs.halfSpreadBps,
    costs.depthUsd,
    `${quoteKnownPct} %`,
    `${referenceLivePct} %`,
    `${eventsKnownPct} %`,
  ]);
  const known = ['Bars known', 'Reference live', 'Events known'];
  return `<ul>${assumptions.named.map((sentence) => `<li>${escaped(sentence)}</li>`).join('')}</ul>
${table(['Instrument', words('Cost model'), 'Fee bps', 'Half spread bps', 'Depth USD', ...known], rows)}`;
}
