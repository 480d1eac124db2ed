/**
 * Reads files of events: wire items, one JSON object per line, or the regulator's filings of a company (`submissions/CIK##########.json`
 * and its older pages). An archived report counts as known from its publication.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { EntityNames } from '../../domain/intelligence/entities.ts';
import { FILINGS_SOURCE, WIRE_SOURCE } from '../../domain/intelligence/listening.ts';
import { type Report, listReportSymbols } from '../../domain/intelligence/report.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { valueText } from '../../domain/values/value-text.ts';
import { readNamedBytes } from '../named-file.ts';
import { toRecord } from './field-reading.ts';
import { readSubmissions } from './filings.ts';
import { readWireItem } from './newswire.ts';

export interface EventFiles {
  readonly source: typeof WIRE_SOURCE | typeof FILINGS_SOURCE;
  /** Underlyings of the filings; empty for wire items, which do not say for which underlyings they are complete. */
  readonly underlyings: readonly string[];
  readonly reports: readonly Report[];
  /** SHA-256 over the files' bytes in the given order. */
  readonly sha256: string;
}

interface WantedPages {
  /** Names of the given files. */
  readonly given: ReadonlySet<string>;
  readonly from: EpochMs;
}

const OLDER_PAGE = /^CIK(\d{10})-submissions-\d+\.json$/;

/**
 * Reads files of one source. @param from time before which older pages may be missing. @throws Error with one sentence that names file,
 * line and problem
 */
export function readEventFiles(files: readonly string[], names: EntityNames, from: EpochMs): EventFiles {
  const hash = createHash('sha256');
  const wanted: WantedPages = { given: new Set(files.map((file) => basename(file))), from };
  const read = files.map((file) => {
    const bytes = readNamedBytes(file);
    hash.update(bytes);
    return readEventFile(file, bytes.toString('utf8'), names, wanted);
  });
  const sources = new Set(read.map(({ source }) => source));
  if (sources.size > 1) throw new Error('the files are of two sources: import wire items and filings separately');
  return {
    source: [...sources][0] ?? WIRE_SOURCE,
    underlyings: [...new Set(read.flatMap(({ underlyings }) => underlyings))].sort(),
    reports: read.flatMap(({ reports }) => reports),
    sha256: hash.digest('hex'),
  };
}

function readEventFile(file: string, text: string, names: EntityNames, wanted: WantedPages): Omit<EventFiles, 'sha256'> {
  const whole = parseJson(text);
  const isFilings = whole !== null && ('filings' in whole || 'accessionNumber' in whole);
  return isFilings ? readFilingsFile(file, whole, names, wanted) : readWireLines(file, text, names);
}

function readFilingsFile(
  file: string,
  body: Readonly<Record<string, unknown>>,
  names: EntityNames,
  { given, from }: WantedPages,
): Omit<EventFiles, 'sha256'> {
  const cik = OLDER_PAGE.exec(basename(file))?.[1];
  if ('accessionNumber' in body && cik === undefined)
    throw new Error(
      `${file}: an older page of filings must keep its name, CIK##########-submissions-###.json, which identifies the company`,
    );
  const submissions = 'accessionNumber' in body ? { cik, filings: { recent: body } } : body;
  const missing = listOlderPages(body, from).filter((name) => !given.has(name));
  if (missing.length > 0) throw new Error(`${file}: older filings are in ${missing.join(', ')}: name those files too`);
  const { reports, rejected } = readSubmissions(submissions, {
    names,
    receivedAt: Number.POSITIVE_INFINITY,
    since: Number.NEGATIVE_INFINITY,
    archiveUrl: null,
  });
  const [first] = rejected;
  if (first !== undefined) throw new Error(`${file}: ${first.detail}`);
  const underlyings = [...new Set(reports.flatMap(listReportSymbols))];
  if (underlyings.length === 0) throw new Error(`${file}: the filings are of no issuer in the catalog`);
  return { source: FILINGS_SOURCE, underlyings, reports: reports.map(knownAtOnce) };
}

/** Returns the pages with filings after a time, including pages without an end date. */
function listOlderPages(body: Readonly<Record<string, unknown>>, from: EpochMs): readonly string[] {
  const { files } = toRecord(body['filings']);
  const pages = Array.isArray(files) ? files.map(toRecord) : [];
  return pages.filter(({ filingTo }) => !(Date.parse(`${valueText(filingTo)}T23:59:59Z`) < from)).map(({ name }) => valueText(name, 200));
}

function readWireLines(file: string, text: string, names: EntityNames): Omit<EventFiles, 'sha256'> {
  const reports = text.split(/\r\n|\n|\r/).flatMap((line, index): Report[] => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (value === null) throw new Error(`${file}: line ${index + 1} is not a JSON object`);
    const read = readWireItem(value, names, 0);
    if (typeof read === 'string') throw new Error(`${file}: line ${index + 1}: ${read}`);
    return [knownAtOnce(read)];
  });
  const ids = new Set<string>();
  for (const { id } of reports) {
    if (ids.has(id))
      throw new Error(
        `${file}: item ${id.slice(5)} appears twice: give a correction its own id, and name the corrected item in "corrects"`,
      );
    ids.add(id);
  }
  return { source: WIRE_SOURCE, underlyings: [], reports };
}

function knownAtOnce(report: Report): Report {
  return { ...report, receivedAt: report.publishedAt };
}

function parseJson(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
