/** GET /v1/bridge/status: the state of one transfer, axis by axis. */
import { NO_TRANSFER } from '../../../actors/bridge-transfer/commands.ts';
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf } from '../../shapes.ts';
import { BridgeTransferBody, bridgeTransferBody } from './transfer-body.ts';

export const getBridgeStatus = defineRoute({
  method: 'GET',
  url: '/v1/bridge/status',
  name: 'getBridgeStatus',
  tag: 'bridge',
  summary: 'Live confirmation and finality status of a transfer',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ id: IdText }) },
  answers: { 200: { description: 'The transfer.', schema: BridgeTransferBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const transfer = await ports.bridge.reads.find(memberOf(request).orgId, request.query.id.toLowerCase());
    return transfer === null ? sendProblem(reply, 'not_found', NO_TRANSFER) : bridgeTransferBody(transfer, ports.clock.now());
  },
});
