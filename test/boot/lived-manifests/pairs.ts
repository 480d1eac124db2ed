/** Pairs the orders of paper trading with the trades of a backtest over the same days. */
import type { CalibratedFill } from '../../../src/domain/agents/calibration.ts';
import { timeframeMs } from '../../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { BacktestResult } from '../../../src/simulation/backtest/run.ts';
import type { Lived, PaperSide } from './lived-stretch.ts';

/** One side of a trade: its decision, price and fee. */
interface Side {
  readonly slot: number;
  readonly instrument: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  readonly price: number;
  readonly feeBps: number;
  /** True if the venue liquidated the position. */
  readonly isLiquidation: boolean;
}

const BPS = 10_000;
/** A bar is fetched some seconds after its end, so paper decides on it a minute later. */
const LEAST_WINDOW_MS = 120_000;
/**
 * Relative difference in size up to which orders match. Without recorded pools a backtest takes at most a tenth of the last bar's volume.
 */
const SAME_SIZE = 0.05;

/** Returns the sides of a backtest's trades decided from a time on. A trade's fee is split proportionally. */
function sidesOf({ trades }: Pick<BacktestResult, 'trades'>, from: number): readonly Side[] {
  return trades.list
    .flatMap((trade): Side[] => {
      const { instrument, decidedAt, exitDecidedAt, exitPrice, exitedBy } = trade;
      const [quantity, entry, exit] = [Number(trade.quantity), Number(trade.entryPrice), exitPrice === null ? 0 : Number(exitPrice)];
      const feeBps = (Number(trade.feesUsd) / (quantity * (entry + exit))) * BPS;
      const bought = {
        slot: Date.parse(decidedAt),
        instrument,
        side: 'buy' as const,
        quantity,
        price: entry,
        feeBps,
        isLiquidation: false,
      };
      if (exitDecidedAt === null) return [bought];
      const slot = Date.parse(exitDecidedAt);
      return [bought, { ...bought, slot, side: 'sell', price: exit, isLiquidation: exitedBy.includes('liquidation') }];
    })
    .filter(({ slot }) => slot >= from);
}

export interface Paired {
  readonly pairs: readonly CalibratedFill[];
  /** Sides that only paper has. */
  readonly paperAlone: number;
  readonly backtestAlone: number;
}

/** Pairs each paper order with the nearest trade of the same instrument, side and time, each at most once. */
export function paired(lived: Lived, paper: readonly PaperSide[], run: BacktestResult, from: number): Paired {
  const free = new Set(sidesOf(run, from).filter(({ isLiquidation }) => !isLiquidation));
  const total = free.size;
  const within = Math.max(timeframeMs(run.timeframe) as number, LEAST_WINDOW_MS);
  const pairs: CalibratedFill[] = [];
  for (const order of paper) {
    let nearest: Side | null = null;
    for (const side of free) {
      const away = Math.abs(side.slot - order.slot);
      if (side.instrument !== order.instrument || side.side !== order.side || away >= within) continue;
      if (Math.abs(side.quantity / order.quantity - 1) > SAME_SIZE) continue;
      if (nearest === null || away < Math.abs(nearest.slot - order.slot)) nearest = side;
    }
    if (nearest === null) continue;
    free.delete(nearest);
    const notionalUsd = order.quantity * order.price;
    pairs.push({
      at: order.slot,
      mode: 'paper',
      instrument: order.instrument as InstrumentKey,
      side: order.side,
      notionalUsd,
      algorithm: order.algorithm,
      seen: true,
      liquidityUsd: null,
      realizedBps: costOf(lived, { ...order, feeBps: (order.feeUsd / notionalUsd) * BPS }),
      expectedBps: costOf(lived, nearest),
    });
  }
  return { pairs, paperAlone: paper.length - pairs.length, backtestAlone: total - pairs.length };
}

/** Returns the cost against the mid at the decision, fee included, in basis points. */
function costOf(
  lived: Lived,
  { instrument, slot, side, price, feeBps }: Pick<Side, 'instrument' | 'slot' | 'side' | 'price' | 'feeBps'>,
): number {
  const middle = lived.middle(instrument, slot);
  return (side === 'buy' ? 1 : -1) * (price / middle - 1) * BPS + (feeBps * price) / middle;
}
