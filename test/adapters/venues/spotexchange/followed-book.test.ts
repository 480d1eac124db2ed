/** Books kept by feeds, as workers see them: the venue's book of a moment no older than its age, or nothing. */
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createAloneClaims } from '../../../../src/adapters/queue/ask-claims.ts';
import { createInProcessMarketStateBus } from '../../../../src/adapters/queue/market-state-bus.ts';
import { followedBooks } from '../../../../src/adapters/venues/listed.ts';
import type { BookLevel } from '../../../../src/adapters/venues/order-book.ts';
import { createSharedBookReads } from '../../../../src/adapters/venues/shared-book-reads.ts';
import { localOrderBook } from '../../../../src/adapters/venues/spotexchange/feed.ts';
import { LocalBook } from '../../../../src/adapters/venues/spotexchange/local-book.ts';
import { mapSpotFrame, streamSymbols } from '../../../../src/adapters/venues/spotexchange/map.ts';
import type { OrderBook } from '../../../../src/domain/market/order-book.ts';
import { refuse } from '../../../../src/domain/values/refusal.ts';
import { seededRandom } from '../../../../src/sandbox/faults.ts';
import { createBookWants } from '../../../../src/adapters/queue/book-wants.ts';
import { newBooks } from '../../../../streams/market-states.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';

const T0 = Date.UTC(2026, 10, 20, 12);
const STEP_MS = 10;
const STEPS = 3_000;
/** Levels of a snapshot: few, so that the market moves beyond the known levels. */
const SNAPSHOT = 12;
const DEPTH = 8;
const BTC = 'BTCUSDT';

/** Depth update as the exchange publishes it, with variable numbers. */
const FRAME = (
  JSON.parse(readFileSync(new URL('../../../fixtures/binance/combined-stream.json', import.meta.url), 'utf8')) as {
    frames: { what: string; frame: { stream: string; data: Record<string, unknown> } }[];
  }
).frames.find(({ what }) => what === 'a difference of the book')?.frame;

type Sides = { readonly bids: BookLevel[]; readonly asks: BookLevel[] };

/** Venue whose book changes at random. Past books are kept with their times. */
class Venue {
  readonly past: { readonly from: number; readonly sides: Sides }[] = [];
  readonly #levels = { b: new Map<number, number>(), a: new Map<number, number>() };
  readonly #random: () => number;
  #changed = { b: new Set<number>(), a: new Set<number>() };
  #firstId = 1;
  lastId = 0;
  #middle = 1_000;

  constructor(random: () => number) {
    this.#random = random;
    for (let off = 1; off <= 30; off++) {
      this.#levels.b.set(this.#middle - off, off);
      this.#levels.a.set(this.#middle + off, off);
    }
    this.#keep(T0);
  }

  change(at: number): void {
    if (this.#random() < 0.3) this.#middle += this.#random() < 0.5 ? 1 : -1;
    for (let changes = 1 + Math.floor(this.#random() * 4); changes > 0; changes--) {
      const price = this.#middle + (Math.floor(this.#random() * 40) - 20);
      if (price !== this.#middle)
        this.#set(price < this.#middle ? 'b' : 'a', price, this.#random() < 0.4 ? 0 : Math.ceil(this.#random() * 9));
    }
    for (const price of this.#levels.b.keys()) if (price >= this.#middle) this.#set('b', price, 0);
    for (const price of this.#levels.a.keys()) if (price <= this.#middle) this.#set('a', price, 0);
    if (this.#levels.b.size === 0) this.#set('b', this.#middle - 1, 1);
    if (this.#levels.a.size === 0) this.#set('a', this.#middle + 1, 1);
    this.#keep(at);
  }

  /** Returns the changes since the last update as a frame, or null if there are none. */
  difference(at: number): Buffer | null {
    if (this.lastId < this.#firstId) return null;
    const levels = (side: 'a' | 'b') => [...this.#changed[side]].map((price) => [`${price}.00`, `${this.#levels[side].get(price) ?? 0}.0`]);
    const data = { ...FRAME?.data, E: at, s: BTC, U: this.#firstId, u: this.lastId, b: levels('b'), a: levels('a') };
    this.#changed = { b: new Set(), a: new Set() };
    this.#firstId = this.lastId + 1;
    return Buffer.from(JSON.stringify({ ...FRAME, stream: 'btcusdt@depth@100ms', data }));
  }

  /** Returns the present book, best first. */
  sides(levels: number): Sides {
    const told = (side: 'a' | 'b', sign: number): BookLevel[] =>
      [...this.#levels[side]]
        .sort(([one], [other]) => (one - other) * sign)
        .slice(0, levels)
        .map(([price, size]) => [`${price}.00`, `${size}.0`]);
    return { bids: told('b', -1), asks: told('a', 1) };
  }

  #set(side: 'a' | 'b', price: number, size: number): void {
    if (size === 0) this.#levels[side].delete(price);
    else this.#levels[side].set(price, size);
    this.#changed[side].add(price);
    this.lastId++;
  }

  #keep(from: number): void {
    this.past.push({ from, sides: this.sides(Number.POSITIVE_INFINITY) });
  }
}

/** True if the venue had this book, as far as known, at some time between its receipt and its read. */
function wasTheVenues(past: Venue['past'], { receivedAt, bids, asks, edge }: OrderBook, at: number): boolean {
  const agrees = (side: OrderBook['bids'], told: readonly BookLevel[], known: string | null, sign: number): boolean => {
    const end = side.length >= DEPTH ? (side.at(-1)?.price ?? null) : known;
    const there = told.filter(([price]) => end === null || (Number(price) - Number(end)) * sign <= 0);
    return there.length === side.length && there.every(([price, size], i) => side[i]?.price === price && side[i]?.size === size);
  };
  return past.some(
    ({ from, sides }, i) =>
      from <= at &&
      (past[i + 1]?.from ?? Number.POSITIVE_INFINITY) > receivedAt &&
      agrees(bids, sides.bids, edge?.bid ?? null, -1) &&
      agrees(asks, sides.asks, edge?.ask ?? null, 1),
  );
}

interface Faults {
  readonly lost: number;
  readonly reconnects: number;
  readonly quiet: number;
  readonly lateMs: number;
}

/** Lets a feed follow a venue through faults while a worker reads. Returns the outcomes of its reads. */
async function simulate(seed: number, faults: Faults): Promise<{ followed: number; asked: number; wrong: string[] }> {
  const random = seededRandom(seed);
  const clock = createVirtualClock(T0);
  const venue = new Venue(random);
  const book = new LocalBook();
  const symbols = streamSymbols([BTC]);
  const states = createInProcessMarketStateBus({ clock });
  const feed = { venue: 'spotexchange' as const, book: (instrument: string, levels: number) => localOrderBook(instrument, book, levels) };
  const pass = newBooks({ books: followedBooks(feed, [BTC]) }, { bus: states, clock });
  const reads = createSharedBookReads({
    states,
    wants: createBookWants(states, clock),
    claims: createAloneClaims(clock),
    asked: { read: async () => refuse('unavailable', 'the venue is not asked here') },
    clock,
  });
  const ended = { followed: 0, asked: 0, wrong: [] as string[] };
  let connected = true;
  let snapshot: {
    readonly askedAt: number;
    readonly takenAt: number;
    readonly comesAt: number;
    taken: null | (Sides & { id: number });
  } | null = null;
  let quietUntil = T0;
  for (let step = 1; step <= STEPS; step++) {
    const at = T0 + step * STEP_MS;
    clock.advanceTo(at);
    if (random() < faults.quiet) quietUntil = at + random() * 12_000;
    if (at >= quietUntil && random() < 0.5) venue.change(at);
    if (random() < faults.reconnects) {
      connected = !connected;
      book.clear();
      snapshot = null;
    }
    if (at % 100 === 0) {
      const frame = venue.difference(at);
      if (frame !== null && connected && random() >= faults.lost)
        for (const message of mapSpotFrame(frame, at, symbols)) {
          if (message.kind !== 'depth_diff') throw new Error(`a frame was read as ${message.kind}`);
          book.apply(message);
          if (book.needsSnapshot && snapshot === null) {
            const takenAt = at + random() * faults.lateMs;
            snapshot = { askedAt: at, takenAt, comesAt: takenAt + random() * faults.lateMs, taken: null };
          }
        }
    }
    if (snapshot !== null && snapshot.taken === null && at >= snapshot.takenAt)
      snapshot.taken = { ...venue.sides(SNAPSHOT), id: venue.lastId };
    if (snapshot !== null && snapshot.taken !== null && at >= snapshot.comesAt) {
      const { bids, asks, id } = snapshot.taken;
      const outcome = book.restart({ lastUpdateId: id, bids, asks }, snapshot.askedAt, SNAPSHOT);
      snapshot = outcome === 'live' ? null : { askedAt: at, takenAt: at, comesAt: at + random() * faults.lateMs, taken: null };
    }
    if (step % 100 === 0)
      states.publish({
        kind: 'venue_state',
        venue: 'spotexchange',
        receivedAt: at,
        hearing: connected ? 'live' : 'feed_down',
        detail: '',
        degradedSince: null,
        heardAt: at,
        providers: [],
        clockOffset: null,
        gaps: 0,
        messages: 0,
        rejected: 0,
        budgets: [],
      });
    if (step % 25 === 0) pass();
    if (random() < 0.3) {
      const read = await reads.read('spotexchange', BTC, DEPTH, 1);
      if (!read.ok) ended.asked++;
      else if (at - read.value.receivedAt <= 5_000 && wasTheVenues(venue.past, read.value, at)) ended.followed++;
      else ended.wrong.push(`seed ${seed}, ${at - T0} ms: ${JSON.stringify(read.value)}`);
    }
  }
  return ended;
}

test('without faults almost every read is of the followed book', async () => {
  const { followed, asked, wrong } = await simulate(1, { lost: 0, reconnects: 0, quiet: 0, lateMs: 50 });
  expect(wrong).toEqual([]);
  expect(followed).toBeGreaterThan(10 * asked);
});

test('through lost updates, reconnects, silence and late snapshots a worker sees the venue’s book or none', async () => {
  let [seen, asked] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.record({
        lost: fc.constantFrom(0, 0.02, 0.2),
        reconnects: fc.constantFrom(0, 0.001, 0.01),
        quiet: fc.constantFrom(0, 0.002),
        lateMs: fc.constantFrom(20, 400, 3_000),
      }),
      async (seed, faults) => {
        const ended = await simulate(seed, faults);
        expect(ended.wrong).toEqual([]);
        seen += ended.followed;
        asked += ended.asked;
      },
    ),
    { numRuns: 20 },
  );
  expect(seen).toBeGreaterThan(0);
  expect(asked).toBeGreaterThan(0);
});
