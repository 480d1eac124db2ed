/** Looks at the breakers of agents or Takes: after every tick at the books that it marked, and between ticks at live fills. */
import type { Stage } from '../../src/domain/agents/agent.ts';
import { type MarkedBook, worstDrawdownPct } from '../../src/domain/books/book.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { executionModeOf } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { BreakerWatch } from './breaker-watch.ts';

/** A fill trips a breaker no later than about so long after it was booked. */
export const FILL_LOOK_MS = 500;
/** Fills of so long before are looked at again: transactions commit late. */
const OVERLAP_MS = 10_000;

/** A book as a tick or a look between ticks has marked it. */
export interface MarkedTrader {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Pick<Manifest, 'maxDailyDrawdownPct'>;
  readonly marked: MarkedBook;
}

/** Recorded facts about live books. */
export interface LiveBookFacts {
  /** The worst known price of each instrument on this day; of one that never had any there is none. */
  worstKnown(instruments: readonly InstrumentKey[], at: EpochMs): Promise<Parameters<typeof worstDrawdownPct>[1]>;
  /** The books with live capital that were filled since then, marked. */
  filledSince(since: EpochMs, now: EpochMs, kind: 'agent' | 'take', contained: ContainedLoop): Promise<readonly MarkedTrader[]>;
}

export interface Breakers {
  /** Receives the marked books of a shard. Never fails a tick. */
  readonly onMarked: (books: readonly MarkedTrader[]) => Promise<void>;
  /** Goes through the live fills of the last moments. */
  look(): Promise<unknown>;
}

export function createBookBreakers(deps: {
  readonly kind: 'agent' | 'take';
  readonly facts: LiveBookFacts;
  readonly watch: Pick<BreakerWatch, 'look'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly contained: ContainedLoop;
  readonly onError: (error: unknown) => void;
}): Breakers {
  const { kind, facts, watch, clock, contained, onError } = deps;

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
    look: async () => lookAt(await facts.filledSince(clock.now() - OVERLAP_MS, clock.now(), kind, contained)),
  };
}
