/** The `launches` channel: every change of a token launch. */
import { Type } from 'typebox';
import { CURVE_LAUNCH_STATES } from '../../../src/domain/launch/launch-state.ts';
import { LAUNCHER_LAUNCH_STATES } from '../../../src/domain/launch/launcher.ts';
import { choice, IdText, nullable } from '../../shapes.ts';
import { AnyObject } from '../../v1/actors.ts';
import { announcementChannel } from './channel.ts';

/** Status of a launch, shared by its changes and alerts. */
export const launchStatus = {
  launchId: IdText,
  state: choice([...new Set([...CURVE_LAUNCH_STATES, ...LAUNCHER_LAUNCH_STATES])]),
  mint: nullable('string', 'The new token; null before it is known.'),
  symbol: Type.String(),
  reason: nullable('string', 'Reason of its end; null if the state needs none.'),
  detail: nullable('string'),
};

export const launchesChannel = announcementChannel({
  name: 'launches',
  about: 'Every change of a token launch.',
  actorParam: 'launchId',
  item: Type.Object(
    {
      ...launchStatus,
      kind: choice(['curve', 'launcher'], 'On a bonding curve of its own, or by the external launcher.'),
      standing: Type.Union([AnyObject, Type.Null()], {
        description: 'Amount in the curve at the last reading, in base units. Null before that and for the external launcher.',
      }),
    },
    { $id: 'LaunchChange', additionalProperties: false },
  ),
});
