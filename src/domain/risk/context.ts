/** Inputs of the pre-trade risk function. It reads nothing else. */
import type { MarkedBook } from '../books/book.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Observation, ObservedReference } from '../market/cut.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { OrderQuote } from '../orders/order.ts';
import type { EpochMs } from '../values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';
import type { Mandate } from './mandate.ts';
import { type Exact, toExact, exactText, plus, times } from '../values/exact.ts';

/** The organization's exposure outside the assessed book, in books of the same execution mode. */
export interface OtherBooks {
  readonly equityUsd: DecimalString;
  /** Value of positions and reservations of pending buys, by instrument. An instrument may appear more than once. */
  readonly exposures: readonly { readonly instrument: InstrumentKey; readonly valueUsd: DecimalString }[];
}

/** Exposure of a single book, as in a backtest. */
export const NO_OTHER_BOOKS: OtherBooks = Object.freeze({ equityUsd: '0', exposures: Object.freeze([]) });

/** Role of the reference price in the decision. */
export interface ReferenceUse {
  /** True if the rules behind the order read it. */
  readonly required: boolean;
  readonly observed: Pick<ObservedReference, 'quality' | 'flags' | 'ageMs'> | null;
  /** True if it is carried forward in a session in which the agent's manifest allows its rules to read it. */
  readonly carried?: boolean;
}

/** Catalog of the risk function. An extended one knows further instruments. */
export interface RiskCatalog {
  byKey(
    key: InstrumentKey,
  ): (Pick<CatalogEntry, 'underlying' | 'token' | 'benchmarkKind'> & Partial<Pick<CatalogEntry, 'pairedStock'>>) | undefined;
}

/** Context of an order on venue `V`. */
export interface RiskContext<V extends ExecutableVenue = ExecutableVenue> {
  readonly at: EpochMs;
  /** Quote that prices the order, or null. Another venue's does not compile, and is refused. */
  readonly quote: OrderQuote<V> | null;
  readonly reference: ReferenceUse;
  /** Liquidity of the instrument's pools. Used on `spotchain` only, where unknown liquidity allows no purchase. */
  readonly liquidityUsd: DecimalString | null;
  readonly mandate: Mandate;
  /** The order's own book, marked. Reservations of its open proposals count as used. */
  readonly book: MarkedBook;
  readonly others: OtherBooks;
  /** `entries`: nothing is bought. `all`: nothing begins. */
  readonly halt: 'none' | 'entries' | 'all';
  /** Disabled setting that the order needs, or null. */
  readonly disabledFeature: string | null;
  /** Quantity in the account of a sale, which may be sold although no book bought it. Default zero. */
  readonly accountHolds?: DecimalString;
  /** Maximum fee of the venue in basis points of the notional, which a buy must cover too. */
  readonly feeBps: number;
}

/** Returns the quote of an order from a tick's observation, or null if none was observed. */
export function observedOrderQuote(observation: Pick<Observation, 'instrument' | 'quote'>): OrderQuote | null {
  const { quote } = observation;
  if (quote === null) return null;
  const { venue, instrument } = splitInstrumentKey(observation.instrument);
  return {
    venue: venue as ExecutableVenue,
    instrument,
    bid: quote.bid,
    ask: quote.ask,
    observedAt: quote.observedAt,
    quality: quote.quality,
    flags: quote.flags,
  };
}

/** Exposure of an organization over books of one mode, as exact sums, independent of the number of books. */
export interface BookSums {
  readonly cashUsd: DecimalString;
  /** Each instrument once, by name. */
  readonly assets: readonly {
    readonly instrument: InstrumentKey;
    readonly quantity: DecimalString;
    readonly costUsd: DecimalString;
    /** Dollars reserved by pending buys. */
    readonly reservedUsd: DecimalString;
  }[];
}

/** Returns the sums with additional cash. */
export function plusCash(sums: BookSums, usd: Decimal | DecimalString): BookSums {
  return { ...sums, cashUsd: plainDecimal(new Decimal(sums.cashUsd).plus(usd)) };
}

/** Sums as exact numbers. */
export interface ExactSums {
  readonly cashUsd: Exact;
  readonly assets: readonly ({ readonly instrument: InstrumentKey } & Readonly<Record<'quantity' | 'costUsd' | 'reservedUsd', Exact>>)[];
}

/** Marks by instrument. */
type Marks = Pick<ReadonlyMap<InstrumentKey, DecimalString>, 'get'>;

/** Returns the exposure of the sums at these marks. An instrument without a mark counts at cost. */
export function exposureOfSums({ cashUsd, assets }: BookSums, marks: Marks): OtherBooks {
  const exact = assets.map(({ instrument, quantity, costUsd, reservedUsd }) => ({
    instrument,
    quantity: toExact(quantity),
    costUsd: toExact(costUsd),
    reservedUsd: toExact(reservedUsd),
  }));
  return computeExposure({ cashUsd: toExact(cashUsd), assets: exact }, marks);
}

/** Returns the same exposure of exact sums. */
export function computeExposure({ cashUsd, assets }: ExactSums, marks: Marks): OtherBooks {
  let equity = cashUsd;
  const exposures = assets.map(({ instrument, quantity, costUsd, reservedUsd }) => {
    const mark = marks.get(instrument);
    const held = mark === undefined ? costUsd : times(quantity, toExact(mark));
    equity = plus(equity, held);
    return { instrument, valueUsd: exactText(plus(held, reservedUsd)) };
  });
  return { equityUsd: exactText(equity), exposures };
}
