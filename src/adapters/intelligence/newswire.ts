/** Reads the reports of news agencies page by page with a cursor. See docs/reference/outside/newswire.md. */
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { zonedInstant, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import type { EntityNames, Mention } from '../../domain/intelligence/entities.ts';
import { LONGEST_EVENT_LOOKBACK_HOURS, WIRE_SOURCE } from '../../domain/intelligence/listening.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import {
  REPORT_ACTIONS,
  type Report,
  type ReportAction,
  readCategory,
  readItems,
  readTone,
  worseSeverity,
} from '../../domain/intelligence/report.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { knownFields, noteUnknown } from '../venues/known-fields.ts';
import { poll, type Rejected } from '../venues/polling.ts';
import type { KeyedClient } from '../venues/reference/keyed-client.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { toRecord, readText, readTexts, readUrl } from './field-reading.ts';
import type { NewsAsking, NewsProvider, NewsSession } from './news-providers.ts';

const PAGE_FIELDS = knownFields(WIRE_SOURCE, [
  'reports cursor',
  {
    reports: [
      'id storyId publishedAt source category tone symbols companies headline url action corrects items',
      { source: 'name family primary' },
    ],
  },
]);
/** Maximum length of an id or of a name: they become stored keys. */
const MAX_ID = 190;
const MAX_NAME = 120;
const MAX_NAMES = 50;
const PAGE = 200;

/** Parses the mentions in one field; null if they are not a list of short texts. */
function readMentions(value: unknown, kind: Mention['kind']): readonly Mention[] | null {
  const list = value === undefined ? [] : readTexts(value);
  if (list === null || list.length > MAX_NAMES || list.some((text) => text === '' || text.length > MAX_NAME)) return null;
  return list.map((text) => ({ kind, text }));
}

/**
 * Parses one item, or returns a sentence with the problem. An unknown category is `medium`; an unknown tone is negative from `high` on.
 * Names outside the catalog stay unmapped.
 */
export function readWireItem(value: unknown, names: EntityNames, receivedAt: EpochMs): Report | string {
  const row = toRecord(value);
  const source = toRecord(row['source']);
  const id = readText(row['id'], MAX_ID);
  const publishedAt = zonedInstant(row['publishedAt']);
  const family = readText(source['family'], MAX_ID);
  const headline = readText(row['headline'], 5_000);
  const symbols = readMentions(row['symbols'], 'ticker');
  const companies = readMentions(row['companies'], 'name');
  const action = (row['action'] ?? 'report') as ReportAction;
  if (id === null) return `an item without "id" of 1 to ${MAX_ID} characters`;
  const shown = `item ${id.slice(0, 60)}`;
  if (!Number.isFinite(publishedAt)) return `${shown}: "publishedAt" is not a time`;
  if (family === null) return `${shown}: "source.family" is missing`;
  if (headline === null) return `${shown}: "headline" is missing`;
  if (symbols === null || companies === null || symbols.length + companies.length === 0)
    return `${shown}: "symbols" and "companies" are no lists with 1 to ${MAX_NAMES} names`;
  if (!REPORT_ACTIONS.includes(action)) return `${shown}: "action" is none of ${REPORT_ACTIONS.join(', ')}`;
  const told = readItems(readTexts(row['items']) ?? []);
  const category = readCategory(row['category']);
  const severity = worseSeverity(category.severity, told.severity);
  const { entities, unmapped, ambiguous } = names.map([...symbols, ...companies]);
  const storyId = readText(row['storyId'], MAX_ID);
  const corrects = readText(row['corrects'], MAX_ID);
  return {
    id: `wire:${id}`,
    channel: 'wire',
    source: readText(source['name'], MAX_NAME) ?? family,
    family,
    primary: source['primary'] === true,
    publishedAt,
    receivedAt,
    kind: category.kind,
    severity,
    direction: readTone(row['tone'], severity),
    entities,
    unmapped: [...unmapped, ...ambiguous.map(({ matched }) => matched)],
    headline: headline.slice(0, 300).toWellFormed(),
    url: readUrl(row['url']),
    storyKey: storyId === null ? null : `wire:${storyId}`,
    action,
    corrects: corrects === null ? null : `wire:${corrects}`,
  };
}

interface ReadPage {
  readonly reports: readonly Report[];
  readonly rejected: readonly Rejected[];
  /** Number of items. */
  readonly items: number;
  /** Cursor of the next page. */
  readonly cursor: string;
}

/** Parses a page of `/v1/reports`, item by item. `note` counts unknown members. @throws VenueError for an unexpected shape */
export function readWirePage(body: unknown, names: EntityNames, receivedAt: EpochMs, note?: NoteUnknownField): ReadPage {
  const { reports: items, cursor } = toRecord(body);
  if (!Array.isArray(items) || typeof cursor !== 'string')
    throw new VenueError('reference', 200, 'unknown_shape', 'the page has no list "reports" and no "cursor"');
  noteUnknown(body, PAGE_FIELDS, note);
  const reports: Report[] = [];
  const rejected: Rejected[] = [];
  for (const item of items as unknown[]) {
    const read = readWireItem(item, names, receivedAt);
    if (typeof read === 'string') rejected.push({ reason: 'unknown_shape', detail: read });
    else reports.push(read);
  }
  return { reports, rejected, items: items.length, cursor };
}

/** HTTP statuses of an unknown or expired cursor. */
const CURSOR_LOST: ReadonlySet<number> = new Set([400, 404, 410]);

interface WireOptions {
  readonly client: KeyedClient;
  readonly names: EntityNames;
  readonly clock: Clock;
  readonly random: () => number;
  /** Counts unknown members of answers. */
  readonly note?: NoteUnknownField;
  /** News provider. Default: the sandbox's. */
  readonly provider?: NewsProvider;
  /** Underlyings whose shares are requested one by one, if the provider needs that. */
  readonly shares?: readonly string[];
  /** Milliseconds between rounds. Default: the provider's, else 15 s. */
  readonly everyMs?: number;
  /** Milliseconds of the first look-back. Default: the longest of a rule on events. */
  readonly lookbackMs?: number;
}

/** Opens the sandbox's format: pages with a cursor, which advances only after a page was parsed, so that no item is skipped. */
function openSandboxWire({ client, names, clock, lookbackMs, note }: NewsAsking): NewsSession {
  let cursor: string | null = null;
  return {
    async ask() {
      const from = cursor === null ? (['from', String(clock.now() - lookbackMs)] as const) : (['cursor', cursor] as const);
      const body = await client.get('/v1/reports', [from, ['limit', String(PAGE)]]);
      const { reports, rejected, items, cursor: next } = readWirePage(body, names, clock.now(), note);
      const more = items >= PAGE && next !== cursor;
      cursor = next;
      return { messages: reports.map((report) => ({ kind: 'report', report }) as const), rejected, more };
    },
    // Start again after an unknown cursor; stories are deduplicated later.
    failed(error) {
      if (error instanceof VenueError && CURSOR_LOST.has(error.status)) cursor = null;
    },
  };
}

/** Creates the feed of one provider, or of the sandbox's format. */
export function createWireFeed(options: WireOptions): Observable<FeedMessage | IntelligenceRecord> {
  const { clock, random, provider, shares = [] } = options;
  const lookbackMs = options.lookbackMs ?? LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS;
  const everyMs = options.everyMs ?? provider?.everyMs ?? 15_000;
  const open = provider?.open ?? openSandboxWire;
  return poll<IntelligenceRecord>({ source: WIRE_SOURCE, everyMs, clock, random, open: () => open({ ...options, shares, lookbackMs }) });
}
