// Simulated entries put to the live risk function: none is one that live trading would have rejected.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import { applyFill, emptyBook, type Fill, markBook, type OpenProposal, type TradingBook } from '../../../src/domain/books/book.ts';
import { carriedIn, isReadableCarried } from '../../../src/domain/conditions/carried-reference.ts';
import { findCostModel } from '../../../src/domain/orders/costs.ts';
import { compileManifest } from '../../../src/domain/agents/decide.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { findMarketStep } from '../../../src/domain/market/market-step.ts';
import { completeOrder, sizeOrder } from '../../../src/domain/orders/order.ts';
import { assessOrder } from '../../../src/domain/risk/assess.ts';
import { NO_OTHER_BOOKS, observedOrderQuote } from '../../../src/domain/risk/context.ts';
import { combineMandate } from '../../../src/domain/risk/mandate.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';
import { createAsOfView } from '../../../src/simulation/backtest/as-of.ts';
import { buildHistory, type InstrumentColumns } from '../../../src/simulation/backtest/history.ts';
import { evaluateRules } from '../../../src/simulation/backtest/rule-columns.ts';
import { runBacktest } from '../../../src/simulation/backtest/run.ts';
import { type Simulation, simulate } from '../../../src/simulation/backtest/simulate.ts';
import { type InstrumentUnits, type Trade, unitsText } from '../../../src/simulation/backtest/trade-ledger.ts';
import { payload } from '../../domain/authored.ts';
import { seedOfRun } from '../../harness/seed.ts';
import { anyCase, draws, entryOf, HOUR, type RandomCase, START, walk } from './random-histories.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 150);
const MICRO_DOLLAR = 1e-6;
const SEED = seedOfRun();

/** Puts every order of a run to the risk function, with the book at that time. */
function refusalsOf({ manifest, inputs: recorded }: RandomCase): {
  readonly asked: number;
  readonly pooled: number;
  readonly refused: unknown[];
} {
  // Rules are decided on the cost model's quotes, and orders priced on recorded spreads: here both are the same.
  // Funding is booked with the exit and is not tested here.
  const free = Array.from({ length: 200 }, (_, n) => ({ receivedAt: START + (n - 40) * HOUR, value: '0' }));
  const inputs = recorded.map(({ halfSpread: _, ...input }) => (input.entry.kind === 'perp' ? { ...input, funding: free } : input));
  const history = buildHistory('1h', inputs);
  const simulation = simulate(manifest, history, evaluateRules(manifest, history), DEFAULT_ASSUMPTIONS);
  const compiled = compileManifest(manifest);
  const spreads = simulation.instruments.map(({ costs }) => costs.halfSpreadBps);
  const view = createAsOfView(history, compiled.needs, spreads);
  const mandate = combineMandate(manifest, DEFAULT_PREFERENCES, 'paper', 'autonomous');
  const refused: unknown[] = [];
  let [asked, pooled] = [0, 0];
  /** Maximum fees charged to the book in US dollars: on rounded average prices, and the savings of resting. */
  let [roundedFees, restingFees] = [new Decimal(0), new Decimal(0)];
  let state: TradingBook = emptyBook('book', 'paper', manifest.maxCapitalUsd);
  for (let i = 0; i < history.length; i++) {
    const cut = view.cutAt(i);
    for (const fill of fillsSeenAt(simulation, history.instruments, i, cut.slot)) {
      state = applyFill(state, fill);
      const { priceDecimals } = simulation.instruments[
        history.instruments.findIndex(({ key }) => key === fill.instrument)
      ] as InstrumentUnits;
      const { makerFeeBps, takerFeeBps } = findCostModel(fill.instrument);
      const rounded = new Decimal(10).pow(-priceDecimals).times(fill.quantity);
      roundedFees = roundedFees.plus(rounded.times(takerFeeBps).div(10_000));
      restingFees = restingFees.plus(new Decimal(fill.notionalUsd).times(takerFeeBps - makerFeeBps).div(10_000));
    }
    const marks = new Map<InstrumentColumns['key'], string>();
    for (const [key, { quote }] of cut.observations) if (quote?.quality === 'live' && quote.mid !== null) marks.set(key, quote.mid);
    state = markBook(state, marks, cut.slot).state;
    const cashUsd = cashAt(simulation, i);
    const spared = new Decimal(cashUsd).minus(state.cashUsd);
    const isClose = spared.gte(roundedFees.plus(MICRO_DOLLAR).neg()) && spared.lte(roundedFees.plus(restingFees));
    expect(isClose, `cash at bar ${i}: ${cashUsd}, in the book ${state.cashUsd}`).toBe(true);
    const openProposals: OpenProposal[] = [];
    for (const entry of simulation.entries.filter(({ bar }) => bar === i)) {
      const { key, liquidity } = history.instruments[entry.instrument] as InstrumentColumns;
      const units = simulation.instruments[entry.instrument] as InstrumentUnits;
      const observation = cut.observations.get(key);
      if (observation === undefined) throw new Error(key);
      const quantity = unitsText(entry.quantity, units.quantityDecimals);
      const limitPrice = unitsText(entry.limit, units.priceDecimals);
      const parts = { id: `${i}/${key}`, origin: 'proposal', mode: 'paper', bookId: 'book', instrument: key, side: 'buy' } as const;
      const order = completeOrder({ ...parts, quantity, limitPrice, maxSlippageBps: mandate.maxSlippageBps });
      // A pool whose depth is not in the history cannot be assessed; the result names it.
      const liquidityUsd = liquidity === null ? '1000000000000' : observation.liquidityUsd;
      if (key.startsWith('spotchain:') && liquidity !== null) pooled++;
      const required = manifest.entry.some(({ type }) => /^(premium|gap_to_mark)_/.test(type));
      const verdict = assessOrder(order, {
        at: cut.slot,
        quote: observedOrderQuote(observation),
        reference: {
          required,
          observed: observation.reference,
          carried: isReadableCarried(observation.reference, cut.slot, carriedIn(manifest)),
        },
        liquidityUsd,
        mandate,
        book: markBook({ ...state, cashUsd, openProposals: [...openProposals] }, marks, cut.slot),
        others: NO_OTHER_BOOKS,
        halt: 'none',
        disabledFeature: null,
        feeBps: findCostModel(key).takerFeeBps,
      });
      asked++;
      if (!verdict.ok) refused.push({ order, rejections: verdict.attribution.rejections });
      const full = sizeOrder({
        ...parts,
        touch: observation.quote?.ask as string,
        maxSlippageBps: mandate.maxSlippageBps,
        notionalUsd: mandate.maxTradeNotionalUsd,
        heldQuantity: '0',
      });
      if (full === null || new Decimal(full.limitPrice).lt(limitPrice)) refused.push({ order, full });
      if (!new Decimal(quantity).mod(findMarketStep(key).lot).isZero()) refused.push({ order, lot: findMarketStep(key).lot });
      openProposals.push({ id: order.id, instrument: key, side: 'buy', quantity, notionalUsd: order.notionalUsd });
    }
  }
  return { asked, pooled, refused };
}

/**
 * Returns the cash that the decision at bar `i` saw, in whole micro-dollars. Fees of an order in parts were computed part by
 * part, which its one average price does not show: the fills made of it below come close to the cash, but do not match it.
 */
function cashAt({ cashSteps, units }: Simulation, i: number): string {
  const { cash = 0 } = cashSteps.findLast(({ bar }) => bar <= i) ?? {};
  return plainDecimal(new Decimal(unitsText(cash, units.moneyDecimals)).toDecimalPlaces(6, Decimal.ROUND_FLOOR));
}

/** Returns the fills between the previous decision and that at bar `i`; sales before purchases, as orders at one bar fill. */
function fillsSeenAt(simulation: Simulation, instruments: readonly InstrumentColumns[], i: number, at: number): Fill[] {
  const fills: Fill[] = [];
  const money = (value: Decimal): string => plainDecimal(value);
  const add = (trade: Trade, side: 'buy' | 'sell', priceUnits: number): void => {
    const units = simulation.instruments[trade.instrument] as InstrumentUnits;
    const key = (instruments[trade.instrument] as InstrumentColumns).key;
    const quantity = unitsText(trade.quantity, units.quantityDecimals);
    const fillPrice = unitsText(priceUnits, units.priceDecimals);
    const notional = new Decimal(quantity).times(fillPrice);
    const fee = notional
      .times(findCostModel(key).takerFeeBps)
      .div(10_000)
      .toDecimalPlaces(simulation.units.moneyDecimals, Decimal.ROUND_CEIL);
    const parts = { id: `${i}/${side}/${key}`, orderId: '', bookId: 'book', instrument: key, side, quantity, fillPrice, slippageBps: 0 };
    fills.push({ ...parts, feeUsd: money(fee), notionalUsd: money(notional), decisionPrice: fillPrice, at, quotes: [] });
  };
  for (const trade of simulation.trades) if (trade.exitBar === i - 1) add(trade, 'sell', trade.exitPrice as number);
  for (const trade of simulation.trades) if (trade.entryBar === i - 1) add(trade, 'buy', trade.entryPrice);
  return fills;
}

/** Returns a manifest that enters whenever it may, on a quiet instrument. */
function eager(over: Readonly<Record<string, unknown>>, symbols = ['BTCUSDT']): RandomCase['manifest'] {
  const read = readManifest(
    payload({
      universe: symbols,
      timeframe: '1h',
      entryConditions: [{ type: 'price_above', price: 1 }],
      exitConditions: [{ type: 'held_longer_than', hours: 2 }],
      stopLossPct: 0,
      takeProfitPct: 0,
      maxCapitalUsd: '10000',
      maxTradeNotionalUsd: '1000',
      maxOpenPositions: 5,
      maxSlippageBps: 400,
      ...over,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

/** Random limits and histories, also with rules that propose at every bar, so that the limits decide. */
const orderly: fc.Arbitrary<RandomCase> = fc.tuple(anyCase, fc.boolean()).map(([one, eagerly]) => {
  if (!eagerly) return one;
  const { entry, exit } = eager({});
  return { inputs: one.inputs, manifest: { ...one.manifest, entry, exit, maxDailyDrawdownPct: 12, maxSlippageBps: 400 } };
});

test('every entry of a random manifest over a random history passes the live risk function, in whole lots', () => {
  let [asked, pooled] = [0, 0];
  fc.assert(
    fc.property(orderly, (one) => {
      const found = refusalsOf(one);
      asked += found.asked;
      pooled += found.pooled;
      expect(found.refused).toEqual([]);
    }),
    { numRuns: RUNS, seed: SEED },
  );
  expect(asked, `orders with seed ${SEED}`).toBeGreaterThan(RUNS);
  expect(pooled, `orders on pools with seed ${SEED}`).toBeGreaterThan(0);
});

const steady = (symbol: string, level: number, liquidity?: string) => ({
  entry: entryOf(symbol),
  candles: walk(draws(3), START, HOUR, 60, level).map((bar) => ({ ...bar, volume: '1000000' })),
  ...(liquidity === undefined
    ? {}
    : { liquidity: Array.from({ length: 62 }, (_, n) => ({ receivedAt: START + n * HOUR, value: liquidity })) }),
});

test('a drawdown limit of zero is breached by any loss, as in live trading', () => {
  const history = buildHistory('1h', [steady('BTCUSDT', 60_000)]);
  const run = (maxDailyDrawdownPct: number) => {
    const manifest = eager({ maxDailyDrawdownPct });
    return simulate(manifest, history, evaluateRules(manifest, history), DEFAULT_ASSUMPTIONS);
  };
  const none = run(0);
  const some = run(19);
  expect(none.blocked['daily_drawdown_breach']).toBeGreaterThan(0);
  expect(some.blocked['daily_drawdown_breach']).toBeUndefined();
  expect(none.entries.length).toBeLessThan(some.entries.length);
  // Fees alone are a loss: one entry a day at most.
  const days = none.entries.map(({ bar }) => Math.floor((history.firstSlot + bar * HOUR) / 86_400_000));
  expect(days).toEqual([...new Set(days)]);
  expect(days.length).toBeGreaterThan(0);
  expect(refusalsOf({ manifest: eager({ maxDailyDrawdownPct: 0 }), inputs: [steady('BTCUSDT', 60_000)] })).toMatchObject({ refused: [] });
});

test('a position is limited to the permitted part of a known pool, and an unknown pool is named', () => {
  const manifest = eager({ maxDailyDrawdownPct: 19 }, ['AAPLx']);
  const entriesOf = (liquidity?: string) => {
    const history = buildHistory('1h', [steady('AAPLx', 200, liquidity)]);
    return { history, simulation: simulate(manifest, history, evaluateRules(manifest, history), DEFAULT_ASSUMPTIONS) };
  };
  const notional = ({ entries, instruments: [units] }: Simulation) =>
    Math.max(
      ...entries.map(
        ({ quantity, limit }) => (quantity * limit) / ((units as InstrumentUnits).quantityUnit * (units as InstrumentUnits).priceUnit),
      ),
    );
  expect(notional(entriesOf('10000').simulation)).toBeLessThanOrEqual(500);
  expect(notional(entriesOf('10000').simulation)).toBeGreaterThan(499);
  expect(notional(entriesOf().simulation)).toBeGreaterThan(999);
  expect(entriesOf('100').simulation.blocked['pool_liquidity_breach']).toBeGreaterThan(0);
  const named = (history: ReturnType<typeof buildHistory>) =>
    runBacktest({
      manifest,
      history,
      assumptions: DEFAULT_ASSUMPTIONS,
      trials: { versions: 1, otherSharpes: [] },
    }).result.assumptions.named.join('\n');
  expect(named(entriesOf().history)).toContain('pool_liquidity_breach');
  expect(named(entriesOf('10000').history)).not.toContain('pool_liquidity_breach');
});
