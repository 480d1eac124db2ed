/** The circuit breakers, wired: told of marked books after every tick, and looking for live fills between ticks. */
import { type BreakerWatch, createBreakerWatch } from '../../actors/agent/breaker-watch.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import { createTakeBreakers } from '../../actors/take/breaker-watch.ts';
import type { Clock } from '../../streams/clock.ts';
import { createBreakerFacts } from '../adapters/store/agents/breaker-facts.ts';
import type { Sql } from '../adapters/store/database.ts';
import { drawdownLimits } from '../adapters/store/takes/take-reads.ts';

/** A fill trips a breaker no later than about so long after it was booked. */
export const FILL_LOOK_MS = 500;
/** Fills of so long before are looked at again: transactions commit late. */
const OVERLAP_MS = 10_000;

/** `onMarked` is for the shard ticker and never fails a tick; `look` goes through the live fills of the last moments. */
export function createBreakers(deps: {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}): { readonly onMarked: (books: Parameters<BreakerWatch['look']>[0]) => Promise<void>; look(): Promise<unknown> } {
  const facts = createBreakerFacts(deps.sql);
  const watch = createBreakerWatch({ runtime: deps.runtime, slippage: facts.slippage, clock: deps.clock });
  return {
    async onMarked(books) {
      await watch.look(books).catch(deps.onError);
    },
    look: async () => watch.look(await facts.filledSince(deps.clock.now() - OVERLAP_MS, deps.clock.now())),
  };
}

/** The breakers of live Takes: the same two looks, by the limits of their mandates. */
export function createBreakersOfTakes(deps: Parameters<typeof createBreakers>[0]): ReturnType<typeof createBreakers> {
  const facts = createBreakerFacts(deps.sql);
  const watch = createTakeBreakers({ runtime: deps.runtime, drawdownLimits: (ids) => drawdownLimits(deps.sql, ids) });
  return {
    async onMarked(books) {
      await watch.look(books).catch(deps.onError);
    },
    look: async () => watch.look(await facts.filledSince(deps.clock.now() - OVERLAP_MS, deps.clock.now(), 'take')),
  };
}
