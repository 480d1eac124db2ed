/** Reconnecting websocket to a venue: backoff, watchdogs, status events, counted rejections. See docs/reference/outside/rules.md. */
import { createClockScheduler } from '../../../streams/clock/clock-scheduler.ts';
import type { IncomingMessage } from 'node:http';
import { catchError, concat, defer, EMPTY, Observable, of, retry, type Subscriber, throwError, timer } from 'rxjs';
import { type RawData, WebSocket } from 'ws';
import { backoffMs } from '../../../streams/backoff.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import { feedStatus, frameSample, heartbeat, rejection } from './feed-messages.ts';
import { retryAfterMs } from './venue-http.ts';

/** Maximum bytes of a frame. A larger one is counted as `too_large` and ends the connection. */
const MAX_FRAME_BYTES = 1024 * 1024;

/** Milliseconds after which a connection resets the backoff. */
const STABLE_MS = MINUTE_MS;
/**
 * Minimum age in milliseconds of a connection that is replaced at once at the venue's request; otherwise 60 attempts in 10 min could be
 * exceeded.
 */
const PROMPT_MS = 20_000;
const HANDSHAKE_MS = 10_000;

/** Open connection as the venue's protocol uses it. */
export interface VenueConnection {
  /** Number of this connection, from 1. */
  readonly epoch: number;
  /** Emits a message into the feed; does nothing after the connection ended. */
  emit(message: FeedMessage): void;
  /** Sends a text frame; does nothing after the connection ended. */
  send(text: string): void;
  /** Replaces the connection, at once if it is old enough. */
  reconnect(why: string): void;
}

export interface VenueSocketOptions {
  readonly venue: Venue;
  /** Name of the provider, the `source` of the socket's own messages. */
  readonly source: string;
  readonly url: string;
  /** Returns the headers of each handshake, such as a signature over its time; never logged. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Random source for jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  /** Milliseconds without any frame, ping or pong before reconnecting. Default 30 s. */
  readonly silenceMs?: number;
  /** Milliseconds without data before reconnecting. Default 60 s. */
  readonly dataSilenceMs?: number;
  /**
   * Requests signs of life more often than a quote may age, to distinguish a quiet market from a dead feed. `frame` is the protocol's
   * message; null sends a ping frame.
   */
  readonly keepAlive?: { readonly everyMs: number; readonly frame: string | null };
  /** Called once per connection before any frame, for subscribing. */
  readonly opened?: (connection: VenueConnection) => void;
  /** Called per frame. Returns true for data, false for acknowledgements, pongs and invalid frames. */
  readonly frame: (frame: Buffer, receivedAt: EpochMs, connection: VenueConnection) => boolean;
}

/** Thrown for a lost connection, with the time of the next attempt. */
class ConnectionLost extends Error {
  /** Milliseconds for which it was open; 0 if it never was. */
  readonly heldMs: number;
  /** Time before which the venue refuses another attempt. */
  readonly notBeforeMs: number;
  /** True if the venue requests a new connection at once. */
  readonly prompt: boolean;

  constructor(detail: string, heldMs = 0, notBeforeMs = 0, prompt = false) {
    super(detail);
    this.heldMs = heldMs;
    this.notBeforeMs = notBeforeMs;
    this.prompt = prompt;
  }
}

/**
 * Connects while subscribed and reconnects until unsubscribed, which closes the socket and every timer. Emits `connected` with a new epoch
 * at each opening, `disconnected` once per outage, heartbeats for pings and pongs, rejections, and messages of the protocol. Never errors
 * or completes.
 */
export function venueSocket(options: VenueSocketOptions): Observable<FeedMessage> {
  const { venue, source, clock, random } = options;
  return defer(() => {
    let epoch = 0;
    let failures = 0;
    let reportedDown = false;
    const openedNext = (): number => {
      reportedDown = false;
      epoch += 1;
      return epoch;
    };
    const lost = (error: unknown): Observable<FeedMessage> => {
      const status = reportedDown ? EMPTY : of(feedStatus(venue, source, clock.now(), 'disconnected', epoch, (error as Error).message));
      reportedDown = true;
      return concat(
        status,
        throwError(() => error),
      );
    };
    const pause = (error: unknown): Observable<unknown> => {
      const { heldMs, notBeforeMs, prompt } = error instanceof ConnectionLost ? error : new ConnectionLost('');
      if (heldMs >= STABLE_MS) failures = 0;
      failures += 1;
      return timer(prompt && heldMs >= PROMPT_MS ? 0 : Math.max(backoffMs(failures, random), notBeforeMs), createClockScheduler(clock));
    };
    return new Observable<FeedMessage>((subscriber) => new Connection(options, subscriber, epoch + 1, openedNext).close).pipe(
      catchError(lost),
      retry({ delay: pause }),
    );
  });
}

/** Connection from the attempt to its loss, which its subscriber receives as an error. */
class Connection {
  readonly #options: VenueSocketOptions;
  readonly #subscriber: Subscriber<FeedMessage>;
  readonly #openedNext: () => number;
  readonly #protocol: VenueConnection;
  readonly #timers = new Set<() => void>();
  #socket: WebSocket | null = null;
  #over = false;
  #openedAt: EpochMs | null = null;
  #lastSignAt: EpochMs;
  #lastDataAt: EpochMs;
  /** Reason for closing. */
  #why = '';

  constructor(options: VenueSocketOptions, subscriber: Subscriber<FeedMessage>, epoch: number, openedNext: () => number) {
    this.#options = options;
    this.#subscriber = subscriber;
    this.#openedNext = openedNext;
    this.#lastSignAt = options.clock.now();
    this.#lastDataAt = this.#lastSignAt;
    this.#protocol = {
      epoch,
      emit: (message) => this.#emit(message),
      send: (text) => {
        if (this.#isOpen()) this.#socket?.send(text);
      },
      reconnect: (why) => this.#lose(why, 0, true),
    };
    this.#connect();
  }

  /** Closes the socket and every timer silently. */
  readonly close = (): void => {
    if (this.#over) return;
    this.#over = true;
    this.#release();
  };

  #release(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#socket?.terminate();
  }

  #lose(detail: string, notBeforeMs = 0, prompt = false): void {
    if (this.#over) return;
    this.#over = true;
    this.#release();
    const heldMs = this.#openedAt === null ? 0 : this.#options.clock.now() - this.#openedAt;
    this.#subscriber.error(new ConnectionLost(detail, heldMs, notBeforeMs, prompt));
  }

  #emit(message: FeedMessage): void {
    if (!this.#over) this.#subscriber.next(message);
  }

  #isOpen(): boolean {
    return !this.#over && this.#socket?.readyState === WebSocket.OPEN;
  }

  #after(at: EpochMs, call: () => void): void {
    const cancel = this.#options.clock.deadline(at, () => {
      this.#timers.delete(cancel);
      call();
    });
    this.#timers.add(cancel);
  }

  #connect(): void {
    const { url, clock } = this.#options;
    try {
      const headers = this.#options.headers?.() ?? {};
      this.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES, followRedirects: false, headers });
    } catch (error) {
      // The constructor throws for a malformed URL; the feed reports it and retries.
      this.#lose((error as Error).message);
      return;
    }
    this.#after(clock.now() + HANDSHAKE_MS, () => {
      if (this.#openedAt === null) this.#lose(`no connection within ${HANDSHAKE_MS} ms`);
    });
    const socket = this.#socket;
    socket.on('open', () => this.#opened());
    socket.on('message', (data) => this.#read(data));
    socket.on('ping', () => this.#beat());
    socket.on('pong', () => this.#beat());
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      const notBeforeMs = Math.min(retryAfterMs(response.headers['retry-after'], clock.now()) ?? 0, HOUR_MS);
      response.destroy();
      this.#lose(`refused with status ${response.statusCode}`, notBeforeMs);
    });
    socket.on('error', (error: Error & { code?: string }) => this.#failed(error));
    socket.on('close', (code, reason) =>
      this.#lose(this.#why || `closed with ${code}${reason.length > 0 ? ` ${reason.toString('utf8').slice(0, 100)}` : ''}`),
    );
  }

  #opened(): void {
    if (this.#over) return;
    const { venue, source, clock } = this.#options;
    this.#openedAt = clock.now();
    this.#lastSignAt = this.#openedAt;
    this.#lastDataAt = this.#openedAt;
    this.#emit(feedStatus(venue, source, this.#openedAt, 'connected', this.#openedNext()));
    if (this.#over) return;
    this.#options.opened?.(this.#protocol);
    this.#watch();
    this.#keepAlive();
  }

  #read(data: RawData): void {
    if (this.#over) return;
    const { venue, source, clock } = this.#options;
    const receivedAt = clock.now();
    this.#lastSignAt = receivedAt;
    // The socket's binary type is `nodebuffer`: one Buffer per message.
    const frame = data as Buffer;
    try {
      if (this.#options.frame(frame, receivedAt, this.#protocol)) this.#lastDataAt = receivedAt;
    } catch (error) {
      // An unreadable frame must not end the feed.
      const detail = `could not be read: ${(error as Error).message}`;
      this.#emit(rejection(venue, source, receivedAt, 'unknown_shape', detail, frameSample(frame)));
    }
  }

  #beat(): void {
    if (this.#over) return;
    this.#lastSignAt = this.#options.clock.now();
    this.#emit(heartbeat(this.#options.venue, this.#options.source, this.#lastSignAt));
  }

  #failed(error: Error & { code?: string }): void {
    if (this.#over) return;
    this.#why = error.message;
    if (error.code !== 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return;
    const { venue, source, clock } = this.#options;
    this.#emit(rejection(venue, source, clock.now(), 'too_large', `a frame is larger than ${MAX_FRAME_BYTES} bytes`, ''));
    this.#lose('a frame was too large');
  }

  /** Schedules the next check for silence. */
  #watch(): void {
    const now = this.#options.clock.now();
    const silenceMs = this.#options.silenceMs ?? 30_000;
    const dataSilenceMs = this.#options.dataSilenceMs ?? MINUTE_MS;
    if (now - this.#lastSignAt >= silenceMs) return this.#lose(`no sign of life for ${now - this.#lastSignAt} ms`);
    if (now - this.#lastDataAt >= dataSilenceMs) return this.#lose(`no data for ${now - this.#lastDataAt} ms`);
    this.#after(Math.min(this.#lastSignAt + silenceMs, this.#lastDataAt + dataSilenceMs), () => this.#watch());
  }

  #keepAlive(): void {
    const { keepAlive, clock } = this.#options;
    if (keepAlive === undefined) return;
    this.#after(clock.now() + keepAlive.everyMs, () => {
      if (keepAlive.frame !== null) this.#protocol.send(keepAlive.frame);
      else if (this.#isOpen()) this.#socket?.ping();
      this.#keepAlive();
    });
  }
}
