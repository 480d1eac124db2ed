/** A rule over the messages of the streams, and the operator that carries it. */
import { type MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { FeedMessage, FeedStatus } from '../../src/domain/market-event.ts';
import type { FeedCounters } from '../feed-counters.ts';
import { providerOf } from '../feed-life.ts';
import { createFreshness, type Freshness } from '../freshness.ts';
import { SlotTable } from '../slot-table.ts';

/** Takes a message and returns it, a marked copy of it, or null where it is dropped. */
export type Rule = (message: FeedMessage) => FeedMessage | null;

export interface RuleOptions {
  /** Limits, sessions and issuer marks; the defaults where it is missing. */
  readonly freshness?: Freshness;
  readonly counters?: FeedCounters;
}

const DEFAULT_FRESHNESS = createFreshness();

export function freshnessOf(options: RuleOptions): Freshness {
  return options.freshness ?? DEFAULT_FRESHNESS;
}

/** The operator of a rule: every subscription has a rule, and thereby a memory, of its own. */
export function ruleOperator(createRule: () => Rule): MonoTypeOperatorFunction<FeedMessage> {
  return (source) =>
    new Observable((subscriber) => {
      const rule = createRule();
      return source.subscribe({
        next: (message) => {
          const kept = rule(message);
          if (kept !== null) subscriber.next(kept);
        },
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}

/** Instruments remembered of one source: a feed that invents names costs memory of its own, not of the process. */
const MAX_INSTRUMENTS = 20_000;

/** Slots by venue, source and instrument, which a new connection of their provider can find again. */
export class FeedSlots<Slot> {
  readonly #create: () => Slot;
  readonly #venues = new Map<string, SlotTable<Slot>>();
  #lastVenue = '';
  #lastTable: SlotTable<Slot> | null = null;

  constructor(create: () => Slot) {
    this.#create = create;
  }

  at(venue: string, source: string, instrument: string): Slot {
    let table = this.#lastVenue === venue ? this.#lastTable : null;
    if (table === null) {
      const known = this.#venues.get(venue);
      if (known === undefined) {
        table = new SlotTable(this.#create, MAX_INSTRUMENTS);
        this.#venues.set(venue, table);
      } else table = known;
      this.#lastVenue = venue;
      this.#lastTable = table;
    }
    return table.at(source, instrument);
  }

  /** Calls for every slot that the connection of a status fed. */
  eachOf(status: FeedStatus, call: (slot: Slot) => void): void {
    const provider = providerOf(status.source);
    this.#venues.get(status.venue)?.each((slot, source) => {
      if (providerOf(source) === provider) call(slot);
    });
  }
}
