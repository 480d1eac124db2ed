/** POST /v1/takes/fork: creates a draft from an own or published Take, with another allocation, slippage budget or thresholds. */
import { Type } from 'typebox';
import { take } from '../../../actors/take/resource.ts';
import { onceOnly } from '../../idempotency.ts';
import { storedId } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AnyJson, DecimalText, objectOf } from '../../shapes.ts';
import { NO_TAKE, TakeBody } from './take-body.ts';

export const forkTakeRoute = defineRoute({
  method: 'POST',
  url: '/v1/takes/fork',
  name: 'forkTake',
  tag: 'takes',
  summary: 'Clones a Take with another allocation, slippage budget or thresholds',
  description:
    'Forks a Take of your own, or a published one of another organization. The lineage is kept. The fork has an expiry of its own.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectOf({
      takeId: Type.String({ minLength: 1, maxLength: 64 }),
      allocationUsd: Type.Optional(DecimalText),
      maxSlippageBps: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
      thresholds: Type.Optional(
        Type.Record(Type.String(), AnyJson, { description: 'By `<side>[<index>].<field>`, for example `entry[0].pct`.' }),
      ),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The draft of the fork.', schema: TakeBody } },
  refusals: ['not_found', 'take_invalid'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { takeId: given, ...changes } = request.body;
      const takeId = storedId(given);
      if (takeId === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 201,
        answer: take.body,
        run: (context) => ports.takes.commands.fork(context, takeId, changes),
      });
    };
  },
});
