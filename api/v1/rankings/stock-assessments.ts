/** Assessments of stocks: a closed object, and no claim without a source. */
import { Type } from 'typebox';
import { type Assessment, assessStock, type Evidence, SOURCE_KINDS } from '../../../src/domain/assessment/assess-stock.ts';
import { checkPhrasing } from '../../../src/domain/assessment/check-phrasing.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { didYouMean } from '../../../src/domain/values/nearest-name.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../../src/domain/values/time.ts';
import { sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { choice, EmptyBody, NullableDecimalText, nullable, objectSchema, Time } from '../../shapes.ts';
import { toUtcDate } from '../intelligence/intelligence-parameters.ts';

const closed = { additionalProperties: false };
const sources = Type.Array(Type.String(), { minItems: 1, description: 'Ids of the list `sources`; at least one.' });
const ClaimBody = Type.Object({ id: Type.String(), text: Type.String(), sources }, closed);

const AssessmentBody = Type.Object(
  {
    symbol: Type.String(),
    at: Time,
    bull: Type.Array(ClaimBody),
    bear: Type.Array(ClaimBody),
    valuation: Type.Object(
      {
        tokenPrice: NullableDecimalText,
        referencePrice: NullableDecimalText,
        gapPct: nullable('number'),
        session: nullable('string'),
        claims: Type.Array(ClaimBody),
      },
      closed,
    ),
    catalysts: Type.Array(
      Type.Object({ id: Type.String(), text: Type.String(), sources, status: choice(['observed', 'unconfirmed', 'scheduled']) }, closed),
    ),
    thin: Type.Array(Type.String(), { description: 'Gaps in the evidence.' }),
    sources: Type.Array(Type.Object({ id: Type.String(), kind: choice(SOURCE_KINDS), at: Time }, closed)),
    method: choice(
      ['deterministic', 'model'],
      '`model`: a language model phrased and ordered the claims, and every number and source was checked.',
    ),
    note: nullable('string', 'Reason the model’s phrasing was not used; null if it was used or not requested.'),
  },
  { ...closed, $id: 'Assessment' },
);

function assessmentBody(assessment: Assessment, method: 'deterministic' | 'model', note: string | null) {
  const claim = ({ id, text, sources: ids }: { readonly id: string; readonly text: string; readonly sources: readonly string[] }) => ({
    id,
    text,
    sources: [...ids],
  });
  return {
    symbol: assessment.symbol,
    at: isoTime(assessment.at),
    bull: assessment.bull.map(claim),
    bear: assessment.bear.map(claim),
    valuation: { ...assessment.valuation, claims: assessment.valuation.claims.map(claim) },
    catalysts: assessment.catalysts.map((one) => ({ ...claim(one), status: one.status })),
    thin: [...assessment.thin],
    sources: assessment.sources.map(({ id, kind, at }) => ({ id, kind, at: isoTime(at) })),
    method,
    note,
  };
}

const EVENT_DAYS = 30;
const MAX_EVENTS = 50;
const BARS_MS = 8 * DAY_MS;
const CALENDAR_DAYS = 14;
/** Maximum age of a present cut, in milliseconds. */
const FRESH_CUT_MS = 120_000;

/** Reads the evidence of an assessment: the newest cut, events of 30 days, bars of a week, the calendar. */
async function readEvidence(ports: ApiPorts, entry: CatalogEntry): Promise<Evidence> {
  const at = ports.clock.now();
  const [cut, events, bars, releases] = await Promise.all([
    ports.rankings.cuts.at(at),
    ports.intelligence.events({ symbol: entry.underlying, from: at - EVENT_DAYS * DAY_MS }, { limit: MAX_EVENTS, after: null }),
    ports.rankings.bars.closes([entry.key], '1h', at - BARS_MS, at + HOUR_MS),
    ports.intelligence.releases(toUtcDate(at), toUtcDate(at + CALENDAR_DAYS * DAY_MS)),
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

/** Returns the assessment of an entry, phrased by the model if one is configured and its phrasing passes the check. */
export async function assessed(ports: ApiPorts, entry: CatalogEntry) {
  const given = assessStock(entry, await readEvidence(ports, entry));
  if (ports.rankings.phrasing === undefined) return assessmentBody(given, 'deterministic', null);
  const phrased = await ports.rankings.phrasing.phrase(given);
  if (!phrased.ok) return assessmentBody(given, 'deterministic', `the model gave no phrasing: ${phrased.why}`);
  const checked = checkPhrasing(given, phrased.answer);
  return checked.ok
    ? assessmentBody(checked.assessment, 'model', null)
    : assessmentBody(given, 'deterministic', `the phrasing of the model was refused: ${checked.why}`);
}

/** True if an entry can be assessed: a token with something to compare it with. */
export function isAssessable(entry: CatalogEntry): boolean {
  return entry.kind === 'tokenized_equity' || entry.kind === 'pre_ipo';
}

export const assessStockRoute = defineRoute({
  method: 'POST',
  url: '/v1/stocks/:symbol/assessment',
  name: 'assessStock',
  tag: 'rankings',
  summary: 'Bull case, bear case, valuation context and catalysts with their sources',
  description: 'Deterministic: the same observations give the same assessment. Thin evidence is named.',
  permission: 'market:read',
  cost: 'costly',
  schema: { params: objectSchema({ symbol: Type.String({ minLength: 1, maxLength: 64 }) }), body: EmptyBody },
  bodyRule: 'optional',
  answers: { 200: { description: 'The assessment.', schema: AssessmentBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { symbol } = request.params;
    const entry = ports.catalog.entries.bySymbol(symbol);
    if (entry === undefined || !isAssessable(entry)) {
      const known = ports.catalog.entries.entries.filter(isAssessable).map(({ instrument }) => instrument);
      return sendRefusal(
        reply,
        refuse('not_found', `there is no stock ${JSON.stringify(symbol.slice(0, 64))}; ${didYouMean(symbol, known)}`.replace(/; $/, ''))
          .refusal,
      );
    }
    return assessed(ports, entry);
  },
});
