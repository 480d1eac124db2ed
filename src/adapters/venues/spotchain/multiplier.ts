/**
 * Token-2022's scaled UI amount: how many shares one whole token stands for, and from when.
 * See docs/reference/outside/aggregator.md.
 */
import { Decimal, type DecimalString } from '../../../domain/values/decimal.ts';
import { zonedInstant } from '../../../domain/values/instant.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

/** The two multipliers that a mint carries, and when the second takes over. */
export interface ScaledUi {
  readonly multiplier: DecimalString;
  readonly newMultiplier: DecimalString;
  /** Instant from which `newMultiplier` holds. */
  readonly effectiveAt: EpochMs;
}

/** A token without the extension, or one that never changed. */
export function fixedMultiplier(multiplier: DecimalString): ScaledUi {
  return { multiplier, newMultiplier: multiplier, effectiveAt: 0 };
}

/** The multiplier at an instant. Reading `multiplier` alone is the usual mistake: it keeps the old value after the switch. */
export function multiplierAt(scaled: ScaledUi, at: EpochMs): DecimalString {
  return at >= scaled.effectiveAt ? scaled.newMultiplier : scaled.multiplier;
}

/** A raw amount (base units, integer text) in UI units: raw x multiplier / 10^decimals. */
export function uiAmount(raw: string, decimals: number, multiplier: DecimalString): Decimal {
  return new Decimal(raw).times(multiplier).div(new Decimal(10).pow(decimals));
}

/** Bounds of a believable multiplier; 0 and negative ones come from half-initialised answers. */
const MIN = 1e-9;
const MAX = 1e9;

function believable(value: unknown): value is number {
  return typeof value === 'number' && value > MIN && value < MAX;
}

/**
 * Reads `scaledUiConfig` of a price answer; null if it makes no sense. A new multiplier that is missing, null or zero means that none is
 * pending; one without a time would must be guessed about.
 */
export function readScaledUi(config: unknown): ScaledUi | null {
  if (typeof config !== 'object' || config === null) return null;
  const entry = config as Record<string, unknown>;
  const { multiplier, newMultiplier = null } = entry;
  if (!believable(multiplier)) return null;
  const from = new Decimal(multiplier).toFixed();
  if (newMultiplier === null || newMultiplier === 0 || newMultiplier === multiplier) return fixedMultiplier(from);
  if (!believable(newMultiplier)) return null;
  // Seen under two names: an ISO time, or unix seconds.
  const iso = entry['newMultiplierEffectiveAt'];
  const unix = entry['newMultiplierEffectiveTimestamp'];
  const effectiveAt = typeof iso === 'string' ? zonedInstant(iso) : typeof unix === 'number' ? unix * 1000 : Number.NaN;
  if (!Number.isFinite(effectiveAt)) return null;
  return { multiplier: from, newMultiplier: new Decimal(newMultiplier).toFixed(), effectiveAt };
}

/** The catalog's facts of a mint as a `ScaledUi`. */
export function scaledUiOf(token: {
  readonly multiplier: number;
  readonly newMultiplier: number;
  readonly newMultiplierEffectiveAt: EpochMs;
}): ScaledUi {
  return {
    multiplier: new Decimal(token.multiplier).toFixed(),
    newMultiplier: new Decimal(token.newMultiplier).toFixed(),
    effectiveAt: token.newMultiplierEffectiveAt,
  };
}
