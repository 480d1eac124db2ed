/** What of a manifest can never trade live, whatever it proves before. */
import { splitInstrumentKey, VENUE_FACTS } from '../venue.ts';
import type { Manifest } from './manifest.ts';

/** One sentence about the instruments that no live order can reach; null where there is none. */
export function liveLimit({ universe }: Pick<Manifest, 'universe'>): string | null {
  const unreached = universe.filter(({ key }) => !VENUE_FACTS[splitInstrumentKey(key).venue].liveOrders).map(({ key }) => key);
  if (unreached.length === 0) return null;
  const named = unreached.join(', ');
  return unreached.length === universe.length
    ? `nothing of its universe can be traded live (${named}): no live order goes to that venue. It can be tested, and trade on paper and in shadow; live capital would lie idle`
    : `${named} cannot be traded live: no live order goes to that venue. The rest of its universe can`;
}
