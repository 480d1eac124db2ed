/** Trades of the simulated exchange: one per time step, at the best bid or ask of that instant. Every client sees the same trades. */
import type { EpochMs } from '../../domain/values/time.ts';
import { seededRandom } from '../faults.ts';
import type { LoopbackAnswer } from '../loopback.ts';
import type { Market } from '../market/market.ts';
import { refusal } from './signed-request.ts';
import { eightDecimals, type SymbolRules } from './simulated-book.ts';

/** Time between two trades, in milliseconds. */
export const TRADE_EVERY_MS = 500;
const MAX_ROWS = 1_000;

/** Aggregate trade in the venue's format. */
interface AggTrade {
  /** Aggregate trade id. */
  readonly a: number;
  readonly p: string;
  readonly q: string;
  readonly f: number;
  readonly l: number;
  readonly T: EpochMs;
  readonly m: boolean;
  readonly M: true;
}

/** Returns the trade of one step, in the venue's format. */
export function createTrade(market: Market, { symbol, base, tickDigits, lotDigits }: SymbolRules, step: number): AggTrade {
  const at = step * TRADE_EVERY_MS;
  const random = seededRandom(step + symbol.charCodeAt(0) * 7919);
  const isBuyerMaker = random() < 0.5;
  const halfSpread = market.halfSpread('spot', base, at);
  const price = market.spot(base, at) * (1 + (isBuyerMaker ? -halfSpread : halfSpread));
  const quantity = (200 + 20_000 * random() ** 2) / price;
  return {
    a: step,
    p: eightDecimals(Number(price.toFixed(tickDigits))),
    q: eightDecimals(Math.max(10 ** -lotDigits, Number(quantity.toFixed(lotDigits)))),
    f: step,
    l: step,
    T: at,
    m: isBuyerMaker,
    M: true,
  };
}

/** Formats the `@aggTrade` message of one step's trade. */
export function streamedTrade(market: Market, rules: SymbolRules, step: number, at: EpochMs): object {
  return { e: 'aggTrade', E: at, s: rules.symbol, ...createTrade(market, rules, step) };
}

/** Answers `GET /api/v3/aggTrades`: from an id on, or in a time window; never beyond `now`. */
export function aggTrades(market: Market, rules: SymbolRules, query: URLSearchParams, now: EpochMs): LoopbackAnswer {
  const read = (name: string): number | null => (query.get(name) === null ? null : Number(query.get(name)));
  const [fromId, startTime, endTime, asked] = [read('fromId'), read('startTime'), read('endTime'), read('limit')];
  for (const value of [fromId, startTime, endTime, asked]) {
    if (value !== null && !(Number.isSafeInteger(value) && value >= 0))
      return refusal(400, -1100, "Illegal characters found in a parameter; legal range is '^[0-9]{1,20}$'.");
  }
  const limit = Math.min(asked ?? 500, MAX_ROWS);
  const last = Math.floor(Math.min(now, endTime ?? now) / TRADE_EVERY_MS);
  const newest = Math.max(0, last - limit + 1);
  const first = fromId ?? (startTime === null ? newest : Math.ceil(startTime / TRADE_EVERY_MS));
  const rows: object[] = [];
  for (let step = first; step <= last && rows.length < limit; step++) rows.push(createTrade(market, rules, step));
  return { status: 200, body: rows };
}
