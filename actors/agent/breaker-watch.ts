/** Looks at the books of agents and Takes with live capital after every tick and fill, and tells whose breaker has tripped. */
import type { Stage } from '../../src/domain/agents/agent.ts';
import type { MarkedBook } from '../../src/domain/books/book.ts';
import { breakersOf } from '../../src/domain/agents/breakers.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The book of an agent or a Take at present prices. */
export interface WatchedBook {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Pick<Manifest, 'maxDailyDrawdownPct'>;
  readonly marked: Pick<MarkedBook, 'dailyDrawdownPct'>;
}

/** Slippage of the live fills since an agent was last demoted or a Take last armed, and what is expected of them; in basis points. */
export interface SlippageFacts {
  readonly slippageBps: number | null;
  readonly fills: number;
  /** Null of an agent if no evidence of the active manifest says. */
  readonly expectedSlippageBps: number | null;
}

export interface BreakerWatch {
  /** Tells everyone among them whose breaker has tripped; answers their ids. */
  look(books: readonly WatchedBook[]): Promise<readonly string[]>;
}

const NO_FILLS: SlippageFacts = { slippageBps: null, fills: 0, expectedSlippageBps: null };

export function createBreakerWatch(deps: {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly slippage: (agentIds: readonly string[]) => Promise<ReadonlyMap<string, SlippageFacts>>;
  /** The largest fall of a day in percent if the manifest does not say it: of Takes, whose mandate does. Who is left out is not on duty. */
  readonly drawdownLimits?: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  readonly clock: Pick<Clock, 'now'>;
  /** A book that cannot be looked at leaves the breakers of all others in force. */
  readonly contained: ContainedLoop;
}): BreakerWatch {
  async function lookAt({ agentId, stage, marked }: WatchedBook, maxDailyDrawdownPct: number, facts: SlippageFacts): Promise<boolean> {
    let told = false;
    for (const { breaker, observed, limit } of breakersOf({
      stage,
      dailyDrawdownPct: marked.dailyDrawdownPct,
      maxDailyDrawdownPct,
      ...facts,
    })) {
      const event = { type: 'breaker.tripped', breaker, at: deps.clock.now(), observed, limit };
      // Refused if it has left live capital in between, or is paused already: then it has done what it was told.
      const outcome = await deps.runtime.deliver(agentId, event, { cause: `breaker ${breaker}` });
      told ||= outcome.ok;
    }
    return told;
  }

  return {
    async look(books) {
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
