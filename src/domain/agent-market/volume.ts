/** Stability of a token's volume, with wash trades discounted. */
import type { Candle } from '../candles/candle.ts';
import { type DecimalString, plainDecimal } from '../values/decimal.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../values/time.ts';

/** Number of whole days measured. */
const VOLUME_DAYS = 7;
/** Minimum days. Fewer do not measure stability. */
const LEAST_VOLUME_DAYS = 3;
/** Maximum number of times that a bar's range from low to high counts as real volume. */
const COUNTED_TRAVELS = 4;

export interface VolumeStability {
  readonly days: number;
  readonly reportedUsd: DecimalString;
  readonly countedUsd: DecimalString;
  /** Share of the reported volume that price moves do not explain, in percent. */
  readonly washedPct: number;
  /** Standard deviation of the daily counted volume over its mean (ddof 1). */
  readonly variation: number;
}

/**
 * Returns the volume of a bar, in dollars, that its price moves explain. In a constant-product pool with `depth` dollars on the paying
 * side, moving from the low to the high costs depth x (sqrt(high/low) - 1). A wash trader moves little and pays the fees of many small
 * trades, which count as at most `COUNTED_TRAVELS` moves.
 */
export function countedVolume({ high, low, close, volume }: Pick<Candle, 'high' | 'low' | 'close' | 'volume'>, depthUsd: number): number {
  if (!(Number(low) > 0)) return 0;
  const way = depthUsd * (Math.sqrt(Number(high) / Number(low)) - 1);
  return Math.min(Number(volume) * Number(close), way * COUNTED_TRAVELS);
}

/**
 * Computes the stability of volume over the last whole days before `now`, or null if there are fewer than `LEAST_VOLUME_DAYS`. @param bars
 * Hourly, closed, priced in dollars.
 */
export function volumeStability(bars: readonly Candle[], depthUsd: DecimalString, now: EpochMs): VolumeStability | null {
  const depth = Number(depthUsd);
  const days = new Map<number, { reported: number; counted: number }>();
  for (const bar of bars) {
    const back = now - bar.openTime;
    if (back < HOUR_MS || back > VOLUME_DAYS * DAY_MS) continue;
    const place = Math.ceil(back / DAY_MS);
    const day = days.get(place) ?? { reported: 0, counted: 0 };
    days.set(place, {
      reported: day.reported + Number(bar.volume) * Number(bar.close),
      counted: day.counted + countedVolume(bar, depth),
    });
  }
  if (days.size < LEAST_VOLUME_DAYS) return null;
  const counted = [...days.values()].map((day) => day.counted);
  const all = [...days.values()].reduce((sum, { reported }) => sum + reported, 0);
  const real = counted.reduce((sum, amount) => sum + amount, 0);
  const mean = real / days.size;
  const variance = counted.reduce((sum, amount) => sum + (amount - mean) ** 2, 0) / (days.size - 1);
  return {
    days: days.size,
    reportedUsd: plainDecimal(rounded(all, 2)),
    countedUsd: plainDecimal(rounded(real, 2)),
    washedPct: all === 0 ? 0 : rounded(((all - real) * 100) / all, 4),
    // A token without real trades counts as maximally unstable.
    variation: mean === 0 ? rounded(Math.sqrt(days.size), 6) : rounded(Math.sqrt(variance) / mean, 6),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
