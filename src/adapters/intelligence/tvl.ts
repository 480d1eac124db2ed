/**
 * Client of DefiLlama's value locked: `/v2/chains` and histories of single chains and of all. See docs/reference/outside/value-locked.md.
 */
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { ChainTvl, ChainTvlDay, IntelligenceRecord } from '../../domain/intelligence/record.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { plainDecimal } from '../../domain/values/decimal.ts';
import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../domain/values/time.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import { poll, type Reading, type Rejected } from '../venues/polling.ts';
import type { KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { UNCHANGED } from '../venues/venue-http.ts';
import { readText, toRecord } from './field-reading.ts';

const TVL_SOURCE = 'news:tvl';
const CHAIN_FIELDS = knownFields(TVL_SOURCE, 'gecko_id tvl tokenSymbol cmcId name chainId');
const DAY_FIELDS = knownFields(TVL_SOURCE, 'date tvl');
const MAX_NAME = 80;

/** Rounds US dollars to the cent. Returns null below zero and for anything but a number. */
function dollars(value: unknown): string | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? plainDecimal(value.toFixed(2)) : null;
}

/**
 * Parses `/v2/chains`. `chainId` may be a number, a text or null. Rejects chains without a name, with a negative value or with a repeated
 * name.
 */
export function readChains(
  body: unknown,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): { readonly chains: readonly ChainTvl[]; readonly rejected: readonly Rejected[] } {
  if (!Array.isArray(body)) throw new VenueError('reference', 200, 'unknown_shape', 'the chains are no list');
  noteUnknown(body, CHAIN_FIELDS, note);
  const chains = new Map<string, ChainTvl>();
  const rejected: Rejected[] = [];
  for (const item of body as unknown[]) {
    const row = toRecord(item);
    const chain = readText(row['name'], MAX_NAME);
    const tvlUsd = dollars(row['tvl']);
    const { chainId } = row;
    if (chain === null) rejected.push({ reason: 'missing_field', detail: 'a chain without a name' });
    else if (tvlUsd === null) rejected.push({ reason: 'bad_number', detail: `${chain} has no value of at least 0` });
    else if (chains.has(chain)) rejected.push({ reason: 'unknown_shape', detail: `${chain} is listed twice` });
    else
      chains.set(chain, {
        chain,
        chainId: typeof chainId === 'number' || typeof chainId === 'string' ? String(chainId).slice(0, MAX_NAME) : null,
        tokenSymbol: readText(row['tokenSymbol'], MAX_NAME),
        tvlUsd,
        receivedAt,
      });
  }
  return { chains: [...chains.values()], rejected };
}

/** Parses a history, `[{ date: <unix seconds>, tvl }]`: the last value of each day. */
export function readHistory(
  body: unknown,
  chain: string | null,
  note?: NoteUnknownField,
): { readonly days: readonly ChainTvlDay[]; readonly rejected: readonly Rejected[] } {
  if (!Array.isArray(body)) throw new VenueError('reference', 200, 'unknown_shape', `the history of ${chain ?? 'all chains'} is no list`);
  noteUnknown(body, DAY_FIELDS, note);
  const days = new Map<string, ChainTvlDay>();
  const rejected: Rejected[] = [];
  for (const item of body as unknown[]) {
    const row = toRecord(item);
    const seconds = typeof row['date'] === 'string' ? Number(row['date']) : row['date'];
    const tvlUsd = dollars(row['tvl']);
    if (typeof seconds !== 'number' || !(seconds >= 0 && seconds < 4e9) || tvlUsd === null) {
      rejected.push({ reason: 'bad_number', detail: `a day of ${chain ?? 'all chains'} without a date or a value of at least 0` });
      continue;
    }
    const date = isoTime(Math.floor(seconds) * 1000).slice(0, 10);
    days.set(date, { chain, date, tvlUsd });
  }
  return { days: [...days.values()], rejected };
}

interface TvlOptions {
  readonly client: KeyedClient;
  readonly clock: Clock;
  readonly random: () => number;
  /** Counts unknown members of answers. */
  readonly note?: NoteUnknownField;
  /** Milliseconds between rounds. Default 5 minutes. */
  readonly everyMs?: number;
  /** Number of the largest chains whose history is read besides the total. Default 20. */
  readonly histories?: number;
  /** Milliseconds for which a history is kept. Default 6 hours. */
  readonly historyMs?: number;
}

/** Returns the 404 of a chain without a history as an answer, so that it does not stop the others. */
function notThere(error: unknown): VenueError {
  if (error instanceof VenueError && error.status === 404) return error;
  throw error;
}

/** Pattern of names that need no encoding in a path; the provider documents none. */
const PLAIN_NAME = /^[A-Za-z0-9][A-Za-z0-9._~-]*$/;

/** Reads snapshots of every chain and histories of the largest ones, so that changes are known from the start. */
export function createTvlFeed(options: TvlOptions): Observable<FeedMessage | IntelligenceRecord> {
  const { client, clock, random } = options;
  const historyMs = options.historyMs ?? 6 * HOUR_MS;

  return poll<IntelligenceRecord>({
    source: TVL_SOURCE,
    everyMs: options.everyMs ?? 300_000,
    clock,
    random,
    open() {
      /** Chains whose history is due, the largest first; null stands for the total. */
      let due: (string | null)[] = [];
      let readAt = Number.NEGATIVE_INFINITY;
      let largest: readonly string[] = [];

      async function history(chain: string | null): Promise<Reading<IntelligenceRecord>> {
        const body = await client
          .getIfChanged(chain === null ? '/v2/historicalChainTvl' : `/v2/historicalChainTvl/${chain}`, [])
          .catch((error: unknown) => notThere(error));
        due.shift();
        if (body instanceof VenueError)
          return { messages: [], rejected: [{ reason: 'venue_error', detail: body.message }], more: due.length > 0 };
        if (body === UNCHANGED) return { messages: [], more: due.length > 0 };
        const receivedAt = clock.now();
        const { days, rejected } = readHistory(body, chain, options.note);
        const since = isoTime(receivedAt - 400 * DAY_MS).slice(0, 10);
        return {
          messages: [{ kind: 'chain_tvl_days', receivedAt, days: days.filter(({ date }) => date >= since) }],
          rejected,
          more: due.length > 0,
        };
      }

      return {
        async ask() {
          const next = due[0];
          if (next !== undefined) return history(next);
          const body = await client.getIfChanged('/v2/chains', []);
          const receivedAt = clock.now();
          const read = body === UNCHANGED ? null : readChains(body, receivedAt, options.note);
          if (read !== null)
            largest = [...read.chains]
              .sort((a, b) => Number(b.tvlUsd) - Number(a.tvlUsd))
              .slice(0, options.histories ?? 20)
              .flatMap(({ chain }) => (PLAIN_NAME.test(chain) ? [chain] : []));
          if (receivedAt - readAt >= historyMs) {
            readAt = receivedAt;
            due = [null, ...largest];
          }
          return {
            messages: read === null ? [] : [{ kind: 'chain_tvl', receivedAt, chains: read.chains }],
            rejected: read?.rejected ?? [],
            more: due.length > 0,
          };
        },
      };
    },
  });
}
