/** The risk mandate. */
import { entry, type RouteGroup } from '../../route.ts';
import { getRiskPreferences } from './get-preferences.ts';
import { listRiskPreferences } from './preferences-history.ts';
import { setRiskPreferences } from './set-preferences.ts';

export const riskRoutes: RouteGroup = {
  tag: {
    name: 'risk',
    position: 120,
    description:
      'The risk mandate of your organization. Every order must meet it and the limits of its manifest. Read it, change the fields and send all of them back: a missing field is refused. Proposals assessed under the earlier mandate are not executed any more.',
  },
  routes: [entry(getRiskPreferences, 'agent:read'), entry(setRiskPreferences, 'risk:manage'), entry(listRiskPreferences, 'agent:read')],
};
