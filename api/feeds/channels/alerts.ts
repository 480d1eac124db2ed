/** The `alerts` channel: breakers, incidents and delays that need attention, of the organization and of the whole service. */
import { type TProperties, Type } from 'typebox';
import { MARKET_ORDER_STATES } from '../../../src/domain/orders/execution.ts';
import { CHECKOUT_STATES } from '../../../src/domain/marketplace/checkout.ts';
import { EXECUTION_MODES, ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import { PREDICTION_ORDER_STATES } from '../../../src/domain/prediction/prediction-order.ts';
import { PREPARED_TRANSACTION_STATES } from '../../../src/domain/solana/lifecycle.ts';
import { choice, DecimalText, IdText, NullableDecimalText, nullable } from '../../shapes.ts';
import { agentStatus, tripFields } from './agents.ts';
import { transferStatus } from './bridge.ts';
import { announcementChannel } from './channel.ts';
import { launchStatus } from './launches.ts';
import { proposalStatus } from './proposals.ts';
import { takeStatus } from './takes.ts';

const What = Type.String({ description: 'Kind of the alert, in one word such as `data_degraded`. New words may be added.' });
const Venues = Type.Array(Type.String(), { description: 'Venues that lost data, or single instruments as `<venue>:<symbol>`.' });

function alert<Fields extends TProperties>($id: string, description: string, fields: Fields) {
  return Type.Object({ what: What, ...fields }, { $id, description, additionalProperties: false });
}

const manualOrder = {
  mode: choice(EXECUTION_MODES),
  instrument: Type.String(),
  side: choice(ORDER_SIDES),
  quantity: DecimalText,
  limitPrice: Type.String(),
};
const signedBy = { wallet: Type.String(), signature: nullable('string') };

const ALERTS = [
  alert('AgentAlert', 'A circuit breaker of an agent, or loss of its market data.', {
    ...agentStatus,
    ...tripFields,
    venues: Type.Optional(Venues),
  }),
  alert('TakeAlert', 'A circuit breaker disarmed a Take, its market data is lost, or its author must confirm how its thesis was read.', {
    ...takeStatus,
    agentId: IdText,
    observed: tripFields.observed,
    limit: tripFields.limit,
    venues: Type.Optional(Venues),
    detail: Type.Optional(Type.String({ description: 'Readings that must be confirmed, in sentences.' })),
  }),
  alert('ProposalAlert', 'A proposal needs its owner, or the outcome of its order is unknown.', proposalStatus),
  alert('MarketOrderAlert', 'Outcome of a manual order.', {
    marketOrderId: IdText,
    state: choice(MARKET_ORDER_STATES),
    ...manualOrder,
    filledQuantity: DecimalText,
    reason: nullable('string'),
  }),
  alert('PredictionOrderAlert', 'The chain contradicts an order, or its refund differs.', {
    predictionOrderId: IdText,
    state: choice(PREDICTION_ORDER_STATES),
    ...manualOrder,
    depositUsd: NullableDecimalText,
    refundUsd: NullableDecimalText,
  }),
  alert('TransactionAlert', 'A signed transaction was refused, failed, or its outcome is unknown.', {
    transactionId: IdText,
    state: choice(PREPARED_TRANSACTION_STATES),
    purpose: Type.String(),
    ...signedBy,
    reason: nullable('string'),
  }),
  alert('SwapAlert', 'A swap landed and moved nothing.', { transactionId: IdText, ...signedBy }),
  alert('LaunchAlert', 'A launch of a token failed.', { ...launchStatus, signatures: Type.Optional(Type.Array(Type.String())) }),
  alert('CheckoutAlert', 'A payment for a licence failed.', {
    checkoutId: IdText,
    state: choice(CHECKOUT_STATES),
    listingId: IdText,
    priceUsd: DecimalText,
    signature: nullable('string'),
    reason: nullable('string'),
    detail: nullable('string'),
  }),
  alert('TransferAlert', 'A transfer ended, is late, or its sources contradict each other.', {
    ...transferStatus,
    words: Type.Optional(Type.String({ description: 'The contradiction, in a sentence.' })),
  }),
  alert('IncidentAlert', 'An internal error of an actor.', {
    agentId: { ...IdText, description: 'The actor, of whatever kind.' },
    detail: Type.String(),
  }),
  alert('HaltAlert', 'Progress of an emergency halt.', {
    epoch: Type.Integer(),
    paused: Type.Integer({ description: 'Agents and Takes paused so far.' }),
    of: Type.Integer(),
  }),
  alert('ReserveAlert', 'Holdings at the venues do not cover the claims of the books, or are unknown.', { detail: Type.String() }),
  alert('ServerAlert', 'A server of the service restarted.', {
    server: Type.String(),
    downMs: Type.Integer({ description: 'Downtime in milliseconds.' }),
  }),
];

export const alertsChannel = announcementChannel({
  name: 'alerts',
  about: 'Circuit breakers, incidents and delays that need attention.',
  actorParam: 'agentId',
  shared: true,
  item: Type.Union(ALERTS),
});
