/** A Take on the wire. */
import { Type } from 'typebox';
import type { PublishedTake, TakeView } from '../../../actors/take/commands.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { TAKE_ORIGINS, TAKE_STATES, targetOf } from '../../../src/domain/take/take.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { AnyJson, choice, DecimalText, HashText, IdText, NullableTime, nullable, nullableChoice, Time } from '../../shapes.ts';

const ConditionBody = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string' } },
  additionalProperties: true,
});

export const takeFields = {
  id: IdText,
  state: choice(TAKE_STATES, 'A `filled` Take with exit conditions still watches its position. `closed`: the position was sold.'),
  onDuty: Type.Boolean({ description: 'True while it is evaluated every half minute.' }),
  origin: choice(TAKE_ORIGINS),
  hash: { ...HashText, description: 'SHA-256 over the canonical Take.' },
  manifestHash: { ...HashText, description: 'Hash of the manifest that it decides by.' },
  symbol: Type.String(),
  instrument: Type.String(),
  target: Type.Unsafe<unknown>({
    ...AnyJson,
    description: 'The price or premium that it waits for; null if it waits for something else alone.',
  }),
  conditions: Type.Object({ entry: Type.Array(ConditionBody), exit: Type.Array(ConditionBody) }),
  allocationUsd: DecimalText,
  maxSlippageBps: Type.Number(),
  timeframe: Type.String(),
  expiresAt: Time,
  mode: nullableChoice(EXECUTION_MODES),
  reason: nullable('string', 'Reason of the last state change, or null if the state says it.'),
  thesis: nullable('string', 'Null if it was given as fields.'),
  understood: Type.Array(Type.Object({ phrase: Type.String(), as: Type.String() })),
  assumed: Type.Array(Type.String()),
  notUnderstood: Type.Array(Type.String(), { description: 'Reasons of the author: no part of the policy.' }),
  open: Type.Array(Type.String(), {
    description: 'Reasons and assumptions that arming has to confirm, word for word, in `confirm`; empty if nothing is open.',
  }),
  lineage: Type.Array(IdText, { description: 'The Takes that it was forked from, the first one first.' }),
  published: Type.Boolean(),
  createdBy: Type.String(),
  createdAt: Time,
  armedAt: NullableTime,
  changedAt: Time,
};

export const TakeBody = Type.Object(takeFields, { $id: 'Take' });

/** Readings that an author confirms before a Take acts on them. */
export const ConfirmField = Type.Optional(
  Type.Array(Type.String({ maxLength: 2_100 }), { maxItems: 100, description: 'The texts of `open` that the author accepts.' }),
);

/** Message for a Take that does not exist or belongs to another organization. */
export const NO_TAKE = 'there is no Take with this id';

/** Returns the fields shared by an own Take and a published one. */
export function policyBody(view: TakeView | PublishedTake) {
  const { take } = view;
  return {
    id: view.id,
    origin: take.origin,
    hash: view.hash,
    manifestHash: view.manifestHash,
    symbol: view.symbol,
    instrument: take.asset.key,
    target: targetOf(take),
    conditions: { entry: [...take.entry], exit: [...take.exit] },
    allocationUsd: take.allocationUsd,
    maxSlippageBps: take.maxSlippageBps,
    timeframe: take.timeframe,
    thesis: view.thesis,
    understood: [...view.understood],
    assumed: [...view.assumed],
    notUnderstood: [...view.notUnderstood],
    lineage: [...view.lineage],
    createdAt: isoTime(view.createdAt),
  };
}

export function takeBody(view: TakeView) {
  return {
    ...policyBody(view),
    state: view.state,
    onDuty: view.onDuty,
    expiresAt: isoTime(view.take.expiresAt),
    mode: view.mode,
    reason: view.reason,
    open: [...view.open],
    published: view.publishedAt !== null,
    createdBy: view.createdBy,
    armedAt: view.armedAt === null ? null : isoTime(view.armedAt),
    changedAt: isoTime(view.changedAt),
  };
}
