/** The risk mandate. */
import type { PreferencesCommands } from '../../../actors/risk-preferences/command-handler.ts';
import type { PreferencesStore } from '../../../src/adapters/store/risk/risk-preferences-reads.ts';
import { type RouteGroup } from '../../route.ts';
import { getRiskPreferences } from './get-preferences.ts';
import { listRiskPreferences } from './preferences-history.ts';
import { setRiskPreferences } from './set-preferences.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** An organization's risk preferences: read, listed and replaced. */
    readonly riskPreferences: Pick<PreferencesStore, 'current' | 'history'> & Pick<PreferencesCommands, 'replace'>;
  }
}

export const riskRoutes: RouteGroup = {
  tag: {
    name: 'risk',
    position: 120,
    description:
      'The risk mandate of your organization. Every order must meet it and the limits of its manifest. Read it, change the fields and send all of them back: a missing field is refused. Proposals assessed under the earlier mandate are not executed any more.',
  },
  routes: [getRiskPreferences, setRiskPreferences, listRiskPreferences],
};
