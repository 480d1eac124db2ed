/** Reads the evidence of an assessment: the newest cut, events of 30 days, bars of a week, the calendar. */
import type { Evidence } from '../../../src/domain/assessment/assess-stock.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/values/time.ts';
import type { ApiPorts } from '../../route.ts';
import { dayOf } from '../intelligence/reading.ts';

const EVENT_DAYS = 30;
const MAX_EVENTS = 50;
const BARS_MS = 8 * DAY_MS;
const CALENDAR_DAYS = 14;
/** Maximum age of a present cut, in milliseconds. */
const FRESH_CUT_MS = 120_000;

export async function readEvidence(ports: ApiPorts, entry: CatalogEntry): Promise<Evidence> {
  const at = ports.clock.now();
  const [cut, events, bars, releases] = await Promise.all([
    ports.rankings.cuts.at(at),
    ports.intelligence.events({ symbol: entry.underlying, from: at - EVENT_DAYS * DAY_MS }, { limit: MAX_EVENTS, after: null }),
    ports.rankings.bars.closes([entry.key], '1h', at - BARS_MS, at + HOUR_MS),
    ports.intelligence.releases(dayOf(at), dayOf(at + CALENDAR_DAYS * DAY_MS)),
  ]);
  return {
    at,
    seen: cut === null || cut.slot < at - FRESH_CUT_MS ? null : (cut.observations.get(entry.key) ?? null),
    events: events.items.map(({ id, kind, state, severity, direction, headline, observedAt }) => ({
      id,
      kind,
      state,
      severity,
      direction,
      headline,
      observedAt,
    })),
    bars: bars.get(entry.key) ?? [],
    releases: releases.map(({ releaseId, name, date }) => ({ id: `${releaseId}:${date}`, name, at: Date.parse(`${date}T00:00:00Z`) })),
  };
}
