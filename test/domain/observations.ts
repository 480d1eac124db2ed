/** Observations for tests of decisions: a clean, live one, of which members are changed one at a time. */
import type { Cut, IndicatorValue, Observation, ObservedEvent, ObservedQuote, ObservedReference } from '../../src/domain/market/cut.ts';
import type { AgentBook, BookPosition } from '../../src/domain/agents/decision.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Slot at a full hour in a regular session. */
export const SLOT = Date.parse('2026-07-15T15:00:00Z');
export const HOUR = 3_600_000;

export const LIVE_QUOTE: ObservedQuote = {
  bid: '99',
  ask: '101',
  mid: '100',
  source: 'test',
  observedAt: SLOT - 500,
  receivedAt: SLOT - 400,
  ageMs: 500,
  quality: 'live',
  flags: [],
};

export const LIVE_REFERENCE: ObservedReference = {
  instrument: 'AAPL',
  referencePrice: '102',
  confidence: '0.05',
  feedUpdatedAt: SLOT - 900,
  receivedAt: SLOT - 800,
  ageMs: 900,
  quality: 'live',
  flags: [],
};

/** Returns an indicator on the last bar closed before the slot. */
export function indicator(value: number | null, previous: number | null = null, barOpenTime: number | null = SLOT - HOUR): IndicatorValue {
  return { value, previous, barOpenTime };
}

export function event(over: Partial<ObservedEvent> = {}): ObservedEvent {
  return { id: 'e1', severity: 'high', negative: true, rumor: false, observedAt: SLOT - HOUR, headline: 'Recall', ...over };
}

export function observation(over: Partial<Observation> = {}): Observation {
  return {
    slot: SLOT,
    instrument: 'spotchain:AAPLx',
    session: 'REGULAR',
    quote: LIVE_QUOTE,
    reference: LIVE_REFERENCE,
    premiumPct: -2,
    gapToMarkPct: null,
    basisPct: null,
    hourlyFunding: null,
    markPrice: null,
    liquidityUsd: '250000.5',
    indicators: {},
    events: [],
    ...over,
  };
}

export function cutOf(...observations: Observation[]): Cut {
  return { slot: SLOT, observations: new Map(observations.map((one) => [one.instrument, one])) };
}

export function position(over: Partial<BookPosition> = {}): BookPosition {
  return { instrument: 'spotchain:AAPLx' as InstrumentKey, quantity: '10', averageEntryPrice: '90', openedAt: SLOT - 5 * HOUR, ...over };
}

export function bookOf(...positions: BookPosition[]): AgentBook {
  return { positions, openProposals: 0, fills: positions.length, realizedPnlUsd: '0', slippageBps: null };
}
