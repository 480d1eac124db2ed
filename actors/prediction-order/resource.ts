/** Fields of a prediction-market order. */
import { Type } from 'typebox';
import { held, resource, type ViewOf } from '../../src/core/resource.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable } from '../../src/core/shapes.ts';
import { OUTCOME_SIDES } from '../../src/domain/prediction/market.ts';
import { type OnchainTerms, PREDICTION_ORDER_STATES } from '../../src/domain/prediction/prediction-order.ts';
import { MANUAL_ORDER_FIELDS, type ManualOrderView } from '../manual-order/manual-order.ts';

export const PredictionOrderStateWord = choice(
  PREDICTION_ORDER_STATES,
  'An executed transaction opens an order; it is filled later, or not. `cancelled`: closed before it was whole, and the rest of its deposit came back.',
);
export const MarketIdText = Type.String({ pattern: '^pm-[0-9a-f]{24}$', description: 'The id of GET /v1/prediction-markets.' });

export const predictionOrder = resource('prediction_orders', {
  id: { wire: IdText, column: 'uuid' },
  state: { wire: PredictionOrderStateWord, column: 'text', changes: true },
  reason: {
    wire: nullable('string', 'Reason why it was not filled, or not wholly; null if the state needs none.'),
    column: 'text',
    changes: true,
  },
  detail: { wire: nullable('string', 'The same as a sentence.'), column: 'text', changes: true },
  ...MANUAL_ORDER_FIELDS,
  marketId: { wire: MarketIdText, column: 'text' },
  outcome: { wire: choice(OUTCOME_SIDES), column: 'text' },
  feesUsd: { wire: DecimalText, column: 'numeric', changes: true },
  onchain: {
    wire: Type.Unsafe<OnchainTerms | null>({
      type: ['object', 'null'],
      description: 'The live order on the chain and at its venue. Null on paper.',
      properties: {
        wallet: { type: 'string', description: 'Wallet that pays and owns the position.' },
        transactionId: { type: 'string', description: 'The prepared transaction that opens it.' },
        venueMarketId: { type: 'string' },
        orderAccount: { type: 'string' },
        positionAccount: { type: 'string' },
        depositUsd: { type: 'string', description: 'Amount that the transaction pays into escrow.' },
        contracts: {
          type: 'string',
          description: 'Contracts as the venue counts them, in millionths. The order has the whole hundredths. Missing in older orders.',
        },
      },
    }),
    column: 'jsonb',
  },
  transactionId: { holds: held<string | null>(), column: 'uuid' },
  refundUsd: {
    wire: Type.Unsafe<string | null>({
      ...NullableDecimalText,
      description: 'Refund of the deposit. Null until the venue has closed the order.',
    }),
    column: 'numeric',
    changes: true,
  },
});

export type PredictionOrder = ViewOf<typeof predictionOrder>;
export type PredictionOrderView = PredictionOrder & Pick<ManualOrderView, 'fills'>;
