/** Decisions decoded from the columns of a run, and samples of them checked against the plain decider. */
import type { Disposition } from '../../domain/agents/agent.ts';
import type { CompiledManifest, RiskAssessor } from '../../domain/agents/decide.ts';
import type { AgentBook } from '../../domain/agents/decision.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { createAsOfView } from './as-of.ts';
import { type History, type InstrumentColumns, priceText } from './history.ts';
import type { InputColumn } from './input-columns.ts';
import { type BitColumn, type InstrumentRules, positionRulePasses, type RuleBook, type RulePlan } from './rule-columns.ts';
import { BLOCK_REASONS, DISPOSITION_CODES, heldAt, profitAt, type Simulation } from './simulate.ts';
import { type InstrumentUnits, type Trade, unitsText } from './trade-ledger.ts';

interface BarDecision {
  readonly slot: EpochMs;
  readonly disposition: Disposition;
  readonly reason: string | null;
  readonly instrument: string | null;
  /** Rule matrix, packed as in a decision record. */
  readonly outcome: string;
}

/** Returns the decision at bar `i` from the columns. */
export function decisionAt(history: History, rules: RuleBook, simulation: Simulation, i: number): BarDecision {
  const subject = simulation.subject[i] as number;
  return {
    slot: history.firstSlot + i * history.barMs,
    disposition: DISPOSITION_CODES[simulation.disposition[i] as number] as Disposition,
    reason: BLOCK_REASONS[simulation.reason[i] as number] ?? null,
    instrument: subject < 0 ? null : (history.instruments[subject] as InstrumentColumns).key,
    outcome: `[${history.instruments.flatMap((_, instrument) => formatCells(history, rules, simulation, instrument, i)).join(',')}]`,
  };
}

function formatCells(history: History, rules: RuleBook, simulation: Simulation, instrument: number, i: number): string[] {
  const evaluated = rules.instruments[instrument] as InstrumentRules;
  const state = evaluated.state[i] as number;
  return rules.plans.map((plan, rule) => {
    if (plan.position !== null) return positionCell(plan, history, simulation, instrument, i);
    const word = plan.side === 'entry' ? evaluated.entryPassed : (evaluated.exitPassed[plan.bit >> 5] as BitColumn);
    const passed = (((word[i] as number) >>> (plan.bit & 31)) & 1) as 0 | 1;
    const observed = (state & plan.gate) === plan.gate ? observedText(evaluated.inputs[rule] as InputColumn, i) : 'null';
    return `[${passed},${observed}]`;
  });
}

function positionCell({ position, gate }: RulePlan, history: History, simulation: Simulation, instrument: number, i: number): string {
  if (position === null) throw new Error('no rule on a position');
  const columns = history.instruments[instrument] as InstrumentColumns;
  const trade = simulation.trades.find((one) => one.instrument === instrument && isOpenAt(one, i));
  if (trade === undefined || ((columns.state[i] as number) & gate) !== gate) return '[0,null]';
  const { priceUnit, costs } = simulation.instruments[instrument] as InstrumentUnits;
  const computeSlot = (bar: number): EpochMs => history.firstSlot + bar * history.barMs;
  const value =
    position.looksAt === 'profit'
      ? profitAt(columns, i, trade.entryPrice / priceUnit, costs.halfSpreadBps)
      : heldAt(computeSlot(i), computeSlot(trade.entryBar));
  return `[${positionRulePasses(position, value) ? 1 : 0},${value}]`;
}

/** True if the decision at bar `i` saw the trade's position, which fills one bar after entry and closes one bar after exit. */
function isOpenAt({ entryBar, exitBar }: Trade, i: number): boolean {
  return entryBar < i && (exitBar === null || exitBar >= i);
}

function observedText(input: InputColumn, i: number): string {
  if (input.kind === 'word') {
    const code = input.codes[i] as number;
    return code === 0 ? 'null' : `"${input.labels[code - 1]}"`;
  }
  const value = input.values[i] as number;
  if (Number.isNaN(value)) return 'null';
  return input.kind === 'decimal' ? `"${priceText(value)}"` : `${value}`;
}

/** Returns the book that the decision at bar `i` saw. */
function bookAt(history: History, simulation: Simulation, i: number): AgentBook {
  const open = simulation.trades.filter((trade) => isOpenAt(trade, i));
  const closed = simulation.trades.filter(({ exitBar }) => exitBar !== null && exitBar < i);
  const profit = closed.reduce((sum, trade) => sum + (trade.profit ?? 0), 0);
  return {
    positions: [...open]
      .sort((a, b) => a.instrument - b.instrument)
      .map((trade) => {
        const units = simulation.instruments[trade.instrument] as InstrumentUnits;
        return {
          instrument: (history.instruments[trade.instrument] as InstrumentColumns).key,
          quantity: unitsText(trade.quantity, units.quantityDecimals),
          averageEntryPrice: unitsText(trade.entryPrice, units.priceDecimals),
          openedAt: history.firstSlot + trade.entryBar * history.barMs,
        };
      }),
    openProposals: 0,
    fills: closed.length * 2 + open.length,
    realizedPnlUsd: unitsText(profit, simulation.units.moneyDecimals),
    slippageBps: null,
  };
}

/** Bar at which columns and plain decider disagree. */
interface Difference {
  readonly slot: EpochMs;
  readonly columns: BarDecision;
  readonly plain: BarDecision;
}

/**
 * Repeats the decisions of the given bars (ascending) with the plain decider on the as-of view. Risk comes from the columns; everything
 * else is computed from the bars. Returns the first difference, or null.
 */
export function checkAgainstPlain(
  compiled: CompiledManifest,
  history: History,
  rules: RuleBook,
  simulation: Simulation,
  bars: readonly number[],
): Difference | null {
  const view = createAsOfView(
    history,
    compiled.needs,
    simulation.instruments.map(({ costs }) => costs.halfSpreadBps),
  );
  for (const i of bars) {
    const columns = decisionAt(history, rules, simulation, i);
    const assess: RiskAssessor = ({ instrument }) =>
      columns.disposition !== 'blocked_by_risk' && columns.instrument === instrument
        ? { verdict: 'passed', rejections: [] }
        : {
            verdict: 'blocked',
            rejections: [{ code: columns.reason ?? 'blocked', limit: null, before: null, after: null, suggestion: null }],
          };
    const verdict = compiled.decide(view.cutAt(i), bookAt(history, simulation, i), 'autonomous', assess);
    const plain: BarDecision = {
      slot: columns.slot,
      disposition: verdict.disposition,
      reason: verdict.reason,
      instrument: verdict.instrument,
      outcome: verdict.outcome,
    };
    if (JSON.stringify(plain) !== JSON.stringify(columns)) return { slot: columns.slot, columns, plain };
  }
  return null;
}
