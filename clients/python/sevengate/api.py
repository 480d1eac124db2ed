"""The operations of the API and what they take and answer. Written by generate.py from the API's document; not edited by hand."""
# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
# List and Dict, since fields may be named as the built-in types are.
from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ._call import Caller, operation
from ._model import Model
from ._pages import Page, Pages

if TYPE_CHECKING:
    from typing_extensions import NotRequired
else:
    NotRequired = Optional

Money = Union[Decimal, int, str]
"""An exact decimal of a request. A float is refused."""
Time = Union[datetime, str]
"""A moment of a request: an aware datetime, or its text in ISO 8601."""

MePermission = Literal["market:read", "agent:read", "trade:execute", "risk:manage", "members:manage"]
GetMacroIntelligenceGroup = Literal["rates", "inflation", "labour", "markets"]
MacroIntelligenceRatesPolicy = Literal["easing", "holding", "tightening"]
ListMarketEventsMinSeverity = Literal["low", "medium", "high", "critical"]
ListMarketEventsKind = Literal[
    "filing", "wire", "results", "fundraising", "mna", "executive", "regulatory", "bankruptcy", "restatement",
    "delisting", "cyber_incident", "auditor_change", "product", "analyst", "macro_release",
]
MarketEventDirection = Literal["negative", "neutral", "positive"]
MarketEventState = Literal["rumor", "confirmed", "retracted"]
MarketEventConfirmedBy = Literal["primary_source", "independent_families"]
EventReportChannel = Literal["filing", "wire", "macro", "social"]
EventReportAction = Literal["report", "correction", "retraction"]
EventReportCounted = Literal["voice", "copy", "withdrawn", "retraction"]
MappedEntityBy = Literal["ticker", "cik", "name", "cashtag"]
MacroRegimeRegime = Literal["risk_on", "neutral", "risk_off", "unknown"]
RankFairValueMode = Literal["deepest_discount", "highest_premium", "liquidity", "event_intensity"]
RankedRowReason = Literal[
    "not_traded", "not_observed", "no_quote", "quote_not_live", "no_reference", "stale_reference", "no_pool",
    "no_depth", "events_unheard", "no_bars", "no_portfolio",
]
RankedRowCauseCause = Literal[
    "not_observed", "no_position", "market_closed", "feed_down", "halted", "stale", "not_live", "missing", "one_sided",
    "warming_up", "history_missing", "source_down", "not_computable",
]
RankedRowSession = Literal["PRE_MARKET", "REGULAR", "POST_MARKET", "CLOSED"]
RankedRowTokenPriceQuality = Literal["live", "delayed", "stale", "degraded", "halted"]
RankedRowTokenPriceFlag = Literal[
    "gap", "out_of_order", "crossed", "clock_skew", "one_sided", "wide_confidence", "over_age", "session_closed",
    "carried_forward", "resyncing", "feed_down", "price_jump",
]
RankPrivateMarketsMode = Literal[
    "gap_to_mark", "deepest_discount", "highest_premium", "liquidity", "momentum", "news_intensity", "portfolio_fit",
]
CatalogEntryVenue = Literal["spotchain", "spotexchange", "evmvenue", "prediction"]
CatalogEntryKind = Literal["spot", "perp", "tokenized_equity", "pre_ipo", "agent_token"]
CatalogEntryClassification = Literal["tokenequity-solana", "preipo-solana", "agenttoken-solana"]
CatalogEntryTokenLifecycle = Literal["upcoming", "active", "converting", "retired"]
CatalogEntryBenchmarkKind = Literal["reference_price", "issuer_mark"]
BasisRowEdgeReason = Literal[
    "not_observed", "not_traded", "token_not_live", "no_reference", "reference_not_live", "reference_carried_forward",
    "perpetual_not_live", "no_perpetual", "no_funding", "no_pool", "no_half_life",
]
AssessmentCatalystStatus = Literal["observed", "unconfirmed", "scheduled"]
AssessmentSourceKind = Literal["quote", "reference", "filing", "news", "bars", "pool", "catalog", "calendar"]
FillShadowRule = Literal["book_and_trades", "book", "pool_state"]
FillShadowReason = Literal["no_rule", "not_received", "gap", "trades_missing", "too_much", "size_unknown"]
EquityTimeframe = Literal["1m", "5m", "15m", "1h", "4h", "24h"]
PortfolioPlaceKind = Literal["book", "chain_wallet", "perp_account", "bridge_transfer", "free_dollars"]
PortfolioHoldingAssetClass = Literal[
    "public_equity", "pre_ipo", "agent_token", "crypto_spot", "perpetual", "prediction", "unlisted",
]
PortfolioHoldingQuoteVenue = Literal["spotchain", "spotexchange", "evmvenue", "prediction", "reference"]
PortfolioDuplicateMemberRelation = Literal["same_underlying", "paired_stock"]
PortfolioScenarioId = Literal["equity_selloff", "private_mark_reset", "crypto_crash", "liquidity_freeze", "weekend_gap"]
PortfolioInputKind = Literal[
    "quote", "reported_value", "book", "fills", "wallet", "pool", "catalog", "mandate", "scenario", "calendar",
    "allocation",
]
PortfolioImpactAllocationRiskRejectionChangeKind = Literal[
    "quantity", "limit_price", "free_capacity", "close_positions", "wait_for", "quote_of", "lift_halt",
    "enable_feature",
]
PortfolioImpactAllocationRiskRejectionChangeWhat = Literal["live_quote", "live_reference", "pool_liquidity", "utc_day"]
SwapOrderState = Literal[
    "prepared", "submitted", "verified", "broadcast", "confirmed", "finalized", "expired", "refused", "failed",
    "unknown",
]
QuoteCadence = Literal["continuous", "change_only", "polled"]
CandlesCoverageGapReason = Literal[
    "not_asked", "refused", "out_of_reach", "venue_maintenance", "before_listing", "not_in_file", "calendar",
]
CandleWorkState = Literal["running", "silent", "done", "failed"]
CandleWorkWaitingForCause = Literal[
    "queue", "venue", "approval", "signature", "confirmation", "provider", "slot", "market",
]
VenueHearing = Literal["live", "no_trades", "market_closed", "carried_forward", "silent", "feed_down", "not_followed"]
ChainWalletKind = Literal["account", "contract", "delegated"]
SessionDayKind = Literal["full_day", "half_day", "holiday"]
MarketOrderState = Literal[
    "approved", "executing", "resting", "withdrawing", "filled", "partially_filled", "failed", "unknown", "cancelled",
    "blocked_by_risk",
]
ListPredictionMarketsStatus = Literal[
    "unopened", "open", "paused", "closed", "determined", "disputed", "resolved", "voided", "unknown",
]
PredictionMarketResolutionProcedure = Literal["optimistic_oracle", "exchange_determination"]
PredictionMarketAsksComparator = Literal["above", "at_or_above", "below", "at_or_below", "between"]
PredictionResearchCorroboration = Literal["corroborated", "disputed", "single_source", "insufficient"]
PredictionResearchDisagreementVerdict = Literal[
    "inside_spreads", "inside_fees", "actionable", "fees_unknown", "not_comparable",
]
PredictionResearchInputKind = Literal["bid", "ask", "trade", "fee_rate"]
PredictionResearchCriteriaItemCriteriaItemAspect = Literal["condition", "source", "deadline", "fallback", "other"]
PredictionResearchDifferenceAspect = Literal[
    "sources", "procedure", "instant", "latest_resolution", "early_close", "fallback",
]
PredictionOrderState = Literal["prepared", "submitted", "open", "partially_filled", "filled", "cancelled", "failed"]
BridgeTransferState = Literal[
    "quoted", "submitted", "source_confirmed", "source_final", "filling", "completed", "refunding", "refunded",
    "failed", "unknown", "expired",
]
BridgeTransferAxesProviderState = Literal[
    "unseen", "pending", "attesting", "filling", "filled", "failing", "refunding", "refunded", "refund_failed",
]
BridgeTransferAxesSourceState = Literal["unseen", "included", "final", "reorged", "failed", "expired", "other"]
BridgeTransferAxesDestinationState = Literal["none", "included", "final", "failed", "foreign"]
BridgeTransferAttentionCode = Literal[
    "source_reorged", "source_expired", "source_failed", "other_transaction", "provider_silent",
    "provider_ahead_of_source", "provider_ahead_of_destination", "provider_contradicts_source", "fill_failed",
    "fill_failed_on_chain", "fill_older_than_quote", "fill_of_another_transfer", "attestation_delayed", "refund_failed",
    "refund_failed_on_chain", "refund_older_than_quote", "refund_of_another_transfer", "refunded_short", "partial_fill",
    "filled_and_refunded",
]
UseSandboxWalletAct = Literal["open", "fund", "sign_transaction", "sign_text", "evm_request"]
ManifestPayloadKillSwitchAction = Literal["cancel_all_and_halt", "halt_only", "reduce_to_flat"]
ManifestPayloadAlgorithm = Literal["smart_order_routing_maker_first", "taker_immediate", "twap"]
ManifestDeclarativeAgentAutonomyLevel = Literal[
    "RESEARCH", "SUGGEST", "CONFIRM", "POLICY_AUTO", "AUTONOMOUS", "EMERGENCY_RISK_ONLY", "research", "suggest",
    "confirm", "policy_auto", "autonomous", "risk_only",
]
ManifestDeclarativeAgentLifecycleStage = Literal[
    "DRAFT", "BACKTEST", "STRESS_TEST", "PAPER", "SHADOW", "LIMITED_LIVE", "LIVE", "draft", "backtest", "stress_test",
    "paper", "shadow", "limited_live", "live",
]
AgentWithManifestStage = Literal["draft", "backtest", "stress_test", "paper", "shadow", "limited_live", "live"]
AgentWithManifestState = Literal[
    "draft", "backtest", "stress_test", "paper", "shadow", "limited_live", "live", "paused",
]
AgentWithManifestPauseCause = Literal[
    "operator", "emergency_halt", "data_degraded", "daily_drawdown", "tick_crash", "quarantine",
]
AgentWithManifestAutonomy = Literal["research", "suggest", "confirm", "policy_auto", "autonomous", "risk_only"]
SetAgentAutonomyAutonomy = Literal[
    "research", "suggest", "confirm", "policy_auto", "autonomous", "risk_only", "RESEARCH", "SUGGEST", "CONFIRM",
    "POLICY_AUTO", "AUTONOMOUS", "EMERGENCY_RISK_ONLY",
]
MissingHistorySource = Literal["news:wire", "news:filings", "issuer_mark", "pool_liquidity"]
GateEvidenceKind = Literal["manifest", "backtest", "stress_test", "paper", "shadow", "risk_signoff"]
GateEvidenceCheckRule = Literal["above", "below", "at_least", "at_most"]
GateEvidenceOrigin = Literal["real", "mixed", "sandbox", "unknown"]
EvaluationRunEvaluation = Literal["backtest", "stress_test", "sweep", "agreement"]
EvaluationRunState = Literal["queued", "running", "finished", "refused", "cancelled", "failed"]
ListProposalsState = Literal[
    "pending_approval", "approved", "executing", "filled", "partially_filled", "failed", "unknown", "expired",
    "cancelled", "declined", "blocked_by_risk",
]
ProposalExecutionFallback = Literal["no_resting_orders", "one_transaction", "protective_exit", "too_small_to_slice"]
ProposalExecutionPhase = Literal["waiting", "working", "resting", "withdrawing", "ended"]
OutsideProposalReceiptState = Literal["pending", "proposed", "blocked", "held", "superseded", "missed", "archived"]
OutsideProposalReceiptDecisionDisposition = Literal["hold", "propose_entry", "propose_exit", "blocked_by_risk"]
CostGroupBy = Literal["venue", "algorithm", "size", "hour"]
ChartStatus = Literal["running", "done", "quarantined"]
LongWorkKind = Literal["import", "backfill", "event_import", "fact_import", "archive_move", "sandbox_advance"]
MachineLayoutBoxeKind = Literal["machine", "region", "compound", "state", "final", "initial", "any"]
LaunchPresetKey = Literal["reference_anchored", "price_discovery", "agent_treasury"]
LaunchQuoteTokenKind = Literal["native", "stable", "tokenized_equity", "pre_ipo"]
LaunchState = Literal["prepared", "submitted", "confirmed", "trading", "graduating", "graduated", "expired", "failed"]
LauncherLaunchState = Literal[
    "quoted", "prepared", "payment_submitted", "payment_confirmed", "launching", "launched", "expired", "failed",
    "failed_paid",
]
AgentTokenAnalyticsHoldersExcludedItemKind = Literal["curve", "pool", "locker", "burned"]
AgentTokenAnalyticsCreatorVestingState = Literal["none", "waiting", "unlocking", "unlocked"]
AgentTokenAnalyticsDepthSource = Literal["curve", "successor_pool", "aggregator"]
AgentTokenRiskTermName = Literal[
    "liquidity_depth", "top_wallet_concentration", "creator_allocation", "token_age", "volume_stability",
]
RankAgentTokensMode = Literal["lowest_risk", "liquidity", "dispersion", "relative_performance", "newest"]
RankedAgentTokenReason = Literal[
    "risk_unknown", "depth_unknown", "holders_unknown", "performance_unknown", "age_unknown",
]
LaunchMonitorGraduationProgress = Literal["on_curve", "complete", "vesting_locked", "graduated"]
PrepareLaunchClaimKind = Literal["fees", "surplus", "migration_fee", "unlocked"]
CheckoutState = Literal["prepared", "submitted", "confirmed", "licensed", "late", "expired", "failed"]
LeaderboardEntryReason = Literal[
    "not_read_yet", "provider_unavailable", "refresh_failed", "outdated", "no_sales_in_window", "no_known_basis",
    "history_truncated",
]
BasisPolicyState = Literal["draft", "armed", "triggered", "proposed", "filled", "closed", "disarmed", "expired"]
CopilotReplyIntent = Literal[
    "look_up", "rank", "explain", "assess", "portfolio", "impact", "compile_take", "compile_policy", "help",
    "out_of_scope",
]
ProblemCode = Literal[
    "malformed", "unauthenticated", "token_expired", "ambiguous_credentials", "origin_refused", "permission_missing",
    "not_found", "method_not_allowed", "state_conflict", "already_paused", "not_paused", "cause_persists",
    "resume_by_creator", "evidence_missing", "manifest_invalid", "autonomy_refused", "idempotency_mismatch",
    "idempotency_in_flight", "body_too_large", "body_too_deep", "unsupported_media_type", "rate_limited", "unavailable",
    "halted", "feature_disabled", "blocked_by_risk", "gate_failed", "sign_off_refused", "malformed_transaction",
    "signed_bytes_differ", "signature_missing", "signature_invalid", "route_refused", "too_many_prepared",
    "challenge_expired", "launch_refused", "payment_refused", "licence_missing", "wallet_unproved", "thesis_ambiguous",
    "take_invalid", "take_unsettled", "proposal_pending", "proposals_refused", "outside_mandate",
    "external_not_listable", "internal_error",
]


class SimulateImpactAllocationInput(TypedDict):
    instrument: NotRequired[str]
    symbol: NotRequired[str]
    side: Literal["buy", "sell"]
    notionalUsd: Money


class ManifestPayload(TypedDict):
    """Agent version payload."""
    universe: Sequence[str]
    entryConditions: NotRequired[Sequence[ManifestPayloadEntryConditionInput]]
    exitConditions: NotRequired[Sequence[ManifestPayloadExitConditionInput]]
    name: str
    maxCapitalUsd: Money
    maxTradeNotionalUsd: Money
    stopLossPct: float
    takeProfitPct: float
    maxDailyDrawdownPct: float
    maxOpenPositions: int
    maxSlippageBps: float
    description: NotRequired[str]
    maxLeverage: NotRequired[Money]
    killSwitchAction: NotRequired[ManifestPayloadKillSwitchAction]
    algorithm: NotRequired[ManifestPayloadAlgorithm]
    urgency: NotRequired[Literal["low", "medium", "high"]]
    timeframe: str
    strategy: NotRequired[Literal["external"]]
    release: NotRequired[str]


class PremiumBelowInput(TypedDict):
    """The token price stands below this premium over the reference price. Needs a live quote and a live reference."""
    type: Literal["premium_below"]
    pct: float


class PremiumAboveInput(TypedDict):
    """The token price stands above this premium over the reference price. Needs a live quote and a live reference."""
    type: Literal["premium_above"]
    pct: float


class RsiBelowInput(TypedDict):
    """Wilder RSI of the last closed bar lies below a value."""
    type: Literal["rsi_below"]
    period: int
    value: float
    timeframe: NotRequired[str]


class RsiAboveInput(TypedDict):
    """Wilder RSI of the last closed bar lies above a value."""
    type: Literal["rsi_above"]
    period: int
    value: float
    timeframe: NotRequired[str]


class NoNegativeEventInput(TypedDict):
    """No negative event of at least this severity within the look-back."""
    type: Literal["no_negative_event"]
    minSeverity: NotRequired[ListMarketEventsMinSeverity]
    lookbackHours: NotRequired[int]
    includeRumors: NotRequired[bool]


class EmaCrossUpInput(TypedDict):
    """The fast EMA crossed the slow one up on the last closed bar."""
    type: Literal["ema_cross_up"]
    fast: int
    slow: int
    timeframe: NotRequired[str]


class EmaCrossDownInput(TypedDict):
    """The fast EMA crossed the slow one down on the last closed bar."""
    type: Literal["ema_cross_down"]
    fast: int
    slow: int
    timeframe: NotRequired[str]


class EmaAboveInput(TypedDict):
    """The fast EMA stands above the slow one on the last closed bar."""
    type: Literal["ema_above"]
    fast: int
    slow: int
    timeframe: NotRequired[str]


class EmaBelowInput(TypedDict):
    """The fast EMA stands below the slow one on the last closed bar."""
    type: Literal["ema_below"]
    fast: int
    slow: int
    timeframe: NotRequired[str]


class GapToMarkBelowInput(TypedDict):
    """The implied valuation stands below this gap to the issuer mark. Needs a live quote and a mark that is not over
    age.
    """
    type: Literal["gap_to_mark_below"]
    pct: float


class GapToMarkAboveInput(TypedDict):
    """The implied valuation stands above this gap to the issuer mark. Needs a live quote and a mark that is not over
    age.
    """
    type: Literal["gap_to_mark_above"]
    pct: float


class FundingPercentileBelowInput(TypedDict):
    """The hourly funding of the asset's perpetual ranks below a percentile of the last days."""
    type: Literal["funding_percentile_below"]
    windowDays: int
    percentile: float


class FundingPercentileAboveInput(TypedDict):
    """The hourly funding of the asset's perpetual ranks above a percentile of the last days."""
    type: Literal["funding_percentile_above"]
    windowDays: int
    percentile: float


class BasisBelowInput(TypedDict):
    """The asset's perpetual trades below this basis to spot. Needs a live quote."""
    type: Literal["basis_below"]
    pct: float


class BasisAboveInput(TypedDict):
    """The asset's perpetual trades above this basis to spot. Needs a live quote."""
    type: Literal["basis_above"]
    pct: float


class SessionInInput(TypedDict):
    """The US equity session at the tick is one of these."""
    type: Literal["session_in"]
    sessions: Sequence[RankedRowSession]
    carriedReference: NotRequired[bool]


class LiquidityAboveInput(TypedDict):
    """The token's pools hold more than this liquidity."""
    type: Literal["liquidity_above"]
    usd: Money


class PriceAboveInput(TypedDict):
    """The mid price of the instrument stands above this price. Needs a live quote."""
    type: Literal["price_above"]
    price: Money


class PriceBelowInput(TypedDict):
    """The mid price of the instrument stands below this price. Needs a live quote."""
    type: Literal["price_below"]
    price: Money


class VolatilityBelowInput(TypedDict):
    """The annualised volatility of the last closed bars lies below a percentage."""
    type: Literal["volatility_below"]
    period: int
    pct: float
    timeframe: NotRequired[str]


class NetEdgeAboveInput(TypedDict):
    """The discount to the reference less the costs of a round trip lies above this. Needs a live quote and a live
    reference.
    """
    type: Literal["net_edge_above"]
    bps: float
    notionalUsd: Money
    transferFeeBps: NotRequired[float]


class NegativeEventInput(TypedDict):
    """A negative event of at least this severity within the look-back."""
    type: Literal["negative_event"]
    minSeverity: NotRequired[ListMarketEventsMinSeverity]
    lookbackHours: NotRequired[int]
    includeRumors: NotRequired[bool]


class ReferenceLostInput(TypedDict):
    """The reference price is missing, not live, or carried forward where the manifest does not allow it, while the
    token itself can be traded.
    """
    type: Literal["reference_lost"]


class TakeProfitInput(TypedDict):
    """The open position stands at this profit or more. Needs a live quote."""
    type: Literal["take_profit"]
    pct: float


class StopLossInput(TypedDict):
    """The open position stands at this loss or more. Needs a live quote. The rule matrix shows profit against minus
    this percentage.
    """
    type: Literal["stop_loss"]
    pct: float


class HeldLongerThanInput(TypedDict):
    """The position has been open for longer than this."""
    type: Literal["held_longer_than"]
    hours: float


class ManifestDeclarative(TypedDict):
    """Declarative agent manifest."""
    version: str
    agent: ManifestDeclarativeAgentInput
    capital_allocation: ManifestDeclarativeCapitalAllocationInput
    risk_guardrails: ManifestDeclarativeRiskGuardrailsInput
    execution: ManifestDeclarativeExecutionInput
    strategy: ManifestDeclarativeStrategyInput


class ManifestDeclarativeAgentInput(TypedDict):
    """Section agent."""
    id: NotRequired[str]
    autonomy_level: NotRequired[ManifestDeclarativeAgentAutonomyLevel]
    lifecycle_stage: NotRequired[ManifestDeclarativeAgentLifecycleStage]
    name: str
    description: NotRequired[str]


class ManifestDeclarativeCapitalAllocationInput(TypedDict):
    """Section capital_allocation."""
    max_capital_usd: Money
    max_trade_notional_usd: Money
    max_leverage: NotRequired[Money]


class ManifestDeclarativeRiskGuardrailsInput(TypedDict):
    """Section risk_guardrails."""
    max_daily_drawdown_pct: float
    stop_loss_pct: float
    take_profit_pct: float
    max_open_positions: int
    kill_switch_action: NotRequired[ManifestPayloadKillSwitchAction]


class ManifestDeclarativeExecutionInput(TypedDict):
    """Section execution."""
    algorithm: NotRequired[ManifestPayloadAlgorithm]
    max_slippage_bps: float
    urgency: NotRequired[Literal["low", "medium", "high"]]


class ManifestDeclarativeStrategyInput(TypedDict):
    """Universe and rules."""
    universe: Sequence[str]
    timeframes: Sequence[str]
    factors: Sequence[ManifestDeclarativeStrategyFactorInput]
    entry_conditions: NotRequired[Sequence[ManifestPayloadEntryConditionInput]]
    exit_conditions: NotRequired[Sequence[ManifestPayloadExitConditionInput]]
    kind: NotRequired[Literal["external"]]
    release: NotRequired[str]


class EmaCrossInput(TypedDict):
    """Enters when the fast EMA crosses above the slow one on the first timeframe while it stands above it on every
    further one; exits when it crosses below on the first.
    """
    name: Literal["ema_cross"]
    parameters: EmaCrossParametersInput


class EmaCrossParametersInput(TypedDict):
    """Enters when the fast EMA crosses above the slow one on the first timeframe while it stands above it on every
    further one; exits when it crosses below on the first.
    """
    fast: int
    slow: int
    timeframe: NotRequired[str]


class FundingPercentileInput(TypedDict):
    """Enters while hourly funding ranks below max_percentile of the last window_days; exits above exit_percentile where
    it is given.
    """
    name: Literal["funding_percentile"]
    parameters: FundingPercentileParametersInput


class FundingPercentileParametersInput(TypedDict):
    """Enters while hourly funding ranks below max_percentile of the last window_days; exits above exit_percentile where
    it is given.
    """
    window_days: int
    max_percentile: int
    exit_percentile: NotRequired[int]


class RsiInput(TypedDict):
    """Enters while RSI lies below oversold on every timeframe, exits when it lies above overbought on the first."""
    name: Literal["rsi"]
    parameters: NotRequired[RsiParametersInput]


class RsiParametersInput(TypedDict):
    """Enters while RSI lies below oversold on every timeframe, exits when it lies above overbought on the first."""
    period: NotRequired[int]
    oversold: NotRequired[float]
    overbought: NotRequired[float]
    timeframe: NotRequired[str]


class PremiumInput(TypedDict):
    """Enters while the fair-value gap of a tokenized equity lies below max_pct, exits above exit_pct where it is given.
    """
    name: Literal["premium"]
    parameters: PremiumParametersInput


class PremiumParametersInput(TypedDict):
    """Enters while the fair-value gap of a tokenized equity lies below max_pct, exits above exit_pct where it is given.
    """
    max_pct: float
    exit_pct: NotRequired[float]


class GapToMarkInput(TypedDict):
    """Enters while the gap of a pre-IPO token to its issuer mark lies below max_pct, exits above exit_pct where it is
    given.
    """
    name: Literal["gap_to_mark"]
    parameters: PremiumParametersInput


class BasisInput(TypedDict):
    """Enters while the perpetual's basis to spot lies below max_pct, exits above exit_pct where it is given."""
    name: Literal["basis"]
    parameters: PremiumParametersInput


class VolatilityInput(TypedDict):
    """Enters while annualised volatility lies below max_pct on every timeframe."""
    name: Literal["volatility"]
    parameters: VolatilityParametersInput


class VolatilityParametersInput(TypedDict):
    """Enters while annualised volatility lies below max_pct on every timeframe."""
    period: NotRequired[int]
    max_pct: float
    timeframe: NotRequired[str]


class EventSentimentInput(TypedDict):
    """Enters while no negative event of a severity lies within the look-back, exits when there is one."""
    name: Literal["event_sentiment"]
    parameters: NotRequired[EventSentimentParametersInput]


class EventSentimentParametersInput(TypedDict):
    """Enters while no negative event of a severity lies within the look-back, exits when there is one."""
    min_severity: NotRequired[ListMarketEventsMinSeverity]
    lookback_hours: NotRequired[int]
    include_rumors: NotRequired[bool]


class BacktestAgentAssumptionsInput(TypedDict):
    costMultiplier: NotRequired[float]
    maxParticipationPct: NotRequired[float]
    minOrderUsd: NotRequired[float]


class SweepAgentParameterInput(TypedDict):
    path: str
    values: Sequence[float | str]


class SweepAgentWalkForwardInput(TypedDict):
    trainDays: NotRequired[int]
    testDays: NotRequired[int]


class AnswerReplayStepAnswerInput(TypedDict):
    side: Literal["buy", "sell"]
    instrument: str
    notionalUsd: NotRequired[Money]
    quantity: NotRequired[Money]
    limitPrice: NotRequired[Money]


class CreateSignalHookTemplateInput(TypedDict):
    side: str
    instrument: str
    notionalUsd: NotRequired[str]
    quantity: NotRequired[str]
    limitPrice: NotRequired[str]
    reason: NotRequired[str]
    id: NotRequired[str]


class CreateSignalHookTickerInput(TypedDict):
    ticker: str
    instrument: str


class AskWhatIfEventInput(TypedDict):
    type: str


class CompileTakeConditionsInput(TypedDict):
    entry: NotRequired[Sequence[Any]]
    exit: NotRequired[Sequence[Any]]


@dataclass(init=False, repr=False, eq=False)
class Health(Model):
    status: Literal["ok"]


@dataclass(init=False, repr=False, eq=False)
class Readiness(Model):
    ready: bool
    parts: List[ReadinessPart]


@dataclass(init=False, repr=False, eq=False)
class ReadinessPart(Model):
    name: str
    ok: bool
    detail: str


@dataclass(init=False, repr=False, eq=False)
class Me(Model):
    subject: str
    name: str | None
    org_id: str | None
    permissions: List[MePermission]
    viewer_only: bool
    expires_at: datetime


@dataclass(init=False, repr=False, eq=False)
class Setting(Model):
    """A text that the caller alone reads. Nothing acts on it."""
    name: str
    version: int
    value: str | None


@dataclass(init=False, repr=False, eq=False)
class Session(Model):
    subject: str
    expires_at: datetime


@dataclass(init=False, repr=False, eq=False)
class Member(Model):
    subject: str
    name: str
    role: str | None
    permissions: List[MePermission]


@dataclass(init=False, repr=False, eq=False)
class RevokeTokensAnswer(Model):
    subject: str


@dataclass(init=False, repr=False, eq=False)
class MemberRole(Model):
    name: str
    permissions: List[MePermission]
    built_in: bool


@dataclass(init=False, repr=False, eq=False)
class Invitation(Model):
    id: str
    name: str
    role: str | None
    permissions: List[MePermission]
    invited_by: str
    created_at: datetime
    expires_at: datetime
    accepted_by: str | None
    accepted_at: datetime | None
    revoked_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class NewInvitation(Model):
    id: str
    name: str
    role: str | None
    permissions: List[MePermission]
    invited_by: str
    created_at: datetime
    expires_at: datetime
    accepted_by: str | None
    accepted_at: datetime | None
    revoked_at: datetime | None
    code: str


@dataclass(init=False, repr=False, eq=False)
class AcceptInvitationAnswer(Model):
    org_id: str


@dataclass(init=False, repr=False, eq=False)
class MacroIntelligence(Model):
    as_of: datetime
    calendar: List[MacroIntelligenceCalendarItem]
    rates: MacroIntelligenceRates
    series: List[MacroSeries]


@dataclass(init=False, repr=False, eq=False)
class MacroIntelligenceCalendarItem(Model):
    release_id: int
    name: str
    date: str
    impact: Literal["high", "medium", "low"]
    released: bool


@dataclass(init=False, repr=False, eq=False)
class MacroIntelligenceRates(Model):
    policy: MacroIntelligenceRatesPolicy | None
    policy_rate: Decimal | None
    policy_change: Decimal | None
    target_lower: Decimal | None
    target_upper: Decimal | None
    curve: Literal["inverted", "flat", "normal"] | None
    curve_slope: Decimal | None
    real_policy_rate: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class MacroSeries(Model):
    id: str
    title: str
    group: GetMacroIntelligenceGroup
    units: Literal["lin", "chg", "pc1"]
    unit: str
    frequency: Literal["daily", "monthly"]
    age_ms: int | None
    max_age_ms: int
    too_old: bool
    received_at: datetime | None
    observations: List[MacroPoint]


@dataclass(init=False, repr=False, eq=False)
class MacroPoint(Model):
    date: str
    value: Decimal
    vintage: str
    first_value: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class MarketEvent(Model):
    id: str
    kind: ListMarketEventsKind
    severity: ListMarketEventsMinSeverity
    direction: MarketEventDirection
    state: MarketEventState
    confirmed_by: MarketEventConfirmedBy | None
    confirmed_at: datetime | None
    symbols: List[str]
    headline: str
    first_at: datetime
    observed_at: datetime
    families: List[str]
    reports: List[EventReport]


@dataclass(init=False, repr=False, eq=False)
class EventReport(Model):
    id: str
    channel: EventReportChannel
    source: str
    family: str
    primary: bool
    published_at: datetime
    received_at: datetime
    severity: ListMarketEventsMinSeverity
    direction: MarketEventDirection
    headline: str
    url: str | None
    action: EventReportAction
    corrects: str | None
    counted: EventReportCounted
    entities: List[MappedEntity]
    unmapped: List[str]


@dataclass(init=False, repr=False, eq=False)
class MappedEntity(Model):
    """An underlying of the catalog, and by what it was recognized."""
    asset: str
    by: MappedEntityBy
    matched: str


@dataclass(init=False, repr=False, eq=False)
class Chains(Model):
    items: List[ChainTvl]
    next_cursor: str | None
    total: ChainsTotal | None


@dataclass(init=False, repr=False, eq=False)
class ChainTvl(Model):
    chain: str
    chain_id: str | None
    token_symbol: str | None
    tvl_usd: Decimal
    received_at: datetime
    age_ms: int
    change1d_pct: float | None
    change7d_pct: float | None
    history: List[ChainTvlHistoryItem] | None = None


@dataclass(init=False, repr=False, eq=False)
class ChainTvlHistoryItem(Model):
    date: str
    tvl_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class ChainsTotal(Model):
    tvl_usd: Decimal
    received_at: datetime
    age_ms: int
    change1d_pct: float | None
    change7d_pct: float | None
    history: List[ChainTvlHistoryItem] | None = None


@dataclass(init=False, repr=False, eq=False)
class MacroRegime(Model):
    regime: MacroRegimeRegime
    explanation: str
    score: Decimal | None
    known_weight: Decimal
    thresholds: MacroRegimeThresholds
    as_of: datetime
    inputs: List[RegimeInput]


@dataclass(init=False, repr=False, eq=False)
class MacroRegimeThresholds(Model):
    risk_on: Decimal
    risk_off: Decimal
    least_weight: Decimal


@dataclass(init=False, repr=False, eq=False)
class RegimeInput(Model):
    name: str
    description: str
    unit: str
    value: Decimal | None
    at: str | None
    age_ms: int | None
    max_age_ms: int
    state: Literal["used", "too_old", "missing"]
    weight: float
    risk_on_at: Decimal
    risk_off_at: Decimal
    score: Decimal | None
    contribution: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class SocialPost(Model):
    id: str
    platform: str
    author: str
    text: str
    url: str | None
    published_at: datetime
    received_at: datetime
    engagement: SocialPostEngagement
    cashtags: List[str]
    assets: List[MappedEntity]
    ambiguous: List[SocialPostAmbiguou]
    unmapped: List[str]


@dataclass(init=False, repr=False, eq=False)
class SocialPostEngagement(Model):
    likes: int | None
    reposts: int | None
    replies: int | None
    quotes: int | None


@dataclass(init=False, repr=False, eq=False)
class SocialPostAmbiguou(Model):
    matched: str
    assets: List[str]


@dataclass(init=False, repr=False, eq=False)
class RankFairValuePage(Model):
    items: List[RankedRow]
    next_cursor: str | None
    mode: str
    formula: str
    as_of: datetime


@dataclass(init=False, repr=False, eq=False)
class RankedRow(Model):
    rank: int | None
    symbol: str
    score: Decimal | None
    reasons: List[RankedRowReason]
    causes: List[RankedRowCause]
    flags: List[Literal["carried_reference"]]
    terms: List[RankedRowTerm]
    instrument: str
    name: str
    sector: str
    session: RankedRowSession | None
    token_price: RankedRowTokenPrice | None
    reference: RankedRowTokenPrice | None
    gap_pct: float | None
    liquidity_usd: Decimal | None
    inputs: Dict[str, Any]


@dataclass(init=False, repr=False, eq=False)
class RankedRowCause(Model):
    """Reason an input was unknown. Derived from what was observed and not covered by a hash."""
    input: str
    cause: RankedRowCauseCause
    until: datetime | None = None
    bars_needed: int | None = None
    bars: int | None = None


@dataclass(init=False, repr=False, eq=False)
class RankedRowTerm(Model):
    name: str
    value: str
    points: str


@dataclass(init=False, repr=False, eq=False)
class RankedRowTokenPrice(Model):
    price: Decimal
    source: str
    observed_at: datetime
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]


@dataclass(init=False, repr=False, eq=False)
class CatalogEntry(Model):
    key: str
    venue: CatalogEntryVenue
    instrument: str
    kind: CatalogEntryKind
    name: str
    sector: str
    classification: CatalogEntryClassification | None
    underlying: str
    quote_currency: Literal["USD", "USDC", "USDT"]
    pairs: List[str]
    mint: str | None
    decimals: int | None
    token: CatalogEntryToken | None
    benchmark: str | None
    benchmark_kind: CatalogEntryBenchmarkKind | None
    paired_perp: str | None
    paired_spot: str | None
    paired_stock: str | None
    live_price: Decimal | None
    live_price_quality: RankedRowTokenPriceQuality | None
    live_price_at: datetime | None
    reference_price: Decimal | None
    reference_source: str | None
    reference_quality: RankedRowTokenPriceQuality | None
    reference_updated_at: datetime | None
    reference_age_ms: int | None
    issuer_mark: Decimal | None
    issuer_mark_valuation: Decimal | None
    issuer_mark_quality: RankedRowTokenPriceQuality | None
    issuer_mark_source: str | None
    issuer_mark_first_seen_at: datetime | None
    issuer_mark_changed_at: datetime | None
    issuer_mark_confirmed_at: datetime | None
    mint_verified: bool | None
    supply: Decimal | None
    implied_valuation: Decimal | None
    gap_pct: float | None


@dataclass(init=False, repr=False, eq=False)
class CatalogEntryToken(Model):
    mint: str
    program: str
    decimals: int
    multiplier: str
    next_multiplier: str | None
    next_multiplier_at: datetime | None
    transfer_fee_bps: int
    lifecycle: CatalogEntryTokenLifecycle
    valid_from: str | None
    valid_to: str | None
    successor: CatalogEntryTokenSuccessor | None


@dataclass(init=False, repr=False, eq=False)
class CatalogEntryTokenSuccessor(Model):
    """The token that holders are given for it."""
    symbol: str
    mint: str
    converts_from: str


@dataclass(init=False, repr=False, eq=False)
class ListBasisPage(Model):
    items: List[BasisRow]
    next_cursor: str | None
    as_of: datetime


@dataclass(init=False, repr=False, eq=False)
class BasisRow(Model):
    symbol: str
    underlying: str
    at: datetime
    notional_usd: Decimal
    legs: BasisRowLegs
    hourly_funding: Decimal | None
    liquidity_usd: Decimal | None
    edges: List[BasisRowEdge]


@dataclass(init=False, repr=False, eq=False)
class BasisRowLegs(Model):
    token: RankedRowTokenPrice | None
    reference: RankedRowTokenPrice | None
    perpetual: RankedRowTokenPrice | None


@dataclass(init=False, repr=False, eq=False)
class BasisRowEdge(Model):
    against: Literal["reference", "perpetual"]
    spread_bps: Decimal | None
    costs: List[BasisRowEdgeCost]
    net_edge_bps: Decimal | None
    half_life_hours: float | None
    reasons: List[BasisRowEdgeReason]


@dataclass(init=False, repr=False, eq=False)
class BasisRowEdgeCost(Model):
    name: str
    bps: Decimal


@dataclass(init=False, repr=False, eq=False)
class Assessment(Model):
    symbol: str
    at: datetime
    bull: List[AssessmentBullItem]
    bear: List[AssessmentBullItem]
    valuation: AssessmentValuation
    catalysts: List[AssessmentCatalyst]
    thin: List[str]
    sources: List[AssessmentSource]
    method: Literal["deterministic", "model"]
    note: str | None


@dataclass(init=False, repr=False, eq=False)
class AssessmentBullItem(Model):
    id: str
    text: str
    sources: List[str]


@dataclass(init=False, repr=False, eq=False)
class AssessmentValuation(Model):
    token_price: Decimal | None
    reference_price: Decimal | None
    gap_pct: float | None
    session: str | None
    claims: List[AssessmentBullItem]


@dataclass(init=False, repr=False, eq=False)
class AssessmentCatalyst(Model):
    id: str
    text: str
    sources: List[str]
    status: AssessmentCatalystStatus


@dataclass(init=False, repr=False, eq=False)
class AssessmentSource(Model):
    id: str
    kind: AssessmentSourceKind
    at: datetime


@dataclass(init=False, repr=False, eq=False)
class RiskPreferences(Model):
    """Every order must meet these limits and those of its manifest."""
    version: int
    max_capital_usd: Decimal
    max_trade_notional_usd: Decimal
    max_leverage: Decimal
    max_daily_drawdown_pct: float
    max_open_positions: int
    max_slippage_bps: float
    max_position_weight_pct: float
    max_underlying_weight_pct: float
    max_pool_share_pct: float
    require_live_reference: bool
    reduce_only: bool
    set_by: str | None
    set_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class Book(Model):
    id: str
    agent_id: str | None
    mode: Literal["paper", "live"]
    manifest_version: int | None
    version: int
    capital_usd: Decimal
    cash_usd: Decimal
    positions: List[BookPosition]
    realized_pnl_usd: Decimal
    fees_usd: Decimal
    funding_usd: Decimal
    fills: int
    slippage_bps: float | None
    open_proposals: int
    opened_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class BookPosition(Model):
    instrument: str
    quantity: Decimal
    average_entry_price: Decimal
    cost_usd: Decimal
    opened_at: datetime


@dataclass(init=False, repr=False, eq=False)
class Fill(Model):
    id: str
    order_id: str
    book_id: str
    instrument: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    fill_price: Decimal
    fee_usd: Decimal
    notional_usd: Decimal
    decision_price: Decimal
    slippage_bps: float
    at: datetime
    quotes: List[FillQuote]
    shadow: FillShadow | None


@dataclass(init=False, repr=False, eq=False)
class FillQuote(Model):
    source: str
    observed_at: datetime
    bid: Decimal | None
    ask: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class FillShadow(Model):
    rule: FillShadowRule | None
    from_: datetime
    until: datetime
    trades: int
    books: int
    outcome: Literal["measured", "unknown"]
    reason: FillShadowReason | None
    quantity: Decimal | None
    price: Decimal | None
    digest: str


@dataclass(init=False, repr=False, eq=False)
class Equity(Model):
    book_id: str
    timeframe: EquityTimeframe
    items: List[EquityItem]


@dataclass(init=False, repr=False, eq=False)
class EquityItem(Model):
    at: datetime
    equity_usd: Decimal | None
    pnl_usd: Decimal | None
    drawdown_pct: float | None


@dataclass(init=False, repr=False, eq=False)
class Portfolio(Model):
    at: datetime
    mode: Literal["paper", "live"]
    places: List[PortfolioPlace]
    unread: List[PortfolioUnreadItem]
    totals: PortfolioTotals
    holdings: List[PortfolioHolding]
    unpriced: List[PortfolioUnpricedItem]
    qualified: List[PortfolioUnpricedItem]
    instruments: List[PortfolioInstrument]
    sectors: List[PortfolioSector]
    duplicates: List[PortfolioDuplicate]
    exits: List[PortfolioExit]
    scenarios: List[PortfolioScenario]
    formulas: Dict[str, str]
    inputs: List[PortfolioInput]


@dataclass(init=False, repr=False, eq=False)
class PortfolioPlace(Model):
    id: str
    kind: PortfolioPlaceKind
    agent_id: str | None
    address: str | None
    cash_usd: Decimal
    reserved_usd: Decimal
    quality: Literal["in_transit"] | None
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioUnreadItem(Model):
    address: str
    asked: str
    why: str


@dataclass(init=False, repr=False, eq=False)
class PortfolioTotals(Model):
    value_usd: Decimal
    cash_usd: Decimal
    live_usd: Decimal
    qualified_usd: Decimal
    gross_exposure_usd: Decimal
    leverage: float | None
    coverage: Literal["complete", "partial"]
    includes: str
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioHolding(Model):
    id: str
    place: str
    instrument: str | None
    symbol: str
    name: str
    asset_class: PortfolioHoldingAssetClass
    sector: str
    underlying: str
    side: Literal["long", "short"]
    quantity: Decimal
    cost_usd: Decimal | None
    pricing: Literal["live", "qualified", "unpriced"]
    mark: Decimal | None
    value_usd: Decimal | None
    quote: PortfolioHoldingQuote | None
    why: str
    margin: PortfolioHoldingMargin | None
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioHoldingQuote(Model):
    venue: PortfolioHoldingQuoteVenue
    source: str
    observed_at: datetime
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]


@dataclass(init=False, repr=False, eq=False)
class PortfolioHoldingMargin(Model):
    leverage: Decimal
    margin_usd: Decimal
    liquidation_price: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class PortfolioUnpricedItem(Model):
    holding: str
    why: str


@dataclass(init=False, repr=False, eq=False)
class PortfolioInstrument(Model):
    instrument: str
    quantity: Decimal
    gross_usd: Decimal
    weight_pct: float | None
    limit_pct: float
    exceeds_limit: bool
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioSector(Model):
    sector: str
    net_usd: Decimal
    gross_usd: Decimal
    weight_pct: float | None
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioDuplicate(Model):
    underlying: str
    members: List[PortfolioDuplicateMember]
    same_underlying_usd: Decimal
    paired_usd: Decimal
    weight_pct: float | None
    limit_pct: float
    exceeds_limit: bool
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioDuplicateMember(Model):
    instrument: str
    relation: PortfolioDuplicateMemberRelation
    value_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class PortfolioExit(Model):
    instrument: str
    quantity: Decimal
    position_usd: Decimal
    liquidity_usd: Decimal | None
    share_pct: float | None
    large_above_usd: Decimal | None
    large: bool
    why: str
    limit_share_pct: float
    exceeds_limit: bool
    slippage_budget_bps: float
    exit_slippage_bps: float | None
    exitable_usd: Decimal | None
    exitable_pct: float | None
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioScenario(Model):
    id: PortfolioScenarioId
    shocks: Dict[str, float]
    exit_haircut_pct: float | None
    against: Literal["next_regular_open"] | None
    opens_at: datetime | None
    before_usd: Decimal
    after_usd: Decimal
    loss_usd: Decimal
    loss_pct: float | None
    coverage: Literal["complete", "partial"]
    left_out: List[str]
    effects: List[PortfolioScenarioEffect]
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioScenarioEffect(Model):
    holding: str
    shock_pct: float
    haircut_pct: float
    before_usd: Decimal
    after_usd: Decimal
    loss_usd: Decimal
    why: str
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioInput(Model):
    id: str
    kind: PortfolioInputKind
    what: str
    value: Decimal | None
    source: str
    observed_at: datetime | None
    age_ms: int | None
    quality: RankedRowTokenPriceQuality | None
    flags: List[RankedRowTokenPriceFlag]
    refers: List[str]


@dataclass(init=False, repr=False, eq=False)
class Performance(Model):
    at: datetime
    mode: Literal["paper", "live"]
    totals: PerformanceTotals
    books: List[PerformanceBook]


@dataclass(init=False, repr=False, eq=False)
class PerformanceTotals(Model):
    capital_usd: Decimal
    equity_usd: Decimal | None
    pnl_usd: Decimal | None
    realized_pnl_usd: Decimal
    unrealized_pnl_usd: Decimal | None
    fees_usd: Decimal
    funding_usd: Decimal
    today_usd: Decimal | None
    today_without: List[str]


@dataclass(init=False, repr=False, eq=False)
class PerformanceBook(Model):
    book_id: str
    agent_id: str | None
    manifest_version: int | None
    version: int
    capital_usd: Decimal
    equity_usd: Decimal | None
    pnl_usd: Decimal | None
    realized_pnl_usd: Decimal
    unrealized_pnl_usd: Decimal | None
    fees_usd: Decimal
    funding_usd: Decimal
    today_usd: Decimal | None
    today_without: List[str]
    unpriced: List[str]
    left_out: List[str]
    not_live: List[str]


@dataclass(init=False, repr=False, eq=False)
class TotalEquity(Model):
    at: datetime
    mode: Literal["paper", "live"]
    opened_at: datetime | None
    observed_from: datetime | None
    timeframe: EquityTimeframe
    items: List[EquityItem]
    today: TotalEquityToday | None


@dataclass(init=False, repr=False, eq=False)
class TotalEquityToday(Model):
    """This UTC day; null if it is not known, or `todayWithout` of the performance names an instrument."""
    start_usd: Decimal
    change_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpact(Model):
    allocations: List[PortfolioImpactAllocation]
    before: PortfolioView
    after: PortfolioView
    formulas: Dict[str, str]
    inputs: List[PortfolioInput]


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocation(Model):
    id: str
    instrument: str
    side: Literal["buy", "sell"]
    notional_usd: Decimal
    would_pass: bool
    risk: PortfolioImpactAllocationRisk | None
    limits: List[PortfolioImpactAllocationLimit]
    price: Decimal | None
    quantity: Decimal
    fee_usd: Decimal
    note: str
    inputs: List[str]


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocationRisk(Model):
    """Pre-trade risk attribution; null if nothing was proposed."""
    verdict: Literal["passed", "blocked"]
    rejections: List[PortfolioImpactAllocationRiskRejection]
    order: PortfolioImpactAllocationRiskOrder | None = None
    headroom: PortfolioImpactAllocationRiskHeadroom | None = None


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocationRiskRejection(Model):
    code: str
    limit: str | None
    before: str | None
    after: str | None
    suggestion: str | None
    change: PortfolioImpactAllocationRiskRejectionChange | None = None


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocationRiskRejectionChange(Model):
    """The smallest change that would pass, as data; null if no change of this order would do."""
    kind: PortfolioImpactAllocationRiskRejectionChangeKind
    quantity: Decimal | None = None
    limit_price: Decimal | None = None
    usd: Decimal | None = None
    count: int | None = None
    what: PortfolioImpactAllocationRiskRejectionChangeWhat | None = None
    instrument: str | None = None
    at: int | None = None
    feature: str | None = None


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocationRiskOrder(Model):
    """The order that was assessed; absent where none could be sized."""
    side: Literal["buy", "sell"]
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocationRiskHeadroom(Model):
    """The largest quantity that would pass, and what a lot more would breach; absent where no known account pays for
    the order.
    """
    quantity: Decimal
    code: str


@dataclass(init=False, repr=False, eq=False)
class PortfolioImpactAllocationLimit(Model):
    code: str
    limit_usd: Decimal | None
    before_usd: Decimal
    after_usd: Decimal
    keeps: bool


@dataclass(init=False, repr=False, eq=False)
class PortfolioView(Model):
    at: datetime
    mode: Literal["paper", "live"]
    places: List[PortfolioPlace]
    unread: List[PortfolioUnreadItem]
    totals: PortfolioTotals
    holdings: List[PortfolioHolding]
    unpriced: List[PortfolioUnpricedItem]
    qualified: List[PortfolioUnpricedItem]
    instruments: List[PortfolioInstrument]
    sectors: List[PortfolioSector]
    duplicates: List[PortfolioDuplicate]
    exits: List[PortfolioExit]
    scenarios: List[PortfolioScenario]


@dataclass(init=False, repr=False, eq=False)
class SwapQuote(Model):
    instrument: str
    quality: Literal["live"]
    side: Literal["buy", "sell"]
    input: SwapQuoteInput
    output: SwapQuoteInput
    min_output: SwapQuoteInput
    price: Decimal
    worst_price: Decimal
    slippage_bps: int
    price_impact_pct: Decimal | None
    route: List[SwapQuoteRouteItem]
    market: SwapQuoteMarket
    quoted_at: datetime


@dataclass(init=False, repr=False, eq=False)
class SwapQuoteInput(Model):
    mint: str
    amount: Decimal
    ui_amount: Decimal


@dataclass(init=False, repr=False, eq=False)
class SwapQuoteRouteItem(Model):
    venue: str
    input_mint: str
    output_mint: str
    percent: float


@dataclass(init=False, repr=False, eq=False)
class SwapQuoteMarket(Model):
    """The live quote of the token beside it."""
    source: str
    bid: Decimal | None
    ask: Decimal | None
    observed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class SwapOrder(Model):
    id: str
    state: SwapOrderState
    reason: str | None
    detail: str | None
    instrument: str
    wallet: str
    side: Literal["buy", "sell"]
    input: SwapQuoteInput
    output: SwapQuoteInput
    min_output: SwapQuoteInput
    price: Decimal
    worst_price: Decimal
    slippage_bps: int
    price_impact_pct: Decimal | None
    route: List[SwapQuoteRouteItem]
    market: SwapQuoteMarket
    transaction: str
    message: SwapOrderMessage
    book_id: str
    notional_usd: Decimal
    decision_price: Decimal
    risk: PortfolioImpactAllocationRisk | None
    signature: str | None
    slot: int | None
    fee_lamports: str | None
    fills: List[SwapOrderFill]
    proposal_id: str | None
    prepared_by: str
    submitted_by: str | None
    created_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class SwapOrderMessage(Model):
    digest: str
    required_signers: List[str]
    blockhash: str
    last_valid_block_height: int


@dataclass(init=False, repr=False, eq=False)
class SwapOrderFill(Model):
    id: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    fill_price: Decimal
    notional_usd: Decimal
    fee_usd: Decimal
    slippage_bps: float
    at: datetime
    quotes: List[FillQuote]


@dataclass(init=False, repr=False, eq=False)
class Quote(Model):
    kind: Literal["quote", "reference"]
    venue: PortfolioHoldingQuoteVenue
    instrument: str
    source: str
    observed_at: datetime
    received_at: datetime
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    max_age_ms: int
    cadence: QuoteCadence
    bid: Decimal | None = None
    ask: Decimal | None = None
    bid_size: Decimal | None = None
    ask_size: Decimal | None = None
    mid: Decimal | None = None
    sequence: float | None = None
    reference_price: Decimal | None = None
    confidence: Decimal | None = None
    feed_updated_at: datetime | None = None
    publisher_session: RankedRowSession | None = None


@dataclass(init=False, repr=False, eq=False)
class Candles(Model):
    items: List[CandlesItem]
    next_cursor: str | None
    coverage: CandlesCoverage


@dataclass(init=False, repr=False, eq=False)
class CandlesItem(Model):
    open_time: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    source: str
    simulated: bool | None


@dataclass(init=False, repr=False, eq=False)
class CandlesCoverage(Model):
    complete: bool
    from_: datetime
    to: datetime
    gaps: List[CandlesCoverageGap]


@dataclass(init=False, repr=False, eq=False)
class CandlesCoverageGap(Model):
    from_: datetime
    to: datetime
    missing: int
    reason: CandlesCoverageGapReason


@dataclass(init=False, repr=False, eq=False)
class DayCloses(Model):
    venue: PortfolioHoldingQuoteVenue
    instrument: str
    bars: List[DayClosesBar]


@dataclass(init=False, repr=False, eq=False)
class DayClosesBar(Model):
    open_time: datetime
    close: Decimal


@dataclass(init=False, repr=False, eq=False)
class CandleWork(Model):
    kind: Literal["import", "backfill"]
    venue: PortfolioHoldingQuoteVenue
    instrument: str
    timeframe: str
    id: str
    source: str
    worked_on_by: str
    state: CandleWorkState
    begun_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    error: str | None
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None


@dataclass(init=False, repr=False, eq=False)
class CandleWorkProgress(Model):
    """Progress, or null if nothing is counted or the work has ended."""
    done: float
    total: float
    unit: str


@dataclass(init=False, repr=False, eq=False)
class CandleWorkWaitingFor(Model):
    """Reason that it waits, in one sentence. Null while it is being worked on and after its end."""
    cause: CandleWorkWaitingForCause
    detail: str


@dataclass(init=False, repr=False, eq=False)
class OrderBook(Model):
    venue: CatalogEntryVenue
    instrument: str
    source: str
    observed_at: datetime
    received_at: datetime
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    bids: List[OrderBookBid]
    asks: List[OrderBookBid]


@dataclass(init=False, repr=False, eq=False)
class OrderBookBid(Model):
    price: Decimal
    size: Decimal


@dataclass(init=False, repr=False, eq=False)
class DayTicker(Model):
    venue: Literal["spotexchange"]
    instrument: str
    source: str
    observed_at: datetime
    received_at: datetime
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    window_from: datetime
    window_to: datetime
    open_price: Decimal
    high_price: Decimal
    low_price: Decimal
    last_price: Decimal
    price_change: Decimal
    price_change_pct: Decimal
    weighted_average_price: Decimal
    volume: Decimal
    quote_volume: Decimal
    trades: int


@dataclass(init=False, repr=False, eq=False)
class Perp(Model):
    venue: Literal["evmvenue"]
    instrument: str
    source: str
    observed_at: datetime
    received_at: datetime
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    mark_price: Decimal
    oracle_price: Decimal
    basis_pct: Decimal
    hourly_funding: Decimal
    annual_funding_pct: Decimal
    next_funding_at: datetime
    open_interest: Decimal
    open_interest_notional: Decimal
    day_notional: Decimal
    top: PerpTop | None


@dataclass(init=False, repr=False, eq=False)
class PerpTop(Model):
    bid: Decimal | None
    ask: Decimal | None
    bid_size: Decimal | None
    ask_size: Decimal | None
    mid: Decimal | None
    source: str
    observed_at: datetime
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]


@dataclass(init=False, repr=False, eq=False)
class PerpDetail(Model):
    venue: Literal["evmvenue"]
    instrument: str
    source: str
    observed_at: datetime
    received_at: datetime
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    mark_price: Decimal
    oracle_price: Decimal
    basis_pct: Decimal
    hourly_funding: Decimal
    annual_funding_pct: Decimal
    next_funding_at: datetime
    open_interest: Decimal
    open_interest_notional: Decimal
    day_notional: Decimal
    top: PerpTop | None
    funding: PerpDetailFunding


@dataclass(init=False, repr=False, eq=False)
class PerpDetailFunding(Model):
    items: List[PerpDetailFundingItem]
    hours: int
    fetched_at: datetime | None
    age_ms: int | None
    problem: str | None


@dataclass(init=False, repr=False, eq=False)
class PerpDetailFundingItem(Model):
    at: datetime
    hourly_funding: Decimal


@dataclass(init=False, repr=False, eq=False)
class Venue(Model):
    venue: PortfolioHoldingQuoteVenue
    executable: bool
    hearing: VenueHearing
    detail: str
    degraded_since: datetime | None
    last_message_at: datetime | None
    last_message_age_ms: int | None
    providers: List[VenueProvider]
    clock_offset: VenueClockOffset | None
    gaps: int
    messages: int
    rejected: int
    unknown_fields: List[VenueUnknownField]
    request_budgets: List[VenueRequestBudget]
    as_of: str | None


@dataclass(init=False, repr=False, eq=False)
class VenueProvider(Model):
    provider: str
    connected: bool | None
    epoch: int | None
    last_message_at: datetime | None
    detail: str


@dataclass(init=False, repr=False, eq=False)
class VenueClockOffset(Model):
    offset_ms: int
    method: Literal["server_time", "event_time"]
    samples: int
    measured_at: datetime


@dataclass(init=False, repr=False, eq=False)
class VenueUnknownField(Model):
    source: str
    field: str
    count: int


@dataclass(init=False, repr=False, eq=False)
class VenueRequestBudget(Model):
    name: str
    process: Literal["feed", "api"]
    limit: int
    window_ms: int
    left: int
    blocked_until: datetime | None


@dataclass(init=False, repr=False, eq=False)
class PublicWallet(Model):
    address: str
    venue: Literal["evmvenue"]
    label: Literal["reported/partial"]
    observed_at: datetime | None
    fetched_at: datetime
    age_ms: int
    margin: PublicWalletMargin
    positions: List[PublicWalletPosition]
    closed: PublicWalletClosed
    coverage: PublicWalletCoverage


@dataclass(init=False, repr=False, eq=False)
class PublicWalletMargin(Model):
    account_value: Decimal
    total_notional: Decimal
    total_margin_used: Decimal
    withdrawable: Decimal


@dataclass(init=False, repr=False, eq=False)
class PublicWalletPosition(Model):
    coin: str
    side: Literal["long", "short"]
    size: Decimal
    entry_price: Decimal | None
    position_value: Decimal
    unrealized_pnl: Decimal
    liquidation_price: Decimal | None
    margin_used: Decimal
    leverage: int
    margin_mode: Literal["cross", "isolated"]
    funding_since_open: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class PublicWalletClosed(Model):
    gross_pnl: Decimal
    closing_fills: int
    wins: int
    losses: int
    fees: Decimal
    net_pnl: Decimal | None
    long: PublicWalletClosedLong
    short: PublicWalletClosedLong
    by_coin: List[PublicWalletClosedByCoinItem]


@dataclass(init=False, repr=False, eq=False)
class PublicWalletClosedLong(Model):
    gross_pnl: Decimal
    closing_fills: int
    wins: int
    losses: int


@dataclass(init=False, repr=False, eq=False)
class PublicWalletClosedByCoinItem(Model):
    coin: str
    gross_pnl: Decimal
    closing_fills: int
    wins: int
    losses: int
    fees: Decimal


@dataclass(init=False, repr=False, eq=False)
class PublicWalletCoverage(Model):
    label: Literal["reported/partial"]
    fills: int
    counted: int
    excluded: int
    fees_in_other_tokens: int
    from_: str | None
    to: str | None
    truncated: bool
    cap: int


@dataclass(init=False, repr=False, eq=False)
class ChainWallet(Model):
    address: str
    chain_id: int
    kind: ChainWalletKind
    nonce: int
    block: ChainWalletBlock
    fetched_at: datetime
    native: ChainWalletNative
    tokens: List[ChainWalletNative]
    unread: List[ChainWalletUnreadItem]
    venue: ChainWalletVenue | None
    venue_unread: str | None


@dataclass(init=False, repr=False, eq=False)
class ChainWalletBlock(Model):
    number: Decimal
    hash: str
    at: datetime
    age_ms: int


@dataclass(init=False, repr=False, eq=False)
class ChainWalletNative(Model):
    symbol: str
    contract: str | None
    decimals: int
    balance: Decimal
    amount: Decimal


@dataclass(init=False, repr=False, eq=False)
class ChainWalletUnreadItem(Model):
    symbol: str
    contract: str
    why: str


@dataclass(init=False, repr=False, eq=False)
class ChainWalletVenue(Model):
    account_value: Decimal
    withdrawable: Decimal
    total_notional: Decimal
    total_margin_used: Decimal
    open_positions: int
    observed_at: datetime | None
    fetched_at: datetime
    age_ms: int
    quality: Literal["live", "delayed"]


@dataclass(init=False, repr=False, eq=False)
class MarkChange(Model):
    instrument: str
    issuer: str
    source: str
    mint: str
    seen_at: datetime
    mark_price: Decimal
    mark_valuation: Decimal
    previous_mark_price: Decimal | None
    previous_mark_valuation: Decimal | None
    change_pct: float | None
    supply: Decimal | None
    issuer_token_price: Decimal | None
    issuer_implied_valuation: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class SessionDay(Model):
    date: str
    kind: SessionDayKind
    occasion: str | None
    pre_market_at: datetime | None
    regular_at: datetime | None
    post_market_at: datetime | None
    closed_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class MarketOrder(Model):
    id: str
    state: MarketOrderState
    reason: str | None
    detail: str | None
    time_in_force: Literal["ioc", "gtc"]
    post_only: bool
    resting_at: Decimal | None
    mode: Literal["paper", "live"]
    book_id: str
    instrument: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal
    max_slippage_bps: float
    decision_price: Decimal
    risk: PortfolioImpactAllocationRisk | None
    placed_by: str
    filled_quantity: Decimal
    filled_notional_usd: Decimal
    fills: List[SwapOrderFill]
    created_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class PredictionMarket(Model):
    id: str
    provider: Literal["polymarket", "kalshi"]
    provider_id: str
    provider_ids: Dict[str, str]
    event: PredictionMarketEvent | None
    question: str
    subtitle: str
    outcomes: List[PredictionMarketOutcome]
    price_grid: List[PredictionMarketPriceGridItem]
    minimum_size: Decimal | None
    status: ListPredictionMarketsStatus
    provider_status: str
    volume: Decimal | None
    volume24h: Decimal | None
    open_interest: Decimal | None
    volume_unit: Literal["usd", "contracts"]
    liquidity_usd: Decimal | None
    opens_at: datetime | None
    closes_at: datetime | None
    expected_resolution_at: datetime | None
    latest_resolution_at: datetime | None
    resolved_at: datetime | None
    resolution: PredictionMarketResolution
    fee: PredictionMarketFee
    underlying: str | None
    asks: PredictionMarketAsks | None
    venue: Literal["prediction"]
    source: str
    observed_at: datetime
    received_at: datetime
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketEvent(Model):
    id: str | None = None
    provider_id: str | None = None
    title: str | None = None
    mutually_exclusive: bool | None = None


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketOutcome(Model):
    side: Literal["yes", "no"]
    label: str
    instrument: str
    provider_id: str
    bid: Decimal | None
    ask: Decimal | None
    bid_size: Decimal | None
    ask_size: Decimal | None
    last: Decimal | None
    payout: Decimal | None
    source: str
    observed_at: datetime
    received_at: datetime
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketPriceGridItem(Model):
    start: Decimal
    end: Decimal
    step: Decimal


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketResolution(Model):
    rules: str
    secondary_rules: str
    sources: List[PredictionMarketResolutionSource]
    procedure: PredictionMarketResolutionProcedure
    history: List[str]
    result: Literal["yes", "no"] | None
    decided_by: str | None
    may_close_early: bool | None
    early_close_condition: str | None


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketResolutionSource(Model):
    name: str
    url: str | None


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketFee(Model):
    model: Literal["quadratic", "none", "unknown"]
    rate: Decimal | None
    exponent: int
    rounding_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class PredictionMarketAsks(Model):
    """The question as conditions that can be compared; null if it could not be read beyond doubt."""
    underlying: str | None = None
    comparator: PredictionMarketAsksComparator | None = None
    threshold: str | None = None
    upper_threshold: str | None = None
    measure: Literal["at_time", "any_time"] | None = None
    resolves_at: datetime | None = None


@dataclass(init=False, repr=False, eq=False)
class PredictionResearch(Model):
    market_id: str
    provider: Literal["polymarket", "kalshi"]
    question: str
    subtitle: str
    status: ListPredictionMarketsStatus
    asks: PredictionMarketAsks | None
    at: datetime
    corroboration: PredictionResearchCorroboration
    probability: PredictionResearchProbability
    low: PredictionResearchProbability
    high: PredictionResearchProbability
    disagreement: PredictionResearchDisagreement
    inputs: List[PredictionResearchInput]
    derived: List[PredictionResearchProbability]
    notes: List[str]
    criteria: List[PredictionResearchCriteriaItem]
    differences: List[PredictionResearchDifference]
    same: List[PredictionResearchSameItem]
    related: List[PredictionResearchSameItem]


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchProbability(Model):
    id: str
    value: Decimal | None
    formula: str
    inputs: List[str]
    why: str


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchDisagreement(Model):
    verdict: PredictionResearchDisagreementVerdict
    difference: PredictionResearchProbability
    edge_per_contract: PredictionResearchProbability
    legs: List[PredictionResearchDisagreementLeg]
    size_contracts: Decimal | None
    riskless: bool | None


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchDisagreementLeg(Model):
    provider: Literal["polymarket", "kalshi"]
    side: Literal["yes", "no"]
    price: Decimal


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchInput(Model):
    id: str
    provider: Literal["polymarket", "kalshi"]
    market_id: str
    kind: PredictionResearchInputKind
    value: Decimal
    size: Decimal | None
    source: str
    observed_at: datetime
    received_at: datetime
    quality: RankedRowTokenPriceQuality
    counts: bool
    why: str


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchCriteriaItem(Model):
    market_id: str
    provider: Literal["polymarket", "kalshi"]
    criteria: List[PredictionResearchCriteriaItemCriteriaItem]
    sources: List[PredictionMarketResolutionSource]
    procedure: PredictionMarketResolutionProcedure
    closes_at: datetime | None
    expected_resolution_at: datetime | None
    latest_resolution_at: datetime | None
    may_close_early: bool | None


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchCriteriaItemCriteriaItem(Model):
    aspect: PredictionResearchCriteriaItemCriteriaItemAspect
    text: str


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchDifference(Model):
    aspect: PredictionResearchDifferenceAspect
    ours: str
    theirs: str
    material: bool


@dataclass(init=False, repr=False, eq=False)
class PredictionResearchSameItem(Model):
    market_id: str
    provider: Literal["polymarket", "kalshi"]
    question: str
    subtitle: str
    status: ListPredictionMarketsStatus
    asks: PredictionMarketAsks | None
    reasons: List[str]


@dataclass(init=False, repr=False, eq=False)
class PredictionOrder(Model):
    id: str
    state: PredictionOrderState
    reason: str | None
    detail: str | None
    mode: Literal["paper", "live"]
    book_id: str
    instrument: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal
    max_slippage_bps: float
    decision_price: Decimal
    risk: PortfolioImpactAllocationRisk | None
    placed_by: str
    filled_quantity: Decimal
    filled_notional_usd: Decimal
    fills: List[SwapOrderFill]
    created_at: datetime
    changed_at: datetime
    market_id: str
    outcome: Literal["yes", "no"]
    fees_usd: Decimal
    onchain: PredictionOrderOnchain | None
    refund_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class PredictionOrderOnchain(Model):
    """The live order on the chain and at its venue. Null on paper."""
    wallet: str | None = None
    transaction_id: str | None = None
    venue_market_id: str | None = None
    order_account: str | None = None
    position_account: str | None = None
    deposit_usd: Decimal | None = None
    contracts: str | None = None


@dataclass(init=False, repr=False, eq=False)
class PreparedPredictionOrder(Model):
    order: PredictionOrder
    transaction: PredictionOrderTransaction


@dataclass(init=False, repr=False, eq=False)
class PredictionOrderTransaction(Model):
    id: str
    state: SwapOrderState
    reason: str | None
    detail: str | None
    wallet: str
    unsigned: str
    digest: str
    required_signers: List[str]
    blockhash: str
    last_valid_block_height: int
    signature: str | None
    slot: float | None
    fee_lamports: str | None
    created_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class BridgeTransfer(Model):
    id: str
    state: BridgeTransferState
    provider: Literal["relay", "cctp"]
    provider_kind: Literal["intent", "canonical"]
    reference: str | None
    from_: Literal["spotchain", "evmvenue"]
    to: Literal["spotchain", "evmvenue"]
    token: str
    amount: Decimal
    sender: str
    recipient: str
    fees: List[BridgeTransferFee]
    expected_received: Decimal
    minimum_received: Decimal
    route: List[str]
    estimated_seconds: int
    expires_at: datetime
    explanation: str
    alternatives: List[BridgeTransferAlternative]
    transaction: Evm | Solana
    hash: str | None
    axes: BridgeTransferAxes
    attentions: List[BridgeTransferAttention]
    delayed: bool
    delayed_at: datetime | None
    broadcast: BridgeTransferBroadcast | None
    quoted_by: str
    submitted_by: str | None
    created_at: datetime
    submitted_at: datetime | None
    ended_at: datetime | None
    changed_at: datetime
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferFee(Model):
    name: str
    amount_usd: Decimal | None
    included: bool


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferAlternative(Model):
    provider: Literal["relay", "cctp"]
    minimum_received: Decimal
    cost_usd: Decimal
    estimated_seconds: int
    fees: List[BridgeTransferFee]


@dataclass(init=False, repr=False, eq=False)
class Evm(Model):
    kind: Literal["evm"]
    chain_id: int
    from_: str
    to: str
    data: str
    value: str
    approval: Evm2 | None


@dataclass(init=False, repr=False, eq=False)
class Evm2(Model):
    kind: Literal["evm"]
    chain_id: int
    from_: str
    to: str
    data: str
    value: str
    spender: str
    amount: Decimal


@dataclass(init=False, repr=False, eq=False)
class Solana(Model):
    kind: Literal["solana"]
    wallet: str
    unsigned: str
    digest: str
    required_signers: List[str]
    blockhash: str
    last_valid_block_height: int


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferAxes(Model):
    provider: BridgeTransferAxesProvider
    source: BridgeTransferAxesSource
    destination: BridgeTransferAxesDestination
    refund: BridgeTransferAxesDestination


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferAxesProvider(Model):
    state: BridgeTransferAxesProviderState
    said: str | None
    reason: str | None
    silent_since: datetime | None


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferAxesSource(Model):
    state: BridgeTransferAxesSourceState
    confirmations: int
    included_at: datetime | None
    detail: str | None


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferAxesDestination(Model):
    state: BridgeTransferAxesDestinationState
    hash: str | None
    amount_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferAttention(Model):
    code: BridgeTransferAttentionCode
    words: str


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferBroadcast(Model):
    """Last answer of a node to the signed bytes, or null if the wallet sent them."""
    outcome: str | None = None
    detail: str | None = None


@dataclass(init=False, repr=False, eq=False)
class BridgeTransferPoint(Model):
    at: datetime
    state: BridgeTransferState
    provider: BridgeTransferAxesProviderState
    source: BridgeTransferAxesSourceState
    destination: BridgeTransferAxesDestinationState
    arrived_usd: Decimal | None
    refunded_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class WalletChallenge(Model):
    address: str
    text: str
    typed_data: WalletChallengeTypedData | None
    expires_at: datetime


@dataclass(init=False, repr=False, eq=False)
class WalletChallengeTypedData(Model):
    domain: WalletChallengeTypedDataDomain
    types: Dict[str, List[WalletChallengeTypedDataTypeItem]]
    primary_type: Literal["WalletProof"]
    message: Dict[str, str]


@dataclass(init=False, repr=False, eq=False)
class WalletChallengeTypedDataDomain(Model):
    name: str
    version: str
    chain_id: int


@dataclass(init=False, repr=False, eq=False)
class WalletChallengeTypedDataTypeItem(Model):
    name: str
    type: str


@dataclass(init=False, repr=False, eq=False)
class LinkedWallet(Model):
    id: str
    chain: Literal["spotchain", "evmvenue"]
    address: str
    label: str | None
    proved_by: str
    proved_at: datetime


@dataclass(init=False, repr=False, eq=False)
class SandboxWallet(Model):
    address: str
    evm_address: str | None
    transaction: str | None
    signature: str | None
    result: Any


@dataclass(init=False, repr=False, eq=False)
class AgentWithManifest(Model):
    id: str
    name: str
    description: str
    stage: AgentWithManifestStage
    state: AgentWithManifestState
    paused: bool
    pause_cause: AgentWithManifestPauseCause | None
    autonomy: AgentWithManifestAutonomy
    manifest_hash: str
    manifest_version: int
    closing: List[AgentWithManifestClosingItem]
    created_by: str
    created_at: datetime
    requested_autonomy: AgentWithManifestAutonomy | None
    requested_stage: AgentWithManifestStage | None


@dataclass(init=False, repr=False, eq=False)
class AgentWithManifestClosingItem(Model):
    instrument: str | None
    limit_price: Decimal | None
    closed_by: str
    at: datetime
    waiting_for: CandleWorkWaitingFor | None = None


@dataclass(init=False, repr=False, eq=False)
class Agent(Model):
    id: str
    name: str
    description: str
    stage: AgentWithManifestStage
    state: AgentWithManifestState
    paused: bool
    pause_cause: AgentWithManifestPauseCause | None
    autonomy: AgentWithManifestAutonomy
    manifest_hash: str
    manifest_version: int
    closing: List[AgentWithManifestClosingItem]
    created_by: str
    created_at: datetime


@dataclass(init=False, repr=False, eq=False)
class ListVersionsPage(Model):
    items: List[ManifestVersion]
    next_cursor: str | None
    comparison: ManifestComparison | None


@dataclass(init=False, repr=False, eq=False)
class ManifestVersion(Model):
    """A version and what it changed of the one before it; the first changed nothing."""
    version: int
    manifest_hash: str
    created_by: str
    created_at: datetime
    changes: List[ManifestVersionChange]
    conditions_added: List[ManifestVersionConditionsAddedItem]
    conditions_removed: List[ManifestVersionConditionsAddedItem]


@dataclass(init=False, repr=False, eq=False)
class ManifestVersionChange(Model):
    path: str
    before: Any
    after: Any


@dataclass(init=False, repr=False, eq=False)
class ManifestVersionConditionsAddedItem(Model):
    side: Literal["entry", "exit"]
    condition: Dict[str, Any]


@dataclass(init=False, repr=False, eq=False)
class ManifestComparison(Model):
    from_: int
    to: int
    changes: List[ManifestVersionChange]
    conditions_added: List[ManifestVersionConditionsAddedItem]
    conditions_removed: List[ManifestVersionConditionsAddedItem]


@dataclass(init=False, repr=False, eq=False)
class PromotedAgent(Model):
    id: str
    name: str
    description: str
    stage: AgentWithManifestStage
    state: AgentWithManifestState
    paused: bool
    pause_cause: AgentWithManifestPauseCause | None
    autonomy: AgentWithManifestAutonomy
    manifest_hash: str
    manifest_version: int
    closing: List[AgentWithManifestClosingItem]
    created_by: str
    created_at: datetime
    missing_history: List[MissingHistory]
    live_limit: str | None


@dataclass(init=False, repr=False, eq=False)
class MissingHistory(Model):
    instrument: str
    conditions: List[str]
    source: MissingHistorySource
    from_: datetime
    to: datetime
    missing_pct: float
    command: str
    text: str


@dataclass(init=False, repr=False, eq=False)
class GateEvidence(Model):
    id: str
    kind: GateEvidenceKind
    stage: AgentWithManifestStage
    manifest_version: int
    manifest_hash: str
    passed: bool
    at: datetime
    checks: List[GateEvidenceCheck]
    metrics: Dict[str, float | None]
    simulated: bool
    origins: Dict[str, GateEvidenceOrigin]
    rules_version: int
    rule_change: str | None


@dataclass(init=False, repr=False, eq=False)
class GateEvidenceCheck(Model):
    name: str
    observed: float | None
    rule: GateEvidenceCheckRule
    limit: float | None
    passed: bool


@dataclass(init=False, repr=False, eq=False)
class EvaluationRun(Model):
    id: str
    agent_id: str
    evaluation: EvaluationRunEvaluation
    state: EvaluationRunState
    manifest_version: int
    manifest_hash: str
    request: Dict[str, Any]
    requested_by: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    attempts: int
    ending: EvaluationRunEnding | None
    result_hash: str | None
    summary: Dict[str, Any] | None
    provenance: EvaluationRunProvenance | None
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None
    waits_for_work: str | None


@dataclass(init=False, repr=False, eq=False)
class EvaluationRunEnding(Model):
    """Reason it has no result, such as `insufficient_history`."""
    code: str
    detail: str


@dataclass(init=False, repr=False, eq=False)
class EvaluationRunProvenance(Model):
    """Origins of the market data that the result stands on. Null before the run has finished."""
    simulated: bool
    origins: Dict[str, GateEvidenceOrigin]


@dataclass(init=False, repr=False, eq=False)
class BacktestPreview(Model):
    evidence: Literal[False]
    result: BacktestPreviewResult | None
    ending: EvaluationRunEnding | None
    problems: List[BacktestPreviewProblem]
    why_no_trades: List[str]
    missing: List[MissingHistory]
    took_ms: int


@dataclass(init=False, repr=False, eq=False)
class BacktestPreviewResult(Model):
    manifest_hash: str
    from_: datetime
    to: datetime
    timeframe: str
    bars: int
    capital_usd: Decimal
    final_equity_usd: Decimal
    return_pct: float
    benchmark_return_pct: float
    max_drawdown_pct: float
    closed_trades: int
    open_trades: int
    hit_rate_pct: float | None
    daily: List[BacktestPreviewResultDailyItem]
    trades: List[BacktestPreviewResultTrade]
    rules: List[BacktestPreviewResultRule]


@dataclass(init=False, repr=False, eq=False)
class BacktestPreviewResultDailyItem(Model):
    date: str
    equity_usd: Decimal
    high_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class BacktestPreviewResultTrade(Model):
    instrument: str
    decided_at: datetime
    entry_price: Decimal
    exit_decided_at: datetime | None
    exit_price: Decimal | None
    quantity: Decimal
    profit_usd: Decimal | None
    exited_by: List[str]


@dataclass(init=False, repr=False, eq=False)
class BacktestPreviewResultRule(Model):
    side: Literal["entry", "exit"]
    type: str
    threshold: float | str | None
    evaluated: int
    passed: int
    unknown: int


@dataclass(init=False, repr=False, eq=False)
class BacktestPreviewProblem(Model):
    path: str
    problem: str
    allowed: str


@dataclass(init=False, repr=False, eq=False)
class Halt(Model):
    paused: List[str]
    pausing: int
    cancelled_proposals: int
    epoch: int


@dataclass(init=False, repr=False, eq=False)
class LastHalt(Model):
    epoch: int
    halted_at: datetime | None
    halted_by: str | None
    reason: str | None
    is_pausing: bool


@dataclass(init=False, repr=False, eq=False)
class Proposal(Model):
    id: str
    agent_id: str
    decision_id: str | None
    slot: datetime
    side: Literal["entry", "exit"]
    state: ListProposalsState
    reason: str | None
    mode: Literal["paper", "live"]
    book_id: str
    instrument: str
    order: ProposalOrder
    execution: ProposalExecution | None
    decision_price: Decimal
    risk: PortfolioImpactAllocationRisk | None
    autonomy: AgentWithManifestAutonomy
    manifest_version: int
    manifest_hash: str
    decided_by: str | None
    filled_quantity: Decimal
    filled_notional_usd: Decimal
    average_fill_price: Decimal | None
    fills: List[SwapOrderFill]
    transaction: ProposalTransaction | None
    created_at: datetime
    expires_at: datetime
    changed_at: datetime
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None


@dataclass(init=False, repr=False, eq=False)
class ProposalOrder(Model):
    side: Literal["buy", "sell"]
    reduce_only: bool
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal
    max_slippage_bps: float


@dataclass(init=False, repr=False, eq=False)
class ProposalExecution(Model):
    asked: ManifestPayloadAlgorithm
    algorithm: ManifestPayloadAlgorithm
    urgency: Literal["low", "medium", "high"]
    fallback: ProposalExecutionFallback | None
    phase: ProposalExecutionPhase
    resting_at: Decimal | None
    left: Decimal
    parts: List[ProposalExecutionPart]


@dataclass(init=False, repr=False, eq=False)
class ProposalExecutionPart(Model):
    number: int
    kind: Literal["take", "rest"]
    quantity: Decimal
    due_at: datetime | None
    executed_quantity: Decimal
    reason: str | None


@dataclass(init=False, repr=False, eq=False)
class ProposalTransaction(Model):
    id: str
    state: SwapOrderState
    wallet: str
    signed_by: Literal["owner", "delegated_signer"]


@dataclass(init=False, repr=False, eq=False)
class AgentDetail(Model):
    id: str
    name: str
    description: str
    stage: AgentWithManifestStage
    state: AgentWithManifestState
    paused: bool
    pause_cause: AgentWithManifestPauseCause | None
    autonomy: AgentWithManifestAutonomy
    manifest_hash: str
    manifest_version: int
    closing: List[AgentWithManifestClosingItem]
    created_by: str
    created_at: datetime
    versions: List[AgentDetailVersion]
    manifest: Dict[str, Any]


@dataclass(init=False, repr=False, eq=False)
class AgentDetailVersion(Model):
    version: int
    manifest_hash: str
    created_by: str
    created_at: datetime


@dataclass(init=False, repr=False, eq=False)
class OutsideProposalReceipt(Model):
    """An outside proposal as it was received. It never changes. `state` and `decision` are there if a request waited
    for them.
    """
    id: str
    agent_id: str
    client_id: str
    side: Literal["buy", "sell"]
    instrument: str
    notional_usd: Decimal | None
    quantity: Decimal | None
    limit_price: Decimal | None
    reason: str
    inputs_hash: str | None
    manifest_hash: str
    hash: str
    slot: datetime
    received_at: datetime
    submitted_by: str
    state: OutsideProposalReceiptState | None = None
    decision: OutsideProposalReceiptDecision | None = None


@dataclass(init=False, repr=False, eq=False)
class OutsideProposalReceiptDecision(Model):
    """The decision of its slot; null while it is pending, if it was missed and once it is archived."""
    id: str
    disposition: OutsideProposalReceiptDecisionDisposition
    reason: str | None


@dataclass(init=False, repr=False, eq=False)
class OutsideProposal(Model):
    id: str
    agent_id: str
    client_id: str
    side: Literal["buy", "sell"]
    instrument: str
    notional_usd: Decimal | None
    quantity: Decimal | None
    limit_price: Decimal | None
    reason: str
    inputs_hash: str | None
    manifest_hash: str
    hash: str
    slot: datetime
    received_at: datetime
    submitted_by: str
    state: OutsideProposalReceiptState
    decision: OutsideProposalReceiptDecision | None


@dataclass(init=False, repr=False, eq=False)
class OutsideContext(Model):
    """The view that an outside strategy has of its agent."""
    agent_id: str
    stage: AgentWithManifestStage
    autonomy: AgentWithManifestAutonomy
    paused: bool
    pause_cause: AgentWithManifestPauseCause | None
    manifest_hash: str
    manifest_version: int
    release: str | None
    universe: List[str]
    cut: OutsideContextCut | None
    book: OutsideContextBook
    limits: OutsideContextLimits
    pending: OutsideProposalReceipt | None
    agreement: OutsideContextAgreement | None


@dataclass(init=False, repr=False, eq=False)
class OutsideContextCut(Model):
    """The last cut: the instruments and indicators of the manifest alone. Null before the first one."""
    slot: datetime
    observations: List[Observation]


@dataclass(init=False, repr=False, eq=False)
class Observation(Model):
    """Observation of one instrument at the slot. Null means unknown."""
    slot: int
    instrument: str
    session: RankedRowSession
    quote: ObservationQuote | None
    reference: ObservationReference | None
    premium_pct: float | None
    gap_to_mark_pct: float | None
    basis_pct: float | None
    hourly_funding: Decimal | None
    mark_price: Decimal | None
    liquidity_usd: Decimal | None
    indicators: Dict[str, ObservationIndicator]
    events: List[ObservationEvent] | None


@dataclass(init=False, repr=False, eq=False)
class ObservationQuote(Model):
    bid: Decimal | None
    ask: Decimal | None
    mid: Decimal | None
    source: str
    observed_at: int
    received_at: int
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]


@dataclass(init=False, repr=False, eq=False)
class ObservationReference(Model):
    instrument: str
    reference_price: Decimal
    confidence: Decimal
    feed_updated_at: int
    received_at: int
    age_ms: int
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    source: str | None = None


@dataclass(init=False, repr=False, eq=False)
class ObservationIndicator(Model):
    value: float | None
    previous: float | None
    bar_open_time: int | None
    bars: int | None = None


@dataclass(init=False, repr=False, eq=False)
class ObservationEvent(Model):
    id: str
    severity: ListMarketEventsMinSeverity
    negative: bool
    rumor: bool
    observed_at: int
    headline: str


@dataclass(init=False, repr=False, eq=False)
class OutsideContextBook(Model):
    id: str
    mode: str
    cash_usd: Decimal
    equity_usd: Decimal | None
    exposure_usd: Decimal | None
    realized_pnl_usd: Decimal
    daily_drawdown_pct: float | None
    positions: List[OutsideContextBookPosition]
    open_proposals: List[OutsideContextBookOpenProposal]


@dataclass(init=False, repr=False, eq=False)
class OutsideContextBookPosition(Model):
    instrument: str
    quantity: Decimal
    cost_usd: Decimal
    value_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class OutsideContextBookOpenProposal(Model):
    id: str
    instrument: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    notional_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class OutsideContextLimits(Model):
    """The stricter of the manifest and the organization’s risk preferences."""
    max_trade_notional_usd: Decimal
    max_capital_usd: Decimal
    max_open_positions: int
    max_slippage_bps: float
    max_daily_drawdown_pct: float
    max_leverage: Decimal
    reduce_only: bool


@dataclass(init=False, repr=False, eq=False)
class OutsideContextAgreement(Model):
    """The session that asks your code again for answers that it gave in the session that passed, or null. Answer it as
    a replay session, from its first step on, within an hour.
    """
    session_id: str
    opened_at: datetime


@dataclass(init=False, repr=False, eq=False)
class BriefContext(Model):
    """The context in few words, for code that pays by the token."""
    slot: datetime | None
    manifest_hash: str
    may_trade: bool
    cash_usd: Decimal
    most_usd: Decimal
    market: Dict[str, BriefContextMarketItem]
    pending: bool
    agreement: str | None


@dataclass(init=False, repr=False, eq=False)
class BriefContextMarketItem(Model):
    bid: Decimal | None
    ask: Decimal | None
    live: bool
    premium_pct: float | None
    basis_pct: float | None
    held: Decimal


@dataclass(init=False, repr=False, eq=False)
class ReplayStep(Model):
    step: int
    done: bool
    slots: List[ReplaySlot]


@dataclass(init=False, repr=False, eq=False)
class ReplaySlot(Model):
    """One slot of a path: names, dates and price levels are disguised."""
    path: int
    cut: OutsideContextCut
    book: ReplaySlotBook
    last: ReplaySlotLast | None


@dataclass(init=False, repr=False, eq=False)
class ReplaySlotBook(Model):
    cash_usd: Decimal
    equity_usd: Decimal | None
    realized_pnl_usd: Decimal
    positions: List[ReplaySlotBookPosition]


@dataclass(init=False, repr=False, eq=False)
class ReplaySlotBookPosition(Model):
    instrument: str
    quantity: Decimal
    average_entry_price: Decimal
    opened_at: datetime


@dataclass(init=False, repr=False, eq=False)
class ReplaySlotLast(Model):
    """The decision at the slot before on this path; null at the first slot."""
    disposition: OutsideProposalReceiptDecisionDisposition
    reason: str | None


@dataclass(init=False, repr=False, eq=False)
class NewAgentToken(Model):
    id: str
    agent_id: str
    name: str
    created_by: str
    created_at: datetime
    revoked_at: datetime | None
    token: str


@dataclass(init=False, repr=False, eq=False)
class AgentToken(Model):
    """A token of an agent, without its text."""
    id: str
    agent_id: str
    name: str
    created_by: str
    created_at: datetime
    revoked_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class OpenedSignalHook(Model):
    id: str
    agent_id: str
    name: str
    template: OpenedSignalHookTemplate
    tickers: List[OpenedSignalHookTicker]
    manifest_hash: str
    created_by: str
    created_at: datetime
    revoked_at: datetime | None
    path: str
    signed_path: str
    signing_secret: str


@dataclass(init=False, repr=False, eq=False)
class OpenedSignalHookTemplate(Model):
    side: str
    instrument: str
    notional_usd: str | None = None
    quantity: str | None = None
    limit_price: str | None = None
    reason: str | None = None
    id: str | None = None


@dataclass(init=False, repr=False, eq=False)
class OpenedSignalHookTicker(Model):
    ticker: str
    instrument: str


@dataclass(init=False, repr=False, eq=False)
class SignalHook(Model):
    """A signal hook, without its secret."""
    id: str
    agent_id: str
    name: str
    template: OpenedSignalHookTemplate
    tickers: List[OpenedSignalHookTicker]
    manifest_hash: str
    created_by: str
    created_at: datetime
    revoked_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class ListDecisionsPage(Model):
    items: List[Decision]
    next_cursor: str | None
    moved_before: datetime | None = None


@dataclass(init=False, repr=False, eq=False)
class Decision(Model):
    """Immutable and append-only; `hash` covers the record and `previousHash`."""
    id: str
    agent_id: str
    slot: datetime
    at: datetime
    manifest_hash: str
    observed: Dict[str, Observation]
    rules: List[DecisionRule]
    disposition: OutsideProposalReceiptDecisionDisposition
    reason: str | None
    instrument: str | None
    risk: PortfolioImpactAllocationRisk | None
    book: DecisionBook
    previous_hash: str
    hash: str


@dataclass(init=False, repr=False, eq=False)
class DecisionRule(Model):
    instrument: str
    side: Literal["entry", "exit"]
    type: str
    passed: bool
    observed: float | str | None
    threshold: float | str | None
    unknown: RankedRowCause | None = None


@dataclass(init=False, repr=False, eq=False)
class DecisionBook(Model):
    positions: List[DecisionBookPosition]
    open_proposals: int
    fills: int
    realized_pnl_usd: Decimal
    slippage_bps: float | None


@dataclass(init=False, repr=False, eq=False)
class DecisionBookPosition(Model):
    instrument: str
    quantity: Decimal
    average_entry_price: Decimal
    opened_at: int


@dataclass(init=False, repr=False, eq=False)
class Recommendation(Model):
    decision_id: str
    hash: str
    agent_id: str
    agent_name: str
    slot: datetime
    side: Literal["buy", "sell"]
    instrument: str
    summary: str
    seen: str
    why: List[str]
    rules: List[RecommendationRule]


@dataclass(init=False, repr=False, eq=False)
class RecommendationRule(Model):
    type: str
    passed: bool
    sentence: str


@dataclass(init=False, repr=False, eq=False)
class ExplainedDecision(Model):
    decision_id: str
    hash: str
    summary: str
    why: List[str]
    instruments: List[ExplainedDecisionInstrument]
    missing: List[str]


@dataclass(init=False, repr=False, eq=False)
class ExplainedDecisionInstrument(Model):
    instrument: str
    seen: str
    entry: List[RecommendationRule]
    exit: List[RecommendationRule]


@dataclass(init=False, repr=False, eq=False)
class EvaluationRunDetail(Model):
    id: str
    agent_id: str
    evaluation: EvaluationRunEvaluation
    state: EvaluationRunState
    manifest_version: int
    manifest_hash: str
    request: Dict[str, Any]
    requested_by: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    attempts: int
    ending: EvaluationRunEnding | None
    result_hash: str | None
    summary: Dict[str, Any] | None
    provenance: EvaluationRunProvenance | None
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None
    waits_for_work: str | None
    optimistic: bool | None
    result: EvaluationRunDetailResult


@dataclass(init=False, repr=False, eq=False)
class BacktestResult(Model):
    engine: Literal["backtest-2", "backtest-3"]
    manifest_hash: str
    history_hash: str
    timeframe: str
    from_: datetime
    to: datetime
    bars: int
    capital_usd: Decimal
    instruments: List[BacktestResultInstrument]
    final_equity_usd: Decimal
    performance: BacktestResultPerformance
    benchmark: BacktestResultPerformance
    method: BacktestResultMethod
    exposure_pct: float
    turnover_usd: Decimal
    fees_usd: Decimal
    trades: BacktestResultTrades
    dispositions: Dict[str, int]
    blocked: Dict[str, int]
    missed: Dict[str, int]
    conditions: List[BacktestResultCondition]
    luck: BacktestResultLuck
    assumptions: BacktestResultAssumptions
    checked_bars: int
    daily: List[EquityDay]
    funding_usd: Decimal | None = None
    execution: BacktestResultExecution | None = None
    finer: BacktestResultFiner | None = None
    blind: BlindReplay | None = None


@dataclass(init=False, repr=False, eq=False)
class BacktestResultInstrument(Model):
    key: str
    costs: BacktestResultInstrumentCosts
    quote_known_pct: float
    reference_live_pct: float
    events_known_pct: float


@dataclass(init=False, repr=False, eq=False)
class BacktestResultInstrumentCosts(Model):
    """Assumption if the history has no spread or depth."""
    model: str
    fee_bps: float
    half_spread_bps: float
    depth_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class BacktestResultPerformance(Model):
    sharpe: float | None
    sortino: float | None
    max_drawdown_pct: float
    return_pct: float
    annual_volatility_pct: float | None


@dataclass(init=False, repr=False, eq=False)
class BacktestResultMethod(Model):
    days: int
    ddof: Literal[1]
    calendar: str
    periods_per_year: float
    risk_free: Literal[0]


@dataclass(init=False, repr=False, eq=False)
class BacktestResultTrades(Model):
    closed: int
    open: int
    hit_rate_pct: float | None
    average_profit_pct: float | None
    average_slippage_bps: float | None
    list: List[BacktestTrade]
    profit_usd: Decimal | None = None
    average_holding_ms: float | None = None
    by_instrument: List[TradeGroup] | None = None
    by_exit: List[TradeGroup] | None = None


@dataclass(init=False, repr=False, eq=False)
class TradeGroup(Model):
    name: str
    closed: int
    open: int
    won: int
    hit_rate_pct: float | None
    profit_usd: Decimal
    fees_usd: Decimal
    average_holding_ms: float | None


@dataclass(init=False, repr=False, eq=False)
class BacktestTrade(Model):
    instrument: str
    decided_at: datetime
    entry_price: Decimal
    exit_decided_at: datetime | None
    exit_price: Decimal | None
    quantity: Decimal
    fees_usd: Decimal
    profit_usd: Decimal | None
    profit_pct: float | None
    mae_pct: float
    mfe_pct: float
    bars: int
    slippage_bps: float
    exited_by: List[str]
    funding_usd: Decimal | None = None
    cost_inputs: BacktestTradeCostInputs | None = None


@dataclass(init=False, repr=False, eq=False)
class BacktestTradeCostInputs(Model):
    """`spread` and `depth` if the history had them at the decision. Missing in results of `backtest-2`."""
    entry: BacktestTradeCostInputsEntry
    exit: BacktestTradeCostInputsEntry | None


@dataclass(init=False, repr=False, eq=False)
class BacktestTradeCostInputsEntry(Model):
    observed: List[str]
    assumed: List[str]


@dataclass(init=False, repr=False, eq=False)
class BacktestResultExecution(Model):
    """Missing where each order was taken at once."""
    algorithm: str
    urgency: str
    rested_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class BacktestResultFiner(Model):
    """Finer bars that showed when a level was reached within a bar. Missing where none did."""
    bars: int
    hash: str


@dataclass(init=False, repr=False, eq=False)
class BacktestResultCondition(Model):
    side: Literal["entry", "exit"]
    type: str
    threshold: float | str | None
    evaluated: int
    passed: int
    blocked: int
    unknown: int
    last_to_fail: int
    closed: int


@dataclass(init=False, repr=False, eq=False)
class BacktestResultLuck(Model):
    versions_tried: int
    skewness: float | None
    kurtosis: float | None
    probabilistic_sharpe: float | None
    expected_best_sharpe: float | None
    deflated_sharpe: float | None


@dataclass(init=False, repr=False, eq=False)
class BacktestResultAssumptions(Model):
    cost_multiplier: float
    max_participation_pct: float
    min_order_usd: Decimal
    named: List[str]


@dataclass(init=False, repr=False, eq=False)
class BlindReplay(Model):
    """Paths of the blind replay session that outside code answered. Missing of other backtests."""
    seed: str
    truth: int
    paths: List[BlindReplayPath]
    foreknowledge: BlindReplayForeknowledge
    slots: int
    answers_hash: str
    opening: BlindReplayOpening | None = None


@dataclass(init=False, repr=False, eq=False)
class BlindReplayPath(Model):
    sharpe: float
    bars: int
    history_hash: str


@dataclass(init=False, repr=False, eq=False)
class BlindReplayForeknowledge(Model):
    true_sharpe: float
    resampled_sharpe: float
    standard_error: float
    statistic: float
    limit: float
    rank: int
    is_foreknowledge: bool


@dataclass(init=False, repr=False, eq=False)
class BlindReplayOpening(Model):
    """The first answers, by path, each as `[slot, trade]` in true names and units. Agreement sessions ask for them
    again.
    """
    steps: int
    paths: List[List[List[Any]]]


@dataclass(init=False, repr=False, eq=False)
class EquityDay(Model):
    """One day of the curve, marked at every candle of it."""
    date: str
    equity_usd: Decimal
    high_usd: Decimal
    low_usd: Decimal
    drawdown_pct: float
    benchmark_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class SweepResult(Model):
    engine: Literal["sweep-1"]
    history_hash: str
    timeframe: str
    from_: datetime
    to: datetime
    bars: int
    capital_usd: Decimal
    instruments: List[str]
    parameters: List[SweepResultParameter]
    periods_per_year: float
    counted: SweepResultCounted
    expected_best_sharpe: float | None
    trials: List[SweepTrial]
    best: int
    best_daily: List[EquityDay]
    walk_forward: SweepResultWalkForward | None
    assumptions: List[str]


@dataclass(init=False, repr=False, eq=False)
class SweepResultParameter(Model):
    path: str
    values: List[float | str]


@dataclass(init=False, repr=False, eq=False)
class SweepResultCounted(Model):
    """Trials: every manifest once, by its hash."""
    total: int
    of_this_sweep: int
    earlier: int


@dataclass(init=False, repr=False, eq=False)
class SweepTrial(Model):
    values: List[float | str]
    manifest_hash: str
    sharpe: float | None
    sortino: float | None
    max_drawdown_pct: float
    return_pct: float
    closed_trades: int
    hit_rate_pct: float | None
    profit_usd: Decimal
    fees_usd: Decimal
    deflated_sharpe: float | None


@dataclass(init=False, repr=False, eq=False)
class SweepResultWalkForward(Model):
    train_days: int
    test_days: int
    folds: List[SweepResultWalkForwardFold]
    performance: BacktestResultPerformance
    deflated_sharpe: float | None
    daily: List[SweepResultWalkForwardDailyItem]


@dataclass(init=False, repr=False, eq=False)
class SweepResultWalkForwardFold(Model):
    picked: int
    train_sharpe: float | None
    test_sharpe: float | None
    test_return_pct: float
    train_from: str
    train_to: str
    test_from: str
    test_to: str


@dataclass(init=False, repr=False, eq=False)
class SweepResultWalkForwardDailyItem(Model):
    date: str
    growth: float


@dataclass(init=False, repr=False, eq=False)
class StressTestResult(Model):
    manifest_hash: str
    markets: List[StressTestResultMarket]
    runs: List[StressTestResultRun]
    survived: bool


@dataclass(init=False, repr=False, eq=False)
class StressTestResultMarket(Model):
    key: str
    kind: str
    level: float
    minute_volatility: float
    spread_bps: float
    depth_usd: Decimal
    liquidity_usd: Decimal | None
    benchmark_level: float | None
    hourly_funding: float
    bars: Dict[str, List[Dict[str, Any]]]
    basis: Literal["history", "assumed"]


@dataclass(init=False, repr=False, eq=False)
class StressTestResultRun(Model):
    scenario: str
    severity: str
    seed: int
    start_equity_usd: Decimal
    equity_usd: List[Decimal]
    breaches: int
    unsafe_fills: int
    survived: bool
    findings: List[str]
    loss_pct: float
    own_positions: List[str]
    forced_positions: List[str]
    decisions: int
    fills: int
    refused: Dict[str, int]
    refused_while_frozen: int
    flat_after_minutes: float | None
    stuck_usd: Decimal
    curve: List[List[float | Decimal]]
    trace_hash: str
    rested_fills: int | None = None


@dataclass(init=False, repr=False, eq=False)
class AgreementResult(Model):
    """Answers of outside code compared with those of the session that passed."""
    slots: int
    trades: int
    agreed: int
    agreement_pct: float | None
    passed: bool


@dataclass(init=False, repr=False, eq=False)
class Evidence(Model):
    id: str
    kind: GateEvidenceKind
    stage: AgentWithManifestStage
    manifest_version: int
    manifest_hash: str
    passed: bool
    at: datetime
    checks: List[GateEvidenceCheck]
    metrics: Dict[str, float | None]
    simulated: bool
    origins: Dict[str, GateEvidenceOrigin]
    rules_version: int
    rule_change: str | None
    run_id: str | None
    seq: int
    hash: str


@dataclass(init=False, repr=False, eq=False)
class Gates(Model):
    stage: AgentWithManifestStage
    progress: str
    next: str
    why_no_trades: List[str]
    missing_history: List[MissingHistory]
    execution: List[str]
    live_limit: str | None
    simulated: bool
    gates: List[Gate]


@dataclass(init=False, repr=False, eq=False)
class Gate(Model):
    from_: AgentWithManifestStage
    to: AgentWithManifestStage
    kind: GateEvidenceKind
    state: Literal["behind", "here", "ahead"]
    passed: bool
    checks: List[GateEvidenceCheck]
    metrics: Dict[str, float | None] | None
    problems: List[str]
    evidence: GateEvidence | None


@dataclass(init=False, repr=False, eq=False)
class Calibration(Model):
    manifest_version: int
    promised_bps: float | None
    drifted: bool | None
    paper: CostFigures
    live: CostFigures
    groups: List[CostGroup]
    fills: List[CalibrationFill]


@dataclass(init=False, repr=False, eq=False)
class CostFigures(Model):
    fills: int
    unknown: int
    expected_bps: float | None
    realized_bps: float | None
    bias_bps: float | None
    bias_error_bps: float | None
    median_bps: float | None
    p10_bps: float | None
    p90_bps: float | None
    dearer: int
    cheaper: int
    sign_p: float | None


@dataclass(init=False, repr=False, eq=False)
class CostGroup(Model):
    by: CostGroupBy
    key: str
    fills: int
    unknown: int
    expected_bps: float | None
    realized_bps: float | None
    bias_bps: float | None
    bias_error_bps: float | None
    median_bps: float | None
    p10_bps: float | None
    p90_bps: float | None
    dearer: int
    cheaper: int
    sign_p: float | None


@dataclass(init=False, repr=False, eq=False)
class CalibrationFill(Model):
    at: datetime
    mode: Literal["paper", "live"]
    instrument: str
    expected_bps: float | None
    realized_bps: float


@dataclass(init=False, repr=False, eq=False)
class Step(Model):
    version: int
    at: datetime
    machine: str
    event: Any
    from_: Any
    to: Any
    cause: str | None


@dataclass(init=False, repr=False, eq=False)
class Chart(Model):
    """`definition` and `mermaid` are null for a machine that this version of the service no longer has."""
    machine: str
    version: int
    status: ChartStatus
    value: Any
    definition: Any
    mermaid: str | None


@dataclass(init=False, repr=False, eq=False)
class ActorBranch(Model):
    kind: str
    machine: str
    version: int
    steps: List[ActorBranchStep]
    takes: List[str]


@dataclass(init=False, repr=False, eq=False)
class ActorBranchStep(Model):
    event: Dict[str, Any]
    from_: Any
    to: Any
    status: Literal["active", "done"]
    taken: bool
    refusal: ActorBranchStepRefusal | None
    changes: List[ManifestVersionChange]
    records: List[Dict[str, Any]]
    timers: List[Dict[str, Any]]
    announcements: List[Dict[str, Any]]
    activities: List[Dict[str, Any]]


@dataclass(init=False, repr=False, eq=False)
class ActorBranchStepRefusal(Model):
    """Reason the actor would refuse the event before its machine sees it. The branch ends here."""
    code: str | None = None
    detail: str | None = None


@dataclass(init=False, repr=False, eq=False)
class Actor(Model):
    id: str
    kind: str
    name: str | None
    machine: str
    version: int
    status: ChartStatus
    value: Any
    created_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class ActorDetail(Model):
    id: str
    kind: str
    name: str | None
    machine: str
    version: int
    status: ChartStatus
    value: Any
    created_at: datetime
    changed_at: datetime
    context: Dict[str, Any]
    incidents: List[ActorDetailIncident]


@dataclass(init=False, repr=False, eq=False)
class ActorDetailIncident(Model):
    at: datetime
    kind: str
    detail: str


@dataclass(init=False, repr=False, eq=False)
class StepStretch(Model):
    """Versions created by a quarantine have no step."""
    version: int
    items: List[Step]
    archived: StepStretchArchived | None = None


@dataclass(init=False, repr=False, eq=False)
class StepStretchArchived(Model):
    """Time and archive file of the move, if the actor has ended and its steps were moved."""
    at: datetime
    file: str


@dataclass(init=False, repr=False, eq=False)
class StepAccount(Model):
    kind: str
    machine: str
    version: int
    at: datetime
    event: Dict[str, Any]
    status: Literal["active", "done"]
    guards: List[StepAccountGuard]
    changes: List[ManifestVersionChange]
    records: List[Dict[str, Any]]
    timers: List[Dict[str, Any]]
    announcements: List[Dict[str, Any]]
    activities: List[StepAccountActivity]
    context: Dict[str, Any]
    takes: List[str]


@dataclass(init=False, repr=False, eq=False)
class StepAccountGuard(Model):
    guard: str
    params: Any
    passed: bool
    inputs: List[StepAccountGuardInput]


@dataclass(init=False, repr=False, eq=False)
class StepAccountGuardInput(Model):
    path: str
    value: Any


@dataclass(init=False, repr=False, eq=False)
class StepAccountActivity(Model):
    kind: str
    payload: Dict[str, Any]
    fate: StepAccountActivityFate | None


@dataclass(init=False, repr=False, eq=False)
class StepAccountActivityFate(Model):
    """Outcome of the activity, or null if it is not stored."""
    state: Literal["pending", "done", "given_up"]
    attempts: int
    due_at: datetime
    answer: Any
    ended_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class Runtime(Model):
    at: datetime
    actors: List[RuntimeActor]
    activities: List[RuntimeActivity]
    timers: RuntimeTimers
    incidents: List[RuntimeIncident]
    queues: RuntimeQueues


@dataclass(init=False, repr=False, eq=False)
class RuntimeActor(Model):
    kind: str
    status: ChartStatus
    count: int


@dataclass(init=False, repr=False, eq=False)
class RuntimeActivity(Model):
    kind: str
    state: Literal["pending", "given_up"]
    count: int
    attempts: int
    first_due_at: datetime


@dataclass(init=False, repr=False, eq=False)
class RuntimeTimers(Model):
    count: int
    overdue: int
    next_due_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class RuntimeIncident(Model):
    kind: str
    count: int
    last_at: datetime


@dataclass(init=False, repr=False, eq=False)
class RuntimeQueues(Model):
    """Progress of the service's queues."""
    ticks: List[RuntimeQueuesTick]
    recurring: List[RuntimeQueuesRecurringItem]


@dataclass(init=False, repr=False, eq=False)
class RuntimeQueuesTick(Model):
    period_ms: int
    shard: int
    last_slot: datetime
    is_stalled: bool


@dataclass(init=False, repr=False, eq=False)
class RuntimeQueuesRecurringItem(Model):
    name: str
    last_slot: str | None
    is_under_way: bool
    has_failed: bool


@dataclass(init=False, repr=False, eq=False)
class WaitingActivity(Model):
    actor_id: str
    actor_kind: str
    actor_name: str | None
    actor_status: ChartStatus
    key: str
    kind: str
    state: Literal["pending", "given_up"]
    attempts: int
    due_at: datetime
    created_at: datetime
    ended_at: datetime | None
    answer: Any
    is_left: bool


@dataclass(init=False, repr=False, eq=False)
class WaitingTimer(Model):
    actor_id: str
    actor_kind: str
    actor_name: str | None
    actor_status: ChartStatus
    timer_id: str
    due_at: datetime
    event: Any


@dataclass(init=False, repr=False, eq=False)
class ActorIncident(Model):
    actor_id: str
    actor_kind: str
    actor_name: str | None
    actor_status: ChartStatus
    at: datetime
    kind: str
    detail: str


@dataclass(init=False, repr=False, eq=False)
class RecordedIntervention(Model):
    actor_id: str
    actor_kind: str
    actor_name: str | None
    actor_status: ChartStatus
    action: Literal["retry", "reset", "release"]
    activity: str | None
    activities: int
    reason: str
    subject: str
    at: datetime


@dataclass(init=False, repr=False, eq=False)
class Alert(Model):
    at: datetime
    what: str
    agent_id: str | None
    agent_name: str | None
    venues: List[PortfolioHoldingQuoteVenue]
    detail: str | None
    of_service: bool
    data: Dict[str, Any]


@dataclass(init=False, repr=False, eq=False)
class LongWork(Model):
    kind: LongWorkKind
    subject: str
    id: str
    source: str
    worked_on_by: str
    state: CandleWorkState
    begun_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    error: str | None
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None


@dataclass(init=False, repr=False, eq=False)
class Intervention(Model):
    actor_id: str
    action: Literal["retry", "reset", "release"]
    activity: str | None
    activities: int
    reason: str
    subject: str
    at: datetime


@dataclass(init=False, repr=False, eq=False)
class Vault(Model):
    """Live capital only, apart from the operator's manual book and from every paper book."""
    agent_id: str
    stage: AgentWithManifestStage
    ceiling_usd: Decimal
    allocated_usd: Decimal
    cash_usd: Decimal
    exposure_usd: Decimal | None
    equity_usd: Decimal | None
    realized_pnl_usd: Decimal
    unrealized_pnl_usd: Decimal | None
    fees_usd: Decimal
    total_shares: Decimal
    share_price_usd: Decimal | None
    high_water_mark_usd: Decimal
    high_water_at: datetime | None
    drawdown_pct: float | None
    rounding_usd: Decimal
    unpriced: List[str]
    left_out: List[str]
    priced_at: datetime
    depositors: List[VaultDepositor]


@dataclass(init=False, repr=False, eq=False)
class VaultDepositor(Model):
    depositor: str
    shares: Decimal
    paid_in_usd: Decimal
    paid_out_usd: Decimal
    value_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class VaultPriceHistoryItem(Model):
    at: datetime
    equity_usd: Decimal
    share_price_usd: Decimal
    drawdown_pct: float


@dataclass(init=False, repr=False, eq=False)
class VaultChange(Model):
    change: int
    kind: Literal["deposit", "withdrawal"]
    depositor: str
    amount_usd: Decimal
    shares: Decimal
    share_price_usd: Decimal
    stage: AgentWithManifestStage
    at: datetime


@dataclass(init=False, repr=False, eq=False)
class RankedVault(Model):
    rank: int | None
    agent_id: str
    name: str
    stage: AgentWithManifestStage
    return_pct: float | None
    since_at: datetime | None
    share_price_usd: Decimal | None
    high_water_mark_usd: Decimal
    drawdown_pct: float | None
    equity_usd: Decimal | None
    allocated_usd: Decimal
    realized_pnl_usd: Decimal
    depositors: int
    marked_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class ReserveCheck(Model):
    at: datetime
    verdict: Literal["backed", "short", "unknown"]
    lines: List[ReserveCheckLine]
    unknown: List[str]


@dataclass(init=False, repr=False, eq=False)
class ReserveCheckLine(Model):
    asset: str
    claimed: Decimal
    held: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class MachineLayout(Model):
    """Lengths are CSS pixels at scale 1, measured from the top left corner."""
    machine: str
    width: float
    height: float
    boxes: List[MachineLayoutBoxe]
    edges: List[MachineLayoutEdge]


@dataclass(init=False, repr=False, eq=False)
class MachineLayoutBoxe(Model):
    id: str
    parent: str | None
    kind: MachineLayoutBoxeKind
    title: str
    stays: List[str]
    x: float
    y: float
    width: float
    height: float


@dataclass(init=False, repr=False, eq=False)
class MachineLayoutEdge(Model):
    id: str
    from_: str
    to: str
    event: str
    points: List[MachineLayoutEdgePoint]
    label: MachineLayoutEdgeLabel | None


@dataclass(init=False, repr=False, eq=False)
class MachineLayoutEdgePoint(Model):
    x: float
    y: float


@dataclass(init=False, repr=False, eq=False)
class MachineLayoutEdgeLabel(Model):
    lines: List[str]
    x: float
    y: float
    width: float
    height: float


@dataclass(init=False, repr=False, eq=False)
class LaunchPreset(Model):
    key: LaunchPresetKey
    graduation_multiple: float
    anti_sniper_fee: LaunchPresetAntiSniperFee
    creator_fee_share_pct: float
    locked_vesting: LaunchPresetLockedVesting
    migrated_pool: LaunchPresetMigratedPool


@dataclass(init=False, repr=False, eq=False)
class LaunchPresetAntiSniperFee(Model):
    start_bps: int
    end_bps: int
    decay: Literal["linear", "exponential"]
    duration_seconds: int
    periods: int


@dataclass(init=False, repr=False, eq=False)
class LaunchPresetLockedVesting(Model):
    supply_pct: float
    duration_seconds: int


@dataclass(init=False, repr=False, eq=False)
class LaunchPresetMigratedPool(Model):
    fee_bps: int
    dynamic_fee: bool


@dataclass(init=False, repr=False, eq=False)
class LaunchPreview(Model):
    preset: LaunchPresetKey
    quote: LaunchQuoteToken
    starting_price: Decimal
    starting_fdv: Decimal
    graduation_price: Decimal
    graduation_fdv: Decimal
    graduation_threshold: str
    dollars: LaunchPreviewDollars
    ladder: List[LaunchPreviewLadderItem]
    fees: List[LaunchPreviewFee]
    fee_shares: LaunchPreviewFeeShares
    supply: LaunchPreviewSupply
    vesting: LaunchPreviewVesting | None
    successor_pool: LaunchPreviewSuccessorPool


@dataclass(init=False, repr=False, eq=False)
class LaunchQuoteToken(Model):
    mint: str
    symbol: str
    kind: LaunchQuoteTokenKind
    decimals: int
    multiplier: float
    needs_badge: bool
    refused_because: str | None
    program_error: int | None


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewDollars(Model):
    """All null while nothing live prices the quote token."""
    starting_price: Decimal | None
    graduation_threshold: Decimal | None
    priced_by: str | None
    at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewLadderItem(Model):
    fill_pct: float
    price: Decimal
    sold: Decimal


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewFee(Model):
    at: int
    bps: Decimal
    volatility_bps: str


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewFeeShares(Model):
    protocol_pct: Decimal
    referral_pct: Decimal
    creator_pct: Decimal
    partner_pct: Decimal


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewSupply(Model):
    total: Decimal
    on_curve: Decimal
    successor_pool: Decimal
    vesting: Decimal


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewVesting(Model):
    supply_pct: float
    total: Decimal
    cliff: Decimal
    per_period: Decimal
    periods: int
    period_seconds: int
    duration_seconds: int


@dataclass(init=False, repr=False, eq=False)
class LaunchPreviewSuccessorPool(Model):
    fee_bps: int
    dynamic_fee: bool
    locked_pct: int


@dataclass(init=False, repr=False, eq=False)
class PreparedLaunch(Model):
    id: str
    mint: str
    config: str
    transactions: List[str]
    last_valid_block_height: int
    expires_at: datetime
    launch: Launch


@dataclass(init=False, repr=False, eq=False)
class Launch(Model):
    id: str
    kind: Literal["curve"]
    state: LaunchState
    reason: str | None
    detail: str | None
    preset: LaunchPresetKey
    mint: str
    config: str
    pool: str
    name: str
    symbol: str
    uri: str
    creator: str
    partner: str
    quote_mint: str
    quote_symbol: str
    starting_fdv: Decimal
    total_supply: Decimal
    decimals: int
    paired_stock: str | None
    agent_id: str | None
    take_id: str | None
    signatures: List[str]
    prepared_by: str
    submitted_by: str | None
    trading_since: datetime | None
    created_at: datetime
    changed_at: datetime
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None


@dataclass(init=False, repr=False, eq=False)
class LauncherLaunch(Model):
    id: str
    kind: Literal["launcher"]
    state: LauncherLaunchState
    reason: str | None
    detail: str | None
    mint: str | None
    name: str
    symbol: str
    description: str
    image_url: str
    creator: str
    quote_mint: str
    quote_symbol: str
    paired_stock: str
    creator_fee_bps: int
    agent_id: str
    lamports: str
    pay_to: str
    valid_until: datetime
    launch_transaction: str | None
    signatures: List[str]
    prepared_by: str
    submitted_by: str | None
    created_at: datetime
    changed_at: datetime
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None


@dataclass(init=False, repr=False, eq=False)
class ListLauncherPairsAnswer(Model):
    items: List[LauncherPair]
    creator_fee_bps: ListLauncherPairsAnswerCreatorFeeBps


@dataclass(init=False, repr=False, eq=False)
class LauncherPair(Model):
    mint: str
    symbol: str
    instrument: str
    name: str
    decimals: int


@dataclass(init=False, repr=False, eq=False)
class ListLauncherPairsAnswerCreatorFeeBps(Model):
    min: float
    max: float


@dataclass(init=False, repr=False, eq=False)
class QuotedLaunch(Model):
    id: str
    lamports: str
    recipient: str
    transaction: str
    last_valid_block_height: int
    expires_at: datetime
    launch: LauncherLaunch


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalytics(Model):
    mint: str
    instrument: str
    symbol: str
    name: str
    paired_stock: str | None
    listed_at: datetime
    age_days: float
    at: datetime
    price: AgentTokenAnalyticsPrice | None
    holders: AgentTokenAnalyticsHolders | None
    creator: AgentTokenAnalyticsCreator | None
    depth: AgentTokenAnalyticsDepth | None
    volume: AgentTokenAnalyticsVolume | None
    risk: AgentTokenRisk
    performance: List[PairedPerformance] | None
    duplicated_exposure: DuplicatedExposure | None


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsPrice(Model):
    price_usd: Decimal
    source: Literal["curve", "aggregator"]
    at: datetime
    age_ms: int


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsHolders(Model):
    slot: int
    supply: Decimal
    circulating: Decimal
    top1_pct: float | None
    top10_pct: float | None
    is_complete: bool
    excluded: List[AgentTokenAnalyticsHoldersExcludedItem]
    wallets: List[AgentTokenAnalyticsHoldersWallet]


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsHoldersExcludedItem(Model):
    kind: AgentTokenAnalyticsHoldersExcludedItemKind
    amount: Decimal
    pct_of_supply: float


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsHoldersWallet(Model):
    owner: str
    amount: Decimal
    pct: float
    is_creator: bool


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsCreator(Model):
    address: str
    held: Decimal
    free_pct: float
    locked_pct: float
    vesting: AgentTokenAnalyticsCreatorVesting | None


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsCreatorVesting(Model):
    state: AgentTokenAnalyticsCreatorVestingState
    total: Decimal
    unlocked: Decimal
    ends_at: datetime | None


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsDepth(Model):
    depth_usd: Decimal
    source: AgentTokenAnalyticsDepthSource
    at: datetime
    age_ms: int


@dataclass(init=False, repr=False, eq=False)
class AgentTokenAnalyticsVolume(Model):
    days: int
    reported_usd: Decimal
    counted_usd: Decimal
    washed_pct: float
    variation: float


@dataclass(init=False, repr=False, eq=False)
class AgentTokenRisk(Model):
    score: float
    terms: List[AgentTokenRiskTerm]
    unknown: List[AgentTokenRiskTermName]


@dataclass(init=False, repr=False, eq=False)
class AgentTokenRiskTerm(Model):
    name: AgentTokenRiskTermName
    input: Dict[str, float | None]
    points: float
    weight: float
    formula: str


@dataclass(init=False, repr=False, eq=False)
class PairedPerformance(Model):
    window: Literal["24h", "7d", "30d"]
    token_pct: float | None
    stock_pct: float | None
    relative_pct: float | None


@dataclass(init=False, repr=False, eq=False)
class DuplicatedExposure(Model):
    flagged: bool
    holds_token: bool
    holds_stock: bool


@dataclass(init=False, repr=False, eq=False)
class RankAgentTokensPage(Model):
    items: List[RankedAgentToken]
    next_cursor: str | None
    mode: str
    formula: str


@dataclass(init=False, repr=False, eq=False)
class RankedAgentToken(Model):
    rank: int | None
    score: float | None
    reasons: List[RankedAgentTokenReason]
    mint: str
    instrument: str
    symbol: str
    name: str
    paired_stock: str | None
    listed_at: datetime
    age_days: float
    at: datetime
    price: AgentTokenAnalyticsPrice | None
    holders: AgentTokenAnalyticsHolders | None
    creator: AgentTokenAnalyticsCreator | None
    depth: AgentTokenAnalyticsDepth | None
    volume: AgentTokenAnalyticsVolume | None
    risk: AgentTokenRisk
    performance: List[PairedPerformance] | None


@dataclass(init=False, repr=False, eq=False)
class StockPairedToken(Model):
    mint: str
    instrument: str
    symbol: str
    name: str
    paired_stock: str
    price_usd: Decimal | None
    performance: List[PairedPerformance]
    risk: AgentTokenRisk
    duplicated_exposure: DuplicatedExposure | None


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitor(Model):
    id: str
    state: LaunchState
    mint: str
    pool: str
    paired_stock: str | None
    quote: LaunchMonitorQuote
    curve: LaunchMonitorCurve | None
    graduation: LaunchMonitorGraduation


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorQuote(Model):
    mint: str
    symbol: str
    usd: Decimal | None
    usd_at: datetime | None
    usd_age_ms: int | None


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorCurve(Model):
    slot: int
    at: datetime
    age_ms: int
    fill_pct: str
    quote_reserve: str
    graduation_threshold: str
    price: Decimal
    price_usd: Decimal | None
    return_pct: str
    returns: LaunchMonitorCurveReturns | None
    creator_fees: LaunchMonitorCurveCreatorFees
    partner_fees: LaunchMonitorCurvePartnerFees
    trading_fees: LaunchMonitorCurveTradingFees


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorCurveReturns(Model):
    token_pct: str
    quote_pct: str
    relative_pct: str


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorCurveCreatorFees(Model):
    quote: str
    base: str
    claimed_quote: str
    claimed_base: str


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorCurvePartnerFees(Model):
    quote: str
    base: str


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorCurveTradingFees(Model):
    """All that creator and partner were ever due."""
    quote: Decimal
    base: Decimal


@dataclass(init=False, repr=False, eq=False)
class LaunchMonitorGraduation(Model):
    progress: LaunchMonitorGraduationProgress
    successor_pool: str | None


@dataclass(init=False, repr=False, eq=False)
class LaunchPriceHistory(Model):
    points: List[LaunchPriceHistoryPoint]
    fills: List[LaunchPriceHistoryFill]


@dataclass(init=False, repr=False, eq=False)
class LaunchPriceHistoryPoint(Model):
    at: datetime
    price: Decimal
    fill_pct: str
    progress: LaunchMonitorGraduationProgress


@dataclass(init=False, repr=False, eq=False)
class LaunchPriceHistoryFill(Model):
    at: datetime
    side: Literal["buy", "sell"]
    quantity: Decimal
    price_usd: Decimal
    order_id: str


@dataclass(init=False, repr=False, eq=False)
class LaunchTransaction(Model):
    id: str
    wallet: str
    state: SwapOrderState
    transaction: str
    last_valid_block_height: int
    signature: str | None


@dataclass(init=False, repr=False, eq=False)
class LaunchClaim(Model):
    id: str
    launch_id: str
    state: SwapOrderState
    reason: str | None
    detail: str | None
    kind: PrepareLaunchClaimKind
    as_: Literal["creator", "partner"]
    wallet: str
    mint: str
    quote_mint: str
    quote_amount: Decimal
    base_amount: Decimal
    transaction: str
    last_valid_block_height: int
    signature: str | None
    prepared_by: str
    submitted_by: str | None
    created_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class Listing(Model):
    id: str
    state: Literal["listed", "unlisted"]
    name: str
    description: str
    categories: List[str]
    price_usd: Decimal
    manifest_version: int
    manifest_hash: str
    payout_wallet: str
    shape: ListingShape
    evidence: ListingEvidence
    metrics: Any
    own: bool
    published_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class ListingShape(Model):
    """The kinds of conditions, how many instruments and of which kinds; parameters are for licence holders."""
    entry: List[str]
    exit: List[str]
    timeframe: str
    instruments: int
    kinds: List[str]


@dataclass(init=False, repr=False, eq=False)
class ListingEvidence(Model):
    """Evidence at publication, copied from the record by the database."""
    at: datetime
    gates: List[ListingEvidenceGate]
    gates_passed: int
    curve: List[ListingEvidenceCurveItem]
    luck: Any
    versions: int
    versions_tried: int
    stage: AgentWithManifestStage | None
    paper_days: float


@dataclass(init=False, repr=False, eq=False)
class ListingEvidenceGate(Model):
    kind: GateEvidenceKind
    passed: bool
    at: datetime
    evidence_id: str
    hash: str
    metrics: Any
    checks: List[GateEvidenceCheck]
    simulated: bool | None


@dataclass(init=False, repr=False, eq=False)
class ListingEvidenceCurveItem(Model):
    at: datetime
    return_pct: float


@dataclass(init=False, repr=False, eq=False)
class ListingDetail(Model):
    id: str
    state: Literal["listed", "unlisted"]
    name: str
    description: str
    categories: List[str]
    price_usd: Decimal
    manifest_version: int
    manifest_hash: str
    payout_wallet: str
    shape: ListingShape
    evidence: ListingEvidence
    metrics: Any
    own: bool
    published_at: datetime
    changed_at: datetime
    rules: Any


@dataclass(init=False, repr=False, eq=False)
class ListingPrice(Model):
    price_usd: Decimal
    at: datetime


@dataclass(init=False, repr=False, eq=False)
class Checkout(Model):
    id: str
    listing_id: str
    state: CheckoutState
    reason: str | None
    detail: str | None
    price_usd: Decimal
    manifest_hash: str
    buyer: str | None
    payout_wallet: str | None
    memo: str | None
    transaction: str | None
    last_valid_block_height: int | None
    signature: str | None
    licence_id: str | None
    requested_by: str
    submitted_by: str | None
    created_at: datetime
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class Licence(Model):
    id: str
    listing_id: str
    checkout_id: str
    manifest_hash: str
    price_usd: Decimal
    signature: str | None
    issued_to: str
    issued_at: datetime
    agent_ids: List[str]


@dataclass(init=False, repr=False, eq=False)
class Leaderboard(Model):
    window: Literal["24h", "7d", "30d"]
    items: List[LeaderboardEntry]
    next_cursor: str | None
    refresh: LeaderboardRefresh


@dataclass(init=False, repr=False, eq=False)
class LeaderboardEntry(Model):
    rank: int | None
    address: str
    chain: Literal["spotchain", "evmvenue"]
    label: str | None
    realized_pnl_usd: Decimal | None
    coverage_pct: float | None
    basis: Literal["partial", "reported/partial"]
    sales: int
    matched_sales: int
    read_at: datetime | None
    history_since: datetime | None
    reasons: List[LeaderboardEntryReason]


@dataclass(init=False, repr=False, eq=False)
class LeaderboardRefresh(Model):
    at: datetime | None
    waiting: int
    behind_seconds: float


@dataclass(init=False, repr=False, eq=False)
class LeaderboardWallet(Model):
    window: Literal["24h", "7d", "30d"]
    wallet: LeaderboardEntry
    items: List[WalletSale]
    next_cursor: str | None


@dataclass(init=False, repr=False, eq=False)
class WalletSale(Model):
    """Cost and profit are null if the basis is not known: such a sale is in no figure."""
    at: datetime
    asset: str
    direction: str
    quantity: Decimal | None
    proceeds_usd: Decimal | None
    cost_usd: Decimal | None
    profit_usd: Decimal | None
    reference: str


@dataclass(init=False, repr=False, eq=False)
class RegisteredWallet(Model):
    address: str
    chain: Literal["spotchain", "evmvenue"]
    label: str | None


@dataclass(init=False, repr=False, eq=False)
class BasisPolicy(Model):
    """Evaluated as a Take: its decisions, history and chart are those of GET /v1/takes/:id/…."""
    id: str
    state: BasisPolicyState
    on_duty: bool
    origin: Literal["thesis", "basis"]
    hash: str
    manifest_hash: str
    symbol: str
    instrument: str
    target: Any
    conditions: BasisPolicyConditions
    allocation_usd: Decimal
    max_slippage_bps: float
    timeframe: str
    expires_at: datetime
    mode: Literal["paper", "live"] | None
    reason: str | None
    thesis: str | None
    understood: List[BasisPolicyUnderstoodItem]
    assumed: List[str]
    not_understood: List[str]
    open: List[str]
    lineage: List[str]
    published: bool
    created_by: str
    created_at: datetime
    armed_at: datetime | None
    changed_at: datetime
    enter_discount_pct: float
    exit_discount_pct: float
    notional_usd: Decimal
    max_hold_hours: float


@dataclass(init=False, repr=False, eq=False)
class BasisPolicyConditions(Model):
    entry: List[BasisPolicyConditionsEntryItem]
    exit: List[BasisPolicyConditionsExitItem]


@dataclass(init=False, repr=False, eq=False)
class BasisPolicyConditionsEntryItem(Model):
    type: str


@dataclass(init=False, repr=False, eq=False)
class BasisPolicyConditionsExitItem(Model):
    type: str


@dataclass(init=False, repr=False, eq=False)
class BasisPolicyUnderstoodItem(Model):
    phrase: str
    as_: str


@dataclass(init=False, repr=False, eq=False)
class CopilotReply(Model):
    conversation_id: str
    intent: CopilotReplyIntent
    reply: str
    data: Any
    links: List[str]
    draft: CopilotReplyDraft | None


@dataclass(init=False, repr=False, eq=False)
class CopilotReplyDraft(Model):
    """For review: nothing of it is kept or armed."""
    kind: Literal["take", "policy"]
    hash: str
    body: Any
    understood: List[BasisPolicyUnderstoodItem]
    assumed: List[str]
    next: CopilotReplyDraftNext


@dataclass(init=False, repr=False, eq=False)
class CopilotReplyDraftNext(Model):
    """The operator's own call that keeps or arms it."""
    method: str
    path: str
    body: Any


@dataclass(init=False, repr=False, eq=False)
class Take(Model):
    id: str
    state: BasisPolicyState
    on_duty: bool
    origin: Literal["thesis", "basis"]
    hash: str
    manifest_hash: str
    symbol: str
    instrument: str
    target: Any
    conditions: BasisPolicyConditions
    allocation_usd: Decimal
    max_slippage_bps: float
    timeframe: str
    expires_at: datetime
    mode: Literal["paper", "live"] | None
    reason: str | None
    thesis: str | None
    understood: List[BasisPolicyUnderstoodItem]
    assumed: List[str]
    not_understood: List[str]
    open: List[str]
    lineage: List[str]
    published: bool
    created_by: str
    created_at: datetime
    armed_at: datetime | None
    changed_at: datetime


@dataclass(init=False, repr=False, eq=False)
class TokenizedTake(Model):
    as_: Literal["agent", "launch"]
    take_id: str
    agent: Agent | None
    launch: TokenizedTakeLaunch | None


@dataclass(init=False, repr=False, eq=False)
class TokenizedTakeLaunch(Model):
    take_id: str
    preset: str
    name: str
    symbol: str
    quote_mint: str


@dataclass(init=False, repr=False, eq=False)
class PublishedTake(Model):
    """Does not show the author or the trades."""
    id: str
    origin: Literal["thesis", "basis"]
    hash: str
    manifest_hash: str
    symbol: str
    instrument: str
    target: Any
    conditions: BasisPolicyConditions
    allocation_usd: Decimal
    max_slippage_bps: float
    timeframe: str
    thesis: str | None
    understood: List[BasisPolicyUnderstoodItem]
    assumed: List[str]
    not_understood: List[str]
    lineage: List[str]
    created_at: datetime
    published_at: datetime


@dataclass(init=False, repr=False, eq=False)
class ListTakeDecisionsPage(Model):
    items: List[TakeDecision]
    next_cursor: str | None
    moved_before: datetime | None = None


@dataclass(init=False, repr=False, eq=False)
class TakeDecision(Model):
    id: str
    agent_id: str
    slot: datetime
    at: datetime
    manifest_hash: str
    observed: Dict[str, Observation]
    rules: List[DecisionRule]
    disposition: OutsideProposalReceiptDecisionDisposition
    reason: str | None
    instrument: str | None
    risk: PortfolioImpactAllocationRisk | None
    book: DecisionBook
    previous_hash: str
    hash: str
    take_id: str


@dataclass(init=False, repr=False, eq=False)
class DelegationChallenge(Model):
    text: str
    issued_at: datetime
    nonce: str


@dataclass(init=False, repr=False, eq=False)
class Delegation(Model):
    """The newest delegation of an agent or a Take counts; an older one never holds again."""
    id: str
    agent_id: str | None
    take_id: str | None
    wallet: str
    signer_wallet: str
    max_notional_usd: Decimal
    expires_at: datetime
    issued_at: datetime
    nonce: str
    owner_signature: str
    granted_by: str
    granted_at: datetime
    revoked_at: datetime | None
    revoked_by: str | None


@dataclass(init=False, repr=False, eq=False)
class CallMcpAnswer(Model):
    """A result or an error of JSON-RPC 2.0."""
    jsonrpc: str
    id: str | int | None = None
    result: Dict[str, Any] | None = None
    error: CallMcpAnswerError | None = None


@dataclass(init=False, repr=False, eq=False)
class CallMcpAnswerError(Model):
    code: int
    message: str
    data: Any = None


@dataclass(init=False, repr=False, eq=False)
class Problem(Model):
    """RFC 9457 problem details."""
    type: str
    title: str
    status: int
    detail: str
    code: ProblemCode
    request_id: str
    problems: List[BacktestPreviewProblem] | None = None
    questions: List[str] | None = None
    rejections: List[PortfolioImpactAllocationRiskRejection] | None = None
    difference: ProblemDifference | None = None
    checks: List[GateEvidenceCheck] | None = None


@dataclass(init=False, repr=False, eq=False)
class ProblemDifference(Model):
    """Programs whose instructions a wallet inserted, removed or altered in the prepared message."""
    inserted: List[ProblemDifferenceInsertedItem]
    removed: List[ProblemDifferenceInsertedItem]
    altered: List[ProblemDifferenceInsertedItem]
    reordered: bool
    parts: List[str]


@dataclass(init=False, repr=False, eq=False)
class ProblemDifferenceInsertedItem(Model):
    program: str
    name: str | None

ManifestPayloadEntryConditionInput = Union[
    "PremiumBelowInput", "PremiumAboveInput", "RsiBelowInput", "RsiAboveInput", "NoNegativeEventInput",
    "EmaCrossUpInput", "EmaCrossDownInput", "EmaAboveInput", "EmaBelowInput", "GapToMarkBelowInput",
    "GapToMarkAboveInput", "FundingPercentileBelowInput", "FundingPercentileAboveInput", "BasisBelowInput",
    "BasisAboveInput", "SessionInInput", "LiquidityAboveInput", "PriceAboveInput", "PriceBelowInput",
    "VolatilityBelowInput", "NetEdgeAboveInput",
]
ManifestPayloadExitConditionInput = Union[
    "PremiumBelowInput", "PremiumAboveInput", "RsiBelowInput", "RsiAboveInput", "NegativeEventInput", "EmaCrossUpInput",
    "EmaCrossDownInput", "EmaAboveInput", "EmaBelowInput", "GapToMarkBelowInput", "GapToMarkAboveInput",
    "FundingPercentileBelowInput", "FundingPercentileAboveInput", "BasisBelowInput", "BasisAboveInput",
    "SessionInInput", "LiquidityAboveInput", "PriceAboveInput", "PriceBelowInput", "VolatilityBelowInput",
    "ReferenceLostInput", "TakeProfitInput", "StopLossInput", "HeldLongerThanInput",
]
ManifestDeclarativeStrategyFactorInput = Union[
    "EmaCrossInput", "FundingPercentileInput", "RsiInput", "PremiumInput", "GapToMarkInput", "BasisInput",
    "VolatilityInput", "EventSentimentInput",
]
EvaluationRunDetailResult = Union["BacktestResult", "SweepResult", "StressTestResult", "AgreementResult", "None"]


class Operations(Caller):
    """Every operation that the API answers over HTTP, under its `operationId` in snake_case."""

    @operation("GET", "/healthz")
    def get_health(self) -> Health:
        """Liveness of the process"""

    @operation("GET", "/readyz", also=[503])
    def get_readiness(self) -> Readiness:
        """Readiness of the service, part by part"""

    @operation("GET", "/metrics")
    def get_metrics(self) -> str:
        """Measurements in the Prometheus text format"""

    @operation("GET", "/v1/me")
    def get_me(self) -> Me:
        """The caller with its present permissions"""

    @operation("GET", "/v1/me/settings")
    def list_settings(self) -> Pages[Setting, Page[Setting]]:
        """The caller's own settings, sorted by name

        Empty for an identity that belongs to no organization.
        """

    @operation("PUT", "/v1/me/settings/{name}", body="version value", needs_body=True)
    def keep_setting(self, name: str, *, version: int, value: str | None) -> Setting:
        """Writes one of the caller's own settings

        The version must be the one that the setting has, so that an older copy does not overwrite a newer one. A member
        has at most 64 settings.
        """

    @operation("POST", "/v1/session", body="token", needs_body=True)
    def open_session(self, *, token: str) -> Session:
        """Signs in: stores the token in a browser cookie

        The token is verified as in any other request and set as an HttpOnly, SameSite=Strict cookie until it expires. A
        token that is refused counts against the limit for wrong credentials of its address.
        """

    @operation("DELETE", "/v1/session")
    def close_session(self) -> None:
        """Clears the browser's cookie

        The token itself stays valid until it expires.
        """

    @operation("POST", "/v1/session/link", body="code", needs_body=True)
    def redeem_sign_in_link(self, *, code: str) -> Session:
        """Signs in a browser on this machine with a link

        The code of the link that a service with the identity provider of the sandbox prints at its start. It works
        once, for ten minutes, from the loopback address only. A code that is refused counts against the limit for wrong
        credentials.
        """

    @operation("POST", "/v1/session/revoke")
    def revoke_session(self) -> None:
        """Ends the caller's session everywhere

        The token is refused by every process of the service, and so is each other one of the same session of the
        identity provider (`sid`). Where a token names neither a session nor itself, all tokens of the caller that were
        issued until now are refused.
        """

    @operation("GET", "/v1/members")
    def list_members(self) -> Pages[Member, Page[Member]]:
        """The members of the organization, in the order of their subjects"""

    @operation("POST", "/v1/members/grant", body="subject role permissions", needs_body=True, keyed=True)
    def grant_member(
        self,
        *,
        subject: str,
        role: str | None = None,
        permissions: Sequence[MePermission] | None = None,
        idempotency_key: str | None = None,
    ) -> Member:
        """Gives a member a role or permissions

        Give either `role` or `permissions`. They replace the earlier ones from the member's next request on; open feeds
        follow within three seconds. Nobody can change permissions of their own.
        """

    @operation("POST", "/v1/members/remove", body="subject", needs_body=True, keyed=True)
    def remove_member(self, *, subject: str, idempotency_key: str | None = None) -> Member:
        """Takes a member out of the organization

        From the next request on the identity belongs to no organization. What the member did stays on record, and its
        agents go on.
        """

    @operation("POST", "/v1/members/revoke-tokens", body="subject", needs_body=True, keyed=True)
    def revoke_tokens(self, *, subject: str, idempotency_key: str | None = None) -> RevokeTokensAnswer:
        """Revokes the tokens of a member

        Every token that was issued until now is refused from its next request on, by every process of the service; open
        feeds end within three seconds. The member may sign in again: remove it to keep it out.
        """

    @operation("GET", "/v1/roles")
    def list_roles(self) -> Pages[MemberRole, Page[MemberRole]]:
        """The built-in roles, and those of the organization"""

    @operation("PUT", "/v1/roles/{name}", body="permissions", needs_body=True, keyed=True)
    def set_role(
        self,
        name: str,
        *,
        permissions: Sequence[MePermission],
        idempotency_key: str | None = None,
    ) -> MemberRole:
        """Writes a role of the organization: a name for a set of permissions

        Members who have the role have its new permissions at once. The built-in roles stay as they are.
        """

    @operation("GET", "/v1/invitations?limit&cursor")
    def list_invitations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Invitation, Page[Invitation]]:
        """Invitations, newest first, without their codes"""

    @operation("POST", "/v1/invitations", body="name role permissions hours", needs_body=True)
    def invite_member(
        self,
        *,
        name: str,
        role: str | None = None,
        permissions: Sequence[MePermission] | None = None,
        hours: int | None = None,
    ) -> NewInvitation:
        """Invites a member with a role or permissions

        Give either `role` or `permissions`. The code is shown once and not stored: send it over a channel that you
        trust. Repeating the request creates another invitation.
        """

    @operation("POST", "/v1/invitations/accept", body="code", needs_body=True)
    def accept_invitation(self, *, code: str) -> AcceptInvitationAnswer:
        """Joins an organization by the code of an invitation

        For a verified identity of the identity provider that belongs to no organization. A code works once. One that is
        refused counts against the limit for wrong credentials.
        """

    @operation("POST", "/v1/invitations/{id}/revoke", keyed=True)
    def revoke_invitation(self, id: str, *, idempotency_key: str | None = None) -> Invitation:
        """Revokes an invitation that nobody has accepted"""

    @operation("GET", "/v1/intelligence/macro?group&observations&asOf&calendarDays&minImpact")
    def get_macro_intelligence(
        self,
        *,
        group: GetMacroIntelligenceGroup | None = None,
        observations: int | None = None,
        as_of: str | None = None,
        calendar_days: int | None = None,
        min_impact: Literal["high", "medium", "low"] | None = None,
    ) -> MacroIntelligence:
        """Macro calendar, rate regimes and inflation series

        Every value with its vintage: with `asOf`, as it was known on that day. A regime is null if its input is missing
        or too old, never guessed.
        """

    @operation("GET", "/v1/intelligence/events?symbol&minSeverity&kind&confirmed&from&limit&cursor")
    def list_market_events(
        self,
        *,
        symbol: str | None = None,
        min_severity: ListMarketEventsMinSeverity | None = None,
        kind: ListMarketEventsKind | None = None,
        confirmed: bool | None = None,
        from_: Time | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[MarketEvent, Page[MarketEvent]]:
        """Market events with their corroboration and sources

        Filings, wire items and what they are about, newest first. An event is confirmed by one primary source or by two
        independent families; copies of one text count once, and social posts never count.
        """

    @operation("GET", "/v1/chains?chain&historyDays&limit&cursor")
    def list_chains(
        self,
        *,
        chain: str | None = None,
        history_days: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[ChainTvl, Chains]:
        """Value locked on chains"""

    @operation("GET", "/v1/macro-regime")
    def get_macro_regime(self) -> MacroRegime:
        """The macro regime (risk-on or risk-off) with each input and its weight

        A weighted sum of a few inputs with fixed thresholds: the same inputs always give the same answer. An input that
        is missing or too old has no weight.
        """

    @operation("GET", "/v1/social-feed?symbol&platform&author&minLikes&mapped&from&limit&cursor")
    def list_social_feed(
        self,
        *,
        symbol: str | None = None,
        platform: str | None = None,
        author: str | None = None,
        min_likes: int | None = None,
        mapped: bool | None = None,
        from_: Time | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[SocialPost, Page[SocialPost]]:
        """Market chatter, mapped to the catalog’s assets

        Newest first. Posts confirm nothing and are in no event: those are under `/v1/intelligence/events`.
        """

    @operation("GET", "/v1/rankings/fair-value?mode&at&slippageBps&sector&q&ranked&limit&cursor")
    def rank_fair_value(
        self,
        *,
        mode: RankFairValueMode | None = None,
        at: Time | None = None,
        slippage_bps: float | None = None,
        sector: str | None = None,
        q: str | None = None,
        ranked: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[RankedRow, RankFairValuePage]:
        """Tokenized equities by discount, premium, liquidity or event intensity

        Ranks what was observed at one cut. Rows that cannot be ranked stay in the list, without a rank and with the
        reasons.
        """

    @operation("GET", "/v1/rankings/private?mode&books&at&slippageBps&sector&q&ranked&limit&cursor")
    def rank_private_markets(
        self,
        *,
        mode: RankPrivateMarketsMode | None = None,
        books: Literal["paper", "live"] | None = None,
        at: Time | None = None,
        slippage_bps: float | None = None,
        sector: str | None = None,
        q: str | None = None,
        ranked: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[RankedRow, RankFairValuePage]:
        """Pre-IPO markets by one of seven modes

        `portfolio_fit` scores against the books of the caller and shows each term. Rows that cannot be ranked stay in
        the list with the reasons.
        """

    @operation("GET", "/v1/private-markets?sector&limit&cursor")
    def list_private_markets(
        self,
        *,
        sector: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[CatalogEntry, Page[CatalogEntry]]:
        """Pre-IPO markets with their live price, issuer mark and implied valuation"""

    @operation("GET", "/v1/arbitrage/basis?at&notionalUsd&symbol&limit&cursor")
    def list_basis(
        self,
        *,
        at: Time | None = None,
        notional_usd: Money | None = None,
        symbol: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[BasisRow, ListBasisPage]:
        """The spread between token, reference and perpetual, with what it costs to trade it

        A leg that is not live gives no edge. Costs are those of a round trip: fees, spread, impact, transfer fee,
        funding until the mean half-life.
        """

    @operation("POST", "/v1/stocks/{symbol}/assessment")
    def assess_stock(self, symbol: str) -> Assessment:
        """Bull case, bear case, valuation context and catalysts with their sources

        Deterministic: the same observations give the same assessment. Thin evidence is named.
        """

    @operation("GET", "/v1/risk/preferences")
    def get_risk_preferences(self) -> RiskPreferences:
        """The organization's risk mandate"""

    @operation("PUT", "/v1/risk/preferences", body="maxCapitalUsd maxTradeNotionalUsd maxLeverage maxDailyDrawdownPct maxOpenPositions maxSlippageBps maxPositionWeightPct maxUnderlyingWeightPct maxPoolSharePct requireLiveReference reduceOnly", needs_body=True, keyed=True)
    def set_risk_preferences(
        self,
        *,
        max_capital_usd: Money,
        max_trade_notional_usd: Money,
        max_leverage: Money,
        max_daily_drawdown_pct: float,
        max_open_positions: int,
        max_slippage_bps: float,
        max_position_weight_pct: float,
        max_underlying_weight_pct: float,
        max_pool_share_pct: float,
        require_live_reference: bool,
        reduce_only: bool,
        idempotency_key: str | None = None,
    ) -> RiskPreferences:
        """Replaces the organization's risk mandate

        Replaces all fields, and a body that leaves one out is refused: send what `GET /v1/risk/preferences` answered
        with your changes. Once it has answered, nothing is executed any more that was assessed by the earlier one,
        approved proposals included.
        """

    @operation("GET", "/v1/risk/preferences/history?limit&cursor")
    def list_risk_preferences(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[RiskPreferences, Page[RiskPreferences]]:
        """Every risk mandate that was set, newest first"""

    @operation("GET", "/v1/books?limit&cursor&agentId")
    def list_books(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        agent_id: str | None = None,
    ) -> Pages[Book, Page[Book]]:
        """The books of agents and people, newest first

        A book is opened by its first fill or deposit.
        """

    @operation("GET", "/v1/books/{id}/fills?limit&cursor")
    def list_fills(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> Pages[Fill, Page[Fill]]:
        """The fills of one book, newest first"""

    @operation("GET", "/v1/books/{id}/equity?points")
    def get_equity(self, id: str, *, points: int | None = None) -> Equity:
        """Equity curve of one book, with its drawdown

        Equity at the end of each bar: cash of the book plus positions at the last close. If a price is unknown, the
        point is null.
        """

    @operation("GET", "/v1/portfolio?mode&wallets")
    def get_portfolio(self, *, mode: Literal["paper", "live"] | None = None, wallets: str | None = None) -> Portfolio:
        """Holdings over books and wallets with the quality of each price, and the five stress scenarios

        Books of one mode, and the wallets that are named: paper money and real money are never added up. A holding is
        valued at its own venue's quote. A holding without a price is named and counts in no sum, and so does a wallet
        that does not answer. Every number names its inputs.
        """

    @operation("GET", "/v1/portfolio/performance?mode")
    def get_performance(self, *, mode: Literal["paper", "live"] | None = None) -> Performance:
        """Equity, realized and unrealized profit and loss, and the profit and loss of this UTC day

        P&L of each book of one mode and of all together. Paper and real money are never added up. Holdings are valued
        at the mid price of their own venue. If a quote is missing, every number that depends on it is null.
        """

    @operation("GET", "/v1/portfolio/equity?mode&points")
    def get_total_equity(
        self,
        *,
        mode: Literal["paper", "live"] | None = None,
        points: int | None = None,
    ) -> TotalEquity:
        """Total equity curve: agents, vaults and manual orders together

        Total equity of the books that count now: cash plus positions at the mid price observed at each point. Includes
        realized and unrealized P&L. Paper and real money are never added up. If a price was not observed, the point is
        null.
        """

    @operation("POST", "/v1/portfolio/impact", body="mode wallets allocations", needs_body=True)
    def simulate_impact(
        self,
        *,
        allocations: Sequence[SimulateImpactAllocationInput],
        mode: Literal["paper", "live"] | None = None,
        wallets: Sequence[str] | None = None,
    ) -> PortfolioImpact:
        """Holdings, sector weights, duplicate exposure, pool exits and scenarios before and after a proposed allocation

        Simulated in the organization's manual book at the touch, fee included, one allocation after the other. Each is
        assessed by the pre-trade risk function as if those before it were pending; a refused one is simulated and
        marked as refused; one without a live price is not simulated. Nothing is stored and nothing reserved.
        """

    @operation("GET", "/v1/spotchain/quote?instrument&side&amount&slippageBps")
    def quote_swap(
        self,
        *,
        instrument: str,
        side: Literal["buy", "sell"],
        amount: Money,
        slippage_bps: Money | None = None,
    ) -> SwapQuote:
        """Aggregator-routed quote of a swap

        Asks the aggregator for a route of exactly this amount. Nothing is stored or reserved. Refused while the token
        has no live quote.
        """

    @operation("POST", "/v1/spotchain/orders/prepare", body="instrument side amount slippageBps wallet", needs_body=True, keyed=True)
    def prepare_swap(
        self,
        *,
        instrument: str,
        side: Literal["buy", "sell"],
        amount: Money,
        wallet: str,
        slippage_bps: int | None = None,
        idempotency_key: str | None = None,
    ) -> SwapOrder:
        """Prepares a swap for the wallet to sign

        Runs the pre-trade risk function with the organization’s preferences as the mandate, fetches an executable
        route, checks and simulates its transaction, and stores the exact message with its digest before it answers.
        Until it has ended, the most that it may cost is reserved from the mandate. At most 20 are open per
        organization; an unsigned one ends by itself once its blockhash has expired.
        """

    @operation("POST", "/v1/spotchain/orders/{id}/execute", body="signedTransaction", needs_body=True, keyed=True)
    def execute_swap(self, id: str, *, signed_transaction: str, idempotency_key: str | None = None) -> SwapOrder:
        """Submits the signed transaction of a prepared swap

        The signed message must be the prepared one byte for byte; where a wallet changed it, the answer names the
        programs that it inserted, removed or altered, and nothing is sent. The bytes are recorded before they are
        broadcast, and once: the same bytes again answer the present state, other bytes are refused. GET
        /v1/spotchain/orders/:id tells the outcome; the fill is booked once the chain has finalized it.
        """

    @operation("GET", "/v1/spotchain/orders?limit&cursor")
    def list_swaps(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[SwapOrder, Page[SwapOrder]]:
        """Swaps on the primary chain, newest first"""

    @operation("GET", "/v1/spotchain/orders/{id}")
    def get_swap(self, id: str) -> SwapOrder:
        """One swap with its fill"""

    @operation("GET", "/v1/quotes?venue&instrument&limit&cursor")
    def list_quotes(
        self,
        *,
        venue: PortfolioHoldingQuoteVenue | None = None,
        instrument: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Quote, Page[Quote]]:
        """The latest quotes and reference prices

        Sorted by venue and instrument. Instruments without data yet are left out.
        """

    @operation("GET", "/v1/candles?venue&instrument&timeframe&from&to&limit&cursor")
    def list_candles(
        self,
        *,
        venue: PortfolioHoldingQuoteVenue,
        instrument: str,
        timeframe: str,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[CandlesItem, Candles]:
        """Closed candles of one instrument, and the gaps between them

        Without `from`, the latest `limit` bars before `to`. Without `to`, up to now. A missing bar is named in
        `coverage`, never filled in.
        """

    @operation("GET", "/v1/candles/day?limit&cursor")
    def list_day_closes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[DayCloses, Page[DayCloses]]:
        """The last 24 hourly closes of each instrument of the catalog

        Sorted by instrument. Enough to draw the day of a whole watchlist; `listCandles` has the bars themselves.
        """

    @operation("GET", "/v1/candles/work?limit&cursor")
    def list_candle_work(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[CandleWork, Page[CandleWork]]:
        """Imports and backfills of candles with their progress, newest first

        Shown for a week. Work of less than a second is left out.
        """

    @operation("GET", "/v1/order-book?venue&instrument&depth")
    def get_order_book(self, *, venue: CatalogEntryVenue, instrument: str, depth: int | None = None) -> OrderBook:
        """Order-book depth of one instrument"""

    @operation("GET", "/v1/tickers?venue&instrument&limit&cursor")
    def list_tickers(
        self,
        *,
        venue: Literal["spotexchange"] | None = None,
        instrument: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[DayTicker, Page[DayTicker]]:
        """The last 24 hours of each instrument of the spot exchange

        Sorted by instrument. Instruments without data yet are left out.
        """

    @operation("GET", "/v1/perps?instrument&limit&cursor")
    def list_perps(
        self,
        *,
        instrument: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Perp, Page[Perp]]:
        """Every perpetual with its mark, oracle, funding, open interest and top of book

        Sorted by instrument. Perpetuals without data yet are left out.
        """

    @operation("GET", "/v1/perps/{instrument}?hours")
    def get_perp(self, instrument: str, *, hours: int | None = None) -> PerpDetail:
        """One perpetual, with its recent funding"""

    @operation("GET", "/v1/venues?limit&cursor")
    def list_venues(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[Venue, Page[Venue]]:
        """State of each venue’s feeds, its clock offset and its remaining request budgets"""

    @operation("GET", "/v1/public-wallet/{address}")
    def get_public_wallet(self, address: str) -> PublicWallet:
        """Margin, positions and closed profit and loss of any address on the perpetuals venue

        An address that the venue does not know has zeros. Read-only: nothing is stored.
        """

    @operation("GET", "/v1/wallets/evmvenue/{address}")
    def get_chain_wallet(self, address: str) -> ChainWallet:
        """Balances and kind of a wallet on the EVM chain, all at one block, and its margin account on the perpetuals
        venue
        """

    @operation("GET", "/v1/catalog?venue&kind&classification&underlying&q&limit&cursor")
    def list_catalog(
        self,
        *,
        venue: CatalogEntryVenue | None = None,
        kind: CatalogEntryKind | None = None,
        classification: CatalogEntryClassification | None = None,
        underlying: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[CatalogEntry, Page[CatalogEntry]]:
        """Every instrument that an agent may name"""

    @operation("GET", "/v1/catalog/marks?instrument&limit&cursor")
    def list_marks(
        self,
        *,
        instrument: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[MarkChange, Page[MarkChange]]:
        """History of issuers' marks"""

    @operation("GET", "/v1/catalog/sessions?from&to&limit&cursor")
    def list_sessions(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[SessionDay, Page[SessionDay]]:
        """Sessions of US equities by day"""

    @operation("POST", "/v1/market-orders/paper", body="instrument side quantity notionalUsd limitPrice maxSlippageBps timeInForce postOnly", needs_body=True, keyed=True)
    def place_paper_order(
        self,
        *,
        instrument: str,
        side: Literal["buy", "sell"],
        quantity: Money | None = None,
        notional_usd: Money | None = None,
        limit_price: Money | None = None,
        max_slippage_bps: float | None = None,
        time_in_force: Literal["ioc", "gtc"] | None = None,
        post_only: bool | None = None,
        idempotency_key: str | None = None,
    ) -> MarketOrder:
        """Paper order on the spot exchange

        Goes through the same pre-trade risk function as every order, in the organization's manual book, with its risk
        preferences as the mandate. It is filled at once through the depth of the exchange's live book. Each fill names
        its quotes, and an unfilled part has a reason.
        """

    @operation("POST", "/v1/market-orders/spotexchange/live", body="instrument side quantity notionalUsd limitPrice maxSlippageBps timeInForce postOnly", needs_body=True, keyed=True)
    def place_spotexchange_order(
        self,
        *,
        instrument: str,
        side: Literal["buy", "sell"],
        quantity: Money | None = None,
        notional_usd: Money | None = None,
        limit_price: Money | None = None,
        max_slippage_bps: float | None = None,
        time_in_force: Literal["ioc", "gtc"] | None = None,
        post_only: bool | None = None,
        idempotency_key: str | None = None,
    ) -> MarketOrder:
        """Live order on the spot exchange

        Only if SVC_LIVE_SPOTEXCHANGE_ENABLED=true. Goes through the same pre-trade risk function, lease and epoch as
        every order, and is sent once, as LIMIT IOC at its worst acceptable price. GET /v1/market-orders/:id tells the
        outcome; it is `unknown` until the exchange has reported it.
        """

    @operation("POST", "/v1/market-orders/{id}/cancel", keyed=True)
    def cancel_market_order(self, id: str, *, idempotency_key: str | None = None) -> MarketOrder:
        """Cancels the resting part of an order

        The order is `withdrawing` until its venue has answered. Fills before and meanwhile stay. It ends `cancelled`,
        `partially_filled` or `filled`.
        """

    @operation("GET", "/v1/market-orders?limit&cursor&mode&open")
    def list_market_orders(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        mode: Literal["paper", "live"] | None = None,
        open: Literal["true"] | None = None,
    ) -> Pages[MarketOrder, Page[MarketOrder]]:
        """Orders of people on the spot exchange, newest first"""

    @operation("GET", "/v1/market-orders/{id}")
    def get_market_order(self, id: str) -> MarketOrder:
        """One order of a person with its fills"""

    @operation("GET", "/v1/prediction-markets?provider&status&underlying&symbol&event&q&limit&cursor")
    def list_prediction_markets(
        self,
        *,
        provider: Literal["polymarket", "kalshi"] | None = None,
        status: ListPredictionMarketsStatus | None = None,
        underlying: str | None = None,
        symbol: str | None = None,
        event: str | None = None,
        q: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[PredictionMarket, Page[PredictionMarket]]:
        """Prediction markets of both providers

        Sorted by end, the latest first. All given filters apply.
        """

    @operation("GET", "/v1/prediction-markets/{id}")
    def get_prediction_market(self, id: str) -> PredictionMarket:
        """One prediction market"""

    @operation("GET", "/v1/prediction-markets/{id}/research")
    def research_prediction_market(self, id: str) -> PredictionResearch:
        """A source-corroborated probability and what decides the market

        Asks both venues for their order books and trades. Two markets are the same question only if underlying,
        measure, comparator, threshold and instant agree; others are related and never merged. Prices that are not live
        are left out and named.
        """

    @operation("POST", "/v1/prediction-orders/paper", body="marketId outcome side quantity notionalUsd limitPrice maxSlippageBps", needs_body=True, keyed=True)
    def place_paper_prediction_order(
        self,
        *,
        market_id: str,
        outcome: Literal["yes", "no"],
        side: Literal["buy", "sell"],
        quantity: Money | None = None,
        notional_usd: Money | None = None,
        limit_price: Money | None = None,
        max_slippage_bps: float | None = None,
        idempotency_key: str | None = None,
    ) -> PredictionOrder:
        """Paper prediction order

        Goes through the same pre-trade risk function as every order, in the organization's manual book, with its risk
        preferences as the mandate. Both outcomes of a market, and markets of an event that exclude each other, are one
        exposure. It is filled at once through the depth of the provider's live book, at the provider's own fee; each
        fill names its quotes, and an unfilled part has a reason.
        """

    @operation("POST", "/v1/prediction-orders/prepare", body="marketId outcome side quantity notionalUsd limitPrice maxSlippageBps wallet", needs_body=True, keyed=True)
    def prepare_prediction_order(
        self,
        *,
        market_id: str,
        outcome: Literal["yes", "no"],
        side: Literal["buy", "sell"],
        wallet: str,
        quantity: Money | None = None,
        notional_usd: Money | None = None,
        limit_price: Money | None = None,
        max_slippage_bps: float | None = None,
        idempotency_key: str | None = None,
    ) -> PreparedPredictionOrder:
        """Prepares a live onchain prediction order

        Asks the on-chain venue for a transaction that pays the deposit of exactly this order, assesses that order by
        the same pre-trade risk function as every other, checks what the transaction would do to the wallet, and stores
        both. Its contracts and its worst price are what the venue offers, never worse than what was asked for. It
        reserves capacity until it has expired, about a minute from now.
        """

    @operation("POST", "/v1/prediction-orders/{id}/execute", body="signedTransaction", needs_body=True, keyed=True)
    def execute_prediction_order(
        self,
        id: str,
        *,
        signed_transaction: str,
        idempotency_key: str | None = None,
    ) -> PredictionOrderTransaction:
        """Executes the prepared prediction order

        The signed bytes must carry the prepared message, byte for byte, and every signature that it needs. They are
        sent once risk has passed the order again on the present market. An executed order is not filled yet: GET
        /v1/prediction-orders/:id tells when it is open and what the venue has filled.
        """

    @operation("GET", "/v1/prediction-orders?limit&cursor&mode&state&marketId")
    def list_prediction_orders(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        mode: Literal["paper", "live"] | None = None,
        state: PredictionOrderState | None = None,
        market_id: str | None = None,
    ) -> Pages[PredictionOrder, Page[PredictionOrder]]:
        """Orders on prediction markets, newest first"""

    @operation("GET", "/v1/prediction-orders/{id}")
    def get_prediction_order(self, id: str) -> PredictionOrder:
        """One prediction order with its fills"""

    @operation("POST", "/v1/bridge/quote", body="from to token amount sender recipient preference provider", needs_body=True, keyed=True)
    def quote_bridge(
        self,
        *,
        from_: Literal["spotchain", "evmvenue"],
        to: Literal["spotchain", "evmvenue"],
        token: str,
        amount: Money,
        sender: str,
        recipient: str,
        preference: Literal["received", "speed"] | None = None,
        provider: Literal["relay", "cctp"] | None = None,
        idempotency_key: str | None = None,
    ) -> BridgeTransfer:
        """An executable quote of a transfer of the stablecoin between the primary chain and the EVM chain

        Requests a quote from every provider, compares minimum amounts and extra fees, and returns the best with the
        reason. The unsigned source transaction is checked and, if it needs no approval first, simulated. Nothing is
        sent before you sign.
        """

    @operation("POST", "/v1/bridge/submission", body="quoteId signedTransaction hash", needs_body=True, keyed=True)
    def submit_bridge(
        self,
        *,
        quote_id: str,
        signed_transaction: str | None = None,
        hash: str | None = None,
        idempotency_key: str | None = None,
    ) -> BridgeTransfer:
        """Records a signed bridge transaction and starts settlement tracking

        Give `signedTransaction` (base64 on the primary chain, hexadecimal on the EVM chain) and it is checked against
        the quote and sent; or give the `hash` of the transaction where the wallet has sent it. The same request again
        answers the present state. A hash that no node has seen yet is accepted too. What differs from the quote is
        refused before it is sent.
        """

    @operation("GET", "/v1/bridge/status?id")
    def get_bridge_status(self, *, id: str) -> BridgeTransfer:
        """Live confirmation and finality status of a transfer"""

    @operation("GET", "/v1/bridge/transfers?limit&cursor&state")
    def list_bridge_transfers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: BridgeTransferState | None = None,
    ) -> Pages[BridgeTransfer, Page[BridgeTransfer]]:
        """Submitted transfers, newest first; quotes where their state is asked for"""

    @operation("GET", "/v1/bridge/transfers/{id}/timeline")
    def get_bridge_transfer_timeline(self, id: str) -> Pages[BridgeTransferPoint, Page[BridgeTransferPoint]]:
        """Timeline of a transfer

        Ascending: one point for each committed step that changed the state, a chain or an amount.
        """

    @operation("GET", "/v1/bridge/transfers/{id}/course")
    def get_bridge_transfer_course(self, id: str) -> Pages[BridgeTransferPoint, Page[BridgeTransferPoint]]:
        """Timeline of a transfer

        Deprecated since 2026-11-27: use `GET /v1/bridge/transfers/{id}/timeline`. It answers until 2027-05-27.
        Ascending: one point for each committed step that changed the state, a chain or an amount.
        """

    @operation("POST", "/v1/wallets/challenge", body="address", needs_body=True)
    def challenge_wallet(self, *, address: str) -> WalletChallenge:
        """Text that the owner signs to link a wallet

        The newest text of an address is valid for ten minutes; earlier texts are not. Signing it moves no money and
        grants no permission.
        """

    @operation("POST", "/v1/wallets", body="address signature label", needs_body=True, keyed=True)
    def link_wallet(
        self,
        *,
        address: str,
        signature: str,
        label: str | None = None,
        idempotency_key: str | None = None,
    ) -> LinkedWallet:
        """Links a wallet of either chain by the signature of its owner

        A link proves ownership and grants no permission. Linking again renews the proof and may change the label.
        """

    @operation("GET", "/v1/wallets?limit&cursor")
    def list_wallets(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[LinkedWallet, Page[LinkedWallet]]:
        """Linked wallets, newest first"""

    @operation("POST", "/v1/wallets/{id}/rename", body="label", needs_body=True, keyed=True)
    def rename_wallet(self, id: str, *, label: str | None, idempotency_key: str | None = None) -> LinkedWallet:
        """Changes or removes the label of a linked wallet

        By the member who proved it, or with trade:execute. What was quoted or read under the old label stays as it is.
        """

    @operation("POST", "/v1/wallets/{id}/unlink", keyed=True)
    def unlink_wallet(self, id: str, *, idempotency_key: str | None = None) -> LinkedWallet:
        """Unlinks a wallet

        By the member who proved it, or with trade:execute. The link, its text and its signature are deleted, and the
        audit keeps who did it. Transfers under way, listings and orders that name the address go on unchanged: the link
        never permitted them. To link the wallet again it is proved again, and gets another id.
        """

    @operation("POST", "/v1/sandbox/wallet", body="act transaction text method params", needs_body=True)
    def use_sandbox_wallet(
        self,
        *,
        act: UseSandboxWalletAct,
        transaction: str | None = None,
        text: str | None = None,
        method: str | None = None,
        params: Sequence[Any] | None = None,
    ) -> SandboxWallet:
        """Opens, funds or uses the caller’s wallet of the sandbox

        Only in the sandbox, whose coins are worth nothing. `fund` brings 10 SOL and 10,000 USDC; `sign_transaction` and
        `sign_text` answer with a signature and send nothing. `evm_request` answers a call of EIP-1193 for the wallet of
        the EVM chain; `eth_sendTransaction` signs and sends.
        """

    @operation("POST", "/v1/agents", whole="manifest", keyed=True)
    def create_agent(
        self,
        manifest: ManifestPayload | ManifestDeclarative | str,
        *,
        idempotency_key: str | None = None,
    ) -> AgentWithManifest:
        """Creates an agent from a manifest

        The new agent starts at stage `draft` with autonomy `research`, whatever the manifest requests.
        """

    @operation("GET", "/v1/agents?limit&cursor")
    def list_agents(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[Agent, Page[Agent]]:
        """The organization's agents, newest first"""

    @operation("POST", "/v1/agents/{id}/versions", whole="manifest", keyed=True)
    def add_agent_version(
        self,
        id: str,
        manifest: ManifestPayload | ManifestDeclarative | str,
        *,
        idempotency_key: str | None = None,
    ) -> AgentWithManifest:
        """Adds a manifest version

        Any changed parameter makes a new hash, and promotion starts again at `draft`.
        """

    @operation("GET", "/v1/agents/{id}/versions?limit&cursor&from&to&against")
    def list_versions(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        against: str | None = None,
    ) -> Pages[ManifestVersion, ListVersionsPage]:
        """Manifest versions of an agent, newest first, with their differences

        With `from` and `to`, only these versions and those between them, and `comparison` holds all that differs from
        one to the other. With `against`, `to` is a version of that agent, and only `from` is listed.
        """

    @operation("POST", "/v1/agents/{id}/autonomy", body="autonomy", needs_body=True, keyed=True)
    def set_agent_autonomy(
        self,
        id: str,
        *,
        autonomy: SetAgentAutonomyAutonomy,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Sets the autonomy level

        Raising to `policy_auto` or `autonomous` also needs `risk:manage`; lowering is always allowed.
        """

    @operation("POST", "/v1/agents/{id}/promote", keyed=True)
    def promote_agent(self, id: str, *, idempotency_key: str | None = None) -> PromotedAgent:
        """Requests the next promotion stage

        Moves the agent to the next stage if its evidence passes. Otherwise 409: `evidence_missing` if there is no
        evidence, or `gate_failed` with each condition, the observed and the required value. The database enforces the
        same gate. The step from `draft` lists data that a backtest would miss, with the command that imports it.
        """

    @operation("POST", "/v1/agents/{id}/sign-off", body="approved comment", needs_body=True, keyed=True)
    def sign_off_agent(
        self,
        id: str,
        *,
        approved: bool,
        comment: str | None = None,
        idempotency_key: str | None = None,
    ) -> GateEvidence:
        """Signs off the step to live capital, or refuses it

        Only by a member with `risk:manage` who is neither the creator nor the member who asks for the promotion. The
        newest sign-off or refusal counts, for this manifest and this stay at `limited_live` only.
        """

    @operation("POST", "/v1/agents/{id}/backtest", body="from to timeframe assumptions look", keyed=True)
    def backtest_agent(
        self,
        id: str,
        *,
        from_: Time | None = None,
        to: Time | None = None,
        timeframe: str | None = None,
        assumptions: BacktestAgentAssumptionsInput | None = None,
        look: bool | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluationRun:
        """Runs the historical simulation

        Queues a backtest of the active manifest over closed bars. Missing bars are fetched from the venue. Decisions
        see only data known at the time and fill at the next open. A history of less than five years, or with a gap
        outside the trading calendar, ends the run as `refused` with `insufficient_history`. Only a run with the
        manifest's own timeframe over the default period counts as evidence. Any other run is a look: it may be shorter,
        has `request.look` true and opens no gate. Progress is published on the channel `agents`.
        """

    @operation("POST", "/v1/agents/{id}/sweep", body="from to timeframe assumptions parameters walkForward", needs_body=True, keyed=True)
    def sweep_agent(
        self,
        id: str,
        *,
        parameters: Sequence[SweepAgentParameterInput],
        from_: Time | None = None,
        to: Time | None = None,
        timeframe: str | None = None,
        assumptions: BacktestAgentAssumptionsInput | None = None,
        walk_forward: SweepAgentWalkForwardInput | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluationRun:
        """Runs a sweep of thresholds with a walk-forward

        Queues backtests of variants of the active manifest, in which named thresholds take other values, all over the
        same history. The result holds every variant with its deflated Sharpe ratio, which counts every manifest that
        the organization has tried and whose daily returns correlate by 0.5 or more with those of the best variant, and
        a walk-forward: each training window picks the best variant, and the test window after it counts. A sweep is no
        evidence for a gate. Progress is announced on the channel `agents`.
        """

    @operation("POST", "/v1/backtests/preview?agentId&timeframe&draft&days", whole="manifest")
    def preview_backtest(
        self,
        manifest: ManifestPayload | ManifestDeclarative | str,
        *,
        agent_id: str | None = None,
        timeframe: str | None = None,
        draft: bool | None = None,
        days: int | None = None,
    ) -> BacktestPreview:
        """Previews a manifest on the newest bars

        Opens no gate. At most 40000 bars of all series together, 366 days and 20 seconds; bars that are not stored are
        fetched from the venue within that time and kept. Your newest preview ends the one before, closing the
        connection ends it too, and an organization works on one at a time. Each new manifest with a result counts as a
        trial in the deflated Sharpe ratio of later backtests and sweeps, as a variant of a sweep does: of every
        manifest of the organization whose daily returns correlate by 0.5 or more with its own.
        """

    @operation("POST", "/v1/agents/{id}/stress_test", body="seeds", keyed=True)
    def stress_test_agent(
        self,
        id: str,
        *,
        seeds: int | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluationRun:
        """Runs the stress test

        Queues a stress test of the active manifest: flash crash, weekend opening gap, liquidity freeze and de-peg of
        quote and reference, each in several seeded worlds and at two severities, at the recent level and volatility of
        the agent's own universe. The agent decides, is assessed by the risk engine and is filled on paper as it would
        be live; positions that its rules have not opened before the shock are added, and the report names them. The
        agent must survive every run of severity `standard`. Progress is announced on the channel `agents`.
        """

    @operation("POST", "/v1/agents/{id}/evaluations/{runId}/cancel", keyed=True)
    def cancel_evaluation(self, id: str, run_id: str, *, idempotency_key: str | None = None) -> EvaluationRun:
        """Cancels an evaluation run that has not ended"""

    @operation("POST", "/v1/agents/{id}/pause", keyed=True)
    def pause_agent(self, id: str, *, idempotency_key: str | None = None) -> Agent:
        """Pauses one agent

        Stops its decisions and cancels its pending proposals. This route has a rate limit of its own.
        """

    @operation("POST", "/v1/agents/{id}/close", body="instrument limitPrice", keyed=True)
    def close_agent_positions(
        self,
        id: str,
        *,
        instrument: str | None = None,
        limit_price: Money | None = None,
        idempotency_key: str | None = None,
    ) -> Agent:
        """Closes an agent's positions

        Pauses the agent and sells its positions with reduce-only orders within its slippage budget. Orders pass the
        pre-trade risk function and are retried every minute until all positions are closed. Works at every stage and
        autonomy level, also after a pause, halt, demotion or new version. With a limit price, the position is sold when
        the market pays it. A second request replaces the first; resuming the agent cancels it.
        """

    @operation("POST", "/v1/agents/{id}/resume", keyed=True)
    def resume_agent(self, id: str, *, idempotency_key: str | None = None) -> Agent:
        """Resumes a paused agent

        The agent continues at the stage that it was paused from, unless its manifest changed. After a breaker the cause
        must be gone, and somebody other than the creator must ask.
        """

    @operation("POST", "/v1/agents/{id}/release", keyed=True)
    def release_agent(self, id: str, *, idempotency_key: str | None = None) -> Agent:
        """Takes an agent out of quarantine

        An agent is quarantined if one of its rows cannot be read or its machine threw; its incidents name the cause.
        Release it after the repair. It is then paused with the cause `quarantine` until somebody other than its creator
        resumes it. If the cause remains, its next tick quarantines it again.
        """

    @operation("POST", "/v1/agents/emergency-halt", body="reason", keyed=True)
    def emergency_halt(self, *, reason: str | None = None, idempotency_key: str | None = None) -> Halt:
        """Pauses all of the organization's agents and cancels their pending proposals"""

    @operation("GET", "/v1/agents/emergency-halt")
    def get_halt(self) -> LastHalt:
        """The newest emergency halt of the organization: who asked for it, when and why

        A halt holds until each agent is resumed: `pauseCause` of an agent is `emergency_halt` until then.
        """

    @operation("GET", "/v1/agent-orders?limit&cursor&state&agentId")
    def list_proposals(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: ListProposalsState | None = None,
        agent_id: str | None = None,
    ) -> Pages[Proposal, Page[Proposal]]:
        """Trade proposals, newest first

        Proposals that wait for an approval, proposals that were executed without one, and the outcome of both.
        """

    @operation("GET", "/v1/agent-orders/{id}")
    def get_proposal(self, id: str) -> Proposal:
        """One trade proposal with its fills"""

    @operation("POST", "/v1/agent-orders/{id}/approve", keyed=True)
    def approve_proposal(self, id: str, *, idempotency_key: str | None = None) -> Proposal:
        """Approves one pending proposal

        Runs the risk check again on the present quotes. A refusal names every limit, and the proposal ends as
        `blocked_by_risk`. If only live data is missing at the moment, it stays pending and can be approved again. An
        approved proposal is executed at once.
        """

    @operation("POST", "/v1/agent-orders/{id}/decline", body="reason", keyed=True)
    def decline_proposal(self, id: str, *, reason: str | None = None, idempotency_key: str | None = None) -> Proposal:
        """Declines one pending proposal

        Frees the capacity that it reserved. While its rules still hold, the agent proposes again at its next tick.
        """

    @operation("GET", "/v1/agents/{id}")
    def get_agent(self, id: str) -> AgentDetail:
        """One agent with its manifest versions"""

    @operation("POST", "/v1/agents/{id}/proposals", body="side instrument notionalUsd quantity limitPrice reason inputs clientId manifestHash", needs_body=True, keyed=True)
    def propose_trade(
        self,
        id: str,
        *,
        side: Literal["buy", "sell"],
        instrument: str,
        reason: str,
        client_id: str,
        manifest_hash: str,
        notional_usd: Money | None = None,
        quantity: Money | None = None,
        limit_price: Money | None = None,
        inputs: Any = None,
        idempotency_key: str | None = None,
    ) -> OutsideProposalReceipt:
        """Proposes a trade of an external agent from outside code

        The proposal joins the next slot, where the mandate and the pre-trade risk function decide on it. It is no
        order: at `confirm` a person still approves what the agent then proposes (`/v1/agent-orders`). One waits per
        agent. Read what became of it with `GET /v1/agents/{id}/proposals/{proposalId}`, or send the header `Prefer:
        wait=90`: then `state` and `decision` are in the answer, unless there is no decision within so many seconds.
        `clientId` makes such a request safe to repeat, and an Idempotency-Key is not read.
        """

    @operation("GET", "/v1/agents/{id}/proposals?limit&cursor")
    def list_outside_proposals(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[OutsideProposal, Page[OutsideProposal]]:
        """The outside proposals of an agent, newest first

        Proposals of outside code. The resulting proposals of the agent are under `/v1/agent-orders`.
        """

    @operation("GET", "/v1/agents/{id}/proposals/{proposalId}")
    def get_outside_proposal(self, id: str, proposal_id: str) -> OutsideProposal:
        """One outside proposal and what became of it"""

    @operation("GET", "/v1/agents/{id}/context")
    def get_outside_context(self, id: str) -> OutsideContext:
        """The view that an outside strategy has of its agent: market, book, limits, and what is pending"""

    @operation("GET", "/v1/agents/{id}/context/brief")
    def get_brief_context(self, id: str) -> BriefContext:
        """The context of an agent in few words: prices, holdings, the largest trade, and what is pending

        A tenth of the tokens of the whole context, for language models that look each minute.
        """

    @operation("POST", "/v1/agents/{id}/replay-sessions", body="kind from to look", needs_body=True, keyed=True)
    def open_replay_session(
        self,
        id: str,
        *,
        kind: Literal["backtest", "stress_test"],
        from_: Time | None = None,
        to: Time | None = None,
        look: bool | None = None,
        idempotency_key: str | None = None,
    ) -> EvaluationRun:
        """Opens a blind replay session, the backtest or the stress test of an external agent

        The service shows the history of the active manifest slot by slot and decides each slot with what your code
        answers, with the risk rules and costs of every backtest. 21 paths are shown at once: the true history and 20
        that are resampled from its returns. Instruments have aliases, dates are moved by whole weeks, price levels are
        scaled. A result that is significantly better on the true history ends the run as `refused` with
        `foreknowledge`. A session of kind `stress_test` shows the runs of the stress test at once instead, from minute
        to minute, with their own shocks, outages and given positions. One evaluation of an agent is open at a time.
        Every session of a backtest is a trial, whatever its end. Without an answer for 10 minutes it ends as `expired`,
        and after 24 hours in any case. If its process ends, it ends as `interrupted`.
        """

    @operation("GET", "/v1/agents/{id}/replay-sessions/{sessionId}")
    def get_replay_session(self, id: str, session_id: str) -> EvaluationRun:
        """One replay session and how far it is"""

    @operation("POST", "/v1/agents/{id}/replay-sessions/{sessionId}/steps", body="step answers", needs_body=True)
    def answer_replay_step(
        self,
        id: str,
        session_id: str,
        *,
        step: int | None = None,
        answers: Sequence[AnswerReplayStepAnswerInput | None] | None = None,
    ) -> ReplayStep:
        """Answers a step of a replay session and returns the next one

        A step shows one slot of each path that has not ended. Send the answers to it and receive the next step; `{}`
        returns the step that waits. The same answers sent again, as after a lost connection, get the same next step.
        Answers to any other step are refused with `state_conflict` and change nothing, so that two connections cannot
        both answer.
        """

    @operation("POST", "/v1/agents/{id}/replay-sessions/{sessionId}/abandon", keyed=True)
    def abandon_replay_session(self, id: str, session_id: str, *, idempotency_key: str | None = None) -> EvaluationRun:
        """Ends a replay session without a result

        It still counts as a trial.
        """

    @operation("POST", "/v1/agents/{id}/tokens", body="name", needs_body=True)
    def create_agent_token(self, id: str, *, name: str) -> NewAgentToken:
        """Creates a token for outside code that proposes trades for the agent

        The token can propose trades for this agent and read its context and outside proposals, and nothing else. It has
        its own rate limit. The text is shown once. Repeating the request creates another token.
        """

    @operation("GET", "/v1/agents/{id}/tokens")
    def list_agent_tokens(self, id: str) -> Pages[AgentToken, Page[AgentToken]]:
        """The tokens of an agent, newest first"""

    @operation("POST", "/v1/agents/{id}/tokens/{tokenId}/revoke", keyed=True)
    def revoke_agent_token(self, id: str, token_id: str, *, idempotency_key: str | None = None) -> AgentToken:
        """Revokes a token of an agent

        The token stops working at once. Revoking it again changes nothing.
        """

    @operation("POST", "/v1/agents/{id}/signals", body="name template tickers", needs_body=True)
    def create_signal_hook(
        self,
        id: str,
        *,
        name: str,
        template: CreateSignalHookTemplateInput,
        tickers: Sequence[CreateSignalHookTickerInput] | None = None,
    ) -> OpenedSignalHook:
        """Makes an address at which alerts become outside proposals of the agent

        An alert is JSON or plain text, such as TradingView sends. The template says what of it becomes the side,
        instrument and size of a proposal: `{{action}}` or `{{order.size}}` is a field of JSON, `{{1}}` the first word
        of plain text. The path and the signing secret are shown once. Repeating the request makes another hook.
        """

    @operation("GET", "/v1/agents/{id}/signals")
    def list_signal_hooks(self, id: str) -> Pages[SignalHook, Page[SignalHook]]:
        """The signal hooks of an agent, newest first"""

    @operation("POST", "/v1/agents/{id}/signals/{hookId}/rotate")
    def rotate_signal_hook(self, id: str, hook_id: str) -> OpenedSignalHook:
        """Gives a signal hook another secret

        The secret before it works for another day. Rotate twice, or revoke the hook, to end it at once.
        """

    @operation("POST", "/v1/agents/{id}/signals/{hookId}/revoke", keyed=True)
    def revoke_signal_hook(self, id: str, hook_id: str, *, idempotency_key: str | None = None) -> SignalHook:
        """Revokes a signal hook

        From the answer on it takes nothing. Revoking it again changes nothing.
        """

    @operation("POST", "/v1/signals/{key}", whole="body")
    def receive_signal(self, key: str, body: Mapping[str, Any]) -> OutsideProposalReceipt:
        """Takes an alert as an outside proposal

        The key is the secret of a signal hook, or its id if the delivery is signed as Standard Webhooks says
        (`webhook-id`, `webhook-timestamp`, `webhook-signature`). At most 16 KiB of JSON or plain text. The same
        `webhook-id` with the same alert gets the same answer. Each hook has a rate limit of its own.
        """

    @operation("GET", "/v1/agents/{id}/decisions?limit&cursor")
    def list_decisions(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Decision, ListDecisionsPage]:
        """The decision records of an agent, newest first"""

    @operation("GET", "/v1/recommendations?limit&cursor")
    def list_recommendations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Recommendation, Page[Recommendation]]:
        """Trades that agents at `suggest` would make, newest first

        An agent at this autonomy places no orders: place them with `/v1/market-orders` or a prepared swap. Each
        recommendation is a recorded decision that asked for a trade and made no proposal.
        """

    @operation("GET", "/v1/agents/{id}/decisions/{decisionId}")
    def get_decision(self, id: str, decision_id: str) -> Decision:
        """One decision record"""

    @operation("GET", "/v1/agents/{id}/decisions/{decisionId}/explain")
    def explain_decision(self, id: str, decision_id: str) -> ExplainedDecision:
        """One decision in words

        The observations, the rules that held, the decision, and what was missing for a trade. Every number is one of
        the decision record, which `hash` names.
        """

    @operation("GET", "/v1/agents/{id}/evaluations?limit&cursor")
    def list_evaluations(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[EvaluationRun, Page[EvaluationRun]]:
        """The runs of an agent's evaluations, newest first"""

    @operation("GET", "/v1/agents/{id}/evaluations/{runId}")
    def get_evaluation(self, id: str, run_id: str) -> EvaluationRunDetail:
        """One evaluation run with its result"""

    @operation("GET", "/v1/agents/{id}/evaluations/{runId}/report")
    def get_evaluation_report(self, id: str, run_id: str) -> str:
        """The report of a finished evaluation run as a page"""

    @operation("GET", "/v1/agents/{id}/evidence?limit&cursor")
    def list_evidence(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Evidence, Page[Evidence]]:
        """Evaluation evidence of an agent, newest first

        Each row opens one gate if it passed and is newer than the last demotion and manifest change.
        """

    @operation("GET", "/v1/agents/{id}/gates")
    def list_gates(self, id: str) -> Gates:
        """The promotion gates of an agent

        Every gate with observed and required values, the agent's progress, the next action, and the reasons for no
        trades. Read-only.
        """

    @operation("GET", "/v1/agents/{id}/calibration")
    def get_calibration(self, id: str) -> Calibration:
        """Expected and realized trading costs of an agent

        Costs of the newest 1,000 fills of the active manifest, paper and live. A cost is the distance of a fill from
        the price that could be traded at the decision: the ask of a buy, the bid of a sell. Expected is what the cost
        model asks for that size in the market of the decision.
        """

    @operation("GET", "/v1/agents/{id}/history?limit&cursor")
    def list_history(self, id: str, *, limit: int | None = None, cursor: str | None = None) -> Pages[Step, Page[Step]]:
        """The steps of the agent's state chart, newest first

        Every committed step except ordinary ticks, which are decision records.
        """

    @operation("GET", "/v1/agents/{id}/chart?at")
    def get_chart(self, id: str, *, at: Time | None = None) -> Chart:
        """The agent's state chart with its present state

        With `at`, where the chart stood at that time: rebuilt from the last checkpoint before it and the steps since.
        """

    @operation("POST", "/v1/actors/{id}/what-if", body="version events at", needs_body=True)
    def ask_what_if(
        self,
        id: str,
        *,
        version: int,
        events: Sequence[AskWhatIfEventInput],
        at: Time | None = None,
    ) -> ActorBranch:
        """Simulates other events from any step of an actor

        Rebuilds the state after `version` and sends the events to a copy, one after the other. For each event the
        answer has the transition, the changed context, and the records, timers, activities and announcements that a
        real step would have committed. Nothing is stored or executed. To let a delay of the chart pass, send its event,
        whose name is listed under `timers`.
        """

    @operation("GET", "/v1/actors/{id}/test?from&to")
    def export_actor_test(self, id: str, *, from_: int, to: int) -> str:
        """A stretch of an actor's history as a test that vitest runs

        TypeScript for the folder `test/exported` of the repository: the state before the first step, the events with
        their times, and the result of each. The test passes while the state chart behaves the same. To fix a defect,
        write the correct result into the test and change the chart until it passes.
        """

    @operation("GET", "/v1/actors?limit&cursor&kind&status&search")
    def list_actors(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        kind: str | None = None,
        status: ChartStatus | None = None,
        search: str | None = None,
    ) -> Pages[Actor, Page[Actor]]:
        """The durable actors of every kind, newest first"""

    @operation("GET", "/v1/actors/{id}")
    def get_actor(self, id: str) -> ActorDetail:
        """One actor of any kind: state, context and incidents"""

    @operation("GET", "/v1/actors/{id}/steps?from&to")
    def list_actor_steps(self, id: str, *, from_: int, to: int) -> StepStretch:
        """Any stretch of an actor's committed steps, by version

        Returns at most 200 steps after version `from` up to version `to`.
        """

    @operation("GET", "/v1/actors/{id}/steps/{version}")
    def get_actor_step(self, id: str, version: str) -> StepAccount:
        """One step of an actor: its guards and their inputs, changes and effects

        Rebuilds the state before the step from the last checkpoint and takes the step again with traced guards. Writes
        nothing. Answers `state_conflict` if the present machine leads to another state than the stored step.
        """

    @operation("GET", "/v1/runtime")
    def get_runtime(self) -> Runtime:
        """Actors, activities, timers, incidents and queues in numbers"""

    @operation("GET", "/v1/runtime/activities?limit&cursor&state")
    def list_activities(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        state: Literal["pending", "given_up"] | None = None,
    ) -> Pages[WaitingActivity, Page[WaitingActivity]]:
        """Pending and abandoned activities, newest actors first

        Finished activities are part of their step: `GET /v1/actors/:id/steps/:version`.
        """

    @operation("GET", "/v1/runtime/timers?limit&cursor")
    def list_timers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[WaitingTimer, Page[WaitingTimer]]:
        """Timers of actors, earliest due first"""

    @operation("GET", "/v1/runtime/incidents?limit&cursor")
    def list_incidents(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[ActorIncident, Page[ActorIncident]]:
        """Incidents inside actors, newest first"""

    @operation("GET", "/v1/runtime/interventions?limit&cursor")
    def list_interventions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[RecordedIntervention, Page[RecordedIntervention]]:
        """Interventions (retry, reset, release) with member and reason, newest first"""

    @operation("GET", "/v1/alerts?limit&cursor")
    def list_alerts(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[Alert, Page[Alert]]:
        """Alerts of the organization and of the whole service, newest first

        Alerts of the feed `alerts`, as far back as feeds can be resumed (`FEED_HISTORY_DAYS`).
        """

    @operation("GET", "/v1/runtime/work?limit&cursor")
    def list_work(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[LongWork, Page[LongWork]]:
        """Imports, backfills and moves to the archive with their progress, newest first

        Shown for a week. Work of less than a second is left out. Evaluations, proposals, transfers and launches carry
        the same fields in their own records.
        """

    @operation("GET", "/v1/runtime/work/{id}")
    def get_work(self, id: str) -> LongWork:
        """Progress of one import, backfill or move to the archive"""

    @operation("POST", "/v1/actors/{id}/retry", body="activity reason", needs_body=True, keyed=True)
    def retry_activity(
        self,
        id: str,
        *,
        activity: str,
        reason: str,
        idempotency_key: str | None = None,
    ) -> Intervention:
        """Retries one activity of an actor at once

        Runs a pending activity now and resets its attempt count. An abandoned activity can be retried only if its actor
        has taken no step since; otherwise the answer is `state_conflict`.
        """

    @operation("POST", "/v1/actors/{id}/reset", body="reason", needs_body=True, keyed=True)
    def reset_actor(self, id: str, *, reason: str, idempotency_key: str | None = None) -> Intervention:
        """Resets the attempts of all pending activities of an actor and retries them at once"""

    @operation("POST", "/v1/actors/{id}/release", body="reason", needs_body=True, keyed=True)
    def release_actor(self, id: str, *, reason: str, idempotency_key: str | None = None) -> Intervention:
        """Takes an actor of any kind out of quarantine

        An agent stays paused with the cause `quarantine` until somebody other than its creator resumes it. Any other
        actor continues from its last state with its timers; results that it missed are listed under its abandoned
        activities. If the cause is still present, the actor is quarantined again.
        """

    @operation("GET", "/v1/agents/{id}/vault")
    def get_vault(self, id: str) -> Vault:
        """The agent's vault"""

    @operation("GET", "/v1/agents/{id}/vault/price-history?points")
    def get_vault_price_history(
        self,
        id: str,
        *,
        points: int | None = None,
    ) -> Pages[VaultPriceHistoryItem, Page[VaultPriceHistoryItem]]:
        """Price history of a vault share, with its drawdown

        The vault is valued once a minute while it holds assets. Returns at most 300 valuations, evenly spread and
        including the newest. Unsigned valuations are left out.
        """

    @operation("GET", "/v1/agents/{id}/vault/course?points")
    def get_vault_course(
        self,
        id: str,
        *,
        points: int | None = None,
    ) -> Pages[VaultPriceHistoryItem, Page[VaultPriceHistoryItem]]:
        """Price history of a vault share, with its drawdown

        Deprecated since 2026-11-27: use `GET /v1/agents/{id}/vault/price-history`. It answers until 2027-05-27. The
        vault is valued once a minute while it holds assets. Returns at most 300 valuations, evenly spread and including
        the newest. Unsigned valuations are left out.
        """

    @operation("POST", "/v1/agents/{id}/vault/deposit", body="amountUsd", needs_body=True, keyed=True)
    def deposit_into_vault(self, id: str, *, amount_usd: Money, idempotency_key: str | None = None) -> VaultChange:
        """Deposits into the agent's vault

        The caller gets shares at the present price, which the deposit does not move. Within the ceiling of the stage:
        nothing before `limited_live`, a tenth of `max_capital_usd` there, all of it at `live`.
        """

    @operation("POST", "/v1/agents/{id}/vault/withdraw", body="amountUsd shares all", needs_body=True, keyed=True)
    def withdraw_from_vault(
        self,
        id: str,
        *,
        amount_usd: Money | None = None,
        shares: Money | None = None,
        all: Literal[True] | None = None,
        idempotency_key: str | None = None,
    ) -> VaultChange:
        """Withdraws from the agent's vault

        Exactly one of `amountUsd`, `shares` and `all`. Pays from cash; no position is sold. Works at every stage and
        while the agent is paused.
        """

    @operation("GET", "/v1/agent-vaults/leaderboard?window&limit&cursor")
    def rank_vaults(
        self,
        *,
        window: Literal["24h", "7d", "30d", "all"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[RankedVault, Page[RankedVault]]:
        """Vaults by the return of a share

        Live capital only; paper trades never count. The share price is free of deposits and withdrawals, so the ranking
        is too. Ties are ordered by the smaller drawdown.
        """

    @operation("GET", "/v1/reserves?limit&cursor")
    def list_reserves(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[ReserveCheck, Page[ReserveCheck]]:
        """Claims of vaults and books, compared with the holdings

        Every two minutes the cash of all vaults and the positions of all live books are compared with the
        organization’s account at the spot exchange, with its linked and delegated wallets, and with its positions at
        the on-chain venue of prediction markets. Newest first. In a sandbox the one comparison is of this moment: the
        simulated dollars of the organization, and those that were paid into its vaults. A deposit that the newest
        comparison does not back is refused.
        """

    @operation("GET", "/v1/machines/{machine}/layout")
    def get_machine_layout(self, machine: str) -> MachineLayout:
        """A state machine as boxes and edges, ready to be drawn

        The same for every actor of the machine: `machine` of a chart or of a step names it.
        """

    @operation("GET", "/v1/launches/dbc/presets")
    def list_launch_presets(self) -> Pages[LaunchPreset, Page[LaunchPreset]]:
        """The presets of bonding-curve launches"""

    @operation("POST", "/v1/launches/dbc/preview", body="preset quoteMint startingFdv totalSupply decimals", needs_body=True)
    def preview_launch(
        self,
        *,
        preset: LaunchPresetKey,
        quote_mint: str,
        starting_fdv: Money,
        total_supply: Money | None = None,
        decimals: int | None = None,
    ) -> LaunchPreview:
        """Previews a bonding-curve launch

        Computes the curve that the preset makes of these values, in the same integers that a launch would put on the
        chain, without asking the chain. A quote mint that the program would refuse is previewed too, with the reason.
        """

    @operation("POST", "/v1/launches/dbc/prepare", body="preset quoteMint startingFdv totalSupply decimals name symbol uri creator firstBuy agentId takeId", needs_body=True, keyed=True)
    def prepare_launch(
        self,
        *,
        preset: LaunchPresetKey,
        quote_mint: str,
        starting_fdv: Money,
        name: str,
        symbol: str,
        uri: str,
        creator: str,
        total_supply: Money | None = None,
        decimals: int | None = None,
        first_buy: Money | None = None,
        agent_id: str | None = None,
        take_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> PreparedLaunch:
        """Prepares a bonding-curve launch

        Builds the transaction (or two, if one is too small) that creates the configuration and pool of the curve, with
        an optional first buy. New keys for the mint and configuration sign here and are discarded; the creator signs
        last. The transactions are simulated in order against the node and the exact messages are stored before the
        answer.
        """

    @operation("POST", "/v1/launches/{id}/submit", body="transactions payment", needs_body=True, keyed=True)
    def submit_launch(
        self,
        id: str,
        *,
        transactions: Sequence[str] | None = None,
        payment: str | None = None,
        idempotency_key: str | None = None,
    ) -> Launch | LauncherLaunch:
        """Submits the signed transactions of a launch

        Every signed transaction must carry its prepared message, byte for byte, and every signature that it needs. They
        are sent one after the other, each after the one before it is confirmed, and followed to finality. The new mint
        is an instrument of the catalog once the launch trades. Submitting the same bytes again answers the present
        state. A launch by the external launcher takes its signed `payment` instead: it is compared as strictly and sent
        once, and the launcher is asked until it launches; where it declines, submitting the same payment again asks it
        once more.
        """

    @operation("GET", "/v1/agentlaunch/pairs")
    def list_launcher_pairs(self) -> ListLauncherPairsAnswer:
        """The shares that the external launcher pairs a token with"""

    @operation("POST", "/v1/launches/agentlaunch/quote", body="agentId pair creatorFeeBps name symbol description imageUrl creator", needs_body=True, keyed=True)
    def quote_launcher_launch(
        self,
        *,
        agent_id: str,
        pair: str,
        creator_fee_bps: int,
        name: str,
        symbol: str,
        description: str,
        image_url: str,
        creator: str,
        idempotency_key: str | None = None,
    ) -> QuotedLaunch:
        """Registers a launch with the external launcher

        Answers exactly what is paid, to whom, and the unsigned payment transaction, which was simulated and stored
        before. Nothing is owed until it is signed and submitted.
        """

    @operation("GET", "/v1/launches?limit&cursor")
    def list_launches(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Launch | LauncherLaunch, Page[Launch | LauncherLaunch]]:
        """Launches of tokens, newest first"""

    @operation("GET", "/v1/agent-market/tokens/{mint}?wallets")
    def get_agent_token(self, mint: str, *, wallets: str | None = None) -> AgentTokenAnalytics:
        """Analytics of one agent token

        Holders (curves, pools, lockers and burn addresses apart from wallets), the creator’s free and locked part,
        market depth, a risk score with each of its terms, and the return against the paired share. An unknown input is
        null and counts as the most risk.
        """

    @operation("GET", "/v1/agent-market/rank?mode&limit&cursor")
    def rank_agent_tokens(
        self,
        *,
        mode: RankAgentTokensMode | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[RankedAgentToken, RankAgentTokensPage]:
        """Ranked agent tokens

        The 200 newest tokens, ranked. A token that cannot be ranked stays in the list, without a rank and with the
        reason.
        """

    @operation("GET", "/v1/agent-market/stock-paired?stock&wallets&limit&cursor")
    def list_stock_paired(
        self,
        *,
        stock: str | None = None,
        wallets: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[StockPairedToken, Page[StockPairedToken]]:
        """Agent tokens with their performance relative to the paired share

        `duplicatedExposure` is true if you hold both a share and a token paired with it, in the books of the
        organization or the given wallets.
        """

    @operation("GET", "/v1/launches/{id}")
    def get_launch(self, id: str) -> Launch | LauncherLaunch:
        """One launch"""

    @operation("GET", "/v1/launches/{id}/monitor")
    def monitor_launch(self, id: str) -> LaunchMonitor:
        """Reads a launch on its curve

        Read from the chain at this moment, with the slot and the age of the reading; where the node does not answer,
        the last reading. Subscribe to the feed `launches` for changes.
        """

    @operation("GET", "/v1/launches/{id}/price-history")
    def get_launch_price_history(self, id: str) -> LaunchPriceHistory:
        """Price history of a launched token

        Prices read from the curve until graduation. Later prices are in the candles of its instrument.
        """

    @operation("GET", "/v1/launches/{id}/course")
    def get_launch_course(self, id: str) -> LaunchPriceHistory:
        """Price history of a launched token

        Deprecated since 2026-11-27: use `GET /v1/launches/{id}/price-history`. It answers until 2027-05-27. Prices read
        from the curve until graduation. Later prices are in the candles of its instrument.
        """

    @operation("GET", "/v1/launches/{id}/transactions")
    def list_launch_transactions(self, id: str) -> Pages[LaunchTransaction, Page[LaunchTransaction]]:
        """The transactions of a launch, in the order in which they land

        Unsigned transactions of a launch; for the external launcher, its payment. Sign those that are `prepared` and
        submit them together.
        """

    @operation("POST", "/v1/launches/{id}/claims", body="kind as", keyed=True)
    def prepare_launch_claim(
        self,
        id: str,
        *,
        kind: PrepareLaunchClaimKind | None = None,
        as_: Literal["creator", "partner"] | None = None,
        idempotency_key: str | None = None,
    ) -> LaunchClaim:
        """Prepares a claim of accrued fees for the creator or the partner

        Everything of one kind that has accrued is claimed; only the wallet of the creator or of the partner is paid,
        and it has to sign. The claim is simulated and stored before this answers.
        """

    @operation("POST", "/v1/launches/{id}/claims/{claimId}/submit", body="signedTransaction", needs_body=True, keyed=True)
    def submit_launch_claim(
        self,
        id: str,
        claim_id: str,
        *,
        signed_transaction: str,
        idempotency_key: str | None = None,
    ) -> LaunchClaim:
        """Submits a signed claim of a launch

        The signed bytes are compared with the prepared ones, sent once and followed to finality. Submitting the same
        bytes again answers the present state.
        """

    @operation("GET", "/v1/launches/{id}/claims/{claimId}")
    def get_launch_claim(self, id: str, claim_id: str) -> LaunchClaim:
        """One claim of accrued fees of a launch"""

    @operation("POST", "/v1/marketplace", body="agentId manifestVersion priceUsd payoutWallet categories", needs_body=True, keyed=True)
    def publish_listing(
        self,
        *,
        agent_id: str,
        manifest_version: int,
        price_usd: Money,
        payout_wallet: str,
        categories: Sequence[str],
        idempotency_key: str | None = None,
    ) -> Listing:
        """Publishes one manifest version of an agent

        The listing is pinned to this version: later versions of the agent change nothing. Its metrics, gates and
        luck-adjusted statistics come from the evidence on record; the request cannot set them. Payments go whole to the
        payout wallet, which has to be linked (`POST /v1/wallets`) before.
        """

    @operation("GET", "/v1/marketplace?category&search&maxPriceUsd&mine&limit&cursor")
    def list_listings(
        self,
        *,
        category: str | None = None,
        search: str | None = None,
        max_price_usd: Money | None = None,
        mine: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Listing, Page[Listing]]:
        """Strategies that can be bought, newest first"""

    @operation("POST", "/v1/marketplace/{id}/price", body="priceUsd", needs_body=True, keyed=True)
    def reprice_listing(self, id: str, *, price_usd: Money, idempotency_key: str | None = None) -> Listing:
        """Changes the price of a listing of yours

        Checkouts that were prepared before keep the price that they were prepared with.
        """

    @operation("POST", "/v1/marketplace/{id}/unlist", keyed=True)
    def unlist_listing(self, id: str, *, idempotency_key: str | None = None) -> Listing:
        """Ends a listing of yours

        Ends sales. Licences stay valid, and checkouts that were prepared before can still be paid.
        """

    @operation("GET", "/v1/marketplace/{id}")
    def get_listing(self, id: str) -> ListingDetail:
        """One listing with its evidence

        The rules are in the answer for the organization that published them, and for those that hold a licence.
        """

    @operation("GET", "/v1/marketplace/{id}/prices?limit&cursor")
    def list_listing_prices(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[ListingPrice, Page[ListingPrice]]:
        """Every price of a listing, newest first"""

    @operation("POST", "/v1/marketplace/{id}/checkout", body="buyer", needs_body=True, keyed=True)
    def begin_checkout(self, id: str, *, buyer: str | None = None, idempotency_key: str | None = None) -> Checkout:
        """Prepares the payment of a licence

        A transfer of the stablecoin straight from the buyer to the creator, who gets all of it, with a memo of this
        checkout; the creator's token account is made where there is none. It is simulated and stored before this
        answers. Where the price is 0 there is no transaction, and the licence is issued at once. One checkout of a
        listing is under way at a time.
        """

    @operation("POST", "/v1/marketplace/checkouts/{id}/settle", body="signedTransaction", needs_body=True, keyed=True)
    def settle_checkout(self, id: str, *, signed_transaction: str, idempotency_key: str | None = None) -> Checkout:
        """Submits the signed payment of a checkout

        The bytes must carry the prepared message, byte for byte, under the signature of the buyer. They are sent and
        followed to finality; then the licence is issued, once. Submitting the same bytes again answers the present
        state. Bytes that come after the expiry are not sent any more: the chain is asked whether they had landed, and
        where they had, the licence is issued.
        """

    @operation("POST", "/v1/marketplace/{id}/import", keyed=True)
    def import_listing(self, id: str, *, idempotency_key: str | None = None) -> Agent:
        """Imports the rules of a licensed listing as a new agent

        The agent stands at `draft` with autonomy `research`, has the manifest of the listing under the same hash, and
        has to pass all seven gates itself. A licence permits any number of imports, also after the listing has ended.
        """

    @operation("GET", "/v1/marketplace/checkouts?limit&cursor")
    def list_checkouts(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[Checkout, Page[Checkout]]:
        """Checkouts of your organization, newest first"""

    @operation("GET", "/v1/marketplace/checkouts/{id}")
    def get_checkout(self, id: str) -> Checkout:
        """One checkout"""

    @operation("GET", "/v1/marketplace/licences?limit&cursor")
    def list_licences(self, *, limit: int | None = None, cursor: str | None = None) -> Pages[Licence, Page[Licence]]:
        """Licences of your organization, newest first"""

    @operation("GET", "/v1/leaderboard?window&chain&search&ranked&minCoveragePct&limit&cursor")
    def get_leaderboard(
        self,
        *,
        window: Literal["24h", "7d", "30d"],
        chain: Literal["spotchain", "evmvenue"] | None = None,
        search: str | None = None,
        ranked: bool | None = None,
        min_coverage_pct: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[LeaderboardEntry, Leaderboard]:
        """Wallets by realized profit of live trading

        On the primary chain first-in-first-out on swaps against stablecoins; sales without a known basis, network fees
        and unrealized gains are in no figure. On the EVM venue the closed profit that the venue reports, without fees.
        Wallets without data are at the end, without a rank, and say why.
        """

    @operation("GET", "/v1/leaderboard/csv?window&chain&search&ranked&minCoveragePct")
    def get_leaderboard_csv(
        self,
        *,
        window: Literal["24h", "7d", "30d"],
        chain: Literal["spotchain", "evmvenue"] | None = None,
        search: str | None = None,
        ranked: bool | None = None,
        min_coverage_pct: int | None = None,
    ) -> str:
        """The leaderboard of a window as CSV"""

    @operation("GET", "/v1/leaderboard/wallets/{address}?window&limit&cursor")
    def get_leaderboard_wallet(
        self,
        address: str,
        *,
        window: Literal["24h", "7d", "30d"],
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[WalletSale, LeaderboardWallet]:
        """One wallet of the leaderboard with the sales behind its figure, newest first"""

    @operation("GET", "/v1/leaderboard/wallets/{address}/csv?window")
    def get_leaderboard_wallet_csv(self, address: str, *, window: Literal["24h", "7d", "30d"]) -> str:
        """The sales behind a wallet's figure as CSV"""

    @operation("POST", "/v1/leaderboard/wallets", body="address label", needs_body=True, keyed=True)
    def register_leaderboard_wallet(
        self,
        *,
        address: str,
        label: str | None = None,
        idempotency_key: str | None = None,
    ) -> RegisteredWallet:
        """Puts a wallet of either chain on the leaderboard

        The wallet is listed at once without a rank, and gets a rank after its history was read. The first label of an
        address stays.
        """

    @operation("POST", "/v1/arbitrage/arm", body="symbol enterDiscountPct exitDiscountPct notionalUsd mode maxSlippageBps maxHoldHours expiresAt", needs_body=True, keyed=True)
    def arm_basis_policy(
        self,
        *,
        symbol: str,
        enter_discount_pct: float,
        exit_discount_pct: float,
        notional_usd: Money,
        mode: Literal["paper", "live", "draft"],
        max_slippage_bps: float | None = None,
        max_hold_hours: float | None = None,
        expires_at: Time | None = None,
        idempotency_key: str | None = None,
    ) -> BasisPolicy:
        """Deploys a deterministic basis policy

        Enters where the discount exceeds the target and the net edge is above zero, both prices live; leaves on
        reversion, after the holding time, or when the reference is lost. Real orders leave from a wallet that is
        delegated to the policy: `draft` keeps it as a draft, `POST /v1/delegations` with its id as `takeId` delegates a
        wallet, and `POST /v1/takes/arm` arms it live.
        """

    @operation("POST", "/v1/arbitrage/policies/{id}/disarm", keyed=True)
    def disarm_basis_policy(self, id: str, *, idempotency_key: str | None = None) -> BasisPolicy:
        """Disarms a basis policy

        The position stays open.
        """

    @operation("GET", "/v1/arbitrage/policies?state&limit&cursor")
    def list_basis_policies(
        self,
        *,
        state: BasisPolicyState | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[BasisPolicy, Page[BasisPolicy]]:
        """The organization's basis policies, newest first"""

    @operation("GET", "/v1/arbitrage/policies/{id}")
    def get_basis_policy(self, id: str) -> BasisPolicy:
        """One basis policy"""

    @operation("POST", "/v1/copilot/chat", body="message conversationId", needs_body=True)
    def chat_with_copilot(self, *, message: str, conversation_id: str | None = None) -> CopilotReply:
        """Answers questions from the service’s own data, and drafts Takes and policies for review

        Deterministic: fixed patterns decide what a message asks for. Where a language model is configured it may reword
        a message that no pattern reads, which the reply says; it never drafts. Texts of messages, news and names are
        data and are never carried out; only the operator’s own call arms a draft. With `Accept: text/event-stream` the
        answer comes with its progress.
        """

    @operation("POST", "/v1/takes/compile", body="thesis symbol target conditions allocationUsd maxSlippageBps timeframe expiresAt", needs_body=True, keyed=True)
    def compile_take(
        self,
        *,
        thesis: str | None = None,
        symbol: str | None = None,
        target: Any = None,
        conditions: CompileTakeConditionsInput | None = None,
        allocation_usd: Money | None = None,
        max_slippage_bps: float | None = None,
        timeframe: str | None = None,
        expires_at: str | None = None,
        idempotency_key: str | None = None,
    ) -> Take:
        """Turns a thesis into an auditable Take

        The answer lists how each phrase was read and what was assumed. An ambiguous thesis is refused with
        `thesis_ambiguous` and the questions that would settle it.
        """

    @operation("POST", "/v1/takes/fork", body="takeId allocationUsd maxSlippageBps thresholds", needs_body=True, keyed=True)
    def fork_take(
        self,
        *,
        take_id: str,
        allocation_usd: Money | None = None,
        max_slippage_bps: float | None = None,
        thresholds: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Take:
        """Clones a Take with another allocation, slippage budget or thresholds

        Forks a Take of your own, or a published one of another organization. The lineage is kept. The fork has an
        expiry of its own.
        """

    @operation("POST", "/v1/takes/arm", body="takeId mode confirm", needs_body=True, keyed=True)
    def arm_take(
        self,
        *,
        take_id: str,
        mode: Literal["paper", "live"],
        confirm: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> Take:
        """Makes a Take an active policy

        A Take from words is armed once its author has confirmed what its `open` names; until then it is refused with
        `take_unsettled`. Limits are those of the stored risk preferences, never of the request. `live` trades its
        allocation on the spot exchange, where live orders there are switched on, or from a wallet that is delegated to
        the Take (`POST /v1/delegations`) on the primary chain, where delegated signing is switched on; elsewhere it is
        refused with `feature_disabled`, and without a delegation with `state_conflict`. The allocations of all live
        Takes together stay within the capital of the preferences. A live Take needs free dollars where it trades, on
        the primary chain in its wallet: those that no vault, no other armed Take and nothing that a person asked for
        has bound (`insufficient_balance`).
        """

    @operation("POST", "/v1/takes/tokenize", body="takeId as confirm", needs_body=True, keyed=True)
    def tokenize_take(
        self,
        *,
        take_id: str,
        as_: Literal["agent", "launch"],
        confirm: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> TokenizedTake:
        """Turns a Take into a draft agent or a launch draft

        The manifest of the agent decides on the same cuts as the Take does. The agent stands at `draft` and passes
        every gate as any other. Refused with `take_unsettled` until the author has confirmed what `open` names, here or
        when the Take was armed.
        """

    @operation("POST", "/v1/takes/{id}/publish", keyed=True)
    def publish_take(self, id: str, *, idempotency_key: str | None = None) -> Take:
        """Publishes a Take

        Makes conditions, limits and thesis readable to every organization, not its trades. This cannot be undone.
        """

    @operation("POST", "/v1/takes/{id}/disarm", keyed=True)
    def disarm_take(self, id: str, *, idempotency_key: str | None = None) -> Take:
        """Disarms a Take

        The position stays open. Armed again, the Take watches its exit conditions again.
        """

    @operation("POST", "/v1/takes/{id}/close", keyed=True)
    def close_take(self, id: str, *, idempotency_key: str | None = None) -> Take:
        """Closes the position of a Take

        Disarms the Take and sells its position at market within its slippage budget, with a retry every minute until it
        is sold. Works after a halt too. Waits only while the price is not live.
        """

    @operation("GET", "/v1/takes?state&limit&cursor")
    def list_takes(
        self,
        *,
        state: BasisPolicyState | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Take, Page[Take]]:
        """The organization's Takes, newest first"""

    @operation("GET", "/v1/takes/published?limit&cursor")
    def list_published_takes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[PublishedTake, Page[PublishedTake]]:
        """Published Takes of all organizations, newest first"""

    @operation("GET", "/v1/takes/{id}")
    def get_take(self, id: str) -> Take:
        """One Take"""

    @operation("GET", "/v1/takes/{id}/decisions?limit&cursor")
    def list_take_decisions(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[TakeDecision, ListTakeDecisionsPage]:
        """The decision records of a Take, newest first

        One per half minute while it is running. `agentId` and `takeId` are the same id: what is hashed names the actor.
        """

    @operation("GET", "/v1/takes/{id}/decisions/{decisionId}/explain")
    def explain_take_decision(self, id: str, decision_id: str) -> ExplainedDecision:
        """One evaluation of a Take in words

        The observations, the rules that held, the decision, and what was missing for a trade. Every number is one of
        the decision record.
        """

    @operation("GET", "/v1/takes/{id}/history?limit&cursor")
    def list_take_history(
        self,
        id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Pages[Step, Page[Step]]:
        """The steps of the Take's state chart, newest first"""

    @operation("GET", "/v1/takes/{id}/chart")
    def get_take_chart(self, id: str) -> Chart:
        """The Take's state chart with its present state"""

    @operation("POST", "/v1/delegations/challenge", body="agentId takeId wallet signerWallet maxNotionalUsd expiresAt", needs_body=True)
    def challenge_delegation(
        self,
        *,
        wallet: str,
        signer_wallet: str,
        max_notional_usd: Money,
        expires_at: Time,
        agent_id: str | None = None,
        take_id: str | None = None,
    ) -> DelegationChallenge:
        """Text that the owner signs to delegate a wallet

        Nothing is kept. Send the same fields with `issuedAt`, `nonce` and the signature to `POST /v1/delegations`
        within ten minutes.
        """

    @operation("POST", "/v1/delegations", body="agentId takeId wallet signerWallet maxNotionalUsd expiresAt issuedAt nonce signature", needs_body=True, keyed=True)
    def grant_delegation(
        self,
        *,
        wallet: str,
        signer_wallet: str,
        max_notional_usd: Money,
        expires_at: Time,
        issued_at: Time,
        nonce: str,
        signature: str,
        agent_id: str | None = None,
        take_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Delegation:
        """Delegates a wallet to an agent or a Take

        Requires both the caller's permission and the owner's signature of the text from `POST
        /v1/delegations/challenge`. Replaces an earlier delegation to the same agent or Take. The service can sign only
        after the owner has added it as a session signer at the remote signer and the operator has enabled delegated
        signing.
        """

    @operation("GET", "/v1/delegations?limit&cursor&agentId&takeId")
    def list_delegations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        agent_id: str | None = None,
        take_id: str | None = None,
    ) -> Pages[Delegation, Page[Delegation]]:
        """Delegations of wallets to agents and Takes, newest first

        The newest delegation of an agent or a Take counts, unless it was revoked or has expired.
        """

    @operation("POST", "/v1/delegations/{id}/revoke", keyed=True)
    def revoke_delegation(self, id: str, *, idempotency_key: str | None = None) -> Delegation:
        """Revokes a delegation

        After the answer nothing is signed under the delegation. Transactions that were broadcast before may still land.
        """

    @operation("GET", "/v1/openapi.json")
    def get_open_api(self) -> Dict[str, Any]:
        """This document"""

    @operation("GET", "/v1/asyncapi.json")
    def get_async_api(self) -> Dict[str, Any]:
        """The messages of the feed, as AsyncAPI 3"""

    @operation("POST", "/mcp?sets", body="jsonrpc id method params", needs_body=True, also=[400, 404])
    def call_mcp(
        self,
        *,
        jsonrpc: Literal["2.0"],
        sets: str | None = None,
        id: str | int | None = None,
        method: str | None = None,
        params: Mapping[str, Any] | None = None,
    ) -> CallMcpAnswer:
        """The Model Context Protocol: tools that read, research and propose

        Takes one message of the revisions 2026-07-28 and 2025, with a token in Authorization: a member’s, or an
        agent’s, which sees the tools of its agent alone. Tools are operations of this API by their names, with the same
        permissions, limits and refusals. Nothing that signs, approves, resumes, pays, raises authority or places an
        order is a tool.
        """
