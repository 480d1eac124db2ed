/** POST /v1/launches/:id/submit: takes the signed transactions of a prepared launch. */
import { Type } from 'typebox';
import { NO_LAUNCH } from '../../../actors/launch/commands.ts';
import type { Launch } from '../../../actors/launch/resource.ts';
import type { LauncherLaunch } from '../../../actors/launcher-launch/resource.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { TAKES_SIGNED_TRANSACTION } from '../signed-transaction.ts';
import { AnyLaunchBody, anyLaunchBody, LaunchPath } from './launch-view-body.ts';

const SignedText = Type.String({ minLength: 4, maxLength: 100_000, pattern: '^[A-Za-z0-9+/]+={0,2}$' });

export const submitLaunch = defineRoute({
  method: 'POST',
  url: '/v1/launches/:id/submit',
  name: 'submitLaunch',
  tag: 'launches',
  summary: 'Submits the signed transactions of a launch',
  description:
    'Every signed transaction must carry its prepared message, byte for byte, and every signature that it needs. They are sent one after the other, each after the one before it is confirmed, and followed to finality. The new mint is an instrument of the catalog once the launch trades. Submitting the same bytes again answers the present state. A launch by the external launcher takes its signed `payment` instead: it is compared as strictly and sent once, and the launcher is asked until it launches; where it declines, submitting the same payment again asks it once more.',
  permission: 'trade:execute',
  ...TAKES_SIGNED_TRANSACTION,
  schema: {
    params: LaunchPath,
    body: objectOf({
      transactions: Type.Optional(
        Type.Array(SignedText, {
          minItems: 1,
          maxItems: 2,
          description: 'Signed transactions of a launch on a bonding curve: base64, in the order in which they were prepared.',
        }),
      ),
      payment: Type.Optional(SignedText),
    }),
  },
  answers: { 202: { description: 'The launch, submitted.', schema: AnyLaunchBody } },
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_LAUNCH);
      const { transactions, payment } = request.body;
      if ((transactions === undefined) === (payment === undefined))
        throw malformed(
          '$',
          'one of `transactions` and `payment` is handed in',
          '`transactions` of a curve, or the `payment` to the launcher',
        );
      return carryOut(request, reply, {
        status: 202,
        answer: (launch: Launch | LauncherLaunch) => anyLaunchBody(launch, ports.clock.now()),
        run: async (context): Promise<Outcome<Launch | LauncherLaunch>> =>
          transactions === undefined
            ? ports.launches.launcher.submit(context, id, payment as string)
            : ports.launches.commands.submit(context, id, transactions),
      });
    };
  },
});
