/** What the API says, as far as the console reads it (api/openapi.json is the whole). For the type checker only. */

export interface Me {
  readonly subject: string;
  readonly name: string | null;
  readonly orgId: string | null;
  readonly permissions: readonly string[];
  readonly viewerOnly: boolean;
  readonly expiresAt: string;
}

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly stage: string;
  readonly paused: boolean;
  readonly pauseCause: string | null;
  readonly autonomy: string;
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly createdBy: string;
  readonly createdAt: string;
}

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

export interface Take {
  readonly id: string;
  readonly state: string;
  readonly onDuty: boolean;
  readonly symbol: string;
  readonly hash: string;
  readonly conditions: { readonly entry: readonly Condition[]; readonly exit: readonly Condition[] };
  readonly allocationUsd: string;
  readonly maxSlippageBps: number;
  readonly expiresAt: string;
  readonly mode: string | null;
  readonly reason: string | null;
  readonly thesis: string | null;
  readonly understood: readonly { readonly phrase: string; readonly as: string }[];
  readonly assumed: readonly string[];
  readonly notUnderstood: readonly string[];
  readonly lineage: readonly string[];
  readonly published: boolean;
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

export interface Gate {
  readonly from: string;
  readonly to: string;
  readonly state: 'behind' | 'here' | 'ahead';
  readonly passed: boolean;
  readonly checks: readonly GateCheck[];
  readonly problems: readonly string[];
  readonly evidence: { readonly at: string } | null;
}

export interface Observation {
  readonly instrument: string;
  readonly session: string;
  readonly quote: {
    readonly bid: string | null;
    readonly ask: string | null;
    readonly ageMs: number;
    readonly quality: string;
    readonly flags: readonly string[];
  } | null;
  readonly reference: {
    readonly referencePrice: string;
    readonly ageMs: number;
    readonly quality: string;
    readonly flags: readonly string[];
  } | null;
  readonly premiumPct: number | null;
  readonly gapToMarkPct: number | null;
  readonly basisPct: number | null;
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

export interface Decision {
  readonly id: string;
  readonly agentId: string;
  readonly slot: string;
  readonly at: string;
  readonly manifestHash: string;
  readonly observed: { readonly [instrument: string]: Observation };
  readonly rules: readonly Rule[];
  readonly disposition: string;
  readonly reason: string | null;
  readonly instrument: string | null;
  readonly risk: { readonly verdict: string; readonly rejections: readonly Rejection[] } | null;
  readonly previousHash: string;
  readonly hash: string;
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

export interface EvaluationRun {
  readonly id: string;
  readonly agentId: string;
  readonly evaluation: string;
  readonly state: string;
  readonly manifestVersion: number;
  readonly requestedBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: number;
  readonly ending: { readonly code: string; readonly detail: string } | null;
  readonly resultHash: string | null;
  readonly summary: { readonly [name: string]: unknown } | null;
}

export interface EvaluationProgress {
  readonly runId: string;
  readonly done: number;
  readonly total: number;
  readonly doing: string;
}

export interface ManifestVersion {
  readonly version: number;
  readonly manifestHash: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly changes: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[];
  readonly conditionsAdded: readonly SidedCondition[];
  readonly conditionsRemoved: readonly SidedCondition[];
}

export interface SidedCondition {
  readonly side: string;
  readonly condition: { readonly [field: string]: unknown };
}

export interface Vault {
  readonly stage: string;
  readonly ceilingUsd: string;
  readonly allocatedUsd: string;
  readonly cashUsd: string;
  readonly exposureUsd: string | null;
  readonly equityUsd: string | null;
  readonly realizedPnlUsd: string;
  readonly unrealizedPnlUsd: string | null;
  readonly feesUsd: string;
  readonly totalShares: string;
  readonly sharePriceUsd: string | null;
  readonly highWaterMarkUsd: string;
  readonly highWaterAt: string | null;
  readonly drawdownPct: number | null;
  readonly unpriced: readonly string[];
  readonly pricedAt: string;
  readonly depositors: readonly {
    readonly depositor: string;
    readonly shares: string;
    readonly paidInUsd: string;
    readonly paidOutUsd: string;
    readonly valueUsd: string | null;
  }[];
}

export interface Book {
  readonly id: string;
  readonly mode: string;
  readonly manifestVersion: number | null;
  readonly version: number;
  readonly capitalUsd: string;
  readonly cashUsd: string;
  readonly positions: readonly {
    readonly instrument: string;
    readonly quantity: string;
    readonly averageEntryPrice: string;
    readonly costUsd: string;
    readonly openedAt: string;
  }[];
  readonly realizedPnlUsd: string;
  readonly feesUsd: string;
  readonly fills: number;
  readonly slippageBps: number | null;
  readonly openProposals: number;
  readonly changedAt: string;
}

export interface Portfolio {
  readonly mode: string;
  readonly totals: {
    readonly valueUsd: string;
    readonly cashUsd: string;
    readonly liveUsd: string;
    readonly qualifiedUsd: string;
    readonly leverage: number | null;
    readonly coverage: string;
    readonly includes: string;
  };
  readonly unread: readonly { readonly address: string; readonly asked: string; readonly why: string }[];
  readonly holdings: readonly {
    readonly symbol: string;
    readonly name: string;
    readonly place: string;
    readonly quantity: string;
    readonly mark: string | null;
    readonly valueUsd: string | null;
    readonly pricing: string;
    readonly why: string;
    readonly quote: { readonly quality: string; readonly flags: readonly string[]; readonly ageMs: number } | null;
  }[];
  readonly scenarios: readonly {
    readonly id: string;
    readonly lossUsd: string;
    readonly lossPct: number | null;
    readonly afterUsd: string;
    readonly opensAt: string | null;
    readonly leftOut: readonly string[];
  }[];
  readonly sectors: readonly { readonly sector: string; readonly netUsd: string; readonly weightPct: number | null }[];
  readonly duplicates: readonly {
    readonly underlying: string;
    readonly members: readonly { readonly instrument: string; readonly relation: string }[];
    readonly weightPct: number | null;
    readonly limitPct: number;
    readonly exceedsLimit: boolean;
  }[];
  readonly exits: readonly {
    readonly instrument: string;
    readonly positionUsd: string;
    readonly sharePct: number | null;
    readonly limitSharePct: number;
    readonly exitableUsd: string | null;
    readonly why: string;
  }[];
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

export interface VenueStanding {
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

export interface Perp {
  readonly instrument: string;
  readonly ageMs: number;
  readonly quality: string;
  readonly flags: readonly string[];
  readonly markPrice: string;
  readonly oraclePrice: string;
  readonly basisPct: string;
  readonly hourlyFunding: string;
  readonly annualFundingPct: string;
  readonly nextFundingAt: string;
  readonly openInterestNotional: string;
  readonly dayNotional: string;
}

export interface PredictionMarket {
  readonly id: string;
  readonly provider: string;
  readonly question: string;
  readonly subtitle: string;
  readonly status: string;
  readonly outcomes: readonly { readonly side: string; readonly label: string; readonly bid: string | null; readonly ask: string | null }[];
  readonly volume24h: string | null;
  readonly volumeUnit: string;
  readonly closesAt: string | null;
  readonly quality: string;
  readonly flags: readonly string[];
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

export interface LaunchMonitor {
  readonly pairedStock: string | null;
  readonly curve: {
    readonly slot: number;
    readonly ageMs: number;
    readonly fillPct: string;
    readonly quoteReserve: string;
    readonly graduationThreshold: string;
    readonly price: string;
    readonly priceUsd: string | null;
    readonly returns: { readonly tokenPct: string; readonly quotePct: string; readonly relativePct: string } | null;
    readonly creatorFees: { readonly quote: string; readonly claimedQuote: string };
  } | null;
  readonly graduation: { readonly progress: string; readonly successorPool: string | null };
}

export interface RankedAgentToken {
  readonly symbol: string;
  readonly rank: number | null;
  readonly pairedStock: string | null;
  readonly risk: { readonly score: number; readonly unknown: readonly string[] };
  readonly holders: { readonly top10Pct: number | null } | null;
  readonly depth: { readonly depthUsd: string } | null;
}

/** A wallet whose owner has proved it. Ownership permits nothing. */
export interface LinkedWallet {
  readonly id: string;
  readonly chain: 'spotchain' | 'evmvenue';
  readonly address: string;
  readonly label: string | null;
  readonly provedBy: string;
  readonly provedAt: string;
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
      readonly approval: { readonly to: string; readonly data: string } | null;
    }
  | {
      readonly kind: 'solana';
      readonly wallet: string;
      readonly unsigned: string;
      readonly digest: string;
      readonly lastValidBlockHeight: number;
    };

/** A quote, and the transfer that comes of it. */
export interface BridgeTransfer {
  readonly id: string;
  readonly state: string;
  readonly provider: string;
  readonly providerKind: string;
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly amount: string;
  readonly sender: string;
  readonly recipient: string;
  readonly fees: readonly { readonly name: string; readonly amountUsd: string | null; readonly included: boolean }[];
  readonly expectedReceived: string;
  readonly minimumReceived: string;
  readonly route: readonly string[];
  readonly estimatedSeconds: number;
  readonly expiresAt: string;
  readonly explanation: string;
  readonly transaction: BridgeTransaction;
  readonly hash: string | null;
  readonly axes: {
    readonly provider: {
      readonly state: string;
      readonly said: string | null;
      readonly reason: string | null;
      readonly silentSince: string | null;
    };
    readonly source: { readonly state: string; readonly confirmations: number; readonly detail: string | null };
    readonly destination: BridgeArrival;
    readonly refund: BridgeArrival;
  };
  readonly attentions: readonly { readonly code: string; readonly words: string }[];
  readonly delayed: boolean;
  readonly createdAt: string;
  readonly submittedAt: string | null;
  readonly endedAt: string | null;
  readonly changedAt: string;
}
