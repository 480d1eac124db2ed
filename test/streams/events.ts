/** Market events for tests of the streams, with irrelevant fields filled in. */
import type { TestScheduler } from 'rxjs/testing';
import type { FeedHeartbeat, FeedStatus, NewsEvent } from '../../src/domain/market/market-event.ts';
import { NO_FLAGS, type PerpContext, type PoolLiquidity, type Quote, type ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';

/** Wednesday 2026-03-18, 11:00 in New York: a regular session. */
export const REGULAR = Date.UTC(2026, 2, 18, 15, 0, 0);
/** Sunday 2026-03-22. */
export const SUNDAY = Date.UTC(2026, 2, 22, 15, 0, 0);

export function quote(at: EpochMs, fields: Partial<Quote> = {}): Quote {
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    source: 'binance:bookTicker',
    observedAt: at,
    receivedAt: at,
    sourceTime: true,
    bid: '100',
    ask: '101',
    bidSize: '1',
    askSize: '1',
    sequence: null,
    quality: 'live',
    flags: NO_FLAGS,
    ...fields,
  };
}

export function reference(at: EpochMs, fields: Partial<ReferencePrice> = {}): ReferencePrice {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: 'AAPL',
    source: 'pyth:stream',
    observedAt: at,
    receivedAt: at,
    feedUpdatedAt: at,
    referencePrice: '200',
    confidence: '0.05',
    publisherSession: null,
    quality: 'live',
    flags: NO_FLAGS,
    ...fields,
  };
}

export function perpContext(at: EpochMs, fields: Partial<PerpContext> = {}): PerpContext {
  return {
    kind: 'perp_context',
    venue: 'evmvenue',
    instrument: 'BTC',
    source: 'hyperliquid:activeAssetCtx',
    observedAt: at,
    receivedAt: at,
    markPrice: '102',
    oraclePrice: '101',
    hourlyFunding: '0.0000125',
    openInterest: '10',
    dayNotional: '1000',
    ...fields,
  };
}

export function liquidity(at: EpochMs, fields: Partial<PoolLiquidity> = {}): PoolLiquidity {
  return {
    kind: 'pool_liquidity',
    venue: 'spotchain',
    instrument: 'AAPLx',
    source: 'jupiter:tokens',
    observedAt: at,
    receivedAt: at,
    liquidityUsd: '250000',
    ...fields,
  };
}

export function status(at: EpochMs, state: FeedStatus['status'], fields: Partial<FeedStatus> = {}): FeedStatus {
  return {
    kind: 'feed_status',
    venue: 'spotexchange',
    source: 'binance',
    receivedAt: at,
    status: state,
    epoch: 1,
    detail: '',
    ...fields,
  };
}

export function heartbeat(at: EpochMs, fields: Partial<FeedHeartbeat> = {}): FeedHeartbeat {
  return { kind: 'heartbeat', venue: 'spotexchange', source: 'binance', receivedAt: at, ...fields };
}

export function news(at: EpochMs, id: string, fields: Partial<NewsEvent> = {}): NewsEvent {
  return {
    kind: 'news',
    venue: 'reference',
    source: 'edgar',
    id,
    receivedAt: at,
    observedAt: at,
    symbols: ['AAPL'],
    severity: 'high',
    negative: true,
    rumor: false,
    headline: `event ${id}`,
    ...fields,
  };
}

/** Returns a quote with the quality and flags that a rule is expected to set. */
export function marked<E extends Quote | ReferencePrice>(event: E, quality: E['quality'], flags: E['flags']): E {
  return { ...event, quality, flags };
}

/** Clock of a marble test: frame 0 is `start`. */
export function marbleClock(scheduler: TestScheduler, start: EpochMs): Clock {
  const now = (): EpochMs => start + scheduler.now();
  return {
    now,
    elapsed: now,
    deadline: (at, call) => {
      const action = scheduler.schedule(call, Math.max(at - now(), 0));
      return () => action.unsubscribe();
    },
  };
}

/** Returns the non-zero counts of one venue as plain numbers. */
export function nonZero(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}
