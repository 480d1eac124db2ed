/** GET /v1/marketplace/licences: lists the organization's licences, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { LicenceBody, licenceBody } from './checkout-body.ts';

export const listLicences = defineRoute({
  method: 'GET',
  url: '/v1/marketplace/licences',
  name: 'listLicences',
  tag: 'marketplace',
  summary: 'Licences of your organization, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of licences.', schema: pageOf(LicenceBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'licences', POSITIONS.number);
    return pageBody(await ports.marketplace.checkouts.reads.licences(memberOf(request).orgId, page), 'licences', licenceBody);
  },
});
