/** POST /v1/delegations: the owner of a wallet lets an agent or a Take trade from it. */
import { Type } from 'typebox';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { DelegationBody, delegationBody, wishFields, wishOf } from './delegation-body.ts';

export const grantDelegation = defineRoute({
  method: 'POST',
  url: '/v1/delegations',
  name: 'grantDelegation',
  tag: 'delegations',
  summary: 'Delegates a wallet to an agent or a Take',
  description:
    "Requires both the caller's permission and the owner's signature of the text from `POST /v1/delegations/challenge`. Replaces an earlier delegation to the same agent or Take. The service can sign only after the owner has added it as a session signer at the remote signer and the operator has enabled delegated signing.",
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectOf({
      ...wishFields,
      issuedAt: Type.String({ format: 'date-time', description: 'As the challenge said.' }),
      nonce: IdText,
      signature: Type.String({ pattern: '^[A-Za-z0-9+/]{86}==$', description: '64 bytes, base64.' }),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The delegation.', schema: DelegationBody } },
  refusals: ['not_found', 'state_conflict', 'signature_invalid', 'challenge_expired'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { issuedAt, nonce, signature } = request.body;
      const terms = { ...wishOf(request.body), issuedAt: Date.parse(issuedAt), nonce: nonce.toLowerCase() };
      return carryOut(request, reply, {
        status: 201,
        answer: delegationBody,
        run: (context) => ports.delegations.commands.grant(context, terms, signature),
      });
    };
  },
});
