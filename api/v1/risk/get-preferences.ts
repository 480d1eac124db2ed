/** GET /v1/risk/preferences. */
import { memberOf } from '../../caller.ts';
import { defineRoute } from '../../route.ts';
import { preferencesBody, RiskPreferencesBody } from './preferences-body.ts';

export const getRiskPreferences = defineRoute({
  method: 'GET',
  url: '/v1/risk/preferences',
  name: 'getRiskPreferences',
  tag: 'risk',
  summary: "The organization's risk mandate",
  permission: 'agent:read',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The preferences that hold now.', schema: RiskPreferencesBody } },
  refusals: [],
  handle: (ports) => async (request) => preferencesBody(await ports.riskPreferences.current(memberOf(request).orgId)),
});
