/** Outside systems of the service. Addresses, budgets, feeds and the sandbox are built from these lists. */

import type { Bridge, BridgeProvider } from '../../../actors/bridge-transfer/ports.ts';
import type { VenueFlows } from '../../../actors/proposal/execution.ts';
import type { BridgeContext } from '../../adapters/bridge/bridge-context.ts';
import { type BridgeDeps, openBridge as openBridgeOn } from '../../adapters/bridge/open-bridge.ts';
import { createIntelligenceSources } from '../../adapters/intelligence/access.ts';
import type { IntelligenceSources } from '../../adapters/intelligence/intelligence-feed.ts';
import { aloneBudgets, type MakeBudget } from '../../adapters/queue/request-budgets.ts';
import type { Reach } from '../../adapters/reach.ts';
import { type JoinedVenues, joinVenues } from '../../adapters/venues/joined-venues.ts';
import { type AskBook, createOrderBookReads, type OrderBookReads } from '../../adapters/venues/order-book-reads.ts';
import type { MarkMemory } from '../../adapters/venues/reference/issuer-marks.ts';
import { type AskTrades, createVenueFlows } from '../../adapters/venues/venue-flows.ts';
import type { BridgeProviderName } from '../../domain/bridge/quote.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import type { BudgetState } from '../../domain/market/market-state.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { SimulatorEntry } from '../../sandbox/simulator-entry.ts';
import type { Config } from '../config.ts';
import { agentlaunch } from './agentlaunch.ts';
import type { BridgeProviderEntry, OutsideEntry, VenueEntry } from './entry.ts';
import { cctp } from './cctp.ts';
import { evmchain } from './evmchain.ts';
import { evmvenue } from './evmvenue.ts';
import { identity } from './identity.ts';
import { indexer } from './indexer.ts';
import { intelligence, newsBudget } from './intelligence.ts';
import { languageModel } from './language-model.ts';
import { prediction } from './prediction.ts';
import { reference } from './reference.ts';
import { relay } from './relay.ts';
import { keylessBudgets, spotchain } from './spotchain.ts';
import { spotexchange } from './spotexchange.ts';

export const VENUE_ENTRIES = { prediction, spotexchange, evmvenue, spotchain, reference } as const satisfies Record<Venue, VenueEntry>;
const BRIDGE_PROVIDERS = { relay, cctp } as const satisfies Record<BridgeProviderName, BridgeProviderEntry>;
const SYSTEMS = {
  ...VENUE_ENTRIES,
  ...BRIDGE_PROVIDERS,
  agentlaunch,
  intelligence,
  evmchain,
  identity,
  indexer,
  languageModel,
} as const satisfies Record<string, OutsideEntry>;

type System = (typeof SYSTEMS)[keyof typeof SYSTEMS];
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void ? All : never;

const ENTRIES: readonly OutsideEntry[] = Object.values(SYSTEMS);
export type Addresses = Together<ReturnType<System['addresses']>>;
/** Request budgets of the providers, shared by all clients of a process. */
export type RequestBudgets = Together<ReturnType<System['budgets']>>;
export type SimulatorName = System['simulators'] extends infer Each ? (Each extends unknown ? keyof Each : never) : never;

const simulators = ENTRIES.flatMap((entry) => Object.entries(entry.simulators)).sort(([, one], [, other]) => one.place - other.place);
/** Simulators in the order of their ports. The chain's websockets and the control endpoint use the last two ports. */
export const SIMULATORS = simulators.map(([name]) => name) as readonly SimulatorName[];
export const SIMULATOR_ENTRIES = Object.fromEntries(simulators) as Readonly<Record<SimulatorName, SimulatorEntry>>;

/** Returns the addresses from the environment, or else from the sandbox. @throws Error if neither has one */
export function readAddresses(config: Config, sandbox: { readonly urls: Readonly<Record<SimulatorName, string>> } | null): Addresses {
  const simulator = (name: string): string => {
    if (sandbox) return sandbox.urls[name as SimulatorName];
    if (config.SANDBOX_PORT !== 0) return `http://127.0.0.1:${config.SANDBOX_PORT + SIMULATORS.indexOf(name as SimulatorName)}`;
    throw new Error(
      `no address is set for ${name}, and no sandbox runs here or beside: start the service with this state folder first, or set the URLs of all outside systems, or SANDBOX_PORT to where the sandbox role listens`,
    );
  };
  return Object.assign({}, ...ENTRIES.map(({ addresses }) => addresses(config, simulator))) as Addresses;
}

/** True if the environment does not name some outside system, so that the sandbox must simulate it. */
export function needsSandbox(config: Config): boolean {
  return ENTRIES.some(({ isSimulated }) => isSimulated(config));
}

/** Names of all budgets, as used in the catalog file. */
export const BUDGET_NAMES: readonly string[] = ENTRIES.flatMap(({ budgets }) => Object.keys(budgets(aloneBudgets)));

/** Returns the request budgets that differ from the client's defaults. The catalog file takes precedence. */
export function statedBudgets(config: Config): Readonly<Record<string, number>> {
  return { ...keylessBudgets(config), ...newsBudget(config), ...CATALOG.source.budgets };
}

/** Creates the budgets once per process. `make` determines whether they count for this process or for all processes together. */
export function createRequestBudgets(stated: Readonly<Record<string, number>> = {}, make: MakeBudget = aloneBudgets): RequestBudgets {
  const makeStated: MakeBudget = (name, limit, windowMs) => make(name, stated[name] ?? limit, windowMs);
  return Object.assign({}, ...ENTRIES.map(({ budgets }) => budgets(makeStated))) as RequestBudgets;
}

/** Venue that each budget belongs to. */
const PAYERS: ReadonlyMap<string, Venue> = new Map(
  ENTRIES.flatMap(({ venue, budgets }) => Object.keys(budgets(aloneBudgets)).map((name) => [name, venue] as const)),
);

/** Returns this process's remaining requests at each provider. */
export function budgetStates(budgets: RequestBudgets, now: EpochMs): BudgetState[] {
  return Object.entries(budgets).map(([name, budget]) => ({ venue: PAYERS.get(name) ?? 'reference', name, ...budget.state(now) }));
}

export type OutsideReach = Reach<Addresses, RequestBudgets>;

const VENUES: readonly VenueEntry<OutsideReach>[] = Object.values(VENUE_ENTRIES);

export interface Venues extends JoinedVenues {
  readonly intelligence: IntelligenceSources;
}

/** Creates the venues, whose feeds connect on subscription. `memory` contains the stored issuers' marks if their feed is to be followed. */
export function createVenues(reach: OutsideReach, memory?: MarkMemory): Venues {
  const markets = VENUES.map(({ venue, open }) => ({ venue, ...open(reach, memory) }));
  return { ...joinVenues(markets), intelligence: createIntelligenceSources(reach) };
}

/** Creates the order books on demand, requested from the venue within its request budget. */
export function createOrderBooks(reach: OutsideReach): OrderBookReads {
  const asking: Partial<Record<Venue, AskBook>> = {};
  for (const { venue, askBook } of VENUES) if (askBook !== undefined) asking[venue] = askBook(reach);
  return createOrderBookReads(asking);
}

/** Opens the trades of a time window, requested from the venue within its request budget. */
export function openVenueFlows(reach: OutsideReach): VenueFlows {
  const asking: Partial<Record<Venue, AskTrades>> = {};
  for (const { venue, askTrades } of VENUES) if (askTrades !== undefined) asking[venue] = askTrades(reach);
  return createVenueFlows(asking);
}

type BridgeReach = Together<Parameters<(typeof BRIDGE_PROVIDERS)[BridgeProviderName]['open']>[1]>;

/** Opens bridging between both chains. Null if no provider is configured for real chains, or if the EVM chain has no stablecoin. */
export function openBridge(
  reach: Omit<OutsideReach, 'addresses' | 'budgets'> &
    BridgeReach & { readonly addresses: Pick<Addresses, 'evmchain' | 'spotchain'> } & Pick<BridgeDeps, 'quote' | 'onFailure'>,
): (Bridge & { close(): void }) | null {
  const { evmchain, spotchain } = reach.addresses;
  return openBridgeOn({ ...reach, evmchain, rpcUrl: spotchain.rpcUrl, openProviders: (context) => openBridgeProviders(context, reach) });
}

/** Opens the bridge providers that serve the EVM chain, or returns null if none is configured. */
function openBridgeProviders(
  context: BridgeContext,
  reach: BridgeReach,
): Readonly<Partial<Record<BridgeProviderName, BridgeProvider>>> | null {
  const entries: readonly [string, BridgeProviderEntry<BridgeReach>][] = Object.entries(BRIDGE_PROVIDERS);
  if (!entries.some(([, { isNamed }]) => isNamed(reach.addresses))) return null;
  const opened = entries.map(([name, { open }]) => [name, open(context, reach)] as const);
  return Object.fromEntries(opened.filter(([, provider]) => provider !== null));
}
