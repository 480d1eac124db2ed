/**
 * Simulation of evaluated rules bar by bar, with the positions, exits, limits and money of live trading. A decision at bar i uses the
 * data closed by then. Its orders fill at the open of bar i + 1.
 */
import type { Disposition } from '../../domain/agents/agent.ts';
import type { Proposal as RiskProposal, RiskAssessor } from '../../domain/agents/decide.ts';
import type { AgentBook, RiskAttribution, Verdict } from '../../domain/agents/decision.ts';
import { type OutsideProposal, soldQuantity } from '../../domain/outside/outside-proposal.ts';
import { type Assumptions, computeTradeCosts, harder, type TradeCosts } from '../../domain/backtest/assumptions.ts';
import { CATALOG, isTradableAt, type TokenFacts } from '../../domain/catalog/catalog.ts';
import { type MarketState, assumedMarketState, observedState } from '../../domain/orders/costs.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { computeLeverage, liquidationAt, liquidationLines, type MarginedPosition, findMarginTiers } from '../../domain/orders/margin.ts';
import { findMarketStep } from '../../domain/market/market-step.ts';
import { priceStepExponent } from '../../domain/market/published-steps.ts';
import { findExposureGroup } from '../../domain/risk/capacity.ts';
import { combineMandate } from '../../domain/risk/mandate.ts';
import { DEFAULT_PREFERENCES } from '../../domain/risk/preferences.ts';
import { DAY_MS, HOUR_MS } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import {
  type BarCourse,
  type BarFill,
  chooseBarCourse,
  type BarOrder,
  fillOnBars,
  type MetBars,
  TAKEN_AT_OPEN,
  bestPrices,
} from './bar-execution.ts';
import type { BarPlace, FinerBars, FinerUse } from './finer-bars.ts';
import { type FundingPaid, type History, type InstrumentColumns, priceText, QUOTE_LIVE, REFERENCE_LIVE } from './history.ts';
import { computePercent } from './input-columns.ts';
import { type BitColumn, type InstrumentRules, type PositionRule, positionRulePasses, type RuleBook } from './rule-columns.ts';
import {
  type BookUnits,
  bookUnits,
  ceilUnits,
  computeFee,
  computeFillPrice,
  floorUnits,
  computeFunding,
  type InstrumentUnits,
  instrumentUnits,
  type Trade,
  unitsText,
} from './trade-ledger.ts';

/** Dispositions by their number in the columns. */
export const DISPOSITION_CODES: readonly Disposition[] = ['hold', 'propose_entry', 'propose_exit', 'blocked_by_risk'];
/** Reasons of blocked proposals by their number in the columns, in the order of checking; 0 is none. */
export const BLOCK_REASONS = [
  null,
  'pool_liquidity_breach',
  'daily_drawdown_breach',
  'stale_reference_feed',
  'quote_not_live',
  'notional_limit_breach',
  'open_positions_breach',
  'capital_limit_breach',
  'halted',
  'leverage_breach',
  'duplicate_underlying_breach',
] as const;
type BlockReason = Exclude<(typeof BLOCK_REASONS)[number], null>;

/** Flags of observed market state when an order executed. Unobserved state was assumed. */
export const SEEN = { spread: 1, depth: 2 } as const;

/** Reasons why an order that passed risk was not filled. */
const MISS_REASONS = ['no_next_bar', 'beyond_limit', 'end_of_history'] as const;
export type MissReason = (typeof MISS_REASONS)[number];

/** Cash from a bar on, in money units, as the bar's decision saw it. */
interface CashStep {
  readonly bar: number;
  readonly cash: number;
}

/** Entry order at the close of a bar. */
interface EntryOrder {
  readonly bar: number;
  /** Index of the instrument in the universe. */
  readonly instrument: number;
  /** Quantity in units, whole lots. */
  readonly quantity: number;
  /** Worst acceptable price in price units. */
  readonly limit: number;
}

/** Result of a simulation. Inputs of position rules are derived from trades and closes: see `profitAt`, `heldAt`. */
export interface Simulation {
  readonly units: BookUnits;
  readonly instruments: readonly InstrumentUnits[];
  /** Equity in US dollars at the close of each bar, before its orders. A statistic, hence doubles. */
  readonly equityUsd: Float64Array;
  /** Cash steps, ascending. The first is bar 0. */
  readonly cashSteps: readonly CashStep[];
  /** Indices into `DISPOSITION_CODES` and `BLOCK_REASONS`. An instrument of -1 means none. */
  readonly disposition: Uint8Array;
  readonly reason: Uint8Array;
  readonly subject: Int16Array;
  /** Number of slots by position rule at which it was known, and at which it passed. */
  readonly positionKnown: Float64Array;
  readonly positionPassed: Float64Array;
  readonly trades: readonly Trade[];
  /** Entry orders, filled or not, in the order of the bars. */
  readonly entries: readonly EntryOrder[];
  readonly missed: Readonly<Record<MissReason, number>>;
  readonly blocked: Readonly<Record<string, number>>;
  /** Number of closed positions for which each exit rule passed. */
  readonly exitedBy: Float64Array;
  /** Fees paid in money units, and turnover in US dollars. */
  readonly fees: number;
  readonly turnoverUsd: number;
  /** Funding paid by closed trades, in money units. */
  readonly funding: number;
  /** Turnover of resting orders at the maker fee, in money units. */
  readonly rested: number;
  /** Number of bars with an open position. */
  readonly exposedBars: number;
  /** Finer bars that were used, or null if there were none. */
  readonly finer: FinerUse | null;
}

/** Instrument with everything that the loop reads, so that no bar needs a lookup. */
interface InstrumentState {
  readonly instrument: number;
  readonly columns: InstrumentColumns;
  readonly rules: InstrumentRules;
  readonly units: InstrumentUnits;
  /** Execution of its orders within a bar. A stop-loss takes at the open. */
  readonly course: BarCourse;
  /** Market state that its cost model assumes. */
  readonly assumed: MarketState;
  /** Approximate ratio of the bid to the close. */
  readonly bidShare: number;
  /** Leverage of its positions; 1 if they are paid in full. */
  readonly leverage: number;
  /** Underlying to which its exposure counts. */
  readonly group: string;
  /** Validity period of its token, or null if it is not a token. */
  readonly validity: Pick<TokenFacts, 'validFrom' | 'validTo'> | null;
  /** True if positions are limited to a share of the pool's liquidity, which the history has. */
  readonly pooled: boolean;
  position: OpenPosition | null;
}

interface OpenPosition {
  readonly instrumentState: InstrumentState;
  readonly entryBar: number;
  readonly quantity: number;
  /** Quantity in base units, for marking. */
  readonly baseUnits: number;
  readonly entryPrice: number;
  readonly entryUsd: number;
  readonly cost: number;
  /** Margin in money units: the cost divided by the leverage. */
  readonly margin: number;
  /** Liquidation prices in US dollars by the funding paid per unit; empty if it is not a perpetual. */
  readonly liquidation: readonly { readonly price: number; readonly perFunding: number }[];
  readonly fees: number;
  readonly slippageBps: number;
  readonly seen: number;
  /** Bits of the exit rules that passed when its exit was last ordered. */
  exitRules: readonly number[];
  /** Quantity units that its last exit sells: all, unless an outside proposal sells less. */
  selling: number;
  /** Set at its end if the venue liquidated it. */
  readonly isLiquidated?: true;
}

const NO_RULES: readonly number[] = [];
const NO_LINES: OpenPosition['liquidation'] = [];
const MICROS = 1_000_000;
const FAILED = 0;
const PASSED = 1;
const WITHHELD = 2;
const STEP_BARS = 16_384;

/** Returns the profit in percent at slot i as rules read it, at the price of closing then. */
export function profitAt({ close, decimals }: InstrumentColumns, i: number, entryUsd: number, halfSpreadBps: number): number {
  return computePercent(bestPrices(close[i] as number, decimals, halfSpreadBps).bid, entryUsd);
}

/** Returns the holding time at a slot as rules read it, in hours rounded to a millionth. */
export function heldAt(slot: number, openedAt: number): number {
  return Math.round(((slot - openedAt) / HOUR_MS) * 1e6) / 1e6;
}

/** Distance from a limit, in percent, within which the approximate profit is not decisive. */
const ROUGH = 1e-5;

/** Simulates a manifest's evaluated rules over a history. Calls `onBars` with the completed bars about every sixteen thousand. */
export function simulate(
  manifest: Manifest,
  history: History,
  rules: RuleBook,
  assumptions: Assumptions,
  onBars?: (done: number) => void,
): Simulation {
  const run = new Run(manifest, history, rules, assumptions, null);
  run.runOn(onBars);
  return run.finish();
}

/** Simulates like `simulate`, and reads finer bars where the path within a bar matters. */
export async function simulateInside(
  manifest: Manifest,
  history: History,
  rules: RuleBook,
  assumptions: Assumptions,
  finer: FinerBars,
  onBars?: (done: number) => void,
): Promise<Simulation> {
  const run = new Run(manifest, history, rules, assumptions, finer);
  for (let unread = run.runOn(onBars); unread.length > 0; unread = run.runOn(onBars)) {
    // The next needed bars depend on these.
    // oxlint-disable-next-line no-await-in-loop
    await finer.read(unread);
  }
  return run.finish();
}

/** Decides one bar, given the book and the risk function to use. */
type DecideBar = (book: AgentBook, assess: RiskAssessor) => Verdict;

/** Simulation whose bars are decided by the caller one after the other. */
export interface BarByBar {
  /** Returns the book of the next bar's decision, with cash and equity in US dollars. */
  book(): { readonly book: AgentBook; readonly cashUsd: number; readonly equityUsd: number };
  /** Decides the next bar and fills its orders. @throws RangeError after the last bar */
  step(decide: DecideBar): Verdict;
  readonly bar: number;
  /** Half spreads by instrument, in basis points, in the order of the history. */
  readonly halfSpreadsBps: readonly number[];
  /** Returns the finished simulation. Call it once, after the last bar. */
  finish(): Simulation;
}

/** Opens a simulation that the caller decides bar by bar. Risk, fills and costs equal those of `simulate`. */
export function simulateBarByBar(manifest: Manifest, history: History, rules: RuleBook, assumptions: Assumptions): BarByBar {
  return new Run(manifest, history, rules, assumptions, null);
}

class Run implements BarByBar {
  readonly #history: History;
  readonly #rules: RuleBook;
  readonly #assumptions: Assumptions;
  /** Finer bars, or null if none are used. */
  readonly #finer: FinerBars | null;
  readonly #units: BookUnits;
  readonly #instrumentStates: readonly InstrumentState[];
  readonly #positionRules: readonly {
    readonly rule: PositionRule;
    readonly place: number;
    readonly word: number;
    readonly bit: number;
    readonly gated: boolean;
  }[];
  /** Exit rules, by index in the plans and bit. */
  readonly #exitRules: readonly { readonly place: number; readonly bit: number; readonly isStop: boolean }[];
  readonly #positionKnown: Float64Array;
  readonly #positionPassed: Float64Array;
  /** Approximate bounds at which position rules exit. `#positionBits` decides exactly. */
  readonly #exitBound: ExitBound;
  /** Next bar at which something may happen to each instrument; the length if nothing will. */
  readonly #due: Int32Array;
  /** Instruments of the next due bar, in the universe's order. Only the first `#dueCount` count. */
  readonly #dueInstruments: Int32Array;
  #dueCount = 0;
  /** Next bar at which an exit rule of an instrument's columns passes or would pass. It only moves forward. */
  readonly #nextExit: Int32Array;
  readonly #maxCapital: number;
  readonly #maxTrade: number;
  readonly #minOrder: number;
  readonly #maxOpen: number;
  readonly #maxDrawdownPct: number;
  readonly #maxSlippageBps: number;
  readonly #maxLeverage: number;
  readonly #poolShare: number;
  readonly #weights: { readonly position: number; readonly underlying: number };
  /** True if a position may exceed the cash paid for it. */
  readonly #isMargined: boolean;
  /** Money units per micro-dollar. The risk function counts in micro-dollars and rounds each amount against the order. */
  readonly #micro: number;
  /** True if every instrument has all its bars. */
  readonly #whole: boolean;
  /** Bars at which a held instrument had no live price, so the book's equity was unknown. */
  readonly #unpriced = new Set<number>();
  readonly #entryBits: number;
  /** Open positions in the universe's order. */
  readonly #held: OpenPosition[] = [];
  #cash: number;
  /** Capital bound by open positions, in money units. */
  #invested = 0;
  #drawdown = { day: Number.NaN, start: 0, checked: -1, breached: false };
  /** Positions that this bar closes. Only the first `#exits` count. */
  readonly #leaving: OpenPosition[] = [];
  #exits = 0;
  /** Number of entries that this bar orders, at the end of `#entryOrders`, and the money reserved for them. */
  #entries = 0;
  #reserved = 0;
  /** True if the orders of this bar moved cash. */
  #traded = false;
  /** True if a decision was made on this bar. */
  #decided = false;
  #blockedReason: BlockReason | null = null;
  #blockedSubject = -1;
  readonly #trades: Trade[] = [];
  readonly #entryOrders: EntryOrder[] = [];
  readonly #missed = { no_next_bar: 0, beyond_limit: 0, end_of_history: 0 };
  readonly #blocked: Record<string, number> = {};
  readonly #exitedBy: Float64Array;
  readonly #exitWords: Uint32Array;
  readonly #exitWithheld: Uint32Array;
  #fees = 0;
  #turnover = 0;
  #funding = 0;
  #rested = 0;
  /** Number of bars with an open position. */
  #exposed = 0;
  /** Next bar, also of a simulation decided bar by bar. */
  #bar = 0;
  /** True if that bar is decided and its orders wait for finer bars. */
  #isWaiting = false;
  /** Realized profit in money units, net of fees. */
  #realized = 0;
  readonly #equity: Float64Array;
  readonly #cashSteps: CashStep[];
  readonly #disposition: Uint8Array;
  readonly #reason: Uint8Array;
  readonly #subject: Int16Array;

  constructor(manifest: Manifest, history: History, rules: RuleBook, assumptions: Assumptions, finer: FinerBars | null) {
    const { length } = history;
    this.#history = history;
    this.#rules = rules;
    this.#assumptions = assumptions;
    this.#finer = finer;
    const mandate = combineMandate(manifest, DEFAULT_PREFERENCES, null);
    const leverages = history.instruments.map(({ key }) => Number(computeLeverage(key, mandate)));
    this.#units = bookUnits(String(Number(manifest.maxCapitalUsd) * Math.max(1, ...leverages)));
    this.#positionRules = rules.plans.flatMap((plan, place) =>
      plan.position === null
        ? []
        : [{ rule: plan.position, place, word: plan.bit >> 5, bit: (1 << (plan.bit & 31)) >>> 0, gated: plan.gate !== 0 }],
    );
    this.#exitRules = rules.plans.flatMap(({ side, bit, condition }, place) =>
      side === 'exit' ? [{ place, bit, isStop: condition.type === 'stop_loss' }] : [],
    );
    this.#exitBound = computeExitBound(rules, history.barMs);
    this.#positionKnown = new Float64Array(rules.plans.length);
    this.#positionPassed = new Float64Array(rules.plans.length);
    this.#instrumentStates = history.instruments.map((columns, instrument) =>
      createInstrumentState(columns, instrument, {
        rules: rules.instruments[instrument] as InstrumentRules,
        leverage: leverages[instrument] as number,
        course: chooseBarCourse(manifest, columns.key, assumptions),
        costs: computeTradeCosts(columns.key, assumptions),
        book: this.#units,
      }),
    );
    const { unit } = this.#units;
    this.#micro = Math.max(1, unit / MICROS);
    this.#maxCapital = wholeMicros(mandate.maxCapitalUsd, this.#micro, unit);
    this.#maxTrade = wholeMicros(mandate.maxTradeNotionalUsd, this.#micro, unit);
    this.#minOrder = assumptions.minOrderUsd * unit;
    this.#maxOpen = mandate.maxOpenPositions;
    this.#maxDrawdownPct = mandate.maxDailyDrawdownPct;
    this.#maxSlippageBps = mandate.maxSlippageBps;
    this.#maxLeverage = Number(mandate.maxLeverage);
    this.#poolShare = mandate.maxPoolSharePct / 100;
    this.#weights = { position: mandate.maxPositionWeightPct, underlying: mandate.maxUnderlyingWeightPct };
    this.#isMargined = leverages.some((leverage) => leverage > 1);
    this.#whole = history.instruments.every(({ whole }) => whole);
    this.#entryBits = rules.entryCount === 32 ? 0xffffffff : (1 << rules.entryCount) - 1;
    this.#cash = floorUnits(Number(manifest.maxCapitalUsd) * unit);
    this.#exitedBy = new Float64Array(rules.plans.length);
    this.#exitWords = new Uint32Array(rules.exitWords);
    this.#exitWithheld = new Uint32Array(rules.exitWords);
    this.#equity = new Float64Array(length);
    this.#cashSteps = [{ bar: 0, cash: this.#cash }];
    this.#due = Int32Array.from(this.#instrumentStates, (instrumentState) => this.#entryFrom(instrumentState, 0));
    this.#dueInstruments = new Int32Array(this.#instrumentStates.length);
    this.#nextExit = new Int32Array(this.#instrumentStates.length).fill(-1);
    this.#disposition = new Uint8Array(length);
    this.#reason = new Uint8Array(length);
    this.#subject = new Int16Array(length).fill(-1);
  }

  /** Runs to the end, or to a bar that needs unread finer bars, which it returns. */
  runOn(onBars: ((done: number) => void) | undefined): readonly BarPlace[] {
    const { length } = this.#history;
    while (this.#bar < length) {
      const to = Math.min(length, (Math.floor(this.#bar / STEP_BARS) + 1) * STEP_BARS);
      const unread = this.#walk(this.#bar, to);
      if (unread.length > 0) return unread;
      onBars?.(to);
    }
    return ALL_READ;
  }

  get bar(): number {
    return this.#bar;
  }

  get halfSpreadsBps(): readonly number[] {
    return this.#instrumentStates.map(({ units }) => units.costs.halfSpreadBps);
  }

  book(): ReturnType<BarByBar['book']> {
    const { unit, moneyDecimals } = this.#units;
    this.#liquidate(this.#bar);
    this.#mark(this.#bar, this.#bar + 1);
    const positions = this.#held.map(({ instrumentState: { columns, units }, quantity, entryPrice, entryBar }) => ({
      instrument: columns.key,
      quantity: unitsText(quantity, units.quantityDecimals),
      averageEntryPrice: unitsText(entryPrice, units.priceDecimals),
      openedAt: this.#slotOf(entryBar),
    }));
    const book = {
      positions,
      openProposals: 0,
      fills: this.#trades.length * 2 + positions.length,
      realizedPnlUsd: unitsText(this.#realized, moneyDecimals),
      slippageBps: null,
    };
    return { book, cashUsd: this.#cash / unit, equityUsd: this.#equity[this.#bar] as number };
  }

  step(decide: DecideBar): Verdict {
    const i = this.#bar;
    if (i >= this.#history.length) throw new RangeError(`all ${i} bars are decided`);
    const { book } = this.book();
    if (this.#held.length > 0) this.#exposed++;
    this.#reserved = 0;
    this.#entries = 0;
    this.#exits = 0;
    const verdict = decide(book, (proposal) => toAttribution(this.#assess(proposal, i)));
    const { disposition, instrument, reason } = verdict;
    const subject = this.#instrumentStates.findIndex(({ columns }) => columns.key === instrument);
    this.#note(i, DISPOSITION_CODES.indexOf(disposition), 0, subject);
    if (disposition === 'blocked_by_risk' && reason !== null) this.#blocked[reason] = (this.#blocked[reason] ?? 0) + 1;
    if (this.#exits + this.#entries > 0) this.#fill(i);
    this.#bar++;
    return verdict;
  }

  /** Orders what a decision proposes, or returns the reason of risk's refusal. */
  #assess({ instrument, outside }: RiskProposal, i: number): BlockReason | null {
    const state = this.#instrumentStates.find(({ columns }) => columns.key === instrument) as InstrumentState;
    const { position, columns, units } = state;
    if (position === null) return this.#enter(state, i, PASSED, outside);
    if (outside === undefined) return this.#exit(position, i, this.#exitResult(position, i));
    const { bid } = bestPrices(columns.close[i] as number, columns.decimals, units.costs.halfSpreadBps);
    const quantity = floorUnits(Number(soldQuantity(outside, priceText(bid))) * units.quantityUnit);
    if (!(quantity > 0)) return 'notional_limit_breach';
    position.exitRules = NO_RULES;
    position.selling = Math.min(quantity, position.quantity);
    this.#leaving[this.#exits++] = position;
    return null;
  }

  finish(): Simulation {
    for (const position of this.#held) this.#trades.push(this.#tradeOf(position, null));
    return {
      units: this.#units,
      instruments: this.#instrumentStates.map(({ units }) => units),
      equityUsd: this.#equity,
      cashSteps: this.#cashSteps,
      disposition: this.#disposition,
      reason: this.#reason,
      subject: this.#subject,
      positionKnown: this.#positionKnown,
      positionPassed: this.#positionPassed,
      trades: this.#trades,
      entries: this.#entryOrders,
      missed: this.#missed,
      blocked: this.#blocked,
      exitedBy: this.#exitedBy,
      fees: this.#fees,
      turnoverUsd: this.#turnover,
      funding: this.#funding,
      rested: this.#rested,
      exposedBars: this.#exposed,
      finer: this.#finer?.used ?? null,
    };
  }

  /**
   * Runs the bars `from` to `to`, or up to one that needs unread finer bars, which it returns. Bars without due instruments only mark
   * equity.
   */
  #walk(from: number, to: number): readonly BarPlace[] {
    for (let i = from; i < to; i++) {
      if (!this.#isWaiting) {
        const due = this.#findDue();
        const unread = this.#finer === null || due >= to ? ALL_READ : this.#unreadLevels(due, this.#finer);
        if (unread.length > 0) return this.#stopAt(i, unread);
        const end = Math.min(due + 1, to);
        this.#mark(i, end);
        if (this.#held.length > 0) this.#exposed += end - i;
        if (due >= to) break;
        i = due;
        if (this.#finer !== null && this.#leaveInside(i, this.#finer)) this.#mark(i, i + 1);
        if (this.#liquidate(i)) this.#mark(i, i + 1);
        this.#decide(i);
      }
      if (this.#exits + this.#entries > 0) {
        const unread = this.#finer === null ? ALL_READ : this.#unreadCourses(i, this.#finer);
        this.#isWaiting = unread.length > 0;
        if (this.#isWaiting) return this.#stopAt(i, unread);
        this.#fill(i);
      }
      this.#lookAhead(i);
    }
    this.#bar = to;
    return ALL_READ;
  }

  #stopAt(i: number, unread: readonly BarPlace[]): readonly BarPlace[] {
    this.#bar = i;
    return unread;
  }

  /** Returns the unread finer bars of bar i for instruments whose positions reach a level in it. */
  #unreadLevels(i: number, finer: FinerBars): readonly BarPlace[] {
    const unread: BarPlace[] = [];
    for (let n = 0; n < this.#dueCount; n++) {
      const { instrument, position } = this.#instrumentStates[this.#dueInstruments[n] as number] as InstrumentState;
      const place = { instrument, bar: i };
      if (position !== null && this.#reachesLevel(position, i) && finer.isUnread(place)) unread.push(place);
    }
    return unread;
  }

  /** Returns the unread finer bars of bar i + 1 for instruments whose orders rest or are sliced in it. */
  #unreadCourses(i: number, finer: FinerBars): readonly BarPlace[] {
    const leaving = this.#leaving.slice(0, this.#exits).filter((position) => !this.#isStopped(position));
    const entering = this.#entryOrders.slice(this.#entryOrders.length - this.#entries);
    return [
      ...leaving.map(({ instrumentState }) => instrumentState),
      ...entering.map(({ instrument }) => this.#instrumentStates[instrument] as InstrumentState),
    ]
      .filter(({ course, columns }) => course.kind !== 'take' && i + 1 < this.#history.length && isLive(columns, i + 1))
      .map(({ instrument }) => ({ instrument, bar: i + 1 }))
      .filter((place) => finer.isUnread(place));
  }

  /** True if the prices of bar i reach a level at which a profit rule of the position passes. */
  #reachesLevel(position: OpenPosition, i: number): boolean {
    const { low, high } = position.instrumentState.columns;
    const { stopLimit, targetLimit } = this.#exitBound;
    const [stop, target] = pricesAt(position, stopLimit, targetLimit);
    return (low[i] as number) <= stop || (high[i] as number) >= target;
  }

  /** Closes the positions whose profit rules pass within bar i, as finer bars show. True if any was closed. */
  #leaveInside(i: number, finer: FinerBars): boolean {
    let hasLeft = false;
    for (let n = 0; n < this.#dueCount; n++) {
      const { instrument, position } = this.#instrumentStates[this.#dueInstruments[n] as number] as InstrumentState;
      const inside = position === null || !this.#reachesLevel(position, i) ? null : finer.of(instrument, i);
      const reached = inside === null ? null : this.#reachedInside(position as OpenPosition, inside, i);
      if (reached === null) continue;
      this.#sellInside(position as OpenPosition, reached, i);
      hasLeft = true;
    }
    if (hasLeft) this.#cashSteps.push({ bar: i, cash: this.#cash });
    return hasLeft;
  }

  /**
   * Returns where a profit rule of a position first passes within bar i, or null if none does before its close. A finer bar that reaches
   * the stop does so first. A target is reached when a finer bar closes beyond it.
   */
  #reachedInside(position: OpenPosition, { bars, barMs }: MetBars, i: number): ReachedInside | null {
    const { stopLimit, targetLimit } = this.#exitBound;
    const [stop, target] = pricesAt(position, stopLimit, targetLimit);
    const { columns } = position.instrumentState;
    for (const [n, bar] of bars.entries()) {
      // Liquidation takes precedence, at the low of the whole bar.
      if (isLiquidatedBy(position, bar.low, i - 1)) return null;
      const rest = { barMs, bars: bars.slice(n + 1) };
      const afterMs = (n + 1) * barMs;
      if (bar.low <= stop) {
        const met = Math.min(stop, bar.open);
        const next = rest.bars[0]?.open ?? columns.open[i + 1] ?? Number.NaN;
        return {
          decided: met,
          passes: 'at_most',
          taken: Number.isNaN(next) ? Math.min(met, bar.close) : Math.min(met, next),
          rest,
          afterMs,
        };
      }
      if (bar.close >= target && rest.bars.length > 0) return { decided: bar.close, passes: 'at_least', taken: null, rest, afterMs };
    }
    return null;
  }

  #sellInside(position: OpenPosition, { decided, passes, taken, rest, afterMs }: ReachedInside, i: number): void {
    const { instrumentState, quantity, entryUsd } = position;
    const { columns, bidShare, course } = instrumentState;
    const costs = this.#costsAt(instrumentState, i - 1);
    const { stopLimit, targetLimit } = this.#exitBound;
    const profit = passes === 'at_most' ? stopLimit : Math.max(targetLimit, ((decided * bidShare) / entryUsd - 1) * 100);
    this.#exitWords.fill(0);
    for (const { rule, word, bit } of this.#positionRules) {
      if (rule.looksAt !== 'profit' || rule.passes !== passes || !positionRulePasses(rule, profit)) continue;
      this.#exitWords[word] = (this.#exitWords[word] as number) | bit;
    }
    const left = { ...position, exitRules: copied(this.#exitWords), selling: quantity };
    const order = { side: 'sell' as const, quantity, limit: this.#exitLimitOf(instrumentState, i - 1) };
    const fill =
      taken === null
        ? this.#fillOn(instrumentState, rest, order, course, i - 1)
        : this.#fillOn(instrumentState, onePrice(taken), order, TAKEN_AT_OPEN, i - 1);
    const { price, fees } = fill as BarFill;
    this.#release(position);
    this.#close(left, { bar: i - 1, afterMs, price, fees, decidedUsd: bestPrices(decided, columns.decimals, costs.halfSpreadBps).bid });
    this.#countExits(left);
  }

  /** Returns the next bar at which something may happen to any instrument, and collects those in `#dueInstruments`. */
  #findDue(): number {
    const due = this.#due;
    const instrumentStates = this.#dueInstruments;
    let next = this.#history.length;
    let count = 0;
    for (let instrumentState = 0; instrumentState < due.length; instrumentState++) {
      const at = due[instrumentState] as number;
      if (at > next) continue;
      if (at < next) count = 0;
      next = at;
      instrumentStates[count++] = instrumentState;
    }
    this.#dueCount = count;
    return next;
  }

  /** Updates the next due bar of every instrument that was due at bar i. */
  #lookAhead(i: number): void {
    for (let n = 0; n < this.#dueCount; n++) {
      const instrumentState = this.#instrumentStates[this.#dueInstruments[n] as number] as InstrumentState;
      this.#due[instrumentState.instrument] =
        instrumentState.position === null ? this.#entryFrom(instrumentState, i + 1) : this.#exitFrom(instrumentState.position, i + 1);
    }
  }

  /** Marks equity at the closes of bars without trades in between. */
  #mark(from: number, to: number): void {
    const equity = this.#equity;
    const held = this.#held;
    const cash = this.#cash / this.#units.unit;
    for (let i = from; i < to; i++) equity[i] = cash;
    for (let n = 0; n < held.length; n++) {
      const { baseUnits, entryBar, instrumentState } = held[n] as OpenPosition;
      const { close, carry } = instrumentState.columns;
      for (let i = from; i < to; i++) equity[i] = (equity[i] as number) + baseUnits * (close[i] as number);
      if (carry === null) continue;
      for (let i = from; i < to; i++) equity[i] = (equity[i] as number) - (baseUnits * microsSince(carry, entryBar, i)) / MICROS;
    }
    if (this.#whole || held.length === 0) return;
    for (let i = from; i < to; i++) if (!this.#isPriced(i)) this.#unpriced.add(i);
  }

  /**
   * Returns the first bar from `i` on at which the instrument's entry rules pass, or would pass with live prices, or the length if there
   * is none.
   */
  #entryFrom({ rules }: InstrumentState, i: number): number {
    const { entryPassed, entryWithheld } = rules;
    const bits = this.#entryBits;
    const { length } = entryPassed;
    if (this.#rules.entryCount === 0) return length;
    let at = i;
    if (entryWithheld.length === 0) while (at < length && (entryPassed[at] as number) >>> 0 !== bits) at++;
    else while (at < length && ((entryPassed[at] as number) | (entryWithheld[at] as number)) >>> 0 !== bits) at++;
    return at;
  }

  /**
   * Returns the first bar from `i` on at which an exit rule passes or would pass, or a position rule may pass, or the length if there is
   * none.
   */
  #exitFrom(position: OpenPosition, i: number): number {
    const { instrumentState, entryBar } = position;
    const { instrument, columns, rules } = instrumentState;
    const nextExit = this.#nextExit;
    if ((nextExit[instrument] as number) < i) nextExit[instrument] = this.#exitRuleFrom(rules, i);
    const { stopPct, targetPct, bars } = this.#exitBound;
    const [low, high] = pricesAt(position, stopPct, targetPct);
    const end = Math.max(i, Math.min(nextExit[instrument] as number, entryBar + bars));
    const exit =
      this.#finer?.has(instrument) === true ? firstReaching(columns, low, high, i, end) : firstOutside(columns.close, low, high, i, end);
    return firstLiquidation(position, i, exit);
  }

  #exitRuleFrom({ exitPassed, exitWithheld }: InstrumentRules, i: number): number {
    let first = this.#history.length;
    for (const column of exitPassed) first = firstSet(column, i, first);
    for (const column of exitWithheld) first = firstSet(column, i, first);
    return first;
  }

  #slotOf(i: number): number {
    return this.#history.firstSlot + i * this.#history.barMs;
  }

  /** True if every position has a live price at bar i. */
  #isPriced(i: number): boolean {
    return this.#held.every(({ instrumentState }) => isLive(instrumentState.columns, i));
  }

  /**
   * Returns true if today's drawdown exceeded its limit by bar i. Like in live trading it compares equity with the first mark of the UTC
   * day in whole micro-dollars, rounded against the agent. Any loss breaches a limit of zero.
   */
  #drawnDown(i: number): boolean {
    // Cached, because every instrument of a bar needs it.
    if (this.#drawdown.checked > i) return this.#drawdown.breached;
    const { firstSlot, barMs } = this.#history;
    const day = Math.floor((firstSlot + i * barMs) / DAY_MS);
    const now = this.#drawdown;
    if (day !== now.day) {
      let firstBar = Math.max(0, Math.ceil((day * DAY_MS - firstSlot) / barMs));
      while (firstBar <= i && this.#unpriced.has(firstBar)) firstBar++;
      // A day begins at its first bar in which all positions have a live price.
      if (firstBar > i) return false;
      this.#drawdown = { day, start: ceilUnits((this.#equity[firstBar] as number) * MICROS), checked: firstBar, breached: false };
    }
    const state = this.#drawdown;
    for (; state.checked <= i; state.checked++) {
      const equity = (this.#equity[state.checked] as number) * MICROS;
      // Further from the limit than rounding can reach.
      if ((state.start - equity + 2) * 100 <= this.#maxDrawdownPct * state.start) continue;
      if (!this.#whole && this.#unpriced.has(state.checked)) continue;
      const lost = state.start - floorUnits(equity);
      if (lost > 0 && lost * 100 > this.#maxDrawdownPct * state.start) state.breached = true;
    }
    return state.breached;
  }

  /**
   * Decides bar i: exits before entries, each in the universe's order. The first proposal that risk allows is the decision. If risk
   * allows none, the first is blocked. Later ticks would propose the others.
   */
  #decide(i: number): void {
    this.#reserved = 0;
    this.#entries = 0;
    this.#exits = 0;
    this.#decided = false;
    this.#blockedReason = null;
    const due = this.#dueInstruments;
    for (let n = 0; n < this.#dueCount; n++) {
      const { position, instrument } = this.#instrumentStates[due[n] as number] as InstrumentState;
      if (position === null) continue;
      const ruleResult = this.#exitResult(position, i);
      if (ruleResult !== FAILED) this.#settle(i, instrument, 2, this.#exit(position, i, ruleResult));
    }
    for (let n = 0; n < this.#dueCount; n++) {
      const instrumentState = this.#instrumentStates[due[n] as number] as InstrumentState;
      if (instrumentState.position !== null) continue;
      const ruleResult = this.#entryResult(instrumentState, i);
      if (ruleResult !== FAILED) this.#settle(i, instrumentState.instrument, 1, this.#enter(instrumentState, i, ruleResult));
    }
    if (!this.#decided && this.#blockedReason !== null) this.#note(i, 3, BLOCK_REASONS.indexOf(this.#blockedReason), this.#blockedSubject);
  }

  #settle(i: number, instrument: number, disposition: number, reason: BlockReason | null): void {
    if (reason === null) {
      if (!this.#decided) this.#note(i, disposition, 0, instrument);
      this.#decided = true;
      return;
    }
    this.#blocked[reason] = (this.#blocked[reason] ?? 0) + 1;
    if (this.#blockedReason !== null) return;
    this.#blockedReason = reason;
    this.#blockedSubject = instrument;
  }

  #note(i: number, disposition: number, reason: number, subject: number): void {
    this.#disposition[i] = disposition;
    this.#reason[i] = reason;
    this.#subject[i] = subject;
  }

  #entryResult({ rules }: InstrumentState, i: number): number {
    const { entryPassed, entryWithheld } = rules;
    const bits = this.#entryBits;
    const passed = ((entryPassed[i] as number) & bits) >>> 0;
    if (passed === bits) return PASSED;
    if (entryWithheld.length === 0) return FAILED;
    return ((passed | (entryWithheld[i] as number)) & bits) >>> 0 === bits ? WITHHELD : FAILED;
  }

  /** Returns the exit result, and stores the exit rules' bits in `#exitWords` and `#exitWithheld`. */
  #exitResult(position: OpenPosition, i: number): number {
    const { exitPassed, exitWithheld } = position.instrumentState.rules;
    const words = this.#exitWords;
    const withheldWords = this.#exitWithheld;
    for (let word = 0; word < words.length; word++) {
      words[word] = (exitPassed[word] as BitColumn)[i] as number;
      withheldWords[word] = exitWithheld.length === 0 ? 0 : ((exitWithheld[word] as BitColumn)[i] as number);
    }
    this.#positionBits(position, i);
    let passed = 0;
    let withheld = 0;
    for (let word = 0; word < words.length; word++) {
      passed |= words[word] as number;
      withheld |= withheldWords[word] as number;
    }
    return passed !== 0 ? PASSED : withheld !== 0 ? WITHHELD : FAILED;
  }

  /** Sets the bits of position rules, from the approximate profit unless it is close to a limit. */
  #positionBits(position: OpenPosition, i: number): void {
    const { columns, units, bidShare } = position.instrumentState;
    const live = isLive(columns, i);
    const rough = (((columns.close[i] as number) * bidShare) / position.entryUsd - 1) * 100;
    const rules = this.#positionRules;
    for (let n = 0; n < rules.length; n++) {
      const { rule, place, word, bit, gated } = rules[n] as (typeof rules)[number];
      let value = rough;
      if (rule.looksAt === 'held') value = heldAt(this.#slotOf(i), this.#slotOf(position.entryBar));
      else if (Math.abs(rough - rule.limit) < ROUGH) value = profitAt(columns, i, position.entryUsd, units.costs.halfSpreadBps);
      if (!positionRulePasses(rule, value)) continue;
      if (live || !gated) {
        this.#positionPassed[place] = (this.#positionPassed[place] as number) + 1;
        this.#exitWords[word] = (this.#exitWords[word] as number) | bit;
      } else this.#exitWithheld[word] = (this.#exitWithheld[word] as number) | bit;
    }
  }

  /** Blocks a result that depends on prices that are not live, like the plain decider. */
  #notLive({ columns, rules }: InstrumentState, i: number, ruleResult: number, withheldOnReference: boolean): BlockReason | null {
    if (ruleResult === WITHHELD && withheldOnReference && ((rules.state[i] as number) & REFERENCE_LIVE) === 0)
      return 'stale_reference_feed';
    return isLive(columns, i) ? null : 'quote_not_live';
  }

  #exit(position: OpenPosition, i: number, ruleResult: number): BlockReason | null {
    const onReference = ruleResult === WITHHELD && this.#withheldOnReference('exit', this.#exitWithheld);
    const reason = this.#notLive(position.instrumentState, i, ruleResult, onReference);
    if (reason !== null) return reason;
    position.exitRules = copied(this.#exitWords);
    position.selling = position.quantity;
    this.#leaving[this.#exits++] = position;
    return null;
  }

  /** True if a withheld rule of a side reads the reference price. */
  #withheldOnReference(side: 'entry' | 'exit', withheld: ArrayLike<number>): boolean {
    return this.#rules.plans.some(
      (plan) =>
        plan.side === side && (plan.gate & REFERENCE_LIVE) !== 0 && (((withheld[plan.bit >> 5] as number) >>> (plan.bit & 31)) & 1) === 1,
    );
  }

  /**
   * Sizes an entry by the trade's notional and the remaining limits. Returns null if it is ordered, otherwise the first applicable code.
   * `outside` requests its own size and limit.
   */
  #enter(instrumentState: InstrumentState, i: number, ruleResult: number, outside?: OutsideProposal): BlockReason | null {
    const { columns, units, rules } = instrumentState;
    const onReference = ruleResult === WITHHELD && this.#withheldOnReference('entry', [rules.entryWithheld[i] as number]);
    const stale = this.#notLive(instrumentState, i, ruleResult, onReference);
    if (stale !== null) return stale;
    const close = columns.close[i] as number;
    const traded = this.#takeable(instrumentState, i, close);
    if (!(traded >= this.#minOrder)) return 'pool_liquidity_breach';
    if (this.#drawnDown(i)) return 'daily_drawdown_breach';
    if (!this.#whole && this.#unpriced.has(i)) return 'quote_not_live';
    const most = outside === undefined ? this.#maxTrade : Math.min(this.#maxTrade, this.#askedNotional(outside, instrumentState, i));
    if (most < this.#minOrder) return 'notional_limit_breach';
    if (this.#held.length + this.#entries >= this.#maxOpen) return 'open_positions_breach';
    // Rounds each amount to whole micro-dollars against the order, like in live trading: every position, every order with its fee, and
    // the cash.
    const kept = (this.#held.length + 2 * (this.#entries + 1) + 1) * this.#micro + 1;
    const free = Math.min(this.#balance(i), this.#maxCapital - this.#invested) - this.#reserved - kept;
    const exposure = this.#exposureCapacity(instrumentState, i) - kept;
    if (exposure < this.#minOrder) return 'duplicate_underlying_breach';
    const wanted = Math.min(most, traded, exposure, free / (1 / instrumentState.leverage + units.costs.feeBps / 10_000));
    if (wanted < this.#minOrder) return 'capital_limit_breach';
    if (instrumentState.validity !== null && !isTradableAt(instrumentState.validity, this.#slotOf(i))) return 'halted';
    if (this.#maxLeverage < 1 && wanted > this.#leverageCapacity(i) - kept) return 'leverage_breach';
    const own = outside?.limitPrice == null ? Number.POSITIVE_INFINITY : floorUnits(Number(outside.limitPrice) * units.priceUnit);
    const limit = Math.min(own, this.#limitOf(instrumentState, i));
    const quantity = lotsWithin(wanted, limit, units.lot);
    if (!(quantity > 0)) return 'capital_limit_breach';
    const cost = quantity * limit;
    this.#reserved += computeMargin(cost, instrumentState) + computeFee(cost, units.costs);
    this.#entries++;
    this.#entryOrders.push({ bar: i, instrument: instrumentState.instrument, quantity, limit });
    return null;
  }

  /** Returns the money units that an outside proposal requests to spend. A size in base units is valued at the ask. */
  #askedNotional({ notionalUsd, quantity }: OutsideProposal, { columns, units }: InstrumentState, i: number): number {
    const { unit } = this.#units;
    if (notionalUsd !== null) return floorUnits(Number(notionalUsd) * unit);
    const { ask } = bestPrices(columns.close[i] as number, columns.decimals, units.costs.halfSpreadBps);
    return floorUnits(Number(quantity) * ask * unit);
  }

  /**
   * Returns the remaining exposure to an instrument and its underlying at bar i, in money units. Fully paid exposure is limited to the
   * equity.
   */
  #exposureCapacity(state: InstrumentState, i: number): number {
    if (!this.#isMargined) return Number.POSITIVE_INFINITY;
    const { unit } = this.#units;
    const equity = floorUnits((this.#equity[i] as number) * unit);
    const own = (equity * this.#weights.position) / 100;
    let kin = 0;
    for (const { instrumentState, baseUnits } of this.#held)
      if (instrumentState.group === state.group) kin += ceilUnits(baseUnits * (instrumentState.columns.close[i] as number) * unit);
    for (const { instrument, quantity, limit } of this.#entryOrders.slice(this.#entryOrders.length - this.#entries))
      if ((this.#instrumentStates[instrument] as InstrumentState).group === state.group) kin += quantity * limit;
    return kin === 0 ? own : Math.min(own, (equity * this.#weights.underlying) / 100 - kin);
  }

  /**
   * Returns the free balance at bar i in money units: the cash less due funding, plus the value of margined positions beyond their
   * margin.
   */
  #balance(i: number): number {
    let free = this.#cash - this.#fundingDue(i);
    for (const { instrumentState, baseUnits } of this.#held) {
      const { leverage, columns, bidShare } = instrumentState;
      if (leverage > 1) free += floorUnits(baseUnits * (columns.close[i] as number) * bidShare * this.#units.unit * (1 - 1 / leverage));
    }
    return free;
  }

  /** Returns the funding that positions owe at bar i, in money units. It is settled at the exit; received funding counts only then. */
  #fundingDue(i: number): number {
    return this.#held.reduce((sum, position) => sum + Math.max(0, fundingSince(position, i)), 0);
  }

  /**
   * Returns the maximum size of an order in money units: risk's share of a pool, like in live trading, or a share of the last bar's
   * volume.
   */
  #takeable({ columns, pooled }: InstrumentState, i: number, close: number): number {
    const { unit } = this.#units;
    if (!pooled) return (columns.volume[i] as number) * close * unit * (this.#assumptions.maxParticipationPct / 100);
    // NaN (unknown depth) fails the comparison.
    const pool = (columns.liquidity?.[i] as number) * unit * this.#poolShare;
    return pool >= this.#micro ? pool - this.#micro : 0;
  }

  /** Returns the remaining exposure for a leverage of at most one, in money units. */
  #leverageCapacity(i: number): number {
    const { unit } = this.#units;
    const equity = (this.#equity[i] as number) * unit;
    return equity * this.#maxLeverage - (equity - this.#cash) - this.#reserved;
  }

  /** Returns the trading costs at bar i, observed as far as the history has them. */
  #costsAt({ columns, units, assumed }: InstrumentState, i: number): TradeCosts {
    const [halfSpreadBps, liquidityUsd] = [readingAt(columns.halfSpread, i), readingAt(columns.liquidity, i)];
    if (halfSpreadBps === null && liquidityUsd === null) return units.costs;
    return harder(units.costs.model, observedState(assumed, { halfSpreadBps, liquidityUsd }), this.#assumptions);
  }

  /** Returns the bid and ask when bar i was decided. */
  #bestAt(instrumentState: InstrumentState, i: number): ReturnType<typeof bestPrices> {
    const { close, decimals } = instrumentState.columns;
    return bestPrices(close[i] as number, decimals, this.#costsAt(instrumentState, i).halfSpreadBps);
  }

  /**
   * Returns the worst acceptable price of a buy, like in live trading: the ask plus the slippage budget, rounded down to the tick, but at
   * least the ask.
   */
  #limitOf(instrumentState: InstrumentState, i: number): number {
    const { columns, units } = instrumentState;
    const { ask } = this.#bestAt(instrumentState, i);
    const worst = ask * (1 + this.#maxSlippageBps / 10_000) * units.priceUnit;
    const step = computeLimitStep(columns.key, floorUnits(worst), units);
    const moved = floorUnits(worst / step) * step;
    return moved >= ask * units.priceUnit ? moved : floorUnits(ask * units.priceUnit);
  }

  /** Fills the orders of bar i at the open of bar i + 1, exits first. */
  #fill(i: number): void {
    this.#traded = false;
    for (let n = 0; n < this.#exits; n++) {
      const position = this.#leaving[n] as OpenPosition;
      if (this.#hasNextOpen(position.instrumentState, i) && !this.#isLiquidatedFirst(position, i)) this.#sell(position, i);
    }
    for (let n = this.#entryOrders.length - this.#entries; n < this.#entryOrders.length; n++) {
      const order = this.#entryOrders[n] as EntryOrder;
      const instrumentState = this.#instrumentStates[order.instrument] as InstrumentState;
      if (this.#hasNextOpen(instrumentState, i)) this.#buy(instrumentState, order);
    }
    if (this.#traded) this.#cashSteps.push({ bar: i + 1, cash: this.#cash });
  }

  /** True if bar i + 1 has a price for an order of bar i. Otherwise the order counts as missed. */
  #hasNextOpen({ columns }: InstrumentState, i: number): boolean {
    const next = i + 1;
    if (next < this.#history.length && isLive(columns, next)) return true;
    this.#missed[next < this.#history.length ? 'no_next_bar' : 'end_of_history']++;
    return false;
  }

  /** Inserts a position at its instrument's place, because equity is summed in the universe's order. */
  #hold(position: OpenPosition): void {
    const held = this.#held;
    position.instrumentState.position = position;
    let at = held.push(position) - 1;
    for (; at > 0 && (held[at - 1] as OpenPosition).instrumentState.instrument > position.instrumentState.instrument; at--)
      held[at] = held[at - 1] as OpenPosition;
    held[at] = position;
  }

  #release(position: OpenPosition): void {
    const held = this.#held;
    position.instrumentState.position = null;
    for (let at = held.indexOf(position); at + 1 < held.length; at++) held[at] = held[at + 1] as OpenPosition;
    held.pop();
  }

  /** Fills an order of bar i on bar i + 1, by its finer bars if the order takes time. */
  #fillNext(instrumentState: InstrumentState, i: number, order: BarOrder, course: BarCourse): BarFill | null {
    const { columns, instrument } = instrumentState;
    const next = i + 1;
    const inside = course.kind === 'take' ? null : (this.#finer?.of(instrument, next) ?? null);
    const bar = {
      open: columns.open[next] as number,
      high: columns.high[next] as number,
      low: columns.low[next] as number,
      close: columns.close[next] as number,
      volume: columns.volume[next] as number,
    };
    return this.#fillOn(instrumentState, inside ?? { barMs: this.#history.barMs, bars: [bar] }, order, course, i);
  }

  /** Fills an order on bars, at the costs known at bar i. */
  #fillOn(instrumentState: InstrumentState, met: MetBars, order: BarOrder, course: BarCourse, i: number): BarFill | null {
    const units = { ...instrumentState.units, costs: this.#costsAt(instrumentState, i) };
    const fill = fillOnBars(order, met, course, units, this.#units.unit);
    this.#rested += fill?.rested ?? 0;
    return fill;
  }

  #buy(instrumentState: InstrumentState, { bar, quantity: ordered, limit }: EntryOrder): void {
    const { units, columns, course } = instrumentState;
    const fill = this.#fillNext(instrumentState, bar, { side: 'buy', quantity: ordered, limit }, course);
    if (fill === null) {
      this.#missed.beyond_limit++;
      return;
    }
    const { quantity, price: entryPrice, fees } = fill;
    const cost = quantity * entryPrice;
    this.#cash -= cost + fees;
    const margin = computeMargin(cost, instrumentState);
    this.#invested += margin;
    this.#traded = true;
    this.#fees += fees;
    this.#turnover += cost / this.#units.unit;
    const entryUsd = entryPrice / units.priceUnit;
    this.#hold({
      instrumentState,
      entryBar: bar,
      quantity,
      baseUnits: quantity / units.quantityUnit,
      entryPrice,
      entryUsd,
      cost,
      margin,
      liquidation: this.#liquidationOf(instrumentState, quantity, cost, margin),
      fees,
      slippageBps: slippageBps(entryUsd, this.#bestAt(instrumentState, bar).ask, 1),
      seen: seenAt(columns, bar),
      exitRules: NO_RULES,
      selling: quantity,
    });
  }

  /** Splits the sold part off a position, with its share of the entry's fees. The rest stays open. */
  #parted(whole: OpenPosition): OpenPosition {
    const { selling, quantity, fees, entryPrice, instrumentState } = whole;
    if (selling === quantity) return whole;
    const part = (units: number, paid: number, margin: number): OpenPosition => ({
      ...whole,
      quantity: units,
      selling: units,
      baseUnits: units / instrumentState.units.quantityUnit,
      cost: units * entryPrice,
      margin,
      liquidation: this.#liquidationOf(instrumentState, units, units * entryPrice, margin),
      fees: paid,
    });
    const paid = floorUnits((fees / quantity) * selling);
    const freed = floorUnits((whole.margin / quantity) * selling);
    this.#release(whole);
    this.#hold(part(quantity - selling, fees - paid, whole.margin - freed));
    return part(selling, paid, freed);
  }

  #sell(leaving: OpenPosition, i: number): void {
    const position = this.#parted(leaving);
    const { instrumentState, quantity } = position;
    const course = this.#isStopped(position) ? TAKEN_AT_OPEN : instrumentState.course;
    const order = { side: 'sell' as const, quantity, limit: this.#exitLimitOf(instrumentState, i) };
    // A sell always fills completely.
    const { price, fees } = this.#fillNext(instrumentState, i, order, course) as BarFill;
    this.#close(position, { bar: i, price, fees });
    this.#countExits(position);
    if (position === leaving) this.#release(position);
  }

  #countExits({ exitRules }: OpenPosition): void {
    for (const { bit, place } of this.#exitRules) if (isSet(exitRules, bit)) this.#exitedBy[place] = (this.#exitedBy[place] as number) + 1;
  }

  /** Books the end of a whole position: its money, margin and trade. */
  #close(position: OpenPosition, exit: Exit): void {
    const proceeds = position.quantity * exit.price;
    const funding = fundingSince(position, exit.bar);
    this.#cash += proceeds - exit.fees - funding;
    this.#funding += funding;
    this.#invested -= position.margin;
    this.#traded = true;
    this.#fees += exit.fees;
    this.#turnover += proceeds / this.#units.unit;
    const trade = this.#tradeOf(position, exit);
    this.#realized += trade.profit as number;
    this.#trades.push(trade);
  }

  #marginedOf({ columns, units }: InstrumentState, quantity: number, cost: number, margin: number): MarginedPosition {
    return {
      quantity: unitsText(quantity, units.quantityDecimals),
      costUsd: unitsText(cost, this.#units.moneyDecimals),
      marginUsd: unitsText(margin, this.#units.moneyDecimals),
      tiers: findMarginTiers(columns.key),
    };
  }

  #liquidationOf(state: InstrumentState, quantity: number, cost: number, margin: number): OpenPosition['liquidation'] {
    if (state.columns.carry === null) return NO_LINES;
    const lines = liquidationLines(this.#marginedOf(state, quantity, cost, margin));
    return lines.map(({ priceUsd, perFundingUsd }) => ({ price: priceUsd.toNumber(), perFunding: perFundingUsd.toNumber() }));
  }

  /** True if the next bar liquidates a position before an exit of bar i fills: at its open, or during an order that takes the whole bar. */
  #isLiquidatedFirst(position: OpenPosition, i: number): boolean {
    const { columns, course } = position.instrumentState;
    const opensFirst = course.kind === 'take' || this.#isStopped(position);
    return isLiquidatedBy(position, (opensFirst ? columns.open : columns.low)[i + 1] as number, i);
  }

  /** Liquidates the positions whose equity fell to the maintenance margin within bar i, at the bar's low. True if any was. */
  #liquidate(i: number): boolean {
    const ended = this.#held.filter((position) => isLiquidatedBy(position, position.instrumentState.columns.low[i] as number, i - 1));
    for (const position of ended) {
      const { instrumentState, quantity, cost, margin } = position;
      const { units, columns } = instrumentState;
      const funding = unitsText(fundingSince(position, i - 1), this.#units.moneyDecimals);
      const low = priceText(columns.low[i] as number);
      const { by, priceUsd } = liquidationAt(this.#marginedOf(instrumentState, quantity, cost, margin), funding, low) ?? {
        // The low may miss the liquidation price by a double's rounding.
        by: 'market',
        priceUsd: low,
      };
      const costs = this.#costsAt(instrumentState, i - 1);
      const price =
        by === 'market'
          ? computeFillPrice('sell', columns.low[i] as number, quantity, { ...units, costs })
          : Math.max(1, floorUnits(Number(priceUsd) * units.priceUnit));
      const fees = by === 'market' ? computeFee(quantity * price, costs) : 0;
      this.#release(position);
      this.#close({ ...position, exitRules: NO_RULES, isLiquidated: true }, { bar: i - 1, price, fees });
    }
    if (ended.length > 0) this.#cashSteps.push({ bar: i, cash: this.#cash });
    return ended.length > 0;
  }

  /** True if a stop-loss is among the rules that ordered the exit. */
  #isStopped({ exitRules }: OpenPosition): boolean {
    return this.#exitRules.some(({ bit, isStop }) => isStop && isSet(exitRules, bit));
  }

  /** Returns the limit of a sell, like in live trading: the bid minus the slippage budget, rounded up to the tick. */
  #exitLimitOf(instrumentState: InstrumentState, i: number): number {
    const { columns, units } = instrumentState;
    const { bid } = this.#bestAt(instrumentState, i);
    const worst = bid * (1 - this.#maxSlippageBps / 10_000) * units.priceUnit;
    const step = computeLimitStep(columns.key, ceilUnits(worst), units);
    return ceilUnits(worst / step) * step;
  }

  #tradeOf(position: OpenPosition, exit: Exit | null): Trade {
    const { entryUsd, instrumentState } = position;
    const { low: lows, high: highs } = instrumentState.columns;
    const exitUsd = exit === null ? entryUsd : exit.price / instrumentState.units.priceUnit;
    let low = Math.min(entryUsd, exitUsd);
    let high = Math.max(entryUsd, exitUsd);
    const last = exit?.bar ?? this.#history.length - 1;
    // A gap is NaN, which compares as neither lower nor higher.
    for (let i = position.entryBar + 1; i <= last; i++) {
      if ((lows[i] as number) < low) low = lows[i] as number;
      if ((highs[i] as number) > high) high = highs[i] as number;
    }
    this.#countKnown(instrumentState.columns, position.entryBar + 1, last);
    const fees = position.fees + (exit?.fees ?? 0);
    const funding = fundingSince(position, last);
    return {
      instrument: instrumentState.instrument,
      entryBar: position.entryBar,
      exitBar: exit?.bar ?? null,
      exitAfterMs: exit?.afterMs ?? 0,
      quantity: position.quantity,
      entryPrice: position.entryPrice,
      exitPrice: exit?.price ?? null,
      fees,
      funding,
      profit: exit === null ? null : position.quantity * exit.price - position.cost - fees - funding,
      entrySlippageBps: position.slippageBps,
      exitSlippageBps: exit === null ? null : slippageBps(exitUsd, exit.decidedUsd ?? this.#bestAt(instrumentState, exit.bar).bid, -1),
      entrySeen: position.seen,
      exitSeen: exit === null ? null : seenAt(instrumentState.columns, exit.bar),
      worstPct: ((low - entryUsd) / entryUsd) * 100,
      bestPct: ((high - entryUsd) / entryUsd) * 100,
      exitRules: exit === null ? NO_RULES : position.exitRules,
      isLiquidated: position.isLiquidated ?? false,
    };
  }

  /** Counts the bars `first` to `last` of an open position at which its position rules were known. */
  #countKnown(columns: InstrumentColumns, first: number, last: number): void {
    let live = last - first + 1;
    if (!columns.whole) for (let i = first; i <= last; i++) if (!isLive(columns, i)) live--;
    for (const { place, gated } of this.#positionRules)
      this.#positionKnown[place] = (this.#positionKnown[place] as number) + (gated ? live : last - first + 1);
  }
}

function createInstrumentState(
  columns: InstrumentColumns,
  instrument: number,
  {
    costs,
    book,
    ...given
  }: Pick<InstrumentState, 'rules' | 'leverage' | 'course'> & { readonly costs: TradeCosts; readonly book: BookUnits },
): InstrumentState {
  const { key, liquidity } = columns;
  return {
    instrument,
    columns,
    ...given,
    units: instrumentUnits(findFirstPrice(columns), book, costs, findMarketStep(key)),
    assumed: assumedMarketState(key),
    bidShare: 1 - costs.halfSpreadBps / 10_000,
    group: findExposureGroup(CATALOG, key),
    validity: CATALOG.byKey(key)?.token ?? null,
    pooled: key.startsWith('spotchain:') && liquidity !== null,
    position: null,
  };
}

/** Converts a refusal of the simulated risk function to the live form. */
function toAttribution(reason: BlockReason | null): RiskAttribution {
  if (reason === null) return { verdict: 'passed', rejections: [] };
  return { verdict: 'blocked', rejections: [{ code: reason, limit: null, before: null, after: null, suggestion: null }] };
}

interface Exit {
  readonly bar: number;
  readonly price: number;
  readonly fees: number;
  /** Milliseconds from the close of the bar to a decision within the next one, and the bid at that time. */
  readonly afterMs?: number;
  readonly decidedUsd?: number;
}

/** Finer bar within a bar in which a profit rule of a position passes. */
interface ReachedInside {
  /** Price at the decision. */
  readonly decided: number;
  readonly passes: PositionRule['passes'];
  /**
   * Middle price at which a stop is taken at once, the worst that its finer bars allow, or null if the order executes on the remaining
   * finer bars.
   */
  readonly taken: number | null;
  readonly rest: MetBars;
  /** Milliseconds from the open of the bar to the end of the finer bar. */
  readonly afterMs: number;
}

const ALL_READ: readonly BarPlace[] = [];

/** Returns bars at a single price. */
function onePrice(price: number): MetBars {
  return { barMs: 1, bars: [{ open: price, high: price, low: price, close: price, volume: 0 }] };
}

/** Returns the middle prices at which a position's profit has these percentages. */
function pricesAt({ entryUsd, instrumentState }: OpenPosition, lowPct: number, highPct: number): readonly [low: number, high: number] {
  const { bidShare } = instrumentState;
  return [(entryUsd * (1 + lowPct / 100)) / bidShare, (entryUsd * (1 + highPct / 100)) / bidShare];
}

/** Returns the first bar from `from` to before `to` whose prices are not strictly between the two, or `to`. Gaps (NaN) are skipped. */
function firstReaching({ low: lows, high: highs, close }: InstrumentColumns, low: number, high: number, from: number, to: number): number {
  let at = from;
  while (
    at < to &&
    !((lows[at] as number) <= low || (highs[at] as number) >= high || (close[at] as number) <= low || (close[at] as number) >= high)
  )
    at++;
  return at;
}

/** Earliest bounds at which position rules exit. */
interface ExitBound {
  /** Profits in percent between which (exclusive) no profit rule passes. */
  readonly stopPct: number;
  readonly targetPct: number;
  /** Limits of the profit rules in percent; infinite if there is no such rule. */
  readonly stopLimit: number;
  readonly targetLimit: number;
  /** Bars after the entry before which no time rule passes. */
  readonly bars: number;
}

/** Returns the bounds of the position rule that is reached first, wider than the rules by the rounding tolerance and never narrower. */
function computeExitBound({ plans }: RuleBook, barMs: number): ExitBound {
  let [stopLimit, targetLimit, bars] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const { position } of plans) {
    if (position === null) continue;
    if (position.looksAt === 'held') bars = Math.min(bars, Math.floor((position.limit * HOUR_MS) / barMs));
    else if (position.passes === 'at_most') stopLimit = Math.max(stopLimit, position.limit);
    else targetLimit = Math.min(targetLimit, position.limit);
  }
  return { stopPct: stopLimit + 2 * ROUGH, targetPct: targetLimit - 2 * ROUGH, stopLimit, targetLimit, bars };
}

/** Returns the first index from `from` to before `to` with any bit, or `to`. */
function firstSet(column: BitColumn, from: number, to: number): number {
  let at = from;
  while (at < to && column[at] === 0) at++;
  return at;
}

/** Returns the first index from `from` to before `to` whose value is not strictly between the two, or `to`. */
function firstOutside(values: Float64Array, low: number, high: number, from: number, to: number): number {
  let at = from;
  while (at < to && (values[at] as number) > low && (values[at] as number) < high) at++;
  return at;
}

/** True if the price at slot i is live. A history without gaps needs no check. */
function isLive({ whole, state }: InstrumentColumns, i: number): boolean {
  return whole || ((state[i] as number) & QUOTE_LIVE) !== 0;
}

/** Returns the funding per unit from the fill after bar `entryBar` to slot i, in millionths of a US dollar. */
function microsSince({ micros }: FundingPaid, entryBar: number, i: number): number {
  return (micros[i] as number) - (micros[entryBar] as number);
}

/** Returns the funding that a position has paid by slot i, in money units. */
function fundingSince({ instrumentState, entryBar, quantity }: OpenPosition, i: number): number {
  const { units, columns } = instrumentState;
  return columns.carry === null ? 0 : computeFunding(quantity, microsSince(columns.carry, entryBar, i), units);
}

/** Returns the margin of a cost, in money units. */
function computeMargin(cost: number, { leverage }: InstrumentState): number {
  return leverage === 1 ? cost : ceilUnits(cost / leverage);
}

/** True if a price is at or below the position's liquidation price, given the funding paid by bar i. A gap (NaN) liquidates nothing. */
function isLiquidatedBy({ instrumentState, entryBar, liquidation }: OpenPosition, price: number, i: number): boolean {
  const { carry } = instrumentState.columns;
  if (carry === null) return false;
  const funding = microsSince(carry, entryBar, i) / MICROS;
  return liquidation.some((line) => price <= line.price + line.perFunding * funding);
}

/** Returns the first bar from `from` to before `to` that liquidates a position, or `to`. */
function firstLiquidation(position: OpenPosition, from: number, to: number): number {
  if (position.liquidation.length === 0) return to;
  const { low } = position.instrumentState.columns;
  let at = from;
  while (at < to && !isLiquidatedBy(position, low[at] as number, at - 1)) at++;
  return at;
}

/** Returns the value of a column known at bar i, or null if it is unknown. */
function readingAt(column: Float64Array | null, i: number): number | null {
  const value = column?.[i] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

function seenAt({ halfSpread, liquidity }: InstrumentColumns, i: number): number {
  return (readingAt(halfSpread, i) === null ? 0 : SEEN.spread) | (readingAt(liquidity, i) === null ? 0 : SEEN.depth);
}

/** True if a bit is set in a list of words. */
function isSet(words: readonly number[], bit: number): boolean {
  return (((words[bit >> 5] as number) >>> (bit & 31)) & 1) === 1;
}

/** Copies to a plain array without spare capacity; most have one word. `Array.from` is slower. */
function copied(words: Uint32Array): readonly number[] {
  const copy = [words[0] as number];
  for (let word = 1; word < words.length; word++) copy.push(words[word] as number);
  return copy;
}

/** Returns how much worse a fill is than the price at the decision, in basis points. */
function slippageBps(fillUsd: number, decidedUsd: number, sign: 1 | -1): number {
  return (sign * (fillUsd - decidedUsd) * 10_000) / decidedUsd;
}

/** Returns the largest quantity of whole lots that an amount pays for. */
function lotsWithin(amount: number, price: number, lot: number): number {
  const quantity = floorUnits(amount / price / lot) * lot;
  return quantity * price > amount ? quantity - lot : quantity;
}

/** Converts US dollars to money units, rounded down to whole micro-dollars. */
function wholeMicros(usd: DecimalString, micro: number, unit: number): number {
  return floorUnits((Number(usd) * unit) / micro) * micro;
}

/** Returns the step of the venue's price grid near `price`, both in price units. */
function computeLimitStep(key: InstrumentKey, price: number, { tick, priceDecimals }: InstrumentUnits): number {
  return Math.max(tick, 10 ** priceStepExponent(key, price, priceDecimals));
}

function findFirstPrice({ open, close }: InstrumentColumns): number {
  for (let i = 0; i < open.length; i++) if (!Number.isNaN(open[i])) return open[i] as number;
  return close[0] ?? 1;
}
