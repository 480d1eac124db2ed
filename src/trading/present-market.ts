/** Present market of an instrument: the venue's own book if it publishes one, else the received quote, with the other inputs of risk. */
import { withReferenceFlags } from '../../streams/quality/flag-bits.ts';
import { createFreshness, type Freshness } from '../../streams/quality/freshness.ts';
import type { RiskReads } from '../adapters/store/risk/risk-reads.ts';
import type { Autonomy } from '../domain/agents/agent.ts';
import { CATALOG } from '../domain/catalog/catalog.ts';
import type { BookEdge, OrderBook } from '../domain/market/order-book.ts';
import type { Quote, ReferencePrice } from '../domain/market/quote.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey, VENUE_FACTS } from '../domain/market/venue.ts';
import { atPresentPrice, type Order } from '../domain/orders/order.ts';
import { type Depth, takenFrom } from '../domain/orders/paper-fill.ts';
import { POOL_LIQUIDITY_MAX_AGE_MS, type PoolLiquidity, presentMarket, type RiskMarket } from '../domain/risk/index.ts';
import type { DisabledVenues } from '../domain/risk/order-context.ts';
import { Decimal } from '../domain/values/decimal.ts';
import type { Outcome } from '../domain/values/refusal.ts';
import { type EpochMs, isOutdated } from '../domain/values/time.ts';
import { agedQuote, type LatestQuotes } from './live-marks.ts';

/** Reads of every order assessment. */
export interface RiskDeps {
  readonly reads: RiskReads;
  readonly bus: LatestQuotes;
  readonly clock: { now(): EpochMs };
  /** Returns the venues without live orders for an organization. Null means a manual order. */
  readonly disabledVenues: (autonomy: Autonomy | null, orgId: string) => DisabledVenues;
}

/** Books of venues when an order is placed. */
export interface VenueBooks {
  /**
   * Reads up to `levels` per side. A followed book with at least `least` per side (default `levels`) is enough. Its `edge` tells its known
   * depth. Refuses with `not_found` or `unavailable`.
   */
  read(venue: ExecutableVenue, instrument: string, levels: number, least?: number): Promise<Outcome<OrderBook>>;
}

/** Number of book levels that an order is filled through. */
const DEPTH_LEVELS = 100;

export interface MarketLookDeps extends RiskDeps {
  readonly orderBooks: VenueBooks;
}

/** An instrument's present market: its quote, its book if the venue gives one, and the inputs of risk. */
export interface PresentInstrument {
  readonly quote: Quote | null;
  readonly depth: Depth | null;
  /** Known depth of the book, or null if it is as deep as orders are filled. */
  readonly edge: BookEdge | null;
  readonly market: RiskMarket;
}

/** Reads an instrument now. `least` levels of a followed book are enough. A shallower one is requested from its venue. */
export type MarketLook = (instrument: InstrumentKey, least?: number) => Promise<PresentInstrument>;

export function createMarketLook(deps: MarketLookDeps): MarketLook {
  const { reads, bus, orderBooks, clock } = deps;
  const freshness = createFreshness();
  return async (key, least = 1) => {
    const { venue, instrument } = splitInstrumentKey(key);
    const [book, liquidity] = await Promise.all([
      VENUE_FACTS[venue].hasBooks ? orderBooks.read(venue as ExecutableVenue, instrument, DEPTH_LEVELS, least) : null,
      poolLiquidity(reads, key, clock.now()),
    ]);
    const depth = book?.ok === true ? toDepth(venue as ExecutableVenue, book.value) : null;
    const at = clock.now();
    const received = bus.latest(key);
    const aged = received?.kind === 'quote' ? agedQuote(received, freshness, at) : null;
    // The venue's book is newer than its received quote.
    const quote = depth === null ? aged : toTopQuote(depth, instrument);
    const edge = (book?.ok === true && book.value.edge) || null;
    return { quote, depth, edge, market: presentMarket({ at, quote, reference: referenceNow(bus, freshness, key, at), liquidity }) };
  };
}

function toDepth(venue: ExecutableVenue, { source, observedAt, quality, flags, bids, asks }: OrderBook): Depth {
  return { venue, source, observedAt, quality, flags, bids, asks };
}

/** Reads the market of an order, as deep as the order needs. */
export async function lookFor(look: MarketLook, order: Order): Promise<PresentInstrument> {
  const seen = await look(order.instrument);
  return deepEnough(look, seen, atPresentPrice(order, seen.quote));
}

/** Reads again, at the venue's full depth, if an order could take more than the known part. */
export async function deepEnough(look: MarketLook, seen: PresentInstrument, order: Order): Promise<PresentInstrument> {
  return walksBeyondEdge(order, seen) ? look(order.instrument, DEPTH_LEVELS) : seen;
}

/** True if the book is not known down to the order's limit and its known part is smaller than the order. */
function walksBeyondEdge(order: Order, { depth, edge }: PresentInstrument): boolean {
  const known = order.side === 'buy' ? edge?.ask : edge?.bid;
  if (depth === null || known == null) return false;
  const [limit, last] = [new Decimal(order.limitPrice), new Decimal(known)];
  if (order.side === 'buy' ? limit.lte(last) : limit.gte(last)) return false;
  const taken = takenFrom(order, order.side === 'buy' ? depth.asks : depth.bids, null);
  return taken === null || taken.quantity.lt(order.quantity);
}

/** Returns the best prices of a book as the quote that prices the order. */
export function toTopQuote(depth: Depth, instrument: string): Quote {
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

/** Returns the last received benchmark of an instrument with its present quality, or null. */
export function referenceNow(bus: LatestQuotes, freshness: Freshness, instrument: InstrumentKey, now: EpochMs): ReferencePrice | null {
  const benchmark = CATALOG.byKey(instrument)?.benchmark ?? null;
  const received = benchmark === null ? null : bus.latest(benchmark);
  if (received?.kind !== 'reference') return null;
  const known = Math.min(received.feedUpdatedAt, received.receivedAt);
  const over = !freshness.isIssuerMark(received) && isOutdated(known, now, freshness.maxAgeMs(received));
  return over ? withReferenceFlags(received, freshness.referenceBits(received, now)) : received;
}

/** Returns the last received pool liquidity of an instrument, or null if it is in no pool or nothing was received in time. */
export async function poolLiquidity(
  reads: Pick<RiskReads, 'liquidity'>,
  instrument: InstrumentKey,
  now: EpochMs,
): Promise<PoolLiquidity | null> {
  if (!instrument.startsWith('spotchain:')) return null;
  // The pure function keeps the limit. The store need not read further back.
  const pools = await reads.liquidity([instrument], now - POOL_LIQUIDITY_MAX_AGE_MS - 1);
  return pools.get(instrument) ?? null;
}
