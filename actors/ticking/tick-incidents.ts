/** Handles actors whose ticks crash or whose rows cannot be read: records incidents, counts crashes, and pauses the actors. */
import type { DecisionRow } from '../../src/domain/agents/decision.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { UnreadableRow } from '../../src/domain/values/value-text.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { TickDuty, TickStore } from './tick-store.ts';

/** Number of failed starts or ticks in a row after which the actor is paused. */
export const CRASH_LIMIT = 3;

interface TickIncidentDeps {
  readonly store: Pick<TickStore<TickDuty>, 'incident' | 'countCrash' | 'clearCrashes'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Pauses an actor whose ticks keep crashing. */
  readonly pause: (actorId: string) => Promise<void>;
}

export class TickIncidents {
  readonly #deps: TickIncidentDeps;
  /** Actors whose crash count is not zero. */
  readonly #crashing = new Set<string>();

  constructor(deps: TickIncidentDeps) {
    this.#deps = deps;
  }

  async takeOffDuty(actorId: string, slot: EpochMs): Promise<void> {
    const { store, clock, pause } = this.#deps;
    await store.incident({
      actorId,
      at: clock.now(),
      kind: 'tick_crash',
      detail: `${CRASH_LIMIT} ticks in a row did not complete; the agent is paused`,
      event: { type: 'tick', slot },
      quarantine: false,
    });
    await pause(actorId);
  }

  /** Quarantines an actor with an unreadable row, which no correct process can have written. A person must examine it. */
  async quarantine(actorId: string, slot: EpochMs, row: UnreadableRow): Promise<void> {
    const { store, clock } = this.#deps;
    await store.incident({
      actorId,
      at: clock.now(),
      kind: 'quarantined',
      detail: row.message,
      event: { type: 'tick', slot },
      quarantine: true,
    });
  }

  /** Records a tick that threw. Returns true if the actor must be paused. */
  async threw(id: string, slot: EpochMs, error: unknown): Promise<boolean> {
    const { store, clock } = this.#deps;
    if (error instanceof UnreadableRow) {
      await this.quarantine(id, slot, error);
      return false;
    }
    this.#crashing.add(id);
    await store.incident({
      actorId: id,
      at: clock.now(),
      kind: 'tick_threw',
      detail: error instanceof Error ? (error.stack ?? error.message) : String(error),
      event: { type: 'tick', slot },
      quarantine: false,
    });
    return (await store.countCrash(id, slot)) >= CRASH_LIMIT;
  }

  /** Clears the crashes of actors that decided again, and pauses those that threw too often. Runs after the commit. */
  async settle(
    { rows, throwing }: { readonly rows: readonly DecisionRow[]; readonly throwing: readonly string[] },
    slot: EpochMs,
  ): Promise<void> {
    const recovered = rows.filter((row) => row.reason !== 'tick_crash' && this.#crashing.has(row.agentId)).map(({ agentId }) => agentId);
    if (recovered.length > 0) {
      await this.#deps.store.clearCrashes(recovered);
      for (const id of recovered) this.#crashing.delete(id);
    }
    for (const id of throwing) await this.takeOffDuty(id, slot);
  }
}
