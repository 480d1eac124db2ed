/** Equity curve of a book: its ledger summed up to each instant, with holdings valued at the previous bar's close. Pure. */
import { isPosition } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** One leg of the ledger: a change of money, of capital, or of an instrument's quantity. */
export interface LedgerMove {
  readonly at: EpochMs;
  readonly kind: 'cash' | 'capital' | 'position';
  /** Null for money. */
  readonly instrument: InstrumentKey | null;
  /** Signed amount. For capital, deposits are negative. */
  readonly amount: DecimalString;
}

/** A price, valid from an instant on. */
export interface KnownClose {
  readonly at: EpochMs;
  readonly close: DecimalString;
}

interface EquityPoint {
  readonly at: EpochMs;
  /** Null if a position has no known price. */
  readonly equityUsd: DecimalString | null;
  /** Equity minus deposits up to then. */
  readonly pnlUsd: DecimalString | null;
  /** Drawdown from the highest point so far, in percent of that point. Deposits and withdrawals do not change it. */
  readonly drawdownPct: number | null;
}

/** Returns the price of one unit at an instant, or null if unknown. Called with ascending instants. */
export type PriceAt = (instrument: InstrumentKey, at: EpochMs) => DecimalString | null;

/** Computes the equity at each of `times`. Times and moves are ascending. */
export function equityCourse(moves: readonly LedgerMove[], priceAt: PriceAt, times: readonly EpochMs[]): readonly EquityPoint[] {
  let cash = new Decimal(0);
  let paidIn = new Decimal(0);
  let highest = new Decimal(0);
  let next = 0;
  const held = new Map<InstrumentKey, Decimal>();
  return times.map((at): EquityPoint => {
    for (let move = moves[next]; move !== undefined && move.at <= at; move = moves[++next]) {
      if (move.kind === 'cash') cash = cash.plus(move.amount);
      else if (move.kind === 'capital') paidIn = paidIn.minus(move.amount);
      else if (move.instrument !== null) held.set(move.instrument, (held.get(move.instrument) ?? new Decimal(0)).plus(move.amount));
    }
    const worth = sumWorth(held, priceAt, at);
    if (worth === null) return { at, equityUsd: null, pnlUsd: null, drawdownPct: null };
    const equity = cash.plus(worth);
    const pnl = equity.minus(paidIn);
    if (pnl.gt(highest)) highest = pnl;
    const peak = paidIn.plus(highest);
    const drawdownPct = peak.gt(0) ? highest.minus(pnl).times(100).div(peak).toDecimalPlaces(8).toNumber() : 0;
    return { at, equityUsd: plainDecimal(equity), pnlUsd: plainDecimal(pnl), drawdownPct };
  });
}

function sumWorth(held: ReadonlyMap<InstrumentKey, Decimal>, priceAt: PriceAt, at: EpochMs): Decimal | null {
  let worth = new Decimal(0);
  for (const [instrument, quantity] of held) {
    if (quantity.isZero()) continue;
    const price = priceAt(instrument, at);
    if (price === null && isPosition({ instrument, quantity: plainDecimal(quantity) })) return null;
    // Dust without a price counts as 0.
    worth = worth.plus(quantity.times(price ?? 0));
  }
  return worth;
}

/** Returns prices from ascending closes. Each is valid until the next one: a closed market keeps its last price. */
export function lastCloses(closes: ReadonlyMap<InstrumentKey, readonly KnownClose[]>): PriceAt {
  // Index in each list.
  const places = new Map<InstrumentKey, number>();
  return (instrument, at) => {
    const known = closes.get(instrument) ?? [];
    let place = places.get(instrument) ?? 0;
    while (place < known.length && (known[place] as KnownClose).at <= at) place++;
    places.set(instrument, place);
    return known[place - 1]?.close ?? null;
  };
}
