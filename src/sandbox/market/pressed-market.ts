/** Market whose token prices the sandbox's operator can press for a while, as if much of a token were sold or bought. */
import type { Candle } from '../../domain/candles/candle.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Market } from './market.ts';

/** Time in which the price moves, stays, and comes back. Milliseconds. */
const RAMP_MS = 20_000;
const HOLD_MS = 10 * 60_000;
const BACK_MS = 20 * 60_000;
/** The furthest that a price is pressed, in percent. */
const MOST_PCT = 20;

interface Press {
  readonly symbol: string;
  /** Fraction of the price. */
  readonly by: number;
  readonly from: EpochMs;
}

export interface PressedMarket extends Market {
  /**
   * Presses a token's price by so many percent, below zero for a fall: within seconds, for ten minutes, and back within
   * twenty more. A second press of the same token comes on top. Answers when it is over.
   * @throws RangeError for a symbol that the market does not price, and for less or more than is possible
   */
  press(symbol: string, pct: number, from: EpochMs): EpochMs;
}

/** Returns the visible share of a press at a time after its beginning: 0 to 1. */
function shown(afterMs: number): number {
  if (afterMs <= 0) return 0;
  if (afterMs < RAMP_MS) return afterMs / RAMP_MS;
  return Math.min(1, Math.max(0, 1 - (afterMs - RAMP_MS - HOLD_MS) / BACK_MS));
}

/** The market with what has been pressed; the underlying's own value, its reference and its perpetual stay as they are. */
export function createPressedMarket(market: Market): PressedMarket {
  const presses: Press[] = [];
  const priced = new Set(market.assets.map(({ symbol }) => symbol));

  function factor(symbol: string, at: EpochMs): number {
    let product = 1;
    for (const press of presses) if (press.symbol === symbol) product *= 1 + press.by * shown(at - press.from);
    return product;
  }

  /** A bar within whose time something was pressed: what is known of it is where it begins and ends. */
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
    token(symbol, at) {
      const { price, liquidityUsd } = market.token(symbol, at);
      return { price: price * factor(symbol, at), liquidityUsd };
    },
    candles(face, symbol, timeframeMs, from, to) {
      const candles = market.candles(face, symbol, timeframeMs, from, to);
      if (face !== 'token' || presses.every((press) => press.symbol !== symbol)) return candles;
      return candles.map((candle) => pressed(symbol, candle, timeframeMs));
    },
    press(symbol, pct, from) {
      if (!priced.has(symbol))
        throw new RangeError(`symbol must be one of the underlyings ${[...priced].join(', ')}, not ${JSON.stringify(symbol)}`);
      if (!(Math.abs(pct) <= MOST_PCT) || pct === 0)
        throw new RangeError(`pct must be a number from -${MOST_PCT} to ${MOST_PCT} that is not zero, not ${JSON.stringify(pct)}`);
      presses.push({ symbol, by: pct / 100, from });
      return from + RAMP_MS + HOLD_MS + BACK_MS;
    },
  };
}
