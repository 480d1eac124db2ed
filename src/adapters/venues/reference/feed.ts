/**
 * Live reference prices of Pyth Hermes: a request for the latest prices, then a stream of updates that reconnects.
 * See docs/reference/outside/reference-prices.md.
 */

import { catchError, concat, defer, from, mergeMap, type Observable, of, retry, throwError, timer } from 'rxjs';
import { backoffMs } from '../../../../streams/backoff.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { FeedMessage } from '../../../domain/market/market-event.ts';
import type { ReferencePrice } from '../../../domain/market/quote.ts';
import { type EpochMs, MINUTE_MS } from '../../../domain/values/time.ts';
import { feedStatus, heartbeat, rejection } from '../feed-messages.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { EventStreamEnded, type ServerEvent, serverEvents } from './event-stream.ts';
import { bareFeedId, HERMES_SOURCE, mapHermesUpdate, type ReferenceInstrument, type ReferenceYield } from './hermes-map.ts';
import { type ClientQuery, createKeyedClient, type KeyedClient } from './keyed-client.ts';

/** Maximum number of instruments, because proxies truncate longer query strings. */
const MAX_INSTRUMENTS = 100;
/** Silence after which the stream counts as dead, in milliseconds. Hermes sends several updates a second, including frozen prices. */
const SILENCE_MS = 15_000;
const HEARTBEAT_MS = 1_000;
const STABLE_MS = MINUTE_MS;
/** Pause after a refused key, in milliseconds. Retrying does not make it valid. */
const REFUSED_PAUSE_MS = MINUTE_MS;

interface ReferenceFeedOptions {
  /** Base URL: `https://pyth.dourolabs.app/hermes`. Paths are appended. */
  readonly baseUrl: string;
  /** Bearer key; absent for a provider that requires none. */
  readonly apiKey?: string;
  readonly instruments: readonly ReferenceInstrument[];
  readonly clock: Clock;
  /** Random source for the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  readonly silenceMs?: number;
  /** Budget of the host, if the history shares it. */
  readonly budget?: RequestBudget;
}

/** Requests per minute: the old public limit of 10 requests in 10 s, which newer plans keep. */
export const REFERENCE_PER_MINUTE = 60;

/** Creates a client of Pyth for prices or history, which may share a budget. */
export function createReferenceClient(
  options: Pick<ReferenceFeedOptions, 'baseUrl' | 'apiKey' | 'clock' | 'random' | 'budget'> & {
    readonly perMinute?: number;
    readonly note?: NoteUnknownField;
  },
): KeyedClient {
  const { baseUrl, apiKey, clock, random, budget } = options;
  return createKeyedClient({
    venue: 'reference',
    baseUrl,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    clock,
    random,
    perMinute: options.perMinute ?? REFERENCE_PER_MINUTE,
    ...(budget === undefined ? {} : { budget }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
}

/**
 * Creates the feed of the given shares. Every change of a feed is one `ReferencePrice`. Updates that repeat a frozen price become
 * heartbeats, at most one a second. Reconnects after losses, silence and the provider's daily close.
 * @throws RangeError for malformed feed ids, duplicates and more than 100 instruments
 */
export function createReferenceFeed(options: ReferenceFeedOptions): VenueFeed {
  const { clock, random, instruments } = options;
  const unknownFields = createUnknownFields();
  if (instruments.length === 0 || instruments.length > MAX_INSTRUMENTS) {
    throw new RangeError(`a reference feed listens to 1 to ${MAX_INSTRUMENTS} instruments, not ${instruments.length}`);
  }
  const symbols = new Map(instruments.map(({ feedId, symbol }) => [bareFeedId(feedId), symbol]));
  if (symbols.size !== instruments.length) throw new RangeError('two instruments of the reference feed have the same feed id');
  const client = createReferenceClient(options);
  const query: ClientQuery = [
    ...[...symbols.keys()].map((id) => ['ids[]', id] as const),
    ['parsed', 'true'],
    ['ignore_invalid_price_ids', 'true'],
  ];

  const messages = defer(() => {
    const prices = new HermesPrices(symbols, clock, unknownFields.note);
    let openedAt: EpochMs | null = null;
    let epoch = 0;
    let failures = 0;
    let reportedDown = false;

    const opened = (): Observable<FeedMessage> => {
      openedAt = clock.now();
      epoch += 1;
      reportedDown = false;
      prices.forget();
      return concat(of(feedStatus('reference', HERMES_SOURCE, openedAt, 'connected', epoch)), latestPrices(client, query, prices, clock));
    };
    const lost = (error: unknown): Observable<FeedMessage> => {
      const now = clock.now();
      if (openedAt !== null && now - openedAt >= STABLE_MS) failures = 0;
      failures += 1;
      openedAt = null;
      const told = reportedDown ? [] : [feedStatus('reference', HERMES_SOURCE, now, 'disconnected', epoch, lossDetail(error, options))];
      reportedDown = true;
      return concat(
        from(told),
        throwError(() => error),
      );
    };
    const pause = (error: unknown): Observable<unknown> => {
      const status = error instanceof EventStreamEnded ? error.status : 0;
      const refused = status === 401 || status === 403 || status === 429;
      const ms = refused ? Math.round(REFUSED_PAUSE_MS * (0.5 + random() / 2)) : backoffMs(failures, random);
      return timer(ms, createClockScheduler(clock));
    };

    return defer(() => {
      const { url, headers } = client.request('/v2/updates/price/stream', query);
      return serverEvents({ url, headers, clock, silenceMs: options.silenceMs ?? SILENCE_MS });
    }).pipe(
      // The stream continues during the request for the latest prices.
      mergeMap((event) => (event.kind === 'opened' ? opened() : from(prices.read(event)))),
      catchError(lost),
      retry({ delay: pause }),
    );
  });
  return { venue: 'reference', messages, unknownFields };
}

function lossDetail(error: unknown, { apiKey }: ReferenceFeedOptions): string {
  const { message } = error as Error;
  const status = error instanceof EventStreamEnded ? error.status : 0;
  if (status !== 401 && status !== 403) return message;
  return `${message}: ${apiKey === undefined ? 'Pyth wants an API key, and none is configured' : 'the configured Pyth API key is not accepted'}`;
}

/** Requests the latest prices once, because the stream sends only changes and omits prices frozen before the connection. */
function latestPrices(client: KeyedClient, query: ClientQuery, prices: HermesPrices, clock: Clock): Observable<FeedMessage> {
  return defer(() => client.get('/v2/updates/price/latest', query)).pipe(
    mergeMap((body) => prices.readLatest(body)),
    catchError((error: Error) => {
      const detail = error instanceof VenueError ? error.message : `the latest prices could not be read: ${error.message}`;
      return of(rejection('reference', HERMES_SOURCE, clock.now(), 'venue_error', detail, ''));
    }),
  );
}

/** Reader of updates. A changed price is reported; a repeated frozen price becomes a heartbeat, at most one a second. */
class HermesPrices {
  readonly #symbols: ReadonlyMap<string, string>;
  readonly #clock: Clock;
  readonly #note: NoteUnknownField;
  readonly #last = new Map<string, ReferencePrice>();
  #lastBeatAt: EpochMs = 0;

  constructor(symbols: ReadonlyMap<string, string>, clock: Clock, note: NoteUnknownField) {
    this.#symbols = symbols;
    this.#clock = clock;
    this.#note = note;
  }

  /** Discards the last prices, so that a new connection reports its prices even if they are equal. */
  forget(): void {
    this.#last.clear();
  }

  /** Maps an event of the stream. */
  read(event: Exclude<ServerEvent, { kind: 'opened' }>): readonly FeedMessage[] {
    if (event.kind === 'comment') return [this.#beat()];
    const receivedAt = this.#clock.now();
    const refused = (reason: 'venue_error' | 'not_json', detail: string): readonly FeedMessage[] => [
      rejection('reference', HERMES_SOURCE, receivedAt, reason, detail, event.data.slice(0, 200).toWellFormed()),
    ];
    if (event.name === 'error') return refused('venue_error', 'the provider reported an error');
    let body: unknown;
    try {
      body = JSON.parse(event.data);
    } catch {
      return refused('not_json', 'an event that is not JSON');
    }
    return this.#take(mapHermesUpdate(body, this.#symbols, receivedAt, this.#note));
  }

  /** Maps the answer with the latest prices. Prices older than the stream's are ignored. */
  readLatest(body: unknown): readonly FeedMessage[] {
    const found = mapHermesUpdate(body, this.#symbols, this.#clock.now(), this.#note);
    const newer = found.prices.filter((price) => price.feedUpdatedAt > (this.#last.get(price.instrument)?.feedUpdatedAt ?? 0));
    return this.#take({ rejections: found.rejections, prices: newer });
  }

  #take({ rejections, prices }: ReferenceYield): readonly FeedMessage[] {
    const receivedAt = this.#clock.now();
    const told: FeedMessage[] = [...rejections];
    for (const price of prices) {
      const before = this.#last.get(price.instrument);
      const repeated =
        before !== undefined &&
        before.feedUpdatedAt === price.feedUpdatedAt &&
        before.referencePrice === price.referencePrice &&
        before.confidence === price.confidence;
      if (repeated) continue;
      this.#last.set(price.instrument, price);
      told.push(price);
      this.#lastBeatAt = receivedAt;
    }
    if (receivedAt - this.#lastBeatAt >= HEARTBEAT_MS) told.push(this.#beat());
    return told;
  }

  #beat(): FeedMessage {
    this.#lastBeatAt = this.#clock.now();
    return heartbeat('reference', HERMES_SOURCE, this.#lastBeatAt);
  }
}
