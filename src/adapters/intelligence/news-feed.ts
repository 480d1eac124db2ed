/** Filings and wire items as news events: severity, direction and corroboration (spec section 6.4). */
import { Observable } from 'rxjs';
import { type FeedMessage, type NewsEvent, SEVERITIES, type Severity } from '../../domain/market-event.ts';
import type { Rejection } from '../../domain/quote.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Clock } from '../../../streams/clock.ts';
import type { KeyedDoor } from '../venues/reference/keyed-door.ts';
import { VenueError, type VenueFeed } from '../venues/venue-feed.ts';
import { backoffMs, rejection } from '../venues/venue-socket.ts';

export const NEWS_SOURCE = 'news:reports';

/** 8-K items by severity; a filing of several items takes the worst. Items that are not listed are `low`. */
const ITEM_SEVERITY: Readonly<Record<string, Severity>> = {
  '1.03': 'critical',
  '3.01': 'critical',
  '4.02': 'critical',
  '1.02': 'high',
  '1.05': 'high',
  '2.04': 'high',
  '2.06': 'high',
  '4.01': 'high',
  '5.01': 'high',
  '5.02': 'high',
  '1.01': 'medium',
  '2.01': 'medium',
  '2.02': 'medium',
  '2.05': 'medium',
  '3.02': 'medium',
  '3.03': 'medium',
};

const CATEGORY_SEVERITY: Readonly<Record<string, Severity>> = {
  bankruptcy: 'critical',
  delisting: 'critical',
  restatement: 'critical',
  cyber_incident: 'high',
  executive_departure: 'high',
  auditor_change: 'high',
  regulatory_action: 'high',
  results: 'medium',
  mna: 'medium',
  fundraising: 'medium',
  product: 'low',
  analyst: 'low',
  regulation_fd: 'low',
};

function worse(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b;
}

/** One report, checked. */
export interface Report {
  readonly id: string;
  readonly storyId: string;
  readonly publishedAt: EpochMs;
  readonly family: string;
  readonly primary: boolean;
  readonly severity: Severity;
  readonly negative: boolean;
  readonly symbols: readonly string[];
  readonly headline: string;
}

/** Longest id and name of a family, longest symbol: they become keys, and keys are kept. */
const MAX_ID = 200;
const MAX_SYMBOL = 40;

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID;
}

function texts(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : null;
}

/**
 * Reads one report; a sentence where it cannot be used. An unknown category is `medium`; an unknown tone counts as
 * negative from `high` on: what is not understood must not open a position.
 */
export function readReport(value: unknown): Report | string {
  const row = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const source = (typeof row['source'] === 'object' && row['source'] !== null ? row['source'] : {}) as Record<string, unknown>;
  const { id, storyId, publishedAt, headline, category, tone } = row;
  const symbols = texts(row['symbols']);
  const at = typeof publishedAt === 'string' ? Date.parse(publishedAt) : Number.NaN;
  if (!isId(id) || !isId(storyId)) return `a report without "id" or "storyId" of 1 to ${MAX_ID} characters`;
  if (!Number.isFinite(at)) return `report ${id.slice(0, 60)}: "publishedAt" is no time`;
  if (symbols === null || symbols.length === 0 || symbols.length > 50 || symbols.some((symbol) => symbol.length > MAX_SYMBOL))
    return `report ${id.slice(0, 60)}: "symbols" is no list of 1 to 50 symbols`;
  if (!isId(source['family'])) return `report ${id.slice(0, 60)}: "source.family" is missing`;
  if (typeof headline !== 'string') return `report ${id.slice(0, 60)}: "headline" is missing`;
  let severity: Severity = typeof category === 'string' ? (CATEGORY_SEVERITY[category] ?? 'medium') : 'medium';
  for (const item of texts(row['items']) ?? []) severity = worse(severity, ITEM_SEVERITY[item] ?? 'low');
  const known = tone === 'negative' || tone === 'neutral' || tone === 'positive';
  const negative = known ? tone === 'negative' : severity === 'high' || severity === 'critical';
  return {
    id,
    storyId,
    publishedAt: at,
    family: source['family'],
    primary: source['primary'] === true,
    severity,
    negative,
    symbols,
    headline: headline.slice(0, 300).toWellFormed(),
  };
}

interface Story {
  readonly families: Set<string>;
  primary: boolean;
  severity: Severity;
  negative: boolean;
  rumor: boolean;
  symbols: readonly string[];
  lastAt: EpochMs;
}

const MAX_STORIES = 20_000;
const MAX_STORY_SYMBOLS = 200;
/** Two confirm a story; more say nothing more. */
const MAX_FAMILIES = 2;

/** Joins reports into stories: one event per story, sent again when it becomes worse or is confirmed. */
export class StoryDesk {
  readonly #stories = new Map<string, Story>();

  /** The event that a report makes, or null where it adds nothing. Its id is the story's. */
  take(report: Report, receivedAt: EpochMs): NewsEvent | null {
    const before = this.#stories.get(report.storyId);
    const story: Story = before ?? {
      families: new Set(),
      primary: false,
      severity: 'low',
      negative: false,
      rumor: true,
      symbols: [],
      lastAt: 0,
    };
    if (story.families.size < MAX_FAMILIES) story.families.add(report.family);
    const severity = worse(story.severity, report.severity);
    const negative = story.negative || report.negative;
    const primary = story.primary || report.primary;
    // One primary source, or two families that are independent of each other; reprints add nothing.
    const rumor = !(primary || story.families.size >= 2);
    const symbols = [...new Set([...story.symbols, ...report.symbols])].slice(0, MAX_STORY_SYMBOLS);
    const news =
      before === undefined ||
      severity !== story.severity ||
      negative !== story.negative ||
      rumor !== story.rumor ||
      symbols.length !== story.symbols.length;
    story.severity = severity;
    story.negative = negative;
    story.primary = primary;
    story.rumor = rumor;
    story.symbols = symbols;
    story.lastAt = Math.max(story.lastAt, report.publishedAt);
    this.#stories.set(report.storyId, story);
    if (this.#stories.size > MAX_STORIES) this.#stories.delete(this.#stories.keys().next().value as string);
    if (!news) return null;
    return {
      kind: 'news',
      venue: 'reference',
      source: NEWS_SOURCE,
      id: report.storyId,
      receivedAt,
      observedAt: report.publishedAt,
      symbols,
      severity,
      negative,
      rumor,
      headline: report.headline,
    };
  }
}

/** Statuses with which a provider refuses a cursor that it does not know, or no longer. */
const CURSOR_LOST: ReadonlySet<number> = new Set([400, 404, 410]);

export interface NewsFeedOptions {
  readonly door: KeyedDoor;
  readonly clock: Clock;
  readonly random: () => number;
  /** Default 15 s. */
  readonly everyMs?: number;
  /** How far back the first reading goes. Default 7 days: the longest usual `lookbackHours`. */
  readonly lookbackMs?: number;
}

/** News events from a provider that is read page by page with a cursor. Never skips a report: the cursor moves only once a page was read. */
export function createNewsFeed(options: NewsFeedOptions): VenueFeed {
  const { door, clock, random } = options;
  const everyMs = options.everyMs ?? 15_000;

  const messages = new Observable<FeedMessage>((subscriber) => {
    const desk = new StoryDesk();
    let cursor: string | null = null;
    let stopped = false;
    let connected = false;
    let epoch = 0;
    let failures = 0;
    let cancel = (): void => {};

    function status(word: 'connected' | 'disconnected', detail: string): void {
      subscriber.next({
        kind: 'feed_status',
        venue: 'reference',
        source: NEWS_SOURCE,
        receivedAt: clock.now(),
        status: word,
        epoch,
        detail,
      });
    }

    function refuse(reason: Rejection['reason'], detail: string): void {
      subscriber.next(rejection('reference', NEWS_SOURCE, clock.now(), reason, detail, ''));
    }

    /** Reads one page; true where more may follow. */
    async function page(): Promise<boolean> {
      const from = clock.now() - (options.lookbackMs ?? 7 * 86_400_000);
      const body = await door.get('/v1/reports', [cursor === null ? ['from', String(from)] : ['cursor', cursor], ['limit', '200']]);
      if (stopped) return false;
      const answer = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
      const { reports, cursor: next } = answer;
      if (!Array.isArray(reports) || typeof next !== 'string')
        throw new VenueError('reference', 200, 'unknown_shape', 'the news page has no list "reports" and no "cursor"');
      if (!connected) {
        connected = true;
        epoch += 1;
        status('connected', '');
      }
      failures = 0;
      const receivedAt = clock.now();
      for (const item of reports as unknown[]) {
        const report = readReport(item);
        if (typeof report === 'string') refuse('unknown_shape', report);
        else {
          const event = desk.take(report, receivedAt);
          if (event !== null) subscriber.next(event);
        }
      }
      const more = reports.length >= 200 && next !== cursor;
      cursor = next;
      return more;
    }

    async function poll(): Promise<void> {
      let pause = everyMs;
      try {
        while (!stopped && (await page()));
        if (!stopped) subscriber.next({ kind: 'heartbeat', venue: 'reference', source: NEWS_SOURCE, receivedAt: clock.now() });
      } catch (error) {
        if (stopped) return;
        failures += 1;
        // A cursor that is no longer known is given up; the desk tells what was read before from what is new.
        if (error instanceof VenueError && CURSOR_LOST.has(error.status)) cursor = null;
        if (error instanceof VenueError && error.status === 200) refuse('unknown_shape', error.message);
        if (connected || failures === 1) status('disconnected', (error as Error).message);
        connected = false;
        pause = Math.min(everyMs, backoffMs(failures, random));
      }
      if (!stopped) cancel = clock.deadline(clock.now() + pause, () => void poll());
    }

    void poll();
    return () => {
      stopped = true;
      cancel();
    };
  });
  return { venue: 'reference', messages };
}
