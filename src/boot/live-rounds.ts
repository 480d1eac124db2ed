/** Refuses live capital on instruments of a polled venue whose quotes could not be asked for in time. */
import { liveInstruments } from '../adapters/store/agents/manifest-reads.ts';
import type { Sql } from '../adapters/store/database.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { lateRound } from '../domain/venues/polled-round.ts';

const isPolled = (key: InstrumentKey): boolean => key.startsWith('spotchain:');

/** Says why instruments cannot be given live capital besides those that have it, or null if they can. */
export function createLiveRounds(sql: Sql, perMinute: number): (added: readonly InstrumentKey[]) => Promise<string | null> {
  return async (added) => {
    const polled = added.filter(isPolled);
    if (polled.length === 0) return null;
    const live = (await liveInstruments(sql)).filter(isPolled);
    return lateRound(new Set([...live, ...polled]).size, perMinute);
  };
}
