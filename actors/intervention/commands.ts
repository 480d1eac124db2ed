/** Interventions of a person in any actor, outside its state chart. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';

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

export interface InterventionCommands {
  /**
   * Retries one activity now: a pending one, or one that was given up while its actor still waits for it. Activities that the actor no
   * longer waits for are refused.
   */
  retry(context: CommandContext, actorId: string, key: string, reason: string): Promise<Outcome<Intervention>>;
  /** Resets the attempts of all pending activities of the actor, and runs them now. */
  reset(context: CommandContext, actorId: string, reason: string): Promise<Outcome<Intervention>>;
  /** Ends a quarantine. Sends the actor an event if its chart has one for it. Otherwise the actor continues where it stopped. */
  release(context: CommandContext, actorId: string, reason: string): Promise<Outcome<Intervention>>;
}
