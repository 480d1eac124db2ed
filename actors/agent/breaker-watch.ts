/** Checks the books of agents and Takes with live capital after every tick and fill, and trips their breakers. */
import type { Stage } from '../../src/domain/agents/agent.ts';
import type { MarkedBook } from '../../src/domain/books/book.ts';
import { findTrippedBreakers } from '../../src/domain/agents/breakers.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The book of an agent or a Take at present prices. */
interface WatchedBook {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Pick<Manifest, 'maxDailyDrawdownPct'>;
  readonly marked: Pick<MarkedBook, 'dailyDrawdownPct'>;
}

/** Slippage in basis points of live fills since the agent was last demoted or the Take last armed, and the expected slippage. */
interface SlippageFacts {
  readonly slippageBps: number | null;
  readonly fills: number;
  /** Null if the active manifest of an agent has no evidence of it. */
  readonly expectedSlippageBps: number | null;
}

const NO_FILLS: SlippageFacts = { slippageBps: null, fills: 0, expectedSlippageBps: null };

export function createBreakerWatch(deps: {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly slippage: (agentIds: readonly string[]) => Promise<ReadonlyMap<string, SlippageFacts>>;
  /**
   * Reads the daily drawdown limits in percent that a manifest does not give: those of Takes, from their mandate. Takes that are paused are
   * missing.
   */
  readonly drawdownLimits?: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly clock: Pick<Clock, 'now'>;
  /** Contains failures: a book that cannot be checked does not stop the checks of other books. */
  readonly contained: ContainedLoop;
}) {
  async function lookAt({ agentId, stage, marked }: WatchedBook, maxDailyDrawdownPct: number, facts: SlippageFacts): Promise<boolean> {
    let told = false;
    for (const { breaker, observed, limit } of findTrippedBreakers({
      stage,
      dailyDrawdownPct: marked.dailyDrawdownPct,
      maxDailyDrawdownPct,
      ...facts,
    })) {
      const event = { type: 'breaker.tripped', breaker, at: deps.clock.now(), observed, limit };
      // The event is refused if the agent lost its live capital meanwhile or is already paused. Either is what the breaker wants.
      const outcome = await deps.runtime.deliver(agentId, event, { cause: `breaker ${breaker}` });
      told ||= outcome.ok;
    }
    return told;
  }

  return {
    /** Trips the breakers of all books past a limit. Returns the ids of their agents and Takes. */
    async look(books: readonly WatchedBook[]): Promise<readonly string[]> {
      const live = books.filter(({ stage }) => stage === 'limited_live' || stage === 'live');
      if (live.length === 0) return [];
      const ids = live.map(({ agentId }) => agentId);
      const [slippage, limits] = await Promise.all([deps.slippage(ids), deps.drawdownLimits?.(ids)]);
      const told: string[] = [];
      await deps.contained.each(
        live,
        ({ agentId }) => ({ id: agentId, orgId: null }),
        async (book) => {
          const limit = limits === undefined ? book.manifest.maxDailyDrawdownPct : limits.get(book.agentId);
          if (limit !== undefined && (await lookAt(book, limit, slippage.get(book.agentId) ?? NO_FILLS))) told.push(book.agentId);
        },
      );
      return told;
    },
  };
}

export type BreakerWatch = ReturnType<typeof createBreakerWatch>;
