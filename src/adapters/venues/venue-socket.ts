/** A websocket to a venue that comes back by itself: backoff, watchdogs, status events, counted refusals. */
import type { IncomingMessage } from 'node:http';
import { type RawData, WebSocket } from 'ws';
import type { Clock } from '../../../streams/clock.ts';
import type { FeedMessage } from '../../domain/market-event.ts';
import type { Rejection, RejectionReason } from '../../domain/quote.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Venue } from '../../domain/venue.ts';
import { retryAfterMs } from './venue-http.ts';

/** The largest frame that is read; a larger one is counted as `too_large` and costs the connection. */
export const MAX_FRAME_BYTES = 1024 * 1024;

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** A connection that held this long starts the backoff anew. */
const STABLE_MS = 60_000;
/** A venue's wish to reconnect at once is granted to connections of at least this age, else 60 attempts in 10 min could be passed. */
const PROMPT_MS = 20_000;
const HANDSHAKE_MS = 10_000;
const SAMPLE_CHARACTERS = 200;

/** One open connection, as the venue's own protocol sees it. */
export interface VenueConnection {
  /** Counts connections of this socket, from 1. */
  readonly epoch: number;
  /** Sends a text frame; does nothing once the connection is gone. */
  send(text: string): void;
  /** Drops the connection and opens a new one, at once where this one is not too young. */
  reconnect(why: string): void;
}

export interface VenueSocketOptions {
  readonly venue: Venue;
  /** The provider's name, the `source` of status, heartbeats and rejections of the socket itself. */
  readonly source: string;
  readonly url: string;
  /** Sent with the handshake of each connection, e.g. a signature over its time. Never logged. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** For the jitter of the backoff, 0 <= n < 1. */
  readonly random: () => number;
  /** Reconnects where not a single frame, ping or pong came for so long. Default 30 s. */
  readonly silenceMs?: number;
  /** Reconnects where pings or pongs came but no data for so long. Default 60 s. */
  readonly dataSilenceMs?: number;
  /**
   * Asks the venue for a sign of life, oftener than a quote may be old: a quiet market is told from a dead feed by the
   * answer. `frame` is the protocol's own message; null sends a ping frame.
   */
  readonly keepAlive?: { readonly everyMs: number; readonly frame: string | null };
  /** Called once per connection, after it is open and before any frame: subscribe here. */
  readonly opened?: (connection: VenueConnection) => void;
  /** Called once per frame. Returns true where the frame was data, false for acknowledgements, pongs and nonsense. */
  readonly frame: (frame: Buffer, receivedAt: EpochMs, connection: VenueConnection) => boolean;
}

/** At most 200 characters of a frame, for a rejection. */
export function frameSample(frame: Buffer): string {
  return frame
    .subarray(0, SAMPLE_CHARACTERS * 4)
    .toString('utf8')
    .slice(0, SAMPLE_CHARACTERS)
    .toWellFormed();
}

/** A counted refusal of one message. */
export function rejection(
  venue: Venue,
  source: string,
  receivedAt: EpochMs,
  reason: RejectionReason,
  detail: string,
  sample: string,
): Rejection {
  return { kind: 'rejection', venue, source, receivedAt, reason, detail: detail.slice(0, SAMPLE_CHARACTERS), sample };
}

/**
 * How long to wait before connection attempt `attempt` (1 = the first after a loss): doubling from 0.5 s to 30 s,
 * of which half is random, so that many processes do not return in step. Never under 15 s from the 7th on, which
 * keeps every pattern of loss below 60 attempts in 10 minutes.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 10));
  return Math.round(full * (0.5 + random() / 2));
}

/**
 * Connects and keeps connecting until it is stopped. Emits `connected` with a new epoch at each opening, `disconnected`
 * once per outage, heartbeats for pings and pongs, and rejections; never throws. Returns what stops it, which closes the
 * socket and every timer.
 */
export function openVenueSocket(options: VenueSocketOptions, emit: (message: FeedMessage) => void): () => void {
  const { venue, source, clock } = options;
  const silenceMs = options.silenceMs ?? 30_000;
  const dataSilenceMs = options.dataSilenceMs ?? 60_000;
  let stopped = false;
  let epoch = 0;
  let failures = 0;
  let reportedDown = false;
  let dropCurrent = (): void => {};
  let cancelRetry = (): void => {};

  function down(detail: string): void {
    if (reportedDown || stopped) return;
    reportedDown = true;
    emit({ kind: 'feed_status', venue, source, receivedAt: clock.now(), status: 'disconnected', epoch, detail });
  }

  function connect(): void {
    if (stopped) return;
    let socket: WebSocket;
    try {
      const headers = options.headers?.() ?? {};
      socket = new WebSocket(options.url, { perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES, followRedirects: false, headers });
    } catch (error) {
      // A malformed URL: the constructor says so; the feed reports it and keeps trying rather than taking the process down.
      ended((error as Error).message, 0);
      return;
    }
    const startedAt = clock.now();
    let openedAt: EpochMs | null = null;
    let lastSignAt = startedAt;
    let lastDataAt = startedAt;
    let over = false;
    let notBeforeMs = 0;
    let why = '';
    const timers: { cancel: () => void }[] = [];

    const after = (at: EpochMs, call: () => void): void => {
      const timer = { cancel: (): void => {} };
      timers.push(timer);
      timer.cancel = clock.deadline(at, () => {
        timers.splice(timers.indexOf(timer), 1);
        call();
      });
    };

    function finish(detail: string, prompt = false): void {
      if (over) return;
      over = true;
      for (const timer of timers) timer.cancel();
      timers.length = 0;
      socket.terminate();
      const heldMs = openedAt === null ? 0 : clock.now() - openedAt;
      if (stopped) return;
      if (heldMs >= STABLE_MS) failures = 0;
      ended(detail, notBeforeMs, prompt && heldMs >= PROMPT_MS);
    }
    dropCurrent = () => finish('stopped');

    const connection: VenueConnection = {
      epoch: epoch + 1,
      send: (text) => {
        if (!over && socket.readyState === WebSocket.OPEN) socket.send(text);
      },
      reconnect: (detail) => finish(detail, true),
    };

    function watch(): void {
      const now = clock.now();
      if (now - lastSignAt >= silenceMs) return finish(`no sign of life for ${now - lastSignAt} ms`);
      if (now - lastDataAt >= dataSilenceMs) return finish(`no data for ${now - lastDataAt} ms`);
      after(Math.min(lastSignAt + silenceMs, lastDataAt + dataSilenceMs), watch);
    }

    function keepAlive(): void {
      const wish = options.keepAlive;
      if (wish === undefined) return;
      after(clock.now() + wish.everyMs, () => {
        if (wish.frame !== null) connection.send(wish.frame);
        else if (!over && socket.readyState === WebSocket.OPEN) socket.ping();
        keepAlive();
      });
    }

    function beat(): void {
      if (over) return;
      lastSignAt = clock.now();
      emit({ kind: 'heartbeat', venue, source, receivedAt: lastSignAt });
    }

    after(startedAt + HANDSHAKE_MS, () => {
      if (openedAt === null) finish(`no connection within ${HANDSHAKE_MS} ms`);
    });

    socket.on('open', () => {
      if (over) return;
      openedAt = clock.now();
      lastSignAt = openedAt;
      lastDataAt = openedAt;
      epoch += 1;
      reportedDown = false;
      emit({ kind: 'feed_status', venue, source, receivedAt: openedAt, status: 'connected', epoch, detail: '' });
      if (over) return;
      options.opened?.(connection);
      watch();
      keepAlive();
    });
    socket.on('message', (data: RawData) => {
      if (over) return;
      const receivedAt = clock.now();
      lastSignAt = receivedAt;
      // One Buffer per message: the socket's binary type is never changed from `nodebuffer`.
      const frame = data as Buffer;
      try {
        if (options.frame(frame, receivedAt, connection)) lastDataAt = receivedAt;
      } catch (error) {
        // One bad frame must not cost the feed, whatever it holds.
        emit(rejection(venue, source, receivedAt, 'unknown_shape', `could not be read: ${(error as Error).message}`, frameSample(frame)));
      }
    });
    socket.on('ping', beat);
    socket.on('pong', beat);
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      const retryAfter = response.headers['retry-after'];
      notBeforeMs = Math.min(retryAfterMs(retryAfter, clock.now()) ?? 0, 3_600_000);
      response.destroy();
      finish(`refused with status ${response.statusCode}`);
    });
    socket.on('error', (error: Error & { code?: string }) => {
      if (over) return;
      why = error.message;
      if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
        emit(rejection(venue, source, clock.now(), 'too_large', `a frame is larger than ${MAX_FRAME_BYTES} bytes`, ''));
        finish('a frame was too large');
      }
    });
    socket.on('close', (code, reason) =>
      finish(why || `closed with ${code}${reason.length > 0 ? ` ${reason.toString('utf8').slice(0, 100)}` : ''}`),
    );
  }

  function ended(detail: string, notBeforeMs: number, prompt = false): void {
    down(detail);
    if (stopped) return;
    failures += 1;
    const delay = prompt ? 0 : Math.max(backoffMs(failures, options.random), notBeforeMs);
    cancelRetry = clock.deadline(clock.now() + delay, connect);
  }

  connect();
  return () => {
    stopped = true;
    cancelRetry();
    dropCurrent();
  };
}
