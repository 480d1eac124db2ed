/** Everything that the API asks of the rest of the service. Boot supplies it; nothing is global. */

import type { AgentCommands, AgentView } from '../actors/agent/commands.ts';
import type { GateCommands } from '../actors/agent/gate-handler.ts';
import type { VaultCommands } from '../actors/agent/vault-commands.ts';
import type { DelegationCommands } from '../actors/delegation/commands.ts';
import type { EvaluationCommands, EvaluationView } from '../actors/evaluation/commands.ts';
import type { MarketOrderCommands, MarketOrderView } from '../actors/market-order/commands.ts';
import type { LivePredictionOrders, PredictionOrderCommands, PredictionOrderView } from '../actors/prediction-order/commands.ts';
import type { PreparedTransactionView } from '../actors/prepared-transaction/commands.ts';
import type { SwapCommands } from '../actors/prepared-transaction/swap-commands.ts';
import type { ProposalCommands, ProposalView } from '../actors/proposal/commands.ts';
import type { Permission, Stage } from '../src/domain/agent.ts';
import type { Candle } from '../src/domain/candle.ts';
import type { CandleWindow } from '../src/domain/candle-gaps.ts';
import type { Json } from '../src/domain/canonical-json.ts';
import type { Catalog } from '../src/domain/catalog.ts';
import type { DecimalString } from '../src/domain/decimal.ts';
import type { DecisionRecord } from '../src/domain/decision.ts';
import type { Delegation } from '../src/domain/delegation.ts';
import type { EvidenceCheck, EvidenceKind, EvidenceMetrics } from '../src/domain/evidence.ts';
import type { ProposalState } from '../src/domain/execution.ts';
import type { MarkChange } from '../src/domain/issuer-mark.ts';
import type { Manifest } from '../src/domain/manifest/manifest.ts';
import type { BudgetState, MarketState } from '../src/domain/market-state.ts';
import type { ExecutionMode } from '../src/domain/order.ts';
import type { PredictionMarket, PredictionProvider, PredictionStatus } from '../src/domain/prediction/market.ts';
import type { PredictionOrderState } from '../src/domain/prediction/order.ts';
import type { Evidence } from '../src/domain/prediction/research.ts';
import type { Quality, QualityFlag, Quote, ReferencePrice } from '../src/domain/quote.ts';
import type { Outcome } from '../src/domain/refusal.ts';
import type { EpochMs } from '../src/domain/time.ts';
import type { Venue } from '../src/domain/venue.ts';
import type { ChainWallet, PublicWallet } from '../src/domain/wallet.ts';
import type { BookReads, RiskPreferencesPort } from './v1/books/ports.ts';
import type { IntelligenceReads } from './v1/intelligence/ports.ts';
import type { PortfolioPort, PrimaryWalletReads } from './v1/portfolio/ports.ts';

/** What a verified token says: who, and until when. Nothing else of a token counts (decisions "Identity"). */
export interface VerifiedToken {
  readonly subject: string;
  readonly expiresAt: EpochMs;
  /** True where the token was checked against keys that may be outdated: its bearer may read, and stop agents, but lead to no trade. */
  readonly readOnly?: boolean;
}

/** A subject's grants as the database holds them at this moment. */
export interface Member {
  readonly orgId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** A window into a list: at most `limit` items beyond the position `after`; null begins at the first. */
export interface Page {
  readonly limit: number;
  readonly after: string | null;
}

/** One page. `next` is the position of its last item where more items follow, else null. */
export interface PageOf<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface AgentVersion {
  readonly version: number;
  readonly manifestHash: string;
  readonly createdBy: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface AgentDetail extends AgentView {
  /** Newest first. */
  readonly versions: readonly AgentVersion[];
  /** The canonical manifest of the active version, as it was hashed. */
  readonly manifest: { readonly [field: string]: Json };
}

/** One committed step of an agent's state chart. */
export interface AgentStep {
  readonly version: number;
  readonly at: EpochMs;
  readonly machine: string;
  readonly event: Json;
  readonly from: Json;
  readonly to: Json;
  readonly cause: string | null;
}

/** Evidence that is tied to a manifest hash, as the database judged it (spec section 3.1). */
export interface AgentEvidence {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: EpochMs;
  readonly runId: string | null;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics;
  readonly seq: number;
  readonly hash: string;
}

/** A manifest version together with the one before it. */
export interface VersionedManifest extends AgentVersion {
  readonly manifest: Manifest;
  /** Null for the first version. */
  readonly previous: Manifest | null;
}

/** Where an agent's state chart stands. */
export interface AgentStanding {
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: Json;
}

/** Reads about agents. Every one takes the organization; a foreign agent answers null, exactly as a missing one. */
export interface AgentReads {
  list(orgId: string, page: Page): Promise<PageOf<AgentView>>;
  get(orgId: string, agentId: string): Promise<AgentDetail | null>;
  history(orgId: string, agentId: string, page: Page): Promise<PageOf<AgentStep> | null>;
  evidence(orgId: string, agentId: string, page: Page): Promise<PageOf<AgentEvidence> | null>;
  /** Newest first; only versions from `from` to `to`, both inclusive, where they are given. */
  versions(
    orgId: string,
    agentId: string,
    range: { readonly from: number | null; readonly to: number | null },
    page: Page,
  ): Promise<PageOf<VersionedManifest> | null>;
  /** One version's manifest; null where there is no such version (or agent). */
  manifest(orgId: string, agentId: string, version: number): Promise<Manifest | null>;
  standing(orgId: string, agentId: string): Promise<AgentStanding | null>;
}

/** Reads of people's orders on the spot exchange, newest first; a foreign order answers null, exactly as a missing one. */
export interface MarketOrderReads {
  list(orgId: string, filter: { readonly mode?: ExecutionMode }, page: Page): Promise<PageOf<MarketOrderView>>;
  find(orgId: string, id: string): Promise<MarketOrderView | null>;
}

/** Reads of swaps, newest first; a foreign one answers null, exactly as a missing one. */
export interface SwapReads {
  list(orgId: string, page: Page): Promise<PageOf<PreparedTransactionView>>;
  find(orgId: string, id: string): Promise<PreparedTransactionView | null>;
}

/** Reads of orders on prediction markets, newest first; a foreign order answers null, exactly as a missing one. */
export interface PredictionOrderReads {
  list(
    orgId: string,
    filter: { readonly mode?: ExecutionMode; readonly state?: PredictionOrderState; readonly marketId?: string },
    page: Page,
  ): Promise<PageOf<PredictionOrderView>>;
  find(orgId: string, id: string): Promise<PredictionOrderView | null>;
}

/** Reads of trade proposals, newest first. Every one takes the organization; a foreign proposal answers null, exactly as a missing one. */
export interface ProposalReads {
  list(orgId: string, filter: { readonly state?: ProposalState; readonly agentId?: string }, page: Page): Promise<PageOf<ProposalView>>;
  find(orgId: string, proposalId: string): Promise<ProposalView | null>;
}

/** Reads of decision records, newest first. Null where the organization has no such agent. */
export interface DecisionReads {
  list(orgId: string, agentId: string, page: Page): Promise<PageOf<DecisionRecord> | null>;
  get(orgId: string, agentId: string, decisionId: string): Promise<DecisionRecord | null>;
}

/** A machine for the eye: its definition as XState gives it, and the same as a Mermaid state diagram. */
export interface MachineChart {
  readonly definition: Json;
  readonly mermaid: string;
}

/** A rectangle in CSS pixels at scale 1, measured from the top left corner of the machine. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A machine as boxes and edges, ready to be drawn. */
export interface MachineLayout {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly (Rectangle & {
    readonly id: string;
    readonly parent: string | null;
    readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
    readonly title: string;
    readonly stays: readonly string[];
  })[];
  readonly edges: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly event: string;
    readonly points: readonly { readonly x: number; readonly y: number }[];
    readonly label: (Rectangle & { readonly lines: readonly string[] }) | null;
  }[];
}

/** The history of issuers' marks, newest first; of one token, or of all where the instrument is null. */
export interface MarkReads {
  changes(
    instrument: string | null,
    page: Page,
  ): Promise<
    PageOf<{
      readonly id: number;
      readonly change: MarkChange;
      readonly previous: { readonly markPrice: DecimalString; readonly markValuation: DecimalString } | null;
    }>
  >;
}

/** The market view of this process: the latest event per instrument, in memory. */
export interface QuoteReads {
  latest(filter: { readonly venue?: Venue; readonly instrument?: string }): readonly (Quote | ReferencePrice)[];
}

/** Closed bars, ascending. `from` is inclusive, `to` exclusive. */
export interface CandleReads {
  range(query: {
    readonly venue: Venue;
    readonly instrument: string;
    readonly timeframe: string;
    readonly from: EpochMs;
    readonly to: EpochMs;
    readonly limit: number;
    /** A window that the venue could not fill may be asked for again after so long; the service's own pace unless told. */
    readonly askAgainMs?: number;
  }): Promise<readonly StoredCandle[]>;
  /** Stretches of [from, to) that a venue or a file answered for, or that were refused: why a bar is missing. */
  windows(series: CandleSeries, range: { readonly from: EpochMs; readonly to: EpochMs }): Promise<readonly CandleWindow[]>;
  /** The first bar that is stored; null where there is none. */
  firstOpen(series: CandleSeries): Promise<EpochMs | null>;
}

export interface CandleSeries {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
}

export interface StoredCandle extends Candle {
  readonly source: string;
}

/** What the venues say beside quotes, the newest of each, in memory. Keys are those of `marketStateKey`. */
export interface MarketStateReads {
  snapshot(): readonly MarketState[];
  latest(key: string): MarketState | null;
}

/** Funding that a perpetual paid in the last hours, ascending, as its venue says. */
export interface FundingReads {
  recent(
    instrument: string,
    hours: number,
  ): Promise<
    Outcome<{ readonly rates: readonly { readonly at: EpochMs; readonly hourlyFunding: DecimalString }[]; readonly fetchedAt: EpochMs }>
  >;
}

/** Any address on the perpetuals venue, as the venue reports it. */
export interface PublicWalletReads {
  read(address: string): Promise<Outcome<PublicWallet>>;
}

/** Balances of an address on the EVM chain, read from a node at one block. */
export interface ChainWalletReads {
  read(address: string): Promise<Outcome<ChainWallet>>;
}

export interface BookLevel {
  readonly price: DecimalString;
  readonly size: DecimalString;
}

export interface OrderBook {
  readonly source: string;
  readonly observedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
  /** Best first. */
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

export interface OrderBookReads {
  /** At most `depth` levels of each side; refuses with `not_found` or `unavailable`. */
  read(venue: Venue, instrument: string, depth: number): Promise<Outcome<OrderBook>>;
}

/** A vault with its place among its organization's vaults; values are those of its last mark. */
export interface RankedVault {
  /** Null where it has no mark within the window. */
  readonly rank: number | null;
  readonly agentId: string;
  readonly name: string;
  readonly stage: Stage;
  readonly returnPct: number | null;
  readonly sinceAt: EpochMs | null;
  readonly sharePriceUsd: DecimalString | null;
  readonly highWaterMarkUsd: DecimalString;
  readonly drawdownPct: number | null;
  readonly equityUsd: DecimalString | null;
  readonly allocatedUsd: DecimalString;
  readonly realizedPnlUsd: DecimalString;
  readonly depositors: number;
  readonly markedAt: EpochMs | null;
}

export interface VaultRanking {
  /** By the return of a share over the window (`24h`, `7d`, `30d`, `all`), best first. */
  rank(orgId: string, window: string, page: Page): Promise<PageOf<RankedVault>>;
}

/** Prediction markets of both providers. */
export interface PredictionReads {
  /** Those that end last first. */
  list(
    filter: {
      readonly provider?: PredictionProvider;
      readonly status?: PredictionStatus;
      readonly underlying?: string;
      readonly text?: string;
      readonly eventId?: string;
    },
    page: Page,
  ): Promise<PageOf<PredictionMarket>>;
  get(id: string): Promise<PredictionMarket | null>;
  /** The other provider's markets about the same underlying. */
  counterparts(market: PredictionMarket): Promise<readonly PredictionMarket[]>;
  /** Book and trades of a market, asked of its venue now; what the venue refuses is told in words. */
  evidence(market: PredictionMarket): Promise<Evidence>;
}

/** Whether the service can work, part by part. */
export interface Readiness {
  readonly ready: boolean;
  readonly parts: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

/** The answer that a request with an Idempotency-Key was given before. `status` is null while it is still being made. */
export interface RememberedAnswer {
  readonly requestHash: string;
  readonly status: number | null;
  readonly body: string | null;
}

export interface RememberedAnswers {
  find(orgId: string, subject: string, route: string, key: string): Promise<RememberedAnswer | null>;
}

/** What a request costs. `emergency` is the pause and the halt: a bucket of their own that nothing else empties. */
export const COST_CLASSES = ['read', 'write', 'costly', 'emergency', 'failed_identity'] as const;
export type CostClass = (typeof COST_CLASSES)[number];

export interface Allowance {
  readonly allowed: boolean;
  /** The most that the bucket holds. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until one more request is allowed; 0 where one is. */
  readonly retryAfterSeconds: number;
}

export interface RateLimits {
  /** Takes one from the key's bucket. A limit shared between processes answers later. */
  take(key: string, cost: CostClass): Allowance | Promise<Allowance>;
  /** Whether the bucket is empty, without taking. */
  exhausted(key: string, cost: CostClass): Allowance | null | Promise<Allowance | null>;
  /** The most that a class's buckets hold, and in how many seconds an empty one is full again. */
  policy(cost: CostClass): { readonly limit: number; readonly windowSeconds: number };
}

export interface RequestObservation {
  readonly method: string;
  /** The route's pattern, or `unknown`. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
}

export interface Metrics {
  readonly contentType: string;
  /** The Prometheus text. */
  render(): Promise<string>;
  observe(observation: RequestObservation): void;
}

/** Evaluation runs. Every read takes the organization; a foreign agent or run answers null, exactly as a missing one. */
export interface EvaluationPort {
  readonly commands: EvaluationCommands;
  list(orgId: string, agentId: string, page: Page): Promise<PageOf<EvaluationView> | null>;
  find(orgId: string, agentId: string, runId: string): Promise<EvaluationView | null>;
  /** The canonical result and the page of a finished run. */
  report(orgId: string, agentId: string, runId: string): Promise<{ readonly result: string; readonly report: string } | null>;
}

export interface ApiPorts {
  readonly clock: { now(): EpochMs };
  /** A fresh id per request (UUIDv7). */
  newRequestId(): string;
  verifyToken(token: string): Promise<Outcome<VerifiedToken>>;
  readonly members: { find(subject: string): Promise<Member | null> };
  readonly limits: RateLimits;
  readonly answers: RememberedAnswers;
  readonly commands: AgentCommands;
  readonly proposals: ProposalReads;
  readonly proposalCommands: ProposalCommands;
  readonly marketOrders: MarketOrderReads;
  readonly marketOrderCommands: MarketOrderCommands;
  readonly swaps: SwapReads;
  readonly swapCommands: SwapCommands;
  readonly predictionOrders: PredictionOrderReads;
  readonly predictionOrderCommands: PredictionOrderCommands;
  readonly livePredictionOrders: LivePredictionOrders;
  readonly delegations: { list(orgId: string, agentId: string | null, page: Page): Promise<PageOf<Delegation>> };
  readonly delegationCommands: DelegationCommands;
  readonly gates: GateCommands;
  readonly evaluations: EvaluationPort;
  readonly agents: AgentReads;
  readonly vaults: VaultCommands;
  readonly vaultRanking: VaultRanking;
  readonly decisions: DecisionReads;
  /** Null for a machine that this version of the service does not have. */
  readonly charts: { describe(machine: string): MachineChart | null; layout(machine: string): Promise<MachineLayout | null> };
  readonly quotes: QuoteReads;
  readonly candles: CandleReads;
  readonly intelligence: IntelligenceReads;
  readonly books: BookReads;
  readonly portfolio: PortfolioPort;
  readonly riskPreferences: RiskPreferencesPort;
  readonly orderBook: OrderBookReads;
  readonly predictions: PredictionReads;
  readonly states: MarketStateReads;
  readonly funding: FundingReads;
  /** What this process may still ask of each provider. */
  budgets(): readonly BudgetState[];
  readonly publicWallets: PublicWalletReads;
  readonly chainWallets: ChainWalletReads;
  /** Left out where no node of the primary chain reads wallets. */
  readonly primaryWallets?: PrimaryWalletReads;
  readonly catalog: Catalog;
  readonly marks: MarkReads;
  readiness(): Promise<Readiness>;
  readonly metrics: Metrics;
  /** True of an error that says that the database (or another server of ours) is away: it becomes a 503. */
  isUnavailable(error: unknown): boolean;
  /** Hears of every error that became a 500: a defect. */
  reportDefect(error: unknown, where: { readonly requestId: string; readonly route: string }): void;
}
