/** Context and events of a bonding-curve launch. */
import type { CurveState } from '../../src/domain/launch/launch-state.ts';
import type { Launch } from './resource.ts';

/** Context of a launch. Plain JSON, stored in the snapshot. */
export interface LaunchContext extends Omit<Launch, 'id' | 'kind' | 'state' | 'changedAt'> {
  /** Signed bytes of each transaction in base64, or null before the submission. They never change. */
  readonly signed: readonly string[] | null;
  /** Number of reads since the curve last changed. */
  readonly quietLooks: number;
}

/** Result of following a launch's transactions. */
export type CarryAnswer =
  | { readonly outcome: 'waits' }
  /** A supermajority has voted for every transaction. */
  | { readonly outcome: 'confirmed' }
  | { readonly outcome: 'finalized' }
  /** One of them will never land, or landed and failed. */
  | { readonly outcome: 'ended'; readonly how: 'expired' | 'failed'; readonly reason: string; readonly detail: string }
  | { readonly outcome: 'looked'; readonly standing: CurveState }
  /** The chain did not answer, or has no such pool yet. */
  | { readonly outcome: 'silent'; readonly detail: string };

export type LaunchEvent =
  | { readonly type: 'submit'; readonly signed: readonly string[]; readonly signatures: readonly string[]; readonly subject: string }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: CarryAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
