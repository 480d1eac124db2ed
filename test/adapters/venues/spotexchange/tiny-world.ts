/** Shared parts of the venue tests: a small market that is quick to compute, and waiting without sleeping. */
import type { Candle } from '../../../../src/domain/candles/candle.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import type { EpochMs } from '../../../../src/domain/values/time.ts';
import type { Market } from '../../../../src/sandbox/market/market.ts';
import type { VirtualClock } from '../../../../streams/clock/virtual-clock.ts';

/** 2026-11-20T12:00:00Z, a Friday. */
export const NOON: EpochMs = Date.UTC(2026, 10, 20, 12);

const BASE: Readonly<Record<string, number>> = { BTC: 95_000, ETH: 3_150, SOL: 141, TSLA: 410 };

/** Creates a market with prices in waves around a level. Bars are computed from their ends, so that years of them are cheap. */
export function tinyMarket(): Market {
  const price = (symbol: string, at: EpochMs): number => {
    const base = BASE[symbol];
    if (base === undefined) throw new RangeError(`no ${symbol}`);
    return base * (1 + 0.02 * Math.sin(at / 7_919_000) + 0.001 * Math.sin(at / 13_700));
  };
  return {
    assets: [
      { symbol: 'BTC', kind: 'crypto' },
      { symbol: 'ETH', kind: 'crypto' },
      { symbol: 'SOL', kind: 'crypto' },
      { symbol: 'TSLA', kind: 'equity' },
    ],
    value: price,
    reference: (symbol, at) => ({ price: price(symbol, at), confidence: 0.01, updatedAt: at }),
    token: (symbol, at) => ({ price: price(symbol, at), liquidityUsd: 1_000_000 }),
    perp: (symbol, at) => ({
      mark: price(symbol, at) * 1.0002,
      oracle: price(symbol, at),
      hourlyFunding: 0.000_012_5,
      openInterest: 1_000,
      dayNotional: 5_000_000,
    }),
    spot: price,
    halfSpread: (face) => (face === 'token' ? 0.002_5 : 0.000_05),
    candles(_face, symbol, barMs, from, to) {
      const bars: Candle[] = [];
      for (let openTime = Math.ceil(from / barMs) * barMs; openTime < to; openTime += barMs) {
        const open = price(symbol, openTime);
        const close = price(symbol, openTime + barMs);
        bars.push({
          openTime,
          open: open.toFixed(2),
          high: (Math.max(open, close) * 1.001).toFixed(2),
          low: (Math.min(open, close) * 0.999).toFixed(2),
          close: close.toFixed(2),
          volume: (10 + (openTime % 97)).toFixed(2),
        });
      }
      return bars;
    },
  };
}

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** Waits until a condition holds. @throws after `seconds` of real time. */
export async function until(what: string, holds: () => boolean, seconds = 8): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain until ${what}`);
    await turn();
  }
}

/** Advances virtual time, with real sockets delivering in between, until a condition holds. */
export async function drive(clock: VirtualClock, what: string, holds: () => boolean, stepMs = 20, seconds = 8): Promise<void> {
  await until(
    what,
    () => {
      if (holds()) return true;
      clock.advanceTo(clock.now() + stepMs);
      return false;
    },
    seconds,
  );
}

export function ofKind<K extends FeedMessage['kind']>(messages: readonly FeedMessage[], kind: K): Extract<FeedMessage, { kind: K }>[] {
  return messages.filter((message): message is Extract<FeedMessage, { kind: K }> => message.kind === kind);
}
