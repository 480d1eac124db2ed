/** Order book that a feed follows, read by executions as in the service. Its venue is never asked. */
import { createAloneClaims } from '../src/adapters/queue/ask-claims.ts';
import { createInProcessMarketStateBus } from '../src/adapters/queue/market-state-bus.ts';
import { createSharedBookReads } from '../src/adapters/venues/shared-book-reads.ts';
import type { StateLevel } from '../src/domain/market/market-state.ts';
import { refuse } from '../src/domain/values/refusal.ts';
import { createBookWants } from '../src/adapters/queue/book-wants.ts';
import type { VirtualClock } from '../streams/clock/virtual-clock.ts';

const LEVELS = 100;

/** Creates the book. `quote` publishes a hundred levels, a dollar apart, with this best bid and an ask a dollar above it. */
export function followedBook(clock: VirtualClock, instrument: string) {
  const states = createInProcessMarketStateBus({ clock });
  const venue = 'spotexchange';
  return {
    orderBooks: createSharedBookReads({
      states,
      wants: createBookWants(states, clock),
      claims: createAloneClaims(clock),
      asked: { read: async () => refuse('unavailable', 'the venue is not asked here') },
      clock,
    }),
    quote(bid: number): void {
      const at = clock.now();
      const side = (best: number, step: number): StateLevel[] =>
        Array.from({ length: LEVELS }, (_, level): StateLevel => [String(best + level * step), '1000']);
      const times = { observedAt: at, receivedAt: at };
      states.publish({
        kind: 'venue_state',
        venue,
        receivedAt: at,
        hearing: 'live',
        detail: '',
        degradedSince: null,
        heardAt: at,
        providers: [],
        clockOffset: null,
        gaps: 0,
        messages: 1,
        rejected: 0,
        budgets: [],
      });
      states.publish({
        kind: 'order_book',
        venue,
        instrument,
        source: 'binance:depth',
        ...times,
        sequence: at,
        bids: side(bid, -1),
        asks: side(bid + 1, 1),
        edge: { bid: null, ask: null },
        quality: 'live',
        flags: [],
      });
    },
  };
}
