/** POST /v1/takes/arm: arms a Take, which is then evaluated every half minute under the organization's risk mandate. */
import { Type } from 'typebox';
import { take } from '../../../actors/take/resource.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { onceOnly } from '../../idempotency.ts';
import { storedId } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { ConfirmField, NO_TAKE, TakeBody } from './take-body.ts';

export const armTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/arm',
  name: 'armTake',
  tag: 'takes',
  summary: 'Makes a Take an active policy',
  description:
    'A Take from words is armed once its author has confirmed what its `open` names; until then it is refused with `take_unsettled`. Limits are those of the stored risk preferences, never of the request. `live` trades its allocation on the spot exchange, where live orders there are switched on, or from a wallet that is delegated to the Take (`POST /v1/delegations`) on the primary chain, where delegated signing is switched on; elsewhere it is refused with `feature_disabled`, and without a delegation with `state_conflict`. The allocations of all live Takes together stay within the capital of the preferences. A live Take needs free dollars where it trades, on the primary chain in its wallet: those that no vault, no other armed Take and nothing that a person asked for has bound (`insufficient_balance`).',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectOf({
      takeId: Type.String({ minLength: 1, maxLength: 64 }),
      mode: choice(EXECUTION_MODES),
      confirm: ConfirmField,
    }),
  },
  idempotent: true,
  answers: { 200: { description: 'The Take, armed.', schema: TakeBody } },
  refusals: ['not_found', 'take_unsettled', 'state_conflict', 'cause_persists', 'blocked_by_risk', 'feature_disabled'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { mode, confirm } = request.body;
      const takeId = storedId(request.body.takeId);
      if (takeId === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: take.body,
        run: (context) => ports.takes.commands.arm(context, takeId, mode, confirm),
      });
    };
  },
});
