/** Trades of a run grouped by instrument and by exit rule. The groups of each table add up to all trades. */
import type { DecimalString } from '../../domain/values/decimal.ts';
import { type Trade, unitsText } from './trade-ledger.ts';

/** Group of trades. Money is exact. */
export interface TradeGroup {
  /** Name of the group: an instrument, or the exit rules that passed at the close joined by ` + `, or `open` for open trades. */
  readonly name: string;
  readonly closed: number;
  readonly open: number;
  /** Number of closed trades with a profit after fees. */
  readonly won: number;
  /** Percentage of `won` in `closed`, or null if none was closed. */
  readonly hitRatePct: number | null;
  /** Profit of closed trades, net of all fees. */
  readonly profitUsd: DecimalString;
  /** Fees of closed and open trades. */
  readonly feesUsd: DecimalString;
  /** Average time from entry fill to exit fill of closed trades, or null if none was closed. */
  readonly averageHoldingMs: number | null;
}

/** Sums of a group, in units. */
interface Sums {
  closed: number;
  open: number;
  won: number;
  profit: number;
  fees: number;
  bars: number;
}

/**
 * Sums trades by a name, sorted by name.
 * @param units decimals of the money units of `trades`, and length of a bar in milliseconds
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
