/** Websockets of the simulated perpetuals venue, with their subscriptions and messages. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { type EpochMs, MINUTE_MS } from '../../domain/values/time.ts';
import { type FaultSwitch, seededRandom } from '../faults.ts';
import type { LoopbackSession, LoopbackSocket } from '../loopback.ts';
import { RepeatingCalls } from '../repeating-calls.ts';
import { INTERVAL_MS, type PerpMarket } from './perp-market.ts';
import type { PerpListing } from './perp-wallets.ts';

const IDLE_MS = MINUTE_MS;
const CHANNELS = new Set(['bbo', 'l2Book', 'activeAssetCtx', 'candle', 'trades']);

interface Session {
  readonly socket: LoopbackSocket;
  /** Subscriptions by their canonical text, because the venue assigns no ids. */
  readonly subscriptions: Map<string, Subscription>;
  sentAt: EpochMs;
}

interface Subscription {
  readonly type: string;
  readonly coin: string;
  readonly interval: string;
  readonly fast: boolean;
}

interface PerpStreamsOptions {
  readonly clock: Clock;
  readonly faults: FaultSwitch;
  readonly seed: number;
  readonly listings: ReadonlyMap<string, PerpListing>;
  readonly perps: PerpMarket;
  readonly paceMs?: number;
}

/** Timer shared by all sockets with the same subscription. */
interface Sending extends Subscription {
  readonly name: string;
  readonly listing: PerpListing;
  readonly random: () => number;
}

const nameSubscription = ({ type, coin, interval, fast }: Subscription): string => `${type} ${coin} ${interval} ${fast}`;

export class PerpStreams {
  readonly #clock: Clock;
  readonly #faults: FaultSwitch;
  readonly #seed: number;
  readonly #listings: ReadonlyMap<string, PerpListing>;
  readonly #perps: PerpMarket;
  readonly #sessions = new Set<Session>();
  readonly #calls: RepeatingCalls;
  #socketCount = 0;

  constructor({ clock, faults, seed, listings, perps, paceMs }: PerpStreamsOptions) {
    this.#clock = clock;
    this.#faults = faults;
    this.#seed = seed;
    this.#listings = listings;
    this.#perps = perps;
    this.#calls = new RepeatingCalls(clock, paceMs);
  }

  /** Opens the session of a socket, or returns null if the path is no stream. */
  open(socket: LoopbackSocket): LoopbackSession | null {
    if (socket.path !== '/ws') return null;
    const session: Session = { socket, subscriptions: new Map(), sentAt: this.#clock.now() };
    this.#sessions.add(session);
    socket.control('Websocket connection established.');
    const name = `socket ${this.#socketCount++}`;
    // Closes a socket that received nothing for a minute. Quiet clients must ping.
    this.#calls.repeat(name, this.#clock.now() + IDLE_MS, () => {
      if (this.#clock.now() - session.sentAt >= IDLE_MS) socket.close(1000, 'Inactive');
      return this.#clock.now() + 5_000;
    });
    return {
      message: (text) => this.#receive(session, text),
      closed: () => {
        this.#sessions.delete(session);
        this.#calls.cancel(name);
        this.#stopUnused();
      },
    };
  }

  /** Stops every timer. The listener closes the sockets. */
  close(): void {
    this.#calls.close();
  }

  #send(session: Session, channel: string, data: unknown): void {
    session.sentAt = this.#clock.now();
    session.socket.data(JSON.stringify({ channel, data }));
  }

  #publish(type: string, coin: string, data: unknown, matches: (subscription: Subscription) => boolean = () => true): void {
    for (const session of this.#sessions)
      for (const subscription of session.subscriptions.values())
        if (subscription.type === type && subscription.coin === coin && matches(subscription)) this.#send(session, type, data);
  }

  /** Starts the timer of a subscription, shared by all sockets that have it. */
  #start(subscription: Subscription): void {
    const { type, coin } = subscription;
    const name = nameSubscription(subscription);
    if (this.#calls.has(name)) return;
    const listing = this.#listings.get(coin) as PerpListing;
    const random = seededRandom(this.#seed + coin.length + this.#calls.size);
    const sending: Sending = { ...subscription, name, listing, random };
    if (type === 'bbo') this.#startBest(sending);
    else if (type === 'l2Book') this.#startBook(sending);
    else if (type === 'activeAssetCtx') this.#startContext(sending);
    else if (type === 'trades') this.#startTrades(sending);
    else this.#startCandles(sending);
  }

  #startBest({ name, coin, listing, random }: Sending): void {
    let last = '';
    this.#calls.repeat(name, this.#clock.now() + Math.floor(100 * random()), () => {
      const at = this.#clock.now();
      const { bbo: sides } = this.#perps.bbo(listing, at) as { bbo: unknown };
      const text = JSON.stringify(sides);
      // Sent only on change, like the venue.
      if (text !== last) this.#publish('bbo', coin, { coin, time: at + this.#faults.settings.clockOffsetMs, bbo: sides });
      last = text;
      return at + 100 + Math.floor(233 * random());
    });
  }

  #startBook({ name, coin, fast, listing }: Sending): void {
    this.#calls.repeat(name, this.#clock.now(), () => {
      this.#publish('l2Book', coin, this.#perps.book(listing, this.#clock.now(), fast), (subscription) => subscription.fast === fast);
      return this.#clock.now() + (fast ? 500 : 5_000);
    });
  }

  #startContext({ name, coin, listing }: Sending): void {
    this.#calls.repeat(name, this.#clock.now(), () => {
      this.#publish('activeAssetCtx', coin, { coin, ctx: this.#perps.context(listing, this.#clock.now()) });
      return this.#clock.now() + 1_000;
    });
  }

  #startTrades({ name, coin, listing, random }: Sending): void {
    this.#calls.repeat(name, this.#clock.now() + 500, () => {
      this.#publish('trades', coin, [this.#perps.trade(listing, this.#clock.now(), random())]);
      return this.#clock.now() + 300 + Math.floor(1_500 * random());
    });
  }

  #startCandles({ name, coin, interval, listing }: Sending): void {
    const now = this.#clock.now();
    const barMs = INTERVAL_MS[interval] as number;
    let open = Math.floor(now / barMs) * barMs;
    this.#calls.repeat(name, now, () => {
      const at = this.#clock.now();
      const current = Math.floor(at / barMs) * barMs;
      const matches = (subscription: Subscription) => subscription.interval === interval;
      // The last update of a closed candle equals the candle in the history.
      for (const bar of open < current ? this.#perps.closedCandles(listing, interval, open, current) : [])
        this.#publish('candle', coin, bar, matches);
      open = current;
      this.#publish('candle', coin, this.#perps.formingCandle(listing, interval, at), matches);
      return Math.min(at + 1_000, current + barMs);
    });
  }

  #stopUnused(): void {
    const wanted = new Set([...this.#sessions].flatMap(({ subscriptions }) => [...subscriptions.values()].map(nameSubscription)));
    for (const name of this.#calls.names()) if (!name.startsWith('socket ') && !wanted.has(name)) this.#calls.cancel(name);
  }

  #readSubscription(value: unknown): Subscription | null {
    if (typeof value !== 'object' || value === null) return null;
    const { type, coin, interval, fast } = value as Record<string, unknown>;
    if (typeof type !== 'string' || !CHANNELS.has(type) || typeof coin !== 'string' || !this.#listings.has(coin)) return null;
    if (type === 'candle' && !(typeof interval === 'string' && Object.hasOwn(INTERVAL_MS, interval))) return null;
    return { type, coin, interval: type === 'candle' ? (interval as string) : '', fast: type === 'l2Book' && fast === true };
  }

  #receive(session: Session, text: string): void {
    const control = (channel: string, data?: unknown) => {
      session.sentAt = this.#clock.now();
      session.socket.control(JSON.stringify(data === undefined ? { channel } : { channel, data }));
    };
    let message: Record<string, unknown>;
    try {
      message = (JSON.parse(text) ?? {}) as Record<string, unknown>;
    } catch {
      return control('error', `Error parsing JSON into valid websocket request: ${text.slice(0, 100)}`);
    }
    const { method } = message;
    if (method === 'ping') return control('pong');
    const raw = message['subscription'];
    const subscription = this.#readSubscription(raw);
    if ((method !== 'subscribe' && method !== 'unsubscribe') || subscription === null) {
      return control('error', `Invalid subscription ${JSON.stringify(raw ?? message)}`);
    }
    const key = JSON.stringify(subscription);
    if (method === 'unsubscribe') {
      if (!session.subscriptions.delete(key)) return control('error', `Already unsubscribed: ${JSON.stringify(raw)}`);
      control('subscriptionResponse', { method, subscription: raw });
      return this.#stopUnused();
    }
    if (session.subscriptions.has(key)) return control('error', `Already subscribed: ${JSON.stringify(raw)}`);
    session.subscriptions.set(key, subscription);
    control('subscriptionResponse', {
      method,
      subscription:
        subscription.type === 'l2Book'
          ? { type: 'l2Book', coin: subscription.coin, nSigFigs: null, mantissa: null, fast: subscription.fast }
          : raw,
    });
    const listing = this.#listings.get(subscription.coin) as PerpListing;
    // The first trades message repeats earlier trades, like the venue.
    if (subscription.type === 'trades') this.#send(session, 'trades', this.#perps.recentTrades(listing, this.#clock.now()));
    if (subscription.type === 'bbo') this.#send(session, 'bbo', this.#perps.bbo(listing, this.#clock.now()));
    this.#start(subscription);
  }
}
