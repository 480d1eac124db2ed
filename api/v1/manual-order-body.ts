/** Wire fields shared by a person's orders on every venue. */
import { Type } from 'typebox';
import type { RiskAttribution } from '../../src/domain/decision.ts';
import { EXECUTION_MODES, ORDER_SIDES, type Order } from '../../src/domain/order.ts';
import { type EpochMs, isoTime } from '../../src/domain/time.ts';
import { AttributionBody } from '../risk-shapes.ts';
import { choice, DecimalText, Time } from '../shapes.ts';
import { malformed } from '../strict-json.ts';
import { FillBody, fillBody } from './agent-orders/proposal-body.ts';

const AMOUNT = '^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,12})?$';

/** A size or a price that may be given; as decimal text. */
export const wishedAmount = (description: string) => Type.Optional(Type.String({ pattern: AMOUNT, maxLength: 32, description }));

export const WISHED_SIDE = choice(ORDER_SIDES, 'Long only: a sell reduces what the manual book holds.');

/** The slippage that a person allows; `usual` basis points where nothing is said. */
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

/** Fields of the schema beside the order's own state. */
export const MANUAL_ORDER_FIELDS = {
  mode: choice(EXECUTION_MODES),
  bookId: Type.String({ description: 'The manual book of the organization, one per mode.' }),
  instrument: Type.String(),
  side: choice(ORDER_SIDES),
  quantity: DecimalText,
  limitPrice: Type.String({ description: 'Limit price.' }),
  notionalUsd: DecimalText,
  maxSlippageBps: Type.Number(),
  decisionPrice: Type.String({ description: 'The executable price when it was placed.' }),
  risk: AttributionBody,
  placedBy: Type.String(),
  filledQuantity: DecimalText,
  filledNotionalUsd: DecimalText,
  fills: Type.Array(FillBody),
  createdAt: Time,
  changedAt: Time,
};

/** The fields' values. */
export function manualOrderFields(view: {
  readonly order: Order;
  readonly decisionPrice: string;
  readonly risk: RiskAttribution;
  readonly placedBy: string;
  readonly filledQuantity: string;
  readonly filledNotionalUsd: string;
  readonly fills: readonly Parameters<typeof fillBody>[0][];
  readonly createdAt: EpochMs;
  readonly changedAt: EpochMs;
}) {
  const { order } = view;
  return {
    mode: order.mode,
    bookId: order.bookId,
    instrument: order.instrument,
    side: order.side,
    quantity: order.quantity,
    limitPrice: order.limitPrice,
    notionalUsd: order.notionalUsd,
    maxSlippageBps: order.maxSlippageBps,
    decisionPrice: view.decisionPrice,
    risk: view.risk,
    placedBy: view.placedBy,
    filledQuantity: view.filledQuantity,
    filledNotionalUsd: view.filledNotionalUsd,
    fills: view.fills.map(fillBody),
    createdAt: isoTime(view.createdAt),
    changedAt: isoTime(view.changedAt),
  };
}
