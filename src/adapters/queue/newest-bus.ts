/** Bus of the newest value per key between processes. Values are conflated and sent together, one message per flush. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../streams/clock/clock.ts';
import { PacedCall } from '../../../streams/clock/paced-call.ts';
import { type EpochMs, isAhead } from '../../domain/values/time.ts';
import { connectRedis } from './redis-client.ts';
import { isCluster } from './redis-url.ts';

interface Received {
  readonly receivedAt: EpochMs;
}

/** Operations on the values of a bus. */
export interface NewestKind<Value extends Received> {
  keyOf(value: Value): string;
  /** Returns true if the first value is older: it never replaces the other. */
  isOlder(one: Value, other: Value): boolean;
  same(one: Value, other: Value): boolean;
  /** Validates a received value; Redis may be shared with other programs. */
  is(value: unknown): value is Value;
  /** Returns true if a value is outdated; it is then dropped and no longer repeated. */
  isOver?(value: Value, now: EpochMs): boolean;
  /** Pub/sub channel, one per installation. */
  readonly channel: string;
}

export interface NewestBus<Value> {
  /** Publishes a value. Each flush sends only the newest value of a key. */
  publish(value: Value): void;
  /** Returns the newest known value of every key. */
  snapshot(): readonly Value[];
  latest(key: string): Value | null;
  /** Drops a value here and stops repeating it. Other processes keep theirs until it is outdated. */
  withdraw(key: string): void;
  /** Receives the changes of each flush, every key at most once. Must not throw. Returns the unsubscribe function. */
  subscribe(listener: (changed: readonly Value[]) => void): () => void;
  close(): Promise<void>;
}

interface BusClock {
  now(): EpochMs;
  deadline(at: EpochMs, call: () => void): () => void;
}

export interface NewestBusOptions {
  readonly clock: BusClock;
  /** Least milliseconds between two flushes; default 25. Changes in between are collected. */
  readonly flushMs?: number;
  readonly onError?: (error: unknown) => void;
}

const FLUSH_MS = 25;

/** Newest value per key and the changes since the last flush, for both buses. */
class Newest<Value extends Received> {
  readonly #kind: NewestKind<Value>;
  readonly #options: NewestBusOptions;
  readonly #newest = new Map<string, Value>();
  readonly #listeners = new Set<(changed: readonly Value[]) => void>();
  readonly #flushing: PacedCall;
  #changed = new Map<string, Value>();
  #closed = false;

  constructor(kind: NewestKind<Value>, options: NewestBusOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#flushing = new PacedCall(options.clock, options.flushMs ?? FLUSH_MS, () => this.#flush());
  }

  /** Stores the value unless a newer one is known. Returns true if it was stored. */
  offer(key: string, value: Value): boolean {
    const known = this.#newest.get(key);
    // Equal times are accepted: the value may have another quality.
    if (this.#closed || (known !== undefined && this.#isOutranked(value, known))) return false;
    this.#newest.set(key, value);
    this.#changed.set(key, value);
    this.#flushing.request();
    return true;
  }

  /** True if the value is older. Values of a clock that was ahead would otherwise hold off all others until their time comes. */
  #isOutranked(value: Value, known: Value): boolean {
    const now = this.#options.clock.now();
    const [valueAhead, knownAhead] = [isAhead(value.receivedAt, now), isAhead(known.receivedAt, now)];
    return valueAhead === knownAhead ? this.#kind.isOlder(value, known) : valueAhead;
  }

  holds(key: string, value: Value): boolean {
    const known = this.#newest.get(key);
    return known !== undefined && this.#kind.same(known, value);
  }

  get(key: string): Value | null {
    const known = this.#newest.get(key);
    return known === undefined || this.isOver(known) ? null : known;
  }

  all(): readonly Value[] {
    dropOver(this.#newest, (value) => this.isOver(value));
    return [...this.#newest.values()];
  }

  isOver(value: Value): boolean {
    return this.#kind.isOver?.(value, this.#options.clock.now()) ?? false;
  }

  withdraw(key: string): void {
    this.#newest.delete(key);
  }

  subscribe(listener: (changed: readonly Value[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#flushing.cancel();
    this.#listeners.clear();
  }

  #flush(): void {
    const changed = [...this.#changed.values()];
    this.#changed = new Map();
    for (const listener of this.#listeners) {
      try {
        listener(changed);
      } catch (error) {
        this.#options.onError?.(error);
      }
    }
  }
}

function dropOver<Value>(values: Map<string, Value>, isOver: (value: Value) => boolean): void {
  for (const [key, value] of values) if (isOver(value)) values.delete(key);
}

/** Resolves after a change of one of the keys, or after the given milliseconds. */
export function changeWithin<Value>(
  bus: Pick<NewestBus<Value>, 'subscribe'>,
  clock: Pick<Clock, 'now' | 'deadline'>,
  ms: number,
  isIt: (changed: readonly Value[]) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      unsubscribe();
      cancel();
      resolve();
    };
    const cancel = clock.deadline(clock.now() + ms, done);
    const unsubscribe = bus.subscribe((changed) => {
      if (isIt(changed)) done();
    });
  });
}

/** Creates the bus of a single process. */
export function createInProcessNewestBus<Value extends Received>(kind: NewestKind<Value>, options: NewestBusOptions): NewestBus<Value> {
  const newest = new Newest(kind, options);
  return {
    publish: (value) => void newest.offer(kind.keyOf(value), value),
    snapshot: () => newest.all(),
    latest: (key) => newest.get(key),
    withdraw: (key) => newest.withdraw(key),
    subscribe: (listener) => newest.subscribe(listener),
    close: async () => newest.close(),
  };
}

export interface RedisNewestBusOptions extends NewestBusOptions {
  readonly url: string;
  /** Channel; default that of the kind. */
  readonly channel?: string;
  /**
   * Milliseconds between repetitions of everything that a process published, by which other processes recover missed values; default 5000.
   */
  readonly snapshotMs?: number;
  /** Random source for jitter of reconnections, 0 <= n < 1; default 0.5. */
  readonly random?: () => number;
}

/** Message between processes. `seq` numbers a sender's messages; a gap means a lost message. */
interface BusMessage<Value> {
  readonly from: string;
  readonly seq: number;
  readonly type: 'batch' | 'snapshot' | 'want';
  readonly quotes: readonly Value[];
}

const SNAPSHOT_MS = 5_000;
const COMMAND_MS = 500;
/** Snapshot periods without an echo of own messages after which the connection counts as broken. */
const SILENT_PERIODS = 3;
/** Silent periods after which a sender is forgotten. */
const FORGOTTEN_PERIODS = 6;

/**
 * Creates the bus between processes over Redis pub/sub. Redis loses messages while a connection is down. Senders therefore number their
 * messages, and repeat all values every few seconds and on request of a process that missed one. Without Redis each process continues with
 * its own values.
 */
export function createRedisNewestBus<Value extends Received>(kind: NewestKind<Value>, options: RedisNewestBusOptions): NewestBus<Value> {
  return new SharedNewestBus(kind, options);
}

class SharedNewestBus<Value extends Received> implements NewestBus<Value> {
  readonly #kind: NewestKind<Value>;
  readonly #options: RedisNewestBusOptions;
  readonly #clock;
  readonly #channel;
  readonly #snapshotMs;
  readonly #me = randomBytes(16).toString('hex');
  readonly #random;
  readonly #newest;
  readonly #flushing: PacedCall;

  /** Values that this process published. */
  readonly #own = new Map<string, Value>();
  readonly #senders = new Map<string, { seq: number; heardAt: EpochMs }>();
  #unsent = new Map<string, Value>();
  #snapshotDue = false;
  #wantDue = true;
  #seq = 0;
  #sending = false;
  /** True while this process is subscribed. */
  #subscribed = false;
  /** True if no other process received the last message. A joining process requests everything. */
  #alone = false;
  #closed = false;
  #echoedAt;
  #cancelBeat: () => void = () => {};

  readonly #publisher;
  readonly #subscriber;

  constructor(kind: NewestKind<Value>, options: RedisNewestBusOptions) {
    this.#kind = kind;
    this.#options = options;
    const { clock } = options;
    this.#clock = clock;
    this.#channel = options.channel ?? kind.channel;
    this.#snapshotMs = options.snapshotMs ?? SNAPSHOT_MS;
    this.#random = options.random ?? (() => 0.5);
    this.#newest = new Newest(kind, options);
    this.#flushing = new PacedCall(clock, options.flushMs ?? FLUSH_MS, () => void this.#flush());
    this.#echoedAt = clock.now();
    // Commands have a timeout and are not queued: a late flush would be useless.
    this.#publisher = connectRedis(options.url, {
      commandTimeout: COMMAND_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => this.#retryStrategy(attempt),
    });
    this.#subscriber = connectRedis(options.url, {
      maxRetriesPerRequest: null,
      autoResubscribe: false,
      retryStrategy: (attempt) => this.#retryStrategy(attempt),
    });
    this.#publisher.on('error', (error) => this.#report(error));
    this.#subscriber.on('error', (error) => this.#report(error));
    // Messages were missed in both directions while the connection was down.
    this.#publisher.on('ready', () => {
      this.#snapshotDue = true;
      this.#armFlush();
    });
    this.#subscriber.on('ready', () => {
      this.#subscriber.subscribe(this.#channel).then(
        () => {
          this.#subscribed = true;
          this.#echoedAt = clock.now();
          this.#wantDue = true;
          this.#armFlush();
        },
        (error) => this.#report(error),
      );
    });
    this.#subscriber.on('close', () => {
      this.#subscribed = false;
      this.#alone = false;
    });
    this.#subscriber.on('message', (_channel: string, text: string) => this.#receive(text));
    this.#cancelBeat = clock.deadline(clock.now() + this.#snapshotMs, () => this.#beat());
  }

  publish(value: Value): void {
    const key = this.#kind.keyOf(value);
    if (this.#closed || !this.#newest.offer(key, value)) return;
    this.#own.set(key, value);
    this.#unsent.set(key, value);
    this.#armFlush();
  }

  snapshot(): readonly Value[] {
    return this.#newest.all();
  }

  latest(key: string): Value | null {
    return this.#newest.get(key);
  }

  withdraw(key: string): void {
    this.#own.delete(key);
    this.#unsent.delete(key);
    this.#newest.withdraw(key);
  }

  subscribe(listener: (changed: readonly Value[]) => void): () => void {
    return this.#newest.subscribe(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#flushing.cancel();
    this.#cancelBeat();
    this.#newest.close();
    this.#publisher.disconnect();
    this.#subscriber.disconnect();
  }

  #armFlush(): void {
    if (!this.#closed) this.#flushing.request();
  }

  async #flush(): Promise<void> {
    // One message at a time: on a slow Redis, changes are conflated here and not queued there.
    if (this.#sending || this.#closed || this.#publisher.status !== 'ready') return;
    const batch = this.#unsent;
    const messages: BusMessage<Value>[] = [];
    if (this.#wantDue && this.#subscriber.status === 'ready') {
      messages.push({ from: this.#me, seq: ++this.#seq, type: 'want', quotes: [] });
      this.#wantDue = false;
    }
    if (this.#snapshotDue) messages.push({ from: this.#me, seq: ++this.#seq, type: 'snapshot', quotes: [...this.#own.values()] });
    else if (batch.size > 0 && !this.#alone)
      messages.push({ from: this.#me, seq: ++this.#seq, type: 'batch', quotes: [...batch.values()] });
    this.#unsent = new Map();
    if (messages.length === 0) return;
    this.#snapshotDue = false;
    this.#sending = true;
    try {
      for (const message of messages) {
        const receivers = await this.#publisher.publish(this.#channel, JSON.stringify(message));
        // A cluster counts only the receivers at one node.
        this.#alone = this.#subscribed && receivers === 1 && !isCluster(this.#options.url);
      }
    } catch (error) {
      this.#report(error);
      // The outcome is unknown, so the next message is a snapshot; receiving values twice is harmless.
      this.#snapshotDue = true;
      if (messages.some(({ type }) => type === 'want')) this.#wantDue = true;
    } finally {
      this.#sending = false;
    }
    if (this.#unsent.size > 0 || this.#snapshotDue || this.#wantDue) this.#armFlush();
  }

  #receive(text: string): void {
    if (text.startsWith(`{"from":"${this.#me}"`)) {
      this.#echoedAt = this.#clock.now();
      return;
    }
    const message = busMessage(text, this.#kind);
    if (message === null) return this.#report(new Error(`a message on ${this.#channel} is not one of this bus: ${text.slice(0, 100)}`));
    this.#alone = false;
    const known = this.#senders.get(message.from);
    const expected = known === undefined ? null : known.seq + 1;
    this.#senders.set(message.from, { seq: message.seq, heardAt: this.#clock.now() });
    if (message.type === 'want') {
      this.#snapshotDue ||= this.#own.size > 0;
      if (this.#snapshotDue) this.#armFlush();
    } else {
      for (const value of message.quotes) {
        const key = this.#kind.keyOf(value);
        // Listeners are not notified of repeated values.
        if (!this.#newest.holds(key, value)) this.#newest.offer(key, value);
      }
    }
    // A snapshot is complete; a batch after a gap or from an unknown sender is not.
    if (message.type !== 'snapshot' && (expected === null ? message.seq > 1 : message.seq !== expected)) {
      this.#wantDue = true;
      this.#armFlush();
    }
  }

  #report(error: unknown): void {
    return this.#options.onError?.(error);
  }

  #retryStrategy(attempt: number): number {
    return Math.min(50 * 2 ** Math.min(attempt, 6), 2_000) * (0.5 + this.#random() / 2);
  }

  #beat(): void {
    const now = this.#clock.now();
    dropOver(this.#own, (value) => this.#newest.isOver(value));
    if (this.#own.size > 0) this.#snapshotDue = true;
    else this.#wantDue ||= this.#senders.size === 0;
    // Send one message even without changes: its echo proves that the connection works.
    if (!this.#snapshotDue && !this.#wantDue) this.#wantDue = now - this.#echoedAt >= this.#snapshotMs;
    this.#armFlush();
    if (
      this.#subscriber.status === 'ready' &&
      this.#publisher.status === 'ready' &&
      now - this.#echoedAt > SILENT_PERIODS * this.#snapshotMs
    ) {
      this.#echoedAt = now;
      this.#report(new Error(`no message returned on ${this.#channel} for ${(SILENT_PERIODS * this.#snapshotMs) / 1_000} s: reconnecting`));
      this.#subscriber.disconnect(true);
    }
    for (const [sender, { heardAt }] of this.#senders)
      if (now - heardAt > FORGOTTEN_PERIODS * this.#snapshotMs) this.#senders.delete(sender);
    this.#cancelBeat = this.#clock.deadline(now + this.#snapshotMs, () => this.#beat());
  }
}

/** Parses a message; null if invalid. Redis may be shared with other programs. */
function busMessage<Value extends Received>(text: string, kind: NewestKind<Value>): BusMessage<Value> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const message = value as Partial<BusMessage<Value>> | null;
  if (typeof message !== 'object' || message === null || typeof message.from !== 'string' || !Number.isSafeInteger(message.seq))
    return null;
  if (message.type !== 'batch' && message.type !== 'snapshot' && message.type !== 'want') return null;
  if (!Array.isArray(message.quotes) || !message.quotes.every((one) => kind.is(one))) return null;
  return message as BusMessage<Value>;
}
