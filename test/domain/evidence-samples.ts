// Series of evidence for tests: arbitrary ones, and ones that pass their gate.
import fc from 'fast-check';
import {
  type BacktestSeries,
  type EquityDay,
  GATE_SCENARIOS,
  RULES_VERSION,
  type PaperSeries,
  type ShadowSeries,
  type StressSeries,
} from '../../src/domain/agents/evidence.ts';

export const DAY = 86_400_000;
/** 2019-01-01T00:00:00Z. */
export const FIRST_DAY = Date.UTC(2019, 0, 1);

/** Money with cents, as the evaluators write it. */
const usd = (cents: number): string => (cents / 100).toFixed(2);

/** Returns a curve that rises by `driftPct` a day with a small swing, which passes the backtest gate over five years. */
export function backtestSeries(
  options: {
    readonly firstDay?: number;
    readonly days?: number;
    readonly driftPct?: number;
    readonly swingPct?: number;
    readonly dipPct?: number;
  } = {},
): BacktestSeries {
  const { firstDay = FIRST_DAY, days = 1_827, driftPct = 0.05, swingPct = 0.3, dipPct = 0 } = options;
  let equity = 10_000;
  const found: EquityDay[] = [];
  for (let day = 0; day < days; day++) {
    const before = equity;
    equity *= 1 + (driftPct + (day % 2 === 0 ? swingPct : -swingPct)) / 100;
    if (day === Math.floor(days / 2)) equity *= 1 - dipPct / 100;
    const low = Math.min(before, equity);
    const high = Math.max(before, equity);
    const inner = equity < before ? ((before - equity) / before) * 100 : 0;
    found.push([firstDay + day * DAY, equity.toFixed(6), high.toFixed(6), low.toFixed(6), Math.min(inner, ((high - low) / high) * 100)]);
  }
  return {
    startEquityUsd: '10000',
    firstCandleAt: firstDay,
    lastCandleAt: firstDay + (days - 1) * DAY + DAY - 1,
    annualisation: 365,
    days: found,
    fills: 240,
    closedTrades: 120,
    slippageBps: 6,
  };
}

export function stressSeries(over: Partial<StressSeries['runs'][number]> = {}, maxDailyDrawdownPct = 3): StressSeries {
  return {
    rules: RULES_VERSION.stress_test,
    maxDailyDrawdownPct,
    runs: GATE_SCENARIOS.map((scenario) => ({
      scenario,
      severity: 'standard',
      seed: 1,
      startEquityUsd: '10000',
      equityUsd: ['10000', '9850.5', '9900'],
      breaches: 0,
      unsafeFills: 0,
      ...over,
    })),
  };
}

export function paperSeries(enteredAt: number, days: number, driftPct = 0.2, costBps = 6): PaperSeries {
  const first = Math.floor(enteredAt / DAY) * DAY;
  let equity = 10_000;
  return {
    rules: RULES_VERSION.paper,
    enteredAt,
    evaluatedAt: enteredAt + days * DAY,
    startEquityUsd: '10000',
    days: Array.from({ length: days + 1 }, (_, day) => {
      equity *= 1 + (driftPct + (day % 2 === 0 ? 0.1 : -0.1)) / 100;
      return [first + day * DAY, equity.toFixed(4)] as const;
    }),
    trades: Array.from({ length: 8 }, (_, n) => [enteredAt + n * 3_600_000, driftPct > 0 ? '12.5' : '-3.25'] as const),
    promisedBps: 6,
    costs: Array.from({ length: 16 }, (_, n) => ['500', costBps + (n % 3)] as const),
  };
}

export function shadowSeries(enteredAt: number, maxSlippageBps = 50, marketBps = 4): ShadowSeries {
  return {
    rules: RULES_VERSION.shadow,
    enteredAt,
    evaluatedAt: enteredAt + 2 * DAY,
    maxSlippageBps,
    orders: Array.from({ length: 12 }, (_, n) => {
      const side = n % 2 === 0 ? ('buy' as const) : ('sell' as const);
      const sign = side === 'buy' ? 1 : -1;
      return [
        enteredAt + n * 60_000,
        side,
        '100',
        (100 * (1 + (sign * 3) / 10_000)).toFixed(4),
        '5',
        'measured',
        '5',
        (100 * (1 + (sign * marketBps) / 10_000)).toFixed(4),
      ] as const;
    }),
  };
}

export const anyBacktest: fc.Arbitrary<BacktestSeries> = fc
  .record({
    start: fc.integer({ min: 100_00, max: 100_000_00 }),
    moves: fc.array(
      fc.record({
        move: fc.integer({ min: -800, max: 800 }),
        up: fc.nat(300),
        down: fc.nat(300),
        inner: fc.nat(1_000).map((n) => n / 1_000),
      }),
      { minLength: 1, maxLength: 60 },
    ),
    firstDay: fc.integer({ min: 0, max: 20_000 }),
    annualisation: fc.constantFrom(365 as const, 252 as const),
    slippageBps: fc.option(fc.integer({ min: -500, max: 8_000 }).map((n) => n / 100)),
    fills: fc.nat(500),
  })
  .map(({ start, moves, firstDay, annualisation, slippageBps, fills }) => {
    let cents = start;
    const days = moves.map(({ move, up, down, inner }, day): EquityDay => {
      cents = Math.max(10_000, Math.round(cents * (1 + move / 10_000)));
      const high = cents + up;
      const low = cents - down;
      return [(firstDay + day) * DAY, usd(cents), usd(high), usd(low), inner * ((high - low) / high) * 100];
    });
    return {
      startEquityUsd: usd(start),
      firstCandleAt: firstDay * DAY,
      lastCandleAt: (firstDay + days.length) * DAY - 1,
      annualisation,
      days,
      fills,
      closedTrades: Math.floor(fills / 2),
      slippageBps,
    };
  });

export const anyStress: fc.Arbitrary<StressSeries> = fc.record({
  rules: fc.constantFrom(1, RULES_VERSION.stress_test),
  maxDailyDrawdownPct: fc.integer({ min: 10, max: 2_000 }).map((n) => n / 100),
  runs: fc.array(
    fc.record({
      scenario: fc.constantFrom(...GATE_SCENARIOS),
      severity: fc.constantFrom('standard', 'severe'),
      seed: fc.nat(),
      startEquityUsd: fc.integer({ min: 1_00, max: 90_000_00 }).map(usd),
      equityUsd: fc.array(fc.integer({ min: 0, max: 99_000_00 }).map(usd), { minLength: 1, maxLength: 20 }),
      breaches: fc.nat(2),
      unsafeFills: fc.nat(2),
    }),
    { maxLength: 12 },
  ),
});

export const anyPaper: fc.Arbitrary<PaperSeries> = fc
  .record({
    enteredAt: fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
    start: fc.integer({ min: 100_00, max: 90_000_00 }),
    marks: fc.array(fc.integer({ min: 50_00, max: 120_000_00 }), { maxLength: 40 }),
    pnl: fc.array(fc.integer({ min: -500_00, max: 500_00 }), { maxLength: 20 }),
    over: fc.nat(DAY),
    paused: fc.option(fc.nat(20 * DAY), { nil: null }),
    rules: fc.constantFrom(3, RULES_VERSION.paper),
    promised: fc.option(fc.integer({ min: -500, max: 8_000 }).map((n) => n / 100)),
    costs: fc.array(fc.tuple(fc.integer({ min: 1, max: 90_000_00 }), fc.integer({ min: -2_000, max: 9_000 })), { maxLength: 24 }),
  })
  .map(({ enteredAt, start, marks, pnl, over, paused, rules, promised, costs }) => {
    const first = Math.floor(enteredAt / DAY) * DAY;
    const evaluatedAt = Math.max(enteredAt, first + marks.length * DAY) + over;
    return {
      enteredAt,
      evaluatedAt,
      ...(paused === null ? {} : { pausedMs: paused }),
      startEquityUsd: usd(start),
      days: marks.map((mark, n) => [first + n * DAY, usd(mark)] as const),
      trades: pnl.map((cents) => [enteredAt, usd(cents)] as const),
      ...(rules < RULES_VERSION.paper
        ? {}
        : { rules, promisedBps: promised, costs: costs.map(([cents, bps]) => [usd(cents), bps / 100] as const) }),
    };
  });

export const anyShadow: fc.Arbitrary<ShadowSeries> = fc
  .record({
    rules: fc.constantFrom(2, RULES_VERSION.shadow),
    enteredAt: fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
    maxSlippageBps: fc.nat(10_000).map((n) => n / 100),
    fills: fc.array(
      fc.tuple(
        fc.constantFrom('buy' as const, 'sell' as const),
        fc.integer({ min: 90_00, max: 110_00 }),
        fc.integer({ min: 90_00, max: 110_00 }),
        fc.integer({ min: 90_00, max: 110_00 }),
        fc.integer({ min: 1_00, max: 90_00 }),
        // Filled by the market's flow, in percent; null if unknown.
        fc.option(fc.constantFrom(0, 40, 100, 130)),
      ),
      { maxLength: 30 },
    ),
  })
  .map(({ rules, enteredAt, maxSlippageBps, fills }) => ({
    rules,
    enteredAt,
    evaluatedAt: enteredAt + 3 * DAY,
    maxSlippageBps,
    orders: fills.map(([side, decision, fill, market, quantity, given]): ShadowSeries['orders'][number] => {
      const sent = [enteredAt, side, usd(decision), usd(fill), usd(quantity)] as const;
      if (given === null) return [...sent, 'unknown', null, null];
      return [...sent, 'measured', usd(Math.floor((quantity * given) / 100)), given === 0 ? null : usd(market)];
    }),
  }));
