/**
 * Stress test of one manifest: every scenario, severity and seed through the real quality rules, decisions, risk function and paper fill,
 * under a virtual clock, with an auditor that checks every step. Equal manifests, markets and seeds give equal bytes.
 */
import { createAssessor, decidedOrder, markAt, readBook, type TradingAgent, untouchedBook } from '../../../actors/agent/tick-risk.ts';
import { type CompiledManifest, compileManifest } from '../../domain/agents/decide.ts';
import type { AgentBook, RuleOutcome, Verdict } from '../../domain/agents/decision.ts';
import { RULES_VERSION, type StressRun, type StressSeries } from '../../domain/agents/evidence.ts';
import {
  applyFill,
  applyFunding,
  type Fill,
  findPosition,
  type MarkedBook,
  markBook,
  type Position,
  type TradingBook,
} from '../../domain/books/book.ts';
import { findConditionDefinition } from '../../domain/conditions/index.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { Cut } from '../../domain/market/cut.ts';
import type { Quote } from '../../domain/market/quote.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { findCostModel } from '../../domain/orders/costs.ts';
import { AT_ONCE, planExecution } from '../../domain/orders/execution-plan.ts';
import { computeFundingUsd } from '../../domain/orders/funding.ts';
import { computeLeverage, findMarginTiers, isPerpetual, liquidationAt, liquidationFill } from '../../domain/orders/margin.ts';
import { atPresentPrice, type Order, type OrderQuote, resized, sizeOrder } from '../../domain/orders/order.ts';
import { paperFill } from '../../domain/orders/paper-fill.ts';
import { computeNearPrice, restingFill } from '../../domain/orders/resting-fill.ts';
import type { OutsideProposal } from '../../domain/outside/outside-proposal.ts';
import {
  assessOrder,
  combineMandate,
  NO_OTHER_BOOKS,
  orderContext,
  type RiskContext,
  type RiskMarket,
  type RiskPreferences,
  UNCONTROLLED,
} from '../../domain/risk/index.ts';
import { canonicalJson, type Json, sha256Hex } from '../../domain/values/canonical-json.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { createRestingFlows, type RestingFlows } from '../resting-flows.ts';
import { createBookAudit } from './book-audit.ts';
import { EquityCurve } from './equity-curve.ts';
import { OrderCourse, type SentOrder } from './order-course.ts';
import { RunMarket } from './run-market.ts';
import {
  FREEZE_HAIRCUT_ABOVE_POOL_PCT,
  FREEZE_HAIRCUT_PCT,
  type ScenarioCourse,
  STRESS_SCENARIOS,
  STRESS_SEVERITIES,
  type StressScenario,
  type StressSeverity,
  scenarioCourse,
} from './scenario.ts';
import { type StressMarket, scenarioTape } from './scenario-tape.ts';

export interface StressTestOptions {
  readonly agentId: string;
  readonly manifest: Manifest;
  readonly manifestVersion: number;
  /** Preferences of the organization, which bind the agent like in live trading. */
  readonly preferences: RiskPreferences;
  readonly markets: readonly StressMarket[];
  /** Seeds per scenario and severity. Default three. */
  readonly seeds?: readonly number[];
  readonly scenarios?: readonly StressScenario[];
  readonly severities?: readonly StressSeverity[];
  readonly onProgress?: (done: number, all: number) => void;
  /** Returns true to end the test without a result. Polled between runs. */
  readonly isCancelled?: () => boolean;
}

/** Report of one run, including data that the gate does not check. */
export interface StressRunReport extends StressRun {
  readonly scenario: StressScenario;
  readonly severity: StressSeverity;
  readonly survived: boolean;
  /** Reasons why it did not survive, and other findings of the auditor; one sentence each. */
  readonly findings: readonly string[];
  /** Maximum loss from the initial capital, in percent. */
  readonly lossPct: number;
  /** Instruments that the agent held at the shock by its own rules, and those that it was given. */
  readonly ownPositions: readonly InstrumentKey[];
  readonly forcedPositions: readonly InstrumentKey[];
  readonly decisions: number;
  readonly fills: number;
  /** Number of fills of resting orders; absent if the manifest takes at once. */
  readonly restedFills?: number;
  /** Number of requested orders and of refused ones, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Orders refused while the market was frozen, as they must be. */
  readonly refusedWhileFrozen: number;
  /** Minutes from the shock until all positions held then were sold, or null if they never were. */
  readonly flatAfterMinutes: number | null;
  /** Notional that could not be sold by the end, in US dollars. It counts as lost. */
  readonly stuckUsd: DecimalString;
  /** Equity curve: minutes after the shock, US dollars. */
  readonly curve: readonly (readonly [minute: number, equityUsd: DecimalString])[];
  /** SHA-256 over every decision and fill of the run. */
  readonly traceHash: string;
}

export interface StressTestResult {
  readonly manifestHash: string;
  readonly runs: readonly StressRunReport[];
  /** True if every run of severity `standard` survived. */
  readonly survived: boolean;
  readonly markets: readonly StressMarket[];
  readonly resultHash: string;
}

const DEFAULT_SEEDS: readonly number[] = [1, 2, 3];
/** Time before the shock at which the agent gets its positions: after its last slot's orders and before its next slot. */
const FORCED_BEFORE_MS = 4_000;
/** Maximum duration of the final sale, in milliseconds. */
const LIQUIDATION_MS = 20 * MINUTE_MS;
/** Period of quiet hours that is represented by its lowest mark, in milliseconds. */
const QUIET_MARK_MS = 60 * MINUTE_MS;

/**
 * Runs the stress test, or returns null if it was cancelled. It is synchronous and slow (about a tenth of a second per weekday run of one
 * instrument), so it needs its own thread.
 */
export function runStressTest(options: StressTestOptions): StressTestResult | null {
  const { manifest, markets } = options;
  const runs: StressRunReport[] = [];
  const plan = plannedRuns(options);
  for (const [index, run] of plan.entries()) {
    if (options.isCancelled?.() === true) return null;
    options.onProgress?.(index, plan.length);
    runs.push(run.run());
  }
  options.onProgress?.(plan.length, plan.length);
  return resultOfRuns(compileManifest(manifest).hash, markets, runs);
}

/** Returns all runs of a stress test, in reporting order. */
export function plannedRuns(options: StressTestOptions): readonly ScenarioRun[] {
  const { manifest, seeds = DEFAULT_SEEDS, scenarios = STRESS_SCENARIOS, severities = STRESS_SEVERITIES } = options;
  const { preferences, markets, agentId, manifestVersion } = options;
  const shared = { compiled: compileManifest(manifest), preferences, markets, agentId, manifestVersion };
  return scenarios.flatMap((scenario) =>
    severities.flatMap((severity) => seeds.map((seed) => new ScenarioRun({ ...shared, course: scenarioCourse(scenario, severity), seed }))),
  );
}

export function resultOfRuns(manifestHash: string, markets: readonly StressMarket[], runs: readonly StressRunReport[]): StressTestResult {
  const survived = runs.every((run) => run.severity !== 'standard' || run.survived);
  const found = { manifestHash, markets, runs, survived };
  return { ...found, resultHash: sha256Hex(stressResultText(found)) };
}

/**
 * Returns every run's series for the gate, which derives checks and verdict (src/domain/agents/evidence.ts). A run without a position at
 * the shock proves nothing and is omitted, so that its scenario is missing.
 */
export function stressSeries(manifest: Manifest, { runs }: Pick<StressTestResult, 'runs'>): StressSeries {
  return {
    rules: RULES_VERSION.stress_test,
    maxDailyDrawdownPct: manifest.maxDailyDrawdownPct,
    runs: runs
      .filter(({ ownPositions, forcedPositions }) => ownPositions.length + forcedPositions.length > 0)
      .map(({ scenario, severity, seed, startEquityUsd, equityUsd, breaches, unsafeFills }) => ({
        scenario,
        severity,
        seed,
        startEquityUsd,
        equityUsd,
        breaches,
        unsafeFills,
      })),
  };
}

/** Formats the whole result as canonical JSON, whose SHA-256 is the result's hash. */
export function stressResultText({ manifestHash, markets, runs, survived }: Omit<StressTestResult, 'resultHash'>): string {
  return canonicalJson({ manifestHash, markets, runs, survived } as unknown as Json);
}

interface RunInput {
  readonly course: ScenarioCourse;
  readonly seed: number;
  readonly compiled: CompiledManifest;
  readonly preferences: RiskPreferences;
  readonly markets: readonly StressMarket[];
  readonly agentId: string;
  readonly manifestVersion: number;
}

/** Slot of a run before its decision. */
export interface StressSlot {
  readonly cut: Cut;
  readonly book: AgentBook;
  readonly cashUsd: DecimalString;
  /** Equity in US dollars, or null if a held instrument has no price. */
  readonly equityUsd: DecimalString | null;
  readonly last: Pick<Verdict, 'disposition' | 'reason'> | null;
}

/** Run of one agent through one scenario. */
export class ScenarioRun {
  readonly #input: RunInput;
  readonly #agent: TradingAgent;
  readonly #mandate: ReturnType<typeof combineMandate>;
  readonly #audit: ReturnType<typeof createBookAudit>;
  readonly #market: RunMarket;
  readonly #equity: EquityCurve;
  readonly #readsReference: boolean;
  readonly #inputs: { readonly preferences: RiskPreferences; readonly others: typeof NO_OTHER_BOOKS };
  /** Orders in progress. */
  readonly #underway = new Map<InstrumentKey, OrderCourse>();
  /** Flows of the received best bids and asks, which fill resting orders. */
  readonly #flows: RestingFlows;
  readonly #trace: string[] = [];
  readonly #counts = { decisions: 0, fills: 0, rested: 0, refusedWhileFrozen: 0, refused: {} as Record<string, number> };
  #book: TradingBook;
  #own: readonly InstrumentKey[] = [];
  #forced: readonly InstrumentKey[] = [];
  #flatAt: EpochMs | null = null;
  #last: StressSlot['last'] = null;
  #serial = 0;
  /** Last hour whose funding was paid. */
  #fundedHour: number;
  /** Funding that open positions have paid since their opening, in US dollars. */
  readonly #funded = new Map<InstrumentKey, Decimal>();

  constructor(input: RunInput) {
    const { course, compiled, preferences } = input;
    const { manifest } = compiled;
    this.#input = input;
    this.#mandate = combineMandate(manifest, preferences, 'stress_test', 'policy_auto');
    this.#audit = createBookAudit(manifest, manifest.maxCapitalUsd);
    this.#readsReference = manifest.entry.some((condition) => findConditionDefinition(condition).compile(condition).usesReference);
    this.#agent = {
      id: input.agentId,
      stage: 'stress_test',
      autonomy: 'policy_auto',
      manifest,
      manifestVersion: input.manifestVersion,
    };
    this.#inputs = { preferences, others: NO_OTHER_BOOKS };
    this.#equity = new EquityCurve(course, QUIET_MARK_MS);
    this.#book = untouchedBook(this.#agent);
    this.#fundedHour = Math.floor(course.startsAt / HOUR_MS);
    this.#market = new RunMarket(compiled, course.startsAt - 2 * MINUTE_MS);
    this.#flows = createRestingFlows(this.#market.view);
  }

  /** Number of decided slots before the final liquidation. */
  get slots(): number {
    const { startsAt, endsAt } = this.#input.course;
    return Math.floor((endsAt - LIQUIDATION_MS - startsAt) / MINUTE_MS);
  }

  run(): StressRunReport {
    const course = this.course();
    for (;;) {
      const step = course.next(null);
      if (step.done === true) return step.value;
    }
  }

  /** Runs slot by slot. The caller answers each with outside code's proposal, or null. */
  *course(): Generator<StressSlot, StressRunReport, OutsideProposal | null> {
    const { course, markets, compiled, seed } = this.#input;
    this.#market.start();
    this.#market.clock.deadline(course.shockAt - FORCED_BEFORE_MS, () => this.#force());
    const tape = scenarioTape(course, markets, compiled.needs, `${course.scenario}/${course.severity}/${seed}`, () =>
      [...this.#underway.values()].some(({ sent }) => isInParts(sent)),
    );
    // The last slot's orders finish within a few seconds.
    for (const cut of this.#market.cuts(tape, course.endsAt + 10_000)) {
      this.#payFunding(cut);
      this.#endUndermargined();
      const marked = this.#mark(this.#market.clock.now());
      if (cut.slot >= course.endsAt - LIQUIDATION_MS) this.#liquidate();
      else this.#decide(cut, yield this.#slot(cut, marked));
    }
    return this.#report();
  }

  #slot(cut: Cut, { equityUsd }: MarkedBook): StressSlot {
    return { cut, book: readBook(this.#withOpen()).book, cashUsd: this.#book.cashUsd, equityUsd, last: this.#last };
  }

  #refuse(reason: string): void {
    this.#counts.refused[reason] = (this.#counts.refused[reason] ?? 0) + 1;
    if (isFrozen(this.#input.course, this.#market.clock.now())) this.#counts.refusedWhileFrozen++;
  }

  /** Marks the book and stores the mark. In a freeze the mark of a position too large for its pool includes the exit haircut. */
  #mark(at: EpochMs): MarkedBook {
    const marked = markBook(this.#book, this.#market.bids(), at);
    this.#book = marked.state;
    if (marked.equityUsd === null) return marked;
    let equity = new Decimal(marked.equityUsd);
    if (this.#input.course.scenario === 'liquidity_freeze' && at >= this.#input.course.shockAt)
      equity = equity.minus(this.#haircut(marked, at));
    this.#equity.keep(at, equity);
    return marked;
  }

  #haircut(marked: MarkedBook, at: EpochMs): Decimal {
    let sum = new Decimal(0);
    for (const { instrument, valueUsd } of marked.positions) {
      const calm = this.#input.markets.find(({ key }) => key === instrument)?.liquidityUsd ?? null;
      if (calm === null || valueUsd === null) continue;
      const share = new Decimal(valueUsd).times(100).div(calm * this.#input.course.depth(at));
      if (share.gt(FREEZE_HAIRCUT_ABOVE_POOL_PCT)) sum = sum.plus(new Decimal(valueUsd).times(FREEZE_HAIRCUT_PCT).div(100));
    }
    return sum;
  }

  #contextOf(order: Order, market: RiskMarket, marked: MarkedBook): RiskContext {
    return orderContext(order, {
      market,
      readsReference: order.side === 'buy' && this.#readsReference,
      agent: this.#agent,
      preferences: this.#input.preferences,
      book: marked,
      others: NO_OTHER_BOOKS,
      control: UNCONTROLLED,
    });
  }

  #sized(
    side: 'buy' | 'sell',
    instrument: InstrumentKey,
    quote: OrderQuote,
    notionalUsd: DecimalString,
    held: Position | undefined,
  ): Order | null {
    const touch = side === 'buy' ? quote.ask : quote.bid;
    if (touch === null) return null;
    return sizeOrder({
      id: `order-${++this.#serial}`,
      origin: 'proposal',
      mode: 'paper',
      bookId: this.#book.id,
      instrument,
      side,
      touch,
      maxSlippageBps: this.#mandate.maxSlippageBps,
      notionalUsd,
      heldQuantity: held?.quantity ?? '0',
    });
  }

  /** Pays the funding of past hours at each perpetual's current price, or at its cost if it has none. */
  #payFunding(cut: Cut): void {
    const hours = Math.floor(cut.slot / HOUR_MS) - this.#fundedHour;
    if (hours <= 0) return;
    this.#fundedHour += hours;
    for (const { instrument, quantity, costUsd } of this.#book.holdings) {
      if (!isPerpetual(instrument)) continue;
      const seen = cut.observations.get(instrument);
      const rate = seen?.hourlyFunding ?? this.#input.markets.find(({ key }) => key === instrument)?.hourlyFunding ?? 0;
      const price = seen?.quote?.mid ?? new Decimal(costUsd).div(quantity);
      const paidUsd = computeFundingUsd(quantity, price, new Decimal(rate).times(hours));
      this.#book = applyFunding(this.#book, paidUsd);
      this.#funded.set(instrument, new Decimal(paidUsd).plus(this.#funded.get(instrument) ?? 0));
      this.#trace.push(`${cut.slot} funding ${instrument} ${paidUsd}`);
      this.#audit.paid(paidUsd);
      this.#audit.agrees(this.#book, cut.slot);
    }
  }

  /** Liquidates perpetuals whose equity is at the maintenance margin, like the venue. Positions without a price stay. */
  #endUndermargined(): void {
    const at = this.#market.clock.now();
    const bids = this.#market.bids();
    for (const held of this.#book.holdings) {
      const { instrument, quantity, costUsd } = held;
      const bid = bids.get(instrument);
      if (bid === undefined || !isPerpetual(instrument)) continue;
      const marginUsd = new Decimal(costUsd).div(computeLeverage(instrument, this.#mandate));
      const position = { quantity, costUsd, marginUsd, tiers: findMarginTiers(instrument) };
      const ended = liquidationAt(position, this.#funded.get(instrument) ?? '0', bid);
      if (ended === null) continue;
      this.#underway.get(instrument)?.stop();
      const fill = liquidationFill(held, ended, { id: `liquidation-${++this.#serial}`, bookId: this.#book.id, at });
      this.#audit.forced(fill);
      this.#fold(fill);
      this.#counts.refused['liquidation'] = (this.#counts.refused['liquidation'] ?? 0) + 1;
    }
  }

  #decide(cut: Cut, outside: OutsideProposal | null): void {
    const book = this.#withOpen();
    const { book: seen, pending } = readBook(book);
    const held = markAt(book, cut);
    const verdict = this.#input.compiled.decide(
      cut,
      seen,
      this.#agent.autonomy,
      createAssessor(this.#agent, held, this.#inputs),
      new Map([...[...this.#underway].map(([instrument, { sent }]) => [instrument, sent.order.side] as const), ...pending]),
      outside,
    );
    this.#last = { disposition: verdict.disposition, reason: verdict.reason };
    this.#counts.decisions++;
    this.#trace.push(`${cut.slot} ${verdict.disposition} ${verdict.reason ?? ''} ${verdict.instrument ?? ''} ${verdict.outcome}`);
    if (verdict.disposition === 'blocked_by_risk') this.#refuse(verdict.reason ?? 'blocked_by_risk');
    if (verdict.disposition !== 'propose_entry' && verdict.disposition !== 'propose_exit') return;
    const order = decidedOrder(this.#agent, verdict, cut.slot, this.#inputs.preferences);
    const quote = order === null ? null : cut.observations.get(order.instrument)?.quote;
    if (order === null || !quote) return;
    const { manifest } = this.#input.compiled;
    const isStop = order.side === 'sell' && this.#input.compiled.unpack(verdict.outcome).some((rule) => isPassedStop(rule, order));
    this.#send({
      order,
      decisionPrice: (order.side === 'buy' ? quote.ask : quote.bid) as DecimalString,
      plan: planExecution(manifest, order, isStop),
    });
  }

  /** Returns the book with the open parts of multi-part orders, which stay reserved until they end. */
  #withOpen(): TradingBook {
    const openProposals = [...this.#underway].flatMap(([instrument, { sent, open }]) =>
      isInParts(sent) ? [{ id: sent.order.id, instrument, side: sent.order.side, ...open }] : [],
    );
    return openProposals.length === 0 ? this.#book : { ...this.#book, openProposals };
  }

  /** Sends an order, which is in progress until its last part ends. A sell stops an unfinished buy of its instrument. */
  #send(sent: SentOrder): void {
    const { instrument } = sent.order;
    this.#underway.get(instrument)?.stop();
    const { clock } = this.#market;
    const course = new OrderCourse(
      sent,
      {
        now: () => clock.now(),
        after: (ms, call) => void clock.deadline(clock.now() + ms, call),
        latencyMs: findCostModel(instrument).latencyMs,
        take: (order, decisionPrice) => this.#take(order, decisionPrice),
        place: (order) => this.#place(order),
        rested: (order, rest, decisionPrice) => this.#rested(order, rest, decisionPrice),
        refuse: (reason) => this.#refuse(reason),
      },
      () => {
        this.#flows.end(sent.order.id, instrument);
        if (this.#underway.get(instrument) === course) this.#underway.delete(instrument);
      },
    );
    this.#underway.set(instrument, course);
  }

  /** Returns the order approved on the current quotes, or null if risk refuses it. */
  #approved(decided: Order) {
    const at = this.#market.clock.now();
    const { instrument } = decided;
    const quote = this.#market.quoteAt(instrument, at);
    const order = atPresentPrice(decided, quote);
    const market = this.#market.present(instrument, at, quote);
    const marked = markBook(this.#withOpen(), this.#market.bids(), at);
    const verdict = assessOrder(order, this.#contextOf(order, market, marked));
    if (verdict.ok) return { approved: verdict.approved, order, quote, market, dailyLossPct: marked.dailyDrawdownPct, at };
    this.#refuse(verdict.attribution.rejections[0]?.code ?? 'blocked_by_risk');
    return null;
  }

  #take(decided: Order, decisionPrice: DecimalString): DecimalString {
    const passed = this.#approved(decided);
    if (passed === null) return '0';
    const { approved, order, quote, market, dailyLossPct, at } = passed;
    const done = paperFill(approved, { quote, depth: null, liquidityUsd: market.liquidityUsd }, findCostModel(order.instrument), {
      id: this.#fillId(order),
      at,
      decisionPrice,
    });
    if (done.outcome === 'no_fill') {
      this.#refuse(done.reason);
      return '0';
    }
    if (done.outcome === 'partially_filled') this.#counts.refused['partially_filled'] = (this.#counts.refused['partially_filled'] ?? 0) + 1;
    this.#counts.fills++;
    this.#audit.filled(done.fill, order, quote, dailyLossPct);
    this.#fold(done.fill);
    return done.fill.quantity;
  }

  #place(decided: Order): DecimalString | null {
    const passed = this.#approved(decided);
    if (passed === null) return null;
    const { order, quote } = passed;
    const price = quote === null ? null : computeNearPrice(order, quote);
    if (price === null) this.#refuse('one_sided');
    else this.#flows.begin(order.id, order.instrument);
    return price;
  }

  #rested(
    order: Order,
    { price, since }: { readonly price: DecimalString; readonly since: EpochMs },
    decisionPrice: DecimalString,
  ): DecimalString {
    const until = this.#market.clock.now();
    const flow = this.#flows.received(order.instrument, since, until);
    this.#flows.end(order.id, order.instrument);
    const done = restingFill(order, flow, findCostModel(order.instrument), { id: this.#fillId(order), price, decisionPrice, until });
    if (done.outcome === 'no_fill') return '0';
    this.#counts.fills++;
    this.#counts.rested++;
    this.#audit.rested(done.fill, order, { price, since });
    this.#fold(done.fill);
    return done.fill.quantity;
  }

  /** Returns a fill id that is unique for each part of an order. */
  #fillId({ id, instrument }: Order): string {
    const course = this.#underway.get(instrument);
    return course !== undefined && isInParts(course.sent) ? `${id}-fill-${++this.#serial}` : `${id}-fill`;
  }

  #fold(fill: Fill): void {
    const before = findPosition(this.#book, fill.instrument);
    this.#book = applyFill(this.#book, fill);
    const left = findPosition(this.#book, fill.instrument);
    const funded = this.#funded.get(fill.instrument);
    if (left === undefined) this.#funded.delete(fill.instrument);
    // Sold units take their part along.
    else if (funded !== undefined && before !== undefined && fill.side === 'sell')
      this.#funded.set(fill.instrument, funded.times(left.quantity).div(before.quantity));
    this.#trace.push(`${fill.at} ${fill.side} ${fill.quantity} ${fill.instrument} ${fill.fillPrice} ${fill.feeUsd}`);
    this.#audit.agrees(this.#book, fill.at);
    if (this.#book.holdings.length === 0 && fill.at >= this.#input.course.shockAt) this.#flatAt ??= fill.at;
  }

  /**
   * Opens the positions that the shock hits: beside those of the agent's own rules, further ones in the universe's order up to the
   * mandate's limits. They are given and not ordered, each as large as risk allows an entry.
   */
  #force(): void {
    const at = this.#market.clock.now();
    this.#own = this.#book.holdings.map(({ instrument }) => instrument);
    const given: InstrumentKey[] = [];
    for (const instrument of this.#input.compiled.instruments) {
      if (this.#book.holdings.length >= this.#mandate.maxOpenPositions || findPosition(this.#book, instrument) !== undefined) continue;
      const quote = this.#market.quoteAt(instrument, at);
      if (quote === null || quote.quality !== 'live' || quote.ask === null) continue;
      const carried = new Decimal(this.#book.cashUsd).times('0.99').times(computeLeverage(instrument, this.#mandate));
      const capacity = Decimal.min(carried, this.#mandate.maxTradeNotionalUsd);
      const asked = capacity.gt(0) ? this.#sized('buy', instrument, quote, plainDecimal(capacity), undefined) : null;
      const order = asked === null ? null : this.#withinHeadroom(asked, quote, at);
      if (order === null) continue;
      const fill = givenFill(order, { ...quote, ask: quote.ask }, at);
      this.#audit.forced(fill);
      this.#fold(fill);
      given.push(instrument);
    }
    this.#forced = given;
  }

  /**
   * Returns the largest part of an entry that passes risk, or null. A reference carried over a weekend does not reduce it, because no
   * decision uses it.
   */
  #withinHeadroom(order: Order, quote: OrderQuote, at: EpochMs): Order | null {
    const context = this.#contextOf(
      order,
      this.#market.present(order.instrument, at, quote),
      markBook(this.#book, this.#market.bids(), at),
    );
    const verdict = assessOrder(order, { ...context, reference: { required: false, observed: context.reference.observed } });
    if (verdict.ok) return order;
    const quantity = verdict.attribution.headroom?.quantity ?? '0';
    return new Decimal(quantity).gt(0) ? resized(order, quantity) : null;
  }

  /** Sells all positions like any exit. A position that cannot be sold is worth nothing. */
  #liquidate(): void {
    const at = this.#market.clock.now();
    for (const [, course] of this.#underway) if (isInParts(course.sent)) course.stop();
    for (const held of this.#book.holdings) {
      if (this.#underway.has(held.instrument)) continue;
      const quote = this.#market.quoteAt(held.instrument, at);
      const order = quote === null ? null : this.#sized('sell', held.instrument, quote, '0', held);
      if (quote === null || order === null) this.#refuse('no_quote');
      else this.#send({ order, decisionPrice: quote.bid as DecimalString, plan: AT_ONCE });
    }
  }

  #stuck(): Decimal {
    const prices = this.#market.bids();
    return this.#book.holdings.reduce(
      (sum, { instrument, quantity }) => sum.plus(new Decimal(quantity).times(prices.get(instrument) ?? 0)),
      new Decimal(0),
    );
  }

  #report(): StressRunReport {
    const { course, seed, compiled } = this.#input;
    const capital = compiled.manifest.maxCapitalUsd;
    const left = this.#stuck();
    this.#equity.end(course.endsAt, new Decimal(this.#book.cashUsd));
    const lossPct = this.#equity.lossPct(capital);
    const { breaches, unsafeFills } = this.#audit.findings();
    const limit = compiled.manifest.maxDailyDrawdownPct;
    const findings = [
      ...(lossPct > limit ? [`it lost ${lossPct} % of its capital; survived are ${limit} %`] : []),
      ...(left.gt(0) ? [`${left.toFixed(2)} USD could not be sold within ${LIQUIDATION_MS / MINUTE_MS} minutes of trying`] : []),
      ...(this.#own.length + this.#forced.length === 0 ? ['it held nothing at the shock: no position could be given to it'] : []),
      ...breaches,
      ...unsafeFills,
    ];
    const { decisions, fills, rested, refused, refusedWhileFrozen } = this.#counts;
    return {
      scenario: course.scenario,
      severity: course.severity,
      seed,
      startEquityUsd: capital,
      equityUsd: this.#equity.marks,
      breaches: breaches.length,
      unsafeFills: unsafeFills.length,
      survived: findings.length === 0,
      findings,
      lossPct,
      ownPositions: this.#own,
      forcedPositions: this.#forced,
      decisions,
      fills,
      ...(compiled.manifest.algorithm === 'taker_immediate' ? {} : { restedFills: rested }),
      refused,
      refusedWhileFrozen,
      flatAfterMinutes: this.#flatAt === null ? null : this.#equity.minuteOf(this.#flatAt),
      stuckUsd: plainDecimal(left.toDecimalPlaces(6)),
      curve: this.#equity.points,
      traceHash: sha256Hex(this.#trace.join('\n')),
    };
  }
}

function isInParts({ plan }: Pick<SentOrder, 'plan'>): boolean {
  return plan.algorithm !== 'taker_immediate';
}

function isPassedStop({ instrument, type, passed }: RuleOutcome, order: Order): boolean {
  return instrument === order.instrument && type === 'stop_loss' && passed;
}

function isFrozen({ frozen }: ScenarioCourse, at: EpochMs): boolean {
  return frozen !== null && at >= frozen.from && at < frozen.until;
}

/** Returns the fill of a given position. */
function givenFill(order: Order, quote: Quote & { readonly ask: DecimalString }, at: EpochMs): Fill {
  const { id, bookId, instrument, quantity } = order;
  const { ask, bid, source, observedAt } = quote;
  return {
    id: `${id}-given`,
    orderId: id,
    bookId,
    instrument,
    side: 'buy',
    quantity,
    fillPrice: ask,
    feeUsd: '0',
    notionalUsd: plainDecimal(new Decimal(quantity).times(ask)),
    decisionPrice: ask,
    slippageBps: 0,
    at,
    quotes: [{ source, observedAt, bid, ask }],
  };
}
