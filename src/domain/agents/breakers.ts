/** Circuit breakers of an agent: which have tripped, and what each does. */

/** Multiple of the expected slippage at which realized slippage trips, from the first fill. */
const SLIPPAGE_BREAKER_TIMES = 3;

/** Breakers. `disagreement` means that outside code answered differently than in the session that passed, or not at all. */
const BREAKERS = ['daily_drawdown', 'slippage', 'disagreement'] as const;
export type Breaker = (typeof BREAKERS)[number];

/** A breaker that tripped, with the observed value and the limit. */
interface TrippedBreaker {
  readonly breaker: Breaker;
  readonly observed: number;
  readonly limit: number;
}

/** Inputs of the breakers, at a tick and after a fill. */
export interface BreakerInput {
  /** Stage of the agent. Breakers trip at `limited_live` and `live` only. */
  readonly stage: string;
  /**
   * Loss of the day so far, realized plus unrealized, in percent of the equity at the day's first mark. A position without a live mark
   * counts at its worst known price. Null if unknown.
   */
  readonly dailyDrawdownPct: number | null;
  /** Limit of the manifest. */
  readonly maxDailyDrawdownPct: number;
  /** Mean slippage of the live fills, weighted by notional. Positive is a cost. Null without fills. */
  readonly slippageBps: number | null;
  readonly fills: number;
  /** Expected slippage by the newest shadow evidence of the active manifest, else by its backtest, or null if there is neither. */
  readonly expectedSlippageBps: number | null;
}

/**
 * Returns the tripped breakers, drawdown first. Pure. Drawdown and slippage exactly at their limits do not trip. Degraded data is not
 * included, because its five seconds are a timer of the agent's chart.
 */
export function findTrippedBreakers(input: BreakerInput): readonly TrippedBreaker[] {
  if (input.stage !== 'limited_live' && input.stage !== 'live') return NONE;
  const { dailyDrawdownPct, maxDailyDrawdownPct, slippageBps, fills, expectedSlippageBps } = input;
  const tripped: TrippedBreaker[] = [];
  if (dailyDrawdownPct !== null && dailyDrawdownPct > maxDailyDrawdownPct) {
    tripped.push({ breaker: 'daily_drawdown', observed: dailyDrawdownPct, limit: maxDailyDrawdownPct });
  }
  if (slippageBps !== null && expectedSlippageBps !== null && fills > 0) {
    // Fills that were expected to cost nothing, or to gain, must not cost anything.
    const limit = SLIPPAGE_BREAKER_TIMES * Math.max(expectedSlippageBps, 0);
    if (slippageBps > limit) tripped.push({ breaker: 'slippage', observed: slippageBps, limit });
  }
  return tripped;
}

const NONE: readonly TrippedBreaker[] = [];
