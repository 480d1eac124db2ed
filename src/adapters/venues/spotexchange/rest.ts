/** REST client of the spot exchange: request weights, errors, time. See docs/reference/outside/spot-exchange.md. */
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { knownFields } from '../known-fields.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError } from '../venue-feed.ts';
import { createVenueHttp, type Patience, type VenueHttp } from '../venue-http.ts';
import { isCount } from '../wire-decimal.ts';

const TIME_FIELDS = knownFields('binance:time', 'serverTime');

interface SpotRestOptions extends Patience {
  /** `https://api.binance.com`. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Maximum request weight in 60 s; the venue allows 6000 per address. Default 6000. */
  readonly weightPerMinute?: number;
  /** Shared budget of the address, if several clients use it. */
  readonly budget?: RequestBudget;
  /** Counts unknown members of answers. */
  readonly note?: NoteUnknownField;
}

/** Parses an error body such as `{"code":-1121,"msg":"Invalid symbol."}`. */
function readError(body: unknown): { code: string; message: string } | null {
  if (typeof body !== 'object' || body === null) return null;
  const { code, msg } = body as Record<string, unknown>;
  return typeof code === 'number' && typeof msg === 'string' ? { code: String(code), message: msg.slice(0, 200) } : null;
}

/** Creates the client of all reads. Share one per address, because weight is counted per address. */
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
    ...(options.totalMs === undefined ? {} : { totalMs: options.totalMs }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
}

/** Fetches the venue's time. @throws VenueError */
export async function fetchServerTime(rest: VenueHttp): Promise<EpochMs> {
  const { serverTime } = ((await rest.get('/api/v3/time', {}, 1, TIME_FIELDS)) ?? {}) as Record<string, unknown>;
  if (!isCount(serverTime)) throw badAnswer('time', 'serverTime is no whole number');
  return serverTime;
}

/** Returns the error of an answer with status 200 and unexpected content. */
export function badAnswer(endpoint: string, what: string): VenueError {
  return new VenueError('spotexchange', 200, 'bad_answer', `${endpoint}: ${what}`);
}
