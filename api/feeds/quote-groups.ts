/** Sends quotes to groups of subscriptions. A member that reads too slowly is skipped, and gets the newest state once it catches up. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { QuoteChannel } from './channels/channel.ts';
import { type FeedQuote, feedQuoteKey, quoteFilter, quoteJson } from './channels/quotes.ts';
import { ConflatedGroup } from './conflated-group.ts';
import type { FanOut, FeedClient } from './fan-out.ts';
import type { FeedPorts } from './feed-ports.ts';
import { channelFrame, type FrameText } from './frames.ts';
import { type Subscription, type SubscriptionEvents, subscriptionKey } from './subscription.ts';

interface QuoteGroup {
  readonly group: ConflatedGroup;
  readonly matches: (quote: FeedQuote) => boolean;
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

  /** Collects changes until the next `offer`. Returns a function that stops it. */
  follow(): () => void {
    return this.#quotes.subscribe((changed) => {
      if (this.#groups.size === 0) return;
      for (const quote of changed) this.#changed.set(feedQuoteKey(quote), quote);
      this.#fanOut.arm();
    });
  }

  /** Offers the changes since the last call to every group. Returns true if a member was skipped and must be checked again. */
  offer(): boolean {
    const changed = [...this.#changed.values()];
    this.#changed = new Map();
    const at = this.#clock.now();
    const frames: (FrameText | null)[] = changed.map(() => null);
    let skipping = false;
    for (const { group, matches } of this.#groups.values()) {
      group.settle(at);
      skipping ||= group.isSkipping;
      if (group.isIdle) continue;
      for (const [index, quote] of changed.entries())
        if (matches(quote)) group.offer((frames[index] ??= channelFrame('quotes', 'update', null, at, quoteJson(quote))));
    }
    return skipping;
  }

  /** Sends the newest state to everybody again, and continues from there. */
  renew(): void {
    this.#changed = new Map();
    for (const { group } of this.#groups.values()) group.renew();
    this.#fanOut.arm();
  }

  #allOf(matches: QuoteGroup['matches']): readonly string[] {
    return this.#quotes.snapshot().filter(matches).map(quoteJson);
  }

  #groupOf(key: string, params: { readonly [name: string]: Json }): QuoteGroup {
    let group = this.#groups.get(key);
    if (group === undefined) {
      const matches = quoteFilter(params);
      group = { group: new ConflatedGroup('quotes', this.#fanOut.group(), () => this.#allOf(matches)), matches };
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
    const { group } = this.#groupOf(key, params);
    const member = group.enter(client);
    let closed = false;
    events.accepted({ seq: member.seq, cursor: null });
    group.begin(member, this.#clock.now());
    return {
      channel: channel.name,
      key,
      close: () => {
        if (closed) return;
        closed = true;
        if (group.leave(member)) this.#groups.delete(key);
      },
    };
  }
}
