/**
 * Rules of a manifest over whole columns: per instrument and slot one bit for "passed" and one for "would pass if its prices were live".
 * Position rules are left to the simulation. A test proves each rule equal to the plain decider.
 */
import { type Assumptions, computeTradeCosts, DEFAULT_ASSUMPTIONS } from '../../domain/backtest/assumptions.ts';
import { canonicalJson } from '../../domain/values/canonical-json.ts';
import { carriedIn } from '../../domain/conditions/carried-reference.ts';
import { findConditionDefinition } from '../../domain/conditions/index.ts';
import { netEdge } from '../../domain/conditions/net-edge-above.ts';
import { guardrailExits } from '../../domain/agents/decide.ts';
import { compareDecimals } from '../../domain/values/decimal.ts';
import type { Manifest, ManifestCondition } from '../../domain/manifest/manifest.ts';
import { SEVERITIES } from '../../domain/market/market-event.ts';
import { SESSIONS } from '../../domain/market/quote.ts';
import { sessionAt } from '../../domain/market/session.ts';
import { type History, type InstrumentColumns, priceText, QUOTE_LIVE, REFERENCE_CARRIED, REFERENCE_LIVE } from './history.ts';
import { type InputColumn, InputColumns, type NumberColumn, type WordColumn } from './input-columns.ts';

/** Rule on the open position, for the simulation: its input and its limit. */
export interface PositionRule {
  readonly looksAt: 'profit' | 'held';
  /** Comparison with the limit: `stop_loss` passes at or below it, `take_profit` at or above it, `held_longer_than` above it. */
  readonly passes: 'at_most' | 'at_least' | 'above';
  readonly limit: number;
}

/** True if a position rule passes. NaN (unknown) never passes. */
export function positionRulePasses({ passes, limit }: PositionRule, value: number): boolean {
  return passes === 'at_most' ? value <= limit : passes === 'at_least' ? value >= limit : value > limit;
}

/** Position of a rule's bits. */
export interface RulePlan {
  readonly side: 'entry' | 'exit';
  readonly condition: ManifestCondition;
  /** Bit of the rule within its side. */
  readonly bit: number;
  /** Bits of `state` that the rule requires; without them its input is unknown. */
  readonly gate: number;
  readonly position: PositionRule | null;
}

/** Rule bits by slot. A side with at most eight rules uses bytes, because writing is limited by memory bandwidth. */
export type BitColumn = Uint8Array | Uint32Array;

/** Evaluated rules of one instrument. `words[w][i]` holds the bits 32w to 32w + 31 of a side at slot i. */
export interface InstrumentRules {
  /** Inputs by rule; null for position rules. */
  readonly inputs: readonly (InputColumn | null)[];
  readonly entryPassed: BitColumn;
  readonly entryWithheld: BitColumn;
  readonly exitPassed: readonly BitColumn[];
  readonly exitWithheld: readonly BitColumn[];
  /** State bits by slot. A carried reference that the manifest's rules may read counts as live. */
  readonly state: Uint8Array;
  /** Number of slots by rule at which it passed and at which it was unknown. Position rules are not counted here. */
  readonly passedCount: Float64Array;
  readonly unknownCount: Float64Array;
}

/** Returns an instrument's states. A carried reference counts as live if the manifest allows it. */
function readableStates(manifest: Manifest, { firstSlot, barMs }: History, { state }: InstrumentColumns): Uint8Array {
  const allowed = carriedIn(manifest);
  if (allowed.length === 0) return state;
  return state.map((bits, i) =>
    (bits & REFERENCE_CARRIED) !== 0 && allowed.includes(sessionAt(firstSlot + i * barMs)) ? bits | REFERENCE_LIVE : bits,
  );
}

export interface RuleBook {
  readonly plans: readonly RulePlan[];
  readonly entryCount: number;
  readonly exitWords: number;
  readonly instruments: readonly InstrumentRules[];
}

/** Returns entry and exit rules in the order of the matrix, guardrails last. */
function rulePlans(manifest: Manifest): readonly RulePlan[] {
  const plan =
    (side: 'entry' | 'exit') =>
    (condition: ManifestCondition, bit: number): RulePlan => {
      const compiled = findConditionDefinition(condition).compile(condition);
      const gate = (compiled.observeUngated === null ? 0 : QUOTE_LIVE) | (compiled.usesReference ? REFERENCE_LIVE : 0);
      return { side, condition, bit, gate, position: positionRule(condition) };
    };
  return [...manifest.entry.map(plan('entry')), ...[...manifest.exit, ...guardrailExits(manifest)].map(plan('exit'))];
}

/** Columns of one instrument in the states that a manifest may read, with the inputs computed from them. */
interface ReadableColumns {
  readonly columns: InstrumentColumns;
  readonly inputs: InputColumns;
}

/** Inputs of one history, shared by manifests that read the same data. The number kept per instrument is limited. */
export class HistoryInputs {
  readonly #history: History;
  readonly #most: number;
  readonly #kept = new Map<string, readonly ReadableColumns[]>();

  constructor(history: History, most = Number.POSITIVE_INFINITY) {
    this.#history = history;
    this.#most = most;
  }

  /** Returns the columns that a manifest may read, in the order of the history's instruments. */
  of(manifest: Manifest): readonly ReadableColumns[] {
    const sessions = carriedIn(manifest).join();
    const kept = this.#kept.get(sessions);
    if (kept !== undefined && kept.every(({ inputs }) => inputs.size < this.#most)) return kept;
    const shared = new Map<string, InputColumn>();
    const made = this.#history.instruments.map((received) => {
      const columns = { ...received, state: readableStates(manifest, this.#history, received) };
      return { columns, inputs: new InputColumns(this.#history, columns, shared) };
    });
    this.#kept.set(sessions, made);
    return made;
  }
}

/**
 * Evaluates every rule at every slot of the history.
 * @param assumptions assumed bid and ask of bars, for rules that read costs
 * @param inputs inputs that other manifests computed on the same history
 * @throws TypeError if a condition type has no column form
 */
export function evaluateRules(
  manifest: Manifest,
  history: History,
  assumptions: Assumptions = DEFAULT_ASSUMPTIONS,
  inputs: HistoryInputs = new HistoryInputs(history),
): RuleBook {
  const plans = rulePlans(manifest);
  const entryCount = manifest.entry.length;
  const exitWords = Math.ceil((plans.length - entryCount) / 32);
  const instruments = inputs
    .of(manifest)
    .map((given) =>
      evaluateInstrument(plans, exitWords, given.columns, given.inputs, computeTradeCosts(given.columns.key, assumptions).halfSpreadBps),
    );
  return { plans, entryCount, exitWords, instruments };
}

function evaluateInstrument(
  plans: readonly RulePlan[],
  exitWords: number,
  columns: InstrumentColumns,
  inputs: InputColumns,
  halfSpreadBps: number,
): InstrumentRules {
  const length = columns.close.length;
  const count = (side: 'entry' | 'exit'): number => plans.reduce((sum, plan) => (plan.side === side ? sum + 1 : sum), 0);
  const column = (rules: number): BitColumn => (rules <= 8 ? new Uint8Array(length) : new Uint32Array(length));
  const words = (): BitColumn[] => Array.from({ length: exitWords }, () => column(count('exit')));
  const gated = (side: 'entry' | 'exit'): boolean => plans.some((plan) => plan.side === side && plan.gate !== 0 && plan.position === null);
  const rules = {
    inputs: plans.map((plan) => (plan.position === null ? findInput(plan.condition, inputs, halfSpreadBps) : null)),
    entryPassed: column(count('entry')),
    entryWithheld: gated('entry') ? column(count('entry')) : NO_BITS,
    exitPassed: words(),
    exitWithheld: gated('exit') ? words() : [],
    state: columns.state,
    passedCount: new Float64Array(plans.length),
    unknownCount: new Float64Array(plans.length),
  };
  plans.forEach((plan, index) => {
    const input = rules.inputs[index];
    if (input === undefined || input === null) return;
    const entry = plan.side === 'entry';
    const word = plan.bit >> 5;
    const target: Target = {
      bit: (1 << (plan.bit & 31)) >>> 0,
      gate: plan.gate,
      state: columns.state,
      passed: entry ? rules.entryPassed : (rules.exitPassed[word] as BitColumn),
      withheld: entry ? rules.entryWithheld : (rules.exitWithheld[word] ?? NO_BITS),
    };
    const counts =
      input.kind === 'word' ? markWords(input, acceptedWords(plan.condition), target) : markNumbers(input, plan.condition, target);
    rules.passedCount[index] = counts.passed;
    rules.unknownCount[index] = counts.unknown;
  });
  return rules;
}

const NO_BITS = new Uint8Array(0);

interface Target {
  readonly bit: number;
  readonly gate: number;
  readonly state: Uint8Array;
  readonly passed: BitColumn;
  readonly withheld: BitColumn;
}

interface Counts {
  readonly passed: number;
  readonly unknown: number;
}

/** Returns the bounds between which a passing value lies, exclusive. */
function computeBounds(condition: ManifestCondition, input: NumberColumn): { readonly low: number; readonly high: number } {
  const below = condition.type.endsWith('_below');
  const limit = findLimit(condition);
  let bound = Number(limit);
  // A decimal with more digits than a double may differ from its nearest double.
  if (input.kind === 'decimal') {
    const side = compareDecimals(priceText(bound), String(limit));
    if (below && side < 0) bound = nextAbove(bound);
    if (!below && side > 0) bound = nextBelow(bound);
  }
  return below ? { low: Number.NEGATIVE_INFINITY, high: bound } : { low: bound, high: Number.POSITIVE_INFINITY };
}

function markNumbers(input: NumberColumn, condition: ManifestCondition, target: Target): Counts {
  const { values } = input;
  const { low, high } = computeBounds(condition, input);
  const { bit, gate, state, passed, withheld } = target;
  let passes = 0;
  let unknown = 0;
  if (gate === 0) {
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      if (value > low && value < high) {
        passed[i] = (passed[i] as number) | bit;
        passes++;
      } else if (Number.isNaN(value)) unknown++;
    }
    return { passed: passes, unknown };
  }
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const live = ((state[i] as number) & gate) === gate;
    if (Number.isNaN(value) || !live) unknown++;
    if (!(value > low && value < high)) continue;
    if (live) {
      passed[i] = (passed[i] as number) | bit;
      passes++;
    } else withheld[i] = (withheld[i] as number) | bit;
  }
  return { passed: passes, unknown };
}

function markWords(input: WordColumn, accepted: (word: string) => boolean, { bit, passed }: Target): Counts {
  const passing = Uint8Array.from([0, ...input.labels.map((label) => (accepted(label) ? 1 : 0))]);
  const { codes } = input;
  let passes = 0;
  let unknown = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] as number;
    if (passing[code] === 1) {
      passed[i] = (passed[i] as number) | bit;
      passes++;
    } else if (code === 0) unknown++;
  }
  return { passed: passes, unknown };
}

function positionRule(condition: ManifestCondition): PositionRule | null {
  if (condition.type === 'stop_loss') return { looksAt: 'profit', passes: 'at_most', limit: -Number(condition['pct']) };
  if (condition.type === 'take_profit') return { looksAt: 'profit', passes: 'at_least', limit: Number(condition['pct']) };
  if (condition.type === 'held_longer_than') return { looksAt: 'held', passes: 'above', limit: Number(condition['hours']) };
  return null;
}

/** Returns the column that a condition reads. */
function findInput(condition: ManifestCondition, inputs: InputColumns, halfSpreadBps: number): InputColumn {
  const number = (field: string): number => Number(condition[field]);
  const timeframe = String(condition['timeframe']);
  switch (condition.type.replace(/_(below|above)$/, '')) {
    case 'premium':
      return inputs.benchmarkGap('reference_price');
    case 'gap_to_mark':
      return inputs.benchmarkGap('issuer_mark');
    case 'basis':
      return inputs.basis();
    case 'net_edge':
      return inputs.netEdge(canonicalJson(condition), netEdge(condition), halfSpreadBps);
    case 'reference_lost':
      return inputs.referenceState();
    case 'price':
      return inputs.price();
    case 'liquidity':
      return inputs.liquidity();
    case 'rsi':
      return inputs.indicator({ name: 'rsi', period: number('period'), timeframe });
    case 'volatility':
      return inputs.indicator({ name: 'volatility', period: number('period'), timeframe });
    case 'funding_percentile':
      return inputs.indicator({ name: 'funding_percentile', period: number('windowDays'), timeframe: '1h' });
    case 'ema':
    case 'ema_cross_up':
    case 'ema_cross_down':
      return inputs.emaRelation(number('fast'), number('slow'), timeframe);
    case 'session_in':
      return inputs.session();
    case 'no_negative_event':
    case 'negative_event':
      return inputs.worstEvent(number('lookbackHours'), condition['includeRumors'] === true);
    default:
      throw new TypeError(`a backtest has no column for conditions of type ${condition.type}`);
  }
}

/** Returns the limit that a condition compares with. */
function findLimit(condition: ManifestCondition): string | number {
  for (const field of ['pct', 'value', 'percentile', 'price', 'usd', 'bps']) {
    const limit = condition[field];
    if (typeof limit === 'number' || typeof limit === 'string') return limit;
  }
  throw new TypeError(`a backtest knows no limit of conditions of type ${condition.type}`);
}

/** Returns a function that is true for the words at which a condition passes. */
function acceptedWords(condition: ManifestCondition): (word: string) => boolean {
  switch (condition.type) {
    case 'session_in':
      return (word) => (SESSIONS as readonly string[]).includes(word) && (condition['sessions'] as readonly string[]).includes(word);
    case 'no_negative_event':
      return (word) => rankSeverity(word) < rankSeverity(String(condition['minSeverity']));
    case 'negative_event':
      return (word) => rankSeverity(word) >= rankSeverity(String(condition['minSeverity']));
    default: {
      const words = String(findConditionDefinition(condition).threshold(condition)).split('|');
      return (word) => words.includes(word);
    }
  }
}

/** Returns the rank of a severity; -1 for `none`. */
function rankSeverity(word: string): number {
  return (SEVERITIES as readonly string[]).indexOf(word);
}

const BITS = new DataView(new ArrayBuffer(8));

/** Returns the next larger double of a number that is not negative. */
function nextAbove(value: number): number {
  BITS.setFloat64(0, value);
  BITS.setBigInt64(0, BITS.getBigInt64(0) + 1n);
  return BITS.getFloat64(0);
}

function nextBelow(value: number): number {
  if (value === 0) return -Number.MIN_VALUE;
  BITS.setFloat64(0, value);
  BITS.setBigInt64(0, BITS.getBigInt64(0) - 1n);
  return BITS.getFloat64(0);
}
