/**
 * Rules for reading a reference price that was carried forward. It counts like a live one in the sessions that a manifest's own session
 * rule names, if nothing but the closed session stands between the price and now.
 */
import type { ObservedReference } from '../market/cut.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import { type QualityFlag, SESSIONS, type Session } from '../market/quote.ts';
import { isSessionKnown, lastRegularClose, sessionAt } from '../market/session.ts';
import type { EpochMs } from '../values/time.ts';

/** Sessions in which rules read a carried reference; empty if the manifest never allows it. */
export type CarriedIn = readonly Session[];

export const NOWHERE: CarriedIn = [];

/** The sessions in which a reference price may be carried: in the regular one a price that stands still is a fault. */
const CARRYING: CarriedIn = SESSIONS.filter((session) => session !== 'REGULAR');

/** Flags of a price that is old because its exchange is closed. Any other flag is a fault of the feed. */
const OF_THE_SESSION: ReadonlySet<QualityFlag> = new Set(['session_closed', 'carried_forward']);

/** Time before the close within which a regular session's last price may have been published. Milliseconds. */
export const LAST_PRINT_MS = 60_000;

/**
 * Sessions named by the entry side's `session_in` rules, of which at least one says `carriedReference`; never the regular one, in which a
 * price that does not move is a fault. They hold for both sides: a position entered by a carried price may be left by it.
 */
export function carriedIn({ entry }: { readonly entry: readonly ManifestCondition[] }): CarriedIn {
  const rules = entry.filter(({ type }) => type === 'session_in');
  if (!rules.some((rule) => rule['carriedReference'] === true)) return NOWHERE;
  return CARRYING.filter((session) => rules.every((rule) => (rule['sessions'] as readonly string[]).includes(session)));
}

/**
 * True if a price of that time, outside of a regular session, is the last one of the previous regular session or a later one. A carried
 * price must be so before any session rule is evaluated. False if no calendar is known.
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

/** True for a reference that only the closed session makes old. It may be shown and ranked with a flag; it triggers nothing by itself. */
export function isCarriedReference(reference: Pick<ObservedReference, 'quality' | 'flags' | 'ageMs'> | null, at: EpochMs): boolean {
  return isReadableCarried(reference, at, CARRYING);
}
