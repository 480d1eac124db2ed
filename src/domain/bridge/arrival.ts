/** Attribution of a payment on a chain to one transfer: it is no older than the quote and not another transfer's. */
import type { EpochMs } from '../values/time.ts';
import { type ArrivalAxis, NO_ARRIVAL } from './axes.ts';
import type { BridgeChain } from './quote.ts';

/** A block of a chain. */
export interface ChainHead {
  /** The number of the block, or the slot on the primary chain. */
  readonly height: number;
  /** Time by the chain's clock; null if the node does not say. */
  readonly at: EpochMs | null;
}

/** The newest block of each chain that was known when a transfer was quoted. */
export type ChainHeads = Readonly<Record<BridgeChain, ChainHead>>;

/** Chain record of a transaction that a provider names as a payment or a refund. */
export interface ArrivalSighting extends Pick<ArrivalAxis, 'hash' | 'amount'> {
  readonly state: 'none' | 'included' | 'final' | 'failed';
  /** Block that holds it, or null. */
  readonly block: ChainHead | null;
}

/** Age of the newest block, by the service's clock, beyond which a node is too far behind for a quote. Milliseconds. */
export const MOST_BEHIND_MS = 60_000;

/**
 * True of a block that was there when the head was read. After a fork the same height may be built anew: such a block has
 * a later time than the head had.
 */
export function isOlder(block: ChainHead, head: ChainHead): boolean {
  return block.height <= head.height && !(block.at !== null && head.at !== null && block.at > head.at);
}

/**
 * Returns the axis of an arrival. A payment from before the quote, or one that has settled another transfer, is `foreign`: it does not
 * count for this transfer, whatever its provider says. `settled` is the id of the transfer that it has settled, or null.
 */
export function arrivalOf(seen: ArrivalSighting, head: ChainHead, settled: string | null, own: string): ArrivalAxis {
  const { state, hash, amount, block } = seen;
  if (state === 'none' || state === 'failed') return { ...NO_ARRIVAL, state, hash };
  if (block === null || isOlder(block, head)) return { state: 'foreign', hash, amount, objection: 'older' };
  if (settled !== null && settled !== own) return { state: 'foreign', hash, amount, objection: 'settled_another' };
  return { state, hash, amount, objection: null };
}
