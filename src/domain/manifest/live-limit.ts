/** Parts of a manifest that cannot trade live, whatever its evidence. */
import { lackInWords, EXCHANGE_KEY } from '../risk/order-context.ts';
import { splitInstrumentKey, VENUE_FACTS } from '../market/venue.ts';
import type { Manifest } from './manifest.ts';

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
