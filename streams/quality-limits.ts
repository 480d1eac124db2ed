/**
 * Limits of age, clock skew and silence for each venue's data (docs/decisions/0008). One table; the configuration may override any cell.
 */
import { CATALOG } from '../src/domain/catalog/catalog.ts';
import { VENUE_FACTS, VENUES, type Venue } from '../src/domain/market/venue.ts';
import type { FeedLimits, LimitOverrides } from '../src/domain/venues/venue-facts.ts';

export interface QualityLimits {
  readonly venues: Readonly<Record<Venue, FeedLimits>>;
  /** Cells that differ for one source of a venue, e.g. `kalshi:orderbook`. */
  readonly sources: Readonly<Record<string, Partial<FeedLimits>>>;
  /** A perpetual's mark, funding and open interest older than this are unknown. Milliseconds. */
  readonly perpContextMaxAgeMs: number;
  /**
   * Silence of a source of events after which its data is unknown, in milliseconds. The wire is asked four times a minute, filings once:
   * five minutes are more than an outage that the retries bridge.
   */
  readonly eventsMaxSilenceMs: number;
  /** An issuer's private mark older than this is over age. Milliseconds. */
  readonly issuerMarkMaxAgeMs: number;
}

const DAY = 86_400_000;

/** The limits that hold if the configuration says nothing: those of each venue's facts. */
export const DEFAULT_LIMITS: QualityLimits = {
  venues: Object.fromEntries(VENUES.map((venue) => [venue, VENUE_FACTS[venue].limits])) as Record<Venue, FeedLimits>,
  sources: Object.assign({}, ...VENUES.map((venue) => VENUE_FACTS[venue].sourceLimits ?? {})) as QualityLimits['sources'],
  perpContextMaxAgeMs: 60_000,
  eventsMaxSilenceMs: 300_000,
  issuerMarkMaxAgeMs: 30 * DAY,
};

/**
 * The default limits with some cells replaced.
 * @throws RangeError if a limit is not a number above zero: such a limit would call everything, or nothing, stale.
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

/** The limits of this process: those of the catalog file, and the default ones if it says nothing. */
export function qualityLimits(): QualityLimits {
  const { limits: of } = CATALOG.source;
  if (current?.of !== of) current = { of, limits: overrideLimits(of) };
  return current.limits;
}

export function limitsOf(limits: QualityLimits, venue: Venue, source: string): FeedLimits {
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
