/** Random manifests of every condition type, random histories with gaps, and cuts computed from the raw rows alone. */
import fc from 'fast-check';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { CATALOG, type CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { CONDITIONS } from '../../../src/domain/conditions/index.ts';
import { type Cut, type IndicatorNeed, type IndicatorValue, indicatorKey, type Observation } from '../../../src/domain/market/cut.ts';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import { findIndicator } from '../../../src/domain/indicators/index.ts';
import { EXECUTION_ALGORITHMS, type Manifest, URGENCIES } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';
import { SEVERITIES } from '../../../src/domain/market/market-event.ts';
import { sessionAt, tradingDays } from '../../../src/domain/market/session.ts';
import { timeframeMs } from '../../../src/domain/values/time.ts';
import { basisPct, gapToMarkPct, premiumPct } from '../../../src/domain/market/valuation.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { Fact } from '../../../src/domain/backtest/fact.ts';
import type { EventHistory, InstrumentInput } from '../../../src/simulation/backtest/history.ts';
import { fieldValue, payload } from '../../domain/authored.ts';

export const HOUR = 3_600_000;
/** Monday morning before the exchange opens. */
export const START = Date.parse('2026-07-13T09:00:00Z');
const SYMBOLS = ['AAPLx', 'BTCUSDT', 'BTC', 'SPACEX'];
const LEVELS: Readonly<Record<string, number>> = { AAPLx: 200, BTCUSDT: 60_000, BTC: 60_010, SPACEX: 40 };

export function entryOf(symbol: string): CatalogEntry {
  const entry = CATALOG.bySymbol(symbol);
  if (entry === undefined) throw new Error(symbol);
  return entry;
}

/** Returns a generator of numbers in [0, 1) from a seed (a linear congruential generator: tests only). */
export function draws(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Returns bars of a random walk. `holes` is the share of missing bars; the first is never missing. */
export function walk(next: () => number, first: number, barMs: number, count: number, level: number, holes = 0): Candle[] {
  const candles: Candle[] = [];
  let price = level;
  const digits = level > 1_000 ? 2 : 4;
  for (let n = 0; n < count; n++) {
    const open = price * (1 + (next() - 0.5) * 0.004);
    price = open * (1 + (next() - 0.5) * 0.04);
    const high = Math.max(open, price) * (1 + next() * 0.01);
    const low = Math.min(open, price) * (1 - next() * 0.01);
    const volume = next() < 0.1 ? '0' : ((1 + next() * 9) * (3_000_000 / level)).toFixed(3);
    const missing = n > 0 && next() < holes;
    if (missing) continue;
    const [o, h, l, c] = [open, high, low, price].map((value) => value.toFixed(digits)) as [string, string, string, string];
    candles.push({ openTime: first + n * barMs, open: o, high: h, low: l, close: c, volume });
  }
  return candles;
}

/** Returns everything that may be stored of an instrument, some of it missing. */
export function randomInput(seed: number, symbol: string, count: number): InstrumentInput<readonly Candle[]> {
  const next = draws(seed);
  const entry = entryOf(symbol);
  const level = LEVELS[symbol] as number;
  const holes = next() < 0.5 ? 0 : 0.15;
  const facts = (everyMs: number, from: number, value: () => string): Fact[] =>
    Array.from({ length: Math.ceil((count * HOUR + START - from) / everyMs) }, (_, n) => ({
      receivedAt: from + n * everyMs,
      value: value(),
    }));
  const known = next();
  const events: EventHistory = {
    known: [
      { from: START + Math.floor(next() * 10) * HOUR, to: START + Math.floor(count / 2) * HOUR },
      { from: START + (Math.floor(count / 2) + 3) * HOUR, to: START + count * HOUR - Math.floor(next() * 5) * HOUR },
    ],
    events: Array.from({ length: Math.floor(next() * 12) }, (_, n) => {
      const receivedAt = START + Math.floor(next() * count) * HOUR + (next() < 0.5 ? 0 : 1);
      return {
        id: `e${n}`,
        severity: SEVERITIES[Math.floor(next() * 4)] as (typeof SEVERITIES)[number],
        negative: next() < 0.7,
        rumor: next() < 0.3,
        observedAt: receivedAt - Math.floor(next() * 3) * HOUR + (next() < 0.1 ? 2 * HOUR : 0),
        receivedAt,
        headline: 'x',
      };
    }).sort((a, b) => a.receivedAt - b.receivedAt),
  };
  return {
    entry,
    candles: walk(next, START, HOUR, count, level, holes),
    series: { '2h': walk(next, START - 2 * HOUR, 2 * HOUR, Math.ceil(count / 2) + 1, level, 0.05) },
    ...(entry.benchmarkKind === 'reference_price' ? { referenceCandles: walk(next, START - HOUR, HOUR, count, level, 0.1) } : {}),
    ...(entry.benchmarkKind === 'issuer_mark'
      ? { marks: facts(24 * HOUR * (next() < 0.3 ? 40 : 1), START - 29 * 24 * HOUR, () => (level * (0.9 + next() / 5)).toFixed(2)) }
      : {}),
    ...(entry.pairedPerp !== null && known < 0.8 ? { perpCandles: walk(next, START, HOUR, count, level, 0.1) } : {}),
    ...(entry.pairedSpot !== null && known < 0.8 ? { spotCandles: walk(next, START, HOUR, count, level, 0.1) } : {}),
    ...(entry.pairedPerp !== null ? { funding: facts(HOUR, START - 30 * HOUR, () => (Math.floor(next() * 5) / 1e5).toFixed(6)) } : {}),
    ...(entry.kind === 'tokenized_equity' || known < 0.5
      ? { liquidity: facts(HOUR / 2, START + HOUR, () => (90_000 + next() * 20_000).toFixed(2)) }
      : {}),
    ...(known < 0.9 ? { events } : {}),
    ...(known > 0.6 ? { halfSpread: facts(5 * HOUR, START + HOUR, () => (next() * 40).toFixed(4)) } : {}),
  };
}

/** Conditions near the levels of the histories. */
function nearby(side: 'entry' | 'exit', level: number): fc.Arbitrary<Record<string, unknown>> {
  return fc.constantFrom(...CONDITIONS.filter((definition) => definition.sides.includes(side))).chain((definition) => {
    const field = (name: string): fc.Arbitrary<unknown> => {
      const cents = (low: number, high: number) =>
        fc.integer({ min: Math.round(low * 100), max: Math.round(high * 100) }).map((n) => n / 100);
      switch (name) {
        case 'pct':
          if (definition.type === 'volatility_below') return cents(50, 400);
          return definition.type === 'stop_loss' || definition.type === 'take_profit' ? cents(0.5, 6) : cents(-5, 5);
        case 'period':
          return fc.integer({ min: 2, max: 7 });
        case 'fast':
          return fc.integer({ min: 1, max: 3 });
        case 'slow':
          return fc.integer({ min: 4, max: 9 });
        case 'value':
          return cents(25, 75);
        case 'percentile':
          return cents(20, 80);
        case 'windowDays':
          return fc.constant(1);
        case 'price':
          return fc
            .tuple(cents(0.93, 1.07), fc.constantFrom('', '0000000000000000001'))
            .map(([share, tail]) => `${(level * share).toFixed(4)}${tail}`);
        case 'usd':
          return cents(90_000, 110_000).map(String);
        case 'hours':
          return fc.constantFrom(0, 1, 3.5, 8);
        case 'lookbackHours':
          return fc.integer({ min: 1, max: 8 });
        case 'timeframe':
          return fc.constantFrom('1h', '2h');
        default:
          return fieldValue(definition.fields[name] as never);
      }
    };
    const names = Object.keys(definition.fields);
    return fc.record({ type: fc.constant(definition.type), ...Object.fromEntries(names.map((name) => [name, field(name)])) });
  });
}

export interface RandomCase {
  readonly manifest: Manifest;
  readonly inputs: readonly InstrumentInput<readonly Candle[]>[];
}

/** Small cases: up to three instruments, up to 80 bars, rules of every type. */
export const anyCase: fc.Arbitrary<RandomCase> = fc
  .record({
    symbols: fc.shuffledSubarray(SYMBOLS, { minLength: 1, maxLength: 3 }),
    seed: fc.nat(),
    count: fc.integer({ min: 12, max: 80 }),
  })
  .chain(({ symbols, seed, count }) => {
    const level = LEVELS[symbols[0] as string] as number;
    return fc
      .record({
        entryConditions: fc.array(nearby('entry', level), { minLength: 0, maxLength: 3 }),
        exitConditions: fc.array(nearby('exit', level), { maxLength: 4 }),
        stopLossPct: fc.constantFrom(0, 1, 3),
        takeProfitPct: fc.constantFrom(0, 1.5, 4),
        maxCapitalUsd: fc.constantFrom('5000', '25000.55', '1000000'),
        maxTradeNotionalUsd: fc.constantFrom('5', '1500', '2500.5', '5000', '900000'),
        // Not 0: a loss below a millionth of a dollar is one in exact decimals, but not by the live rule, which rounds.
        maxDailyDrawdownPct: fc.constantFrom(0.05, 0.5, 3),
        maxOpenPositions: fc.constantFrom(0, 1, 2, 5),
        maxSlippageBps: fc.constantFrom(1, 20, 60, 400),
        maxLeverage: fc.constantFrom('1', '2.5', '5', '20'),
        algorithm: fc.constantFrom(...EXECUTION_ALGORITHMS),
        urgency: fc.constantFrom(...URGENCIES),
      })
      .map((over) => {
        const read = readManifest(payload({ universe: symbols, timeframe: '1h', ...over }));
        if (!read.ok) throw new Error(JSON.stringify(read.problems));
        return { manifest: read.manifest, inputs: symbols.map((symbol, index) => randomInput(seed + index, symbol, count)) };
      });
  });

/** Returns the last row that had closed or arrived by the slot. */
function latest<Row>(rows: readonly Row[] | undefined, at: (row: Row) => number, slot: number): Row | undefined {
  return rows?.filter((row) => at(row) <= slot).at(-1);
}

const closedAt = ({ openTime }: Candle): number => openTime + HOUR;

function indicatorAt(need: IndicatorNeed, input: InstrumentInput<readonly Candle[]>, slot: number): IndicatorValue {
  const barMs = timeframeMs(need.timeframe) as number;
  const rows =
    need.name === 'funding_percentile'
      ? (input.funding ?? []).map(({ receivedAt, value }) => ({ openTime: receivedAt - HOUR, value }))
      : (need.timeframe === '1h' ? input.candles : (input.series?.[need.timeframe] ?? [])).map(({ openTime, close }) => ({
          openTime,
          value: close,
        }));
  const indicator = findIndicator(need.name);
  const state = indicator.create(need.period, need.timeframe);
  let [value, previous, barOpenTime]: [number | null, number | null, number | null] = [null, null, null];
  let bars = 0;
  for (const row of rows) {
    if (row.openTime + barMs > slot) break;
    previous = value;
    value = indicator.push(state, Number(row.value));
    barOpenTime = row.openTime;
    bars++;
  }
  return value === null && barOpenTime !== null ? { value, previous, barOpenTime, bars } : { value, previous, barOpenTime };
}

/** Returns the end of the last regular session, from the preceding week. */
function lastClose(slot: number): number {
  const ends = tradingDays(slot - 7 * 24 * HOUR, slot).map(({ postMarketAt }) => postMarketAt);
  return Math.max(...ends.filter((end) => end <= slot));
}

/** Computes the cut at a slot from raw rows of no later time. */
export function cutFromRows(
  inputs: readonly InstrumentInput<readonly Candle[]>[],
  needs: readonly IndicatorNeed[],
  slot: number,
  quoteOf: QuoteOf,
): Cut {
  const observations = new Map<InstrumentKey, Observation>();
  for (const input of inputs) {
    const { entry } = input;
    const bar = latest(input.candles, closedAt, slot);
    const live = bar !== undefined && closedAt(bar) === slot;
    const quote = bar === undefined ? null : quoteOf(entry.key, bar.close);
    const shareBar = entry.benchmarkKind === 'reference_price' ? latest(input.referenceCandles, closedAt, slot) : undefined;
    const mark = entry.benchmarkKind === 'issuer_mark' ? latest(input.marks, (fact) => fact.receivedAt, slot) : undefined;
    const price = shareBar?.close ?? mark?.value ?? null;
    const shareLive =
      shareBar !== undefined && closedAt(shareBar) === slot && sessionAt(slot) !== 'CLOSED' && sessionAt(slot - 1) !== 'CLOSED';
    const markLive = mark !== undefined && slot - mark.receivedAt <= 30 * 24 * HOUR;
    const at = (rows: readonly Candle[] | undefined): string | null => rows?.find((row) => closedAt(row) === slot)?.close ?? null;
    const perp = entry.pairedPerp === entry.key ? at(input.candles) : entry.pairedPerp === null ? null : at(input.perpCandles);
    const spot = entry.pairedSpot === entry.key ? at(input.candles) : entry.pairedSpot === null ? null : at(input.spotCandles);
    const pool = latest(input.liquidity, (fact) => fact.receivedAt, slot);
    const { events } = input;
    observations.set(entry.key, {
      slot,
      instrument: entry.key,
      session: sessionAt(slot),
      quote:
        quote === null || bar === undefined
          ? null
          : {
              ...quote,
              mid: plainDecimal(bar.close),
              source: 'rows',
              observedAt: closedAt(bar),
              receivedAt: closedAt(bar),
              ageMs: slot - closedAt(bar),
              quality: live ? 'live' : 'stale',
              flags: live ? [] : ['over_age'],
            },
      reference:
        price === null
          ? null
          : {
              instrument: entry.underlying,
              referencePrice: price,
              confidence: '0',
              feedUpdatedAt: 0,
              receivedAt: 0,
              ageMs: shareBar === undefined ? 0 : slot - closedAt(shareBar),
              quality: shareLive || markLive ? 'live' : 'stale',
              // A price older than the last close is not carried forward but late.
              flags:
                shareLive || markLive
                  ? []
                  : shareBar !== undefined && closedAt(shareBar) >= lastClose(slot) - 60_000
                    ? ['carried_forward']
                    : ['over_age'],
            },
      premiumPct: quote === null || shareBar === undefined ? null : premiumPct(bar?.close as string, shareBar.close),
      gapToMarkPct: quote === null || mark === undefined ? null : gapToMarkPct(bar?.close as string, mark.value),
      basisPct: perp === null || spot === null ? null : basisPct(perp, spot),
      hourlyFunding: null,
      markPrice: perp,
      liquidityUsd: pool === undefined || slot - pool.receivedAt > 48 * HOUR ? null : plainDecimal(pool.value),
      indicators: Object.fromEntries(
        needs.filter((need) => need.instrument === entry.key).map((need) => [indicatorKey(need), indicatorAt(need, input, slot)]),
      ),
      events:
        events === undefined || !events.known.some(({ from, to }) => slot >= from && slot < to)
          ? null
          : events.events.filter(({ receivedAt }) => receivedAt <= slot),
    });
  }
  return { slot, observations };
}

/** Returns the best prices around a close. */
export type QuoteOf = (key: InstrumentKey, close: string) => { readonly bid: string; readonly ask: string };
