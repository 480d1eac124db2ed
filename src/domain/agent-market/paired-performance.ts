/** Return of an agent token relative to its paired stock, over windows that end now. */
import type { Candle } from '../candles/candle.ts';
import { Decimal } from '../values/decimal.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../values/time.ts';

const PERFORMANCE_WINDOWS = { '24h': 24, '7d': 168, '30d': 720 } as const;
type PerformanceWindow = keyof typeof PERFORMANCE_WINDOWS;
export const WINDOW_NAMES = Object.keys(PERFORMANCE_WINDOWS) as readonly PerformanceWindow[];
/** Maximum age of a bar that prices an instant. A stock's token may not trade overnight. */
const TOLERANCE_MS = DAY_MS;

export interface WindowPerformance {
  readonly window: PerformanceWindow;
  /** Percent, or null if a bar of that time is missing. */
  readonly tokenPct: number | null;
  readonly stockPct: number | null;
  /** Return of the token measured in the share: (1 + token) / (1 + share) - 1. */
  readonly relativePct: number | null;
}

type Bars = readonly Pick<Candle, 'openTime' | 'close'>[];

/** Returns the close of the last bar that had closed by `at`, or null if none is recent enough. */
function closeAt(bars: Bars, at: EpochMs): Decimal | null {
  let found: Bars[number] | null = null;
  for (const bar of bars) if (bar.openTime + HOUR_MS <= at) found = bar;
  return found === null || at - (found.openTime + HOUR_MS) > TOLERANCE_MS || !new Decimal(found.close).gt(0)
    ? null
    : new Decimal(found.close);
}

function ratioOver(bars: Bars, from: EpochMs, to: EpochMs): Decimal | null {
  const [before, now] = [closeAt(bars, from), closeAt(bars, to)];
  return before === null || now === null ? null : now.div(before);
}

const percent = (ratio: Decimal | null): number | null =>
  ratio === null ? null : ratio.minus(1).times(100).toDecimalPlaces(6).toNumber() + 0;

/** Compares returns over several windows. `token` and `stock` are closed hourly bars in dollars, ascending. */
export function pairedPerformance(token: Bars, stock: Bars, now: EpochMs): readonly WindowPerformance[] {
  return WINDOW_NAMES.map((window) => {
    const from = now - PERFORMANCE_WINDOWS[window] * HOUR_MS;
    const [own, share] = [ratioOver(token, from, now), ratioOver(stock, from, now)];
    return {
      window,
      tokenPct: percent(own),
      stockPct: percent(share),
      relativePct: percent(own === null || share === null ? null : own.div(share)),
    };
  });
}
