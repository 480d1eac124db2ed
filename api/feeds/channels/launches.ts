/** The `launches` channel: every change of a token launch. */
import { announcementChannel } from './channel.ts';

export const launchesChannel = announcementChannel({
  name: 'launches',
  about: 'Every change of a token launch.',
  actorParam: 'launchId',
});
