/** A manual order of any venue, as a request and as an answer. */
import { Type } from 'typebox';
import type { ManualOrderView } from '../../actors/manual-order/manual-order.ts';
import { ORDER_SIDES } from '../../src/domain/orders/order.ts';
import { malformed } from '../http/strict-json.ts';
import { choice } from '../shapes.ts';
import { fillBody } from './agent-orders.ts';

const AMOUNT = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,12})?$';

/** Returns the schema of an optional size or price as decimal text. */
export const wishedAmount = (description: string) => Type.Optional(Type.String({ pattern: AMOUNT, maxLength: 32, description }));

export const WISHED_SIDE = choice(ORDER_SIDES, 'Long only: a sell reduces what the manual book holds.');

/** Returns the schema of the allowed slippage, with a default in basis points. */
export const wishedSlippage = (usual: number) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000, description: `Default: ${usual}, or the organization's own limit where that is less.` }),
  );

/** Size and limit price as a body may give them. */
export interface WishedTerms {
  readonly quantity?: string;
  readonly notionalUsd?: string;
  readonly limitPrice?: string;
  readonly maxSlippageBps?: number;
}

/** Returns the terms with null for missing ones. @throws InputError unless exactly one size is given and not zero. */
export function readOrderTerms({ quantity, notionalUsd, limitPrice, maxSlippageBps }: WishedTerms) {
  if ((quantity === undefined) === (notionalUsd === undefined))
    throw malformed('$.quantity', 'give exactly one of quantity and notionalUsd', 'one of the two');
  for (const [name, value] of Object.entries({ quantity, notionalUsd, limitPrice }))
    if (value !== undefined && /^[0.]+$/.test(value)) throw malformed(`$.${name}`, 'it is zero', 'a number above zero');
  return {
    quantity: quantity ?? null,
    notionalUsd: notionalUsd ?? null,
    limitPrice: limitPrice ?? null,
    maxSlippageBps: maxSlippageBps ?? null,
  };
}

/** Returns what the wire shows of an order besides its row's fields. */
export function orderTerms({ order, fills }: Pick<ManualOrderView, 'order' | 'fills'>) {
  const { side, quantity, limitPrice, notionalUsd, maxSlippageBps } = order;
  return { side, quantity, limitPrice, notionalUsd, maxSlippageBps, fills: fills.map(fillBody) };
}
