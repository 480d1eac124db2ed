/**
 * What pages call the parts of the API's bodies, and what the feed announces. The bodies themselves are in api.ts, which is
 * written from the API document; here stand the few words that the document leaves open. For the type checker only.
 */

import type * as Api from './api.ts';
import type { EvaluationRun, Proposal } from './api.ts';

export type {
  Agent,
  BacktestResult,
  BacktestTrade,
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
  Proposal,
  RankedAgentToken,
  SweepResult,
  SweepTrial,
  Take,
  TradeGroup,
  ReserveCheck,
  Vault,
} from './api.ts';
export type {
  DayTicker as Ticker,
  ExplainedDecision as Explanation,
  MacroRegime as Regime,
  MachineLayout as Layout,
  PortfolioImpact as Impact,
  PredictionResearch as Research,
  Quote as QuoteRow,
  Venue as VenueState,
} from './api.ts';

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

/** Where a state chart stands, which the document leaves open as it is the machine's own. */
export type StateValue = string | { readonly [region: string]: StateValue };

export interface Step extends Omit<Api.Step, 'event' | 'from' | 'to'> {
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  readonly from: StateValue | null;
  readonly to: StateValue;
}

/** A step as the `inspect` channel tells of it. */
export interface InspectedStep extends Omit<Step, 'at' | 'cause'> {
  readonly actorId: string;
  readonly kind: string;
}

export type Chart = Omit<Api.Chart, 'value'> & { readonly value: StateValue };
export type Box = Api.MachineLayout['boxes'][number];
export type Edge = Api.MachineLayout['edges'][number];
export type Rule = Api.Decision['rules'][number];

/** A refusal as a problem document, as far as it is shown: an answer that never came has no field of it. */
export type Problem = Partial<Pick<Api.Problem, 'detail' | 'rejections' | 'checks' | 'questions' | 'problems'>> & {
  readonly code?: string;
};
/** One condition of a gate. */
export type GateCheck = NonNullable<Api.Problem['checks']>[number];
export type Rejection = NonNullable<Api.Problem['rejections']>[number];

/** A fill of a book, or of a proposal, which names the instrument itself. */
export type Fill = Proposal['fills'][number] & { readonly instrument?: string };

/** An announcement of the `proposals` channel; one without an id is a mere recommendation. */
export interface ProposalChange {
  readonly what: string;
  readonly proposalId?: string;
  readonly agentId: string;
  readonly side: string;
  readonly instrument: string;
  readonly quantity: string;
  readonly limitPrice: string;
  readonly state?: Proposal['state'];
  readonly reason?: string | null;
  readonly filledQuantity?: string;
  readonly filledNotionalUsd?: string;
}

/** What the `agents` channel says of a run. */
export type EvaluationProgress = Pick<EvaluationRun, 'progress' | 'remainingMs' | 'waitingFor'> & { readonly runId: string };

export type DerivedNumber = Api.PredictionResearch['probability'];

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

/** A launch of either kind. */
export type Launch = Api.Launch | Api.LauncherLaunch;
export type LadderStep = Pick<Api.LaunchPreview['ladder'][number], 'fillPct' | 'price' | 'sold'>;

export type BridgeArrival = Api.BridgeTransfer['axes']['destination'];

/** An unsigned source transaction: a call on the EVM chain, or bytes on the primary chain. */
export type BridgeTransaction = Api.BridgeTransfer['transaction'];

/** One closed bar. */
export type Bar = Api.Candles['items'][number];
