/** POST /v1/launches/:id/submit: takes the signed transactions of a prepared launch. */
import { Type } from 'typebox';
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { LaunchBody, LaunchPath, launchBody } from './launch-view-body.ts';

const SignedText = Type.String({ minLength: 4, maxLength: 100_000, pattern: '^[A-Za-z0-9+/]+={0,2}$' });

export const submitLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/submit',
  name: 'submitLaunch',
  tag: 'launches',
  summary: 'Submits the signed transactions of a launch',
  description:
    'Every signed transaction must carry its prepared message, byte for byte, and every signature that it needs. They are sent one after the other, each once the one before it is confirmed, and followed to finality. The new mint is an instrument of the catalog once the launch trades. The same bytes again answer where the launch stands by now.',
  ...TAKES_SIGNED_TRANSACTION,
  schema: {
    params: LaunchPath,
    body: objectOf({
      transactions: Type.Array(SignedText, {
        minItems: 1,
        maxItems: 2,
        description: 'The signed bytes, base64, in the order of the prepared ones.',
      }),
    }),
  },
  answers: { 202: { description: 'The launch on its way.', schema: LaunchBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
      return carryOut(request, reply, {
        status: 202,
        answer: launchBody,
        run: (context) => ports.launches.commands.submit(context, id, request.body.transactions),
      });
    };
  },
});
