/** A person's order on any venue, as a request and as an answer. */
import { Type } from 'typebox';
import type { ManualOrderView } from '../../actors/manual-order/order.ts';
import { ORDER_SIDES } from '../../src/domain/orders/order.ts';
import { choice } from '../shapes.ts';
import { malformed } from '../strict-json.ts';
import { fillBody } from './agent-orders/proposal-body.ts';

const AMOUNT = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,12})?$';

/** A size or a price that may be given; as decimal text. */
export const wishedAmount = (description: string) => Type.Optional(Type.String({ pattern: AMOUNT, maxLength: 32, description }));

export const WISHED_SIDE = choice(ORDER_SIDES, 'Long only: a sell reduces what the manual book holds.');

/** The slippage that a person allows; `usual` basis points by default. */
export const wishedSlippage = (usual: number) =>
  Type.Optional(
    Type.Number({ minimum: 0, maximum: 1_000, description: `Default: ${usual}, or the organization's own limit where that is less.` }),
  );

/** Order size and limit price as a body may give them. */
export interface WishedTerms {
  readonly quantity?: string;
  readonly notionalUsd?: string;
  readonly limitPrice?: string;
  readonly maxSlippageBps?: number;
}

/** The same with null for what was not given. @throws InputError if not exactly one size is given, or one is zero. */
export function termsOf({ quantity, notionalUsd, limitPrice, maxSlippageBps }: WishedTerms) {
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

/** Returns what the wire shows of an order besides the fields of its row. */
export function orderTerms({ order, fills }: Pick<ManualOrderView, 'order' | 'fills'>) {
  const { side, quantity, limitPrice, notionalUsd, maxSlippageBps } = order;
  return { side, quantity, limitPrice, notionalUsd, maxSlippageBps, fills: fills.map(fillBody) };
}
