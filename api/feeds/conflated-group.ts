/** Members of a conflated channel. A member that reads too slowly is skipped, and gets the newest state once it catches up. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { FeedClient, Group, Member } from './fan-out.ts';
import { channelFrame, type FrameText, renderFrames } from './frames.ts';
import { DRAINED_BYTES } from './subscription.ts';

/** Buffered bytes of a client above which these frames are skipped. The rest of the buffer is for channels that must not drop. */
const SKIP_BYTES = 128 * 1024;

export class ConflatedGroup {
  readonly #channel: string;
  readonly #group: Group;
  readonly #snapshot: () => readonly string[];
  readonly #skipping = new Set<Member>();
  #subscribers = 0;

  /** Creates the group. @param snapshot Returns the present state, each item as JSON. */
  constructor(channel: string, group: Group, snapshot: () => readonly string[]) {
    this.#channel = channel;
    this.#group = group;
    this.#snapshot = snapshot;
  }

  /** True if it has no members. */
  get isIdle(): boolean {
    return this.#group.members.size === 0;
  }

  /** True if a member waits for the newest state. */
  get isSkipping(): boolean {
    return this.#skipping.size > 0;
  }

  /** Adds a subscribed client, which receives nothing yet. */
  enter(client: FeedClient): Member {
    this.#subscribers++;
    return { client, seq: this.#group.seq, position: null, fellBehind: (late) => void this.#skipping.add(late) };
  }

  /** Sends the newest state, and from then on changes, in one turn so that nothing comes between. */
  begin(member: Member, at: EpochMs): void {
    const frame = channelFrame(this.#channel, 'snapshot', null, at, `[${this.#snapshot().join(',')}]`);
    member.client.write(renderFrames(member.client.wire, [frame], member.seq + 1));
    member.seq++;
    this.#group.join(member);
  }

  /** Removes a member. Returns true if it was the last one. */
  leave(member: Member): boolean {
    this.#group.leave(member);
    this.#skipping.delete(member);
    return --this.#subscribers === 0;
  }

  /** Resumes members that have read nearly all of their data. Call it before anything more is offered. */
  resume(at: EpochMs): void {
    for (const member of this.#skipping) {
      if (!member.client.open) this.#skipping.delete(member);
      else if (member.client.bufferedBytes() <= DRAINED_BYTES) {
        this.#skipping.delete(member);
        this.begin(member, at);
      }
    }
  }

  /** Offers frames to the members that have read nearly all of theirs, and skips the others. */
  offer(frames: readonly FrameText[]): void {
    if (frames.length === 0) return;
    for (const member of this.#group.members) if (member.client.bufferedBytes() > SKIP_BYTES) this.#skip(member);
    for (const frame of frames) this.#group.offer(frame, null);
  }

  /** Sends the newest state to every member again at the next turn. */
  renew(): void {
    for (const member of this.#group.members) this.#skip(member);
  }

  #skip(member: Member): void {
    this.#group.leave(member);
    this.#skipping.add(member);
  }
}
