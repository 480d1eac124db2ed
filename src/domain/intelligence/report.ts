/** Reports: statements of one source, before any interpretation. */
import { SEVERITIES, type Severity } from '../market/market-event.ts';
import type { EpochMs } from '../values/time.ts';
import type { Entity } from './entities.ts';

/** Topics of a report. `filing` and `wire` are reports without a known topic. */
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

/** Channels of a report. `social` never confirms anything. */
export const CHANNELS = ['filing', 'wire', 'macro', 'social'] as const;
type Channel = (typeof CHANNELS)[number];

export const DIRECTIONS = ['negative', 'neutral', 'positive'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A correction replaces an earlier report of the same family. A retraction withdraws it. */
export const REPORT_ACTIONS = ['report', 'correction', 'retraction'] as const;
export type ReportAction = (typeof REPORT_ACTIONS)[number];

/** One report of one source. */
export interface Report {
  /** `<provider>:<id at the provider>`. */
  readonly id: string;
  readonly channel: Channel;
  /** Public name of the publisher, such as `EDGAR` or `Sandbox Newswire`. */
  readonly source: string;
  /** Owner of the source. Two sources of one family are not independent. */
  readonly family: string;
  /** True if it is the event's own source: a regulator's record or the issuer's release. */
  readonly primary: boolean;
  readonly publishedAt: EpochMs;
  readonly receivedAt: EpochMs;
  readonly kind: EventKind;
  readonly severity: Severity;
  readonly direction: Direction;
  readonly entities: readonly Entity[];
  /** Names that the catalog does not know, as written. Never guessed. */
  readonly unmapped: readonly string[];
  readonly headline: string;
  readonly url: string | null;
  /** Id of the story at the provider, if it groups reports. */
  readonly storyKey: string | null;
  readonly action: ReportAction;
  /** Id of the report that a correction or retraction refers to, or null if only the story is named. */
  readonly corrects: string | null;
}

/** Returns the underlyings of a report, ascending. */
export function listReportSymbols(report: Pick<Report, 'entities'>): readonly string[] {
  return [...new Set(report.entities.map(({ asset }) => asset))].sort();
}

export function worseSeverity(a: Severity, b: Severity): Severity {
  return SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b;
}

/** Meaning of form 8-K items. Unlisted items are `low` filings. */
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

/** Items that are negative by nature. The form does not tell for the others. */
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

/** Returns the meaning of a wire's category. An unknown category is `medium`, because it may not be harmless. */
export function readCategory(category: unknown): { readonly kind: EventKind; readonly severity: Severity } {
  const [kind, severity] = (typeof category === 'string' && Object.hasOwn(CATEGORIES, category) ? CATEGORIES[category] : undefined) ?? [
    'wire' as const,
    'medium' as const,
  ];
  return { kind, severity };
}

/** Returns the direction of a tone. An unknown tone is negative from `high` on, because it must not open a position. */
export function readTone(tone: unknown, severity: Severity): Direction {
  if (tone === 'negative' || tone === 'neutral' || tone === 'positive') return tone;
  return severity === 'high' || severity === 'critical' ? 'negative' : 'neutral';
}
