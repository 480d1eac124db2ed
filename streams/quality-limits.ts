/** How old, how far off and how silent each venue's data may be (docs/decisions/0008). One table; the configuration may override any cell. */
import type { Venue } from '../src/domain/venue.ts';

/**
 * How a feed speaks. `continuous`: sends on, so that silence and frozen times are faults. `change_only`: sends when
 * something changes, so that a quiet market is proved by heartbeats. `polled`: asked by us; an unchanged answer is a
 * new proof of the price.
 */
export type Cadence = 'continuous' | 'change_only' | 'polled';

export interface FeedLimits {
  /** A quote older than this is stale. Milliseconds. */
  readonly maxAgeMs: number;
  readonly cadence: Cadence;
  /** `contiguous`: every number is sent, a missing one is a gap. `ascending`: numbers only order. */
  readonly sequence: 'ascending' | 'contiguous';
  /** A feed that was not heard of for longer than this is degraded. Milliseconds. */
  readonly silentAfterMs: number;
  /** An event time further than this in the future is a fault of the venue's clock. Milliseconds. */
  readonly maxSkewMs: number;
  /** The widest confidence interval of a reference price, as half-width / price. */
  readonly maxConfidence: number;
  /**
   * How far a price may lie from the last accepted one before it must be confirmed: a share of that price; on
   * prediction markets, whose prices lie between 0 and 1, dollars.
   */
  readonly maxJump: number;
}

export interface QualityLimits {
  readonly venues: Readonly<Record<Venue, FeedLimits>>;
  /** Cells that differ for one source of a venue, e.g. `kalshi:orderbook`. */
  readonly sources: Readonly<Record<string, Partial<FeedLimits>>>;
  /** A perpetual's mark, funding and open interest older than this are unknown. Milliseconds. */
  readonly perpContextMaxAgeMs: number;
  /**
   * After this long without a whole round of a source of events, what it would have told is unknown. The wire is asked
   * four times a minute, filings once: five minutes are more than an outage that the retries ride out. Milliseconds.
   */
  readonly eventsMaxSilenceMs: number;
  /** An issuer's private mark older than this is over age. Milliseconds. */
  readonly issuerMarkMaxAgeMs: number;
}

const DAY = 86_400_000;

/** The limits that hold where the configuration says nothing. */
export const DEFAULT_LIMITS: QualityLimits = {
  venues: {
    spotchain: {
      maxAgeMs: 15_000,
      cadence: 'polled',
      sequence: 'ascending',
      silentAfterMs: 15_000,
      maxSkewMs: 2_000,
      maxConfidence: 0.005,
      maxJump: 0.2,
    },
    spotexchange: {
      maxAgeMs: 5_000,
      cadence: 'change_only',
      sequence: 'ascending',
      silentAfterMs: 5_000,
      maxSkewMs: 2_000,
      maxConfidence: 0.005,
      maxJump: 0.2,
    },
    evmvenue: {
      maxAgeMs: 5_000,
      cadence: 'change_only',
      sequence: 'ascending',
      silentAfterMs: 5_000,
      maxSkewMs: 2_000,
      maxConfidence: 0.005,
      maxJump: 0.2,
    },
    prediction: {
      maxAgeMs: 60_000,
      cadence: 'change_only',
      sequence: 'ascending',
      silentAfterMs: 60_000,
      maxSkewMs: 2_000,
      maxConfidence: 0.005,
      maxJump: 0.3,
    },
    reference: {
      maxAgeMs: 5_000,
      cadence: 'continuous',
      sequence: 'ascending',
      silentAfterMs: 5_000,
      maxSkewMs: 2_000,
      maxConfidence: 0.005,
      maxJump: 0.2,
    },
  },
  // Each coin's whole book comes twice a second whether it changed or not: its silence is the coin's own, and the pongs
  // of the socket, which go on for all coins, must not vouch for it.
  sources: {
    'hyperliquid:bbo': { cadence: 'continuous' },
    'hyperliquid:l2Book': { cadence: 'continuous' },
    'kalshi:markets': { cadence: 'polled' },
    // Plans of quote services lag up to a quarter of an hour; what is older than that is no word on the present.
    'finnhub:quote': { cadence: 'polled', maxAgeMs: 20 * 60_000 },
    'alpaca:snapshot': { cadence: 'polled', maxAgeMs: 20 * 60_000 },
  },
  perpContextMaxAgeMs: 60_000,
  eventsMaxSilenceMs: 300_000,
  issuerMarkMaxAgeMs: 30 * DAY,
};

/** What a configuration may say of the limits; everything left out keeps its default. */
export interface LimitOverrides {
  readonly venues?: Readonly<Partial<Record<Venue, Partial<FeedLimits>>>>;
  readonly sources?: Readonly<Record<string, Partial<FeedLimits>>>;
  readonly perpContextMaxAgeMs?: number;
  readonly eventsMaxSilenceMs?: number;
  readonly issuerMarkMaxAgeMs?: number;
}

/**
 * The default limits with some cells replaced.
 * @throws RangeError where a limit is not a number above zero: such a limit would call everything, or nothing, stale.
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

/** The limits of one source of a venue. */
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
