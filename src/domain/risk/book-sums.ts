/** Running sums over books, so that the exposure outside one book needs no walk through all. */
import type { TradingBook } from '../books/book.ts';
import { Decimal, plainDecimal } from '../values/decimal.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { BookSums } from './context.ts';

/** Sums are exact: removing one book again loses no digit. */
const Exact = Decimal.clone({ precision: 200 });
type Sum = InstanceType<typeof Exact>;

/** Sum of one instrument. `parts` counts its positions and pending buys, because a sum of zero is still reported. */
interface Share {
  readonly quantity: Sum;
  readonly costUsd: Sum;
  readonly reservedUsd: Sum;
  readonly parts: number;
}

type Asset = BookSums['assets'][number];

interface Part {
  readonly book: TradingBook;
  readonly cashUsd: Sum;
  readonly shares: ReadonlyMap<InstrumentKey, Share>;
}

const ZERO = new Exact(0);
const NOTHING: Share = { quantity: ZERO, costUsd: ZERO, reservedUsd: ZERO, parts: 0 };

/** Sums over books of one mode. */
export class RunningSums {
  readonly #parts = new Map<string, Part>();
  readonly #shares = new Map<InstrumentKey, Share>();
  #cashUsd: Sum = ZERO;
  /** Assets of every instrument, until a book changes. Most books hold few instruments. */
  #assets: readonly Asset[] | null = null;

  /** Counts a book as it is now, instead of its earlier state. */
  count(book: TradingBook): void {
    if (this.#parts.get(book.id)?.book === book) return;
    const part = partOf(book);
    this.forget(book.id);
    this.#assets = null;
    this.#cashUsd = this.#cashUsd.plus(part.cashUsd);
    for (const [instrument, share] of part.shares) this.#shares.set(instrument, plus(this.#shares.get(instrument) ?? NOTHING, share));
    this.#parts.set(book.id, part);
  }

  /** Removes a book from the sums. */
  forget(bookId: string): void {
    const part = this.#parts.get(bookId);
    if (part === undefined) return;
    this.#parts.delete(bookId);
    this.#assets = null;
    this.#cashUsd = this.#cashUsd.minus(part.cashUsd);
    for (const [instrument, share] of part.shares) {
      const left = minus(this.#shares.get(instrument) as Share, share);
      if (left.parts === 0) this.#shares.delete(instrument);
      else this.#shares.set(instrument, left);
    }
  }

  /** Returns the sums without one book, every instrument once, by name. Returns everything if the book is not included. */
  without(bookId: string): BookSums {
    const own = this.#parts.get(bookId);
    this.#assets ??= [...this.#shares].map(([instrument, share]) => assetOf(instrument, share)).sort(byName);
    const assets = this.#assets.flatMap((asset) => {
      const mine = own?.shares.get(asset.instrument);
      if (mine === undefined) return [asset];
      const left = minus(this.#shares.get(asset.instrument) as Share, mine);
      return left.parts === 0 ? [] : [assetOf(asset.instrument, left)];
    });
    return { cashUsd: plainDecimal(own === undefined ? this.#cashUsd : this.#cashUsd.minus(own.cashUsd)), assets };
  }
}

function assetOf(instrument: InstrumentKey, { quantity, costUsd, reservedUsd }: Share): Asset {
  return { instrument, quantity: plainDecimal(quantity), costUsd: plainDecimal(costUsd), reservedUsd: plainDecimal(reservedUsd) };
}

function byName(a: Asset, b: Asset): number {
  return a.instrument < b.instrument ? -1 : 1;
}

function partOf(book: TradingBook): Part {
  const shares = new Map<InstrumentKey, Share>();
  const add = (instrument: InstrumentKey, share: Partial<Share>): void =>
    void shares.set(instrument, plus(shares.get(instrument) ?? NOTHING, { ...NOTHING, parts: 1, ...share }));
  for (const { instrument, quantity, costUsd } of book.holdings)
    add(instrument, { quantity: new Exact(quantity), costUsd: new Exact(costUsd) });
  for (const { side, instrument, notionalUsd } of book.openProposals)
    if (side === 'buy') add(instrument, { reservedUsd: new Exact(notionalUsd) });
  return { book, cashUsd: new Exact(book.cashUsd), shares };
}

function plus(a: Share, b: Share): Share {
  const sum = (one: Sum, other: Sum): Sum => (one === ZERO ? other : other === ZERO ? one : one.plus(other));
  return {
    quantity: sum(a.quantity, b.quantity),
    costUsd: sum(a.costUsd, b.costUsd),
    reservedUsd: sum(a.reservedUsd, b.reservedUsd),
    parts: a.parts + b.parts,
  };
}

function minus(a: Share, b: Share): Share {
  const difference = (one: Sum, other: Sum): Sum => (other === ZERO ? one : one.minus(other));
  return {
    quantity: difference(a.quantity, b.quantity),
    costUsd: difference(a.costUsd, b.costUsd),
    reservedUsd: difference(a.reservedUsd, b.reservedUsd),
    parts: a.parts - b.parts,
  };
}
