/** Equity curve of a book: its ledger summed up to each instant, with holdings valued at the close of the bar before. Pure. */
import { isPosition } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** One leg of the ledger: money that came (above zero) or went, money paid in or out, or a quantity that came or went. */
export interface LedgerMove {
  readonly at: EpochMs;
  readonly kind: 'cash' | 'capital' | 'position';
  /** Null for money. */
  readonly instrument: InstrumentKey | null;
  /** Amount; for capital, negative amounts are deposits. */
  readonly amount: DecimalString;
}

/** A price that held from an instant on. */
export interface KnownClose {
  readonly at: EpochMs;
  readonly close: DecimalString;
}

export interface EquityPoint {
  readonly at: EpochMs;
  /** Null if a position has no known price. */
  readonly equityUsd: DecimalString | null;
  /** Equity minus payments in until then. */
  readonly pnlUsd: DecimalString | null;
  /** Drawdown from the highest point so far, in percent of that point. Deposits and withdrawals do not change it. */
  readonly drawdownPct: number | null;
}

/** Price of one unit at an instant; null if it is not known. Is asked for instants that ascend. */
export type PriceAt = (instrument: InstrumentKey, at: EpochMs) => DecimalString | null;

/** The equity at each of `times`, which ascend, as do the moves. */
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
    const worth = worthOf(held, priceAt, at);
    if (worth === null) return { at, equityUsd: null, pnlUsd: null, drawdownPct: null };
    const equity = cash.plus(worth);
    const pnl = equity.minus(paidIn);
    if (pnl.gt(highest)) highest = pnl;
    const peak = paidIn.plus(highest);
    const drawdownPct = peak.gt(0) ? highest.minus(pnl).times(100).div(peak).toDecimalPlaces(8).toNumber() : 0;
    return { at, equityUsd: plainDecimal(equity), pnlUsd: plainDecimal(pnl), drawdownPct };
  });
}

function worthOf(held: ReadonlyMap<InstrumentKey, Decimal>, priceAt: PriceAt, at: EpochMs): Decimal | null {
  let worth = new Decimal(0);
  for (const [instrument, quantity] of held) {
    if (quantity.isZero()) continue;
    const price = priceAt(instrument, at);
    if (price === null && isPosition({ instrument, quantity: plainDecimal(quantity) })) return null;
    // Dust without a price is worth nothing.
    worth = worth.plus(quantity.times(price ?? 0));
  }
  return worth;
}

/** Each close, which ascend, counts from its instant until the next one: a market that is shut keeps its last price. */
export function lastCloses(closes: ReadonlyMap<InstrumentKey, readonly KnownClose[]>): PriceAt {
  // Position in each list.
  const places = new Map<InstrumentKey, number>();
  return (instrument, at) => {
    const known = closes.get(instrument) ?? [];
    let place = places.get(instrument) ?? 0;
    while (place < known.length && (known[place] as KnownClose).at <= at) place++;
    places.set(instrument, place);
    return known[place - 1]?.close ?? null;
  };
}
