/** The rolling day statistics of the simulated spot exchange, as they are listed and as they are streamed. */
import { DAY_MS, type EpochMs } from '../../domain/time.ts';
import type { Market } from '../market/market.ts';
import { eightDecimals, type SimulatedBook } from './simulated-book.ts';

const HOUR_MS = 3_600_000;

/** The statistics of the last 24 hours; `offsetMs` is how far the venue's clock is ahead. */
export function dayStatistics(market: Market, book: SimulatedBook, now: EpochMs, offsetMs: number) {
  const { base, symbol } = book.rules;
  const from = now - DAY_MS;
  const bars = market.candles('spot', base, HOUR_MS, Math.ceil(from / HOUR_MS) * HOUR_MS, Math.floor(now / HOUR_MS) * HOUR_MS);
  const open = market.spot(base, from);
  const last = market.spot(base, now);
  const volume = bars.reduce((sum, bar) => sum + Number(bar.volume), 0);
  const quoteVolume = bars.reduce((sum, bar) => sum + Number(bar.volume) * Number(bar.close), 0);
  const bid = book.top('bid');
  const ask = book.top('ask');
  return {
    symbol,
    priceChange: eightDecimals(last - open),
    priceChangePercent: ((last / open - 1) * 100).toFixed(3),
    weightedAvgPrice: eightDecimals(volume > 0 ? quoteVolume / volume : last),
    prevClosePrice: eightDecimals(open),
    lastPrice: eightDecimals(last),
    lastQty: bid.size,
    bidPrice: eightDecimals(bid.price),
    bidQty: bid.size,
    askPrice: eightDecimals(ask.price),
    askQty: ask.size,
    openPrice: eightDecimals(open),
    highPrice: eightDecimals(Math.max(open, last, ...bars.map((bar) => Number(bar.high)))),
    lowPrice: eightDecimals(Math.min(open, last, ...bars.map((bar) => Number(bar.low)))),
    volume: eightDecimals(volume),
    quoteVolume: eightDecimals(quoteVolume),
    openTime: from + offsetMs,
    closeTime: now + offsetMs,
    firstId: 1,
    lastId: 100_000,
    count: 100_000,
  };
}

/** The same statistics as the stream spells them. */
export function tickerFrame(day: ReturnType<typeof dayStatistics>, at: EpochMs): object {
  return {
    e: '24hrTicker',
    E: at,
    s: day.symbol,
    p: day.priceChange,
    P: day.priceChangePercent,
    w: day.weightedAvgPrice,
    x: day.prevClosePrice,
    c: day.lastPrice,
    Q: day.lastQty,
    b: day.bidPrice,
    B: day.bidQty,
    a: day.askPrice,
    A: day.askQty,
    o: day.openPrice,
    h: day.highPrice,
    l: day.lowPrice,
    v: day.volume,
    q: day.quoteVolume,
    O: day.openTime,
    C: day.closeTime,
    F: day.firstId,
    L: day.lastId,
    n: day.count,
  };
}
