/** From the sources to the groups: follows announcements and quotes, lets subscriptions in without loss or repeat, catches up who fell behind. */
import type { Json } from '../../src/domain/canonical-json.ts';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { AnnouncementChannel, FeedItem, LatestChannel, QuoteChannel } from './channels/channel.ts';
import { CHANNELS } from './channels/index.ts';
import { type FeedQuote, feedQuoteKey, quoteFilter, quoteJson } from './channels/quotes.ts';
import { comparePositions, formatCursor, type Position, wholeAnnouncement } from './cursor.ts';
import type { FanOut, FeedClient, Group, Member } from './fan-out.ts';
import { channelFrame, type FrameText, renderFrames } from './frames.ts';
import { createLatestHub } from './latest.ts';
import type { AnnouncementRow, FeedPorts } from './ports.ts';

/** What a subscription tells its connection. */
export interface SubscriptionEvents {
  /** It was accepted; written before its first frame. */
  accepted(at: { readonly seq: number; readonly cursor: string | null }): void;
  /** The client does not take what it is sent: everything up to `from` was written, and it goes on from there elsewhere. */
  lagged(): void;
  /** It cannot go on for no fault of the client's. */
  failed(): void;
}

export interface Subscription {
  readonly channel: string;
  /** Channel and parameters in one spelling. */
  readonly key: string;
  close(): void;
}

export interface Hub {
  start(): void;
  subscribeQuotes(
    channel: QuoteChannel,
    client: FeedClient,
    params: { readonly [name: string]: Json },
    events: SubscriptionEvents,
  ): Subscription;
  subscribeLatest(
    channel: LatestChannel,
    client: FeedClient,
    params: { readonly [name: string]: Json },
    events: SubscriptionEvents,
  ): Subscription;
  /** `from` is null to begin with the present. */
  subscribeAnnouncements(
    channel: AnnouncementChannel,
    client: FeedClient,
    orgId: string,
    params: { readonly [name: string]: Json },
    from: Position | null,
    events: SubscriptionEvents,
  ): Subscription;
  stop(): void;
}

export interface HubOptions {
  /** A client that takes nothing for so long is told `lagged` and closed; 10 s unless told. */
  readonly stallMs?: number;
  /** At most so many catch-up reads at a time; 8 unless told. */
  readonly readsAtOnce?: number;
}

const STALL_MS = 10_000;
const READS_AT_ONCE = 8;
/** Below this a client that is being caught up gets the next piece. */
const DRAINED_BYTES = 64 * 1024;
const CATCH_UP_BYTES = 64 * 1024;
/** Quotes leave the buffer to the channels that may not drop: they are skipped far earlier. */
const SKIP_QUOTES_BYTES = 128 * 1024;
const RETRIES = 8;
const RETRY_MS = 100;
const RETRY_CAP_MS = 5_000;

/** The groups of one channel and organization. */
interface OrgGroups {
  all: SharedGroup | null;
  readonly byActor: Map<string, SharedGroup>;
}

interface SharedGroup {
  readonly group: Group;
  subscribers: number;
}

/** How far a channel has been followed. */
interface ChannelState {
  readonly channel: AnnouncementChannel;
  /** Groups that were there when it got here hear, or have heard, everything up to here; newcomers read it themselves. */
  position: Position;
  readonly orgs: Map<string, OrgGroups>;
  /** What an expanding channel has still to go through, in order. */
  readonly queue: { readonly rows: readonly AnnouncementRow[]; readonly position: Position }[];
  pumping: boolean;
}

interface QuoteGroup extends SharedGroup {
  readonly matches: (quote: FeedQuote) => boolean;
  /** Who does not take the quotes fast enough and gets the newest of all once it does. */
  readonly skipping: Set<Member>;
}

export function createHub(ports: FeedPorts, fanOut: FanOut, options: HubOptions = {}): Hub {
  const { clock, announcements } = ports;
  const stallMs = options.stallMs ?? STALL_MS;
  const states = new Map<string, ChannelState>();
  const quoteGroups = new Map<string, QuoteGroup>();
  let changedQuotes = new Map<string, FeedQuote>();
  let stops: (() => void)[] = [];
  let stopped = false;
  const latest = createLatestHub(ports, fanOut);
  const reads = createGate(options.readsAtOnce ?? READS_AT_ONCE);

  for (const channel of CHANNELS) {
    if (channel.kind !== 'announcements') continue;
    states.set(channel.name, { channel, position: { xid: 0, seq: 0, index: 0 }, orgs: new Map(), queue: [], pumping: false });
  }

  const pause = (ms: number): Promise<void> => new Promise((resolve) => clock.deadline(clock.now() + ms, resolve));

  // ---- announcements, live

  function follow(rows: readonly AnnouncementRow[], at: { readonly xid: number; readonly seq: number }): void {
    const position = wholeAnnouncement(at);
    const byChannel = new Map<string, AnnouncementRow[]>();
    for (const row of rows) {
      const list = byChannel.get(row.channel);
      if (list === undefined) byChannel.set(row.channel, [row]);
      else list.push(row);
    }
    for (const state of states.values()) {
      const own = byChannel.get(state.channel.name) ?? [];
      if (state.channel.expand === null) {
        state.position = position;
        for (const row of own) offerRow(state, row);
      } else if (own.length > 0 || state.pumping) {
        state.queue.push({ rows: own, position });
        void pump(state);
      } else {
        state.position = position;
      }
    }
  }

  /** Sends a row that is its own item. */
  function offerRow(state: ChannelState, row: AnnouncementRow): void {
    if (row.orgId === null && !state.channel.shared) {
      ports.reportDefect(
        new Error(`announcement ${row.xid}.${row.seq} on ${row.channel} names no organization and is sent to nobody`),
        'feeds',
      );
      return;
    }
    let frame: FrameText | null = null;
    const position = wholeAnnouncement(row);
    for (const [orgId, groups] of state.orgs) {
      if (row.orgId !== null && row.orgId !== orgId) continue;
      const narrow = row.actorId === null ? undefined : groups.byActor.get(row.actorId);
      if (groups.all === null && narrow === undefined) continue;
      frame ??= channelFrame(row.channel, 'update', formatCursor(position), row.at, JSON.stringify(row.body));
      groups.all?.group.offer(frame, position);
      narrow?.group.offer(frame, position);
    }
  }

  /** Goes through the queue of an expanding channel, one announcement after the other. */
  async function pump(state: ChannelState): Promise<void> {
    if (state.pumping) return;
    state.pumping = true;
    try {
      for (let next = state.queue.shift(); next !== undefined && !stopped; next = state.queue.shift()) {
        for (const row of next.rows) {
          // From here on a newcomer reads this row itself, and who is there now hears it.
          state.position = wholeAnnouncement(row);
          const orgs = [...state.orgs].filter(([orgId]) => row.orgId === null || row.orgId === orgId);
          for (const [orgId, groups] of orgs) {
            const items = await expandForCertain(state.channel, row, orgId);
            if (stopped) return;
            for (const item of items) offerItem(groups, row, item);
            await fanOut.settled();
          }
        }
        state.position = next.position;
      }
    } finally {
      state.pumping = false;
    }
  }

  async function expandForCertain(channel: AnnouncementChannel, row: AnnouncementRow, orgId: string): Promise<readonly FeedItem[]> {
    for (let attempt = 0; !stopped; attempt++) {
      try {
        return (await channel.expand?.(ports, row, orgId)) ?? [];
      } catch (error) {
        ports.reportDefect(error, `feeds: ${channel.name} ${row.xid}.${row.seq}`);
        await pause(Math.min(RETRY_MS * 2 ** Math.min(attempt, 10), RETRY_CAP_MS));
      }
    }
    return [];
  }

  function offerItem(groups: OrgGroups, row: AnnouncementRow, item: FeedItem): void {
    const narrow = item.actorId === null ? undefined : groups.byActor.get(item.actorId);
    if (groups.all === null && narrow === undefined) return;
    const { frame, position } = itemFrame(row, item);
    groups.all?.group.offer(frame, position);
    narrow?.group.offer(frame, position);
  }

  function itemFrame(row: AnnouncementRow, item: FeedItem): { frame: FrameText; position: Position } {
    const position: Position = { xid: row.xid, seq: row.seq, index: item.index ?? Number.POSITIVE_INFINITY };
    return { frame: channelFrame(row.channel, 'update', formatCursor(position), row.at, JSON.stringify(item.data)), position };
  }

  // ---- announcements, one subscription

  function groupFor(state: ChannelState, orgId: string, actorId: string | null): SharedGroup {
    let groups = state.orgs.get(orgId);
    if (groups === undefined) {
      groups = { all: null, byActor: new Map() };
      state.orgs.set(orgId, groups);
    }
    let shared = actorId === null ? groups.all : groups.byActor.get(actorId);
    if (shared === null || shared === undefined) {
      shared = { group: fanOut.group(), subscribers: 0 };
      if (actorId === null) groups.all = shared;
      else groups.byActor.set(actorId, shared);
    }
    shared.subscribers++;
    return shared;
  }

  function dropGroup(state: ChannelState, orgId: string, actorId: string | null, shared: SharedGroup): void {
    if (--shared.subscribers > 0) return;
    const groups = state.orgs.get(orgId) as OrgGroups;
    if (actorId === null) groups.all = null;
    else groups.byActor.delete(actorId);
    if (groups.all === null && groups.byActor.size === 0) state.orgs.delete(orgId);
  }

  function subscribeAnnouncements(
    channel: AnnouncementChannel,
    client: FeedClient,
    orgId: string,
    params: { readonly [name: string]: Json },
    from: Position | null,
    events: SubscriptionEvents,
  ): Subscription {
    const state = states.get(channel.name) as ChannelState;
    const actorId = (params[channel.actorParam] as string | undefined) ?? null;
    const shared = groupFor(state, orgId, actorId);
    let closed = false;
    const alive = (): boolean => !closed && !stopped && client.open;
    const member: Member & { position: Position } = {
      client,
      seq: shared.group.seq,
      position: from ?? state.position,
      fellBehind: () => void catchUp(),
    };

    function write(frames: readonly FrameText[]): void {
      client.write(renderFrames(client.wire, frames, member.seq + 1));
      member.seq += frames.length;
    }

    /** Waits until the client has taken nearly all it was sent. @returns false where it takes nothing any more, or is gone. */
    async function drained(): Promise<boolean> {
      let least = client.bufferedBytes();
      let progressAt = clock.now();
      while (alive()) {
        const buffered = client.bufferedBytes();
        if (buffered <= DRAINED_BYTES) return true;
        if (buffered < least) {
          least = buffered;
          progressAt = clock.now();
        } else if (clock.now() - progressAt >= stallMs) {
          lag();
          return false;
        }
        await pause(fanOut.flushMs);
      }
      return false;
    }

    function lag(): void {
      const at = clock.now();
      const range = { from: formatCursor(member.position), to: formatCursor(state.position) };
      write([channelFrame(channel.name, 'lagged', range.from, at, JSON.stringify(range))]);
      events.lagged();
    }

    /** Sends from the store what lies between the member's position and the live stream, then joins that. */
    async function catchUp(): Promise<void> {
      let failures = 0;
      while (alive()) {
        if (!(await drained())) return;
        if (comparePositions(member.position, state.position) >= 0) {
          // In the same turn as the comparison: nothing can come between.
          if (alive()) shared.group.join(member);
          return;
        }
        try {
          await readOn(state.position);
          failures = 0;
        } catch (error) {
          if (failures === 0) ports.reportDefect(error, `feeds: catching up on ${channel.name}`);
          if (++failures > RETRIES) {
            if (alive()) events.failed();
            return;
          }
          await pause(Math.min(RETRY_MS * 2 ** failures, RETRY_CAP_MS));
        }
      }
    }

    async function readOn(upTo: Position): Promise<void> {
      // A row that was sent in part is read again as a whole.
      const { xid, seq, index } = member.position;
      const after = { xid, seq: index === Number.POSITIVE_INFINITY ? seq : seq - 1 };
      const narrowed = channel.expand === null ? actorId : null;
      const filter = { channel: channel.name, orgId, actorId: narrowed, shared: channel.shared };
      const page = await reads(() => announcements.read(after, upTo, filter));
      let piece: FrameText[] = [];
      let bytes = 0;
      const send = async (): Promise<boolean> => {
        if (piece.length > 0 && alive()) write(piece);
        piece = [];
        bytes = 0;
        return drained();
      };
      for (const row of page.rows) {
        const { expand } = channel;
        const items: readonly FeedItem[] =
          expand === null ? [{ index: null, actorId: row.actorId, data: row.body as Json }] : await reads(() => expand(ports, row, orgId));
        for (const item of items) {
          if (!alive()) return;
          const { frame, position } = itemFrame(row, item);
          if (comparePositions(position, member.position) <= 0 || (actorId !== null && item.actorId !== actorId)) continue;
          piece.push(frame);
          bytes += frame.before.length + frame.after.length;
          member.position = position;
          if (bytes >= CATCH_UP_BYTES && !(await send())) return;
        }
      }
      if (piece.length > 0 && alive()) write(piece);
      const reached = wholeAnnouncement(page.position);
      if (alive() && comparePositions(reached, member.position) > 0) member.position = reached;
    }

    async function begin(): Promise<void> {
      events.accepted({ seq: member.seq, cursor: formatCursor(member.position) });
      if (from === null && channel.snapshot !== null) {
        for (let attempt = 0; ; attempt++) {
          try {
            // What is announced while it is being read comes again afterwards: a state twice, never a state missed.
            const data = await channel.snapshot(ports, orgId, actorId);
            if (!alive()) return;
            write([channelFrame(channel.name, 'snapshot', formatCursor(member.position), clock.now(), JSON.stringify(data))]);
            break;
          } catch (error) {
            ports.reportDefect(error, `feeds: snapshot of ${channel.name}`);
            if (attempt >= RETRIES) return alive() ? events.failed() : undefined;
            await pause(Math.min(RETRY_MS * 2 ** attempt, RETRY_CAP_MS));
            if (!alive()) return;
          }
        }
      }
      await catchUp();
    }
    begin().catch((error: unknown) => {
      ports.reportDefect(error, `feeds: ${channel.name}`);
      if (alive()) events.failed();
    });

    return {
      channel: channel.name,
      key: subscriptionKey(channel.name, params),
      close() {
        if (closed) return;
        closed = true;
        shared.group.leave(member);
        dropGroup(state, orgId, actorId, shared);
      },
    };
  }

  // ---- quotes

  function offerQuotes(): boolean {
    const changed = [...changedQuotes.values()];
    changedQuotes = new Map();
    const at = clock.now();
    const frames: (FrameText | null)[] = changed.map(() => null);
    let skipping = false;
    for (const group of quoteGroups.values()) {
      for (const member of group.skipping) {
        if (!member.client.open) group.skipping.delete(member);
        else if (member.client.bufferedBytes() <= DRAINED_BYTES) {
          group.skipping.delete(member);
          sendQuotes(group, member, at);
          group.group.join(member);
        }
      }
      skipping ||= group.skipping.size > 0;
      if (group.group.members.size === 0) continue;
      // Before anything is offered, so that quotes never take the buffer from the channels that may not drop.
      for (const member of group.group.members) {
        if (member.client.bufferedBytes() <= SKIP_QUOTES_BYTES) continue;
        group.group.leave(member);
        group.skipping.add(member);
        skipping = true;
      }
      for (const [index, quote] of changed.entries()) {
        if (!group.matches(quote)) continue;
        const frame = (frames[index] ??= channelFrame('quotes', 'update', null, at, quoteJson(quote)));
        group.group.offer(frame, null);
      }
    }
    return skipping;
  }

  function sendQuotes(group: QuoteGroup, member: Member, at: EpochMs): void {
    const data: string[] = [];
    for (const quote of ports.quotes.snapshot()) if (group.matches(quote)) data.push(quoteJson(quote));
    const frame = channelFrame('quotes', 'snapshot', null, at, `[${data.join(',')}]`);
    member.client.write(renderFrames(member.client.wire, [frame], member.seq + 1));
    member.seq++;
  }

  function subscribeQuotes(
    channel: QuoteChannel,
    client: FeedClient,
    params: { readonly [name: string]: Json },
    events: SubscriptionEvents,
  ): Subscription {
    const key = subscriptionKey(channel.name, params);
    let group = quoteGroups.get(key);
    if (group === undefined) {
      group = { group: fanOut.group(), subscribers: 0, matches: quoteFilter(params), skipping: new Set() };
      quoteGroups.set(key, group);
    }
    group.subscribers++;
    const mine = group;
    let closed = false;
    const member: Member = {
      client,
      seq: mine.group.seq,
      position: null,
      fellBehind: (late) => {
        mine.skipping.add(late);
      },
    };
    events.accepted({ seq: member.seq, cursor: null });
    sendQuotes(mine, member, clock.now());
    mine.group.join(member);
    return {
      channel: channel.name,
      key,
      close() {
        if (closed) return;
        closed = true;
        mine.group.leave(member);
        mine.skipping.delete(member);
        if (--mine.subscribers === 0) quoteGroups.delete(key);
      },
    };
  }

  return {
    start() {
      const present = wholeAnnouncement(announcements.position());
      for (const state of states.values()) state.position = present;
      fanOut.beforeFlush(() => (stopped ? false : offerQuotes()));
      fanOut.beforeFlush(() => (stopped ? false : latest.flush()));
      stops = [
        announcements.subscribe(follow),
        ports.quotes.subscribe((changed) => {
          if (quoteGroups.size === 0) return;
          for (const quote of changed) changedQuotes.set(feedQuoteKey(quote), quote);
          fanOut.arm();
        }),
      ];
    },
    subscribeQuotes,
    subscribeLatest: (channel, client, params, events) =>
      latest.subscribe(channel, subscriptionKey(channel.name, params), client, params, events),
    subscribeAnnouncements,
    stop() {
      stopped = true;
      latest.stop();
      for (const stop of stops) stop();
      stops = [];
    },
  };
}

/** Channel and parameters in one spelling: the same subscription has the same key. */
export function subscriptionKey(channel: string, params: { readonly [name: string]: Json }): string {
  return `${channel}${canonicalJson(params)}`;
}

/** Lets so many in at a time; the others wait in line. */
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
