// Columns of a backtest compared with the plain decider and an exact book: the same rules, trades and money.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ASSUMPTIONS } from '../../../src/domain/backtest/assumptions.ts';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { CONDITIONS } from '../../../src/domain/conditions/index.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { WindowedIndicator } from '../../../src/domain/indicators/windowed.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { decisionAt } from '../../../src/simulation/backtest/decision-columns.ts';
import { sessionAt } from '../../../src/domain/market/session.ts';
import { buildHistory, type InstrumentInput } from '../../../src/simulation/backtest/history.ts';
import { indicatorColumn } from '../../../src/simulation/backtest/indicator-columns.ts';
import { evaluateRules } from '../../../src/simulation/backtest/rule-columns.ts';
import { type Simulation, simulate } from '../../../src/simulation/backtest/simulate.ts';
import { type Trade, unitsText } from '../../../src/simulation/backtest/trade-ledger.ts';
import { payload } from '../../domain/authored.ts';
import { seedOfRun } from '../../harness/seed.ts';
import { playPlainly } from './plain-simulation.ts';
import { anyCase, draws, entryOf, HOUR, type RandomCase, randomInput, START, walk } from './random-histories.ts';

const RUNS = Number(process.env['FC_RUNS'] ?? 150);
const SEED = seedOfRun();

function play({ manifest, inputs }: RandomCase) {
  const history = buildHistory('1h', inputs);
  const rules = evaluateRules(manifest, history);
  const simulation = simulate(manifest, history, rules, DEFAULT_ASSUMPTIONS);
  return {
    history,
    rules,
    simulation,
    decisions: Array.from({ length: history.length }, (_, i) => decisionAt(history, rules, simulation, i)),
  };
}

/** Returns the trades whose position the decision at bar `i` saw. */
function openAt({ trades }: Simulation, i: number): Trade[] {
  return trades.filter(({ entryBar, exitBar }) => entryBar < i && (exitBar === null || exitBar >= i));
}

type Cell = readonly [passed: 0 | 1, observed: unknown];

/** Returns the cells of one rule in a packed matrix, one per instrument. */
function cellsOfRule(outcome: string, rule: number, rules: number): Cell[] {
  return (JSON.parse(outcome) as Cell[]).filter((_, place) => place % rules === rule);
}

describe('a random manifest over a random history', () => {
  test('decides, trades and ends exactly like the plain decider with a book in decimals', () => {
    const seen = new Map<string, number>();
    const passed = new Set<string>();
    const saw = (word: string): void => void seen.set(word, (seen.get(word) ?? 0) + 1);
    fc.assert(
      fc.property(anyCase, (one) => {
        const { history, rules, simulation, decisions } = play(one);
        const plain = playPlainly(one, DEFAULT_ASSUMPTIONS);
        expect(decisions.map(({ disposition, reason, instrument, outcome }) => ({ disposition, reason, instrument, outcome }))).toEqual(
          plain.bars.map(({ disposition, reason, instrument, outcome }) => ({ disposition, reason, instrument, outcome })),
        );
        const trades = simulation.trades.map((trade) => {
          const units = simulation.instruments[trade.instrument] as (typeof simulation.instruments)[number];
          return {
            instrument: history.instruments[trade.instrument]?.key,
            entryPrice: unitsText(trade.entryPrice, units.priceDecimals),
            exitPrice: trade.exitPrice === null ? null : unitsText(trade.exitPrice, units.priceDecimals),
            quantity: unitsText(trade.quantity, units.quantityDecimals),
            profit: trade.profit === null ? null : unitsText(trade.profit, simulation.units.moneyDecimals),
          };
        });
        expect(trades).toEqual(plain.trades);
        plain.bars.forEach(({ cash, equity, disposition, reason }, i) => {
          const { cash: units = 0 } = simulation.cashSteps.findLast(({ bar }) => bar <= i) ?? {};
          expect(new Decimal(unitsText(units, simulation.units.moneyDecimals)).eq(cash)).toBe(true);
          expect(Math.abs((simulation.equityUsd[i] as number) - equity)).toBeLessThan(1e-9 * equity);
          // Bit-exact sum in the universe's order, because a result's hash depends on it.
          const marked = openAt(simulation, i)
            .sort((a, b) => a.instrument - b.instrument)
            .reduce((sum, { instrument, quantity, entryBar }) => {
              const { quantityUnit } = simulation.instruments[instrument] as (typeof simulation.instruments)[number];
              const { close, carry } = history.instruments[instrument] as (typeof history.instruments)[number];
              const worth = sum + (quantity / quantityUnit) * (close[i] as number);
              if (carry === null) return worth;
              return worth - ((quantity / quantityUnit) * ((carry.micros[i] as number) - (carry.micros[entryBar] as number))) / 1e6;
            }, units / simulation.units.unit);
          expect(simulation.equityUsd[i]).toBe(marked);
          saw(reason ?? disposition);
        });
        const positionCells = rules.plans.map(({ position }, rule) =>
          position === null ? [] : plain.bars.flatMap(({ outcome }) => cellsOfRule(outcome, rule, rules.plans.length)),
        );
        expect(Array.from(simulation.positionKnown)).toEqual(
          positionCells.map((cells) => cells.filter(([, seen]) => seen !== null).length),
        );
        expect(Array.from(simulation.positionPassed)).toEqual(
          positionCells.map((cells) => cells.filter(([passed]) => passed === 1).length),
        );
        if (trades.some(({ profit }) => profit !== null)) saw('closed trades');
        rules.plans.forEach((plan, rule) => {
          if (rules.instruments.some(({ passedCount }) => (passedCount[rule] as number) > 0)) passed.add(plan.condition.type);
        });
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // The cases cover what they should; a seed that does not would prove little.
    for (const word of [
      'hold',
      'propose_entry',
      'propose_exit',
      'closed trades',
      'quote_not_live',
      'pool_liquidity_breach',
      'open_positions_breach',
    ]) {
      expect(seen.get(word) ?? 0, `${word} with seed ${SEED}`).toBeGreaterThan(0);
    }
    expect(passed.size, `types that passed with seed ${SEED}`).toBeGreaterThan(15);
  });

  test('removing the future changes no earlier decision', () => {
    fc.assert(
      fc.property(anyCase, fc.double({ min: 0.2, max: 0.95, noNaN: true }), (one, share) => {
        const whole = play(one);
        const end = START + Math.ceil(whole.history.length * share) * HOUR;
        const cut = (input: InstrumentInput<readonly Candle[]>): InstrumentInput<readonly Candle[]> => ({
          ...input,
          candles: input.candles.filter(({ openTime }) => openTime + HOUR <= end),
          series: { '2h': (input.series?.['2h'] ?? []).filter(({ openTime }) => openTime + 2 * HOUR <= end) },
          ...(input.referenceCandles ? { referenceCandles: input.referenceCandles.filter(({ openTime }) => openTime + HOUR <= end) } : {}),
          ...(input.perpCandles ? { perpCandles: input.perpCandles.filter(({ openTime }) => openTime + HOUR <= end) } : {}),
          ...(input.spotCandles ? { spotCandles: input.spotCandles.filter(({ openTime }) => openTime + HOUR <= end) } : {}),
          ...(input.marks ? { marks: input.marks.filter(({ receivedAt }) => receivedAt <= end) } : {}),
          ...(input.funding ? { funding: input.funding.filter(({ receivedAt }) => receivedAt <= end) } : {}),
          ...(input.liquidity ? { liquidity: input.liquidity.filter(({ receivedAt }) => receivedAt <= end) } : {}),
          ...(input.halfSpread ? { halfSpread: input.halfSpread.filter(({ receivedAt }) => receivedAt <= end) } : {}),
          ...(input.events
            ? { events: { ...input.events, events: input.events.events.filter(({ receivedAt }) => receivedAt <= end) } }
            : {}),
        });
        const short = play({ manifest: one.manifest, inputs: one.inputs.map(cut) });
        expect(short.decisions).toEqual(whole.decisions.slice(0, short.decisions.length));
        expect(short.decisions.length).toBeGreaterThan(0);
        expect(Array.from(short.simulation.equityUsd)).toEqual(Array.from(whole.simulation.equityUsd.subarray(0, short.decisions.length)));
      }),
      { numRuns: RUNS, seed: SEED },
    );
  });
});

test('a carried reference opens and closes positions if the session rule allows it, like the plain decider', () => {
  const trades = [true, false].map((carriedReference) => {
    const read = readManifest(
      payload({
        universe: ['AAPLx'],
        timeframe: '1h',
        entryConditions: [
          { type: 'premium_below', pct: 4 },
          { type: 'session_in', sessions: ['CLOSED'], carriedReference },
        ],
        exitConditions: [{ type: 'premium_above', pct: 5 }, { type: 'reference_lost' }],
        stopLossPct: 0,
        takeProfitPct: 0,
        maxSlippageBps: 400,
        maxDailyDrawdownPct: 50,
      }),
    );
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    // Bars of the share in regular hours only, as venues keep them.
    const input = randomInput(4, 'AAPLx', 200);
    const referenceCandles = walk(draws(9), START - HOUR, HOUR, 200, 200).filter(
      ({ openTime }) => sessionAt(openTime + HOUR - 1) === 'REGULAR',
    );
    const one = { manifest: read.manifest, inputs: [{ ...input, referenceCandles }] };
    const { decisions, simulation } = play(one);
    expect(decisions.map(({ outcome, disposition, reason }) => [outcome, disposition, reason])).toEqual(
      playPlainly(one, DEFAULT_ASSUMPTIONS).bars.map(({ outcome, disposition, reason }) => [outcome, disposition, reason]),
    );
    return simulation.trades.length;
  });
  expect(trades[0]).toBeGreaterThan(3);
  expect(trades[1]).toBe(0);
});

test('an exit triggered only by a stale price is blocked at its bar', () => {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT'],
      timeframe: '1h',
      entryConditions: [{ type: 'price_below', price: '200000' }],
      exitConditions: [{ type: 'price_above', price: '1000' }],
      stopLossPct: 0,
      takeProfitPct: 0,
      maxSlippageBps: 400,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const candles = walk(draws(3), START, HOUR, 60, 60_000, 0.3);
  const one = { manifest: read.manifest, inputs: [{ entry: entryOf('BTCUSDT'), candles }] };
  const { decisions, simulation } = play(one);
  const plain = playPlainly(one, DEFAULT_ASSUMPTIONS).bars;
  expect(decisions.map(({ disposition, reason }) => [disposition, reason])).toEqual(
    plain.map(({ disposition, reason }) => [disposition, reason]),
  );
  const blocked = decisions.filter(({ reason }, i) => reason === 'quote_not_live' && openAt(simulation, i).length > 0);
  expect(blocked.length).toBeGreaterThan(3);
});

test('a day whose first bars lack a held instrument’s price starts with the first that has one', () => {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT', 'BTC'],
      timeframe: '1h',
      entryConditions: [{ type: 'price_below', price: '200000' }],
      exitConditions: [],
      stopLossPct: 0,
      takeProfitPct: 0,
      maxCapitalUsd: '5000',
      maxTradeNotionalUsd: '2500',
      maxDailyDrawdownPct: 0.5,
      maxSlippageBps: 400,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const midnight = 24 - new Date(START).getUTCHours() - 1;
  const bars = (price: (n: number) => string, volume: (n: number) => string): Candle[] =>
    Array.from({ length: 30 }, (_, n) => {
      const at = price(n);
      return { openTime: START + n * HOUR, open: at, high: at, low: at, close: at, volume: volume(n) };
    });
  // The coin is held over midnight without a bar, and has lost 2 % at the next one; the perpetual trades from midnight on.
  const held = bars(
    (n) => (n <= midnight ? '60000.00' : '58800.00'),
    () => '300',
  ).filter((_, n) => n !== midnight);
  const asked = bars(
    () => '60000.00',
    (n) => (n < midnight ? '0' : '300'),
  );
  const one = {
    manifest: read.manifest,
    inputs: [
      { entry: entryOf('BTCUSDT'), candles: held },
      { entry: entryOf('BTC'), candles: asked },
    ],
  };
  const { decisions } = play(one);
  const reasons = decisions.map(({ disposition, reason }) => reason ?? disposition);
  expect(reasons).toEqual(playPlainly(one, DEFAULT_ASSUMPTIONS).bars.map(({ disposition, reason }) => reason ?? disposition));
  expect(reasons.slice(midnight, midnight + 2)).toEqual(['quote_not_live', 'propose_entry']);
});

test('over twenty thousand bars none with a possible trade is skipped', () => {
  const read = readManifest(
    payload({
      universe: ['BTCUSDT'],
      timeframe: '1h',
      entryConditions: [{ type: 'rsi_below', period: 5, value: 30, timeframe: '1h' }],
      exitConditions: [
        { type: 'rsi_above', period: 5, value: 75, timeframe: '1h' },
        { type: 'held_longer_than', hours: 30 },
      ],
      stopLossPct: 3,
      takeProfitPct: 3,
      maxSlippageBps: 400,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const candles = walk(draws(SEED), START, HOUR, 20_000, 60_000);
  const { history, rules, simulation, decisions } = play({ manifest: read.manifest, inputs: [{ entry: entryOf('BTCUSDT'), candles }] });
  const steps = new Map(simulation.cashSteps.map(({ bar, cash }) => [bar, cash]));
  const wrong: unknown[] = [];
  let cash = 0;
  let exposed = 0;
  decisions.forEach(({ disposition, outcome }, i) => {
    const cells = JSON.parse(outcome) as Cell[];
    const [open] = openAt(simulation, i);
    const asks = rules.plans.flatMap(({ side }, rule) =>
      side === (open === undefined ? 'entry' : 'exit') ? [cells[rule]?.[0] === 1] : [],
    );
    const may = open === undefined ? asks.every(Boolean) : asks.some(Boolean);
    if (may !== (disposition !== 'hold')) wrong.push({ i, disposition, outcome });
    cash = steps.get(i) ?? cash;
    const marked =
      cash + (open?.quantity ?? 0) * (history.instruments[0]?.close[i] as number) * (simulation.instruments[0]?.priceUnit as number);
    const equity = (simulation.equityUsd[i] as number) * simulation.units.unit;
    if (!(Math.abs(equity - marked) < 1e-9 * marked)) wrong.push({ i, equity, marked });
    if (open !== undefined) exposed++;
  });
  expect(wrong, `with seed ${SEED}`).toEqual([]);
  expect(simulation.exposedBars).toBe(exposed);
  const closedBy = rules.plans.filter((_, rule) => (simulation.exitedBy[rule] as number) > 0).map(({ condition }) => condition.type);
  expect(closedBy, `with seed ${SEED}`).toEqual(['rsi_above', 'held_longer_than', 'stop_loss', 'take_profit']);
});

test('with the maximum number of rules per side, plus guardrails, each has its own bit', () => {
  const level = 60_000;
  const prices = (step: number) =>
    Array.from({ length: 32 }, (_, n) => ({
      type: n % 2 === 0 ? 'price_above' : 'price_below',
      price: String(level + (n % 2 === 0 ? -1 : 1) * (step + n * 40)),
    }));
  const read = readManifest(
    payload({
      universe: ['BTCUSDT'],
      timeframe: '1h',
      entryConditions: prices(600),
      exitConditions: prices(600).map(({ type, price }) => ({ type: type === 'price_above' ? 'price_below' : 'price_above', price })),
      stopLossPct: 1,
      takeProfitPct: 1,
      maxSlippageBps: 400,
    }),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const one = { manifest: read.manifest, inputs: [randomInput(5, 'BTCUSDT', 200)] };
  const { decisions, rules, simulation } = play(one);
  expect([rules.entryCount, rules.exitWords]).toEqual([32, 2]);
  expect(decisions.map(({ outcome, disposition }) => [outcome, disposition])).toEqual(
    playPlainly(one, DEFAULT_ASSUMPTIONS).bars.map(({ outcome, disposition }) => [outcome, disposition]),
  );
  expect(simulation.trades.length).toBeGreaterThan(0);
});

test('a history has one hash in any spelling of its numbers, and another for another number', () => {
  const input = randomInput(8, 'BTCUSDT', 20);
  const spelled = (spell: (text: string) => string): string => {
    const candles = input.candles.map(({ openTime, open, high, low, close, volume }) => ({
      openTime,
      open: spell(open),
      high: spell(high),
      low: spell(low),
      close: spell(close),
      volume: spell(volume),
    }));
    return buildHistory('1h', [{ ...input, candles }]).hash;
  };
  const plain = spelled((text) => text);
  expect(spelled((text) => `0${text}`)).toBe(plain);
  expect(spelled((text) => (text.includes('.') ? `${text}00` : `${text}.0`))).toBe(plain);
  expect(spelled((text) => (text.includes('.') ? `${text}1` : `${text}.1`))).not.toBe(plain);
});

test('every condition type of the registry has a column form', () => {
  const unknown = CONDITIONS.filter(({ type, fields, sides }) => {
    const values = Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        field.type === 'timeframe'
          ? '1h'
          : field.type === 'choices'
            ? [...field.choices]
            : field.type === 'choice'
              ? field.choices[0]
              : field.type === 'boolean'
                ? false
                : field.type === 'decimal'
                  ? '5'
                  : name === 'fast'
                    ? 2
                    : 3,
      ]),
    );
    const candles = [{ openTime: START, open: '1', high: '1', low: '1', close: '1', volume: '1' }];
    const condition = { type, ...values } as never;
    const manifest = {
      entry: sides.includes('entry') ? [condition] : [],
      exit: sides.includes('exit') ? [condition] : [],
      stopLossPct: 0,
      takeProfitPct: 0,
    };
    try {
      evaluateRules(
        manifest as never,
        buildHistory('1h', [
          {
            entry: {
              key: 'spotexchange:BTCUSDT',
              kind: 'spot',
              underlying: 'BTC',
              benchmark: null,
              benchmarkKind: null,
              pairedPerp: null,
              pairedSpot: null,
            },
            candles,
          },
        ]),
      );
      return false;
    } catch {
      return true;
    }
  });
  expect(unknown.map(({ type }) => type)).toEqual([]);
});

test('an indicator over a column equals the streaming one, bit for bit, including holes and full windows', () => {
  const next = draws(7);
  const closes = Float64Array.from({ length: 1_500 }, () => 50 + Math.floor(next() * 40) / 4);
  let openTime = START;
  const openTimes = closes.map(() => {
    openTime += next() < 0.02 ? 30 * HOUR : HOUR;
    return openTime;
  });
  for (const [name, period] of [
    ['rsi', 2],
    ['rsi', 14],
    ['ema', 1],
    ['ema', 12],
    ['ema', 90],
    ['volatility', 5],
    ['funding_percentile', 2],
  ] as const) {
    for (const length of [0, 1, period, period + 1, 1_500]) {
      const need = { name, period, timeframe: '1h' };
      const indicator = new WindowedIndicator(need);
      const stream = Array.from(closes.subarray(0, length), (close, i) => {
        indicator.push(openTimes[i] as number, close);
        return indicator.value ?? Number.NaN;
      });
      const series = { openTime: openTimes.slice(0, length), close: closes.slice(0, length) };
      expect([...indicatorColumn(need, series)], `${name} ${period} over ${length}`).toEqual(stream);
    }
  }
});
