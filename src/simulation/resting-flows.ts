/** What a tape tells of the market while orders rest on it: the live tops of the books that somebody rests in, and of no others. */
import type { VenueFlows } from '../../actors/proposal/execution.ts';
import type { MarketView } from '../../streams/market-view.ts';
import type { FlowTop, MarketFlow } from '../domain/resting-fill.ts';
import type { EpochMs } from '../domain/time.ts';
import { type ExecutableVenue, type InstrumentKey, instrumentKey, splitInstrumentKey } from '../domain/venue.ts';

export interface RestingFlows extends VenueFlows {
  /** An order begins to rest in an instrument; told again, it goes on. */
  begin(orderId: string, instrument: InstrumentKey): void;
  end(orderId: string, instrument: InstrumentKey): void;
  /** What `between` answers, at once. */
  received(instrument: InstrumentKey, from: EpochMs, to: EpochMs): MarketFlow;
}

interface Followed {
  readonly orders: Set<string>;
  readonly tops: FlowTop[];
}

/** Listens only while something rests: a replay without resting orders costs nothing. */
export function createRestingFlows(view: Pick<MarketView, 'changed'>): RestingFlows {
  const followed = new Map<InstrumentKey, Followed>();
  let listening: { unsubscribe(): void } | null = null;

  function listen(): void {
    listening ??= view.changed.subscribe((event) => {
      if (event.kind !== 'quote' || event.quality !== 'live') return;
      const { source, observedAt, bid, ask, bidSize, askSize, receivedAt: at } = event;
      followed.get(instrumentKey(event.venue, event.instrument))?.tops.push({ source, observedAt, bid, ask, bidSize, askSize, at });
    });
  }

  function received(instrument: InstrumentKey, from: EpochMs, to: EpochMs): MarketFlow {
    const tops = followed.get(instrument)?.tops.filter(({ at }) => at > from && at <= to) ?? [];
    return { venue: splitInstrumentKey(instrument).venue as ExecutableVenue, source: 'tape', trades: [], tops };
  }

  return {
    begin(orderId, instrument) {
      const known = followed.get(instrument) ?? { orders: new Set<string>(), tops: [] };
      known.orders.add(orderId);
      followed.set(instrument, known);
      listen();
    },

    end(orderId, instrument) {
      const known = followed.get(instrument);
      if (known === undefined || !known.orders.delete(orderId) || known.orders.size > 0) return;
      followed.delete(instrument);
      if (followed.size > 0) return;
      listening?.unsubscribe();
      listening = null;
    },

    received,
    between: async (instrument, from, to) => received(instrument, from, to),
  };
}
