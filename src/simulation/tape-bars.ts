/** Closed bars that a tape has at its replay's time: recorded ones, and minutes built from its quotes. */
import type { Candle, CandleBatch } from '../domain/candles/candle.ts';
import { compareDecimals, type DecimalString } from '../domain/values/decimal.ts';
import type { FeedMessage } from '../domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../domain/market/quote.ts';
import { type EpochMs, MINUTE_MS, startOfSlot, timeframeMs } from '../domain/values/time.ts';
import { midPrice } from '../domain/market/valuation.ts';
import { type InstrumentKey, instrumentKey } from '../domain/market/venue.ts';

/** Closed bar with its source. */
interface TapeBar extends Candle {
  readonly source: string;
}

/** Source of bars built from middles of live quotes or from live reference prices. Their volume is 0. */
const BARS_OF_QUOTES = 'tape:quotes';

export interface TapeBars {
  /** Receives a message in order, for the tape's own bars. */
  receive(message: FeedMessage): void;
  /** Receives a message after the quality rules. Only live prices make bars. */
  assess(message: FeedMessage): void;
  /** Returns at most `limit` bars that have closed by `now` and open within [from, to), ascending. */
  range(query: {
    readonly key: InstrumentKey;
    readonly timeframe: string;
    readonly from: EpochMs;
    readonly to: EpochMs;
    readonly limit: number;
    readonly now: EpochMs;
  }): readonly TapeBar[];
}

export function createTapeBars(): TapeBars {
  const held = new Map<string, Map<EpochMs, TapeBar>>();
  const minutes = new Map<InstrumentKey, Map<EpochMs, TapeBar>>();

  function keep({ venue, instrument, timeframe, source, candles }: CandleBatch): void {
    const bars = mapAt(held, `${instrumentKey(venue, instrument)} ${timeframe}`);
    for (const candle of candles) bars.set(candle.openTime, { ...candle, source });
  }

  return {
    receive(message) {
      if (message.kind === 'candles') keep(message);
    },
    assess(message) {
      if ((message.kind !== 'quote' && message.kind !== 'reference') || message.quality !== 'live') return;
      const price = readPrice(message);
      if (price === null) return;
      const bars = mapAt(minutes, instrumentKey(message.venue, message.instrument));
      const openTime = startOfSlot(message.receivedAt, MINUTE_MS);
      bars.set(openTime, joined(bars.get(openTime), openBar(openTime, price)));
    },
    range({ key, timeframe, from, to, limit, now }) {
      const length = timeframeMs(timeframe) ?? MINUTE_MS;
      const found = new Map<EpochMs, TapeBar>();
      for (const bar of minutes.get(key)?.values() ?? []) {
        const openTime = startOfSlot(bar.openTime, length);
        if (openTime >= from && openTime < to && openTime + length <= now) found.set(openTime, joined(found.get(openTime), bar, openTime));
      }
      // The venue's own bars take precedence over those built from its quotes.
      for (const bar of held.get(`${key} ${timeframe}`)?.values() ?? [])
        if (bar.openTime >= from && bar.openTime < to && bar.openTime + length <= now) found.set(bar.openTime, bar);
      return [...found.values()].sort((a, b) => a.openTime - b.openTime).slice(0, limit);
    },
  };
}

function readPrice(message: Quote | ReferencePrice): DecimalString | null {
  return message.kind === 'quote' ? midPrice(message.bid, message.ask) : message.referencePrice;
}

function openBar(openTime: EpochMs, price: DecimalString): TapeBar {
  return { openTime, open: price, high: price, low: price, close: price, volume: '0', source: BARS_OF_QUOTES };
}

/** Joins two bars. The later one gives the close. */
function joined(before: TapeBar | undefined, bar: TapeBar, openTime: EpochMs = bar.openTime): TapeBar {
  if (before === undefined) return { ...bar, openTime };
  return {
    ...before,
    high: compareDecimals(bar.high, before.high) > 0 ? bar.high : before.high,
    low: compareDecimals(bar.low, before.low) < 0 ? bar.low : before.low,
    close: bar.close,
  };
}

function mapAt<Key, Value>(maps: Map<Key, Map<EpochMs, Value>>, key: Key): Map<EpochMs, Value> {
  let map = maps.get(key);
  if (map === undefined) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
