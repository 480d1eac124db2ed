/** Market flow of the sandbox as a feed would have received it, computed at once for a simulated period. */
import type { FlowBook, FlowKeeper, FlowPrint } from '../../domain/shadow/flow.ts';
import { plainDecimal } from '../../domain/values/decimal.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey, type Venue } from '../../domain/market/venue.ts';
import { chooseRules } from '../spotexchange/simulated-book.ts';
import { TRADE_EVERY_MS, createTrade } from '../spotexchange/simulated-trades.ts';
import type { Market } from './market.ts';
import type { MarketWords } from './market-words.ts';

/** Interval between a book's messages, and between messages of pools and others. Milliseconds. */
const BOOK_EVERY_MS: Readonly<Partial<Record<Venue, number>>> = { spotexchange: 250, evmvenue: 500 };
const EVERY_MS = 2_000;

interface ToldFlowDeps {
  readonly words: MarketWords;
  readonly market: Market;
  /** Returns an instrument's underlying symbol, or undefined if the catalog does not know it. */
  readonly underlying: (key: InstrumentKey) => string | undefined;
}

export function createToldFlow({ words, market, underlying }: ToldFlowDeps): FlowKeeper {
  function bookAt(key: InstrumentKey, at: EpochMs): FlowBook[] {
    const quote = words.quote(key, at);
    if (quote === null || quote.bid === null || quote.ask === null) return [];
    return [
      {
        source: quote.source,
        at,
        bids: [{ price: quote.bid, size: quote.bidSize ?? '' }],
        asks: [{ price: quote.ask, size: quote.askSize ?? '' }],
        liquidityUsd: words.liquidity(key, at)?.liquidityUsd ?? null,
      },
    ];
  }

  /** Returns the trades from the last one at or before `from` to the first one after `until`. */
  function listTrades(key: InstrumentKey, from: EpochMs, until: EpochMs): FlowPrint[] {
    const symbol = underlying(key);
    if (splitInstrumentKey(key).venue !== 'spotexchange' || symbol === undefined) return [];
    const rules = chooseRules(symbol, market.spot(symbol, from));
    const trades: FlowPrint[] = [];
    for (let step = Math.floor(from / TRADE_EVERY_MS); step <= Math.floor(until / TRADE_EVERY_MS) + 1; step++) {
      const { a: sequence, p, q, T: at } = createTrade(market, rules, step);
      trades.push({ sequence, price: plainDecimal(p), quantity: plainDecimal(q), at });
    }
    return trades;
  }

  return {
    window(span) {
      const { instrument, from, booksUntil, until } = span;
      const everyMs = BOOK_EVERY_MS[splitInstrumentKey(instrument).venue] ?? EVERY_MS;
      const books: FlowBook[] = [];
      for (let at = Math.floor(from / everyMs) * everyMs; at <= booksUntil; at += everyMs) books.push(...bookAt(instrument, at));
      return { ...span, books, trades: listTrades(instrument, from, until), gaps: [] };
    },
  };
}
