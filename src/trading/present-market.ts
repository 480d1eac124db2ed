/** What an instrument trades at now: the venue's own book where it gives one, else what was received; with what risk is told of it. */
import { withReferenceFlags, OVER_AGE } from '../../streams/flag-bits.ts';
import { createFreshness, type Freshness } from '../../streams/freshness.ts';
import { CATALOG } from '../domain/catalog.ts';
import type { Depth } from '../domain/paper-fill.ts';
import type { Quote, ReferencePrice } from '../domain/quote.ts';
import { type PoolLiquidity, POOL_LIQUIDITY_MAX_AGE_MS, presentMarket, type RiskMarket } from '../domain/risk/index.ts';
import type { EpochMs } from '../domain/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey, VENUE_FACTS } from '../domain/venue.ts';
import { agedQuote } from './live-marks.ts';
import type { LatestQuotes, RiskDeps, RiskReads, VenueBooks } from './ports.ts';

/** Levels of a book that an order is filled through. */
const DEPTH_LEVELS = 100;

export interface MarketLookDeps extends RiskDeps {
  readonly orderBooks: VenueBooks;
}

/** An instrument as it can be traded now: its quote, its book where the venue gives one, and what risk is told of it. */
export interface PresentInstrument {
  readonly quote: Quote | null;
  readonly depth: Depth | null;
  readonly market: RiskMarket;
}

/** Looks an instrument up at this moment. Books are asked for on the venues that have them. */
export function createMarketLook(deps: MarketLookDeps): (instrument: InstrumentKey) => Promise<PresentInstrument> {
  const { reads, bus, orderBooks, clock } = deps;
  const freshness = createFreshness();
  return async (key) => {
    const { venue, instrument } = splitInstrumentKey(key);
    const [depth, liquidity] = await Promise.all([
      VENUE_FACTS[venue].hasBooks ? depthOf(orderBooks, venue as ExecutableVenue, instrument) : null,
      poolLiquidity(reads, key, clock.now()),
    ]);
    const at = clock.now();
    const received = bus.latest(key);
    const aged = received?.kind === 'quote' ? agedQuote(received, freshness, at) : null;
    // A book that was asked for just now is the younger word on the same venue.
    const quote = depth === null ? aged : topOf(depth, instrument);
    return { quote, depth, market: presentMarket({ at, quote, reference: referenceNow(bus, freshness, key, at), liquidity }) };
  };
}

/** The book as the venue answers now; null where it does not answer, and the top that was received has to do. */
async function depthOf(orderBooks: VenueBooks, venue: ExecutableVenue, instrument: string): Promise<Depth | null> {
  const book = await orderBooks.read(venue, instrument, DEPTH_LEVELS);
  if (!book.ok) return null;
  const { source, observedAt, quality, flags, bids, asks } = book.value;
  return { venue, source, observedAt, quality, flags, bids, asks };
}

/** The best of both sides as the quote that prices the order. */
export function topOf(depth: Depth, instrument: string): Quote {
  const [bid, ask] = [depth.bids[0] ?? null, depth.asks[0] ?? null];
  return {
    kind: 'quote',
    venue: depth.venue,
    instrument,
    source: depth.source,
    observedAt: depth.observedAt,
    receivedAt: depth.observedAt,
    sourceTime: true,
    bid: bid?.price ?? null,
    ask: ask?.price ?? null,
    bidSize: bid?.size ?? null,
    askSize: ask?.size ?? null,
    sequence: null,
    quality: depth.quality,
    flags: depth.flags,
  };
}

/** What an instrument is benchmarked against, as it was received last and is worth now; null where nothing was received. */
export function referenceNow(bus: LatestQuotes, freshness: Freshness, instrument: InstrumentKey, now: EpochMs): ReferencePrice | null {
  const benchmark = CATALOG.byKey(instrument)?.benchmark ?? null;
  const received = benchmark === null ? null : bus.latest(benchmark);
  if (received?.kind !== 'reference') return null;
  const over = !freshness.isIssuerMark(received) && now - received.feedUpdatedAt > freshness.maxAgeMs(received);
  return over ? withReferenceFlags(received, freshness.sessionBits(received, now) | OVER_AGE) : received;
}

/** The liquidity of the instrument's pools as it was received last; null for what is in no pool, and where nothing was received in time. */
export async function poolLiquidity(
  reads: Pick<RiskReads, 'liquidity'>,
  instrument: InstrumentKey,
  now: EpochMs,
): Promise<PoolLiquidity | null> {
  if (!instrument.startsWith('spotchain:')) return null;
  // The pure function keeps the limit; the store need not look further back.
  const pools = await reads.liquidity([instrument], now - POOL_LIQUIDITY_MAX_AGE_MS - 1);
  return pools.get(instrument) ?? null;
}
