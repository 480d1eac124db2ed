/** Scaled UI amounts of Token-2022: the number of shares per whole token, and its changes. See docs/reference/outside/aggregator.md. */
import { Decimal, type DecimalString } from '../../../domain/values/decimal.ts';
import { zonedInstant, type EpochMs } from '../../../domain/values/time.ts';

/** Present and next multiplier of a mint, and the time of the change. */
export interface ScaledUi {
  readonly multiplier: DecimalString;
  readonly newMultiplier: DecimalString;
  /** Time from which `newMultiplier` is in force. */
  readonly effectiveAt: EpochMs;
}

/** Returns the `ScaledUi` of a token whose multiplier never changes. */
export function fixedMultiplier(multiplier: DecimalString): ScaledUi {
  return { multiplier, newMultiplier: multiplier, effectiveAt: 0 };
}

/** Returns the multiplier at an instant. `multiplier` alone keeps the old value after the change. */
export function multiplierAt(scaled: ScaledUi, at: EpochMs): DecimalString {
  return at >= scaled.effectiveAt ? scaled.newMultiplier : scaled.multiplier;
}

/** Milliseconds before and after a change of the multiplier in which quotes are not live. */
export const UNSETTLED_MS = 120_000;

/** True around an announced change: an order may be filled before or after it. */
export function isUnsettled({ multiplier, newMultiplier, effectiveAt }: ScaledUi, at: EpochMs): boolean {
  return multiplier !== newMultiplier && Math.abs(at - effectiveAt) < UNSETTLED_MS;
}

/** Converts a raw amount (base units as text) to UI units: raw x multiplier / 10^decimals. */
export function uiAmount(raw: string, decimals: number, multiplier: DecimalString): Decimal {
  return new Decimal(raw).times(multiplier).div(new Decimal(10).pow(decimals));
}

/** Plausible range of a multiplier; incomplete answers contain 0 or negative ones. */
const MIN = 1e-9;
const MAX = 1e9;

function believable(value: unknown): value is number {
  return typeof value === 'number' && value > MIN && value < MAX;
}

/**
 * Parses `scaledUiConfig` of a price answer; null if invalid. No change is pending if the new multiplier is missing, null or zero. A new
 * multiplier without a time is invalid.
 */
export function readScaledUi(config: unknown): ScaledUi | null {
  if (typeof config !== 'object' || config === null) return null;
  const entry = config as Record<string, unknown>;
  const { multiplier, newMultiplier = null } = entry;
  if (!believable(multiplier)) return null;
  const from = new Decimal(multiplier).toFixed();
  if (newMultiplier === null || newMultiplier === 0 || newMultiplier === multiplier) return fixedMultiplier(from);
  if (!believable(newMultiplier)) return null;
  // The time comes as ISO text or as unix seconds, under two names.
  const iso = entry['newMultiplierEffectiveAt'];
  const unix = entry['newMultiplierEffectiveTimestamp'];
  const effectiveAt = typeof iso === 'string' ? zonedInstant(iso) : typeof unix === 'number' ? unix * 1000 : Number.NaN;
  if (!Number.isFinite(effectiveAt)) return null;
  return { multiplier: from, newMultiplier: new Decimal(newMultiplier).toFixed(), effectiveAt };
}

/** Converts the catalog's facts of a mint. */
export function toScaledUi(token: {
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
