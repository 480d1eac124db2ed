/** Groups reports into stories about one event, and tracks the state of each. */
import type { NewsEvent } from '../market/market-event.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../values/time.ts';
import { type Assessment, assess, sameText } from './corroboration.ts';
import { canonicalUrl } from './likeness.ts';
import { type EventKind, type Report, listReportSymbols } from './report.ts';

/** Maximum time in milliseconds between reports of one text about one event. */
const SAME_TEXT_MS = 48 * HOUR_MS;
/** Maximum time in milliseconds between a wire item and a filing of its kind about one event. */
const SAME_KIND_MS = DAY_MS;
/** Time without a report after which a story is closed: twice the longest usual look-back. Milliseconds. */
const KEPT_MS = 30 * DAY_MS;
const MAX_REPORTS = 20_000;
/** Maximum reports kept per story. */
const MAX_STORY_REPORTS = 200;
const STORY_SOURCE = 'news:stories';

/** Kinds with several unrelated events a day. */
const COMMON_KINDS: ReadonlySet<EventKind> = new Set(['filing', 'wire', 'product', 'analyst', 'macro_release']);

/** True if two reports are about one event. Symmetric. */
export function linked(a: Report, b: Report): boolean {
  if (a.corrects === b.id || b.corrects === a.id) return true;
  if (a.storyKey !== null && a.storyKey === b.storyKey) return true;
  if (a.url !== null && b.url !== null && canonicalUrl(a.url) === canonicalUrl(b.url)) return true;
  const apartMs = Math.abs(a.publishedAt - b.publishedAt);
  if (apartMs > SAME_TEXT_MS) return false;
  const symbols = listReportSymbols(b);
  if (!listReportSymbols(a).some((symbol) => symbols.includes(symbol))) return false;
  if (sameText(a, b)) return true;
  return a.kind === b.kind && !COMMON_KINDS.has(a.kind) && a.primary !== b.primary && apartMs <= SAME_KIND_MS;
}

/** A story with all of its reports. */
interface Story extends Assessment {
  /** Id of the report that opened it. */
  readonly id: string;
  readonly reports: readonly Report[];
  /** Time at which the report that changed it last was received. */
  readonly receivedAt: EpochMs;
}

/** Changes made by a report. */
export interface TrackerChange {
  readonly story: Story;
  /** True if the known facts of the event changed: its state, severity, direction, symbols or time. */
  readonly news: boolean;
  /** Ids of stories that were merged into this one. */
  readonly merged: readonly string[];
}

/** Returns the event of a story for the streams. A retracted story is not negative, so that it blocks nothing. */
export function toNewsEvent(story: Story): NewsEvent {
  return {
    kind: 'news',
    venue: 'reference',
    source: STORY_SOURCE,
    id: story.id,
    receivedAt: story.receivedAt,
    observedAt: story.observedAt,
    symbols: story.symbols,
    severity: story.severity,
    negative: story.direction === 'negative' && story.state !== 'retracted',
    rumor: story.state !== 'confirmed',
    headline: story.headline,
  };
}

/** Returns the event that withdraws a story which was merged into another. */
export function toMergedEvent(id: string, into: Story): NewsEvent {
  const event = toNewsEvent(into);
  return { ...event, id, negative: false, rumor: true, severity: 'low' };
}

function changed(a: Story, b: Story): boolean {
  return (
    a.state !== b.state ||
    a.severity !== b.severity ||
    a.direction !== b.direction ||
    a.observedAt !== b.observedAt ||
    a.symbols.join() !== b.symbols.join()
  );
}

/**
 * Stories of a month. The grouping and assessment of reports do not depend on the order of receipt. A story's id is that of the first
 * report received here.
 */
export class StoryTracker {
  readonly #stories = new Map<string, Story>();
  readonly #storyOf = new Map<string, string>();
  /** Stories by the clues that may link a report to them. */
  readonly #byClue = new Map<string, Set<string>>();

  /** Restores a stored story, and returns it. */
  restore(id: string, reports: readonly Report[]): Story {
    const receivedAt = Math.max(...reports.map((report) => report.receivedAt));
    const story: Story = { ...assess(reports), id, reports, receivedAt };
    this.#put(story);
    return story;
  }

  /** Adds a report. Returns null if it is known or is a social post. */
  take(report: Report): TrackerChange | null {
    if (report.channel === 'social' || this.#storyOf.has(report.id)) return null;
    const found = this.#candidates(report).filter((story) => story.reports.some((other) => linked(other, report)));
    const [oldest, ...others] = found;
    if (oldest !== undefined && oldest.reports.length >= MAX_STORY_REPORTS && report.action === 'report' && !report.primary) return null;
    const reports = [...found.flatMap((story) => story.reports), report];
    const story: Story = { ...assess(reports), id: oldest?.id ?? report.id, reports, receivedAt: report.receivedAt };
    for (const other of others) this.#drop(other);
    if (oldest !== undefined) this.#drop(oldest);
    this.#put(story);
    this.#forget(report.publishedAt);
    const merged = others.map(({ id }) => id);
    return { story, news: oldest === undefined || merged.length > 0 || changed(oldest, story), merged };
  }

  /** Returns open stories in the order of their last report. */
  stories(): Story[] {
    return [...this.#stories.values()];
  }

  #clues(report: Report): string[] {
    const clues = [`id ${report.id}`, ...listReportSymbols(report).map((symbol) => `symbol ${symbol}`)];
    if (report.corrects !== null) clues.push(`id ${report.corrects}`);
    if (report.storyKey !== null) clues.push(`key ${report.storyKey}`);
    if (report.url !== null) clues.push(`url ${canonicalUrl(report.url)}`);
    return clues;
  }

  /** Returns the stories that a clue points to, oldest first. */
  #candidates(report: Report): Story[] {
    const ids = new Set(this.#clues(report).flatMap((clue) => [...(this.#byClue.get(clue) ?? [])]));
    return [...ids].flatMap((id) => this.#stories.get(id) ?? []).sort((a, b) => openedAt(a) - openedAt(b) || (a.id < b.id ? -1 : 1));
  }

  #put(story: Story): void {
    this.#stories.set(story.id, story);
    for (const report of story.reports) {
      this.#storyOf.set(report.id, story.id);
      for (const clue of this.#clues(report)) {
        const ids = this.#byClue.get(clue);
        if (ids === undefined) this.#byClue.set(clue, new Set([story.id]));
        else ids.add(story.id);
      }
    }
  }

  #drop(story: Story): void {
    this.#stories.delete(story.id);
    for (const report of story.reports) {
      this.#storyOf.delete(report.id);
      for (const clue of this.#clues(report)) {
        const ids = this.#byClue.get(clue);
        ids?.delete(story.id);
        if (ids?.size === 0) this.#byClue.delete(clue);
      }
    }
  }

  #forget(now: EpochMs): void {
    for (const story of this.#stories.values()) {
      const last = story.reports.at(-1) as Report;
      if (this.#storyOf.size <= MAX_REPORTS && last.publishedAt >= now - KEPT_MS) break;
      this.#drop(story);
    }
  }
}

/** Time at which the report that opened the story was received. */
function openedAt(story: Story): EpochMs {
  return story.reports.find(({ id }) => id === story.id)?.receivedAt ?? 0;
}
