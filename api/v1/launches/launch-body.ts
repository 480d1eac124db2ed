/** A launch on the wire, and the state of its curve in whole tokens and words. */
import { type Static, Type } from 'typebox';
import { type Launch, launch } from '../../../actors/launch/resource.ts';
import { type LauncherLaunch, launcherLaunch } from '../../../actors/launcher-launch/resource.ts';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';
import { priceOfSqrt } from '../../../src/domain/launch/curve/curve-config.ts';
import type { CurveState } from '../../../src/domain/launch/launch-state.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import { curveLaunchProgress, launcherLaunchProgress } from '../../../src/domain/values/work-progress.ts';
import { IdText, objectSchema } from '../../shapes.ts';

/** Graduation progress, in the order of the program's numbers. */
export const PROGRESS = ['on_curve', 'complete', 'vesting_locked', 'graduated'] as const;

/** Returns the price of one token in whole quote tokens. */
export function computeCurvePrice({ sqrtPrice }: CurveState, { decimals, quoteDecimals }: Launch): DecimalString {
  return plainDecimal(new Decimal(priceOfSqrt(BigInt(sqrtPrice), decimals, quoteDecimals)));
}

/** Returns the percentage of the graduation threshold, at most 100. */
export function computeFillPct({ quoteReserve, migrationQuoteThreshold }: CurveState): DecimalString {
  return plainDecimal(Decimal.min(1, new Decimal(quoteReserve).div(migrationQuoteThreshold)).times(100).toDecimalPlaces(6));
}

export function nameProgress(curve: CurveState | null): (typeof PROGRESS)[number] {
  return PROGRESS[curve?.migrationProgress ?? 0] ?? 'on_curve';
}

export const LaunchPath = objectSchema({ id: IdText });

export const LaunchBody = Type.Object({ ...launch.wire, ...WORK_FIELDS }, { $id: 'Launch' });
export const LauncherLaunchBody = Type.Object({ ...launcherLaunch.wire, ...WORK_FIELDS }, { $id: 'LauncherLaunch' });
/** A launch of either kind, distinguished by `kind`. */
export const AnyLaunchBody = Type.Union([LaunchBody, LauncherLaunchBody]);

export function launcherLaunchBody(view: LauncherLaunch, at: EpochMs): Static<typeof LauncherLaunchBody> {
  return { ...launcherLaunch.body(view), ...launcherLaunchProgress(view.state, view.validUntil, at) };
}

export function launchBody(view: Launch, at: EpochMs): Static<typeof LaunchBody> {
  const { state, standing } = view;
  return { ...launch.body(view), ...curveLaunchProgress(state, standing === null ? null : Number(computeFillPct(standing)), at) };
}

export function anyLaunchBody(view: Launch | LauncherLaunch, at: EpochMs): Static<typeof AnyLaunchBody> {
  return view.kind === 'curve' ? launchBody(view, at) : launcherLaunchBody(view, at);
}
