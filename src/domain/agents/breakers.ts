/** The circuit breakers of an agent: which have tripped, and where each leads. */

/** Realized slippage beyond so many times the expectation trips, from the first fill. */
const SLIPPAGE_BREAKER_TIMES = 3;

/** `disagreement`: outside code answered otherwise than in the session that passed, or not at all. */
export const BREAKERS = ['daily_drawdown', 'slippage', 'disagreement'] as const;
export type Breaker = (typeof BREAKERS)[number];

/** A breaker that tripped, with the observed value and the limit. */
export interface TrippedBreaker {
  readonly breaker: Breaker;
  readonly observed: number;
  readonly limit: number;
}

/** Inputs of the breakers, at a tick and after a fill. */
export interface BreakerInput {
  /** `limited_live` or `live` trips; any other stage never does. */
  readonly stage: string;
  /** Fall of the day so far, realized plus unrealized, in percent of the equity at the day's first mark, a position without a live mark at its worst known price; null if it is not known. */
  readonly dailyDrawdownPct: number | null;
  /** The manifest's limit. */
  readonly maxDailyDrawdownPct: number;
  /** Mean slippage of the live fills, weighted by notional, positive is cost; null without fills. */
  readonly slippageBps: number | null;
  readonly fills: number;
  /** Expected slippage by the newest shadow evidence of the active manifest, else by its backtest; null if there is neither. */
  readonly expectedSlippageBps: number | null;
}

/**
 * Returns the tripped breakers, drawdown first. Pure. Drawdown and slippage exactly at their limits do not trip ("exceeds"). Degraded data
 * is not among them, because its five seconds are a timer of the agent's chart.
 */
export function breakersOf(input: BreakerInput): readonly TrippedBreaker[] {
  if (input.stage !== 'limited_live' && input.stage !== 'live') return NONE;
  const { dailyDrawdownPct, maxDailyDrawdownPct, slippageBps, fills, expectedSlippageBps } = input;
  const tripped: TrippedBreaker[] = [];
  if (dailyDrawdownPct !== null && dailyDrawdownPct > maxDailyDrawdownPct) {
    tripped.push({ breaker: 'daily_drawdown', observed: dailyDrawdownPct, limit: maxDailyDrawdownPct });
  }
  if (slippageBps !== null && expectedSlippageBps !== null && fills > 0) {
    // Fills that were expected to cost nothing, or to gain, may cost nothing.
    const limit = SLIPPAGE_BREAKER_TIMES * Math.max(expectedSlippageBps, 0);
    if (slippageBps > limit) tripped.push({ breaker: 'slippage', observed: slippageBps, limit });
  }
  return tripped;
}

const NONE: readonly TrippedBreaker[] = [];
