/** One websocket: its operations, its subscriptions and how it ends. */
import type { Socket } from 'node:net';
import type { WebSocket } from '@fastify/websocket';
import type { Json } from '../../src/domain/canonical-json.ts';
import type { Caller } from '../caller.ts';
import type { AnnouncementChannel } from './channels/channel.ts';
import { findChannel } from './channels/index.ts';
import type { Position } from './cursor.ts';
import type { FeedClient } from './fan-out.ts';
import { answerFrame, CLOSE, errorFrame, type FeedErrorCode, heartbeatFrame, type RequestId, websocketBytes } from './frames.ts';
import type { Hub } from './hub.ts';
import type { FeedPorts } from './ports.ts';
import { type Operation, readOperation, readWanted } from './request.ts';
import { type Subscription, subscriptionKey } from './subscription.ts';
import { type EndReason, type AccessScope, tokenOf, type Watch, type Watched } from './watch.ts';

export interface SocketLimits {
  readonly subscriptions: number;
  /** Messages that may come at once, and per second in the long run. */
  readonly burst: number;
  readonly perSecond: number;
}

export const SOCKET_LIMITS: SocketLimits = { subscriptions: 64, burst: 60, perSecond: 20 };

/** So many messages beyond the limit, one after the other, and the socket is closed. */
const PATIENCE = 200;
/** Signs of life that may be missing before a peer counts as dead. */
const MISSED_BEATS = 2;

const ENDS: { readonly [reason in EndReason]: readonly [number, string] } = {
  token_expired: [CLOSE.tokenExpired, 'the token has expired'],
  token_revoked: [CLOSE.tokenRevoked, 'the token was taken back'],
  permission_lost: [CLOSE.permissionLost, 'a permission was withdrawn'],
  unverifiable: [CLOSE.tryAgainLater, 'the permissions cannot be read at the moment'],
  restarting: [CLOSE.restarting, 'the service restarts'],
};

interface Held {
  readonly id: RequestId | undefined;
  readonly subscription: Subscription;
}

/**
 * Serves a websocket until it closes. Everything that leaves goes straight to its network socket in whole frames, as `ws`
 * itself writes where nothing is compressed, so that the order is the order of the calls.
 */
export function serveSocket(
  socket: WebSocket,
  caller: Caller,
  deps: { readonly ports: FeedPorts; readonly hub: Hub; readonly watch: Watch; readonly limits: SocketLimits },
): void {
  const { ports, hub, watch, limits } = deps;
  const { clock, pace = clock } = ports;
  const wire = (socket as unknown as { _socket: Socket })._socket;
  const held: Held[] = [];
  let scope: AccessScope = caller;
  let missed = 0;
  let tokens = limits.burst;
  let refilledAt = pace.now();
  let excess = 0;
  let toldOfLimit = false;

  const client: FeedClient = {
    wire: 'websocket',
    get open() {
      return socket.readyState === socket.OPEN;
    },
    bufferedBytes: () => socket.bufferedAmount,
    write: (bytes) => void wire.write(bytes),
    cork: () => wire.cork(),
    uncork: () => wire.uncork(),
    memberships: 0,
  };

  function send(text: string): void {
    if (client.open) client.write(websocketBytes([text]));
  }

  function refuse(code: FeedErrorCode, detail: string, about: { id?: RequestId | undefined; channel?: string | undefined } = {}): void {
    send(
      errorFrame(code, detail, clock.now(), {
        ...(about.id === undefined ? {} : { id: about.id }),
        ...(about.channel === undefined ? {} : { channel: about.channel }),
      }),
    );
  }

  function close(code: number, reason: string): void {
    drop();
    socket.close(code, reason);
    watch.terminateSoon(watched);
  }

  function drop(): void {
    for (const { subscription } of held) subscription.close();
    held.length = 0;
  }

  /** Whether another message may be read now. */
  function admitted(): boolean {
    const now = pace.now();
    tokens = Math.min(limits.burst, tokens + ((now - refilledAt) / 1_000) * limits.perSecond);
    refilledAt = now;
    if (tokens >= 1) {
      tokens--;
      excess = 0;
      toldOfLimit = false;
      return true;
    }
    if (++excess > PATIENCE) close(CLOSE.rateLimited, 'far too many messages');
    // Once per exhaustion: an answer to each would only double the flood.
    else if (!toldOfLimit) {
      toldOfLimit = true;
      refuse('rate_limited', `more than ${limits.burst} messages at once or ${limits.perSecond} a second; those beyond are not read`);
    }
    return false;
  }

  async function subscribe(operation: Operation & { op: 'subscribe' }): Promise<void> {
    const { id } = operation;
    const wanted = readWanted(operation, scope.permissions, scope.orgId !== null, ports.unanswerable);
    const about = { id, channel: typeof operation.channel === 'string' && findChannel(operation.channel) ? operation.channel : undefined };
    if (!wanted.ok) return refuse(wanted.refusal.code, wanted.refusal.detail, about);
    const { channel, params, from } = wanted.value;
    const conflict = (): boolean => {
      if (held.length >= limits.subscriptions)
        refuse('subscription_limit', `at most ${limits.subscriptions} subscriptions per socket; unsubscribe from one first`, about);
      else if (id !== undefined && held.some((other) => other.id === id))
        refuse('already_subscribed', `the id ${JSON.stringify(id)} names another subscription of this socket`, about);
      else if (held.some(({ subscription }) => subscription.key === subscriptionKey(channel.name, params)))
        refuse('already_subscribed', `${channel.name} with these parameters is subscribed to already`, about);
      else return false;
      return true;
    };
    if (conflict()) return;
    if (channel.kind === 'quotes') {
      const subscription = hub.subscribeQuotes(channel, client, params, events(id, channel.name));
      held.push({ id, subscription });
      return;
    }
    if (channel.kind === 'latest') {
      const subscription = hub.subscribeLatest(channel, client, params, events(id, channel.name));
      held.push({ id, subscription });
      return;
    }
    if (from !== null) {
      const known = await isKnown(from);
      if (known === null) return refuse('unavailable', 'the cursor cannot be looked up at the moment; subscribe again', about);
      if (!known)
        return refuse('invalid_cursor', 'from: a place that this service has not reached, or has forgotten; subscribe without it', about);
      // Others were read meanwhile.
      if (!client.open || conflict()) return;
    }
    begin(channel, params, from, id);
  }

  function begin(
    channel: AnnouncementChannel,
    params: { readonly [name: string]: Json },
    from: Position | null,
    id: RequestId | undefined,
  ): void {
    const { orgId, permissions } = scope;
    if (orgId === null || !permissions.includes(channel.permission)) {
      return refuse('permission_missing', `the channel ${channel.name} needs ${channel.permission}`, { id, channel: channel.name });
    }
    held.push({ id, subscription: hub.subscribeAnnouncements(channel, client, orgId, params, from, events(id, channel.name)) });
  }

  async function isKnown(from: Position): Promise<boolean | null> {
    try {
      return await ports.announcements.isKnown(from);
    } catch (error) {
      ports.reportDefect(error, 'feeds: looking a cursor up');
      return null;
    }
  }

  function events(id: RequestId | undefined, channel: string) {
    return {
      accepted: ({ seq, cursor }: { readonly seq: number; readonly cursor: string | null }) =>
        send(answerFrame(id, 'subscribed', clock.now(), { channel, seq, cursor })),
      lagged: () => close(CLOSE.lagged, 'lagged: resume from your cursor'),
      failed: () => {
        refuse('unavailable', `${channel} cannot be read at the moment; resume from your cursor`, { id, channel });
        close(CLOSE.tryAgainLater, 'try again later');
      },
    };
  }

  function unsubscribe({ id, channel, params }: Operation & { op: 'unsubscribe' }): void {
    const key = channel !== undefined && params !== undefined && isObject(params) ? subscriptionKey(channel, params) : null;
    const matching = held.filter((other) =>
      channel === undefined
        ? id !== undefined && other.id === id
        : key === null
          ? other.subscription.channel === channel
          : other.subscription.key === key,
    );
    if (matching.length === 0) {
      return refuse('not_subscribed', 'nothing of that kind is subscribed to; name the id of a subscription, or its channel and params', {
        id,
      });
    }
    for (const gone of matching) {
      gone.subscription.close();
      held.splice(held.indexOf(gone), 1);
    }
    send(answerFrame(id, 'unsubscribed', clock.now(), { channels: matching.map(({ subscription }) => subscription.channel) }));
  }

  function receive(text: string): void {
    const read = readOperation(text);
    if (!read.ok) return refuse(read.refusal.code, read.refusal.detail, { id: read.id });
    const { value } = read;
    if (value.op === 'ping') return send(answerFrame(value.id, 'pong', clock.now()));
    if (value.op === 'unsubscribe') return unsubscribe(value);
    subscribe(value).catch((error: unknown) => {
      ports.reportDefect(error, 'feeds: subscribing');
      refuse('unavailable', 'an error of the service; it was recorded', { id: value.id });
    });
  }

  const watched: Watched = {
    ...tokenOf(caller),
    stand(next) {
      const moved = next.orgId !== scope.orgId;
      scope = next;
      if (moved) return false;
      return held.every(({ subscription }) => {
        const channel = findChannel(subscription.channel);
        return channel !== null && next.permissions.includes(channel.permission);
      });
    },
    beat(at) {
      if (!client.open) return;
      if (missed >= MISSED_BEATS) return socket.terminate();
      missed++;
      send(heartbeatFrame(at));
      socket.ping();
    },
    end(reason) {
      const [code, text] = ENDS[reason];
      drop();
      socket.close(code, text);
    },
    terminate: () => socket.terminate(),
  };

  const unwatch = watch.add(watched);
  socket.on('pong', () => {
    missed = 0;
  });
  socket.on('message', (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => {
    missed = 0;
    if (!client.open || !admitted()) return;
    if (isBinary) return refuse('malformed', 'a binary message; send JSON as text');
    receive(data.toString());
  });
  socket.on('error', () => watch.terminateSoon(watched));
  socket.on('close', () => {
    unwatch();
    drop();
  });
}

function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
