/** Sends quotes to groups of subscriptions. A member that reads too slowly is skipped, and gets the newest state once it catches up. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
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
  /** Its newest quotes as JSON, until one changes. Many clients may subscribe at the same time. */
  newest: readonly string[] | null;
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
      for (const shared of this.#groups.values()) if (shared.newest !== null && changed.some(shared.matches)) shared.newest = null;
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
      group.resume(at);
      if (!group.isIdle) group.offer(frameMatches(changed, matches, frames, at));
      skipping ||= group.isSkipping;
    }
    return skipping;
  }

  /** Sends the newest state to everybody again, and continues from there. */
  renew(): void {
    this.#changed = new Map();
    for (const shared of this.#groups.values()) {
      shared.newest = null;
      shared.group.renew();
    }
    this.#fanOut.arm();
  }

  /** Returns the newest quotes of a group. What has changed and was not told yet comes as an update. */
  #newestOf(shared: QuoteGroup): readonly string[] {
    shared.newest ??= this.#quotes.snapshot().filter(shared.matches).map(quoteJson);
    return shared.newest;
  }

  #groupOf(key: string, params: { readonly [name: string]: Json }): QuoteGroup {
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const shared: QuoteGroup = {
      group: new ConflatedGroup('quotes', this.#fanOut.group(), () => this.#newestOf(shared)),
      matches: quoteFilter(params),
      newest: null,
    };
    this.#groups.set(key, shared);
    return shared;
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

/** Returns the frames of matching changes. @param known frames by index of the change, each made when the first group needs it */
function frameMatches(
  changed: readonly FeedQuote[],
  matches: QuoteGroup['matches'],
  known: (FrameText | null)[],
  at: EpochMs,
): FrameText[] {
  const found: FrameText[] = [];
  for (const [index, quote] of changed.entries())
    if (matches(quote)) found.push((known[index] ??= channelFrame('quotes', 'update', null, at, quoteJson(quote))));
  return found;
}
