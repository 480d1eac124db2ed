/** Unlocked part of a launch's vesting at an instant. It runs from the completion of the curve. */
import { type LockedVesting, vestingTotal } from '../launch/curve/curve-config.ts';

export interface VestingState {
  /** `none`: nothing is locked. `waiting`: the curve is not complete, so everything is locked. */
  readonly state: 'none' | 'waiting' | 'unlocking' | 'unlocked';
  /** Raw units. */
  readonly total: bigint;
  readonly unlocked: bigint;
  /** Unix seconds at which everything is unlocked, or null if not yet known. */
  readonly endsAt: bigint | null;
}

/**
 * Computes the vesting state. `finishedAt` is the curve's completion and `now` the present, both in Unix seconds. `finishedAt` is 0 before
 * the completion.
 */
export function vestingState(vesting: LockedVesting, finishedAt: bigint, now: bigint): VestingState {
  const total = vestingTotal(vesting);
  if (total === 0n) return { state: 'none', total, unlocked: 0n, endsAt: null };
  if (finishedAt === 0n) return { state: 'waiting', total, unlocked: 0n, endsAt: null };
  const cliff = finishedAt + vesting.cliffDurationFromMigrationTime;
  const endsAt = cliff + vesting.frequency * vesting.numberOfPeriods;
  if (now < cliff) return { state: 'unlocking', total, unlocked: 0n, endsAt };
  const passed = vesting.frequency === 0n ? vesting.numberOfPeriods : (now - cliff) / vesting.frequency;
  const periods = passed < vesting.numberOfPeriods ? passed : vesting.numberOfPeriods;
  const unlocked = vesting.cliffUnlockAmount + periods * vesting.amountPerPeriod;
  return { state: unlocked >= total ? 'unlocked' : 'unlocking', total, unlocked, endsAt };
}
