/** Turns silence into an event: a timer marks old quotes stale, without waiting for a next quote. */
import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { VENUES, type Venue } from '../../src/domain/market/venue.ts';
import type { Clock } from '../clock/clock.ts';
import { type FeedLife, FeedLives } from '../feed-life.ts';
import { withQuoteFlags, withReferenceFlags, OVER_AGE } from '../quality/flag-bits.ts';
import { SlotTable } from '../slot-table.ts';
import { chooseFreshness, type RuleOptions } from './rule.ts';

interface StaleOptions extends RuleOptions {
  readonly clock: Clock;
}

interface StaleSlot {
  /** Last event as received, without time flags. */
  event: Quote | ReferencePrice | null;
  readonly life: FeedLife;
  /** Time flags that were emitted last. */
  bits: number;
  cancel: (() => void) | null;
}

/** Creates a keeper. It uses at most one timer per feed and instrument, renewed only when it fires, so that a quote costs no timer. */
function createStaleKeeper(options: StaleOptions, emit: (message: FeedMessage) => void) {
  const { clock } = options;
  const freshness = chooseFreshness(options);
  const lives = new FeedLives();
  const slotsOf = new Map<FeedLife, StaleSlot[]>();
  let stopped = false;

  const createTable = (venue: Venue): SlotTable<StaleSlot> =>
    new SlotTable((source) => {
      const life = lives.of(venue, source);
      const slot: StaleSlot = { event: null, life, bits: 0, cancel: null };
      const slots = slotsOf.get(life);
      if (slots === undefined) slotsOf.set(life, [slot]);
      else slots.push(slot);
      return slot;
    });
  const tables = Object.fromEntries(VENUES.map((venue) => [venue, createTable(venue)])) as Record<Venue, SlotTable<StaleSlot>>;

  function marked(event: Quote | ReferencePrice, bits: number): Quote | ReferencePrice {
    if (bits === 0) return event;
    return event.kind === 'quote' ? withQuoteFlags(event, bits) : withReferenceFlags(event, bits);
  }

  function arm(slot: StaleSlot, event: Quote | ReferencePrice): void {
    // An age equal to the limit is allowed.
    const overAt = freshness.evidenceAt(event, slot.life) + freshness.maxAgeMs(event) + 1;
    slot.cancel = clock.deadline(overAt, () => {
      slot.cancel = null;
      if (!stopped) review(slot, clock.now());
    });
  }

  /** Checks a slot again, without a new event. */
  function review(slot: StaleSlot, at: EpochMs): void {
    const { event } = slot;
    if (event === null) return;
    const bits = freshness.bitsAt(event, slot.life, at);
    if (bits !== slot.bits) {
      slot.bits = bits;
      emit(marked(event, bits));
    }
    // A subscriber may have caused a newer event, which set the timer itself.
    if ((bits & OVER_AGE) === 0 && slot.cancel === null && slot.event === event && isTimed(event, at, slot)) arm(slot, event);
  }

  function isTimed(event: Quote | ReferencePrice, at: EpochMs, slot: StaleSlot): boolean {
    return at - freshness.evidenceAt(event, slot.life) <= freshness.maxAgeMs(event);
  }

  function takeEvent(event: Quote | ReferencePrice): void {
    lives.receive(event);
    const slot = tables[event.venue].at(event.source, event.instrument);
    slot.event = event;
    slot.bits = freshness.bitsAt(event, slot.life, event.receivedAt);
    emit(marked(event, slot.bits));
    if (slot.cancel === null && slot.event === event && isTimed(event, event.receivedAt, slot)) arm(slot, event);
  }

  return {
    /** Handles the next message: emits it, marked, and the changes it causes in others. */
    take(message: FeedMessage): void {
      if (message.kind === 'quote' || message.kind === 'reference') {
        takeEvent(message);
        return;
      }
      const life = lives.receive(message);
      if (message.kind !== 'heartbeat' && message.kind !== 'feed_status') {
        emit(message);
        return;
      }
      emit(message);
      // A sign of life restores what only silence had made stale. A lost connection degrades all of its quotes.
      for (const slot of slotsOf.get(life) ?? []) {
        if (message.kind === 'feed_status' || slot.bits !== 0) review(slot, message.receivedAt);
      }
    },
    /** Cancels every timer. */
    stop(): void {
      stopped = true;
      for (const slots of slotsOf.values()) for (const slot of slots) slot.cancel?.();
    },
  };
}

/**
 * Marks the latest quote of a feed and instrument `stale` with `over_age` when its age passes the venue's limit, by a
 * timer, and emits it again; the next fresh quote, or on a feed that only speaks of changes the next heartbeat, heals it.
 * A lost connection marks every quote of its feed `degraded` with `feed_down` at once.
 * ```
 * source   --a-----------b--|
 * stale()  --a------a'---b--|    (': stale, over_age; 5 s and 1 ms after a)
 * ```
 */
export function stale(options: StaleOptions): MonoTypeOperatorFunction<FeedMessage> {
  return (source) =>
    new Observable((subscriber) => {
      const keeper = createStaleKeeper(options, (message) => subscriber.next(message));
      const subscription = source.subscribe({
        next: (message) => keeper.take(message),
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      return () => {
        keeper.stop();
        subscription.unsubscribe();
      };
    });
}
