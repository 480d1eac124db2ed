/**
 * The stress test of one manifest: every scenario, severity and seed through the real hearing,
 * deciding, risk function and paper fill, under a virtual clock, with an auditor that checks every step.
 * The same manifest, markets and seeds give the same bytes.
 */
import { assessorOf, decidedOrder, markAt, readBook, type TradingAgent, untouchedBook } from '../../../actors/agent/tick-risk.ts';
import { createMarketPipeline, type MarketPipeline } from '../../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../../streams/virtual-clock.ts';
import { applyFill, type Fill, type MarkedBook, markBook, type Position, positionOf } from '../../domain/book.ts';
import { canonicalJson, type Json, sha256Hex } from '../../domain/canonical-json.ts';
import { CATALOG } from '../../domain/catalog.ts';
import { definitionOf } from '../../domain/conditions/index.ts';
import { costModelOf } from '../../domain/costs.ts';
import type { Cut } from '../../domain/cut.ts';
import { type CompiledManifest, compileManifest } from '../../domain/decide.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../domain/decimal.ts';
import { GATE_LIMITS, type StressRun, type StressSeries } from '../../domain/evidence.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { type Order, type OrderQuote, resized, sizeOrder } from '../../domain/order.ts';
import { paperFill } from '../../domain/paper-fill.ts';
import { atPresentPrice } from '../../domain/present-order.ts';
import {
  assessOrder,
  mandateOf,
  NO_OTHER_BOOKS,
  orderContext,
  presentMarket,
  type RiskContext,
  type RiskMarket,
  type RiskPreferences,
  UNCONTROLLED,
} from '../../domain/risk/index.ts';
import { AGENT_TICK_MS, type EpochMs } from '../../domain/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/venue.ts';
import { createBookAudit } from './book-audit.ts';
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
  /** The organization's, which bind the agent as they do live. */
  readonly preferences: RiskPreferences;
  readonly markets: readonly StressMarket[];
  /** Seeds of each scenario and severity; default three. */
  readonly seeds?: readonly number[];
  readonly scenarios?: readonly StressScenario[];
  readonly severities?: readonly StressSeverity[];
  readonly onProgress?: (done: number, all: number) => void;
  /** Asked between runs; true ends the test without a result. */
  readonly isCancelled?: () => boolean;
}

/** How one run went, for people: what the gate does not look at stands here as well. */
export interface StressRunReport extends StressRun {
  readonly scenario: StressScenario;
  readonly severity: StressSeverity;
  readonly survived: boolean;
  /** Why it did not survive, and what else the auditor found; one sentence each. */
  readonly findings: readonly string[];
  /** Deepest loss against the start, in percent. */
  readonly lossPct: number;
  /** Instruments that the agent held at the shock by its own rules, and those that it was given. */
  readonly ownPositions: readonly InstrumentKey[];
  readonly forcedPositions: readonly InstrumentKey[];
  readonly decisions: number;
  readonly fills: number;
  /** What was asked for and not done, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Orders that were refused while the market was frozen, as they have to be. */
  readonly refusedWhileFrozen: number;
  /** When everything that was held at the shock had been sold, minutes after it; null where it never was. */
  readonly flatAfterMinutes: number | null;
  /** Notional that could not be sold until the end, in US dollars; it counts as lost. */
  readonly stuckUsd: DecimalString;
  /** Points of the equity curve: minutes after the shock, US dollars. */
  readonly curve: readonly (readonly [minute: number, equityUsd: DecimalString])[];
  /** SHA-256 over every decision and fill of the run. */
  readonly traceHash: string;
}

export interface StressTestResult {
  readonly manifestHash: string;
  readonly runs: readonly StressRunReport[];
  /** Every run of severity `standard` survived. */
  readonly survived: boolean;
  readonly markets: readonly StressMarket[];
  readonly resultHash: string;
}

const MINUTE = 60_000;
const DEFAULT_SEEDS: readonly number[] = [1, 2, 3];
/** From the slot to the tick that decides on it, as a punctual worker needs it. */
const TICK_AFTER_MS = 500;
/** The agent is given its positions so long before the shock: after the orders of its last slot, before its next. */
const FORCED_BEFORE_MS = 4_000;
/** At the end everything that is left is sold; so long it may take. */
const LIQUIDATION_MS = 20 * MINUTE;
/** In quiet hours the lowest mark of each hour stands for it. */
const QUIET_MARK_MS = 60 * MINUTE;

/**
 * Runs the stress test. Synchronous and long (about a tenth of a second for a weekday of one instrument): not for a
 * thread that has something else to do. Null where it was cancelled.
 */
export function runStressTest(options: StressTestOptions): StressTestResult | null {
  const { manifest, markets, seeds = DEFAULT_SEEDS, scenarios = STRESS_SCENARIOS, severities = STRESS_SEVERITIES } = options;
  const compiled = compileManifest(manifest);
  const plan = scenarios.flatMap((scenario) => severities.flatMap((severity) => seeds.map((seed) => ({ scenario, severity, seed }))));
  const runs: StressRunReport[] = [];
  for (const [index, { scenario, severity, seed }] of plan.entries()) {
    if (options.isCancelled?.() === true) return null;
    options.onProgress?.(index, plan.length);
    const course = scenarioCourse(scenario, severity);
    runs.push(
      createRun({
        course,
        seed,
        compiled,
        preferences: options.preferences,
        markets,
        agentId: options.agentId,
        manifestVersion: options.manifestVersion,
      }).finish(),
    );
  }
  options.onProgress?.(plan.length, plan.length);
  const survived = runs.every((run) => run.severity !== 'standard' || run.survived);
  const found = { manifestHash: compiled.hash, markets, runs, survived };
  return { ...found, resultHash: sha256Hex(stressResultText(found)) };
}

/**
 * What the gate is handed: the raw series of every run; checks and verdict follow from it (src/domain/evidence.ts). A
 * run in which nothing was held at the shock proves nothing and is left out, so that its scenario lacks it.
 */
export function stressSeries(manifest: Manifest, { runs }: Pick<StressTestResult, 'runs'>): StressSeries {
  return {
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

/** The whole result as canonical JSON; its SHA-256 is the result's hash. */
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

/** An order on its way from the decision to the market. */
interface Underway {
  readonly order: Order;
  readonly decisionPrice: DecimalString;
}

function createRun(input: RunInput) {
  const { course, compiled } = input;
  const { manifest } = compiled;
  const mandate = mandateOf(manifest, input.preferences, 'stress_test', 'policy_auto');
  const clock = createVirtualClock(course.startsAt - 2 * MINUTE);
  const capital = manifest.maxCapitalUsd;
  const audit = createBookAudit(manifest, capital);
  const readsReference = manifest.entry.some((condition) => definitionOf(condition).compile(condition).usesReference);
  /** Instruments with an order on its way. */
  const underway = new Set<InstrumentKey>();
  const agent: TradingAgent = {
    id: input.agentId,
    stage: 'stress_test',
    autonomy: 'policy_auto',
    manifest,
    manifestVersion: input.manifestVersion,
  };
  const inputs = { preferences: input.preferences, others: NO_OTHER_BOOKS };
  const refused: Record<string, number> = {};
  const trace: string[] = [];
  const marks: DecimalString[] = [];
  const curve: [number, DecimalString][] = [];
  const liquidateFrom = course.endsAt - LIQUIDATION_MS;
  let book = untouchedBook(agent);
  let quietLow: Decimal | null = null;
  let quietMinute = 0;
  let quietUntil: EpochMs = 0;
  let own: readonly InstrumentKey[] = [];
  let forced: readonly InstrumentKey[] = [];
  let flatAt: EpochMs | null = null;
  let decisions = 0;
  let fills = 0;
  let refusedWhileFrozen = 0;
  let serial = 0;
  let failure: unknown = null;

  const pipeline: MarketPipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [],
    instruments: () => relations,
    needs: () => compiled.needs,
    periodMs: AGENT_TICK_MS,
    onCut: (cut) => void clock.deadline(cut.slot + TICK_AFTER_MS, () => tick(cut)),
    onFailure: (error) => {
      failure ??= error;
    },
  });
  const relations = compiled.instruments.map(
    (key) =>
      CATALOG.byKey(key) ?? {
        key,
        underlying: splitInstrumentKey(key).instrument,
        benchmark: null,
        benchmarkKind: null,
        pairedPerp: null,
        pairedSpot: null,
      },
  );

  const isFrozen = (at: EpochMs): boolean => course.frozen !== null && at >= course.frozen.from && at < course.frozen.until;

  function refuse(reason: string): void {
    refused[reason] = (refused[reason] ?? 0) + 1;
    if (isFrozen(clock.now())) refusedWhileFrozen++;
  }

  /** What a long position is worth now: the best bid that was heard last, even where it is no longer live. */
  function bids(): ReadonlyMap<InstrumentKey, DecimalString> {
    const known = new Map<InstrumentKey, DecimalString>();
    for (const key of compiled.instruments) {
      const bid = pipeline.view.instrument(key)?.quote?.bid ?? null;
      if (bid !== null) known.set(key, bid);
    }
    return known;
  }

  /** Marks the book and keeps the mark. In a freeze a position too large for its pool is marked with the haircut of its exit. */
  function mark(at: EpochMs): MarkedBook {
    const prices = bids();
    const marked = markBook(book, prices, at);
    book = marked.state;
    if (marked.equityUsd === null) return marked;
    let equity = new Decimal(marked.equityUsd);
    if (course.scenario === 'liquidity_freeze' && at >= course.shockAt) equity = equity.minus(haircut(marked, at));
    keep(at, equity);
    return marked;
  }

  function haircut(marked: MarkedBook, at: EpochMs): Decimal {
    let sum = new Decimal(0);
    for (const { instrument, valueUsd } of marked.positions) {
      const calm = input.markets.find(({ key }) => key === instrument)?.liquidityUsd ?? null;
      if (calm === null || valueUsd === null) continue;
      const share = new Decimal(valueUsd).times(100).div(calm * course.depth(at));
      if (share.gt(FREEZE_HAIRCUT_ABOVE_POOL_PCT)) sum = sum.plus(new Decimal(valueUsd).times(FREEZE_HAIRCUT_PCT).div(100));
    }
    return sum;
  }

  function keep(at: EpochMs, equity: Decimal): void {
    const minute = Math.round((at - course.shockAt) / MINUTE);
    if (course.dense(at)) {
      flushQuiet();
      marks.push(plainDecimal(equity.toDecimalPlaces(6)));
      curve.push([minute, plainDecimal(equity.toDecimalPlaces(2))]);
      return;
    }
    if (quietLow !== null && at >= quietUntil) flushQuiet();
    if (quietLow === null) quietUntil = at + QUIET_MARK_MS;
    if (quietLow === null || equity.lt(quietLow)) {
      quietLow = equity;
      quietMinute = minute;
    }
  }
  function flushQuiet(): void {
    if (quietLow === null) return;
    marks.push(plainDecimal(quietLow.toDecimalPlaces(6)));
    curve.push([quietMinute, plainDecimal(quietLow.toDecimalPlaces(2))]);
    quietLow = null;
  }

  function contextOf(order: Order, market: RiskMarket, marked: MarkedBook): RiskContext {
    return orderContext(order, {
      market,
      readsReference: order.side === 'buy' && readsReference,
      agent,
      preferences: input.preferences,
      book: marked,
      others: NO_OTHER_BOOKS,
      control: UNCONTROLLED,
    });
  }

  function sized(
    side: 'buy' | 'sell',
    instrument: InstrumentKey,
    quote: OrderQuote,
    notionalUsd: DecimalString,
    held: Position | undefined,
  ): Order | null {
    const touch = side === 'buy' ? quote.ask : quote.bid;
    if (touch === null) return null;
    return sizeOrder({
      id: `order-${++serial}`,
      origin: 'proposal',
      mode: 'paper',
      bookId: book.id,
      instrument,
      side,
      touch,
      maxSlippageBps: mandate.maxSlippageBps,
      notionalUsd,
      heldQuantity: held?.quantity ?? '0',
    });
  }

  function tick(cut: Cut): void {
    mark(clock.now());
    if (cut.slot >= liquidateFrom) {
      liquidate();
      return;
    }
    const { book: seen, pending } = readBook(book);
    const held = markAt(book, cut);
    const verdict = compiled.decide(cut, seen, agent.autonomy, assessorOf(agent, held, inputs), new Set([...pending, ...underway]));
    decisions++;
    trace.push(`${cut.slot} ${verdict.disposition} ${verdict.reason ?? ''} ${verdict.instrument ?? ''} ${verdict.outcome}`);
    if (verdict.disposition === 'blocked_by_risk') refuse(verdict.reason ?? 'blocked_by_risk');
    if (verdict.disposition !== 'propose_entry' && verdict.disposition !== 'propose_exit') return;
    const order = decidedOrder(agent, verdict, cut.slot);
    const quote = order === null ? null : cut.observations.get(order.instrument)?.quote;
    if (order !== null && quote) send({ order, decisionPrice: (order.side === 'buy' ? quote.ask : quote.bid) as DecimalString });
  }

  /** On its way for as long as the venue's latency; carried out on what is quoted then. */
  function send(sent: Underway): void {
    const { instrument } = sent.order;
    underway.add(instrument);
    clock.deadline(clock.now() + costModelOf(instrument).latencyMs, () => {
      underway.delete(instrument);
      execute(sent);
    });
  }

  function execute({ order: decided, decisionPrice }: Underway): void {
    const at = clock.now();
    const { instrument } = decided;
    const quote = pipeline.view.quoteAt(instrument, at);
    const order = atPresentPrice(decided, quote);
    const market = present(instrument, at, quote);
    const marked = markBook(book, bids(), at);
    const verdict = assessOrder(order, contextOf(order, market, marked));
    if (!verdict.ok) {
      refuse(verdict.attribution.rejections[0]?.code ?? 'blocked_by_risk');
      return;
    }
    const done = paperFill(verdict.approved, { quote, depth: null, liquidityUsd: market.liquidityUsd }, costModelOf(instrument), {
      id: `${order.id}-fill`,
      at,
      decisionPrice,
    });
    if (done.outcome === 'no_fill') {
      refuse(done.reason);
      return;
    }
    if (done.outcome === 'partially_filled') refused['partially_filled'] = (refused['partially_filled'] ?? 0) + 1;
    fills++;
    audit.filled(done.fill, order, quote, marked.dailyDrawdownPct);
    fold(done.fill);
  }

  /** What the view knows of an instrument at this instant, beside the quote that prices the order. */
  function present(instrument: InstrumentKey, at: EpochMs, quote: OrderQuote | null): RiskMarket {
    const benchmark = relations.find(({ key }) => key === instrument)?.benchmark ?? null;
    const reference = benchmark === null ? null : pipeline.view.referenceAt(benchmark, at);
    return presentMarket({ at, quote, reference, liquidity: pipeline.view.instrument(instrument)?.liquidity ?? null });
  }

  function fold(fill: Fill): void {
    book = applyFill(book, fill);
    trace.push(`${fill.at} ${fill.side} ${fill.quantity} ${fill.instrument} ${fill.fillPrice} ${fill.feeUsd}`);
    audit.agrees(book, fill.at);
    if (book.holdings.length === 0 && fill.at >= course.shockAt) flatAt ??= fill.at;
  }

  /**
   * The positions that the shock meets: those that the rules have opened, and up to the mandate's limits those that
   * they might have, in the universe's order. Given, not ordered: each as large as risk would let an entry be.
   */
  function force(): void {
    const at = clock.now();
    own = book.holdings.map(({ instrument }) => instrument);
    const given: InstrumentKey[] = [];
    for (const instrument of compiled.instruments) {
      if (book.holdings.length >= mandate.maxOpenPositions || positionOf(book, instrument) !== undefined) continue;
      const quote = pipeline.view.quoteAt(instrument, at);
      if (quote === null || quote.quality !== 'live' || quote.ask === null) continue;
      const room = Decimal.min(new Decimal(book.cashUsd).times('0.99'), mandate.maxTradeNotionalUsd);
      const asked = room.gt(0) ? sized('buy', instrument, quote, plainDecimal(room), undefined) : null;
      const order = asked === null ? null : withinHeadroom(asked, quote, at);
      if (order === null) continue;
      const notional = new Decimal(order.quantity).times(quote.ask);
      const fill: Fill = {
        id: `${order.id}-given`,
        orderId: order.id,
        bookId: book.id,
        instrument,
        side: 'buy',
        quantity: order.quantity,
        fillPrice: quote.ask,
        feeUsd: '0',
        notionalUsd: plainDecimal(notional),
        decisionPrice: quote.ask,
        slippageBps: 0,
        at,
        quotes: [{ source: quote.source, observedAt: quote.observedAt, bid: quote.bid, ask: quote.ask }],
      };
      audit.forced(fill);
      fold(fill);
      given.push(instrument);
    }
    forced = given;
  }

  /** The largest part of an entry that risk lets pass; null where it is none. That a reference is carried over a weekend takes nothing away: nothing is decided on it. */
  function withinHeadroom(order: Order, quote: OrderQuote, at: EpochMs): Order | null {
    const context = contextOf(order, present(order.instrument, at, quote), markBook(book, bids(), at));
    const verdict = assessOrder(order, { ...context, reference: { required: false, observed: context.reference.observed } });
    if (verdict.ok) return order;
    const quantity = verdict.attribution.headroom?.quantity ?? '0';
    return new Decimal(quantity).gt(0) ? resized(order, quantity) : null;
  }

  /** Sells whatever is held, as any exit is sold: what cannot be left is worth nothing. */
  function liquidate(): void {
    const at = clock.now();
    for (const held of book.holdings) {
      if (underway.has(held.instrument)) continue;
      const quote = pipeline.view.quoteAt(held.instrument, at);
      const order = quote === null ? null : sized('sell', held.instrument, quote, '0', held);
      if (quote === null || order === null) refuse('no_quote');
      else send({ order, decisionPrice: quote.bid as DecimalString });
    }
  }

  function play(): void {
    pipeline.start();
    clock.deadline(course.shockAt - FORCED_BEFORE_MS, force);
    for (const event of scenarioTape(course, input.markets, compiled.needs, `${course.scenario}/${course.severity}/${input.seed}`)) {
      if (event.receivedAt > clock.now()) clock.advanceTo(event.receivedAt);
      pipeline.push(event);
    }
    // The last slot's orders are done a few seconds after it.
    clock.advanceTo(course.endsAt + 10_000);
    pipeline.stop();
    if (failure !== null) throw failure;
  }

  function stuck(): Decimal {
    const prices = bids();
    return book.holdings.reduce(
      (sum, { instrument, quantity }) => sum.plus(new Decimal(quantity).times(prices.get(instrument) ?? 0)),
      new Decimal(0),
    );
  }

  return {
    finish(): StressRunReport {
      play();
      flushQuiet();
      const left = stuck();
      marks.push(plainDecimal(new Decimal(book.cashUsd).toDecimalPlaces(6)));
      curve.push([Math.round((course.endsAt - course.shockAt) / MINUTE), plainDecimal(new Decimal(book.cashUsd).toDecimalPlaces(2))]);
      const lowest = marks.reduce((low, one) => Decimal.min(low, one), new Decimal(capital));
      const lossPct = new Decimal(capital).minus(lowest).times(100).div(capital).toDecimalPlaces(6).toNumber();
      const { breaches, unsafeFills } = audit.findings();
      const limit = manifest.maxDailyDrawdownPct * GATE_LIMITS.stressLossOfDailyDrawdown;
      const findings = [
        ...(lossPct > limit ? [`it lost ${lossPct} % of its capital; survived are ${limit} %`] : []),
        ...(left.gt(0) ? [`${left.toFixed(2)} USD could not be sold within ${LIQUIDATION_MS / MINUTE} minutes of trying`] : []),
        ...(own.length + forced.length === 0 ? ['it held nothing at the shock: no position could be given to it'] : []),
        ...breaches,
        ...unsafeFills,
      ];
      return {
        scenario: course.scenario,
        severity: course.severity,
        seed: input.seed,
        startEquityUsd: capital,
        equityUsd: marks,
        breaches: breaches.length,
        unsafeFills: unsafeFills.length,
        survived: findings.length === 0,
        findings,
        lossPct,
        ownPositions: own,
        forcedPositions: forced,
        decisions,
        fills,
        refused,
        refusedWhileFrozen,
        flatAfterMinutes: flatAt === null ? null : Math.round((flatAt - course.shockAt) / MINUTE),
        stuckUsd: plainDecimal(left.toDecimalPlaces(6)),
        curve,
        traceHash: sha256Hex(trace.join('\n')),
      };
    },
  };
}
