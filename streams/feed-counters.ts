/** Counts received, refused and dropped messages per venue. */
import { VENUES, type Venue } from '../src/domain/market/venue.ts';

/** Counters of the streams besides received messages. */
export const COUNTED = [
  'duplicate',
  'out_of_order',
  'gap',
  'crossed',
  'one_sided',
  'clock_skew',
  'wide_confidence',
  'price_jump',
  'carried_forward',
  'late',
  'unclosed_bar',
  'bad_bar',
  'over_capacity',
  'feed_error',
] as const;
type Counted = (typeof COUNTED)[number];

/** Maximum unknown names kept per source. Further ones are counted together as `other`. */
const MAX_UNKNOWN_NAMES = 50;
const MAX_NAME_CHARACTERS = 60;

/** Counts an unknown field of a source's message. */
export type NoteUnknownField = (source: string, field: string) => void;

interface UnknownFieldCount {
  readonly source: string;
  readonly field: string;
  readonly count: number;
}

/** Unknown fields of a feed's messages, with their counts. */
export type UnknownFields = ReturnType<typeof createUnknownFields>;

/** Creates a counter of unknown fields by source and name, with bounded memory. */
export function createUnknownFields() {
  const sources = new Map<string, Map<string, number>>();
  return {
    note(source: string, field: string) {
      let fields = sources.get(source);
      if (fields === undefined) {
        fields = new Map();
        sources.set(source, fields);
      }
      const name = field.slice(0, MAX_NAME_CHARACTERS).toWellFormed();
      const kept = fields.has(name) || fields.size < MAX_UNKNOWN_NAMES ? name : 'other';
      fields.set(kept, (fields.get(kept) ?? 0) + 1);
    },
    rows: (): readonly UnknownFieldCount[] =>
      [...sources].flatMap(([source, fields]) => [...fields].map(([field, count]) => ({ source, field, count }))),
  };
}

export interface VenueCounts {
  readonly received: number;
  /** Messages that yielded nothing, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly counted: Readonly<Record<Counted, number>>;
  /** Unknown, ignored fields of messages. */
  readonly unknownFields: readonly UnknownFieldCount[];
}

interface Counts {
  received: number;
  readonly rejected: Record<string, number>;
  readonly counted: Record<Counted, number>;
}

/** Creates the counters. `feeds` are those that count unknown fields. */
export function createFeedCounters(feeds: readonly { readonly venue: Venue; readonly unknownFields?: UnknownFields }[] = []) {
  const venues = Object.fromEntries(
    VENUES.map((venue): [Venue, Counts] => [
      venue,
      { received: 0, rejected: {}, counted: Object.fromEntries(COUNTED.map((what) => [what, 0])) as Record<Counted, number> },
    ]),
  ) as Record<Venue, Counts>;
  return {
    received(venue: Venue): void {
      venues[venue].received++;
    },
    rejected(venue: Venue, reason: string): void {
      const { rejected } = venues[venue];
      rejected[reason] = (rejected[reason] ?? 0) + 1;
    },
    count(venue: Venue, what: Counted): void {
      venues[venue].counted[what]++;
    },
    snapshot: (): Readonly<Record<Venue, VenueCounts>> =>
      Object.fromEntries(
        Object.entries(structuredClone(venues)).map(([venue, counts]) => [
          venue,
          { ...counts, unknownFields: feeds.flatMap((feed) => (feed.venue === venue ? (feed.unknownFields?.rows() ?? []) : [])) },
        ]),
      ) as unknown as Record<Venue, VenueCounts>,
  };
}

/** Counters shared by a chain, a view and a merge. */
export type FeedCounters = ReturnType<typeof createFeedCounters>;
