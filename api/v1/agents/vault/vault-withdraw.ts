/** POST /v1/agents/:id/vault/withdraw: withdraws from the caller's share of a vault. */

import { Type } from 'typebox';
import type { Withdrawal } from '../../../../actors/agent/vault-commands.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { InputError, sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, DecimalText, objectOf } from '../../../shapes.ts';
import { VaultChangeBody, vaultChangeBody } from './vault-body.ts';

const WithdrawBody = objectOf({
  amountUsd: Type.Optional({ ...DecimalText, maxLength: 40, description: 'Pays out at least this many US dollars.' }),
  shares: Type.Optional({ ...DecimalText, maxLength: 40, description: 'Takes back so many shares; at most 9 decimals.' }),
  all: Type.Optional(Type.Literal(true, { description: 'Takes back everything that the caller owns.' })),
});

export const withdrawFromVault = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/vault/withdraw',
  name: 'withdrawFromVault',
  tag: 'vaults',
  summary: "Withdraws from the agent's vault",
  description:
    'Exactly one of `amountUsd`, `shares` and `all`. Pays from cash; no position is sold. Works at every stage and while the agent is paused.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: WithdrawBody },
  idempotent: true,
  answers: { 201: { description: 'The withdrawal.', schema: VaultChangeBody } },
  refusals: ['not_found', 'blocked_by_risk', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const wanted = wantedOf(request.body);
      return carryOut(request, reply, {
        status: 201,
        answer: vaultChangeBody,
        run: (context) => ports.vaults.commands.withdraw(context, id, wanted),
      });
    };
  },
});

/** Reads the requested amount. @throws InputError unless exactly one way is given. */
function wantedOf(body: { readonly amountUsd?: string; readonly shares?: string; readonly all?: true }): Withdrawal {
  const given = Object.keys(body);
  if (given.length !== 1) {
    throw new InputError('malformed', 'body: give exactly one of amountUsd, shares and all', [
      {
        path: 'body',
        problem: given.length === 0 ? 'says not how much' : `says ${given.join(' and ')}`,
        allowed: 'one of amountUsd, shares, all',
      },
    ]);
  }
  if (body.amountUsd !== undefined) return { amountUsd: body.amountUsd };
  return body.shares === undefined ? { all: true } : { shares: body.shares };
}
