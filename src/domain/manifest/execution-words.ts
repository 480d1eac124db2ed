/** Describes how a manifest's orders are executed on its venues, and at what cost. */
import { findCostModel } from '../orders/costs.ts';
import { type FallbackReason, fallbackOnVenue, REST_MS, SLICES } from '../orders/execution-plan.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey, VENUE_FACTS } from '../market/venue.ts';
import type { Manifest } from './manifest.ts';
import { lackInWords, EXCHANGE_KEY } from '../risk/order-context.ts';

const FALLBACKS: Readonly<Record<FallbackReason, string>> = {
  no_resting_orders: 'orders do not rest there',
  one_transaction: 'each slice would be a transaction that somebody signs',
  protective_exit: 'a stop-loss does not wait',
  too_small_to_slice: 'a slice would be too small',
};

/** Manifest in sentences. */
export interface ManifestInWords {
  /** Part of it that can never trade live, or null if everything can. */
  readonly liveLimit: string | null;
  /** Description of the execution of its orders, and of the fees. */
  readonly execution: readonly string[];
}

/** Describes a manifest. Empty if it is not on record. `lacksExchangeKey` is true if the organization has no key at the spot exchange. */
export function manifestInWords(manifest: Manifest | null, lacksExchangeKey: boolean): ManifestInWords {
  if (manifest === null) return { liveLimit: null, execution: [] };
  return { liveLimit: liveLimit(manifest, lacksExchangeKey), execution: executionInWords(manifest) };
}

/** Describes in one sentence each how orders may be executed, in the order of the universe, without repetition. */
export function executionInWords({ algorithm, urgency, universe }: Pick<Manifest, 'algorithm' | 'urgency' | 'universe'>): string[] {
  const sentences = new Set(universe.map(({ key }) => onVenue(key, algorithm, urgency)));
  if (algorithm !== 'taker_immediate') sentences.add('What a stop-loss, a closing or a kill switch asks for is taken at once.');
  return [...sentences];
}

function onVenue(key: InstrumentKey, algorithm: Manifest['algorithm'], urgency: Manifest['urgency']): string {
  const venue = splitInstrumentKey(key).venue as ExecutableVenue;
  const { takerFeeBps, makerFeeBps } = findCostModel(key);
  const fallback = fallbackOnVenue(algorithm, venue);
  const takes = `takes what the market holds within its limit at once, at a fee of ${takerFeeBps} basis points`;
  if (fallback !== null) return `On ${venue} an order ${takes}: ${FALLBACKS[fallback]} (${fallback}).`;
  if (algorithm === 'taker_immediate') return `On ${venue} an order ${takes}.`;
  if (algorithm === 'twap') {
    const { count, everyMs } = SLICES[urgency];
    return `On ${venue} an order is cut into at most ${count} equal slices, one every ${everyMs / 1_000} s; each ${takes}. A slice that is too small or too late is left out.`;
  }
  return `On ${venue} an order rests at the near side for ${REST_MS[urgency] / 1_000} s at a fee of ${makerFeeBps} basis points, filled by what trades beyond its price; what is left is taken then, at ${takerFeeBps}.`;
}

/**
 * Names the instruments that no live order can reach, and those that none of this organization can, in one sentence each. Null if there are
 * none. @param lacksExchangeKey True if the organization has no key at the spot exchange, where live orders are enabled.
 */
export function liveLimit({ universe }: Pick<Manifest, 'universe'>, lacksExchangeKey: boolean): string | null {
  const sentences = [venueLimit(universe), lacksExchangeKey ? keyLimit(universe) : null].filter((each) => each !== null);
  return sentences.length === 0 ? null : sentences.join('; ');
}

function venueLimit(universe: Manifest['universe']): string | null {
  const unreached = universe.filter(({ key }) => !VENUE_FACTS[splitInstrumentKey(key).venue].liveOrders).map(({ key }) => key);
  if (unreached.length === 0) return null;
  const named = unreached.join(', ');
  return unreached.length === universe.length
    ? `nothing of its universe can be traded live (${named}): no live order goes to that venue. It can be tested, and trade on paper and in shadow; live capital would lie idle`
    : `${named} cannot be traded live: no live order goes to that venue. The rest of its universe can`;
}

function keyLimit(universe: Manifest['universe']): string | null {
  const waiting = universe.filter(({ key }) => splitInstrumentKey(key).venue === 'spotexchange').map(({ key }) => key);
  return waiting.length === 0 ? null : `${waiting.join(', ')} cannot be traded live yet: ${lackInWords('spotexchange', EXCHANGE_KEY)}`;
}
