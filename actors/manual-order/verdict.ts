/** Risk assessment of a person's order, on every venue. */
import type { Fill, OpenProposal } from '../../src/domain/books/book.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import { blockedByRisk } from '../../src/domain/risk/refusal.ts';
import type { PresentVerdict } from '../proposal/pre-trade.ts';

/** An order as it was validated on the market, the mandate and the manual book of one moment. */
export interface ManualVerdict {
  readonly order: Order;
  readonly verdict: PresentVerdict;
  /** The touch that the order would trade at. */
  readonly touch: DecimalString;
  /** The organization's control epoch at that moment; a halt ends it. */
  readonly epoch: number;
  /** The version of the book that it was validated on; zero if nothing was booked yet. */
  readonly bookVersion: number;
}

/** Effect of an order on the next one on the same book. */
export interface LeftByOrder {
  /** Immediate fills. */
  readonly fills: readonly Fill[];
  /** Resting part that reserves capacity, or null. */
  readonly waits: OpenProposal | null;
}

/** A validation that lets the order pass. */
export type PassedVerdict<Validated extends ManualVerdict = ManualVerdict> = Validated & {
  readonly verdict: Extract<PresentVerdict, { readonly ok: true }>;
};

/** A validation that lets the order pass; else its refusal, naming every limit. */
export function passed<Validated extends ManualVerdict>(validated: Outcome<Validated>): Outcome<PassedVerdict<Validated>> {
  if (!validated.ok) return validated;
  const { verdict } = validated.value;
  return verdict.ok ? { ok: true, value: { ...validated.value, verdict } } : blockedByRisk(verdict.risk.rejections);
}
