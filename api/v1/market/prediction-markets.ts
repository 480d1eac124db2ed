/** Prediction markets of both providers in one shape, and the comparison of a question on both. */
import { Type } from 'typebox';
import type { QuoteReads } from '../../../src/adapters/queue/quote-bus.ts';
import type { PredictionReads } from '../../../src/adapters/venues/prediction/prediction-reads.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import {
  CRITERION_ASPECTS,
  type CriteriaBreakdown,
  criteriaDifferences,
  classifyCriteria,
} from '../../../src/domain/prediction/criteria.ts';
import {
  OUTCOME_SIDES,
  PREDICTION_PROVIDERS,
  PREDICTION_STATUSES,
  type PredictionMarket,
  type PredictionOutcome,
} from '../../../src/domain/prediction/market.ts';
import { COMPARATORS, matchQuestions, type QuestionMatch } from '../../../src/domain/prediction/question.ts';
import { CORROBORATIONS, DISAGREEMENTS, researchProbability } from '../../../src/domain/prediction/research.ts';
import { type EpochMs, isoTime, isoTimeOrNull, MINUTE_MS } from '../../../src/domain/values/time.ts';
import { pageBody, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute, type RouteGroup } from '../../route.ts';
import {
  choice,
  DecimalText,
  NullableDecimalText,
  NullableTime,
  nullable,
  nullableChoice,
  objectSchema,
  pageFields,
  pageSchema,
  QualityFlags,
  QualityWord,
  Time,
} from '../../shapes.ts';
import { marketRoutes } from './market.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly predictionMarkets: PredictionReads;
  }
}

const ProviderWord = choice(PREDICTION_PROVIDERS, 'Provider that lists it.');
const PredictionStatusWord = choice(PREDICTION_STATUSES, '`unknown`: the provider used a word that this version does not know.');
const PredictionMarketPath = objectSchema({ id: Type.String({ minLength: 1, maxLength: 64 }) });
const NO_MARKET = 'there is no prediction market with this id';

const MARKET_ID = /^pm-[0-9a-f]{24}$/;

/** Reads the id of a path, or null if it is invalid. Then nothing is looked up. */
function readMarketId({ id }: { readonly id: string }): string | null {
  return MARKET_ID.test(id) ? id : null;
}

const SourceBody = Type.Object({ name: Type.String(), url: nullable('string') });

const OutcomeBody = Type.Object({
  side: choice(OUTCOME_SIDES),
  label: Type.String(),
  instrument: Type.String({ description: 'Its quotes: `GET /v1/quotes?venue=prediction&instrument=…` and the channel `quotes`.' }),
  providerId: Type.String(),
  bid: NullableDecimalText,
  ask: NullableDecimalText,
  bidSize: NullableDecimalText,
  askSize: NullableDecimalText,
  last: NullableDecimalText,
  payout: { ...NullableDecimalText, description: 'US dollars per contract once it is resolved.' },
  source: Type.String({ description: 'Source of the prices: the stream or the listing.' }),
  observedAt: Time,
  receivedAt: Time,
  quality: QualityWord,
  flags: QualityFlags,
});

const QuestionBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  description: 'The question as conditions that can be compared; null if it could not be read beyond doubt.',
  properties: {
    underlying: { type: 'string' },
    comparator: { type: 'string', enum: [...COMPARATORS] },
    threshold: { type: 'string' },
    upperThreshold: { type: ['string', 'null'] },
    measure: { type: 'string', enum: ['at_time', 'any_time'] },
    resolvesAt: { type: 'string', format: 'date-time' },
  },
});

const PredictionMarketBody = Type.Object(
  {
    id: Type.String(),
    provider: ProviderWord,
    providerId: Type.String(),
    providerIds: Type.Record(Type.String(), Type.String()),
    event: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      properties: {
        id: { type: 'string' },
        providerId: { type: 'string' },
        title: { type: 'string' },
        mutuallyExclusive: { type: ['boolean', 'null'], description: 'At most one of its markets resolves yes; null if nobody said.' },
      },
    }),
    question: Type.String(),
    subtitle: Type.String(),
    outcomes: Type.Array(OutcomeBody, { minItems: 2, maxItems: 2, description: 'The affirmative one first.' }),
    priceGrid: Type.Array(Type.Object({ start: DecimalText, end: DecimalText, step: DecimalText }), {
      description: 'Prices at which orders may rest. A tapering grid has several ranges.',
    }),
    minimumSize: NullableDecimalText,
    status: PredictionStatusWord,
    providerStatus: Type.String(),
    volume: NullableDecimalText,
    volume24h: NullableDecimalText,
    openInterest: NullableDecimalText,
    volumeUnit: choice(['usd', 'contracts'], 'The unit of volumes and open interest.'),
    liquidityUsd: NullableDecimalText,
    opensAt: NullableTime,
    closesAt: NullableTime,
    expectedResolutionAt: NullableTime,
    latestResolutionAt: NullableTime,
    resolvedAt: NullableTime,
    resolution: Type.Object({
      rules: Type.String(),
      secondaryRules: Type.String(),
      sources: Type.Array(SourceBody),
      procedure: choice(['optimistic_oracle', 'exchange_determination']),
      history: Type.Array(Type.String()),
      result: nullableChoice(OUTCOME_SIDES),
      decidedBy: nullable('string'),
      mayCloseEarly: nullable('boolean'),
      earlyCloseCondition: nullable('string'),
    }),
    fee: Type.Object({
      model: choice(['quadratic', 'none', 'unknown'], 'Taker fee: contracts x rate x (price x (1 - price)) ^ exponent, rounded up.'),
      rate: NullableDecimalText,
      exponent: Type.Integer(),
      roundingUsd: NullableDecimalText,
    }),
    underlying: nullable('string', "The catalog's symbol that it is about."),
    asks: QuestionBody,
    venue: choice(['prediction']),
    source: Type.String(),
    observedAt: Time,
    receivedAt: Time,
    quality: { ...QualityWord, description: 'Quality of the listing: `stale` once it was not repeated for too long.' },
    flags: QualityFlags,
  },
  { $id: 'PredictionMarket' },
);

/** Maximum age of a listing in milliseconds, in which it is repeated twice. Older ones are stale. */
const LISTING_MAX_AGE_MS = MINUTE_MS;
const OVER_AGE = ['over_age'] as const;

/** Returns the prices of an outcome: the stream's if received, else the aged listing's. */
function outcomeBody(market: PredictionMarket, outcome: PredictionOutcome, quote: Quote | null, now: EpochMs) {
  const stale = now - market.receivedAt > LISTING_MAX_AGE_MS && market.quality === 'live';
  const received = quote !== null && quote.receivedAt >= market.receivedAt - LISTING_MAX_AGE_MS && market.quality === 'live';
  const { bid, ask, bidSize, askSize } = received ? quote : outcome;
  return {
    side: outcome.side,
    label: outcome.label,
    instrument: outcome.instrument,
    providerId: outcome.providerId,
    bid,
    ask,
    bidSize,
    askSize,
    last: outcome.last,
    payout: outcome.payout,
    source: received ? quote.source : market.source,
    observedAt: isoTime(received ? quote.observedAt : market.observedAt),
    receivedAt: isoTime(received ? quote.receivedAt : market.receivedAt),
    quality: received ? quote.quality : stale ? ('stale' as const) : market.quality,
    flags: received ? quote.flags : stale ? OVER_AGE : market.flags,
  };
}

/** Returns the wire form of a market. */
function predictionMarketBody(market: PredictionMarket, quotes: QuoteReads, now: EpochMs) {
  const stale = now - market.receivedAt > LISTING_MAX_AGE_MS && market.quality === 'live';
  return {
    id: market.id,
    provider: market.provider,
    providerId: market.providerId,
    providerIds: market.providerIds,
    event: market.event,
    question: market.question,
    subtitle: market.subtitle,
    outcomes: market.outcomes.map((outcome) => {
      const [received] = quotes.latest({ venue: 'prediction', instrument: outcome.instrument });
      return outcomeBody(market, outcome, received?.kind === 'quote' ? received : null, now);
    }),
    priceGrid: market.priceGrid,
    minimumSize: market.minimumSize,
    status: market.status,
    providerStatus: market.providerStatus,
    volume: market.volume,
    volume24h: market.volume24h,
    openInterest: market.openInterest,
    volumeUnit: market.volumeUnit,
    liquidityUsd: market.liquidity,
    opensAt: isoTimeOrNull(market.opensAt),
    closesAt: isoTimeOrNull(market.closesAt),
    expectedResolutionAt: isoTimeOrNull(market.expectedResolutionAt),
    latestResolutionAt: isoTimeOrNull(market.latestResolutionAt),
    resolvedAt: isoTimeOrNull(market.resolvedAt),
    resolution: market.resolution,
    fee: market.fee,
    underlying: market.underlying,
    asks: questionBody(market),
    venue: market.venue,
    source: market.source,
    observedAt: isoTime(market.observedAt),
    receivedAt: isoTime(market.receivedAt),
    quality: stale ? ('stale' as const) : market.quality,
    flags: stale ? OVER_AGE : market.flags,
  };
}

function questionBody({ asks }: PredictionMarket): object | null {
  return asks === null ? null : { ...asks, resolvesAt: isoTime(asks.resolvesAt) };
}

const LIST = 'prediction-markets';
/** Position: the end of a market in milliseconds, and its id. */
const POSITION = /^\d{1,15}\.pm-[0-9a-f]{24}$/;

const listPredictionMarkets = defineRoute({
  method: 'GET',
  url: '/v1/prediction-markets',
  name: 'listPredictionMarkets',
  tag: 'market',
  summary: 'Prediction markets of both providers',
  description: 'Sorted by end, the latest first. All given filters apply.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      provider: Type.Optional(ProviderWord),
      status: Type.Optional(PredictionStatusWord),
      underlying: Type.Optional(
        Type.String({ minLength: 1, maxLength: 32, description: 'Underlying of the question, for example `BTC`.' }),
      ),
      symbol: Type.Optional(
        Type.String({ minLength: 1, maxLength: 32, description: 'A symbol of the catalog on the same underlying, for example `AAPLx`.' }),
      ),
      event: Type.Optional(Type.String({ pattern: '^pe-[0-9a-f]{24}$', description: "The event's id." })),
      q: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Part of the question, in any case.' })),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of markets.', schema: pageSchema(PredictionMarketBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { provider, status, underlying, symbol, event, q } = request.query;
    const page = pageOfQuery(request.query, LIST, POSITION);
    const entry = symbol === undefined ? undefined : ports.catalog.entries.bySymbol(symbol);
    if (symbol !== undefined && entry === undefined)
      throw malformed('query.symbol', `unknown symbol ${symbol}`, 'a symbol of GET /v1/catalog');
    const named = [underlying, entry?.underlying].filter((one) => one !== undefined);
    // No market is about two different underlyings.
    if (named.length === 2 && named[0] !== named[1]) return { items: [], nextCursor: null };
    const [about] = named;
    const found = await ports.predictionMarkets.list(
      {
        ...(provider === undefined ? {} : { provider }),
        ...(status === undefined ? {} : { status }),
        ...(about === undefined ? {} : { underlying: about }),
        ...(q === undefined ? {} : { text: q }),
        ...(event === undefined ? {} : { eventId: event }),
      },
      page,
    );
    const now = ports.clock.now();
    return pageBody(found, LIST, (market) => predictionMarketBody(market, ports.quotes, now));
  },
});

const getPredictionMarket = defineRoute({
  method: 'GET',
  url: '/v1/prediction-markets/:id',
  name: 'getPredictionMarket',
  tag: 'market',
  summary: 'One prediction market',
  permission: 'market:read',
  cost: 'read',
  schema: { params: PredictionMarketPath },
  answers: { 200: { description: 'The market.', schema: PredictionMarketBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = readMarketId(request.params);
    const market = id === null ? null : await ports.predictionMarkets.get(id);
    if (market === null) return sendProblem(reply, 'not_found', NO_MARKET);
    return predictionMarketBody(market, ports.quotes, ports.clock.now());
  },
});

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

const researchPredictionMarket = defineRoute({
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
    const id = readMarketId(request.params);
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
      criteria: [classifyCriteria(market), ...(counterpart === null ? [] : [classifyCriteria(counterpart)])].map(criteriaBody),
      differences,
      same: same.map(({ other, match }) => matchBody(other, match)),
      related: related.slice(0, MAX_RELATED).map(({ other, match }) => matchBody(other, match)),
    };
  },
});

export const predictionMarketRoutes: RouteGroup = {
  tag: marketRoutes.tag,
  routes: [listPredictionMarkets, getPredictionMarket, researchPredictionMarket],
};
