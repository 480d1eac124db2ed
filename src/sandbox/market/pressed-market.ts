/** Market in which the operator can move token prices for a while, as if a large amount of a token were sold or bought. */
import type { Candle } from '../../domain/candles/candle.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import type { Market } from './market.ts';

/** Time in which the price moves, stays, and moves back. Milliseconds. */
const RAMP_MS = 20_000;
const HOLD_MS = 10 * MINUTE_MS;
const BACK_MS = 20 * MINUTE_MS;
/** Maximum move of a price, in percent. */
const MOST_PCT = 20;

interface Press {
  readonly symbol: string;
  /** Move as a fraction of the price. */
  readonly by: number;
  readonly from: EpochMs;
}

export type PressedMarket = ReturnType<typeof createPressedMarket>;

/** Returns the share of a move that is in effect after a time, 0 to 1. */
function shown(afterMs: number): number {
  if (afterMs <= 0) return 0;
  if (afterMs < RAMP_MS) return afterMs / RAMP_MS;
  return Math.min(1, Math.max(0, 1 - (afterMs - RAMP_MS - HOLD_MS) / BACK_MS));
}

/** Creates the market. Value, reference and perpetual of the underlying do not move. */
export function createPressedMarket(market: Market) {
  const presses: Press[] = [];
  const priced = new Set(market.assets.map(({ symbol }) => symbol));

  function factor(symbol: string, at: EpochMs): number {
    let product = 1;
    for (const press of presses) if (press.symbol === symbol) product *= 1 + press.by * shown(at - press.from);
    return product;
  }

  /** Adjusts a bar that overlaps a move. The path within the bar is unknown, so its start and end determine the extremes. */
  function pressed(symbol: string, candle: Candle, timeframeMs: number): Candle {
    const [before, after] = [factor(symbol, candle.openTime), factor(symbol, candle.openTime + timeframeMs)];
    if (before === 1 && after === 1) return candle;
    const [open, close] = [Number(candle.open) * before, Number(candle.close) * after];
    const text = (price: number): string => price.toFixed(8);
    return {
      ...candle,
      open: text(open),
      close: text(close),
      high: text(Math.max(open, close, Number(candle.high) * Math.min(before, after))),
      low: text(Math.min(open, close, Number(candle.low) * Math.max(before, after))),
    };
  }

  return {
    ...market,
    token(symbol: string, at: EpochMs) {
      const { price, liquidityUsd } = market.token(symbol, at);
      return { price: price * factor(symbol, at), liquidityUsd };
    },
    candles(...asked: Parameters<Market['candles']>) {
      const [face, symbol, timeframeMs] = asked;
      const candles = market.candles(...asked);
      if (face !== 'token' || presses.every((press) => press.symbol !== symbol)) return candles;
      return candles.map((candle) => pressed(symbol, candle, timeframeMs));
    },
    /**
     * Moves a token's price by a percentage (negative: down) within seconds, for ten minutes, and back within twenty more. Moves of the
     * same token add up. Returns the end time.
     * @throws RangeError if the market does not price the symbol or the percentage is out of range
     */
    press(symbol: string, pct: number, from: EpochMs): EpochMs {
      if (!priced.has(symbol))
        throw new RangeError(`symbol must be one of the underlyings ${[...priced].join(', ')}, not ${JSON.stringify(symbol)}`);
      if (!(Math.abs(pct) <= MOST_PCT) || pct === 0)
        throw new RangeError(`pct must be a number from -${MOST_PCT} to ${MOST_PCT} that is not zero, not ${JSON.stringify(pct)}`);
      presses.push({ symbol, by: pct / 100, from });
      return from + RAMP_MS + HOLD_MS + BACK_MS;
    },
  };
}
