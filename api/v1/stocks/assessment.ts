/** POST /v1/stocks/:symbol/assessment: returns bull case, bear case, valuation context and catalysts, each claim with its sources. */
import { Type } from 'typebox';
import { assessStock } from '../../../src/domain/assessment/assess-stock.ts';
import { checkPhrasing } from '../../../src/domain/assessment/check-phrasing.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { didYouMean } from '../../../src/domain/values/nearest-name.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { EmptyBody, objectOf } from '../../shapes.ts';
import { AssessmentBody, assessmentBody } from './assessment-body.ts';
import { readEvidence } from './read-evidence.ts';

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
  schema: { params: objectOf({ symbol: Type.String({ minLength: 1, maxLength: 64 }) }), body: EmptyBody },
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
