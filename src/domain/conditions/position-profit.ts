/** Unrealized profit of a position in percent of its entry price, for take_profit and stop_loss. */
import type { Observation } from '../market/cut.ts';
import type { BookPosition } from '../agents/decision.ts';
import { percentAbove } from '../market/valuation.ts';

let lastPosition: BookPosition | null = null;
let lastPrice: string | null = null;
let lastProfit: number | null = null;

/**
 * Returns the profit in percent at the price of closing now: the bid for a long position, the ask for a short one. Null without a position
 * or that side of the book. Several rules of a tick ask for it, so the last answer is kept.
 */
export function profitPct(observation: Observation, position: BookPosition | null): number | null {
  if (position === null || observation.quote === null) return null;
  const short = position.quantity.charCodeAt(0) === 45;
  const price = short ? observation.quote.ask : observation.quote.bid;
  if (price === null) return null;
  if (position !== lastPosition || price !== lastPrice) {
    const gain = percentAbove(price, position.averageEntryPrice);
    lastProfit = gain === null || !short ? gain : 0 - gain;
    lastPosition = position;
    lastPrice = price;
  }
  return lastProfit;
}
