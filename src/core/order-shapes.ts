/** Wire shapes of orders: their risk assessment and fills. */
import { Type } from 'typebox';
import { ORDER_SIDES } from '../domain/orders/order.ts';
import { choice, DecimalText, NullableDecimalText, nullable, Time } from './shapes.ts';

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

/** A rejection by risk. */
export const RejectionBody = Type.Object({
  code: Type.String(),
  limit: nullable('string'),
  before: nullable('string'),
  after: nullable('string'),
  suggestion: nullable('string', 'The smallest change that would pass, as a sentence.'),
  change: Type.Optional(ChangeBody),
});

/** Risk assessment of an order, or null if nothing was proposed. */
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
      {
        description:
          'The largest quantity that would pass, and what a lot more would breach; absent where no known account pays for the order.',
      },
    ),
  },
  description: 'Pre-trade risk attribution; null if nothing was proposed.',
});

/** A fill, with the quotes it was made on. */
export const FillBody = Type.Object({
  id: Type.String(),
  side: choice(ORDER_SIDES),
  quantity: DecimalText,
  fillPrice: DecimalText,
  notionalUsd: DecimalText,
  feeUsd: DecimalText,
  slippageBps: Type.Number({ description: 'Slippage against the decision price, in basis points. Negative is better.' }),
  at: Time,
  quotes: Type.Array(Type.Object({ source: Type.String(), observedAt: Time, bid: NullableDecimalText, ask: NullableDecimalText }), {
    description: 'Quotes that it was filled on.',
  }),
});
