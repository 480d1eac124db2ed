/** Wire shapes of the pre-trade risk function's results. */
import { Type } from 'typebox';
import type { RiskAttribution, RiskRejection } from '../src/domain/decision.ts';
import { withAgesInWords } from '../src/domain/words.ts';
import { choice, DecimalText, nullable } from './shapes.ts';

const ChangeBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  required: ['kind'],
  properties: {
    kind: choice(['quantity', 'limit_price', 'free_capacity', 'close_positions', 'wait_for', 'quote_of', 'lift_halt', 'enable_feature']),
    quantity: { ...DecimalText, description: 'The largest that fits.' },
    limitPrice: { ...DecimalText, description: 'The worst that fits.' },
    usd: { ...DecimalText, description: 'US dollars of the limit that must become free before one lot fits.' },
    count: Type.Integer({ description: 'Positions that must be closed first.' }),
    what: choice(['live_quote', 'live_reference', 'pool_liquidity', 'utc_day']),
    instrument: nullable('string'),
    at: nullable('integer', 'Time in milliseconds since the Unix epoch, or null if it is not known.'),
    feature: Type.String(),
  },
  description: 'The smallest change that would pass, as data; null if no change of this order would do.',
});

/** One breach. */
export const RejectionBody = Type.Object({
  code: Type.String(),
  limit: nullable('string'),
  before: nullable('string'),
  after: nullable('string'),
  suggestion: nullable('string', 'The smallest change that would pass, as a sentence.'),
  change: Type.Optional(ChangeBody),
});

/** Assessment of an order; null if nothing was proposed. */
export const AttributionBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  required: ['verdict', 'rejections'],
  properties: {
    verdict: choice(['passed', 'blocked']),
    rejections: Type.Array(RejectionBody),
    order: Type.Object(
      { side: choice(['buy', 'sell']), quantity: DecimalText, limitPrice: DecimalText, notionalUsd: DecimalText },
      { description: 'The order that was assessed; absent where none could be sized.' },
    ),
    headroom: Type.Object(
      { quantity: DecimalText, code: Type.String() },
      { description: 'The largest quantity that would pass, and what a lot more would breach.' },
    ),
  },
  description: 'Pre-trade risk attribution; null if nothing was proposed.',
});

const inWords = (text: string | null): string | null => (text === null ? null : withAgesInWords(text));

/** Breaches as people read them: `27 h old`. The record of a decision keeps milliseconds, which are hashed. */
export function rejectionsInWords(rejections: readonly RiskRejection[]): RiskRejection[] {
  return rejections.map((found) => ({ ...found, before: inWords(found.before), after: inWords(found.after) }));
}

/** Everything that was said of an order, with its breaches as people read them. */
export function attributionInWords(risk: RiskAttribution | null): RiskAttribution | null {
  return risk === null ? null : { ...risk, rejections: rejectionsInWords(risk.rejections) };
}
