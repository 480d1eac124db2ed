/** The `alerts` channel: breakers, incidents and delays that somebody should look at, of the organization and of the whole service. */
import { announcementChannel } from './channel.ts';

export const alertsChannel = announcementChannel({
  name: 'alerts',
  about: 'Breakers, incidents and delays that somebody should look at.',
  actorParam: 'agentId',
  shared: true,
});
