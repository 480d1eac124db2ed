/** Limits of age, clock skew and silence for each venue's data (docs/decisions/0008). The configuration may override each. */
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { VENUE_FACTS, VENUES, type Venue } from '../../src/domain/market/venue.ts';
import type { FeedLimits, LimitOverrides } from '../../src/domain/venues/venue-facts.ts';
import { DAY_MS, MINUTE_MS } from '../../src/domain/values/time.ts';

export interface QualityLimits {
  readonly venues: Readonly<Record<Venue, FeedLimits>>;
  /** Limits that differ for one source of a venue, such as `kalshi:orderbook`. */
  readonly sources: Readonly<Record<string, Partial<FeedLimits>>>;
  /** Maximum age in milliseconds of a perpetual's mark, funding and open interest. Older values are unknown. */
  readonly perpContextMaxAgeMs: number;
  /**
   * Silence in milliseconds after which a source of events is unknown. The wire is polled four times a minute, filings once, so five
   * minutes exceed an outage that retries bridge.
   */
  readonly eventsMaxSilenceMs: number;
  /** Maximum age of an issuer's private mark in milliseconds. */
  readonly issuerMarkMaxAgeMs: number;
}

/** Limits that apply without configuration: those of each venue's facts. */
const DEFAULT_LIMITS: QualityLimits = {
  venues: Object.fromEntries(VENUES.map((venue) => [venue, VENUE_FACTS[venue].limits])) as Record<Venue, FeedLimits>,
  sources: Object.assign({}, ...VENUES.map((venue) => VENUE_FACTS[venue].sourceLimits ?? {})) as QualityLimits['sources'],
  perpContextMaxAgeMs: MINUTE_MS,
  eventsMaxSilenceMs: 300_000,
  issuerMarkMaxAgeMs: 30 * DAY_MS,
};

/**
 * Returns the default limits with replaced ones. @throws RangeError if a limit is not a positive number, which would make everything, or
 * nothing, stale.
 */
export function overrideLimits(overrides: LimitOverrides): QualityLimits {
  const venues = { ...DEFAULT_LIMITS.venues };
  for (const venue of Object.keys(venues) as Venue[]) venues[venue] = { ...venues[venue], ...overrides.venues?.[venue] };
  const limits: QualityLimits = {
    venues,
    sources: { ...DEFAULT_LIMITS.sources, ...overrides.sources },
    perpContextMaxAgeMs: overrides.perpContextMaxAgeMs ?? DEFAULT_LIMITS.perpContextMaxAgeMs,
    eventsMaxSilenceMs: overrides.eventsMaxSilenceMs ?? DEFAULT_LIMITS.eventsMaxSilenceMs,
    issuerMarkMaxAgeMs: overrides.issuerMarkMaxAgeMs ?? DEFAULT_LIMITS.issuerMarkMaxAgeMs,
  };
  checkNumbers('limits', limits);
  return limits;
}

let current: { readonly of: LimitOverrides; readonly limits: QualityLimits } | null = null;

/** Returns the limits of this process: the catalog file's, or the defaults. */
export function qualityLimits(): QualityLimits {
  const { limits: of } = CATALOG.source;
  if (current?.of !== of) current = { of, limits: overrideLimits(of) };
  return current.limits;
}

export function findLimits(limits: QualityLimits, venue: Venue, source: string): FeedLimits {
  const cells = limits.sources[source];
  return cells === undefined ? limits.venues[venue] : { ...limits.venues[venue], ...cells };
}

function checkNumbers(path: string, value: object): void {
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'number' && !(member > 0 && Number.isFinite(member))) {
      throw new RangeError(`${path}.${name} must be a number above zero, got ${member}`);
    }
    if (typeof member === 'object' && member !== null) checkNumbers(`${path}.${name}`, member);
  }
}
