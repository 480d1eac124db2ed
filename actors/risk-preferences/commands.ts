/** Commands of an organization's risk preferences, and their answers. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { RiskPreferences } from '../../src/domain/risk/index.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Preferences as set. Version 0 is the defaults. */
export interface PreferencesView {
  readonly version: number;
  readonly preferences: RiskPreferences;
  readonly setBy: string | null;
  /** ISO 8601. */
  readonly setAt: string | null;
}

export interface PreferencesCommands {
  /**
   * Replaces the preferences. Setting the same ones again changes nothing. After the answer nothing is executed that was validated by
   * earlier ones.
   */
  replace(context: CommandContext, preferences: RiskPreferences): Promise<Outcome<PreferencesView>>;
}
