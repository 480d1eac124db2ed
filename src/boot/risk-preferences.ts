/** The risk preferences as the API asks for them: reads of the store, and the desk that changes them. */
import { createPreferencesDesk } from '../../actors/risk-preferences/desk.ts';
import type { RiskPreferencesDoor } from '../../api/book-doors.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createPreferencesStore } from '../adapters/store/risk-preferences-reads.ts';

export function createRiskPreferencesDoor(sql: Sql, clock: Pick<Clock, 'now'>): RiskPreferencesDoor {
  const store = createPreferencesStore(sql);
  const desk = createPreferencesDesk({ store, clock });
  return { current: store.current, history: store.history, replace: desk.replace };
}
