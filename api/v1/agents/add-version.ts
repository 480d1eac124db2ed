/** POST /v1/agents/:id/versions. */

import type { AgentView } from '../../../actors/agent/resource.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath } from '../../shapes.ts';
import { ManifestBody, ManifestTakenBody, manifestOf, manifestTakenBody } from './manifest-body.ts';

export const addAgentVersion = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/versions',
  name: 'addAgentVersion',
  tag: 'agents',
  summary: 'Adds a manifest version',
  description: 'Any changed parameter makes a new hash, and promotion starts again at `draft`.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: ManifestBody },
  bodyRule: 'read_by_handler',
  yaml: true,
  idempotent: true,
  answers: { 201: { description: 'The version was added.', schema: ManifestTakenBody, shownAt: '/v1/agents/:id' } },
  refusals: ['manifest_invalid', 'not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const read = manifestOf(ports, request.body);
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: (view: AgentView) => manifestTakenBody(view, read),
        run: (context) => ports.agents.commands.addVersion(context, id, read.manifest),
      });
    };
  },
});
