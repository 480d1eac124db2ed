/** Sources that must be received before an asset can have "no event", and the maximum look-back of rules on events. */
import { CATALOG, type CatalogSource } from '../catalog/catalog.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../values/time.ts';
import { indexEntityNames } from './entities.ts';

/** Reports of news agencies. */
export const WIRE_SOURCE = 'news:wire';
export const NEWS_PROVIDER_NAMES = ['alpaca', 'finnhub'] as const;
export type NewsProviderName = (typeof NEWS_PROVIDER_NAMES)[number];

/** Issuers' filings with the regulator. */
export const FILINGS_SOURCE = 'news:filings';

const ROUND_WITHOUT = `${FILINGS_SOURCE}:without:`;
const NONE_UNREAD: ReadonlySet<string> = new Set();

/** Returns the source of a round of filings that did not read those of these underlyings. */
export function filingsWithout(underlyings: readonly string[]): string {
  return underlyings.length === 0 ? FILINGS_SOURCE : ROUND_WITHOUT + underlyings.join('+');
}

/** Returns the source that a round belongs to, and the underlyings whose events it did not read. */
export function readEventRound(source: string): { readonly source: string; readonly unread: ReadonlySet<string> } {
  if (!source.startsWith(ROUND_WITHOUT)) return { source, unread: NONE_UNREAD };
  return { source: FILINGS_SOURCE, unread: new Set(source.slice(ROUND_WITHOUT.length).split('+')) };
}

/** Maximum look-back of a rule on events, in hours. Events are received, stored and served for as long. */
export const LONGEST_EVENT_LOOKBACK_HOURS = 720;

/** Days for which an event that is not negative is shown. No rule reads it. */
const SHOWN_DAYS = 7;

/** Event as far as its activity goes. */
interface DatedEvent {
  readonly id: string;
  readonly negative: boolean;
  readonly observedAt: EpochMs;
}

/**
 * Returns the events that are active at an instant, newest first: negative ones for the longest look-back of a rule, any other for a week.
 */
export function listActiveEvents<Event extends DatedEvent>(events: readonly Event[], at: EpochMs): readonly Event[] {
  const since = (negative: boolean): EpochMs => at - (negative ? LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS : SHOWN_DAYS * DAY_MS);
  return events
    .filter(({ negative, observedAt }) => observedAt >= since(negative))
    .sort((a, b) => b.observedAt - a.observedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** Milliseconds for which events are kept after their last report. */
export const EVENTS_KEPT_MS = 400 * DAY_MS;

const BY_WIRE: readonly string[] = [WIRE_SOURCE];
const BY_WIRE_AND_FILINGS: readonly string[] = [WIRE_SOURCE, FILINGS_SOURCE];
/** Underlyings whose issuer files with the regulator, by the catalog source. */
let filers: { readonly of: CatalogSource; readonly underlyings: ReadonlySet<string> } | null = null;

function filersNow(): ReadonlySet<string> {
  if (filers?.of !== CATALOG.source) filers = { of: CATALOG.source, underlyings: new Set(indexEntityNames(CATALOG).ciks.values()) };
  return filers.underlyings;
}

/** Returns the sources of an asset's events. While one of them is not received, its events are unknown. */
export function listEventSources(underlying: string): readonly string[] {
  return filersNow().has(underlying) ? BY_WIRE_AND_FILINGS : BY_WIRE;
}
