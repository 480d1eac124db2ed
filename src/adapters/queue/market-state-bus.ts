/** Bus of the newest market states. It is separate because books are larger than quotes and must not delay them. */
import { type MarketState, marketStateKey } from '../../domain/market/market-state.ts';
import {
  createInProcessNewestBus,
  createRedisNewestBus,
  type NewestBus,
  type NewestBusOptions,
  type NewestKind,
  type RedisNewestBusOptions,
} from './newest-bus.ts';

export type MarketStateBus = NewestBus<MarketState>;

const KINDS: ReadonlySet<unknown> = new Set([
  'perp_context',
  'day_ticker',
  'order_book',
  'venue_state',
  'issuer_mark',
  'book_want',
  'asked_book',
]);
/** Milliseconds for which a requested state is shared; more than the largest age limit (5 s) of venues with books. */
const ASKED_KEPT_MS = 10_000;
/** Milliseconds after which an unrenewed book is dropped. */
const BOOK_KEPT_MS = 600_000;

const STATES: NewestKind<MarketState> = {
  channel: 'sevengate:states',
  keyOf: marketStateKey,
  isOlder: (one, other) => one.receivedAt < other.receivedAt,
  same: (one, other) => one === other || (one.receivedAt === other.receivedAt && JSON.stringify(one) === JSON.stringify(other)),
  isOver(state, now) {
    if (state.kind === 'book_want') return now >= state.until;
    if (state.kind === 'asked_book') return now - state.receivedAt > ASKED_KEPT_MS;
    return state.kind === 'order_book' && now - state.receivedAt > BOOK_KEPT_MS;
  },
  is(value): value is MarketState {
    const state = value as Partial<MarketState> | null;
    return (
      typeof state === 'object' &&
      state !== null &&
      KINDS.has(state.kind) &&
      typeof state.venue === 'string' &&
      Number.isSafeInteger(state.receivedAt)
    );
  },
};

/** Creates the bus of a single process. */
export function createInProcessMarketStateBus(options: NewestBusOptions): MarketStateBus {
  return createInProcessNewestBus(STATES, options);
}

/** Creates the bus between processes over Redis pub/sub. */
export function createRedisMarketStateBus(options: RedisNewestBusOptions): MarketStateBus {
  return createRedisNewestBus(STATES, options);
}
