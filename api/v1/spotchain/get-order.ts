/** GET /v1/spotchain/orders/:id: returns a swap, from its preparation to its fill. */
import { NO_TRANSACTION } from '../../../actors/prepared-transaction/submission.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { SwapOrderBody, SwapOrderPath, swapOrderBody } from './swap-body.ts';

export const getSwap = defineRoute({
  method: 'GET',
  url: '/v1/spotchain/orders/:id',
  name: 'getSwap',
  tag: 'spotchain',
  summary: 'One swap with its fill',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: SwapOrderPath },
  answers: { 200: { description: 'The order.', schema: SwapOrderBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const order = id === null ? null : await ports.swaps.reads.find(memberOf(request).orgId, id);
    return order === null ? sendProblem(reply, 'not_found', NO_TRANSACTION) : swapOrderBody(order);
  },
});
