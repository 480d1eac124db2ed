/** Context, view and booking shared by manual orders on every venue. */
import type { ViewOf } from '../../src/core/resource.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import { type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';
import type { MANUAL_ORDER_FIELDS } from './fields.ts';

type ManualOrder = ViewOf<{ readonly fields: typeof MANUAL_ORDER_FIELDS }>;

/** Input of the order's actor. Plain JSON. */
export interface ManualOrderInput extends Pick<ManualOrder, 'order' | 'decisionPrice' | 'risk' | 'placedBy' | 'epoch' | 'createdAt'> {
  /** Reason why it was not filled, or null if it was. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** Immediate fills. */
  readonly fills: readonly Fill[];
  /** Version of the book that risk validated. Immediate fills are booked on exactly this version or not at all. */
  readonly bookVersion: number;
}

/** Context of a manual order. Plain JSON, stored in the snapshot. */
export interface ManualOrderContext extends ManualOrderInput, Pick<ManualOrder, 'filledQuantity' | 'filledNotionalUsd'> {}

/** An order with its fills, beside its state. */
export interface ManualOrderView extends ManualOrder {
  readonly id: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly fills: readonly Fill[];
}

/** Returns the row's fields that come from the order. */
export function orderPlace({ order: { mode, bookId, instrument } }: ManualOrderContext) {
  return { mode, bookId, instrument };
}

/** Effects of its machine's actions, by name. */
export const MANUAL_ORDER_EFFECTS = {
  /** Makes the database refuse the step if a halt came meanwhile. */
  requireEpoch: (_: undefined, info: StepInfo) => [record('epoch_check', { orgId: info.orgId, epoch: contextOf(info).epoch })],
  recordFills: ({ fills }: { readonly fills: readonly Fill[] }, info: StepInfo) => fillRecords(fills, info, {}),
  /** Records the immediate fills on exactly the validated version of the book. */
  recordOwnFills: (_: undefined, info: StepInfo) =>
    fillRecords(contextOf(info).fills, info, { expectedVersion: contextOf(info).bookVersion }),
} as const;

function fillRecords(fills: readonly Fill[], info: StepInfo, on: { readonly expectedVersion?: number }): Effect[] {
  return fills.map((fill) => record('fill', { orgId: info.orgId, fill, ...on }));
}

function contextOf({ context }: Pick<StepInfo, 'context'>): ManualOrderContext {
  return context as unknown as ManualOrderContext;
}
