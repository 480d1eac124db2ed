/** Context and events of a launch by the external launcher. */
import type { LauncherIntent, LauncherOffer } from '../../src/domain/launch/launcher.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Input of a launch. Plain JSON. */
export interface LauncherLaunchInput {
  readonly intent: LauncherIntent;
  readonly offer: LauncherOffer;
  readonly quoteSymbol: string;
  readonly pairedStock: InstrumentKey;
  readonly preparedBy: string;
  readonly createdAt: EpochMs;
}

/** Context of a launch. Plain JSON, stored in the snapshot. */
export interface LauncherLaunchContext extends LauncherLaunchInput {
  /** Id of the payment's prepared transaction, or null until it is built. */
  readonly paymentId: string | null;
  /** Signed bytes in base64, or null before the submission. They never change. */
  readonly signed: string | null;
  readonly signature: string | null;
  readonly submittedBy: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** Number of queries to the launcher since the payment was final. */
  readonly asked: number;
  readonly token: LaunchedToken | null;
}

/** The token as read from the chain. */
interface LaunchedToken {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
  /** The launcher's transaction, or null if it names none. */
  readonly transaction: string | null;
}

export type LauncherAnswer =
  | { readonly outcome: 'waits' }
  /** A supermajority has voted for the payment. */
  | { readonly outcome: 'confirmed' }
  | { readonly outcome: 'finalized' }
  /** The payment will never land, or landed without its effect. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  | { readonly outcome: 'launched'; readonly token: LaunchedToken }
  | { readonly outcome: 'declined'; readonly code: string; readonly detail: string }
  /** The launcher has not launched yet, does not answer, or names a token that the chain does not show yet. */
  | { readonly outcome: 'pending'; readonly detail: string };

export type LauncherLaunchEvent =
  | { readonly type: 'payment.prepared'; readonly transactionId: string }
  | { readonly type: 'submit'; readonly signed: string; readonly signature: string; readonly subject: string }
  /** The payer asks for another query of the launcher. */
  | { readonly type: 'retry'; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: LauncherAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
