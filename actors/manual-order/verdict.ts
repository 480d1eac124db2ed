/** How a person's order stands before risk, whatever its venue. */
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { Order } from '../../src/domain/order.ts';
import type { Outcome } from '../../src/domain/refusal.ts';
import { blockedByRisk } from '../../src/domain/risk/refusal.ts';
import type { PresentVerdict } from '../proposal/pre-trade.ts';

/** An order as it was judged on the market, the mandate and the manual book of one moment. */
export interface ManualVerdict {
  readonly order: Order;
  readonly verdict: PresentVerdict;
  /** The touch that the order would trade at. */
  readonly touch: DecimalString;
  /** The organization's control epoch at that moment; a halt ends it. */
  readonly epoch: number;
  /** The version of the book that it was judged on; zero where nothing was booked yet. */
  readonly bookVersion: number;
  /** What the book begins with. */
  readonly capitalUsd: DecimalString;
}

/** A judgement that lets the order pass. */
export type PassedVerdict<Judged extends ManualVerdict = ManualVerdict> = Judged & {
  readonly verdict: Extract<PresentVerdict, { readonly ok: true }>;
};

/** A judgement that lets the order pass; else its refusal, naming every limit. */
export function passed<Judged extends ManualVerdict>(judged: Outcome<Judged>): Outcome<PassedVerdict<Judged>> {
  if (!judged.ok) return judged;
  const { verdict } = judged.value;
  return verdict.ok ? { ok: true, value: { ...judged.value, verdict } } : blockedByRisk(verdict.risk.rejections);
}
