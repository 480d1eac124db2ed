/**
 * Composition of one outside system: its address, request budgets and simulator. A venue also has a feed. Each is a file in this folder
 * and a line in `index.ts`, which reads the settings and joins the adapters' client with the sandbox's simulator. Facts about a venue
 * that the engine needs in advance (limits, costs, listings) are in `src/domain/venues`.
 */
import type { BridgeProvider } from '../../../actors/bridge-transfer/ports.ts';
import type { BridgeContext } from '../../adapters/bridge/bridge-context.ts';
import type { MakeBudget } from '../../adapters/queue/request-budgets.ts';
import type { VenueMarket } from '../../adapters/reach.ts';
import type { AskBook } from '../../adapters/venues/order-book-reads.ts';
import type { MarkMemory } from '../../adapters/venues/reference/issuer-marks.ts';
import type { RequestBudget } from '../../adapters/venues/request-budget.ts';
import type { AskTrades } from '../../adapters/venues/venue-flows.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { Secret } from '../../domain/values/secret.ts';
import { SANDBOX_KEY, type Simulators } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';

/** Returns the URL of a simulator: `http://127.0.0.1:<port>`. @throws Error if no sandbox is found */
export type SimulatorAt = (name: string) => string;

export interface OutsideEntry {
  /** Venue that lists its budgets in GET /v1/venues. */
  readonly venue: Venue;
  /** Creates the request budgets of its providers for one address. */
  readonly budgets: (make: MakeBudget) => Readonly<Record<string, RequestBudget>>;
  /** Returns its address from the environment, or the sandbox's if there is none. */
  readonly addresses: (config: Config, simulator: SimulatorAt) => object;
  /** True if the environment does not name it, so that the sandbox simulates it. */
  readonly isSimulated: (config: Config) => boolean;
  readonly simulators: Simulators;
}

/** Entry of a venue. `In` is what its clients need of the service. */
export interface VenueEntry<In = never> extends OutsideEntry {
  /** Opens the venue's market. `memory` contains the stored issuers' marks if their feed is to be followed. */
  readonly open: (reach: In, memory?: MarkMemory) => VenueMarket;
  /** Requests one order book, if the venue publishes any. */
  readonly askBook?: (reach: In) => AskBook;
  /** Requests the trades of a time window, if the venue publishes them. */
  readonly askTrades?: (reach: In) => AskTrades;
}

/** Returns the key for a provider: the sandbox's if the sandbox simulates it. */
export function keyFor(url: string | null, given: Pick<Secret, 'reveal'> | null): string | null {
  return url === null ? SANDBOX_KEY : (given?.reveal() ?? null);
}

/** Returns the websocket URL for an HTTP URL. */
export const streamAt = (url: string): string => url.replace(/^http/, 'ws');

/** Entry of a bridge provider. `In` is what its client needs of the service. */
export interface BridgeProviderEntry<In extends { readonly addresses: unknown } = never> extends OutsideEntry {
  readonly isNamed: (addresses: In['addresses']) => boolean;
  /** Opens the provider, or returns null if it is not configured or does not serve the EVM chain. */
  readonly open: (context: BridgeContext, reach: In) => BridgeProvider | null;
}

/** True if both chains are the sandbox's. Simulated providers connect only simulated chains, real ones only real chains. */
export const isBridgeSimulated = (config: Config): boolean => config.SPOTCHAIN_URL === null && config.EVMCHAIN_URL === null;
