/** What the feed says, and bodies of the API that the console reads more closely than api.ts tells them. For the type checker only. */

import type {
  Agent,
  Book,
  BridgeTransfer,
  Candles,
  Decision,
  EvaluationRun,
  Gate,
  Gates,
  LaunchMonitor,
  LaunchTransaction,
  LinkedWallet,
  ManifestVersion,
  Me,
  Observation,
  Perp,
  Portfolio,
  PredictionMarket,
  RankedAgentToken,
  Take,
  Vault,
} from './api.ts';

export type {
  Agent,
  Book,
  BridgeTransfer,
  Candles,
  Decision,
  EvaluationRun,
  Gate,
  Gates,
  LaunchMonitor,
  LaunchTransaction,
  LinkedWallet,
  ManifestVersion,
  Me,
  Observation,
  Perp,
  Portfolio,
  PredictionMarket,
  RankedAgentToken,
  Take,
  Vault,
};

/** An announcement of the `agents` channel; its snapshot holds agents instead. */
export interface AgentChange {
  readonly agentId: string;
  readonly what: string;
  readonly stage: string;
  readonly duty: string;
  readonly feed: string;
  readonly autonomy: string;
  readonly pauseCause: string | null;
  readonly manifestHash: string;
}

export interface Condition {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An announcement of the `takes` channel. */
export interface TakeChange {
  readonly takeId: string;
  readonly state: string;
  readonly mode: string | null;
  readonly reason: string | null;
}

export type StateValue = string | { readonly [region: string]: StateValue };

export interface Step {
  readonly version: number;
  readonly at: string;
  readonly machine: string;
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  readonly from: StateValue | null;
  readonly to: StateValue;
  readonly cause: string | null;
}

/** A step as the `inspect` channel tells of it. */
export interface InspectedStep extends Omit<Step, 'at' | 'cause'> {
  readonly actorId: string;
  readonly kind: string;
}

export interface Chart {
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: StateValue;
}

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Box extends Rectangle {
  readonly id: string;
  readonly parent: string | null;
  readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
  readonly title: string;
  readonly stays: readonly string[];
}

export interface Edge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly event: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly label: (Rectangle & { readonly lines: readonly string[] }) | null;
}

export interface Layout {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
}

export interface Rule {
  readonly instrument: string;
  readonly side: 'entry' | 'exit';
  readonly type: string;
  readonly passed: boolean;
  readonly observed: string | number | null;
  readonly threshold: string | number | null;
}

/** One condition of a gate. */
export interface GateCheck {
  readonly name: string;
  readonly observed: number | null;
  readonly rule: string;
  readonly limit: number | null;
  readonly passed: boolean;
}

/** A refusal as a problem document, as far as it is shown. */
export interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly rejections?: readonly Rejection[];
  readonly checks?: readonly GateCheck[];
  /** What would settle an ambiguous thesis. */
  readonly questions?: readonly string[];
  readonly problems?: readonly { readonly path: string; readonly problem: string; readonly allowed: string }[];
}

export interface Rejection {
  readonly code: string;
  readonly limit: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly suggestion: string | null;
}

/** A decision in words. */
export interface Explanation {
  readonly summary: string;
  readonly why: readonly string[];
  readonly instruments: readonly {
    readonly instrument: string;
    readonly seen: string;
    readonly entry: readonly RuleInWords[];
    readonly exit: readonly RuleInWords[];
  }[];
  readonly missing: readonly string[];
}

export interface RuleInWords {
  readonly type: string;
  readonly passed: boolean;
  readonly sentence: string;
}

export interface FilledOn {
  readonly source: string;
  readonly observedAt: string;
  readonly bid: string | null;
  readonly ask: string | null;
}

export interface Fill {
  readonly id: string;
  readonly instrument?: string;
  readonly side: string;
  readonly quantity: string;
  readonly fillPrice: string;
  readonly notionalUsd: string;
  readonly feeUsd: string;
  readonly slippageBps: number;
  readonly at: string;
  readonly quotes: readonly FilledOn[];
}

export interface Proposal {
  readonly progress: import('./api.ts').Proposal['progress'];
  readonly remainingMs: import('./api.ts').Proposal['remainingMs'];
  readonly waitingFor: import('./api.ts').Proposal['waitingFor'];
  readonly transaction: import('./api.ts').Proposal['transaction'];
  readonly id: string;
  readonly agentId: string;
  readonly decisionId: string | null;
  readonly slot: string;
  readonly side: 'entry' | 'exit';
  readonly state: string;
  readonly reason: string | null;
  readonly mode: string;
  readonly bookId: string;
  readonly instrument: string;
  readonly order: {
    readonly side: string;
    readonly reduceOnly: boolean;
    readonly quantity: string;
    readonly limitPrice: string;
    readonly notionalUsd: string;
    readonly maxSlippageBps: number;
  };
  readonly decisionPrice: string;
  readonly risk: { readonly verdict: string; readonly rejections: readonly Rejection[] };
  readonly autonomy: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly decidedBy: string | null;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly averageFillPrice: string | null;
  readonly fills: readonly Fill[];
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly changedAt: string;
}

/** An announcement of the `proposals` channel; one without an id is a mere recommendation. */
export interface ProposalChange {
  readonly what: string;
  readonly proposalId?: string;
  readonly agentId: string;
  readonly side: string;
  readonly instrument: string;
  readonly quantity: string;
  readonly limitPrice: string;
  readonly state?: string;
  readonly reason?: string | null;
  readonly filledQuantity?: string;
  readonly filledNotionalUsd?: string;
}

export interface EvaluationProgress {
  readonly runId: string;
  readonly progress: EvaluationRun['progress'];
  readonly remainingMs: EvaluationRun['remainingMs'];
  readonly waitingFor: EvaluationRun['waitingFor'];
}

export interface SidedCondition {
  readonly side: string;
  readonly condition: { readonly [field: string]: unknown };
}

export interface Impact {
  readonly allocations: readonly {
    readonly instrument: string;
    readonly side: string;
    readonly notionalUsd: string;
    readonly wouldPass: boolean;
    readonly risk: { readonly rejections: readonly Rejection[] } | null;
    readonly price: string | null;
    readonly quantity: string;
    readonly feeUsd: string;
    readonly note: string;
  }[];
  readonly before: Portfolio;
  readonly after: Portfolio;
}

export interface VenueState {
  readonly venue: string;
  readonly executable: boolean;
  readonly hearing: string;
  readonly detail: string;
  readonly lastMessageAgeMs: number | null;
  readonly clockOffset: { readonly offsetMs: number; readonly method: string; readonly samples: number } | null;
  readonly gaps: number;
  readonly messages: number;
  readonly rejected: number;
  readonly requestBudgets: readonly {
    readonly name: string;
    readonly process: string;
    readonly limit: number;
    readonly windowMs: number;
    readonly left: number;
    readonly blockedUntil: string | null;
  }[];
}

export interface Ticker {
  readonly instrument: string;
  readonly ageMs: number;
  readonly quality: string;
  readonly flags: readonly string[];
  readonly openPrice: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly lastPrice: string;
  readonly priceChangePct: string;
  readonly quoteVolume: string;
  readonly trades: number;
}

export interface DerivedNumber {
  readonly id: string;
  readonly value: string | null;
  readonly formula: string;
  readonly inputs: readonly string[];
  readonly why: string;
}

export interface Research {
  readonly at: string;
  readonly corroboration: string;
  readonly probability: DerivedNumber;
  readonly low: DerivedNumber;
  readonly high: DerivedNumber;
  readonly disagreement: {
    readonly verdict: string;
    readonly edgePerContract: DerivedNumber;
    readonly riskless: boolean | null;
  };
  readonly inputs: readonly {
    readonly id: string;
    readonly provider: string;
    readonly kind: string;
    readonly value: string;
    readonly observedAt: string;
    readonly quality: string;
    readonly counts: boolean;
    readonly why: string;
  }[];
  readonly notes: readonly string[];
  readonly criteria: readonly {
    readonly provider: string;
    readonly criteria: readonly { readonly aspect: string; readonly text: string }[];
  }[];
  readonly differences: readonly {
    readonly aspect: string;
    readonly ours: string;
    readonly theirs: string;
    readonly material: boolean;
  }[];
}

export interface Regime {
  readonly regime: string;
  readonly explanation: string;
  readonly score: string | null;
  readonly knownWeight: string;
  readonly asOf: string;
  readonly inputs: readonly {
    readonly name: string;
    readonly description: string;
    readonly unit: string;
    readonly value: string | null;
    readonly ageMs: number | null;
    readonly state: string;
    readonly weight: number;
    readonly score: string | null;
    readonly contribution: string | null;
  }[];
}

export interface QuoteRow {
  readonly kind: 'quote' | 'reference';
  readonly venue: string;
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly quality: string;
  readonly flags: readonly string[];
  readonly bid?: string | null;
  readonly ask?: string | null;
  readonly mid?: string | null;
  readonly referencePrice?: string;
  readonly confidence?: string;
  readonly feedUpdatedAt?: string;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** What a channel sends. */
export interface Frame {
  readonly channel: string;
  readonly type: 'snapshot' | 'update' | 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  // Every channel has its own; the view that subscribes knows which.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** Everything that the socket sends. */
export type Message =
  | Frame
  | { readonly type: 'subscribed'; readonly id?: number; readonly at: string; readonly cursor: string | null }
  | { readonly type: 'error'; readonly id?: number; readonly at: string; readonly code: string; readonly detail: string }
  | { readonly type: 'heartbeat' | 'pong' | 'unsubscribed'; readonly at: string };

/** A launch of either kind; what the other kind has is missing. */
export interface Launch {
  readonly id: string;
  readonly creator: string;
  readonly kind: 'curve' | 'launcher';
  readonly state: string;
  readonly detail: string | null;
  readonly mint: string | null;
  readonly name: string;
  readonly symbol: string;
  readonly quoteMint: string;
  readonly quoteSymbol: string;
  readonly pairedStock: string | null;
  readonly signatures: readonly string[];
  readonly createdAt: string;
  readonly tradingSince?: string | null;
  readonly preset?: string;
  readonly startingFdv?: string;
  readonly totalSupply?: string;
  readonly decimals?: number;
  readonly lamports?: string;
  readonly payTo?: string;
  readonly creatorFeeBps?: number;
}

export interface LadderStep {
  readonly fillPct: number;
  readonly price: string;
  readonly sold: string;
}

export interface BridgeArrival {
  readonly state: string;
  readonly hash: string | null;
  readonly amountUsd: string | null;
}

/** An unsigned source transaction: a call on the EVM chain, or bytes on the primary chain. */
export type BridgeTransaction =
  | {
      readonly kind: 'evm';
      readonly chainId: number;
      readonly from: string;
      readonly to: string;
      readonly data: string;
      readonly value: string;
      readonly approval: {
        readonly chainId: number;
        readonly from: string;
        readonly to: string;
        readonly data: string;
        readonly value: string;
        readonly spender: string;
      } | null;
    }
  | {
      readonly kind: 'solana';
      readonly wallet: string;
      readonly unsigned: string;
      readonly digest: string;
      readonly lastValidBlockHeight: number;
    };

/** One closed bar. */
export type Bar = Candles['items'][number];

/** Statistics of a curve; ratios, hence numbers. Null where one is not defined. */
interface Performance {
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly maxDrawdownPct: number;
  readonly returnPct: number;
  readonly annualVolatilityPct: number | null;
}

/** A trade of a backtest; what the exit says is null while it is open. Money, prices and quantities are decimal texts. */
export interface BacktestTrade {
  readonly instrument: string;
  readonly decidedAt: string;
  readonly entryPrice: string;
  readonly exitDecidedAt: string | null;
  readonly exitPrice: string | null;
  readonly quantity: string;
  readonly feesUsd: string;
  readonly profitUsd: string | null;
  readonly profitPct: number | null;
  readonly maePct: number;
  readonly mfePct: number;
  readonly bars: number;
  readonly slippageBps: number;
  readonly exitedBy: readonly string[];
}

/** Trades of a backtest that share an instrument or an exit. */
export interface TradeGroup {
  readonly name: string;
  readonly closed: number;
  readonly open: number;
  readonly won: number;
  readonly hitRatePct: number | null;
  readonly profitUsd: string;
  readonly feesUsd: string;
  readonly averageHoldingMs: number | null;
}

/** The result of a finished backtest, which the API document leaves open. */
export interface BacktestResult {
  readonly manifestHash: string;
  readonly historyHash: string;
  readonly timeframe: string;
  readonly from: string;
  readonly to: string;
  readonly bars: number;
  readonly instruments: readonly {
    readonly key: string;
    readonly costs: { readonly model: string; readonly feeBps: number; readonly halfSpreadBps: number; readonly depthUsd: number };
    readonly quoteKnownPct: number;
    readonly referenceLivePct: number;
    readonly eventsKnownPct: number;
  }[];
  readonly capitalUsd: string;
  readonly finalEquityUsd: string;
  readonly performance: Performance;
  readonly benchmark: Performance;
  readonly method: { readonly days: number; readonly periodsPerYear: number };
  readonly exposurePct: number;
  readonly turnoverUsd: number;
  readonly feesUsd: string;
  readonly trades: {
    readonly closed: number;
    readonly open: number;
    readonly hitRatePct: number | null;
    readonly averageProfitPct: number | null;
    readonly averageSlippageBps: number | null;
    /** Missing, with the three below, in runs that were made before trades were summed. */
    readonly profitUsd?: string;
    readonly averageHoldingMs?: number | null;
    readonly byInstrument?: readonly TradeGroup[];
    readonly byExit?: readonly TradeGroup[];
    readonly list: readonly BacktestTrade[];
  };
  readonly dispositions: { readonly [word: string]: number };
  readonly blocked: { readonly [word: string]: number };
  readonly missed: { readonly [word: string]: number };
  readonly conditions: readonly {
    readonly side: 'entry' | 'exit';
    readonly type: string;
    readonly threshold: number | string | null;
    readonly evaluated: number;
    readonly passed: number;
    readonly unknown: number;
    readonly lastToFail: number;
    readonly closed: number;
  }[];
  readonly luck: {
    readonly versionsTried: number;
    readonly skewness: number | null;
    readonly kurtosis: number | null;
    readonly probabilisticSharpe: number | null;
    readonly expectedBestSharpe: number | null;
    readonly deflatedSharpe: number | null;
  };
  readonly assumptions: { readonly named: readonly string[] };
  /** Missing where each order was taken at once. */
  readonly execution?: { readonly algorithm: string; readonly urgency: string; readonly restedUsd: number };
  readonly checkedBars: number;
  readonly daily: readonly {
    readonly date: string;
    readonly equityUsd: string;
    readonly highUsd: string;
    readonly benchmarkUsd: string;
  }[];
}

/** One variant of a sweep. */
export interface SweepTrial {
  readonly values: readonly (number | string)[];
  readonly manifestHash: string;
  readonly sharpe: number | null;
  readonly maxDrawdownPct: number;
  readonly returnPct: number;
  readonly closedTrades: number;
  readonly hitRatePct: number | null;
  readonly profitUsd: string;
  readonly feesUsd: string;
  readonly deflatedSharpe: number | null;
}

/** The result of a finished sweep, which the API document leaves open. */
export interface SweepResult extends Pick<BacktestResult, 'historyHash' | 'timeframe' | 'from' | 'to' | 'bars' | 'capitalUsd'> {
  readonly instruments: readonly string[];
  readonly parameters: readonly { readonly path: string }[];
  readonly counted: { readonly total: number; readonly ofThisSweep: number; readonly earlier: number };
  readonly expectedBestSharpe: number | null;
  readonly trials: readonly SweepTrial[];
  readonly best: number;
  readonly bestDaily: BacktestResult['daily'];
  readonly walkForward: {
    readonly trainDays: number;
    readonly testDays: number;
    readonly folds: readonly {
      readonly picked: number;
      readonly trainSharpe: number | null;
      readonly testSharpe: number | null;
      readonly testReturnPct: number;
      readonly trainFrom: string;
      readonly trainTo: string;
      readonly testFrom: string;
      readonly testTo: string;
    }[];
    readonly performance: Performance;
    readonly deflatedSharpe: number | null;
    readonly daily: readonly { readonly date: string; readonly growth: number }[];
  } | null;
  readonly assumptions: readonly string[];
}
