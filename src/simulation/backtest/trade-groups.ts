/** The trades of a run by instrument and by what ended them; the groups of one table add up to all trades. */
import type { DecimalString } from '../../domain/values/decimal.ts';
import { type Trade, unitsText } from './trade-ledger.ts';

/** Trades that have something in common. Money is exact. */
export interface TradeGroup {
  /** An instrument, or the exit rules that passed when the trades were closed, joined by ` + `; `open` if they were not. */
  readonly name: string;
  readonly closed: number;
  readonly open: number;
  /** Closed trades that earned more than their fees. */
  readonly won: number;
  /** Percentage of `won` in `closed`; null if none was closed. */
  readonly hitRatePct: number | null;
  /** Profit of closed trades, after all their fees. */
  readonly profitUsd: DecimalString;
  /** Fees of closed and open trades. */
  readonly feesUsd: DecimalString;
  /** Average time from the fill of the entry to the fill of the exit, of closed trades; null if none was closed. */
  readonly averageHoldingMs: number | null;
}

/** Units of the sums of a group. */
interface Sums {
  closed: number;
  open: number;
  won: number;
  profit: number;
  fees: number;
  bars: number;
}

/**
 * Sums trades by a name, in the order of the names.
 * @param units how many decimals the money units of `trades` have, and how long a bar is in milliseconds.
 */
export function tradeGroups(
  trades: readonly Trade[],
  nameOf: (trade: Trade) => string,
  { moneyDecimals, barMs }: { readonly moneyDecimals: number; readonly barMs: number },
): readonly TradeGroup[] {
  const groups = new Map<string, Sums>();
  for (const trade of trades) {
    const name = nameOf(trade);
    const sums = groups.get(name) ?? { closed: 0, open: 0, won: 0, profit: 0, fees: 0, bars: 0 };
    groups.set(name, sums);
    sums.fees += trade.fees;
    if (trade.profit === null || trade.exitBar === null) {
      sums.open++;
      continue;
    }
    sums.closed++;
    sums.won += trade.profit > 0 ? 1 : 0;
    sums.profit += trade.profit;
    sums.bars += trade.exitBar - trade.entryBar;
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { closed, open, won, profit, fees, bars }]) => ({
      name,
      closed,
      open,
      won,
      hitRatePct: closed === 0 ? null : (won / closed) * 100,
      profitUsd: unitsText(profit, moneyDecimals),
      feesUsd: unitsText(fees, moneyDecimals),
      averageHoldingMs: closed === 0 ? null : (bars * barMs) / closed,
    }));
}
