/** The circuit breakers, wired: told of marked books after every tick, and looking for live fills between ticks. */
import { type BreakerWatch, createBreakerWatch } from '../../actors/agent/breaker-watch.ts';
import type { Runtime } from '../../actors/runtime/runtime.ts';
import type { Clock } from '../../streams/clock.ts';
import { createBreakerFacts } from '../adapters/store/agents/breaker-facts.ts';
import type { Sql } from '../adapters/store/database.ts';
import { drawdownLimits } from '../adapters/store/takes/take-reads.ts';
import type { Stage } from '../domain/agent.ts';
import { type MarkedBook, worstDrawdownPct } from '../domain/book.ts';
import type { Manifest } from '../domain/manifest/manifest.ts';
import { executionModeOf } from '../domain/order.ts';

/** A fill trips a breaker no later than about so long after it was booked. */
export const FILL_LOOK_MS = 500;
/** Fills of so long before are looked at again: transactions commit late. */
const OVERLAP_MS = 10_000;

interface BreakerDeps {
  readonly sql: Sql;
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}

/** A book as a tick or a look between ticks has marked it. */
interface MarkedTrader {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Pick<Manifest, 'maxDailyDrawdownPct'>;
  readonly marked: MarkedBook;
}

interface Breakers {
  /** For the shard ticker; never fails a tick. */
  readonly onMarked: (books: readonly MarkedTrader[]) => Promise<void>;
  /** Goes through the live fills of the last moments. */
  look(): Promise<unknown>;
}

export function createBreakers(deps: BreakerDeps): Breakers {
  const facts = createBreakerFacts(deps.sql);
  return looking(deps, 'agent', facts, createBreakerWatch({ runtime: deps.runtime, slippage: facts.slippage, clock: deps.clock }));
}

/** The breakers of live Takes: the same two looks, by the limits of their mandates. */
export function createBreakersOfTakes(deps: BreakerDeps): Breakers {
  const facts = createBreakerFacts(deps.sql);
  const watch = createBreakerWatch({
    runtime: deps.runtime,
    slippage: facts.slippage,
    drawdownLimits: (ids) => drawdownLimits(deps.sql, ids),
    clock: deps.clock,
  });
  return looking(deps, 'take', facts, watch);
}

function looking(
  { clock, onError }: BreakerDeps,
  kind: 'agent' | 'take',
  facts: ReturnType<typeof createBreakerFacts>,
  watch: Pick<BreakerWatch, 'look'>,
): Breakers {
  /** Books with live capital; what has no live mark in them counts at its worst known price. */
  async function atWorst(books: readonly MarkedTrader[]) {
    const live = books.filter(({ stage }) => executionModeOf(stage) === 'live');
    const unpriced = new Set(live.flatMap(({ marked }) => marked.unpriced));
    if (unpriced.size === 0) return live;
    const at = clock.now();
    const worst = await facts.worstKnown([...unpriced], at);
    return live.map((book) => {
      const { marked } = book;
      return marked.unpriced.length === 0 ? book : { ...book, marked: { dailyDrawdownPct: worstDrawdownPct(marked, worst, at) } };
    });
  }

  const lookAt = async (books: readonly MarkedTrader[]) => watch.look(await atWorst(books));
  return {
    async onMarked(books) {
      await lookAt(books).catch(onError);
    },
    look: async () => lookAt(await facts.filledSince(clock.now() - OVERLAP_MS, clock.now(), kind)),
  };
}
