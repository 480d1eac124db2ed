/** Client of FRED: observations of macro series with their vintages, and release dates. See docs/reference/outside/macro-series.md. */
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { plainDecimal } from '../../domain/values/decimal.ts';
import { MACRO_SERIES, type MacroObservation, type MacroRelease, type MacroSeries } from '../../domain/intelligence/macro.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import type { Report } from '../../domain/intelligence/report.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { DAY_MS, type EpochMs, isoTime } from '../../domain/values/time.ts';
import { valueText } from '../../domain/values/value-text.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import { poll, type Reading, type Rejected } from '../venues/polling.ts';
import type { ClientQuery, KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { UNCHANGED } from '../venues/venue-http.ts';
import { wireDecimal } from '../venues/wire-decimal.ts';
import { readCount, readDate, toRecord, readText } from './field-reading.ts';

const MACRO_SOURCE = 'news:macro';
const OBSERVATION_FIELDS = knownFields(MACRO_SOURCE, [
  'realtime_start realtime_end observation_start observation_end units output_type file_type order_by sort_order count offset limit ' +
    'observations',
  { observations: 'realtime_start realtime_end date value' },
]);
const RELEASE_FIELDS = knownFields(MACRO_SOURCE, [
  'realtime_start realtime_end order_by sort_order count offset limit release_dates',
  { release_dates: 'release_id release_name release_last_updated date' },
]);
/** Marker of a date without a value. */
const MISSING = '.';

/**
 * Parses `/fred/series/observations`. A missing value is stored as null, because a value may be withdrawn. The vintage is the observation's
 * `realtime_start`. @throws VenueError for an unexpected shape or unit
 */
export function readObservations(
  body: unknown,
  series: Pick<MacroSeries, 'id' | 'units'>,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): { readonly observations: readonly MacroObservation[]; readonly rejected: readonly Rejected[] } {
  const answer = toRecord(body);
  if (!Array.isArray(answer['observations']) || answer['units'] !== series.units)
    throw new VenueError('reference', 200, 'unknown_shape', `${series.id}: the answer has no list "observations" in units ${series.units}`);
  noteUnknown(body, OBSERVATION_FIELDS, note);
  const observations: MacroObservation[] = [];
  const rejected: Rejected[] = [];
  for (const item of answer['observations'] as unknown[]) {
    const row = toRecord(item);
    const date = readDate(row['date']);
    const vintage = readDate(row['realtime_start']);
    const value = row['value'] === MISSING ? null : wireDecimal(row['value']);
    if (date === null || vintage === null)
      rejected.push({ reason: 'missing_field', detail: `an observation of ${series.id} without "date" or "realtime_start"` });
    else if (value === null && row['value'] !== MISSING)
      rejected.push({ reason: 'bad_number', detail: `${series.id} of ${date} is not a number: ${valueText(row['value'], 40)}` });
    else
      observations.push({
        seriesId: series.id,
        units: series.units,
        date,
        value: value === null ? null : plainDecimal(value),
        vintage,
        receivedAt,
      });
  }
  return { observations, rejected };
}

/** Parses `/fred/releases/dates`, which holds days without times. */
export function readReleases(
  body: unknown,
  receivedAt: EpochMs,
  note?: NoteUnknownField,
): { readonly releases: readonly MacroRelease[]; readonly rejected: readonly Rejected[] } {
  const list = toRecord(body)['release_dates'];
  if (!Array.isArray(list)) throw new VenueError('reference', 200, 'unknown_shape', 'the calendar has no list "release_dates"');
  noteUnknown(body, RELEASE_FIELDS, note);
  const releases: MacroRelease[] = [];
  const rejected: Rejected[] = [];
  for (const item of list as unknown[]) {
    const row = toRecord(item);
    const releaseId = readCount(row['release_id']);
    const name = readText(row['release_name'], 200);
    const date = readDate(row['date']);
    if (releaseId === null || name === null || date === null)
      rejected.push({ reason: 'missing_field', detail: 'a release without "release_id", "release_name" or "date"' });
    else releases.push({ releaseId, name, date, receivedAt });
  }
  return { releases, rejected };
}

/** Counts a series that the provider refuses for good, so that it does not stop the others. */
function refused(error: unknown): Reading<IntelligenceRecord> {
  if (!(error instanceof VenueError) || (error.status !== 400 && error.status !== 404)) throw error;
  return { messages: [], rejected: [{ reason: 'venue_error', detail: error.message }], more: true };
}

/** Returns the event of a newly released value, which belongs to no particular asset. */
function toRelease(of: MacroSeries, now: MacroObservation, before: MacroObservation | undefined): Report {
  const was = before === undefined ? '' : ` (${before.value} for ${before.date.slice(0, 7)})`;
  return {
    id: `macro:${of.id}:${of.units}:${now.date}`,
    channel: 'macro',
    source: 'FRED',
    family: 'fred',
    primary: true,
    publishedAt: now.receivedAt,
    receivedAt: now.receivedAt,
    kind: 'macro_release',
    severity: 'medium',
    direction: 'neutral',
    entities: [],
    unmapped: [],
    headline: `${of.title}: ${now.value} ${of.unit} for ${now.date.slice(0, 7)}${was}`,
    url: null,
    storyKey: `macro:${of.id}:${of.units}:${now.date}`,
    action: 'report',
    corrects: null,
  };
}

interface MacroOptions {
  readonly client: KeyedClient;
  /** API key, 32 lower-case letters and digits; sent only in the query, as the provider requires. */
  readonly apiKey: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Counts unknown members of answers. */
  readonly note?: NoteUnknownField;
  readonly series?: readonly MacroSeries[];
  /** Milliseconds between rounds. Default 15 minutes. */
  readonly everyMs?: number;
}

/** Days of observations before today, and of the calendar in both directions. */
const HISTORY_DAYS = 400;
const CALENDAR_BACK_DAYS = 14;
const CALENDAR_AHEAD_DAYS = 60;
const CALENDAR_PAGE = 1000;

/** Reads every series, then the calendar. */
export function createMacroFeed(options: MacroOptions): Observable<FeedMessage | IntelligenceRecord> {
  const { client, clock, random } = options;
  const series = options.series ?? MACRO_SERIES;
  const day = (at: EpochMs): string => isoTime(at).slice(0, 10);
  const ask = (path: string, query: ClientQuery): Promise<unknown> =>
    client.getIfChanged(path, [['api_key', options.apiKey], ['file_type', 'json'], ...query]);

  async function observations(of: MacroSeries, newest: Map<string, string>): Promise<Reading<IntelligenceRecord>> {
    const body = await ask('/fred/series/observations', [
      ['series_id', of.id],
      ['units', of.units],
      ['observation_start', day(clock.now() - HISTORY_DAYS * DAY_MS)],
      ['sort_order', 'asc'],
    ]);
    const receivedAt = clock.now();
    if (body === UNCHANGED) return { messages: [], more: true };
    const read = readObservations(body, of, receivedAt, options.note);
    const values = read.observations.filter(({ value }) => value !== null);
    const last = values.at(-1);
    const before = newest.get(of.id);
    if (last !== undefined) newest.set(of.id, last.date);
    const released = of.frequency === 'monthly' && last !== undefined && before !== undefined && last.date > before;
    return {
      messages: [
        { kind: 'observations', receivedAt, observations: read.observations },
        ...(released ? [{ kind: 'report' as const, report: toRelease(of, last, values.at(-2)) }] : []),
      ],
      rejected: read.rejected,
      more: true,
    };
  }

  /** Reads the calendar. The provider lists future releases only if dates without data are requested. */
  async function calendar(offset: number): Promise<{ readonly reading: Reading<IntelligenceRecord>; readonly next: number | null }> {
    const body = await ask('/fred/releases/dates', [
      ['include_release_dates_with_no_data', 'true'],
      ['realtime_start', day(clock.now() - CALENDAR_BACK_DAYS * DAY_MS)],
      ['realtime_end', day(clock.now() + CALENDAR_AHEAD_DAYS * DAY_MS)],
      ['sort_order', 'asc'],
      ['limit', String(CALENDAR_PAGE)],
      ['offset', String(offset)],
    ]);
    const receivedAt = clock.now();
    if (body === UNCHANGED) return { reading: { messages: [] }, next: null };
    const { releases, rejected } = readReleases(body, receivedAt, options.note);
    const full = releases.length + rejected.length >= CALENDAR_PAGE;
    return {
      reading: { messages: [{ kind: 'releases', receivedAt, releases }], rejected, more: full },
      next: full ? offset + CALENDAR_PAGE : null,
    };
  }

  return poll<IntelligenceRecord>({
    source: MACRO_SOURCE,
    everyMs: options.everyMs ?? 900_000,
    clock,
    random,
    open() {
      let at = 0;
      let offset = 0;
      /** Newest known date of each series. Later values were released while the feed ran. */
      const newest = new Map<string, string>();
      return {
        // An interrupted round continues where it stopped, so that a rate-limited provider is asked for nothing twice.
        async ask() {
          const of = series[at];
          if (of !== undefined) {
            const reading = await observations(of, newest).catch((error: unknown) => refused(error));
            at++;
            return reading;
          }
          const { reading, next } = await calendar(offset);
          offset = next ?? 0;
          if (next === null) at = 0;
          return reading;
        },
      };
    },
  });
}
