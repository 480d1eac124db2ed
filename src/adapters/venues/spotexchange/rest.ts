/** The spot exchange's REST client: request weights, its error bodies, its time. See docs/reference/outside/spot-exchange.md. */
import type { Clock } from '../../../../streams/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { knownFields } from '../known-fields.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError } from '../venue-feed.ts';
import { createVenueHttp, type VenueHttp } from '../venue-http.ts';
import { isCount } from '../wire-decimal.ts';

export const TIME_FIELDS = knownFields('binance:time', 'serverTime');

export interface SpotRestOptions {
  /** `https://api.binance.com`. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Request weight that may be used in any 60 s; the venue allows 6000 per address. Default 6000. */
  readonly weightPerMinute?: number;
  /** The budget of the address, where several clients share it. */
  readonly budget?: RequestBudget;
  readonly maxWaitMs?: number;
  /** Counts members of answers that the adapter does not know. */
  readonly note?: NoteUnknownField;
}

/** `{"code":-1121,"msg":"Invalid symbol."}`. */
function readError(body: unknown): { code: string; message: string } | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, msg } = body as Record<string, unknown>;
  return typeof code === 'number' && typeof msg === 'string' ? { code: String(code), message: msg.slice(0, 200) } : null;
}

/** The client of every read of the spot exchange; share one per address, since the weight is counted per address. */
export function createSpotRest(options: SpotRestOptions): VenueHttp {
  return createVenueHttp({
    venue: 'spotexchange',
    baseUrl: options.baseUrl,
    clock: options.clock,
    random: options.random,
    weightPerMinute: options.weightPerMinute ?? 6_000,
    usedWeightHeader: 'x-mbx-used-weight-1m',
    readError,
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.maxWaitMs === undefined ? {} : { maxWaitMs: options.maxWaitMs }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
}

/** The venue's own time. @throws VenueError if it does not tell. */
export async function fetchServerTime(rest: VenueHttp): Promise<EpochMs> {
  const { serverTime } = ((await rest.get('/api/v3/time', {}, 1, TIME_FIELDS)) ?? {}) as Record<string, unknown>;
  if (!isCount(serverTime)) throw badAnswer('time', 'serverTime is no whole number');
  return serverTime;
}

/** A 200 that does not hold what the endpoint promises. */
export function badAnswer(endpoint: string, what: string): VenueError {
  return new VenueError('spotexchange', 200, 'bad_answer', `${endpoint}: ${what}`);
}
