/** POST /v1/agents. */
import type { AgentView } from '../../../actors/agent/resource.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { ManifestBody, ManifestTakenBody, manifestOf, manifestTakenBody } from './manifest-body.ts';

export const createAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents',
  name: 'createAgent',
  tag: 'agents',
  summary: 'Creates an agent from a manifest',
  description: 'The new agent starts at stage `draft` with autonomy `research`, whatever the manifest requests.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: ManifestBody },
  bodyRule: 'read_by_handler',
  yaml: true,
  idempotent: true,
  answers: { 201: { description: 'The agent was created.', schema: ManifestTakenBody } },
  refusals: ['manifest_invalid', 'halted', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const read = manifestOf(ports, request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: (view: AgentView) => manifestTakenBody(view, read),
        run: (context) => ports.agents.commands.create(context, read.manifest),
      });
    };
  },
});
