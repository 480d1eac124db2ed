/** Replaces an organization's risk preferences: a new version with its audit row and answer, in one transaction. */
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { RiskPreferences } from '../../src/domain/risk/index.ts';
import { canonicalJson } from '../../src/domain/values/canonical-json.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { answeredMeanwhile, answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';

/** Preferences as set. Version 0 is the defaults. */
export interface PreferencesView {
  readonly version: number;
  readonly preferences: RiskPreferences;
  readonly setBy: string | null;
  /** ISO 8601; null for the defaults. */
  readonly setAt: string | null;
}

interface PreferencesDirectory {
  current(orgId: string): Promise<PreferencesView>;
  /** Writes the rows of a change. Returns false and writes nothing if another request wrote that version first. */
  change(records: readonly ActorRecord[]): Promise<boolean>;
  /** Resolves once every execution has ended that may have been validated by earlier preferences. */
  executionsEnded(orgId: string): Promise<void>;
}

/** Maximum attempts of a change while other requests change the preferences at the same time. */
const RACES = 8;

export function createPreferencesHandler(deps: { readonly store: PreferencesDirectory; readonly clock: Pick<Clock, 'now'> }) {
  const { store, clock } = deps;
  return {
    /**
     * Replaces the preferences. Setting the same ones again changes nothing. After the answer nothing is executed that was
     * validated by earlier ones.
     */
    async replace(context: CommandContext, preferences: RiskPreferences): Promise<Outcome<PreferencesView>> {
      for (let race = 0; race < RACES; race++) {
        const before = await store.current(context.orgId);
        const same = before.version > 0 && canonicalJson(before.preferences) === canonicalJson(preferences);
        const after: PreferencesView = same
          ? before
          : { version: before.version + 1, preferences, setBy: context.subject, setAt: isoTime(clock.now()) };
        const rows = same ? [] : changeRows(context.orgId, after);
        const audit = auditRow(
          context,
          same ? 'risk_preferences.confirmed' : 'risk_preferences.set',
          `risk_preferences:${after.version}`,
          before.preferences,
          after.preferences,
        );
        try {
          if (!(await store.change([...rows, audit, ...answerRows(context, after)]))) continue;
          if (!same) await store.executionsEnded(context.orgId);
          return { ok: true, value: after };
        } catch (error) {
          return answeredMeanwhile(error);
        }
      }
      return refuse('unavailable', 'others keep changing these preferences: try again');
    },
  };
}

export type PreferencesCommands = ReturnType<typeof createPreferencesHandler>;

function changeRows(orgId: string, after: PreferencesView): readonly ActorRecord[] {
  return [
    { type: 'risk_preferences', orgId, version: after.version, preferences: after.preferences, setBy: after.setBy, setAt: after.setAt },
  ];
}
