/**
 * Names for the API's bodies and the feed's messages on pages. The types are in api.ts and feed-messages.ts, both generated from the
 * documents; this file declares the few that the documents leave open. For the type checker only.
 */

import type * as Api from './api.ts';
import type { Proposal } from './api.ts';
import type * as Feed from './feed-messages.ts';
import type { StateValue } from './feed-messages.ts';

export type {
  Agent,
  BacktestResult,
  BacktestTrade,
  Book,
  BridgeTransfer,
  Calibration,
  Candles,
  CostFigures,
  Decision,
  EvaluationRun,
  Gate,
  Gates,
  LaunchMonitor,
  LaunchTransaction,
  LinkedWallet,
  ManifestVersion,
  MarketOrder,
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

export type { EvaluationProgress, InspectedStep, StateValue } from './feed-messages.ts';

export interface Condition {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface Step extends Omit<Api.Step, 'event' | 'from' | 'to'> {
  readonly event: { readonly type: string; readonly [field: string]: unknown };
  readonly from: StateValue | null;
  readonly to: StateValue;
}

export type Chart = Omit<Api.Chart, 'value'> & { readonly value: StateValue };
export type Box = Api.MachineLayout['boxes'][number];
export type Edge = Api.MachineLayout['edges'][number];
export type Rule = Api.Decision['rules'][number];

/** Problem document of a refusal, as far as it is shown. A missing answer has none of its fields. */
export type Problem = Partial<Pick<Api.Problem, 'detail' | 'rejections' | 'checks' | 'questions' | 'problems'>> & {
  readonly code?: string;
};
/** One condition of a gate. */
export type GateCheck = NonNullable<Api.Problem['checks']>[number];
export type Rejection = NonNullable<Api.Problem['rejections']>[number];

/** Fill of a book, which may have its shadow measurement, or of a proposal, which names the instrument. */
export type Fill = Proposal['fills'][number] & { readonly instrument?: string; readonly shadow?: Api.Fill['shadow'] };

export type DerivedNumber = Api.PredictionResearch['probability'];

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/** Messages that the socket sends. */
export type Message = Feed.TellMessage;

type Subscribe = Extract<Feed.AskMessage, { readonly op: 'subscribe' }>;
export type Channel = Subscribe['channel'];
/** Parameters that narrow a channel. */
export type Params<Name extends Channel> = NonNullable<Extract<Subscribe, { readonly channel: Name }>['params']>;
/** Frames of a channel. */
export type Frame<Name extends Channel = Channel> = Extract<Message, { readonly channel: Name; readonly type: 'snapshot' | 'update' }>;
/** Content of a channel's update. */
export type News<Name extends Channel> = Extract<Frame<Name>, { readonly type: 'update' }>['data'];

/** Launch of either kind. */
export type Launch = Api.Launch | Api.LauncherLaunch;
export type LadderStep = Pick<Api.LaunchPreview['ladder'][number], 'fillPct' | 'price' | 'sold'>;

export type BridgeArrival = Api.BridgeTransfer['axes']['destination'];

/** Unsigned source transaction: a call on the EVM chain, or bytes on the primary chain. */
export type BridgeTransaction = Api.BridgeTransfer['transaction'];

/** Closed bar. */
export type Bar = Api.Candles['items'][number];
