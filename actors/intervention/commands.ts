/** Interventions of a person in any actor, outside its state chart. */
import type { EpochMs } from '../../src/domain/values/time.ts';

export const INTERVENTIONS = ['retry', 'reset', 'release'] as const;
export type InterventionAction = (typeof INTERVENTIONS)[number];

export interface Intervention {
  readonly actorId: string;
  readonly action: InterventionAction;
  /** Retried activity, or null if the whole actor was released. */
  readonly activity: string | null;
  /** Number of activities to retry. */
  readonly activities: number;
  readonly reason: string;
  readonly subject: string;
  readonly at: EpochMs;
}
