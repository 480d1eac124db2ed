/** POST /v1/delegations/challenge: returns the text that the owner of a wallet signs. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf, Time } from '../../shapes.ts';
import { wishFields, wishOf } from './delegation-body.ts';

const ChallengeBody = Type.Object(
  {
    text: Type.String({ description: 'To be signed as it is, as UTF-8, by the wallet (Ed25519).' }),
    issuedAt: Time,
    nonce: IdText,
  },
  { $id: 'DelegationChallenge' },
);

export const challengeDelegation = defineRoute({
  method: 'POST',
  url: '/v1/delegations/challenge',
  name: 'challengeDelegation',
  tag: 'delegations',
  summary: 'Text that the owner signs to delegate a wallet',
  description:
    'Nothing is kept. Send the same fields with `issuedAt`, `nonce` and the signature to `POST /v1/delegations` within ten minutes.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: objectOf(wishFields) },
  answers: { 200: { description: 'The text.', schema: ChallengeBody } },
  refusals: ['not_found'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const wish = wishOf(request.body);
      return carryOut(request, reply, {
        status: 200,
        answer: ({ text, terms }) => ({ text, issuedAt: isoTime(terms.issuedAt), nonce: terms.nonce }),
        run: (context) => ports.delegations.commands.challenge(context, wish),
      });
    };
  },
});
