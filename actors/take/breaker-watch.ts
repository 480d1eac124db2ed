/** Looks at the books of live Takes after every tick and fill, and disarms one whose day has lost more than its mandate allows. */
import type { Stage } from '../../src/domain/agent.ts';
import type { MarkedBook } from '../../src/domain/book.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A Take's book at present prices. */
export interface WatchedTake {
  readonly agentId: string;
  readonly stage: Stage;
  readonly marked: Pick<MarkedBook, 'dailyDrawdownPct'>;
}

export interface TakeBreakers {
  /** Disarms every Take among them whose breaker has tripped; answers their ids. */
  look(books: readonly WatchedTake[]): Promise<readonly string[]>;
}

/** @param deps.drawdownLimits the largest fall of a day in percent that the mandates allow, by the ids of Takes that are on duty live. */
export function createTakeBreakers(deps: {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly drawdownLimits: (takeIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
}): TakeBreakers {
  return {
    async look(books) {
      const fallen = books.filter(({ stage, marked }) => stage === 'live' && (marked.dailyDrawdownPct ?? 0) > 0);
      if (fallen.length === 0) return [];
      const limits = await deps.drawdownLimits(fallen.map(({ agentId }) => agentId));
      const told: string[] = [];
      for (const { agentId, marked } of fallen) {
        const limit = limits.get(agentId);
        // At its limit it does not trip: the day has to exceed it.
        if (limit === undefined || (marked.dailyDrawdownPct ?? 0) <= limit) continue;
        const outcome = await deps.runtime.deliver(
          agentId,
          { type: 'pause', cause: 'daily_drawdown' },
          { cause: 'breaker daily_drawdown' },
        );
        if (outcome.ok) told.push(agentId);
      }
      return told;
    },
  };
}
