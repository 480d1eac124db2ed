/** The `agents` channel: how the organization's agents stand, then every change of stage, duty, autonomy and breakers. */
import { announcementChannel } from './channel.ts';

export const agentsChannel = announcementChannel({
  name: 'agents',
  about: 'How the agents stand, then every change of stage, duty, autonomy and breakers.',
  actorParam: 'agentId',
  snapshot: (doors, orgId, agentId) => doors.agentsNow(orgId, agentId),
});
