/** Context, view, verdict and booking shared by manual orders on every venue. */
import { Type } from 'typebox';
import { AttributionBody, FillBody } from '../../src/core/order-shapes.ts';
import { held, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, Time } from '../../src/core/shapes.ts';
import type { ActorRecord } from '../../src/domain/agents/actor-step.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { Fill, OpenProposal } from '../../src/domain/books/book.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { EXECUTION_MODES, ORDER_SIDES, type Order } from '../../src/domain/orders/order.ts';
import { blockedByRisk } from '../../src/domain/risk/blocked-by-risk.ts';
import type { Spending } from '../../src/domain/take/live-capital.ts';
import { Decimal, type DecimalString } from '../../src/domain/values/decimal.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { PresentVerdict } from '../proposal/present-verdict.ts';
import { type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';

export const MANUAL_ORDER_FIELDS = {
  mode: { wire: choice(EXECUTION_MODES), column: 'text' },
  bookId: { wire: Type.String({ description: 'The manual book of the organization, one per mode.' }), column: 'text' },
  instrument: { wire: Type.Unsafe<InstrumentKey>(Type.String()), column: 'text' },
  /** The order that risk accepted. */
  order: { holds: held<Order>(), column: 'jsonb', name: 'order_body' },
  side: { wire: choice(ORDER_SIDES), computed: true },
  quantity: { wire: DecimalText, computed: true },
  limitPrice: { wire: Type.String({ description: 'Limit price.' }), computed: true },
  notionalUsd: { wire: DecimalText, computed: true },
  maxSlippageBps: { wire: Type.Number(), computed: true },
  decisionPrice: { wire: Type.String({ description: 'The executable price when it was placed.' }), column: 'numeric' },
  risk: { wire: Type.Unsafe<RiskAttribution>(AttributionBody), column: 'jsonb' },
  placedBy: { wire: Type.String(), column: 'text' },
  /** Control epoch of the organization when it was placed. A halt ends it. */
  epoch: { holds: held<number>(), column: 'bigint' },
  filledQuantity: { wire: DecimalText, column: 'numeric', changes: true },
  filledNotionalUsd: { wire: DecimalText, column: 'numeric', changes: true },
  fills: { wire: Type.Array(FillBody), computed: true },
  createdAt: { wire: Time, column: 'bigint', instant: true },
  changedAt: { wire: Time, column: 'bigint', changes: true, instant: true },
} as const;

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
  requireEpoch: (_: undefined, info: StepInfo) => [record('epoch_check', { orgId: info.orgId, epoch: readContext(info).epoch })],
  recordFills: ({ fills }: { readonly fills: readonly Fill[] }, info: StepInfo) => fillRecords(fills, info, {}),
  /** Records the immediate fills on exactly the validated version of the book. */
  recordOwnFills: (_: undefined, info: StepInfo) =>
    fillRecords(readContext(info).fills, info, { expectedVersion: readContext(info).bookVersion }),
} as const;

function fillRecords(fills: readonly Fill[], info: StepInfo, on: { readonly expectedVersion?: number }): Effect[] {
  return fills.map((fill) => record('fill', { orgId: info.orgId, fill, ...on }));
}

function readContext({ context }: Pick<StepInfo, 'context'>): ManualOrderContext {
  return context as unknown as ManualOrderContext;
}

/** An order validated against the market, mandate and manual book of one moment. */
export interface ManualVerdict {
  readonly order: Order;
  readonly verdict: PresentVerdict;
  /** Price at the touch that the order would trade at. */
  readonly touch: DecimalString;
  /** Control epoch of the organization at that moment. A halt ends it. */
  readonly epoch: number;
  /** Version of the validated book, or 0 if nothing was booked yet. */
  readonly bookVersion: number;
}

/** Effect of an order on the next one on the same book. */
export interface LeftByOrder {
  /** Immediate fills. */
  readonly fills: readonly Fill[];
  /** Resting part that reserves capacity, or null. */
  readonly waits: OpenProposal | null;
}

/** Validation of an order that risk accepts. */
export type PassedVerdict<Validated extends ManualVerdict = ManualVerdict> = Validated & {
  readonly verdict: Extract<PresentVerdict, { readonly ok: true }>;
};

/** Returns the validation if risk accepts the order, or else the refusal, which names every limit. */
export function passed<Validated extends ManualVerdict>(validated: Outcome<Validated>): Outcome<PassedVerdict<Validated>> {
  if (!validated.ok) return validated;
  const { verdict } = validated.value;
  return verdict.ok ? { ok: true, value: { ...validated.value, verdict } } : blockedByRisk(verdict.risk.rejections);
}

export interface DollarsSpentRecord extends ActorRecord, Spending {
  readonly type: 'dollars_spent';
  readonly orgId: string;
  readonly at: EpochMs;
}

/** Returns the row, or none if nothing is spent. The database refuses the step if the dollars are bound elsewhere. */
export function spendingRows(orgId: string, spending: Spending, at: EpochMs): readonly DollarsSpentRecord[] {
  return new Decimal(spending.usd).lte(0) ? [] : [{ type: 'dollars_spent', orgId, ...spending, at }];
}
