/** Double-entry ledger beneath the books. The legs of an entry sum to zero in every asset. */
import type { BroughtIn, Fill, Rescaling, Settlement } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { FundingPayment } from '../orders/funding.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/**
 * Accounts of a book. `cash`: US dollars. `capital`: deposits, negative. `fees`: fees paid. `funding`: funding of perpetuals. `position`:
 * holding of an instrument. `trading`: counter-value of trades, in either asset. Once nothing is held, its dollars are the realized profit,
 * negative.
 */
type LedgerAccountKind = 'cash' | 'capital' | 'fees' | 'funding' | 'position' | 'trading';

/** Asset name of the dollar. USDC and USDT are booked at par. */
const USD = 'USD';

interface LedgerLeg {
  readonly kind: LedgerAccountKind;
  readonly asset: InstrumentKey | typeof USD;
  readonly amount: DecimalString;
}

export interface LedgerEntry {
  /** Unique id of the booking. */
  readonly id: string;
  readonly bookId: string;
  readonly kind: 'opening' | 'transfer' | 'fill' | 'settlement' | 'funding' | 'rescaling';
  readonly at: EpochMs;
  readonly legs: readonly LedgerLeg[];
}

function leg(kind: LedgerAccountKind, asset: LedgerLeg['asset'], amount: Decimal | DecimalString): LedgerLeg {
  return { kind, asset, amount: plainDecimal(amount) };
}

/** Returns the legs with a non-zero amount. */
function moving(legs: readonly LedgerLeg[]): LedgerLeg[] {
  return legs.filter(({ amount }) => amount !== '0');
}

/** Returns the entry of a fill: money against the instrument through the trading accounts, with the fee or rebate separate. */
export function ledgerOfFill(fill: Fill): LedgerEntry {
  const sign = fill.side === 'buy' ? 1 : -1;
  const given = new Decimal(fill.notionalUsd).times(sign);
  const quantity = new Decimal(fill.quantity).times(sign);
  return {
    id: `fill:${fill.id}`,
    bookId: fill.bookId,
    kind: 'fill',
    at: fill.at,
    legs: moving([
      leg('cash', USD, given.plus(fill.feeUsd).neg()),
      leg('fees', USD, fill.feeUsd),
      leg('trading', USD, given),
      leg('position', fill.instrument, quantity),
      leg('trading', fill.instrument, quantity.neg()),
    ]),
  };
}

/** Returns the entry of a deposit (positive) or withdrawal (negative), with a unique reference. */
export function ledgerOfTransfer(bookId: string, amountUsd: DecimalString, reference: string, at: EpochMs): LedgerEntry {
  return { id: `transfer:${reference}`, bookId, kind: 'transfer', at, legs: paidIn(amountUsd) };
}

/** Returns the entry of tokens that a wallet brought in: capital in kind, through the trading accounts. */
export function ledgerOfBroughtIn(bookId: string, { instrument, quantity, costUsd, at }: BroughtIn, reference: string): LedgerEntry {
  return {
    id: `transfer:wallet:${reference}`,
    bookId,
    kind: 'transfer',
    at,
    legs: moving([
      leg('position', instrument, quantity),
      leg('trading', instrument, new Decimal(quantity).neg()),
      leg('trading', USD, costUsd),
      leg('capital', USD, new Decimal(costUsd).neg()),
    ]),
  };
}

/**
 * Returns the entry of a market's resolution through the trading accounts: the holding leaves, and its payout arrives. A payout of zero
 * moves no money.
 */
export function ledgerOfSettlement(settlement: Settlement): LedgerEntry {
  const { bookId, instrument, quantity, at } = settlement;
  const paid = new Decimal(quantity).times(settlement.payout);
  return {
    id: `settlement:${bookId}:${instrument}:${at}`,
    bookId,
    kind: 'settlement',
    at,
    legs: moving([
      leg('cash', USD, paid),
      leg('trading', USD, paid.neg()),
      leg('position', instrument, new Decimal(quantity).neg()),
      leg('trading', instrument, quantity),
    ]),
  };
}

/** Returns the entry of a token's new multiplier: units come or go through the trading account, and no money moves. */
export function ledgerOfRescaling({ bookId, instrument, quantity, at }: Rescaling): LedgerEntry {
  return {
    id: `rescaling:${bookId}:${instrument}:${at}`,
    bookId,
    kind: 'rescaling',
    at,
    legs: moving([leg('position', instrument, quantity), leg('trading', instrument, new Decimal(quantity).neg())]),
  };
}

/**
 * Returns the entry of one hour's funding: positive if paid, negative if received, booked at `at`. Its id contains book, instrument and
 * hour, so that no hour is booked twice.
 */
export function ledgerOfFunding(bookId: string, { instrument, hour, paidUsd }: FundingPayment, at: EpochMs): LedgerEntry {
  const legs = [leg('cash', USD, new Decimal(paidUsd).neg()), leg('funding', USD, paidUsd)];
  return { id: `funding:${bookId}:${instrument}:${hour}`, bookId, kind: 'funding', at, legs };
}

/** Returns the entry of a book's initial capital, or null if it has none. */
export function ledgerOfOpening(bookId: string, capitalUsd: DecimalString, at: EpochMs): LedgerEntry | null {
  return new Decimal(capitalUsd).isZero() ? null : { id: `opening:${bookId}`, bookId, kind: 'opening', at, legs: paidIn(capitalUsd) };
}

function paidIn(amountUsd: DecimalString): LedgerLeg[] {
  return moving([leg('cash', USD, amountUsd), leg('capital', USD, new Decimal(amountUsd).neg())]);
}
