/** The five standard stress scenarios of every portfolio. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { AssetClass } from './asset-class.ts';
import { LARGE_POSITION_PCT, type PoolExit } from './pool-exit.ts';
import type { PortfolioPosition, PortfolioTotals } from './positions.ts';
import { CALENDAR_INPUT, scenarioInputId } from './input-trace.ts';

export const SCENARIO_IDS = ['equity_selloff', 'private_mark_reset', 'crypto_crash', 'liquidity_freeze', 'weekend_gap'] as const;
export type ScenarioId = (typeof SCENARIO_IDS)[number];

/** One scenario: percentage shocks to price by asset class. */
interface StandardScenario {
  readonly id: ScenarioId;
  /** Percent of the price. A class without a shock keeps its price. */
  readonly shocks: Readonly<Partial<Record<AssetClass, number>>>;
  /**
   * Additional cost of exiting a position that is large for its pool, in percent of the price before, or null if the scenario has no exit.
   */
  readonly exitHaircutPct: number | null;
  /** Time of the shocked prices, or null for at once. */
  readonly against: 'next_regular_open' | null;
}

/** Shocks in percent by asset class. Cash, stablecoins and prediction contracts are not shocked. */
export const STANDARD_SCENARIOS: readonly StandardScenario[] = [
  {
    id: 'equity_selloff',
    shocks: { public_equity: -10, pre_ipo: -20, agent_token: -35, crypto_spot: -15, perpetual: -15 },
    exitHaircutPct: null,
    against: null,
  },
  { id: 'private_mark_reset', shocks: { pre_ipo: -30 }, exitHaircutPct: null, against: null },
  {
    id: 'crypto_crash',
    shocks: { crypto_spot: -30, perpetual: -30, agent_token: -60, public_equity: -3 },
    exitHaircutPct: null,
    against: null,
  },
  { id: 'liquidity_freeze', shocks: { agent_token: -10, pre_ipo: -5, public_equity: -2 }, exitHaircutPct: -25, against: null },
  { id: 'weekend_gap', shocks: { public_equity: -7 }, exitHaircutPct: null, against: 'next_regular_open' },
];

/** Effect of a scenario on one holding. */
interface ScenarioEffect {
  readonly holding: string;
  readonly shockPct: number;
  readonly haircutPct: number;
  readonly beforeUsd: DecimalString;
  readonly afterUsd: DecimalString;
  /** Loss, negative for a gain, such as a short on a falling price. */
  readonly lossUsd: DecimalString;
  readonly why: string;
  readonly inputs: readonly string[];
}

/** A portfolio under one scenario. */
export interface ScenarioResult {
  readonly id: ScenarioId;
  readonly beforeUsd: DecimalString;
  readonly afterUsd: DecimalString;
  readonly lossUsd: DecimalString;
  /** loss / value before x 100 as a ratio, or null if the value is not positive. */
  readonly lossPct: number | null;
  /** Regular open that the gap is measured against. Null in other scenarios, and beyond the known calendar. */
  readonly opensAt: EpochMs | null;
  readonly coverage: PortfolioTotals['coverage'];
  /** Holdings without a price, whose loss is unknown. */
  readonly leftOut: readonly string[];
  readonly effects: readonly ScenarioEffect[];
  readonly inputs: readonly string[];
}

/** Inputs of the scenarios besides holdings. */
interface ScenarioFacts {
  readonly totals: PortfolioTotals;
  readonly exits: readonly PoolExit[];
  readonly nextRegularOpen: EpochMs | null;
}

/** Evaluates a portfolio against all five, in order. */
export function evaluateScenarios(holdings: readonly PortfolioPosition[], facts: ScenarioFacts): readonly ScenarioResult[] {
  return STANDARD_SCENARIOS.map((scenario) => evaluate(scenario, holdings, facts));
}

function evaluate(
  scenario: StandardScenario,
  holdings: readonly PortfolioPosition[],
  { totals, exits, nextRegularOpen }: ScenarioFacts,
): ScenarioResult {
  const effects = holdings.flatMap((holding) => (holding.valueUsd === null ? [] : [effectOn(scenario, holding, holding.valueUsd, exits)]));
  const loss = effects.reduce((sum, { lossUsd }) => sum.plus(lossUsd), new Decimal(0));
  const before = new Decimal(totals.valueUsd);
  const gap = scenario.against === 'next_regular_open';
  return {
    id: scenario.id,
    beforeUsd: totals.valueUsd,
    afterUsd: plainDecimal(before.minus(loss)),
    lossUsd: plainDecimal(loss),
    lossPct: before.gt(0) ? loss.times(100).div(before).toDecimalPlaces(8).toNumber() + 0 : null,
    opensAt: gap ? nextRegularOpen : null,
    coverage: totals.coverage,
    leftOut: holdings.flatMap(({ id, valueUsd }) => (valueUsd === null ? [id] : [])),
    effects,
    inputs: [scenarioInputId(scenario.id), ...(gap ? [CALENDAR_INPUT] : [])],
  };
}

/** Returns the effect on a holding. The haircut is added to the shock: both are percent of the price before, so -10 and -25 give -35. */
function effectOn(
  scenario: StandardScenario,
  holding: PortfolioPosition,
  beforeUsd: DecimalString,
  exits: readonly PoolExit[],
): ScenarioEffect {
  const shockPct = scenario.shocks[holding.assetClass] ?? 0;
  const exit = scenario.exitHaircutPct === null ? undefined : exits.find(({ instrument }) => instrument === holding.instrument);
  const haircutPct = exit?.large === true ? (scenario.exitHaircutPct ?? 0) : 0;
  const before = new Decimal(beforeUsd);
  const loss = before.times(shockPct + haircutPct).div(-100);
  const shock = shockPct === 0 ? `${holding.assetClass} keeps its price` : `${holding.assetClass} ${shockPct} %`;
  const haircut = exit === undefined ? '' : exit.large ? `; exit haircut ${haircutPct} %: ${exit.why}` : `; no exit haircut: ${exit.why}`;
  return {
    holding: holding.id,
    shockPct,
    haircutPct,
    beforeUsd,
    afterUsd: plainDecimal(before.minus(loss)),
    lossUsd: plainDecimal(loss),
    why: `${shock}${haircut}`,
    inputs: [holding.id, scenarioInputId(scenario.id), ...(exit === undefined ? [] : exit.inputs.filter((id) => id.startsWith('pool:')))],
  };
}

/** Describes the rule of a scenario in one line. */
export function scenarioRule({ shocks, exitHaircutPct, against }: StandardScenario): string {
  const parts = Object.entries(shocks).map(([assetClass, pct]) => `${assetClass} ${pct} %`);
  const haircut =
    exitHaircutPct === null ? [] : [`another ${exitHaircutPct} % for a position larger than ${LARGE_POSITION_PCT} % of its pool`];
  return [...parts, ...haircut, ...(against === null ? [] : ['against the next regular-session open'])].join(', ');
}
