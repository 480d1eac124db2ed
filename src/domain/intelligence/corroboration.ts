/**
 * Confirms a story by one primary source or by two independent families. A pure function of the set of reports, so their order of arrival
 * does not matter (docs/decisions/0044-corroboration.md).
 */
import { SEVERITIES, type Severity } from '../market/market-event.ts';
import type { EpochMs } from '../values/time.ts';
import { canonicalUrl, nearIdentical } from './likeness.ts';
import { type Direction, type EventKind, type Report, listReportSymbols, worseSeverity } from './report.ts';

/** `rumor`: not confirmed yet. `retracted`: all of its reports were withdrawn. */
export const STORY_STATES = ['rumor', 'confirmed', 'retracted'] as const;
type StoryState = (typeof STORY_STATES)[number];

export const CONFIRMED_BY = ['primary_source', 'independent_families'] as const;
type ConfirmedBy = (typeof CONFIRMED_BY)[number];

/** Result of a story's reports. */
export interface Assessment {
  readonly state: StoryState;
  readonly confirmedBy: ConfirmedBy | null;
  /** Time at which the confirming reports were published, or null if there are none. */
  readonly confirmedAt: EpochMs | null;
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly direction: Direction;
  readonly symbols: readonly string[];
  readonly headline: string;
  readonly firstAt: EpochMs;
  /** Time since which the event has its severity and status. Look-backs start here. */
  readonly observedAt: EpochMs;
  /** Families with original reports, ascending. */
  readonly families: readonly string[];
  /** Ids of reports that repeat an earlier one. */
  readonly copies: readonly string[];
  /** Ids of reports that were corrected or retracted. */
  readonly withdrawn: readonly string[];
}

/** Orders reports by publication. Ids break ties, so that every process reads the same order. */
function byPublication(a: Report, b: Report): number {
  return a.publishedAt - b.publishedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** True if two reports carry one text: the same address, or nearly identical headlines. */
export function sameText(a: Report, b: Report): boolean {
  if (a.url !== null && b.url !== null && canonicalUrl(a.url) === canonicalUrl(b.url)) return true;
  return nearIdentical(a.headline, b.headline);
}

/** True if `later` withdraws `earlier`: a correction or retraction by its own family, of one report or of all before it. */
function withdraws(later: Report, earlier: Report): boolean {
  if (later.action === 'report' || later.id === earlier.id || later.family !== earlier.family) return false;
  if (later.corrects !== null) return later.corrects === earlier.id;
  return byPublication(earlier, later) < 0;
}

interface Voices {
  readonly families: readonly string[];
  readonly by: ConfirmedBy | null;
  readonly at: EpochMs | null;
}

/** Returns the independent voices, and if they confirm the story. `originals` are in order of publication. */
function countVoices(originals: readonly Report[]): Voices {
  const firstOf = new Map<string, EpochMs>();
  let primaryAt: EpochMs | null = null;
  for (const { family, publishedAt, primary } of originals) {
    if (!firstOf.has(family)) firstOf.set(family, publishedAt);
    if (primary) primaryAt ??= publishedAt;
  }
  const secondAt = [...firstOf.values()].sort((a, b) => a - b)[1] ?? null;
  const families = [...firstOf.keys()].sort();
  if (primaryAt !== null && (secondAt === null || primaryAt <= secondAt)) return { families, by: 'primary_source', at: primaryAt };
  return { families, by: secondAt === null ? null : 'independent_families', at: secondAt };
}

const GENERIC: ReadonlySet<EventKind> = new Set(['filing', 'wire']);

/**
 * Assesses a story without its social posts. A report that repeats an earlier one is a copy and confirms nothing, unless it is a primary
 * source itself. @throws RangeError if there are only social posts.
 */
export function assess(reports: readonly Report[]): Assessment {
  const told = [...new Map(reports.filter(({ channel }) => channel !== 'social').map((report) => [report.id, report])).values()].sort(
    byPublication,
  );
  const [first] = told;
  if (first === undefined) throw new RangeError('a story needs a report other than social posts');
  const withdrawn = told.filter((report) => told.some((other) => withdraws(other, report))).map(({ id }) => id);
  const live = told.filter(({ id, action }) => action !== 'retraction' && !withdrawn.includes(id));
  const copies = live
    .filter((report, index) => !report.primary && live.slice(0, index).some((earlier) => sameText(earlier, report)))
    .map(({ id }) => id);
  const voices = countVoices(live.filter(({ id }) => !copies.includes(id)));
  const shown = live.find(({ primary }) => primary) ?? live[0] ?? first;
  const counted = live.length > 0 ? live : told;
  const severity = counted.reduce<Severity>((worst, report) => worseSeverity(worst, report.severity), 'low');
  const graveAt =
    counted.find((report) => SEVERITIES.indexOf(report.severity) >= SEVERITIES.indexOf(severity))?.publishedAt ?? first.publishedAt;
  const directions = new Set(counted.map(({ direction }) => direction));
  const kinds = [shown, ...counted].map(({ kind }) => kind);
  return {
    state: live.length === 0 ? 'retracted' : voices.by === null ? 'rumor' : 'confirmed',
    confirmedBy: voices.by,
    confirmedAt: voices.at,
    kind: kinds.find((kind) => !GENERIC.has(kind)) ?? shown.kind,
    severity,
    direction: directions.has('negative') ? 'negative' : directions.has('positive') ? 'positive' : 'neutral',
    symbols: [...new Set(counted.flatMap(listReportSymbols))].sort(),
    headline: shown.headline,
    firstAt: first.publishedAt,
    observedAt: Math.max(graveAt, voices.at ?? graveAt),
    families: voices.families,
    copies,
    withdrawn,
  };
}
