/** Ports of the quote routes: the market view of this process. */
import type { Quote, ReferencePrice } from '../../../src/domain/market/quote.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';

/** The market view of this process: the latest event per instrument, in memory. */
export interface QuoteReads {
  latest(filter: { readonly venue?: Venue; readonly instrument?: string }): readonly (Quote | ReferencePrice)[];
}
