/** The messages of the feed as /v1/asyncapi.json describes them. Written by test/api/surfaces.test.ts; not edited by hand. */

import type {
  Agent,
  BasisRow,
  DayTicker,
  Decision,
  Perp,
  Quote,
} from './api.ts';

/** Every message of the operation `ask`. */
export type AskMessage =
  | UnsubscribeMessage
  | PingMessage
  | QuotesSubscribeMessage
  | OrderBookSubscribeMessage
  | TickersSubscribeMessage
  | PerpsSubscribeMessage
  | CandlesSubscribeMessage
  | BasisSubscribeMessage
  | DecisionsSubscribeMessage
  | ProposalsSubscribeMessage
  | AgentsSubscribeMessage
  | AlertsSubscribeMessage
  | BridgeSubscribeMessage
  | LaunchesSubscribeMessage
  | TakesSubscribeMessage
  | InspectSubscribeMessage;

/** Every message of the operation `tell`. */
export type TellMessage =
  | SubscribedMessage
  | UnsubscribedMessage
  | PongMessage
  | HeartbeatMessage
  | ErrorMessage
  | QuotesSnapshotMessage
  | QuotesUpdateMessage
  | OrderBookSnapshotMessage
  | OrderBookUpdateMessage
  | TickersSnapshotMessage
  | TickersUpdateMessage
  | PerpsSnapshotMessage
  | PerpsUpdateMessage
  | CandlesSnapshotMessage
  | CandlesUpdateMessage
  | BasisSnapshotMessage
  | BasisUpdateMessage
  | DecisionsUpdateMessage
  | DecisionsLaggedMessage
  | ProposalsUpdateMessage
  | ProposalsLaggedMessage
  | AgentsSnapshotMessage
  | AgentsUpdateMessage
  | AgentsLaggedMessage
  | AlertsUpdateMessage
  | AlertsLaggedMessage
  | BridgeUpdateMessage
  | BridgeLaggedMessage
  | LaunchesUpdateMessage
  | LaunchesLaggedMessage
  | TakesUpdateMessage
  | TakesLaggedMessage
  | InspectUpdateMessage
  | InspectLaggedMessage;

export type AgentAlert = {
  readonly what: string;
  readonly agentId: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly status?: 'running' | 'paused';
  readonly duty: 'active' | 'paused';
  readonly feed: 'live' | 'degraded' | 'lost';
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly manifestHash: string;
  readonly breaker?: string;
  readonly observed?: string;
  readonly limit?: string;
  readonly venues?: ReadonlyArray<string>;
};

export type AgentChange = {
  readonly what: 'promoted' | 'demoted' | 'autonomy_set' | 'manifest_changed' | 'paused' | 'resumed' | 'closing' | 'closed';
  readonly agentId: string;
  readonly stage: 'draft' | 'backtest' | 'stress_test' | 'paper' | 'shadow' | 'limited_live' | 'live';
  readonly status?: 'running' | 'paused';
  readonly duty: 'active' | 'paused';
  readonly feed: 'live' | 'degraded' | 'lost';
  readonly autonomy: 'research' | 'suggest' | 'confirm' | 'policy_auto' | 'autonomous' | 'risk_only';
  readonly pauseCause: 'operator' | 'emergency_halt' | 'data_degraded' | 'daily_drawdown' | 'tick_crash' | 'quarantine' | null;
  readonly manifestHash: string;
  readonly breaker?: string;
  readonly observed?: string;
  readonly limit?: string;
};

export type CheckoutAlert = {
  readonly what: string;
  readonly checkoutId: string;
  readonly state: 'prepared' | 'submitted' | 'confirmed' | 'licensed' | 'late' | 'expired' | 'failed';
  readonly listingId: string;
  readonly priceUsd: string;
  readonly signature: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
};

export type EvaluationChange = {
  readonly what: 'evaluation_queued' | 'evaluation_running' | 'evaluation_finished' | 'evaluation_refused' | 'evaluation_cancelled' | 'evaluation_failed';
  readonly agentId: string;
  readonly runId: string;
  readonly evaluation: 'backtest' | 'stress_test' | 'sweep' | 'agreement';
  readonly state: 'queued' | 'running' | 'finished' | 'refused' | 'cancelled' | 'failed';
  readonly manifestHash: string;
  readonly ending: {
    readonly code: string;
    readonly detail: string;
  } | null;
  readonly resultHash: string | null;
  readonly summary: { readonly [name: string]: unknown } | null;
};

export type EvaluationProgress = {
  readonly what: 'evaluation_progress';
  readonly agentId: string;
  readonly runId: string;
  readonly evaluation: 'backtest' | 'stress_test' | 'sweep' | 'agreement';
  readonly done: number;
  readonly total: number;
  readonly doing: string;
  readonly since: number;
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

export type FedCandle = {
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
  readonly instrument: string;
  readonly timeframe: string;
  readonly closeTime: string;
  readonly openTime: string;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
  readonly source: string;
  readonly simulated: boolean | null;
};

export type FollowedBook = {
  readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction';
  readonly instrument: string;
  readonly source: string;
  readonly observedAt: string;
  readonly receivedAt: string;
  readonly ageMs: number;
  readonly sequence: number | null;
  readonly quality: 'live' | 'delayed' | 'stale' | 'degraded' | 'halted';
  readonly flags: ReadonlyArray<'gap' | 'out_of_order' | 'crossed' | 'clock_skew' | 'one_sided' | 'wide_confidence' | 'over_age' | 'session_closed' | 'carried_forward' | 'resyncing' | 'feed_down' | 'price_jump'>;
  readonly maxAgeMs: number;
  readonly resyncing: boolean;
  readonly bids: ReadonlyArray<{
    readonly price: string;
    readonly size: string;
  }>;
  readonly asks: ReadonlyArray<{
    readonly price: string;
    readonly size: string;
  }>;
};

export type HaltAlert = {
  readonly what: string;
  readonly epoch: number;
  readonly paused: number;
  readonly of: number;
};

export type IncidentAlert = {
  readonly what: string;
  readonly agentId: string;
  readonly detail: string;
};

export type InspectedStep = {
  readonly actorId: string;
  readonly kind: string;
  readonly machine: string;
  readonly version: number;
  readonly event: {
    readonly type: string;
    readonly [name: string]: unknown;
  };
  readonly from: StateValue | null;
  readonly to: StateValue;
};

export type LaunchAlert = {
  readonly what: string;
  readonly launchId: string;
  readonly state: 'prepared' | 'submitted' | 'confirmed' | 'trading' | 'graduating' | 'graduated' | 'expired' | 'failed' | 'quoted' | 'payment_submitted' | 'payment_confirmed' | 'launching' | 'launched' | 'failed_paid';
  readonly mint: string | null;
  readonly symbol: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly signatures?: ReadonlyArray<string>;
};

export type LaunchChange = {
  readonly launchId: string;
  readonly state: 'prepared' | 'submitted' | 'confirmed' | 'trading' | 'graduating' | 'graduated' | 'expired' | 'failed' | 'quoted' | 'payment_submitted' | 'payment_confirmed' | 'launching' | 'launched' | 'failed_paid';
  readonly mint: string | null;
  readonly symbol: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly kind: 'curve' | 'launcher';
  readonly standing: { readonly [name: string]: unknown } | null;
};

export type MarketOrderAlert = {
  readonly what: string;
  readonly marketOrderId: string;
  readonly state: 'approved' | 'executing' | 'resting' | 'withdrawing' | 'filled' | 'partially_filled' | 'failed' | 'unknown' | 'cancelled' | 'blocked_by_risk';
  readonly mode: 'paper' | 'live';
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly limitPrice: string;
  readonly filledQuantity: string;
  readonly reason: string | null;
};

export type PredictionOrderAlert = {
  readonly what: string;
  readonly predictionOrderId: string;
  readonly state: 'prepared' | 'submitted' | 'open' | 'partially_filled' | 'filled' | 'cancelled' | 'failed';
  readonly mode: 'paper' | 'live';
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly limitPrice: string;
  readonly depositUsd: string | null;
  readonly refundUsd: string | null;
};

export type ProposalAlert = {
  readonly what: string;
  readonly proposalId: string;
  readonly decisionId: string | null;
  readonly state: 'pending_approval' | 'approved' | 'executing' | 'filled' | 'partially_filled' | 'failed' | 'unknown' | 'expired' | 'cancelled' | 'declined' | 'blocked_by_risk';
  readonly reason: string | null;
  readonly agentId: string;
  readonly side: 'entry' | 'exit';
  readonly mode: 'paper' | 'live';
  readonly instrument: string;
  readonly quantity: string;
  readonly limitPrice: string;
  readonly notionalUsd: string;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly transactionId?: string;
  readonly expiresAt: string;
};

export type ProposalChange = {
  readonly what: 'proposed' | 'approved' | 'executing' | 'awaiting_signature' | 'unknown' | 'filled' | 'partially_filled' | 'failed' | 'expired' | 'cancelled' | 'declined' | 'blocked_by_risk';
  readonly proposalId: string;
  readonly decisionId: string | null;
  readonly state: 'pending_approval' | 'approved' | 'executing' | 'filled' | 'partially_filled' | 'failed' | 'unknown' | 'expired' | 'cancelled' | 'declined' | 'blocked_by_risk';
  readonly reason: string | null;
  readonly agentId: string;
  readonly side: 'entry' | 'exit';
  readonly mode: 'paper' | 'live';
  readonly instrument: string;
  readonly quantity: string;
  readonly limitPrice: string;
  readonly notionalUsd: string;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly transactionId?: string;
  readonly expiresAt: string;
};

export type ReserveAlert = {
  readonly what: string;
  readonly detail: string;
};

export type ServerAlert = {
  readonly what: string;
  readonly server: string;
  readonly downMs: number;
};

export type StateValue = string | { readonly [name: string]: StateValue };

export type SwapAlert = {
  readonly what: string;
  readonly transactionId: string;
  readonly wallet: string;
  readonly signature: string | null;
};

export type TakeAlert = {
  readonly what: string;
  readonly takeId: string;
  readonly state: 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
  readonly onDuty: boolean;
  readonly symbol: string;
  readonly hash: string;
  readonly mode: 'paper' | 'live' | null;
  readonly side: 'entry' | 'exit' | null;
  readonly proposalId: string | null;
  readonly decisionId: string | null;
  readonly reason: string | null;
  readonly published: boolean;
  readonly expiresAt: string;
  readonly at: string;
  readonly agentId: string;
  readonly observed?: string;
  readonly limit?: string;
  readonly venues?: ReadonlyArray<string>;
  readonly detail?: string;
};

export type TakeChange = {
  readonly what: 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
  readonly takeId: string;
  readonly state: 'draft' | 'armed' | 'triggered' | 'proposed' | 'filled' | 'closed' | 'disarmed' | 'expired';
  readonly onDuty: boolean;
  readonly symbol: string;
  readonly hash: string;
  readonly mode: 'paper' | 'live' | null;
  readonly side: 'entry' | 'exit' | null;
  readonly proposalId: string | null;
  readonly decisionId: string | null;
  readonly reason: string | null;
  readonly published: boolean;
  readonly expiresAt: string;
  readonly at: string;
};

export type TradeRecommended = {
  readonly what: 'recommended';
  readonly decisionId: string;
  readonly agentId: string;
  readonly side: 'entry' | 'exit';
  readonly mode: 'paper' | 'live';
  readonly instrument: string;
  readonly quantity: string;
  readonly limitPrice: string;
  readonly notionalUsd: string;
};

export type TransactionAlert = {
  readonly what: string;
  readonly transactionId: string;
  readonly state: 'prepared' | 'submitted' | 'verified' | 'broadcast' | 'confirmed' | 'finalized' | 'expired' | 'refused' | 'failed' | 'unknown';
  readonly purpose: string;
  readonly wallet: string;
  readonly signature: string | null;
  readonly reason: string | null;
};

export type TransferAlert = {
  readonly what: string;
  readonly transferId: string;
  readonly state: 'quoted' | 'submitted' | 'source_confirmed' | 'source_final' | 'filling' | 'completed' | 'refunding' | 'refunded' | 'failed' | 'unknown' | 'expired';
  readonly provider: 'relay' | 'cctp';
  readonly from: 'spotchain' | 'evmvenue';
  readonly to: 'spotchain' | 'evmvenue';
  readonly amountUsd: string;
  readonly hash: string | null;
  readonly providerState: 'unseen' | 'pending' | 'attesting' | 'filling' | 'filled' | 'failing' | 'refunding' | 'refunded' | 'refund_failed';
  readonly sourceState: 'unseen' | 'included' | 'final' | 'reorged' | 'failed' | 'expired' | 'other';
  readonly destinationState: 'none' | 'included' | 'final' | 'failed' | 'foreign';
  readonly refundState: 'none' | 'included' | 'final' | 'failed' | 'foreign';
  readonly arrivedUsd: string | null;
  readonly refundedUsd: string | null;
  readonly attentions: ReadonlyArray<'source_reorged' | 'source_expired' | 'source_failed' | 'other_transaction' | 'provider_silent' | 'provider_ahead_of_source' | 'provider_ahead_of_destination' | 'provider_contradicts_source' | 'fill_failed' | 'fill_failed_on_chain' | 'fill_older_than_quote' | 'fill_of_another_transfer' | 'attestation_delayed' | 'refund_failed' | 'refund_failed_on_chain' | 'refund_older_than_quote' | 'refund_of_another_transfer' | 'refunded_short' | 'partial_fill' | 'filled_and_refunded'>;
  readonly delayed: boolean;
  readonly words?: string;
};

export type TransferChange = {
  readonly transferId: string;
  readonly state: 'quoted' | 'submitted' | 'source_confirmed' | 'source_final' | 'filling' | 'completed' | 'refunding' | 'refunded' | 'failed' | 'unknown' | 'expired';
  readonly provider: 'relay' | 'cctp';
  readonly from: 'spotchain' | 'evmvenue';
  readonly to: 'spotchain' | 'evmvenue';
  readonly amountUsd: string;
  readonly hash: string | null;
  readonly providerState: 'unseen' | 'pending' | 'attesting' | 'filling' | 'filled' | 'failing' | 'refunding' | 'refunded' | 'refund_failed';
  readonly sourceState: 'unseen' | 'included' | 'final' | 'reorged' | 'failed' | 'expired' | 'other';
  readonly destinationState: 'none' | 'included' | 'final' | 'failed' | 'foreign';
  readonly refundState: 'none' | 'included' | 'final' | 'failed' | 'foreign';
  readonly arrivedUsd: string | null;
  readonly refundedUsd: string | null;
  readonly attentions: ReadonlyArray<'source_reorged' | 'source_expired' | 'source_failed' | 'other_transaction' | 'provider_silent' | 'provider_ahead_of_source' | 'provider_ahead_of_destination' | 'provider_contradicts_source' | 'fill_failed' | 'fill_failed_on_chain' | 'fill_older_than_quote' | 'fill_of_another_transfer' | 'attestation_delayed' | 'refund_failed' | 'refund_failed_on_chain' | 'refund_older_than_quote' | 'refund_of_another_transfer' | 'refunded_short' | 'partial_fill' | 'filled_and_refunded'>;
  readonly delayed: boolean;
};

export type UnsubscribeMessage = {
  readonly op: 'unsubscribe';
  readonly id?: string | number;
  readonly channel?: string;
  readonly params?: { readonly [name: string]: unknown };
};

export type PingMessage = {
  readonly op: 'ping';
  readonly id?: string | number;
};

export type SubscribedMessage = {
  readonly id?: string | number;
  readonly type: 'subscribed';
  readonly channel: 'quotes' | 'order_book' | 'tickers' | 'perps' | 'candles' | 'basis' | 'decisions' | 'proposals' | 'agents' | 'alerts' | 'bridge' | 'launches' | 'takes' | 'inspect';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
};

export type UnsubscribedMessage = {
  readonly id?: string | number;
  readonly type: 'unsubscribed';
  readonly channels: ReadonlyArray<string>;
  readonly at: string;
};

export type PongMessage = {
  readonly id?: string | number;
  readonly type: 'pong';
  readonly at: string;
};

export type HeartbeatMessage = {
  readonly type: 'heartbeat';
  readonly at: string;
};

export type ErrorMessage = {
  readonly id?: string | number;
  readonly channel?: string;
  readonly type: 'error';
  readonly code: 'malformed' | 'unknown_op' | 'unknown_channel' | 'invalid_params' | 'invalid_cursor' | 'permission_missing' | 'already_subscribed' | 'not_subscribed' | 'subscription_limit' | 'rate_limited' | 'token_expired' | 'token_revoked' | 'lagged' | 'unavailable';
  readonly detail: string;
  readonly at: string;
  readonly data: {
    readonly code: 'malformed' | 'unknown_op' | 'unknown_channel' | 'invalid_params' | 'invalid_cursor' | 'permission_missing' | 'already_subscribed' | 'not_subscribed' | 'subscription_limit' | 'rate_limited' | 'token_expired' | 'token_revoked' | 'lagged' | 'unavailable';
    readonly detail: string;
  };
};

export type QuotesSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'quotes';
  readonly params?: {
    readonly venue?: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
    readonly instrument?: string;
    readonly instruments?: ReadonlyArray<string>;
  };
};

export type QuotesSnapshotMessage = {
  readonly channel: 'quotes';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<Quote>;
};

export type QuotesUpdateMessage = {
  readonly channel: 'quotes';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: Quote;
};

export type OrderBookSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'order_book';
  readonly params?: {
    readonly venue: 'spotexchange' | 'evmvenue';
    readonly instrument: string;
    readonly depth?: number;
  };
};

export type OrderBookSnapshotMessage = {
  readonly channel: 'order_book';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<FollowedBook>;
};

export type OrderBookUpdateMessage = {
  readonly channel: 'order_book';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: FollowedBook;
};

export type TickersSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'tickers';
  readonly params?: {
    readonly instrument?: string;
  };
};

export type TickersSnapshotMessage = {
  readonly channel: 'tickers';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<DayTicker>;
};

export type TickersUpdateMessage = {
  readonly channel: 'tickers';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: DayTicker;
};

export type PerpsSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'perps';
  readonly params?: {
    readonly instrument?: string;
  };
};

export type PerpsSnapshotMessage = {
  readonly channel: 'perps';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<Perp>;
};

export type PerpsUpdateMessage = {
  readonly channel: 'perps';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: Perp;
};

export type CandlesSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'candles';
  readonly params?: {
    readonly venue: 'spotchain' | 'spotexchange' | 'evmvenue' | 'prediction' | 'reference';
    readonly instrument: string;
    readonly timeframe: string;
  };
};

export type CandlesSnapshotMessage = {
  readonly channel: 'candles';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<FedCandle>;
};

export type CandlesUpdateMessage = {
  readonly channel: 'candles';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: FedCandle;
};

export type BasisSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'basis';
  readonly params?: {
    readonly symbol?: string;
  };
};

export type BasisSnapshotMessage = {
  readonly channel: 'basis';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<BasisRow>;
};

export type BasisUpdateMessage = {
  readonly channel: 'basis';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: BasisRow;
};

export type DecisionsSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'decisions';
  readonly params?: {
    readonly agentId?: string;
  };
  readonly from?: string | null;
};

export type DecisionsUpdateMessage = {
  readonly channel: 'decisions';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: Decision;
};

export type DecisionsLaggedMessage = {
  readonly channel: 'decisions';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type ProposalsSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'proposals';
  readonly params?: {
    readonly agentId?: string;
  };
  readonly from?: string | null;
};

export type ProposalsUpdateMessage = {
  readonly channel: 'proposals';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ProposalChange | TradeRecommended;
};

export type ProposalsLaggedMessage = {
  readonly channel: 'proposals';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type AgentsSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'agents';
  readonly params?: {
    readonly agentId?: string;
  };
  readonly from?: string | null;
};

export type AgentsSnapshotMessage = {
  readonly channel: 'agents';
  readonly type: 'snapshot';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: ReadonlyArray<Agent>;
};

export type AgentsUpdateMessage = {
  readonly channel: 'agents';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: AgentChange | EvaluationChange | EvaluationProgress;
};

export type AgentsLaggedMessage = {
  readonly channel: 'agents';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type AlertsSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'alerts';
  readonly params?: {
    readonly agentId?: string;
  };
  readonly from?: string | null;
};

export type AlertsUpdateMessage = {
  readonly channel: 'alerts';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: AgentAlert | TakeAlert | ProposalAlert | MarketOrderAlert | PredictionOrderAlert | TransactionAlert | SwapAlert | LaunchAlert | CheckoutAlert | TransferAlert | IncidentAlert | HaltAlert | ReserveAlert | ServerAlert;
};

export type AlertsLaggedMessage = {
  readonly channel: 'alerts';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type BridgeSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'bridge';
  readonly params?: {
    readonly transferId?: string;
  };
  readonly from?: string | null;
};

export type BridgeUpdateMessage = {
  readonly channel: 'bridge';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: TransferChange;
};

export type BridgeLaggedMessage = {
  readonly channel: 'bridge';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type LaunchesSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'launches';
  readonly params?: {
    readonly launchId?: string;
  };
  readonly from?: string | null;
};

export type LaunchesUpdateMessage = {
  readonly channel: 'launches';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: LaunchChange;
};

export type LaunchesLaggedMessage = {
  readonly channel: 'launches';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type TakesSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'takes';
  readonly params?: {
    readonly takeId?: string;
  };
  readonly from?: string | null;
};

export type TakesUpdateMessage = {
  readonly channel: 'takes';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: TakeChange;
};

export type TakesLaggedMessage = {
  readonly channel: 'takes';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};

export type InspectSubscribeMessage = {
  readonly op: 'subscribe';
  readonly id?: string | number;
  readonly channel: 'inspect';
  readonly params?: {
    readonly actorId?: string;
  };
  readonly from?: string | null;
};

export type InspectUpdateMessage = {
  readonly channel: 'inspect';
  readonly type: 'update';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: InspectedStep;
};

export type InspectLaggedMessage = {
  readonly channel: 'inspect';
  readonly type: 'lagged';
  readonly seq: number;
  readonly cursor: string | null;
  readonly at: string;
  readonly data: {
    readonly from: string;
    readonly to: string;
  };
};
