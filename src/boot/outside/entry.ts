/**
 * What one outside system brings into the service, in one place: where it is, what may be asked of it, and who stands in
 * for it in the sandbox. A venue brings besides what is heard of it. Each is a file beside this one and its line in
 * `index.ts`; what the engine knows of a venue in advance (limits, costs, listings) stands in `src/domain/venues`.
 *
 * Simulators are loaded where the sandbox is started: their libraries are large, and every command reads these files.
 */

import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { MarketExtras } from '../../../streams/market-states.ts';
import type { Feed } from '../../../streams/merge-feeds.ts';
import type { AskBook } from '../../adapters/venues/order-book-reads.ts';
import type { PredictionFeed } from '../../adapters/venues/prediction/provider-feed.ts';
import type { MarkMemory } from '../../adapters/venues/reference/issuer-marks.ts';
import type { RequestBudget } from '../../adapters/venues/request-budget.ts';
import type { Venue } from '../../domain/venue.ts';
import type { FaultSwitch } from '../../sandbox/faults.ts';
import { SANDBOX_KEY } from '../../sandbox/sandbox-key.ts';
import type { SandboxWorld } from '../../sandbox/world.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import type { Secret } from '../secret.ts';

/** Where a simulator listens: `http://127.0.0.1:<port>`. @throws Error in one sentence where no sandbox is to be found. */
export type SimulatorAt = (name: string) => string;

export interface SimulatorEntry {
  /** Its port is SANDBOX_PORT and so much. */
  readonly place: number;
  start(
    world: SandboxWorld,
    at: { readonly clock: Clock; readonly faults: FaultSwitch; readonly port: number },
    config: Config,
  ): Promise<{ readonly url: string; close(): Promise<void> }>;
}

export interface OutsideEntry {
  /** Whose question its budgets pay, as GET /v1/venues tells them. */
  readonly venue: Venue;
  /** What its providers let one address ask. */
  readonly budgets: (make: MakeBudget) => Readonly<Record<string, RequestBudget>>;
  /** Where it is, as the environment says; in the sandbox where it says nothing. */
  readonly addresses: (config: Config, simulator: SimulatorAt) => object;
  /** True where the environment does not name it, so that the sandbox stands in for it. */
  readonly isSimulated: (config: Config) => boolean;
  readonly simulators: Readonly<Record<string, SimulatorEntry>>;
}

/** How an entry reaches its system. */
export interface Reach<Addresses, Budgets> {
  readonly addresses: Addresses;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** For the jitter of backoffs: 0 <= n < 1. */
  readonly random: () => number;
  /** Hears of members that nobody knows in answers to single questions; those of streams are counted by their feeds. */
  readonly note: NoteUnknownField;
}

/** What is followed and asked of one venue. Feeds connect when they are subscribed, not before. */
export interface VenueMarket {
  readonly feeds: readonly Feed[];
  readonly history?: CandleHistory;
  readonly extras?: Partial<MarketExtras>;
  /** Feeds that tell of prediction markets besides quotes; they are among `feeds` too. */
  readonly predictions?: readonly PredictionFeed[];
}

export interface VenueEntry extends OutsideEntry {
  /** `memory` is what is remembered of issuers' marks, where their feed is to be followed. */
  readonly open: (reach: never, memory?: MarkMemory) => VenueMarket;
  /** Asks for one order book on demand, where the venue publishes any. */
  readonly askBook?: (reach: never) => AskBook;
}

/** Somebody waits for an answer to a question on demand; a spent budget is told rather than waited out. */
export const ASKED_WAIT_MS = 2_000;

/** The key that goes to a provider: the sandbox's where the sandbox stands in for it. */
export function keyFor(url: string | null, given: Pick<Secret, 'reveal'> | null): string | null {
  return url === null ? SANDBOX_KEY : (given?.reveal() ?? null);
}

/** The address of sockets at an address of requests. */
export const streamAt = (url: string): string => url.replace(/^http/, 'ws');
