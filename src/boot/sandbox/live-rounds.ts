/** Refuses live capital on instruments of a polled venue whose quotes could not be asked for in time. */
import { addedLiveInstruments } from '../../adapters/store/agents/manifest-reads.ts';
import type { Sql } from '../../adapters/store/database.ts';
import type { InstrumentKey } from '../../domain/market/venue.ts';
import { lateRound } from '../../domain/venues/polled-round.ts';

const POLLED = 'spotchain';

/**
 * Says why instruments cannot be given live capital besides those that have it, or null if they can. An instrument that is live
 * only with other organizations counts as one more, so the answer does not tell that it is.
 */
export function createLiveRounds(sql: Sql, perMinute: number): (added: readonly InstrumentKey[]) => Promise<string | null> {
  return async (added) => {
    const polled = added.filter((key) => key.startsWith(`${POLLED}:`));
    if (polled.length === 0) return null;
    return lateRound(await addedLiveInstruments(sql, POLLED, polled), perMinute);
  };
}
