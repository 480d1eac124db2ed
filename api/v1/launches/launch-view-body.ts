/** A launch on the wire. */
import { type Static, Type } from 'typebox';
import { type Launch, launch } from '../../../actors/launch/resource.ts';
import { type LauncherLaunch, launcherLaunch } from '../../../actors/launcher-launch/resource.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import { curveLaunchProgress, launcherLaunchProgress } from '../../../src/domain/values/work-progress.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';
import { fillPctOf } from './curve-state.ts';

export const LaunchPath = objectOf({ id: IdText });

export const LaunchBody = Type.Object({ ...launch.wire, ...WORK_FIELDS }, { $id: 'Launch' });
export const LauncherLaunchBody = Type.Object({ ...launcherLaunch.wire, ...WORK_FIELDS }, { $id: 'LauncherLaunch' });
/** A launch of either kind, distinguished by `kind`. */
export const AnyLaunchBody = Type.Union([LaunchBody, LauncherLaunchBody]);

export function launcherLaunchBody(view: LauncherLaunch, at: EpochMs): Static<typeof LauncherLaunchBody> {
  return { ...launcherLaunch.body(view), ...launcherLaunchProgress(view.state, view.validUntil, at) };
}

export function launchBody(view: Launch, at: EpochMs): Static<typeof LaunchBody> {
  const { state, standing } = view;
  return { ...launch.body(view), ...curveLaunchProgress(state, standing === null ? null : Number(fillPctOf(standing)), at) };
}

export function anyLaunchBody(view: Launch | LauncherLaunch, at: EpochMs): Static<typeof AnyLaunchBody> {
  return view.kind === 'curve' ? launchBody(view, at) : launcherLaunchBody(view, at);
}
