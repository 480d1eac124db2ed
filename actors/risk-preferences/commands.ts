/** Commands of an organization's risk preferences, and their answers. */
import type { RiskPreferences } from '../../src/domain/risk/index.ts';

/** Preferences as set. Version 0 is the defaults. */
export interface PreferencesView {
  readonly version: number;
  readonly preferences: RiskPreferences;
  readonly setBy: string | null;
  /** ISO 8601; null for the defaults. */
  readonly setAt: string | null;
}
