/** The bodies and the operations of the API as /v1/openapi.json describes them. Written by test/api/surfaces.test.ts; not edited by hand. */

export type Actor = {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: unknown;
  readonly createdAt: string;
  readonly changedAt: string;
};

export type ActorBranch = {
  readonly kind: string;
  readonly machine: string;
  readonly version: number;
  readonly steps: ReadonlyArray<{
    readonly event: { readonly [name: string]: unknown };
    readonly from: unknown;
    readonly to: unknown;
    readonly status: 'active' | 'done';
    readonly taken: boolean;
    readonly refusal: {
      readonly code?: string;
      readonly detail?: string;
    } | null;
    readonly changes: ReadonlyArray<{
      readonly path: string;
      readonly before: unknown;
      readonly after: unknown;
    }>;
    readonly records: ReadonlyArray<{ readonly [name: string]: unknown }>;
    readonly timers: ReadonlyArray<{ readonly [name: string]: unknown }>;
    readonly announcements: ReadonlyArray<{ readonly [name: string]: unknown }>;
    readonly activities: ReadonlyArray<{ readonly [name: string]: unknown }>;
  }>;
  readonly takes: ReadonlyArray<string>;
};

export type ActorDetail = {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: unknown;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly context: { readonly [name: string]: unknown };
  readonly incidents: ReadonlyArray<{
    readonly at: string;
    readonly kind: string;
    readonly detail: string;
  }>;
};

export type ActorIncident = {
  readonly actorId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
  readonly actorStatus: 'running' | 'done' | 'quarantined';
  readonly at: string;
  readonly kind: string;
  readonly detail: string;
};

export type Agent = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly state: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | 'paused';
  readonly paused: boolean;
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly closing: ReadonlyArray<{
    readonly instrument: string | null;
    readonly limitPrice: string | null;
    readonly closedBy: string;
    readonly at: string;
    readonly waitingFor?: {
      readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
      readonly detail: string;
    } | null;
  }>;
  readonly createdBy: string;
  readonly createdAt: string;
};

export type AgentDetail = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly state: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | 'paused';
  readonly paused: boolean;
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly closing: ReadonlyArray<{
    readonly instrument: string | null;
    readonly limitPrice: string | null;
    readonly closedBy: string;
    readonly at: string;
    readonly waitingFor?: {
      readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
      readonly detail: string;
    } | null;
  }>;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly versions: ReadonlyArray<{
    readonly version: number;
    readonly manifestHash: string;
    readonly createdBy: string;
    readonly createdAt: string;
  }>;
  readonly manifest: { readonly [name: string]: unknown };
};

export type AgentToken = {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
};

export type AgentTokenAnalytics = {
  readonly mint: string;
  readonly instrument: string;
  readonly symbol: string;
  readonly name: string;
  readonly pairedStock: string | null;
  readonly listedAt: string;
  readonly ageDays: number;
  readonly at: string;
  readonly price: {
    readonly priceUsd: string;
    readonly source: 'curve' | 'aggregator';
    readonly at: string;
    readonly ageMs: number;
  } | null;
  readonly holders: {
    readonly slot: number;
    readonly supply: string;
    readonly circulating: string;
    readonly top1Pct: number | null;
    readonly top10Pct: number | null;
    readonly isComplete: boolean;
    readonly excluded: ReadonlyArray<{
      readonly kind: 'curve' | 'pool' | 'locker' | 'burned';
      readonly amount: string;
      readonly pctOfSupply: number;
    }>;
    readonly wallets: ReadonlyArray<{
      readonly owner: string;
      readonly amount: string;
      readonly pct: number;
      readonly isCreator: boolean;
    }>;
  } | null;
  readonly creator: {
    readonly address: string;
    readonly held: string;
    readonly freePct: number;
    readonly lockedPct: number;
    readonly vesting: {
      readonly state: 'none' | 'waiting' | 'unlocking' | 'unlocked';
      readonly total: string;
      readonly unlocked: string;
      readonly endsAt: string | null;
    } | null;
  } | null;
  readonly depth: {
    readonly depthUsd: string;
    readonly source: 'curve' | 'successor_pool' | 'aggregator';
    readonly at: string;
    readonly ageMs: number;
  } | null;
  readonly volume: {
    readonly days: number;
    readonly reportedUsd: string;
    readonly countedUsd: string;
    readonly washedPct: number;
    readonly variation: number;
  } | null;
  readonly risk: AgentTokenRisk;
  readonly performance: ReadonlyArray<PairedPerformance> | null;
  readonly duplicatedExposure: DuplicatedExposure | null;
};

export type AgentTokenRisk = {
  readonly score: number;
  readonly terms: ReadonlyArray<{
    readonly name: 'liquidity_depth' | 'top_wallet_concentration' | 'creator_allocation' | 'token_age' | 'volume_stability';
    readonly input: { readonly [name: string]: number | null };
    readonly points: number;
    readonly weight: number;
    readonly formula: string;
  }>;
  readonly unknown: ReadonlyArray<'liquidity_depth' | 'top_wallet_concentration' | 'creator_allocation' | 'token_age' | 'volume_stability'>;
};

export type AgentWithManifest = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly state: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | 'paused';
  readonly paused: boolean;
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly closing: ReadonlyArray<{
    readonly instrument: string | null;
    readonly limitPrice: string | null;
    readonly closedBy: string;
    readonly at: string;
    readonly waitingFor?: {
      readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
      readonly detail: string;
    } | null;
  }>;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly requestedAutonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only' | null;
  readonly requestedStage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | null;
};

export type AgreementResult = {
  readonly slots: number;
  readonly trades: number;
  readonly agreed: number;
  readonly agreementPct: number | null;
  readonly passed: boolean;
};

export type Alert = {
  readonly at: string;
  readonly what: string;
  readonly agentId: string | null;
  readonly agentName: string | null;
  readonly venues: ReadonlyArray<'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference'>;
  readonly detail: string | null;
  readonly ofService: boolean;
  readonly data: { readonly [name: string]: unknown };
};

export type Assessment = {
  readonly symbol: string;
  readonly at: string;
  readonly bull: ReadonlyArray<{
    readonly id: string;
    readonly text: string;
    readonly sources: ReadonlyArray<string>;
  }>;
  readonly bear: ReadonlyArray<{
    readonly id: string;
    readonly text: string;
    readonly sources: ReadonlyArray<string>;
  }>;
  readonly valuation: {
    readonly tokenPrice: string | null;
    readonly referencePrice: string | null;
    readonly gapPct: number | null;
    readonly session: string | null;
    readonly claims: ReadonlyArray<{
      readonly id: string;
      readonly text: string;
      readonly sources: ReadonlyArray<string>;
    }>;
  };
  readonly catalysts: ReadonlyArray<{
    readonly id: string;
    readonly text: string;
    readonly sources: ReadonlyArray<string>;
    readonly status: 'observed' | 'unconfirmed' | 'scheduled';
  }>;
  readonly thin: ReadonlyArray<string>;
  readonly sources: ReadonlyArray<{
    readonly id: string;
    readonly kind: 'quote' | 'reference' | 'filing' | 'news' | 'bars' | 'pool' | 'catalog' | 'calendar';
    readonly at: string;
  }>;
  readonly method: 'deterministic' | 'model';
  readonly note: string | null;
};

export type BacktestPreview = {
  readonly evidence: false;
  readonly result: BacktestPreviewResult | null;
  readonly ending: {
    readonly code: string;
    readonly detail: string;
  } | null;
  readonly problems: ReadonlyArray<{
    readonly path: string;
    readonly problem: string;
    readonly allowed: string;
  }>;
  readonly whyNoTrades: ReadonlyArray<string>;
  readonly missing: ReadonlyArray<MissingHistory>;
  readonly tookMs: number;
};

export type BacktestPreviewResult = {
  readonly manifestHash: string;
  readonly from: string;
  readonly to: string;
  readonly timeframe: string;
  readonly bars: number;
  readonly capitalUsd: string;
  readonly finalEquityUsd: string;
  readonly returnPct: number;
  readonly benchmarkReturnPct: number;
  readonly maxDrawdownPct: number;
  readonly closedTrades: number;
  readonly openTrades: number;
  readonly hitRatePct: number | null;
  readonly daily: ReadonlyArray<{
    readonly date: string;
    readonly equityUsd: string;
    readonly highUsd: string;
  }>;
  readonly trades: ReadonlyArray<{
    readonly instrument: string;
    readonly decidedAt: string;
    readonly entryPrice: string;
    readonly exitDecidedAt: string | null;
    readonly exitPrice: string | null;
    readonly quantity: string;
    readonly profitUsd: string | null;
    readonly exitedBy: ReadonlyArray<string>;
  }>;
  readonly rules: ReadonlyArray<{
    readonly side: 'entry' | 'exit';
    readonly type: string;
    readonly threshold: number | string | null;
    readonly evaluated: number;
    readonly passed: number;
    readonly unknown: number;
  }>;
};

export type BacktestResult = {
  readonly engine: 'backtest-2' | 'backtest-3';
  readonly manifestHash: string;
  readonly historyHash: string;
  readonly timeframe: string;
  readonly from: string;
  readonly to: string;
  readonly bars: number;
  readonly capitalUsd: string;
  readonly instruments: ReadonlyArray<{
    readonly key: string;
    readonly costs: {
      readonly model: string;
      readonly feeBps: number;
      readonly halfSpreadBps: number;
      readonly depthUsd: number;
    };
    readonly quoteKnownPct: number;
    readonly referenceLivePct: number;
    readonly eventsKnownPct: number;
  }>;
  readonly finalEquityUsd: string;
  readonly performance: {
    readonly sharpe: number | null;
    readonly sortino: number | null;
    readonly maxDrawdownPct: number;
    readonly returnPct: number;
    readonly annualVolatilityPct: number | null;
  };
  readonly benchmark: {
    readonly sharpe: number | null;
    readonly sortino: number | null;
    readonly maxDrawdownPct: number;
    readonly returnPct: number;
    readonly annualVolatilityPct: number | null;
  };
  readonly method: {
    readonly days: number;
    readonly ddof: 1;
    readonly calendar: string;
    readonly periodsPerYear: number;
    readonly riskFree: 0;
  };
  readonly exposurePct: number;
  readonly turnoverUsd: number;
  readonly feesUsd: string;
  readonly fundingUsd?: string;
  readonly trades: {
    readonly closed: number;
    readonly open: number;
    readonly hitRatePct: number | null;
    readonly averageProfitPct: number | null;
    readonly averageSlippageBps: number | null;
    readonly profitUsd?: string;
    readonly averageHoldingMs?: number | null;
    readonly byInstrument?: ReadonlyArray<TradeGroup>;
    readonly byExit?: ReadonlyArray<TradeGroup>;
    readonly list: ReadonlyArray<BacktestTrade>;
  };
  readonly dispositions: { readonly [name: string]: number };
  readonly blocked: { readonly [name: string]: number };
  readonly missed: { readonly [name: string]: number };
  readonly execution?: {
    readonly algorithm: string;
    readonly urgency: string;
    readonly restedUsd: number;
  };
  readonly finer?: {
    readonly bars: number;
    readonly hash: string;
  };
  readonly conditions: ReadonlyArray<{
    readonly side: 'entry' | 'exit';
    readonly type: string;
    readonly threshold: number | string | null;
    readonly evaluated: number;
    readonly passed: number;
    readonly blocked: number;
    readonly unknown: number;
    readonly lastToFail: number;
    readonly closed: number;
  }>;
  readonly luck: {
    readonly versionsTried: number;
    readonly skewness: number | null;
    readonly kurtosis: number | null;
    readonly probabilisticSharpe: number | null;
    readonly expectedBestSharpe: number | null;
    readonly deflatedSharpe: number | null;
  };
  readonly assumptions: {
    readonly costMultiplier: number;
    readonly maxParticipationPct: number;
    readonly minOrderUsd: number;
    readonly named: ReadonlyArray<string>;
  };
  readonly checkedBars: number;
  readonly blind?: BlindReplay;
  readonly daily: ReadonlyArray<EquityDay>;
};

export type BacktestTrade = {
  readonly instrument: string;
  readonly decidedAt: string;
  readonly entryPrice: string;
  readonly exitDecidedAt: string | null;
  readonly exitPrice: string | null;
  readonly quantity: string;
  readonly feesUsd: string;
  readonly fundingUsd?: string;
  readonly profitUsd: string | null;
  readonly profitPct: number | null;
  readonly maePct: number;
  readonly mfePct: number;
  readonly bars: number;
  readonly slippageBps: number;
  readonly exitedBy: ReadonlyArray<string>;
  readonly costInputs?: {
    readonly entry: {
      readonly observed: ReadonlyArray<string>;
      readonly assumed: ReadonlyArray<string>;
    };
    readonly exit: {
      readonly observed: ReadonlyArray<string>;
      readonly assumed: ReadonlyArray<string>;
    } | null;
  };
};

export type BasisPolicy = {
  readonly id: string;
  readonly state: 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
  readonly onDuty: boolean;
  readonly origin: 'thesis' | 'basis';
  readonly hash: string;
  readonly manifestHash: string;
  readonly symbol: string;
  readonly instrument: string;
  readonly target: unknown;
  readonly conditions: {
    readonly entry: ReadonlyArray<{
      readonly type: string;
      readonly [name: string]: unknown;
    }>;
    readonly exit: ReadonlyArray<{
      readonly type: string;
      readonly [name: string]: unknown;
    }>;
  };
  readonly allocationUsd: string;
  readonly maxSlippageBps: number;
  readonly timeframe: string;
  readonly expiresAt: string;
  readonly mode: 'paper' | 'live' | null;
  readonly reason: string | null;
  readonly thesis: string | null;
  readonly understood: ReadonlyArray<{
    readonly phrase: string;
    readonly as: string;
  }>;
  readonly assumed: ReadonlyArray<string>;
  readonly notUnderstood: ReadonlyArray<string>;
  readonly open: ReadonlyArray<string>;
  readonly lineage: ReadonlyArray<string>;
  readonly published: boolean;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly armedAt: string | null;
  readonly changedAt: string;
  readonly enterDiscountPct: number;
  readonly exitDiscountPct: number;
  readonly notionalUsd: string;
  readonly maxHoldHours: number;
};

export type BasisRow = {
  readonly symbol: string;
  readonly underlying: string;
  readonly at: string;
  readonly notionalUsd: string;
  readonly legs: {
    readonly token: {
      readonly price: string;
      readonly source: string;
      readonly observedAt: string;
      readonly ageMs: number;
      readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
      readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
    } | null;
    readonly reference: {
      readonly price: string;
      readonly source: string;
      readonly observedAt: string;
      readonly ageMs: number;
      readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
      readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
    } | null;
    readonly perpetual: {
      readonly price: string;
      readonly source: string;
      readonly observedAt: string;
      readonly ageMs: number;
      readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
      readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
    } | null;
  };
  readonly hourlyFunding: string | null;
  readonly liquidityUsd: string | null;
  readonly edges: ReadonlyArray<{
    readonly against: 'reference' | 'perpetual';
    readonly spreadBps: string | null;
    readonly costs: ReadonlyArray<{
      readonly name: string;
      readonly bps: string;
    }>;
    readonly netEdgeBps: string | null;
    readonly halfLifeHours: number | null;
    readonly reasons: ReadonlyArray<'not_observed' | 'not_traded' | 'token_not_live' | 'no_reference' | 'reference_not_live' | 'reference_carried_forward' | 'perpetual_not_live' | 'no_perpetual' | 'no_funding' | 'no_pool' | 'no_half_life'>;
  }>;
};

export type BlindReplay = {
  readonly seed: string;
  readonly truth: number;
  readonly paths: ReadonlyArray<{
    readonly sharpe: number;
    readonly bars: number;
    readonly historyHash: string;
  }>;
  readonly foreknowledge: {
    readonly trueSharpe: number;
    readonly resampledSharpe: number;
    readonly standardError: number;
    readonly statistic: number;
    readonly limit: number;
    readonly rank: number;
    readonly isForeknowledge: boolean;
  };
  readonly slots: number;
  readonly answersHash: string;
  readonly opening?: {
    readonly steps: number;
    readonly paths: ReadonlyArray<ReadonlyArray<ReadonlyArray<unknown>>>;
  };
};

export type Book = {
  readonly id: string;
  readonly agentId: string | null;
  readonly mode: 'paper' | 'live';
  readonly manifestVersion: number | null;
  readonly version: number;
  readonly capitalUsd: string;
  readonly cashUsd: string;
  readonly positions: ReadonlyArray<{
    readonly instrument: string;
    readonly quantity: string;
    readonly averageEntryPrice: string;
    readonly costUsd: string;
    readonly openedAt: string;
  }>;
  readonly realizedPnlUsd: string;
  readonly feesUsd: string;
  readonly fundingUsd: string;
  readonly fills: number;
  readonly slippageBps: number | null;
  readonly openProposals: number;
  readonly openedAt: string;
  readonly changedAt: string;
};

export type BridgeTransfer = {
  readonly id: string;
  readonly state: 'quoted' | 'submitted' | 'source_confirmed' | 'source_final' | 'filling' | 'completed' | 'refunding' | 'refunded' | 'failed' | 'unknown' | 'expired';
  readonly provider: 'relay' | 'cctp';
  readonly providerKind: 'intent' | 'canonical';
  readonly reference: string | null;
  readonly from: 'spotchain' | 'evmvenue';
  readonly to: 'spotchain' | 'evmvenue';
  readonly token: string;
  readonly amount: string;
  readonly sender: string;
  readonly recipient: string;
  readonly fees: ReadonlyArray<{
    readonly name: string;
    readonly amountUsd: string | null;
    readonly included: boolean;
  }>;
  readonly expectedReceived: string;
  readonly minimumReceived: string;
  readonly route: ReadonlyArray<string>;
  readonly estimatedSeconds: number;
  readonly expiresAt: string;
  readonly explanation: string;
  readonly alternatives: ReadonlyArray<{
    readonly provider: 'relay' | 'cctp';
    readonly minimumReceived: string;
    readonly costUsd: string;
    readonly estimatedSeconds: number;
    readonly fees: ReadonlyArray<{
      readonly name: string;
      readonly amountUsd: string | null;
      readonly included: boolean;
    }>;
  }>;
  readonly transaction: {
    readonly kind: 'evm';
    readonly chainId: number;
    readonly from: string;
    readonly to: string;
    readonly data: string;
    readonly value: string;
    readonly approval: {
      readonly kind: 'evm';
      readonly chainId: number;
      readonly from: string;
      readonly to: string;
      readonly data: string;
      readonly value: string;
      readonly spender: string;
      readonly amount: string;
    } | null;
  } | {
    readonly kind: 'solana';
    readonly wallet: string;
    readonly unsigned: string;
    readonly digest: string;
    readonly requiredSigners: ReadonlyArray<string>;
    readonly blockhash: string;
    readonly lastValidBlockHeight: number;
  };
  readonly hash: string | null;
  readonly axes: {
    readonly provider: {
      readonly state: 'unseen' | 'pending' | 'attesting' | 'filling' | 'filled' | 'failing' | 'refunding' | 'refunded' | 'refund_failed';
      readonly said: string | null;
      readonly reason: string | null;
      readonly silentSince: string | null;
    };
    readonly source: {
      readonly state: 'unseen' | 'included' | 'final' | 'reorged' | 'failed' | 'expired' | 'other';
      readonly confirmations: number;
      readonly includedAt: string | null;
      readonly detail: string | null;
    };
    readonly destination: {
      readonly state: 'none' | 'included' | 'final' | 'failed' | 'foreign';
      readonly hash: string | null;
      readonly amountUsd: string | null;
    };
    readonly refund: {
      readonly state: 'none' | 'included' | 'final' | 'failed' | 'foreign';
      readonly hash: string | null;
      readonly amountUsd: string | null;
    };
  };
  readonly attentions: ReadonlyArray<{
    readonly code: 'source_reorged' | 'source_expired' | 'source_failed' | 'other_transaction' | 'provider_silent' | 'provider_ahead_of_source' | 'provider_ahead_of_destination' | 'provider_contradicts_source' | 'fill_failed' | 'fill_failed_on_chain' | 'fill_older_than_quote' | 'fill_of_another_transfer' | 'attestation_delayed' | 'refund_failed' | 'refund_failed_on_chain' | 'refund_older_than_quote' | 'refund_of_another_transfer' | 'refunded_short' | 'partial_fill' | 'filled_and_refunded';
    readonly words: string;
  }>;
  readonly delayed: boolean;
  readonly delayedAt: string | null;
  readonly broadcast: {
    readonly outcome?: string;
    readonly detail?: string | null;
  } | null;
  readonly quotedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: string;
  readonly submittedAt: string | null;
  readonly endedAt: string | null;
  readonly changedAt: string;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
};

export type BridgeTransferPoint = {
  readonly at: string;
  readonly state: 'quoted' | 'submitted' | 'source_confirmed' | 'source_final' | 'filling' | 'completed' | 'refunding' | 'refunded' | 'failed' | 'unknown' | 'expired';
  readonly provider: 'unseen' | 'pending' | 'attesting' | 'filling' | 'filled' | 'failing' | 'refunding' | 'refunded' | 'refund_failed';
  readonly source: 'unseen' | 'included' | 'final' | 'reorged' | 'failed' | 'expired' | 'other';
  readonly destination: 'none' | 'included' | 'final' | 'failed' | 'foreign';
  readonly arrivedUsd: string | null;
  readonly refundedUsd: string | null;
};

export type BriefContext = {
  readonly slot: string | null;
  readonly manifestHash: string;
  readonly mayTrade: boolean;
  readonly cashUsd: string;
  readonly mostUsd: string;
  readonly market: { readonly [name: string]: {
      readonly bid: string | null;
      readonly ask: string | null;
      readonly live: boolean;
      readonly premiumPct: number | null;
      readonly basisPct: number | null;
      readonly held: string;
    } };
  readonly pending: boolean;
  readonly agreement: string | null;
};

export type Calibration = {
  readonly manifestVersion: number;
  readonly promisedBps: number | null;
  readonly drifted: boolean | null;
  readonly paper: CostFigures;
  readonly live: CostFigures;
  readonly groups: ReadonlyArray<CostGroup>;
  readonly fills: ReadonlyArray<{
    readonly at: string;
    readonly mode: 'paper' | 'live';
    readonly instrument: string;
    readonly expectedBps: number | null;
    readonly realizedBps: number;
  }>;
};

export type CandleWork = {
  readonly kind: 'import' | 'backfill';
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
  readonly instrument: string;
  readonly timeframe: string;
  readonly id: string;
  readonly source: string;
  readonly workedOnBy: string;
  readonly state: 'running' | 'silent' | 'done' | 'failed';
  readonly begunAt: string;
  readonly seenAt: string;
  readonly endedAt: string | null;
  readonly error: string | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
};

export type Candles = {
  readonly items: ReadonlyArray<{
    readonly openTime: string;
    readonly open: string;
    readonly high: string;
    readonly low: string;
    readonly close: string;
    readonly volume: string;
    readonly source: string;
    readonly simulated: boolean | null;
  }>;
  readonly nextCursor: string | null;
  readonly coverage: {
    readonly complete: boolean;
    readonly from: string;
    readonly to: string;
    readonly gaps: ReadonlyArray<{
      readonly from: string;
      readonly to: string;
      readonly missing: number;
      readonly reason: 'not_asked' | 'refused' | 'out_of_reach' | 'venue_maintenance' | 'before_listing' | 'not_in_file' | 'calendar';
    }>;
  };
};

export type CatalogEntry = {
  readonly key: string;
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction';
  readonly instrument: string;
  readonly kind: 'spot' | 'perp' | 'tokenized_equity' | 'pre_ipo' | 'agent_token';
  readonly name: string;
  readonly sector: string;
  readonly classification: 'tokenequity-solana' | 'preipo-solana' | 'agenttoken-solana' | null;
  readonly underlying: string;
  readonly quoteCurrency: 'USD' | 'USDC' | 'USDT';
  readonly pairs: ReadonlyArray<string>;
  readonly mint: string | null;
  readonly decimals: number | null;
  readonly token: {
    readonly mint: string;
    readonly program: string;
    readonly decimals: number;
    readonly multiplier: string;
    readonly nextMultiplier: string | null;
    readonly nextMultiplierAt: string | null;
    readonly transferFeeBps: number;
    readonly lifecycle: 'upcoming' | 'active' | 'converting' | 'retired';
    readonly validFrom: string | null;
    readonly validTo: string | null;
    readonly successor: {
      readonly symbol: string;
      readonly mint: string;
      readonly convertsFrom: string;
    } | null;
  } | null;
  readonly benchmark: string | null;
  readonly benchmarkKind: 'reference_price' | 'issuer_mark' | null;
  readonly pairedPerp: string | null;
  readonly pairedSpot: string | null;
  readonly pairedStock: string | null;
  readonly livePrice: string | null;
  readonly livePriceQuality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted' | null;
  readonly livePriceAt: string | null;
  readonly referencePrice: string | null;
  readonly referenceSource: string | null;
  readonly referenceQuality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted' | null;
  readonly referenceUpdatedAt: string | null;
  readonly referenceAgeMs: number | null;
  readonly issuerMark: string | null;
  readonly issuerMarkValuation: string | null;
  readonly issuerMarkQuality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted' | null;
  readonly issuerMarkSource: string | null;
  readonly issuerMarkFirstSeenAt: string | null;
  readonly issuerMarkChangedAt: string | null;
  readonly issuerMarkConfirmedAt: string | null;
  readonly mintVerified: boolean | null;
  readonly supply: string | null;
  readonly impliedValuation: string | null;
  readonly gapPct: number | null;
};

export type ChainTvl = {
  readonly chain: string;
  readonly chainId: string | null;
  readonly tokenSymbol: string | null;
  readonly tvlUsd: string;
  readonly receivedAt: string;
  readonly ageMs: number;
  readonly change1dPct: number | null;
  readonly change7dPct: number | null;
  readonly history?: ReadonlyArray<{
    readonly date: string;
    readonly tvlUsd: string;
  }>;
};

export type ChainWallet = {
  readonly address: string;
  readonly chainId: number;
  readonly kind: 'account' | 'contract' | 'delegated';
  readonly nonce: number;
  readonly block: {
    readonly number: string;
    readonly hash: string;
    readonly at: string;
    readonly ageMs: number;
  };
  readonly fetchedAt: string;
  readonly native: {
    readonly symbol: string;
    readonly contract: string | null;
    readonly decimals: number;
    readonly balance: string;
    readonly amount: string;
  };
  readonly tokens: ReadonlyArray<{
    readonly symbol: string;
    readonly contract: string | null;
    readonly decimals: number;
    readonly balance: string;
    readonly amount: string;
  }>;
  readonly unread: ReadonlyArray<{
    readonly symbol: string;
    readonly contract: string;
    readonly why: string;
  }>;
  readonly venue: {
    readonly accountValue: string;
    readonly withdrawable: string;
    readonly totalNotional: string;
    readonly totalMarginUsed: string;
    readonly openPositions: number;
    readonly observedAt: string | null;
    readonly fetchedAt: string;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed';
  } | null;
  readonly venueUnread: string | null;
};

export type Chains = {
  readonly items: ReadonlyArray<ChainTvl>;
  readonly nextCursor: string | null;
  readonly total: {
    readonly tvlUsd: string;
    readonly receivedAt: string;
    readonly ageMs: number;
    readonly change1dPct: number | null;
    readonly change7dPct: number | null;
    readonly history?: ReadonlyArray<{
      readonly date: string;
      readonly tvlUsd: string;
    }>;
  } | null;
};

export type Chart = {
  readonly machine: string;
  readonly version: number;
  readonly status: 'running' | 'done' | 'quarantined';
  readonly value: unknown;
  readonly definition: unknown;
  readonly mermaid: string | null;
};

export type Checkout = {
  readonly id: string;
  readonly listingId: string;
  readonly state: 'prepared' | 'submitted' | 'confirmed' | 'licensed' | 'late' | 'expired' | 'failed';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly priceUsd: string;
  readonly manifestHash: string;
  readonly buyer: string | null;
  readonly payoutWallet: string | null;
  readonly memo: string | null;
  readonly transaction: string | null;
  readonly lastValidBlockHeight: number | null;
  readonly signature: string | null;
  readonly licenceId: string | null;
  readonly requestedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
};

export type CopilotReply = {
  readonly conversationId: string;
  readonly intent: 'look_up' | 'rank' | 'explain' | 'assess' | 'portfolio' | 'impact' | 'compile_take' | 'compile_policy' | 'help' | 'out_of_scope';
  readonly reply: string;
  readonly data: unknown;
  readonly links: ReadonlyArray<string>;
  readonly draft: {
    readonly kind: 'take' | 'policy';
    readonly hash: string;
    readonly body: unknown;
    readonly understood: ReadonlyArray<{
      readonly phrase: string;
      readonly as: string;
    }>;
    readonly assumed: ReadonlyArray<string>;
    readonly next: {
      readonly method: string;
      readonly path: string;
      readonly body: unknown;
    };
  } | null;
};

export type CostFigures = {
  readonly fills: number;
  readonly unknown: number;
  readonly expectedBps: number | null;
  readonly realizedBps: number | null;
  readonly biasBps: number | null;
  readonly biasErrorBps: number | null;
  readonly medianBps: number | null;
  readonly p10Bps: number | null;
  readonly p90Bps: number | null;
  readonly dearer: number;
  readonly cheaper: number;
  readonly signP: number | null;
};

export type CostGroup = {
  readonly by: 'venue' | 'algorithm' | 'size' | 'hour';
  readonly key: string;
  readonly fills: number;
  readonly unknown: number;
  readonly expectedBps: number | null;
  readonly realizedBps: number | null;
  readonly biasBps: number | null;
  readonly biasErrorBps: number | null;
  readonly medianBps: number | null;
  readonly p10Bps: number | null;
  readonly p90Bps: number | null;
  readonly dearer: number;
  readonly cheaper: number;
  readonly signP: number | null;
};

export type DayCloses = {
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
  readonly instrument: string;
  readonly bars: ReadonlyArray<{
    readonly openTime: string;
    readonly close: string;
  }>;
};

export type DayTicker = {
  readonly venue: 'spotexchange';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly ageMs: number;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly windowFrom: string;
  readonly windowTo: string;
  readonly openPrice: string;
  readonly highPrice: string;
  readonly lowPrice: string;
  readonly lastPrice: string;
  readonly priceChange: string;
  readonly priceChangePct: string;
  readonly weightedAveragePrice: string;
  readonly volume: string;
  readonly quoteVolume: string;
  readonly trades: number;
};

export type Decision = {
  readonly id: string;
  readonly agentId: string;
  readonly slot: string;
  readonly at: string;
  readonly manifestHash: string;
  readonly observed: { readonly [name: string]: Observation };
  readonly rules: ReadonlyArray<{
    readonly instrument: string;
    readonly side: 'entry' | 'exit';
    readonly type: string;
    readonly passed: boolean;
    readonly observed: number | string | null;
    readonly threshold: number | string | null;
    readonly unknown?: {
      readonly input: string;
      readonly cause: 'not_observed' | 'no_position' | 'market_closed' | 'feed_down' | 'halted' | 'stale' | 'not_live' | 'missing' | 'one_sided' | 'warming_up' | 'history_missing' | 'source_down' | 'not_computable';
      readonly until?: string;
      readonly barsNeeded?: number;
      readonly bars?: number;
    };
  }>;
  readonly disposition: 'hold' | 'propose_entry' | 'propose_exit' | 'blocked_by_risk';
  readonly reason: string | null;
  readonly instrument: string | null;
  readonly risk: {
    readonly verdict: 'passed' | 'blocked';
    readonly rejections: ReadonlyArray<{
      readonly code: string;
      readonly limit: string | null;
      readonly before: string | null;
      readonly after: string | null;
      readonly suggestion: string | null;
      readonly change?: {
        readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly usd?: string;
        readonly count?: number;
        readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
        readonly instrument?: string | null;
        readonly at?: number | null;
        readonly feature?: string;
      } | null;
    }>;
    readonly order?: {
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly limitPrice: string;
      readonly notionalUsd: string;
    };
    readonly headroom?: {
      readonly quantity: string;
      readonly code: string;
    };
  } | null;
  readonly book: {
    readonly positions: ReadonlyArray<{
      readonly instrument: string;
      readonly quantity: string;
      readonly averageEntryPrice: string;
      readonly openedAt: number;
    }>;
    readonly openProposals: number;
    readonly fills: number;
    readonly realizedPnlUsd: string;
    readonly slippageBps: number | null;
  };
  readonly previousHash: string;
  readonly hash: string;
};

export type Delegation = {
  readonly id: string;
  readonly agentId: string | null;
  readonly takeId: string | null;
  readonly wallet: string;
  readonly signerWallet: string;
  readonly maxNotionalUsd: string;
  readonly expiresAt: string;
  readonly issuedAt: string;
  readonly nonce: string;
  readonly ownerSignature: string;
  readonly grantedBy: string;
  readonly grantedAt: string;
  readonly revokedAt: string | null;
  readonly revokedBy: string | null;
};

export type DelegationChallenge = {
  readonly text: string;
  readonly issuedAt: string;
  readonly nonce: string;
};

export type DuplicatedExposure = {
  readonly flagged: boolean;
  readonly holdsToken: boolean;
  readonly holdsStock: boolean;
};

export type Equity = {
  readonly bookId: string;
  readonly timeframe: '1m' | '5m' | '15m' | '1h' | '4h' | '24h';
  readonly items: ReadonlyArray<{
    readonly at: string;
    readonly equityUsd: string | null;
    readonly pnlUsd: string | null;
    readonly drawdownPct: number | null;
  }>;
};

export type EquityDay = {
  readonly date: string;
  readonly equityUsd: string;
  readonly highUsd: string;
  readonly lowUsd: string;
  readonly drawdownPct: number;
  readonly benchmarkUsd: string;
};

export type EvaluationRun = {
  readonly id: string;
  readonly agentId: string;
  readonly evaluation: 'backtest' | 'stress_test' | 'sweep' | 'agreement';
  readonly state: 'queued' | 'running' | 'finished' | 'refused' | 'cancelled' | 'failed';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly request: { readonly [name: string]: unknown };
  readonly requestedBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: number;
  readonly ending: {
    readonly code: string;
    readonly detail: string;
  } | null;
  readonly resultHash: string | null;
  readonly summary: { readonly [name: string]: unknown } | null;
  readonly provenance: {
    readonly simulated: boolean;
    readonly origins: { readonly [name: string]: 'real' | 'mixed' | 'sandbox' | 'unknown' };
  } | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
  readonly waitsForWork: string | null;
};

export type EvaluationRunDetail = {
  readonly id: string;
  readonly agentId: string;
  readonly evaluation: 'backtest' | 'stress_test' | 'sweep' | 'agreement';
  readonly state: 'queued' | 'running' | 'finished' | 'refused' | 'cancelled' | 'failed';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly request: { readonly [name: string]: unknown };
  readonly requestedBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly attempts: number;
  readonly ending: {
    readonly code: string;
    readonly detail: string;
  } | null;
  readonly resultHash: string | null;
  readonly summary: { readonly [name: string]: unknown } | null;
  readonly provenance: {
    readonly simulated: boolean;
    readonly origins: { readonly [name: string]: 'real' | 'mixed' | 'sandbox' | 'unknown' };
  } | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
  readonly waitsForWork: string | null;
  readonly optimistic: boolean | null;
  readonly result: BacktestResult | SweepResult | StressTestResult | AgreementResult | null;
};

export type EventReport = {
  readonly id: string;
  readonly channel: 'filing' | 'wire' | 'macro' | 'social';
  readonly source: string;
  readonly family: string;
  readonly primary: boolean;
  readonly publishedAt: string;
  readonly receivedAt: string;
  readonly severity: 'low' | 'medium' | 'high' | 'critical';
  readonly direction: 'negative' | 'neutral' | 'positive';
  readonly headline: string;
  readonly url: string | null;
  readonly action: 'report' | 'correction' | 'retraction';
  readonly corrects: string | null;
  readonly counted: 'voice' | 'copy' | 'withdrawn' | 'retraction';
  readonly entities: ReadonlyArray<MappedEntity>;
  readonly unmapped: ReadonlyArray<string>;
};

export type Evidence = {
  readonly id: string;
  readonly kind: 'manifest' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'risk_signoff';
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: string;
  readonly checks: ReadonlyArray<{
    readonly name: string;
    readonly observed: number | null;
    readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
    readonly limit: number | null;
    readonly passed: boolean;
  }>;
  readonly metrics: { readonly [name: string]: number | null };
  readonly simulated: boolean;
  readonly origins: { readonly [name: string]: 'real' | 'mixed' | 'sandbox' | 'unknown' };
  readonly rulesVersion: number;
  readonly ruleChange: string | null;
  readonly runId: string | null;
  readonly seq: number;
  readonly hash: string;
};

export type ExplainedDecision = {
  readonly decisionId: string;
  readonly hash: string;
  readonly summary: string;
  readonly why: ReadonlyArray<string>;
  readonly instruments: ReadonlyArray<{
    readonly instrument: string;
    readonly seen: string;
    readonly entry: ReadonlyArray<{
      readonly type: string;
      readonly passed: boolean;
      readonly sentence: string;
    }>;
    readonly exit: ReadonlyArray<{
      readonly type: string;
      readonly passed: boolean;
      readonly sentence: string;
    }>;
  }>;
  readonly missing: ReadonlyArray<string>;
};

export type Fill = {
  readonly id: string;
  readonly orderId: string;
  readonly bookId: string;
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly fillPrice: string;
  readonly feeUsd: string;
  readonly notionalUsd: string;
  readonly decisionPrice: string;
  readonly slippageBps: number;
  readonly at: string;
  readonly quotes: ReadonlyArray<{
    readonly source: string;
    readonly observedAt: string;
    readonly bid: string | null;
    readonly ask: string | null;
  }>;
  readonly shadow: {
    readonly rule: 'book_and_trades' | 'book' | 'pool_state' | null;
    readonly from: string;
    readonly until: string;
    readonly trades: number;
    readonly books: number;
    readonly outcome: 'measured' | 'unknown';
    readonly reason: 'no_rule' | 'not_received' | 'gap' | 'trades_missing' | 'too_much' | 'size_unknown' | null;
    readonly quantity: string | null;
    readonly price: string | null;
    readonly digest: string;
  } | null;
};

export type Gate = {
  readonly from: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly to: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly kind: 'manifest' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'risk_signoff';
  readonly state: 'behind' | 'here' | 'ahead';
  readonly passed: boolean;
  readonly checks: ReadonlyArray<{
    readonly name: string;
    readonly observed: number | null;
    readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
    readonly limit: number | null;
    readonly passed: boolean;
  }>;
  readonly metrics: { readonly [name: string]: number | null } | null;
  readonly problems: ReadonlyArray<string>;
  readonly evidence: GateEvidence | null;
};

export type GateEvidence = {
  readonly id: string;
  readonly kind: 'manifest' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'risk_signoff';
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: string;
  readonly checks: ReadonlyArray<{
    readonly name: string;
    readonly observed: number | null;
    readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
    readonly limit: number | null;
    readonly passed: boolean;
  }>;
  readonly metrics: { readonly [name: string]: number | null };
  readonly simulated: boolean;
  readonly origins: { readonly [name: string]: 'real' | 'mixed' | 'sandbox' | 'unknown' };
  readonly rulesVersion: number;
  readonly ruleChange: string | null;
};

export type Gates = {
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly progress: string;
  readonly next: string;
  readonly whyNoTrades: ReadonlyArray<string>;
  readonly missingHistory: ReadonlyArray<MissingHistory>;
  readonly execution: ReadonlyArray<string>;
  readonly liveLimit: string | null;
  readonly simulated: boolean;
  readonly gates: ReadonlyArray<Gate>;
};

export type Halt = {
  readonly paused: ReadonlyArray<string>;
  readonly pausing: number;
  readonly cancelledProposals: number;
  readonly epoch: number;
};

export type Health = {
  readonly status: 'ok';
};

export type Intervention = {
  readonly actorId: string;
  readonly action: 'retry' | 'reset' | 'release';
  readonly activity: string | null;
  readonly activities: number;
  readonly reason: string;
  readonly subject: string;
  readonly at: string;
};

export type Invitation = {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly acceptedBy: string | null;
  readonly acceptedAt: string | null;
  readonly revokedAt: string | null;
};

export type LastHalt = {
  readonly epoch: number;
  readonly haltedAt: string | null;
  readonly haltedBy: string | null;
  readonly reason: string | null;
  readonly isPausing: boolean;
};

export type Launch = {
  readonly id: string;
  readonly kind: 'curve';
  readonly state: 'prepared' | 'submitted' | 'confirmed' | 'trading' | 'graduating' | 'graduated' | 'expired' | 'failed';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly preset: 'reference_anchored' | 'price_discovery' | 'agent_treasury';
  readonly mint: string;
  readonly config: string;
  readonly pool: string;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly creator: string;
  readonly partner: string;
  readonly quoteMint: string;
  readonly quoteSymbol: string;
  readonly startingFdv: string;
  readonly totalSupply: string;
  readonly decimals: number;
  readonly pairedStock: string | null;
  readonly agentId: string | null;
  readonly takeId: string | null;
  readonly signatures: ReadonlyArray<string>;
  readonly preparedBy: string;
  readonly submittedBy: string | null;
  readonly tradingSince: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
};

export type LaunchClaim = {
  readonly id: string;
  readonly launchId: string;
  readonly state: 'prepared' | 'submitted' | 'verified' | 'broadcast' | 'confirmed' | 'finalized' | 'expired' | 'refused' | 'failed' | 'unknown';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly kind: 'fees' | 'surplus' | 'migration_fee' | 'unlocked';
  readonly as: 'creator' | 'partner';
  readonly wallet: string;
  readonly mint: string;
  readonly quoteMint: string;
  readonly quoteAmount: string;
  readonly baseAmount: string;
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly signature: string | null;
  readonly preparedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
};

export type LaunchMonitor = {
  readonly id: string;
  readonly state: 'prepared' | 'submitted' | 'confirmed' | 'trading' | 'graduating' | 'graduated' | 'expired' | 'failed';
  readonly mint: string;
  readonly pool: string;
  readonly pairedStock: string | null;
  readonly quote: {
    readonly mint: string;
    readonly symbol: string;
    readonly usd: string | null;
    readonly usdAt: string | null;
    readonly usdAgeMs: number | null;
  };
  readonly curve: {
    readonly slot: number;
    readonly at: string;
    readonly ageMs: number;
    readonly fillPct: string;
    readonly quoteReserve: string;
    readonly graduationThreshold: string;
    readonly price: string;
    readonly priceUsd: string | null;
    readonly returnPct: string;
    readonly returns: {
      readonly tokenPct: string;
      readonly quotePct: string;
      readonly relativePct: string;
    } | null;
    readonly creatorFees: {
      readonly quote: string;
      readonly base: string;
      readonly claimedQuote: string;
      readonly claimedBase: string;
    };
    readonly partnerFees: {
      readonly quote: string;
      readonly base: string;
    };
    readonly tradingFees: {
      readonly quote: string;
      readonly base: string;
    };
  } | null;
  readonly graduation: {
    readonly progress: 'on_curve' | 'complete' | 'vesting_locked' | 'graduated';
    readonly successorPool: string | null;
  };
};

export type LaunchPreset = {
  readonly key: 'reference_anchored' | 'price_discovery' | 'agent_treasury';
  readonly graduationMultiple: number;
  readonly antiSniperFee: {
    readonly startBps: number;
    readonly endBps: number;
    readonly decay: 'linear' | 'exponential';
    readonly durationSeconds: number;
    readonly periods: number;
  };
  readonly creatorFeeSharePct: number;
  readonly lockedVesting: {
    readonly supplyPct: number;
    readonly durationSeconds: number;
  };
  readonly migratedPool: {
    readonly feeBps: number;
    readonly dynamicFee: boolean;
  };
};

export type LaunchPreview = {
  readonly preset: 'reference_anchored' | 'price_discovery' | 'agent_treasury';
  readonly quote: LaunchQuoteToken;
  readonly startingPrice: string;
  readonly startingFdv: string;
  readonly graduationPrice: string;
  readonly graduationFdv: string;
  readonly graduationThreshold: string;
  readonly dollars: {
    readonly startingPrice: string | null;
    readonly graduationThreshold: string | null;
    readonly pricedBy: string | null;
    readonly at: string | null;
  };
  readonly ladder: ReadonlyArray<{
    readonly fillPct: number;
    readonly price: string;
    readonly sold: string;
  }>;
  readonly fees: ReadonlyArray<{
    readonly at: number;
    readonly bps: string;
    readonly volatilityBps: string;
  }>;
  readonly feeShares: {
    readonly protocolPct: string;
    readonly referralPct: string;
    readonly creatorPct: string;
    readonly partnerPct: string;
  };
  readonly supply: {
    readonly total: string;
    readonly onCurve: string;
    readonly successorPool: string;
    readonly vesting: string;
  };
  readonly vesting: {
    readonly supplyPct: number;
    readonly total: string;
    readonly cliff: string;
    readonly perPeriod: string;
    readonly periods: number;
    readonly periodSeconds: number;
    readonly durationSeconds: number;
  } | null;
  readonly successorPool: {
    readonly feeBps: number;
    readonly dynamicFee: boolean;
    readonly lockedPct: number;
  };
};

export type LaunchPriceHistory = {
  readonly points: ReadonlyArray<{
    readonly at: string;
    readonly price: string;
    readonly fillPct: string;
    readonly progress: 'on_curve' | 'complete' | 'vesting_locked' | 'graduated';
  }>;
  readonly fills: ReadonlyArray<{
    readonly at: string;
    readonly side: 'buy' | 'sell';
    readonly quantity: string;
    readonly priceUsd: string;
    readonly orderId: string;
  }>;
};

export type LaunchQuoteToken = {
  readonly mint: string;
  readonly symbol: string;
  readonly kind: 'native' | 'stable' | 'tokenized_equity' | 'pre_ipo';
  readonly decimals: number;
  readonly multiplier: number;
  readonly needsBadge: boolean;
  readonly refusedBecause: string | null;
  readonly programError: number | null;
};

export type LaunchTransaction = {
  readonly id: string;
  readonly wallet: string;
  readonly state: 'prepared' | 'submitted' | 'verified' | 'broadcast' | 'confirmed' | 'finalized' | 'expired' | 'refused' | 'failed' | 'unknown';
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly signature: string | null;
};

export type LauncherLaunch = {
  readonly id: string;
  readonly kind: 'launcher';
  readonly state: 'quoted' | 'prepared' | 'payment_submitted' | 'payment_confirmed' | 'launching' | 'launched' | 'expired' | 'failed' | 'failed_paid';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly mint: string | null;
  readonly name: string;
  readonly symbol: string;
  readonly description: string;
  readonly imageUrl: string;
  readonly creator: string;
  readonly quoteMint: string;
  readonly quoteSymbol: string;
  readonly pairedStock: string;
  readonly creatorFeeBps: number;
  readonly agentId: string;
  readonly lamports: string;
  readonly payTo: string;
  readonly validUntil: string;
  readonly launchTransaction: string | null;
  readonly signatures: ReadonlyArray<string>;
  readonly preparedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
};

export type LauncherPair = {
  readonly mint: string;
  readonly symbol: string;
  readonly instrument: string;
  readonly name: string;
  readonly decimals: number;
};

export type Leaderboard = {
  readonly window: '24h' | '7d' | '30d';
  readonly items: ReadonlyArray<LeaderboardEntry>;
  readonly nextCursor: string | null;
  readonly refresh: {
    readonly at: string | null;
    readonly waiting: number;
    readonly behindSeconds: number;
  };
};

export type LeaderboardEntry = {
  readonly rank: number | null;
  readonly address: string;
  readonly chain: 'spotchain' | 'evmvenue';
  readonly label: string | null;
  readonly realizedPnlUsd: string | null;
  readonly coveragePct: number | null;
  readonly basis: 'partial' | 'reported/partial';
  readonly sales: number;
  readonly matchedSales: number;
  readonly readAt: string | null;
  readonly historySince: string | null;
  readonly reasons: ReadonlyArray<'not_read_yet' | 'provider_unavailable' | 'refresh_failed' | 'outdated' | 'no_sales_in_window' | 'no_known_basis' | 'history_truncated'>;
};

export type LeaderboardWallet = {
  readonly window: '24h' | '7d' | '30d';
  readonly wallet: LeaderboardEntry;
  readonly items: ReadonlyArray<WalletSale>;
  readonly nextCursor: string | null;
};

export type Licence = {
  readonly id: string;
  readonly listingId: string;
  readonly checkoutId: string;
  readonly manifestHash: string;
  readonly priceUsd: string;
  readonly signature: string | null;
  readonly issuedTo: string;
  readonly issuedAt: string;
  readonly agentIds: ReadonlyArray<string>;
};

export type LinkedWallet = {
  readonly id: string;
  readonly chain: 'spotchain' | 'evmvenue';
  readonly address: string;
  readonly label: string | null;
  readonly provedBy: string;
  readonly provedAt: string;
};

export type Listing = {
  readonly id: string;
  readonly state: 'listed' | 'unlisted';
  readonly name: string;
  readonly description: string;
  readonly categories: ReadonlyArray<string>;
  readonly priceUsd: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly payoutWallet: string;
  readonly shape: {
    readonly entry: ReadonlyArray<string>;
    readonly exit: ReadonlyArray<string>;
    readonly timeframe: string;
    readonly instruments: number;
    readonly kinds: ReadonlyArray<string>;
  };
  readonly evidence: {
    readonly at: string;
    readonly gates: ReadonlyArray<{
      readonly kind: 'manifest' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'risk_signoff';
      readonly passed: boolean;
      readonly at: string;
      readonly evidenceId: string;
      readonly hash: string;
      readonly metrics: unknown;
      readonly checks: ReadonlyArray<{
        readonly name: string;
        readonly observed: number | null;
        readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
        readonly limit: number | null;
        readonly passed: boolean;
      }>;
      readonly simulated: boolean | null;
    }>;
    readonly gatesPassed: number;
    readonly curve: ReadonlyArray<{
      readonly at: string;
      readonly returnPct: number;
    }>;
    readonly luck: unknown;
    readonly versions: number;
    readonly versionsTried: number;
    readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | null;
    readonly paperDays: number;
  };
  readonly metrics: unknown;
  readonly own: boolean;
  readonly publishedAt: string;
  readonly changedAt: string;
};

export type ListingDetail = {
  readonly id: string;
  readonly state: 'listed' | 'unlisted';
  readonly name: string;
  readonly description: string;
  readonly categories: ReadonlyArray<string>;
  readonly priceUsd: string;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly payoutWallet: string;
  readonly shape: {
    readonly entry: ReadonlyArray<string>;
    readonly exit: ReadonlyArray<string>;
    readonly timeframe: string;
    readonly instruments: number;
    readonly kinds: ReadonlyArray<string>;
  };
  readonly evidence: {
    readonly at: string;
    readonly gates: ReadonlyArray<{
      readonly kind: 'manifest' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'risk_signoff';
      readonly passed: boolean;
      readonly at: string;
      readonly evidenceId: string;
      readonly hash: string;
      readonly metrics: unknown;
      readonly checks: ReadonlyArray<{
        readonly name: string;
        readonly observed: number | null;
        readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
        readonly limit: number | null;
        readonly passed: boolean;
      }>;
      readonly simulated: boolean | null;
    }>;
    readonly gatesPassed: number;
    readonly curve: ReadonlyArray<{
      readonly at: string;
      readonly returnPct: number;
    }>;
    readonly luck: unknown;
    readonly versions: number;
    readonly versionsTried: number;
    readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | null;
    readonly paperDays: number;
  };
  readonly metrics: unknown;
  readonly own: boolean;
  readonly publishedAt: string;
  readonly changedAt: string;
  readonly rules: unknown;
};

export type ListingPrice = {
  readonly priceUsd: string;
  readonly at: string;
};

export type LongWork = {
  readonly kind: 'import' | 'backfill' | 'event_import' | 'fact_import' | 'archive_move' | 'sandbox_advance';
  readonly subject: string;
  readonly id: string;
  readonly source: string;
  readonly workedOnBy: string;
  readonly state: 'running' | 'silent' | 'done' | 'failed';
  readonly begunAt: string;
  readonly seenAt: string;
  readonly endedAt: string | null;
  readonly error: string | null;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
};

export type MachineLayout = {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyArray<{
    readonly id: string;
    readonly parent: string | null;
    readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
    readonly title: string;
    readonly stays: ReadonlyArray<string>;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }>;
  readonly edges: ReadonlyArray<{
    readonly id: string;
    readonly from: string;
    readonly to: string;
    readonly event: string;
    readonly points: ReadonlyArray<{
      readonly x: number;
      readonly y: number;
    }>;
    readonly label: {
      readonly lines: ReadonlyArray<string>;
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
    } | null;
  }>;
};

export type MacroIntelligence = {
  readonly asOf: string;
  readonly calendar: ReadonlyArray<{
    readonly releaseId: number;
    readonly name: string;
    readonly date: string;
    readonly impact: 'high' | 'medium' | 'low';
    readonly released: boolean;
  }>;
  readonly rates: {
    readonly policy: 'easing' | 'holding' | 'tightening' | null;
    readonly policyRate: string | null;
    readonly policyChange: string | null;
    readonly targetLower: string | null;
    readonly targetUpper: string | null;
    readonly curve: 'inverted' | 'flat' | 'normal' | null;
    readonly curveSlope: string | null;
    readonly realPolicyRate: string | null;
  };
  readonly series: ReadonlyArray<MacroSeries>;
};

export type MacroPoint = {
  readonly date: string;
  readonly value: string;
  readonly vintage: string;
  readonly firstValue: string | null;
};

export type MacroRegime = {
  readonly regime: 'risk_on' | 'neutral' | 'risk_off' | 'unknown';
  readonly explanation: string;
  readonly score: string | null;
  readonly knownWeight: string;
  readonly thresholds: {
    readonly riskOn: string;
    readonly riskOff: string;
    readonly leastWeight: string;
  };
  readonly asOf: string;
  readonly inputs: ReadonlyArray<RegimeInput>;
};

export type MacroSeries = {
  readonly id: string;
  readonly title: string;
  readonly group: 'rates' | 'inflation' | 'labour' | 'markets';
  readonly units: 'lin' | 'chg' | 'pc1';
  readonly unit: string;
  readonly frequency: 'daily' | 'monthly';
  readonly ageMs: number | null;
  readonly maxAgeMs: number;
  readonly tooOld: boolean;
  readonly receivedAt: string | null;
  readonly observations: ReadonlyArray<MacroPoint>;
};

export type Manifest = ManifestPayload | ManifestDeclarative;

export type ManifestComparison = {
  readonly from: number;
  readonly to: number;
  readonly changes: ReadonlyArray<{
    readonly path: string;
    readonly before: unknown;
    readonly after: unknown;
  }>;
  readonly conditionsAdded: ReadonlyArray<{
    readonly side: 'entry' | 'exit';
    readonly condition: { readonly [name: string]: unknown };
  }>;
  readonly conditionsRemoved: ReadonlyArray<{
    readonly side: 'entry' | 'exit';
    readonly condition: { readonly [name: string]: unknown };
  }>;
};

export type ManifestDeclarative = {
  readonly version: string;
  readonly agent: {
    readonly id?: string;
    readonly autonomy_level?: 'RESEARCH' | 'SUGGEST' | 'CONFIRM' | 'POLICY_AUTO' | 'AUTONOMOUS' | 'EMERGENCY_RISK_ONLY' | 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
    readonly lifecycle_stage?: 'DRAFT' | 'BACKTEST' | 'STRESS_TEST' | 'PAPER' | 'SHADOW' | 'LIMITED_LIVE' | 'LIVE' | 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
    readonly name: string;
    readonly description?: string;
  };
  readonly capital_allocation: {
    readonly max_capital_usd: string | number;
    readonly max_trade_notional_usd: string | number;
    readonly max_leverage?: string | number;
  };
  readonly risk_guardrails: {
    readonly max_daily_drawdown_pct: number;
    readonly stop_loss_pct: number;
    readonly take_profit_pct: number;
    readonly max_open_positions: number;
    readonly kill_switch_action?: 'cancel_all_and_halt' | 'halt_only' | 'reduce_to_flat';
  };
  readonly execution: {
    readonly algorithm?: 'smart_order_routing_maker_first' | 'taker_immediate' | 'twap';
    readonly max_slippage_bps: number;
    readonly urgency?: 'low' | 'medium' | 'high';
  };
  readonly strategy: {
    readonly universe: ReadonlyArray<string>;
    readonly timeframes: ReadonlyArray<string>;
    readonly factors: ReadonlyArray<{
      readonly name: 'ema_cross';
      readonly parameters: {
        readonly fast: number;
        readonly slow: number;
        readonly timeframe?: string;
      };
    } | {
      readonly name: 'funding_percentile';
      readonly parameters: {
        readonly window_days: number;
        readonly max_percentile: number;
        readonly exit_percentile?: number;
      };
    } | {
      readonly name: 'rsi';
      readonly parameters?: {
        readonly period?: number;
        readonly oversold?: number;
        readonly overbought?: number;
        readonly timeframe?: string;
      };
    } | {
      readonly name: 'premium';
      readonly parameters: {
        readonly max_pct: number;
        readonly exit_pct?: number;
      };
    } | {
      readonly name: 'gap_to_mark';
      readonly parameters: {
        readonly max_pct: number;
        readonly exit_pct?: number;
      };
    } | {
      readonly name: 'basis';
      readonly parameters: {
        readonly max_pct: number;
        readonly exit_pct?: number;
      };
    } | {
      readonly name: 'volatility';
      readonly parameters: {
        readonly period?: number;
        readonly max_pct: number;
        readonly timeframe?: string;
      };
    } | {
      readonly name: 'event_sentiment';
      readonly parameters?: {
        readonly min_severity?: 'low' | 'medium' | 'high' | 'critical';
        readonly lookback_hours?: number;
        readonly include_rumors?: boolean;
      };
    }>;
    readonly entry_conditions?: ReadonlyArray<{
      readonly type: 'premium_below';
      readonly pct: number;
    } | {
      readonly type: 'premium_above';
      readonly pct: number;
    } | {
      readonly type: 'rsi_below';
      readonly period: number;
      readonly value: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'rsi_above';
      readonly period: number;
      readonly value: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'no_negative_event';
      readonly minSeverity?: 'low' | 'medium' | 'high' | 'critical';
      readonly lookbackHours?: number;
      readonly includeRumors?: boolean;
    } | {
      readonly type: 'ema_cross_up';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'ema_cross_down';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'ema_above';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'ema_below';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'gap_to_mark_below';
      readonly pct: number;
    } | {
      readonly type: 'gap_to_mark_above';
      readonly pct: number;
    } | {
      readonly type: 'funding_percentile_below';
      readonly windowDays: number;
      readonly percentile: number;
    } | {
      readonly type: 'funding_percentile_above';
      readonly windowDays: number;
      readonly percentile: number;
    } | {
      readonly type: 'basis_below';
      readonly pct: number;
    } | {
      readonly type: 'basis_above';
      readonly pct: number;
    } | {
      readonly type: 'session_in';
      readonly sessions: ReadonlyArray<'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED'>;
      readonly carriedReference?: boolean;
    } | {
      readonly type: 'liquidity_above';
      readonly usd: string | number;
    } | {
      readonly type: 'price_above';
      readonly price: string | number;
    } | {
      readonly type: 'price_below';
      readonly price: string | number;
    } | {
      readonly type: 'volatility_below';
      readonly period: number;
      readonly pct: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'net_edge_above';
      readonly bps: number;
      readonly notionalUsd: string | number;
      readonly transferFeeBps?: number;
    }>;
    readonly exit_conditions?: ReadonlyArray<{
      readonly type: 'premium_below';
      readonly pct: number;
    } | {
      readonly type: 'premium_above';
      readonly pct: number;
    } | {
      readonly type: 'rsi_below';
      readonly period: number;
      readonly value: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'rsi_above';
      readonly period: number;
      readonly value: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'negative_event';
      readonly minSeverity?: 'low' | 'medium' | 'high' | 'critical';
      readonly lookbackHours?: number;
      readonly includeRumors?: boolean;
    } | {
      readonly type: 'ema_cross_up';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'ema_cross_down';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'ema_above';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'ema_below';
      readonly fast: number;
      readonly slow: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'gap_to_mark_below';
      readonly pct: number;
    } | {
      readonly type: 'gap_to_mark_above';
      readonly pct: number;
    } | {
      readonly type: 'funding_percentile_below';
      readonly windowDays: number;
      readonly percentile: number;
    } | {
      readonly type: 'funding_percentile_above';
      readonly windowDays: number;
      readonly percentile: number;
    } | {
      readonly type: 'basis_below';
      readonly pct: number;
    } | {
      readonly type: 'basis_above';
      readonly pct: number;
    } | {
      readonly type: 'session_in';
      readonly sessions: ReadonlyArray<'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED'>;
      readonly carriedReference?: boolean;
    } | {
      readonly type: 'liquidity_above';
      readonly usd: string | number;
    } | {
      readonly type: 'price_above';
      readonly price: string | number;
    } | {
      readonly type: 'price_below';
      readonly price: string | number;
    } | {
      readonly type: 'volatility_below';
      readonly period: number;
      readonly pct: number;
      readonly timeframe?: string;
    } | {
      readonly type: 'reference_lost';
    } | {
      readonly type: 'take_profit';
      readonly pct: number;
    } | {
      readonly type: 'stop_loss';
      readonly pct: number;
    } | {
      readonly type: 'held_longer_than';
      readonly hours: number;
    }>;
    readonly kind?: 'external';
    readonly release?: string;
  };
};

export type ManifestPayload = {
  readonly universe: ReadonlyArray<string>;
  readonly entryConditions?: ReadonlyArray<{
    readonly type: 'premium_below';
    readonly pct: number;
  } | {
    readonly type: 'premium_above';
    readonly pct: number;
  } | {
    readonly type: 'rsi_below';
    readonly period: number;
    readonly value: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'rsi_above';
    readonly period: number;
    readonly value: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'no_negative_event';
    readonly minSeverity?: 'low' | 'medium' | 'high' | 'critical';
    readonly lookbackHours?: number;
    readonly includeRumors?: boolean;
  } | {
    readonly type: 'ema_cross_up';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'ema_cross_down';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'ema_above';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'ema_below';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'gap_to_mark_below';
    readonly pct: number;
  } | {
    readonly type: 'gap_to_mark_above';
    readonly pct: number;
  } | {
    readonly type: 'funding_percentile_below';
    readonly windowDays: number;
    readonly percentile: number;
  } | {
    readonly type: 'funding_percentile_above';
    readonly windowDays: number;
    readonly percentile: number;
  } | {
    readonly type: 'basis_below';
    readonly pct: number;
  } | {
    readonly type: 'basis_above';
    readonly pct: number;
  } | {
    readonly type: 'session_in';
    readonly sessions: ReadonlyArray<'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED'>;
    readonly carriedReference?: boolean;
  } | {
    readonly type: 'liquidity_above';
    readonly usd: string | number;
  } | {
    readonly type: 'price_above';
    readonly price: string | number;
  } | {
    readonly type: 'price_below';
    readonly price: string | number;
  } | {
    readonly type: 'volatility_below';
    readonly period: number;
    readonly pct: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'net_edge_above';
    readonly bps: number;
    readonly notionalUsd: string | number;
    readonly transferFeeBps?: number;
  }>;
  readonly exitConditions?: ReadonlyArray<{
    readonly type: 'premium_below';
    readonly pct: number;
  } | {
    readonly type: 'premium_above';
    readonly pct: number;
  } | {
    readonly type: 'rsi_below';
    readonly period: number;
    readonly value: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'rsi_above';
    readonly period: number;
    readonly value: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'negative_event';
    readonly minSeverity?: 'low' | 'medium' | 'high' | 'critical';
    readonly lookbackHours?: number;
    readonly includeRumors?: boolean;
  } | {
    readonly type: 'ema_cross_up';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'ema_cross_down';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'ema_above';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'ema_below';
    readonly fast: number;
    readonly slow: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'gap_to_mark_below';
    readonly pct: number;
  } | {
    readonly type: 'gap_to_mark_above';
    readonly pct: number;
  } | {
    readonly type: 'funding_percentile_below';
    readonly windowDays: number;
    readonly percentile: number;
  } | {
    readonly type: 'funding_percentile_above';
    readonly windowDays: number;
    readonly percentile: number;
  } | {
    readonly type: 'basis_below';
    readonly pct: number;
  } | {
    readonly type: 'basis_above';
    readonly pct: number;
  } | {
    readonly type: 'session_in';
    readonly sessions: ReadonlyArray<'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED'>;
    readonly carriedReference?: boolean;
  } | {
    readonly type: 'liquidity_above';
    readonly usd: string | number;
  } | {
    readonly type: 'price_above';
    readonly price: string | number;
  } | {
    readonly type: 'price_below';
    readonly price: string | number;
  } | {
    readonly type: 'volatility_below';
    readonly period: number;
    readonly pct: number;
    readonly timeframe?: string;
  } | {
    readonly type: 'reference_lost';
  } | {
    readonly type: 'take_profit';
    readonly pct: number;
  } | {
    readonly type: 'stop_loss';
    readonly pct: number;
  } | {
    readonly type: 'held_longer_than';
    readonly hours: number;
  }>;
  readonly name: string;
  readonly maxCapitalUsd: string | number;
  readonly maxTradeNotionalUsd: string | number;
  readonly stopLossPct: number;
  readonly takeProfitPct: number;
  readonly maxDailyDrawdownPct: number;
  readonly maxOpenPositions: number;
  readonly maxSlippageBps: number;
  readonly description?: string;
  readonly maxLeverage?: string | number;
  readonly killSwitchAction?: 'cancel_all_and_halt' | 'halt_only' | 'reduce_to_flat';
  readonly algorithm?: 'smart_order_routing_maker_first' | 'taker_immediate' | 'twap';
  readonly urgency?: 'low' | 'medium' | 'high';
  readonly timeframe: string;
  readonly strategy?: 'external';
  readonly release?: string;
};

export type ManifestVersion = {
  readonly version: number;
  readonly manifestHash: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly changes: ReadonlyArray<{
    readonly path: string;
    readonly before: unknown;
    readonly after: unknown;
  }>;
  readonly conditionsAdded: ReadonlyArray<{
    readonly side: 'entry' | 'exit';
    readonly condition: { readonly [name: string]: unknown };
  }>;
  readonly conditionsRemoved: ReadonlyArray<{
    readonly side: 'entry' | 'exit';
    readonly condition: { readonly [name: string]: unknown };
  }>;
};

export type MappedEntity = {
  readonly asset: string;
  readonly by: 'ticker' | 'cik' | 'name' | 'cashtag';
  readonly matched: string;
};

export type MarkChange = {
  readonly instrument: string;
  readonly issuer: string;
  readonly source: string;
  readonly mint: string;
  readonly seenAt: string;
  readonly markPrice: string;
  readonly markValuation: string;
  readonly previousMarkPrice: string | null;
  readonly previousMarkValuation: string | null;
  readonly changePct: number | null;
  readonly supply: string | null;
  readonly issuerTokenPrice: string | null;
  readonly issuerImpliedValuation: string | null;
};

export type MarketEvent = {
  readonly id: string;
  readonly kind: 'filing' | 'wire' | 'results' | 'fundraising' | 'mna' | 'executive' | 'regulatory' | 'bankruptcy' | 'restatement' | 'delisting' | 'cyber_incident' | 'auditor_change' | 'product' | 'analyst' | 'macro_release';
  readonly severity: 'low' | 'medium' | 'high' | 'critical';
  readonly direction: 'negative' | 'neutral' | 'positive';
  readonly state: 'rumor' | 'confirmed' | 'retracted';
  readonly confirmedBy: 'primary_source' | 'independent_families' | null;
  readonly confirmedAt: string | null;
  readonly symbols: ReadonlyArray<string>;
  readonly headline: string;
  readonly firstAt: string;
  readonly observedAt: string;
  readonly families: ReadonlyArray<string>;
  readonly reports: ReadonlyArray<EventReport>;
};

export type MarketOrder = {
  readonly id: string;
  readonly state: 'approved' | 'executing' | 'resting' | 'withdrawing' | 'filled' | 'partially_filled' | 'failed' | 'unknown' | 'cancelled' | 'blocked_by_risk';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly timeInForce: 'ioc' | 'gtc';
  readonly postOnly: boolean;
  readonly restingAt: string | null;
  readonly mode: 'paper' | 'live';
  readonly bookId: string;
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly limitPrice: string;
  readonly notionalUsd: string;
  readonly maxSlippageBps: number;
  readonly decisionPrice: string;
  readonly risk: {
    readonly verdict: 'passed' | 'blocked';
    readonly rejections: ReadonlyArray<{
      readonly code: string;
      readonly limit: string | null;
      readonly before: string | null;
      readonly after: string | null;
      readonly suggestion: string | null;
      readonly change?: {
        readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly usd?: string;
        readonly count?: number;
        readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
        readonly instrument?: string | null;
        readonly at?: number | null;
        readonly feature?: string;
      } | null;
    }>;
    readonly order?: {
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly limitPrice: string;
      readonly notionalUsd: string;
    };
    readonly headroom?: {
      readonly quantity: string;
      readonly code: string;
    };
  } | null;
  readonly placedBy: string;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly fills: ReadonlyArray<{
    readonly id: string;
    readonly side: 'buy' | 'sell';
    readonly quantity: string;
    readonly fillPrice: string;
    readonly notionalUsd: string;
    readonly feeUsd: string;
    readonly slippageBps: number;
    readonly at: string;
    readonly quotes: ReadonlyArray<{
      readonly source: string;
      readonly observedAt: string;
      readonly bid: string | null;
      readonly ask: string | null;
    }>;
  }>;
  readonly createdAt: string;
  readonly changedAt: string;
};

export type Me = {
  readonly subject: string;
  readonly name: string | null;
  readonly orgId: string | null;
  readonly permissions: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
  readonly viewerOnly: boolean;
  readonly expiresAt: string;
};

export type Member = {
  readonly subject: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
};

export type MemberRole = {
  readonly name: string;
  readonly permissions: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
  readonly builtIn: boolean;
};

export type MissingHistory = {
  readonly instrument: string;
  readonly conditions: ReadonlyArray<string>;
  readonly source: 'news:wire' | 'news:filings' | 'issuer_mark' | 'pool_liquidity';
  readonly from: string;
  readonly to: string;
  readonly missingPct: number;
  readonly command: string;
  readonly text: string;
};

export type NewAgentToken = {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly token: string;
};

export type NewInvitation = {
  readonly id: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly acceptedBy: string | null;
  readonly acceptedAt: string | null;
  readonly revokedAt: string | null;
  readonly code: string;
};

export type Observation = {
  readonly slot: number;
  readonly instrument: string;
  readonly session: 'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED';
  readonly quote: {
    readonly bid: string | null;
    readonly ask: string | null;
    readonly mid: string | null;
    readonly source: string;
    readonly observedAt: number;
    readonly receivedAt: number;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
  readonly reference: {
    readonly instrument: string;
    readonly source?: string;
    readonly referencePrice: string;
    readonly confidence: string;
    readonly feedUpdatedAt: number;
    readonly receivedAt: number;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
  readonly premiumPct: number | null;
  readonly gapToMarkPct: number | null;
  readonly basisPct: number | null;
  readonly hourlyFunding: string | null;
  readonly markPrice: string | null;
  readonly liquidityUsd: string | null;
  readonly indicators: { readonly [name: string]: {
      readonly value: number | null;
      readonly previous: number | null;
      readonly barOpenTime: number | null;
      readonly bars?: number;
    } };
  readonly events: ReadonlyArray<{
    readonly id: string;
    readonly severity: 'low' | 'medium' | 'high' | 'critical';
    readonly negative: boolean;
    readonly rumor: boolean;
    readonly observedAt: number;
    readonly headline: string;
  }> | null;
};

export type OpenedSignalHook = {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly template: {
    readonly side: string;
    readonly instrument: string;
    readonly notionalUsd?: string;
    readonly quantity?: string;
    readonly limitPrice?: string;
    readonly reason?: string;
    readonly id?: string;
  };
  readonly tickers: ReadonlyArray<{
    readonly ticker: string;
    readonly instrument: string;
  }>;
  readonly manifestHash: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly path: string;
  readonly signedPath: string;
  readonly signingSecret: string;
};

export type OrderBook = {
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly bids: ReadonlyArray<{
    readonly price: string;
    readonly size: string;
  }>;
  readonly asks: ReadonlyArray<{
    readonly price: string;
    readonly size: string;
  }>;
};

export type OutsideContext = {
  readonly agentId: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly paused: boolean;
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly release: string | null;
  readonly universe: ReadonlyArray<string>;
  readonly cut: {
    readonly slot: string;
    readonly observations: ReadonlyArray<Observation>;
  } | null;
  readonly book: {
    readonly id: string;
    readonly mode: string;
    readonly cashUsd: string;
    readonly equityUsd: string | null;
    readonly exposureUsd: string | null;
    readonly realizedPnlUsd: string;
    readonly dailyDrawdownPct: number | null;
    readonly positions: ReadonlyArray<{
      readonly instrument: string;
      readonly quantity: string;
      readonly costUsd: string;
      readonly valueUsd: string | null;
    }>;
    readonly openProposals: ReadonlyArray<{
      readonly id: string;
      readonly instrument: string;
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly notionalUsd: string;
    }>;
  };
  readonly limits: {
    readonly maxTradeNotionalUsd: string;
    readonly maxCapitalUsd: string;
    readonly maxOpenPositions: number;
    readonly maxSlippageBps: number;
    readonly maxDailyDrawdownPct: number;
    readonly maxLeverage: string;
    readonly reduceOnly: boolean;
  };
  readonly pending: {
    readonly id: string;
    readonly agentId: string;
    readonly clientId: string;
    readonly side: 'buy' | 'sell';
    readonly instrument: string;
    readonly notionalUsd: string | null;
    readonly quantity: string | null;
    readonly limitPrice: string | null;
    readonly reason: string;
    readonly inputsHash: string | null;
    readonly manifestHash: string;
    readonly hash: string;
    readonly slot: string;
    readonly receivedAt: string;
    readonly submittedBy: string;
    readonly state?: 'pending' | 'proposed' | 'blocked' | 'held' | 'superseded' | 'missed' | 'archived';
    readonly decision?: {
      readonly id: string;
      readonly disposition: 'hold' | 'propose_entry' | 'propose_exit' | 'blocked_by_risk';
      readonly reason: string | null;
    } | null;
  } | null;
  readonly agreement: {
    readonly sessionId: string;
    readonly openedAt: string;
  } | null;
};

export type OutsideProposal = {
  readonly id: string;
  readonly agentId: string;
  readonly clientId: string;
  readonly side: 'buy' | 'sell';
  readonly instrument: string;
  readonly notionalUsd: string | null;
  readonly quantity: string | null;
  readonly limitPrice: string | null;
  readonly reason: string;
  readonly inputsHash: string | null;
  readonly manifestHash: string;
  readonly hash: string;
  readonly slot: string;
  readonly receivedAt: string;
  readonly submittedBy: string;
  readonly state: 'pending' | 'proposed' | 'blocked' | 'held' | 'superseded' | 'missed' | 'archived';
  readonly decision: {
    readonly id: string;
    readonly disposition: 'hold' | 'propose_entry' | 'propose_exit' | 'blocked_by_risk';
    readonly reason: string | null;
  } | null;
};

export type OutsideProposalReceipt = {
  readonly id: string;
  readonly agentId: string;
  readonly clientId: string;
  readonly side: 'buy' | 'sell';
  readonly instrument: string;
  readonly notionalUsd: string | null;
  readonly quantity: string | null;
  readonly limitPrice: string | null;
  readonly reason: string;
  readonly inputsHash: string | null;
  readonly manifestHash: string;
  readonly hash: string;
  readonly slot: string;
  readonly receivedAt: string;
  readonly submittedBy: string;
  readonly state?: 'pending' | 'proposed' | 'blocked' | 'held' | 'superseded' | 'missed' | 'archived';
  readonly decision?: {
    readonly id: string;
    readonly disposition: 'hold' | 'propose_entry' | 'propose_exit' | 'blocked_by_risk';
    readonly reason: string | null;
  } | null;
};

export type PairedPerformance = {
  readonly window: '24h' | '7d' | '30d';
  readonly tokenPct: number | null;
  readonly stockPct: number | null;
  readonly relativePct: number | null;
};

export type Performance = {
  readonly at: string;
  readonly mode: 'paper' | 'live';
  readonly totals: {
    readonly capitalUsd: string;
    readonly equityUsd: string | null;
    readonly pnlUsd: string | null;
    readonly realizedPnlUsd: string;
    readonly unrealizedPnlUsd: string | null;
    readonly feesUsd: string;
    readonly fundingUsd: string;
    readonly todayUsd: string | null;
    readonly todayWithout: ReadonlyArray<string>;
  };
  readonly books: ReadonlyArray<{
    readonly bookId: string;
    readonly agentId: string | null;
    readonly manifestVersion: number | null;
    readonly version: number;
    readonly capitalUsd: string;
    readonly equityUsd: string | null;
    readonly pnlUsd: string | null;
    readonly realizedPnlUsd: string;
    readonly unrealizedPnlUsd: string | null;
    readonly feesUsd: string;
    readonly fundingUsd: string;
    readonly todayUsd: string | null;
    readonly todayWithout: ReadonlyArray<string>;
    readonly unpriced: ReadonlyArray<string>;
    readonly leftOut: ReadonlyArray<string>;
    readonly notLive: ReadonlyArray<string>;
  }>;
};

export type Perp = {
  readonly venue: 'evmvenue';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly ageMs: number;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly markPrice: string;
  readonly oraclePrice: string;
  readonly basisPct: string;
  readonly hourlyFunding: string;
  readonly annualFundingPct: string;
  readonly nextFundingAt: string;
  readonly openInterest: string;
  readonly openInterestNotional: string;
  readonly dayNotional: string;
  readonly top: {
    readonly bid: string | null;
    readonly ask: string | null;
    readonly bidSize: string | null;
    readonly askSize: string | null;
    readonly mid: string | null;
    readonly source: string;
    readonly observedAt: string;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
};

export type PerpDetail = {
  readonly venue: 'evmvenue';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly ageMs: number;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly markPrice: string;
  readonly oraclePrice: string;
  readonly basisPct: string;
  readonly hourlyFunding: string;
  readonly annualFundingPct: string;
  readonly nextFundingAt: string;
  readonly openInterest: string;
  readonly openInterestNotional: string;
  readonly dayNotional: string;
  readonly top: {
    readonly bid: string | null;
    readonly ask: string | null;
    readonly bidSize: string | null;
    readonly askSize: string | null;
    readonly mid: string | null;
    readonly source: string;
    readonly observedAt: string;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
  readonly funding: {
    readonly items: ReadonlyArray<{
      readonly at: string;
      readonly hourlyFunding: string;
    }>;
    readonly hours: number;
    readonly fetchedAt: string | null;
    readonly ageMs: number | null;
    readonly problem: string | null;
  };
};

export type Portfolio = {
  readonly at: string;
  readonly mode: 'paper' | 'live';
  readonly places: ReadonlyArray<{
    readonly id: string;
    readonly kind: 'book' | 'chain_wallet' | 'perp_account' | 'bridge_transfer' | 'free_dollars';
    readonly agentId: string | null;
    readonly address: string | null;
    readonly cashUsd: string;
    readonly reservedUsd: string;
    readonly quality: 'in_transit' | null;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly unread: ReadonlyArray<{
    readonly address: string;
    readonly asked: string;
    readonly why: string;
  }>;
  readonly totals: {
    readonly valueUsd: string;
    readonly cashUsd: string;
    readonly liveUsd: string;
    readonly qualifiedUsd: string;
    readonly grossExposureUsd: string;
    readonly leverage: number | null;
    readonly coverage: 'complete' | 'partial';
    readonly includes: string;
    readonly inputs: ReadonlyArray<string>;
  };
  readonly holdings: ReadonlyArray<PortfolioHolding>;
  readonly unpriced: ReadonlyArray<{
    readonly holding: string;
    readonly why: string;
  }>;
  readonly qualified: ReadonlyArray<{
    readonly holding: string;
    readonly why: string;
  }>;
  readonly instruments: ReadonlyArray<{
    readonly instrument: string;
    readonly quantity: string;
    readonly grossUsd: string;
    readonly weightPct: number | null;
    readonly limitPct: number;
    readonly exceedsLimit: boolean;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly sectors: ReadonlyArray<{
    readonly sector: string;
    readonly netUsd: string;
    readonly grossUsd: string;
    readonly weightPct: number | null;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly duplicates: ReadonlyArray<{
    readonly underlying: string;
    readonly members: ReadonlyArray<{
      readonly instrument: string;
      readonly relation: 'same_underlying' | 'paired_stock';
      readonly valueUsd: string | null;
    }>;
    readonly sameUnderlyingUsd: string;
    readonly pairedUsd: string;
    readonly weightPct: number | null;
    readonly limitPct: number;
    readonly exceedsLimit: boolean;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly exits: ReadonlyArray<{
    readonly instrument: string;
    readonly quantity: string;
    readonly positionUsd: string;
    readonly liquidityUsd: string | null;
    readonly sharePct: number | null;
    readonly largeAboveUsd: string | null;
    readonly large: boolean;
    readonly why: string;
    readonly limitSharePct: number;
    readonly exceedsLimit: boolean;
    readonly slippageBudgetBps: number;
    readonly exitSlippageBps: number | null;
    readonly exitableUsd: string | null;
    readonly exitablePct: number | null;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly scenarios: ReadonlyArray<PortfolioScenario>;
  readonly formulas: { readonly [name: string]: string };
  readonly inputs: ReadonlyArray<PortfolioInput>;
};

export type PortfolioHolding = {
  readonly id: string;
  readonly place: string;
  readonly instrument: string | null;
  readonly symbol: string;
  readonly name: string;
  readonly assetClass: 'public_equity' | 'pre_ipo' | 'agent_token' | 'crypto_spot' | 'perpetual' | 'prediction' | 'unlisted';
  readonly sector: string;
  readonly underlying: string;
  readonly side: 'long' | 'short';
  readonly quantity: string;
  readonly costUsd: string | null;
  readonly pricing: 'live' | 'qualified' | 'unpriced';
  readonly mark: string | null;
  readonly valueUsd: string | null;
  readonly quote: {
    readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
    readonly source: string;
    readonly observedAt: string;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
  readonly why: string;
  readonly margin: {
    readonly leverage: string;
    readonly marginUsd: string;
    readonly liquidationPrice: string | null;
  } | null;
  readonly inputs: ReadonlyArray<string>;
};

export type PortfolioImpact = {
  readonly allocations: ReadonlyArray<{
    readonly id: string;
    readonly instrument: string;
    readonly side: 'buy' | 'sell';
    readonly notionalUsd: string;
    readonly wouldPass: boolean;
    readonly risk: {
      readonly verdict: 'passed' | 'blocked';
      readonly rejections: ReadonlyArray<{
        readonly code: string;
        readonly limit: string | null;
        readonly before: string | null;
        readonly after: string | null;
        readonly suggestion: string | null;
        readonly change?: {
          readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
          readonly quantity?: string;
          readonly limitPrice?: string;
          readonly usd?: string;
          readonly count?: number;
          readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
          readonly instrument?: string | null;
          readonly at?: number | null;
          readonly feature?: string;
        } | null;
      }>;
      readonly order?: {
        readonly side: 'buy' | 'sell';
        readonly quantity: string;
        readonly limitPrice: string;
        readonly notionalUsd: string;
      };
      readonly headroom?: {
        readonly quantity: string;
        readonly code: string;
      };
    } | null;
    readonly limits: ReadonlyArray<{
      readonly code: string;
      readonly limitUsd: string | null;
      readonly beforeUsd: string;
      readonly afterUsd: string;
      readonly keeps: boolean;
    }>;
    readonly price: string | null;
    readonly quantity: string;
    readonly feeUsd: string;
    readonly note: string;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly before: PortfolioView;
  readonly after: PortfolioView;
  readonly formulas: { readonly [name: string]: string };
  readonly inputs: ReadonlyArray<PortfolioInput>;
};

export type PortfolioInput = {
  readonly id: string;
  readonly kind: 'quote' | 'reported_value' | 'book' | 'fills' | 'wallet' | 'pool' | 'catalog' | 'mandate' | 'scenario' | 'calendar' | 'allocation';
  readonly what: string;
  readonly value: string | null;
  readonly source: string;
  readonly observedAt: string | null;
  readonly ageMs: number | null;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted' | null;
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly refers: ReadonlyArray<string>;
};

export type PortfolioScenario = {
  readonly id: 'equity_selloff' | 'private_mark_reset' | 'crypto_crash' | 'liquidity_freeze' | 'weekend_gap';
  readonly shocks: { readonly [name: string]: number };
  readonly exitHaircutPct: number | null;
  readonly against: 'next_regular_open' | null;
  readonly opensAt: string | null;
  readonly beforeUsd: string;
  readonly afterUsd: string;
  readonly lossUsd: string;
  readonly lossPct: number | null;
  readonly coverage: 'complete' | 'partial';
  readonly leftOut: ReadonlyArray<string>;
  readonly effects: ReadonlyArray<{
    readonly holding: string;
    readonly shockPct: number;
    readonly haircutPct: number;
    readonly beforeUsd: string;
    readonly afterUsd: string;
    readonly lossUsd: string;
    readonly why: string;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly inputs: ReadonlyArray<string>;
};

export type PortfolioView = {
  readonly at: string;
  readonly mode: 'paper' | 'live';
  readonly places: ReadonlyArray<{
    readonly id: string;
    readonly kind: 'book' | 'chain_wallet' | 'perp_account' | 'bridge_transfer' | 'free_dollars';
    readonly agentId: string | null;
    readonly address: string | null;
    readonly cashUsd: string;
    readonly reservedUsd: string;
    readonly quality: 'in_transit' | null;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly unread: ReadonlyArray<{
    readonly address: string;
    readonly asked: string;
    readonly why: string;
  }>;
  readonly totals: {
    readonly valueUsd: string;
    readonly cashUsd: string;
    readonly liveUsd: string;
    readonly qualifiedUsd: string;
    readonly grossExposureUsd: string;
    readonly leverage: number | null;
    readonly coverage: 'complete' | 'partial';
    readonly includes: string;
    readonly inputs: ReadonlyArray<string>;
  };
  readonly holdings: ReadonlyArray<PortfolioHolding>;
  readonly unpriced: ReadonlyArray<{
    readonly holding: string;
    readonly why: string;
  }>;
  readonly qualified: ReadonlyArray<{
    readonly holding: string;
    readonly why: string;
  }>;
  readonly instruments: ReadonlyArray<{
    readonly instrument: string;
    readonly quantity: string;
    readonly grossUsd: string;
    readonly weightPct: number | null;
    readonly limitPct: number;
    readonly exceedsLimit: boolean;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly sectors: ReadonlyArray<{
    readonly sector: string;
    readonly netUsd: string;
    readonly grossUsd: string;
    readonly weightPct: number | null;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly duplicates: ReadonlyArray<{
    readonly underlying: string;
    readonly members: ReadonlyArray<{
      readonly instrument: string;
      readonly relation: 'same_underlying' | 'paired_stock';
      readonly valueUsd: string | null;
    }>;
    readonly sameUnderlyingUsd: string;
    readonly pairedUsd: string;
    readonly weightPct: number | null;
    readonly limitPct: number;
    readonly exceedsLimit: boolean;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly exits: ReadonlyArray<{
    readonly instrument: string;
    readonly quantity: string;
    readonly positionUsd: string;
    readonly liquidityUsd: string | null;
    readonly sharePct: number | null;
    readonly largeAboveUsd: string | null;
    readonly large: boolean;
    readonly why: string;
    readonly limitSharePct: number;
    readonly exceedsLimit: boolean;
    readonly slippageBudgetBps: number;
    readonly exitSlippageBps: number | null;
    readonly exitableUsd: string | null;
    readonly exitablePct: number | null;
    readonly inputs: ReadonlyArray<string>;
  }>;
  readonly scenarios: ReadonlyArray<PortfolioScenario>;
};

export type PredictionMarket = {
  readonly id: string;
  readonly provider: 'polymarket' | 'kalshi';
  readonly providerId: string;
  readonly providerIds: { readonly [name: string]: string };
  readonly event: {
    readonly id?: string;
    readonly providerId?: string;
    readonly title?: string;
    readonly mutuallyExclusive?: boolean | null;
  } | null;
  readonly question: string;
  readonly subtitle: string;
  readonly outcomes: ReadonlyArray<{
    readonly side: 'yes' | 'no';
    readonly label: string;
    readonly instrument: string;
    readonly providerId: string;
    readonly bid: string | null;
    readonly ask: string | null;
    readonly bidSize: string | null;
    readonly askSize: string | null;
    readonly last: string | null;
    readonly payout: string | null;
    readonly source: string;
    readonly observedAt: string;
    readonly receivedAt: string;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  }>;
  readonly priceGrid: ReadonlyArray<{
    readonly start: string;
    readonly end: string;
    readonly step: string;
  }>;
  readonly minimumSize: string | null;
  readonly status: 'unopened' | 'open' | 'paused' | 'closed' | 'determined' | 'disputed' | 'resolved' | 'voided' | 'unknown';
  readonly providerStatus: string;
  readonly volume: string | null;
  readonly volume24h: string | null;
  readonly openInterest: string | null;
  readonly volumeUnit: 'usd' | 'contracts';
  readonly liquidityUsd: string | null;
  readonly opensAt: string | null;
  readonly closesAt: string | null;
  readonly expectedResolutionAt: string | null;
  readonly latestResolutionAt: string | null;
  readonly resolvedAt: string | null;
  readonly resolution: {
    readonly rules: string;
    readonly secondaryRules: string;
    readonly sources: ReadonlyArray<{
      readonly name: string;
      readonly url: string | null;
    }>;
    readonly procedure: 'optimistic_oracle' | 'exchange_determination';
    readonly history: ReadonlyArray<string>;
    readonly result: 'yes' | 'no' | null;
    readonly decidedBy: string | null;
    readonly mayCloseEarly: boolean | null;
    readonly earlyCloseCondition: string | null;
  };
  readonly fee: {
    readonly model: 'quadratic' | 'none' | 'unknown';
    readonly rate: string | null;
    readonly exponent: number;
    readonly roundingUsd: string | null;
  };
  readonly underlying: string | null;
  readonly asks: {
    readonly underlying?: string;
    readonly comparator?: 'above' | 'at_or_above' | 'below' | 'at_or_below' | 'between';
    readonly threshold?: string;
    readonly upperThreshold?: string | null;
    readonly measure?: 'at_time' | 'any_time';
    readonly resolvesAt?: string;
  } | null;
  readonly venue: 'prediction';
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
};

export type PredictionOrder = {
  readonly id: string;
  readonly state: 'prepared' | 'submitted' | 'open' | 'partially_filled' | 'filled' | 'cancelled' | 'failed';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly mode: 'paper' | 'live';
  readonly bookId: string;
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly limitPrice: string;
  readonly notionalUsd: string;
  readonly maxSlippageBps: number;
  readonly decisionPrice: string;
  readonly risk: {
    readonly verdict: 'passed' | 'blocked';
    readonly rejections: ReadonlyArray<{
      readonly code: string;
      readonly limit: string | null;
      readonly before: string | null;
      readonly after: string | null;
      readonly suggestion: string | null;
      readonly change?: {
        readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly usd?: string;
        readonly count?: number;
        readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
        readonly instrument?: string | null;
        readonly at?: number | null;
        readonly feature?: string;
      } | null;
    }>;
    readonly order?: {
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly limitPrice: string;
      readonly notionalUsd: string;
    };
    readonly headroom?: {
      readonly quantity: string;
      readonly code: string;
    };
  } | null;
  readonly placedBy: string;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly fills: ReadonlyArray<{
    readonly id: string;
    readonly side: 'buy' | 'sell';
    readonly quantity: string;
    readonly fillPrice: string;
    readonly notionalUsd: string;
    readonly feeUsd: string;
    readonly slippageBps: number;
    readonly at: string;
    readonly quotes: ReadonlyArray<{
      readonly source: string;
      readonly observedAt: string;
      readonly bid: string | null;
      readonly ask: string | null;
    }>;
  }>;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly marketId: string;
  readonly outcome: 'yes' | 'no';
  readonly feesUsd: string;
  readonly onchain: {
    readonly wallet?: string;
    readonly transactionId?: string;
    readonly venueMarketId?: string;
    readonly orderAccount?: string;
    readonly positionAccount?: string;
    readonly depositUsd?: string;
    readonly contracts?: string;
  } | null;
  readonly refundUsd: string | null;
};

export type PredictionOrderTransaction = {
  readonly id: string;
  readonly state: 'prepared' | 'submitted' | 'verified' | 'broadcast' | 'confirmed' | 'finalized' | 'expired' | 'refused' | 'failed' | 'unknown';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly wallet: string;
  readonly unsigned: string;
  readonly digest: string;
  readonly requiredSigners: ReadonlyArray<string>;
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  readonly signature: string | null;
  readonly slot: number | null;
  readonly feeLamports: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
};

export type PredictionResearch = {
  readonly marketId: string;
  readonly provider: 'polymarket' | 'kalshi';
  readonly question: string;
  readonly subtitle: string;
  readonly status: 'unopened' | 'open' | 'paused' | 'closed' | 'determined' | 'disputed' | 'resolved' | 'voided' | 'unknown';
  readonly asks: {
    readonly underlying?: string;
    readonly comparator?: 'above' | 'at_or_above' | 'below' | 'at_or_below' | 'between';
    readonly threshold?: string;
    readonly upperThreshold?: string | null;
    readonly measure?: 'at_time' | 'any_time';
    readonly resolvesAt?: string;
  } | null;
  readonly at: string;
  readonly corroboration: 'corroborated' | 'disputed' | 'single_source' | 'insufficient';
  readonly probability: {
    readonly id: string;
    readonly value: string | null;
    readonly formula: string;
    readonly inputs: ReadonlyArray<string>;
    readonly why: string;
  };
  readonly low: {
    readonly id: string;
    readonly value: string | null;
    readonly formula: string;
    readonly inputs: ReadonlyArray<string>;
    readonly why: string;
  };
  readonly high: {
    readonly id: string;
    readonly value: string | null;
    readonly formula: string;
    readonly inputs: ReadonlyArray<string>;
    readonly why: string;
  };
  readonly disagreement: {
    readonly verdict: 'inside_spreads' | 'inside_fees' | 'actionable' | 'fees_unknown' | 'not_comparable';
    readonly difference: {
      readonly id: string;
      readonly value: string | null;
      readonly formula: string;
      readonly inputs: ReadonlyArray<string>;
      readonly why: string;
    };
    readonly edgePerContract: {
      readonly id: string;
      readonly value: string | null;
      readonly formula: string;
      readonly inputs: ReadonlyArray<string>;
      readonly why: string;
    };
    readonly legs: ReadonlyArray<{
      readonly provider: 'polymarket' | 'kalshi';
      readonly side: 'yes' | 'no';
      readonly price: string;
    }>;
    readonly sizeContracts: string | null;
    readonly riskless: boolean | null;
  };
  readonly inputs: ReadonlyArray<{
    readonly id: string;
    readonly provider: 'polymarket' | 'kalshi';
    readonly marketId: string;
    readonly kind: 'bid' | 'ask' | 'trade' | 'fee_rate';
    readonly value: string;
    readonly size: string | null;
    readonly source: string;
    readonly observedAt: string;
    readonly receivedAt: string;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly counts: boolean;
    readonly why: string;
  }>;
  readonly derived: ReadonlyArray<{
    readonly id: string;
    readonly value: string | null;
    readonly formula: string;
    readonly inputs: ReadonlyArray<string>;
    readonly why: string;
  }>;
  readonly notes: ReadonlyArray<string>;
  readonly criteria: ReadonlyArray<{
    readonly marketId: string;
    readonly provider: 'polymarket' | 'kalshi';
    readonly criteria: ReadonlyArray<{
      readonly aspect: 'condition' | 'source' | 'deadline' | 'fallback' | 'other';
      readonly text: string;
    }>;
    readonly sources: ReadonlyArray<{
      readonly name: string;
      readonly url: string | null;
    }>;
    readonly procedure: 'optimistic_oracle' | 'exchange_determination';
    readonly closesAt: string | null;
    readonly expectedResolutionAt: string | null;
    readonly latestResolutionAt: string | null;
    readonly mayCloseEarly: boolean | null;
  }>;
  readonly differences: ReadonlyArray<{
    readonly aspect: 'sources' | 'procedure' | 'instant' | 'latest_resolution' | 'early_close' | 'fallback';
    readonly ours: string;
    readonly theirs: string;
    readonly material: boolean;
  }>;
  readonly same: ReadonlyArray<{
    readonly marketId: string;
    readonly provider: 'polymarket' | 'kalshi';
    readonly question: string;
    readonly subtitle: string;
    readonly status: 'unopened' | 'open' | 'paused' | 'closed' | 'determined' | 'disputed' | 'resolved' | 'voided' | 'unknown';
    readonly asks: {
      readonly underlying?: string;
      readonly comparator?: 'above' | 'at_or_above' | 'below' | 'at_or_below' | 'between';
      readonly threshold?: string;
      readonly upperThreshold?: string | null;
      readonly measure?: 'at_time' | 'any_time';
      readonly resolvesAt?: string;
    } | null;
    readonly reasons: ReadonlyArray<string>;
  }>;
  readonly related: ReadonlyArray<{
    readonly marketId: string;
    readonly provider: 'polymarket' | 'kalshi';
    readonly question: string;
    readonly subtitle: string;
    readonly status: 'unopened' | 'open' | 'paused' | 'closed' | 'determined' | 'disputed' | 'resolved' | 'voided' | 'unknown';
    readonly asks: {
      readonly underlying?: string;
      readonly comparator?: 'above' | 'at_or_above' | 'below' | 'at_or_below' | 'between';
      readonly threshold?: string;
      readonly upperThreshold?: string | null;
      readonly measure?: 'at_time' | 'any_time';
      readonly resolvesAt?: string;
    } | null;
    readonly reasons: ReadonlyArray<string>;
  }>;
};

export type PreparedLaunch = {
  readonly id: string;
  readonly mint: string;
  readonly config: string;
  readonly transactions: ReadonlyArray<string>;
  readonly lastValidBlockHeight: number;
  readonly expiresAt: string;
  readonly launch: Launch;
};

export type PreparedPredictionOrder = {
  readonly order: PredictionOrder;
  readonly transaction: PredictionOrderTransaction;
};

export type Problem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: 'malformed' | 'unauthenticated' | 'token_expired' | 'ambiguous_credentials' | 'origin_refused' | 'permission_missing' | 'not_found' | 'method_not_allowed' | 'state_conflict' | 'already_paused' | 'not_paused' | 'cause_persists' | 'resume_by_creator' | 'evidence_missing' | 'manifest_invalid' | 'autonomy_refused' | 'idempotency_mismatch' | 'idempotency_in_flight' | 'body_too_large' | 'body_too_deep' | 'unsupported_media_type' | 'rate_limited' | 'unavailable' | 'halted' | 'feature_disabled' | 'blocked_by_risk' | 'gate_failed' | 'sign_off_refused' | 'malformed_transaction' | 'signed_bytes_differ' | 'signature_missing' | 'signature_invalid' | 'route_refused' | 'too_many_prepared' | 'challenge_expired' | 'launch_refused' | 'payment_refused' | 'licence_missing' | 'wallet_unproved' | 'thesis_ambiguous' | 'take_invalid' | 'take_unsettled' | 'proposal_pending' | 'proposals_refused' | 'outside_mandate' | 'external_not_listable' | 'internal_error';
  readonly requestId: string;
  readonly problems?: ReadonlyArray<{
    readonly path: string;
    readonly problem: string;
    readonly allowed: string;
  }>;
  readonly questions?: ReadonlyArray<string>;
  readonly rejections?: ReadonlyArray<{
    readonly code: string;
    readonly limit: string | null;
    readonly before: string | null;
    readonly after: string | null;
    readonly suggestion: string | null;
    readonly change?: {
      readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
      readonly quantity?: string;
      readonly limitPrice?: string;
      readonly usd?: string;
      readonly count?: number;
      readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
      readonly instrument?: string | null;
      readonly at?: number | null;
      readonly feature?: string;
    } | null;
  }>;
  readonly difference?: {
    readonly inserted: ReadonlyArray<{
      readonly program: string;
      readonly name: string | null;
    }>;
    readonly removed: ReadonlyArray<{
      readonly program: string;
      readonly name: string | null;
    }>;
    readonly altered: ReadonlyArray<{
      readonly program: string;
      readonly name: string | null;
    }>;
    readonly reordered: boolean;
    readonly parts: ReadonlyArray<string>;
  };
  readonly checks?: ReadonlyArray<{
    readonly name: string;
    readonly observed: number | null;
    readonly rule: 'above' | 'below' | 'at_least' | 'at_most';
    readonly limit: number | null;
    readonly passed: boolean;
  }>;
};

export type PromotedAgent = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly state: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | 'paused';
  readonly paused: boolean;
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly manifestHash: string;
  readonly manifestVersion: number;
  readonly closing: ReadonlyArray<{
    readonly instrument: string | null;
    readonly limitPrice: string | null;
    readonly closedBy: string;
    readonly at: string;
    readonly waitingFor?: {
      readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
      readonly detail: string;
    } | null;
  }>;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly missingHistory: ReadonlyArray<MissingHistory>;
  readonly liveLimit: string | null;
};

export type Proposal = {
  readonly id: string;
  readonly agentId: string;
  readonly decisionId: string | null;
  readonly slot: string;
  readonly side: 'entry' | 'exit';
  readonly state: 'pending_approval' | 'approved' | 'executing' | 'filled' | 'partially_filled' | 'failed' | 'unknown' | 'expired' | 'cancelled' | 'declined' | 'blocked_by_risk';
  readonly reason: string | null;
  readonly mode: 'paper' | 'live';
  readonly bookId: string;
  readonly instrument: string;
  readonly order: {
    readonly side: 'buy' | 'sell';
    readonly reduceOnly: boolean;
    readonly quantity: string;
    readonly limitPrice: string;
    readonly notionalUsd: string;
    readonly maxSlippageBps: number;
  };
  readonly execution: {
    readonly asked: 'smart_order_routing_maker_first' | 'taker_immediate' | 'twap';
    readonly algorithm: 'smart_order_routing_maker_first' | 'taker_immediate' | 'twap';
    readonly urgency: 'low' | 'medium' | 'high';
    readonly fallback: 'no_resting_orders' | 'one_transaction' | 'protective_exit' | 'too_small_to_slice' | null;
    readonly phase: 'waiting' | 'working' | 'resting' | 'withdrawing' | 'ended';
    readonly restingAt: string | null;
    readonly left: string;
    readonly parts: ReadonlyArray<{
      readonly number: number;
      readonly kind: 'take' | 'rest';
      readonly quantity: string;
      readonly dueAt: string | null;
      readonly executedQuantity: string;
      readonly reason: string | null;
    }>;
  } | null;
  readonly decisionPrice: string;
  readonly risk: {
    readonly verdict: 'passed' | 'blocked';
    readonly rejections: ReadonlyArray<{
      readonly code: string;
      readonly limit: string | null;
      readonly before: string | null;
      readonly after: string | null;
      readonly suggestion: string | null;
      readonly change?: {
        readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly usd?: string;
        readonly count?: number;
        readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
        readonly instrument?: string | null;
        readonly at?: number | null;
        readonly feature?: string;
      } | null;
    }>;
    readonly order?: {
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly limitPrice: string;
      readonly notionalUsd: string;
    };
    readonly headroom?: {
      readonly quantity: string;
      readonly code: string;
    };
  } | null;
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly decidedBy: string | null;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly averageFillPrice: string | null;
  readonly fills: ReadonlyArray<{
    readonly id: string;
    readonly side: 'buy' | 'sell';
    readonly quantity: string;
    readonly fillPrice: string;
    readonly notionalUsd: string;
    readonly feeUsd: string;
    readonly slippageBps: number;
    readonly at: string;
    readonly quotes: ReadonlyArray<{
      readonly source: string;
      readonly observedAt: string;
      readonly bid: string | null;
      readonly ask: string | null;
    }>;
  }>;
  readonly transaction: {
    readonly id: string;
    readonly state: 'prepared' | 'submitted' | 'verified' | 'broadcast' | 'confirmed' | 'finalized' | 'expired' | 'refused' | 'failed' | 'unknown';
    readonly wallet: string;
    readonly signedBy: 'owner' | 'delegated_signer';
  } | null;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly changedAt: string;
  readonly progress: {
    readonly done: number;
    readonly total: number;
    readonly unit: string;
  } | null;
  readonly remainingMs: number | null;
  readonly waitingFor: {
    readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
    readonly detail: string;
  } | null;
};

export type PublicWallet = {
  readonly address: string;
  readonly venue: 'evmvenue';
  readonly label: 'reported/partial';
  readonly observedAt: string | null;
  readonly fetchedAt: string;
  readonly ageMs: number;
  readonly margin: {
    readonly accountValue: string;
    readonly totalNotional: string;
    readonly totalMarginUsed: string;
    readonly withdrawable: string;
  };
  readonly positions: ReadonlyArray<{
    readonly coin: string;
    readonly side: 'long' | 'short';
    readonly size: string;
    readonly entryPrice: string | null;
    readonly positionValue: string;
    readonly unrealizedPnl: string;
    readonly liquidationPrice: string | null;
    readonly marginUsed: string;
    readonly leverage: number;
    readonly marginMode: 'cross' | 'isolated';
    readonly fundingSinceOpen: string | null;
  }>;
  readonly closed: {
    readonly grossPnl: string;
    readonly closingFills: number;
    readonly wins: number;
    readonly losses: number;
    readonly fees: string;
    readonly netPnl: string | null;
    readonly long: {
      readonly grossPnl: string;
      readonly closingFills: number;
      readonly wins: number;
      readonly losses: number;
    };
    readonly short: {
      readonly grossPnl: string;
      readonly closingFills: number;
      readonly wins: number;
      readonly losses: number;
    };
    readonly byCoin: ReadonlyArray<{
      readonly coin: string;
      readonly grossPnl: string;
      readonly closingFills: number;
      readonly wins: number;
      readonly losses: number;
      readonly fees: string;
    }>;
  };
  readonly coverage: {
    readonly label: 'reported/partial';
    readonly fills: number;
    readonly counted: number;
    readonly excluded: number;
    readonly feesInOtherTokens: number;
    readonly from: string | null;
    readonly to: string | null;
    readonly truncated: boolean;
    readonly cap: number;
  };
};

export type PublishedTake = {
  readonly id: string;
  readonly origin: 'thesis' | 'basis';
  readonly hash: string;
  readonly manifestHash: string;
  readonly symbol: string;
  readonly instrument: string;
  readonly target: unknown;
  readonly conditions: {
    readonly entry: ReadonlyArray<{
      readonly type: string;
      readonly [name: string]: unknown;
    }>;
    readonly exit: ReadonlyArray<{
      readonly type: string;
      readonly [name: string]: unknown;
    }>;
  };
  readonly allocationUsd: string;
  readonly maxSlippageBps: number;
  readonly timeframe: string;
  readonly thesis: string | null;
  readonly understood: ReadonlyArray<{
    readonly phrase: string;
    readonly as: string;
  }>;
  readonly assumed: ReadonlyArray<string>;
  readonly notUnderstood: ReadonlyArray<string>;
  readonly lineage: ReadonlyArray<string>;
  readonly createdAt: string;
  readonly publishedAt: string;
};

export type Quote = {
  readonly kind: 'quote' | 'reference';
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly maxAgeMs: number;
  readonly cadence: 'continuous' | 'change_only' | 'polled';
  readonly bid?: string | null;
  readonly ask?: string | null;
  readonly bidSize?: string | null;
  readonly askSize?: string | null;
  readonly mid?: string | null;
  readonly sequence?: number | null;
  readonly referencePrice?: string;
  readonly confidence?: string;
  readonly feedUpdatedAt?: string;
  readonly publisherSession?: 'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED' | null;
};

export type QuotedLaunch = {
  readonly id: string;
  readonly lamports: string;
  readonly recipient: string;
  readonly transaction: string;
  readonly lastValidBlockHeight: number;
  readonly expiresAt: string;
  readonly launch: LauncherLaunch;
};

export type RankedAgentToken = {
  readonly rank: number | null;
  readonly score: number | null;
  readonly reasons: ReadonlyArray<'risk_unknown' | 'depth_unknown' | 'holders_unknown' | 'performance_unknown' | 'age_unknown'>;
  readonly mint: string;
  readonly instrument: string;
  readonly symbol: string;
  readonly name: string;
  readonly pairedStock: string | null;
  readonly listedAt: string;
  readonly ageDays: number;
  readonly at: string;
  readonly price: {
    readonly priceUsd: string;
    readonly source: 'curve' | 'aggregator';
    readonly at: string;
    readonly ageMs: number;
  } | null;
  readonly holders: {
    readonly slot: number;
    readonly supply: string;
    readonly circulating: string;
    readonly top1Pct: number | null;
    readonly top10Pct: number | null;
    readonly isComplete: boolean;
    readonly excluded: ReadonlyArray<{
      readonly kind: 'curve' | 'pool' | 'locker' | 'burned';
      readonly amount: string;
      readonly pctOfSupply: number;
    }>;
    readonly wallets: ReadonlyArray<{
      readonly owner: string;
      readonly amount: string;
      readonly pct: number;
      readonly isCreator: boolean;
    }>;
  } | null;
  readonly creator: {
    readonly address: string;
    readonly held: string;
    readonly freePct: number;
    readonly lockedPct: number;
    readonly vesting: {
      readonly state: 'none' | 'waiting' | 'unlocking' | 'unlocked';
      readonly total: string;
      readonly unlocked: string;
      readonly endsAt: string | null;
    } | null;
  } | null;
  readonly depth: {
    readonly depthUsd: string;
    readonly source: 'curve' | 'successor_pool' | 'aggregator';
    readonly at: string;
    readonly ageMs: number;
  } | null;
  readonly volume: {
    readonly days: number;
    readonly reportedUsd: string;
    readonly countedUsd: string;
    readonly washedPct: number;
    readonly variation: number;
  } | null;
  readonly risk: AgentTokenRisk;
  readonly performance: ReadonlyArray<PairedPerformance> | null;
};

export type RankedRow = {
  readonly rank: number | null;
  readonly symbol: string;
  readonly score: string | null;
  readonly reasons: ReadonlyArray<'not_traded' | 'not_observed' | 'no_quote' | 'quote_not_live' | 'no_reference' | 'stale_reference' | 'no_pool' | 'no_depth' | 'events_unheard' | 'no_bars' | 'no_portfolio'>;
  readonly causes: ReadonlyArray<{
    readonly input: string;
    readonly cause: 'not_observed' | 'no_position' | 'market_closed' | 'feed_down' | 'halted' | 'stale' | 'not_live' | 'missing' | 'one_sided' | 'warming_up' | 'history_missing' | 'source_down' | 'not_computable';
    readonly until?: string;
    readonly barsNeeded?: number;
    readonly bars?: number;
  }>;
  readonly flags: ReadonlyArray<'carried_reference'>;
  readonly terms: ReadonlyArray<{
    readonly name: string;
    readonly value: string;
    readonly points: string;
  }>;
  readonly instrument: string;
  readonly name: string;
  readonly sector: string;
  readonly session: 'PRE_MARKET' | 'REGULAR' | 'POST_MARKET' | 'CLOSED' | null;
  readonly tokenPrice: {
    readonly price: string;
    readonly source: string;
    readonly observedAt: string;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
  readonly reference: {
    readonly price: string;
    readonly source: string;
    readonly observedAt: string;
    readonly ageMs: number;
    readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
    readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  } | null;
  readonly gapPct: number | null;
  readonly liquidityUsd: string | null;
  readonly inputs: { readonly [name: string]: unknown };
};

export type RankedVault = {
  readonly rank: number | null;
  readonly agentId: string;
  readonly name: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly returnPct: number | null;
  readonly sinceAt: string | null;
  readonly sharePriceUsd: string | null;
  readonly highWaterMarkUsd: string;
  readonly drawdownPct: number | null;
  readonly equityUsd: string | null;
  readonly allocatedUsd: string;
  readonly realizedPnlUsd: string;
  readonly depositors: number;
  readonly markedAt: string | null;
};

export type Readiness = {
  readonly ready: boolean;
  readonly parts: ReadonlyArray<{
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
  }>;
};

export type Recommendation = {
  readonly decisionId: string;
  readonly hash: string;
  readonly agentId: string;
  readonly agentName: string;
  readonly slot: string;
  readonly side: 'buy' | 'sell';
  readonly instrument: string;
  readonly summary: string;
  readonly seen: string;
  readonly why: ReadonlyArray<string>;
  readonly rules: ReadonlyArray<{
    readonly type: string;
    readonly passed: boolean;
    readonly sentence: string;
  }>;
};

export type RecordedIntervention = {
  readonly actorId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
  readonly actorStatus: 'running' | 'done' | 'quarantined';
  readonly action: 'retry' | 'reset' | 'release';
  readonly activity: string | null;
  readonly activities: number;
  readonly reason: string;
  readonly subject: string;
  readonly at: string;
};

export type RegimeInput = {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly value: string | null;
  readonly at: string | null;
  readonly ageMs: number | null;
  readonly maxAgeMs: number;
  readonly state: 'used' | 'too_old' | 'missing';
  readonly weight: number;
  readonly riskOnAt: string;
  readonly riskOffAt: string;
  readonly score: string | null;
  readonly contribution: string | null;
};

export type RegisteredWallet = {
  readonly address: string;
  readonly chain: 'spotchain' | 'evmvenue';
  readonly label: string | null;
};

export type ReplaySlot = {
  readonly path: number;
  readonly cut: {
    readonly slot: string;
    readonly observations: ReadonlyArray<Observation>;
  };
  readonly book: {
    readonly cashUsd: string;
    readonly equityUsd: string | null;
    readonly realizedPnlUsd: string;
    readonly positions: ReadonlyArray<{
      readonly instrument: string;
      readonly quantity: string;
      readonly averageEntryPrice: string;
      readonly openedAt: string;
    }>;
  };
  readonly last: {
    readonly disposition: 'hold' | 'propose_entry' | 'propose_exit' | 'blocked_by_risk';
    readonly reason: string | null;
  } | null;
};

export type ReplayStep = {
  readonly step: number;
  readonly done: boolean;
  readonly slots: ReadonlyArray<ReplaySlot>;
};

export type ReserveCheck = {
  readonly at: string;
  readonly verdict: 'backed' | 'short' | 'unknown';
  readonly lines: ReadonlyArray<{
    readonly asset: string;
    readonly claimed: string;
    readonly held: string | null;
  }>;
  readonly unknown: ReadonlyArray<string>;
};

export type RiskPreferences = {
  readonly version: number;
  readonly maxCapitalUsd: string;
  readonly maxTradeNotionalUsd: string;
  readonly maxLeverage: string;
  readonly maxDailyDrawdownPct: number;
  readonly maxOpenPositions: number;
  readonly maxSlippageBps: number;
  readonly maxPositionWeightPct: number;
  readonly maxUnderlyingWeightPct: number;
  readonly maxPoolSharePct: number;
  readonly requireLiveReference: boolean;
  readonly reduceOnly: boolean;
  readonly setBy: string | null;
  readonly setAt: string | null;
};

export type Runtime = {
  readonly at: string;
  readonly actors: ReadonlyArray<{
    readonly kind: string;
    readonly status: 'running' | 'done' | 'quarantined';
    readonly count: number;
  }>;
  readonly activities: ReadonlyArray<{
    readonly kind: string;
    readonly state: 'pending' | 'given_up';
    readonly count: number;
    readonly attempts: number;
    readonly firstDueAt: string;
  }>;
  readonly timers: {
    readonly count: number;
    readonly overdue: number;
    readonly nextDueAt: string | null;
  };
  readonly incidents: ReadonlyArray<{
    readonly kind: string;
    readonly count: number;
    readonly lastAt: string;
  }>;
  readonly queues: {
    readonly ticks: ReadonlyArray<{
      readonly periodMs: number;
      readonly shard: number;
      readonly lastSlot: string;
      readonly isStalled: boolean;
    }>;
    readonly recurring: ReadonlyArray<{
      readonly name: string;
      readonly lastSlot: string | null;
      readonly isUnderWay: boolean;
      readonly hasFailed: boolean;
    }>;
  };
};

export type SandboxWallet = {
  readonly address: string;
  readonly evmAddress: string | null;
  readonly transaction: string | null;
  readonly signature: string | null;
  readonly result: unknown;
};

export type Session = {
  readonly subject: string;
  readonly expiresAt: string;
};

export type SessionDay = {
  readonly date: string;
  readonly kind: 'full_day' | 'half_day' | 'holiday';
  readonly occasion: string | null;
  readonly preMarketAt: string | null;
  readonly regularAt: string | null;
  readonly postMarketAt: string | null;
  readonly closedAt: string | null;
};

export type Setting = {
  readonly name: string;
  readonly version: number;
  readonly value: string | null;
};

export type SignalHook = {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly template: {
    readonly side: string;
    readonly instrument: string;
    readonly notionalUsd?: string;
    readonly quantity?: string;
    readonly limitPrice?: string;
    readonly reason?: string;
    readonly id?: string;
  };
  readonly tickers: ReadonlyArray<{
    readonly ticker: string;
    readonly instrument: string;
  }>;
  readonly manifestHash: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
};

export type SocialPost = {
  readonly id: string;
  readonly platform: string;
  readonly author: string;
  readonly text: string;
  readonly url: string | null;
  readonly publishedAt: string;
  readonly receivedAt: string;
  readonly engagement: {
    readonly likes: number | null;
    readonly reposts: number | null;
    readonly replies: number | null;
    readonly quotes: number | null;
  };
  readonly cashtags: ReadonlyArray<string>;
  readonly assets: ReadonlyArray<MappedEntity>;
  readonly ambiguous: ReadonlyArray<{
    readonly matched: string;
    readonly assets: ReadonlyArray<string>;
  }>;
  readonly unmapped: ReadonlyArray<string>;
};

export type Step = {
  readonly version: number;
  readonly at: string;
  readonly machine: string;
  readonly event: unknown;
  readonly from: unknown;
  readonly to: unknown;
  readonly cause: string | null;
};

export type StepAccount = {
  readonly kind: string;
  readonly machine: string;
  readonly version: number;
  readonly at: string;
  readonly event: { readonly [name: string]: unknown };
  readonly status: 'active' | 'done';
  readonly guards: ReadonlyArray<{
    readonly guard: string;
    readonly params: unknown;
    readonly passed: boolean;
    readonly inputs: ReadonlyArray<{
      readonly path: string;
      readonly value: unknown;
    }>;
  }>;
  readonly changes: ReadonlyArray<{
    readonly path: string;
    readonly before: unknown;
    readonly after: unknown;
  }>;
  readonly records: ReadonlyArray<{ readonly [name: string]: unknown }>;
  readonly timers: ReadonlyArray<{ readonly [name: string]: unknown }>;
  readonly announcements: ReadonlyArray<{ readonly [name: string]: unknown }>;
  readonly activities: ReadonlyArray<{
    readonly kind: string;
    readonly payload: { readonly [name: string]: unknown };
    readonly fate: {
      readonly state: 'pending' | 'done' | 'given_up';
      readonly attempts: number;
      readonly dueAt: string;
      readonly answer: unknown;
      readonly endedAt: string | null;
    } | null;
  }>;
  readonly context: { readonly [name: string]: unknown };
  readonly takes: ReadonlyArray<string>;
};

export type StepStretch = {
  readonly version: number;
  readonly items: ReadonlyArray<Step>;
  readonly archived?: {
    readonly at: string;
    readonly file: string;
  };
};

export type StockPairedToken = {
  readonly mint: string;
  readonly instrument: string;
  readonly symbol: string;
  readonly name: string;
  readonly pairedStock: string;
  readonly priceUsd: string | null;
  readonly performance: ReadonlyArray<PairedPerformance>;
  readonly risk: AgentTokenRisk;
  readonly duplicatedExposure: DuplicatedExposure | null;
};

export type StressTestResult = {
  readonly manifestHash: string;
  readonly markets: ReadonlyArray<{
    readonly key: string;
    readonly kind: string;
    readonly level: number;
    readonly minuteVolatility: number;
    readonly spreadBps: number;
    readonly depthUsd: number;
    readonly liquidityUsd: number | null;
    readonly benchmarkLevel: number | null;
    readonly hourlyFunding: number;
    readonly bars: { readonly [name: string]: ReadonlyArray<{ readonly [name: string]: unknown }> };
    readonly basis: 'history' | 'assumed';
  }>;
  readonly runs: ReadonlyArray<{
    readonly scenario: string;
    readonly severity: string;
    readonly seed: number;
    readonly startEquityUsd: string;
    readonly equityUsd: ReadonlyArray<string>;
    readonly breaches: number;
    readonly unsafeFills: number;
    readonly survived: boolean;
    readonly findings: ReadonlyArray<string>;
    readonly lossPct: number;
    readonly ownPositions: ReadonlyArray<string>;
    readonly forcedPositions: ReadonlyArray<string>;
    readonly decisions: number;
    readonly fills: number;
    readonly restedFills?: number;
    readonly refused: { readonly [name: string]: number };
    readonly refusedWhileFrozen: number;
    readonly flatAfterMinutes: number | null;
    readonly stuckUsd: string;
    readonly curve: ReadonlyArray<ReadonlyArray<number | string>>;
    readonly traceHash: string;
  }>;
  readonly survived: boolean;
};

export type SwapOrder = {
  readonly id: string;
  readonly state: 'prepared' | 'submitted' | 'verified' | 'broadcast' | 'confirmed' | 'finalized' | 'expired' | 'refused' | 'failed' | 'unknown';
  readonly reason: string | null;
  readonly detail: string | null;
  readonly instrument: string;
  readonly wallet: string;
  readonly side: 'buy' | 'sell';
  readonly input: {
    readonly mint: string;
    readonly amount: string;
    readonly uiAmount: string;
  };
  readonly output: {
    readonly mint: string;
    readonly amount: string;
    readonly uiAmount: string;
  };
  readonly minOutput: {
    readonly mint: string;
    readonly amount: string;
    readonly uiAmount: string;
  };
  readonly price: string;
  readonly worstPrice: string;
  readonly slippageBps: number;
  readonly priceImpactPct: string | null;
  readonly route: ReadonlyArray<{
    readonly venue: string;
    readonly inputMint: string;
    readonly outputMint: string;
    readonly percent: number;
  }>;
  readonly market: {
    readonly source: string;
    readonly bid: string | null;
    readonly ask: string | null;
    readonly observedAt: string;
  };
  readonly transaction: string;
  readonly message: {
    readonly digest: string;
    readonly requiredSigners: ReadonlyArray<string>;
    readonly blockhash: string;
    readonly lastValidBlockHeight: number;
  };
  readonly bookId: string;
  readonly notionalUsd: string;
  readonly decisionPrice: string;
  readonly risk: {
    readonly verdict: 'passed' | 'blocked';
    readonly rejections: ReadonlyArray<{
      readonly code: string;
      readonly limit: string | null;
      readonly before: string | null;
      readonly after: string | null;
      readonly suggestion: string | null;
      readonly change?: {
        readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly usd?: string;
        readonly count?: number;
        readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
        readonly instrument?: string | null;
        readonly at?: number | null;
        readonly feature?: string;
      } | null;
    }>;
    readonly order?: {
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly limitPrice: string;
      readonly notionalUsd: string;
    };
    readonly headroom?: {
      readonly quantity: string;
      readonly code: string;
    };
  } | null;
  readonly signature: string | null;
  readonly slot: number | null;
  readonly feeLamports: string | null;
  readonly fills: ReadonlyArray<{
    readonly id: string;
    readonly side: 'buy' | 'sell';
    readonly quantity: string;
    readonly fillPrice: string;
    readonly notionalUsd: string;
    readonly feeUsd: string;
    readonly slippageBps: number;
    readonly at: string;
    readonly quotes: ReadonlyArray<{
      readonly source: string;
      readonly observedAt: string;
      readonly bid: string | null;
      readonly ask: string | null;
    }>;
  }>;
  readonly proposalId: string | null;
  readonly preparedBy: string;
  readonly submittedBy: string | null;
  readonly createdAt: string;
  readonly changedAt: string;
};

export type SwapQuote = {
  readonly instrument: string;
  readonly quality: 'live';
  readonly side: 'buy' | 'sell';
  readonly input: {
    readonly mint: string;
    readonly amount: string;
    readonly uiAmount: string;
  };
  readonly output: {
    readonly mint: string;
    readonly amount: string;
    readonly uiAmount: string;
  };
  readonly minOutput: {
    readonly mint: string;
    readonly amount: string;
    readonly uiAmount: string;
  };
  readonly price: string;
  readonly worstPrice: string;
  readonly slippageBps: number;
  readonly priceImpactPct: string | null;
  readonly route: ReadonlyArray<{
    readonly venue: string;
    readonly inputMint: string;
    readonly outputMint: string;
    readonly percent: number;
  }>;
  readonly market: {
    readonly source: string;
    readonly bid: string | null;
    readonly ask: string | null;
    readonly observedAt: string;
  };
  readonly quotedAt: string;
};

export type SweepResult = {
  readonly engine: 'sweep-1';
  readonly historyHash: string;
  readonly timeframe: string;
  readonly from: string;
  readonly to: string;
  readonly bars: number;
  readonly capitalUsd: string;
  readonly instruments: ReadonlyArray<string>;
  readonly parameters: ReadonlyArray<{
    readonly path: string;
    readonly values: ReadonlyArray<number | string>;
  }>;
  readonly periodsPerYear: number;
  readonly counted: {
    readonly total: number;
    readonly ofThisSweep: number;
    readonly earlier: number;
  };
  readonly expectedBestSharpe: number | null;
  readonly trials: ReadonlyArray<SweepTrial>;
  readonly best: number;
  readonly bestDaily: ReadonlyArray<EquityDay>;
  readonly walkForward: {
    readonly trainDays: number;
    readonly testDays: number;
    readonly folds: ReadonlyArray<{
      readonly picked: number;
      readonly trainSharpe: number | null;
      readonly testSharpe: number | null;
      readonly testReturnPct: number;
      readonly trainFrom: string;
      readonly trainTo: string;
      readonly testFrom: string;
      readonly testTo: string;
    }>;
    readonly performance: {
      readonly sharpe: number | null;
      readonly sortino: number | null;
      readonly maxDrawdownPct: number;
      readonly returnPct: number;
      readonly annualVolatilityPct: number | null;
    };
    readonly deflatedSharpe: number | null;
    readonly daily: ReadonlyArray<{
      readonly date: string;
      readonly growth: number;
    }>;
  } | null;
  readonly assumptions: ReadonlyArray<string>;
};

export type SweepTrial = {
  readonly values: ReadonlyArray<number | string>;
  readonly manifestHash: string;
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly maxDrawdownPct: number;
  readonly returnPct: number;
  readonly closedTrades: number;
  readonly hitRatePct: number | null;
  readonly profitUsd: string;
  readonly feesUsd: string;
  readonly deflatedSharpe: number | null;
};

export type Take = {
  readonly id: string;
  readonly state: 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
  readonly onDuty: boolean;
  readonly origin: 'thesis' | 'basis';
  readonly hash: string;
  readonly manifestHash: string;
  readonly symbol: string;
  readonly instrument: string;
  readonly target: unknown;
  readonly conditions: {
    readonly entry: ReadonlyArray<{
      readonly type: string;
      readonly [name: string]: unknown;
    }>;
    readonly exit: ReadonlyArray<{
      readonly type: string;
      readonly [name: string]: unknown;
    }>;
  };
  readonly allocationUsd: string;
  readonly maxSlippageBps: number;
  readonly timeframe: string;
  readonly expiresAt: string;
  readonly mode: 'paper' | 'live' | null;
  readonly reason: string | null;
  readonly thesis: string | null;
  readonly understood: ReadonlyArray<{
    readonly phrase: string;
    readonly as: string;
  }>;
  readonly assumed: ReadonlyArray<string>;
  readonly notUnderstood: ReadonlyArray<string>;
  readonly open: ReadonlyArray<string>;
  readonly lineage: ReadonlyArray<string>;
  readonly published: boolean;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly armedAt: string | null;
  readonly changedAt: string;
};

export type TakeDecision = {
  readonly id: string;
  readonly agentId: string;
  readonly slot: string;
  readonly at: string;
  readonly manifestHash: string;
  readonly observed: { readonly [name: string]: Observation };
  readonly rules: ReadonlyArray<{
    readonly instrument: string;
    readonly side: 'entry' | 'exit';
    readonly type: string;
    readonly passed: boolean;
    readonly observed: number | string | null;
    readonly threshold: number | string | null;
    readonly unknown?: {
      readonly input: string;
      readonly cause: 'not_observed' | 'no_position' | 'market_closed' | 'feed_down' | 'halted' | 'stale' | 'not_live' | 'missing' | 'one_sided' | 'warming_up' | 'history_missing' | 'source_down' | 'not_computable';
      readonly until?: string;
      readonly barsNeeded?: number;
      readonly bars?: number;
    };
  }>;
  readonly disposition: 'hold' | 'propose_entry' | 'propose_exit' | 'blocked_by_risk';
  readonly reason: string | null;
  readonly instrument: string | null;
  readonly risk: {
    readonly verdict: 'passed' | 'blocked';
    readonly rejections: ReadonlyArray<{
      readonly code: string;
      readonly limit: string | null;
      readonly before: string | null;
      readonly after: string | null;
      readonly suggestion: string | null;
      readonly change?: {
        readonly kind: 'quantity' | 'limit_price' | 'free_capacity' | 'close_positions' | 'wait_for' | 'quote_of' | 'lift_halt' | 'enable_feature';
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly usd?: string;
        readonly count?: number;
        readonly what?: 'live_quote' | 'live_reference' | 'pool_liquidity' | 'utc_day';
        readonly instrument?: string | null;
        readonly at?: number | null;
        readonly feature?: string;
      } | null;
    }>;
    readonly order?: {
      readonly side: 'buy' | 'sell';
      readonly quantity: string;
      readonly limitPrice: string;
      readonly notionalUsd: string;
    };
    readonly headroom?: {
      readonly quantity: string;
      readonly code: string;
    };
  } | null;
  readonly book: {
    readonly positions: ReadonlyArray<{
      readonly instrument: string;
      readonly quantity: string;
      readonly averageEntryPrice: string;
      readonly openedAt: number;
    }>;
    readonly openProposals: number;
    readonly fills: number;
    readonly realizedPnlUsd: string;
    readonly slippageBps: number | null;
  };
  readonly previousHash: string;
  readonly hash: string;
  readonly takeId: string;
};

export type TokenizedTake = {
  readonly as: 'agent' | 'launch';
  readonly takeId: string;
  readonly agent: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
    readonly state: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live' | 'paused';
    readonly paused: boolean;
    readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
    readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
    readonly manifestHash: string;
    readonly manifestVersion: number;
    readonly closing: ReadonlyArray<{
      readonly instrument: string | null;
      readonly limitPrice: string | null;
      readonly closedBy: string;
      readonly at: string;
      readonly waitingFor?: {
        readonly cause: 'queue' | 'venue' | 'approval' | 'signature' | 'confirmation' | 'provider' | 'slot' | 'market';
        readonly detail: string;
      } | null;
    }>;
    readonly createdBy: string;
    readonly createdAt: string;
  } | null;
  readonly launch: {
    readonly takeId: string;
    readonly preset: string;
    readonly name: string;
    readonly symbol: string;
    readonly quoteMint: string;
  } | null;
};

export type TotalEquity = {
  readonly at: string;
  readonly mode: 'paper' | 'live';
  readonly openedAt: string | null;
  readonly observedFrom: string | null;
  readonly timeframe: '1m' | '5m' | '15m' | '1h' | '4h' | '24h';
  readonly items: ReadonlyArray<{
    readonly at: string;
    readonly equityUsd: string | null;
    readonly pnlUsd: string | null;
    readonly drawdownPct: number | null;
  }>;
  readonly today: {
    readonly startUsd: string;
    readonly changeUsd: string;
  } | null;
};

export type TradeGroup = {
  readonly name: string;
  readonly closed: number;
  readonly open: number;
  readonly won: number;
  readonly hitRatePct: number | null;
  readonly profitUsd: string;
  readonly feesUsd: string;
  readonly averageHoldingMs: number | null;
};

export type Vault = {
  readonly agentId: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
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
  readonly roundingUsd: string;
  readonly unpriced: ReadonlyArray<string>;
  readonly leftOut: ReadonlyArray<string>;
  readonly pricedAt: string;
  readonly depositors: ReadonlyArray<{
    readonly depositor: string;
    readonly shares: string;
    readonly paidInUsd: string;
    readonly paidOutUsd: string;
    readonly valueUsd: string | null;
  }>;
};

export type VaultChange = {
  readonly change: number;
  readonly kind: 'deposit' | 'withdrawal';
  readonly depositor: string;
  readonly amountUsd: string;
  readonly shares: string;
  readonly sharePriceUsd: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly at: string;
};

export type VaultPriceHistory = {
  readonly items: ReadonlyArray<{
    readonly at: string;
    readonly equityUsd: string;
    readonly sharePriceUsd: string;
    readonly drawdownPct: number;
  }>;
};

export type Venue = {
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
  readonly executable: boolean;
  readonly hearing: 'live' | 'no_trades' | 'market_closed' | 'carried_forward' | 'silent' | 'feed_down' | 'not_followed';
  readonly detail: string;
  readonly degradedSince: string | null;
  readonly lastMessageAt: string | null;
  readonly lastMessageAgeMs: number | null;
  readonly providers: ReadonlyArray<{
    readonly provider: string;
    readonly connected: boolean | null;
    readonly epoch: number | null;
    readonly lastMessageAt: string | null;
    readonly detail: string;
  }>;
  readonly clockOffset: {
    readonly offsetMs: number;
    readonly method: 'server_time' | 'event_time';
    readonly samples: number;
    readonly measuredAt: string;
  } | null;
  readonly gaps: number;
  readonly messages: number;
  readonly rejected: number;
  readonly unknownFields: ReadonlyArray<{
    readonly source: string;
    readonly field: string;
    readonly count: number;
  }>;
  readonly requestBudgets: ReadonlyArray<{
    readonly name: string;
    readonly process: 'feed' | 'api';
    readonly limit: number;
    readonly windowMs: number;
    readonly left: number;
    readonly blockedUntil: string | null;
  }>;
  readonly asOf: string | null;
};

export type WaitingActivity = {
  readonly actorId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
  readonly actorStatus: 'running' | 'done' | 'quarantined';
  readonly key: string;
  readonly kind: string;
  readonly state: 'pending' | 'given_up';
  readonly attempts: number;
  readonly dueAt: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly answer: unknown;
  readonly isLeft: boolean;
};

export type WaitingTimer = {
  readonly actorId: string;
  readonly actorKind: string;
  readonly actorName: string | null;
  readonly actorStatus: 'running' | 'done' | 'quarantined';
  readonly timerId: string;
  readonly dueAt: string;
  readonly event: unknown;
};

export type WalletChallenge = {
  readonly address: string;
  readonly text: string;
  readonly typedData: {
    readonly domain: {
      readonly name: string;
      readonly version: string;
      readonly chainId: number;
    };
    readonly types: { readonly [name: string]: ReadonlyArray<{
        readonly name: string;
        readonly type: string;
      }> };
    readonly primaryType: 'WalletProof';
    readonly message: { readonly [name: string]: string };
  } | null;
  readonly expiresAt: string;
};

export type WalletSale = {
  readonly at: string;
  readonly asset: string;
  readonly direction: string;
  readonly quantity: string | null;
  readonly proceedsUsd: string | null;
  readonly costUsd: string | null;
  readonly profitUsd: string | null;
  readonly reference: string;
};

/** Parameters, body and answer of every operation, by its operationId. */
export interface Operations {
  /** Liveness of the process. */
  readonly getHealth: {
    readonly input: Record<string, never>;
    readonly answer: Health;
  };
  /** Readiness of the service, part by part. */
  readonly getReadiness: {
    readonly input: Record<string, never>;
    readonly answer: Readiness;
  };
  /** Measurements in the Prometheus text format. */
  readonly getMetrics: {
    readonly input: Record<string, never>;
    readonly answer: string;
  };
  /** The caller with its present permissions. */
  readonly getMe: {
    readonly input: Record<string, never>;
    readonly answer: Me;
  };
  /** The caller's own settings, sorted by name. */
  readonly listSettings: {
    readonly input: Record<string, never>;
    readonly answer: {
      readonly items: ReadonlyArray<Setting>;
    };
  };
  /** Writes one of the caller's own settings. */
  readonly keepSetting: {
    readonly input: {
      readonly name: string;
      readonly body: {
        readonly version: number;
        readonly value: string | null;
      };
    };
    readonly answer: Setting;
  };
  /** Signs in: stores the token in a browser cookie. */
  readonly openSession: {
    readonly input: {
      readonly body: {
        readonly token: string;
      };
    };
    readonly answer: Session;
  };
  /** Clears the browser's cookie. */
  readonly closeSession: {
    readonly input: Record<string, never>;
    readonly answer: undefined;
  };
  /** Signs in a browser on this machine with a link. */
  readonly redeemSignInLink: {
    readonly input: {
      readonly body: {
        readonly code: string;
      };
    };
    readonly answer: Session;
  };
  /** Ends the caller's session everywhere. */
  readonly revokeSession: {
    readonly input: {
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: undefined;
  };
  /** The members of the organization, in the order of their subjects. */
  readonly listMembers: {
    readonly input: Record<string, never>;
    readonly answer: {
      readonly items: ReadonlyArray<Member>;
    };
  };
  /** Gives a member a role or permissions. */
  readonly grantMember: {
    readonly input: {
      readonly body: {
        readonly subject: string;
        readonly role?: string;
        readonly permissions?: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
      };
    };
    readonly answer: Member;
  };
  /** Takes a member out of the organization. */
  readonly removeMember: {
    readonly input: {
      readonly body: {
        readonly subject: string;
      };
    };
    readonly answer: Member;
  };
  /** Revokes the tokens of a member. */
  readonly revokeTokens: {
    readonly input: {
      readonly body: {
        readonly subject: string;
      };
    };
    readonly answer: {
      readonly subject: string;
    };
  };
  /** The built-in roles, and those of the organization. */
  readonly listRoles: {
    readonly input: Record<string, never>;
    readonly answer: {
      readonly items: ReadonlyArray<MemberRole>;
    };
  };
  /** Writes a role of the organization: a name for a set of permissions. */
  readonly setRole: {
    readonly input: {
      readonly name: string;
      readonly body: {
        readonly permissions: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
      };
    };
    readonly answer: MemberRole;
  };
  /** Invitations, newest first, without their codes. */
  readonly listInvitations: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Invitation>;
      readonly nextCursor: string | null;
    };
  };
  /** Invites a member with a role or permissions. */
  readonly inviteMember: {
    readonly input: {
      readonly body: {
        readonly name: string;
        readonly role?: string;
        readonly permissions?: ReadonlyArray<'market:read' | 'agent:read' | 'trade:execute' | 'risk:manage' | 'members:manage'>;
        readonly hours?: number;
      };
    };
    readonly answer: NewInvitation;
  };
  /** Joins an organization by the code of an invitation. */
  readonly acceptInvitation: {
    readonly input: {
      readonly body: {
        readonly code: string;
      };
    };
    readonly answer: {
      readonly orgId: string;
    };
  };
  /** Revokes an invitation that nobody has accepted. */
  readonly revokeInvitation: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Invitation;
  };
  /** Macro calendar, rate regimes and inflation series. */
  readonly getMacroIntelligence: {
    readonly input: {
      /** Series of one group only. */
      readonly group?: undefined | 'rates' | 'inflation' | 'labour' | 'markets';
      /** Number of newest values of each series. */
      readonly observations?: undefined | number;
      /** Values as they were known on this day. Default: today. */
      readonly asOf?: undefined | string;
      /** Days that the calendar looks ahead. */
      readonly calendarDays?: undefined | number;
      /** Releases of at least this impact. */
      readonly minImpact?: undefined | 'high' | 'medium' | 'low';
    };
    readonly answer: MacroIntelligence;
  };
  /** Market events with their corroboration and sources. */
  readonly listMarketEvents: {
    readonly input: {
      /** An underlying, or an instrument of it: `AAPL`, `AAPLx`. */
      readonly symbol?: undefined | string;
      readonly minSeverity?: undefined | 'low' | 'medium' | 'high' | 'critical';
      /** Topic of the event; `filing` and `wire` if nothing more is known. */
      readonly kind?: undefined | 'filing' | 'wire' | 'results' | 'fundraising' | 'mna' | 'executive' | 'regulatory' | 'bankruptcy' | 'restatement' | 'delisting' | 'cyber_incident' | 'auditor_change' | 'product' | 'analyst' | 'macro_release';
      /** `true`: confirmed ones only; `false`: those that are not. */
      readonly confirmed?: undefined | boolean;
      /** Events observed since then. */
      readonly from?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<MarketEvent>;
      readonly nextCursor: string | null;
    };
  };
  /** Value locked on chains. */
  readonly listChains: {
    readonly input: {
      /** One chain by its name, in any case. */
      readonly chain?: undefined | string;
      /** Number of days of history to add, where the provider has them. */
      readonly historyDays?: undefined | number;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: Chains;
  };
  /** The macro regime (risk-on or risk-off) with each input and its weight. */
  readonly getMacroRegime: {
    readonly input: Record<string, never>;
    readonly answer: MacroRegime;
  };
  /** Market chatter, mapped to the catalog’s assets. */
  readonly listSocialFeed: {
    readonly input: {
      /** An underlying, or an instrument of it: `AAPL`, `AAPLx`. */
      readonly symbol?: undefined | string;
      readonly platform?: undefined | string;
      readonly author?: undefined | string;
      readonly minLikes?: undefined | number;
      /** `false` also shows posts that name no asset of the catalog. */
      readonly mapped?: undefined | boolean;
      /** Posts published since then. */
      readonly from?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<SocialPost>;
      readonly nextCursor: string | null;
    };
  };
  /** Tokenized equities by discount, premium, liquidity or event intensity. */
  readonly rankFairValue: {
    readonly input: {
      /** Default: `deepest_discount`. */
      readonly mode?: undefined | 'deepest_discount' | 'highest_premium' | 'liquidity' | 'event_intensity';
      /** The last cut at or before this instant; the newest where it is missing. */
      readonly at?: undefined | string;
      /** Slippage budget of a trade, for `liquidity`. */
      readonly slippageBps?: undefined | number;
      readonly sector?: undefined | string;
      /** Part of a symbol or name, in any case. */
      readonly q?: undefined | string;
      /** `true`: only rows with a rank; `false`: only those without. */
      readonly ranked?: undefined | boolean;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<RankedRow>;
      readonly nextCursor: string | null;
      readonly mode: string;
      readonly formula: string;
      readonly asOf: string;
    };
  };
  /** Pre-IPO markets by one of seven modes. */
  readonly rankPrivateMarkets: {
    readonly input: {
      /** Default: `gap_to_mark`. */
      readonly mode?: undefined | 'gap_to_mark' | 'deepest_discount' | 'highest_premium' | 'liquidity' | 'momentum' | 'news_intensity' | 'portfolio_fit';
      /** Mode of the books that `portfolio_fit` reads. Default: `paper`. */
      readonly books?: undefined | 'paper' | 'live';
      /** The last cut at or before this instant; the newest where it is missing. */
      readonly at?: undefined | string;
      /** Slippage budget of a trade, for `liquidity`. */
      readonly slippageBps?: undefined | number;
      readonly sector?: undefined | string;
      /** Part of a symbol or name, in any case. */
      readonly q?: undefined | string;
      /** `true`: only rows with a rank; `false`: only those without. */
      readonly ranked?: undefined | boolean;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<RankedRow>;
      readonly nextCursor: string | null;
      readonly mode: string;
      readonly formula: string;
      readonly asOf: string;
    };
  };
  /** Pre-IPO markets with their live price, issuer mark and implied valuation. */
  readonly listPrivateMarkets: {
    readonly input: {
      readonly sector?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<CatalogEntry>;
      readonly nextCursor: string | null;
    };
  };
  /** The spread between token, reference and perpetual, with what it costs to trade it. */
  readonly listBasis: {
    readonly input: {
      /** The last cut at or before this instant; the newest where it is missing. */
      readonly at?: undefined | string;
      /** The size that costs are computed for. */
      readonly notionalUsd?: undefined | string;
      readonly symbol?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<BasisRow>;
      readonly nextCursor: string | null;
      readonly asOf: string;
    };
  };
  /** Bull case, bear case, valuation context and catalysts with their sources. */
  readonly assessStock: {
    readonly input: {
      readonly symbol: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Assessment;
  };
  /** The organization's risk mandate. */
  readonly getRiskPreferences: {
    readonly input: Record<string, never>;
    readonly answer: RiskPreferences;
  };
  /** Replaces the organization's risk mandate. */
  readonly setRiskPreferences: {
    readonly input: {
      readonly body: {
        readonly maxCapitalUsd: string;
        readonly maxTradeNotionalUsd: string;
        readonly maxLeverage: string;
        readonly maxDailyDrawdownPct: number;
        readonly maxOpenPositions: number;
        readonly maxSlippageBps: number;
        readonly maxPositionWeightPct: number;
        readonly maxUnderlyingWeightPct: number;
        readonly maxPoolSharePct: number;
        readonly requireLiveReference: boolean;
        readonly reduceOnly: boolean;
      };
    };
    readonly answer: RiskPreferences;
  };
  /** Every risk mandate that was set, newest first. */
  readonly listRiskPreferences: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<RiskPreferences>;
      readonly nextCursor: string | null;
    };
  };
  /** The books of agents and people, newest first. */
  readonly listBooks: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      readonly agentId?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Book>;
      readonly nextCursor: string | null;
    };
  };
  /** The fills of one book, newest first. */
  readonly listFills: {
    readonly input: {
      /** Id of a book, as `GET /v1/books` lists it. */
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Fill>;
      readonly nextCursor: string | null;
    };
  };
  /** Equity curve of one book, with its drawdown. */
  readonly getEquity: {
    readonly input: {
      /** Id of a book, as `GET /v1/books` lists it. */
      readonly id: string;
      /** At most so many points. */
      readonly points?: undefined | number;
    };
    readonly answer: Equity;
  };
  /** Holdings over books and wallets with the quality of each price, and the five stress scenarios. */
  readonly getPortfolio: {
    readonly input: {
      /** Default: `paper`, or `live` where wallets are named. */
      readonly mode?: undefined | 'paper' | 'live';
      /** At most 5, separated by commas: addresses of the EVM chain (its balances and its account on the perpetuals venue) or of the primary chain, or ids or labels of linked wallets. */
      readonly wallets?: undefined | string;
    };
    readonly answer: Portfolio;
  };
  /** Equity, realized and unrealized profit and loss, and the profit and loss of this UTC day. */
  readonly getPerformance: {
    readonly input: {
      /** Default: `paper`. */
      readonly mode?: undefined | 'paper' | 'live';
    };
    readonly answer: Performance;
  };
  /** Total equity curve: agents, vaults and manual orders together. */
  readonly getTotalEquity: {
    readonly input: {
      /** Default: `paper`. */
      readonly mode?: undefined | 'paper' | 'live';
      /** Maximum number of points before the last one. */
      readonly points?: undefined | number;
    };
    readonly answer: TotalEquity;
  };
  /** Holdings, sector weights, duplicate exposure, pool exits and scenarios before and after a proposed allocation. */
  readonly simulateImpact: {
    readonly input: {
      readonly body: {
        readonly mode?: 'paper' | 'live';
        readonly wallets?: ReadonlyArray<string>;
        readonly allocations: ReadonlyArray<{
          readonly instrument?: string;
          readonly symbol?: string;
          readonly side: 'buy' | 'sell';
          readonly notionalUsd: string;
        }>;
      };
    };
    readonly answer: PortfolioImpact;
  };
  /** Aggregator-routed quote of a swap. */
  readonly quoteSwap: {
    readonly input: {
      /** The token's symbol or its mint, e.g. `AAPLx`. */
      readonly instrument: string;
      /** Long only: a sell reduces what the manual live book holds. */
      readonly side: 'buy' | 'sell';
      /** Order size. Buys: US dollars. Sells: token units (UI units). */
      readonly amount: string;
      /** Slippage tolerance in basis points. Default: 50, or the mandate’s budget where that is less. */
      readonly slippageBps?: undefined | string;
    };
    readonly answer: SwapQuote;
  };
  /** Prepares a swap for the wallet to sign. */
  readonly prepareSwap: {
    readonly input: {
      readonly body: {
        readonly instrument: string;
        readonly side: 'buy' | 'sell';
        readonly amount: string;
        readonly slippageBps?: number;
        readonly wallet: string;
      };
    };
    readonly answer: SwapOrder;
  };
  /** Submits the signed transaction of a prepared swap. */
  readonly executeSwap: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly signedTransaction: string;
      };
    };
    readonly answer: SwapOrder;
  };
  /** Swaps on the primary chain, newest first. */
  readonly listSwaps: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<SwapOrder>;
      readonly nextCursor: string | null;
    };
  };
  /** One swap with its fill. */
  readonly getSwap: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: SwapOrder;
  };
  /** The latest quotes and reference prices. */
  readonly listQuotes: {
    readonly input: {
      /** A source of prices; `reference` is never executable. */
      readonly venue?: undefined | 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
      /** The venue's name of it, for example `AAPLx`. */
      readonly instrument?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Quote>;
      readonly nextCursor: string | null;
    };
  };
  /** Closed candles of one instrument, and the gaps between them. */
  readonly listCandles: {
    readonly input: {
      /** A source of prices; `reference` is never executable. */
      readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
      readonly instrument: string;
      /** `<n>m` or `<n>h`. */
      readonly timeframe: string;
      /** The first open time. ISO 8601, or milliseconds since the epoch. */
      readonly from?: undefined | string;
      /** Bars open before it. ISO 8601, or milliseconds since the epoch. */
      readonly to?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: Candles;
  };
  /** The last 24 hourly closes of each instrument of the catalog. */
  readonly listDayCloses: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<DayCloses>;
      readonly nextCursor: string | null;
    };
  };
  /** Imports and backfills of candles with their progress, newest first. */
  readonly listCandleWork: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<CandleWork>;
      readonly nextCursor: string | null;
    };
  };
  /** Order-book depth of one instrument. */
  readonly getOrderBook: {
    readonly input: {
      readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction';
      readonly instrument: string;
      /** Levels of each side. */
      readonly depth?: undefined | number;
    };
    readonly answer: OrderBook;
  };
  /** The last 24 hours of each instrument of the spot exchange. */
  readonly listTickers: {
    readonly input: {
      /** The one venue that publishes them. */
      readonly venue?: undefined | 'spotexchange';
      /** The venue's name of it, for example `BTCUSDT`. */
      readonly instrument?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<DayTicker>;
      readonly nextCursor: string | null;
    };
  };
  /** Every perpetual with its mark, oracle, funding, open interest and top of book. */
  readonly listPerps: {
    readonly input: {
      /** The venue's name of it, for example `BTC`. */
      readonly instrument?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Perp>;
      readonly nextCursor: string | null;
    };
  };
  /** One perpetual, with its recent funding. */
  readonly getPerp: {
    readonly input: {
      readonly instrument: string;
      /** Hours of funding history. */
      readonly hours?: undefined | number;
    };
    readonly answer: PerpDetail;
  };
  /** State of each venue’s feeds, its clock offset and its remaining request budgets. */
  readonly listVenues: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Venue>;
      readonly nextCursor: string | null;
    };
  };
  /** Margin, positions and closed profit and loss of any address on the perpetuals venue. */
  readonly getPublicWallet: {
    readonly input: {
      /** 0x and 40 hexadecimal digits. Mixed letters have to be the EIP-55 checksum. */
      readonly address: string;
    };
    readonly answer: PublicWallet;
  };
  /** Balances and kind of a wallet on the EVM chain, all at one block, and its margin account on the perpetuals venue. */
  readonly getChainWallet: {
    readonly input: {
      /** 0x and 40 hexadecimal digits. Mixed letters have to be the EIP-55 checksum. */
      readonly address: string;
    };
    readonly answer: ChainWallet;
  };
  /** Every instrument that an agent may name. */
  readonly listCatalog: {
    readonly input: {
      readonly venue?: undefined | 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction';
      readonly kind?: undefined | 'spot' | 'perp' | 'tokenized_equity' | 'pre_ipo' | 'agent_token';
      readonly classification?: undefined | 'tokenequity-solana' | 'preipo-solana' | 'agenttoken-solana';
      /** Underlying that it gives exposure to, e.g. `BTC`. */
      readonly underlying?: undefined | string;
      /** Part of a symbol, name, pair, underlying or mint, in any case. */
      readonly q?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<CatalogEntry>;
      readonly nextCursor: string | null;
    };
  };
  /** History of issuers' marks. */
  readonly listMarks: {
    readonly input: {
      readonly instrument?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<MarkChange>;
      readonly nextCursor: string | null;
    };
  };
  /** Sessions of US equities by day. */
  readonly listSessions: {
    readonly input: {
      /** The first day, in New York; today where nothing is said. */
      readonly from?: undefined | string;
      /** The last day, inclusive; 30 days later where nothing is said. The calendar reaches to 2027-12-31. */
      readonly to?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<SessionDay>;
      readonly nextCursor: string | null;
    };
  };
  /** Paper order on the spot exchange. */
  readonly placePaperOrder: {
    readonly input: {
      readonly body: {
        readonly instrument: string;
        readonly side: 'buy' | 'sell';
        readonly quantity?: string;
        readonly notionalUsd?: string;
        readonly limitPrice?: string;
        readonly maxSlippageBps?: number;
        readonly timeInForce?: 'ioc' | 'gtc';
        readonly postOnly?: boolean;
      };
    };
    readonly answer: MarketOrder;
  };
  /** Live order on the spot exchange. */
  readonly placeSpotexchangeOrder: {
    readonly input: {
      readonly body: {
        readonly instrument: string;
        readonly side: 'buy' | 'sell';
        readonly quantity?: string;
        readonly notionalUsd?: string;
        readonly limitPrice?: string;
        readonly maxSlippageBps?: number;
        readonly timeInForce?: 'ioc' | 'gtc';
        readonly postOnly?: boolean;
      };
    };
    readonly answer: MarketOrder;
  };
  /** Cancels the resting part of an order. */
  readonly cancelMarketOrder: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: MarketOrder;
  };
  /** Orders of people on the spot exchange, newest first. */
  readonly listMarketOrders: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      readonly mode?: undefined | 'paper' | 'live';
      /** Open orders, which may still be filled. */
      readonly open?: undefined | 'true';
    };
    readonly answer: {
      readonly items: ReadonlyArray<MarketOrder>;
      readonly nextCursor: string | null;
    };
  };
  /** One order of a person with its fills. */
  readonly getMarketOrder: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: MarketOrder;
  };
  /** Prediction markets of both providers. */
  readonly listPredictionMarkets: {
    readonly input: {
      /** Provider that lists it. */
      readonly provider?: undefined | 'polymarket' | 'kalshi';
      /** `unknown`: the provider used a word that this version does not know. */
      readonly status?: undefined | 'unopened' | 'open' | 'paused' | 'closed' | 'determined' | 'disputed' | 'resolved' | 'voided' | 'unknown';
      /** Underlying of the question, for example `BTC`. */
      readonly underlying?: undefined | string;
      /** A symbol of the catalog on the same underlying, for example `AAPLx`. */
      readonly symbol?: undefined | string;
      /** The event's id. */
      readonly event?: undefined | string;
      /** Part of the question, in any case. */
      readonly q?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<PredictionMarket>;
      readonly nextCursor: string | null;
    };
  };
  /** One prediction market. */
  readonly getPredictionMarket: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: PredictionMarket;
  };
  /** A source-corroborated probability and what decides the market. */
  readonly researchPredictionMarket: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: PredictionResearch;
  };
  /** Paper prediction order. */
  readonly placePaperPredictionOrder: {
    readonly input: {
      readonly body: {
        readonly marketId: string;
        readonly outcome: 'yes' | 'no';
        readonly side: 'buy' | 'sell';
        readonly quantity?: string;
        readonly notionalUsd?: string;
        readonly limitPrice?: string;
        readonly maxSlippageBps?: number;
      };
    };
    readonly answer: PredictionOrder;
  };
  /** Prepares a live onchain prediction order. */
  readonly preparePredictionOrder: {
    readonly input: {
      readonly body: {
        readonly marketId: string;
        readonly outcome: 'yes' | 'no';
        readonly side: 'buy' | 'sell';
        readonly quantity?: string;
        readonly notionalUsd?: string;
        readonly limitPrice?: string;
        readonly maxSlippageBps?: number;
        readonly wallet: string;
      };
    };
    readonly answer: PreparedPredictionOrder;
  };
  /** Executes the prepared prediction order. */
  readonly executePredictionOrder: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly signedTransaction: string;
      };
    };
    readonly answer: PredictionOrderTransaction;
  };
  /** Orders on prediction markets, newest first. */
  readonly listPredictionOrders: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      readonly mode?: undefined | 'paper' | 'live';
      /** An executed transaction opens an order; it is filled later, or not. `cancelled`: closed before it was whole, and the rest of its deposit came back. */
      readonly state?: undefined | 'prepared' | 'submitted' | 'open' | 'partially_filled' | 'filled' | 'cancelled' | 'failed';
      /** The id of GET /v1/prediction-markets. */
      readonly marketId?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<PredictionOrder>;
      readonly nextCursor: string | null;
    };
  };
  /** One prediction order with its fills. */
  readonly getPredictionOrder: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: PredictionOrder;
  };
  /** An executable quote of a transfer of the stablecoin between the primary chain and the EVM chain. */
  readonly quoteBridge: {
    readonly input: {
      readonly body: {
        readonly from: 'spotchain' | 'evmvenue';
        readonly to: 'spotchain' | 'evmvenue';
        readonly token: string;
        readonly amount: string;
        readonly sender: string;
        readonly recipient: string;
        readonly preference?: 'received' | 'speed';
        readonly provider?: 'relay' | 'cctp';
      };
    };
    readonly answer: BridgeTransfer;
  };
  /** Records a signed bridge transaction and starts settlement tracking. */
  readonly submitBridge: {
    readonly input: {
      readonly body: {
        readonly quoteId: string;
        readonly signedTransaction?: string;
        readonly hash?: string;
      };
    };
    readonly answer: BridgeTransfer;
  };
  /** Live confirmation and finality status of a transfer. */
  readonly getBridgeStatus: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: BridgeTransfer;
  };
  /** Submitted transfers, newest first; quotes where their state is asked for. */
  readonly listBridgeTransfers: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      /** `completed`, `refunded` and `failed` are what the chains show for good; `failed` means that nothing but network fees has left. `unknown`: the provider and the chains contradict one another. */
      readonly state?: undefined | 'quoted' | 'submitted' | 'source_confirmed' | 'source_final' | 'filling' | 'completed' | 'refunding' | 'refunded' | 'failed' | 'unknown' | 'expired';
    };
    readonly answer: {
      readonly items: ReadonlyArray<BridgeTransfer>;
      readonly nextCursor: string | null;
    };
  };
  /** Timeline of a transfer. */
  readonly getBridgeTransferTimeline: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<BridgeTransferPoint>;
    };
  };
  /** Timeline of a transfer. */
  readonly getBridgeTransferCourse: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<BridgeTransferPoint>;
    };
  };
  /** Text that the owner signs to link a wallet. */
  readonly challengeWallet: {
    readonly input: {
      readonly body: {
        readonly address: string;
      };
    };
    readonly answer: WalletChallenge;
  };
  /** Links a wallet of either chain by the signature of its owner. */
  readonly linkWallet: {
    readonly input: {
      readonly body: {
        readonly address: string;
        readonly signature: string;
        readonly label?: string;
      };
    };
    readonly answer: LinkedWallet;
  };
  /** Linked wallets, newest first. */
  readonly listWallets: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<LinkedWallet>;
      readonly nextCursor: string | null;
    };
  };
  /** Changes or removes the label of a linked wallet. */
  readonly renameWallet: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly label: string | null;
      };
    };
    readonly answer: LinkedWallet;
  };
  /** Unlinks a wallet. */
  readonly unlinkWallet: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: LinkedWallet;
  };
  /** Opens, funds or uses the caller’s wallet of the sandbox. */
  readonly useSandboxWallet: {
    readonly input: {
      readonly body: {
        readonly act: 'open' | 'fund' | 'sign_transaction' | 'sign_text' | 'evm_request';
        readonly transaction?: string;
        readonly text?: string;
        readonly method?: string;
        readonly params?: ReadonlyArray<unknown>;
      };
    };
    readonly answer: SandboxWallet;
  };
  /** Creates an agent from a manifest. */
  readonly createAgent: {
    readonly input: {
      readonly body: Manifest | string;
    };
    readonly answer: AgentWithManifest;
  };
  /** The organization's agents, newest first. */
  readonly listAgents: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Agent>;
      readonly nextCursor: string | null;
    };
  };
  /** Adds a manifest version. */
  readonly addAgentVersion: {
    readonly input: {
      readonly id: string;
      readonly body: Manifest | string;
    };
    readonly answer: AgentWithManifest;
  };
  /** Manifest versions of an agent, newest first, with their differences. */
  readonly listVersions: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      readonly from?: undefined | number;
      readonly to?: undefined | number;
      /** Another agent of the organization, whose version `to` is compared. */
      readonly against?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<ManifestVersion>;
      readonly nextCursor: string | null;
      readonly comparison: ManifestComparison | null;
    };
  };
  /** Sets the autonomy level. */
  readonly setAgentAutonomy: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only' | 'RESEARCH' | 'SUGGEST' | 'CONFIRM' | 'POLICY_AUTO' | 'AUTONOMOUS' | 'EMERGENCY_RISK_ONLY';
      };
    };
    readonly answer: Agent;
  };
  /** Requests the next promotion stage. */
  readonly promoteAgent: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: PromotedAgent;
  };
  /** Signs off the step to live capital, or refuses it. */
  readonly signOffAgent: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly approved: boolean;
        readonly comment?: string;
      };
    };
    readonly answer: GateEvidence;
  };
  /** Runs the historical simulation. */
  readonly backtestAgent: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | {
        readonly from?: string;
        readonly to?: string;
        readonly timeframe?: string;
        readonly assumptions?: {
          readonly costMultiplier?: number;
          readonly maxParticipationPct?: number;
          readonly minOrderUsd?: number;
        };
        readonly look?: boolean;
      };
    };
    readonly answer: EvaluationRun;
  };
  /** Runs a sweep of thresholds with a walk-forward. */
  readonly sweepAgent: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly from?: string;
        readonly to?: string;
        readonly timeframe?: string;
        readonly assumptions?: {
          readonly costMultiplier?: number;
          readonly maxParticipationPct?: number;
          readonly minOrderUsd?: number;
        };
        readonly parameters: ReadonlyArray<{
          readonly path: string;
          readonly values: ReadonlyArray<number | string>;
        }>;
        readonly walkForward?: {
          readonly trainDays?: number;
          readonly testDays?: number;
        };
      };
    };
    readonly answer: EvaluationRun;
  };
  /** Previews a manifest on the newest bars. */
  readonly previewBacktest: {
    readonly input: {
      /** The agent whose next version it is meant to be. */
      readonly agentId?: undefined | string;
      /** Bars that are decided on, such as 1h; the manifest's own where it is missing. */
      readonly timeframe?: undefined | string;
      /** True answers a manifest that is not finished with its `problems`, where it is refused otherwise. */
      readonly draft?: undefined | boolean;
      /** Days back; 60, or as many as fit, where it is missing. */
      readonly days?: undefined | number;
      readonly body: Manifest | string;
    };
    readonly answer: BacktestPreview;
  };
  /** Runs the stress test. */
  readonly stressTestAgent: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | {
        readonly seeds?: number;
      };
    };
    readonly answer: EvaluationRun;
  };
  /** Cancels an evaluation run that has not ended. */
  readonly cancelEvaluation: {
    readonly input: {
      readonly id: string;
      readonly runId: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: EvaluationRun;
  };
  /** Pauses one agent. */
  readonly pauseAgent: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Agent;
  };
  /** Closes an agent's positions. */
  readonly closeAgentPositions: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | {
        readonly instrument?: string;
        readonly limitPrice?: string;
      };
    };
    readonly answer: Agent;
  };
  /** Resumes a paused agent. */
  readonly resumeAgent: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Agent;
  };
  /** Takes an agent out of quarantine. */
  readonly releaseAgent: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Agent;
  };
  /** Pauses all of the organization's agents and cancels their pending proposals. */
  readonly emergencyHalt: {
    readonly input: {
      readonly body?: undefined | {
        readonly reason?: string;
      };
    };
    readonly answer: Halt;
  };
  /** The newest emergency halt of the organization: who asked for it, when and why. */
  readonly getHalt: {
    readonly input: Record<string, never>;
    readonly answer: LastHalt;
  };
  /** Trade proposals, newest first. */
  readonly listProposals: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      /** State of the proposal. */
      readonly state?: undefined | 'pending_approval' | 'approved' | 'executing' | 'filled' | 'partially_filled' | 'failed' | 'unknown' | 'expired' | 'cancelled' | 'declined' | 'blocked_by_risk';
      readonly agentId?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Proposal>;
      readonly nextCursor: string | null;
    };
  };
  /** One trade proposal with its fills. */
  readonly getProposal: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Proposal;
  };
  /** Approves one pending proposal. */
  readonly approveProposal: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Proposal;
  };
  /** Declines one pending proposal. */
  readonly declineProposal: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | {
        readonly reason?: string;
      };
    };
    readonly answer: Proposal;
  };
  /** One agent with its manifest versions. */
  readonly getAgent: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: AgentDetail;
  };
  /** Proposes a trade of an external agent from outside code. */
  readonly proposeTrade: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly side: 'buy' | 'sell';
        readonly instrument: string;
        readonly notionalUsd?: string;
        readonly quantity?: string;
        readonly limitPrice?: string;
        readonly reason: string;
        readonly inputs?: unknown;
        readonly clientId: string;
        readonly manifestHash: string;
      };
    };
    readonly answer: OutsideProposalReceipt;
  };
  /** The outside proposals of an agent, newest first. */
  readonly listOutsideProposals: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<OutsideProposal>;
      readonly nextCursor: string | null;
    };
  };
  /** One outside proposal and what became of it. */
  readonly getOutsideProposal: {
    readonly input: {
      readonly id: string;
      readonly proposalId: string;
    };
    readonly answer: OutsideProposal;
  };
  /** The view that an outside strategy has of its agent: market, book, limits, and what is pending. */
  readonly getOutsideContext: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: OutsideContext;
  };
  /** The context of an agent in few words: prices, holdings, the largest trade, and what is pending. */
  readonly getBriefContext: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: BriefContext;
  };
  /** Opens a blind replay session, the backtest or the stress test of an external agent. */
  readonly openReplaySession: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly kind: 'backtest' | 'stress_test';
        readonly from?: string;
        readonly to?: string;
        readonly look?: boolean;
      };
    };
    readonly answer: EvaluationRun;
  };
  /** One replay session and how far it is. */
  readonly getReplaySession: {
    readonly input: {
      readonly id: string;
      readonly sessionId: string;
    };
    readonly answer: EvaluationRun;
  };
  /** Answers a step of a replay session and returns the next one. */
  readonly answerReplayStep: {
    readonly input: {
      readonly id: string;
      readonly sessionId: string;
      readonly body: {
        readonly step?: number;
        readonly answers?: ReadonlyArray<{
          readonly side: 'buy' | 'sell';
          readonly instrument: string;
          readonly notionalUsd?: string;
          readonly quantity?: string;
          readonly limitPrice?: string;
        } | null>;
      };
    };
    readonly answer: ReplayStep;
  };
  /** Ends a replay session without a result. */
  readonly abandonReplaySession: {
    readonly input: {
      readonly id: string;
      readonly sessionId: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: EvaluationRun;
  };
  /** Creates a token for outside code that proposes trades for the agent. */
  readonly createAgentToken: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly name: string;
      };
    };
    readonly answer: NewAgentToken;
  };
  /** The tokens of an agent, newest first. */
  readonly listAgentTokens: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<AgentToken>;
    };
  };
  /** Revokes a token of an agent. */
  readonly revokeAgentToken: {
    readonly input: {
      readonly id: string;
      readonly tokenId: string;
    };
    readonly answer: AgentToken;
  };
  /** Makes an address at which alerts become outside proposals of the agent. */
  readonly createSignalHook: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly name: string;
        readonly template: {
          readonly side: string;
          readonly instrument: string;
          readonly notionalUsd?: string;
          readonly quantity?: string;
          readonly limitPrice?: string;
          readonly reason?: string;
          readonly id?: string;
        };
        readonly tickers?: ReadonlyArray<{
          readonly ticker: string;
          readonly instrument: string;
        }>;
      };
    };
    readonly answer: OpenedSignalHook;
  };
  /** The signal hooks of an agent, newest first. */
  readonly listSignalHooks: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<SignalHook>;
    };
  };
  /** Gives a signal hook another secret. */
  readonly rotateSignalHook: {
    readonly input: {
      readonly id: string;
      readonly hookId: string;
    };
    readonly answer: OpenedSignalHook;
  };
  /** Revokes a signal hook. */
  readonly revokeSignalHook: {
    readonly input: {
      readonly id: string;
      readonly hookId: string;
    };
    readonly answer: SignalHook;
  };
  /** Takes an alert as an outside proposal. */
  readonly receiveSignal: {
    readonly input: {
      readonly key: string;
      readonly body: { readonly [name: string]: unknown };
    };
    readonly answer: OutsideProposalReceipt;
  };
  /** The decision records of an agent, newest first. */
  readonly listDecisions: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Decision>;
      readonly nextCursor: string | null;
      readonly movedBefore?: string;
    };
  };
  /** Trades that agents at `suggest` would make, newest first. */
  readonly listRecommendations: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Recommendation>;
      readonly nextCursor: string | null;
    };
  };
  /** One decision record. */
  readonly getDecision: {
    readonly input: {
      readonly id: string;
      readonly decisionId: string;
    };
    readonly answer: Decision;
  };
  /** One decision in words. */
  readonly explainDecision: {
    readonly input: {
      readonly id: string;
      readonly decisionId: string;
    };
    readonly answer: ExplainedDecision;
  };
  /** The runs of an agent's evaluations, newest first. */
  readonly listEvaluations: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<EvaluationRun>;
      readonly nextCursor: string | null;
    };
  };
  /** One evaluation run with its result. */
  readonly getEvaluation: {
    readonly input: {
      readonly id: string;
      readonly runId: string;
    };
    readonly answer: EvaluationRunDetail;
  };
  /** The report of a finished evaluation run as a page. */
  readonly getEvaluationReport: {
    readonly input: {
      readonly id: string;
      readonly runId: string;
    };
    readonly answer: string;
  };
  /** Evaluation evidence of an agent, newest first. */
  readonly listEvidence: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Evidence>;
      readonly nextCursor: string | null;
    };
  };
  /** The promotion gates of an agent. */
  readonly listGates: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Gates;
  };
  /** Expected and realized trading costs of an agent. */
  readonly getCalibration: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Calibration;
  };
  /** The steps of the agent's state chart, newest first. */
  readonly listHistory: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Step>;
      readonly nextCursor: string | null;
    };
  };
  /** The agent's state chart with its present state. */
  readonly getChart: {
    readonly input: {
      readonly id: string;
      /** Moment of the chart; the present unless given. */
      readonly at?: undefined | string;
    };
    readonly answer: Chart;
  };
  /** Simulates other events from any step of an actor. */
  readonly askWhatIf: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly version: number;
        readonly events: ReadonlyArray<{
          readonly type: string;
          readonly [name: string]: unknown;
        }>;
        readonly at?: string;
      };
    };
    readonly answer: ActorBranch;
  };
  /** A stretch of an actor's history as a test that vitest runs. */
  readonly exportActorTest: {
    readonly input: {
      readonly id: string;
      /** The version before the first step of the test; 0 begins with the start. */
      readonly from: number;
      /** The version of the last step; at most 500 steps. */
      readonly to: number;
    };
    readonly answer: string;
  };
  /** The durable actors of every kind, newest first. */
  readonly listActors: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      /** Kind of actor, e.g. `agent`. */
      readonly kind?: undefined | string;
      readonly status?: undefined | 'running' | 'done' | 'quarantined';
      /** Part of the agent name, the kind or the id. */
      readonly search?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Actor>;
      readonly nextCursor: string | null;
    };
  };
  /** One actor of any kind: state, context and incidents. */
  readonly getActor: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: ActorDetail;
  };
  /** Any stretch of an actor's committed steps, by version. */
  readonly listActorSteps: {
    readonly input: {
      readonly id: string;
      /** The version before the first step of the stretch. */
      readonly from: number;
      /** The version of its last step. */
      readonly to: number;
    };
    readonly answer: StepStretch;
  };
  /** One step of an actor: its guards and their inputs, changes and effects. */
  readonly getActorStep: {
    readonly input: {
      readonly id: string;
      /** The version that the step led to. */
      readonly version: string;
    };
    readonly answer: StepAccount;
  };
  /** Actors, activities, timers, incidents and queues in numbers. */
  readonly getRuntime: {
    readonly input: Record<string, never>;
    readonly answer: Runtime;
  };
  /** Pending and abandoned activities, newest actors first. */
  readonly listActivities: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      /** Pending unless given. */
      readonly state?: undefined | 'pending' | 'given_up';
    };
    readonly answer: {
      readonly items: ReadonlyArray<WaitingActivity>;
      readonly nextCursor: string | null;
    };
  };
  /** Timers of actors, earliest due first. */
  readonly listTimers: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<WaitingTimer>;
      readonly nextCursor: string | null;
    };
  };
  /** Incidents inside actors, newest first. */
  readonly listIncidents: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<ActorIncident>;
      readonly nextCursor: string | null;
    };
  };
  /** Interventions (retry, reset, release) with member and reason, newest first. */
  readonly listInterventions: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<RecordedIntervention>;
      readonly nextCursor: string | null;
    };
  };
  /** Alerts of the organization and of the whole service, newest first. */
  readonly listAlerts: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Alert>;
      readonly nextCursor: string | null;
    };
  };
  /** Imports, backfills and moves to the archive with their progress, newest first. */
  readonly listWork: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<LongWork>;
      readonly nextCursor: string | null;
    };
  };
  /** Progress of one import, backfill or move to the archive. */
  readonly getWork: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: LongWork;
  };
  /** Retries one activity of an actor at once. */
  readonly retryActivity: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly activity: string;
        readonly reason: string;
      };
    };
    readonly answer: Intervention;
  };
  /** Resets the attempts of all pending activities of an actor and retries them at once. */
  readonly resetActor: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly reason: string;
      };
    };
    readonly answer: Intervention;
  };
  /** Takes an actor of any kind out of quarantine. */
  readonly releaseActor: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly reason: string;
      };
    };
    readonly answer: Intervention;
  };
  /** The agent's vault. */
  readonly getVault: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Vault;
  };
  /** Price history of a vault share, with its drawdown. */
  readonly getVaultPriceHistory: {
    readonly input: {
      readonly id: string;
      readonly points?: undefined | number;
    };
    readonly answer: VaultPriceHistory;
  };
  /** Price history of a vault share, with its drawdown. */
  readonly getVaultCourse: {
    readonly input: {
      readonly id: string;
      readonly points?: undefined | number;
    };
    readonly answer: VaultPriceHistory;
  };
  /** Deposits into the agent's vault. */
  readonly depositIntoVault: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly amountUsd: string;
      };
    };
    readonly answer: VaultChange;
  };
  /** Withdraws from the agent's vault. */
  readonly withdrawFromVault: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly amountUsd?: string;
        readonly shares?: string;
        readonly all?: true;
      };
    };
    readonly answer: VaultChange;
  };
  /** Vaults by the return of a share. */
  readonly rankVaults: {
    readonly input: {
      /** Period of the return. Default: 30d. */
      readonly window?: undefined | '24h' | '7d' | '30d' | 'all';
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<RankedVault>;
      readonly nextCursor: string | null;
    };
  };
  /** Claims of vaults and books, compared with the holdings. */
  readonly listReserves: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<ReserveCheck>;
      readonly nextCursor: string | null;
    };
  };
  /** A state machine as boxes and edges, ready to be drawn. */
  readonly getMachineLayout: {
    readonly input: {
      /** The machine and its version, for example `agent@1`. */
      readonly machine: string;
    };
    readonly answer: MachineLayout;
  };
  /** The presets of bonding-curve launches. */
  readonly listLaunchPresets: {
    readonly input: Record<string, never>;
    readonly answer: {
      readonly items: ReadonlyArray<LaunchPreset>;
    };
  };
  /** Previews a bonding-curve launch. */
  readonly previewLaunch: {
    readonly input: {
      readonly body: {
        readonly preset: 'reference_anchored' | 'price_discovery' | 'agent_treasury';
        readonly quoteMint: string;
        readonly startingFdv: string;
        readonly totalSupply?: string;
        readonly decimals?: number;
      };
    };
    readonly answer: LaunchPreview;
  };
  /** Prepares a bonding-curve launch. */
  readonly prepareLaunch: {
    readonly input: {
      readonly body: {
        readonly preset: 'reference_anchored' | 'price_discovery' | 'agent_treasury';
        readonly quoteMint: string;
        readonly startingFdv: string;
        readonly totalSupply?: string;
        readonly decimals?: number;
        readonly name: string;
        readonly symbol: string;
        readonly uri: string;
        readonly creator: string;
        readonly firstBuy?: string;
        readonly agentId?: string;
        readonly takeId?: string;
      };
    };
    readonly answer: PreparedLaunch;
  };
  /** Submits the signed transactions of a launch. */
  readonly submitLaunch: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly transactions?: ReadonlyArray<string>;
        readonly payment?: string;
      };
    };
    readonly answer: Launch | LauncherLaunch;
  };
  /** The shares that the external launcher pairs a token with. */
  readonly listLauncherPairs: {
    readonly input: Record<string, never>;
    readonly answer: {
      readonly items: ReadonlyArray<LauncherPair>;
      readonly creatorFeeBps: {
        readonly min: number;
        readonly max: number;
      };
    };
  };
  /** Registers a launch with the external launcher. */
  readonly quoteLauncherLaunch: {
    readonly input: {
      readonly body: {
        readonly agentId: string;
        readonly pair: string;
        readonly creatorFeeBps: number;
        readonly name: string;
        readonly symbol: string;
        readonly description: string;
        readonly imageUrl: string;
        readonly creator: string;
      };
    };
    readonly answer: QuotedLaunch;
  };
  /** Launches of tokens, newest first. */
  readonly listLaunches: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Launch | LauncherLaunch>;
      readonly nextCursor: string | null;
    };
  };
  /** Analytics of one agent token. */
  readonly getAgentToken: {
    readonly input: {
      readonly mint: string;
      /** At most 5 addresses that count as holdings besides the books. */
      readonly wallets?: undefined | string;
    };
    readonly answer: AgentTokenAnalytics;
  };
  /** Ranked agent tokens. */
  readonly rankAgentTokens: {
    readonly input: {
      /** Default: `lowest_risk`. */
      readonly mode?: undefined | 'lowest_risk' | 'liquidity' | 'dispersion' | 'relative_performance' | 'newest';
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<RankedAgentToken>;
      readonly nextCursor: string | null;
      readonly mode: string;
      readonly formula: string;
    };
  };
  /** Agent tokens with their performance relative to the paired share. */
  readonly listStockPaired: {
    readonly input: {
      /** Paired stock, e.g. `AAPLx`. */
      readonly stock?: undefined | string;
      /** At most 5 addresses that count as holdings besides the books. */
      readonly wallets?: undefined | string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<StockPairedToken>;
      readonly nextCursor: string | null;
    };
  };
  /** One launch. */
  readonly getLaunch: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Launch | LauncherLaunch;
  };
  /** Reads a launch on its curve. */
  readonly monitorLaunch: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: LaunchMonitor;
  };
  /** Price history of a launched token. */
  readonly getLaunchPriceHistory: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: LaunchPriceHistory;
  };
  /** Price history of a launched token. */
  readonly getLaunchCourse: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: LaunchPriceHistory;
  };
  /** The transactions of a launch, in the order in which they land. */
  readonly listLaunchTransactions: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<LaunchTransaction>;
    };
  };
  /** Prepares a claim of accrued fees for the creator or the partner. */
  readonly prepareLaunchClaim: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | {
        readonly kind?: 'fees' | 'surplus' | 'migration_fee' | 'unlocked';
        readonly as?: 'creator' | 'partner';
      };
    };
    readonly answer: LaunchClaim;
  };
  /** Submits a signed claim of a launch. */
  readonly submitLaunchClaim: {
    readonly input: {
      readonly id: string;
      readonly claimId: string;
      readonly body: {
        readonly signedTransaction: string;
      };
    };
    readonly answer: LaunchClaim;
  };
  /** One claim of accrued fees of a launch. */
  readonly getLaunchClaim: {
    readonly input: {
      readonly id: string;
      readonly claimId: string;
    };
    readonly answer: LaunchClaim;
  };
  /** Publishes one manifest version of an agent. */
  readonly publishListing: {
    readonly input: {
      readonly body: {
        readonly agentId: string;
        readonly manifestVersion: number;
        readonly priceUsd: string | number;
        readonly payoutWallet: string;
        readonly categories: ReadonlyArray<string>;
      };
    };
    readonly answer: Listing;
  };
  /** Strategies that can be bought, newest first. */
  readonly listListings: {
    readonly input: {
      readonly category?: undefined | string;
      /** Found anywhere in the name or the description. */
      readonly search?: undefined | string;
      readonly maxPriceUsd?: undefined | string;
      /** Listings of your organization, including unlisted ones. */
      readonly mine?: undefined | boolean;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Listing>;
      readonly nextCursor: string | null;
    };
  };
  /** Changes the price of a listing of yours. */
  readonly repriceListing: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly priceUsd: string | number;
      };
    };
    readonly answer: Listing;
  };
  /** Ends a listing of yours. */
  readonly unlistListing: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Listing;
  };
  /** One listing with its evidence. */
  readonly getListing: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: ListingDetail;
  };
  /** Every price of a listing, newest first. */
  readonly listListingPrices: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<ListingPrice>;
      readonly nextCursor: string | null;
    };
  };
  /** Prepares the payment of a licence. */
  readonly beginCheckout: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly buyer?: string;
      };
    };
    readonly answer: Checkout;
  };
  /** Submits the signed payment of a checkout. */
  readonly settleCheckout: {
    readonly input: {
      readonly id: string;
      readonly body: {
        readonly signedTransaction: string;
      };
    };
    readonly answer: Checkout;
  };
  /** Imports the rules of a licensed listing as a new agent. */
  readonly importListing: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Agent;
  };
  /** Checkouts of your organization, newest first. */
  readonly listCheckouts: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Checkout>;
      readonly nextCursor: string | null;
    };
  };
  /** One checkout. */
  readonly getCheckout: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Checkout;
  };
  /** Licences of your organization, newest first. */
  readonly listLicences: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Licence>;
      readonly nextCursor: string | null;
    };
  };
  /** Wallets by realized profit of live trading. */
  readonly getLeaderboard: {
    readonly input: {
      /** Up to now; sales inside it count, purchases before it set their basis. */
      readonly window: '24h' | '7d' | '30d';
      readonly chain?: undefined | 'spotchain' | 'evmvenue';
      /** The beginning of an address, or a part of a label. */
      readonly search?: undefined | string;
      /** True: wallets with a rank. False: wallets without one. */
      readonly ranked?: undefined | boolean;
      readonly minCoveragePct?: undefined | number;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: Leaderboard;
  };
  /** The leaderboard of a window as CSV. */
  readonly getLeaderboardCsv: {
    readonly input: {
      /** Up to now; sales inside it count, purchases before it set their basis. */
      readonly window: '24h' | '7d' | '30d';
      readonly chain?: undefined | 'spotchain' | 'evmvenue';
      /** The beginning of an address, or a part of a label. */
      readonly search?: undefined | string;
      /** True: wallets with a rank. False: wallets without one. */
      readonly ranked?: undefined | boolean;
      readonly minCoveragePct?: undefined | number;
    };
    readonly answer: string;
  };
  /** One wallet of the leaderboard with the sales behind its figure, newest first. */
  readonly getLeaderboardWallet: {
    readonly input: {
      readonly address: string;
      /** Up to now; sales inside it count, purchases before it set their basis. */
      readonly window: '24h' | '7d' | '30d';
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: LeaderboardWallet;
  };
  /** The sales behind a wallet's figure as CSV. */
  readonly getLeaderboardWalletCsv: {
    readonly input: {
      readonly address: string;
      /** Up to now; sales inside it count, purchases before it set their basis. */
      readonly window: '24h' | '7d' | '30d';
    };
    readonly answer: string;
  };
  /** Puts a wallet of either chain on the leaderboard. */
  readonly registerLeaderboardWallet: {
    readonly input: {
      readonly body: {
        readonly address: string;
        readonly label?: string;
      };
    };
    readonly answer: RegisteredWallet;
  };
  /** Deploys a deterministic basis policy. */
  readonly armBasisPolicy: {
    readonly input: {
      readonly body: {
        readonly symbol: string;
        readonly enterDiscountPct: number;
        readonly exitDiscountPct: number;
        readonly notionalUsd: string;
        readonly mode: 'paper' | 'live' | 'draft';
        readonly maxSlippageBps?: number;
        readonly maxHoldHours?: number;
        readonly expiresAt?: string;
      };
    };
    readonly answer: BasisPolicy;
  };
  /** Disarms a basis policy. */
  readonly disarmBasisPolicy: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: BasisPolicy;
  };
  /** The organization's basis policies, newest first. */
  readonly listBasisPolicies: {
    readonly input: {
      readonly state?: undefined | 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<BasisPolicy>;
      readonly nextCursor: string | null;
    };
  };
  /** One basis policy. */
  readonly getBasisPolicy: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: BasisPolicy;
  };
  /** Answers questions from the service’s own data, and drafts Takes and policies for review. */
  readonly chatWithCopilot: {
    readonly input: {
      readonly body: {
        readonly message: string;
        readonly conversationId?: string;
      };
    };
    readonly answer: CopilotReply;
  };
  /** Turns a thesis into an auditable Take. */
  readonly compileTake: {
    readonly input: {
      readonly body: {
        readonly thesis?: string;
        readonly symbol?: string;
        readonly target?: unknown;
        readonly conditions?: {
          readonly entry?: ReadonlyArray<unknown>;
          readonly exit?: ReadonlyArray<unknown>;
        };
        readonly allocationUsd?: string | number;
        readonly maxSlippageBps?: number;
        readonly timeframe?: string;
        readonly expiresAt?: string;
      };
    };
    readonly answer: Take;
  };
  /** Clones a Take with another allocation, slippage budget or thresholds. */
  readonly forkTake: {
    readonly input: {
      readonly body: {
        readonly takeId: string;
        readonly allocationUsd?: string;
        readonly maxSlippageBps?: number;
        readonly thresholds?: { readonly [name: string]: unknown };
      };
    };
    readonly answer: Take;
  };
  /** Makes a Take an active policy. */
  readonly armTake: {
    readonly input: {
      readonly body: {
        readonly takeId: string;
        readonly mode: 'paper' | 'live';
        readonly confirm?: ReadonlyArray<string>;
      };
    };
    readonly answer: Take;
  };
  /** Turns a Take into a draft agent or a launch draft. */
  readonly tokenizeTake: {
    readonly input: {
      readonly body: {
        readonly takeId: string;
        readonly as: 'agent' | 'launch';
        readonly confirm?: ReadonlyArray<string>;
      };
    };
    readonly answer: TokenizedTake;
  };
  /** Publishes a Take. */
  readonly publishTake: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Take;
  };
  /** Disarms a Take. */
  readonly disarmTake: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Take;
  };
  /** Closes the position of a Take. */
  readonly closeTake: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Take;
  };
  /** The organization's Takes, newest first. */
  readonly listTakes: {
    readonly input: {
      readonly state?: undefined | 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Take>;
      readonly nextCursor: string | null;
    };
  };
  /** Published Takes of all organizations, newest first. */
  readonly listPublishedTakes: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<PublishedTake>;
      readonly nextCursor: string | null;
    };
  };
  /** One Take. */
  readonly getTake: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Take;
  };
  /** The decision records of a Take, newest first. */
  readonly listTakeDecisions: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<TakeDecision>;
      readonly nextCursor: string | null;
      readonly movedBefore?: string;
    };
  };
  /** One evaluation of a Take in words. */
  readonly explainTakeDecision: {
    readonly input: {
      readonly id: string;
      readonly decisionId: string;
    };
    readonly answer: ExplainedDecision;
  };
  /** The steps of the Take's state chart, newest first. */
  readonly listTakeHistory: {
    readonly input: {
      readonly id: string;
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Step>;
      readonly nextCursor: string | null;
    };
  };
  /** The Take's state chart with its present state. */
  readonly getTakeChart: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: Chart;
  };
  /** Text that the owner signs to delegate a wallet. */
  readonly challengeDelegation: {
    readonly input: {
      readonly body: {
        readonly agentId?: string;
        readonly takeId?: string;
        readonly wallet: string;
        readonly signerWallet: string;
        readonly maxNotionalUsd: string;
        readonly expiresAt: string;
      };
    };
    readonly answer: DelegationChallenge;
  };
  /** Delegates a wallet to an agent or a Take. */
  readonly grantDelegation: {
    readonly input: {
      readonly body: {
        readonly agentId?: string;
        readonly takeId?: string;
        readonly wallet: string;
        readonly signerWallet: string;
        readonly maxNotionalUsd: string;
        readonly expiresAt: string;
        readonly issuedAt: string;
        readonly nonce: string;
        readonly signature: string;
      };
    };
    readonly answer: Delegation;
  };
  /** Delegations of wallets to agents and Takes, newest first. */
  readonly listDelegations: {
    readonly input: {
      /** Most items of the page. */
      readonly limit?: undefined | number;
      /** `nextCursor` of the previous page. */
      readonly cursor?: undefined | string;
      readonly agentId?: undefined | string;
      readonly takeId?: undefined | string;
    };
    readonly answer: {
      readonly items: ReadonlyArray<Delegation>;
      readonly nextCursor: string | null;
    };
  };
  /** Revokes a delegation. */
  readonly revokeDelegation: {
    readonly input: {
      readonly id: string;
      readonly body?: undefined | Record<string, never>;
    };
    readonly answer: Delegation;
  };
  /** This document. */
  readonly getOpenApi: {
    readonly input: Record<string, never>;
    readonly answer: { readonly [name: string]: unknown };
  };
  /** The messages of the feed, as AsyncAPI 3. */
  readonly getAsyncApi: {
    readonly input: Record<string, never>;
    readonly answer: { readonly [name: string]: unknown };
  };
  /** The Model Context Protocol: tools that read, research and propose. */
  readonly callMcp: {
    readonly input: {
      /** Sets of tools, such as `read,propose`. All unless given. */
      readonly sets?: undefined | string;
      readonly body: {
        readonly jsonrpc: '2.0';
        readonly id?: string | number;
        readonly method?: string;
        readonly params?: { readonly [name: string]: unknown };
        readonly [name: string]: unknown;
      };
    };
    readonly answer: {
      readonly jsonrpc: string;
      readonly id?: string | number | null;
      readonly result?: { readonly [name: string]: unknown };
      readonly error?: {
        readonly code: number;
        readonly message: string;
        readonly data?: unknown;
      };
    };
  };
  /** Opens a websocket that carries every channel. */
  readonly openFeeds: {
    readonly input: Record<string, never>;
    readonly answer: never;
  };
  /** Opens a websocket that speaks Stately's inspection protocol. */
  readonly openInspector: {
    readonly input: {
      readonly actorId?: undefined | string;
      /** Version of one actor after which its steps are told first; 0 for all. */
      readonly from?: undefined | number;
    };
    readonly answer: never;
  };
  /** One channel as server-sent events. */
  readonly streamEvents: {
    readonly input: {
      /** Each channel needs its own permission: `market:read` for quotes, order_book, tickers, perps, candles and basis, `agent:read` for the rest. */
      readonly channel: 'quotes' | 'order_book' | 'tickers' | 'perps' | 'candles' | 'basis' | 'decisions' | 'proposals' | 'agents' | 'alerts' | 'bridge' | 'launches' | 'takes' | 'inspect';
      /** A cursor, where Last-Event-ID cannot be sent. */
      readonly from?: undefined | string;
    };
    readonly answer: ReadableStream<Uint8Array>;
  };
}

/** Method, path template and flags of every operation. */
export const OPERATIONS = {
  getHealth: 'GET /healthz',
  getReadiness: 'GET /readyz 503',
  getMetrics: 'GET /metrics text',
  getMe: 'GET /v1/me',
  listSettings: 'GET /v1/me/settings',
  keepSetting: 'PUT /v1/me/settings/{name}',
  openSession: 'POST /v1/session',
  closeSession: 'DELETE /v1/session',
  redeemSignInLink: 'POST /v1/session/link',
  revokeSession: 'POST /v1/session/revoke',
  listMembers: 'GET /v1/members',
  grantMember: 'POST /v1/members/grant idempotent',
  removeMember: 'POST /v1/members/remove idempotent',
  revokeTokens: 'POST /v1/members/revoke-tokens idempotent',
  listRoles: 'GET /v1/roles',
  setRole: 'PUT /v1/roles/{name} idempotent',
  listInvitations: 'GET /v1/invitations list',
  inviteMember: 'POST /v1/invitations',
  acceptInvitation: 'POST /v1/invitations/accept',
  revokeInvitation: 'POST /v1/invitations/{id}/revoke idempotent',
  getMacroIntelligence: 'GET /v1/intelligence/macro',
  listMarketEvents: 'GET /v1/intelligence/events list',
  listChains: 'GET /v1/chains list',
  getMacroRegime: 'GET /v1/macro-regime',
  listSocialFeed: 'GET /v1/social-feed list',
  rankFairValue: 'GET /v1/rankings/fair-value list',
  rankPrivateMarkets: 'GET /v1/rankings/private list',
  listPrivateMarkets: 'GET /v1/private-markets list',
  listBasis: 'GET /v1/arbitrage/basis list',
  assessStock: 'POST /v1/stocks/{symbol}/assessment',
  getRiskPreferences: 'GET /v1/risk/preferences',
  setRiskPreferences: 'PUT /v1/risk/preferences idempotent',
  listRiskPreferences: 'GET /v1/risk/preferences/history list',
  listBooks: 'GET /v1/books list',
  listFills: 'GET /v1/books/{id}/fills list',
  getEquity: 'GET /v1/books/{id}/equity',
  getPortfolio: 'GET /v1/portfolio',
  getPerformance: 'GET /v1/portfolio/performance',
  getTotalEquity: 'GET /v1/portfolio/equity',
  simulateImpact: 'POST /v1/portfolio/impact',
  quoteSwap: 'GET /v1/spotchain/quote',
  prepareSwap: 'POST /v1/spotchain/orders/prepare idempotent',
  executeSwap: 'POST /v1/spotchain/orders/{id}/execute idempotent',
  listSwaps: 'GET /v1/spotchain/orders list',
  getSwap: 'GET /v1/spotchain/orders/{id}',
  listQuotes: 'GET /v1/quotes list',
  listCandles: 'GET /v1/candles list',
  listDayCloses: 'GET /v1/candles/day list',
  listCandleWork: 'GET /v1/candles/work list',
  getOrderBook: 'GET /v1/order-book',
  listTickers: 'GET /v1/tickers list',
  listPerps: 'GET /v1/perps list',
  getPerp: 'GET /v1/perps/{instrument}',
  listVenues: 'GET /v1/venues list',
  getPublicWallet: 'GET /v1/public-wallet/{address}',
  getChainWallet: 'GET /v1/wallets/evmvenue/{address}',
  listCatalog: 'GET /v1/catalog list',
  listMarks: 'GET /v1/catalog/marks list',
  listSessions: 'GET /v1/catalog/sessions list',
  placePaperOrder: 'POST /v1/market-orders/paper idempotent',
  placeSpotexchangeOrder: 'POST /v1/market-orders/spotexchange/live idempotent',
  cancelMarketOrder: 'POST /v1/market-orders/{id}/cancel idempotent',
  listMarketOrders: 'GET /v1/market-orders list',
  getMarketOrder: 'GET /v1/market-orders/{id}',
  listPredictionMarkets: 'GET /v1/prediction-markets list',
  getPredictionMarket: 'GET /v1/prediction-markets/{id}',
  researchPredictionMarket: 'GET /v1/prediction-markets/{id}/research',
  placePaperPredictionOrder: 'POST /v1/prediction-orders/paper idempotent',
  preparePredictionOrder: 'POST /v1/prediction-orders/prepare idempotent',
  executePredictionOrder: 'POST /v1/prediction-orders/{id}/execute idempotent',
  listPredictionOrders: 'GET /v1/prediction-orders list',
  getPredictionOrder: 'GET /v1/prediction-orders/{id}',
  quoteBridge: 'POST /v1/bridge/quote idempotent',
  submitBridge: 'POST /v1/bridge/submission idempotent',
  getBridgeStatus: 'GET /v1/bridge/status',
  listBridgeTransfers: 'GET /v1/bridge/transfers list',
  getBridgeTransferTimeline: 'GET /v1/bridge/transfers/{id}/timeline',
  getBridgeTransferCourse: 'GET /v1/bridge/transfers/{id}/course',
  challengeWallet: 'POST /v1/wallets/challenge',
  linkWallet: 'POST /v1/wallets idempotent',
  listWallets: 'GET /v1/wallets list',
  renameWallet: 'POST /v1/wallets/{id}/rename idempotent',
  unlinkWallet: 'POST /v1/wallets/{id}/unlink idempotent',
  useSandboxWallet: 'POST /v1/sandbox/wallet',
  createAgent: 'POST /v1/agents idempotent',
  listAgents: 'GET /v1/agents list',
  addAgentVersion: 'POST /v1/agents/{id}/versions idempotent',
  listVersions: 'GET /v1/agents/{id}/versions list',
  setAgentAutonomy: 'POST /v1/agents/{id}/autonomy idempotent',
  promoteAgent: 'POST /v1/agents/{id}/promote idempotent',
  signOffAgent: 'POST /v1/agents/{id}/sign-off idempotent',
  backtestAgent: 'POST /v1/agents/{id}/backtest idempotent',
  sweepAgent: 'POST /v1/agents/{id}/sweep idempotent',
  previewBacktest: 'POST /v1/backtests/preview',
  stressTestAgent: 'POST /v1/agents/{id}/stress_test idempotent',
  cancelEvaluation: 'POST /v1/agents/{id}/evaluations/{runId}/cancel idempotent',
  pauseAgent: 'POST /v1/agents/{id}/pause idempotent',
  closeAgentPositions: 'POST /v1/agents/{id}/close idempotent',
  resumeAgent: 'POST /v1/agents/{id}/resume idempotent',
  releaseAgent: 'POST /v1/agents/{id}/release idempotent',
  emergencyHalt: 'POST /v1/agents/emergency-halt idempotent',
  getHalt: 'GET /v1/agents/emergency-halt',
  listProposals: 'GET /v1/agent-orders list',
  getProposal: 'GET /v1/agent-orders/{id}',
  approveProposal: 'POST /v1/agent-orders/{id}/approve idempotent',
  declineProposal: 'POST /v1/agent-orders/{id}/decline idempotent',
  getAgent: 'GET /v1/agents/{id}',
  proposeTrade: 'POST /v1/agents/{id}/proposals idempotent',
  listOutsideProposals: 'GET /v1/agents/{id}/proposals list',
  getOutsideProposal: 'GET /v1/agents/{id}/proposals/{proposalId}',
  getOutsideContext: 'GET /v1/agents/{id}/context',
  getBriefContext: 'GET /v1/agents/{id}/context/brief',
  openReplaySession: 'POST /v1/agents/{id}/replay-sessions idempotent',
  getReplaySession: 'GET /v1/agents/{id}/replay-sessions/{sessionId}',
  answerReplayStep: 'POST /v1/agents/{id}/replay-sessions/{sessionId}/steps',
  abandonReplaySession: 'POST /v1/agents/{id}/replay-sessions/{sessionId}/abandon idempotent',
  createAgentToken: 'POST /v1/agents/{id}/tokens',
  listAgentTokens: 'GET /v1/agents/{id}/tokens',
  revokeAgentToken: 'POST /v1/agents/{id}/tokens/{tokenId}/revoke idempotent',
  createSignalHook: 'POST /v1/agents/{id}/signals',
  listSignalHooks: 'GET /v1/agents/{id}/signals',
  rotateSignalHook: 'POST /v1/agents/{id}/signals/{hookId}/rotate',
  revokeSignalHook: 'POST /v1/agents/{id}/signals/{hookId}/revoke idempotent',
  receiveSignal: 'POST /v1/signals/{key}',
  listDecisions: 'GET /v1/agents/{id}/decisions list',
  listRecommendations: 'GET /v1/recommendations list',
  getDecision: 'GET /v1/agents/{id}/decisions/{decisionId}',
  explainDecision: 'GET /v1/agents/{id}/decisions/{decisionId}/explain',
  listEvaluations: 'GET /v1/agents/{id}/evaluations list',
  getEvaluation: 'GET /v1/agents/{id}/evaluations/{runId}',
  getEvaluationReport: 'GET /v1/agents/{id}/evaluations/{runId}/report text',
  listEvidence: 'GET /v1/agents/{id}/evidence list',
  listGates: 'GET /v1/agents/{id}/gates',
  getCalibration: 'GET /v1/agents/{id}/calibration',
  listHistory: 'GET /v1/agents/{id}/history list',
  getChart: 'GET /v1/agents/{id}/chart',
  askWhatIf: 'POST /v1/actors/{id}/what-if',
  exportActorTest: 'GET /v1/actors/{id}/test text',
  listActors: 'GET /v1/actors list',
  getActor: 'GET /v1/actors/{id}',
  listActorSteps: 'GET /v1/actors/{id}/steps',
  getActorStep: 'GET /v1/actors/{id}/steps/{version}',
  getRuntime: 'GET /v1/runtime',
  listActivities: 'GET /v1/runtime/activities list',
  listTimers: 'GET /v1/runtime/timers list',
  listIncidents: 'GET /v1/runtime/incidents list',
  listInterventions: 'GET /v1/runtime/interventions list',
  listAlerts: 'GET /v1/alerts list',
  listWork: 'GET /v1/runtime/work list',
  getWork: 'GET /v1/runtime/work/{id}',
  retryActivity: 'POST /v1/actors/{id}/retry idempotent',
  resetActor: 'POST /v1/actors/{id}/reset idempotent',
  releaseActor: 'POST /v1/actors/{id}/release idempotent',
  getVault: 'GET /v1/agents/{id}/vault',
  getVaultPriceHistory: 'GET /v1/agents/{id}/vault/price-history',
  getVaultCourse: 'GET /v1/agents/{id}/vault/course',
  depositIntoVault: 'POST /v1/agents/{id}/vault/deposit idempotent',
  withdrawFromVault: 'POST /v1/agents/{id}/vault/withdraw idempotent',
  rankVaults: 'GET /v1/agent-vaults/leaderboard list',
  listReserves: 'GET /v1/reserves list',
  getMachineLayout: 'GET /v1/machines/{machine}/layout',
  listLaunchPresets: 'GET /v1/launches/dbc/presets',
  previewLaunch: 'POST /v1/launches/dbc/preview',
  prepareLaunch: 'POST /v1/launches/dbc/prepare idempotent',
  submitLaunch: 'POST /v1/launches/{id}/submit idempotent',
  listLauncherPairs: 'GET /v1/agentlaunch/pairs',
  quoteLauncherLaunch: 'POST /v1/launches/agentlaunch/quote idempotent',
  listLaunches: 'GET /v1/launches list',
  getAgentToken: 'GET /v1/agent-market/tokens/{mint}',
  rankAgentTokens: 'GET /v1/agent-market/rank list',
  listStockPaired: 'GET /v1/agent-market/stock-paired list',
  getLaunch: 'GET /v1/launches/{id}',
  monitorLaunch: 'GET /v1/launches/{id}/monitor',
  getLaunchPriceHistory: 'GET /v1/launches/{id}/price-history',
  getLaunchCourse: 'GET /v1/launches/{id}/course',
  listLaunchTransactions: 'GET /v1/launches/{id}/transactions',
  prepareLaunchClaim: 'POST /v1/launches/{id}/claims idempotent',
  submitLaunchClaim: 'POST /v1/launches/{id}/claims/{claimId}/submit idempotent',
  getLaunchClaim: 'GET /v1/launches/{id}/claims/{claimId}',
  publishListing: 'POST /v1/marketplace idempotent',
  listListings: 'GET /v1/marketplace list',
  repriceListing: 'POST /v1/marketplace/{id}/price idempotent',
  unlistListing: 'POST /v1/marketplace/{id}/unlist idempotent',
  getListing: 'GET /v1/marketplace/{id}',
  listListingPrices: 'GET /v1/marketplace/{id}/prices list',
  beginCheckout: 'POST /v1/marketplace/{id}/checkout idempotent',
  settleCheckout: 'POST /v1/marketplace/checkouts/{id}/settle idempotent',
  importListing: 'POST /v1/marketplace/{id}/import idempotent',
  listCheckouts: 'GET /v1/marketplace/checkouts list',
  getCheckout: 'GET /v1/marketplace/checkouts/{id}',
  listLicences: 'GET /v1/marketplace/licences list',
  getLeaderboard: 'GET /v1/leaderboard list',
  getLeaderboardCsv: 'GET /v1/leaderboard/csv text',
  getLeaderboardWallet: 'GET /v1/leaderboard/wallets/{address} list',
  getLeaderboardWalletCsv: 'GET /v1/leaderboard/wallets/{address}/csv text',
  registerLeaderboardWallet: 'POST /v1/leaderboard/wallets idempotent',
  armBasisPolicy: 'POST /v1/arbitrage/arm idempotent',
  disarmBasisPolicy: 'POST /v1/arbitrage/policies/{id}/disarm idempotent',
  listBasisPolicies: 'GET /v1/arbitrage/policies list',
  getBasisPolicy: 'GET /v1/arbitrage/policies/{id}',
  chatWithCopilot: 'POST /v1/copilot/chat',
  compileTake: 'POST /v1/takes/compile idempotent',
  forkTake: 'POST /v1/takes/fork idempotent',
  armTake: 'POST /v1/takes/arm idempotent',
  tokenizeTake: 'POST /v1/takes/tokenize idempotent',
  publishTake: 'POST /v1/takes/{id}/publish idempotent',
  disarmTake: 'POST /v1/takes/{id}/disarm idempotent',
  closeTake: 'POST /v1/takes/{id}/close idempotent',
  listTakes: 'GET /v1/takes list',
  listPublishedTakes: 'GET /v1/takes/published list',
  getTake: 'GET /v1/takes/{id}',
  listTakeDecisions: 'GET /v1/takes/{id}/decisions list',
  explainTakeDecision: 'GET /v1/takes/{id}/decisions/{decisionId}/explain',
  listTakeHistory: 'GET /v1/takes/{id}/history list',
  getTakeChart: 'GET /v1/takes/{id}/chart',
  challengeDelegation: 'POST /v1/delegations/challenge',
  grantDelegation: 'POST /v1/delegations idempotent',
  listDelegations: 'GET /v1/delegations list',
  revokeDelegation: 'POST /v1/delegations/{id}/revoke idempotent',
  getOpenApi: 'GET /v1/openapi.json',
  getAsyncApi: 'GET /v1/asyncapi.json',
  callMcp: 'POST /mcp 400 404',
  openFeeds: 'GET /v1/feeds socket',
  openInspector: 'GET /v1/feeds/inspector socket',
  streamEvents: 'GET /v1/feeds/sse stream',
} as const;
