/** Facts that explain what an agent's closings wait for: its holdings, its newest proposals, and present quotes. */
import type { Clock } from '../../streams/clock/clock.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';
import type { Position } from '../domain/books/book.ts';
import type { ClosingFacts, ClosingProposal } from '../domain/agents/closing-waits.ts';
import type { Quote } from '../domain/market/quote.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import { agedQuote, type LatestQuotes } from './live-marks.ts';

/** Maximum proposals read. A paused agent makes only closing ones, so the newest show what is under way and the last attempt. */
const PROPOSALS = 100;

interface ClosingReads {
  /** Returns positions of the live book and of the paper books of every version. Empty for another organization's agent. */
  held(orgId: string, agentId: string): Promise<readonly Position[]>;
  /** Returns proposals, newest first. */
  proposals(
    orgId: string,
    filter: { readonly agentId: string },
    page: { readonly limit: number; readonly after: null },
  ): Promise<{ readonly items: readonly ClosingProposal[] }>;
}

export function createClosingFacts(reads: ClosingReads, bus: LatestQuotes, clock: Pick<Clock, 'now'>) {
  const freshness = createFreshness();
  return async (orgId: string, agentId: string): Promise<ClosingFacts> => {
    const [held, { items }] = await Promise.all([
      reads.held(orgId, agentId),
      reads.proposals(orgId, { agentId }, { limit: PROPOSALS, after: null }),
    ]);
    const at = clock.now();
    const quotes = new Map<InstrumentKey, Quote>();
    for (const { instrument } of held) {
      const newest = bus.latest(instrument);
      if (newest?.kind === 'quote') quotes.set(instrument, agedQuote(newest, freshness, at));
    }
    return { held, proposals: items, quotes, at };
  };
}
