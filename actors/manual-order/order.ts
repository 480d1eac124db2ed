/** Context, view and booking shared by a person's orders on every venue. */
import type { Fill } from '../../src/domain/book.ts';
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { RiskAttribution } from '../../src/domain/decision.ts';
import type { Order } from '../../src/domain/order.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import { type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';

/** Input of the order's actor. Plain JSON. */
export interface ManualOrderInput {
  /** The order that risk accepted. */
  readonly order: Order;
  /** The executable price when it was placed. */
  readonly decisionPrice: DecimalString;
  readonly risk: RiskAttribution;
  readonly placedBy: string;
  /** The organization's control epoch that it was placed in; a halt ends it. */
  readonly epoch: number;
  /** Reason why it was not filled; null if it was. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** Immediate fills. */
  readonly fills: readonly Fill[];
  /** The book's version that risk validated it on: what is filled at once is booked on that one or not at all. */
  readonly bookVersion: number;
  readonly createdAt: EpochMs;
}

/** Plain JSON: it lies in the snapshot. */
export interface ManualOrderContext extends ManualOrderInput {
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
}

/** Public view of the order, besides its state. */
export interface ManualOrderView {
  readonly id: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly order: Order;
  readonly decisionPrice: DecimalString;
  readonly risk: RiskAttribution;
  readonly placedBy: string;
  readonly filledQuantity: DecimalString;
  readonly filledNotionalUsd: DecimalString;
  readonly fills: readonly Fill[];
  readonly createdAt: EpochMs;
  readonly changedAt: EpochMs;
}

/** An order as its step left it; what it is filled with later is read from the store. */
export function manualOrderView(id: string, context: ManualOrderContext, changedAt: EpochMs): ManualOrderView {
  const { reason, detail, order, decisionPrice, risk, placedBy, filledQuantity, filledNotionalUsd, fills, createdAt } = context;
  return { id, reason, detail, order, decisionPrice, risk, placedBy, filledQuantity, filledNotionalUsd, fills, createdAt, changedAt };
}

/** The row of its projection as the step leaves it, beside what its venue adds. */
export function manualOrderRow(info: StepInfo): { readonly [field: string]: unknown } {
  const { order, decisionPrice, risk, placedBy, epoch, reason, detail, filledQuantity, filledNotionalUsd, createdAt } = contextOf(info);
  return {
    id: info.actorId,
    orgId: info.orgId,
    mode: order.mode,
    bookId: order.bookId,
    instrument: order.instrument,
    order,
    decisionPrice,
    risk,
    placedBy,
    epoch,
    reason,
    detail,
    filledQuantity,
    filledNotionalUsd,
    createdAt,
    changedAt: info.now,
  };
}

/** Effects of its machine's actions, by name. */
export const MANUAL_ORDER_EFFECTS = {
  /** The database refuses the step where a halt came since. */
  requireEpoch: (_: undefined, info: StepInfo) => [record('epoch_check', { orgId: info.orgId, epoch: contextOf(info).epoch })],
  recordFills: ({ fills }: { readonly fills: readonly Fill[] }, info: StepInfo) => fillRecords(fills, info, {}),
  /** Records the immediate fills, on the very version of the book that was validated. */
  recordOwnFills: (_: undefined, info: StepInfo) =>
    fillRecords(contextOf(info).fills, info, { expectedVersion: contextOf(info).bookVersion }),
} as const;

function fillRecords(fills: readonly Fill[], info: StepInfo, on: { readonly expectedVersion?: number }): Effect[] {
  return fills.map((fill) => record('fill', { orgId: info.orgId, fill, ...on }));
}

function contextOf({ context }: Pick<StepInfo, 'context'>): ManualOrderContext {
  return context as unknown as ManualOrderContext;
}
