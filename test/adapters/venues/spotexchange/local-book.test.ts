/** The local order book follows the exchange's official procedure. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createRedisMarketStateBus, type MarketStateBus } from '../../../../src/adapters/queue/market-state-bus.ts';
import { toOrderBookSnapshot } from '../../../../src/adapters/venues/order-book-reads.ts';
import { localOrderBook } from '../../../../src/adapters/venues/spotexchange/feed.ts';
import type { BookLevel, OrderBook } from '../../../../src/adapters/venues/order-book.ts';
import { LocalBook } from '../../../../src/adapters/venues/spotexchange/local-book.ts';
import { type DepthDiff, mapSpotFrame, streamSymbols } from '../../../../src/adapters/venues/spotexchange/map.ts';
import type { Quote } from '../../../../src/domain/market/quote.ts';
import { bookKey } from '../../../../streams/book-wants.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';
import { testRedis } from '../../../harness/redis.ts';
import { waitFor } from '../../../harness/wait-for.ts';

function diff(firstId: number, lastId: number, bids: readonly BookLevel[] = [], asks: readonly BookLevel[] = []): DepthDiff {
  return { kind: 'depth_diff', instrument: 'BTCUSDT', observedAt: 1_000 + lastId, receivedAt: 2_000 + lastId, firstId, lastId, bids, asks };
}

const SNAPSHOT = {
  lastUpdateId: 100,
  bids: [
    ['10.00', '1.0'],
    ['9.50', '2.0'],
  ] as BookLevel[],
  asks: [
    ['10.50', '3.0'],
    ['11.00', '4.0'],
  ] as BookLevel[],
};

describe('snapshot and differences', () => {
  test('buffered updates are joined to the snapshot if one spans its id', () => {
    const book = new LocalBook();
    expect(book.apply(diff(90, 95, [['8.00', '9']]))).toBe('kept');
    expect(book.apply(diff(96, 101, [['10.0', '5.0']], [['10.50', '0.00000000']]))).toBe('kept');
    expect(book.apply(diff(102, 103, [], [['10.75', '7.0']]))).toBe('kept');
    expect(book.restart(SNAPSHOT, 5)).toBe('live');
    expect(book.bids).toEqual([
      ['10.0', '5.0'],
      ['9.50', '2.0'],
    ]);
    expect(book.asks).toEqual([
      ['10.75', '7.0'],
      ['11.00', '4.0'],
    ]);
    expect(book.lastUpdateId).toBe(103);
    expect(book.observedAt).toBe(1_103);
  });

  test('a snapshot from before the buffered updates is too old', () => {
    const book = new LocalBook();
    book.apply(diff(102, 103));
    expect(book.restart(SNAPSHOT, 5)).toBe('too_old');
    expect(book.needsSnapshot).toBe(true);
    expect(book.restart({ ...SNAPSHOT, lastUpdateId: 101 }, 5)).toBe('live');
  });

  test('a duplicate changes nothing, a skipped update id is a gap, and the next snapshot repairs it', () => {
    const book = new LocalBook();
    book.restart(SNAPSHOT, 5);
    expect(book.apply(diff(101, 102, [['10.00', '1.5']]))).toBe('applied');
    expect(book.apply(diff(101, 102, [['10.00', '9.9']]))).toBe('old');
    expect(book.bids[0]).toEqual(['10.00', '1.5']);
    expect(book.apply(diff(104, 105, [['10.25', '6.0']]))).toBe('gap');
    expect(book.state).toBe('resyncing');
    expect(book.bids[0]).toEqual(['10.00', '1.5']);
    expect(book.apply(diff(106, 106))).toBe('kept');
    expect(book.restart({ ...SNAPSHOT, lastUpdateId: 103 }, 6)).toBe('live');
    expect(book.bids[0]).toEqual(['10.25', '6.0']);
    expect(book.lastUpdateId).toBe(106);
  });

  test('an empty snapshot of a new listing is valid and any update may follow it', () => {
    const book = new LocalBook();
    expect(book.restart({ lastUpdateId: -1, bids: [], asks: [] }, 5)).toBe('live');
    expect(book.apply(diff(777, 780, [['1', '1']]))).toBe('applied');
    expect(book.bids).toEqual([['1', '1']]);
    expect(book.apply(diff(782, 783))).toBe('gap');
  });

  test('a hole among the buffered updates is detected before a snapshot covers it', () => {
    const book = new LocalBook();
    book.apply(diff(95, 101));
    book.apply(diff(110, 111));
    expect(book.restart(SNAPSHOT, 5)).toBe('too_old');
    expect(book.restart({ ...SNAPSHOT, lastUpdateId: 109 }, 5)).toBe('live');
  });
});

const redisUrl = await testRedis();
const clock = createLiveClock();
const open: MarketStateBus[] = [];
afterEach(async () => {
  for (const bus of open.splice(0)) await bus.close();
});
function busOn(url: string): MarketStateBus {
  const bus = createRedisMarketStateBus({ url, clock, flushMs: 5, snapshotMs: 300 });
  open.push(bus);
  return bus;
}

const SHARED = new URL('../../../../../shared/data/', import.meta.url);
const ORACLE = new URL('oracles/local-book/BINANCE_US.json', SHARED);

interface OracleBook {
  readonly snapshotLastUpdateId: number;
  readonly eventsDroppedAsOld: number;
  readonly eventsApplied: number;
  readonly finalUpdateId: number;
  readonly bidLevels: number;
  readonly askLevels: number;
  readonly sha256AllLevels: string;
}

test('a side keeps at most 10,000 levels, and the best of them', () => {
  const book = new LocalBook();
  book.restart({ lastUpdateId: 0, bids: [['100', '1']], asks: [['101', '1']] }, 1);
  for (let id = 1; id <= 25; id++) {
    const levels = Array.from({ length: 1_000 }, (_, index): [string, string] => [String(id * 1_000 + index + 200), '1']);
    book.apply({ kind: 'depth_diff', instrument: 'X', observedAt: id, receivedAt: id, firstId: id, lastId: id, bids: [], asks: levels });
  }
  expect(book.asks).toHaveLength(10_000);
  expect([book.asks[0], book.asks.at(-1)]).toEqual([
    ['101', '1'],
    ['11198', '1'],
  ]);
});

describe.skipIf(!existsSync(ORACLE))('a recorded session of the exchange (optional test data; skipped where it is absent)', () => {
  test('gives the books of an independent computation, level by level, and other processes receive them', async () => {
    const oracle = JSON.parse(readFileSync(ORACLE, 'utf8')) as { books: Record<string, OracleBook> };
    const lines = (name: string) =>
      gunzipSync(readFileSync(new URL(`tapes/cryptofeed/${name}`, SHARED)))
        .toString('utf8')
        .split('\n');
    const books = new Map(Object.keys(oracle.books).map((symbol) => [symbol, new LocalBook()]));
    const snapshots = new Map<string, { lastUpdateId: number; bids: BookLevel[]; asks: BookLevel[] }>();
    for (const line of lines('BINANCE_US.http.0.0.log.gz')) {
      const match = /symbol=(\w+)&.* -> [\d.]+: (\{.*\})$/.exec(line);
      if (match !== null) snapshots.set(match[1] as string, JSON.parse(match[2] as string));
    }
    const counts = new Map<string, Record<string, number>>();
    /** Best prices that the exchange itself published, by update id. */
    const tops = new Map<string, Quote>();
    let agreeing = 0;
    let rejected = 0;
    for (const line of lines('BINANCE_US.ws.1.0.log.gz').slice(1)) {
      const at = line.indexOf(': {');
      if (at < 0) continue;
      for (const message of mapSpotFrame(Buffer.from(line.slice(at + 2)), 1, streamSymbols([...books.keys()]))) {
        if (message.kind === 'rejection') rejected++;
        if (message.kind === 'quote') tops.set(`${message.instrument} ${message.sequence}`, message);
        if (message.kind !== 'depth_diff') continue;
        const book = books.get(message.instrument) as LocalBook;
        const outcome = book.apply(message);
        if (outcome === 'kept') {
          const result = book.restart(snapshots.get(message.instrument) as never, 1);
          // The first event is either within the snapshot (old) or was joined to it.
          const old = message.lastId <= (oracle.books[message.instrument] as OracleBook).snapshotLastUpdateId;
          const count = counts.get(message.instrument) ?? {};
          count[old ? 'old' : 'applied'] = (count[old ? 'old' : 'applied'] ?? 0) + 1;
          counts.set(message.instrument, count);
          expect(result).toBe('live');
          continue;
        }
        const count = counts.get(message.instrument) ?? {};
        count[outcome] = (count[outcome] ?? 0) + 1;
        counts.set(message.instrument, count);
        const top = tops.get(`${message.instrument} ${book.lastUpdateId}`);
        if (top === undefined) continue;
        expect([book.bids[0], book.asks[0]]).toEqual([
          [top.bid, top.bidSize],
          [top.ask, top.askSize],
        ]);
        agreeing++;
      }
    }
    expect(rejected).toBe(0);
    expect(agreeing).toBeGreaterThan(10);
    for (const [symbol, expected] of Object.entries(oracle.books)) {
      const book = books.get(symbol) as LocalBook;
      const text = [...book.bids.map(([price, size]) => `b ${price} ${size}`), ...book.asks.map(([price, size]) => `a ${price} ${size}`)];
      expect(counts.get(symbol)).toEqual({ old: expected.eventsDroppedAsOld, applied: expected.eventsApplied });
      expect(book.lastUpdateId).toBe(expected.finalUpdateId);
      expect([book.bids.length, book.asks.length]).toEqual([expected.bidLevels, expected.askLevels]);
      const hashes = [text.join('\n'), `${text.join('\n')}\n`].map((joined) => createHash('sha256').update(joined).digest('hex'));
      expect(hashes).toContain(expected.sha256AllLevels);
    }
    if (redisUrl === null) return;
    const at = clock.now();
    const passedOn = [...books].map(([symbol, book]) => ({
      ...toOrderBookSnapshot(localOrderBook(symbol, book, 100) as OrderBook),
      receivedAt: at,
    }));
    const [feed, worker] = [busOn(redisUrl), busOn(redisUrl)] as const;
    for (const book of passedOn) feed.publish(book);
    const received = (): readonly unknown[] => passedOn.map(({ venue, instrument }) => worker.latest(bookKey(venue, instrument)));
    await waitFor(() => received().every((book) => book !== null), { what: 'the books in the other process' });
    expect(received()).toEqual(passedOn);
  });
});

describe('the reach of a snapshot', () => {
  /** Creates a book of the venue: every cent has a level, far levels never change, and the middle walks. */
  function venue(levels: number) {
    let middle = 60_000_00;
    let id = 100;
    const size = (cents: number): string => String(1 + (cents % 7));
    const price = (cents: number): string => (cents / 100).toFixed(2);
    const side = (sign: 1 | -1): BookLevel[] =>
      Array.from({ length: levels }, (_, i) => middle + sign * (i + 1)).map((at) => [price(at), size(at)]);
    return {
      bids: (): BookLevel[] => side(-1),
      asks: (): BookLevel[] => side(1),
      snapshot: () => ({ lastUpdateId: id, bids: side(-1), asks: side(1) }),
      /** Moves the middle by cents. Returns the changes: bids that were hit and asks that replaced them, or the reverse. */
      move(cents: number): DepthDiff {
        const [bids, asks]: [BookLevel[], BookLevel[]] = [[], []];
        const sign = Math.sign(cents);
        for (let i = 0; i < Math.abs(cents); i++) {
          const [gone, come] = [middle + sign, middle];
          (sign < 0 ? bids : asks).push([price(gone), '0']);
          (sign < 0 ? asks : bids).push([price(come), size(come)]);
          middle += sign;
        }
        id += 1;
        return diff(id, id, bids, asks);
      },
    };
  }

  test('is renewed before the market reaches its edge, and the book stays correct meanwhile', () => {
    const market = venue(1_000);
    const book = new LocalBook();
    let [snapshots, asked] = [0, false];
    book.restart(market.snapshot(), 5);
    for (let step = 0; step < 400; step++) {
      const cents = step < 200 ? -30 : step % 3 === 0 ? 40 : -25;
      expect(book.apply(market.move(cents))).toBe('applied');
      expect(book.state).toBe('live');
      for (const [kept, true_] of [
        [book.bids, market.bids()],
        [book.asks, market.asks()],
      ] as const) {
        const depth = Math.min(kept.length, 200);
        expect(depth).toBeGreaterThan(100);
        expect(kept.slice(0, depth)).toEqual(true_.slice(0, depth));
      }
      // The snapshot comes a step after the request.
      if (asked) {
        expect(book.restart(market.snapshot(), 5)).toBe('live');
        snapshots++;
      }
      asked = book.needsSnapshot;
    }
    expect(snapshots).toBeGreaterThan(5);
    expect(snapshots).toBeLessThan(30);
  });

  test('nothing beyond it is live: without a new snapshot the book is degraded once the market leaves it, and old levels are no price', () => {
    const far = venue(1_000);
    const kept = new LocalBook();
    kept.restart(far.snapshot(), 5);
    kept.apply(far.move(-1_500));
    expect(kept.bids).toEqual([]);
    expect(kept.state).toBe('resyncing');
    // A lone update of a level beyond the edge is not the best bid.
    kept.apply({ ...far.move(0), bids: [['59980.00', '1']] });
    expect(kept.bids).toEqual([]);
    expect(kept.restart(far.snapshot(), 6)).toBe('live');
    expect([kept.state, kept.needsSnapshot, kept.bids]).toEqual(['live', false, far.bids()]);
  });

  test('a snapshot older than the live book is ignored, and a side with fewer levels than requested is complete', () => {
    const market = venue(1_000);
    const book = new LocalBook();
    const first = market.snapshot();
    book.restart(first, 5);
    book.apply(market.move(-600));
    book.apply(market.move(-10));
    expect(book.restart(first, 6)).toBe('too_old');
    expect(book.state).toBe('live');
    expect(book.restart(market.snapshot(), 6)).toBe('live');
    const whole = new LocalBook();
    whole.restart(SNAPSHOT, 5);
    whole.apply(
      diff(101, 101, [
        ['10.00', '0'],
        ['9.50', '0'],
        ['2.00', '1'],
      ]),
    );
    expect([whole.state, whole.needsSnapshot, whole.bids]).toEqual(['live', false, [['2.00', '1']]]);
  });
});
