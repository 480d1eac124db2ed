/** Context, view and booking shared by a person's orders on every venue. */
import type { ViewOf } from '../../src/core/resource.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import { type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';
import type { MANUAL_ORDER_FIELDS } from './fields.ts';

/** An order of any venue as its row has it. */
type ManualOrder = ViewOf<{ readonly fields: typeof MANUAL_ORDER_FIELDS }>;

/** Input of the order's actor. Plain JSON. */
export interface ManualOrderInput extends Pick<ManualOrder, 'order' | 'decisionPrice' | 'risk' | 'placedBy' | 'epoch' | 'createdAt'> {
  /** Reason why it was not filled; null if it was. */
  readonly reason: string | null;
  readonly detail: string | null;
  /** Immediate fills. */
  readonly fills: readonly Fill[];
  /** The book's version that risk validated it on: what is filled at once is booked on that one or not at all. */
  readonly bookVersion: number;
}

/** Plain JSON, stored in the snapshot. */
export interface ManualOrderContext extends ManualOrderInput, Pick<ManualOrder, 'filledQuantity' | 'filledNotionalUsd'> {}

/** An order with its fills, beside its state. */
export interface ManualOrderView extends ManualOrder {
  readonly id: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly fills: readonly Fill[];
}

/** Fields of an order's row that its order says. */
export function orderPlace({ order: { mode, bookId, instrument } }: ManualOrderContext) {
  return { mode, bookId, instrument };
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
