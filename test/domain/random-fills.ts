/** Random, seeded lives of books: possible sequences of fills and transfers. */
import type { Fill } from '../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

export type Operation =
  | { readonly kind: 'fill'; readonly fill: Fill }
  | { readonly kind: 'transfer'; readonly bookId: string; readonly amountUsd: string; readonly reference: string; readonly at: number };

/** Lots and ticks as counts of 10^-decimals. */
const MARKETS: readonly { readonly instrument: InstrumentKey; readonly lot: number; readonly tick: number; readonly price: number }[] = [
  { instrument: 'spotexchange:BTCUSDT', lot: 5, tick: 2, price: 6_100_000 },
  { instrument: 'spotexchange:SOLUSDT', lot: 3, tick: 2, price: 14_000 },
  { instrument: 'spotchain:AAPLx', lot: 6, tick: 6, price: 231_000_000 },
  { instrument: 'spotchain:SPACEX', lot: 6, tick: 6, price: 612_000_001 },
  { instrument: 'evmvenue:ETH', lot: 4, tick: 2, price: 310_000 },
];

/** Returns a repeatable sequence of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Formats an integer as a decimal with so many decimals. */
function decimal(units: number, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  return plainDecimal(`${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}`);
}

/**
 * Creates a generator of operations on the given books. Sales never exceed the position; fees may be rebates.
 * @param writer Writer of these operations, if several write to the same books. Each trades its own instruments
 * (at most five writers), so that every order of their operations is possible.
 */
export function randomOperations(
  seed: number,
  bookIds: readonly string[],
  writer?: { readonly place: number; readonly of: number },
): () => Operation {
  const markets = writer === undefined ? MARKETS : MARKETS.filter((_, index) => index % writer.of === writer.place);
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const held = new Map<string, number>();
  let made = 0;
  return () => {
    const bookId = bookIds[below(bookIds.length)] as string;
    const at = 1_700_000_000_000 + made * 997;
    const name = `${seed}-${made++}`;
    if (below(20) === 0) {
      return {
        kind: 'transfer',
        bookId,
        amountUsd: `${below(3) === 0 ? '-' : ''}${decimal(1 + below(5_000_000_000), 6)}`,
        reference: name,
        at,
      };
    }
    const market = markets[below(markets.length)] as (typeof MARKETS)[number];
    const place = `${bookId} ${market.instrument}`;
    const open = held.get(place) ?? 0;
    const sells = open > 0 && below(2) === 0;
    const lots = sells ? (below(3) === 0 ? open : 1 + below(open)) : 1 + below(3 * 10 ** market.lot);
    held.set(place, sells ? open - lots : open + lots);
    const quantity = decimal(lots, market.lot);
    const fillPrice = decimal(Math.max(1, Math.round(market.price * (0.7 + 0.6 * random()))), market.tick);
    const notional = new Decimal(quantity).times(fillPrice);
    const fee = notional
      .times(below(40) - 8)
      .div(10_000)
      .toDecimalPlaces(8);
    const fill: Fill = {
      id: `fill-${name}`,
      orderId: `order-${name}`,
      bookId,
      instrument: market.instrument,
      side: sells ? 'sell' : 'buy',
      quantity,
      fillPrice,
      feeUsd: plainDecimal(fee),
      notionalUsd: plainDecimal(notional),
      decisionPrice: decimal(market.price, market.tick),
      slippageBps: below(100) / 4,
      at,
      quotes: [{ source: 'test', observedAt: at - 5, bid: fillPrice, ask: fillPrice }],
    };
    return { kind: 'fill', fill };
  };
}
