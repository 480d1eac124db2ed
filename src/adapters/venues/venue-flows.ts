/** What venues did over a window of time, asked of the venue itself: trades of an instrument while an order rested there. */
import type { VenueFlows } from '../../../actors/proposal/execution.ts';
import type { FlowTrade } from '../../domain/resting-fill.ts';
import type { EpochMs } from '../../domain/time.ts';
import { type ExecutableVenue, splitInstrumentKey } from '../../domain/venue.ts';

/** Asks one venue for its trades between two instants. @throws VenueError */
export interface AskTrades {
  readonly source: string;
  between(instrument: string, from: EpochMs, to: EpochMs): Promise<readonly FlowTrade[]>;
}

/** `venues` holds those that tell their trades. */
export function createVenueFlows(venues: Readonly<Partial<Record<string, AskTrades>>>): VenueFlows {
  return {
    async between(key, from, to) {
      const { venue, instrument } = splitInstrumentKey(key);
      const asked = venues[venue];
      if (asked === undefined) throw new Error(`${venue} does not tell its trades`);
      const trades = await asked.between(instrument, from, to);
      return { venue: venue as ExecutableVenue, source: asked.source, trades, tops: [] };
    },
  };
}
