/** POST /v1/delegations/:id/revoke: revokes a delegation. Nothing more is signed under it. */

import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { DelegationBody, DelegationPath, delegationBody, NO_DELEGATION } from './delegation-body.ts';

export const revokeDelegation = defineRoute({
  method: 'POST',
  url: '/v1/delegations/:id/revoke',
  name: 'revokeDelegation',
  tag: 'delegations',
  summary: 'Revokes a delegation',
  description: 'After the answer nothing is signed under the delegation. Transactions that were broadcast before may still land.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: DelegationPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The delegation, revoked.', schema: DelegationBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_DELEGATION);
      return carryOut(request, reply, {
        status: 200,
        answer: delegationBody,
        run: (context) => ports.delegations.commands.revoke(context, id),
      });
    };
  },
});
