/** Attributes a payment on a chain to one transfer: it must not be older than the quote or belong to another transfer. */
import { type EpochMs, MINUTE_MS } from '../values/time.ts';
import { type ArrivalAxis, NO_ARRIVAL } from './axes.ts';
import type { BridgeChain } from './quote.ts';

/** A block of a chain. */
export interface ChainHead {
  /** Block number, or slot on the primary chain. */
  readonly height: number;
  /** Time by the chain's clock, or null if the node does not say. */
  readonly at: EpochMs | null;
}

/** Newest known block of each chain when a transfer was quoted. */
export type ChainHeads = Readonly<Record<BridgeChain, ChainHead>>;

/** A transaction on a chain that a provider names as a payment or a refund. */
export interface ArrivalSighting extends Pick<ArrivalAxis, 'hash' | 'amount'> {
  readonly state: 'none' | 'included' | 'final' | 'failed';
  /** Block that includes it, or null. */
  readonly block: ChainHead | null;
}

/** Age in milliseconds of the newest block, by the service's clock, beyond which a node is too far behind for a quote. */
export const MOST_BEHIND_MS = MINUTE_MS;

/**
 * True if a block existed when the head was read. After a fork the same height may be built again, and such a block has a later time than
 * the head.
 */
export function isOlder(block: ChainHead, head: ChainHead): boolean {
  return block.height <= head.height && !(block.at !== null && head.at !== null && block.at > head.at);
}

/**
 * Returns the axis of an arrival. A payment from before the quote, or one that has settled another transfer, is `foreign`: it does not
 * count, whatever its provider says. `settled` is the id of the transfer it has settled, or null.
 */
export function judgeArrival(seen: ArrivalSighting, head: ChainHead, settled: string | null, own: string): ArrivalAxis {
  const { state, hash, amount, block } = seen;
  if (state === 'none' || state === 'failed') return { ...NO_ARRIVAL, state, hash };
  if (block === null || isOlder(block, head)) return { state: 'foreign', hash, amount, objection: 'older' };
  if (settled !== null && settled !== own) return { state: 'foreign', hash, amount, objection: 'settled_another' };
  return { state, hash, amount, objection: null };
}
