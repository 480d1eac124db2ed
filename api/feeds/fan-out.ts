/** One write per client and flush: every frame of a group is encoded once, however many clients receive it. */
import type { EpochMs } from '../../src/domain/time.ts';
import { comparePositions, type Position } from './cursor.ts';
import { type FrameText, renderFrames, type Wire } from './frames.ts';

/** One connection, whatever carries it. */
export interface FeedClient {
  readonly wire: Wire;
  /** False once it is closing; nothing may be written then. */
  readonly open: boolean;
  /** Bytes that were written and that the kernel has not taken yet. */
  bufferedBytes(): number;
  write(bytes: Buffer): void;
  /** Gathers writes until `uncork`, so that they leave in one. */
  cork(): void;
  uncork(): void;
  /** How many groups it is a member of. */
  memberships: number;
}

/** A client's place in a group. */
export interface Member {
  readonly client: FeedClient;
  /** The number of the last frame that it was sent. */
  seq: number;
  /** The last place that it was sent; null in a group without positions. */
  position: Position | null;
  /** Called instead of a write where the client has fallen behind; it is no member any more. */
  readonly fellBehind: (member: Member) => void;
}

/** A frame that is to be sent to all members of a group. */
interface Pending {
  readonly frame: FrameText;
  readonly position: Position | null;
  /** Its number in the group. */
  readonly seq: number;
}

export interface Group {
  /** The number of the last frame that was offered. */
  readonly seq: number;
  readonly members: ReadonlySet<Member>;
  /** Frames that wait for the next flush. */
  readonly waiting: number;
  offer(frame: FrameText, position: Position | null): void;
  /** A member is told what is offered from now on, and of what waits already, what lies beyond its position. */
  join(member: Member): void;
  leave(member: Member): void;
}

export interface FanOutOptions {
  readonly clock: { now(): EpochMs; deadline(at: EpochMs, call: () => void): () => void };
  /** How long frames are gathered; 25 ms unless told. */
  readonly flushMs?: number;
  /** A client with more than this unsent has fallen behind, in bytes; half a MiB unless told. */
  readonly behindBytes?: number;
  /** At most so many bytes of one group per flush, so that a burst is paced; a quarter of a MiB unless told. */
  readonly chunkBytes?: number;
}

export interface FanOut {
  group(): Group;
  /** Called at the start of each flush, to offer what was conflated until then. Answers whether it wants another flush. */
  beforeFlush(call: () => boolean): void;
  /** Sees to it that a flush comes. */
  arm(): void;
  flush(): void;
  /** Resolves when so much as this has been offered and nothing waits any more. */
  settled(): Promise<void>;
  readonly flushMs: number;
  readonly behindBytes: number;
  /** Frames times clients since the start, and the writes that they took. */
  readonly deliveries: number;
  readonly writes: number;
  stop(): void;
}

const FLUSH_MS = 25;
const BEHIND_BYTES = 512 * 1024;
const CHUNK_BYTES = 256 * 1024;

/**
 * Makes the fan-out of a process. A write of 200 bytes costs the kernel as much as one of 2,000, so frames are gathered for
 * a few milliseconds and leave as one buffer, which all members of a group share where they stand at the same number.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  const { clock } = options;
  const flushMs = options.flushMs ?? FLUSH_MS;
  const behindBytes = options.behindBytes ?? BEHIND_BYTES;
  const chunkBytes = options.chunkBytes ?? CHUNK_BYTES;
  const dirty = new Set<SharedGroup>();
  const hooks: (() => boolean)[] = [];
  let waiters: (() => void)[] = [];
  const corked = new Set<FeedClient>();
  let cancel: (() => void) | null = null;
  let stopped = false;
  let deliveries = 0;
  let writes = 0;

  class SharedGroup implements Group {
    seq = 0;
    readonly members = new Set<Member>();
    pending: Pending[] = [];

    get waiting(): number {
      return this.pending.length;
    }

    offer(frame: FrameText, position: Position | null): void {
      this.seq++;
      // Nobody to receive it: whoever joins later reads it from the store or is given a snapshot.
      if (this.members.size === 0) return;
      this.pending.push({ frame, position, seq: this.seq });
      dirty.add(this);
      arm();
    }

    join(member: Member): void {
      this.members.add(member);
      member.client.memberships++;
    }

    leave(member: Member): void {
      if (this.members.delete(member)) member.client.memberships--;
    }

    /** Sends as much as one flush may. @returns whether something is left. */
    flush(): boolean {
      let bytes = 0;
      let count = 0;
      for (; count < this.pending.length && (count === 0 || bytes < chunkBytes); count++) {
        const { frame } = this.pending[count] as Pending;
        bytes += frame.before.length + frame.after.length;
      }
      const chunk = count === this.pending.length ? this.pending : this.pending.slice(0, count);
      this.pending = count === this.pending.length ? [] : this.pending.slice(count);
      if (chunk.length > 0) this.#send(chunk);
      return this.pending.length > 0;
    }

    #send(chunk: readonly Pending[]): void {
      const frames = chunk.map(({ frame }) => frame);
      const first = chunk[0] as Pending;
      const last = chunk[chunk.length - 1] as Pending;
      // By wire and by how far a member's numbers are from the group's: nearly always one buffer for all.
      const rendered = { websocket: new Map<number, Buffer>(), sse: new Map<number, Buffer>() };
      for (const member of this.members) {
        const { client } = member;
        if (!client.open) continue;
        let whole = true;
        let firstNew = 0;
        if (member.position !== null && first.position !== null && comparePositions(first.position, member.position) <= 0) {
          whole = false;
          firstNew = chunk.findIndex(({ position }) => position !== null && comparePositions(position, member.position as Position) > 0);
          if (firstNew < 0) continue;
        }
        if (client.bufferedBytes() > behindBytes) {
          this.leave(member);
          member.fellBehind(member);
          continue;
        }
        const firstSeq = member.seq + 1;
        let bytes: Buffer | undefined;
        if (whole) {
          const offset = firstSeq - first.seq;
          bytes = rendered[client.wire].get(offset);
          if (bytes === undefined) {
            bytes = renderFrames(client.wire, frames, firstSeq);
            rendered[client.wire].set(offset, bytes);
          }
        } else {
          bytes = renderFrames(client.wire, frames.slice(firstNew), firstSeq);
        }
        if (client.memberships > 1 && !corked.has(client)) {
          client.cork();
          corked.add(client);
        }
        client.write(bytes);
        member.seq += chunk.length - firstNew;
        if (last.position !== null) member.position = last.position;
        deliveries += chunk.length - firstNew;
        writes++;
      }
    }
  }

  function disarm(): void {
    cancel?.();
    cancel = null;
  }

  function arm(): void {
    if (!stopped) cancel ??= clock.deadline(clock.now() + flushMs, flush);
  }

  function flush(): void {
    disarm();
    let again = false;
    for (const hook of hooks) again = hook() || again;
    for (const group of dirty) if (!group.flush()) dirty.delete(group);
    for (const client of corked) client.uncork();
    corked.clear();
    // What was offered during this flush is either sent by now or counted as dirty.
    disarm();
    if (dirty.size > 0 || again) arm();
    if (dirty.size === 0) {
      const settled = waiters;
      waiters = [];
      for (const call of settled) call();
    }
  }

  return {
    group: () => new SharedGroup(),
    beforeFlush: (call) => void hooks.push(call),
    arm,
    flush,
    settled: () => (dirty.size === 0 || stopped ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    flushMs,
    behindBytes,
    get deliveries() {
      return deliveries;
    },
    get writes() {
      return writes;
    },
    stop() {
      stopped = true;
      disarm();
      for (const call of waiters) call();
      waiters = [];
      dirty.clear();
    },
  };
}
