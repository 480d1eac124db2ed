// World of the stress test: seeded, shocked by its scenario, and received by the real pipeline like a real market.
import { describe, expect, test } from 'vitest';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { Cut, IndicatorNeed } from '../../../src/domain/market/cut.ts';
import type { MarketEvent } from '../../../src/domain/market/market-event.ts';
import { sessionAt } from '../../../src/domain/market/session.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { STRESS_SCENARIOS, STRESS_SEVERITIES, type StressScenario, scenarioCourse } from '../../../src/simulation/stress/scenario.ts';
import { type StressMarket, scenarioTape } from '../../../src/simulation/stress/scenario-tape.ts';
import { seededDraws } from '../../../src/simulation/stress/seeded-draws.ts';
import { createMarketPipeline } from '../../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';

const MINUTE = 60_000;
const calm = { hourlyFunding: 0.0000125, bars: {}, basis: 'assumed' as const };
const MARKETS: readonly StressMarket[] = [
  {
    key: 'spotchain:AAPLx',
    kind: 'tokenized_equity',
    level: 270,
    minuteVolatility: 0.0004,
    spreadBps: 20,
    depthUsd: 10_000,
    liquidityUsd: 700_000,
    benchmarkLevel: 270,
    ...calm,
  },
  {
    key: 'spotexchange:BTCUSDT',
    kind: 'spot',
    level: 95_000,
    minuteVolatility: 0.0006,
    spreadBps: 2,
    depthUsd: 100_000,
    liquidityUsd: null,
    benchmarkLevel: null,
    ...calm,
  },
  {
    key: 'evmvenue:ETH',
    kind: 'perp',
    level: 3_100,
    minuteVolatility: 0.0008,
    spreadBps: 2,
    depthUsd: 100_000,
    liquidityUsd: null,
    benchmarkLevel: null,
    ...calm,
  },
];
const NEEDS: readonly IndicatorNeed[] = [
  { instrument: 'spotchain:AAPLx', name: 'rsi', period: 14, timeframe: '1h' },
  { instrument: 'spotexchange:BTCUSDT', name: 'ema', period: 50, timeframe: '15m' },
  { instrument: 'evmvenue:ETH', name: 'funding_percentile', period: 7, timeframe: '1h' },
];

function events(scenario: StressScenario, seed = 'one', severity: 'standard' | 'severe' = 'standard'): MarketEvent[] {
  return [...scenarioTape(scenarioCourse(scenario, severity), MARKETS, NEEDS, seed)];
}

/** Returns the pipeline's view of a scenario, cut by cut, by minutes after the shock. */
function received(scenario: StressScenario): { readonly cuts: readonly Cut[]; at(minutes: number): Cut } {
  const course = scenarioCourse(scenario, 'standard');
  const clock = createVirtualClock(course.startsAt - 2 * MINUTE);
  const cuts: Cut[] = [];
  const keys = new Set<InstrumentKey>(MARKETS.map(({ key }) => key));
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [],
    instruments: () => CATALOG.entries.filter(({ key }) => keys.has(key)),
    needs: () => NEEDS,
    periodMs: MINUTE,
    onCut: (cut) => cuts.push(cut),
    onFailure: (error) => {
      throw error;
    },
  });
  pipeline.start();
  for (const event of events(scenario)) {
    if (event.receivedAt > clock.now()) clock.advanceTo(event.receivedAt);
    pipeline.push(event);
  }
  clock.advanceTo(course.endsAt + 2);
  pipeline.stop();
  return {
    cuts,
    at(minutes) {
      const found = cuts.filter(({ slot }) => slot <= course.shockAt + minutes * MINUTE).at(-1);
      if (found === undefined) throw new Error(`nothing was cut ${minutes} minutes after the shock`);
      return found;
    },
  };
}

function fall(before: Cut, after: Cut, key: InstrumentKey): number {
  return (1 - Number(after.observations.get(key)?.quote?.mid) / Number(before.observations.get(key)?.quote?.mid)) * 100;
}

test('events come in the order of their receipt, and the same seed gives the same events', () => {
  const trace = (made: readonly MarketEvent[]): string =>
    made.map((event) => `${event.kind}${event.receivedAt}${'bid' in event ? event.bid : ''}`).join();
  for (const scenario of STRESS_SCENARIOS) {
    const made = events(scenario);
    const ascending = made.every((event, index) => index === 0 || event.receivedAt >= (made[index - 1] as MarketEvent).receivedAt);
    expect(ascending, scenario).toBe(true);
    // A weekend is long, and built like the others.
    if (scenario === 'weekend_gap') continue;
    const told = trace(made);
    // Compared as a boolean, because a diff of megabytes is useless.
    expect(trace(events(scenario)) === told, scenario).toBe(true);
    expect(trace(events(scenario, 'two')) === told, scenario).toBe(false);
  }
});

test('draws are uniform between 0 and 1 and normal with mean 0 and deviation 1', () => {
  const draws = seededDraws('draws');
  const uniform = Array.from({ length: 40_000 }, () => draws.uniform());
  const normal = Array.from({ length: 40_000 }, () => draws.normal());
  const mean = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;
  expect(Math.min(...uniform)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...uniform)).toBeLessThan(1);
  expect(mean(uniform)).toBeCloseTo(0.5, 1.9);
  expect(mean(normal)).toBeCloseTo(0, 1.5);
  expect(Math.sqrt(mean(normal.map((one) => one * one)))).toBeCloseTo(1, 1.5);
  expect(seededDraws('draws').uniform()).toBe(uniform[0]);
  expect(seededDraws('other').uniform()).not.toBe(uniform[0]);
});

describe('what the pipeline receives', () => {
  test.each(STRESS_SCENARIOS)('%s: before the shock every quote is live and every indicator is warm', (scenario) => {
    const { at } = received(scenario);
    const { observations } = at(scenario === 'reference_depeg' ? -6 : -1);
    for (const { key } of MARKETS) expect(observations.get(key)?.quote).toMatchObject({ quality: 'live' });
    for (const need of NEEDS) {
      const value = observations.get(need.instrument)?.indicators[`${need.name}:${need.period}@${need.timeframe}`]?.value;
      expect(value, `${need.name} of ${need.instrument}`).toEqual(expect.any(Number));
    }
    expect(observations.get('spotchain:AAPLx')?.liquidityUsd).not.toBeNull();
    expect(observations.get('evmvenue:ETH')?.basisPct).not.toBeNull();
  });

  test('a flash crash falls by its shock within minutes and recovers most of it within the hour', () => {
    const { at } = received('flash_crash');
    expect(fall(at(-1), at(5), 'spotchain:AAPLx')).toBeGreaterThan(7);
    expect(fall(at(-1), at(5), 'spotchain:AAPLx')).toBeLessThan(13);
    expect(fall(at(-1), at(5), 'spotexchange:BTCUSDT')).toBeGreaterThan(11);
    expect(fall(at(-1), at(60), 'spotchain:AAPLx')).toBeLessThan(7);
    const spread = (cut: Cut): number => {
      const quote = cut.observations.get('spotchain:AAPLx')?.quote;
      return (Number(quote?.ask) - Number(quote?.bid)) / Number(quote?.mid);
    };
    expect(spread(at(5))).toBeGreaterThan(3 * spread(at(-1)));
  });

  test('a weekend gap carries the reference over the weekend and opens lower, share and token alike', () => {
    const { at, cuts } = received('weekend_gap');
    const { shockAt } = scenarioCourse('weekend_gap', 'standard');
    expect(sessionAt(shockAt)).toBe('REGULAR');
    expect(sessionAt(shockAt - 1)).toBe('PRE_MARKET');
    expect(at(-24 * 60).observations.get('spotchain:AAPLx')).toMatchObject({
      session: 'CLOSED',
      quote: { quality: 'live' },
      reference: { quality: 'stale' },
    });
    expect(fall(at(-1), at(1), 'spotchain:AAPLx')).toBeGreaterThan(5);
    expect(fall(at(-1), at(1), 'spotchain:AAPLx')).toBeLessThan(9);
    expect(Math.abs(at(1).observations.get('spotchain:AAPLx')?.premiumPct as number)).toBeLessThan(2);
    // Every minute from Friday to Monday has a cut.
    expect(cuts.every(({ slot }, index) => index === 0 || slot === (cuts[index - 1] as Cut).slot + MINUTE)).toBe(true);
    expect(cuts.length).toBeGreaterThan(4_000);
  });

  test('in a liquidity freeze no quote is live until it ends, and the pools are thin afterwards', () => {
    const { at } = received('liquidity_freeze');
    for (const minutes of [4, 10, 20]) {
      for (const { key } of MARKETS) expect(at(minutes).observations.get(key)?.quote?.quality).not.toBe('live');
    }
    const thawed = at(24).observations;
    for (const { key } of MARKETS) expect(thawed.get(key)?.quote?.quality).toBe('live');
    expect(Number(thawed.get('spotchain:AAPLx')?.liquidityUsd)).toBeLessThan(0.4 * 700_000);
  });

  test('in a de-peg the reference first becomes stale, then is live while the token diverges', () => {
    const { at } = received('reference_depeg');
    expect(at(-3).observations.get('spotchain:AAPLx')?.reference).toMatchObject({ quality: 'degraded', flags: ['wide_confidence'] });
    expect(at(-1).observations.get('spotchain:AAPLx')?.reference?.quality).toBe('stale');
    const lost = at(30).observations.get('spotchain:AAPLx');
    expect(lost?.reference?.quality).toBe('live');
    expect(lost?.premiumPct).toBeLessThan(-6);
    // A perpetual diverges from its spot market.
    expect(at(30).observations.get('evmvenue:ETH')?.basisPct).toBeLessThan(-3);
  });
});

test('severe is worse than standard, for every scenario and kind', () => {
  for (const scenario of STRESS_SCENARIOS) {
    const [standard, severe] = STRESS_SEVERITIES.map((severity) => scenarioCourse(scenario, severity));
    for (const kind of ['tokenized_equity', 'pre_ipo', 'agent_token', 'spot', 'perp'] as const) {
      expect(severe?.shock(kind)).toBeGreaterThan(standard?.shock(kind) as number);
    }
  }
});
