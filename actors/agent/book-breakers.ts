/** Checks the breakers of agents and Takes: after every tick for the books it marked, and between ticks for live fills. */
import type { Stage } from '../../src/domain/agents/agent.ts';
import { type MarkedBook, worstDrawdownPct } from '../../src/domain/books/book.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { toExecutionMode } from '../../src/domain/orders/order.ts';
import { type EpochMs, MINUTE_MS } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { ContainedLoop } from '../runtime/containment.ts';
import type { BreakerWatch } from './breaker-watch.ts';

/** Interval at which new fills are checked. A fill trips a breaker about this long after it was booked at the latest. */
export const FILL_LOOK_MS = 500;
/** Age in milliseconds at which fills may still be booked. A swap counts from its block and is booked once it is final. */
const BOOKED_LATE_MS = 15 * MINUTE_MS;

/** Book of an agent or Take, marked by a tick or between ticks. */
interface MarkedTrader {
  readonly agentId: string;
  readonly stage: Stage;
  readonly manifest: Pick<Manifest, 'maxDailyDrawdownPct'>;
  readonly marked: MarkedBook;
}

/** Trader with live capital, with the number of its last fill. */
export interface FilledTrader extends MarkedTrader {
  readonly lastFill: number;
}

/** Recorded facts about live books. */
interface LiveBookFacts {
  /** Worst known price of each instrument on this day. Instruments that never had a price are missing. */
  worstKnown(instruments: readonly InstrumentKey[], at: EpochMs): Promise<Parameters<typeof worstDrawdownPct>[1]>;
  /** Marked books with live capital that were filled since `since`, except those whose last fill is in `seen`. */
  filledSince(
    since: EpochMs,
    now: EpochMs,
    kind: 'agent' | 'take',
    seen: ReadonlyMap<string, number>,
    contained: ContainedLoop,
  ): Promise<readonly FilledTrader[]>;
}

export interface Breakers {
  /** Receives the marked books of a shard. Must not fail a tick. */
  readonly onMarked: (books: readonly MarkedTrader[]) => Promise<void>;
  /** Checks the books of recent live fills. */
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
  /** Number of each trader's last checked fill. The numbers of a book ascend, because its lock is held until they are written. */
  const seen = new Map<string, number>();
  let lookedAt: EpochMs | null = null;

  /** Marks books with live capital. A position without a live price counts at its worst known price. */
  async function atWorst(books: readonly MarkedTrader[]) {
    const live = books.filter(({ stage }) => toExecutionMode(stage) === 'live');
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
    async look() {
      const now = clock.now();
      const since = Math.min(lookedAt ?? now, now) - BOOKED_LATE_MS;
      const filled = await facts.filledSince(since, now, kind, seen, contained);
      const tripped = await lookAt(filled);
      for (const { agentId, lastFill } of filled) seen.set(agentId, lastFill);
      lookedAt = now;
      return tripped;
    },
  };
}
