/** The daily look at agents whose stage is assessed from rows: paper and shadow trading. */
import type { Clock } from '../../streams/clock.ts';
import { type Look, runEvery } from '../runtime/run-every.ts';

/** How often paper and shadow stages without evidence of the day are looked for. */
const DAILY_LOOK_MS = 600_000;

export interface DailyGates<Agent> {
  /** Agents whose gate nobody has looked at on the day of this time. */
  dueForToday(now: number): Promise<readonly Agent[]>;
  /** Validates the gate that the agent stands at, on record. */
  validate(agent: Agent, write: true): Promise<unknown>;
}

/** Assesses whoever is due now; an agent that moves on meanwhile is assessed at its new stage next time. */
export async function assessDue<Agent>(gates: DailyGates<Agent>, now: number, onError: (error: unknown) => void): Promise<void> {
  for (const agent of await gates.dueForToday(now)) await gates.validate(agent, true).catch(onError);
}

/** Assesses whoever is due, again and again. */
export function lookDaily<Agent>(
  gates: DailyGates<Agent>,
  clock: Pick<Clock, 'now' | 'deadline'>,
  onError: (error: unknown) => void,
): Look {
  return runEvery(clock, DAILY_LOOK_MS, () => assessDue(gates, clock.now(), onError), onError);
}
