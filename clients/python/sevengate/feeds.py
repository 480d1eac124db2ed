"""The channels of the feed and what they tell. Written by generate.py from the feed's document; not edited by hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, List, Literal, Sequence, Union, overload

from ._feed import Feed, Follower
from ._model import Model
from .api import (
    Agent,
    AgentWithManifestAutonomy,
    AgentWithManifestPauseCause,
    AgentWithManifestStage,
    BasisPolicyState,
    BasisRow,
    BridgeTransferAttentionCode,
    BridgeTransferAxesDestinationState,
    BridgeTransferAxesProviderState,
    BridgeTransferAxesSourceState,
    BridgeTransferState,
    CandleWorkProgress,
    CandleWorkWaitingFor,
    CatalogEntryVenue,
    CheckoutState,
    DayTicker,
    Decision,
    EvaluationRunEnding,
    EvaluationRunEvaluation,
    EvaluationRunState,
    ListProposalsState,
    MarketOrderState,
    OrderBookBid,
    Perp,
    PortfolioHoldingQuoteVenue,
    PredictionOrderState,
    Quote,
    RankedRowTokenPriceFlag,
    RankedRowTokenPriceQuality,
    SwapOrderState,
)

ProposalChangeWhat = Literal[
    "proposed", "approved", "executing", "awaiting_signature", "unknown", "filled", "partially_filled", "failed",
    "expired", "cancelled", "declined", "blocked_by_risk",
]
AgentChangeWhat = Literal[
    "promoted", "demoted", "autonomy_set", "manifest_changed", "paused", "resumed", "closing", "closed",
]
EvaluationChangeWhat = Literal[
    "evaluation_queued", "evaluation_running", "evaluation_finished", "evaluation_refused", "evaluation_cancelled",
    "evaluation_failed",
]
LaunchAlertState = Literal[
    "prepared", "submitted", "confirmed", "trading", "graduating", "graduated", "expired", "failed", "quoted",
    "payment_submitted", "payment_confirmed", "launching", "launched", "failed_paid",
]


@dataclass(init=False, repr=False, eq=False)
class FollowedBook(Model):
    venue: CatalogEntryVenue
    instrument: str
    source: str
    observed_at: datetime
    received_at: datetime
    age_ms: int
    sequence: int | None
    quality: RankedRowTokenPriceQuality
    flags: List[RankedRowTokenPriceFlag]
    max_age_ms: int
    resyncing: bool
    bids: List[OrderBookBid]
    asks: List[OrderBookBid]


@dataclass(init=False, repr=False, eq=False)
class FedCandle(Model):
    """One closed bar of the series."""
    venue: PortfolioHoldingQuoteVenue
    instrument: str
    timeframe: str
    close_time: datetime
    open_time: datetime
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal
    source: str
    simulated: bool | None


@dataclass(init=False, repr=False, eq=False)
class ProposalChange(Model):
    what: ProposalChangeWhat
    proposal_id: str
    decision_id: str | None
    state: ListProposalsState
    reason: str | None
    agent_id: str
    side: Literal["entry", "exit"]
    mode: Literal["paper", "live"]
    instrument: str
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal
    filled_quantity: Decimal
    filled_notional_usd: Decimal
    expires_at: datetime
    transaction_id: str | None = None


@dataclass(init=False, repr=False, eq=False)
class TradeRecommended(Model):
    """Trade that an agent at `suggest` would make. No proposal is created."""
    what: Literal["recommended"]
    decision_id: str
    agent_id: str
    side: Literal["entry", "exit"]
    mode: Literal["paper", "live"]
    instrument: str
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal


@dataclass(init=False, repr=False, eq=False)
class AgentChange(Model):
    what: AgentChangeWhat
    agent_id: str
    stage: AgentWithManifestStage
    duty: Literal["active", "paused"]
    feed: Literal["live", "degraded", "lost"]
    autonomy: AgentWithManifestAutonomy
    pause_cause: AgentWithManifestPauseCause | None
    manifest_hash: str
    status: Literal["running", "paused"] | None = None
    breaker: str | None = None
    observed: str | None = None
    limit: str | None = None


@dataclass(init=False, repr=False, eq=False)
class EvaluationChange(Model):
    """An evaluation run started or ended."""
    what: EvaluationChangeWhat
    agent_id: str
    run_id: str
    evaluation: EvaluationRunEvaluation
    state: EvaluationRunState
    manifest_hash: str
    ending: EvaluationRunEnding | None
    result_hash: str | None
    summary: Dict[str, Any] | None


@dataclass(init=False, repr=False, eq=False)
class EvaluationProgress(Model):
    """Progress of a run."""
    what: Literal["evaluation_progress"]
    agent_id: str
    run_id: str
    evaluation: EvaluationRunEvaluation
    done: float
    total: float
    doing: str
    since: int
    progress: CandleWorkProgress | None
    remaining_ms: int | None
    waiting_for: CandleWorkWaitingFor | None
    waits_for_work: str | None


@dataclass(init=False, repr=False, eq=False)
class AgentAlert(Model):
    """A circuit breaker of an agent, or loss of its market data."""
    what: str
    agent_id: str
    stage: AgentWithManifestStage
    duty: Literal["active", "paused"]
    feed: Literal["live", "degraded", "lost"]
    autonomy: AgentWithManifestAutonomy
    pause_cause: AgentWithManifestPauseCause | None
    manifest_hash: str
    status: Literal["running", "paused"] | None = None
    breaker: str | None = None
    observed: str | None = None
    limit: str | None = None
    venues: List[str] | None = None


@dataclass(init=False, repr=False, eq=False)
class TakeAlert(Model):
    """A circuit breaker disarmed a Take, its market data is lost, or its author must confirm how its thesis was read.
    """
    what: str
    take_id: str
    state: BasisPolicyState
    on_duty: bool
    symbol: str
    hash: str
    mode: Literal["paper", "live"] | None
    side: Literal["entry", "exit"] | None
    proposal_id: str | None
    decision_id: str | None
    reason: str | None
    published: bool
    expires_at: datetime
    at: datetime
    agent_id: str
    observed: str | None = None
    limit: str | None = None
    venues: List[str] | None = None
    detail: str | None = None


@dataclass(init=False, repr=False, eq=False)
class ProposalAlert(Model):
    """A proposal needs its owner, or the outcome of its order is unknown."""
    what: str
    proposal_id: str
    decision_id: str | None
    state: ListProposalsState
    reason: str | None
    agent_id: str
    side: Literal["entry", "exit"]
    mode: Literal["paper", "live"]
    instrument: str
    quantity: Decimal
    limit_price: Decimal
    notional_usd: Decimal
    filled_quantity: Decimal
    filled_notional_usd: Decimal
    expires_at: datetime
    transaction_id: str | None = None


@dataclass(init=False, repr=False, eq=False)
class MarketOrderAlert(Model):
    """Outcome of a manual order."""
    what: str
    market_order_id: str
    state: MarketOrderState
    mode: Literal["paper", "live"]
    instrument: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    limit_price: Decimal
    filled_quantity: Decimal
    reason: str | None


@dataclass(init=False, repr=False, eq=False)
class PredictionOrderAlert(Model):
    """The chain contradicts an order, or its refund differs."""
    what: str
    prediction_order_id: str
    state: PredictionOrderState
    mode: Literal["paper", "live"]
    instrument: str
    side: Literal["buy", "sell"]
    quantity: Decimal
    limit_price: Decimal
    deposit_usd: Decimal | None
    refund_usd: Decimal | None


@dataclass(init=False, repr=False, eq=False)
class TransactionAlert(Model):
    """A signed transaction was refused, failed, or its outcome is unknown."""
    what: str
    transaction_id: str
    state: SwapOrderState
    purpose: str
    wallet: str
    signature: str | None
    reason: str | None


@dataclass(init=False, repr=False, eq=False)
class SwapAlert(Model):
    """A swap landed and moved nothing."""
    what: str
    transaction_id: str
    wallet: str
    signature: str | None


@dataclass(init=False, repr=False, eq=False)
class LaunchAlert(Model):
    """A launch of a token failed."""
    what: str
    launch_id: str
    state: LaunchAlertState
    mint: str | None
    symbol: str
    reason: str | None
    detail: str | None
    signatures: List[str] | None = None


@dataclass(init=False, repr=False, eq=False)
class CheckoutAlert(Model):
    """A payment for a licence failed."""
    what: str
    checkout_id: str
    state: CheckoutState
    listing_id: str
    price_usd: Decimal
    signature: str | None
    reason: str | None
    detail: str | None


@dataclass(init=False, repr=False, eq=False)
class TransferAlert(Model):
    """A transfer ended, is late, or its sources contradict each other."""
    what: str
    transfer_id: str
    state: BridgeTransferState
    provider: Literal["relay", "cctp"]
    from_: Literal["spotchain", "evmvenue"]
    to: Literal["spotchain", "evmvenue"]
    amount_usd: Decimal
    hash: str | None
    provider_state: BridgeTransferAxesProviderState
    source_state: BridgeTransferAxesSourceState
    destination_state: BridgeTransferAxesDestinationState
    refund_state: BridgeTransferAxesDestinationState
    arrived_usd: Decimal | None
    refunded_usd: Decimal | None
    attentions: List[BridgeTransferAttentionCode]
    delayed: bool
    words: str | None = None


@dataclass(init=False, repr=False, eq=False)
class IncidentAlert(Model):
    """An internal error of an actor."""
    what: str
    agent_id: str
    detail: str


@dataclass(init=False, repr=False, eq=False)
class HaltAlert(Model):
    """Progress of an emergency halt."""
    what: str
    epoch: int
    paused: int
    of: int


@dataclass(init=False, repr=False, eq=False)
class ReserveAlert(Model):
    """Holdings at the venues do not cover the claims of the books, or are unknown."""
    what: str
    detail: str


@dataclass(init=False, repr=False, eq=False)
class ServerAlert(Model):
    """A server of the service restarted."""
    what: str
    server: str
    down_ms: int


@dataclass(init=False, repr=False, eq=False)
class TransferChange(Model):
    transfer_id: str
    state: BridgeTransferState
    provider: Literal["relay", "cctp"]
    from_: Literal["spotchain", "evmvenue"]
    to: Literal["spotchain", "evmvenue"]
    amount_usd: Decimal
    hash: str | None
    provider_state: BridgeTransferAxesProviderState
    source_state: BridgeTransferAxesSourceState
    destination_state: BridgeTransferAxesDestinationState
    refund_state: BridgeTransferAxesDestinationState
    arrived_usd: Decimal | None
    refunded_usd: Decimal | None
    attentions: List[BridgeTransferAttentionCode]
    delayed: bool


@dataclass(init=False, repr=False, eq=False)
class LaunchChange(Model):
    launch_id: str
    state: LaunchAlertState
    mint: str | None
    symbol: str
    reason: str | None
    detail: str | None
    kind: Literal["curve", "launcher"]
    standing: Dict[str, Any] | None


@dataclass(init=False, repr=False, eq=False)
class TakeChange(Model):
    what: BasisPolicyState
    take_id: str
    state: BasisPolicyState
    on_duty: bool
    symbol: str
    hash: str
    mode: Literal["paper", "live"] | None
    side: Literal["entry", "exit"] | None
    proposal_id: str | None
    decision_id: str | None
    reason: str | None
    published: bool
    expires_at: datetime
    at: datetime


@dataclass(init=False, repr=False, eq=False)
class InspectedStep(Model):
    actor_id: str
    kind: str
    machine: str
    version: int
    event: InspectedStepEvent
    from_: str | Dict[str, Any] | None
    to: str | Dict[str, Any]


@dataclass(init=False, repr=False, eq=False)
class InspectedStepEvent(Model):
    type: str


AlertsUpdate = Union[
    AgentAlert, TakeAlert, ProposalAlert, MarketOrderAlert, PredictionOrderAlert, TransactionAlert, SwapAlert,
    LaunchAlert, CheckoutAlert, TransferAlert, IncidentAlert, HaltAlert, ReserveAlert, ServerAlert,
]

# What `data` of a frame is, by channel and type.
DATA: Dict[str, Dict[str, Any]] = {
    "quotes": {"snapshot": List[Quote], "update": Quote},
    "order_book": {"snapshot": List[FollowedBook], "update": FollowedBook},
    "tickers": {"snapshot": List[DayTicker], "update": DayTicker},
    "perps": {"snapshot": List[Perp], "update": Perp},
    "candles": {"snapshot": List[FedCandle], "update": FedCandle},
    "basis": {"snapshot": List[BasisRow], "update": BasisRow},
    "decisions": {"update": Decision},
    "proposals": {"update": Union[ProposalChange, TradeRecommended]},
    "agents": {"snapshot": List[Agent], "update": Union[AgentChange, EvaluationChange, EvaluationProgress]},
    "alerts": {"update": AlertsUpdate},
    "bridge": {"update": TransferChange},
    "launches": {"update": LaunchChange},
    "takes": {"update": TakeChange},
    "inspect": {"update": InspectedStep},
}


class Feeds(Follower):
    """The channels of the feed."""

    @overload
    def feed(
        self,
        channel: Literal["quotes"],
        *,
        venue: PortfolioHoldingQuoteVenue | None = None,
        instrument: str | None = None,
        instruments: Sequence[str] | None = None,
        from_: str | None = None,
    ) -> Feed[List[Quote] | Quote]: ...

    @overload
    def feed(
        self,
        channel: Literal["order_book"],
        *,
        venue: Literal["spotexchange", "evmvenue"],
        instrument: str,
        depth: int | None = None,
        from_: str | None = None,
    ) -> Feed[List[FollowedBook] | FollowedBook]: ...

    @overload
    def feed(
        self,
        channel: Literal["tickers"],
        *,
        instrument: str | None = None,
        from_: str | None = None,
    ) -> Feed[List[DayTicker] | DayTicker]: ...

    @overload
    def feed(
        self,
        channel: Literal["perps"],
        *,
        instrument: str | None = None,
        from_: str | None = None,
    ) -> Feed[List[Perp] | Perp]: ...

    @overload
    def feed(
        self,
        channel: Literal["candles"],
        *,
        venue: PortfolioHoldingQuoteVenue,
        instrument: str,
        timeframe: str,
        from_: str | None = None,
    ) -> Feed[List[FedCandle] | FedCandle]: ...

    @overload
    def feed(
        self,
        channel: Literal["basis"],
        *,
        symbol: str | None = None,
        from_: str | None = None,
    ) -> Feed[List[BasisRow] | BasisRow]: ...

    @overload
    def feed(
        self,
        channel: Literal["decisions"],
        *,
        agent_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[Decision]: ...

    @overload
    def feed(
        self,
        channel: Literal["proposals"],
        *,
        agent_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[ProposalChange | TradeRecommended]: ...

    @overload
    def feed(
        self,
        channel: Literal["agents"],
        *,
        agent_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[List[Agent] | AgentChange | EvaluationChange | EvaluationProgress]: ...

    @overload
    def feed(
        self,
        channel: Literal["alerts"],
        *,
        agent_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[AlertsUpdate]: ...

    @overload
    def feed(
        self,
        channel: Literal["bridge"],
        *,
        transfer_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[TransferChange]: ...

    @overload
    def feed(
        self,
        channel: Literal["launches"],
        *,
        launch_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[LaunchChange]: ...

    @overload
    def feed(
        self,
        channel: Literal["takes"],
        *,
        take_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[TakeChange]: ...

    @overload
    def feed(
        self,
        channel: Literal["inspect"],
        *,
        actor_id: str | None = None,
        from_: str | None = None,
    ) -> Feed[InspectedStep]: ...

    def feed(self, channel: str, *, from_: str | None = None, **params: Any) -> Feed[Any]:
        """Opens one channel as an endless iterator of frames. It resumes after a cut, without loss or repetition.

        `from_` is the `cursor` of the last processed frame.
        """
        return self._follow(channel, from_, params, DATA.get(channel, {}))
