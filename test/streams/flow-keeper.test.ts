// Received flow: equal to a plain list of everything, with silence and lost connections as gaps, within its bounds.
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { FlowSpan, VenueTrade } from '../../src/domain/shadow/flow.ts';
import { createFlowKeeper } from '../../streams/flow-keeper.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

const START = Date.UTC(2026, 2, 2, 14, 31);
const KEY = 'spotexchange:BTCUSDT';

const quote = (at: number, bid = '100', size = '1'): Quote => ({
  kind: 'quote',
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  source: 'binance:bookTicker',
  observedAt: at,
  receivedAt: at,
  sourceTime: false,
  bid,
  ask: '101',
  bidSize: size,
  askSize: '1',
  sequence: at,
  quality: 'live',
  flags: [],
});
const trade = (sequence: number, at: number): VenueTrade => ({
  kind: 'trade',
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  source: 'binance:aggTrade',
  observedAt: at,
  receivedAt: at,
  sequence,
  price: '100.5',
  quantity: '0.1',
});
const spanOf = (from: number, arrival: number, until: number): FlowSpan => ({
  instrument: KEY,
  rule: 'book_and_trades',
  from,
  arrival,
  booksUntil: arrival,
  until,
  maxAgeMs: 5_000,
});

function kept(levels: readonly (readonly [string, string])[] | null = null) {
  const clock = createVirtualClock(START);
  const told = new Subject<FeedMessage>();
  const trades = new Subject<VenueTrade>();
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0.5,
    feeds: [{ venue: 'spotexchange', messages: told }],
    instruments: () => [],
    needs: () => [],
    onCut: () => {},
    onFailure: (error) => {
      throw error;
    },
  });
  const read = () => ({ quality: 'live', bids: levels, asks: [['101', '1']] }) as never;
  const books = levels === null ? [] : [{ venue: 'spotexchange' as const, instrument: 'BTCUSDT', read }];
  const keeper = createFlowKeeper({
    assessed: pipeline.assessed,
    trades,
    books,
    clock,
    onFailure: (error) => {
      throw error;
    },
  });
  keeper.follow(new Set([KEY]));
  pipeline.start();
  const at = async (ms: number, tell: () => void): Promise<void> => {
    await clock.settleTo(START + ms);
    tell();
  };
  return {
    clock,
    keeper,
    at,
    quote: (ms: number, bid?: string) => at(ms, () => told.next(quote(START + ms, bid))),
    trade: (ms: number, sequence: number) => at(ms, () => trades.next(trade(sequence, START + ms))),
    status: (ms: number, status: 'connected' | 'disconnected') =>
      at(ms, () =>
        told.next({ kind: 'feed_status', venue: 'spotexchange', source: 'binance', receivedAt: START + ms, status, epoch: 1, detail: '' }),
      ),
    window: (from: number, arrival: number, until: number) => keeper.window(spanOf(START + from, START + arrival, START + until)),
    told,
    trades,
    async stop() {
      keeper.stop();
      pipeline.stop();
    },
  };
}

test('silence and a lost connection are gaps until the instrument is quoted live again', async () => {
  const flow = kept();
  await flow.status(0, 'connected');
  await flow.quote(100);
  await flow.quote(20_000);
  await flow.status(30_000, 'disconnected');
  await flow.status(31_000, 'connected');
  await flow.quote(32_000);
  await flow.clock.settleTo(START + 33_000);
  // A quote may be five seconds old.
  expect(flow.window(200, 300, 400).gaps).toEqual([]);
  expect(flow.window(100, 350, 50_000).gaps.map(({ from, until }) => [from - START, until === null ? null : until - START])).toEqual([
    [5_101, 20_000],
    [25_001, 32_000],
  ]);
  expect(flow.window(21_000, 21_250, 22_000).gaps).toEqual([]);
  await flow.clock.settleTo(START + 40_000);
  expect(flow.window(33_000, 33_250, 39_000).gaps).toMatchObject([{ until: null, why: expect.stringContaining('over_age') }]);
  await flow.stop();
});

test('a silence that a sign of life ends is a gap until then, although the quote comes again with its old receipt', async () => {
  const clock = createVirtualClock(START);
  const assessed = new Subject<FeedMessage>();
  const onFailure = (error: unknown) => {
    throw error;
  };
  const keeper = createFlowKeeper({ assessed, trades: new Subject<VenueTrade>(), books: [], clock, onFailure });
  keeper.follow(new Set([KEY]));
  const old = quote(START + 100);
  assessed.next(old);
  await clock.settleTo(START + 10_000);
  assessed.next({ ...old, quality: 'stale', flags: ['over_age'] });
  await clock.settleTo(START + 12_000);
  assessed.next(old);
  const { gaps, books } = keeper.window(spanOf(START + 11_000, START + 11_250, START + 13_000));
  expect(gaps).toEqual([{ from: START + 10_000, until: START + 12_000, why: 'over_age' }]);
  expect(books.map(({ at }) => at - START)).toEqual([100]);
  expect(keeper.window(spanOf(START + 12_000, START + 12_250, START + 13_000)).books.map(({ at }) => at - START)).toEqual([12_000]);
  keeper.stop();
});

test('the levels of a book are used only with the best bid and ask that they match', async () => {
  const flow = kept([
    ['100', '3'],
    ['99', '7'],
  ]);
  await flow.quote(1_000);
  await flow.quote(2_000, '100.25');
  const [agreed, ahead] = flow.window(1_000, 2_500, 2_500).books;
  expect(agreed?.bids).toEqual([
    { price: '100', size: '3' },
    { price: '99', size: '7' },
  ]);
  expect(ahead?.bids).toEqual([{ price: '100.25', size: '1' }]);
  await flow.stop();
});

test('any window equals that of a plain list of everything', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ after: fc.integer({ min: 1, max: 900 }), traded: fc.boolean() }), { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(30_000), fc.nat(3_000), fc.nat(20_000)), { minLength: 5, maxLength: 5 }),
      async (events, windows) => {
        const flow = kept();
        const quotes: number[] = [];
        const trades: { readonly sequence: number; readonly at: number }[] = [];
        let ms = 0;
        for (const { after, traded } of events) {
          ms += after;
          if (traded) {
            trades.push({ sequence: trades.length, at: START + ms });
            await flow.trade(ms, trades.length - 1);
          } else {
            await flow.quote(ms);
            if (ms - (quotes.at(-1) ?? Number.NEGATIVE_INFINITY) >= 100) quotes.push(ms);
          }
        }
        for (const [from, latency, lasts] of windows) {
          const found = flow.window(from, from + latency, from + latency + lasts);
          const lastBefore = quotes.filter((at) => at <= from).at(-1) ?? 0;
          expect(found.books.map(({ at }) => at - START)).toEqual(quotes.filter((at) => at >= lastBefore && at <= from + latency));
          const before = trades.filter(({ at }) => at <= START + from).at(-1)?.sequence ?? 0;
          const after = trades.find(({ at }) => at > START + from + latency + lasts)?.sequence ?? trades.length;
          expect(found.trades.map(({ sequence }) => sequence)).toEqual(
            trades.filter(({ sequence }) => sequence >= before && sequence <= after).map(({ sequence }) => sequence),
          );
        }
        await flow.stop();
      },
    ),
    { numRuns: 60 },
  );
});

test('the stored flow is bounded, and unrequested instruments are not followed', async () => {
  const flow = kept();
  await flow.quote(0);
  for (let n = 0; n < 50_000; n++) flow.trades.next(trade(n, START + n));
  const all = flow.window(0, 0, 50_000).trades;
  expect(all.length).toBeGreaterThanOrEqual(20_000);
  expect(all.length).toBeLessThan(22_100);
  expect(all[0]?.sequence).toBe(50_000 - all.length);
  // A repeated trade is not another trade.
  flow.trades.next(trade(49_999, START + 50_001));
  expect(flow.window(0, 0, 60_000).trades).toHaveLength(all.length);
  flow.keeper.follow(new Set());
  expect([flow.trades.observed, flow.window(0, 0, 50_000).trades.length]).toEqual([false, 0]);
  await flow.stop();
});
