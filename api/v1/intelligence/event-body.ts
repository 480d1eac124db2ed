/** An event and its reports on the wire. */
import { Type } from 'typebox';
import type { StoredEvent } from '../../../src/adapters/store/intelligence/intelligence-rows.ts';
import { CONFIRMED_BY, STORY_STATES } from '../../../src/domain/intelligence/corroboration.ts';
import { MENTION_KINDS } from '../../../src/domain/intelligence/entities.ts';
import { CHANNELS, DIRECTIONS, EVENT_KINDS, REPORT_ACTIONS } from '../../../src/domain/intelligence/report.ts';
import { SEVERITIES } from '../../../src/domain/market/market-event.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { choice, NullableTime, nullable, nullableChoice, Time } from '../../shapes.ts';

export const KindWord = choice(EVENT_KINDS, 'Topic of the event; `filing` and `wire` if nothing more is known.');
export const SeverityWord = choice(SEVERITIES);

export const EntityBody = Type.Object(
  {
    asset: Type.String({ examples: ['AAPL'] }),
    by: choice(MENTION_KINDS),
    matched: Type.String({ description: 'The name as the source wrote it.' }),
  },
  { $id: 'MappedEntity', description: 'An underlying of the catalog, and by what it was recognized.' },
);

const ReportBody = Type.Object(
  {
    id: Type.String(),
    channel: choice(CHANNELS),
    source: Type.String({ examples: ['EDGAR'] }),
    family: Type.String({ description: 'The owner behind the source: two sources of one family are not independent.' }),
    primary: Type.Boolean({ description: 'The event’s own source: a regulator’s record, the issuer’s release.' }),
    publishedAt: Time,
    receivedAt: Time,
    severity: SeverityWord,
    direction: choice(DIRECTIONS),
    headline: Type.String(),
    url: nullable('string'),
    action: choice(REPORT_ACTIONS),
    corrects: nullable('string', 'The report that a correction or retraction is about.'),
    counted: choice(['voice', 'copy', 'withdrawn', 'retraction'], 'Its part in the corroboration: only `voice` counts.'),
    entities: Type.Array(EntityBody),
    unmapped: Type.Array(Type.String(), { description: 'Names that the catalog does not know.' }),
  },
  { $id: 'EventReport' },
);

export const EventBody = Type.Object(
  {
    id: Type.String(),
    kind: KindWord,
    severity: SeverityWord,
    direction: choice(DIRECTIONS),
    state: choice(STORY_STATES, '`confirmed` by a primary source or by two independent families; before that it is a rumor.'),
    confirmedBy: nullableChoice(CONFIRMED_BY),
    confirmedAt: { ...NullableTime, description: 'ISO 8601; null while nothing confirms it.' },
    symbols: Type.Array(Type.String(), { description: 'Underlyings that it is about; empty if none is in the catalog.' }),
    headline: Type.String(),
    firstAt: { ...Time, description: 'Time of the first report.' },
    observedAt: { ...Time, description: 'Time of the last change of severity or corroboration. Look-backs count from here.' },
    families: Type.Array(Type.String(), { description: 'Source families with a text of their own, which count as independent.' }),
    reports: Type.Array(ReportBody, { description: 'In order of publication.' }),
  },
  { $id: 'MarketEvent' },
);

function countedAs({ copies, withdrawn }: StoredEvent, { id, action }: StoredEvent['reports'][number]) {
  if (action === 'retraction') return 'retraction';
  if (withdrawn.includes(id)) return 'withdrawn';
  return copies.includes(id) ? 'copy' : 'voice';
}

export function eventBody(event: StoredEvent) {
  return {
    id: event.id,
    kind: event.kind,
    severity: event.severity,
    direction: event.direction,
    state: event.state,
    confirmedBy: event.confirmedBy,
    confirmedAt: event.confirmedAt === null ? null : isoTime(event.confirmedAt),
    symbols: event.symbols,
    headline: event.headline,
    firstAt: isoTime(event.firstAt),
    observedAt: isoTime(event.observedAt),
    families: event.families,
    reports: event.reports.map((report) => ({
      id: report.id,
      channel: report.channel,
      source: report.source,
      family: report.family,
      primary: report.primary,
      publishedAt: isoTime(report.publishedAt),
      receivedAt: isoTime(report.receivedAt),
      severity: report.severity,
      direction: report.direction,
      headline: report.headline,
      url: report.url,
      action: report.action,
      corrects: report.corrects,
      counted: countedAs(event, report),
      entities: report.entities,
      unmapped: report.unmapped,
    })),
  };
}
