/** Command and store ports of the risk-preference routes. */
import type { PreferencesCommands, PreferencesView } from '../../../actors/risk-preferences/commands.ts';
import type { Page, PageOf } from '../../page.ts';

/** An organization's risk preferences: read, listed and replaced. */
export interface RiskPreferencesPort {
  current(orgId: string): Promise<PreferencesView>;
  /** Versions that were set, newest first. */
  history(orgId: string, page: Page): Promise<PageOf<PreferencesView>>;
  readonly replace: PreferencesCommands['replace'];
}
