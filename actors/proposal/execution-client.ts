/** The way of an order to a live venue, as a proposal's execution needs it. Boot supplies one per venue that is switched on. */
import type { SeenTrades, VenueAnswer } from '../../src/domain/orders/execution.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { RiskApproved } from '../../src/domain/risk/assess.ts';
import type { ExecutableVenue } from '../../src/domain/market/venue.ts';

/** Arguments of a submission to venue `V`, besides the order. */
export interface SubmitInfo<V extends ExecutableVenue> {
  /** Organization of the order. A venue that keeps accounts uses this organization's account. */
  readonly orgId: string;
  /** The same at every attempt: the venue's client order id is made of it, so that a repeated submit is one order. */
  readonly key: string;
  /** The present quote of the same venue, which risk passed the order on. */
  readonly quote: Quote<V>;
  /** The price that the decision was made on, for the slippage of the fill. */
  readonly decisionPrice: string;
  /** Time at which the lease to execute ends, by the time of day: what is looked up is weighed by it. */
  readonly leaseUntil: number;
  /** Remaining time of the lease, in milliseconds. Nothing is sent after it, and the venue is told to refuse what reaches it later. */
  readonly leaseLeftMs: () => number;
}

/** Arguments of a look-up, besides the order. */
export interface LookUpInfo {
  readonly orgId: string;
  /** The price that the decision was made on, for the slippage of the fills. */
  readonly decisionPrice: string;
  /** End of the last lease that it may have been sent under; null if none was taken. */
  readonly leaseUntil: number | null;
  /** Trades of an order that rests which are booked already: only what came after them is told as fills. */
  readonly seen?: SeenTrades | null;
}

/** Orders that rest on venue `V`. What is post-only never takes, and is filled at its own price or not at all. */
export interface RestingClient<V extends ExecutableVenue> {
  /** Places the order at `price`. `rejected` if it is post-only and would take at once. @throws only before anything was sent. */
  readonly place: (
    order: RiskApproved<Order<V>>,
    info: SubmitInfo<V> & { readonly price: string; readonly postOnly: boolean },
  ) => Promise<VenueAnswer>;
  /**
   * Takes back what is left of the order under this key, and answers what became of it by the venue's own word, however
   * the cancel raced with a fill. `unknown` if the venue did not say; asked again, it comes to the same end.
   */
  readonly withdraw: (order: Order<V>, key: string, info: LookUpInfo) => Promise<VenueAnswer>;
}

/**
 * Takes orders on venue `V` that the pre-trade risk function passed, and nothing else. Properties, not methods: of those
 * the compiler would accept a client that takes another venue's orders.
 */
export interface ExecutionClient<V extends ExecutableVenue> {
  /** Sends the order. Answers `unknown` if it may have arrived and the answer was lost. @throws only before anything was sent. */
  readonly submit: (order: RiskApproved<Order<V>>, info: SubmitInfo<V>) => Promise<VenueAnswer>;
  /** Looks up the order with this key. Returns `rejected` with reason `not_found` if the venue never had it and never will. */
  readonly lookUp: (order: Order<V>, key: string, info: LookUpInfo) => Promise<VenueAnswer>;
  /** Absent if orders do not rest on the venue. */
  readonly resting?: RestingClient<V>;
}

/** Unsolicited report of a venue about one order. */
export interface OrderReport {
  /** Organization whose account it is about. */
  readonly orgId: string;
  /** Returns true if it is about the order that was placed under this key. */
  readonly isOf: (key: string) => boolean;
  /** Returns what a look-up would answer; null if an earlier report is missing, so that the venue must be queried. */
  readonly answer: (order: Order, info: LookUpInfo) => Promise<VenueAnswer | null>;
}

export interface OrderStreamListener {
  readonly reported: (report: OrderReport) => void;
  /** Reports of this organization's orders may have been missed: they are to be looked at. */
  readonly missed: (orgId: string) => void;
  /** Notes that this organization's orders are not reported until further notice. */
  readonly silent: (orgId: string, why: string) => void;
}

/** A venue's own reports of orders, as long as its connections last. */
export interface OrderStream {
  /** Says who is told; without a listener nothing is. */
  readonly listen: (listener: OrderStreamListener) => void;
  /** Follows the accounts of these organizations, and no others, from now on. */
  readonly follow: (orgIds: ReadonlySet<string>) => void;
}

/** The clients that are switched on, each under its own venue. */
export type ExecutionClients = { readonly [V in ExecutableVenue]?: ExecutionClient<V> };
