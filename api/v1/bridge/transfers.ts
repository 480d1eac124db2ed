/** GET /v1/bridge/transfers: transfers, newest first. */
import { Type } from 'typebox';
import { TransferStateWord } from '../../../actors/bridge-transfer/resource.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { BridgeTransferBody, bridgeTransferBody } from './transfer-body.ts';

export const listBridgeTransfers = defineRoute({
  method: 'GET',
  url: '/v1/bridge/transfers',
  name: 'listBridgeTransfers',
  tag: 'bridge',
  summary: 'Submitted transfers, newest first; quotes where their state is asked for',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ ...pageFields, state: Type.Optional(TransferStateWord) }) },
  answers: { 200: { description: 'A page of transfers.', schema: pageOf(BridgeTransferBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state } = request.query;
    const page = pageOfQuery(request.query, 'bridge-transfers', POSITIONS.number);
    const filter = state === undefined ? {} : { state };
    return pageBody(await ports.bridge.reads.list(memberOf(request).orgId, filter, page), 'bridge-transfers', (view) =>
      bridgeTransferBody(view, ports.clock.now()),
    );
  },
});
