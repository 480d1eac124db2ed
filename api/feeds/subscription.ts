/** A subscription of a connection: its callbacks and its key. */
import { canonicalJson, type Json } from '../../src/domain/values/canonical-json.ts';

/** Callbacks from a subscription to its connection. */
export interface SubscriptionEvents {
  /** Reports that the subscription was accepted, before its first frame. */
  accepted(at: { readonly seq: number; readonly cursor: string | null }): void;
  /** Reports that the client reads too slowly: everything up to `from` was written, and it must continue elsewhere. */
  lagged(): void;
  /** Reports that the subscription failed through no fault of the client. */
  failed(): void;
}

export interface Subscription {
  readonly channel: string;
  /** Channel and parameters in its canonical form. */
  readonly key: string;
  close(): void;
}

/** Returns the canonical key of channel and parameters. The same subscription has the same key. */
export function subscriptionKey(channel: string, params: { readonly [name: string]: Json }): string {
  return `${channel}${canonicalJson(params)}`;
}

/** Buffered bytes below which a client that catches up gets the next piece. */
export const DRAINED_BYTES = 64 * 1024;
