/**
 * What one outside system brings into the service, in one place: where it is, what may be asked of it, and who stands in
 * for it in the sandbox. A venue brings besides its feed. Each is a file beside this one and its line in
 * `index.ts`: it says what the settings name, and joins the client of the adapters with the simulators of the sandbox. What
 * the engine knows of a venue in advance (limits, costs, listings) stands in `src/domain/venues`.
 */
import type { MakeBudget } from '../../adapters/queue/request-budgets.ts';
import type { VenueMarket } from '../../adapters/reach.ts';
import type { AskBook } from '../../adapters/venues/order-book-reads.ts';
import type { MarkMemory } from '../../adapters/venues/reference/issuer-marks.ts';
import type { RequestBudget } from '../../adapters/venues/request-budget.ts';
import type { AskTrades } from '../../adapters/venues/venue-flows.ts';
import type { Secret } from '../../domain/secret.ts';
import type { Venue } from '../../domain/venue.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { Simulators } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';

/** Where a simulator listens: `http://127.0.0.1:<port>`. @throws Error in one sentence where no sandbox is to be found. */
export type SimulatorAt = (name: string) => string;

export interface OutsideEntry {
  /** Whose question its budgets pay, as GET /v1/venues tells them. */
  readonly venue: Venue;
  /** What its providers let one address ask. */
  readonly budgets: (make: MakeBudget) => Readonly<Record<string, RequestBudget>>;
  /** Where it is, as the environment says; in the sandbox where it says nothing. */
  readonly addresses: (config: Config, simulator: SimulatorAt) => object;
  /** True where the environment does not name it, so that the sandbox stands in for it. */
  readonly isSimulated: (config: Config) => boolean;
  readonly simulators: Simulators;
}

export interface VenueEntry extends OutsideEntry {
  /** `memory` is what is remembered of issuers' marks, where their feed is to be followed. */
  readonly open: (reach: never, memory?: MarkMemory) => VenueMarket;
  /** Asks for one order book on demand, where the venue publishes any. */
  readonly askBook?: (reach: never) => AskBook;
  /** Asks for the trades of a window of time, where the venue tells them. */
  readonly askTrades?: (reach: never) => AskTrades;
}

/** The key that goes to a provider: the sandbox's where the sandbox stands in for it. */
export function keyFor(url: string | null, given: Pick<Secret, 'reveal'> | null): string | null {
  return url === null ? SANDBOX_KEY : (given?.reveal() ?? null);
}

/** The address of sockets at an address of requests. */
export const streamAt = (url: string): string => url.replace(/^http/, 'ws');
