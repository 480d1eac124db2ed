/**
 * Messages of the sandbox's venues at an instant, computed without venues: the stream messages that a client of the simulators would
 * decode. Used for simulated time, which no socket could follow.
 */
import type { Catalog, CatalogEntry } from '../../domain/catalog/catalog.ts';
import { plainDecimal } from '../../domain/values/decimal.ts';
import type { MarketEvent } from '../../domain/market/market-event.ts';
import type { OrderBook } from '../../domain/market/order-book.ts';
import { NO_FLAGS, type PerpContext, type PoolLiquidity, type Quote, type ReferencePrice } from '../../domain/market/quote.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import { createListings } from '../evmvenue/listings.ts';
import { PerpMarket } from '../evmvenue/perp-market.ts';
import type { PerpListing } from '../evmvenue/perp-wallets.ts';
import { createFaultSwitch } from '../faults.ts';
import { throughPool } from '../spotchain/pool.ts';
import { chooseRules, SimulatedBook } from '../spotexchange/simulated-book.ts';
import type { Market } from './market.ts';

/** Size of a pool quote, in US dollars. */
const PROBE_USD = 100;
/** Significant digits of a pool price. */
const POOL_DIGITS = 10;

/** Source names of prices, as the venues' clients use them. They determine the maximum age of a price. */
export interface WordSources {
  readonly spotexchange: string;
  readonly evmvenue: string;
  readonly perpContext: string;
  readonly spotchain: string;
  readonly liquidity: string;
  readonly reference: string;
  readonly mark: string;
}

export interface MarketWords {
  /** Returns the messages of these instruments at an instant: quotes, pool depth, perpetual contexts and benchmark prices. */
  at(entries: readonly CatalogEntry[], at: EpochMs): readonly MarketEvent[];
  /** Returns the quote of an instrument, or null if the market does not price it. */
  quote(key: InstrumentKey, at: EpochMs): Quote | null;
  /** Returns the levels of a book, or null if the venue has no books. */
  book(key: InstrumentKey, at: EpochMs, depth: number): OrderBook | null;
  /** Returns the depth of a token's pools, or null for other instruments. */
  liquidity(key: InstrumentKey, at: EpochMs): PoolLiquidity | null;
}

interface MarketWordsDeps {
  readonly market: Market;
  readonly seed: number;
  readonly sources: WordSources;
  readonly catalog: Pick<Catalog, 'byKey'>;
  readonly now: () => EpochMs;
}

/** Book level in the perpetuals venue's format. */
interface WireLevel {
  readonly px: string;
  readonly sz: string;
}

interface Sided {
  readonly bids: readonly (readonly [price: string, size: string])[];
  readonly asks: readonly (readonly [price: string, size: string])[];
}

export function createMarketWords(deps: MarketWordsDeps): MarketWords {
  return new SpokenMarket(deps);
}

class SpokenMarket implements MarketWords {
  readonly #deps: MarketWordsDeps;
  readonly #priced: ReadonlySet<string>;
  readonly #perps: PerpMarket;
  readonly #listings: ReadonlyMap<string, PerpListing>;
  readonly #books = new Map<string, SimulatedBook>();

  constructor(deps: MarketWordsDeps) {
    const { market, seed } = deps;
    this.#deps = deps;
    this.#priced = new Set(market.assets.map(({ symbol }) => symbol));
    this.#perps = new PerpMarket({ market, faults: createFaultSwitch(), seed });
    this.#listings = createListings(market, deps.now()).byCoin;
  }

  at(entries: readonly CatalogEntry[], at: EpochMs): readonly MarketEvent[] {
    const keys = new Set<InstrumentKey>();
    const contexts = new Set<InstrumentKey>();
    const told: (MarketEvent | null)[] = [];
    for (const entry of entries) {
      for (const key of [entry.key, entry.pairedPerp, entry.pairedSpot]) if (key !== null) keys.add(key);
      for (const key of [entry.venue === 'evmvenue' ? entry.key : null, entry.pairedPerp]) if (key !== null) contexts.add(key);
      told.push(this.#benchmark(entry, at));
    }
    for (const key of keys) told.push(this.quote(key, at), this.liquidity(key, at));
    for (const key of contexts) told.push(this.#context(key, at));
    return told.filter((one) => one !== null);
  }

  quote(key: InstrumentKey, at: EpochMs): Quote | null {
    const { venue, instrument } = splitInstrumentKey(key);
    if (venue !== 'spotexchange' && venue !== 'evmvenue' && venue !== 'spotchain') return null;
    const sided = this.#levels(venue, instrument, at, 1);
    const [bid, ask] = [sided?.bids[0], sided?.asks[0]];
    if (bid === undefined || ask === undefined) return null;
    return {
      kind: 'quote',
      venue,
      instrument,
      source: this.#deps.sources[venue],
      observedAt: at,
      receivedAt: at,
      sourceTime: venue === 'evmvenue',
      bid: plainDecimal(bid[0]),
      ask: plainDecimal(ask[0]),
      bidSize: plainDecimal(bid[1]),
      askSize: plainDecimal(ask[1]),
      sequence: null,
      quality: 'live',
      flags: NO_FLAGS,
    };
  }

  book(key: InstrumentKey, at: EpochMs, depth: number): OrderBook | null {
    const { venue, instrument } = splitInstrumentKey(key);
    if (venue !== 'spotexchange' && venue !== 'evmvenue') return null;
    const sided = this.#levels(venue, instrument, at, depth);
    if (sided === null) return null;
    const side = (levels: Sided['bids']) =>
      levels.slice(0, depth).map(([price, size]) => ({ price: plainDecimal(price), size: plainDecimal(size) }));
    const source = this.#deps.sources[venue];
    return { source, observedAt: at, receivedAt: at, quality: 'live', flags: NO_FLAGS, bids: side(sided.bids), asks: side(sided.asks) };
  }

  #levels(venue: ExecutableVenue, instrument: string, at: EpochMs, depth: number): Sided | null {
    const entry = this.#deps.catalog.byKey(`${venue}:${instrument}`);
    if (entry === undefined || !this.#priced.has(entry.underlying)) return null;
    const symbol = entry.underlying;
    if (venue === 'spotexchange') return this.#spotLevels(symbol, at, depth);
    if (venue === 'evmvenue') return this.#perpLevels(instrument, at, depth);
    return venue === 'spotchain' ? this.#poolLevels(symbol, entry.token?.transferFeeBps ?? 0, at) : null;
  }

  #spotLevels(symbol: string, at: EpochMs, depth: number): Sided {
    const { market, seed } = this.#deps;
    const book = this.#books.get(symbol) ?? new SimulatedBook(chooseRules(symbol, market.spot(symbol, at)), seed, 1);
    this.#books.set(symbol, book);
    if (depth === 1) {
      const { bid, ask } = book.topAt(market, at);
      return { bids: [bid], asks: [ask] };
    }
    book.follow(market, at);
    return { bids: book.levels('bid', depth), asks: book.levels('ask', depth) };
  }

  #perpLevels(coin: string, at: EpochMs, depth: number): Sided | null {
    const listing = this.#listings.get(coin);
    if (listing === undefined) return null;
    const told =
      depth === 1
        ? (this.#perps.bbo(listing, at) as { bbo: readonly WireLevel[] }).bbo.map((level) => [level])
        : (this.#perps.book(listing, at, false) as { levels: readonly (readonly WireLevel[])[] }).levels;
    const [bids = [], asks = []] = told.map((side) => side.map(({ px, sz }): [string, string] => [px, sz]));
    return { bids, asks };
  }

  /**
   * Quotes a pool by buying for the probe amount and selling back, as quotes of the aggregator are made. The mint's transfer fee applies
   * both ways.
   */
  #poolLevels(symbol: string, transferFeeBps: number, at: EpochMs): Sided {
    const kept = 1 - transferFeeBps / 10_000;
    const { price, liquidityUsd } = this.#deps.market.token(symbol, at);
    const fee = this.#deps.market.halfSpread('token', symbol, at);
    const [dollars, tokens] = [liquidityUsd / 2, liquidityUsd / 2 / price];
    const bought = throughPool(dollars, tokens, PROBE_USD, fee).out * kept;
    const back = throughPool(tokens, dollars, bought * kept, fee).out;
    const spelled = (value: number): string => plainDecimal(value.toPrecision(POOL_DIGITS));
    const size = spelled(bought);
    return { bids: [[spelled(back / bought), size]], asks: [[spelled(PROBE_USD / bought), size]] };
  }

  liquidity(key: InstrumentKey, at: EpochMs): PoolLiquidity | null {
    const { venue, instrument } = splitInstrumentKey(key);
    const symbol = this.#deps.catalog.byKey(key)?.underlying;
    if (venue !== 'spotchain' || symbol === undefined || !this.#priced.has(symbol)) return null;
    const liquidityUsd = plainDecimal(this.#deps.market.token(symbol, at).liquidityUsd);
    const source = this.#deps.sources.liquidity;
    return { kind: 'pool_liquidity', venue, instrument, source, observedAt: at, receivedAt: at, liquidityUsd };
  }

  #context(key: InstrumentKey, at: EpochMs): PerpContext | null {
    const { instrument } = splitInstrumentKey(key);
    const listing = this.#listings.get(instrument);
    if (listing === undefined) return null;
    const told = this.#perps.context(listing, at) as { readonly [field: string]: string };
    const field = (name: string) => plainDecimal(told[name] as string);
    return {
      kind: 'perp_context',
      venue: 'evmvenue',
      instrument,
      source: this.#deps.sources.perpContext,
      observedAt: at,
      receivedAt: at,
      markPrice: field('markPx'),
      oraclePrice: field('oraclePx'),
      hourlyFunding: field('funding'),
      openInterest: field('openInterest'),
      dayNotional: field('dayNtlVlm'),
    };
  }

  #benchmark({ benchmark: key, benchmarkKind }: CatalogEntry, at: EpochMs): ReferencePrice | null {
    const instrument = key === null ? undefined : splitInstrumentKey(key).instrument;
    if (instrument === undefined || !this.#priced.has(instrument)) return null;
    const { price, confidence, updatedAt } = this.#deps.market.reference(instrument, at);
    const { sources } = this.#deps;
    return {
      kind: 'reference',
      venue: 'reference',
      instrument,
      source: benchmarkKind === 'issuer_mark' ? sources.mark : sources.reference,
      observedAt: updatedAt,
      receivedAt: at,
      feedUpdatedAt: updatedAt,
      referencePrice: plainDecimal(price),
      confidence: plainDecimal(confidence),
      publisherSession: null,
      quality: 'live',
      flags: NO_FLAGS,
    };
  }
}
