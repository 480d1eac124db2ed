/**
 * Composition of one outside system, in one place: its address, its request budgets, and its simulator in the sandbox. A venue also has its
 * feed. Each is a file beside this one and its line in `index.ts`: it says what the settings name, and joins the client of the adapters
 * with the simulators of the sandbox. Facts about a venue that the engine needs in advance (limits, costs, listings) are in
 * `src/domain/venues`.
 */
import type { MakeBudget } from '../../adapters/queue/request-budgets.ts';
import type { VenueMarket } from '../../adapters/reach.ts';
import type { AskBook } from '../../adapters/venues/order-book-reads.ts';
import type { MarkMemory } from '../../adapters/venues/reference/issuer-marks.ts';
import type { RequestBudget } from '../../adapters/venues/request-budget.ts';
import type { AskTrades } from '../../adapters/venues/venue-flows.ts';
import type { Secret } from '../../domain/values/secret.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { Simulators } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';

/** Returns the address of a simulator: `http://127.0.0.1:<port>`. @throws Error in one sentence if no sandbox is found. */
export type SimulatorAt = (name: string) => string;

export interface OutsideEntry {
  /** Venue under which GET /v1/venues lists its budgets. */
  readonly venue: Venue;
  /** Request budgets of its providers for one address. */
  readonly budgets: (make: MakeBudget) => Readonly<Record<string, RequestBudget>>;
  /** Address from the environment, or in the sandbox if there is none. */
  readonly addresses: (config: Config, simulator: SimulatorAt) => object;
  /** True if the environment does not name it, so that the sandbox stands in for it. */
  readonly isSimulated: (config: Config) => boolean;
  readonly simulators: Simulators;
}

export interface VenueEntry extends OutsideEntry {
  /** `memory` is what is remembered of issuers' marks, where their feed is to be followed. */
  readonly open: (reach: never, memory?: MarkMemory) => VenueMarket;
  /** Asks for one order book on demand, if the venue publishes any. */
  readonly askBook?: (reach: never) => AskBook;
  /** Asks for the trades of a window of time, if the venue tells them. */
  readonly askTrades?: (reach: never) => AskTrades;
}

/** The key that goes to a provider: the sandbox's where the sandbox stands in for it. */
export function keyFor(url: string | null, given: Pick<Secret, 'reveal'> | null): string | null {
  return url === null ? SANDBOX_KEY : (given?.reveal() ?? null);
}

/** The address of sockets at an address of requests. */
export const streamAt = (url: string): string => url.replace(/^http/, 'ws');
