/** Backtest as one pure function: manifest, history and assumptions in, one canonical result out. */

import { type Assumptions, computeTradeCosts, type TradeCosts } from '../../domain/backtest/assumptions.ts';
import type { PreviewTrade } from '../../domain/backtest/preview.ts';
import type { DailyReturns } from '../../domain/backtest/daily-returns.ts';
import type { Opening } from '../../domain/backtest/agreement.ts';
import type { ForeknowledgeVerdict, PathResult } from '../../domain/backtest/foreknowledge.ts';
import { findConditionDefinition } from '../../domain/conditions/index.ts';
import { compileManifest } from '../../domain/agents/decide.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { BacktestSeries } from '../../domain/agents/evidence.ts';
import { executionInWords } from '../../domain/manifest/execution-words.ts';
import { type Manifest, manifestHash } from '../../domain/manifest/manifest.ts';
import { COST_MODELS } from '../../domain/orders/costs.ts';
import { computeLeverage } from '../../domain/orders/margin.ts';
import { combineMandate } from '../../domain/risk/mandate.ts';
import { DEFAULT_PREFERENCES } from '../../domain/risk/preferences.ts';
import { tradingDay } from '../../domain/market/session.ts';
import { sampleDeviation } from '../../domain/values/statistics.ts';
import { DAY_MS, isoTime } from '../../domain/values/time.ts';
import { checkAgainstPlain } from './decision-columns.ts';
import { ASSUMED_HOURLY_FUNDING, EVENTS_KNOWN, type History, type InstrumentColumns, QUOTE_LIVE, REFERENCE_LIVE } from './history.ts';
import {
  type DayCount,
  expectedBestSharpe,
  maxDrawdown,
  PERIODS_PER_YEAR,
  probabilisticSharpe,
  returnsAlong,
  computeShape,
  sharpeRatio,
  sortinoRatio,
} from './ratios.ts';
import { evaluateRules, type HistoryInputs, type RuleBook } from './rule-columns.ts';
import { FinerBars, type FinerReads, type FinerUse } from './finer-bars.ts';
import { DISPOSITION_CODES, type MissReason, SEEN, type Simulation, simulate, simulateInside } from './simulate.ts';
import { type TradeGroup, tradeGroups } from './trade-groups.ts';
import { type InstrumentUnits, type Trade, unitsText } from './trade-ledger.ts';

/** Number of bars whose decision the plain decider repeats, in addition to those with trades. */
const CHECKED_BARS = 64;
/** Maximum number of trades that a result lists. The statistics cover all. */
const TRADES_KEPT = 20_000;

/** Other trials of the same idea. The more there were, the better luck can look. */
interface Trials {
  /** Number of manifest and range combinations tried, including this one. */
  readonly versions: number;
  /** Annualized Sharpe ratios of the other trials that were measured. */
  readonly otherSharpes: readonly number[];
}

/** Trials of an idea that nobody else tried. */
export const NO_OTHERS: Trials = { versions: 1, otherSharpes: [] };

/** Known trials, or a query for them. A family consists of trials with correlated returns, so the query needs the returns. */
export type TrialsAsked = Trials | ((returns: DailyReturns) => Promise<Trials>);

/** Day of the equity curve, marked at every candle. Money is decimal text. */
export interface EquityDayRow {
  /** UTC date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly equityUsd: DecimalString;
  readonly highUsd: DecimalString;
  readonly lowUsd: DecimalString;
  /** Maximum drawdown from a peak of this day to a later mark of it, in percent of the peak. */
  readonly drawdownPct: number;
  readonly benchmarkUsd: DecimalString;
}

/** Statistics of one rule over the whole run. Counts are slots times instruments. */
interface ConditionStatistics {
  readonly side: 'entry' | 'exit';
  readonly type: string;
  readonly threshold: number | string | null;
  /** Slots at which it was evaluated. Position rules count only while a position is open. */
  readonly evaluated: number;
  readonly passed: number;
  readonly blocked: number;
  /** Slots at which an input was unknown or not live. The rule does not pass then. */
  readonly unknown: number;
  /** Slots at which this entry rule was the only one that failed. */
  readonly lastToFail: number;
  /** Positions that this exit rule closed, alone or with others. */
  readonly closed: number;
}

interface TradeSummary extends PreviewTrade {
  readonly feesUsd: DecimalString;
  /** Funding paid by the holder of a perpetual; negative if received. The rest of the profit, apart from fees, comes from the price. */
  readonly fundingUsd: DecimalString;
  readonly profitPct: number | null;
  /** Maximum adverse and favorable excursion from the entry price, in percent. */
  readonly maePct: number;
  readonly mfePct: number;
  readonly bars: number;
  readonly slippageBps: number;
  readonly costInputs: { readonly entry: CostInputs; readonly exit: CostInputs | null };
}

/** Cost inputs of orders by their origin. Fees are the venue's schedule and the catalog's mint fee, and assumed on the primary chain. */
export interface CostInputs {
  /** Spread and depth, as far as the history has them. */
  readonly observed: readonly CostInput[];
  readonly assumed: readonly CostInput[];
}

type CostInput = keyof typeof SEEN;

export interface PerformanceSummary {
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly maxDrawdownPct: number;
  readonly returnPct: number;
  readonly annualVolatilityPct: number | null;
}

export interface BacktestResult {
  readonly engine: 'backtest-3';
  readonly manifestHash: string;
  readonly historyHash: string;
  readonly timeframe: string;
  readonly from: string;
  readonly to: string;
  readonly bars: number;
  readonly instruments: readonly {
    readonly key: string;
    readonly costs: TradeCosts;
    readonly quoteKnownPct: number;
    readonly referenceLivePct: number;
    readonly eventsKnownPct: number;
  }[];
  readonly capitalUsd: DecimalString;
  readonly finalEquityUsd: DecimalString;
  readonly performance: PerformanceSummary;
  readonly benchmark: PerformanceSummary;
  /** Calculation of the Sharpe ratio. */
  readonly method: {
    readonly days: number;
    readonly ddof: 1;
    readonly calendar: DayCount;
    readonly periodsPerYear: number;
    readonly riskFree: 0;
  };
  readonly exposurePct: number;
  readonly turnoverUsd: number;
  readonly feesUsd: DecimalString;
  /** Funding paid by closed trades; negative if received. */
  readonly fundingUsd: DecimalString;
  readonly trades: {
    readonly closed: number;
    readonly open: number;
    readonly hitRatePct: number | null;
    readonly averageProfitPct: number | null;
    readonly averageSlippageBps: number | null;
    /** Profit of closed trades, net of all fees. */
    readonly profitUsd: DecimalString;
    readonly averageHoldingMs: number | null;
    /** Groups over all trades, including those not listed. */
    readonly byInstrument: readonly TradeGroup[];
    readonly byExit: readonly TradeGroup[];
    readonly list: readonly TradeSummary[];
  };
  readonly dispositions: Readonly<Record<string, number>>;
  readonly blocked: Readonly<Record<string, number>>;
  readonly missed: Readonly<Record<MissReason, number>>;
  /** Execution of orders; absent if every order takes at the next open. */
  readonly execution?: {
    readonly algorithm: Manifest['algorithm'];
    readonly urgency: Manifest['urgency'];
    /** Turnover of orders while they rested, in US dollars. */
    readonly restedUsd: number;
  };
  /** Finer bars that were used; absent if there were none. */
  readonly finer?: FinerUse;
  readonly conditions: readonly ConditionStatistics[];
  readonly luck: {
    readonly versionsTried: number;
    readonly skewness: number | null;
    readonly kurtosis: number | null;
    /** Probability that the true Sharpe ratio is above zero, and above the best that this many worthless versions would show. */
    readonly probabilisticSharpe: number | null;
    readonly expectedBestSharpe: number | null;
    readonly deflatedSharpe: number | null;
  };
  readonly assumptions: Assumptions & { readonly named: readonly string[] };
  /** Number of bars that the plain decider repeated, with the same outcome. */
  readonly checkedBars: number;
  /** Blind replay session of outside code, which the seed can reproduce. Absent for rules. */
  readonly blind?: BlindReplay;
  readonly daily: readonly EquityDayRow[];
}

/** Paths of a blind replay session, and the result of the foreknowledge test. */
export interface BlindReplay {
  /** Seed of the aliases, dates, levels, blocks and path order: 64 hexadecimal digits. */
  readonly seed: string;
  /** Index of the true history among the paths. */
  readonly truth: number;
  readonly paths: readonly (PathResult & { readonly historyHash: string })[];
  readonly foreknowledge: ForeknowledgeVerdict;
  readonly slots: number;
  /** SHA-256 over all answers, one per line, in order. */
  readonly answersHash: string;
  /** First answers, which are requested again while the agent trades. Absent in older results. */
  readonly opening?: Opening;
}

/** Result with the columns that it was computed from. */
export interface BacktestRun {
  readonly result: BacktestResult;
  readonly rules: RuleBook;
  readonly simulation: Simulation;
}

interface BacktestOptions {
  readonly manifest: Manifest;
  readonly history: History;
  readonly assumptions: Assumptions;
  readonly trials: Trials;
  /** Receives the number of completed bars and the total. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Inputs of the history that other runs computed. */
  readonly inputs?: HistoryInputs;
  /** Number of bars, and of trades, that the plain decider repeats. Default 64; 0 disables it. */
  readonly checked?: number;
}

/**
 * Runs a backtest. Pure: equal arguments give equal results in any process.
 * @throws Error if a sampled decision differs from the plain decider's, because no result is better than a wrong one
 * @throws RangeError if the manifest's strategy is outside code
 */
export function runBacktest(options: BacktestOptions): BacktestRun {
  const { manifest, history, assumptions } = options;
  const rules = buildRules(options);
  return checkedRun(options, rules, simulate(manifest, history, rules, assumptions, reportProgress(options)));
}

/** Runs a backtest that uses finer bars where they are stored and the path matters. @throws as `runBacktest` */
export async function runBacktestInside(options: BacktestOptions, reads: FinerReads): Promise<BacktestRun> {
  const { manifest, history, assumptions } = options;
  const rules = buildRules(options);
  const finer = await FinerBars.open(reads, history);
  if (finer === null) return checkedRun(options, rules, simulate(manifest, history, rules, assumptions, reportProgress(options)));
  return checkedRun(options, rules, await simulateInside(manifest, history, rules, assumptions, finer, reportProgress(options)));
}

function reportProgress({ history, onProgress }: BacktestOptions): (done: number) => void {
  return (done) => onProgress?.(done, history.length);
}

function buildRules({ manifest, history, assumptions, inputs }: BacktestOptions): RuleBook {
  if (manifest.strategy !== undefined)
    throw new RangeError(`the strategy ${manifest.strategy.release} is outside code: test it with a replay session`);
  return evaluateRules(manifest, history, assumptions, inputs);
}

/** Checks samples of a simulation's decisions against the plain decider, and assesses the run. */
function checkedRun(options: BacktestOptions, rules: RuleBook, simulation: Simulation): BacktestRun {
  const { manifest, history, assumptions, trials, onProgress, checked = CHECKED_BARS } = options;
  onProgress?.(history.length, history.length);
  const bars = sampledBars(history.length, simulation.trades, checked);
  const difference = bars.length === 0 ? null : checkAgainstPlain(compileManifest(manifest), history, rules, simulation, bars);
  if (difference !== null) {
    throw new Error(`the columns and decide() differ at ${isoTime(difference.slot)}: ${JSON.stringify(difference)}`);
  }
  return { result: buildResult(manifest, history, assumptions, trials, rules, simulation, bars.length), rules, simulation };
}

/**
 * Assesses a simulation of outside code, in which the plain decider decided every bar.
 * @param blind blind replay session of the run
 */
export function outsideRun(
  { manifest, history, assumptions, trials }: BacktestOptions,
  rules: RuleBook,
  simulation: Simulation,
  blind: BlindReplay,
): BacktestRun {
  return {
    result: { ...buildResult(manifest, history, assumptions, trials, rules, simulation, history.length), blind },
    rules,
    simulation,
  };
}

/** Returns the result with other trials. Only its luck statistics depend on them. */
export function besideTrials(result: BacktestResult, trials: Trials): BacktestResult {
  return { ...result, luck: computeLuck(dailyReturns(result), result.method.periodsPerYear, trials) };
}

/** Returns the returns of the trading days, from the reported marks, so that recomputing gives equal values. */
export function dailyReturns({ daily, capitalUsd }: Pick<BacktestResult, 'daily' | 'capitalUsd'>): Float64Array {
  const curve = daily.map(({ equityUsd }) => Number(equityUsd));
  return returnsAlong(curve, Number(capitalUsd));
}

/** Returns the series that the gate assesses. Metrics, checks and verdict are derived from it. */
export function backtestSeries({ result, simulation }: Pick<BacktestRun, 'result' | 'simulation'>): BacktestSeries {
  const { daily, method, trades } = result;
  let [weight, slipped] = [0, 0];
  for (const { instrument, quantity, entryPrice, exitPrice, entrySlippageBps, exitSlippageBps } of simulation.trades) {
    const units = simulation.instruments[instrument] as InstrumentUnits;
    const unit = units.priceUnit * units.quantityUnit;
    weight += (quantity * entryPrice) / unit;
    slipped += ((quantity * entryPrice) / unit) * entrySlippageBps;
    if (exitPrice === null || exitSlippageBps === null) continue;
    weight += (quantity * exitPrice) / unit;
    slipped += ((quantity * exitPrice) / unit) * exitSlippageBps;
  }
  return {
    startEquityUsd: result.capitalUsd,
    firstCandleAt: Date.parse(result.from),
    lastCandleAt: Date.parse(result.to),
    annualisation: method.calendar === 'continuous' ? 365 : 252,
    days: daily.map((day) => [Date.parse(day.date), day.equityUsd, day.highUsd, day.lowUsd, day.drawdownPct]),
    fills: 2 * trades.closed + trades.open,
    closedTrades: trades.closed,
    slippageBps: weight > 0 ? slipped / weight : null,
  };
}

/** Returns bars spread over the history and those at which trades were decided, ascending. */
function sampledBars(length: number, trades: readonly Trade[], checked: number): readonly number[] {
  const bars = new Set<number>();
  if (checked === 0) return [];
  for (let n = 0; n < checked; n++) bars.add(Math.floor(((n + 0.5) * length) / checked));
  const step = Math.max(1, Math.floor(trades.length / checked));
  for (let n = 0; n < trades.length; n += step) {
    const { entryBar, exitBar } = trades[n] as Trade;
    bars.add(entryBar);
    if (exitBar !== null) bars.add(exitBar);
  }
  return [...bars].sort((a, b) => a - b);
}

function buildResult(
  manifest: Manifest,
  history: History,
  assumptions: Assumptions,
  trials: Trials,
  rules: RuleBook,
  simulation: Simulation,
  checkedBars: number,
): BacktestResult {
  const capital = Number(manifest.maxCapitalUsd);
  const benchmark = buyAndHold(history, capital);
  const calendar = chooseCalendar(history);
  const days = byDay(history, simulation.equityUsd, benchmark, calendar);
  const returns = returnsAlong(
    days.map(({ equity }) => equity),
    capital,
  );
  const periodsPerYear = PERIODS_PER_YEAR[calendar];
  const lastEquity = simulation.equityUsd.at(-1) ?? capital;
  return {
    engine: 'backtest-3',
    manifestHash: manifestHash(manifest),
    historyHash: history.hash,
    timeframe: history.timeframe,
    from: isoTime(history.firstSlot - history.barMs),
    to: isoTime(history.firstSlot + (history.length - 1) * history.barMs),
    bars: history.length,
    instruments: history.instruments.map((columns) => ({
      key: columns.key,
      costs: computeTradeCosts(columns.key, assumptions),
      quoteKnownPct: shareWith(columns, QUOTE_LIVE),
      referenceLivePct: shareWith(columns, REFERENCE_LIVE),
      eventsKnownPct: shareWith(columns, EVENTS_KNOWN),
    })),
    capitalUsd: manifest.maxCapitalUsd,
    finalEquityUsd: moneyText(lastEquity),
    performance: computePerformance(returns, simulation.equityUsd, capital, periodsPerYear),
    benchmark: computePerformance(
      returnsAlong(
        days.map((day) => day.benchmark),
        capital,
      ),
      benchmark,
      capital,
      periodsPerYear,
    ),
    method: { days: returns.length, ddof: 1, calendar, periodsPerYear, riskFree: 0 },
    exposurePct: (simulation.exposedBars / history.length) * 100,
    turnoverUsd: Math.round(simulation.turnoverUsd * 100) / 100,
    feesUsd: unitsText(simulation.fees, simulation.units.moneyDecimals),
    fundingUsd: unitsText(simulation.funding, simulation.units.moneyDecimals),
    trades: countTrades(history, rules, simulation),
    dispositions: countDispositions(simulation),
    blocked: simulation.blocked,
    missed: simulation.missed,
    ...describeExecution(manifest, simulation),
    ...(simulation.finer === null ? {} : { finer: simulation.finer }),
    conditions: countConditions(rules, simulation),
    luck: computeLuck(returns, periodsPerYear, trials),
    assumptions: { ...assumptions, named: namedAssumptions(manifest, history, rules, assumptions, simulation.finer) },
    checkedBars,
    daily: days.map(({ date, equity, high, low, drawdownPct, benchmark: held }) => ({
      date,
      equityUsd: moneyText(equity),
      highUsd: moneyText(high),
      lowUsd: moneyText(low),
      drawdownPct,
      benchmarkUsd: moneyText(held),
    })),
  };
}

/** Returns the execution, or an empty object for takers, so that their results stay as they were before other algorithms existed. */
function describeExecution({ algorithm, urgency }: Manifest, { rested, units }: Simulation): Pick<BacktestResult, 'execution'> {
  if (algorithm === 'taker_immediate') return {};
  return { execution: { algorithm, urgency, restedUsd: Math.round((rested / units.unit) * 100) / 100 } };
}

function shareWith({ state }: InstrumentColumns, bit: number): number {
  let count = 0;
  for (let i = 0; i < state.length; i++) if (((state[i] as number) & bit) !== 0) count++;
  return Math.round((count / state.length) * 1e6) / 1e4;
}

/** Formats marked money with six decimals. The mark is a statistic of a close, not a ledger entry. */
function moneyText(usd: number): DecimalString {
  return usd.toFixed(6).replace(/\.?0+$/, '');
}

/**
 * Returns the equity of buy and hold: equal parts of the capital in every instrument from its first bar on, in cash until then. No costs.
 */
function buyAndHold(history: History, capital: number): Float64Array {
  const curve = new Float64Array(history.length);
  const part = capital / history.instruments.length;
  for (const { open, close, state } of history.instruments) {
    let first = Number.NaN;
    for (let i = 0; i < curve.length; i++) {
      if (Number.isNaN(first) && ((state[i] as number) & QUOTE_LIVE) !== 0) first = open[i] as number;
      curve[i] = (curve[i] as number) + (Number.isNaN(first) ? part : (part * (close[i] as number)) / first);
    }
  }
  return curve;
}

/** Day of the equity curve. Money is rounded to the reported millionth, so that recomputing from the texts gives equal values. */
interface Day {
  readonly date: string;
  readonly equity: number;
  readonly high: number;
  readonly low: number;
  readonly drawdownPct: number;
  readonly benchmark: number;
}

/** Returns trading days if every instrument is a tokenized share and every bar lies within one, otherwise calendar days. */
function chooseCalendar(history: History): DayCount {
  for (const { kind, state } of history.instruments) {
    if (kind !== 'tokenized_equity') return 'continuous';
    for (let i = 0; i < state.length; i++) {
      if (((state[i] as number) & QUOTE_LIVE) !== 0 && tradingDay(formatDate(history, i)) === null) return 'continuous';
    }
  }
  return 'us_sessions';
}

/** Returns the date of a bar, which is that of its last millisecond. */
function formatDate(history: History, i: number): string {
  return isoTime(history.firstSlot + i * history.barMs - 1).slice(0, 10);
}

function byDay(history: History, equity: Float64Array, benchmark: Float64Array, calendar: DayCount): Day[] {
  const days: Day[] = [];
  const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6;
  let [high, low, drawdown] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < history.length; i++) {
    const value = rounded(equity[i] as number);
    high = Math.max(high, value);
    low = Math.min(low, value);
    drawdown = Math.max(drawdown, (high - value) / high);
    const day = dayNumber(history, i);
    if (i + 1 < history.length && dayNumber(history, i + 1) === day) continue;
    const date = isoTime(day * DAY_MS).slice(0, 10);
    if (calendar === 'us_sessions' && tradingDay(date) === null) continue;
    days.push({ date, equity: value, high, low, drawdownPct: drawdown * 100, benchmark: rounded(benchmark[i] as number) });
    [high, low, drawdown] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  }
  return days;
}

function dayNumber(history: History, i: number): number {
  return Math.floor((history.firstSlot + i * history.barMs - 1) / DAY_MS);
}

function computePerformance(returns: Float64Array, curve: Float64Array, capital: number, periodsPerYear: number): PerformanceSummary {
  const deviation = sampleDeviation(returns);
  return {
    sharpe: sharpeRatio(returns, periodsPerYear),
    sortino: sortinoRatio(returns, periodsPerYear),
    maxDrawdownPct: maxDrawdown(curve, capital).depth * 100,
    returnPct: ((curve.at(-1) ?? capital) / capital - 1) * 100,
    annualVolatilityPct: Number.isNaN(deviation) ? null : deviation * Math.sqrt(periodsPerYear) * 100,
  };
}

function countTrades(history: History, rules: RuleBook, simulation: Simulation): BacktestResult['trades'] {
  const closed = simulation.trades.filter(({ profit }) => profit !== null);
  const profits = closed.map(profitPct);
  const slips = simulation.trades.flatMap(({ entrySlippageBps, exitSlippageBps }) =>
    exitSlippageBps === null ? [entrySlippageBps] : [entrySlippageBps, exitSlippageBps],
  );
  const average = (values: readonly number[]): number | null =>
    values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
  const units = { moneyDecimals: simulation.units.moneyDecimals, barMs: history.barMs };
  const groupsBy = (nameOf: (trade: Trade) => string): readonly TradeGroup[] => tradeGroups(simulation.trades, nameOf, units);
  const [all] = groupsBy(() => '');
  return {
    closed: closed.length,
    open: simulation.trades.length - closed.length,
    hitRatePct: closed.length === 0 ? null : (closed.filter(({ profit }) => (profit as number) > 0).length / closed.length) * 100,
    averageProfitPct: average(profits),
    averageSlippageBps: average(slips),
    profitUsd: all?.profitUsd ?? '0',
    averageHoldingMs: all?.averageHoldingMs ?? null,
    byInstrument: groupsBy(({ instrument }) => (history.instruments[instrument] as InstrumentColumns).key),
    byExit: groupsBy((trade) => (trade.exitBar === null ? 'open' : listExits(rules, trade).join(' + ') || 'proposal')),
    list: simulation.trades.slice(0, TRADES_KEPT).map((trade) => tradeSummary(history, rules, simulation, trade)),
  };
}

function profitPct(trade: Trade): number {
  return ((trade.profit as number) / (trade.quantity * trade.entryPrice)) * 100;
}

function tradeSummary(history: History, rules: RuleBook, simulation: Simulation, trade: Trade): TradeSummary {
  const units = simulation.instruments[trade.instrument] as InstrumentUnits;
  const money = simulation.units.moneyDecimals;
  const at = (bar: number, afterMs = 0): string => isoTime(history.firstSlot + bar * history.barMs + afterMs);
  return {
    instrument: (history.instruments[trade.instrument] as InstrumentColumns).key,
    decidedAt: at(trade.entryBar),
    entryPrice: unitsText(trade.entryPrice, units.priceDecimals),
    exitDecidedAt: trade.exitBar === null ? null : at(trade.exitBar, trade.exitAfterMs),
    exitPrice: trade.exitPrice === null ? null : unitsText(trade.exitPrice, units.priceDecimals),
    quantity: unitsText(trade.quantity, units.quantityDecimals),
    feesUsd: unitsText(trade.fees, money),
    fundingUsd: unitsText(trade.funding, money),
    profitUsd: trade.profit === null ? null : unitsText(trade.profit, money),
    profitPct: trade.profit === null ? null : profitPct(trade),
    maePct: trade.worstPct,
    mfePct: trade.bestPct,
    bars: (trade.exitBar ?? history.length - 1) - trade.entryBar,
    slippageBps: (trade.entrySlippageBps + (trade.exitSlippageBps ?? trade.entrySlippageBps)) / 2,
    exitedBy: listExits(rules, trade),
    costInputs: { entry: costInputs(trade.entrySeen), exit: trade.exitSeen === null ? null : costInputs(trade.exitSeen) },
  };
}

function costInputs(seen: number): CostInputs {
  const inputs = Object.keys(SEEN) as CostInput[];
  const isSeen = (input: CostInput): boolean => (seen & SEEN[input]) !== 0;
  return { observed: inputs.filter(isSeen), assumed: inputs.filter((input) => !isSeen(input)) };
}

/** Returns the types of the exit rules that passed when a trade closed, or `liquidation` if the venue closed it. */
function listExits(rules: RuleBook, { exitRules, isLiquidated }: Trade): readonly string[] {
  if (isLiquidated) return ['liquidation'];
  return rules.plans
    .filter((plan) => plan.side === 'exit' && (((exitRules[plan.bit >> 5] ?? 0) >>> (plan.bit & 31)) & 1) === 1)
    .map(({ condition }) => condition.type);
}

function countDispositions({ disposition }: Simulation): Record<string, number> {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < disposition.length; i++) counts[disposition[i] as number] = (counts[disposition[i] as number] as number) + 1;
  return Object.fromEntries(DISPOSITION_CODES.map((word, code) => [word, counts[code] as number]));
}

function countConditions(rules: RuleBook, simulation: Simulation): ConditionStatistics[] {
  const alone = aloneInTheWay(rules);
  return rules.plans.map(({ side, condition, position }, rule) => {
    let [evaluated, passed, unknown] = [simulation.positionKnown[rule] as number, simulation.positionPassed[rule] as number, 0];
    if (position === null) {
      for (const instrument of rules.instruments) {
        evaluated += instrument.entryPassed.length;
        passed += instrument.passedCount[rule] as number;
        unknown += instrument.unknownCount[rule] as number;
      }
    }
    return {
      side,
      type: condition.type,
      threshold: findConditionDefinition(condition).threshold(condition),
      evaluated,
      passed,
      blocked: evaluated - passed,
      unknown,
      lastToFail: alone[rule] ?? 0,
      closed: simulation.exitedBy[rule] as number,
    };
  });
}

/** Counts by entry rule the slots at which it alone failed. */
function aloneInTheWay({ instruments, entryCount }: RuleBook): number[] {
  const counts = Array.from({ length: entryCount }, () => 0);
  const all = entryCount === 32 ? 0xffffffff : (1 << entryCount) - 1;
  for (const { entryPassed } of instruments) {
    for (let i = 0; i < entryPassed.length; i++) {
      const failed = (~(entryPassed[i] as number) & all) >>> 0;
      if (failed === 0 || (failed & (failed - 1)) !== 0) continue;
      const rule = 31 - Math.clz32(failed);
      counts[rule] = (counts[rule] as number) + 1;
    }
  }
  return counts;
}

/**
 * Returns how much of a Sharpe ratio luck may explain: the probabilistic and the deflated Sharpe ratio of daily returns, given the
 * trials. Null if the returns do not vary.
 */
export function computeLuck(returns: Float64Array, periodsPerYear: number, { versions, otherSharpes }: Trials): BacktestResult['luck'] {
  const shape = returns.length < 2 ? null : computeShape(returns);
  const annual = sharpeRatio(returns, periodsPerYear);
  if (shape === null || annual === null) {
    return {
      versionsTried: versions,
      skewness: null,
      kurtosis: null,
      probabilisticSharpe: null,
      expectedBestSharpe: null,
      deflatedSharpe: null,
    };
  }
  const root = Math.sqrt(periodsPerYear);
  const sample = { sharpe: annual / root, periods: returns.length, ...shape };
  const all = listDistinct([annual, ...otherSharpes]).map((sharpe) => sharpe / root);
  // With fewer than three distinct ratios their variance is unknown, so the variance of a worthless one's estimate is used.
  const variance = all.length >= 3 ? sampleDeviation(all) ** 2 : 1 / Math.max(1, returns.length - 1);
  const threshold = expectedBestSharpe(versions, variance);
  return {
    versionsTried: versions,
    skewness: shape.skewness,
    kurtosis: shape.kurtosis,
    probabilisticSharpe: probabilisticSharpe(sample, 0),
    expectedBestSharpe: threshold * root,
    deflatedSharpe: probabilisticSharpe(sample, threshold),
  };
}

/** Returns one ratio per hundredth, the lowest. Copies of a manifest are trials, but must not narrow the spread of the ratios. */
function listDistinct(annual: readonly number[]): readonly number[] {
  const lowest = new Map<number, number>();
  for (const sharpe of annual) {
    const place = Math.round(sharpe * 100);
    lowest.set(place, Math.min(sharpe, lowest.get(place) ?? sharpe));
  }
  return [...lowest.values()];
}

/** Assumptions about bars if not all orders fill at the open. */
const BAR_COURSE: readonly string[] = [
  'Within a bar the price is assumed to go straight from open to close, its extremes to open up evenly around it, and its volume to be spread evenly over time and range: a window that is short against the bar fills little of what rests.',
  'Slices that would outlast the bar after the decision lie evenly within it.',
];

const INSIDE_BARS =
  'Within a bar, a stop-loss is taken at the worst of its level, the open of the finer bar that reaches it and the next open; a take-profit follows the close of a finer bar beyond it. Where a finer bar reaches both, the stop-loss came first.';

function marginInWords(manifest: Manifest, { instruments }: History): string[] {
  const mandate = combineMandate(manifest, DEFAULT_PREFERENCES, null);
  const margined = instruments.filter(({ carry }) => carry !== null).map(({ key }) => `${key} ${computeLeverage(key, mandate)}`);
  if (margined.length === 0) return ['Entries are paid in full: no leverage and no interest.'];
  return [
    `Spot is paid in full. A position in a perpetual binds its cost divided by its leverage as isolated margin (${margined.join(', ')}). Where its equity is at the maintenance margin at the low of a bar, the venue ends it there: sold at that price, or below two thirds of the maintenance margin taken over with all of its margin.`,
  ];
}

/** Returns the assumptions that a reader must know to trust the result. */
function namedAssumptions(
  manifest: Manifest,
  history: History,
  rules: RuleBook,
  assumptions: Assumptions,
  finer: FinerUse | null,
): string[] {
  const named = [
    'A decision at the close of a bar sees closed bars and facts received by then, and fills at the open of the next bar.',
    'Decided once per bar; live, once a minute. Where several instruments ask at one bar, each is acted on, exits first.',
    'Stop-loss, take-profit and holding time are looked at when a bar closes; a price in between is acted on where all of its finer bars are stored.',
    ...(finer === null ? [] : [INSIDE_BARS]),
    'Orders cost what they cost on paper: half of the spread, the way along the depth, the fee of the venue and the fee of the mint. Spread and depth are those that history held at the decision, else those of the cost model; each trade says which.',
    'Rules on quotes see the best prices half of the spread of the cost model around the close.',
    `Costs are those of their state of the market times ${assumptions.costMultiplier}; an order takes at most ${assumptions.maxParticipationPct} % of the last bar's notional, and of recorded pools the share that risk allows.`,
    'An entry is filled as far as its average price stays within the slippage budget; an exit is filled whole, at whatever price.',
    ...marginInWords(manifest, history),
    "Orders are made in the venue's whole lots, at limits on its ticks, and have to pass what the live risk function asks.",
    "Limits are the manifest's and the default risk preferences, the stricter of both; an organization's own preferences, what its other books hold, halts and switched-off features (`position_weight_breach` and `duplicate_underlying_breach` over all books, `reduce_only`, `halted`, `feature_disabled`) are not applied.",
    'A reference price is asked for where a rule reads it; the preference to require one always is not applied.',
    'Autonomy is assumed to be `autonomous`: an entry is sized down to what the limits leave.',
  ];
  if (manifest.strategy !== undefined)
    named.push(
      `Outside code of release ${manifest.strategy.release} answered every bar of a blind replay session; the decisions on its answers can be made again, and its answers cannot.`,
    );
  if (manifest.algorithm !== 'taker_immediate') named.push(...executionInWords(manifest), ...BAR_COURSE);
  if (history.timeframe !== manifest.timeframe)
    named.push(
      `Decided on bars of ${history.timeframe}; the manifest decides on bars of ${manifest.timeframe}, so this is the life of another rhythm.`,
    );
  rules.plans.forEach(({ side, condition }, rule) => {
    const total = rules.instruments.reduce((sum, { entryPassed }) => sum + entryPassed.length, 0);
    const unknown = rules.instruments.reduce((sum, { unknownCount }) => sum + (unknownCount[rule] as number), 0);
    if (unknown === 0 || total === 0) return;
    const share = ((unknown / total) * 100).toFixed(unknown === total ? 0 : 2);
    named.push(`The ${side} rule ${condition.type} could not be known at ${share} % of the slots, and failed there.`);
  });
  if (history.instruments.some(({ key }) => key.startsWith('spotchain:')))
    named.push(
      `The fee of the primary chain, ${COST_MODELS.spotchain.takerFeeBps} basis points of the notional, stands for signatures and priority. It is assumed, not observed, and what the chain takes does not fall with the order: a small one may pay more.`,
    );
  for (const { key, liquidity } of history.instruments) {
    if (key.startsWith('spotchain:') && liquidity === null)
      named.push(`The history holds no pool liquidity of ${key}: the risk code pool_liquidity_breach is assessed by traded volume alone.`);
    else if (key.startsWith('spotchain:'))
      named.push(`The pool liquidity of ${key} is the last reading that was known, and at most two days old.`);
  }
  if (history.instruments.some(({ events }) => events !== null))
    named.push(
      'Events are known while all of their sources were received, and where imported archives hold them; a report of an archive was known when it was published, and within a look-back an event stays as grave as it ever was.',
    );
  for (const { key, carry } of history.instruments) {
    if (carry === null) continue;
    const assumed = carry.hours === 0 ? 0 : (carry.assumedHours / carry.hours) * 100;
    named.push(
      `A position in ${key} pays the funding of its venue at the end of each hour on the close, or receives it; at ${assumed.toFixed(2)} % of the hours no rate was kept, and ${ASSUMED_HOURLY_FUNDING * 100} % are assumed to be paid.`,
    );
  }
  for (const { key, whole } of history.instruments) {
    if (!whole) named.push(`${key} lacks bars: at those slots its last price is stale, and nothing is entered or left on it.`);
  }
  return named;
}
