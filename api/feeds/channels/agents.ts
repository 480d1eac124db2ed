/** The `agents` channel: how the organization's agents stand, then every change of stage, duty, autonomy and breakers. */
import { agentBody } from '../../v1/agents/agent-body.ts';
import { announcementChannel } from './channel.ts';

export const agentsChannel = announcementChannel({
  name: 'agents',
  about: 'How the agents stand, then every change of stage, duty, autonomy and breakers.',
  actorParam: 'agentId',
  // In the shape of `GET /v1/agents`.
  snapshot: async (ports, orgId, agentId) => (await ports.agentsNow(orgId, agentId)).map(agentBody),
});
