/** Bus of the newest quotes between processes. */
import type { Quote, ReferencePrice } from '../../domain/market/quote.ts';
import { type InstrumentKey, instrumentKey, type Venue } from '../../domain/market/venue.ts';
import {
  createInProcessNewestBus,
  createRedisNewestBus,
  type NewestBus,
  type NewestBusOptions,
  type NewestKind,
  type RedisNewestBusOptions,
} from './newest-bus.ts';

export type BusQuote = Quote | ReferencePrice;

/** Bus of the newest quote per instrument. */
export interface QuoteBus extends NewestBus<BusQuote> {
  latest(key: InstrumentKey): BusQuote | null;
}

type QuoteBusOptions = NewestBusOptions;
type RedisQuoteBusOptions = RedisNewestBusOptions;

const QUOTES: NewestKind<BusQuote> = {
  channel: 'sevengate:quotes',
  keyOf: (quote) => instrumentKey(quote.venue, quote.instrument),
  isOlder,
  same: sameQuote,
  is: isBusQuote,
};

/** Creates the bus of a single process. */
export function createInProcessQuoteBus(options: QuoteBusOptions): QuoteBus {
  return createInProcessNewestBus(QUOTES, options);
}

/** Creates the bus between processes over Redis pub/sub. */
export function createRedisQuoteBus(options: RedisQuoteBusOptions): QuoteBus {
  return createRedisNewestBus(QUOTES, options);
}

/** Compares by time of receipt, then by the venue's own order. */
function isOlder(one: BusQuote, other: BusQuote): boolean {
  if (one.receivedAt !== other.receivedAt) return one.receivedAt < other.receivedAt;
  if (one.kind !== 'quote' || other.kind !== 'quote' || one.sequence === null || other.sequence === null) return false;
  return one.source === other.source && one.sequence < other.sequence;
}

function sameQuote(one: BusQuote, other: BusQuote): boolean {
  if (one === other) return true;
  if (one.receivedAt !== other.receivedAt || one.quality !== other.quality || one.flags.length !== other.flags.length) return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

function isBusQuote(value: unknown): value is BusQuote {
  const quote = value as Partial<BusQuote> | null;
  return (
    typeof quote === 'object' &&
    quote !== null &&
    (quote.kind === 'quote' || quote.kind === 'reference') &&
    typeof quote.venue === 'string' &&
    typeof quote.instrument === 'string' &&
    Number.isSafeInteger(quote.receivedAt) &&
    Array.isArray(quote.flags)
  );
}

/** Creates reads of the newest quotes by venue, by instrument, by both, or all. */
export function createQuoteReads(bus: Pick<QuoteBus, 'latest' | 'snapshot'>) {
  return {
    latest: ({ venue, instrument }: { readonly venue?: Venue; readonly instrument?: string }): readonly (Quote | ReferencePrice)[] => {
      if (venue !== undefined && instrument !== undefined) {
        const quote = bus.latest(instrumentKey(venue, instrument));
        return quote === null ? [] : [quote];
      }
      return bus
        .snapshot()
        .filter((quote) => (venue === undefined || quote.venue === venue) && (instrument === undefined || quote.instrument === instrument));
    },
  };
}

/** Reads of the newest quote per instrument in this process. */
export type QuoteReads = ReturnType<typeof createQuoteReads>;
