/**
 * Trades of the spot exchange in a period, which fill resting paper orders and measure shadow fills. See
 * docs/reference/outside/spot-exchange.md.
 */
import type { FlowTrade } from '../../../domain/orders/resting-fill.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { knownFields } from '../known-fields.ts';
import type { AskedTrades } from '../venue-flows.ts';
import type { VenueHttp } from '../venue-http.ts';
import { isCount, wireDecimal } from '../wire-decimal.ts';
import { badAnswer } from './rest.ts';

/** Documented members of an aggregate trade. */
const AGG_TRADE_FIELDS = knownFields('binance:aggTrades', 'a p q f l T m M');
export const AGG_TRADES_SOURCE = 'binance:aggTrades';

const PAGE_SIZE = 1_000;
const WEIGHT = 4;
/** Maximum pages per period; trades beyond fill nothing. */
const MAX_PAGES = 5;

/**
 * Fetches the trades from `from` to `to`, both inclusive, in order of their ids. @throws VenueError with the venue's code, or `bad_answer`
 */
export async function fetchTrades(rest: VenueHttp, instrument: string, from: EpochMs, to: EpochMs): Promise<AskedTrades> {
  const trades: FlowTrade[] = [];
  let query: Readonly<Record<string, string | number>> = { symbol: instrument, startTime: from, endTime: to, limit: PAGE_SIZE };
  for (let page = 0; page < MAX_PAGES; page++) {
    const rows = await rest.get('/api/v3/aggTrades', query, WEIGHT, AGG_TRADE_FIELDS);
    if (!Array.isArray(rows)) throw badAnswer('aggTrades', 'it is no list');
    let last = -1;
    for (const row of rows as unknown[]) {
      const { a: id, p, q, T: at } = (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>;
      const [price, quantity] = [wireDecimal(p), wireDecimal(q)];
      if (!isCount(id) || !isCount(at) || price === null || quantity === null) throw badAnswer('aggTrades', 'a trade cannot be read');
      last = id;
      if (at > to) return { trades, upTo: to };
      if (at >= from) trades.push({ price, quantity, at });
    }
    if (rows.length < PAGE_SIZE) return { trades, upTo: to };
    query = { symbol: instrument, fromId: last + 1, limit: PAGE_SIZE };
  }
  // The last millisecond may have further trades.
  return { trades, upTo: (trades.at(-1)?.at ?? from) - 1 };
}
