/** A decision record on the wire. */
import { type TSchema, Type } from 'typebox';
import { AttributionBody } from '../../../../src/core/order-shapes.ts';
import { DISPOSITIONS } from '../../../../src/domain/agents/agent.ts';
import { UNKNOWN_CAUSES } from '../../../../src/domain/conditions/unknown-input.ts';
import { SEVERITIES } from '../../../../src/domain/market/market-event.ts';
import { SESSIONS } from '../../../../src/domain/market/quote.ts';
import {
  choice,
  DecimalText,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  QualityFlags,
  QualityWord,
  pageOf,
  Time,
} from '../../../shapes.ts';

const EPOCH_TIME = 'Milliseconds since the epoch, as it was hashed.';
const EpochTime = Type.Integer({ description: EPOCH_TIME });

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

const plainValue = (description: string) => Type.Unsafe<number | string | null>({ type: ['number', 'string', 'null'], description });

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

export const DecisionBody = Type.Object(
  {
    id: IdText,
    agentId: IdText,
    slot: Time,
    at: Time,
    manifestHash: HashText,
    observed: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: ObservationBody,
      description: 'By instrument, for example `spotchain:AAPLx`.',
    }),
    rules: Type.Array(
      Type.Object({
        instrument: Type.String(),
        side: choice(['entry', 'exit']),
        type: Type.String(),
        passed: Type.Boolean(),
        observed: plainValue('Null if the input was unknown; the rule then fails.'),
        threshold: plainValue('Value in the manifest.'),
        unknown: Type.Optional(UnknownInputBody),
      }),
    ),
    disposition: choice(DISPOSITIONS),
    reason: nullable('string', 'Reason beyond the disposition, such as `late_tick`, or null.'),
    instrument: nullable('string', 'Instrument of the proposal.'),
    risk: AttributionBody,
    book: Type.Object({
      positions: Type.Array(
        Type.Object({ instrument: Type.String(), quantity: DecimalText, averageEntryPrice: DecimalText, openedAt: EpochTime }),
      ),
      openProposals: Type.Integer(),
      fills: Type.Integer(),
      realizedPnlUsd: DecimalText,
      slippageBps: nullable('number'),
    }),
    previousHash: HashText,
    hash: HashText,
  },
  { $id: 'Decision', description: 'Immutable and append-only; `hash` covers the record and `previousHash`.' },
);

/** Returns the schema of a page of decisions, with the location of older ones. */
export function decisionPageOf<Item extends TSchema>(item: Item) {
  return Type.Object({
    ...pageOf(item).properties,
    movedBefore: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'On the last page, where older decisions were moved: those before this moment lie in archive files.',
      }),
    ),
  });
}

export function movedOf({ movedBefore }: { readonly movedBefore: number | null }): { movedBefore?: string } {
  return movedBefore === null ? {} : { movedBefore: new Date(movedBefore).toISOString() };
}

/** Message for a decision that does not exist, or belongs to another agent or organization. */
export const NO_DECISION = 'there is no decision with this id (pages of decisions tell from when on older ones lie in archive files)';
