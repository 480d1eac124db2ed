/** Commands of an organization's risk preferences, and their answers. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { RiskPreferences } from '../../src/domain/risk/index.ts';
import type { CommandContext } from '../agent/commands.ts';

/** Preferences as they were set. Version 0 are the defaults, which nobody set. */
export interface PreferencesView {
  readonly version: number;
  readonly preferences: RiskPreferences;
  readonly setBy: string | null;
  /** ISO 8601. */
  readonly setAt: string | null;
}

export interface PreferencesCommands {
  /** Replaces the preferences; the same ones again change nothing. Once it has answered, nothing is executed any more that was validated by earlier ones. */
  replace(context: CommandContext, preferences: RiskPreferences): Promise<Outcome<PreferencesView>>;
}
