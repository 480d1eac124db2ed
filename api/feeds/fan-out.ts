/**
 * Sends frames with one write per client and flush. Every frame of a group is encoded and compressed once, however many clients receive it.
 */
import type { EpochMs } from '../../src/domain/values/time.ts';
import { PacedCall } from '../../streams/clock/paced-call.ts';
import { comparePositions, type Position } from './position.ts';
import { type FrameText, frameText, renderFrames, type Wire } from './frames.ts';
import { deflatedBytes } from './shared-deflate.ts';

/** A connection of either transport. */
export interface FeedClient {
  readonly wire: Wire;
  /** Compression window that the client accepts, as a power of two, or null without compression. */
  readonly windowBits: number | null;
  /** False once it is closing. Nothing may then be written. */
  readonly open: boolean;
  /** Returns the written bytes that the kernel has not taken yet. */
  bufferedBytes(): number;
  write(bytes: Buffer): void;
  /** Collects writes until `uncork`, so that they are sent in one. */
  cork(): void;
  uncork(): void;
  /** Number of groups it is a member of. */
  memberships: number;
}

/** Membership of a client in a group. */
export interface Member {
  readonly client: FeedClient;
  /** Number of the last frame sent to it. */
  seq: number;
  /** Last position sent to it, or null in a group without positions. */
  position: Position | null;
  /** Called instead of a write if the client has fallen behind. The client is then no longer a member. */
  readonly fellBehind: (member: Member) => void;
}

/** A frame waiting to be sent to all members of a group. */
interface Pending {
  readonly frame: FrameText;
  readonly position: Position | null;
  /** Sequence number in the group. */
  readonly seq: number;
}

export interface Group {
  /** Number of the last offered frame. */
  readonly seq: number;
  readonly members: ReadonlySet<Member>;
  /** Number of frames that wait for the next flush. */
  readonly waiting: number;
  offer(frame: FrameText, position: Position | null): void;
  /** Adds a member. It receives later frames, and waiting ones beyond its position. */
  join(member: Member): void;
  leave(member: Member): void;
}

export interface FanOutOptions {
  readonly clock: { now(): EpochMs; deadline(at: EpochMs, call: () => void): () => void };
  /** Least milliseconds between two flushes. Frames in between are collected. Default 25. */
  readonly flushMs?: number;
  /** Unsent bytes from which a client has fallen behind. Default 512 KiB. */
  readonly behindBytes?: number;
  /** Maximum bytes of one group per flush, so that a burst is paced. Default 256 KiB. */
  readonly chunkBytes?: number;
}

export interface FanOut {
  group(): Group;
  /** Called at the start of each flush, to offer conflated changes. Return true for another flush. */
  beforeFlush(call: () => boolean): void;
  /** Schedules a flush. */
  arm(): void;
  flush(): void;
  /** Resolves once this many frames have been offered and none waits. */
  settled(): Promise<void>;
  readonly flushMs: number;
  readonly behindBytes: number;
  /** Frames times clients since the start. `writes` is the number of writes they took. */
  readonly deliveries: number;
  readonly writes: number;
  stop(): void;
}

const FLUSH_MS = 25;
const BEHIND_BYTES = 512 * 1024;
const CHUNK_BYTES = 256 * 1024;
/**
 * Minimum members and size of a chunk for compression. With fewer members an uncompressed write costs less processor time, and small chunks
 * hardly shrink.
 */
const DEFLATED = { members: 16, bytes: 1_024 } as const;
/** Maximum compressed forms of a chunk. Members at other numbers need other bytes, and get them uncompressed. */
const DEFLATED_FORMS = 4;

class SharedGroup implements Group {
  seq = 0;
  readonly members = new Set<Member>();
  #pending: Pending[] = [];
  readonly #flushing: ProcessFanOut;

  constructor(flushing: ProcessFanOut) {
    this.#flushing = flushing;
  }

  get waiting(): number {
    return this.#pending.length;
  }

  offer(frame: FrameText, position: Position | null): void {
    this.seq++;
    // Nobody is there to receive it: a later member reads it from the store or gets a snapshot.
    if (this.members.size === 0) return;
    this.#pending.push({ frame, position, seq: this.seq });
    this.#flushing.waits(this);
  }

  join(member: Member): void {
    this.members.add(member);
    member.client.memberships++;
  }

  leave(member: Member): void {
    if (this.members.delete(member)) member.client.memberships--;
  }

  /** Sends as much as one flush allows. Returns true if frames are left. */
  flush(): boolean {
    const pending = this.#pending;
    let bytes = 0;
    let count = 0;
    for (; count < pending.length && (count === 0 || bytes < this.#flushing.chunkBytes); count++) {
      const { frame } = pending[count] as Pending;
      bytes += frame.before.length + frame.after.length;
    }
    const chunk = count === pending.length ? pending : pending.slice(0, count);
    this.#pending = count === pending.length ? [] : pending.slice(count);
    if (chunk.length > 0) this.#send(chunk);
    return this.#pending.length > 0;
  }

  #send(chunk: readonly Pending[]): void {
    const flushing = this.#flushing;
    const last = chunk[chunk.length - 1] as Pending;
    const rendered = new RenderedChunk(chunk, this.members.size);
    for (const member of this.members) {
      const { client } = member;
      if (!client.open) continue;
      const firstNew = findFirstNew(chunk, member);
      if (firstNew < 0) continue;
      if (client.bufferedBytes() > flushing.behindBytes) {
        this.leave(member);
        member.fellBehind(member);
        continue;
      }
      const bytes = rendered.from(firstNew, client, member.seq + 1);
      if (client.memberships > 1 && !flushing.corked.has(client)) {
        client.cork();
        flushing.corked.add(client);
      }
      client.write(bytes);
      member.seq += chunk.length - firstNew;
      if (last.position !== null) member.position = last.position;
      flushing.deliveries += chunk.length - firstNew;
      flushing.writes++;
    }
  }
}

/** Returns the index of the first item of a chunk that was not sent to the member, or -1. */
function findFirstNew(chunk: readonly Pending[], { position: sent }: Member): number {
  const first = chunk[0] as Pending;
  if (sent === null || first.position === null || comparePositions(first.position, sent) > 0) return 0;
  return chunk.findIndex(({ position }) => position !== null && comparePositions(position, sent) > 0);
}

/** Bytes of a chunk, each encoded once. */
class RenderedChunk {
  readonly #chunk: readonly Pending[];
  readonly #frames: readonly FrameText[];
  readonly #deflates: boolean;
  /** Buffers by transport or window and by a member's offset from the group's numbers. Usually one buffer serves all. */
  readonly #whole = new Map<string, Buffer>();
  #deflated = 0;

  constructor(chunk: readonly Pending[], members: number) {
    this.#chunk = chunk;
    this.#frames = chunk.map(({ frame }) => frame);
    const bytes = this.#frames.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
    this.#deflates = members >= DEFLATED.members && bytes >= DEFLATED.bytes;
  }

  /** Encodes the frames from this index on. The first one gets the number `firstSeq`. */
  from(place: number, { wire, windowBits }: FeedClient, firstSeq: number): Buffer {
    if (place > 0) return renderFrames(wire, this.#frames.slice(place), firstSeq);
    const offset = firstSeq - (this.#chunk[0] as Pending).seq;
    if (this.#deflates && windowBits !== null) {
      const form = `${windowBits} ${offset}`;
      if (this.#whole.has(form) || this.#deflated++ < DEFLATED_FORMS)
        return this.#once(form, () => {
          const texts = this.#frames.map((frame, index) => frameText(frame, firstSeq + index));
          return deflatedBytes(texts, windowBits);
        });
    }
    return this.#once(`${wire} ${offset}`, () => renderFrames(wire, this.#frames, firstSeq));
  }

  #once(form: string, render: () => Buffer): Buffer {
    const known = this.#whole.get(form);
    if (known !== undefined) return known;
    const bytes = render();
    this.#whole.set(form, bytes);
    return bytes;
  }
}

/**
 * Creates the fan-out of a process. A write of 200 bytes costs the kernel as much as one of 2,000, so frames are collected for a few
 * milliseconds and sent as one buffer, which members of a group at the same number share.
 */
export function createFanOut(options: FanOutOptions): FanOut {
  return new ProcessFanOut(options);
}

class ProcessFanOut implements FanOut {
  readonly flushMs: number;
  readonly behindBytes: number;
  readonly chunkBytes: number;
  /** Clients whose writes are collected until the end of the flush. */
  readonly corked = new Set<FeedClient>();
  deliveries = 0;
  writes = 0;
  readonly #dirty = new Set<SharedGroup>();
  readonly #hooks: (() => boolean)[] = [];
  #waiters: (() => void)[] = [];
  readonly #flushing: PacedCall;
  #stopped = false;

  constructor({ clock, flushMs = FLUSH_MS, behindBytes = BEHIND_BYTES, chunkBytes = CHUNK_BYTES }: FanOutOptions) {
    this.flushMs = flushMs;
    this.#flushing = new PacedCall(clock, flushMs, () => this.flush());
    this.behindBytes = behindBytes;
    this.chunkBytes = chunkBytes;
  }

  group(): Group {
    return new SharedGroup(this);
  }

  beforeFlush(call: () => boolean): void {
    this.#hooks.push(call);
  }

  /** Marks a group that has frames for the next flush. */
  waits(group: SharedGroup): void {
    this.#dirty.add(group);
    this.arm();
  }

  arm(): void {
    if (!this.#stopped) this.#flushing.request();
  }

  flush(): void {
    let again = false;
    for (const hook of this.#hooks) again = hook() || again;
    for (const group of this.#dirty) if (!group.flush()) this.#dirty.delete(group);
    for (const client of this.corked) client.uncork();
    this.corked.clear();
    // Everything offered during this flush is now either sent or marked as waiting.
    this.#flushing.cancel();
    this.#flushing.ended();
    if (this.#dirty.size > 0 || again) this.arm();
    if (this.#dirty.size === 0) this.#release();
  }

  settled(): Promise<void> {
    return this.#dirty.size === 0 || this.#stopped ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }

  stop(): void {
    this.#stopped = true;
    this.#flushing.cancel();
    this.#release();
    this.#dirty.clear();
  }

  /** Resolves the waiters for an empty queue. */
  #release(): void {
    const settled = this.#waiters;
    this.#waiters = [];
    for (const call of settled) call();
  }
}
