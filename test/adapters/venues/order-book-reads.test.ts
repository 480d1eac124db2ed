// Executions of one slot that want the same book ask its venue once; a later one asks anew.
import { expect, test } from 'vitest';
import type { OrderBook } from '../../../src/adapters/venues/order-book.ts';
import { createOrderBookReads, shareBookAsks } from '../../../src/adapters/venues/order-book-reads.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';

const AT = 1_790_000_000_000;
const book = (instrument: string, sequence: number): OrderBook => ({
  venue: 'spotexchange',
  instrument,
  source: 'test:depth',
  observedAt: AT,
  receivedAt: AT,
  sourceTime: true,
  sequence,
  quality: 'live',
  flags: [],
  bids: [[String(sequence), '1']],
  asks: [[String(sequence + 1), '1']],
});

test('a book is asked for once for all who want it at the same moment, and again afterwards', async () => {
  const asked: string[] = [];
  const books = shareBookAsks(
    createOrderBookReads({
      spotexchange: async (instrument, depth) => {
        const place = asked.push(`${instrument} ${depth}`);
        await new Promise((done) => setImmediate(done));
        if (place === 4) throw new VenueError('spotexchange', 0, 'silent', 'it was silent');
        return book(instrument, place);
      },
    }),
  );
  const read = (instrument: string, depth: number) => books.read('spotexchange', instrument, depth);
  const first = await Promise.all([read('BTCUSDT', 10), read('BTCUSDT', 10), read('ETHUSDT', 10), read('BTCUSDT', 20)]);
  expect(asked).toEqual(['BTCUSDT 10', 'ETHUSDT 10', 'BTCUSDT 20']);
  expect(first[0]).toEqual(first[1]);
  expect(first[0]).not.toEqual(first[2]);
  // Whoever asks while a refusal is on its way receives it too; the next one asks anew.
  const refused = await Promise.all([read('BTCUSDT', 10), read('BTCUSDT', 10)]);
  expect(refused.map(({ ok }) => ok)).toEqual([false, false]);
  expect((await read('BTCUSDT', 10)).ok).toBe(true);
  expect(asked).toHaveLength(5);
});
