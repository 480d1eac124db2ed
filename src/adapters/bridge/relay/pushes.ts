/**
 * Client of Relay's websocket, which names requests that changed. A push only triggers a query, so a lost, repeated or invented one does no
 * harm. See docs/reference/outside/relay.md.
 */
import { createClockScheduler } from '../../../../streams/clock/clock-scheduler.ts';
import { Subject, type Subscription, throttleTime } from 'rxjs';
import type { BridgePushes } from '../../../../actors/bridge-transfer/ports.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { type VenueConnection, venueSocket } from '../../venues/venue-socket.ts';
import { EVM_HASH, toFields } from '../provider-http.ts';
import { HOUR_MS } from '../../../domain/values/time.ts';

interface RelayPushesOptions {
  /** `wss://ws.relay.link`. */
  readonly url: string;
  readonly key: string | null;
  readonly clock: Clock;
  /** Random source for jitter of reconnections, 0 <= n < 1. */
  readonly random: () => number;
  /** Receives `senseless` for every unreadable frame and `disconnected` for every lost connection. */
  readonly onFailure: (reason: 'disconnected' | 'senseless') => void;
}

const EVENT = 'request.status.updated';
/** Minimum time between two notifications of one request, in milliseconds. The last push of a burst is always passed on. */
const LEAST_GAP_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;
/** Maximum silence of data, in milliseconds. Relay pushes only changes. */
const DATA_SILENCE_MS = HOUR_MS;

/** Creates the client, which is connected while a request is followed. `close` ends the connection and every timer. */
export function createRelayPushes({ url, key, clock, random, onFailure }: RelayPushesOptions): BridgePushes {
  const followed = new Map<string, { readonly moved: Subject<void>; readonly told: Subscription }>();
  /** Connection that accepts subscriptions; null if there is none. */
  let ready: VenueConnection | null = null;
  let socket: Subscription | null = null;
  let received: (reference: string) => void = () => {};

  const ask = (type: 'subscribe' | 'unsubscribe', id: string): void => ready?.send(JSON.stringify({ type, event: EVENT, filters: { id } }));

  function take(frame: Buffer, connection: VenueConnection): boolean {
    const message = toFields(JSON.parse(frame.toString('utf8')));
    if (message['type'] === 'connection') {
      ready = connection;
      for (const reference of followed.keys()) ask('subscribe', reference);
      return false;
    }
    if (message['event'] !== EVENT) return false;
    const { requestId } = toFields(message['data']);
    if (typeof requestId !== 'string' || !EVM_HASH.test(requestId)) throw new TypeError('a push names no request');
    followed.get(requestId)?.moved.next();
    return true;
  }

  function connect(): Subscription {
    const address = new URL(url);
    if (key !== null) address.searchParams.set('apiKey', key);
    return venueSocket({
      venue: 'evmvenue',
      source: 'relay',
      url: address.href,
      clock,
      random,
      dataSilenceMs: DATA_SILENCE_MS,
      keepAlive: { everyMs: KEEP_ALIVE_MS, frame: null },
      opened: () => void (ready = null),
      frame: (frame, _, connection) => take(frame, connection),
    }).subscribe((message) => {
      if (message.kind === 'rejection') onFailure('senseless');
      if (message.kind === 'feed_status' && message.status === 'disconnected') onFailure('disconnected');
    });
  }

  function forget(reference: string): void {
    followed.get(reference)?.told.unsubscribe();
    if (followed.delete(reference)) ask('unsubscribe', reference);
  }

  function disconnect(): void {
    socket?.unsubscribe();
    socket = ready = null;
  }

  return {
    follow(references, listener) {
      received = listener;
      const wanted = new Set(references);
      for (const reference of followed.keys()) if (!wanted.has(reference)) forget(reference);
      for (const reference of wanted) {
        if (followed.has(reference)) continue;
        const moved = new Subject<void>();
        const bursts = throttleTime<void>(LEAST_GAP_MS, createClockScheduler(clock), { leading: true, trailing: true });
        followed.set(reference, { moved, told: moved.pipe(bursts).subscribe(() => received(reference)) });
        ask('subscribe', reference);
      }
      if (followed.size === 0) disconnect();
      else socket ??= connect();
    },
    close() {
      for (const reference of followed.keys()) forget(reference);
      disconnect();
    },
  };
}
