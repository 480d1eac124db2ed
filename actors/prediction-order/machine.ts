/**
 * The state chart of a prediction-market order. A paper order is created in its final state. A live one is opened by a final transaction
 * and filled later, as its venue reports. Executed does not mean filled.
 */
import { assign, setup } from 'xstate';
import type { Fill } from '../../src/domain/books/book.ts';
import { sumFills } from '../../src/domain/orders/order.ts';
import type { OutcomeSide } from '../../src/domain/prediction/market.ts';
import { contractsAtVenue, type OnchainTerms } from '../../src/domain/prediction/prediction-order.ts';
import { Decimal, type DecimalString } from '../../src/domain/values/decimal.ts';
import { MINUTE_MS } from '../../src/domain/values/time.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/manual-order.ts';
import { effect } from '../runtime/actor-kind.ts';

/** Input of an order. Plain JSON. A paper order begins in its final state. A live one waits for its transaction. */
export interface PredictionOrderInput extends ManualOrderInput {
  readonly marketId: string;
  readonly outcome: OutcomeSide;
  readonly begins: 'prepared' | 'filled' | 'partially_filled' | 'failed';
  /** Null for a paper order. */
  readonly onchain: OnchainTerms | null;
}

/** Context of an order. Plain JSON, stored in the snapshot. */
export interface PredictionOrderContext extends PredictionOrderInput, ManualOrderContext {
  readonly feesUsd: DecimalString;
  /** Ids of booked fills. Each is booked once, however often the venue reports it. */
  readonly booked: readonly string[];
  /** Refunded part of the deposit, or null until the venue closes the order. */
  readonly refundUsd: DecimalString | null;
  /** Number of venue queries since the last change. */
  readonly looks: number;
}

/** News of a venue about an order on its chain. Every answer repeats all fills. */
export type VenueNews =
  | { readonly outcome: 'open'; readonly fills: readonly Fill[] }
  /** Closed order without further fills. `refundUsd` is the refunded part of its deposit, or null if the venue has not said. */
  | {
      readonly outcome: 'filled' | 'cancelled' | 'failed';
      readonly fills: readonly Fill[];
      readonly refundUsd: DecimalString | null;
      readonly reason: string | null;
    }
  /** Inconclusive answer. The query is repeated. */
  | { readonly outcome: 'unknown'; readonly detail: string };

/** Status of the transaction that opens the order. */
export type TransactionNews =
  | { readonly outcome: 'transaction_waits' | 'transaction_sent' | 'transaction_final' }
  /** The transaction will never land, or landed and failed. No order exists. */
  | { readonly outcome: 'transaction_ended'; readonly reason: string; readonly detail: string };

type PredictionOrderEvent =
  /** The signed transaction is verified and handed to the chain. */
  | { readonly type: 'transaction.submitted' }
  /** The transaction is final: the venue has the order. */
  | { readonly type: 'transaction.finalized' }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: VenueNews | TransactionNews }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };

/** First interval in milliseconds between queries of the venue. It grows to a minute while nothing changes. */
const LOOK_SOON_MS = 2_000;
const LOOK_RARELY_MS = MINUTE_MS;

interface EventArgs {
  readonly context: PredictionOrderContext;
  readonly event: PredictionOrderEvent;
}

/** Returns the venue's news of an event, or null for other events. */
function newsIn({ event }: Pick<EventArgs, 'event'>): Exclude<VenueNews, { readonly outcome: 'unknown' }> | null {
  return event.type === 'activity.done' && 'fills' in event.answer ? event.answer : null;
}

/** Returns the reported fills that are not booked yet. */
function freshFills(args: EventArgs): readonly Fill[] {
  return newsIn(args)?.fills.filter(({ id }) => !args.context.booked.includes(id)) ?? [];
}

const answers =
  (outcome: string) =>
  ({ event }: EventArgs): boolean =>
    event.type === 'activity.done' && event.answer.outcome === outcome;

/**
 * True if the venue reports more than was ordered or a price beyond the limit. Such a report belongs to something else and is not booked.
 */
function isBeyond(args: EventArgs): boolean {
  const { order, filledQuantity, onchain } = args.context;
  const fresh = freshFills(args);
  const worse = fresh.some(({ fillPrice }) =>
    order.side === 'buy' ? new Decimal(fillPrice).gt(order.limitPrice) : new Decimal(fillPrice).lt(order.limitPrice),
  );
  return worse || new Decimal(sumFills('quantity', fresh, filledQuantity)).gt(contractsAtVenue(order.quantity, onchain));
}

/** True unless the deposit equals the cost of fills, the fees and the refund, to the cent that venues round by. */
function isOffBalance(args: EventArgs): boolean {
  const news = newsIn(args);
  const { onchain, order } = args.context;
  if (news === null || news.outcome === 'open' || onchain === null || order.side === 'sell') return false;
  const { refundUsd, fills } = news;
  // A complete fill may leave nothing to refund.
  if (refundUsd === null) return news.outcome !== 'filled';
  const spent = fills.reduce((sum, { notionalUsd, feeUsd }) => sum.plus(notionalUsd).plus(feeUsd), new Decimal(0));
  return spent.plus(refundUsd).minus(onchain.depositUsd).abs().gt('0.01');
}

const BOOK = { type: 'recordFills', params: (args: EventArgs) => ({ fills: freshFills(args) }) } as const;
const ALARM = { type: 'alertOperators', params: { what: 'prediction_order_contradicts' } } as const;
const REFUND_OFF = { type: 'alertOperators', params: { what: 'prediction_refund_off' } } as const;
const SETTLE = [
  { guard: 'isBeyond', actions: [ALARM] },
  { guard: 'isFilledOff', target: 'filled', actions: [BOOK, 'addFills', 'rememberEnd', REFUND_OFF] },
  { guard: 'isFilled', target: 'filled', actions: [BOOK, 'addFills', 'rememberEnd'] },
  { guard: 'isCancelledOff', target: 'cancelled', actions: [BOOK, 'addFills', 'rememberEnd', REFUND_OFF] },
  { guard: 'isCancelled', target: 'cancelled', actions: [BOOK, 'addFills', 'rememberEnd'] },
  { guard: 'isFailedOff', target: 'failed', actions: [BOOK, 'addFills', 'rememberEnd', REFUND_OFF] },
  { guard: 'isFailed', target: 'failed', actions: [BOOK, 'addFills', 'rememberEnd'] },
  { guard: 'hasFresh', target: 'partially_filled', reenter: true, actions: [BOOK, 'addFills'] },
  // No news: the timer queries again.
  {},
] as const;

const atVenue = (state: 'open' | 'partially_filled') =>
  ({
    after: { lookAgain: { target: state, reenter: true, actions: 'countLook' } },
    on: { 'activity.done': SETTLE, 'activity.given_up': {} },
  }) as const;

/** Transitions while the order waits for its transaction. The transaction's actor reports a final result, and is also polled. */
const awaitingTransaction = (state: 'prepared' | 'submitted') =>
  ({
    after: { followAfter: { target: state, reenter: true, actions: 'askTransaction' } },
    on: {
      'transaction.submitted': { target: 'submitted' },
      // The chain's result may arrive before the notice that the transaction was sent.
      'transaction.finalized': { target: 'open' },
      'activity.done': [
        { guard: 'isTransactionFinal', target: 'open' },
        { guard: 'isTransactionEnded', target: 'failed', actions: 'rememberTransaction' },
        { guard: 'isTransactionSent', target: 'submitted' },
        {},
      ],
      'activity.given_up': {},
    },
  }) as const;

export const predictionOrderMachine = setup({
  types: { context: {} as PredictionOrderContext, events: {} as PredictionOrderEvent, input: {} as PredictionOrderInput },
  actions: {
    projectOrder: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    /** Makes the database refuse the step if a halt came meanwhile. */
    requireEpoch: effect<undefined>(),
    askVenue: effect<undefined>(),
    askTransaction: effect<undefined>(),
    recordFills: effect<{ readonly fills: readonly Fill[] }>(),
    recordOwnFills: effect<undefined>(),
    addFills: assign((args) => {
      const fresh = freshFills(args);
      const { booked, filledQuantity, filledNotionalUsd, feesUsd } = args.context;
      return {
        booked: [...booked, ...fresh.map(({ id }) => id)],
        filledQuantity: sumFills('quantity', fresh, filledQuantity),
        filledNotionalUsd: sumFills('notionalUsd', fresh, filledNotionalUsd),
        feesUsd: sumFills('feeUsd', fresh, feesUsd),
        looks: 0,
      };
    }),
    rememberEnd: assign((args) => {
      const news = newsIn(args);
      return news === null || news.outcome === 'open' ? {} : { reason: news.reason, refundUsd: news.refundUsd };
    }),
    rememberTransaction: assign(({ event }) =>
      event.type === 'activity.done' && event.answer.outcome === 'transaction_ended'
        ? { reason: event.answer.reason, detail: event.answer.detail }
        : {},
    ),
    countLook: assign({ looks: ({ context }) => context.looks + 1 }),
  },
  guards: {
    beginsFilled: ({ context }) => context.begins === 'filled',
    beginsPartiallyFilled: ({ context }) => context.begins === 'partially_filled',
    beginsUnfilled: ({ context }) => context.begins === 'failed',
    isBeyond,
    isTransactionFinal: answers('transaction_final'),
    isTransactionEnded: answers('transaction_ended'),
    isTransactionSent: answers('transaction_sent'),
    isFilledOff: (args) => answers('filled')(args) && isOffBalance(args),
    isFilled: answers('filled'),
    isCancelledOff: (args) => answers('cancelled')(args) && isOffBalance(args),
    isCancelled: answers('cancelled'),
    isFailedOff: (args) => answers('failed')(args) && isOffBalance(args),
    isFailed: answers('failed'),
    hasFresh: (args) => freshFills(args).length > 0,
  },
  delays: {
    followAfter: 15_000,
    lookAgain: ({ context }) => Math.min(LOOK_SOON_MS * 2 ** Math.min(context.looks, 10), LOOK_RARELY_MS),
  },
}).createMachine({
  id: 'prediction_order@1',
  context: ({ input }) => ({
    ...input,
    filledQuantity: sumFills('quantity', input.fills),
    filledNotionalUsd: sumFills('notionalUsd', input.fills),
    feesUsd: sumFills('feeUsd', input.fills),
    booked: input.fills.map(({ id }) => id),
    refundUsd: null,
    looks: 0,
  }),
  initial: 'placed',
  states: {
    /** Transient first state. */
    placed: {
      entry: ['requireEpoch'],
      always: [
        { guard: 'beginsFilled', target: 'filled', actions: 'recordOwnFills' },
        { guard: 'beginsPartiallyFilled', target: 'lapsed', actions: 'recordOwnFills' },
        { guard: 'beginsUnfilled', target: 'failed' },
        { target: 'prepared' },
      ],
    },
    /** The transaction waits for a signature. It reserves capacity and is not an order yet. */
    prepared: { entry: ['projectOrder'], ...awaitingTransaction('prepared') },
    /** The transaction may have landed. Only the chain's report leads out. */
    submitted: { entry: ['projectOrder'], ...awaitingTransaction('submitted') },
    open: { entry: ['projectOrder', 'askVenue'], ...atVenue('open') },
    partially_filled: { entry: ['projectOrder', 'askVenue'], ...atVenue('partially_filled') },
    filled: { type: 'final', entry: ['projectOrder'] },
    /** A paper order that the book could fill only in part. The remainder lapsed at once. */
    lapsed: { type: 'final', entry: ['projectOrder'] },
    cancelled: { type: 'final', entry: ['projectOrder'] },
    failed: { type: 'final', entry: ['projectOrder'] },
  },
});
