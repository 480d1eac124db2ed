/** The live reference prices of Pyth Hermes: a stream of updates that comes back by itself, after one look at the latest prices. */
import { Observable } from 'rxjs';
import type { Clock } from '../../../../streams/clock.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../../streams/feed-counters.ts';
import type { FeedMessage } from '../../../domain/market-event.ts';
import type { ReferencePrice } from '../../../domain/quote.ts';
import type { RequestBudget } from '../request-budget.ts';
import { VenueError, type VenueFeed } from '../venue-feed.ts';
import { backoffMs, rejection } from '../venue-socket.ts';
import { openEventStream } from './event-stream.ts';
import { bareFeedId, HERMES_SOURCE, mapHermesUpdate, type ReferenceInstrument, type ReferenceYield } from './hermes-map.ts';
import { type ClientQuery, createKeyedClient, type KeyedClient } from './keyed-client.ts';

/** Longer query strings are cut by proxies on the way. */
const MAX_INSTRUMENTS = 100;
/** Hermes sends several updates a second, frozen prices included; silence for so long is a dead stream. */
const SILENCE_MS = 15_000;
const HEARTBEAT_MS = 1_000;
const STABLE_MS = 60_000;
/** A refused key does not become right by asking often. */
const REFUSED_PAUSE_MS = 60_000;

export interface ReferenceFeedOptions {
  /** `https://pyth.dourolabs.app/hermes`; paths are appended. */
  readonly baseUrl: string;
  /** Bearer key; without one only a provider that asks for none answers. */
  readonly apiKey?: string;
  readonly instruments: readonly ReferenceInstrument[];
  readonly clock: Clock;
  /** For the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  readonly silenceMs?: number;
  /** The budget of the host, where the history shares it. */
  readonly budget?: RequestBudget;
}

/** The old public limit of 10 requests in 10 s, which the newer plans keep. */
export const REFERENCE_PER_MINUTE = 60;

/** A door to Pyth, for prices or for history; the two share a budget where one is handed in. */
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
 * Reference prices of the given shares. Every change of a feed is one `ReferencePrice`; updates that repeat a frozen
 * price come as heartbeats, at most one a second. Reconnects after losses, silence and the provider's daily close.
 * @throws RangeError for malformed feed ids, duplicates and more than 100 instruments.
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

  const messages = new Observable<FeedMessage>((subscriber) => {
    let epoch = 0;
    let failures = 0;
    let reportedDown = false;
    let stopped = false;
    let lastBeatAt = 0;
    let stopStream = (): void => {};
    let cancelRetry = (): void => {};
    const last = new Map<string, ReferencePrice>();

    function take(found: ReferenceYield): void {
      const receivedAt = clock.now();
      for (const refused of found.rejections) subscriber.next(refused);
      for (const price of found.prices) {
        const before = last.get(price.instrument);
        const repeated =
          before !== undefined &&
          before.feedUpdatedAt === price.feedUpdatedAt &&
          before.referencePrice === price.referencePrice &&
          before.confidence === price.confidence;
        if (repeated) continue;
        last.set(price.instrument, price);
        subscriber.next(price);
        lastBeatAt = receivedAt;
      }
      if (receivedAt - lastBeatAt >= HEARTBEAT_MS) beat();
    }

    function beat(): void {
      lastBeatAt = clock.now();
      subscriber.next({ kind: 'heartbeat', venue: 'reference', source: HERMES_SOURCE, receivedAt: lastBeatAt });
    }

    /** The stream sends what changes; what is frozen since before we connected is asked for once. */
    async function latest(connection: number): Promise<void> {
      try {
        const body = await client.get('/v2/updates/price/latest', query);
        if (stopped || connection !== epoch) return;
        const found = mapHermesUpdate(body, symbols, clock.now(), unknownFields.note);
        // The stream may have been faster: never step back behind what it brought.
        take({
          rejections: found.rejections,
          prices: found.prices.filter((price) => price.feedUpdatedAt > (last.get(price.instrument)?.feedUpdatedAt ?? 0)),
        });
      } catch (error) {
        if (stopped || connection !== epoch) return;
        const detail = error instanceof VenueError ? error.message : `the latest prices could not be read: ${(error as Error).message}`;
        subscriber.next(rejection('reference', HERMES_SOURCE, clock.now(), 'venue_error', detail, ''));
      }
    }

    function connect(): void {
      if (stopped) return;
      const { url, headers } = client.request('/v2/updates/price/stream', query);
      let openedAt: number | null = null;
      stopStream = openEventStream({
        url,
        headers,
        clock,
        silenceMs: options.silenceMs ?? SILENCE_MS,
        opened: () => {
          openedAt = clock.now();
          epoch += 1;
          reportedDown = false;
          // A new connection starts from nothing: what it brings is news even where it equals what was.
          last.clear();
          subscriber.next({
            kind: 'feed_status',
            venue: 'reference',
            source: HERMES_SOURCE,
            receivedAt: openedAt,
            status: 'connected',
            epoch,
            detail: '',
          });
          void latest(epoch);
        },
        event: (name, data) => {
          const receivedAt = clock.now();
          if (name === 'error') {
            subscriber.next(
              rejection(
                'reference',
                HERMES_SOURCE,
                receivedAt,
                'venue_error',
                'the provider reported an error',
                data.slice(0, 200).toWellFormed(),
              ),
            );
            return;
          }
          let body: unknown;
          try {
            body = JSON.parse(data);
          } catch {
            subscriber.next(
              rejection('reference', HERMES_SOURCE, receivedAt, 'not_json', 'an event that is not JSON', data.slice(0, 200).toWellFormed()),
            );
            return;
          }
          take(mapHermesUpdate(body, symbols, receivedAt, unknownFields.note));
        },
        comment: beat,
        ended: (why, status) => {
          if (stopped) return;
          const now = clock.now();
          if (openedAt !== null && now - openedAt >= STABLE_MS) failures = 0;
          failures += 1;
          const detail =
            status === 401 || status === 403
              ? `${why}: ${options.apiKey === undefined ? 'Pyth wants an API key, and none is configured' : 'the configured Pyth API key is not accepted'}`
              : why;
          if (!reportedDown) {
            reportedDown = true;
            subscriber.next({
              kind: 'feed_status',
              venue: 'reference',
              source: HERMES_SOURCE,
              receivedAt: now,
              status: 'disconnected',
              epoch,
              detail,
            });
          }
          const pause =
            status === 401 || status === 403 || status === 429 ? REFUSED_PAUSE_MS * (0.5 + random() / 2) : backoffMs(failures, random);
          cancelRetry = clock.deadline(now + Math.round(pause), connect);
        },
      });
    }

    connect();
    return () => {
      stopped = true;
      cancelRetry();
      stopStream();
    };
  });
  return { venue: 'reference', messages, unknownFields };
}
