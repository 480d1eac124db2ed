/** POST /v1/agents/:id/vault/deposit. */
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, DecimalText, objectOf } from '../../../shapes.ts';
import { VaultChangeBody, vaultChangeBody } from './vault-body.ts';

export const depositIntoVault = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/vault/deposit',
  name: 'depositIntoVault',
  tag: 'vaults',
  summary: "Deposits into the agent's vault",
  description:
    'The caller gets shares at the present price, which the deposit does not move. Within the ceiling of the stage: nothing before `limited_live`, a tenth of `max_capital_usd` there, all of it at `live`.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: AgentPath,
    body: objectOf({ amountUsd: { ...DecimalText, maxLength: 40, description: 'Above zero, at most 6 decimals.' } }),
  },
  idempotent: true,
  answers: { 201: { description: 'The deposit.', schema: VaultChangeBody } },
  refusals: ['not_found', 'blocked_by_risk', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: vaultChangeBody,
        run: (context) => ports.vaults.commands.deposit(context, id, request.body.amountUsd),
      });
    };
  },
});
