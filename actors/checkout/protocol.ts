/** Context and events of a checkout. */
import type { Payment } from '../../src/domain/marketplace/checkout.ts';
import type { Checkout, CheckoutTerms } from './resource.ts';

/** Input of a checkout. Plain JSON. */
export interface CheckoutInput extends CheckoutTerms {
  /** Null if the price is 0. */
  readonly payment: Payment | null;
  readonly licenceId: string;
}

/** Context of a checkout. Plain JSON, stored in the snapshot. */
export interface CheckoutContext extends CheckoutInput, Pick<Checkout, 'signature' | 'submittedBy' | 'reason' | 'detail'> {
  /** Signed bytes in base64, or null before the submission. They never change. */
  readonly signed: string | null;
}

/** Result of following a checkout's payment. */
export type PaymentAnswer =
  | { readonly outcome: 'waits' }
  | { readonly outcome: 'confirmed' }
  /** Finalized: the creator has the whole price. */
  | { readonly outcome: 'paid' }
  /** The payment will never land, landed and failed, or moved something else. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  /** The chain did not answer. */
  | { readonly outcome: 'silent'; readonly detail: string };

export type CheckoutEvent =
  | { readonly type: 'submit'; readonly signed: string; readonly signature: string; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: PaymentAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
