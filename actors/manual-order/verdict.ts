/** Risk assessment of manual orders on every venue. */
import type { Fill, OpenProposal } from '../../src/domain/books/book.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import { blockedByRisk } from '../../src/domain/risk/blocked-by-risk.ts';
import type { PresentVerdict } from '../proposal/present-verdict.ts';

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
