/** What was heard, refused and dropped, counted per venue: nothing disappears without a number. */
import { VENUES, type Venue } from '../src/domain/venue.ts';

/** What the streams count besides what is received. */
export const COUNTED = [
  'duplicate',
  'out_of_order',
  'gap',
  'crossed',
  'one_sided',
  'clock_skew',
  'wide_confidence',
  'carried_forward',
  'late',
  'unclosed_bar',
  'bad_bar',
  'over_capacity',
  'feed_error',
] as const;
export type Counted = (typeof COUNTED)[number];

export interface VenueCounts {
  readonly received: number;
  /** Messages that yielded nothing, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly counted: Readonly<Record<Counted, number>>;
}

/** Counters that a chain, a view and a merge share. */
export interface FeedCounters {
  received(venue: Venue): void;
  rejected(venue: Venue, reason: string): void;
  count(venue: Venue, what: Counted): void;
  snapshot(): Readonly<Record<Venue, VenueCounts>>;
}

interface Counts {
  received: number;
  readonly rejected: Record<string, number>;
  readonly counted: Record<Counted, number>;
}

export function createFeedCounters(): FeedCounters {
  const venues = Object.fromEntries(
    VENUES.map((venue): [Venue, Counts] => [
      venue,
      { received: 0, rejected: {}, counted: Object.fromEntries(COUNTED.map((what) => [what, 0])) as Record<Counted, number> },
    ]),
  ) as Record<Venue, Counts>;
  return {
    received(venue) {
      venues[venue].received++;
    },
    rejected(venue, reason) {
      const { rejected } = venues[venue];
      rejected[reason] = (rejected[reason] ?? 0) + 1;
    },
    count(venue, what) {
      venues[venue].counted[what]++;
    },
    snapshot: () => structuredClone(venues),
  };
}
