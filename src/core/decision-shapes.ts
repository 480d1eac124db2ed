/** Schemas of what a decision observed, and of inputs that were unknown. */
import { Type } from 'typebox';
import { UNKNOWN_CAUSES } from '../domain/conditions/unknown-input.ts';
import { SEVERITIES } from '../domain/market/market-event.ts';
import { SESSIONS } from '../domain/market/quote.ts';
import { choice, DecimalText, NullableDecimalText, nullable, QualityFlags, QualityWord, Time } from './shapes.ts';

const EPOCH_TIME = 'Milliseconds since the epoch, as it was hashed.';
export const EpochTime = Type.Integer({ description: EPOCH_TIME });

const ObservedQuoteBody = Type.Object({
  bid: NullableDecimalText,
  ask: NullableDecimalText,
  mid: NullableDecimalText,
  source: Type.String(),
  observedAt: EpochTime,
  receivedAt: EpochTime,
  ageMs: Type.Integer(),
  quality: QualityWord,
  flags: QualityFlags,
});

const ObservedReferenceBody = Type.Object({
  instrument: Type.String(),
  source: Type.Optional(Type.String({ description: "Named where the price is a second source's." })),
  referencePrice: DecimalText,
  confidence: DecimalText,
  feedUpdatedAt: EpochTime,
  receivedAt: EpochTime,
  ageMs: Type.Integer(),
  quality: QualityWord,
  flags: QualityFlags,
});

const ObservedEventBody = Type.Object({
  id: Type.String(),
  severity: choice(SEVERITIES),
  negative: Type.Boolean(),
  rumor: Type.Boolean(),
  observedAt: EpochTime,
  headline: Type.String(),
});

const orNull = (body: object) => Type.Unsafe<unknown>({ ...body, type: ['object', 'null'] });

export const ObservationBody = Type.Object(
  {
    slot: EpochTime,
    instrument: Type.String(),
    session: choice(SESSIONS),
    quote: orNull(ObservedQuoteBody),
    reference: orNull(ObservedReferenceBody),
    premiumPct: nullable('number', 'Fair-value gap in percent.'),
    gapToMarkPct: nullable('number', 'Premium of the price over the issuer’s mark, in percent.'),
    basisPct: nullable('number'),
    hourlyFunding: NullableDecimalText,
    markPrice: NullableDecimalText,
    liquidityUsd: NullableDecimalText,
    indicators: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['value', 'previous', 'barOpenTime'],
        properties: {
          value: nullable('number'),
          previous: nullable('number'),
          barOpenTime: nullable('integer', EPOCH_TIME),
          bars: { type: 'integer', minimum: 0, description: 'Closed bars that it has; only during warm-up. Not covered by `hash`.' },
        },
      },
      description: 'By `<name>:<period>@<timeframe>`, for example `rsi:14@1h`; null while it warms up.',
    }),
    events: Type.Unsafe<unknown>({
      type: ['array', 'null'],
      items: ObservedEventBody,
      description: 'Active events, newest first. Null if the sources were not followed for long enough to know.',
    }),
  },
  { $id: 'Observation', description: 'Observation of one instrument at the slot. Null means unknown.' },
);

export const plainValue = (description: string) => Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'], description });

export const UnknownInputBody = Type.Object(
  {
    input: Type.String({
      description: 'Unknown input: `quote`, `reference`, `pool` and so on, an indicator by its name (`rsi:14@1h`), or `observation`.',
    }),
    cause: choice(UNKNOWN_CAUSES),
    until: Type.Optional({ ...Time, description: 'Next opening of the regular session, with the cause `market_closed`.' }),
    barsNeeded: Type.Optional(Type.Integer({ description: 'Closed bars (of funding: hours) that it needs, with the cause `warming_up`.' })),
    bars: Type.Optional(Type.Integer({ description: 'Bars available; absent in records from before they were counted.' })),
  },
  {
    description: 'Reason an input was unknown. Derived from what was observed and not covered by a hash.',
  },
);
