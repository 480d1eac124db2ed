/**
 * Connects sources with groups: follows announcements and quotes, admits subscriptions without loss or duplicates, and serves clients that
 * fell behind.
 */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { AnnouncementGroups } from './announcement-groups.ts';
import { AnnouncementReader } from './announcement-reader.ts';
import type { AnnouncementChannel, LatestChannel, QuoteChannel } from './channels/channel.ts';
import type { Position } from './position.ts';
import type { FanOut, FeedClient } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { createLatestHub } from './latest.ts';
import { QuoteGroups } from './quote-groups.ts';
import { type Subscription, type SubscriptionEvents, subscriptionKey } from './subscription.ts';

export interface HubOptions {
  /** Milliseconds without reading after which a client is told `lagged` and closed. Default 10,000. */
  readonly stallMs?: number;
  /** Maximum concurrent catch-up reads. Default 8. */
  readonly readsAtOnce?: number;
}

const STALL_MS = 10_000;
const READS_AT_ONCE = 8;

export function createHub(ports: FeedPorts, fanOut: FanOut, options: HubOptions = {}) {
  const announcements = new AnnouncementGroups(ports, fanOut);
  const quotes = new QuoteGroups(ports, fanOut);
  const latest = createLatestHub(ports, fanOut);
  const reads = createGate(options.readsAtOnce ?? READS_AT_ONCE);
  const stallMs = options.stallMs ?? STALL_MS;
  let stops: (() => void)[] = [];
  let stopped = false;
  return {
    start(): void {
      fanOut.beforeFlush(() => (stopped ? false : quotes.offer()));
      fanOut.beforeFlush(() => (stopped ? false : latest.flush()));
      stops = [announcements.follow(), quotes.follow()];
    },
    subscribeQuotes: (
      channel: QuoteChannel,
      client: FeedClient,
      params: { readonly [name: string]: Json },
      events: SubscriptionEvents,
    ): Subscription => quotes.subscribe(channel, client, params, events),
    subscribeLatest: (
      channel: LatestChannel,
      client: FeedClient,
      params: { readonly [name: string]: Json },
      events: SubscriptionEvents,
    ): Subscription => latest.subscribe(channel, subscriptionKey(channel.name, params), client, params, events),
    /** Subscribes to announcements. `from` is null to begin now. */
    subscribeAnnouncements(
      channel: AnnouncementChannel,
      client: FeedClient,
      orgId: string,
      params: { readonly [name: string]: Json },
      from: Position | null,
      events: SubscriptionEvents,
    ): Subscription {
      const state = announcements.stateOf(channel);
      const actorId = (params[channel.actorParam] as string | undefined) ?? null;
      const shared = announcements.enter(state, orgId, actorId);
      const isRunning = (): boolean => !stopped;
      const given = { ports, state, shared, client, orgId, actorId, from, events };
      const reader = new AnnouncementReader({ ...given, stallMs, flushMs: fanOut.flushMs, reads, isRunning });
      reader.start();
      return {
        channel: channel.name,
        key: subscriptionKey(channel.name, params),
        close() {
          if (reader.close()) announcements.leave(state, orgId, actorId, shared);
        },
      };
    },
    /** Sends the whole state to every client of a conflated channel again. */
    renew(): void {
      quotes.renew();
      latest.renew();
    },
    stop(): void {
      stopped = true;
      announcements.stop();
      latest.stop();
      for (const stop of stops) stop();
      stops = [];
    },
  };
}

export type Hub = ReturnType<typeof createHub>;

/** Returns a limiter of concurrent work. Further work waits in line. */
function createGate(most: number): <Value>(work: () => Promise<Value>) => Promise<Value> {
  let free = most;
  const line: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((turn) => line.push(turn));
    try {
      return await work();
    } finally {
      const next = line.shift();
      if (next) next();
      else free++;
    }
  };
}
