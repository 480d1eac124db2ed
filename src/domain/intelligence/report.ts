/** Reports: what one source says about the world, before anything is made of it. */
import { SEVERITIES, type Severity } from '../market/market-event.ts';
import type { EpochMs } from '../values/time.ts';
import type { Entity } from './entities.ts';

/** Topics of a report. `filing` and `wire` are reports of an unknown topic. */
export const EVENT_KINDS = [
  'filing',
  'wire',
  'results',
  'fundraising',
  'mna',
  'executive',
  'regulatory',
  'bankruptcy',
  'restatement',
  'delisting',
  'cyber_incident',
  'auditor_change',
  'product',
  'analyst',
  'macro_release',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Channels of a report. `social` is chatter and never confirms anything. */
export const CHANNELS = ['filing', 'wire', 'macro', 'social'] as const;
export type Channel = (typeof CHANNELS)[number];

export const DIRECTIONS = ['negative', 'neutral', 'positive'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A correction replaces an earlier report of the same family, a retraction takes it back. */
export const REPORT_ACTIONS = ['report', 'correction', 'retraction'] as const;
export type ReportAction = (typeof REPORT_ACTIONS)[number];

/** One report of one source. */
export interface Report {
  /** `<provider>:<the provider's own id>`. */
  readonly id: string;
  readonly channel: Channel;
  /** Public name of the publisher: `EDGAR`, `Sandbox Newswire`. */
  readonly source: string;
  /** The owner behind the source: two sources of one family are not independent. */
  readonly family: string;
  /** The event's own source: a regulator's record, the issuer's release. */
  readonly primary: boolean;
  readonly publishedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly direction: Direction;
  readonly entities: readonly Entity[];
  /** Names that the catalog does not know, as they were written; never guessed at. */
  readonly unmapped: readonly string[];
  readonly headline: string;
  readonly url: string | null;
  /** The provider's own name of the story, if it clusters. */
  readonly storyKey: string | null;
  readonly action: ReportAction;
  /** The report that a correction or retraction is about; null if only the story is named. */
  readonly corrects: string | null;
}

/** The underlyings that a report is about, ascending. */
export function symbolsOf(report: Pick<Report, 'entities'>): readonly string[] {
  return [...new Set(report.entities.map(({ asset }) => asset))].sort();
}

export function worseSeverity(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b;
}

/** Meaning of the items of form 8-K. Unlisted items are `low` filings. */
const ITEMS: Readonly<Record<string, readonly [EventKind, Severity]>> = {
  '1.01': ['mna', 'medium'],
  '1.02': ['mna', 'high'],
  '1.03': ['bankruptcy', 'critical'],
  '1.05': ['cyber_incident', 'high'],
  '2.01': ['mna', 'medium'],
  '2.02': ['results', 'medium'],
  '2.04': ['regulatory', 'high'],
  '2.05': ['filing', 'medium'],
  '2.06': ['results', 'high'],
  '3.01': ['delisting', 'critical'],
  '3.02': ['fundraising', 'medium'],
  '3.03': ['filing', 'medium'],
  '4.01': ['auditor_change', 'high'],
  '4.02': ['restatement', 'critical'],
  '5.01': ['mna', 'high'],
  '5.02': ['executive', 'high'],
};

/** Items that are bad news by what they are; of the others the form does not say. */
const NEGATIVE_ITEMS: ReadonlySet<string> = new Set(['1.02', '1.03', '1.05', '2.04', '2.06', '3.01', '4.01', '4.02', '5.02']);

/** Returns the kind and severity of a filing's worst 8-K item. */
export function readItems(items: readonly string[]): {
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly direction: Direction;
} {
  let kind: EventKind = 'filing';
  let severity: Severity = 'low';
  for (const item of items) {
    const [itemKind, itemSeverity] = ITEMS[item] ?? (['filing', 'low'] as const);
    if (SEVERITIES.indexOf(itemSeverity) > SEVERITIES.indexOf(severity)) [kind, severity] = [itemKind, itemSeverity];
  }
  return { kind, severity, direction: items.some((item) => NEGATIVE_ITEMS.has(item)) ? 'negative' : 'neutral' };
}

const CATEGORIES: Readonly<Record<string, readonly [EventKind, Severity]>> = {
  bankruptcy: ['bankruptcy', 'critical'],
  delisting: ['delisting', 'critical'],
  restatement: ['restatement', 'critical'],
  cyber_incident: ['cyber_incident', 'high'],
  executive_departure: ['executive', 'high'],
  auditor_change: ['auditor_change', 'high'],
  regulatory_action: ['regulatory', 'high'],
  results: ['results', 'medium'],
  mna: ['mna', 'medium'],
  fundraising: ['fundraising', 'medium'],
  product: ['product', 'low'],
  analyst: ['analyst', 'low'],
  regulation_fd: ['filing', 'low'],
};

/** Returns the meaning of a wire's category. An unknown one is of `medium` severity: not understood is not harmless. */
export function readCategory(category: unknown): { readonly kind: EventKind; readonly severity: Severity } {
  const [kind, severity] = (typeof category === 'string' && Object.hasOwn(CATEGORIES, category) ? CATEGORIES[category] : undefined) ?? [
    'wire' as const,
    'medium' as const,
  ];
  return { kind, severity };
}

/** The direction that a tone says. A tone that is not understood is negative from `high` on: it must not open a position. */
export function readTone(tone: unknown, severity: Severity): Direction {
  if (tone === 'negative' || tone === 'neutral' || tone === 'positive') return tone;
  return severity === 'high' || severity === 'critical' ? 'negative' : 'neutral';
}
