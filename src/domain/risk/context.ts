/** Inputs of the pre-trade risk function: everything that it reads, and nothing else. */
import type { MarkedBook } from '../books/book.ts';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Observation, ObservedReference } from '../market/cut.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { OrderQuote } from '../orders/order.ts';
import type { EpochMs } from '../values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../market/venue.ts';
import type { Mandate } from './mandate.ts';

/** The organization's exposure outside of the book that is assessed, in books of the same execution mode. */
export interface OtherBooks {
  readonly equityUsd: DecimalString;
  /** Value of positions and what pending buys reserve, by instrument; an instrument may stand more than once. */
  readonly exposures: readonly { readonly instrument: InstrumentKey; readonly valueUsd: DecimalString }[];
}

/** A book that stands alone, as in a backtest. */
export const NO_OTHER_BOOKS: OtherBooks = Object.freeze({ equityUsd: '0', exposures: Object.freeze([]) });

/** The reference price's part in the decision. */
export interface ReferenceUse {
  /** True if the rules that ask for the order read it: a fair-value policy. */
  readonly required: boolean;
  readonly observed: Pick<ObservedReference, 'quality' | 'flags' | 'ageMs'> | null;
  /** True if it is carried forward in a session in which the agent's manifest lets its rules read it all the same. */
  readonly carried?: boolean;
}

/** Catalog of the risk function. An extended one answers for further instruments. */
export interface RiskCatalog {
  byKey(
    key: InstrumentKey,
  ): (Pick<CatalogEntry, 'underlying' | 'token' | 'benchmarkKind'> & Partial<Pick<CatalogEntry, 'pairedStock'>>) | undefined;
}

/** The world around an order on venue `V`. */
export interface RiskContext<V extends ExecutableVenue = ExecutableVenue> {
  readonly at: EpochMs;
  /** The quote that prices the order, or null. Another venue's does not compile, and is refused. */
  readonly quote: OrderQuote<V> | null;
  readonly reference: ReferenceUse;
  /** Liquidity of the instrument's pools; looked at on `spotchain` only, where unknown liquidity buys nothing. */
  readonly liquidityUsd: DecimalString | null;
  readonly mandate: Mandate;
  /** The order's own book, marked; what its open proposals reserve counts as used. */
  readonly book: MarkedBook;
  readonly others: OtherBooks;
  /** `entries`: nothing is bought. `all`: nothing begins. */
  readonly halt: 'none' | 'entries' | 'all';
  /** The setting that is off and without which the order cannot be carried out; null if nothing is missing. */
  readonly disabledFeature: string | null;
  /** Quantity of the instrument in the account of a sale: it may be sold although no book bought it. Zero unless known. */
  readonly accountHolds?: DecimalString;
  /** The venue's highest fee: a buy must be able to pay it too. In basis points of the notional. */
  readonly feeBps: number;
}

/** Quote of an order: what a tick observed of an instrument; null if no quote was observed. */
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

/** Exposure of an organization over books of one mode, as sums. They are exact and independent of the number of books. */
export interface BookSums {
  readonly cashUsd: DecimalString;
  /** Each instrument once, in the order of their names. */
  readonly assets: readonly {
    readonly instrument: InstrumentKey;
    readonly quantity: DecimalString;
    readonly costUsd: DecimalString;
    /** Dollars that pending buys reserve. */
    readonly reservedUsd: DecimalString;
  }[];
}

/** The sums with so much more cash. */
export function plusCash(sums: BookSums, usd: Decimal | DecimalString): BookSums {
  return { ...sums, cashUsd: plainDecimal(new Decimal(sums.cashUsd).plus(usd)) };
}

/** The exposure that the sums make at these marks. An instrument without a mark counts at cost. */
export function exposureOfSums({ cashUsd, assets }: BookSums, marks: Pick<ReadonlyMap<InstrumentKey, DecimalString>, 'get'>): OtherBooks {
  let equity = new Decimal(cashUsd);
  const exposures = assets.map(({ instrument, quantity, costUsd, reservedUsd }) => {
    const mark = marks.get(instrument);
    const held = mark === undefined ? new Decimal(costUsd) : new Decimal(quantity).times(mark);
    equity = equity.plus(held);
    return { instrument, valueUsd: plainDecimal(held.plus(reservedUsd)) };
  });
  return { equityUsd: plainDecimal(equity), exposures };
}
