/** The parts that the server is made of: a port for each group of routes. Boot supplies them; nothing is global. */
import type { AgentTokens } from '../actors/agent/agent-tokens.ts';
import type { AgentCommands } from '../actors/agent/command-handler.ts';
import type { GateCommands } from '../actors/agent/gate-handler.ts';
import type { OutsideProposals } from '../actors/agent/outside-proposals.ts';
import type { SignalHooks } from '../actors/agent/signal-hooks.ts';
import type { VaultCommands } from '../actors/agent/vault-handler.ts';
import type { BridgeCommands } from '../actors/bridge-transfer/commands.ts';
import type { CheckoutCommands } from '../actors/checkout/command-handler.ts';
import type { DelegationCommands } from '../actors/delegation/command-handler.ts';
import type { EvaluationCommands } from '../actors/evaluation/command-handler.ts';
import type { InterventionCommands } from '../actors/intervention/command-handler.ts';
import type { LaunchClaims, LaunchCommands } from '../actors/launch/commands.ts';
import type { Launch } from '../actors/launch/resource.ts';
import type { LauncherClient, LauncherLaunchCommands } from '../actors/launcher-launch/commands.ts';
import type { LeaderboardWalletCommands } from '../actors/leaderboard-wallet/command-handler.ts';
import type { LinkedWalletCommands } from '../actors/linked-wallet/command-handler.ts';
import type { ListingCommands } from '../actors/listing/command-handler.ts';
import type { MarketOrderCommands } from '../actors/market-order/command-handler.ts';
import type { MemberCommands } from '../actors/members/command-handler.ts';
import type { LivePredictionOrders, PredictionOrderCommands } from '../actors/prediction-order/commands.ts';
import type { SwapCommands } from '../actors/prepared-transaction/swap-commands.ts';
import type { ProposalCommands } from '../actors/proposal/command-handler.ts';
import type { PreferencesCommands } from '../actors/risk-preferences/command-handler.ts';
import type { ActorBranches } from '../actors/runtime/actor-branches.ts';
import type { ActorHistory } from '../actors/runtime/actor-history.ts';
import type { MachineChart } from '../actors/runtime/chart.ts';
import type { TakeCommands } from '../actors/take/command-handler.ts';
import type { MachineLayout } from '../src/adapters/chart/machine-layout.ts';
import type { ChainWalletReads } from '../src/adapters/evmchain/wallet-reads.ts';
import type { AssessmentPhrasing, MessageRewording } from '../src/adapters/language-model/model-ports.ts';
import type { QuoteReads } from '../src/adapters/queue/quote-bus.ts';
import type { RunPages } from '../src/adapters/report-page.ts';
import type { AgentMarket } from '../src/adapters/solana/agent-market.ts';
import type { PrimaryWalletReads } from '../src/adapters/solana/primary-wallets.ts';
import type { ActorReads } from '../src/adapters/store/actors/actor-reads.ts';
import type { RuntimeReads } from '../src/adapters/store/actors/runtime-reads.ts';
import type { WorkQueues } from '../src/adapters/store/actors/runtime-rows.ts';
import type { AgentReads, LastHalt } from '../src/adapters/store/agents/agent-reads.ts';
import type { CutReads } from '../src/adapters/store/agents/cut-reads.ts';
import type { DecisionStore } from '../src/adapters/store/agents/decision-reads.ts';
import type { Recommendations } from '../src/adapters/store/agents/recommendation-reads.ts';
import type { BookReads } from '../src/adapters/store/books/book-reads.ts';
import type { BridgeTransferStore } from '../src/adapters/store/bridge/bridge-transfer-store.ts';
import type { IdempotencyStore } from '../src/adapters/store/callers/idempotency-store.ts';
import type { LinkedWalletStore } from '../src/adapters/store/callers/linked-wallet-store.ts';
import type { OrganizationMembers } from '../src/adapters/store/callers/organization-members.ts';
import type { BarReads } from '../src/adapters/store/candles/bar-reads.ts';
import type { IssuerMarkStore } from '../src/adapters/store/catalog/issuer-mark-store.ts';
import type { Conversations } from '../src/adapters/store/copilot/conversation-store.ts';
import type { DelegationStore } from '../src/adapters/store/delegations/delegation-store.ts';
import type { EvaluationReads } from '../src/adapters/store/evaluations/evaluation-store.ts';
import type { PreviewStore } from '../src/adapters/store/evaluations/trial-reads.ts';
import type { AgentCalibration } from '../src/adapters/store/gates/calibration-store.ts';
import type { IntelligenceReads } from '../src/adapters/store/intelligence/intelligence-reads.ts';
import type { LaunchReads } from '../src/adapters/store/launches/launch-store.ts';
import type { LeaderboardReads } from '../src/adapters/store/leaderboard/leaderboard-store.ts';
import type { LongWorkReads } from '../src/adapters/store/long-work-store.ts';
import type { CheckoutStore } from '../src/adapters/store/marketplace/checkout-store.ts';
import type { ListingStore } from '../src/adapters/store/marketplace/listing-store.ts';
import type { MarketOrderReads } from '../src/adapters/store/orders/market-order-store.ts';
import type { PredictionOrderStore } from '../src/adapters/store/orders/prediction-order-store.ts';
import type { SwapReads } from '../src/adapters/store/orders/prepared-transaction-store.ts';
import type { ProposalStore } from '../src/adapters/store/orders/proposal-store.ts';
import type { PreferencesStore } from '../src/adapters/store/risk/risk-preferences-reads.ts';
import type { TakeReads } from '../src/adapters/store/takes/take-reads.ts';
import type { ReserveReads } from '../src/adapters/store/vaults/reserve-store.ts';
import type { VaultCourse } from '../src/adapters/store/vaults/vault-course.ts';
import type { VaultStore } from '../src/adapters/store/vaults/vault-store.ts';
import type { CandleReads } from '../src/adapters/venues/candle-reads.ts';
import type { FundingReads, PublicWalletReads } from '../src/adapters/venues/evmvenue/wallet-reads.ts';
import type { OrderBookReads } from '../src/adapters/venues/order-book-reads.ts';
import type { PredictionReads } from '../src/adapters/venues/prediction/prediction-reads.ts';
import type { ClosingFacts } from '../src/domain/agents/closing-waits.ts';
import type { Preview } from '../src/domain/backtest/preview.ts';
import type { BacktestRequest } from '../src/domain/backtest/request.ts';
import type { Catalog } from '../src/domain/catalog/catalog.ts';
import type { CurveState } from '../src/domain/launch/launch-state.ts';
import type { Manifest } from '../src/domain/manifest/manifest.ts';
import type { BudgetState } from '../src/domain/market/market-state.ts';
import type { AskedSession, StepAsk } from '../src/domain/outside/replay-step.ts';
import type { Outcome } from '../src/domain/values/refusal.ts';
import type { LaunchQuotes } from '../src/trading/launch-quotes.ts';
import type { PortfolioReads } from '../src/trading/portfolio.ts';
import type { Clock } from '../streams/clock/clock.ts';
import type { AccessPorts } from './access.ts';
import type { OperationPorts } from './operation/operation-ports.ts';
import type { BasisReads } from './v1/arbitrage/basis-reads.ts';
import type { MarketStateReads } from './v1/state-reads.ts';
import type { SandboxWalletPort } from './v1/wallets/sandbox-wallet-port.ts';
import type { TokenDollars } from '../src/domain/launch/quote-tokens.ts';

export interface ApiPorts {
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'deadline'>;
  readonly operation: OperationPorts;
  readonly access: AccessPorts;
  readonly answers: Pick<IdempotencyStore, 'find'>;
  /** The members of one organization. */
  readonly members: {
    readonly reads: Pick<OrganizationMembers, 'list' | 'roles' | 'invitations'>;
    readonly commands: MemberCommands;
  };
  /** Commands of an identity that belongs to no organization yet. */
  readonly joining: {
    accept(subject: string, code: string): Promise<Outcome<{ readonly orgId: string }>>;
  };
  readonly agents: {
    /** Null if the organization has no such agent. */
    calibration(orgId: string, agentId: string): Promise<AgentCalibration | null>;
    readonly reads: AgentReads;
    readonly commands: AgentCommands;
    readonly decisions: Pick<DecisionStore, 'list' | 'get'>;
    /** Recommendations of the organization's agents. */
    readonly recommendations: Recommendations;
    /** Past states of an agent's chart. */
    readonly past: Pick<ActorHistory, 'stateAt'>;
    /** Outside proposals of external agents. */
    readonly outside: OutsideProposals;
    readonly tokens: AgentTokens;
    readonly signals: SignalHooks;
    readonly gates: GateCommands;
    readonly evaluations: Pick<EvaluationReads, 'list' | 'find' | 'report'> &
      Pick<PreviewStore, 'notePreview'> & { readonly commands: EvaluationCommands; readonly page: RunPages };
    /** Returns the facts that explain what the agent's closings wait for. Empty if the organization has no such agent. */
    readonly closingFacts: (orgId: string, agentId: string) => Promise<ClosingFacts>;
    /** Returns the newest halt, or null. */
    readonly lastHalt: (orgId: string) => Promise<LastHalt | null>;
  };
  readonly previews: {
    /** Returns the number of bar series that a manifest reads on its timeframe. */
    seriesOf(manifest: Manifest): number;
    /** Runs a preview off the main loop within its time limit. Ends early with the signal. */
    run(
      asked: { readonly orgId: string; readonly subject: string; readonly manifest: Manifest; readonly request: BacktestRequest },
      signal: AbortSignal,
    ): Promise<Preview>;
  };
  /** Replay sessions, of this process and of those that it reaches; null if there can be none. */
  readonly replays: {
    /** Answers a step as JSON, or returns null if no process runs the session. */
    step(of: AskedSession, step: StepAsk): Promise<Outcome<string> | null>;
    /** Stops answering a cancelled session. */
    abandon(of: AskedSession): Promise<void>;
  } | null;
  readonly actors: ActorBranches & { readonly reads: ActorReads };
  readonly runtime: {
    readonly reads: RuntimeReads;
    readonly commands: InterventionCommands;
    queues(): Promise<WorkQueues>;
  };
  readonly proposals: {
    readonly reads: Pick<ProposalStore, 'list' | 'find'>;
    readonly commands: ProposalCommands;
  };
  readonly takes: {
    readonly reads: Pick<TakeReads, 'list' | 'find' | 'listPublished' | 'history' | 'chartState'>;
    readonly commands: TakeCommands;
    readonly decisions: Pick<DecisionStore, 'list' | 'get'>;
  };
  readonly copilot: {
    readonly conversations: Conversations;
    /** Absent if no language model is configured. */
    readonly rewording?: MessageRewording;
  };
  readonly vaults: {
    readonly course: VaultCourse['course'];
    readonly commands: VaultCommands;
    readonly ranking: Pick<VaultStore, 'rank'>;
    readonly reserves: ReserveReads;
  };
  readonly delegations: {
    readonly reads: Pick<DelegationStore, 'list'>;
    readonly commands: DelegationCommands;
  };
  /** Wallets whose owners have proved them to the organization, newest first. */
  readonly linkedWallets: {
    readonly reads: Pick<LinkedWalletStore, 'list' | 'named'>;
    readonly commands: LinkedWalletCommands;
  };
  readonly marketOrders: {
    readonly reads: MarketOrderReads;
    readonly commands: MarketOrderCommands;
  };
  readonly swaps: {
    readonly reads: SwapReads;
    readonly commands: SwapCommands;
  };
  readonly predictionOrders: {
    readonly reads: Pick<PredictionOrderStore, 'list' | 'find'>;
    readonly commands: PredictionOrderCommands;
    readonly live: LivePredictionOrders;
  };
  readonly predictionMarkets: PredictionReads;
  readonly books: BookReads;
  readonly portfolio: PortfolioReads;
  /** An organization's risk preferences: read, listed and replaced. */
  readonly riskPreferences: Pick<PreferencesStore, 'current' | 'history'> & Pick<PreferencesCommands, 'replace'>;
  readonly catalog: {
    readonly entries: Catalog;
    readonly marks: Pick<IssuerMarkStore, 'changes'>;
  };
  readonly quotes: QuoteReads;
  readonly candles: CandleReads;
  readonly longWork: LongWorkReads;
  readonly orderBook: OrderBookReads;
  readonly bridge: {
    readonly reads: Pick<BridgeTransferStore, 'list' | 'find' | 'steps'>;
    readonly commands: BridgeCommands;
  };
  readonly venues: {
    readonly states: MarketStateReads;
    /** Remaining requests of this process, by provider. */
    budgets(): readonly BudgetState[];
  };
  readonly funding: FundingReads;
  /** Wallets of anybody, read from outside. */
  readonly wallets: {
    readonly venue: PublicWalletReads;
    readonly evm: ChainWalletReads;
    /** Absent if no node of the primary chain reads wallets. */
    readonly primary?: PrimaryWalletReads;
  };
  readonly sandboxWallets: SandboxWalletPort;
  readonly intelligence: IntelligenceReads;
  readonly rankings: {
    readonly cuts: CutReads;
    readonly bars: BarReads;
    readonly basis: BasisReads;
    /** Absent if no language model is configured. */
    readonly phrasing?: AssessmentPhrasing;
  };
  readonly leaderboard: LeaderboardReads;
  readonly leaderboardWallets: { readonly commands: LeaderboardWalletCommands };
  readonly launches: {
    readonly reads: LaunchReads;
    readonly commands: LaunchCommands;
    /** Launches by the external launcher. */
    readonly launcher: LauncherLaunchCommands;
    readonly claims: LaunchClaims;
    readonly monitor: {
      /**
       * Returns the present state on the chain, or null if no node is configured or there is no such pool yet. @throws if the node does not
       * answer.
       */
      curveState(orgId: string, launch: Pick<Launch, 'pool' | 'config'>): Promise<CurveState | null>;
      /** Price of a whole token of the quote now; null if nothing live prices it. */
      dollars(orgId: string, mint: string): Promise<TokenDollars | null>;
    };
  };
  readonly launchQuotes: LaunchQuotes;
  /** External launcher, for public reads. */
  readonly launcher: Pick<LauncherClient, 'pairs'>;
  readonly marketplace: {
    readonly listings: { readonly reads: Pick<ListingStore, 'list' | 'find' | 'rules' | 'prices'>; readonly commands: ListingCommands };
    readonly checkouts: { readonly reads: Pick<CheckoutStore, 'list' | 'find' | 'licences'>; readonly commands: CheckoutCommands };
  };
  readonly agentMarket: AgentMarket;
  readonly machines: {
    /** Null for a machine that this version of the service does not have. */
    describe(machine: string): MachineChart | null;
    layout(machine: string): Promise<MachineLayout | null>;
  };
}
