/** Freshness of an event at an instant: flags for age, silence, sessions and lost connections. */
import { CATALOG, type Catalog } from '../../src/domain/catalog/catalog.ts';
import type { Quote, ReferencePrice, Session } from '../../src/domain/market/quote.ts';
import { sessionAt as usSessionAt } from '../../src/domain/market/session.ts';
import { type EpochMs, isOutdated } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import type { FeedLimits } from '../../src/domain/venues/venue-facts.ts';
import type { FeedLife } from '../feed-life.ts';
import { ageMs, CARRIED_FORWARD, FEED_DOWN, OVER_AGE, RESYNCING, SESSION_CLOSED } from './flag-bits.ts';
import { findLimits, type QualityLimits, qualityLimits } from './quality-limits.ts';
import { SlotTable } from '../slot-table.ts';

export interface FreshnessOptions {
  readonly limits?: QualityLimits;
  readonly sessionAt?: (at: EpochMs) => Session;
  /** Reference instruments that are issuers' private marks, which have no session and age in days. */
  readonly issuerMarks?: ReadonlySet<string>;
}

function listIssuerMarks(catalog: Pick<Catalog, 'entries'>): ReadonlySet<string> {
  const marked = catalog.entries.filter((entry) => entry.benchmarkKind === 'issuer_mark');
  return new Set(marked.map((entry) => (entry.benchmark ?? '').slice('reference:'.length)));
}

/** Freshness rules with one set of limits. */
export interface Freshness {
  readonly limits: QualityLimits;
  readonly sessionAt: (at: EpochMs) => Session;
  feedLimits(event: Quote | ReferencePrice): FeedLimits;
  sourceLimits(venue: Venue, source: string): FeedLimits;
  /** Returns the maximum age of this event in milliseconds. */
  maxAgeMs(event: Quote | ReferencePrice): number;
  isIssuerMark(reference: ReferencePrice): boolean;
  /**
   * Returns the latest instant at which the event is known to have been true: its own time (its receipt if the venue sends none), or, on a
   * feed that only sends changes, the last sign of life of its connection.
   */
  evidenceAt(event: Quote | ReferencePrice, life: FeedLife): EpochMs;
  /** Returns the flags of a reference price whose session is closed or whose price is carried forward. */
  sessionBits(reference: ReferencePrice, at: EpochMs): number;
  /** Returns the same plus `over_age` if nothing else explains its age. */
  referenceBits(reference: ReferencePrice, at: EpochMs): number;
  /** Returns the flags that depend on the instant: `over_age`, `session_closed`, `carried_forward`, `feed_down`, `resyncing`. */
  bitsAt(event: Quote | ReferencePrice, life: FeedLife, at: EpochMs): number;
}

export function createFreshness(options: FreshnessOptions = {}): Freshness {
  const limits = options.limits ?? qualityLimits();
  const sessionAt = options.sessionAt ?? usSessionAt;
  const issuerMarks = options.issuerMarks ?? listIssuerMarks(CATALOG);
  const table = new SlotTable<FeedLimits>((venue, source) => findLimits(limits, venue as Venue, source));

  const feedLimits = (event: Quote | ReferencePrice): FeedLimits => table.at(event.venue, event.source);
  const isIssuerMark = (reference: ReferencePrice): boolean => issuerMarks.has(reference.instrument);
  const maxAgeMs = (event: Quote | ReferencePrice): number =>
    event.kind === 'reference' && isIssuerMark(event) ? limits.issuerMarkMaxAgeMs : feedLimits(event).maxAgeMs;

  function evidenceAt(event: Quote | ReferencePrice, life: FeedLife): EpochMs {
    // A venue's clock may run ahead. The receipt is the upper bound.
    const ownTime = event.kind === 'reference' ? event.feedUpdatedAt : event.sourceTime ? event.observedAt : event.receivedAt;
    const own = ownTime < event.receivedAt ? ownTime : event.receivedAt;
    if (event.kind === 'reference') return own;
    const feed = feedLimits(event);
    if (feed.cadence !== 'change_only') return own;
    // An active socket with an old source time is stale, and a new connection says nothing about earlier books.
    if (event.receivedAt - own > feed.maxAgeMs || event.receivedAt < life.epochAt) return own;
    return life.heardAt > own ? life.heardAt : own;
  }

  function sessionBits(reference: ReferencePrice, at: EpochMs): number {
    if (isIssuerMark(reference)) return 0;
    const session = sessionAt(at);
    const frozen = ageMs(reference.feedUpdatedAt, reference.receivedAt) > feedLimits(reference).maxAgeMs;
    if (session === 'CLOSED') return frozen ? SESSION_CLOSED | CARRIED_FORWARD : SESSION_CLOSED;
    // The publisher prices another session than the open one: its price is carried on from it.
    const otherSession =
      reference.publisherSession !== null &&
      reference.publisherSession !== session &&
      reference.publisherSession !== sessionAt(reference.receivedAt);
    return frozen || otherSession ? CARRIED_FORWARD : 0;
  }

  function referenceBits(reference: ReferencePrice, at: EpochMs): number {
    // "Market closed" and "carried forward" explain an old price. Over age applies if nothing else does.
    const bits = sessionBits(reference, at);
    const known = reference.feedUpdatedAt < reference.receivedAt ? reference.feedUpdatedAt : reference.receivedAt;
    return bits === 0 && isOutdated(known, at, maxAgeMs(reference)) ? OVER_AGE : bits;
  }

  function bitsAt(event: Quote | ReferencePrice, life: FeedLife, at: EpochMs): number {
    let bits = life.connected === false ? FEED_DOWN : 0;
    if (event.kind === 'reference') return bits | referenceBits(event, at);
    if (event.receivedAt < life.epochAt) bits |= RESYNCING;
    if (isOutdated(evidenceAt(event, life), at, maxAgeMs(event))) bits |= OVER_AGE;
    return bits;
  }

  return {
    limits,
    sessionAt,
    feedLimits,
    sourceLimits: (venue, source) => table.at(venue, source),
    maxAgeMs,
    isIssuerMark,
    evidenceAt,
    sessionBits,
    referenceBits,
    bitsAt,
  };
}
