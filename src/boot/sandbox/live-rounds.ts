/** Check that live capital is refused on instruments of a polled venue whose quotes could not be requested in time. */
import { addedLiveInstruments } from '../../adapters/store/agents/manifest-reads.ts';
import type { Sql } from '../../adapters/store/database.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { lateRound } from '../../domain/venues/polled-round.ts';

const POLLED = 'spotchain';

/**
 * Creates the check. It returns why instruments cannot get live capital in addition to those that have it, or null. An instrument that is
 * live only at other organizations counts as one more, so the answer does not reveal that.
 */
export function createLiveRounds(sql: Sql, perMinute: number): (added: readonly InstrumentKey[]) => Promise<string | null> {
  return async (added) => {
    const polled = added.filter((key) => key.startsWith(`${POLLED}:`));
    if (polled.length === 0) return null;
    return lateRound(await addedLiveInstruments(sql, POLLED, polled), perMinute);
  };
}
