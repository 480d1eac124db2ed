/** Rolling 24h statistics of the simulated spot exchange, for REST and stream. */
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import type { Market } from '../market/market.ts';
import { eightDecimals, type SimulatedBook } from './simulated-book.ts';

/** Sums over the closed hours of a day. */
interface ClosedHours {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly volume: number;
  readonly quoteVolume: number;
  readonly high: number;
  readonly low: number;
}

/** Cached sums by book. They change once an hour, while the statistics are streamed every second. */
const lastHours = new WeakMap<SimulatedBook, ClosedHours>();

function closedHours(market: Market, book: SimulatedBook, from: EpochMs, to: EpochMs): ClosedHours {
  const last = lastHours.get(book);
  if (last?.from === from && last.to === to) return last;
  const bars = market.candles('spot', book.rules.base, HOUR_MS, from, to);
  const hours = {
    from,
    to,
    volume: bars.reduce((sum, bar) => sum + Number(bar.volume), 0),
    quoteVolume: bars.reduce((sum, bar) => sum + Number(bar.volume) * Number(bar.close), 0),
    high: Math.max(...bars.map((bar) => Number(bar.high))),
    low: Math.min(...bars.map((bar) => Number(bar.low))),
  };
  lastHours.set(book, hours);
  return hours;
}

/** Computes the statistics of the last 24 hours. @param offsetMs offset of the venue's clock */
export function dayStatistics(market: Market, book: SimulatedBook, now: EpochMs, offsetMs: number) {
  const { base, symbol } = book.rules;
  const from = now - DAY_MS;
  const hours = closedHours(market, book, Math.ceil(from / HOUR_MS) * HOUR_MS, Math.floor(now / HOUR_MS) * HOUR_MS);
  const open = market.spot(base, from);
  const last = market.spot(base, now);
  const { volume, quoteVolume } = hours;
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
    highPrice: eightDecimals(Math.max(open, last, hours.high)),
    lowPrice: eightDecimals(Math.min(open, last, hours.low)),
    volume: eightDecimals(volume),
    quoteVolume: eightDecimals(quoteVolume),
    openTime: from + offsetMs,
    closeTime: now + offsetMs,
    firstId: 1,
    lastId: 100_000,
    count: 100_000,
  };
}

/** Formats the statistics like the stream. */
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
