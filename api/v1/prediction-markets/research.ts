/** GET /v1/prediction-markets/:id/research: compares both venues on one question, with every figure traced to its source. */
import { Type } from 'typebox';
import { CRITERION_ASPECTS, type CriteriaBreakdown, criteriaDifferences, criteriaOf } from '../../../src/domain/prediction/criteria.ts';
import type { PredictionMarket } from '../../../src/domain/prediction/market.ts';
import { matchQuestions, type QuestionMatch } from '../../../src/domain/prediction/question.ts';
import { CORROBORATIONS, DISAGREEMENTS, researchProbability } from '../../../src/domain/prediction/research.ts';
import { isoTime, isoTimeOrNull } from '../../../src/domain/values/time.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, NullableTime, nullable, QualityWord, Time } from '../../shapes.ts';
import {
  marketIdOf,
  NO_MARKET,
  PredictionMarketPath,
  PredictionStatusWord,
  ProviderWord,
  QuestionBody,
  questionBody,
  SourceBody,
} from './market-body.ts';

/** Maximum related markets listed, nearest first. */
const MAX_RELATED = 20;

const DerivedBody = Type.Object({
  id: Type.String(),
  value: NullableDecimalText,
  formula: Type.String(),
  inputs: Type.Array(Type.String(), { description: 'Ids of inputs and of other derived numbers.' }),
  why: Type.String({ description: 'Reasons for a missing value; empty if there is one.' }),
});

const MatchBody = Type.Object({
  marketId: Type.String(),
  provider: ProviderWord,
  question: Type.String(),
  subtitle: Type.String(),
  status: PredictionStatusWord,
  asks: QuestionBody,
  reasons: Type.Array(Type.String(), { description: 'Comparisons and their results.' }),
});

const CriteriaBody = Type.Object({
  marketId: Type.String(),
  provider: ProviderWord,
  criteria: Type.Array(Type.Object({ aspect: choice(CRITERION_ASPECTS), text: Type.String() })),
  sources: Type.Array(SourceBody),
  procedure: choice(['optimistic_oracle', 'exchange_determination']),
  closesAt: NullableTime,
  expectedResolutionAt: NullableTime,
  latestResolutionAt: NullableTime,
  mayCloseEarly: nullable('boolean'),
});

const ResearchBody = Type.Object(
  {
    marketId: Type.String(),
    provider: ProviderWord,
    question: Type.String(),
    subtitle: Type.String(),
    status: PredictionStatusWord,
    asks: QuestionBody,
    at: Time,
    corroboration: choice(
      CORROBORATIONS,
      '`disputed`: the venues contradict each other by more than spreads and fees, so no probability is given.',
    ),
    probability: DerivedBody,
    low: DerivedBody,
    high: DerivedBody,
    disagreement: Type.Object({
      verdict: choice(
        DISAGREEMENTS,
        '`inside_spreads`: the books overlap. `inside_fees`: they do not, and fees eat the rest. `actionable`: something is left, provided that both venues resolve alike.',
      ),
      difference: DerivedBody,
      edgePerContract: DerivedBody,
      legs: Type.Array(Type.Object({ provider: ProviderWord, side: choice(['yes', 'no']), price: DecimalText })),
      sizeContracts: NullableDecimalText,
      riskless: nullable('boolean', 'False if the criteria differ materially, so that both legs may lose. Null if nothing is compared.'),
    }),
    inputs: Type.Array(
      Type.Object({
        id: Type.String(),
        provider: ProviderWord,
        marketId: Type.String(),
        kind: choice(['bid', 'ask', 'trade', 'fee_rate']),
        value: DecimalText,
        size: NullableDecimalText,
        source: Type.String(),
        observedAt: Time,
        receivedAt: Time,
        quality: QualityWord,
        counts: Type.Boolean(),
        why: Type.String({ description: 'Reason it does not count; empty if it does.' }),
      }),
    ),
    derived: Type.Array(DerivedBody),
    notes: Type.Array(Type.String()),
    criteria: Type.Array(CriteriaBody, { description: 'Criteria of this market, then of the same question on the other venue.' }),
    differences: Type.Array(
      Type.Object({
        aspect: choice(['sources', 'procedure', 'instant', 'latest_resolution', 'early_close', 'fallback']),
        ours: Type.String(),
        theirs: Type.String(),
        material: Type.Boolean(),
      }),
    ),
    same: Type.Array(MatchBody, { description: 'The same question on the other venue; at most one takes part.' }),
    related: Type.Array(MatchBody, { description: 'About the same underlying, but not the same question: never merged.' }),
  },
  { $id: 'PredictionResearch' },
);

function matchBody(market: PredictionMarket, match: QuestionMatch) {
  const { id: marketId, provider, question, subtitle, status } = market;
  return { marketId, provider, question, subtitle, status, asks: questionBody(market), reasons: match.reasons };
}

function criteriaBody(breakdown: CriteriaBreakdown) {
  const { marketId, provider, criteria, sources, procedure, mayCloseEarly } = breakdown;
  return {
    marketId,
    provider,
    criteria,
    sources,
    procedure,
    closesAt: isoTimeOrNull(breakdown.closesAt),
    expectedResolutionAt: isoTimeOrNull(breakdown.expectedResolutionAt),
    latestResolutionAt: isoTimeOrNull(breakdown.latestResolutionAt),
    mayCloseEarly,
  };
}

export const researchPredictionMarket = defineRoute({
  method: 'GET',
  url: '/v1/prediction-markets/:id/research',
  name: 'researchPredictionMarket',
  tag: 'market',
  summary: 'A source-corroborated probability and what decides the market',
  description:
    'Asks both venues for their order books and trades. Two markets are the same question only if underlying, measure, comparator, threshold and instant agree; others are related and never merged. Prices that are not live are left out and named.',
  permission: 'market:read',
  cost: 'costly',
  schema: { params: PredictionMarketPath },
  answers: { 200: { description: 'The research.', schema: ResearchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = marketIdOf(request.params);
    const market = id === null ? null : await ports.predictionMarkets.get(id);
    if (market === null) return sendProblem(reply, 'not_found', NO_MARKET);
    const matches = (await ports.predictionMarkets.counterparts(market)).map((other) => ({ other, match: matchQuestions(market, other) }));
    const same = matches.filter(({ match }) => match.verdict === 'same');
    const related = matches.filter(({ match }) => match.verdict === 'related');
    const counterpart = same[0]?.other ?? null;
    const [ours, theirs] = await Promise.all([
      ports.predictionMarkets.evidence(market),
      counterpart === null ? null : ports.predictionMarkets.evidence(counterpart),
    ]);
    const at = ports.clock.now();
    const research = researchProbability(ours, theirs, at);
    const differences = counterpart === null ? [] : criteriaDifferences(market, counterpart);
    const notes = [...research.notes];
    if (counterpart === null) notes.push('the other venue lists no market that asks the same');
    if (same.length > 1) notes.push(`${same.length} markets of the other venue ask the same; the one that ends nearest takes part`);
    return {
      marketId: market.id,
      provider: market.provider,
      question: market.question,
      subtitle: market.subtitle,
      status: market.status,
      asks: questionBody(market),
      at: isoTime(at),
      corroboration: research.corroboration,
      probability: research.probability,
      low: research.low,
      high: research.high,
      disagreement: {
        ...research.disagreement,
        riskless: counterpart === null ? null : !differences.some(({ material }) => material),
      },
      inputs: research.inputs.map((input) => ({
        ...input,
        observedAt: isoTime(input.observedAt),
        receivedAt: isoTime(input.receivedAt),
      })),
      derived: research.derived,
      notes,
      criteria: [criteriaOf(market), ...(counterpart === null ? [] : [criteriaOf(counterpart)])].map(criteriaBody),
      differences,
      same: same.map(({ other, match }) => matchBody(other, match)),
      related: related.slice(0, MAX_RELATED).map(({ other, match }) => matchBody(other, match)),
    };
  },
});
