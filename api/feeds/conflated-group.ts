/** The members of a channel that shows the newest state: who does not take its frames fast enough is skipped, and gets the newest of all once it does. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { FeedClient, Group, Member } from './fan-out.ts';
import { channelFrame, type FrameText, renderFrames } from './frames.ts';
import { DRAINED_BYTES } from './subscription.ts';

/** Buffered bytes of a client above which these frames are skipped: the rest is for channels that may not drop. */
const SKIP_BYTES = 128 * 1024;

export class ConflatedGroup {
  readonly #channel: string;
  readonly #group: Group;
  readonly #snapshot: () => readonly string[];
  readonly #skipping = new Set<Member>();
  #subscribers = 0;

  /** @param snapshot Everything at this moment, each item as JSON. */
  constructor(channel: string, group: Group, snapshot: () => readonly string[]) {
    this.#channel = channel;
    this.#group = group;
    this.#snapshot = snapshot;
  }

  /** True if it has no members at the moment. */
  get isIdle(): boolean {
    return this.#group.members.size === 0;
  }

  /** True if a member waits for the newest of all. */
  get isSkipping(): boolean {
    return this.#skipping.size > 0;
  }

  /** Adds a client that has subscribed and receives nothing yet. */
  enter(client: FeedClient): Member {
    this.#subscribers++;
    return { client, seq: this.#group.seq, position: null, fellBehind: (late) => void this.#skipping.add(late) };
  }

  /** Sends the newest of all, and from here on what changes: in one turn, so that nothing comes between. */
  begin(member: Member, at: EpochMs): void {
    const frame = channelFrame(this.#channel, 'snapshot', null, at, `[${this.#snapshot().join(',')}]`);
    member.client.write(renderFrames(member.client.wire, [frame], member.seq + 1));
    member.seq++;
    this.#group.join(member);
  }

  /** @returns whether nobody has subscribed any more. */
  leave(member: Member): boolean {
    this.#group.leave(member);
    this.#skipping.delete(member);
    return --this.#subscribers === 0;
  }

  /** Resumes members that have taken nearly all of their data and skips the others, before anything more is offered. */
  settle(at: EpochMs): void {
    for (const member of this.#skipping) {
      if (!member.client.open) this.#skipping.delete(member);
      else if (member.client.bufferedBytes() <= DRAINED_BYTES) {
        this.#skipping.delete(member);
        this.begin(member, at);
      }
    }
    for (const member of this.#group.members) if (member.client.bufferedBytes() > SKIP_BYTES) this.#skip(member);
  }

  offer(frame: FrameText): void {
    this.#group.offer(frame, null);
  }

  /** Sends the newest of all to every member once more at the next turn. */
  renew(): void {
    for (const member of this.#group.members) this.#skip(member);
  }

  #skip(member: Member): void {
    this.#group.leave(member);
    this.#skipping.add(member);
  }
}
