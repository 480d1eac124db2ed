/** Market of the simulated perpetuals venue: books, contexts, candles and trades in the venue's format. */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { bendPrices, type FaultSwitch, seededRandom } from '../faults.ts';
import type { Market } from '../market/market.ts';
import { type PerpListing, perpPrice } from './perp-wallets.ts';

/** Candle intervals, in milliseconds. */
export const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
};

const FAST_LEVELS = 5;
const LEVELS = 20;

interface Level {
  readonly px: string;
  readonly sz: string;
  readonly n: number;
}

/** Formats a rate like the venue: ten decimals without trailing zeros, "0.0" for zero. */
export function rate(value: number): string {
  const text = value.toFixed(10).replace(/0+$/, '');
  return text.endsWith('.') ? `${text}0` : text;
}

export class PerpMarket {
  readonly #market: Market;
  readonly #faults: FaultSwitch;
  readonly #seed: number;
  #trades = 0;

  constructor({ market, faults, seed }: { readonly market: Market; readonly faults: FaultSwitch; readonly seed: number }) {
    this.#market = market;
    this.#faults = faults;
    this.#seed = seed;
  }

  /** Returns book levels around the mark. Sizes are derived from coin and price, the best one also from the time in whole seconds. */
  #levels(listing: PerpListing, now: EpochMs, count: number): [Level[], Level[]] {
    const { mark } = this.#market.perp(listing.asset, now);
    const step = Math.max(
      mark * this.#market.halfSpread('perp', listing.asset, now),
      10 ** Math.max(Math.floor(Math.log10(mark)) - 4, listing.sizeDecimals - 6),
    );
    const side = (sign: 1 | -1): Level[] =>
      Array.from({ length: count }, (_, index) => {
        const price = perpPrice(mark + sign * step * (index + 1), listing.sizeDecimals);
        const random = seededRandom(Math.round(Number(price) * 1e6) + (index === 0 ? Math.floor(now / 1000) : 0));
        const size = (500 + 40_000 * random()) / mark;
        return {
          px: price,
          sz: Math.max(size, 10 ** -listing.sizeDecimals).toFixed(listing.sizeDecimals),
          n: 1 + Math.floor(random() * 9),
        };
      });
    return [side(-1), side(1)];
  }

  context(listing: PerpListing, now: EpochMs): object {
    const { mark, oracle, hourlyFunding, openInterest, dayNotional } = this.#market.perp(listing.asset, now);
    const [bids, asks] = this.#levels(listing, now, 1);
    const bid = (bids[0] as Level).px;
    const ask = (asks[0] as Level).px;
    const premium = Math.max(Number(bid) - oracle, 0) - Math.max(oracle - Number(ask), 0);
    return {
      funding: rate(hourlyFunding * listing.fundingScale),
      openInterest: openInterest.toFixed(listing.sizeDecimals),
      prevDayPx: perpPrice(this.#market.perp(listing.asset, now - DAY_MS).mark, listing.sizeDecimals),
      dayNtlVlm: dayNotional.toFixed(6),
      premium: rate(premium / oracle),
      oraclePx: perpPrice(oracle, listing.sizeDecimals),
      markPx: perpPrice(mark, listing.sizeDecimals),
      midPx: perpPrice(mark, listing.sizeDecimals),
      impactPxs: [bid, ask],
      dayBaseVlm: (dayNotional / mark).toFixed(listing.sizeDecimals),
    };
  }

  #wireCandle(
    listing: PerpListing,
    interval: string,
    bar: { openTime: EpochMs; open: number; high: number; low: number; close: number; volume: number },
  ): object {
    const barMs = INTERVAL_MS[interval] as number;
    const price = (value: number) => perpPrice(value, listing.sizeDecimals);
    return {
      t: bar.openTime,
      T: bar.openTime + barMs - 1,
      s: listing.coin,
      i: interval,
      o: price(bar.open),
      c: price(bar.close),
      h: price(bar.high),
      l: price(bar.low),
      v: bar.volume.toFixed(listing.sizeDecimals),
      n: 1 + Math.floor(bar.volume),
    };
  }

  closedCandles(listing: PerpListing, interval: string, from: EpochMs, to: EpochMs): object[] {
    return this.#market.candles('perp', listing.asset, INTERVAL_MS[interval] as number, from, to).map((bar) =>
      this.#wireCandle(listing, interval, {
        openTime: bar.openTime,
        open: Number(bar.open),
        high: Number(bar.high),
        low: Number(bar.low),
        close: Number(bar.close),
        volume: Number(bar.volume),
      }),
    );
  }

  /** Returns the open candle, sampled from the market. */
  formingCandle(listing: PerpListing, interval: string, now: EpochMs): object {
    const barMs = INTERVAL_MS[interval] as number;
    const openTime = Math.floor(now / barMs) * barMs;
    const marks = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
      (part) => this.#market.perp(listing.asset, Math.floor(openTime + (now - openTime) * part)).mark,
    );
    return this.#wireCandle(listing, interval, {
      openTime,
      open: marks[0] as number,
      high: Math.max(...marks),
      low: Math.min(...marks),
      close: marks.at(-1) as number,
      volume: (now - openTime) / 1000,
    });
  }

  trade(listing: PerpListing, at: EpochMs, chance: number): object {
    const { mark } = this.#market.perp(listing.asset, at);
    this.#trades += 1;
    return {
      coin: listing.coin,
      side: chance < 0.5 ? 'A' : 'B',
      px: perpPrice(mark, listing.sizeDecimals),
      sz: Math.max((50 + 5_000 * chance) / mark, 10 ** -listing.sizeDecimals).toFixed(listing.sizeDecimals),
      time: at + this.#faults.settings.clockOffsetMs,
      hash: `0x${this.#trades.toString(16).padStart(64, '0')}`,
      tid: this.#trades,
      users: [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`],
    };
  }

  recentTrades(listing: PerpListing, now: EpochMs): object[] {
    const random = seededRandom(this.#seed);
    return Array.from({ length: 10 }, (_, index) => this.trade(listing, now - index * 700, random()));
  }

  bbo(listing: PerpListing, now: EpochMs): object {
    const [bids, asks] = this.#levels(listing, now, 1);
    const bid = bids[0] as Level;
    const ask = asks[0] as Level;
    const bent = bendPrices(this.#faults, Number(bid.px), Number(ask.px), (price) => perpPrice(price, listing.sizeDecimals));
    return {
      coin: listing.coin,
      time: now + this.#faults.settings.clockOffsetMs,
      bbo: [
        { px: bent.bid, sz: bid.sz, n: bid.n },
        { px: bent.ask, sz: ask.sz, n: ask.n },
      ],
    };
  }

  book(listing: PerpListing, now: EpochMs, fast: boolean): object {
    const [bids, asks] = this.#levels(listing, now, fast ? FAST_LEVELS : LEVELS) as [[Level, ...Level[]], [Level, ...Level[]]];
    const bent = bendPrices(this.#faults, Number(bids[0].px), Number(asks[0].px), (price) => perpPrice(price, listing.sizeDecimals));
    const body = {
      coin: listing.coin,
      time: now + this.#faults.settings.clockOffsetMs,
      levels: [
        [{ ...bids[0], px: bent.bid }, ...bids.slice(1)],
        [{ ...asks[0], px: bent.ask }, ...asks.slice(1)],
      ],
    };
    return fast ? { ...body, fast: true } : body;
  }
}
