/** Describes how a manifest's orders are executed on its venues, and at what cost. */
import { findCostModel } from '../orders/costs.ts';
import { type FallbackReason, fallbackOnVenue, REST_MS, SLICES } from '../orders/execution-plan.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey, VENUE_FACTS } from '../market/venue.ts';
import type { Manifest } from './manifest.ts';
import { lackInWords, EXCHANGE_KEY } from '../risk/order-context.ts';

const FALLBACKS: Readonly<Record<FallbackReason, string>> = {
  no_resting_orders: 'the venue has no resting orders',
  one_transaction: 'each slice would need its own signed transaction',
  protective_exit: 'a stop-loss does not wait for a better price',
  too_small_to_slice: 'the order is too small to slice',
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
  if (algorithm !== 'taker_immediate') sentences.add('Orders of a stop-loss, a closing or a kill switch execute immediately.');
  return [...sentences];
}

function onVenue(key: InstrumentKey, algorithm: Manifest['algorithm'], urgency: Manifest['urgency']): string {
  const venue = splitInstrumentKey(key).venue as ExecutableVenue;
  const { takerFeeBps, makerFeeBps } = findCostModel(key);
  const fallback = fallbackOnVenue(algorithm, venue);
  const atOnce = `immediately up to the limit price, at a taker fee of ${takerFeeBps} bps`;
  if (fallback !== null) return `Orders on ${venue} execute ${atOnce}: ${FALLBACKS[fallback]} (${fallback}).`;
  if (algorithm === 'taker_immediate') return `Orders on ${venue} execute ${atOnce}.`;
  if (algorithm === 'twap') {
    const { count, everyMs } = SLICES[urgency];
    return `Orders on ${venue} are split into at most ${count} equal slices, one every ${everyMs / 1_000} s. Slices execute ${atOnce}. A slice that is too small or too late is skipped.`;
  }
  return `Orders on ${venue} rest at the best price of their own side for ${REST_MS[urgency] / 1_000} s, at a maker fee of ${makerFeeBps} bps. They fill when the market trades through that price. The rest then executes ${atOnce}.`;
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
    ? `no instrument of the agent can be traded live (${named}): the service sends no live orders to this venue. The agent can be backtested and can trade on paper and in shadow. Live capital would stay unused`
    : `${named} cannot be traded live: the service sends no live orders to this venue. The other instruments of the agent can`;
}

function keyLimit(universe: Manifest['universe']): string | null {
  const waiting = universe.filter(({ key }) => splitInstrumentKey(key).venue === 'spotexchange').map(({ key }) => key);
  return waiting.length === 0 ? null : `${waiting.join(', ')} cannot be traded live yet: ${lackInWords('spotexchange', EXCHANGE_KEY)}`;
}
