/** One subscription of a connection: what it is told, and how it is named. */
import { canonicalJson, type Json } from '../../src/domain/values/canonical-json.ts';

/** Callbacks from a subscription to its connection. */
export interface SubscriptionEvents {
  /** Reports that the subscription was accepted, before its first frame. */
  accepted(at: { readonly seq: number; readonly cursor: string | null }): void;
  /** The client does not take what it is sent: everything up to `from` was written, and it goes on from there elsewhere. */
  lagged(): void;
  /** Reports that the subscription cannot go on for no fault of the client's. */
  failed(): void;
}

export interface Subscription {
  readonly channel: string;
  /** Channel and parameters in its canonical form. */
  readonly key: string;
  close(): void;
}

/** Channel and parameters in its canonical form: the same subscription has the same key. */
export function subscriptionKey(channel: string, params: { readonly [name: string]: Json }): string {
  return `${channel}${canonicalJson(params)}`;
}

/** Below this a client that is being caught up gets the next piece. */
export const DRAINED_BYTES = 64 * 1024;
