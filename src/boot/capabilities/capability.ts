/**
 * Composition of a kind of actor: its machine, activity workers, ticks, recurring work and caller ports. A kind is a folder under
 * `actors/`, a composition file in this folder and its line in `index.ts`. The store's list of writers names the records of its steps.
 */

import type { VaultReserves } from '../../../actors/agent/vault-handler.ts';
import type { Bridge } from '../../../actors/bridge-transfer/ports.ts';
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import type { MarketPreTrade } from '../../../actors/market-order/commands.ts';
import type { OnchainPredictions } from '../../../actors/prediction-order/onchain-venue.ts';
import type { ExecutionDeps } from '../../../actors/proposal/execution.ts';
import type { OrderStream } from '../../../actors/proposal/execution-client.ts';
import type { ActivityWorker } from '../../../actors/runtime/activities.ts';
import type { ActorKind } from '../../../actors/runtime/actor-kind.ts';
import type { Containment } from '../../../actors/runtime/containment.ts';
import type { RecurringWork } from '../../../actors/runtime/recurring.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import type { ShardTicker, Turns } from '../../../actors/ticking/shard-ticker.ts';
import type { TradingTickStore } from '../../../actors/ticking/trading-decisions.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import type { ReserveReads } from '../../adapters/store/vaults/reserve-store.ts';
import type { OrderBookReads } from '../../adapters/venues/order-book-reads.ts';
import type { PredictionAsking } from '../../adapters/venues/prediction/prediction-reads.ts';
import type { HistorySource } from '../../domain/backtest/missing-history.ts';
import type { PredictionProvider } from '../../domain/prediction/market.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import type { PerpHistory } from '../../trading/book-funding.ts';
import type { createManualMarks } from '../../trading/manual-risk.ts';
import type { createPreTrade } from '../../trading/pre-trade.ts';
import type { ReservePlaces } from '../../trading/reserve-check.ts';
import type { RiskDeps } from '../../trading/present-market.ts';
import type { LatestQuotes } from '../../trading/live-marks.ts';
import type { WalletHistories } from '../../adapters/indexer/access.ts';
import type { LaunchingPrimaryChain } from '../../adapters/venues/spotchain/access.ts';
import { type Outcome, refuse } from '../../domain/values/refusal.ts';

/** Outside systems in which capabilities act. */
export interface OutsideAccess {
  /** Primary chain, or null if no node is configured; swaps are then unavailable. */
  readonly primaryChain: LaunchingPrimaryChain | null;
  /** Venue of live prediction orders, or null if none is configured. */
  readonly onchainPredictions: OnchainPredictions | null;
  /** Bridge providers and both chains, or null if bridging is not set up. */
  readonly bridge: Bridge | null;
  /** External launcher, or null if none is configured. */
  readonly launcher: LauncherClient | null;
}

/**
 * Dependencies of order execution. A process without them executes no orders and leaves their activities to others, as it does for each
 * outside system that it does not have.
 */
export interface WorkerTrading extends Pick<ExecutionDeps, 'preTrade' | 'clients' | 'flows'>, Partial<OutsideAccess> {
  /** Order reports of the spot exchange. A process without them polls resting orders. */
  readonly stream?: OrderStream | undefined;
  /** Risk for manual orders. A process without it executes none of them. */
  readonly manual?: MarketPreTrade;
  /** Marks of manual books. A process without them begins no manual book's day. */
  readonly manualMarks?: ReturnType<typeof createManualMarks>;
  /** Sources of the assets behind vaults' claims. A process without them makes no comparison. */
  readonly reserves?: ReservePlaces;
  /** Rates and bars of perpetuals. A process without them books no funding. */
  readonly perpHistory?: PerpHistory;
  /** Wallet histories for the leaderboard. A process without them refreshes none. */
  readonly histories?: WalletHistories;
  /** Maximum wait for a proposal's approval, in milliseconds. */
  readonly approvalMs: number;
  /** Returns the price at which a sell would trade now, or null if there is no live one. */
  readonly bid: (instrument: InstrumentKey) => string | null;
  /** Venues whose live orders cannot be executed. Default: none. */
  readonly disabledVenues?: RiskDeps['disabledVenues'];
}

/** Dependencies that a worker process passes to every capability. */
export interface WorkerDeps {
  readonly sql: Sql;
  readonly store: ReturnType<typeof createActorStore>;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Returns true while the lease to execute an order is held, by the database's clock. */
  readonly leaseIsHeld: (key: string) => Promise<boolean>;
  readonly trading: WorkerTrading | null;
  /** Isolates a failing row from the other rows of a background loop. */
  readonly containment: Containment;
  readonly onError: (what: string) => (error: unknown) => void;
}

/** Further dependencies of a kind's ticker. */
export interface TickerDeps extends WorkerDeps {
  /** Returns PostgreSQL's time, the time of record. */
  readonly now: () => Promise<EpochMs>;
  /** Turns shared by the tickers of the process. */
  readonly alone: Turns;
  /** Store of ticks, if it is not the database. */
  readonly tickStore?: TradingTickStore;
  /** Tick periods by kind in milliseconds that replace the kind's own. */
  readonly periodsMs: Readonly<Record<string, number>>;
}

/** Dependencies of one organization's callers. `sql` sees no other organization. */
export interface CallerDeps extends OutsideAccess {
  readonly sql: Sql;
  readonly runtime: Runtime;
  /** Connection that writes evidence. */
  readonly evaluator: Sql;
  readonly preTrade: ReturnType<typeof createPreTrade>;
  /** Risk inputs of the organization's orders. */
  readonly risk: RiskDeps;
  readonly bus: LatestQuotes;
  readonly orderBooks: OrderBookReads;
  /** True in a sandbox, whose dollars are simulated. Accounts are then not compared. */
  readonly isSimulatedMoney: boolean;
  /** Opens the assets that back vault deposits. */
  readonly reservesOn: (sql: Sql) => VaultReserves & ReserveReads;
  /** Sources of history, other than bars, that a backtest can read by itself. */
  readonly obtainable: ReadonlySet<HistorySource>;
  /** Quote requests to the primary chain's aggregator per minute. */
  readonly quotesPerMinute: number;
  readonly predictionBooks: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'book' | 'ask'>>>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface ActorCapability {
  readonly kind: ActorKind;
  /** File of the machine, as the page of its state chart names it. */
  readonly machineFile: string;
  /** Returns the activity workers by kind of activity, without those whose dependencies are missing. */
  readonly workers?: (deps: WorkerDeps) => Readonly<Record<string, ActivityWorker>>;
  /** Ticks of the kind. Each period belongs to one kind. */
  readonly ticks?: { readonly periodMs: number; readonly ticker: (deps: TickerDeps) => ShardTicker };
  /** Periodic work that any worker may do when the queue assigns it. */
  readonly recurring?: (deps: WorkerDeps) => readonly RecurringWork[];
  /** Checks that every worker runs by itself, within seconds, because they cannot wait for the queue. */
  readonly watches?: (deps: WorkerDeps) => readonly RecurringWork[];
  /** Commands and lists by their names in the API. */
  readonly callers?: (deps: CallerDeps) => object;
}

/**
 * Returns commands of a capability that is not configured. They refuse what would begin something. For a known id, its own state comes first.
 * @param detail Names the missing setting. @param nothing Message for an unknown id. */
export function switchedOff(detail: string, nothing: string, find: (orgId: string, id: string) => Promise<unknown>) {
  const begin = async (): Promise<Outcome<never>> => refuse('feature_disabled', detail);
  return {
    begin,
    goOn: async ({ orgId }: { readonly orgId: string }, id: string) =>
      (await find(orgId, id)) === null ? refuse('not_found', nothing) : begin(),
  };
}
