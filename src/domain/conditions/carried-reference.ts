/**
 * Rules for reading a reference price that was carried forward. It counts like a live one in the sessions that a manifest's own session
 * rule names, if only the closed session makes it old.
 */
import type { ObservedReference } from '../market/cut.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import { type QualityFlag, SESSIONS, type Session } from '../market/quote.ts';
import { isSessionKnown, lastRegularClose, sessionAt } from '../market/session.ts';
import { type EpochMs, MINUTE_MS } from '../values/time.ts';

/** Sessions in which rules read a carried reference. Empty if the manifest never allows it. */
export type CarriedIn = readonly Session[];

export const NOWHERE: CarriedIn = [];

/** Sessions in which a reference price may be carried. In the regular one a constant price is a fault. */
const CARRYING: CarriedIn = SESSIONS.filter((session) => session !== 'REGULAR');

/** Flags of a price that is old because its exchange is closed. Any other flag is a fault of the feed. */
export const OF_THE_SESSION: ReadonlySet<QualityFlag> = new Set(['session_closed', 'carried_forward']);

/** Time in milliseconds before the close within which the last price of a regular session may have been published. */
const LAST_PRINT_MS = MINUTE_MS;

/**
 * Returns the sessions of the entry side's `session_in` rules, of which at least one has `carriedReference`, without the regular session.
 * They apply to both sides: a position entered on a carried price may be left on it.
 */
export function carriedIn({ entry }: { readonly entry: readonly ManifestCondition[] }): CarriedIn {
  const rules = entry.filter(({ type }) => type === 'session_in');
  if (!rules.some((rule) => rule['carriedReference'] === true)) return NOWHERE;
  return CARRYING.filter((session) => rules.every((rule) => (rule['sessions'] as readonly string[]).includes(session)));
}

/**
 * True if a price of that time, outside a regular session, is the last one of the previous regular session or a later one. A carried price
 * must be so before any session rule is evaluated. False if the calendar is unknown.
 */
export function isOfLastSession(publishedAt: EpochMs, at: EpochMs): boolean {
  if (!isSessionKnown(at) || sessionAt(at) === 'REGULAR' || publishedAt > at) return false;
  const close = lastRegularClose(at);
  return close !== null && publishedAt >= close - LAST_PRINT_MS;
}

/** True if a reference that is not live is carried in a session in which it may be read. */
export function isReadableCarried(
  reference: Pick<ObservedReference, 'quality' | 'flags' | 'ageMs'> | null,
  at: EpochMs,
  allowed: CarriedIn,
): boolean {
  if (allowed.length === 0 || reference === null || reference.quality !== 'stale' || reference.flags.length === 0) return false;
  if (!reference.flags.every((flag) => OF_THE_SESSION.has(flag))) return false;
  return allowed.includes(sessionAt(at)) && isOfLastSession(at - reference.ageMs, at);
}

/**
 * True for a reference that is old only because the session is closed. It may be shown and ranked with a flag. It triggers nothing by
 * itself.
 */
export function isCarriedReference(reference: Pick<ObservedReference, 'quality' | 'flags' | 'ageMs'> | null, at: EpochMs): boolean {
  return isReadableCarried(reference, at, CARRYING);
}
