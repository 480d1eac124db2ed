/** Shared state of the endpoints and the streams of the simulated spot exchange. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { FaultSwitch } from '../faults.ts';
import type { Market } from '../market/market.ts';
import type { SimulatedBook } from './simulated-book.ts';

export interface VenueState {
  readonly market: Market;
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  /** Books by symbol. */
  readonly books: ReadonlyMap<string, SimulatedBook>;
  /** Returns the venue's time, which a fault may shift. */
  readonly venueNow: () => EpochMs;
  /** Returns the venue's status of a symbol. */
  readonly statusOf: (symbol: string) => string;
  /** Moves a book to the present. A book without subscribers does not move by itself. */
  readonly asOfNow: (book: SimulatedBook) => void;
}
