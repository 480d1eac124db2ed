/** GET /v1/wallets: lists the organization's proved wallets, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { LinkedWalletBody, linkedWalletBody } from './linked-wallet-body.ts';

export const listWallets = defineRoute({
  method: 'GET',
  url: '/v1/wallets',
  name: 'listWallets',
  tag: 'wallets',
  summary: 'Linked wallets, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of wallets.', schema: pageOf(LinkedWalletBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'wallets', POSITIONS.number);
    return pageBody(await ports.linkedWallets.reads.list(memberOf(request).orgId, page), 'wallets', linkedWalletBody);
  },
});
