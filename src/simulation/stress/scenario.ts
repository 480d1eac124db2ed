/**
 * The four scenarios that an agent has to survive before it trades on paper: flash crash, weekend
 * opening gap, liquidity freeze and de-peg of quote and reference. Each is a course of events over a fixed calendar:
 * what happens to prices, spreads, depth and feeds, and when.
 */
import type { InstrumentKind } from '../../domain/catalog/catalog.ts';
import type { EpochMs } from '../../domain/values/time.ts';

/** The scenarios in the order in which they are reported. */
export const STRESS_SCENARIOS = ['flash_crash', 'weekend_gap', 'liquidity_freeze', 'reference_depeg'] as const;
export type StressScenario = (typeof STRESS_SCENARIOS)[number];

/** `standard` carries the shocks of the standard portfolio scenarios; `severe` is about half as much again. */
export const STRESS_SEVERITIES = ['standard', 'severe'] as const;
export type StressSeverity = (typeof STRESS_SEVERITIES)[number];

const MINUTE = 60_000;

/** Prices fall by so much, in percent, by kind of instrument: the shock of the standard portfolio scenario if it has one. */
type Shocks = Readonly<Record<InstrumentKind, number>>;

const SHOCKS: Readonly<Record<StressScenario, Readonly<Record<StressSeverity, Shocks>>>> = {
  // Standard: `equity_selloff`. Severe: the deeper of it times 1.5 and `crypto_crash`.
  flash_crash: {
    standard: { tokenized_equity: 10, pre_ipo: 20, agent_token: 35, spot: 15, perp: 15 },
    severe: { tokenized_equity: 15, pre_ipo: 30, agent_token: 60, spot: 30, perp: 30 },
  },
  // Standard: `weekend_gap` for shares; the other kinds have no row and gap in proportion to their traits.
  weekend_gap: {
    standard: { tokenized_equity: 7, pre_ipo: 5, agent_token: 10, spot: 7, perp: 7 },
    severe: { tokenized_equity: 10.5, pre_ipo: 7.5, agent_token: 15, spot: 10.5, perp: 10.5 },
  },
  // Standard: `liquidity_freeze`.
  liquidity_freeze: {
    standard: { tokenized_equity: 2, pre_ipo: 5, agent_token: 10, spot: 2, perp: 2 },
    severe: { tokenized_equity: 3, pre_ipo: 7.5, agent_token: 15, spot: 3, perp: 3 },
  },
  // Standard: pre-IPO as `private_mark_reset`, halved: the token leaves the mark, the mark stays.
  reference_depeg: {
    standard: { tokenized_equity: 8, pre_ipo: 15, agent_token: 20, spot: 5, perp: 5 },
    severe: { tokenized_equity: 12, pre_ipo: 22, agent_token: 30, spot: 8, perp: 8 },
  },
};

/** A position beyond this share of its pool's liquidity pays the extra haircut when it is sold in a freeze. */
export const FREEZE_HAIRCUT_ABOVE_POOL_PCT = 5;
/** The extra haircut, in percent of the price. */
export const FREEZE_HAIRCUT_PCT = 25;

/** State of a reference feed at an instant: `live`, repeating its last price, or with a wide confidence interval. */
export type ReferenceFace = 'live' | 'frozen' | 'wide';

/** The course of one scenario at one severity. All times are of a fixed calendar; fractions are of the calm state. */
export interface ScenarioCourse {
  readonly scenario: StressScenario;
  readonly severity: StressSeverity;
  readonly startsAt: EpochMs;
  /** The instant before which the shocked positions are open. */
  readonly shockAt: EpochMs;
  readonly endsAt: EpochMs;
  /** Range in which nothing is quoted and no order can be executed; null if quotes go on. Half-open. */
  readonly frozen: { readonly from: EpochMs; readonly until: EpochMs } | null;
  /** The shock of a kind as a fraction of its price. */
  shock(kind: InstrumentKind): number;
  /** Returns the share of the shock in force at an instant, 0 to 1. */
  shocked(at: EpochMs): number;
  /** Returns the share of the shock in the stock, mark or paired instrument behind it, 0 to 1; `draw` is the run's own. */
  referenceShare(draw: number): number;
  referenceFace(at: EpochMs): ReferenceFace;
  /** Times the calm spread. */
  spread(at: EpochMs): number;
  /** Returns the share of the calm depth and pool liquidity. */
  depth(at: EpochMs): number;
  /** Quoted closely (every few seconds), or only around each slot: quiet nights and weekends. */
  dense(at: EpochMs): boolean;
}

/** Linear between the points (minutes after the shock, value), constant outside of them. */
function course(shockAt: EpochMs, points: readonly (readonly [minute: number, value: number])[]): (at: EpochMs) => number {
  return (at) => {
    const minute = (at - shockAt) / MINUTE;
    let before = points[0] as readonly [number, number];
    if (minute <= before[0]) return before[1];
    for (const point of points) {
      if (minute < point[0]) return before[1] + ((point[1] - before[1]) * (minute - before[0])) / (point[0] - before[0]);
      before = point;
    }
    return before[1];
  };
}

/** Wednesday 2026-02-04, 10:00 New York: within the regular session, which lasts six hours more. */
const WEEKDAY_START = Date.UTC(2026, 1, 4, 15);
/** Friday 2026-02-06, 15:30 New York, and the regular open of the Monday after it. */
const FRIDAY_START = Date.UTC(2026, 1, 6, 20, 30);
const FRIDAY_CLOSE = Date.UTC(2026, 1, 6, 21);
const MONDAY_OPEN = Date.UTC(2026, 1, 9, 14, 30);

/** Minutes of calm before the shock on a weekday, in which the agent may enter by its own rules. */
const CALM_MINUTES = 30;
const WEEKDAY_MINUTES = 180;

const always = (): ReferenceFace => 'live';

/** Defaults of a course: a weekday with its calm before the shock. */
type Weekday = Pick<ScenarioCourse, 'scenario' | 'severity' | 'startsAt' | 'shockAt' | 'endsAt' | 'frozen' | 'shock' | 'dense'>;

/** The course of a scenario. Pure: the same for every agent and seed; what differs between seeds are the paths around it. */
export function scenarioCourse(scenario: StressScenario, severity: StressSeverity): ScenarioCourse {
  const shocks = SHOCKS[scenario][severity];
  return COURSES[scenario]({
    scenario,
    severity,
    startsAt: WEEKDAY_START,
    // Just after a slot: the last decision before the shock has been carried out, the next one is made within it.
    shockAt: WEEKDAY_START + CALM_MINUTES * MINUTE + 10_000,
    endsAt: WEEKDAY_START + WEEKDAY_MINUTES * MINUTE,
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
    // Four minutes down, three at the bottom, most of it back within half an hour.
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
    endsAt: MONDAY_OPEN + 180 * MINUTE,
    // From one quote to the next, and no way back.
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
    dense: (at) => at < FRIDAY_CLOSE + 5 * MINUTE || at >= MONDAY_OPEN - 5 * MINUTE,
  };
}

function liquidityFreeze(weekday: Weekday): ScenarioCourse {
  const { shockAt } = weekday;
  const severe = weekday.severity === 'severe';
  const frozen = { from: shockAt + 2 * MINUTE, until: shockAt + (severe ? 42 : 22) * MINUTE };
  const thaw = (frozen.until - shockAt) / MINUTE;
  return {
    ...weekday,
    frozen,
    // Two minutes in which the book empties, then silence; the first quote after it stands where the market went.
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
  const doubtFrom = shockAt - 4 * MINUTE;
  const frozenFrom = shockAt - 2 * MINUTE;
  return {
    ...weekday,
    // The reference first doubts itself and freezes; then it is whole again, and the token leaves it for hours.
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
