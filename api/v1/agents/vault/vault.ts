/** GET /v1/agents/:id/vault. */
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { memberOf } from '../../../caller.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath } from '../../../shapes.ts';
import { VaultBody, vaultBody } from './vault-body.ts';

export const getVault = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/vault',
  name: 'getVault',
  tag: 'vaults',
  summary: "The agent's vault",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The vault; one that was never paid into is empty.', schema: VaultBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const vault = id === null ? null : await ports.vaults.commands.read(memberOf(request).orgId, id);
    return vault === null ? sendProblem(reply, 'not_found', NO_AGENT) : vaultBody(vault);
  },
});
