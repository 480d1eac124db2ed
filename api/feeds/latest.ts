/** Channels of newest states: the whole state first, then changes, conflated to the flush interval. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ChangedState, LatestChannel, LatestSource } from './channels/channel.ts';
import { ConflatedGroup } from './conflated-group.ts';
import type { FanOut, FeedClient } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { channelFrame } from './frames.ts';
import type { Subscription, SubscriptionEvents } from './subscription.ts';

/** All subscribers of a channel with the same parameters. */
interface LatestGroup {
  readonly channel: LatestChannel;
  readonly group: ConflatedGroup;
  readonly params: { readonly [name: string]: Json };
  source: LatestSource;
  /** False while a replacement source collects its first state. */
  isReady: boolean;
  /** Changes since the last flush, by key. The newest wins. */
  changed: Map<string, ChangedState>;
  close(): void;
}

interface LatestHub {
  subscribe(
    channel: LatestChannel,
    key: string,
    client: FeedClient,
    params: { readonly [name: string]: Json },
    events: SubscriptionEvents,
  ): Subscription;
  /** Offers the changes. Returns true if another flush is needed. */
  flush(): boolean;
  /** Reopens every source and sends the whole state to everybody. */
  renew(): void;
  stop(): void;
}

export function createLatestHub(ports: FeedPorts, fanOut: FanOut): LatestHub {
  return new ConflatedHub(ports, fanOut);
}

class ConflatedHub implements LatestHub {
  readonly #ports: FeedPorts;
  readonly #fanOut: FanOut;
  readonly #clock;
  readonly #groups = new Map<string, LatestGroup>();

  constructor(ports: FeedPorts, fanOut: FanOut) {
    this.#ports = ports;
    this.#fanOut = fanOut;
    const { clock } = ports;
    this.#clock = clock;
  }

  flush(): boolean {
    const at = this.#clock.now();
    let again = false;
    for (const latest of this.#groups.values()) again = this.#flushGroup(latest, at) || again;
    return again;
  }

  renew(): void {
    for (const latest of this.#groups.values()) reopen(latest, this.#ports, this.#fanOut);
  }

  subscribe(
    channel: LatestChannel,
    key: string,
    client: FeedClient,
    params: { readonly [name: string]: Json },
    events: SubscriptionEvents,
  ): Subscription {
    let latest = this.#groups.get(key);
    if (latest === undefined) {
      latest = this.#open(channel, params);
      this.#groups.set(key, latest);
    }
    const mine = latest;
    let closed = false;
    const member = mine.group.enter(client);
    const begin = (): void => {
      if (!closed && client.open) mine.group.begin(member, this.#clock.now());
    };
    events.accepted({ seq: member.seq, cursor: null });
    const { ready } = mine.source;
    if (ready === null) begin();
    else
      ready.then(begin, (error: unknown) => {
        this.#ports.reportDefect(error, `feeds: ${channel.name}`);
        if (!closed && client.open) events.failed();
      });
    return {
      channel: channel.name,
      key,
      close: () => {
        if (closed) return;
        closed = true;
        if (!mine.group.leave(member)) return;
        mine.close();
        this.#groups.delete(key);
      },
    };
  }

  stop(): void {
    for (const latest of this.#groups.values()) latest.close();
    this.#groups.clear();
  }

  #open(channel: LatestChannel, params: { readonly [name: string]: Json }): LatestGroup {
    const made: LatestGroup = {
      channel,
      params,
      group: new ConflatedGroup(channel.name, this.#fanOut.group(), () => made.source.snapshot()),
      source: channel.open(this.#ports, params),
      isReady: true,
      changed: new Map(),
      close: () => {},
    };
    follow(made, this.#fanOut);
    return made;
  }

  /** Flushes a group. Returns true if a member is still being skipped. */
  #flushGroup(latest: LatestGroup, at: EpochMs): boolean {
    if (!latest.isReady) return false;
    const { group, changed } = latest;
    group.resume(at);
    latest.changed = new Map();
    if (!group.isIdle)
      group.offer([...changed.values()].map((state) => channelFrame(latest.channel.name, 'update', null, at, state.json())));
    return group.isSkipping;
  }
}

/** Collects changes until the next flush. */
function follow(latest: LatestGroup, fanOut: FanOut): void {
  latest.close = latest.source.subscribe((changed) => {
    for (const state of changed) {
      // If nothing may be lost, every state has its own key. Otherwise the newest replaces the previous one.
      latest.changed.delete(state.key);
      latest.changed.set(state.key, state);
    }
    if (changed.length > 0) fanOut.arm();
  });
}

/** Reopens the source. Everybody gets the whole state once it has collected its first one. */
function reopen(latest: LatestGroup, ports: FeedPorts, fanOut: FanOut): void {
  latest.close();
  const source = latest.channel.open(ports, latest.params);
  latest.source = source;
  latest.changed = new Map();
  latest.isReady = source.ready === null;
  follow(latest, fanOut);
  latest.group.renew();
  void source.ready
    ?.catch((error: unknown) => ports.reportDefect(error, `feeds: ${latest.channel.name}`))
    .then(() => {
      // Another one may have taken its place meanwhile.
      if (latest.source !== source) return;
      latest.isReady = true;
      fanOut.arm();
    });
  fanOut.arm();
}
