/** Double-entry ledger beneath the books: the entries of a fill or a transfer, which sum to zero in every asset. */
import type { BroughtIn, Fill, Settlement } from './book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { FundingPayment } from '../orders/funding.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/**
 * Accounts of a book. `cash`: its US dollars. `capital`: payments in, negative. `fees`: fees paid. `funding`: funding of perpetuals.
 * `position`: its holding of an instrument. `trading`: the counter-value of trades, in either asset; once nothing is held its dollars are
 * the realized profit, negative.
 */
export type LedgerAccountKind = 'cash' | 'capital' | 'fees' | 'funding' | 'position' | 'trading';

/** The dollar as an asset of the ledger; USDC and USDT are booked at par. */
export const USD = 'USD';

export interface LedgerLeg {
  readonly kind: LedgerAccountKind;
  readonly asset: InstrumentKey | typeof USD;
  readonly amount: DecimalString;
}

export interface LedgerEntry {
  /** Id of the booking, which is booked once. */
  readonly id: string;
  readonly bookId: string;
  readonly kind: 'opening' | 'transfer' | 'fill' | 'settlement' | 'funding';
  readonly at: EpochMs;
  readonly legs: readonly LedgerLeg[];
}

function leg(kind: LedgerAccountKind, asset: LedgerLeg['asset'], amount: Decimal | DecimalString): LedgerLeg {
  return { kind, asset, amount: plainDecimal(amount) };
}

/** The legs that move something. */
function moving(legs: readonly LedgerLeg[]): LedgerLeg[] {
  return legs.filter(({ amount }) => amount !== '0');
}

/** A fill: money against the instrument through the trading accounts, the fee (or rebate) on its own. */
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

/** Money paid in (above zero) or out (below zero), under a name that is used once. */
export function ledgerOfTransfer(bookId: string, amountUsd: DecimalString, reference: string, at: EpochMs): LedgerEntry {
  return { id: `transfer:${reference}`, bookId, kind: 'transfer', at, legs: paidIn(amountUsd) };
}

/** Tokens that come in from a wallet: capital in kind, through the trading accounts. */
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
 * Books the resolution of a market through the trading accounts: the holding goes, and its payment comes. A payment of zero moves no money.
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

/** Funding of one hour: paid (above zero) or received, and booked at `at`. Named by book, instrument and hour, so that no hour is booked twice. */
export function ledgerOfFunding(bookId: string, { instrument, hour, paidUsd }: FundingPayment, at: EpochMs): LedgerEntry {
  const legs = [leg('cash', USD, new Decimal(paidUsd).neg()), leg('funding', USD, paidUsd)];
  return { id: `funding:${bookId}:${instrument}:${hour}`, bookId, kind: 'funding', at, legs };
}

/** Books the capital that a book begins with; null if it begins with none. */
export function ledgerOfOpening(bookId: string, capitalUsd: DecimalString, at: EpochMs): LedgerEntry | null {
  return new Decimal(capitalUsd).isZero() ? null : { id: `opening:${bookId}`, bookId, kind: 'opening', at, legs: paidIn(capitalUsd) };
}

function paidIn(amountUsd: DecimalString): LedgerLeg[] {
  return moving([leg('cash', USD, amountUsd), leg('capital', USD, new Decimal(amountUsd).neg())]);
}
