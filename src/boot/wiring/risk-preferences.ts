/** Risk preferences for the API: reads of the store, and the command handler that changes them. */
import { createPreferencesHandler } from '../../../actors/risk-preferences/command-handler.ts';
import type { ApiPorts } from '../../../api/route.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createPreferencesStore } from '../../adapters/store/risk/risk-preferences-reads.ts';

export function createRiskPreferencesPort(sql: Sql, clock: Pick<Clock, 'now'>): ApiPorts['riskPreferences'] {
  const store = createPreferencesStore(sql);
  const handler = createPreferencesHandler({ store, clock });
  return { current: store.current, history: store.history, replace: handler.replace };
}
