/** A websocket: its operations, its subscriptions and its end. */
import type { Socket } from 'node:net';
import type { WebSocket } from '@fastify/websocket';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Caller } from '../caller.ts';
import type { AnnouncementChannel } from './channels/channel.ts';
import { findChannel } from './channels/index.ts';
import type { Position } from './position.ts';
import type { FeedClient } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { answerFrame, CLOSE, errorFrame, type FeedErrorCode, heartbeatFrame, type RequestId, websocketBytes } from './frames.ts';
import type { Hub } from './hub.ts';
import { type Operation, readOperation, readWanted } from './request.ts';
import { type Subscription, subscriptionKey } from './subscription.ts';
import { type EndReason, type AccessScope, pickToken, UNANSWERED_BEATS, type Watch, type Watched } from './watch.ts';

export interface SocketLimits {
  readonly subscriptions: number;
  /** Messages allowed at once. `perSecond` is the long-term rate. */
  readonly burst: number;
  readonly perSecond: number;
}

export const SOCKET_LIMITS: SocketLimits = { subscriptions: 64, burst: 60, perSecond: 20 };

/** Number of messages beyond the rate limit after which the socket is closed. */
const PATIENCE = 200;

const ENDS: { readonly [reason in EndReason]: readonly [number, string] } = {
  token_expired: [CLOSE.tokenExpired, 'the token has expired'],
  token_revoked: [CLOSE.tokenRevoked, 'the token was taken back'],
  permission_lost: [CLOSE.permissionLost, 'a permission was withdrawn'],
  unverifiable: [CLOSE.tryAgainLater, 'permissions could not be read; connect again'],
  restarting: [CLOSE.restarting, 'the service restarts'],
};

interface SocketDeps {
  readonly ports: FeedPorts;
  readonly hub: Hub;
  readonly watch: Watch;
  readonly limits: SocketLimits;
  /** Agreed compression window as a power of two, or null. */
  readonly windowBits: number | null;
}

interface Held {
  readonly id: RequestId | undefined;
  readonly subscription: Subscription;
}

/**
 * Serves a websocket until it closes. Everything goes directly to its network socket in whole frames, and `ws` compresses nothing, so that
 * the order is the order of the calls.
 */
export function serveSocket(socket: WebSocket, caller: Caller, deps: SocketDeps): void {
  new FeedSocket(socket, caller, deps).open();
}

class FeedSocket {
  readonly #socket: WebSocket;
  readonly #ports;
  readonly #hub;
  readonly #watch;
  readonly #limits;
  readonly #clock;
  readonly #pace;
  readonly #held: Held[] = [];
  #scope: AccessScope;
  #missed = 0;
  #tokens;
  #refilledAt;
  #excess = 0;
  #toldOfLimit = false;
  #gathering = false;
  readonly #client: FeedClient;
  readonly #watched: Watched;
  /** Ends with the last operation. Operations run one after the other, because one may have to look up a cursor. */
  #turn: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, caller: Caller, deps: SocketDeps) {
    this.#socket = socket;
    const { ports, hub, watch, limits, windowBits } = deps;
    this.#ports = ports;
    this.#hub = hub;
    this.#watch = watch;
    this.#limits = limits;
    const { clock, pace = clock } = ports;
    this.#clock = clock;
    this.#pace = pace;
    this.#scope = caller;
    this.#tokens = limits.burst;
    this.#refilledAt = pace.now();
    this.#client = toFeedClient(socket, windowBits);
    this.#watched = this.#connection(caller);
  }

  /** Starts watching and reading. */
  open(): void {
    const socket = this.#socket;
    const unwatch = this.#watch.add(this.#watched);
    socket.on('pong', () => {
      this.#missed = 0;
    });
    socket.on('message', (data: Buffer | ArrayBuffer | Buffer[], isBinary: boolean) => {
      this.#missed = 0;
      if (!this.#client.open) return;
      this.#gather();
      if (!this.#admitted()) return;
      if (isBinary) return this.#refuse('malformed', 'a binary message; send JSON as text');
      this.#receive(data.toString());
    });
    socket.on('error', () => this.#watch.terminateSoon(this.#watched));
    socket.on('close', () => {
      unwatch();
      this.#drop();
    });
  }

  /** Returns the handle that the watch uses for this connection. */
  #connection(caller: Caller): Watched {
    const socket = this.#socket;
    return {
      ...pickToken(caller),
      stand: (next) => {
        const moved = next.orgId !== this.#scope.orgId;
        this.#scope = next;
        if (moved) return false;
        return this.#held.every(({ subscription }) => {
          const channel = findChannel(subscription.channel);
          return channel !== null && next.permissions.includes(channel.permission);
        });
      },
      beat: (at) => {
        if (!this.#client.open) return;
        if (++this.#missed >= UNANSWERED_BEATS) return socket.terminate();
        this.#gather();
        this.#send(heartbeatFrame(at));
        socket.ping();
      },
      end: (reason) => {
        const [code, text] = ENDS[reason];
        this.#drop();
        socket.close(code, text);
      },
      terminate: () => socket.terminate(),
    };
  }

  /** Collects the answers of this turn of the event loop into one write. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    this.#client.cork();
    setImmediate(() => {
      this.#gathering = false;
      this.#client.uncork();
    });
  }

  #send(text: string): void {
    if (this.#client.open) this.#client.write(websocketBytes([text]));
  }

  #refuse(code: FeedErrorCode, detail: string, about: { id?: RequestId | undefined; channel?: string | undefined } = {}): void {
    this.#send(
      errorFrame(code, detail, this.#clock.now(), {
        ...(about.id === undefined ? {} : { id: about.id }),
        ...(about.channel === undefined ? {} : { channel: about.channel }),
      }),
    );
  }

  #close(code: number, reason: string): void {
    this.#drop();
    this.#socket.close(code, reason);
    this.#watch.terminateSoon(this.#watched);
  }

  #drop(): void {
    for (const { subscription } of this.#held) subscription.close();
    this.#held.length = 0;
  }

  /** True if another message may be read now. */
  #admitted(): boolean {
    const now = this.#pace.now();
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + ((now - this.#refilledAt) / 1_000) * this.#limits.perSecond);
    this.#refilledAt = now;
    if (this.#tokens >= 1) {
      this.#tokens--;
      this.#excess = Math.max(0, this.#excess - 1);
      this.#toldOfLimit = false;
      return true;
    }
    if (++this.#excess > PATIENCE) this.#close(CLOSE.rateLimited, 'too many messages');
    // Once per exhaustion: answering each message would only double the flood.
    else if (!this.#toldOfLimit) {
      this.#toldOfLimit = true;
      this.#refuse(
        'rate_limited',
        `more than ${this.#limits.burst} messages at once or ${this.#limits.perSecond} a second; those beyond are not read`,
      );
    }
    return false;
  }

  async #subscribe(operation: Operation & { op: 'subscribe' }): Promise<void> {
    const { id } = operation;
    const wanted = readWanted(operation, this.#scope.permissions, this.#scope.orgId !== null, this.#ports.unanswerable);
    const about = { id, channel: typeof operation.channel === 'string' && findChannel(operation.channel) ? operation.channel : undefined };
    if (!wanted.ok) return this.#refuse(wanted.refusal.code, wanted.refusal.detail, about);
    const { channel, params, from } = wanted.value;
    if (this.#held.length >= this.#limits.subscriptions)
      return this.#refuse(
        'subscription_limit',
        `at most ${this.#limits.subscriptions} subscriptions per socket; unsubscribe from one first`,
        about,
      );
    if (id !== undefined && this.#held.some((other) => other.id === id))
      return this.#refuse('already_subscribed', `the id ${JSON.stringify(id)} names another subscription of this socket`, about);
    if (this.#held.some(({ subscription }) => subscription.key === subscriptionKey(channel.name, params)))
      return this.#refuse('already_subscribed', `${channel.name} with these parameters is subscribed to already`, about);
    if (channel.kind === 'quotes') {
      const subscription = this.#hub.subscribeQuotes(channel, this.#client, params, this.#events(id, channel.name));
      this.#held.push({ id, subscription });
      return;
    }
    if (channel.kind === 'latest') {
      const subscription = this.#hub.subscribeLatest(channel, this.#client, params, this.#events(id, channel.name));
      this.#held.push({ id, subscription });
      return;
    }
    if (from !== null) {
      const known = await this.#isKnown(from);
      if (known === null) return this.#events(id, channel.name).failed();
      if (!known)
        return this.#refuse('invalid_cursor', 'from: this cursor is in the future or no longer stored; subscribe without it', about);
      if (!this.#client.open) return;
    }
    this.#begin(channel, params, from, id);
  }

  #begin(channel: AnnouncementChannel, params: { readonly [name: string]: Json }, from: Position | null, id: RequestId | undefined): void {
    const { orgId, permissions } = this.#scope;
    if (orgId === null || !permissions.includes(channel.permission)) {
      return this.#refuse('permission_missing', `the channel ${channel.name} needs ${channel.permission}`, { id, channel: channel.name });
    }
    this.#held.push({
      id,
      subscription: this.#hub.subscribeAnnouncements(channel, this.#client, orgId, params, from, this.#events(id, channel.name)),
    });
  }

  async #isKnown(from: Position): Promise<boolean | null> {
    try {
      return await this.#ports.announcements.isKnown(from);
    } catch (error) {
      this.#ports.reportDefect(error, 'feeds: looking a cursor up');
      return null;
    }
  }

  #events(id: RequestId | undefined, channel: string) {
    return {
      accepted: ({ seq, cursor }: { readonly seq: number; readonly cursor: string | null }) =>
        this.#send(answerFrame(id, 'subscribed', this.#clock.now(), { channel, seq, cursor })),
      lagged: () => this.#close(CLOSE.lagged, 'lagged: resume from your cursor'),
      failed: () => {
        this.#refuse('unavailable', `${channel} cannot be read at the moment; resume from your cursor`, { id, channel });
        this.#close(CLOSE.tryAgainLater, 'try again later');
      },
    };
  }

  #unsubscribe({ id, channel, params }: Operation & { op: 'unsubscribe' }): void {
    const key = channel !== undefined && params !== undefined && isObject(params) ? subscriptionKey(channel, params) : null;
    const matching = this.#held.filter((other) =>
      channel === undefined
        ? id !== undefined && other.id === id
        : key === null
          ? other.subscription.channel === channel
          : other.subscription.key === key,
    );
    if (matching.length === 0) {
      return this.#refuse('not_subscribed', 'there is no such subscription; give its id, or its channel and params', {
        id,
      });
    }
    for (const gone of matching) {
      gone.subscription.close();
      this.#held.splice(this.#held.indexOf(gone), 1);
    }
    this.#send(answerFrame(id, 'unsubscribed', this.#clock.now(), { channels: matching.map(({ subscription }) => subscription.channel) }));
  }

  #receive(text: string): void {
    const read = readOperation(text);
    if (!read.ok) return this.#refuse(read.refusal.code, read.refusal.detail, { id: read.id });
    const { value } = read;
    if (value.op === 'ping') return this.#send(answerFrame(value.id, 'pong', this.#clock.now()));
    this.#turn = this.#turn.then(() => this.#carryOut(value));
  }

  async #carryOut(value: Exclude<Operation, { op: 'ping' }>): Promise<void> {
    if (!this.#client.open) return;
    try {
      if (value.op === 'unsubscribe') this.#unsubscribe(value);
      else await this.#subscribe(value);
    } catch (error) {
      this.#ports.reportDefect(error, 'feeds: subscribing');
      this.#refuse('unavailable', 'internal error; it was recorded', { id: value.id });
    }
  }
}

function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the socket for the fan-out, which writes whole frames directly to its network socket. */
export function toFeedClient(socket: WebSocket, windowBits: number | null): FeedClient {
  const wire = (socket as unknown as { _socket: Socket })._socket;
  return {
    wire: 'websocket',
    windowBits,
    get open() {
      return socket.readyState === socket.OPEN;
    },
    bufferedBytes: () => socket.bufferedAmount,
    write: (bytes) => void wire.write(bytes),
    cork: () => wire.cork(),
    uncork: () => wire.uncork(),
    memberships: 0,
  };
}
