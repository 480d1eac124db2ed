/** GET /v1/risk/preferences/history: lists every version, newest first. */
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { objectOf, pageFields, pageOf } from '../../shapes.ts';
import { preferencesBody, RiskPreferencesBody } from './preferences-body.ts';

export const listRiskPreferences = defineRoute({
  method: 'GET',
  url: '/v1/risk/preferences/history',
  name: 'listRiskPreferences',
  tag: 'risk',
  summary: 'Every risk mandate that was set, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of versions; empty while the defaults hold.', schema: pageOf(RiskPreferencesBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'risk_preferences', POSITIONS.number);
    return pageBody(await ports.riskPreferences.history(memberOf(request).orgId, page), 'risk_preferences', preferencesBody);
  },
});
