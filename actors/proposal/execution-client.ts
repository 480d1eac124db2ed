/** Port of a proposal's execution to a live venue. Boot supplies one per enabled venue. */
import type { SeenTrades, VenueAnswer } from '../../src/domain/orders/execution.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { RiskApproved } from '../../src/domain/risk/assess.ts';
import type { ExecutableVenue } from '../../src/domain/market/venue.ts';

/** Arguments of a submission to venue `V`, besides the order. */
export interface SubmitInfo<V extends ExecutableVenue> {
  /** Organization of the order. Venues with accounts use this organization's account. */
  readonly orgId: string;
  /** The same at every attempt. The venue's client order id is derived from it, so that a repeated submission is one order. */
  readonly key: string;
  /** Present quote of the venue, on which risk accepted the order. */
  readonly quote: Quote<V>;
  /** Price at the decision, for the slippage of the fill. */
  readonly decisionPrice: string;
  /** End of the execution lease, as wall-clock time. Look-ups compare with it. */
  readonly leaseUntil: number;
  /** Remaining time of the lease in milliseconds. Nothing is sent at 0, and the venue is told to refuse what arrives later. */
  readonly leaseLeftMs: () => number;
}

/** Arguments of a look-up, besides the order. */
interface LookUpInfo {
  readonly orgId: string;
  /** Price at the decision, for the slippage of the fills. */
  readonly decisionPrice: string;
  /** End of the last lease that it may have been sent under, or null if none was taken. */
  readonly leaseUntil: number | null;
  /** Booked trades of a resting order. Only later ones are returned as fills. */
  readonly seen?: SeenTrades | null;
}

/** Resting orders on venue `V`. A post-only order never takes liquidity: it is filled at its own price or not at all. */
interface RestingClient<V extends ExecutableVenue> {
  /** Places the order at `price`. Returns `rejected` if it is post-only and would take at once. @throws only before anything was sent. */
  readonly place: (
    order: RiskApproved<Order<V>>,
    info: SubmitInfo<V> & { readonly price: string; readonly postOnly: boolean },
  ) => Promise<VenueAnswer>;
  /**
   * Cancels what is left of the order under this key, and returns the venue's own result, however the cancel raced with a fill. Returns
   * `unknown` if the venue did not say. Repeating it leads to the same result.
   */
  readonly withdraw: (order: Order<V>, key: string, info: LookUpInfo) => Promise<VenueAnswer>;
}

/**
 * Accepts orders on venue `V` that passed the pre-trade risk function, and nothing else. Properties rather than methods, because TypeScript
 * would let methods accept orders of another venue.
 */
export interface ExecutionClient<V extends ExecutableVenue> {
  /** Sends the order. Returns `unknown` if it may have arrived and the answer was lost. @throws only before anything was sent. */
  readonly submit: (order: RiskApproved<Order<V>>, info: SubmitInfo<V>) => Promise<VenueAnswer>;
  /** Looks up the order with this key. Returns `rejected` with reason `not_found` if the venue never had it and never will. */
  readonly lookUp: (order: Order<V>, key: string, info: LookUpInfo) => Promise<VenueAnswer>;
  /** Absent if the venue has no resting orders. */
  readonly resting?: RestingClient<V>;
}

/** Unsolicited report of a venue about one order. */
export interface OrderReport {
  /** Organization of the account. */
  readonly orgId: string;
  /** Returns true if the report belongs to the order placed under this key. */
  readonly isOf: (key: string) => boolean;
  /** Returns the equivalent of a look-up, or null if an earlier report is missing and the venue must be queried. */
  readonly answer: (order: Order, info: LookUpInfo) => Promise<VenueAnswer | null>;
}

export interface OrderStreamListener {
  readonly reported: (report: OrderReport) => void;
  /** Reports of this organization's orders may have been missed: query them. */
  readonly missed: (orgId: string) => void;
  /** Notes that this organization's orders are not reported until further notice, and why. */
  readonly silent: (orgId: string, why: string) => void;
}

/** A venue's own order reports, as long as its connections last. */
export interface OrderStream {
  /** Sets the listener. Without one nothing is reported. */
  readonly listen: (listener: OrderStreamListener) => void;
  /** From now on follows the accounts of exactly these organizations. */
  readonly follow: (orgIds: ReadonlySet<string>) => void;
}

/** Enabled clients by venue. */
export type ExecutionClients = { readonly [V in ExecutableVenue]?: ExecutionClient<V> };
