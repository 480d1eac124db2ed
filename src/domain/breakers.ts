/** The circuit breakers of an agent with live capital: which have tripped, and where each leads. */

/** Realized slippage beyond so many times the expectation trips. */
export const SLIPPAGE_BREAKER_TIMES = 3;
/**
 * The same for the first fills, by their number less one: the mean of few fills strays further. Each is the multiple that
 * the mean of so many fills exceeds as rarely by luck alone as the mean of five exceeds three times (once in 1,167), where
 * slippages are spread as widely as their mean (exponentially).
 */
export const SLIPPAGE_BREAKER_TIMES_OF_FIRST: readonly number[] = [7.06, 4.7, 3.8, 3.31];
/**
 * An expectation below this counts as this much, in basis points: three times nothing would trip on the first tick of any
 * price. Three times this is less than the taker fee of every venue.
 */
export const SLIPPAGE_EXPECTATION_FLOOR_BPS = 1;

/** How many times the expectation the mean slippage of so many fills may be. */
export function slippageTimesOf(fills: number): number {
  return SLIPPAGE_BREAKER_TIMES_OF_FIRST[fills - 1] ?? SLIPPAGE_BREAKER_TIMES;
}

export const BREAKERS = ['daily_drawdown', 'slippage'] as const;
export type Breaker = (typeof BREAKERS)[number];

/** A breaker that tripped: what was observed, and the limit that it went past. */
export interface TrippedBreaker {
  readonly breaker: Breaker;
  readonly observed: number;
  readonly limit: number;
}

/** What the breakers look at, at a tick and after a fill. */
export interface BreakerInput {
  /** `limited_live` or `live` trips; any other stage never does. */
  readonly stage: string;
  /** Fall of the day so far, realized plus unrealized, in percent of the equity at the day's first mark, a position without a live mark at its worst known price; null where it is not known. */
  readonly dailyDrawdownPct: number | null;
  /** The manifest's limit. */
  readonly maxDailyDrawdownPct: number;
  /** Mean slippage of the live fills, weighted by notional, positive is cost; null without fills. */
  readonly slippageBps: number | null;
  readonly fills: number;
  /** From the newest shadow or else backtest evidence of the active manifest; null where there is none. */
  readonly expectedSlippageBps: number | null;
}

/**
 * Which breakers have tripped, drawdown first. Pure. Drawdown and slippage exactly at their limits do not trip ("exceeds").
 * Degraded data is not among them: its five seconds are a timer of the agent's chart.
 */
export function breakersOf(input: BreakerInput): readonly TrippedBreaker[] {
  if (input.stage !== 'limited_live' && input.stage !== 'live') return NONE;
  const { dailyDrawdownPct, maxDailyDrawdownPct, slippageBps, fills, expectedSlippageBps } = input;
  const tripped: TrippedBreaker[] = [];
  if (dailyDrawdownPct !== null && dailyDrawdownPct > maxDailyDrawdownPct) {
    tripped.push({ breaker: 'daily_drawdown', observed: dailyDrawdownPct, limit: maxDailyDrawdownPct });
  }
  if (slippageBps !== null && expectedSlippageBps !== null && fills > 0) {
    const limit = slippageTimesOf(fills) * Math.max(expectedSlippageBps, SLIPPAGE_EXPECTATION_FLOOR_BPS);
    if (slippageBps > limit) tripped.push({ breaker: 'slippage', observed: slippageBps, limit });
  }
  return tripped;
}

const NONE: readonly TrippedBreaker[] = [];
