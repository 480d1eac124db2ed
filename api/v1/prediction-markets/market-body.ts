/** A prediction market on the wire, in one shape for both providers, with present prices if received. */
import { Type } from 'typebox';
import type { QuoteReads } from '../../../src/adapters/queue/quote-bus.ts';
import {
  OUTCOME_SIDES,
  PREDICTION_PROVIDERS,
  PREDICTION_STATUSES,
  type PredictionMarket,
  type PredictionOutcome,
} from '../../../src/domain/prediction/market.ts';
import { COMPARATORS } from '../../../src/domain/prediction/question.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import { type EpochMs, MINUTE_MS, isoTime, isoTimeOrNull } from '../../../src/domain/values/time.ts';
import {
  choice,
  DecimalText,
  nullable,
  nullableChoice,
  NullableDecimalText,
  NullableTime,
  objectOf,
  QualityFlags,
  QualityWord,
  Time,
} from '../../shapes.ts';

export const ProviderWord = choice(PREDICTION_PROVIDERS, 'Provider that lists it.');
export const PredictionStatusWord = choice(PREDICTION_STATUSES, '`unknown`: the provider used a word that this version does not know.');
export const PredictionMarketPath = objectOf({ id: Type.String({ minLength: 1, maxLength: 64 }) });
export const NO_MARKET = 'there is no prediction market with this id';

const MARKET_ID = /^pm-[0-9a-f]{24}$/;

/** Reads the id of a path, or null if it is invalid. Then nothing is looked up. */
export function marketIdOf({ id }: { readonly id: string }): string | null {
  return MARKET_ID.test(id) ? id : null;
}

export const SourceBody = Type.Object({ name: Type.String(), url: nullable('string') });

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

export const QuestionBody = Type.Unsafe<object | null>({
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

export const PredictionMarketBody = Type.Object(
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
export function predictionMarketBody(market: PredictionMarket, quotes: QuoteReads, now: EpochMs) {
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

export function questionBody({ asks }: PredictionMarket): object | null {
  return asks === null ? null : { ...asks, resolvesAt: isoTime(asks.resolvesAt) };
}
