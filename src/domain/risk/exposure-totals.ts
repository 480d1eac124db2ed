/** Exposure of an organization's books, summed once, so that the exposure outside each book needs no walk through all. */
import type { MarkedBook } from '../books/book.ts';
import { Decimal, plainDecimal } from '../values/decimal.ts';
import type { ExecutionMode } from '../orders/order.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { OtherBooks } from './context.ts';

/** Sums are exact: removing one book again loses no digit. */
const Exact = Decimal.clone({ precision: 200 });
type Sum = InstanceType<typeof Exact>;

/** Sum of an instrument, with the number of its positions and pending buys, because a sum of zero is still reported. */
interface Share {
  readonly valueUsd: Sum;
  readonly parts: number;
}

interface Exposure {
  readonly equityUsd: Sum;
  readonly shares: ReadonlyMap<InstrumentKey, Share>;
}

export type ExposureTotals = ReturnType<typeof exposureTotals>;

/** Sums the books of one mode. A position without a mark counts at cost. */
export function exposureTotals(books: readonly MarkedBook[], mode: ExecutionMode) {
  const byBook = new Map(books.filter(({ state }) => state.mode === mode).map((book) => [book.state.id, computeExposure(book)]));
  const total = sumExposure([...byBook.values()]);
  const instruments = [...total.shares.keys()].sort();
  const texts = new Map(instruments.map((instrument) => [instrument, plainDecimal((total.shares.get(instrument) as Share).valueUsd)]));
  const everything = otherBooks(total, instruments, (instrument) => texts.get(instrument) as string);

  return {
    /** Returns the exposure of all books except one, every instrument once, by name. Returns everything if the book is not included. */
    without(bookId: string): OtherBooks {
      const own = byBook.get(bookId);
      if (own === undefined) return everything;
      return otherBooks({ equityUsd: total.equityUsd.minus(own.equityUsd) }, instruments, (instrument) => {
        const all = total.shares.get(instrument) as Share;
        const mine = own.shares.get(instrument);
        if (mine === undefined) return texts.get(instrument) as string;
        return mine.parts === all.parts ? null : plainDecimal(all.valueUsd.minus(mine.valueUsd));
      });
    },
  };
}

function otherBooks(
  { equityUsd }: Pick<Exposure, 'equityUsd'>,
  instruments: readonly InstrumentKey[],
  valueOf: (instrument: InstrumentKey) => string | null,
): OtherBooks {
  const exposures: { instrument: InstrumentKey; valueUsd: string }[] = [];
  for (const instrument of instruments) {
    const valueUsd = valueOf(instrument);
    if (valueUsd !== null) exposures.push({ instrument, valueUsd });
  }
  return { equityUsd: plainDecimal(equityUsd), exposures };
}

function computeExposure({ state, positions }: MarkedBook): Exposure {
  const shares = new Map<InstrumentKey, Share>();
  let equityUsd = new Exact(state.cashUsd);
  for (const { instrument, valueUsd, costUsd } of positions) {
    const value = valueUsd ?? costUsd;
    equityUsd = equityUsd.plus(value);
    addShare(shares, instrument, { valueUsd: new Exact(value), parts: 1 });
  }
  for (const { side, instrument, notionalUsd } of state.openProposals) {
    if (side === 'buy') addShare(shares, instrument, { valueUsd: new Exact(notionalUsd), parts: 1 });
  }
  return { equityUsd, shares };
}

function sumExposure(exposures: readonly Exposure[]): Exposure {
  const shares = new Map<InstrumentKey, Share>();
  let equityUsd = new Exact(0);
  for (const exposure of exposures) {
    equityUsd = equityUsd.plus(exposure.equityUsd);
    for (const [instrument, share] of exposure.shares) addShare(shares, instrument, share);
  }
  return { equityUsd, shares };
}

function addShare(shares: Map<InstrumentKey, Share>, instrument: InstrumentKey, share: Share): void {
  const before = shares.get(instrument);
  shares.set(
    instrument,
    before === undefined ? share : { valueUsd: before.valueUsd.plus(share.valueUsd), parts: before.parts + share.parts },
  );
}
