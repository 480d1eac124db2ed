/** Resting of a person's order: the meaning of answers, the remaining quantity and the records. */
import type { Fill } from '../../src/domain/books/book.ts';
import { computeNotionalUsd, sumFills } from '../../src/domain/orders/order.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../src/domain/values/decimal.ts';
import { readAnswer } from '../proposal/execution-events.ts';
import type { MarketOrderContext, MarketOrderEvent, MarketOrderInput } from './machine.ts';

/** Returns the fills that an event reports. No fills for events of other types. */
export function toldFills(event: MarketOrderEvent): readonly Fill[] {
  const answer = readAnswer(event);
  if (answer === null) return [];
  if (answer.outcome === 'resting') return answer.fills ?? [];
  return answer.outcome === 'filled' || answer.outcome === 'partially_filled' ? answer.fills : [];
}

/** Returns the base units that the venue may still execute. */
export function leftOfOrder({ order, seen, filledQuantity }: Pick<MarketOrderContext, 'order' | 'seen' | 'filledQuantity'>): DecimalString {
  return plainDecimal(Decimal.max(0, new Decimal(order.quantity).minus(seen?.executed ?? filledQuantity)));
}

/** Returns the initial state of a resting order: whole, or the remainder after an immediate fill. */
export function beginningAtRest(input: MarketOrderInput): Pick<MarketOrderContext, 'part' | 'rest' | 'seen'> {
  const { order, fills, createdAt, resting } = input;
  if (resting === undefined) return {};
  const quantity = leftOfOrder({ order, filledQuantity: sumFills('quantity', fills) });
  const rest = input.begins === 'resting' ? { price: order.limitPrice, since: createdAt } : null;
  return { part: { number: 0, kind: 'rest', quantity, dueAt: null }, rest, seen: null };
}

/** Returns the context of an order that rests, or was partially filled while it rested. */
export function atRest(context: MarketOrderContext, event: MarketOrderEvent): Partial<MarketOrderContext> {
  const answer = readAnswer(event);
  if (answer?.outcome !== 'resting' || context.part === undefined) return {};
  const filledQuantity = sumFills('quantity', toldFills(event), context.filledQuantity);
  const seen = answer.seen ?? context.seen ?? null;
  return {
    seen,
    rest: { price: answer.price, since: answer.at ?? context.rest?.since ?? context.createdAt },
    part: { ...context.part, quantity: leftOfOrder({ order: context.order, seen, filledQuantity }) },
  };
}

/** Returns the maximum remaining cost of an order in US dollars, which it reserves. */
export function boundUsd({ order, part, rest }: Pick<MarketOrderContext, 'order' | 'part' | 'rest'>): DecimalString {
  return part === undefined || rest == null ? order.notionalUsd : computeNotionalUsd(part.quantity, order.limitPrice);
}
