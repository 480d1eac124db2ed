/** Looks at the books of agents with live capital after every tick and fill, and tells an agent whose breaker has tripped. */
import type { Stage } from '../../src/domain/agent.ts';
import type { MarkedBook } from '../../src/domain/book.ts';
import { breakersOf } from '../../src/domain/breakers.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** An agent's book at present prices. */
export interface WatchedBook {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Pick<Manifest, 'maxDailyDrawdownPct'>;
  readonly marked: Pick<MarkedBook, 'dailyDrawdownPct'>;
}

/** Slippage of an agent's live fills since it was last demoted, and what is expected of them; in basis points. */
export interface SlippageFacts {
  readonly slippageBps: number | null;
  readonly fills: number;
  /** Null where no evidence of the active manifest says. */
  readonly expectedSlippageBps: number | null;
}

export interface BreakerWatch {
  /** Tells every agent among them whose breaker has tripped; answers their ids. */
  look(books: readonly WatchedBook[]): Promise<readonly string[]>;
}

const NO_FILLS: SlippageFacts = { slippageBps: null, fills: 0, expectedSlippageBps: null };

export function createBreakerWatch(deps: {
  readonly runtime: Pick<Runtime, 'deliver'>;
  readonly slippage: (agentIds: readonly string[]) => Promise<ReadonlyMap<string, SlippageFacts>>;
  readonly clock: Pick<Clock, 'now'>;
}): BreakerWatch {
  async function lookAt({ agentId, stage, manifest, marked }: WatchedBook, facts: SlippageFacts): Promise<boolean> {
    let told = false;
    const { maxDailyDrawdownPct } = manifest;
    for (const { breaker, observed, limit } of breakersOf({
      stage,
      dailyDrawdownPct: marked.dailyDrawdownPct,
      maxDailyDrawdownPct,
      ...facts,
    })) {
      const event = { type: 'breaker.tripped', breaker, at: deps.clock.now(), observed, limit };
      // Refused where the agent has left live capital in between, or is paused already: then it has done what it was told.
      const outcome = await deps.runtime.deliver(agentId, event, { cause: `breaker ${breaker}` });
      told ||= outcome.ok;
    }
    return told;
  }

  return {
    async look(books) {
      const live = books.filter(({ stage }) => stage === 'limited_live' || stage === 'live');
      if (live.length === 0) return [];
      const slippage = await deps.slippage(live.map(({ agentId }) => agentId));
      const told: string[] = [];
      const failures: unknown[] = [];
      for (const book of live) {
        try {
          if (await lookAt(book, slippage.get(book.agentId) ?? NO_FILLS)) told.push(book.agentId);
        } catch (error) {
          // One that cannot be looked at leaves the others' breakers in force.
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, `the breakers of ${failures.length} agents could not be looked at`);
      return told;
    },
  };
}
