/** Announcements to the groups that receive them live: by channel, organization and actor, each at one known position. */
import type { AnnouncementRow } from '../../src/adapters/store/actors/announced-rows.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { AnnouncementChannel, FeedItem } from './channels/channel.ts';
import { CHANNELS } from './channels/index.ts';
import { formatCursor, type Position, wholeAnnouncement } from './position.ts';
import type { FanOut, Group } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { channelFrame, type FrameText } from './frames.ts';

const RETRY_MS = 100;
const RETRY_CAP_MS = 5_000;

/** The groups of one channel and organization. */
interface OrgGroups {
  all: SharedGroup | null;
  readonly byActor: Map<string, SharedGroup>;
}

export interface SharedGroup {
  readonly group: Group;
  subscribers: number;
}

/** Progress of following a channel. */
export interface ChannelState {
  readonly channel: AnnouncementChannel;
  /** Position up to which members of a group have received, or will receive, everything. New members read the rest themselves. */
  position: Position;
  readonly orgs: Map<string, OrgGroups>;
  /** Remaining positions of an expanding channel, in order. */
  readonly queue: { readonly rows: readonly AnnouncementRow[]; readonly position: Position }[];
  pumping: boolean;
}

/** Frames by row, or by item of a row that contains many. Many clients that resume share them. */
const frames = new WeakMap<object, FrameText>();

/** Returns an announcement's item as a frame, and its position in the order. */
export function itemFrame(row: AnnouncementRow, item: FeedItem): { frame: FrameText; position: Position } {
  const position: Position = { xid: row.xid, seq: row.seq, index: item.index ?? Number.POSITIVE_INFINITY };
  return { frame: frameAnnouncement(item.index === null ? row : item, row, position, item.data), position };
}

function frameAnnouncement(key: object, { channel, at }: AnnouncementRow, position: Position, data: Json): FrameText {
  let frame = frames.get(key);
  if (frame === undefined) {
    frame = channelFrame(channel, 'update', formatCursor(position), at, JSON.stringify(data));
    frames.set(key, frame);
  }
  return frame;
}

export class AnnouncementGroups {
  readonly #ports: FeedPorts;
  readonly #fanOut: FanOut;
  readonly #states = new Map<string, ChannelState>();
  #stopped = false;

  constructor(ports: FeedPorts, fanOut: FanOut) {
    this.#ports = ports;
    this.#fanOut = fanOut;
    for (const channel of CHANNELS) {
      if (channel.kind !== 'announcements') continue;
      this.#states.set(channel.name, { channel, position: { xid: 0, seq: 0, index: 0 }, orgs: new Map(), queue: [], pumping: false });
    }
  }

  /** Follows every channel from now on. Returns a function that stops it. */
  follow(): () => void {
    const present = wholeAnnouncement(this.#ports.announcements.position());
    for (const state of this.#states.values()) state.position = present;
    return this.#ports.announcements.subscribe((rows, at) => this.#take(rows, at));
  }

  stop(): void {
    this.#stopped = true;
  }

  stateOf(channel: AnnouncementChannel): ChannelState {
    return this.#states.get(channel.name) as ChannelState;
  }

  #take(rows: readonly AnnouncementRow[], at: { readonly xid: number; readonly seq: number }): void {
    const position = wholeAnnouncement(at);
    const byChannel = new Map<string, AnnouncementRow[]>();
    for (const row of rows) {
      const list = byChannel.get(row.channel);
      if (list === undefined) byChannel.set(row.channel, [row]);
      else list.push(row);
    }
    for (const state of this.#states.values()) {
      const own = byChannel.get(state.channel.name) ?? [];
      if (state.channel.expand === null) {
        state.position = position;
        for (const row of own) this.#offerRow(state, row);
      } else if (own.length > 0 || state.pumping) {
        state.queue.push({ rows: own, position });
        void this.#pump(state);
      } else {
        state.position = position;
      }
    }
  }

  /** Sends a row that is a single item. */
  #offerRow(state: ChannelState, row: AnnouncementRow): void {
    if (row.orgId === null && !state.channel.shared) {
      this.#ports.reportDefect(
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
      frame ??= frameAnnouncement(row, row, position, row.body as Json);
      groups.all?.group.offer(frame, position);
      narrow?.group.offer(frame, position);
    }
  }

  /** Works through the queue of an expanding channel, one announcement after the other. */
  async #pump(state: ChannelState): Promise<void> {
    if (state.pumping) return;
    state.pumping = true;
    try {
      for (let next = state.queue.shift(); next !== undefined && !this.#stopped; next = state.queue.shift()) {
        for (const row of next.rows) {
          // New members read this row themselves from now on. Present members receive it.
          state.position = wholeAnnouncement(row);
          const orgs = [...state.orgs].filter(([orgId]) => row.orgId === null || row.orgId === orgId);
          for (const [orgId, groups] of orgs) {
            const items = await this.#expandForCertain(state.channel, row, orgId);
            if (this.#stopped) return;
            for (const item of items) offerItem(groups, row, item);
            await this.#fanOut.settled();
          }
        }
        state.position = next.position;
      }
    } finally {
      state.pumping = false;
    }
  }

  async #expandForCertain(channel: AnnouncementChannel, row: AnnouncementRow, orgId: string): Promise<readonly FeedItem[]> {
    const { clock } = this.#ports;
    for (let attempt = 0; !this.#stopped; attempt++) {
      try {
        return (await channel.expand?.(this.#ports, row, orgId)) ?? [];
      } catch (error) {
        this.#ports.reportDefect(error, `feeds: ${channel.name} ${row.xid}.${row.seq}`);
        const wait = Math.min(RETRY_MS * 2 ** Math.min(attempt, 10), RETRY_CAP_MS);
        await new Promise<void>((resolve) => clock.deadline(clock.now() + wait, resolve));
      }
    }
    return [];
  }

  /** Adds a subscriber to the group of a channel, organization and actor (null for all of its actors). Returns the group. */
  enter(state: ChannelState, orgId: string, actorId: string | null): SharedGroup {
    let groups = state.orgs.get(orgId);
    if (groups === undefined) {
      groups = { all: null, byActor: new Map() };
      state.orgs.set(orgId, groups);
    }
    let shared = actorId === null ? groups.all : groups.byActor.get(actorId);
    if (shared === null || shared === undefined) {
      shared = { group: this.#fanOut.group(), subscribers: 0 };
      if (actorId === null) groups.all = shared;
      else groups.byActor.set(actorId, shared);
    }
    shared.subscribers++;
    return shared;
  }

  /** Removes a subscriber. Removing the last one deletes the group. */
  leave(state: ChannelState, orgId: string, actorId: string | null, shared: SharedGroup): void {
    if (--shared.subscribers > 0) return;
    const groups = state.orgs.get(orgId) as OrgGroups;
    if (actorId === null) groups.all = null;
    else groups.byActor.delete(actorId);
    if (groups.all === null && groups.byActor.size === 0) state.orgs.delete(orgId);
  }
}

function offerItem(groups: OrgGroups, row: AnnouncementRow, item: FeedItem): void {
  const narrow = item.actorId === null ? undefined : groups.byActor.get(item.actorId);
  if (groups.all === null && narrow === undefined) return;
  const { frame, position } = itemFrame(row, item);
  groups.all?.group.offer(frame, position);
  narrow?.group.offer(frame, position);
}
