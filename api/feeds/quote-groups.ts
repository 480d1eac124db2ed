/** Quotes to groups of subscriptions: who does not take them fast enough is skipped, and gets the newest of all once it does. */
import type { Json } from '../../src/domain/canonical-json.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import type { QuoteChannel } from './channels/channel.ts';
import { type FeedQuote, feedQuoteKey, quoteFilter, quoteJson } from './channels/quotes.ts';
import type { FanOut, FeedClient, Group, Member } from './fan-out.ts';
import { channelFrame, type FrameText, renderFrames } from './frames.ts';
import type { FeedPorts } from './ports.ts';
import { DRAINED_BYTES, type Subscription, type SubscriptionEvents, subscriptionKey } from './subscription.ts';

/** Quotes leave the buffer to the channels that may not drop: they are skipped far earlier. */
const SKIP_QUOTES_BYTES = 128 * 1024;

interface QuoteGroup {
  readonly group: Group;
  subscribers: number;
  readonly matches: (quote: FeedQuote) => boolean;
  /** Who does not take the quotes fast enough and gets the newest of all once it does. */
  readonly skipping: Set<Member>;
}

export class QuoteGroups {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #quotes: FeedPorts['quotes'];
  readonly #fanOut: FanOut;
  readonly #groups = new Map<string, QuoteGroup>();
  #changed = new Map<string, FeedQuote>();

  constructor({ clock, quotes }: Pick<FeedPorts, 'clock' | 'quotes'>, fanOut: FanOut) {
    this.#clock = clock;
    this.#quotes = quotes;
    this.#fanOut = fanOut;
  }

  /** Remembers what changed until the next `offer`. Returns what stops it. */
  follow(): () => void {
    return this.#quotes.subscribe((changed) => {
      if (this.#groups.size === 0) return;
      for (const quote of changed) this.#changed.set(feedQuoteKey(quote), quote);
      this.#fanOut.arm();
    });
  }

  /** Offers every group what changed since the last time. @returns whether somebody is skipped and has to be looked at again. */
  offer(): boolean {
    const changed = [...this.#changed.values()];
    this.#changed = new Map();
    const at = this.#clock.now();
    const frames: (FrameText | null)[] = changed.map(() => null);
    let skipping = false;
    for (const group of this.#groups.values()) {
      this.#letIn(group, at);
      skipping ||= group.skipping.size > 0;
      if (group.group.members.size === 0) continue;
      skipping = skipSlow(group) || skipping;
      for (const [index, quote] of changed.entries()) {
        if (!group.matches(quote)) continue;
        const frame = (frames[index] ??= channelFrame('quotes', 'update', null, at, quoteJson(quote)));
        group.group.offer(frame, null);
      }
    }
    return skipping;
  }

  /** Everybody receives the newest of all once more, and goes on from there. */
  renew(): void {
    this.#changed = new Map();
    for (const { group, skipping } of this.#groups.values()) for (const member of group.members) skip(group, skipping, member);
    this.#fanOut.arm();
  }

  /** Who has taken nearly all that it was sent receives the newest of all, and goes on. */
  #letIn(group: QuoteGroup, at: EpochMs): void {
    for (const member of group.skipping) {
      if (!member.client.open) group.skipping.delete(member);
      else if (member.client.bufferedBytes() <= DRAINED_BYTES) {
        group.skipping.delete(member);
        this.#sendAll(group, member, at);
        group.group.join(member);
      }
    }
  }

  #sendAll(group: QuoteGroup, member: Member, at: EpochMs): void {
    const data: string[] = [];
    for (const quote of this.#quotes.snapshot()) if (group.matches(quote)) data.push(quoteJson(quote));
    const frame = channelFrame('quotes', 'snapshot', null, at, `[${data.join(',')}]`);
    member.client.write(renderFrames(member.client.wire, [frame], member.seq + 1));
    member.seq++;
  }

  #groupOf(key: string, params: { readonly [name: string]: Json }): QuoteGroup {
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { group: this.#fanOut.group(), subscribers: 0, matches: quoteFilter(params), skipping: new Set() };
      this.#groups.set(key, group);
    }
    return group;
  }

  subscribe(
    channel: QuoteChannel,
    client: FeedClient,
    params: { readonly [name: string]: Json },
    events: SubscriptionEvents,
  ): Subscription {
    const key = subscriptionKey(channel.name, params);
    const mine = this.#groupOf(key, params);
    mine.subscribers++;
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
    this.#sendAll(mine, member, this.#clock.now());
    mine.group.join(member);
    return {
      channel: channel.name,
      key,
      close: () => {
        if (closed) return;
        closed = true;
        mine.group.leave(member);
        mine.skipping.delete(member);
        if (--mine.subscribers === 0) this.#groups.delete(key);
      },
    };
  }
}

/** Before anything is offered, so that quotes never take the buffer from the channels that may not drop. */
function skipSlow(group: QuoteGroup): boolean {
  let skipped = false;
  for (const member of group.group.members) {
    if (member.client.bufferedBytes() <= SKIP_QUOTES_BYTES) continue;
    skip(group.group, group.skipping, member);
    skipped = true;
  }
  return skipped;
}

function skip(group: Group, skipping: Set<Member>, member: Member): void {
  group.leave(member);
  skipping.add(member);
}
