/** The `proposals` channel: trade proposals and what becomes of them. */
import { announcementChannel } from './channel.ts';

export const proposalsChannel = announcementChannel({
  name: 'proposals',
  about: 'Trade proposals and what becomes of them.',
  actorParam: 'agentId',
});
