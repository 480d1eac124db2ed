/** The daily look at agents whose stage is assessed from rows: paper and shadow trading. */
import type { Clock } from '../../streams/clock.ts';
import { type Look, runEvery } from '../runtime/run-every.ts';

/** How often paper and shadow stages without evidence of the day are looked for. */
const DAILY_LOOK_MS = 600_000;

/** Assesses whoever is due; an agent that moves on meanwhile is assessed at its new stage next time. */
export function lookDaily<Agent>(
  gates: {
    /** Agents whose gate nobody has looked at on the day of this time. */
    dueForToday(now: number): Promise<readonly Agent[]>;
    /** Validates the gate that the agent stands at, on record. */
    validate(agent: Agent, write: true): Promise<unknown>;
  },
  clock: Pick<Clock, 'now' | 'deadline'>,
  onError: (error: unknown) => void,
): Look {
  return runEvery(
    clock,
    DAILY_LOOK_MS,
    async () => {
      for (const agent of await gates.dueForToday(clock.now())) await gates.validate(agent, true).catch(onError);
    },
    onError,
  );
}
