/**
 * Client of SEC EDGAR filings: `submissions/CIK##########.json`, columns of equal length, newest first. See
 * docs/reference/outside/filings.md.
 */
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { EntityNames } from '../../domain/intelligence/entities.ts';
import { FILINGS_SOURCE, filingsWithout, LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import { type Direction, type EventKind, type Report, readItems } from '../../domain/intelligence/report.ts';
import type { FeedMessage, Severity } from '../../domain/market/market-event.ts';
import { newYorkOffsetMs } from '../../domain/market/session.ts';
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../domain/values/time.ts';
import { valueText } from '../../domain/values/value-text.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import { poll, type Rejected } from '../venues/polling.ts';
import type { KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { UNCHANGED } from '../venues/venue-http.ts';
import { readDate, toRecord, readText } from './field-reading.ts';

const ADDRESS =
  'street1 street2 city stateOrCountry zipCode stateOrCountryDescription isForeignLocation foreignStateTerritory country countryCode';
/** Known fields of the answer, used or not. */
const SUBMISSION_FIELDS = knownFields(FILINGS_SOURCE, [
  'cik entityType sic sicDescription ownerOrg insiderTransactionForOwnerExists insiderTransactionForIssuerExists name tickers exchanges ' +
    'ein lei description website investorWebsite category fiscalYearEnd stateOfIncorporation stateOfIncorporationDescription addresses ' +
    'phone flags formerNames filings',
  {
    addresses: ['mailing business', { mailing: ADDRESS, business: ADDRESS }],
    formerNames: 'name from to',
    filings: [
      'recent files',
      {
        recent:
          'accessionNumber filingDate reportDate acceptanceDateTime act form fileNumber filmNumber items core_type size isXBRL ' +
          'isInlineXBRL primaryDocument primaryDocDescription',
        files: 'name filingCount filingFrom filingTo',
      },
    ],
  },
]);

/** Milliseconds of the regulator's block after too many requests. Requests during the block extend it. */
const REFUSED_MS = 600_000;

/** Events by form, besides 8-K. Other forms (insiders' trades, letters, proxies) make no event. */
const FORMS: Readonly<Record<string, readonly [EventKind, Severity, Direction, string]>> = {
  '10-K': ['results', 'low', 'neutral', 'annual report'],
  '10-Q': ['results', 'low', 'neutral', 'quarterly report'],
  'NT 10-K': ['regulatory', 'high', 'negative', 'annual report is late'],
  'NT 10-Q': ['regulatory', 'high', 'negative', 'quarterly report is late'],
  '25': ['delisting', 'critical', 'negative', 'removal from listing'],
  '25-NSE': ['delisting', 'critical', 'negative', 'removal from listing'],
  '15-12G': ['delisting', 'critical', 'negative', 'end of registration'],
  D: ['fundraising', 'medium', 'neutral', 'private offering'],
  'S-1': ['fundraising', 'medium', 'neutral', 'registration of an offering'],
  'S-3ASR': ['fundraising', 'low', 'neutral', 'shelf registration'],
  '424B5': ['fundraising', 'medium', 'neutral', 'offering of securities'],
  'S-4': ['mna', 'medium', 'neutral', 'registration for a merger'],
  '425': ['mna', 'low', 'neutral', 'communication about a merger'],
  'SC TO-T': ['mna', 'high', 'neutral', 'tender offer'],
  'SC 13D': ['mna', 'medium', 'neutral', 'stake with intent'],
  'SC 13G': ['filing', 'low', 'neutral', 'stake without intent'],
  '6-K': ['filing', 'low', 'neutral', 'report of a foreign issuer'],
};

const ITEM_TITLES: Readonly<Record<string, string>> = {
  '1.01': 'material agreement',
  '1.02': 'termination of a material agreement',
  '1.03': 'bankruptcy or receivership',
  '1.05': 'material cybersecurity incident',
  '2.01': 'completion of an acquisition or disposal',
  '2.02': 'results of operations',
  '2.03': 'new financial obligation',
  '2.04': 'acceleration of an obligation',
  '2.05': 'exit costs',
  '2.06': 'material impairment',
  '3.01': 'notice of delisting',
  '3.02': 'unregistered sale of equity',
  '3.03': 'change of holders’ rights',
  '4.01': 'change of auditor',
  '4.02': 'earlier statements are not to be relied on',
  '5.01': 'change of control',
  '5.02': 'departure or appointment of officers',
  '5.03': 'change of bylaws',
  '5.07': 'votes of shareholders',
  '7.01': 'Regulation FD disclosure',
  '8.01': 'other events',
  '9.01': 'exhibits',
};

/**
 * New York time until which an accepted filing gets that day's date; later ones get the next business day's. Filings sent in time may be
 * stamped within the last minute.
 */
const SAME_DAY_UNTIL_MS = 17.5 * HOUR_MS + MINUTE_MS;
/** EDGAR accepts filings from 06:00 to 22:00 New York time on weekdays. */
const EDGAR_HOURS = { from: 6 * HOUR_MS, to: 22 * HOUR_MS } as const;
/** Insiders' reports, which keep their own date until 22:00 and so do not show the time zone. */
const INSIDER_FORM = /^[345](\/A)?$/;
/** Forms that others file about a company; their rows may use another time zone. */
const FILED_BY_OTHERS = /^([345]|144|SC 13[DG]|SCHEDULE 13[DG]|SC TO-T|SC 14D1|DFAN14A)(\/A)?$/;
const OWN_FORM_WEIGHT = 3;
/** Maximum milliseconds by which an acceptance may be later than its answer, because clocks differ. */
const CLOCK_SKEW_MS = 600_000;

/** Converts New York wall time, parsed as UTC, to an instant. */
function newYorkInstant(local: EpochMs): EpochMs {
  const guess = local - newYorkOffsetMs(local);
  return local - newYorkOffsetMs(guess);
}

/** Acceptance time, with its `Z` read as UTC, and the filing date (`YYYY-MM-DD`) if present. */
interface AcceptedFiling {
  readonly acceptedAt: EpochMs;
  readonly filingDate: string | null;
  readonly form: string;
}

/**
 * Returns true if the `Z` of acceptance times stands for New York time, as in many recorded answers. The reading with fewer contradictions
 * is chosen; a tie chooses New York, the later one, so that no filing is seen too early. An acceptance after the answer is impossible.
 */
export function acceptedInNewYorkTime(filings: readonly AcceptedFiling[], receivedAt: EpochMs = Number.POSITIVE_INFINITY): boolean {
  let [asWallClock, asUtc] = [0, 0];
  for (const filing of filings) {
    const { acceptedAt, form } = filing;
    const latest = receivedAt + CLOCK_SKEW_MS;
    if (acceptedAt <= latest && newYorkInstant(acceptedAt) > latest) return false;
    const weight = FILED_BY_OTHERS.test(form) ? 1 : OWN_FORM_WEIGHT;
    asWallClock += weight * contradictions(acceptedAt, filing);
    asUtc += weight * contradictions(acceptedAt + newYorkOffsetMs(acceptedAt), filing);
  }
  return asWallClock <= asUtc;
}

/** Counts the rules that an acceptance would break if read as New York time. */
function contradictions(local: EpochMs, { filingDate, form }: AcceptedFiling): number {
  const date = new Date(local).toISOString().slice(0, 10);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const time = local - midnight;
  const weekday = new Date(midnight).getUTCDay();
  const isAccepted = time >= EDGAR_HOURS.from && time < EDGAR_HOURS.to && weekday !== 0 && weekday !== 6;
  if (filingDate === null || INSIDER_FORM.test(form)) return Number(!isAccepted);
  const follows = time < SAME_DAY_UNTIL_MS ? filingDate === date : filingDate > date;
  return Number(!isAccepted) + Number(!follows);
}

interface ReadFilings {
  /** The company's key, without leading zeros. */
  readonly cik: string;
  readonly reports: readonly Report[];
  /** Rows without an event by form; rows older than requested under `older`. */
  readonly ignored: ReadonlyMap<string, number>;
  readonly rejected: readonly Rejected[];
  /** Number of rows: reported, ignored and rejected. */
  readonly rows: number;
}

interface ReadFilingsOptions {
  readonly names: EntityNames;
  readonly receivedAt: EpochMs;
  /** Filings accepted earlier are left out. */
  readonly since: EpochMs;
  /** Location of documents, such as `https://www.sec.gov/Archives`, or null. */
  readonly archiveUrl: string | null;
  /** Counts unknown members. */
  readonly note?: NoteUnknownField;
}

interface Columns {
  readonly accession: readonly unknown[];
  readonly form: readonly unknown[];
  readonly accepted: readonly unknown[];
  readonly filingDate: readonly unknown[];
  readonly items: readonly unknown[];
  readonly reportDate: readonly unknown[];
  readonly document: readonly unknown[];
}

/** Reads required columns, and optional ones with a default; null if one of them is not a list. */
function readColumns(recent: Readonly<Record<string, unknown>>): Columns | null {
  const column = (name: string, missing?: readonly unknown[]): readonly unknown[] | null => {
    const value = recent[name] ?? missing;
    return Array.isArray(value) ? (value as unknown[]) : null;
  };
  const accession = column('accessionNumber');
  const form = column('form');
  const accepted = column('acceptanceDateTime');
  const filingDate = column('filingDate', []);
  const items = column('items', []);
  const reportDate = column('reportDate', []);
  const document = column('primaryDocument', []);
  if (accession === null || form === null || accepted === null) return null;
  if (filingDate === null || items === null || reportDate === null || document === null) return null;
  return { accession, form, accepted, filingDate, items, reportDate, document };
}

/** Parses an acceptance time. A time without a zone must not use this machine's zone. */
function parseAcceptance(value: unknown): EpochMs {
  if (typeof value !== 'string') return Number.NaN;
  return Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(value) ? value : `${value}Z`);
}

/** Returns the event of a form and its items; null if it makes none. */
function findMeaning(form: string, items: readonly string[]): readonly [EventKind, Severity, Direction, string] | null {
  const base = form.replace(/\/A$/, '');
  if (base === '8-K') {
    const { kind, severity, direction } = readItems(items);
    const titles = items.filter((item) => item !== '9.01').map((item) => ITEM_TITLES[item] ?? `item ${item}`);
    return [kind, severity, direction, titles.length === 0 ? 'current report' : titles.join(', ')];
  }
  return Object.hasOwn(FORMS, base) ? (FORMS[base] as readonly [EventKind, Severity, Direction, string]) : null;
}

/**
 * Parses the recent filings of one company. Uses as many rows as all required columns have and rejects the rest. An amendment (`/A`)
 * belongs to the story of its original form. @throws VenueError for an unexpected shape
 */
export function readSubmissions(body: unknown, { names, receivedAt, since, archiveUrl, note }: ReadFilingsOptions): ReadFilings {
  noteUnknown(body, SUBMISSION_FIELDS, note);
  const answer = toRecord(body);
  const cik = readText(valueText(answer['cik'] ?? ''), 10);
  const columns = readColumns(toRecord(toRecord(answer['filings'])['recent']));
  if (cik === null || !/^\d+$/.test(cik) || columns === null)
    throw new VenueError('reference', 200, 'unknown_shape', 'the submissions have no "cik" or no columns of recent filings');
  const company = readText(answer['name'], 200) ?? `CIK ${cik}`;
  const { entities } = names.map([{ kind: 'cik', text: cik }]);
  const rows = Math.max(columns.accession.length, columns.form.length, columns.accepted.length);
  const times = columns.accepted.map(parseAcceptance);
  const accepted = times.flatMap((acceptedAt, row): AcceptedFiling[] =>
    Number.isFinite(acceptedAt) ? [{ acceptedAt, filingDate: readDate(columns.filingDate[row]), form: valueText(columns.form[row]) }] : [],
  );
  const inNewYork = acceptedInNewYorkTime(accepted, receivedAt);
  const reports: Report[] = [];
  const ignored = new Map<string, number>();
  const rejected: Rejected[] = [];
  const ignore = (why: string): void => void ignored.set(why, (ignored.get(why) ?? 0) + 1);

  for (let row = 0; row < rows; row++) {
    const accession = readText(columns.accession[row], 40);
    const form = readText(columns.form[row], 40);
    const time = times[row] ?? Number.NaN;
    if (accession === null || form === null || !Number.isFinite(time)) {
      rejected.push({ reason: 'missing_field', detail: `row ${row} of ${company} has no accession number, form or acceptance time` });
      continue;
    }
    const publishedAt = inNewYork ? newYorkInstant(time) : time;
    const items = valueText(columns.items[row] ?? '', 1_000)
      .split(',')
      .filter((item) => /^\d\.\d\d$/.test(item));
    const meaning = findMeaning(form, items);
    if (meaning === null) ignore(form);
    else if (publishedAt < since) ignore('older');
    else {
      const [kind, severity, direction, words] = meaning;
      const plain = accession.replaceAll('-', '');
      const document = readText(columns.document[row], 200);
      reports.push({
        id: `sec:${accession}`,
        channel: 'filing',
        source: 'EDGAR',
        family: 'sec',
        primary: true,
        publishedAt,
        receivedAt,
        kind,
        severity,
        direction,
        entities,
        unmapped: entities.length === 0 ? [company] : [],
        headline: `${company} files ${form}: ${words}`.slice(0, 300),
        url: archiveUrl === null || document === null ? null : `${archiveUrl}/edgar/data/${Number(cik)}/${plain}/${document}`,
        storyKey: `sec:${Number(cik)}:${form.replace(/\/A$/, '')}:${readDate(columns.reportDate[row]) ?? accession}`,
        action: 'report',
        corrects: null,
      });
    }
  }
  return { cik: cik.replace(/^0+/, ''), reports, ignored, rejected, rows };
}

interface FilingsOptions {
  /** Client with the User-Agent that the regulator requires: company and e-mail address. */
  readonly client: KeyedClient;
  readonly names: EntityNames;
  readonly clock: Clock;
  readonly random: () => number;
  /** Counts unknown members of answers. */
  readonly note?: NoteUnknownField;
  readonly archiveUrl: string | null;
  /** Milliseconds between rounds. Default 60 s. */
  readonly everyMs?: number;
  /** Milliseconds of the first look-back. Default: the longest of a rule on events. */
  readonly lookbackMs?: number;
}

/**
 * Reads the filings of every issuer in the catalog, one request per issuer and round. Emits each filing once. The heartbeat of a round
 * names the underlyings whose filings it did not read completely.
 */
export function createFilingsFeed(options: FilingsOptions): Observable<FeedMessage | IntelligenceRecord> {
  const { client, names, clock, random, archiveUrl } = options;
  const noted = options.note === undefined ? {} : { note: options.note };
  const ciks = [...names.ciks.keys()].sort();
  const lookbackMs = options.lookbackMs ?? LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS;
  return poll<IntelligenceRecord>({
    source: FILINGS_SOURCE,
    everyMs: options.everyMs ?? MINUTE_MS,
    clock,
    random,
    open() {
      let at = 0;
      const told = new Map<string, EpochMs>();
      /** Companies whose last answer was not read completely. An unchanged answer is still not read. */
      const unread = new Map<string, 'unknown' | 'unreadable'>();
      return {
        roundSource: () => filingsWithout([...unread.keys()].map((cik) => names.ciks.get(cik) as string).sort()),
        async ask() {
          const cik = ciks[at];
          if (cik === undefined) return { messages: [] };
          const body = await client.getIfChanged(`/submissions/CIK${cik.padStart(10, '0')}.json`, []).catch((error: unknown) => {
            // An unknown company must not stop the others.
            if (error instanceof VenueError && error.status === 404) return error;
            if (error instanceof VenueError && error.status === 200) unread.set(cik, 'unreadable');
            throw patient(error);
          });
          at = (at + 1) % ciks.length;
          const more = at > 0;
          if (body instanceof VenueError) {
            if (!unread.has(cik)) unread.set(cik, 'unknown');
            return { messages: [], rejected: [{ reason: 'venue_error', detail: body.message }], more };
          }
          if (body === UNCHANGED) {
            if (unread.get(cik) === 'unknown') unread.delete(cik);
            return { messages: [], more };
          }
          unread.set(cik, 'unreadable');
          const receivedAt = clock.now();
          const since = receivedAt - lookbackMs;
          const read = readSubmissions(body, { names, receivedAt, since, archiveUrl, ...noted });
          if (read.rejected.length === 0 && read.cik === cik) unread.delete(cik);
          const fresh = read.reports.filter(({ id }) => !told.has(id));
          for (const report of fresh) told.set(report.id, report.publishedAt);
          for (const [id, publishedAt] of told) if (publishedAt < since - 2 * HOUR_MS) told.delete(id);
          return { messages: fresh.reverse().map((report) => ({ kind: 'report', report }) as const), rejected: read.rejected, more };
        },
        // Neither must an unreadable answer.
        failed(error) {
          if (error instanceof VenueError && error.status === 200 && error.code !== 'unknown_shape') at = (at + 1) % ciks.length;
        },
      };
    },
  });
}

/** Adds the known pause to a refusal for too many requests or a missing User-Agent, which states none. */
function patient(error: unknown): unknown {
  if (!(error instanceof VenueError) || (error.status !== 403 && error.status !== 429) || error.retryAfterMs !== null) return error;
  return new VenueError(error.venue, error.status, error.code, error.message, REFUSED_MS);
}
