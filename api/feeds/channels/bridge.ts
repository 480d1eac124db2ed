/** The `bridge` channel: every change of a bridge transfer. */
import { announcementChannel } from './channel.ts';

export const bridgeChannel = announcementChannel({
  name: 'bridge',
  about: 'Every change of a bridge transfer.',
  actorParam: 'transferId',
});
