/** Circuit breakers of agents and Takes, over the live fills in the store. */

import { type Breakers, createBookBreakers } from '../../../actors/agent/book-breakers.ts';
import { createBreakerWatch } from '../../../actors/agent/breaker-watch.ts';
import type { Containment } from '../../../actors/runtime/containment.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createBreakerFacts } from '../../adapters/store/agents/breaker-facts.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { drawdownLimits } from '../../adapters/store/takes/take-reads.ts';

interface BreakerDeps {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly containment: Containment;
  readonly onError: (error: unknown) => void;
}

export function createBreakers({ sql, runtime, clock, containment, onError }: BreakerDeps): Breakers {
  const facts = createBreakerFacts(sql);
  const contained = containment('breakers');
  const watch = createBreakerWatch({ runtime, slippage: facts.slippage, clock, contained });
  return createBookBreakers({ kind: 'agent', facts, watch, clock, contained, onError });
}

/** Creates the breakers of live Takes: the same two checks, with the limits of their mandates. */
export function createBreakersOfTakes({ sql, runtime, clock, containment, onError }: BreakerDeps): Breakers {
  const facts = createBreakerFacts(sql);
  const contained = containment('breakers of Takes');
  const limits = (ids: readonly string[]) => drawdownLimits(sql, ids);
  const watch = createBreakerWatch({ runtime, slippage: facts.slippage, drawdownLimits: limits, clock, contained });
  return createBookBreakers({ kind: 'take', facts, watch, clock, contained, onError });
}
