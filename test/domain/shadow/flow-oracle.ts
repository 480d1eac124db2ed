// Shadow fill of an order by the flow, the slow way: unit by unit in integers, sharing only words with the measurement.
import type { FlowWindow } from '../../../src/domain/shadow/flow.ts';
import type { ShadowOrder } from '../../../src/domain/shadow/measure.ts';

/** Sizes are in millionths, prices in hundredths. */
const UNITS = 1_000_000n;
const TICKS = 100n;

function whole(text: string, scale: bigint): bigint {
  const [integer = '0', fraction = ''] = text.split('.');
  const digits = scale.toString().length - 1;
  if (fraction.length > digits && /[1-9]/.test(fraction.slice(digits))) throw new Error(`${text} is finer than the oracle counts`);
  return BigInt(integer) * scale + BigInt(fraction.slice(0, digits).padEnd(digits, '0'));
}

/** Filled units and their cost in units times ticks; null if unknown. */
export interface OracleFill {
  readonly units: bigint;
  readonly cost: bigint;
}

/** Computes the fill. `lotUnits`: fills are whole numbers of lots. */
export function oracleFill(order: ShadowOrder, window: FlowWindow, lotUnits: bigint): OracleFill | null {
  const buys = order.side === 'buy';
  const limit = whole(order.limitPrice, TICKS);
  let joined: FlowWindow['books'][number] | null = null;
  for (const book of window.books) if (book.at <= window.arrival) joined = book;
  if (joined === null) return null;
  const relied = joined.at < window.from ? joined.at : window.from;
  for (const gap of window.gaps) {
    const ends = gap.until ?? Number.MAX_SAFE_INTEGER;
    for (const instant of [relied, window.until]) if (gap.from <= instant && ends > instant) return null;
    if (gap.from >= relied && gap.from <= window.until && ends > relied) return null;
  }
  return order.restedUntil === null ? takes() : rests();

  function takes(): OracleFill {
    const levels = buys ? (joined as NonNullable<typeof joined>).asks : (joined as NonNullable<typeof joined>).bids;
    let left = whole(order.quantity, UNITS) / lotUnits;
    let units = 0n;
    let cost = 0n;
    for (const level of levels) {
      const price = whole(level.price, TICKS);
      if (buys ? price > limit : price < limit) break;
      // Lot by lot, as long as the level holds a whole one.
      for (let held = whole(level.size, UNITS); held >= lotUnits && left > 0n; held -= lotUnits, left--) {
        units += lotUnits;
        cost += lotUnits * price;
      }
    }
    return { units, cost };
  }

  function rests(): OracleFill | null {
    const { trades } = window;
    if (trades.length < 2 || (trades[0]?.at ?? 0) > window.arrival || (trades.at(-1)?.at ?? 0) <= window.until) return null;
    for (let n = 1; n < trades.length; n++) if (trades[n]?.sequence !== (trades[n - 1]?.sequence ?? 0) + 1) return null;
    const { bids, asks } = joined as NonNullable<typeof joined>;
    const across = buys ? asks[0] : bids[0];
    if (across !== undefined && (buys ? whole(across.price, TICKS) <= limit : whole(across.price, TICKS) >= limit))
      return { units: 0n, cost: 0n };
    const own = buys ? bids : asks;
    let ahead: bigint | null = null;
    for (const level of own) {
      const price = whole(level.price, TICKS);
      if (price === limit) ahead = whole(level.size, UNITS);
      // A level behind ours is shown, so ours is known to be empty if it is not shown.
      else if (ahead === null && (buys ? price < limit : price > limit)) ahead = 0n;
    }
    if (own.length === 0) ahead = 0n;
    let filled = 0n;
    for (const trade of trades) {
      if (trade.at <= window.arrival || trade.at > window.until) continue;
      const price = whole(trade.price, TICKS);
      let size = whole(trade.quantity, UNITS);
      if (buys ? price < limit : price > limit) filled += size;
      else if (price === limit && ahead !== null) {
        const before = size < ahead ? size : ahead;
        ahead -= before;
        size -= before;
        filled += size;
      }
    }
    const wanted = whole(order.quantity, UNITS);
    const units = ((filled < wanted ? filled : wanted) / lotUnits) * lotUnits;
    return { units, cost: units * limit };
  }
}

export const unitsOf = (text: string): bigint => whole(text, UNITS);
export const ticksOf = (text: string): bigint => whole(text, TICKS);
