/** The circuit breakers, wired: told of marked books after every tick, and looking for live fills between ticks. */
import { type BreakerWatch, createBreakerWatch } from '../../actors/agent/breaker-watch.ts';
import { runEvery } from '../../actors/runtime/run-every.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { Clock } from '../../streams/clock.ts';
import { createBreakerFacts } from '../adapters/store/agents/breaker-facts.ts';
import type { Sql } from '../adapters/store/database.ts';

/** A fill trips a breaker no later than about so long after it was booked. */
const FILL_LOOK_MS = 500;
/** Fills of so long before are looked at again: transactions commit late. */
const OVERLAP_MS = 10_000;

/** Starts looking. `onMarked` is for the shard ticker; it never fails a tick. */
export function startBreakers(deps: {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): { readonly onMarked: (books: Parameters<BreakerWatch['look']>[0]) => Promise<void>; stop(): Promise<void> } {
  const facts = createBreakerFacts(deps.sql);
  const watch = createBreakerWatch({ runtime: deps.runtime, slippage: facts.slippage, clock: deps.clock });
  const looking = runEvery(
    deps.clock,
    FILL_LOOK_MS,
    async () => watch.look(await facts.filledSince(deps.clock.now() - OVERLAP_MS, deps.clock.now())),
    deps.onError,
  );
  return {
    async onMarked(books) {
      await watch.look(books).catch(deps.onError);
    },
    stop: looking.stop,
  };
}
