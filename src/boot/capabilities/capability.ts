/**
 * Composition of a kind of actor, in one place: its machine, its activity workers, its ticks, its recurring work, and its ports for
 * callers. A kind is a folder under `actors/`, a composition file beside this one and its line in `index.ts`; the records that its steps
 * write are named in the store's list of writers.
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
import type { PerpHistory } from '../../trading/funding.ts';
import type { WalletHistories } from '../../trading/leaderboard-refresh.ts';
import type { createManualMarks } from '../../trading/manual-risk.ts';
import type { LatestQuotes, RiskDeps } from '../../trading/ports.ts';
import type { createPreTrade } from '../../trading/pre-trade.ts';
import type { LaunchingPrimaryChain } from '../../trading/primary-chain.ts';
import type { ReservePlaces } from '../../trading/reserve-check.ts';

/** Dependencies of executing orders. A process without them executes none: their activities wait for one that does. */
export interface WorkerTrading extends Pick<ExecutionDeps, 'preTrade' | 'clients' | 'flows'> {
  /** Reports of orders on the spot exchange. A process without them looks at what rests. */
  readonly stream?: OrderStream | undefined;
  /** The primary chain. A process without it carries no prepared transaction: they wait for one that does. */
  readonly primaryChain?: LaunchingPrimaryChain | null;
  /** The venue of live prediction orders. A process without it asks after none of them. */
  readonly onchainPredictions?: OnchainPredictions | null;
  /** Bridge providers and both chains. A process without them looks at no transfer: they wait for one that does. */
  readonly bridge?: Bridge | null;
  /** The external launcher. A process without it asks it nothing: launches wait for one that does. */
  readonly launcher?: LauncherClient | null;
  /** Risk for the orders of people. A process without it executes none of them. */
  readonly manual?: MarketPreTrade;
  /** Marks of manual books. A process without them begins no day of one. */
  readonly manualMarks?: ReturnType<typeof createManualMarks>;
  /** Places of the assets behind vaults' claims. A process without them compares nothing. */
  readonly reserves?: ReservePlaces;
  /** Rates and bars of perpetuals. A process without them books no funding. */
  readonly perpHistory?: PerpHistory;
  /** Histories of wallets for the leaderboard. A process without them refreshes none. */
  readonly histories?: WalletHistories;
  /** Maximum wait of a proposal for its approval, in milliseconds. */
  readonly approvalMs: number;
  /** Returns the price at which a sell of the instrument would trade now; null without a live one. */
  readonly bid: (instrument: InstrumentKey) => string | null;
  /** The venues whose live orders cannot be carried out; none unless told. */
  readonly disabledVenues?: RiskDeps['disabledVenues'];
}

/** Dependencies that a worker process passes to every capability. */
export interface WorkerDeps {
  readonly sql: Sql;
  readonly store: ReturnType<typeof createActorStore>;
  readonly runtime: Runtime;
  readonly clock: Clock;
  /** Returns true while the lease to execute an order lives, by the clock of the database. */
  readonly leaseIsHeld: (key: string) => Promise<boolean>;
  readonly trading: WorkerTrading | null;
  /** Keeps a bad row from every other row of a background loop. */
  readonly containment: Containment;
  readonly onError: (what: string) => (error: unknown) => void;
}

/** Further dependencies of a kind's ticker. */
export interface TickerDeps extends WorkerDeps {
  /** The time of record: PostgreSQL's. */
  readonly now: () => Promise<EpochMs>;
  /** Shared by the tickers of the process. */
  readonly alone: Turns;
  /** Store of ticks, if it is not simply the database. */
  readonly tickStore?: TradingTickStore;
  /** Tick interval of a kind in milliseconds, if it is not the kind's own period. */
  readonly periodsMs: Readonly<Record<string, number>>;
}

/** Dependencies of one organization's callers: `sql` sees no other organization. */
export interface CallerDeps {
  readonly sql: Sql;
  readonly runtime: Runtime;
  /** Puts evidence on record. */
  readonly evaluator: Sql;
  readonly preTrade: ReturnType<typeof createPreTrade>;
  /** Risk inputs of this organization's orders. */
  readonly risk: RiskDeps;
  readonly bus: LatestQuotes;
  readonly orderBooks: OrderBookReads;
  /** Null if no node of the primary chain is configured: then nothing is swapped. */
  readonly primaryChain: LaunchingPrimaryChain | null;
  /** Null if live prediction orders are not set up. */
  readonly onchainPredictions: OnchainPredictions | null;
  /** Null if bridging is not set up. */
  readonly bridge: Bridge | null;
  /** Null if no external launcher is configured. */
  readonly launcher: LauncherClient | null;
  /** True in a sandbox, whose dollars are simulated: no account is compared. */
  readonly isSimulatedMoney: boolean;
  /** Opens what backs deposits into vaults. */
  readonly reservesOn: (sql: Sql) => VaultReserves & ReserveReads;
  /** History besides bars that a backtest can read by itself. */
  readonly obtainable: ReadonlySet<HistorySource>;
  /** Requests in a minute that quotes of the primary chain are asked with. */
  readonly quotesPerMinute: number;
  readonly predictionBooks: Readonly<Record<PredictionProvider, Pick<PredictionAsking, 'book' | 'ask'>>>;
  readonly clock: Clock;
  readonly newId: () => string;
}

export interface ActorCapability {
  readonly kind: ActorKind;
  /** The file of the machine, as the page of its state chart names it. */
  readonly machineFile: string;
  /** The activity workers by kind of activity; none of what this process has not got the means for. */
  readonly workers?: (deps: WorkerDeps) => Readonly<Record<string, ActivityWorker>>;
  /** Ticks of the kind. A period belongs to one kind. */
  readonly ticks?: { readonly periodMs: number; readonly ticker: (deps: TickerDeps) => ShardTicker };
  /** Work of each period, done by any worker that the queue sends. */
  readonly recurring?: (deps: WorkerDeps) => readonly RecurringWork[];
  /** Checks that every worker makes by itself, within seconds, because they cannot wait for the queue. */
  readonly watches?: (deps: WorkerDeps) => readonly RecurringWork[];
  /** Commands and lists, by the names that the API knows them by. */
  readonly callers?: (deps: CallerDeps) => object;
}
