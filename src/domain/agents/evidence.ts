/**
 * Evidence: the result of evaluating a manifest version, assessed by the rules of the seven gates. An evaluator supplies raw series only.
 * Metrics follow from the series, checks and verdict from the metrics. migrations/0009_gates.sql repeats these rules, and the database
 * recomputes all three before it accepts a row. A property test compares both.
 */
import type { Stage } from './agent.ts';
import { Decimal, type DecimalString } from '../values/decimal.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { mean, sampleDeviation } from '../values/statistics.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';

/** Kinds of evidence, one per gate, in order. */
export const EVIDENCE_KINDS = ['manifest', 'backtest', 'stress_test', 'paper', 'shadow', 'risk_signoff'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** Stage whose gate a kind of evidence opens. */
export const GATE_OF: Readonly<Record<EvidenceKind, Stage>> = {
  manifest: 'draft',
  backtest: 'backtest',
  stress_test: 'stress_test',
  paper: 'paper',
  shadow: 'shadow',
  risk_signoff: 'limited_live',
};

/** Returns the kind of evidence that opens the gate after a stage, or null at `live`. */
export function evidenceKindAt(stage: Stage): EvidenceKind | null {
  return EVIDENCE_KINDS.find((kind) => GATE_OF[kind] === stage) ?? null;
}

/** Evidence by which an agent passed a gate, made under earlier rules of that gate. */
export interface OutdatedEvidence {
  readonly kind: EvidenceKind;
  readonly rulesVersion: number;
  /** Change of the rules since then, as a clause. */
  readonly ruleChange: string;
}

/** Explains how to renew evidence of an earlier gate. Paper, shadow and sign-off can only be made at their own stage. */
function renewal(kind: EvidenceKind): string {
  if (kind === 'backtest' || kind === 'stress_test') return `run it again: POST /v1/agents/:id/${kind}`;
  return 'add a version of the manifest, which passes the gates again: POST /v1/agents/:id/versions';
}

/** Explains why outdated evidence holds an agent at its stage, and what renews it. */
export function outdatedWords({ kind, rulesVersion, ruleChange }: OutdatedEvidence): string {
  return `the evidence of ${kind} was made under version ${rulesVersion} of its rules, and since then ${ruleChange}; ${renewal(kind)}`;
}

/** Scenarios of the stress gate. */
export const GATE_SCENARIOS = ['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg'] as const;
type GateScenario = (typeof GATE_SCENARIOS)[number];

/**
 * Version of the rules by which a series is made and assessed, for the kinds whose series state it. A series without a version is of
 * version 1. The database admits only the present one (`gate_rules_version`).
 */
export const RULES_VERSION = { stress_test: 3, paper: 6, shadow: 3 } as const;

/** Limits of the gates (docs/decisions/0034, docs/decisions/0035). */
export const GATE_LIMITS = {
  /** Minimum years from the first to the last candle of a backtest. */
  historyYears: 5,
  /** Maximum days between the last candle of a backtest and the request to open its gate. */
  windowEndDays: 31,
  sharpe: 1.8,
  /** Minimum probability that the true Sharpe ratio exceeds the best that luck would show among all trials. */
  deflatedSharpe: 0.95,
  maxDrawdownPct: 10,
  /** Standard errors by which the expected slippage must stay below its budget, so that the true one is within it 95 % of the time. */
  slippageErrors: 1.645,
  paperDays: 14,
  paperClosedTrades: 5,
  /**
   * Minimum fills for a known cost on paper. The mean may exceed the promise by a few basis points plus `slippageErrors` standard errors.
   */
  paperCostFills: 10,
  paperCostFloorBps: 5,
  shadowDays: 1,
  shadowFills: 10,
  /** Maximum percentage of unknown orders, and of paper fills beyond the venue's flow. */
  shadowUnknownPct: 20,
  shadowMissedPct: 20,
  /** Minimum tolerated difference between fill and flow, in basis points. Half of the slippage budget is always tolerated. */
  shadowErrorFloorBps: 5,
} as const;

/** A day of the equity curve: close, highest and lowest mark, and deepest drawdown. */
export type EquityDay = readonly [
  /** 00:00 UTC of the day. */
  day: EpochMs,
  closeUsd: DecimalString,
  highUsd: DecimalString,
  lowUsd: DecimalString,
  /** Deepest drawdown within the day, in percent of the peak. */
  drawdownPct: number,
];

/** Series of a backtest for its evidence. */
export interface BacktestSeries {
  readonly startEquityUsd: DecimalString;
  /** Open time of the first simulated candle. `lastCandleAt` is the close time of the last one. */
  readonly firstCandleAt: EpochMs;
  readonly lastCandleAt: EpochMs;
  /** Periods per year: 365 for universes that trade every day, 252 otherwise. */
  readonly annualisation: 365 | 252;
  /** Days from the first candle to the last. With 252 periods only trading days, at most 6 days apart. Equity is positive. */
  readonly days: readonly EquityDay[];
  readonly fills: number;
  readonly closedTrades: number;
  /** Mean slippage of the fills, weighted by notional. Live slippage is compared with it. Null without fills. */
  readonly slippageBps: number | null;
}

/** One run of a scenario. The gate uses runs of severity `standard`. Others are kept for reading. */
export interface StressRun {
  readonly scenario: GateScenario;
  readonly severity: string;
  readonly seed: number;
  readonly startEquityUsd: DecimalString;
  /** Equity at each mark, in order. */
  readonly equityUsd: readonly DecimalString[];
  /** Number of orders beyond the mandate. */
  readonly breaches: number;
  /** Number of fills on a quote that was not live. */
  readonly unsafeFills: number;
}

export interface StressSeries {
  readonly rules?: number;
  /** `maxDailyDrawdownPct` of the manifest: the maximum loss of a scenario. The rules of version 1 allow twice that. */
  readonly maxDailyDrawdownPct: number;
  readonly runs: readonly StressRun[];
}

/** Series of paper trading for its evidence. See paper-evaluation.ts. */
export interface PaperSeries {
  readonly rules?: number;
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
  /** Time in milliseconds that the agent was paused since it entered the stage. Missing in older series. */
  readonly pausedMs?: number;
  readonly startEquityUsd: DecimalString;
  /** 00:00 UTC and the last equity mark of each day since the agent entered the stage, ascending. */
  readonly days: readonly (readonly [day: EpochMs, equityUsd: DecimalString])[];
  /**
   * Round trips of an instrument from flat to flat, each with its closing time and its result after costs. Under earlier rules: every
   * closing fill.
   */
  readonly trades: readonly (readonly [at: EpochMs, pnlUsd: DecimalString])[];
  /** Mean cost of a fill in the backtest that led to paper, or null if unknown. Missing before rules version 4, like `costs`. */
  readonly promisedBps?: number | null;
  /** Fills of the stage, each with its value and its distance from the tradable price at the decision, in basis points. */
  readonly costs?: readonly (readonly [notionalUsd: DecimalString, bps: number])[];
}

/** A paper fill and what its venue's flow would have given. See shadow-evaluation.ts. */
export type ShadowedFill = readonly [
  at: EpochMs,
  side: 'buy' | 'sell',
  decisionPrice: DecimalString,
  fillPrice: DecimalString,
  quantity: DecimalString,
  outcome: 'measured' | 'unknown',
  /** Null if unknown. */
  flowQuantity: DecimalString | null,
  /** Null if unknown, or if nothing was filled. */
  flowPrice: DecimalString | null,
];

export interface ShadowSeries {
  readonly rules?: number;
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
  /** Slippage budget of the manifest. */
  readonly maxSlippageBps: number;
  readonly orders: readonly ShadowedFill[];
}

/** Decision of an independent risk manager. */
interface SignoffSeries {
  readonly subject: string;
  readonly approved: boolean;
  readonly comment: string;
}

export interface EvidenceSeries {
  /** Canonical manifest. */
  readonly manifest: Manifest;
  readonly backtest: BacktestSeries;
  readonly stress_test: StressSeries;
  readonly paper: PaperSeries;
  readonly shadow: ShadowSeries;
  readonly risk_signoff: SignoffSeries;
}

/** Ratios and statistics by name. Null if undefined, such as a Sharpe ratio without variance. */
export type EvidenceMetrics = { readonly [name: string]: number | null };

/** One condition of a gate: the observed value and the limit. */
export interface EvidenceCheck {
  readonly name: string;
  readonly observed: number | null;
  readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
  readonly limit: number | null;
  readonly passed: boolean;
}

interface EvidenceVerdict {
  readonly passed: boolean;
  readonly checks: readonly EvidenceCheck[];
}

/** Evidence that an evaluator passes to `writeEvidence`. The database adds number, time, checks, verdict and chain. */
export type EvidenceDraft = {
  [Kind in EvidenceKind]: {
    readonly agentId: string;
    readonly kind: Kind;
    readonly manifestVersion: number;
    readonly manifestHash: string;
    readonly series: EvidenceSeries[Kind];
    /** Result of `evidenceMetrics(kind, series)`. */
    readonly metrics: EvidenceMetrics;
    /** Evaluation run it comes from, or null if it was computed from stored rows. */
    readonly runId: string | null;
    /** Hash of the whole result. The same work gives the same hash, and is written once. */
    readonly resultHash: string;
  };
}[EvidenceKind];

const BPS = 10_000;

/** Computes the metrics of a series. Limits that the manifest sets (stress, shadow) are among them. */
export function evidenceMetrics<Kind extends EvidenceKind>(kind: Kind, series: EvidenceSeries[Kind]): EvidenceMetrics {
  switch (kind as EvidenceKind) {
    case 'manifest':
      return manifestMetrics(series as Manifest);
    case 'backtest':
      return backtestMetrics(series as BacktestSeries);
    case 'stress_test':
      return stressMetrics(series as StressSeries);
    case 'paper':
      return paperMetrics(series as PaperSeries);
    case 'shadow':
      return shadowMetrics(series as ShadowSeries);
    case 'risk_signoff':
      return { approved: (series as SignoffSeries).approved ? 1 : 0 };
  }
}

/** Returns the metrics that a manifest must satisfy before any evaluation. */
export function manifestMetrics(manifest: Manifest): EvidenceMetrics {
  const capacity = new Decimal(manifest.maxCapitalUsd).times(manifest.maxLeverage);
  return {
    universe: manifest.universe.length,
    // Proposals of outside code count as an entry condition.
    entryConditions: manifest.entry.length + (manifest.strategy === undefined ? 0 : 1),
    maxCapitalUsd: Number(manifest.maxCapitalUsd),
    maxTradeNotionalUsd: Number(manifest.maxTradeNotionalUsd),
    notionalOfCapacity: capacity.isZero() ? null : new Decimal(manifest.maxTradeNotionalUsd).div(capacity).toNumber(),
    maxLeverage: Number(manifest.maxLeverage),
    stopLossPct: manifest.stopLossPct,
    takeProfitPct: manifest.takeProfitPct,
    maxDailyDrawdownPct: manifest.maxDailyDrawdownPct,
    maxOpenPositions: manifest.maxOpenPositions,
  };
}

/**
 * Computes the metrics of a backtest. Sharpe: mean over sample standard deviation (ddof 1) of per-day returns times the root of the
 * annualisation, risk-free 0. Drawdown: peak to trough over every mark, from the days' highs, lows and drawdowns within the day.
 */
function backtestMetrics(series: BacktestSeries): EvidenceMetrics {
  const closes = [Number(series.startEquityUsd), ...series.days.map(([, close]) => Number(close))];
  const returns = computeReturns(closes);
  let peak = Number(series.startEquityUsd);
  let drawdown = 0;
  for (const [, , high, low, inner] of series.days) {
    drawdown = Math.max(drawdown, ((peak - Number(low)) / peak) * 100, inner);
    peak = Math.max(peak, Number(high));
  }
  return {
    historyDays: (series.lastCandleAt - series.firstCandleAt) / DAY_MS,
    requiredDays: (yearsAfter(series.firstCandleAt, GATE_LIMITS.historyYears) - series.firstCandleAt) / DAY_MS,
    periods: returns.length,
    ddof: 1,
    annualisation: series.annualisation,
    sharpe: computeSharpe(returns, series.annualisation),
    maxDrawdownPct: drawdown,
    returnPct: ((closes.at(-1) as number) / (closes[0] as number) - 1) * 100,
    fills: series.fills,
    closedTrades: series.closedTrades,
    slippageBps: series.slippageBps,
  };
}

/** True if a backtest that ends at this time is recent enough. */
export function isRecentWindow(lastCandleAt: EpochMs, now: EpochMs): boolean {
  return now - lastCandleAt <= GATE_LIMITS.windowEndDays * DAY_MS;
}

/** Returns the same day some years later, or 28 February if the 29th does not exist. */
export function yearsAfter(at: EpochMs, years: number): EpochMs {
  const date = new Date(at);
  const month = date.getUTCMonth();
  date.setUTCFullYear(date.getUTCFullYear() + years);
  if (date.getUTCMonth() !== month) date.setUTCDate(0);
  return date.getTime();
}

function stressMetrics(series: StressSeries): EvidenceMetrics {
  const metrics: { [name: string]: number | null } = {
    lossLimitPct: series.maxDailyDrawdownPct * ((series.rules ?? 1) < 2 ? 2 : 1),
  };
  for (const scenario of GATE_SCENARIOS) {
    const runs = series.runs.filter((run) => run.scenario === scenario && run.severity === 'standard');
    const losses = runs.map(({ startEquityUsd, equityUsd }) => {
      const start = Number(startEquityUsd);
      return Math.max(0, ...equityUsd.map((equity) => ((start - Number(equity)) / start) * 100));
    });
    metrics[`${scenario}_runs`] = runs.length;
    metrics[`${scenario}_loss_pct`] = losses.length === 0 ? null : Math.max(...losses);
    metrics[`${scenario}_breaches`] = runs.reduce((sum, run) => sum + run.breaches, 0);
    metrics[`${scenario}_unsafe_fills`] = runs.reduce((sum, run) => sum + run.unsafeFills, 0);
  }
  return metrics;
}

function paperMetrics(series: PaperSeries): EvidenceMetrics {
  const returns = computeReturns([Number(series.startEquityUsd), ...series.days.map(([, equity]) => Number(equity))]);
  const pnl = series.trades.map(([, usd]) => Number(usd));
  const sharpe = computeSharpe(returns, 365);
  return {
    elapsedDays: (series.evaluatedAt - series.enteredAt - (series.pausedMs ?? 0)) / DAY_MS,
    markedDays: series.days.length,
    meanDailyReturnPct: returns.length === 0 ? null : mean(returns) * 100,
    sharpe,
    tStatistic: sharpe === null ? null : (sharpe / Math.sqrt(365)) * Math.sqrt(returns.length),
    closedTrades: pnl.length,
    expectancyUsd: pnl.length === 0 ? null : mean(pnl),
    ...((series.rules ?? 1) < 4 ? {} : paperCosts(series)),
  };
}

/** Computes the costs of paper fills, and the upper end of the band that the backtest promised. */
function paperCosts({ promisedBps = null, costs = [] }: PaperSeries): EvidenceMetrics {
  const paid = costs.map(([notionalUsd, bps]): Cost => [Number(notionalUsd), bps]);
  const [costBps, upperBps] = [meanCost(paid), upperMean(paid)];
  const known = promisedBps !== null && costBps !== null && upperBps !== null;
  return {
    costFills: paid.length,
    costBps,
    promisedBps,
    costBandBps: known ? promisedBps + GATE_LIMITS.paperCostFloorBps + (upperBps - costBps) : null,
  };
}

function shadowMetrics({ rules = 1, enteredAt, evaluatedAt, maxSlippageBps, orders }: ShadowSeries): EvidenceMetrics {
  const known = orders.filter(([, , , , , outcome]) => outcome === 'measured');
  const sum = { fills: 0, asked: 0, given: 0, shortfall: 0, onPaper: 0, error: 0 };
  const costs: Cost[] = [];
  for (const [, side, decision, fill, quantity, , flowQuantity, flowPrice] of known) {
    const computeCost = (price: DecimalString): number =>
      ((side === 'buy' ? 1 : -1) * (Number(price) - Number(decision)) * BPS) / Number(decision);
    const matched = Math.min(Number(quantity), Number(flowQuantity)) * Number(fill);
    sum.asked += Number(quantity) * Number(fill);
    if (flowPrice === null || matched === 0) continue;
    const [shortfall, onPaper] = [computeCost(flowPrice), computeCost(fill)];
    sum.fills += 1;
    sum.given += matched;
    sum.shortfall += matched * shortfall;
    sum.onPaper += matched * onPaper;
    sum.error += matched * Math.abs(shortfall - onPaper);
    costs.push([matched, shortfall]);
  }
  const ratio = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);
  const missed = ratio(sum.asked - sum.given, sum.asked);
  const unknown = ratio(orders.length - known.length, orders.length);
  return {
    elapsedDays: (evaluatedAt - enteredAt) / DAY_MS,
    orders: orders.length,
    fills: sum.fills,
    unknownPct: unknown === null ? null : unknown * 100,
    missedPct: missed === null ? null : missed * 100,
    shortfallBps: ratio(sum.shortfall, sum.given),
    ...(rules < RULES_VERSION.shadow ? {} : { shortfallUpperBps: upperMean(costs) }),
    paperShortfallBps: ratio(sum.onPaper, sum.given),
    slippageErrorBps: ratio(sum.error, sum.given),
    maxSlippageBps,
    errorLimitBps: Math.max(GATE_LIMITS.shadowErrorFloorBps, maxSlippageBps / 2),
  };
}

/** Cost of a fill in basis points, with its weight. */
type Cost = readonly [weight: number, bps: number];

/** Returns the weighted mean of costs, or null if there are none. */
function meanCost(costs: readonly Cost[]): number | null {
  const total = costs.reduce((sum, [weight]) => sum + weight, 0);
  return total > 0 ? costs.reduce((sum, [weight, bps]) => sum + weight * bps, 0) / total : null;
}

/** Returns the weighted mean of costs plus `slippageErrors` standard errors, or null for fewer than two. */
function upperMean(costs: readonly Cost[]): number | null {
  if (costs.length < 2) return null;
  const total = costs.reduce((sum, [weight]) => sum + weight, 0);
  const mean = costs.reduce((sum, [weight, bps]) => sum + weight * bps, 0) / total;
  const squares = costs.reduce((sum, [weight, bps]) => sum + (weight * (bps - mean)) ** 2, 0);
  return mean + (GATE_LIMITS.slippageErrors * Math.sqrt((squares * costs.length) / (costs.length - 1))) / total;
}

/** Assesses metrics by the rules of their gate. A missing or null metric passes nothing. */
export function assessEvidence(kind: EvidenceKind, metrics: EvidenceMetrics): EvidenceVerdict {
  const checks = listRules(kind, metrics).map(([name, metric, rule, limit]): EvidenceCheck => {
    const observed = metrics[metric] ?? null;
    return { name, observed, rule, limit, passed: observed !== null && limit !== null && holds(observed, rule, limit) };
  });
  return { passed: checks.length > 0 && checks.every(({ passed }) => passed), checks };
}

type Rule = readonly [name: string, metric: string, rule: EvidenceCheck['rule'], limit: number | null];

/** Tolerance for differences in double arithmetic between here and the database, which must not decide a gate. */
const EQUAL_WITHIN = 1e-9;

function holds(observed: number, rule: EvidenceCheck['rule'], limit: number): boolean {
  const slack = EQUAL_WITHIN * Math.max(1, Math.abs(limit));
  if (rule === 'above') return observed > limit + slack;
  if (rule === 'below') return observed < limit - slack;
  return rule === 'at_least' ? observed >= limit - slack : observed <= limit + slack;
}

function listRules(kind: EvidenceKind, metrics: EvidenceMetrics): readonly Rule[] {
  const limit = (metric: string): number | null => metrics[metric] ?? null;
  switch (kind) {
    case 'manifest':
      return [
        ['universe', 'universe', 'at_least', 1],
        ['entry_conditions', 'entryConditions', 'at_least', 1],
        ['max_capital', 'maxCapitalUsd', 'above', 0],
        ['max_trade_notional', 'maxTradeNotionalUsd', 'above', 0],
        ['notional_of_capacity', 'notionalOfCapacity', 'at_most', 1],
        ['max_leverage', 'maxLeverage', 'at_least', 1],
        ['stop_loss', 'stopLossPct', 'above', 0],
        ['stop_loss_below_all', 'stopLossPct', 'below', 100],
        ['take_profit', 'takeProfitPct', 'above', 0],
        ['daily_drawdown', 'maxDailyDrawdownPct', 'above', 0],
        ['daily_drawdown_below_all', 'maxDailyDrawdownPct', 'below', 100],
        ['max_open_positions', 'maxOpenPositions', 'at_least', 1],
      ];
    case 'backtest':
      return [
        ['history_days', 'historyDays', 'at_least', limit('requiredDays')],
        ['sharpe', 'sharpe', 'above', GATE_LIMITS.sharpe],
        ['max_drawdown_pct', 'maxDrawdownPct', 'below', GATE_LIMITS.maxDrawdownPct],
      ];
    case 'stress_test':
      return GATE_SCENARIOS.flatMap((scenario): Rule[] => [
        [`${scenario}_runs`, `${scenario}_runs`, 'at_least', 1],
        [`${scenario}_loss_pct`, `${scenario}_loss_pct`, 'at_most', limit('lossLimitPct')],
        [`${scenario}_breaches`, `${scenario}_breaches`, 'at_most', 0],
        [`${scenario}_unsafe_fills`, `${scenario}_unsafe_fills`, 'at_most', 0],
      ]);
    case 'paper':
      return paperRules(metrics);
    case 'shadow':
      return [
        ['elapsed_days', 'elapsedDays', 'at_least', GATE_LIMITS.shadowDays],
        ['fills', 'fills', 'at_least', GATE_LIMITS.shadowFills],
        // Includes the error of the expectation, which metrics of earlier rules lack.
        [
          'shortfall_bps',
          'orders' in metrics && !('shortfallUpperBps' in metrics) ? 'shortfallBps' : 'shortfallUpperBps',
          'at_most',
          limit('maxSlippageBps'),
        ],
        ['slippage_error_bps', 'slippageErrorBps', 'at_most', limit('errorLimitBps')],
        ['unknown_pct', 'unknownPct', 'at_most', GATE_LIMITS.shadowUnknownPct],
        ['missed_pct', 'missedPct', 'at_most', GATE_LIMITS.shadowMissedPct],
      ];
    case 'risk_signoff':
      return [['approved', 'approved', 'at_least', 1]];
  }
}

function paperRules(metrics: EvidenceMetrics): readonly Rule[] {
  const rules: readonly Rule[] = [
    ['elapsed_days', 'elapsedDays', 'at_least', GATE_LIMITS.paperDays],
    ['marked_days', 'markedDays', 'at_least', GATE_LIMITS.paperDays],
    ['closed_trades', 'closedTrades', 'at_least', GATE_LIMITS.paperClosedTrades],
    ['expectancy_usd', 'expectancyUsd', 'above', 0],
    ['sharpe', 'sharpe', 'above', 0],
  ];
  // Metrics of earlier rules have no costs.
  if (!('costFills' in metrics)) return rules;
  return [
    ...rules,
    ['cost_fills', 'costFills', 'at_least', GATE_LIMITS.paperCostFills],
    ['cost_bps', 'costBps', 'at_most', metrics['costBandBps'] ?? null],
  ];
}

function computeReturns(equity: readonly number[]): number[] {
  const returns: number[] = [];
  for (let i = 1; i < equity.length; i++) returns.push((equity[i] as number) / (equity[i - 1] as number) - 1);
  return returns;
}

/** Standard deviation of returns below which it is rounding, not variance. */
export const NO_VARIANCE = 1e-12;

/** Returns the Sharpe ratio, or null if the returns have practically no variance, because such a curve proves nothing. */
function computeSharpe(returns: readonly number[], annualisation: number): number | null {
  if (returns.length < 2) return null;
  const deviation = sampleDeviation(returns);
  return deviation < NO_VARIANCE ? null : (mean(returns) / deviation) * Math.sqrt(annualisation);
}

/** A gate record in an agent's chain. Evidence and stage changes share one numbering without gaps. */
export interface EvidenceRow {
  readonly agentId: string;
  /** Number in the agent's chain of gate records, from 1. */
  readonly seq: number;
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly at: EpochMs;
  readonly runId: string | null;
  readonly resultHash: string;
  /** Canonical JSON, as stored. */
  readonly metrics: string;
  readonly series: string;
  readonly previousHash: string;
}

/** A change of an agent's stage or manifest, recorded by the database itself. */
export interface StageChangeRow {
  readonly agentId: string;
  readonly seq: number;
  readonly at: EpochMs;
  readonly fromStage: Stage | null;
  readonly toStage: Stage;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  /** Evidence that opened the gate. Null for the start, a manifest change and a demotion. */
  readonly evidenceId: string | null;
  /** Subject that asked for it, or null. */
  readonly askedBy: string | null;
  readonly previousHash: string;
}

/** Returns the text whose SHA-256 is the hash of an evidence row. The JSON parts contain no line breaks. */
export function evidenceChainText(row: EvidenceRow): string {
  return `sevengate-evidence-1\n${row.agentId}\n${row.seq}\n${row.id}\n${row.kind}\n${row.manifestVersion}\n${row.manifestHash}\n${row.at}\n${row.runId ?? ''}\n${row.resultHash}\n${row.metrics}\n${row.series}\n${row.previousHash}`;
}

/** Returns the text whose SHA-256 is the hash of a stage change. */
export function stageChangeChainText(row: StageChangeRow): string {
  return `sevengate-stage-1\n${row.agentId}\n${row.seq}\n${row.at}\n${row.fromStage ?? ''}\n${row.toStage}\n${row.manifestVersion}\n${row.manifestHash}\n${row.evidenceId ?? ''}\n${row.askedBy ?? ''}\n${row.previousHash}`;
}
