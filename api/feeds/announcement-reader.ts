/** One subscription to announcements: begins with a snapshot or a cursor, reads what it lacks from the store, then joins the live group. */
import type { AnnouncementRow } from '../../src/adapters/store/actors/announced-rows.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type ChannelState, itemFrame, type SharedGroup } from './announcement-groups.ts';
import type { FeedItem } from './channels/channel.ts';
import { comparePositions, formatCursor, type Position, wholeAnnouncement } from './position.ts';
import type { FeedClient, Member } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { channelFrame, type FrameText, renderFrames } from './frames.ts';
import { DRAINED_BYTES, type SubscriptionEvents } from './subscription.ts';

const CATCH_UP_BYTES = 64 * 1024;
const RETRIES = 8;
const RETRY_MS = 100;
const RETRY_CAP_MS = 5_000;

interface AnnouncementReaderDeps {
  readonly ports: FeedPorts;
  readonly state: ChannelState;
  readonly shared: SharedGroup;
  readonly client: FeedClient;
  readonly orgId: string;
  /** Restricts to this actor, or null for all. */
  readonly actorId: string | null;
  /** Start, or null for now. */
  readonly from: Position | null;
  readonly events: SubscriptionEvents;
  /** Milliseconds without reading after which a client lags. */
  readonly stallMs: number;
  readonly flushMs: number;
  /** Limits concurrent reads of the store. */
  readonly reads: <Value>(work: () => Promise<Value>) => Promise<Value>;
  /** False once the hub has stopped. */
  readonly isRunning: () => boolean;
}

export class AnnouncementReader {
  readonly #deps: AnnouncementReaderDeps;
  readonly #member: Member & { position: Position };
  #closed = false;

  constructor(deps: AnnouncementReaderDeps) {
    this.#deps = deps;
    this.#member = {
      client: deps.client,
      seq: deps.shared.group.seq,
      position: deps.from ?? deps.state.position,
      fellBehind: () => void this.#catchUp(),
    };
  }

  /** Confirms the subscription and begins. Reports failures to the connection. */
  start(): void {
    const { ports, state, events } = this.#deps;
    this.#begin().catch((error: unknown) => {
      ports.reportDefect(error, `feeds: ${state.channel.name}`);
      if (this.#alive()) events.failed();
    });
  }

  /** Closes the subscription. Returns true if it was open. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    this.#deps.shared.group.leave(this.#member);
    return true;
  }

  #alive(): boolean {
    return !this.#closed && this.#deps.isRunning() && this.#deps.client.open;
  }

  #pause(ms: number): Promise<void> {
    const { clock } = this.#deps.ports;
    return new Promise((resolve) => clock.deadline(clock.now() + ms, resolve));
  }

  #write(frames: readonly FrameText[]): void {
    const { client } = this.#deps;
    client.write(renderFrames(client.wire, frames, this.#member.seq + 1));
    this.#member.seq += frames.length;
  }

  async #begin(): Promise<void> {
    const { from, state, events } = this.#deps;
    events.accepted({ seq: this.#member.seq, cursor: formatCursor(this.#member.position) });
    if (from === null && state.channel.snapshot !== null && !(await this.#sendSnapshot(state.channel.snapshot))) return;
    await this.#catchUp();
  }

  /** Sends the snapshot. Returns false if it failed or the client is gone. */
  async #sendSnapshot(snapshot: NonNullable<ChannelState['channel']['snapshot']>): Promise<boolean> {
    const { ports, state, orgId, actorId, events } = this.#deps;
    const { name } = state.channel;
    for (let attempt = 0; ; attempt++) {
      try {
        // Announcements made during a read come again afterwards: a state may come twice and is never missed.
        const data = await snapshot.read(ports, orgId, actorId);
        if (!this.#alive()) return false;
        this.#write([channelFrame(name, 'snapshot', formatCursor(this.#member.position), ports.clock.now(), JSON.stringify(data))]);
        return true;
      } catch (error) {
        ports.reportDefect(error, `feeds: snapshot of ${name}`);
        if (attempt >= RETRIES) {
          if (this.#alive()) events.failed();
          return false;
        }
        await this.#pause(Math.min(RETRY_MS * 2 ** attempt, RETRY_CAP_MS));
        if (!this.#alive()) return false;
      }
    }
  }

  /** Sends the stored announcements between the member's position and the live stream, then joins the stream. */
  async #catchUp(): Promise<void> {
    const { ports, state, shared, events } = this.#deps;
    let failures = 0;
    while (this.#alive()) {
      if (!(await this.#drained())) return;
      if (comparePositions(this.#member.position, state.position) >= 0) {
        // In the same turn as the comparison, so that nothing comes between.
        if (this.#alive()) shared.group.join(this.#member);
        return;
      }
      try {
        await this.#readOn(state.position);
        failures = 0;
      } catch (error) {
        if (failures === 0) ports.reportDefect(error, `feeds: catching up on ${state.channel.name}`);
        if (++failures > RETRIES) {
          if (this.#alive()) events.failed();
          return;
        }
        await this.#pause(Math.min(RETRY_MS * 2 ** failures, RETRY_CAP_MS));
      }
    }
  }

  /** Waits until the client has read nearly everything. Returns false if it reads nothing any more, or is gone. */
  async #drained(): Promise<boolean> {
    const { client, ports, stallMs, flushMs } = this.#deps;
    let least = client.bufferedBytes();
    let progressAt = ports.clock.now();
    while (this.#alive()) {
      const buffered = client.bufferedBytes();
      if (buffered <= DRAINED_BYTES) return true;
      if (buffered < least) {
        least = buffered;
        progressAt = ports.clock.now();
      } else if (ports.clock.now() - progressAt >= stallMs) {
        this.#lag();
        return false;
      }
      await this.#pause(flushMs);
    }
    return false;
  }

  #lag(): void {
    const { ports, state, events } = this.#deps;
    const at = ports.clock.now();
    const range = { from: formatCursor(this.#member.position), to: formatCursor(state.position) };
    this.#write([channelFrame(state.channel.name, 'lagged', range.from, at, JSON.stringify(range))]);
    events.lagged();
  }

  /** Reads one page and sends it in pieces that the client can take. */
  async #readOn(upTo: Position): Promise<void> {
    const { ports, state, orgId, actorId, reads } = this.#deps;
    const { channel } = state;
    const member = this.#member;
    // A partly sent row is read again as a whole.
    const { xid, seq, index } = member.position;
    const after = { xid, seq: index === Number.POSITIVE_INFINITY ? seq : seq - 1 };
    const filter = { channel: channel.name, orgId, actorId: channel.expand === null ? actorId : null, shared: channel.shared };
    const page = await reads(() => ports.announcements.read(after, upTo, filter));
    let piece: FrameText[] = [];
    let bytes = 0;
    const send = (): void => {
      if (piece.length > 0 && this.#alive()) this.#write(piece);
      piece = [];
      bytes = 0;
    };
    try {
      for (const row of page.rows) {
        for (const item of await this.#itemsOf(row)) {
          if (!this.#alive()) return;
          const { frame, position } = itemFrame(row, item);
          if (comparePositions(position, member.position) <= 0 || (actorId !== null && item.actorId !== actorId)) continue;
          piece.push(frame);
          bytes += frame.before.length + frame.after.length;
          member.position = position;
          if (bytes < CATCH_UP_BYTES) continue;
          send();
          if (!(await this.#drained())) return;
        }
      }
    } finally {
      // The position already counts the collected frames: if reading the next row fails, they must not be lost.
      send();
    }
    const reached = wholeAnnouncement(page.position);
    if (this.#alive() && comparePositions(reached, member.position) > 0) member.position = reached;
  }

  async #itemsOf(row: AnnouncementRow): Promise<readonly FeedItem[]> {
    const { ports, state, orgId, reads } = this.#deps;
    const { expand } = state.channel;
    if (expand === null) return [{ index: null, actorId: row.actorId, data: row.body as Json }];
    return reads(() => expand(ports, row, orgId));
  }
}
