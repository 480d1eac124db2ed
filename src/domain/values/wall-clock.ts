/** Reads wall clocks of named time zones. */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from './time.ts';

/**
 * Returns the instants at which the clock of a zone shows a time: one, none in the hour skipped in spring, two in the hour repeated in
 * autumn.
 */
export type InstantsAt = (wall: EpochMs) => readonly EpochMs[];

/**
 * Reads the wall clock of an IANA time zone such as `America/New_York`. `wall` is the shown time taken as UTC. @throws RangeError if there
 * is no such zone.
 */
export function wallClock(zone: string): InstantsAt {
  const format = createFormat(zone);
  const offsets = new Map<number, number>();
  /** Offset of the zone. In the last half century every zone has changed it on whole quarters of an hour. */
  const offsetAt = (at: EpochMs): number => {
    const quarter = Math.floor(at / (HOUR_MS / 4));
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      offset = offsetIn(format.formatToParts(at));
      offsets.set(quarter, offset);
    }
    return offset;
  };
  return (wall) => {
    const candidates = new Set([wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)]);
    return [...candidates].filter((at) => at + offsetAt(at) === wall).sort((a, b) => a - b);
  };
}

function createFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    throw new RangeError(`${JSON.stringify(zone.slice(0, 60))} is not a time zone: use IANA names such as America/New_York`);
  }
}

function offsetIn(parts: readonly Intl.DateTimeFormatPart[]): number {
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const match = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (match === null) throw new RangeError(`${JSON.stringify(text)} is not an offset from UTC`);
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000);
}
