/** Interventions of a person in an actor of any kind, outside its state chart. */
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';

export const INTERVENTIONS = ['retry', 'reset', 'release'] as const;
export type InterventionAction = (typeof INTERVENTIONS)[number];

/** An intervention as it is on record. */
export interface Intervention {
  readonly actorId: string;
  readonly action: InterventionAction;
  /** Retried activity; null if the whole actor was released. */
  readonly activity: string | null;
  /** Number of activities to retry. */
  readonly activities: number;
  readonly reason: string;
  readonly subject: string;
  readonly at: EpochMs;
}

export interface InterventionCommands {
  /**
   * Has one activity tried anew and at once: a pending one, or one that was given up while its actor still stands where it
   * asked for it. What its actor has gone on from is not carried out any more.
   */
  retry(context: CommandContext, actorId: string, key: string, reason: string): Promise<Outcome<Intervention>>;
  /** Counts the attempts of all pending activities of the actor from none, and has them tried at once. */
  reset(context: CommandContext, actorId: string, reason: string): Promise<Outcome<Intervention>>;
  /** Ends a quarantine: the actor is told of it where its chart has an event for that, else it goes on where it stopped. */
  release(context: CommandContext, actorId: string, reason: string): Promise<Outcome<Intervention>>;
}
