/** Explains missing bars. They are never filled in. */
import type { Stretch } from '../values/stretches.ts';
import { isSessionKnown, sessionAt, tradingDays } from '../market/session.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../values/time.ts';
import type { Venue } from '../market/venue.ts';

/** Source of a range: the venue itself, an imported file, or a refusal of the venue. */
const WINDOW_STATES = ['asked', 'imported', 'refused'] as const;
export type WindowState = (typeof WINDOW_STATES)[number];

/** Requested range. `code` is the venue's own code of a refusal, else empty. */
export interface CandleWindow extends Stretch {
  readonly state: WindowState;
  readonly code: string;
}

/**
 * Reasons of a missing bar. `not_asked`: not requested yet. `refused`: the venue refused. `out_of_reach`: older than the venue serves.
 * `venue_maintenance`: the venue answered without it, and has bars before it. `before_listing`: the same without a bar before it.
 * `not_in_file`: missing in the imported file. `calendar`: no session was open during the bar. A bar of a day or longer forms in regular
 * sessions. An unknown calendar explains nothing.
 */
export const GAP_REASONS = [
  'not_asked',
  'refused',
  'out_of_reach',
  'venue_maintenance',
  'before_listing',
  'not_in_file',
  'calendar',
] as const;
export type GapReason = (typeof GAP_REASONS)[number];

/** Code of a refusal that means that the venue keeps no bars that old. */
export const OUT_OF_REACH = 'out_of_reach';

/** Missing bars that open from `from` (inclusive) to `to` (exclusive), all for the same reason. */
export interface CandleGap extends Stretch {
  readonly missing: number;
  readonly reason: GapReason;
}

/** Known facts about a series besides its bars. */
interface SeriesKnowledge {
  readonly venue: Venue;
  readonly barMs: number;
  readonly windows: readonly CandleWindow[];
  /** Open time of the first stored bar, or null. */
  readonly firstOpen: EpochMs | null;
}

/** Maximum bars of a gap that is split at session changes. The calendar is read bar by bar. */
const MAX_CALENDAR_BARS = 20_000;

/** Splits missing bars by reason. All times are on the grid of the timeframe. */
export function explainGap(gap: Stretch, known: SeriesKnowledge): CandleGap[] {
  const cuts = new Set<EpochMs>([gap.from, gap.to]);
  for (const { from, to } of known.windows) {
    for (const at of [alignUp(from, known.barMs), alignUp(to, known.barMs)]) if (at > gap.from && at < gap.to) cuts.add(at);
  }
  const { firstOpen } = known;
  if (firstOpen !== null && firstOpen > gap.from && firstOpen < gap.to) cuts.add(firstOpen);
  const edges = [...cuts].sort((a, b) => a - b);
  const parts: CandleGap[] = [];
  for (let index = 1; index < edges.length; index++) {
    const part = { from: edges[index - 1] as EpochMs, to: edges[index] as EpochMs };
    for (const [piece, reason] of byCalendar(part, findReason(part, known), known)) push(parts, piece, reason, known.barMs);
  }
  return parts;
}

function alignUp(at: EpochMs, barMs: number): EpochMs {
  return Math.ceil(at / barMs) * barMs;
}

function push(parts: CandleGap[], { from, to }: Stretch, reason: GapReason, barMs: number): void {
  const last = parts.at(-1);
  const begin = last !== undefined && last.reason === reason && last.to === from ? (parts.pop() as CandleGap).from : from;
  parts.push({ from: begin, to, missing: Math.round((to - begin) / barMs), reason });
}

function findReason({ from, to }: Stretch, { windows, firstOpen }: SeriesKnowledge): GapReason {
  const covering = windows.filter((window) => window.from <= from && window.to >= to);
  const has = (state: WindowState): boolean => covering.some((window) => window.state === state);
  if (has('asked')) return firstOpen === null || to <= firstOpen ? 'before_listing' : 'venue_maintenance';
  if (has('imported')) return 'not_in_file';
  const refused = covering.find((window) => window.state === 'refused');
  if (refused !== undefined) return refused.code === OUT_OF_REACH ? 'out_of_reach' : 'refused';
  return 'not_asked';
}

/** Returns the parts of a session-bound venue's range during which no session was open. */
function byCalendar(part: Stretch, reason: GapReason, { venue, barMs }: SeriesKnowledge): (readonly [Stretch, GapReason])[] {
  const bars = Math.round((part.to - part.from) / barMs);
  if (venue !== 'reference' || bars > MAX_CALENDAR_BARS) return [[part, reason]];
  const pieces: (readonly [Stretch, GapReason])[] = [];
  for (let open = part.from; open < part.to; open += barMs) {
    pieces.push([{ from: open, to: open + barMs }, isClosedThroughout(open, open + barMs) ? 'calendar' : reason]);
  }
  return pieces;
}

/** Sessions change on the hour or half hour, so the calendar is read every 30 minutes. */
const SESSION_STEP_MS = 30 * MINUTE_MS;

/** True if no session was open in [from, to). False if the calendar is unknown. A bar of a day or longer forms in regular sessions. */
export function isClosedThroughout(from: EpochMs, to: EpochMs): boolean {
  if (!isSessionKnown(from) || !isSessionKnown(to - 1)) return false;
  // A late session that ends at midnight UTC or an hour later does not make a Saturday bar.
  if (to - from >= DAY_MS) return tradingDays(from, to).length === 0;
  for (let at = from; at < to; at += SESSION_STEP_MS) if (sessionAt(at) !== 'CLOSED') return false;
  return sessionAt(to - 1) === 'CLOSED';
}
