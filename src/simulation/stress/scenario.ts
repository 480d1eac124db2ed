/**
 * Four scenarios that an agent must survive before paper trading: flash crash, weekend opening gap, liquidity freeze, and de-peg of quote
 * and reference. Each is a schedule of prices, spreads, depth and feeds over a fixed calendar.
 */
import type { InstrumentKind } from '../../domain/catalog/catalog.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';

/** Scenarios in reporting order. */
export const STRESS_SCENARIOS = ['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg'] as const;
export type StressScenario = (typeof STRESS_SCENARIOS)[number];

/** Severities: `standard` uses the shocks of the standard portfolio scenarios; `severe` is about half as much again. */
export const STRESS_SEVERITIES = ['standard', 'severe'] as const;
export type StressSeverity = (typeof STRESS_SEVERITIES)[number];

/** Price falls in percent by kind of instrument: the standard portfolio scenario's shock if it has one. */
type Shocks = Readonly<Record<InstrumentKind, number>>;

const SHOCKS: Readonly<Record<StressScenario, Readonly<Record<StressSeverity, Shocks>>>> = {
  // Standard is `equity_selloff`. Severe is the deeper of 1.5 times that and `crypto_crash`.
  flash_crash: {
    standard: { tokenized_equity: 10, pre_ipo: 20, agent_token: 35, spot: 15, perp: 15 },
    severe: { tokenized_equity: 15, pre_ipo: 30, agent_token: 60, spot: 30, perp: 30 },
  },
  // Standard is `weekend_gap` for shares. The other kinds have no row and gap in proportion to their traits.
  weekend_gap: {
    standard: { tokenized_equity: 7, pre_ipo: 5, agent_token: 10, spot: 7, perp: 7 },
    severe: { tokenized_equity: 10.5, pre_ipo: 7.5, agent_token: 15, spot: 10.5, perp: 10.5 },
  },
  // Standard is `liquidity_freeze`.
  liquidity_freeze: {
    standard: { tokenized_equity: 2, pre_ipo: 5, agent_token: 10, spot: 2, perp: 2 },
    severe: { tokenized_equity: 3, pre_ipo: 7.5, agent_token: 15, spot: 3, perp: 3 },
  },
  // Standard for pre-IPO is half of `private_mark_reset`: the token leaves the mark, which does not move.
  reference_depeg: {
    standard: { tokenized_equity: 8, pre_ipo: 15, agent_token: 20, spot: 5, perp: 5 },
    severe: { tokenized_equity: 12, pre_ipo: 22, agent_token: 30, spot: 8, perp: 8 },
  },
};

/** Share of its pool's liquidity, in percent, above which a position pays the extra haircut when sold in a freeze. */
export const FREEZE_HAIRCUT_ABOVE_POOL_PCT = 5;
/** Extra haircut in percent of the price. */
export const FREEZE_HAIRCUT_PCT = 25;

/** State of a reference feed: `live`, repeating its last price, or with a wide confidence interval. */
type ReferenceFace = 'live' | 'frozen' | 'wide';

/** Course of one scenario at one severity. Times belong to a fixed calendar. Factors are relative to the calm state. */
export interface ScenarioCourse {
  readonly scenario: StressScenario;
  readonly severity: StressSeverity;
  readonly startsAt: EpochMs;
  /** Time of the shock. The exposed positions are open before it. */
  readonly shockAt: EpochMs;
  readonly endsAt: EpochMs;
  /** Half-open range without quotes and executions, or null if quotes continue. */
  readonly frozen: { readonly from: EpochMs; readonly until: EpochMs } | null;
  /** Returns the shock of a kind as a fraction of its price. */
  shock(kind: InstrumentKind): number;
  /** Returns the share of the shock in effect at an instant, 0 to 1. */
  shocked(at: EpochMs): number;
  /** Returns the share of the shock that the stock, mark or paired instrument takes, 0 to 1. `draw` is the run's random number. */
  referenceShare(draw: number): number;
  referenceFace(at: EpochMs): ReferenceFace;
  /** Returns the factor on the calm spread. */
  spread(at: EpochMs): number;
  /** Returns the factor on calm depth and pool liquidity. */
  depth(at: EpochMs): number;
  /** True if quotes come every few seconds, false in quiet nights and weekends with quotes only around slots. */
  dense(at: EpochMs): boolean;
}

/** Creates a piecewise linear function of points (minutes after the shock, value), constant outside of them. */
function course(shockAt: EpochMs, points: readonly (readonly [minute: number, value: number])[]): (at: EpochMs) => number {
  return (at) => {
    const minute = (at - shockAt) / MINUTE_MS;
    let before = points[0] as readonly [number, number];
    if (minute <= before[0]) return before[1];
    for (const point of points) {
      if (minute < point[0]) return before[1] + ((point[1] - before[1]) * (minute - before[0])) / (point[0] - before[0]);
      before = point;
    }
    return before[1];
  };
}

/** Start on Wednesday 2026-02-04, 10:00 New York: within the regular session, which lasts six more hours. */
const WEEKDAY_START = Date.UTC(2026, 1, 4, 15);
/** Start on Friday 2026-02-06, 15:30 New York, and the regular open on the following Monday. */
const FRIDAY_START = Date.UTC(2026, 1, 6, 20, 30);
const FRIDAY_CLOSE = Date.UTC(2026, 1, 6, 21);
const MONDAY_OPEN = Date.UTC(2026, 1, 9, 14, 30);

/** Calm minutes before a weekday shock, in which the agent may enter by its own rules. */
const CALM_MINUTES = 30;
const WEEKDAY_MINUTES = 180;

const always = (): ReferenceFace => 'live';

/** Defaults of a weekday course with its calm before the shock. */
type Weekday = Pick<ScenarioCourse, 'scenario' | 'severity' | 'startsAt' | 'shockAt' | 'endsAt' | 'frozen' | 'shock' | 'dense'>;

/** Returns the course of a scenario, the same for every agent and seed. Seeds differ only in the paths around it. */
export function scenarioCourse(scenario: StressScenario, severity: StressSeverity): ScenarioCourse {
  const shocks = SHOCKS[scenario][severity];
  return COURSES[scenario]({
    scenario,
    severity,
    startsAt: WEEKDAY_START,
    // Just after a slot: the last decision before the shock has executed, and the next one falls within the shock.
    shockAt: WEEKDAY_START + CALM_MINUTES * MINUTE_MS + 10_000,
    endsAt: WEEKDAY_START + WEEKDAY_MINUTES * MINUTE_MS,
    frozen: null,
    shock: (kind: InstrumentKind) => shocks[kind] / 100,
    dense: () => true,
  });
}

const COURSES: Readonly<Record<StressScenario, (weekday: Weekday) => ScenarioCourse>> = {
  flash_crash: flashCrash,
  weekend_gap: weekendGap,
  liquidity_freeze: liquidityFreeze,
  reference_depeg: referenceDepeg,
};

function flashCrash(weekday: Weekday): ScenarioCourse {
  const { shockAt } = weekday;
  const severe = weekday.severity === 'severe';
  return {
    ...weekday,
    // Four minutes down, three at the bottom, most of it recovered within half an hour.
    shocked: course(shockAt, [
      [0, 0],
      [4, 1],
      [7, 1],
      [20, 0.55],
      [37, 0.4],
    ]),
    referenceShare: (draw) => 0.3 + 0.7 * draw,
    referenceFace: always,
    spread: course(shockAt, [
      [0, 1],
      [1, severe ? 8 : 5],
      [7, severe ? 8 : 5],
      [30, 1.5],
    ]),
    depth: course(shockAt, [
      [0, 1],
      [1, severe ? 0.15 : 0.25],
      [7, severe ? 0.15 : 0.25],
      [30, 0.7],
    ]),
  };
}

function weekendGap(weekday: Weekday): ScenarioCourse {
  const shockAt = MONDAY_OPEN;
  return {
    ...weekday,
    startsAt: FRIDAY_START,
    shockAt,
    endsAt: MONDAY_OPEN + 180 * MINUTE_MS,
    // At once, without recovery.
    shocked: (at) => (at >= shockAt ? 1 : 0),
    referenceShare: () => 1,
    referenceFace: (at) => (at >= FRIDAY_CLOSE && at < MONDAY_OPEN ? 'frozen' : 'live'),
    spread: (at) =>
      at >= FRIDAY_CLOSE && at < MONDAY_OPEN
        ? 2
        : at < FRIDAY_CLOSE
          ? 1
          : course(shockAt, [
              [0, 4],
              [20, 1],
            ])(at),
    depth: (at) =>
      at >= FRIDAY_CLOSE && at < MONDAY_OPEN
        ? 0.5
        : at < FRIDAY_CLOSE
          ? 1
          : course(shockAt, [
              [0, 0.4],
              [30, 0.9],
            ])(at),
    dense: (at) => at < FRIDAY_CLOSE + 5 * MINUTE_MS || at >= MONDAY_OPEN - 5 * MINUTE_MS,
  };
}

function liquidityFreeze(weekday: Weekday): ScenarioCourse {
  const { shockAt } = weekday;
  const severe = weekday.severity === 'severe';
  const frozen = { from: shockAt + 2 * MINUTE_MS, until: shockAt + (severe ? 42 : 22) * MINUTE_MS };
  const thaw = (frozen.until - shockAt) / MINUTE_MS;
  return {
    ...weekday,
    frozen,
    // The book empties for two minutes, then quotes stop. The first quote afterwards is at the new price.
    shocked: course(shockAt, [
      [0, 0],
      [2, 0.3],
      [thaw, 1],
    ]),
    referenceShare: () => 1,
    referenceFace: always,
    spread: course(shockAt, [
      [0, 1],
      [2, 8],
      [thaw, severe ? 8 : 5],
      [thaw + 60, 2],
    ]),
    depth: course(shockAt, [
      [0, 1],
      [2, 0.1],
      [thaw, severe ? 0.1 : 0.2],
      [thaw + 90, 0.6],
    ]),
  };
}

function referenceDepeg(weekday: Weekday): ScenarioCourse {
  const { shockAt } = weekday;
  const severe = weekday.severity === 'severe';
  const doubtFrom = shockAt - 4 * MINUTE_MS;
  const frozenFrom = shockAt - 2 * MINUTE_MS;
  return {
    ...weekday,
    // The reference's confidence widens, then it freezes. When it is back, the token departs from it for hours.
    shocked: course(shockAt, [
      [0, 0],
      [10, 1],
      [70, 1],
      [130, 0.5],
    ]),
    referenceShare: () => 0,
    referenceFace: (at) => (at >= doubtFrom && at < frozenFrom ? 'wide' : at >= frozenFrom && at < shockAt ? 'frozen' : 'live'),
    spread: course(shockAt, [
      [0, 1],
      [5, severe ? 4 : 3],
      [70, severe ? 4 : 3],
      [130, 1.5],
    ]),
    depth: course(shockAt, [
      [0, 1],
      [5, severe ? 0.3 : 0.4],
      [70, severe ? 0.3 : 0.4],
      [130, 0.8],
    ]),
  };
}
